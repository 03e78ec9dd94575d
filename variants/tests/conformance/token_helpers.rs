//! Zigzag and the contract of cloudini's `decodeVarint`, beside which the kernels are measured.

use variants::layout::leb128::{
    VarintError, decode_varint, delta_of_token, encode_token, token_of_delta, unzigzag, zigzag,
};

fn encoded(token: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_token(token, &mut bytes);
    bytes
}

/// datrs/varinteger#8: no room for + 1, so no token, and never a quiet 0.
#[test]
fn v09_the_smallest_delta_has_no_token() {
    assert_eq!(token_of_delta(i64::MIN), None);
    assert_eq!(delta_of_token(0), None);
    assert_eq!(zigzag(i64::MIN), u64::MAX);
    assert_eq!(unzigzag(u64::MAX), i64::MIN);
}

/// samtools/htscodecs#3
#[test]
fn v10_zigzag_is_exact_at_the_ends() {
    let ends =
        [0, -1, 1, i64::from(i32::MAX), -i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, -i64::MAX];
    for delta in ends {
        assert_eq!(unzigzag(zigzag(delta)), delta);
        assert_eq!(token_of_delta(delta).and_then(delta_of_token), Some(delta));
    }
    assert_eq!(decode_varint(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Ok((2_147_483_647, 5)));
    assert_eq!(decode_varint(&[0x80, 0x80, 0x80, 0x80, 0x10]), Ok((-2_147_483_648, 5)));
    assert_eq!(decode_varint(&[&[0xff; 9][..], &[0x01]].concat()), Ok((i64::MAX, 10)));
    let smallest = [&[0xfe][..], &[0xff; 8], &[0x01]].concat();
    assert_eq!(decode_varint(&smallest), Ok((-i64::MAX, 10)));
    assert_eq!(encoded(u64::MAX - 1), smallest);
}

/// The values that the reports state as cloudini deltas.
#[test]
fn reported_bytes_are_the_reported_deltas() {
    for (bytes, delta) in [
        (&[0xc5, 0xc6, 0x04][..], 37_282),
        (&[0x80, 0x80, 0x80, 0x80, 0x01], -134_217_728),
        (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 36_028_797_018_963_967),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], -36_028_797_018_963_968),
        (&[0x80, 0x80, 0x01], -8_192),
        (&[0xff, 0xff, 0x7f], 1_048_575),
        (&[0xbe, 0xb8, 0xf0, 0xfe, 0x2d], -6_172_839_455),
    ] {
        for follower in [0x00, 0xff] {
            let followed = [bytes, &[follower; 16]].concat();
            assert_eq!(decode_varint(&followed), Ok((delta, bytes.len())));
        }
    }
    assert_eq!(
        encoded(token_of_delta(1 << 62).unwrap()),
        [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]
    );
}

/// facontidavide/cloudini#57: a marker where a number has to be is an error, in its long forms too.
#[test]
fn v14_the_nan_marker_is_no_number() {
    assert_eq!(decode_varint(&[0x00]), Err(VarintError::NanMarker));
    assert_eq!(decode_varint(&[0x80, 0x00]), Err(VarintError::NanMarker));
    assert_eq!(decode_varint(&[0x81, 0x00]), Ok((0, 2)));
    assert_eq!(decode_varint(&[]), Err(VarintError::Truncated));
    assert_eq!(decode_varint(&[0x80; 9]), Err(VarintError::Truncated));
    assert_eq!(decode_varint(&[0x80; 10]), Err(VarintError::Overflow));
}
