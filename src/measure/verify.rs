//! Every variant on every capture against its layout's oracle and against the tokens that were encoded.

use std::collections::HashMap;

use super::{
    contestants::{Contestant, Encoded, LabWord},
    stream::{Arrangement, LONG_ENOUGH, Stream},
    tokens::{Aligned, check, words},
};
use crate::{
    error::{Error, Result},
    fnv::Fnv,
};

/// What came of all variants on one stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The stream has no such arrangement: nothing to verify.
    NoStream,
    /// The stream has a token that does not fit the word: nothing to verify.
    TooWide,
    /// Oracles and variants were compared.
    Compared {
        /// FNV-1a 64 of the tokens as little-endian words.
        fingerprint: u64,
        /// Variants that gave the tokens and left what their oracle leaves.
        agree: usize,
        /// What is wrong with the others.
        wrong: Vec<Error>,
    },
}

/// Verifies those of `contestants` that run here on a stream's tokens in `W` words.
pub fn verify<W: LabWord>(
    stream: &Stream,
    arrangement: Arrangement,
    contestants: &[Contestant],
    buffer: &mut Aligned<W>,
) -> Verdict {
    let Some(tokens) = stream.tokens(arrangement) else { return Verdict::NoStream };
    let Ok(words) = words::<W>(tokens) else { return Verdict::TooWide };
    let out = buffer.of(words.len().min(LONG_ENOUGH));
    let mut layouts = HashMap::new();
    let mut agree = 0;
    let mut wrong = Vec::new();
    for contestant in contestants.iter().filter(|contestant| contestant.runs_here && contestant.takes::<W>())
    {
        let oracle = layouts.entry(contestant.layout).or_insert_with(|| Oracle::of(contestant, &words, out));
        match oracle.judge(contestant, &words, out) {
            Ok(()) => agree += 1,
            Err(error) => wrong.push(error.within(contestant.name)),
        }
    }
    Verdict::Compared { fingerprint: fingerprint(&words), agree, wrong }
}

/// A layout's encoding of a stream, and what its oracle makes of it.
struct Oracle {
    encoded: Encoded,
    /// Bytes left behind each piece.
    left: Result<Vec<usize>>,
}

impl Oracle {
    fn of<W: LabWord>(contestant: &Contestant, words: &[W], out: &mut [W]) -> Self {
        let calls = W::calls(contestant);
        let encoded = (calls.encode)(words, LONG_ENOUGH);
        // Even the floor has an oracle that decodes: that of its layout.
        let left = check(calls.oracle_piece, true, &encoded, words, out)
            .map_err(|error| error.within(format!("the oracle of {}", contestant.layout)));
        Self { encoded, left }
    }

    fn judge<W: LabWord>(&self, contestant: &Contestant, words: &[W], out: &mut [W]) -> Result<()> {
        let expected = self.left.as_ref().map_err(Clone::clone)?;
        let decode = W::calls(contestant).decode_piece;
        let left = check(decode, contestant.decodes(), &self.encoded, words, out)?;
        match left.iter().zip(expected).position(|(left, expected)| left != expected) {
            None => Ok(()),
            Some(piece) => Err(Error::check(format!(
                "piece {piece} has {} bytes left behind it where the oracle leaves {}",
                left[piece], expected[piece]
            ))),
        }
    }
}

/// FNV-1a 64 of the words in little-endian bytes.
fn fingerprint<W: LabWord>(words: &[W]) -> u64 {
    let mut fnv = Fnv::default();
    for &word in words {
        let token: u64 = word.into();
        fnv.add(&token.to_le_bytes()[..W::BYTES]);
    }
    fnv.value()
}
