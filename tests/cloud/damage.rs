//! Damaged files: an error or a cloud, never a panic, a hang or memory that nothing proves.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use varint_lab::cloud::{Cloud, Compression, EncodeOptions, FieldType, Mode, encode};

use crate::{all_paths, cloud, f32s, fields, golden};

/// A small cloud with every kind of codec, and every file that can be made of it.
fn small_files() -> Vec<Vec<u8>> {
    let kinds = [
        FieldType::Float32,
        FieldType::Float32,
        FieldType::Float32,
        FieldType::Uint8,
        FieldType::Uint16,
        FieldType::Float64,
        FieldType::Int64,
        FieldType::Uint32,
    ];
    let mut fields = fields(&kinds, None);
    for field in &mut fields[..3] {
        field.resolution = Some(0.5);
    }
    let data = (0..12_u32).flat_map(|index| {
        let value = if index % 5 == 4 { f32::NAN } else { index as f32 * 1.5 };
        [
            f32s(&[value, -value, 3.0]),
            vec![index as u8],
            (index as u16 / 4).to_le_bytes().to_vec(),
            (f64::from(index) / 3.0).to_le_bytes().to_vec(),
            (i64::from(index) << 40).to_le_bytes().to_vec(),
            (index * index % 5).to_le_bytes().to_vec(),
        ]
        .concat()
    });
    let cloud = cloud(fields, data.collect());
    let mut files = Vec::new();
    for version in 2..=5 {
        for mode in [Mode::None, Mode::Lossy, Mode::Lossless] {
            for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
                files.push(encode(&cloud, &EncodeOptions { version, mode, compression }).unwrap());
            }
        }
    }
    files
}

/// An error, or a cloud that is consistent: on which all paths agree.
fn survives(bytes: &[u8]) -> bool {
    match all_paths(bytes) {
        Ok(cloud) => {
            cloud.check().unwrap();
            true
        }
        Err(_) => false,
    }
}

#[test]
fn small_files_survive_every_cut_and_damage_to_every_byte() {
    for file in small_files() {
        assert!(survives(&file));
        for length in 1..file.len() {
            assert!(!survives(&file[..length]), "a cut at {length} went unnoticed");
        }
        let mut damaged = file.clone();
        for place in 0..file.len() {
            for flip in [1 << (place % 8), 0xff] {
                damaged[place] ^= flip;
                survives(&damaged);
                damaged[place] ^= flip;
            }
        }
    }
}

#[test]
fn golden_files_survive_cuts_and_flipped_bytes() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x00da_4a6e);
    for (row, mut bytes) in golden::files() {
        for _ in 0..120 {
            let length = rng.random_range(1..bytes.len());
            assert!(!survives_one(&bytes[..length]), "{} cut at {length}", row.0);
        }
        for _ in 0..10 {
            let place = if rng.random_ratio(1, 3) {
                rng.random_range(0..row.5 + 8)
            } else {
                rng.random_range(0..bytes.len())
            };
            let before = bytes[place];
            bytes[place] = rng.random();
            survives_one(&bytes);
            bytes[place] = before;
        }
    }
}

/// As [`survives`], by the block path alone, which falls back to the per-point path.
fn survives_one(bytes: &[u8]) -> bool {
    use variants::{Decoder, leb128_fast2::Leb128Fast2};
    use varint_lab::cloud::{Path, decode};
    decode(bytes, Path::Block, Leb128Fast2::detect().unwrap()).is_ok()
}

#[test]
fn rubbish_behind_a_good_header_survives() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x0bad_f00d);
    for file in small_files() {
        let start = file.len() - varint_lab::cloud::read_header(&file).unwrap().1.len();
        for _ in 0..40 {
            let mut bytes = file[..start].to_vec();
            let mut body = vec![0; rng.random_range(0..400)];
            rng.fill_bytes(&mut body);
            // Mostly single-byte tokens, so that whole rows pass.
            body.iter_mut().for_each(|byte| *byte &= if rng.random_ratio(1, 12) { 0xff } else { 0x7f });
            bytes.extend((body.len() as u32).to_le_bytes());
            bytes.extend(body);
            survives(&bytes);
        }
    }
}

#[test]
fn runs_make_many_points_of_few_bytes_and_no_more_than_their_chunks_hold() {
    let flat = Cloud::new(fields(&[FieldType::Uint16], None), 200_000, 1, 2, vec![7; 400_000]).unwrap();
    let bytes = encode(&flat, &EncodeOptions::lossy(5)).unwrap();
    assert!(bytes.len() < 300);
    assert_eq!(all_paths(&bytes).unwrap(), flat);
    // A header that promises more points than its chunks can hold takes no memory for them.
    let text = String::from_utf8_lossy(&bytes).replacen("width: 200000", "width: 4000000000", 1);
    let body = &bytes[bytes.iter().position(|&byte| byte == 0).unwrap()..];
    let header = text.split('\0').next().unwrap();
    assert!(all_paths(&[header.as_bytes(), body].concat()).is_err());
}
