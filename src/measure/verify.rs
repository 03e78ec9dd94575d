//! Every variant on every capture against its layout's oracle and against the tokens that were encoded.

use super::{
    contestants::{Contestant, LabWord},
    stream::{Arrangement, LONG_ENOUGH, Stream},
    tokens::{Aligned, check, words},
};
use crate::{error::Error, fnv::Fnv};

/// What came of one variant on one stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Oracle and variant give the tokens; the fingerprint of their little-endian words.
    Same(u64),
    /// The stream has a token that does not fit the word: nothing to verify.
    TooWide,
    /// This CPU lacks the variant's features.
    Absent,
    /// What is wrong.
    Wrong(Error),
}

/// Verifies `contestant` on a stream's tokens in `W` words.
pub fn verify<W: LabWord>(
    stream: &Stream,
    arrangement: Arrangement,
    contestant: &Contestant,
    buffer: &mut Aligned<W>,
) -> Verdict {
    if !contestant.runs_here {
        return Verdict::Absent;
    }
    let Some(Ok(words)) = stream.tokens(arrangement).map(words::<W>) else {
        return Verdict::TooWide;
    };
    let encoded = (W::calls(contestant).encode)(&words, LONG_ENOUGH);
    let out = buffer.of(words.len().min(LONG_ENOUGH));
    let calls = W::calls(contestant);
    // Even the floor has an oracle that decodes: that of its layout.
    let checked = check(calls.oracle_piece, true, &encoded, &words, out)
        .map_err(|error| error.within("oracle"))
        .and_then(|expected| {
            let left = check(calls.decode_piece, contestant.decodes(), &encoded, &words, out)?;
            match left.iter().zip(&expected).position(|(left, expected)| left != expected) {
                None => Ok(()),
                Some(piece) => Err(Error::check(format!(
                    "piece {piece} has {} bytes left behind it where the oracle leaves {}",
                    left[piece], expected[piece]
                ))),
            }
        });
    match checked {
        Err(error) => Verdict::Wrong(error),
        Ok(()) => Verdict::Same(fingerprint(&words)),
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
