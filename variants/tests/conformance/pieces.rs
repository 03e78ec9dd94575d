//! Runs that are read in more than one call.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::RngExt;
use variants::Word;

use crate::checker::{Calls, Checker, quietly};
use crate::streams::{MIXES, damage, regions, rng, sample, tokens};

pub(crate) fn resumes_at_every_split<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(11);
    for mix in &MIXES {
        let count = 450;
        let bytes = checker.encode(&tokens(rng, mix, count));
        for first in (0..=count).step_by(sample(1, 3)) {
            checker.check(&bytes, count, Calls::Split(first));
            let cut = &bytes[..bytes.len() - first % bytes.len() / 2];
            checker.check(cut, count, Calls::Split(first));
        }
    }
}

pub(crate) fn resumes_at_every_step<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(12);
    for step in (1..70).chain([127, 128, 129, 255, 1000]) {
        let tokens: Vec<W> = regions(rng, 2_000);
        let mut bytes = checker.encode(&tokens);
        checker.check(&bytes, tokens.len(), Calls::Steps(step));
        damage(rng, &mut bytes);
        checker.check(&bytes, tokens.len(), Calls::Steps(step));
    }
}

pub(crate) fn some_tokens_are_the_first_ones<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(13);
    for mix in &MIXES {
        let tokens: Vec<W> = tokens(rng, mix, 900);
        let bytes = checker.encode(&tokens);
        for asked in [0_usize, 1, 2, 5, 63, 64, 65, 100, 128, 300, 500, 900] {
            for least in [0, 1, 2, 31, 32, 33, 64, asked / 2, asked.saturating_sub(1), asked] {
                checker.check(&bytes, asked, Calls::AtLeast(least.min(asked)));
            }
        }
    }
}

/// A refusal counts only for the tokens that have to be handed out.
pub(crate) fn some_tokens_of_damaged_streams<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(14);
    for _ in 0..sample(10_000, 500) {
        let count = rng.random_range(1..900);
        let mut bytes = checker.encode(&regions(rng, count));
        damage(rng, &mut bytes);
        if rng.random_ratio(1, 2) {
            bytes.truncate(rng.random_range(0..=bytes.len()));
        }
        checker.check(&bytes, count, Calls::AtLeast(rng.random_range(0..=count)));
    }
}

pub(crate) fn one_token_after_the_other<W: Word>(checker: &mut Checker<W>) {
    if W::BYTES != 8 {
        // `next_token` always hands out `u64`.
        return;
    }
    let rng = &mut rng(15);
    for _ in 0..sample(5_000, 300) {
        let count = rng.random_range(1..300);
        let mut bytes = checker.encode(&regions(rng, count));
        checker.check(&bytes, count, Calls::OneByOne);
        damage(rng, &mut bytes);
        checker.check(&bytes, count, Calls::OneByOne);
        checker.check(&bytes[..rng.random_range(0..=bytes.len())], count + 1, Calls::OneByOne);
    }
}

pub(crate) fn a_least_beyond_the_output_panics<W: Word>(checker: &mut Checker<W>) {
    let bytes = checker.encode(&[W::cut(1), W::cut(2)]);
    let run = checker.subject.open(&bytes, 2).unwrap();
    let one = &mut [W::default()];
    let asked_too_much =
        quietly(|| catch_unwind(AssertUnwindSafe(|| checker.subject.decode_some(&mut { run }, one, 2))));
    assert!(asked_too_much.is_err());
}
