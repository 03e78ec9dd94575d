//! Values to tokens.

use varint_lab::cloud::{CHUNK_POINTS, CloudErrorKind, FieldType, tokens};

use crate::{cloud, f32s, fields};

const XYZ: [FieldType; 3] = [FieldType::Float32; 3];

#[test]
fn c12_nan_is_token_0_and_restarts_its_axis_alone() {
    let points = f32s(&[1.0, 2.0, 3.0, f32::NAN, 2.0, 3.0, 1.0, 2.0, 3.0]);
    let cloud = cloud(fields(&XYZ, Some(0.001)), points);
    // D1 0F A1 1F F1 2E | 00 01 01 | D1 0F 01 01
    let expected = vec![2001, 4001, 6001, 0, 1, 1, 2001, 1, 1];
    assert_eq!(tokens::rows(&cloud).unwrap(), [expected]);
    let columns = vec![vec![2001, 0, 2001], vec![4001, 1, 1], vec![6001, 1, 1]];
    assert_eq!(tokens::columns(&cloud).unwrap(), [columns]);
}

#[test]
fn c12_infinities_are_refused_with_point_and_field() {
    for infinity in [f32::INFINITY, f32::NEG_INFINITY] {
        for axes in [1, 3] {
            let mut values = vec![0.0; 2 * axes];
            values[axes] = infinity;
            let error = tokens::rows(&cloud(fields(&XYZ[..axes], Some(0.001)), f32s(&values))).unwrap_err();
            assert_eq!(error.kind, CloudErrorKind::Unrepresentable);
            assert_eq!((error.point, error.field.as_deref()), (Some(1), Some("f0")));
        }
    }
}

#[test]
fn c11_a_group_refuses_what_its_32_bits_cannot_hold_and_a_lone_field_keeps_it() {
    let group = cloud(fields(&XYZ, Some(0.001)), f32s(&[0.0, 0.0, 0.0, 0.0, 3e6, 0.0]));
    let error = tokens::columns(&group).unwrap_err();
    assert_eq!(error.kind, CloudErrorKind::Unrepresentable);
    assert_eq!((error.point, error.field.as_deref()), (Some(1), Some("f1")));
    // 81 F4 82 AD 16
    let lone = cloud(fields(&XYZ[..1], Some(0.001)), f32s(&[3e6]));
    assert_eq!(tokens::rows(&lone).unwrap(), [[5_999_999_489]]);
}

#[test]
fn c10_a_groups_deltas_wrap_in_32_bits() {
    let cloud =
        cloud(fields(&XYZ, Some(1.0)), f32s(&[2_147_483_520.0, 0.0, 0.0, -2_147_483_648.0, 0.0, 0.0]));
    // 81 FE FF FF 0F 01 01 | 81 02 01 01
    assert_eq!(tokens::rows(&cloud).unwrap(), [[4_294_967_041, 1, 1, 257, 1, 1]]);
}

#[test]
fn v09_the_delta_without_a_token_is_refused() {
    for (kind, value) in [(FieldType::Int64, i64::MIN as u64), (FieldType::Uint64, 1 << 63)] {
        let data = [0, value].iter().flat_map(|value: &u64| value.to_le_bytes()).collect();
        let error = tokens::rows(&cloud(fields(&[kind], None), data)).unwrap_err();
        assert_eq!(error.kind, CloudErrorKind::Unrepresentable);
        assert_eq!((error.point, error.field.as_deref()), (Some(1), Some("f0")));
    }
}

#[test]
fn v19_deltas_wrap_in_64_bits() {
    let bytes = |values: [u64; 2]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let signed = cloud(fields(&[FieldType::Int64], None), bytes([i64::MAX as u64, i64::MIN as u64]));
    assert_eq!(tokens::rows(&signed).unwrap(), [[u64::MAX, 3]]);
    let unsigned = cloud(fields(&[FieldType::Uint64], None), bytes([0, u64::MAX]));
    assert_eq!(tokens::rows(&unsigned).unwrap(), [[1, 2]]);
    let short = [65_535, 0, 65_535].iter().flat_map(|value: &u16| value.to_le_bytes()).collect();
    let short = cloud(fields(&[FieldType::Uint16], None), short);
    assert_eq!(tokens::rows(&short).unwrap(), [[131_071, 131_070, 131_071]]);
}

#[test]
fn a_group_rounds_ties_to_even_and_a_lone_field_away_from_zero() {
    let group = cloud(fields(&XYZ, Some(1.0)), f32s(&[0.5, 1.5, -2.5]));
    assert_eq!(tokens::rows(&group).unwrap(), [[1, 5, 4]]);
    for axes in [1, 2] {
        let values = &[0.5, -2.5][..axes];
        let lone = cloud(fields(&XYZ[..axes], Some(1.0)), f32s(values));
        assert_eq!(tokens::rows(&lone).unwrap(), [&[3, 6][..axes]]);
    }
    let five = cloud(fields(&[FieldType::Float32; 5], Some(1.0)), f32s(&[0.5; 5]));
    assert_eq!(tokens::rows(&five).unwrap(), [[3; 5]]);
}

#[test]
fn fields_without_tokens_are_left_out_and_chunks_restart() {
    let kinds = [FieldType::Uint8, FieldType::Uint16, FieldType::Float64];
    let points = CHUNK_POINTS + 1;
    let data = (0..points).flat_map(|_| [9, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8]).collect();
    let cloud = cloud(fields(&kinds, None), data);
    let rows = tokens::rows(&cloud).unwrap();
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [CHUNK_POINTS, 1]);
    assert_eq!((rows[0][0], rows[0][1], rows[1][0]), (15, 1, 15));
    assert_eq!(tokens::columns(&cloud).unwrap(), [[rows[0].clone()], [rows[1].clone()]]);
}

#[test]
fn clouds_without_points_or_without_tokens_have_no_runs() {
    assert!(tokens::rows(&cloud(fields(&XYZ, Some(0.001)), Vec::new())).unwrap().is_empty());
    assert!(tokens::columns(&cloud(fields(&[FieldType::Uint8], None), vec![1, 2])).unwrap().is_empty());
    assert!(tokens::rows(&cloud(Vec::new(), Vec::new())).unwrap().is_empty());
}

#[test]
fn c13_a_colour_packed_into_a_float_is_never_quantised() {
    let mut colour = fields(&[FieldType::Float32], None);
    "rgb".clone_into(&mut colour[0].name);
    let exact = cloud(colour, vec![0x33, 0x22, 0x11, 0x00]).with_resolution(0.01);
    assert_eq!(exact.fields[0].resolution, None);
    let mut forced = exact;
    forced.fields[0].resolution = Some(0.01);
    let error = tokens::rows(&forced).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (CloudErrorKind::Header, Some("rgb")));
}
