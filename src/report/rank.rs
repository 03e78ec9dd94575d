//! Who is ahead of whom: order, ties, and the geometric mean over captures.

use std::{cmp::Ordering, collections::BTreeMap};

use crate::{
    measure::Record,
    report::question::{Asked, Kind, is_control},
};

/// Two decoders whose ratios differ by less than this part are not told apart.
pub(crate) const TIE: f64 = 0.02;

/// A ratio to the loop, with the lowest and the highest of the five fifths of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) value: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// `None` if the value is no usable figure. A limit that is none, or on the wrong side, is the value.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let value = usable(record.vs_loop)?;
        Some(Self {
            low: usable(record.vs_loop_low).unwrap_or(value).min(value),
            value,
            high: usable(record.vs_loop_high).unwrap_or(value).max(value),
        })
    }

    /// The tie rule: the spreads overlap, or the values differ by less than [`TIE`].
    pub(crate) fn ties(self, other: Self) -> bool {
        let overlap = self.low <= other.high && other.low <= self.high;
        let near = (self.value - other.value).abs() < TIE * self.value.max(other.value);
        overlap || near
    }
}

/// The figure, if it is one that can be compared: finite and above zero.
pub(crate) fn usable(figure: f64) -> Option<f64> {
    (figure.is_finite() && figure > 0.0).then_some(figure)
}

/// A place in the ranking, shared by those who tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// One more than the number of contestants in better groups.
    pub(crate) number: usize,
    /// Whether others share it.
    pub(crate) tied: bool,
}

impl Place {
    /// As `1` or `2=`.
    pub(crate) fn text(self) -> String {
        format!("{}{}", self.number, if self.tied { "=" } else { "" })
    }
}

/// One decoder on one capture, or over several.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    /// Its row; over several captures, that of the first.
    pub(crate) row: &'a Record,
    /// Its ratio; over several captures, the geometric mean of each of the three figures.
    pub(crate) ratio: Spread,
    /// The ratio of the fastest rounds in the same way, if it is usable.
    pub(crate) by_minimum: Option<f64>,
    /// Its bytes per token divided by those of LEB128 on the same capture, in the same way.
    pub(crate) size: Option<f64>,
    /// The ratio on each capture.
    pub(crate) each: Vec<(&'a str, f64)>,
    /// Its place; controls and rejected variants have none.
    pub(crate) place: Option<Place>,
}

impl Entry<'_> {
    pub(crate) fn is_control(&self) -> bool {
        is_control(self.row)
    }

    pub(crate) fn is_rejected(&self) -> bool {
        self.row.standing == "rejected"
    }

    /// The place, or why there is none.
    pub(crate) fn mark(&self) -> String {
        match self.place {
            Some(place) => place.text(),
            None => self.row.standing.clone(),
        }
    }

    /// The lowest and the highest of the captures' ratios, with the capture.
    pub(crate) fn extremes(&self) -> Option<[(&str, f64); 2]> {
        let by_ratio = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
        Some([*self.each.iter().min_by(by_ratio)?, *self.each.iter().max_by(by_ratio)?])
    }
}

/// Contestants of one question, best first, controls and rejected variants where their figures put them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    /// The captures that the figures are of.
    pub(crate) captures: Vec<&'a str>,
    /// What could not be used, in words.
    pub(crate) notes: Vec<String>,
}

impl<'a> Ranking<'a> {
    /// Those who take part.
    pub(crate) fn placed(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().filter(|entry| entry.place.is_some())
    }

    /// Those who share the first place.
    pub(crate) fn first(&self) -> Vec<&Entry<'a>> {
        self.placed().filter(|entry| entry.place.is_some_and(|place| place.number == 1)).collect()
    }

    /// The entry of a variant.
    pub(crate) fn of(&self, variant: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.row.variant == variant)
    }

    fn settle(mut self) -> Self {
        self.entries.sort_by(by_speed);
        let ranked: Vec<usize> = (0..self.entries.len())
            .filter(|&at| !self.entries[at].is_control() && !self.entries[at].is_rejected())
            .collect();
        // A group is all who tie with its best: chains of ties would join ends that do differ.
        let mut done = 0;
        while done < ranked.len() {
            let best = self.entries[ranked[done]].ratio;
            let size =
                ranked[done..].iter().take_while(|&&at| best.ties(self.entries[at].ratio)).count().max(1);
            for &at in &ranked[done..done + size] {
                self.entries[at].place = Some(Place { number: done + 1, tied: size > 1 });
            }
            done += size;
        }
        self
    }
}

/// The contestants of one capture.
pub(crate) fn on_capture<'a>(asked: &Asked<'a>, capture: &'a str) -> Ranking<'a> {
    let mut ranking = Ranking { captures: vec![capture], ..Ranking::default() };
    let rows = usable_rows(&asked.on(capture), &mut ranking.notes);
    ranking.entries = rows.values().map(|row| entry(asked, &[row])).collect();
    ranking.settle()
}

/// The contestants over all captures that are real, long enough, and have a usable figure of every ranked
/// variant: the same captures for all, so that no one gains by being absent from a hard one.
pub(crate) fn overall<'a>(asked: &Asked<'a>) -> Ranking<'a> {
    let mut ranking = Ranking::default();
    let all: Vec<(&str, BTreeMap<&str, &Record>)> = asked
        .captures(Kind::Real)
        .into_iter()
        .map(|capture| (capture, usable_rows(&asked.on(capture), &mut ranking.notes)))
        .collect();
    let mut variants = BTreeMap::<&str, &Record>::new();
    for (_, rows) in &all {
        variants.extend(rows.iter().map(|(&name, &row)| (name, row)));
    }
    let ranked: Vec<&str> =
        variants.values().filter(|row| row.standing == "ranked").map(|row| row.variant.as_str()).collect();
    let mut common = Vec::new();
    for (capture, rows) in all {
        let absent: Vec<&str> = ranked.iter().copied().filter(|name| !rows.contains_key(name)).collect();
        if absent.is_empty() {
            common.push((capture, rows));
        } else {
            ranking.notes.push(format!(
                "{capture} is left out of the mean: it has no figure of {}",
                absent.join(", ")
            ));
        }
    }
    for &name in variants.keys() {
        let rows: Vec<&Record> = common.iter().filter_map(|(_, rows)| rows.get(name).copied()).collect();
        if !rows.is_empty() && rows.len() == common.len() {
            ranking.entries.push(entry(asked, &rows));
        }
    }
    ranking.captures = common.into_iter().map(|(capture, _)| capture).collect();
    ranking.settle()
}

/// Each variant's figures on those of `captures` where it has some, best mean first. The means are of
/// different captures where one is missing: they give an order to show things in, not a ranking.
pub(crate) fn wherever<'a>(asked: &Asked<'a>, captures: &[&'a str]) -> Ranking<'a> {
    let mut ranking = Ranking { captures: captures.to_vec(), ..Ranking::default() };
    let mut variants = BTreeMap::<&str, Vec<&Record>>::new();
    for capture in captures {
        for (name, row) in usable_rows(&asked.on(capture), &mut ranking.notes) {
            variants.entry(name).or_default().push(row);
        }
    }
    ranking.entries = variants.values().map(|rows| entry(asked, rows)).collect();
    ranking.entries.sort_by(by_speed);
    ranking
}

/// Fastest first; names settle equal figures, so that the same record gives the same report.
fn by_speed(a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    b.ratio.value.total_cmp(&a.ratio.value).then_with(|| a.row.variant.cmp(&b.row.variant))
}

/// Rows with a usable ratio by variant, and a note on each that has none or is a repetition.
fn usable_rows<'a>(rows: &[&'a Record], notes: &mut Vec<String>) -> BTreeMap<&'a str, &'a Record> {
    let mut kept = BTreeMap::<&str, &Record>::new();
    for row in rows {
        let trouble = if usable(row.vs_loop).is_none() {
            "it has no usable figure"
        } else if kept.contains_key(row.variant.as_str()) {
            "it is there twice"
        } else {
            kept.insert(&row.variant, row);
            continue;
        };
        notes.push(format!("{} on {} is left out: {trouble}", row.variant, row.capture));
    }
    kept
}

/// One variant's entry over its rows, which are usable and at least one.
fn entry<'a>(asked: &Asked<'a>, rows: &[&'a Record]) -> Entry<'a> {
    let spreads: Vec<Spread> = rows.iter().filter_map(|row| Spread::of(row)).collect();
    let mean = |pick: fn(&Spread) -> f64| geometric_mean(spreads.iter().map(pick)).unwrap_or(f64::NAN);
    Entry {
        row: rows[0],
        ratio: Spread { low: mean(|s| s.low), value: mean(|s| s.value), high: mean(|s| s.high) },
        by_minimum: geometric_mean(rows.iter().map(|row| row.vs_loop_min)),
        size: geometric_mean(rows.iter().map(|row| {
            asked
                .leb128_bytes
                .get(row.capture.as_str())
                .map_or(f64::NAN, |leb128| row.bytes_per_token / leb128)
        })),
        each: rows.iter().map(|row| (row.capture.as_str(), row.vs_loop)).collect(),
        place: None,
    }
}

/// `None` if there is nothing to average or a figure is not usable.
pub(crate) fn geometric_mean(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let figures = figures.into_iter().map(usable).collect::<Option<Vec<f64>>>()?;
    match figures[..] {
        [] => None,
        // Logarithms would spoil the last digits of a figure that needs no averaging.
        [only] => Some(only),
        _ => Some((figures.iter().map(|figure| figure.ln()).sum::<f64>() / figures.len() as f64).exp()),
    }
}

/// Those of (size, speed) that no other beats in both, smallest first.
pub(crate) fn front(figures: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..figures.len()).collect();
    order.sort_by(|&a, &b| figures[a].0.total_cmp(&figures[b].0).then(figures[b].1.total_cmp(&figures[a].1)));
    let mut best = f64::NEG_INFINITY;
    order.retain(|&at| {
        let ahead = figures[at].1 > best;
        best = best.max(figures[at].1);
        ahead
    });
    order
}

/// The ranked variants of one capture that no other one, whatever its wire, beats both in bytes and in time.
pub(crate) fn front_on<'a>(both: &Asked<'a>, capture: &str) -> Vec<&'a str> {
    let rows: Vec<&Record> = both.on(capture).into_iter().filter(|row| row.standing == "ranked").collect();
    let rows: Vec<&Record> = rows.into_iter().filter(|row| usable(row.vs_loop).is_some()).collect();
    let figures: Vec<(f64, f64)> = rows.iter().map(|row| (row.bytes_per_token, row.vs_loop)).collect();
    front(&figures).into_iter().map(|at| rows[at].variant.as_str()).collect()
}
