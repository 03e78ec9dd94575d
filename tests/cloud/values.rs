//! Single values: bytes and back, by all paths; and random clouds.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use varint_lab::cloud::{
    Cloud, CloudErrorKind, Compression, EncodeOptions, Field, FieldType, Mode, byte_count, encode,
};

use crate::{all_paths, body, cloud, f32s, fields, file, hex, refusal};

const XYZ: [FieldType; 3] = [FieldType::Float32; 3];

/// The cloud's version 4 body is this hex, and comes back the same.
fn check(cloud: &Cloud, mode: Mode, expected: &str) {
    let options = EncodeOptions { version: 4, mode, compression: Compression::None };
    let bytes = encode(cloud, &options).unwrap();
    assert!(bytes.ends_with(&hex(expected)), "{expected}");
    assert_eq!(all_paths(&bytes).unwrap().data, cloud.data);
}

#[test]
fn v14_the_nan_marker_is_a_value_in_floats_alone() {
    let short = fields(&[FieldType::Uint16], None);
    assert_eq!(refusal(&file(4, Mode::Lossy, &short, 1, "01 00 00 00 00")), CloudErrorKind::NanMarker);
    let group = file(4, Mode::Lossy, &fields(&XYZ, Some(0.001)), 1, "03 00 00 00 00 01 01");
    assert_eq!(all_paths(&group).unwrap().data, hex("00 00 C0 7F 00 00 00 00 00 00 00 00"));
}

#[test]
fn a_longer_form_of_token_0_is_no_nan_and_longer_forms_of_others_are_fine() {
    for kinds in [&XYZ[..], &XYZ[..1], &[FieldType::Float64]] {
        let fields = fields(kinds, Some(0.5));
        let tail = "01 ".repeat(fields.len() - 1);
        for (first, kind) in [("80 00", CloudErrorKind::NanMarker), ("80 80 00", CloudErrorKind::NanMarker)] {
            let body = format!("0A 00 00 00 {first} {tail} 01 01 01 01 01 01 01 01 01 01");
            assert_eq!(
                refusal(&file(4, Mode::Lossy, &fields, 1, &body[..12 + (30.min(body.len() - 12))])),
                kind
            );
        }
        let body = format!("0{} 00 00 00 83 00 {tail}", fields.len() + 1);
        let cloud = all_paths(&file(4, Mode::Lossy, &fields, 1, &body)).unwrap();
        let half = if kinds[0] == FieldType::Float64 { 0.5_f64.to_le_bytes().to_vec() } else { f32s(&[0.5]) };
        assert_eq!(cloud.data[..half.len()], half);
    }
}

#[test]
fn v04_an_overflow_ends_the_chunk() {
    let short = fields(&[FieldType::Uint16], None);
    let body = "0E 00 00 00 FF FF FF FF FF FF FF FF FF FF 7F E4 E0 02";
    let error = all_paths(&file(4, Mode::Lossy, &short, 2, body)).unwrap_err();
    assert_eq!((error.kind, error.point), (CloudErrorKind::Overflow, Some(0)));
}

#[test]
fn v19_integers_wrap_and_come_back() {
    let longs = |kind, values: [u64; 2]| {
        cloud(fields(&[kind], None), values.iter().flat_map(|value| value.to_le_bytes()).collect())
    };
    let signed = longs(FieldType::Int64, [i64::MAX as u64, i64::MIN as u64]);
    check(&signed, Mode::Lossy, "0B 00 00 00 FF FF FF FF FF FF FF FF FF 01 03");
    check(&longs(FieldType::Uint64, [0, u64::MAX]), Mode::Lossy, "02 00 00 00 01 02");
    let shorts = [65_535_u16, 0, 65_535].iter().flat_map(|value| value.to_le_bytes()).collect();
    let shorts = cloud(fields(&[FieldType::Uint16], None), shorts);
    check(&shorts, Mode::Lossless, "09 00 00 00 FF FF 07 FE FF 07 FF FF 07");
}

#[test]
fn c09_doubles_are_bit_exact_and_bad_windows_are_errors() {
    let doubles = |values: &[f64]| {
        cloud(
            fields(&[FieldType::Float64], None),
            values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        )
    };
    let neighbours = doubles(&[1.0, 1.0_f64.next_up(), -1.0]);
    let bytes = "18 00 00 00 00 00 00 00 00 00 F0 3F 7F 30 00 00 00 00 83 3F 00 00 00 00 00 00 00 10";
    check(&neighbours, Mode::Lossless, bytes);
    check(&neighbours, Mode::Lossy, bytes);
    let values =
        [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 5e-324, 1.5, 1.5, 1.625, f64::MAX, 1e-9];
    let odd = doubles(&values);
    for version in 2..=5 {
        for mode in [Mode::Lossy, Mode::Lossless, Mode::None] {
            let options = EncodeOptions { version, mode, compression: Compression::None };
            assert_eq!(all_paths(&encode(&odd, &options).unwrap()).unwrap().data, odd.data);
        }
    }
    for (body, kind) in [
        // 31 leading zeros and 64 meaningful bits; the window of a value that had none.
        ("12 00 00 00 00 00 00 00 00 00 F0 3F FF 1F 00 00 00 00 00 00 00 00", CloudErrorKind::Malformed),
        ("12 00 00 00 00 00 00 00 00 00 F0 3F 01 00 00 00 00 00 00 00 00 00", CloudErrorKind::Malformed),
        ("0A 00 00 00 00 00 00 00 00 00 F0 3F 83 1F", CloudErrorKind::Truncated),
        ("09 00 00 00 00 00 00 00 00 00 F0 3F 83", CloudErrorKind::Truncated),
        ("08 00 00 00 00 00 00 00 00 00 F0 3F", CloudErrorKind::Truncated),
        ("07 00 00 00 00 00 00 00 00 00 F0", CloudErrorKind::Truncated),
    ] {
        let bytes = file(4, Mode::Lossless, &neighbours.fields, 2, body);
        assert_eq!(refusal(&bytes), kind, "{body}");
    }
}

#[test]
fn c10_sums_of_a_group_wrap_in_32_bits() {
    let cloud =
        cloud(fields(&XYZ, Some(1.0)), f32s(&[2_147_483_520.0, 0.0, 0.0, -2_147_483_648.0, 0.0, 0.0]));
    check(&cloud, Mode::Lossy, "0B 00 00 00 81 FE FF FF 0F 01 01 81 02 01 01");
    // The longest token of a group has 33 bits: from 0 to i32::MIN.
    let mut lowest = cloud;
    lowest.data = f32s(&[-2_147_483_648.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    check(
        &lowest,
        Mode::Lossy,
        "0A 00 00 00 80 80 80 80 10 01 01 80 80 80 80 10 01 01".replacen("0A", "0E", 1).as_str(),
    );
}

#[test]
fn c11_what_the_grid_cannot_hold_is_an_error_with_point_and_axis() {
    let far = cloud(fields(&XYZ, Some(0.001)), f32s(&[0.0, 0.0, 0.0, 3e6, 0.0, 0.0]));
    for version in 2..=5 {
        let error = encode(&far, &EncodeOptions::lossy(version)).unwrap_err();
        assert_eq!(error.kind, CloudErrorKind::Unrepresentable);
        assert_eq!((error.chunk, error.point, error.field.as_deref()), (Some(0), Some(1), Some("f0")));
    }
    let lone = cloud(fields(&XYZ[..1], Some(0.001)), f32s(&[3e6]));
    check(&lone, Mode::Lossy, "05 00 00 00 81 F4 82 AD 16");
}

#[test]
fn c12_nan_comes_back_alone() {
    let points = f32s(&[1.0, 2.0, 3.0, f32::NAN, 2.0, 3.0, 1.0, 2.0, 3.0]);
    let cloud = cloud(fields(&XYZ, Some(0.001)), points);
    assert_eq!(body(&cloud, 4), hex("0D 00 00 00 D1 0F A1 1F F1 2E 00 01 01 D1 0F 01 01"));
    let back = all_paths(&encode(&cloud, &EncodeOptions::lossy(4)).unwrap()).unwrap();
    let [x, y, z] = [1000.0, 2000.0, 3000.0].map(|steps| steps * 0.001_f32);
    assert_eq!(back.data, f32s(&[x, y, z, f32::NAN, y, z, x, y, z]));
    assert_eq!(back.data[12..16], hex("00 00 C0 7F"));
}

#[test]
fn c13_floats_without_a_resolution_keep_every_bit() {
    let mut colours = cloud(fields(&[FieldType::Float32], None), hex("FF FF FF FF 33 22 11 00"));
    "rgb".clone_into(&mut colours.fields[0].name);
    check(&colours, Mode::Lossy, "08 00 00 00 FF FF FF FF 33 22 11 00");
}

#[test]
fn m01_bytes_that_no_field_covers_are_not_kept_and_come_back_as_0() {
    let mut fields = fields(&[XYZ[0], XYZ[0], XYZ[0]], Some(0.5));
    for (name, offset, kind) in
        [("i", 16, XYZ[0]), ("t", 20, FieldType::Uint32), ("r", 24, FieldType::Uint16)]
    {
        fields.push(Field::new(name, offset, kind));
    }
    fields[3].resolution = Some(0.5);
    let mut data = vec![0xee; 96];
    for point in data.chunks_exact_mut(48) {
        point[..12].copy_from_slice(&f32s(&[1.5, -2.0, 4.0]));
        point[16..26].copy_from_slice(&hex("00 00 80 3F 01 02 03 04 05 06"));
    }
    let mut expected = data.clone();
    for point in expected.chunks_exact_mut(48) {
        point[12..16].fill(0);
        point[26..].fill(0);
    }
    let cloud = Cloud::new(fields, 2, 1, 48, data).unwrap();
    for version in 2..=5 {
        let bytes = encode(&cloud, &EncodeOptions::lossy(version)).unwrap();
        assert_eq!(all_paths(&bytes).unwrap().data, expected);
    }
}

#[test]
fn m02_m11_fields_are_coded_in_their_order_wherever_they_lie() {
    let mut fields = fields(&[FieldType::Uint16, FieldType::Uint16, FieldType::Float32], Some(1.0));
    (fields[0].offset, fields[1].offset, fields[2].offset) = (5, 0, 9);
    let points = hex("07 00 00 00 00 09 00 00 00 00 00 80 3F");
    let cloud = Cloud::new(fields, 1, 1, 13, points).unwrap();
    assert_eq!(body(&cloud, 4), hex("03 00 00 00 13 0F 03"));
    assert_eq!(body(&cloud, 5), hex("05 00 00 00 03 00 13 00 0F"));
    check(&cloud, Mode::Lossy, "03 00 00 00 13 0F 03");
}

/// Fields of random types in random order, some with gaps, now and then on top of each other.
fn random_fields(rng: &mut impl Rng) -> (Vec<Field>, usize) {
    let mut fields = Vec::new();
    let mut offset = rng.random_range(0..3);
    let overlapping = rng.random_ratio(1, 8);
    let leading = rng.random_range(0..6);
    for index in 0..rng.random_range(1..9_usize).max(leading) {
        let kind =
            if index < leading { FieldType::Float32 } else { FieldType::ALL[rng.random_range(0..10_usize)] };
        let mut field = Field::new(format!("f{index}"), offset, kind);
        field.resolution =
            (index < leading || rng.random()).then(|| [0.001, 0.5, 3.0][rng.random_range(0..3_usize)]);
        fields.push(field);
        offset += if overlapping { rng.random_range(0..4) } else { kind.size() + rng.random_range(0..6) / 4 };
    }
    let step = fields.iter().map(|field| field.offset + field.kind.size()).max().unwrap_or(1);
    if rng.random() {
        // The list's order is not that of the offsets.
        let (a, b) = (rng.random_range(0..fields.len()), rng.random_range(0..fields.len()));
        fields.swap(a, b);
    }
    (fields, step + rng.random_range(0..3))
}

/// Values as sensors have them: small steps, now and then a jump, a repetition or a NaN.
fn random_points(rng: &mut impl Rng, fields: &[Field], step: usize, points: usize) -> Vec<u8> {
    let mut data = vec![0; points * step];
    for field in fields {
        let mut value = 0_i64;
        let spread = 1 << rng.random_range(0..14);
        let jumps = rng.random_range(1..400);
        for point in data.chunks_exact_mut(step) {
            if rng.random_ratio(1, jumps) {
                value = rng.random_range(-1_000_000..1_000_000);
            }
            value += rng.random_range(-spread..=spread);
            let bytes = match field.kind {
                FieldType::Float32 if rng.random_ratio(1, 50) => f32::NAN.to_le_bytes().to_vec(),
                FieldType::Float32 => (value as f32 / 1000.0).to_le_bytes().to_vec(),
                FieldType::Float64 => (value as f64 / 1000.0).to_le_bytes().to_vec(),
                _ => value.to_le_bytes()[..field.kind.size()].to_vec(),
            };
            point[field.offset..field.offset + bytes.len()].copy_from_slice(&bytes);
        }
    }
    data
}

#[test]
fn random_clouds_come_back_by_all_paths() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x0c10_0d1e);
    let mut written = 0;
    for _ in 0..120 {
        let (fields, step) = random_fields(&mut rng);
        let points = [1, 2, 15, 100, 2500][rng.random_range(0..5_usize)];
        let data = random_points(&mut rng, &fields, step, points);
        let cloud = Cloud::new(fields, points as u32, 1, step, data).unwrap();
        assert_eq!(byte_count(cloud.width, 1, step).unwrap(), cloud.data.len());
        for version in 2..=5 {
            for mode in [Mode::None, Mode::Lossless, Mode::Lossy] {
                let options = EncodeOptions { version, mode, compression: Compression::None };
                // Fields on top of each other can make floats that no grid holds.
                let Ok(bytes) = encode(&cloud, &options) else { continue };
                written += 1;
                let back = all_paths(&bytes).unwrap();
                let mut exact = vec![0; cloud.data.len()];
                for field in &cloud.fields {
                    for (to, from) in exact.chunks_exact_mut(step).zip(cloud.data.chunks_exact(step)) {
                        let place = field.offset..field.offset + field.kind.size();
                        to[place.clone()].copy_from_slice(&from[place]);
                    }
                }
                if mode == Mode::Lossy {
                    check_grid(&cloud, &back);
                } else {
                    assert!(back.data == exact, "{:?}", cloud.fields);
                }
            }
        }
    }
    assert!(written > 1000, "{written}");
}

/// Lossy floats are within a step of their grid, and NaN where they were; all else is exact. Clouds whose fields
/// overlap prove nothing here.
fn check_grid(cloud: &Cloud, back: &Cloud) {
    let mut places: Vec<_> = cloud.fields.iter().map(|field| (field.offset, field.kind.size())).collect();
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
        return;
    }
    for field in &cloud.fields {
        let place = field.offset..field.offset + field.kind.size();
        let values = cloud.data.chunks_exact(cloud.point_step).zip(back.data.chunks_exact(cloud.point_step));
        for (before, after) in values.map(|(before, after)| (&before[place.clone()], &after[place.clone()])) {
            let number = |bytes: &[u8]| match field.kind {
                FieldType::Float32 => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
                _ => f64::from_le_bytes(bytes.try_into().unwrap()),
            };
            match field.resolution {
                Some(resolution) if matches!(field.kind, FieldType::Float32 | FieldType::Float64) => {
                    let (before, after) = (number(before), number(after));
                    let close = (before - after).abs() <= f64::from(resolution) + before.abs() * 1e-6;
                    assert!(close || (before.is_nan() && after.is_nan()), "{before} {after}");
                }
                _ => assert_eq!(before, after),
            }
        }
    }
}
