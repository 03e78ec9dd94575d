//! The ends of tokens: every class against a byte at a time.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    Class,
    ends::{bytes_of, has_padded_end, padded_end, tokens_in},
};

#[cfg(unix)]
mod pages;

const CLASSES: [Class; 5] = [Class::Scalar, Class::Bmi2, Class::Sse, Class::Avx2, Class::Avx512];

/// Bytes of which so large a share has the high bit, and few are zero.
fn random_bytes(rng: &mut impl Rng) -> Vec<u8> {
    let high = [0.0, 0.1, 0.5, 0.9, 1.0][rng.random_range(0..5)];
    let zero = [0.0, 0.001, 0.1][rng.random_range(0..3)];
    let bytes = rng.random_range(0..600);
    let byte = |_| match rng.random_bool(high) {
        true => rng.random_range(0x80..=0xff),
        false if rng.random_bool(zero) => 0,
        false => rng.random_range(1..0x80),
    };
    (0..bytes).map(byte).collect()
}

/// Checks every class against loops over single bytes.
fn check(rng: &mut impl Rng, bytes: &[u8]) {
    let ends: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at] < 0x80).collect();
    assert_eq!(tokens_in(bytes), ends.len());
    let pairs = bytes.windows(2).position(|pair| pair[0] >= 0x80 && pair[1] == 0);
    assert_eq!(padded_end(bytes), pairs.map_or(bytes.len(), |at| at + 1));
    let asked = [0, 1, ends.len(), ends.len() + 1, rng.random_range(0..=ends.len() + 2), usize::MAX];
    for class in CLASSES {
        assert_eq!(has_padded_end(class, bytes), pairs.is_some(), "{class:?}: {bytes:?}");
        for tokens in asked {
            let last = tokens.checked_sub(1).map_or(Some(0), |last| ends.get(last).map(|at| at + 1));
            assert_eq!(
                bytes_of(class, bytes, tokens),
                last.unwrap_or(bytes.len()),
                "{class:?}, {tokens} tokens: {bytes:?}"
            );
        }
    }
}

#[test]
fn all_classes_equal_a_byte_at_a_time() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..3000 {
        let bytes = random_bytes(&mut rng);
        check(&mut rng, &bytes);
    }
    for at in 0..300 {
        let mut bytes = [1; 301];
        (bytes[at], bytes[at + 1]) = (0x80, 0);
        check(&mut rng, &bytes);
    }
}

#[test]
#[cfg(unix)]
fn nothing_is_read_beyond_the_bytes() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut memory = pages::Pages::new(600);
    for _ in 0..1000 {
        let bytes = random_bytes(&mut rng);
        let guarded = memory.end(bytes.len());
        guarded.copy_from_slice(&bytes);
        check(&mut rng, guarded);
    }
}
