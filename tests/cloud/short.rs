//! Points of four floats, whose tokens are decoded in words of 16 bits for as long as they fit: all decoders agree
//! with upstream's shape wherever longer tokens, NaN and damage lie.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::layout::StreamVbyte12;
use varint_lab::cloud::{
    Arrangement, CHUNK_POINTS, Cloud, Compression, EncodeOptions, FieldType, Mode, encode, encode_container,
};

use crate::{
    cloud,
    container::{agreed as agreed_container, assert_comes_back},
    f32s, fields, file,
    mixed::agreed,
};

const XYZI: [FieldType; 4] = [FieldType::Float32; 4];

/// A walk in small steps; one in `jumps` goes anywhere, one in `nans` is none.
fn walk(rng: &mut impl Rng, points: usize, jumps: u32, nans: u32) -> Cloud {
    let mut place = [0.0_f32; 4];
    let mut values = Vec::with_capacity(4 * points);
    for _ in 0..points {
        for axis in &mut place {
            *axis += rng.random_range(-0.05..0.05);
            if rng.random_ratio(1, jumps) {
                let reach = [10.0, 40.0, 2_000.0, 1_000_000.0][rng.random_range(0..4)];
                *axis = rng.random_range(-reach..reach);
            }
            values.push(if rng.random_ratio(1, nans) { f32::NAN } else { *axis });
        }
    }
    cloud(fields(&XYZI, Some(0.001)), f32s(&values))
}

#[test]
fn longer_tokens_and_nan_may_lie_anywhere() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x5407_0001);
    for (jumps, nans) in [(u32::MAX, u32::MAX), (5_000, u32::MAX), (300, 2_000), (20, 50), (2, 3)] {
        for points in [3, 9, 70, 1_500, 5_000] {
            let cloud = walk(&mut rng, points, jumps, nans);
            agreed(&encode(&cloud, &EncodeOptions::lossy(4)).unwrap()).unwrap();
            assert_comes_back(&cloud);
        }
    }
}

#[test]
fn sums_begin_anew_with_every_chunk() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x5407_0002);
    let cloud = walk(&mut rng, CHUNK_POINTS + 700, 2_000, 10_000);
    agreed(&encode(&cloud, &EncodeOptions::lossy(4)).unwrap()).unwrap();
    assert_comes_back(&cloud);
}

#[test]
fn damage_gives_the_same_error_or_the_same_points() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x5407_0003);
    let cloud = walk(&mut rng, 1_500, 400, 1_000);
    let version4 = encode(&cloud, &EncodeOptions::lossy(4)).unwrap();
    let container = encode_container::<StreamVbyte12>(&cloud, Arrangement::Rows, Compression::None).unwrap();
    let mut refused = [0, 0];
    for _ in 0..150 {
        for (which, bytes) in [&version4, &container].into_iter().enumerate() {
            let mut bytes = bytes.clone();
            // Behind the header.
            let at = rng.random_range(bytes.len() / 10..bytes.len());
            bytes[at] = [rng.random(), 0, 0x80, 0xff][rng.random_range(0..4)];
            let outcome = if which == 0 { agreed(&bytes) } else { agreed_container::<StreamVbyte12>(&bytes) };
            refused[which] += usize::from(outcome.is_err());
        }
    }
    assert!(refused[0] > 0 && refused[1] > 0, "{refused:?}");
}

/// A longer form of token 0 is no NaN marker but the delta without a token: to be refused among short ones, too.
#[test]
fn a_longer_form_of_the_marker_is_found_among_short_tokens() {
    for at in [0, 2_000, 15_990] {
        let rows = 4_000;
        let tokens = (0..4 * rows).map(|token| if token == at { "8000" } else { "02" });
        let body: String = tokens.collect();
        let fields = fields(&XYZI, Some(0.001));
        assert!(agreed(&file(4, Mode::Lossy, &fields, rows as u32, &body)).is_err(), "token {at}");
    }
}
