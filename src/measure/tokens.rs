//! The tokens task: kernels alone, on a stream's pieces.

use std::collections::HashMap;

use variants::Word;

use super::{
    contestants::{Contestant, Encoded, LabWord, PieceCall},
    record::Record,
    rounds::{Times, interleave},
    stream::{Arrangement, LONG_ENOUGH, Stream},
};
use crate::error::{Error, Result};

/// The variant that every ratio is against.
pub const BASELINE: &str = "leb128_loop";

/// Encoded LEB128 bytes of the DRAM window: well above any cache that one core has to itself.
const DRAM_BYTES: usize = 64 << 20;

/// Where the output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Window {
    /// Pieces of 65 536 tokens, or chunks of 32 768 points, into one reused, aligned buffer that stays in the
    /// second-level cache.
    L2,
    /// At least 64 MB of encoded bytes, or 128 MB of points, decoded in one call to an output of its own.
    Dram,
}

impl Window {
    /// `l2` or `dram`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::L2 => "l2",
            Self::Dram => "dram",
        }
    }
}

/// How the task is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Rows or columns.
    pub arrangement: Arrangement,
    /// Where the output goes.
    pub window: Window,
    /// Rounds a capture.
    pub rounds: u32,
    /// Whether these contestants have just been verified on these streams: they are not verified again then.
    pub verified: bool,
}

/// Output words from a 64-byte boundary on: a caller who wants the last bit of speed aligns, and a buffer
/// that only sometimes is would make runs differ.
#[derive(Debug, Default)]
pub struct Aligned<W> {
    words: Vec<W>,
}

impl<W: Word> Aligned<W> {
    /// `count` words, kept from call to call while they suffice.
    pub fn of(&mut self, count: usize) -> &mut [W] {
        let slack = 64 / W::BYTES;
        if self.words.len() < count + slack {
            self.words = vec![W::default(); count + slack];
        }
        let start = self.words.as_ptr().align_offset(64).min(slack);
        &mut self.words[start..start + count]
    }
}

/// A stream in every layout that the contestants need.
struct Prepared {
    by_layout: HashMap<&'static str, Encoded>,
    tokens: usize,
    longest_piece: usize,
}

/// Times those of `contestants` that take such words on one stream; all run here and the baseline is among them.
///
/// # Errors
/// `Input` if there are no tokens, or one does not fit the word; `Check` if a contestant's output is not the tokens.
pub fn measure<W: LabWord>(
    stream: &Stream,
    plan: Plan,
    contestants: &[Contestant],
    buffer: &mut Aligned<W>,
    tick: impl FnMut(),
) -> Result<Vec<Record>> {
    let Plan { arrangement, window, rounds, verified } = plan;
    let able = contestants.iter().filter(|contestant| contestant.takes::<W>());
    let contestants = &able.copied().collect::<Vec<_>>()[..];
    let name = &stream.facts.name;
    let base = contestants
        .iter()
        .position(|contestant| contestant.name == BASELINE)
        .ok_or_else(|| Error::check(format!("{BASELINE} has to run for there to be ratios")))?;
    let Some(tokens) = stream.tokens(arrangement) else {
        return Err(Error::input(format!("{name} has no {}", arrangement.name())));
    };
    if tokens.is_empty() {
        let why = "has no tokens: 8-bit integers and exact floats are stored as they are";
        return Err(Error::input(why).within(name));
    }
    let words = words::<W>(tokens).map_err(|error| error.within(name))?;
    let prepared = prepare(&words, window, contestants);
    let out = buffer.of(prepared.longest_piece);
    for contestant in contestants.iter().filter(|_| !verified) {
        let encoded = &prepared.by_layout[contestant.layout];
        check(W::calls(contestant).decode_piece, contestant.decodes(), encoded, &words, out).map_err(
            |error| {
                error.within(format!("{} on {name}, {}, {}", contestant.name, arrangement.name(), W::NAME))
            },
        )?;
    }
    let mut failed = None;
    let times = interleave(
        contestants.len(),
        rounds,
        |index| {
            let contestant = &contestants[index];
            let encoded = &prepared.by_layout[contestant.layout];
            if let Err(error) = (W::calls(contestant).decode_over)(encoded, out) {
                failed = Some(Error::check(format!("{}: {error}", contestant.name)));
            }
        },
        tick,
    );
    match failed {
        Some(error) => Err(error),
        None => Ok(contestants
            .iter()
            .enumerate()
            .map(|(index, contestant)| {
                let encoded = &prepared.by_layout[contestant.layout];
                let identity = Record {
                    task: "tokens".into(),
                    word: W::NAME.into(),
                    arrangement: arrangement.name().into(),
                    window: window.name().into(),
                    capture: name.clone(),
                    synthetic: stream.facts.synthetic,
                    short: stream.facts.short,
                    variant: contestant.name.into(),
                    layout: contestant.layout.into(),
                    class: contestant.class().into(),
                    standing: contestant.info.standing.name().into(),
                    tokens: prepared.tokens as u64,
                    bytes_per_token: encoded.bytes.len() as f64 / prepared.tokens.max(1) as f64,
                    ..Record::default()
                };
                with_times(identity, &times, base, index, rounds)
            })
            .collect()),
    }
}

/// Fills in what the clock said.
pub(super) fn with_times(identity: Record, times: &Times, base: usize, index: usize, rounds: u32) -> Record {
    let per = |nanoseconds: f64| nanoseconds / identity.tokens.max(1) as f64;
    let (low, high) = times.spread(base, index);
    Record {
        rounds,
        quiet: times.quiet(index),
        ns_min: per(times.min(index)),
        ns_median: per(times.median(index)),
        vs_loop: times.median(base) / times.median(index),
        vs_loop_min: times.min(base) / times.min(index),
        vs_loop_low: low,
        vs_loop_high: high,
        ..identity
    }
}

/// The tokens as words.
///
/// # Errors
/// Names the first token that does not fit.
pub fn words<W: Word>(tokens: &[u64]) -> Result<Vec<W>> {
    tokens
        .iter()
        .enumerate()
        .map(|(index, &token)| {
            W::from_token(token).ok_or_else(|| {
                Error::input(format!(
                    "token {index} is {token}, which does not fit {}; --word u64 holds every token",
                    W::NAME
                ))
            })
        })
        .collect()
}

fn prepare<W: LabWord>(words: &[W], window: Window, contestants: &[Contestant]) -> Prepared {
    let chained;
    let (words, piece) = match window {
        Window::L2 => (words, LONG_ENOUGH),
        Window::Dram => {
            let leb128: usize =
                words.iter().map(|&word| variants::layout::leb128::token_bytes(word.into())).sum();
            chained = words.repeat(DRAM_BYTES.div_ceil(leb128.max(1)));
            (&chained[..], chained.len())
        }
    };
    let mut by_layout = HashMap::new();
    for contestant in contestants {
        by_layout
            .entry(contestant.layout)
            .or_insert_with(|| (W::calls(contestant).encode)(words, piece.max(1)));
    }
    Prepared { by_layout, tokens: words.len(), longest_piece: piece.min(words.len()) }
}

/// Decodes every piece and, if `compare`, compares it with the tokens it was made of; `words` repeats if the
/// pieces hold more. Returns how many bytes each piece's run had left: a layout's last group may outlast its tokens.
///
/// # Errors
/// Names the first token that differs.
pub fn check<W: Word>(
    decode: PieceCall<W>,
    compare: bool,
    encoded: &Encoded,
    words: &[W],
    out: &mut [W],
) -> Result<Vec<usize>> {
    let mut first = 0;
    let mut lefts = Vec::with_capacity(encoded.pieces.len());
    for (place, count) in &encoded.pieces {
        let left = decode(&encoded.bytes[place.clone()], *count, out)
            .map_err(|error| Error::check(error.to_string()))?;
        lefts.push(left);
        if compare && let Some(index) = differs(&out[..*count], words, first) {
            return Err(Error::check(format!(
                "token {} came out as {:?}, which is not what was encoded",
                first + index,
                out[index]
            )));
        }
        first += count;
    }
    Ok(lefts)
}

/// The first place at which `out` is not `words` from `first` on, which repeat if `out` is longer.
fn differs<W: Word>(out: &[W], words: &[W], first: usize) -> Option<usize> {
    let rest = &words[first % words.len().max(1)..];
    // Slices are compared many at a time.
    if rest.get(..out.len()) == Some(out) {
        return None;
    }
    out.iter().zip(rest.iter().chain(words.iter().cycle())).position(|(got, expected)| got != expected)
}

#[cfg(test)]
mod tests {
    use super::differs;

    #[test]
    fn the_first_difference_is_found_also_where_words_repeat() {
        let words = [1_u32, 2, 3];
        assert_eq!(differs(&[2, 3], &words, 1), None);
        assert_eq!(differs(&[2, 3, 1, 2, 3, 1], &words, 4), None);
        assert_eq!(differs(&[2, 3, 1, 2, 4], &words, 1), Some(4));
        assert_eq!(differs(&[9, 2], &words, 0), Some(0));
        assert_eq!(differs::<u32>(&[], &[], 0), None);
    }
}
