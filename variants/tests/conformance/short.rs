//! Inputs of a few bytes, where a decoder is all edges.

use rand::RngExt;
use variants::Word;

use crate::checker::{Calls, Checker};
use crate::streams::{pad, rng, rubbish, sample};

/// The input, whole and cut, with one token asked and with one more than there can be.
fn at_every_cut<W: Word>(checker: &mut Checker<W>, bytes: &[u8]) {
    for cut in 0..=bytes.len() {
        checker.check_whole(&bytes[..cut], 1);
    }
    checker.check_whole(bytes, bytes.len());
    checker.check_whole(bytes, bytes.len() + 1);
}

pub(crate) fn all_one_byte_inputs<W: Word>(checker: &mut Checker<W>) {
    for byte in 0..=u8::MAX {
        at_every_cut(checker, &[byte]);
    }
}

pub(crate) fn all_two_byte_inputs<W: Word>(checker: &mut Checker<W>) {
    for input in 0..=u16::MAX {
        // Cut, it is one of the one-byte inputs.
        let bytes = input.to_le_bytes();
        checker.check_whole(&bytes, 1);
        checker.check_whole(&bytes, 3);
    }
}

pub(crate) fn all_three_byte_inputs<W: Word>(checker: &mut Checker<W>) {
    for (number, input) in (0..1 << 24).step_by(sample(1, 307)).enumerate() {
        // All the tokens that there can be, or the first one alone.
        checker.check_whole(&u32::to_le_bytes(input)[..3], if number % 8 == 0 { 1 } else { 3 });
    }
}

pub(crate) fn random_inputs_at_every_cut<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(1);
    for _ in 0..sample(200_000, 6_000) {
        let length = rng.random_range(1..=12);
        at_every_cut(checker, &rubbish(rng, length));
    }
}

/// Powers of two with their neighbours in every legal length, and what follows the tenth byte.
pub(crate) fn edges_of_every_length<W: Word>(checker: &mut Checker<W>) {
    let powers = (0..64).map(|bit| 1_u64 << bit);
    let edges = powers.flat_map(|power| [power - 1, power, power + 1]).chain([u64::MAX - 1, u64::MAX]);
    for edge in edges {
        let mut shortest = Vec::new();
        variants::layout::leb128::encode_token(edge, &mut shortest);
        // The eleventh byte is one too many.
        for length in shortest.len()..=11 {
            let mut bytes = shortest.clone();
            if length > shortest.len() {
                pad(&mut bytes, length - shortest.len());
            }
            at_every_cut(checker, &bytes);
            for follower in [0x00, 0x7f, 0x80, 0xff] {
                let mut followed = bytes.clone();
                followed.resize(bytes.len() + 17, follower);
                checker.check_whole(&followed, 1);
                checker.check(&followed, 3, Calls::Steps(1));
            }
        }
        if let Some(token) = W::from_token(edge) {
            at_every_cut(checker, &checker.encode(&[token]));
        }
    }
    for tenth in 0..=u8::MAX {
        for ninth in [0x80, 0xff] {
            let mut bytes = vec![ninth; 9];
            bytes.push(tenth);
            at_every_cut(checker, &bytes);
            bytes.extend([0x00, 0x01, 0x02]);
            at_every_cut(checker, &bytes);
        }
    }
}
