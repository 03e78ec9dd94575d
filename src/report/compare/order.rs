//! Whether two records put the contestants in the same order.

use std::collections::{BTreeMap, BTreeSet};

use super::Pair;
use crate::report::rank::geometric_mean;

/// Two contestants that are nearer to each other than this in either record have no order that could flip.
pub(crate) const APART: f64 = 0.03;

/// A pair of contestants whose order flipped: by how much the one was ahead of the other, and by how much it is behind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flip<'a> {
    pub(crate) ahead_before: &'a str,
    pub(crate) ahead_now: &'a str,
    /// How many times as fast `ahead_before` was, more than 1.
    pub(crate) before: f64,
    /// How many times as fast `ahead_now` is, more than 1.
    pub(crate) now: f64,
    /// Whether most rounds of a figure behind it had to share the core.
    pub(crate) had_company: bool,
}

/// How the order of all pairs goes together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Agreement<'a> {
    /// Pairs that are further apart than [`APART`] in both records.
    pub(crate) pairs: usize,
    /// Those of them whose order flipped, the clearest first.
    pub(crate) flips: Vec<Flip<'a>>,
}

/// The agreement of the ranked contestants, each pair by the geometric mean over the captures where both records have
/// both of them.
pub(crate) fn agreement<'a>(cells: &[(Pair<'a>, bool)]) -> Agreement<'a> {
    let mut figures = BTreeMap::<(&str, &str), (f64, f64, bool)>::new();
    let mut captures = BTreeSet::new();
    let mut variants = BTreeSet::new();
    for (pair, ranked) in cells {
        if let (true, super::Place::Capture(capture)) = (ranked, pair.place) {
            figures.insert((pair.variant, capture), (pair.old.value, pair.new.value, pair.had_company));
            captures.insert(capture);
            variants.insert(pair.variant);
        }
    }
    let variants: Vec<&str> = variants.into_iter().collect();
    let mut found = Agreement::default();
    for (at, &one) in variants.iter().enumerate() {
        for &other in &variants[at + 1..] {
            let both: Vec<[(f64, f64, bool); 2]> = captures
                .iter()
                .filter_map(|capture| {
                    Some([*figures.get(&(one, capture))?, *figures.get(&(other, capture))?])
                })
                .collect();
            let before = geometric_mean(both.iter().map(|[one, other]| one.0 / other.0));
            let now = geometric_mean(both.iter().map(|[one, other]| one.1 / other.1));
            let (Some(before), Some(now)) = (before, now) else { continue };
            let apart = |ratio: f64| ratio.max(1.0 / ratio) > 1.0 + APART;
            if !apart(before) || !apart(now) {
                continue;
            }
            found.pairs += 1;
            if (before > 1.0) != (now > 1.0) {
                let (ahead_before, ahead_now) = if before > 1.0 { (one, other) } else { (other, one) };
                let above_one = |ratio: f64| ratio.max(1.0 / ratio);
                let (before, now) = (above_one(before), above_one(now));
                let had_company = both.iter().flatten().any(|figures| figures.2);
                found.flips.push(Flip { ahead_before, ahead_now, before, now, had_company });
            }
        }
    }
    found.flips.sort_by(|one, other| (other.before * other.now).total_cmp(&(one.before * one.now)));
    found
}
