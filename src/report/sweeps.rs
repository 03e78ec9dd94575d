//! What the series say, in tables and in sentences that are made of their figures.

use crate::{
    measure::{RunRecord, SweepRow, sweep},
    report::{
        rank::usable,
        text::{bytes, code, digits, list, nanoseconds, table, times},
    },
};

/// The rows of one series whose times are usable.
pub(crate) fn rows_of<'a>(run: &'a RunRecord, name: &str) -> Vec<&'a SweepRow> {
    run.sweeps.iter().filter(|row| row.sweep == name && usable(row.ns_median).is_some()).collect()
}

/// The contestants in the order of the rows.
pub(crate) fn variants_of<'a>(rows: &[&'a SweepRow]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for row in rows {
        if !names.contains(&row.variant.as_str()) {
            names.push(row.variant.as_str());
        }
    }
    names
}

/// Output bytes per nanosecond: four a token.
pub(crate) fn gigabytes(row: &SweepRow) -> f64 {
    4.0 / row.ns_median
}

fn places_of(rows: &[&SweepRow]) -> Vec<f64> {
    let mut places: Vec<f64> = rows.iter().map(|row| row.place).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

fn at<'a>(rows: &[&'a SweepRow], variant: &str, place: f64) -> Option<&'a SweepRow> {
    rows.iter().copied().find(|row| row.variant == variant && row.place == place)
}

/// A row for each contestant, a column for each place.
fn by_place(rows: &[&SweepRow], place: impl Fn(f64) -> String, cell: impl Fn(&SweepRow) -> String) -> String {
    let places = places_of(rows);
    let mut headings = vec!["decoder".to_owned()];
    headings.extend(places.iter().map(|&at| format!(">{}", place(at))));
    let cells: Vec<Vec<String>> = variants_of(rows)
        .into_iter()
        .map(|variant| {
            let figures = places.iter().map(|&place| at(rows, variant, place).map_or("–".to_owned(), &cell));
            [code(variant)].into_iter().chain(figures).collect()
        })
        .collect();
    table(&headings.iter().map(String::as_str).collect::<Vec<_>>(), &cells)
}

/// The section on working sets without its chart; empty if there is no such series.
pub(crate) fn working_set(run: &RunRecord) -> String {
    let rows = rows_of(run, sweep::WORKING_SET);
    if rows.is_empty() {
        return String::new();
    }
    let said: Vec<String> = ceiling(&rows).into_iter().chain(lead(&rows)).collect();
    format!(
        "{}\n\nGB/s of output by bytes of the output buffer:\n\n{}",
        said.join(" "),
        by_place(&rows, |place| bytes(place as u64), |row| digits(gigabytes(row)))
    )
}

/// The fastest decoder at a place.
fn fastest<'a>(rows: &[&'a SweepRow], place: f64) -> Option<&'a SweepRow> {
    let decoders = rows.iter().copied().filter(|row| row.place == place && row.standing == "ranked");
    decoders.min_by(|one, other| one.ns_median.total_cmp(&other.ns_median))
}

/// How near the fastest comes to copying, at both ends.
fn ceiling(rows: &[&SweepRow]) -> Option<String> {
    let places = places_of(rows);
    let end = |place: f64| {
        let (best, copy) = (fastest(rows, place)?, at(rows, "raw_copy", place)?);
        Some(format!(
            "{} gives {} GB/s and {} copies {}",
            code(&best.variant),
            digits(gigabytes(best)),
            code("raw_copy"),
            digits(gigabytes(copy))
        ))
    };
    let (first, last) = (*places.first()?, *places.last()?);
    Some(format!(
        "With {} of output {}; with {} {}.",
        bytes(first as u64),
        end(first)?,
        bytes(last as u64),
        end(last)?
    ))
}

/// How the lead over the loop shrinks, at both ends.
fn lead(rows: &[&SweepRow]) -> Option<String> {
    let places = places_of(rows);
    let (first, last) = (*places.first()?, *places.last()?);
    let best = fastest(rows, first)?;
    let later = at(rows, &best.variant, last)?;
    let shrinks = later.vs_loop < 0.9 * best.vs_loop;
    let why = if shrinks { ": memory costs all of them the same, so the fastest lose most" } else { "" };
    Some(format!(
        "{} is {} as fast as the loop at the small end and {} at the large one{why}.",
        code(&best.variant),
        times(best.vs_loop),
        times(later.vs_loop)
    ))
}

/// The section on 2-byte tokens without its chart; empty if there is no such series.
pub(crate) fn two_byte_share(run: &RunRecord) -> String {
    let random = rows_of(run, sweep::TWO_BYTE_SHARE);
    let repeating = rows_of(run, sweep::TWO_BYTE_SHARE_REPEATING);
    if random.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for said in fast_path(run) {
        text += &format!("{said} ");
    }
    let share = |place: f64| format!("{:.0} %", 100.0 * place);
    let cell = |row: &SweepRow| nanoseconds(row.ns_median);
    text = format!(
        "{}\n\nSynthetic: nothing here is a capture. ns per token by share of 2-byte tokens, random order:\n\n{}",
        text.trim_end(),
        by_place(&random, share, cell)
    );
    if !repeating.is_empty() {
        text += &format!(
            "\nThe same, {} tokens over and over:\n\n{}",
            sweep::PERIOD,
            by_place(&repeating, share, cell)
        );
    }
    text
}

/// The path that upstream has.
const FAST: &str = "leb128_fast2";
const LOOP: &str = "leb128_loop";

/// Where upstream's path for 1 and 2 bytes beats the loop and where it does not, in random order and repeated.
pub(crate) fn fast_path(run: &RunRecord) -> Vec<String> {
    let random = rows_of(run, sweep::TWO_BYTE_SHARE);
    let repeating = rows_of(run, sweep::TWO_BYTE_SHARE_REPEATING);
    let mut said = Vec::new();
    said.extend(
        won_and_lost(&random)
            .map(|text| format!("On made-up streams in random order, {} {text}.", code(FAST))),
    );
    said.extend(
        won_and_lost(&repeating).map(|text| format!("On {} tokens over and over it {text}.", sweep::PERIOD)),
    );
    said.extend(flattered(&random, &repeating));
    said
}

/// Where it is faster, slower, and not told apart, by the spread.
fn won_and_lost(rows: &[&SweepRow]) -> Option<String> {
    let own: Vec<&SweepRow> = places_of(rows).into_iter().filter_map(|place| at(rows, FAST, place)).collect();
    if own.is_empty() {
        return None;
    }
    let won = |row: &SweepRow| row.vs_loop_low > 1.0;
    let lost = |row: &SweepRow| row.vs_loop_high < 1.0;
    let mut parts = Vec::new();
    for (words, fits) in [
        ("beats the loop", &won as &dyn Fn(&SweepRow) -> bool),
        ("is slower than it", &lost),
        ("cannot be told from it", &|row| !won(row) && !lost(row)),
    ] {
        let spans = spans(&own, fits);
        if spans.is_empty() {
            continue;
        }
        let ratios = own.iter().filter(|row| fits(row)).map(|row| row.vs_loop);
        let (low, high) = ratios.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
        let ratios = match (times(low), times(high)) {
            (low, high) if low == high => low,
            (_, high) => format!("{} to {high}", digits(low)),
        };
        parts.push(format!("{words} at {} of 2-byte tokens ({ratios})", list(&spans)));
    }
    Some(list(&parts))
}

/// Runs of neighbouring places that fit, as `0 to 30 %`.
fn spans(rows: &[&SweepRow], fits: &dyn Fn(&SweepRow) -> bool) -> Vec<String> {
    rows.chunk_by(|one, other| fits(one) == fits(other))
        .filter(|run| fits(run[0]))
        .map(|run| {
            let percent = |row: &SweepRow| format!("{:.0}", 100.0 * row.place);
            let (first, last) = (percent(run[0]), percent(run[run.len() - 1]));
            if first == last { format!("{first} %") } else { format!("{first} to {last} %") }
        })
        .collect()
}

/// What repeating does to the loop and to the fast path where they guess worst.
fn flattered(random: &[&SweepRow], repeating: &[&SweepRow]) -> Option<String> {
    let worst = random
        .iter()
        .filter(|row| row.variant == FAST)
        .max_by(|one, other| one.ns_median.total_cmp(&other.ns_median))?;
    let part = |variant: &str| {
        let (one, other) = (at(random, variant, worst.place)?, at(repeating, variant, worst.place)?);
        Some(format!(
            "{} takes {} ns in random order and {} repeated",
            code(variant),
            nanoseconds(one.ns_median),
            nanoseconds(other.ns_median)
        ))
    };
    let words = "a benchmark on a short stream measures how well its branches are remembered";
    let gained = at(repeating, FAST, worst.place)?.ns_median < 0.9 * worst.ns_median;
    Some(format!(
        "At {:.0} % of 2-byte tokens, {} and {}{}.",
        100.0 * worst.place,
        part(FAST)?,
        part(LOOP)?,
        if gained { format!(": {words}") } else { String::new() }
    ))
}
