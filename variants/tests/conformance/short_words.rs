//! Tokens below 2^16 in words of 16 bits.

use rand::RngExt;
use variants::{Run, Word};

use crate::checker::{Calls, Checker};
use crate::streams::{MIXES, damage, regions, rng, sample, tokens};
use crate::subject::Subject;

/// Words before and after the output that no decoder may touch.
const GUARD: usize = 32;

/// What guards hold.
const UNTOUCHED: u16 = 0xa5c3;

/// What differs between `decode_short` and the oracle, which takes the tokens that it stops at.
pub(crate) fn compare<W: Word>(subject: &dyn Subject<W>, run: Run<'_>, asked: usize) -> Result<(), String> {
    let mut run = run;
    let mut done = 0;
    // Some short steps and some long ones: all of a long stream would be a quadratic check.
    for step in [asked, 40, asked, 1, asked, 33, 100, asked] {
        let room = step.min(asked - done);
        done += compare_once(subject, &mut run, room)?;
        // The stretch behind a token that was in the way, if one was.
        let mut passed = vec![W::default(); 3.min(asked - done)];
        if subject.oracle(&mut run, &mut passed).is_err() {
            break;
        }
        done += passed.len();
    }
    Ok(())
}

/// The same for one call, and how many tokens it took.
fn compare_once<W: Word>(subject: &dyn Subject<W>, run: &mut Run<'_>, room: usize) -> Result<usize, String> {
    let before = *run;
    let mut out = vec![UNTOUCHED; room + 2 * GUARD];
    let count = subject.decode_short(run, &mut out[GUARD..GUARD + room]);
    if count > room {
        return Err(format!("{count} tokens for {room} words"));
    }
    let (mut want_run, mut want) = (before, vec![W::default(); count]);
    subject
        .oracle(&mut want_run, &mut want)
        .map_err(|error| format!("{count} tokens where the oracle has {error:?}"))?;
    if *run != want_run {
        return Err(format!("expected the run at {want_run:?}, got it at {run:?}"));
    }
    let (got, behind) = out[GUARD..].split_at(count);
    if out[..GUARD].iter().chain(&behind[room - count..]).any(|&word| word != UNTOUCHED) {
        return Err("words outside the output were written".to_owned());
    }
    match got.iter().zip(&want).position(|(&got, &want)| u64::from(got) != want.into()) {
        Some(index) => Err(format!("token {index}: expected {:?}, got {}", want[index], got[index])),
        None => Ok(count),
    }
}

pub(crate) fn short_words_are_the_first_tokens<W: Word>(checker: &mut Checker<W>) {
    if W::BYTES != 8 {
        // The oracle of `u64` takes every token.
        return;
    }
    let rng = &mut rng(19);
    for mix in &MIXES {
        for count in [0, 1, 31, 32, 33, 200, 3000] {
            let bytes = checker.encode(&tokens(rng, mix, count));
            checker.check(&bytes, count, Calls::Short);
            checker.check(&bytes[..rng.random_range(0..=bytes.len())], count, Calls::Short);
        }
    }
    for _ in 0..sample(1_000, 50) {
        let count = rng.random_range(1..5_000);
        let bytes = checker.encode(&regions(rng, count));
        checker.check(&bytes, count, Calls::Short);
    }
}

pub(crate) fn short_words_of_damaged_streams<W: Word>(checker: &mut Checker<W>) {
    if W::BYTES != 8 {
        return;
    }
    let rng = &mut rng(20);
    for _ in 0..sample(5_000, 250) {
        let count = rng.random_range(1..900);
        let mut bytes = checker.encode(&regions(rng, count));
        damage(rng, &mut bytes);
        bytes.truncate(rng.random_range(0..=bytes.len()));
        checker.check(&bytes, count, Calls::Short);
    }
}

/// Nearly all of a stream without longer tokens, or nothing.
pub(crate) fn short_words_are_decoded_where_that_is_said<W: Word>(checker: &mut Checker<W>) {
    let count = 4000;
    let bytes = checker.encode(&tokens(&mut rng(21), &[3, 1, 0, 0, 0, 0, 0, 0, 0, 0], count));
    let mut run = checker.open(&bytes, count).expect("what was encoded can be opened");
    let decoded = checker.subject.decode_short(&mut run, &mut vec![0; count]);
    if checker.subject.takes_short() {
        assert!(decoded > count - 500, "{decoded} of {count} tokens");
    } else {
        assert_eq!(decoded, 0);
    }
}
