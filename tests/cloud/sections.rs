//! Version 5's sections.

use varint_lab::cloud::{CHUNK_POINTS, Cloud, CloudErrorKind, EncodeOptions, FieldType, Mode, encode};

use crate::{all_paths, body, cloud, fields, file, refusal};

/// A UINT16 column.
fn shorts(values: impl IntoIterator<Item = u16>) -> Cloud {
    let data = values.into_iter().flat_map(u16::to_le_bytes).collect();
    cloud(fields(&[FieldType::Uint16], None), data)
}

/// The file comes back by every path, and its first section has this mode and these chunk lengths.
fn check(cloud: &Cloud, mode: u8) -> Vec<u8> {
    let body = body(cloud, 5);
    assert_eq!(body[4], mode);
    let bytes = encode(cloud, &EncodeOptions::lossy(5)).unwrap();
    assert!(all_paths(&bytes).unwrap() == *cloud, "mode {mode}");
    body
}

#[test]
fn each_mode_is_chosen_where_it_is_smallest() {
    check(&shorts((0..5000_u32).map(|index| (index * 12 + index * index % 23) as u16)), 0);
    check(&shorts((0..5000_u32).map(|index| if index * index % 7 % 2 == 0 { 3 } else { 900 })), 1);
    let runs = check(&shorts((0..5000).map(|index| index / 900 * 300 % 1000)), 2);
    assert_eq!(runs.len(), 4 + 1 + 4 + 6 * (2 + 2));
    let ramp = check(&shorts(0..5000), 3);
    // One run of the delta 0 for the first value, one of +1: 4999 is two bytes.
    assert_eq!(ramp, crate::hex("0A 00 00 00 | 03 | 02 00 00 00 | 01 01 | 03 87 27"));
}

#[test]
fn of_sections_of_equal_size_the_first_mode_is_taken() {
    // 6 values in deltas are 7 bytes; a palette of 1 is 5; a run is 8; so too for one value: 2, 5, 8, 7.
    assert_eq!(body(&shorts([0; 6]), 5)[4], 1);
    assert_eq!(body(&shorts([0; 4]), 5)[4], 0);
    assert_eq!(body(&shorts([0]), 5)[4], 0);
}

#[test]
fn the_choice_looks_at_4096_points_and_holds_for_all_chunks() {
    let noise = |index: usize| (index * 40_503 % 65_536) as u16;
    let points = 2 * CHUNK_POINTS + 11;
    // Flat where the choice looks, noise behind: whatever was chosen has to hold the noise as well.
    for flat in [4096, CHUNK_POINTS] {
        let cloud = shorts((0..points).map(|index| if index < flat { 7 } else { noise(index) }));
        let body = check(&cloud, 1);
        assert!(body.len() > points);
    }
    let late = shorts((0..points).map(|index| if index < 4096 { index as u16 } else { noise(index) }));
    check(&late, 3);
    let runs = shorts(
        (0..points).map(|index| if index < 4096 { (index / 512) as u16 * 4096 } else { noise(index) }),
    );
    check(&runs, 2);
}

#[test]
fn delta_runs_of_noise_in_wide_integers_outgrow_upstreams_bound_and_still_come_back() {
    // 11 bytes a value: a ten-byte token and a run of one.
    let value = |index: u64| if index < 4096 { index } else { index.wrapping_mul(0x9e37_79b9_7f4a_7c15) };
    for kind in [FieldType::Int64, FieldType::Uint64] {
        let data = (0..10_000).flat_map(|index| value(index).to_le_bytes()).collect();
        let cloud = cloud(fields(&[kind], None), data);
        for compression in [varint_lab::cloud::Compression::Lz4, varint_lab::cloud::Compression::Zstd] {
            let options = EncodeOptions { version: 5, mode: Mode::Lossy, compression };
            assert_eq!(all_paths(&encode(&cloud, &options).unwrap()).unwrap(), cloud);
        }
        check(&cloud, 3);
    }
}

#[test]
fn c08_sections_that_contradict_themselves_are_refused() {
    use CloudErrorKind::{LeftOver, Malformed, NanMarker, Overflow, Truncated};
    let short = fields(&[FieldType::Uint16], None);
    for (body, kind) in [
        ("04 03 03 03", Malformed),
        ("FF 03 03 03", Malformed),
        ("00 03 03", Truncated),
        ("00 03 00 03", NanMarker),
        ("00 03 80 00 03", NanMarker),
        ("00 03 03 03 03", LeftOver),
        ("01 00 00", Malformed),
        ("01 01 00 07 00 55", LeftOver),
        ("01 02 00 07 00", Truncated),
        ("01 02 00 07 00 08 00", Truncated),
        ("01 03 00 07 00 08 00 09 00 3F", Malformed),
        ("02 01 00 00 00 07 00 02", Malformed),
        ("02 01 00 00 00 07 00 04", Malformed),
        ("02 00 00 00 00", Malformed),
        ("02 02 00 00 00 07 00 03 08 00 00", Malformed),
        ("02 02 00 00 00 07 00 00 08 00 03", Malformed),
        ("02 02 00 00 00 07 00 03", Truncated),
        ("02 01 00 00 00 07 00", Truncated),
        ("02 01 00 00", Truncated),
        ("03 01 00 00 00 03 02", Malformed),
        ("03 01 00 00 00 03 04", Malformed),
        ("03 01 00 00 00 00 03", NanMarker),
        ("03 FF FF FF FF 03 01", Truncated),
        // X6: run lengths are read as strictly as tokens.
        ("02 01 00 00 00 07 00 80 80 80 80 80 80 80 80 80 02", Overflow),
        ("03 01 00 00 00 03 80 80 80 80 80 80 80 80 80 02", Overflow),
        ("02 01 00 00 00 07 00 FF FF FF FF FF FF FF FF FF 01", Malformed),
    ] {
        let bytes = crate::hex(body);
        let framed = format!("{:02x} 00 00 00 {body}", bytes.len());
        assert_eq!(refusal(&file(5, Mode::Lossy, &short, 3, &framed)), kind, "{body}");
    }
    for (body, values) in [
        ("00 03 03 03", [1, 2, 3]),
        ("01 01 00 07 00", [7, 7, 7]),
        ("01 03 00 07 00 08 00 09 00 24", [7, 8, 9]),
        ("02 02 00 00 00 07 00 01 08 00 82 00", [7, 8, 8]),
        ("03 02 00 00 00 03 02 02 01", [1, 2, 1]),
    ] {
        let framed = format!("{:02x} 00 00 00 {body}", crate::hex(body).len());
        assert_eq!(all_paths(&file(5, Mode::Lossy, &short, 3, &framed)).unwrap().data, shorts(values).data);
    }
}

#[test]
fn v09_the_delta_without_a_token_is_refused_in_sections_too() {
    let data = [0, i64::MIN].iter().flat_map(|value| value.to_le_bytes()).collect();
    let cloud = cloud(fields(&[FieldType::Int64], None), data);
    for version in 2..=5 {
        let error = encode(&cloud, &EncodeOptions::lossy(version)).unwrap_err();
        assert_eq!(error.kind, CloudErrorKind::Unrepresentable);
        assert_eq!((error.chunk, error.point, error.field.as_deref()), (Some(0), Some(1), Some("f0")));
    }
    let fields = cloud.fields;
    assert_eq!(refusal(&file(4, Mode::Lossy, &fields, 2, "02 00 00 00 01 00")), CloudErrorKind::NanMarker);
    assert_eq!(refusal(&file(5, Mode::Lossy, &fields, 2, "03 00 00 00 00 01 00")), CloudErrorKind::NanMarker);
}
