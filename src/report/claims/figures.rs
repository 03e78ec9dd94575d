//! What the record says of a claim.

use std::cmp::Ordering;

use super::list::{Against, Cause};
use crate::{
    measure::{CaptureFacts, Record, RunRecord},
    report::{
        rank::{Spread, TIE, geometric_mean, usable},
        text::{code, digits, times},
    },
};

/// A gain on each capture and over them.
pub(super) struct Measured<'a> {
    pub(super) each: Vec<(&'a CaptureFacts, Spread)>,
    pub(super) mean: Spread,
}

/// A measured gain this near to the claimed one is the claimed one: what one more digit would have rounded away,
/// and half of what a ranking calls a tie.
pub(super) const NEAR: f64 = TIE / 2.0;

/// The contestant's ratios in a mode on real captures that are long enough; `None` if there are none.
pub(super) fn measured<'a>(
    run: &'a RunRecord,
    mode: &str,
    contestant: &str,
    against: Against,
) -> Option<Measured<'a>> {
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
pub(super) fn ratio(row: &Record, against: Against) -> Option<Spread> {
    let (value, low, high) = match against {
        Against::Loop => (row.vs_loop, Some(row.vs_loop_low), Some(row.vs_loop_high)),
        Against::Upstream => (row.vs_upstream?, row.vs_upstream_low, row.vs_upstream_high),
    };
    let value = usable(value)?;
    let limit = |limit: Option<f64>| limit.and_then(usable).unwrap_or(value);
    Some(Spread { low: limit(low).min(value), value, high: limit(high).max(value) })
}

/// The ranked variant in the block path with the best mean, of those measured on the most captures.
pub(super) fn best_of_same_bytes<'a>(run: &'a RunRecord, mode: &str) -> Option<(&'a str, Measured<'a>)> {
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

/// What a measured ratio says of a claimed gain.
pub(super) fn verdict(claimed: f64, measured: Spread) -> &'static str {
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

/// How the gain goes with a quantity of the captures: the captures at both ends of it, and the rank correlation.
pub(super) fn dependence(measured: &Measured<'_>, cause: Cause, unit: Unit) -> String {
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
pub(super) fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
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

/// How a ratio is written.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// `+5.0 %`.
    Percent,
    /// `1.05×`.
    Times,
}

impl Unit {
    pub(super) fn value(self, ratio: f64) -> String {
        match self {
            Self::Percent => gain(ratio - 1.0),
            Self::Times => times(ratio),
        }
    }

    /// The ratio in front of its lowest and highest.
    pub(super) fn spread(self, spread: Spread) -> String {
        let Spread { low, value, high } = spread;
        let limits = match self {
            Self::Percent => [low, high].map(|limit| gain(limit - 1.0).replace(" %", "")),
            Self::Times => [low, high].map(digits),
        };
        format!("{} [{} to {}]", self.value(value), limits[0], limits[1])
    }
}

/// A gain as `+5.0 %`; what rounds to nothing has no sign.
pub(super) fn gain(part: f64) -> String {
    match format!("{:+.1}", 100.0 * part).as_str() {
        "+0.0" | "-0.0" => "0.0 %".to_owned(),
        text => format!("{text} %"),
    }
}
