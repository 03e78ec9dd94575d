//! Series along one quantity: how speed goes with the working set, and with the share of 2-byte tokens. They explain
//! a ranking and are in none.

use std::collections::HashMap;

use super::{
    contestants::{Contestant, Encoded, LabWord},
    record::SweepRow,
    rounds::interleave,
    stream::{Arrangement, LONG_ENOUGH, Stream},
    tokens::{Aligned, BASELINE, check, words},
};
use crate::{
    capture::synthetic,
    error::{Error, Result},
};

/// The series over growing output buffers.
pub const WORKING_SET: &str = "working-set";
/// The series over shares of 2-byte tokens, in random order.
pub const TWO_BYTE_SHARE: &str = "two-byte-share";
/// The same with [`PERIOD`] tokens over and over.
pub const TWO_BYTE_SHARE_REPEATING: &str = "two-byte-share-repeating";

/// Tokens that a repeating stream repeats: about what a benchmark over one small buffer has.
pub const PERIOD: usize = 4096;

/// Output bytes of the working sets: powers of four, from well inside the first cache to beyond what a core has to
/// itself.
const OUTPUTS: [usize; 8] = [8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20];

/// From here on a pass takes so long that few have to do.
const LARGE: usize = 16 << 20;

/// Tokens of a stream of the share series.
const SHARE_TOKENS: usize = 4 * LONG_ENOUGH;

/// Steps of the share series.
const SHARES: u32 = 10;

/// Rounds of a place, and of a large one.
const ROUNDS: u32 = 9;
const LARGE_ROUNDS: u32 = 3;

/// Decoders of the working-set series, beside the widest of [`OTHER_LAYOUT`] and the controls.
const FOR_WORKING_SETS: [&str; 5] =
    [BASELINE, "leb128_fast2", "leb128_pext4x2_bmi2", "leb128_stride_avx2", "leb128_stride_avx512"];
const OTHER_LAYOUT: &str = "stream_vbyte12";

/// Decoders of the share series.
const FOR_SHARES: [&str; 8] = [
    BASELINE,
    "leb128_fast1",
    "leb128_fast2",
    "leb128_fast3",
    "leb128_select2",
    "leb128_pext4x2_bmi2",
    "leb128_stride_avx2",
    "leb128_stride_avx512",
];

/// How many places all series have together.
#[must_use]
pub fn places() -> u64 {
    OUTPUTS.len() as u64 + 2 * u64::from(SHARES + 1)
}

/// Times some decoders and the controls on the stream's rows as `u32`, over growing output buffers: every buffer is
/// filled from its front to its end, then again. A stream that is shorter than the buffer follows itself.
///
/// # Errors
/// If an output is wrong, or a token does not fit.
pub fn working_set(stream: &Stream, all: &[Contestant], mut tick: impl FnMut()) -> Result<Vec<SweepRow>> {
    let mut chosen = named(all, &FOR_WORKING_SETS);
    let other = all.iter().filter(|contestant| contestant.runs_here && contestant.layout == OTHER_LAYOUT);
    chosen.extend(other.max_by_key(|contestant| contestant.info.class).copied());
    let controls = all.iter().filter(|contestant| contestant.info.standing.name() == "control");
    chosen.extend(controls.filter(|contestant| contestant.runs_here).copied());

    let name = &stream.facts.name;
    let tokens = stream
        .tokens(Arrangement::Rows)
        .filter(|tokens| !tokens.is_empty())
        .ok_or_else(|| Error::input(format!("{name} has no tokens")))?;
    let words = words::<u32>(tokens).map_err(|error| error.within(name))?;
    let mut rows = Vec::new();
    for output in OUTPUTS {
        let place = Place { sweep: WORKING_SET, stream: name, place: output as f64 };
        let rounds = if output > LARGE { LARGE_ROUNDS } else { ROUNDS };
        rows.extend(measure(place, &words, output / 4, &chosen, rounds)?);
        tick();
    }
    Ok(rows)
}

/// Times some decoders on made-up streams of 1- and 2-byte tokens, from none of 2 bytes to nothing else: in random order,
/// and [`PERIOD`] tokens over and over, which a branch predictor may learn.
///
/// # Errors
/// If an output is wrong.
pub fn two_byte_share(all: &[Contestant], mut tick: impl FnMut()) -> Result<Vec<SweepRow>> {
    let chosen = named(all, &FOR_SHARES);
    let mut rows = Vec::new();
    for sweep in [TWO_BYTE_SHARE, TWO_BYTE_SHARE_REPEATING] {
        for step in 0..=SHARES {
            let mut tokens = synthetic::two_byte_share(1000 * step / SHARES, SHARE_TOKENS);
            let mut stream = "synthetic, random order".to_owned();
            if sweep == TWO_BYTE_SHARE_REPEATING {
                tokens = tokens[..PERIOD].repeat(SHARE_TOKENS / PERIOD);
                stream = format!("synthetic, {PERIOD} tokens over and over");
            }
            let place = Place { sweep, stream: &stream, place: f64::from(step) / f64::from(SHARES) };
            rows.extend(measure(place, &words::<u32>(&tokens)?, LONG_ENOUGH, &chosen, ROUNDS)?);
            tick();
        }
    }
    Ok(rows)
}

/// Those of the names that run here.
fn named(all: &[Contestant], names: &[&str]) -> Vec<Contestant> {
    let named = |name: &&str| all.iter().find(|contestant| contestant.runs_here && contestant.name == *name);
    names.iter().filter_map(named).copied().collect()
}

/// What is measured where.
#[derive(Clone, Copy)]
struct Place<'a> {
    sweep: &'static str,
    stream: &'a str,
    place: f64,
}

/// The contestants on the words in pieces of so many, or on one piece of them over and over if they are fewer.
fn measure(
    place: Place<'_>,
    words: &[u32],
    piece: usize,
    contestants: &[Contestant],
    rounds: u32,
) -> Result<Vec<SweepRow>> {
    let within = |error: Error| error.within(format!("{}, {}", place.sweep, place.stream));
    let base = contestants
        .iter()
        .position(|contestant| contestant.name == BASELINE)
        .ok_or_else(|| within(Error::check(format!("{BASELINE} has to run for there to be ratios"))))?;
    let tokens = words.len().max(piece);
    let mut by_layout = HashMap::<&str, Encoded>::new();
    {
        let chained: Vec<u32>;
        let all = if words.len() < piece {
            chained = words.iter().copied().cycle().take(piece).collect();
            &chained
        } else {
            words
        };
        for contestant in contestants {
            by_layout.entry(contestant.layout).or_insert_with(|| (u32::calls(contestant).encode)(all, piece));
        }
    }
    let mut buffer = Aligned::<u32>::default();
    let out = buffer.of(piece);
    for contestant in contestants {
        let encoded = &by_layout[contestant.layout];
        check(u32::calls(contestant).decode_piece, contestant.decodes(), encoded, words, out)
            .map_err(|error| within(error.within(contestant.name)))?;
    }
    let mut failed = None;
    let times = interleave(
        contestants.len(),
        rounds,
        |index| {
            let contestant = &contestants[index];
            if let Err(error) = (u32::calls(contestant).decode_over)(&by_layout[contestant.layout], out) {
                failed = Some(Error::check(format!("{}: {error}", contestant.name)));
            }
        },
        || {},
    );
    if let Some(error) = failed {
        return Err(within(error));
    }
    let per = |nanoseconds: f64| nanoseconds / tokens as f64;
    Ok(contestants
        .iter()
        .enumerate()
        .map(|(index, contestant)| {
            let (vs_loop_low, vs_loop_high) = times.spread(base, index);
            SweepRow {
                sweep: place.sweep.into(),
                stream: place.stream.into(),
                place: place.place,
                variant: contestant.name.into(),
                class: contestant.class().into(),
                standing: contestant.info.standing.name().into(),
                tokens: tokens as u64,
                rounds,
                quiet: times.quiet(index),
                ns_min: per(times.min(index)),
                ns_median: per(times.median(index)),
                vs_loop: times.median(base) / times.median(index),
                vs_loop_low,
                vs_loop_high,
                bytes_per_token: by_layout[contestant.layout].bytes.len() as f64 / tokens as f64,
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::contestants;

    #[test]
    fn a_place_has_a_row_of_every_contestant_and_counts_every_token() {
        let words: Vec<u32> = (0..1000).map(|index| 1 + index % 200).collect();
        let chosen = named(&contestants::all(), &[BASELINE, "leb128_fast2", "no_such_variant"]);
        assert_eq!(chosen.len(), 2);
        for (piece, tokens) in [(100, 1000), (2500, 2500)] {
            let place = Place { sweep: WORKING_SET, stream: "made up", place: 4.0 * piece as f64 };
            let rows = measure(place, &words, piece, &chosen, 5).unwrap();
            assert_eq!(rows.len(), 2);
            assert!(rows.iter().all(|row| row.tokens == tokens && row.ns_min > 0.0));
            assert_eq!((rows[0].vs_loop, rows[0].variant.as_str()), (1.0, BASELINE));
            // Of 200 tokens, 127 have one byte.
            assert!((rows[0].bytes_per_token - 1.365).abs() < 0.02, "{}", rows[0].bytes_per_token);
        }
    }
}
