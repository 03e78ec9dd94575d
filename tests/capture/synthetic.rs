//! The synthetic streams have the shares that their names promise.

use variants::layout::leb128::encode_token;
use varint_lab::capture::synthetic::{NAMES, tokens, two_byte_share};

const COUNT: usize = 65_536;

fn length(token: u64) -> usize {
    let mut bytes = Vec::new();
    encode_token(token, &mut bytes);
    bytes.len()
}

/// Shares of lengths 1 to 10; token 0 counts as length 0, at place 0.
fn shares(name: &str) -> [f64; 11] {
    let mut shares = [0.0; 11];
    for token in tokens(name, COUNT).unwrap() {
        shares[if token == 0 { 0 } else { length(token) }] += 1.0 / COUNT as f64;
    }
    shares
}

#[test]
fn shares_are_those_of_the_names() {
    for (name, expected) in [
        ("mix-100", &[0.0, 1.0][..]),
        ("mix-78-22", &[0.0, 0.78, 0.22]),
        ("mix-50-50", &[0.0, 0.5, 0.5]),
        ("mix-60-30-10", &[0.0, 0.6, 0.3, 0.1]),
        ("mix-0-0-100", &[0.0, 0.0, 0.0, 1.0]),
        ("uniform-1-4", &[0.0, 0.25, 0.25, 0.25, 0.25]),
        (
            "uniform-1-9",
            &[
                0.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
                1.0 / 9.0,
            ],
        ),
        ("alternating-1-2", &[0.0, 0.5, 0.5]),
        ("nan-30", &[0.3, 0.546, 0.154]),
    ] {
        assert!(NAMES.contains(&name));
        let found = shares(name);
        for (place, found) in found.iter().enumerate() {
            let expected = expected.get(place).copied().unwrap_or(0.0);
            // Five standard deviations of a share near a half.
            assert!((found - expected).abs() < 0.01, "{name}: {found} of length {place}, not {expected}");
            assert!(expected > 0.0 || *found == 0.0, "{name}: {found} of length {place}");
        }
    }
    assert_eq!(NAMES.len(), 9);
}

#[test]
fn alternating_alternates() {
    let lengths: Vec<usize> = tokens("alternating-1-2", 1000).unwrap().into_iter().map(length).collect();
    assert!(lengths.iter().enumerate().all(|(index, &length)| length == 1 + index % 2));
}

#[test]
fn shares_of_two_byte_tokens_are_as_asked() {
    for per_mille in [0, 300, 1000, 2000] {
        let tokens = two_byte_share(per_mille, COUNT);
        let two = tokens.iter().filter(|&&token| length(token) == 2).count();
        assert!(tokens.iter().all(|&token| token > 0 && length(token) <= 2));
        let asked = f64::from(per_mille.min(1000)) / 1000.0;
        assert!((two as f64 / COUNT as f64 - asked).abs() < 0.01, "{two} of {COUNT}");
    }
}

#[test]
fn values_fill_their_length() {
    let three = tokens("mix-0-0-100", COUNT).unwrap();
    let middle = (1_u64 << 14).midpoint(1 << 21);
    let above = three.iter().filter(|&&token| token >= middle).count();
    assert!((above as f64 / COUNT as f64 - 0.5).abs() < 0.01, "{above}");
    assert_eq!(tokens("mix-100", COUNT).unwrap().iter().max(), Some(&127));
}

#[test]
fn streams_do_not_change_and_longer_ones_begin_like_shorter_ones() {
    for name in NAMES {
        let long = tokens(name, 1000).unwrap();
        assert_eq!(tokens(name, 100).unwrap(), long[..100], "{name}");
    }
    // Of the locked version of rand: other tokens would be another benchmark.
    let bytes: Vec<u8> =
        tokens("uniform-1-9", 1000).unwrap().iter().flat_map(|token| token.to_le_bytes()).collect();
    assert_eq!(
        crate::support::sha256(&bytes),
        "fa860e27dd206342949ecf877f0d74ab0562c592963a12c4d8a727f121ffa5ad"
    );
}

#[test]
fn there_is_no_stream_of_another_name() {
    assert_eq!(tokens("mix", 1), None);
}
