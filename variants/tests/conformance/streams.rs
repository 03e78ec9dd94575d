//! Seeded token streams: mixes of lengths, regions of changing mix, damage.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use variants::Word;

/// Weights of tokens of 1, 2 .. 10 LEB128 bytes.
pub(crate) type Mix = [u32; 10];

pub(crate) const ALL_ONE: Mix = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
pub(crate) const ALL_TWO: Mix = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
pub(crate) const ALL_THREE: Mix = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
/// A street scan in rows.
pub(crate) const STREET: Mix = [776, 220, 4, 0, 0, 0, 0, 0, 0, 0];
/// Solid-state sensors and fine resolutions.
pub(crate) const FINE: Mix = [30, 45, 23, 2, 0, 0, 0, 0, 0, 0];
/// Now and then a time stamp.
pub(crate) const RARE_LONG: Mix = [600, 300, 90, 5, 1, 1, 1, 1, 1, 1];

pub(crate) const MIXES: [Mix; 10] = [
    ALL_ONE,
    ALL_TWO,
    ALL_THREE,
    [0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    STREET,
    FINE,
    [1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 1, 4, 0, 0, 0, 0, 0],
    RARE_LONG,
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
];

pub(crate) fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// `all` in a release build, and so much less in a debug one that the suite stays quick.
pub(crate) fn sample(all: usize, debug: usize) -> usize {
    if cfg!(debug_assertions) { debug } else { all }
}

/// A token of `W` that takes `length` LEB128 bytes, or as many as `W` can need.
pub(crate) fn token<W: Word>(rng: &mut Xoshiro256PlusPlus, length: usize) -> W {
    let bits = 8 * W::BYTES;
    let length = length.min(bits.div_ceil(7));
    if length == 1 {
        // The NaN marker more often than chance has it.
        return W::cut(rng.random_range(0_u64..144).saturating_sub(16));
    }
    let low = 1_u64 << (7 * (length - 1));
    let high = (1_u128 << (7 * length).min(bits)) - 1;
    W::cut(rng.random_range(low..=high as u64))
}

pub(crate) fn tokens<W: Word>(rng: &mut Xoshiro256PlusPlus, mix: &Mix, count: usize) -> Vec<W> {
    let total: u32 = mix.iter().sum();
    let mut draw = || {
        let mut ticket = rng.random_range(0..total);
        let mut length = 1;
        for &weight in mix {
            if ticket < weight {
                break;
            }
            ticket -= weight;
            length += 1;
        }
        token(rng, length)
    };
    (0..count).map(|_| draw()).collect()
}

/// Tokens whose mix changes every few to every few hundred tokens.
pub(crate) fn regions<W: Word>(rng: &mut Xoshiro256PlusPlus, count: usize) -> Vec<W> {
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let mix = &MIXES[rng.random_range(0..MIXES.len())];
        let region = 1_usize << rng.random_range(0..10);
        all.extend(tokens::<W>(rng, mix, region.min(count - all.len())));
    }
    all
}

/// LEB128 bytes of `tokens` in which about one of 32 is longer than it need be.
pub(crate) fn loose_leb128<W: Word>(rng: &mut Xoshiro256PlusPlus, tokens: &[W]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &token in tokens {
        let start = bytes.len();
        variants::layout::leb128::encode_token(token.into(), &mut bytes);
        let spare = 10 - (bytes.len() - start);
        if spare > 0 && rng.random_ratio(1, 32) {
            let longest = if rng.random_ratio(1, 4) { spare } else { spare.min(2) };
            pad(&mut bytes, rng.random_range(1..=longest));
        }
    }
    bytes
}

/// Makes the last token `more` bytes longer.
pub(crate) fn pad(bytes: &mut Vec<u8>, more: usize) {
    if let Some(last) = bytes.last_mut() {
        *last |= 0x80;
    }
    bytes.resize(bytes.len() + more - 1, 0x80);
    bytes.push(0);
}

/// One to three bytes changed.
pub(crate) fn damage(rng: &mut Xoshiro256PlusPlus, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..bytes.len());
        bytes[at] = match rng.random_range(0..4) {
            0 => 0x00,
            1 => 0x80,
            2 => 0xff,
            _ => rng.random(),
        };
        if rng.random_ratio(1, 4) {
            // A stretch of high bits, so that tokens grow past their limit.
            let end = (at + rng.random_range(2..14)).min(bytes.len());
            bytes[at..end].iter_mut().for_each(|byte| *byte |= 0x80);
        }
    }
}

/// Bytes of any value, or with more high bits than chance has.
pub(crate) fn rubbish(rng: &mut Xoshiro256PlusPlus, length: usize) -> Vec<u8> {
    let (often, odds) = (rng.random_ratio(1, 2), rng.random_range(1..16));
    (0..length)
        .map(|_| {
            let byte: u8 = rng.random();
            if often && rng.random_range(0..16) < odds { byte | 0x80 } else { byte }
        })
        .collect()
}
