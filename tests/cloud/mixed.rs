//! Rows with other bytes between their tokens: all paths and all decoders agree, on values and on errors.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};
use variants::{Decoder, Leb128Visitor, layout::Leb128, leb128_loop::Leb128Loop, visit_leb128};
use varint_lab::cloud::{
    CHUNK_POINTS, Cloud, CloudError, CloudErrorKind, EncodeOptions, Field, FieldType, Mode, Path, decode,
    encode, read_header,
};

use crate::{fields, file};

/// Compares the block path of every decoder with upstream's shape.
struct Compare<'a> {
    bytes: &'a [u8],
    expected: &'a Result<Cloud, CloudError>,
}

impl Leb128Visitor for Compare<'_> {
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str) {
        if let Some(decoder) = D::detect() {
            assert!(decode(self.bytes, Path::Block, decoder) == *self.expected, "{name}");
        }
    }
}

/// What these bytes hold, on which all decoders agree.
pub(crate) fn agreed(bytes: &[u8]) -> Result<Cloud, CloudError> {
    let decoder = Leb128Loop::detect().unwrap();
    let expected = decode(bytes, Path::PerField, decoder);
    assert!(decode(bytes, Path::PerPoint, decoder) == expected);
    visit_leb128(&mut Compare { bytes, expected: &expected });
    expected
}

/// A leading group or none, then tokens and other fields in random order, at tight or loose offsets.
fn random_fields(rng: &mut impl Rng) -> (Vec<Field>, usize) {
    use FieldType::{Float32, Float64, Int8, Int64, Uint8, Uint16, Uint32};
    let mut kinds = [Float32, Float64, Float64, Uint8, Int8, Uint16, Uint32, Int64];
    kinds.shuffle(rng);
    let leading = [0, 3, 4][rng.random_range(0..3)];
    let behind = rng.random_range(1..6);
    let mut fields = fields(&[&[Float32; 4][..leading], &kinds[..behind]].concat(), Some(0.01));
    let mut gap = 0;
    for field in &mut fields {
        // Doubles are packed, 8-bit integers copied.
        field.resolution = field.resolution.filter(|_| field.kind == Float32);
        gap += rng.random_range(0..12) / 10;
        field.offset += gap;
    }
    if rng.random() {
        let leading = if leading == 0 { 0 } else { leading + rng.random_range(0..behind) };
        fields[leading..].shuffle(rng);
    }
    let step = fields.iter().map(|field| field.offset + field.kind.size()).max().unwrap();
    (fields, step + rng.random_range(0..3))
}

/// Doubles that stay the same for a firing, bytes that are mostly small, NaN now and then.
pub(crate) fn random_cloud(rng: &mut impl Rng, points: usize) -> Cloud {
    let (fields, step) = random_fields(rng);
    let mut data = vec![0; points * step];
    for field in &fields {
        let firing = [1, 2, 5, 32, 300][rng.random_range(0..5)];
        let (jump, large) = (rng.random_range(1..3000), [0, 1, 50][rng.random_range(0..3)]);
        let nan = [0, 2, 30][rng.random_range(0..3)];
        let spread = 1 << rng.random_range(1..10);
        let (mut double, mut value) = (1.6e9_f64, 0_i64);
        for (index, point) in data.chunks_exact_mut(step).enumerate() {
            value += rng.random_range(-spread..=spread);
            if rng.random_ratio(1, jump) {
                value = rng.random_range(-1_000_000..1_000_000) << if rng.random() { 0 } else { 20 };
            }
            if index % firing == 0 {
                double = match rng.random_range(0..20) {
                    0 => f64::from_bits(rng.random()),
                    1 => double,
                    2 => f64::from_bits(double.to_bits() ^ 1 << rng.random_range(0..64)),
                    _ => double + 46.08e-6,
                };
            }
            let bytes = match field.kind {
                FieldType::Float32 if rng.random_ratio(nan, 100) => f32::NAN.to_le_bytes().to_vec(),
                FieldType::Float32 => ((value % 20_000_000) as f32 / 100.0).to_le_bytes().to_vec(),
                FieldType::Float64 => double.to_le_bytes().to_vec(),
                FieldType::Uint8 | FieldType::Int8 => {
                    let high = u8::from(rng.random_ratio(large, 100)) << 7;
                    vec![rng.random::<u8>() & 0x7f | high]
                }
                _ => value.to_le_bytes()[..field.kind.size()].to_vec(),
            };
            point[field.offset..field.offset + bytes.len()].copy_from_slice(&bytes);
        }
    }
    Cloud::new(fields, points as u32, 1, step, data).unwrap()
}

#[test]
fn random_mixed_clouds_come_back_whole_and_damaged_ones_fail_alike() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x0141_3ed0);
    let mut failures = 0;
    for round in 0..70 {
        let points = [1, 2, 40, 700, 1500][round % 5];
        let cloud = random_cloud(&mut rng, points);
        for version in [3, 4, 5] {
            let mode = if rng.random_ratio(1, 5) { Mode::Lossless } else { Mode::Lossy };
            let mut bytes = encode(&cloud, &EncodeOptions { mode, ..EncodeOptions::lossy(version) }).unwrap();
            let back = agreed(&bytes).unwrap();
            for field in back.fields.iter().filter(|field| field.resolution.is_none()) {
                let place = field.offset..field.offset + field.kind.size();
                let values = |cloud: &Cloud| {
                    let points = cloud.data.chunks_exact(cloud.point_step);
                    points.flat_map(|point| point[place.clone()].to_vec()).collect::<Vec<_>>()
                };
                assert!(values(&back) == values(&cloud), "{field:?}");
            }
            let body = bytes.len() - read_header(&bytes).unwrap().1.len() + 4;
            for _ in 0..3 {
                let at = rng.random_range(body..bytes.len());
                let before = bytes[at];
                bytes[at] = [0, 0x80, 0xff, rng.random()][rng.random_range(0..4)];
                failures += usize::from(agreed(&bytes).is_err());
                bytes[at] = before;
            }
        }
    }
    assert!(failures > 50, "{failures}");
}

#[test]
fn stretches_begin_anew_with_every_chunk() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x0c4a_9d1e);
    let points = CHUNK_POINTS + 500;
    let mut fields = fields(&[FieldType::Float32, FieldType::Float64, FieldType::Uint8], Some(0.5));
    fields[1].resolution = None;
    let data = (0..points).flat_map(|index| {
        let value = f32::from(rng.random::<u8>()) / 2.0;
        // Long stretches, then none, then long ones again.
        let firing = if (5000..9000).contains(&index) { 1 } else { 32 };
        let time = (index / firing) as f64 * 0.1;
        [&value.to_le_bytes()[..], &time.to_le_bytes(), &[rng.random::<u8>() & 0x7f]].concat()
    });
    let cloud = Cloud::new(fields, points as u32, 1, 13, data.collect()).unwrap();
    for version in [4, 5] {
        let bytes = encode(&cloud, &EncodeOptions::lossy(version)).unwrap();
        assert!(agreed(&bytes).unwrap() == cloud);
    }
}

/// The body of a chunk of three tokens and a packed FLOAT64 a row: 400 rows that repeat it and, in the middle,
/// some of these bytes.
fn among_repetitions(odd: &str, rows: u32) -> Vec<u8> {
    let mut list = fields(&[FieldType::Float32; 3], Some(0.5));
    list.push(Field::new("t", 12, FieldType::Float64));
    let body = format!(
        "03 05 07 11 22 33 44 55 66 77 88 {} {odd} {}",
        "03 01 02 00 ".repeat(200),
        "03 01 02 00 ".repeat(200)
    );
    let length = u32::try_from(body.split_whitespace().count()).unwrap();
    let length: Vec<_> = length.to_le_bytes().iter().map(|byte| format!("{byte:02X}")).collect();
    file(4, Mode::Lossy, &list, 401 + rows, &format!("{} {body}", length.join(" ")))
}

#[test]
fn bytes_that_only_look_like_longer_tokens_are_read_as_they_are() {
    // A repetition whose unused bits are set, and behind it a NaN; the two together are no token 0.
    let cloud = agreed(&among_repetitions("03 01 02 80 00 01 02 00", 2)).unwrap();
    let x = |row: usize| f32::from_le_bytes(cloud.data[row * 20..][..4].try_into().unwrap());
    assert!(x(201).is_finite() && x(202).is_nan() && x(203) == 0.5);
    assert!(cloud.data.chunks_exact(20).all(|point| point[12..] == cloud.data[12..20]));
    // Longer forms of the token 3 and of a delta in the last lane before the double.
    let longer = agreed(&among_repetitions("83 00 01 82 80 00 00", 1)).unwrap();
    assert_eq!(longer, agreed(&among_repetitions("03 01 02 00", 1)).unwrap());
    // A longer form of token 0 is an error; so is a window that has no place.
    for (odd, kind, field) in [
        ("03 80 00 02 00", CloudErrorKind::NanMarker, "f1"),
        ("03 01 02 01", CloudErrorKind::Malformed, "t"),
        ("FF FF FF FF FF FF FF FF FF 7F 01 02 00", CloudErrorKind::Overflow, "f0"),
    ] {
        let error = agreed(&among_repetitions(odd, 1)).unwrap_err();
        assert_eq!((error.kind, error.point, error.field.as_deref()), (kind, Some(201), Some(field)));
    }
}
