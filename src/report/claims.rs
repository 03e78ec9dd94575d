//! What cloudini's authors claim of their own experiments, held against the record's figures.

use std::cmp::Ordering;

use crate::{
    measure::{CaptureFacts, Record, RunRecord},
    report::{
        findings::{Answer, UPSTREAM, counterpart},
        question::Wire,
        rank::{Spread, TIE, geometric_mean, usable},
        text::{code, digits, percent, plural, table, times},
    },
};

/// A measured gain this near to the claimed one is the claimed one: what one more digit would have rounded away,
/// and half of what a ranking calls a tie.
const NEAR: f64 = TIE / 2.0;

/// The modes of cloudini's format, as records name them.
const MODES: [&str; 2] = ["v4", "v5"];

/// What a ratio is against.
#[derive(Clone, Copy)]
enum Against {
    /// `per-field/leb128_loop`.
    Loop,
    /// `per-field/leb128_fast2`.
    Upstream,
}

/// A quantity of captures that a gain may depend on.
#[derive(Clone, Copy)]
struct Cause {
    words: &'static str,
    of: fn(&CaptureFacts) -> f64,
    shown: fn(f64) -> String,
}

/// A claim with a figure in per cent.
struct Claim {
    note: &'static str,
    words: &'static str,
    /// What is claimed in V4 and in V5, as a part of 1.
    gains: [Option<f64>; 2],
    /// The contestant that has the change; what it is against does not.
    contestant: &'static str,
    against: Against,
    cause: Cause,
}

const CLAIMS: [Claim; 5] = [
    Claim {
        note: "0022-one-and-two-byte-path",
        words: "a path of their own for one- and two-byte varints makes clouds decode faster",
        gains: [Some(0.124), Some(0.124)],
        contestant: UPSTREAM,
        against: Against::Loop,
        cause: Cause { words: "two-byte tokens", of: |facts| facts.length_shares[1], shown: percent },
    },
    Claim {
        note: "0023-three-byte-path",
        words: "one more for three bytes makes them slower",
        gains: [Some(-0.015), Some(-0.015)],
        contestant: "per-field/leb128_fast3",
        against: Against::Upstream,
        cause: Cause { words: "three-byte tokens", of: |facts| facts.length_shares[2], shown: percent },
    },
    Claim {
        note: "0024-simd-conversion-in-the-group",
        words: "converting a group's integers to floats with SIMD, point by point, makes them slower",
        gains: [Some(-0.02), Some(-0.02)],
        contestant: "per-field-convert/leb128_fast2",
        against: Against::Upstream,
        cause: Cause { words: "one-byte tokens", of: |facts| facts.length_shares[0], shown: percent },
    },
    Claim {
        note: "0025-no-virtual-dispatch",
        words: "doing without the virtual call for each point and field makes V5 slower",
        gains: [None, Some(-0.04)],
        contestant: "per-point/leb128_fast2",
        against: Against::Upstream,
        cause: Cause {
            words: "fields of a point",
            of: |facts| facts.tokens as f64 / facts.points.max(1) as f64,
            shown: digits,
        },
    },
    Claim {
        note: "0026-cached-decoders",
        words: "keeping the decoder objects from message to message makes no difference",
        gains: [Some(0.0), Some(0.0)],
        contestant: "per-field-cached/leb128_fast2",
        against: Against::Upstream,
        cause: Cause {
            words: "points of the cloud",
            of: |facts| facts.points as f64,
            shown: |points| format!("{points:.0}"),
        },
    },
];

/// What is held against the claim that only another layout can be decoded much faster.
const SAME_BYTES: (&str, &str) =
    ("0027-same-bytes-suffice", "more speed needs a layout made for SIMD, such as Stream VByte");
const BYTES: Cause = Cause { words: "bytes of a token", of: |facts| facts.bytes_per_token, shown: digits };

/// A gain on each capture and over them.
struct Measured<'a> {
    each: Vec<(&'a CaptureFacts, Spread)>,
    mean: Spread,
}

/// The section's body.
pub(crate) fn claims(run: &RunRecord, answers: &[Answer<'_>]) -> String {
    let mut rows = Vec::new();
    let mut columns: Vec<(String, &str, Option<Measured<'_>>, Unit)> = Vec::new();
    for claim in &CLAIMS {
        for (mode, claimed) in MODES.into_iter().zip(claim.gains) {
            let measured = measured(run, mode, claim.contestant, claim.against);
            rows.push(row(claim, mode, claimed, measured.as_ref()));
            columns.push((link(claim.note), mode, measured, Unit::Percent));
        }
    }
    for mode in MODES {
        let best = best_of_same_bytes(run, mode);
        rows.push(row_of_same_bytes(mode, best.as_ref(), answers));
        columns.push((link(SAME_BYTES.0), mode, best.map(|(_, measured)| measured), Unit::Times));
    }
    format!(
        "From cloudini's pull request 127, in our words: what it claims for itself, and what it says of ideas \
         that it dropped. Gains are in speed, by minima; in brackets the lowest and the highest of the fifths \
         of the rounds. A verdict is made of the figures alone: a claim *reproduces* if it lies within the \
         spread or {} of a percentage point from the mean, and the spread leaves no difference out.\n\n{}\n\
         {}",
        digits(100.0 * NEAR),
        table(&["note", "claim", "mode", ">claimed", ">here, over captures", "verdict", "depends on"], &rows),
        by_capture(run, &columns)
    )
}

fn row(claim: &Claim, mode: &str, claimed: Option<f64>, measured: Option<&Measured<'_>>) -> Vec<String> {
    let claimed_words = claimed.map_or("–".to_owned(), gain);
    let [here, said, depends] = match measured {
        None => ["–".to_owned(), "not measured".to_owned(), "–".to_owned()],
        Some(measured) => [
            format!("{} ({})", Unit::Percent.spread(measured.mean), plural(measured.each.len(), "capture")),
            claimed
                .map_or("nothing claimed".to_owned(), |claimed| verdict(claimed, measured.mean).to_owned()),
            dependence(measured, claim.cause, Unit::Percent),
        ],
    };
    vec![
        link(claim.note),
        format!("{}: {}", code(claim.contestant), claim.words),
        mode.to_uppercase(),
        claimed_words,
        here,
        said,
        depends,
    ]
}

/// What a measured ratio says of a claimed gain.
fn verdict(claimed: f64, measured: Spread) -> &'static str {
    let Spread { low, value, high } = measured;
    let none = low <= 1.0 && 1.0 <= high;
    let ratio = 1.0 + claimed;
    let within = low <= ratio && ratio <= high;
    if claimed == 0.0 {
        return match () {
            () if none => "reproduces: no difference beyond the spread",
            () if (value - 1.0).abs() < NEAR => "reproduces: the difference is under one per cent",
            () if value > 1.0 => "not here: faster",
            () => "not here: slower",
        };
    }
    match () {
        () if none && within => "undecided: the spread holds the claim and no difference",
        () if none => "not here: no difference beyond the spread",
        () if within || (value - ratio).abs() <= NEAR => "reproduces",
        () if (value > 1.0) == (claimed > 0.0) => "direction holds, size does not",
        () => "opposite",
    }
}

/// The contestant's ratios in a mode on real captures that are long enough; `None` if there are none.
fn measured<'a>(run: &'a RunRecord, mode: &str, contestant: &str, against: Against) -> Option<Measured<'a>> {
    let rows = run
        .records
        .iter()
        .filter(|row| row.task == "points" && row.mode.as_deref() == Some(mode) && row.variant == contestant);
    let each: Vec<_> = rows
        .filter(|row| !row.synthetic && !row.short)
        .filter_map(|row| {
            let facts = run.captures.iter().find(|facts| facts.name == row.capture)?;
            Some((facts, ratio(row, against)?))
        })
        .collect();
    let mean = |pick: fn(&Spread) -> f64| geometric_mean(each.iter().map(|(_, spread)| pick(spread)));
    let mean = Spread { low: mean(|s| s.low)?, value: mean(|s| s.value)?, high: mean(|s| s.high)? };
    Some(Measured { each, mean })
}

/// A limit that is missing, or on the wrong side, is the value.
fn ratio(row: &Record, against: Against) -> Option<Spread> {
    let (value, low, high) = match against {
        Against::Loop => (row.vs_loop, Some(row.vs_loop_low), Some(row.vs_loop_high)),
        Against::Upstream => (row.vs_upstream?, row.vs_upstream_low, row.vs_upstream_high),
    };
    let value = usable(value)?;
    let limit = |limit: Option<f64>| limit.and_then(usable).unwrap_or(value);
    Some(Spread { low: limit(low).min(value), value, high: limit(high).max(value) })
}

/// The ranked variant in the block path with the best mean, of those measured on the most captures.
fn best_of_same_bytes<'a>(run: &'a RunRecord, mode: &str) -> Option<(&'a str, Measured<'a>)> {
    let mut names: Vec<&str> = run
        .records
        .iter()
        .filter(|row| row.variant.starts_with("block/") && row.standing == "ranked" && row.layout == "leb128")
        .map(|row| row.variant.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let all =
        names.into_iter().filter_map(|name| Some((name, measured(run, mode, name, Against::Upstream)?)));
    all.max_by(|(_, one), (_, other)| {
        one.each.len().cmp(&other.each.len()).then(one.mean.value.total_cmp(&other.mean.value))
    })
}

fn row_of_same_bytes(mode: &str, best: Option<&(&str, Measured<'_>)>, answers: &[Answer<'_>]) -> Vec<String> {
    let (note, words) = SAME_BYTES;
    let [name, here, said, depends] = match best {
        None => [code("block"), "–".to_owned(), "not measured".to_owned(), other_layouts(answers)],
        Some((name, measured)) => {
            let captures = plural(measured.each.len(), "capture");
            let said = match measured.mean.low {
                low if low > 1.0 + TIE => "not so: the bytes as they are give more",
                _ => "holds: the bytes as they are give no more",
            };
            let depends = format!("{} {}", dependence(measured, BYTES, Unit::Times), other_layouts(answers));
            [
                code(name),
                format!("{} ({captures})", Unit::Times.spread(measured.mean)),
                said.to_owned(),
                depends,
            ]
        }
    };
    vec![link(note), format!("{name}: {words}"), mode.to_uppercase(), "–".to_owned(), here, said, depends]
}

/// What other layouts add in the tokens task, over the captures that the two best have in common.
fn other_layouts(answers: &[Answer<'_>]) -> String {
    let compared = || {
        let fixed = answers.iter().find(|answer| {
            let question = &answer.asked.question;
            question.task == "tokens" && question.wire == Wire::Fixed && !answer.overall.entries.is_empty()
        })?;
        let free = counterpart(answers, &fixed.asked.question, Wire::Free)?;
        let (keeper, other) = (*fixed.overall.first().first()?, *free.overall.first().first()?);
        let pairs = other.each.iter().filter_map(|(capture, ratio)| {
            let (_, kept) = keeper.each.iter().find(|(name, _)| name == capture)?;
            Some(ratio / kept)
        });
        let gain = geometric_mean(pairs)?;
        let size =
            other.size.map_or(String::new(), |size| format!(" at {} % of its bytes", digits(100.0 * size)));
        Some(format!(
            "Tokens alone: {} is {} as fast as {}{size}.",
            code(&other.row.variant),
            times(gain),
            code(&keeper.row.variant)
        ))
    };
    compared().unwrap_or_else(|| "Other layouts: not measured.".to_owned())
}

/// How the gain goes with a quantity of the captures: the captures at both ends of it, and the rank correlation.
fn dependence(measured: &Measured<'_>, cause: Cause, unit: Unit) -> String {
    let Cause { words, of, shown } = cause;
    let by_cause = |a: &&(&CaptureFacts, Spread), b: &&(&CaptureFacts, Spread)| of(a.0).total_cmp(&of(b.0));
    let ends = (measured.each.iter().min_by(by_cause), measured.each.iter().max_by(by_cause));
    let (Some(least), Some(most)) = ends else { return "–".to_owned() };
    let end = |(facts, spread): &(&CaptureFacts, Spread)| {
        format!("{} on {} ({})", unit.value(spread.value), code(&facts.name), shown(of(facts)))
    };
    if of(least.0) == of(most.0) {
        return format!("{words}: the same on all captures.");
    }
    let pairs: Vec<(f64, f64)> =
        measured.each.iter().map(|(facts, spread)| (of(facts), spread.value)).collect();
    let correlation = rank_correlation(&pairs)
        .map_or(String::new(), |correlation| format!("; rank correlation {correlation:+.2}"));
    format!("{words}: {}, {}{correlation}.", end(least), end(most))
}

/// Spearman's: 1 if the one grows with the other, -1 if it falls. `None` for fewer than four pairs, of which
/// an order says nothing, or if either is the same everywhere.
fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 4 {
        return None;
    }
    let ranks = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let below = |figure: f64, order: Ordering| {
            pairs.iter().filter(|pair| of(pair).total_cmp(&figure) == order).count() as f64
        };
        // Equal figures share the middle of their ranks.
        pairs
            .iter()
            .map(|pair| below(of(pair), Ordering::Less) + below(of(pair), Ordering::Equal) / 2.0)
            .collect()
    };
    let (one, other) = (ranks(|pair| pair.0), ranks(|pair| pair.1));
    let middle = pairs.len() as f64 / 2.0;
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum() };
    usable(product(&one, &one) * product(&other, &other)).map(|square| product(&one, &other) / square.sqrt())
}

/// Every figure on every capture, folded away.
fn by_capture(run: &RunRecord, columns: &[(String, &str, Option<Measured<'_>>, Unit)]) -> String {
    let headings: Vec<String> =
        columns.iter().map(|(note, mode, ..)| format!(">{note} {}", mode.to_uppercase())).collect();
    let headings: Vec<&str> = ["capture"].into_iter().chain(headings.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = run
        .captures
        .iter()
        .filter_map(|facts| {
            let spreads: Vec<Option<String>> = columns
                .iter()
                .map(|(.., measured, unit)| {
                    let each = &measured.as_ref()?.each;
                    let (_, spread) = each.iter().find(|(other, _)| other.name == facts.name)?;
                    Some(unit.spread(*spread))
                })
                .collect();
            spreads.iter().any(Option::is_some).then(|| {
                let cells = spreads.into_iter().map(|spread| spread.unwrap_or("–".to_owned()));
                [code(&facts.name)].into_iter().chain(cells).collect()
            })
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("<details><summary>By capture</summary>\n\n{}\n</details>\n", table(&headings, &rows))
}

/// How a ratio is written.
#[derive(Clone, Copy)]
enum Unit {
    /// `+5.0 %`.
    Percent,
    /// `1.05×`.
    Times,
}

impl Unit {
    fn value(self, ratio: f64) -> String {
        match self {
            Self::Percent => gain(ratio - 1.0),
            Self::Times => times(ratio),
        }
    }

    /// The ratio in front of its lowest and highest.
    fn spread(self, spread: Spread) -> String {
        let Spread { low, value, high } = spread;
        let limits = match self {
            Self::Percent => [low, high].map(|limit| gain(limit - 1.0).replace(" %", "")),
            Self::Times => [low, high].map(digits),
        };
        format!("{} [{} to {}]", self.value(value), limits[0], limits[1])
    }
}

/// A gain as `+5.0 %`; what rounds to nothing has no sign.
fn gain(part: f64) -> String {
    match format!("{:+.1}", 100.0 * part).as_str() {
        "+0.0" | "-0.0" => "0.0 %".to_owned(),
        text => format!("{text} %"),
    }
}

fn link(note: &str) -> String {
    format!("[{}](notes/{note}.md)", &note[..4])
}
