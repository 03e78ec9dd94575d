//! Odd bytes in the middle of good streams, where the main loops of wide decoders are at work.

use rand::RngExt;
use variants::Word;

use crate::checker::{Calls, Checker};
use crate::streams::{ALL_ONE, ALL_THREE, ALL_TWO, FINE, MIXES, STREET, rng, rubbish, sample, tokens};

/// Good tokens behind the odd bytes: more than any main loop wants ahead of it.
const AHEAD: usize = 400;

/// `before`, the odd bytes, `after`. LEB128 takes the odd bytes as they are; other layouts, whose bytes
/// cannot be strung together, as numbers of one to eight bytes.
fn splice<W: Word>(checker: &Checker<W>, before: &[W], odd: &[u8], after: &[W]) -> (Vec<u8>, usize) {
    if checker.is_leb128() {
        let mut bytes = checker.encode(before);
        bytes.extend_from_slice(odd);
        bytes.extend(checker.encode(after));
        let ends = bytes.iter().filter(|&&byte| byte < 0x80).count();
        return (bytes, ends);
    }
    let size = 1 + odd.first().map_or(0, |&byte| usize::from(byte % 8));
    let odd = odd
        .chunks(size)
        .map(|chunk| W::cut(chunk.iter().rev().fold(0, |number, &byte| (number << 8) | u64::from(byte))));
    let all: Vec<W> = before.iter().copied().chain(odd).chain(after.iter().copied()).collect();
    (checker.encode(&all), all.len())
}

/// Checks the stream as it is, and cut behind the odd bytes.
fn check_spliced<W: Word>(checker: &mut Checker<W>, before: &[W], odd: &[u8], after: &[W]) {
    let (bytes, count) = splice(checker, before, odd, after);
    checker.check_whole(&bytes, count);
    checker.check_whole(&bytes, count + 1);
}

/// Streams of short inputs, each followed by what ends its last token.
fn strung_together<W: Word>(checker: &mut Checker<W>, inputs: impl Iterator<Item = u32>, size: usize) {
    let mut inputs = inputs.peekable();
    let mut lead = 0;
    while inputs.peek().is_some() {
        let mut odd = vec![0x01; lead % 64];
        for input in inputs.by_ref().take(8192) {
            odd.extend_from_slice(&input.to_le_bytes()[..size]);
            odd.push(0x01);
        }
        check_spliced(checker, &[], &odd, &[]);
        lead += 1;
    }
}

pub(crate) fn all_two_byte_inputs_inside_streams<W: Word>(checker: &mut Checker<W>) {
    strung_together(checker, 0..1 << 16, 2);
}

pub(crate) fn all_three_byte_inputs_inside_streams<W: Word>(checker: &mut Checker<W>) {
    strung_together(checker, (0..1 << 24).step_by(sample(1, 41)), 3);
}

pub(crate) fn random_inputs_inside_streams<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(2);
    let good: Vec<Vec<W>> = MIXES.iter().map(|mix| tokens(rng, mix, 2 * AHEAD)).collect();
    for _ in 0..sample(200_000, 2_000) {
        let length = rng.random_range(1..=12);
        let odd = rubbish(rng, length);
        let (lead, follow) = (&good[rng.random_range(0..good.len())], &good[rng.random_range(0..good.len())]);
        let before = rng.random_range(0..200);
        check_spliced(checker, &lead[..before], &odd, &follow[..AHEAD]);
    }
}

/// Zeros, overlong forms, every length, overflows: at each of 130 places in a stream.
pub(crate) fn odd_inputs_at_every_alignment<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(3);
    let mut odd: Vec<Vec<u8>> = vec![
        vec![0x00],
        vec![0x80, 0x00],
        vec![0x85, 0x00],
        vec![0x80, 0x80, 0x00],
        vec![0xff, 0xff, 0x80, 0x00],
        [&[0xff; 9][..], &[0x01]].concat(),
        [&[0x80; 9][..], &[0x02]].concat(),
        [&[0xff; 9][..], &[0x81, 0x00]].concat(),
        vec![0x80; 10],
        vec![0xff; 16],
        vec![0xff; 70],
        // The tenth byte ends one token as overflow while a block border lies between.
        [&[0xff; 9][..], &[0x7f]].concat(),
        [&[0xff; 4][..], &[0x0f]].concat(),
        [&[0xff; 4][..], &[0x1f]].concat(),
    ];
    for length in 2..=10_usize {
        let last = if length == 10 { 0x01 } else { 0x7f };
        odd.push([vec![0xff; length - 1], vec![last]].concat());
        odd.push([vec![0x80; length - 1], vec![0x01]].concat());
    }
    let leads = [ALL_ONE, ALL_TWO, STREET].map(|mix| tokens::<W>(rng, &mix, 130));
    let follows = [ALL_ONE, FINE, ALL_THREE].map(|mix| tokens::<W>(rng, &mix, AHEAD));
    let stride = sample(1, 5);
    for (number, odd) in odd.iter().enumerate() {
        for (lead, follow) in leads.iter().zip(&follows) {
            for before in (number % stride..130).step_by(stride) {
                let (bytes, count) = splice(checker, &lead[..before], odd, follow);
                checker.check_whole(&bytes, count);
                checker.check(&bytes, count, Calls::AtLeast(before + 1));
            }
        }
    }
}
