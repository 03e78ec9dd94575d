//! Two records side by side: what moved beyond the spread, what came and went, and whether the order holds.

mod order;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use text::comparison_text;

use crate::{
    measure::{Record, RunRecord},
    report::{
        question::{Asked, Kind, Question, Wire, is_control, questions},
        rank::{Spread, geometric_mean},
    },
};

/// A record with the name of its folder.
pub(crate) type Named = (String, RunRecord);

/// A contestant's ratio to the loop in both records, on one capture or over several.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair<'a> {
    pub(crate) variant: &'a str,
    /// The capture, or of how many the ratio is the geometric mean.
    pub(crate) place: Place<'a>,
    pub(crate) old: Spread,
    pub(crate) new: Spread,
    /// Whether most rounds of a figure that it is made of had to share the core.
    pub(crate) had_company: bool,
}

/// What a ratio is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Capture(&'a str),
    MeanOf(usize),
}

impl Pair<'_> {
    /// New divided by old.
    pub(crate) fn change(&self) -> f64 {
        self.new.value / self.old.value
    }

    /// Whether the two spreads have nothing in common.
    pub(crate) fn is_beyond_the_spread(&self) -> bool {
        self.old.high < self.new.low || self.new.high < self.old.low
    }
}

/// One question of both records.
#[derive(Debug)]
pub(crate) struct Compared<'a> {
    pub(crate) asked: Asked<'a>,
    /// Means over the captures that both have, then cells.
    pub(crate) pairs: Vec<Pair<'a>>,
    pub(crate) order: order::Agreement<'a>,
}

/// What only one of the records has, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) questions: Vec<String>,
    pub(crate) captures: Vec<String>,
    pub(crate) variants: Vec<String>,
    /// Cells of questions, captures and variants that both have somewhere.
    pub(crate) cells: usize,
}

impl Gone {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Everything that is compared.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    pub(crate) questions: Vec<Compared<'a>>,
    pub(crate) vanished: Gone,
    pub(crate) appeared: Gone,
}

/// What identifies a measured cell.
type Key<'a> = (Question<'a>, &'a str, &'a str);

pub(crate) fn compare<'a>(old: &'a RunRecord, new: &'a RunRecord) -> Comparison<'a> {
    let (old_rows, new_rows) = (cells(&old.records), cells(&new.records));
    let asked = questions(&new.records).into_iter().filter_map(|asked| {
        let mut pairs = Vec::new();
        let mut ranked = Vec::new();
        for row in &asked.rows {
            let key = (asked.question.clone(), row.capture.as_str(), row.variant.as_str());
            let (Some(&old), Some(&new)) = (old_rows.get(&key), new_rows.get(&key)) else { continue };
            let (Some(old_spread), Some(new_spread)) = (Spread::of(old), Spread::of(new)) else { continue };
            let pair = Pair {
                variant: &row.variant,
                place: Place::Capture(&row.capture),
                old: old_spread,
                new: new_spread,
                had_company: old.had_company() || new.had_company(),
            };
            let both = [old, new];
            if both.iter().all(|row| Kind::of(row) == Kind::Real) {
                ranked.push((pair.clone(), both.iter().all(|row| row.standing == "ranked")));
            }
            pairs.push(pair);
        }
        if pairs.is_empty() {
            return None;
        }
        let mut all = means(&ranked);
        all.append(&mut pairs);
        let order = order::agreement(&ranked);
        Some(Compared { asked, pairs: all, order })
    });
    Comparison {
        questions: asked.collect(),
        vanished: gone(&old_rows, &new_rows),
        appeared: gone(&new_rows, &old_rows),
    }
}

/// The rows by what they measure; of repetitions the first counts, as in a ranking. Controls are in the questions of
/// one wire only, or they would be compared twice.
fn cells(records: &[Record]) -> BTreeMap<Key<'_>, &Record> {
    let mut cells = BTreeMap::new();
    for asked in questions(records) {
        for row in &asked.rows {
            if asked.question.wire == Wire::Fixed || !is_control(row) {
                let key = (asked.question.clone(), row.capture.as_str(), row.variant.as_str());
                cells.entry(key).or_insert(*row);
            }
        }
    }
    cells
}

/// The geometric mean of each contestant over the real captures where both records have it.
fn means<'a>(cells: &[(Pair<'a>, bool)]) -> Vec<Pair<'a>> {
    let mut by_variant = BTreeMap::<&str, Vec<&Pair<'a>>>::new();
    for (pair, _) in cells {
        by_variant.entry(pair.variant).or_default().push(pair);
    }
    by_variant
        .into_iter()
        .filter(|(_, pairs)| pairs.len() > 1)
        .filter_map(|(variant, pairs)| {
            let mean = |of: fn(&Pair<'_>) -> Spread| {
                let mean =
                    |pick: fn(&Spread) -> f64| geometric_mean(pairs.iter().map(|pair| pick(&of(pair))));
                Some(Spread { low: mean(|s| s.low)?, value: mean(|s| s.value)?, high: mean(|s| s.high)? })
            };
            let place = Place::MeanOf(pairs.len());
            let had_company = pairs.iter().any(|pair| pair.had_company);
            Some(Pair {
                variant,
                place,
                old: mean(|pair| pair.old)?,
                new: mean(|pair| pair.new)?,
                had_company,
            })
        })
        .collect()
}

/// What `these` have and `others` have not.
fn gone(these: &BTreeMap<Key<'_>, &Record>, others: &BTreeMap<Key<'_>, &Record>) -> Gone {
    let of = |rows: &BTreeMap<Key<'_>, &Record>| {
        let questions: BTreeSet<String> = rows.keys().map(|(question, ..)| words(question)).collect();
        let captures: BTreeSet<String> = rows.keys().map(|(_, capture, _)| (*capture).to_owned()).collect();
        let variants: BTreeSet<String> = rows.keys().map(|(.., variant)| (*variant).to_owned()).collect();
        [questions, captures, variants]
    };
    let (mine, theirs) = (of(these), of(others));
    let only = |at: usize| mine[at].difference(&theirs[at]).cloned().collect::<Vec<String>>();
    let cells = these
        .keys()
        .filter(|key| !others.contains_key(key))
        .filter(|(question, capture, variant)| {
            theirs[0].contains(&words(question))
                && theirs[1].contains(*capture)
                && theirs[2].contains(*variant)
        })
        .count();
    Gone { questions: only(0), captures: only(1), variants: only(2), cells }
}

/// The question with its wire.
pub(crate) fn words(question: &Question<'_>) -> String {
    format!("{}: {}", question.wire_words(), question.words())
}
