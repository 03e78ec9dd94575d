//! Streams of hundreds to thousands of tokens: intact, damaged, cut, of every length and at every offset.

use rand::RngExt;
use variants::Word;

use crate::checker::Checker;
use crate::streams::{MIXES, damage, loose_leb128, regions, rng, rubbish, sample, tokens};

/// What was encoded comes back, and nothing is left.
pub(crate) fn round_trips<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(4);
    for number in 0..sample(2_000, 150) {
        let count = if number % 2 == 0 { rng.random_range(0..40) } else { rng.random_range(0..3_000) };
        let tokens: Vec<W> = regions(rng, count);
        let bytes = checker.encode(&tokens);
        let mut run = checker.subject.open(&bytes, count).unwrap();
        let mut out = vec![W::default(); count];
        checker.subject.decode(&mut run, &mut out).unwrap();
        assert!(out == tokens || !checker.subject.hands_out_tokens(), "{count} tokens, stream {number}");
        assert!(run.data.is_empty() || !checker.subject.ends_with_piece(count), "{run:?} is left");
        assert!(run.exceptions.is_empty(), "{run:?} is left");
        assert_eq!(run.taken, count);
        checker.check_whole(&bytes, count);
    }
}

pub(crate) fn every_output_length<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(5);
    for mix in &MIXES {
        let tokens = tokens(rng, mix, 700);
        let bytes = checker.encode(&tokens);
        for asked in (0..=200).chain([255, 256, 257, 320, 511, 512, 513, 640]) {
            // Followed by more tokens, and by nothing.
            checker.check_whole(&bytes, asked);
            checker.check_whole(&checker.encode(&tokens[..asked]), asked);
        }
    }
}

/// Input and output at each of 64 offsets from a cache line.
pub(crate) fn every_slice_offset<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(6);
    for mix in &MIXES {
        for count in [1, 7, 63, 64, 65, 200, 640] {
            let bytes = checker.encode(&tokens(rng, mix, count));
            let mut lines = vec![0_u8; bytes.len() + 128];
            let mut words = vec![W::default(); count + 128];
            for offset in 0..64 {
                let start = lines.as_ptr().align_offset(64) + offset;
                let input = &mut lines[start..start + bytes.len()];
                input.copy_from_slice(&bytes);
                let start = words.as_ptr().align_offset(64) + offset % 16;
                checker.check_in_place(input, &mut words[start..start + count]);
            }
        }
    }
}

pub(crate) fn truncation_at_every_byte<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(7);
    for mix in &MIXES {
        let bytes = checker.encode(&tokens(rng, mix, 300));
        for cut in (0..=bytes.len()).step_by(sample(1, 2)) {
            checker.check_whole(&bytes[..cut], 300);
        }
    }
}

/// A long stream, in LEB128 with some overlong forms.
fn long_stream<W: Word>(checker: &Checker<W>, rng: &mut rand::rngs::Xoshiro256PlusPlus) -> (Vec<u8>, usize) {
    let count = rng.random_range(2_000..8_000);
    let tokens: Vec<W> = regions(rng, count);
    let bytes = if checker.is_leb128() { loose_leb128(rng, &tokens) } else { checker.encode(&tokens) };
    (bytes, count)
}

pub(crate) fn intact_long_streams<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(8);
    for _ in 0..sample(1_000, 40) {
        let (bytes, count) = long_stream(checker, rng);
        checker.check_whole(&bytes, count);
        checker.check_whole(&bytes, rng.random_range(0..=count));
    }
}

pub(crate) fn damaged_long_streams<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(9);
    for _ in 0..sample(1_000, 40) {
        let (bytes, count) = long_stream(checker, rng);
        for _ in 0..3 {
            let mut bytes = bytes.clone();
            if rng.random_ratio(2, 3) {
                damage(rng, &mut bytes);
            }
            if rng.random_ratio(1, 2) {
                bytes.truncate(rng.random_range(0..=bytes.len()));
            }
            checker.check_whole(&bytes, count);
        }
    }
}

/// Nothing but random bytes.
pub(crate) fn rubbish_streams<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(10);
    for _ in 0..sample(20_000, 2_000) {
        let length = rng.random_range(0..1_500);
        let bytes = rubbish(rng, length);
        checker.check_whole(&bytes, rng.random_range(0..=length + 1));
    }
}
