//! Charts as SVG: no font and no system library is needed, and the same record gives the same bytes.

mod canvas;
mod heat;
mod instructions;
mod labels;
mod lines;
mod mix;
mod panels;
mod ranking;
mod size_speed;
mod style;
mod sweeps;

pub(crate) use mix::shares;
pub(crate) use style::Chart;
pub(crate) use sweeps::{two_byte_share, working_set};

use crate::{
    error::Result,
    measure::RunRecord,
    report::{
        absent,
        findings::leader,
        instructions::Compared,
        question::{Asked, Kind, Wire},
        rank::{Ranking, on_capture, overall, wherever},
        text::{digits, plural},
    },
};

/// What the names of all charts begin with.
pub(crate) const PREFIXES: [&str; 8] = [
    "captures-",
    "heat-",
    "instructions-",
    "ranking-",
    "size-speed-",
    "token-lengths",
    "two-byte-share",
    "working-set",
];

/// Where the figures come from, in a line.
pub(crate) fn origin(run: &RunRecord) -> String {
    let machine = &run.machine;
    let day: String = machine.date.chars().take(10).collect();
    let quick = if run.quick { ", quick run" } else { "" };
    format!("{} · {} · {day} · revision {}{quick}", machine.cpu, machine.rustc, machine.revision)
}

/// The file name of a question's ranking.
pub(crate) fn ranking_file(asked: &Asked<'_>) -> String {
    format!("ranking-{}.svg", asked.slug)
}

/// The ranking over all captures of a question.
pub(crate) fn ranking(asked: &Asked<'_>, overall: &Ranking<'_>, origin: &str) -> Result<Option<Chart>> {
    let question = &asked.question;
    let captures = &overall.captures;
    let (bar, dots) = match captures[..] {
        [only] => (format!("capture {only}, ratio of the median rounds"), ""),
        _ => (
            format!("geometric mean of {}, ratio of the median rounds", plural(captures.len(), "capture")),
            " · dots: each capture",
        ),
    };
    let size = if question.wire == Wire::Free { " · size: bytes against LEB128" } else { "" };
    let frame = ranking::Frame {
        file: ranking_file(asked),
        title: format!("{}: {}", question.wire_words(), leader(overall)),
        subtitle: format!(
            "times the speed of {} · {} · bar: {bar} · whisker: lowest and highest fifth of the \
             rounds{dots}{size}",
            asked.baseline,
            question.words()
        ),
        baseline: asked.baseline,
        sizes: question.wire == Wire::Free,
        absent: absent::note(&absent::absent(asked)),
        origin,
    };
    ranking::draw(frame, overall)
}

/// The captures' token lengths.
pub(crate) fn token_lengths(run: &RunRecord, origin: &str) -> Result<Option<Chart>> {
    mix::draw(&run.captures, origin)
}

/// Every decoder on every capture of a kind, captures with short tokens first.
pub(crate) fn heat(asked: &Asked<'_>, kind: Kind, origin: &str) -> Result<Option<Chart>> {
    let columns = by_size(asked, kind);
    let captures: Vec<&str> = columns.iter().map(|&(capture, _)| capture).collect();
    let (name, streams) = match kind {
        Kind::Synthetic => ("heat-synthetic", "synthetic streams"),
        _ => ("heat", "captures"),
    };
    let frame = heat::Frame {
        file: format!("{name}-{}.svg", asked.slug),
        title: format!("{}, {streams}: every decoder on each", asked.question.wire_words()),
        subtitle: format!(
            "times the speed of {}, ratio of the median rounds · {} · colours are logarithmic · under \
             each name: LEB128 bytes per {}",
            asked.baseline,
            asked.question.words(),
            asked.question.unit()
        ),
        columns: columns.into_iter().map(|(capture, bytes)| (capture, digits(bytes))).collect(),
        origin,
    };
    heat::draw(frame, &wherever(asked, &captures))
}

/// The best decoders on each capture.
pub(crate) fn captures(asked: &Asked<'_>, origin: &str) -> Result<Option<Chart>> {
    let panels: Vec<panels::Panel<'_>> = by_size(asked, Kind::Real)
        .into_iter()
        .map(|(capture, bytes)| {
            (capture, format!("{} B/{}", digits(bytes), asked.question.unit()), on_capture(asked, capture))
        })
        .collect();
    let (group, wire) = match asked.question.wire {
        Wire::Fixed => ("class", Wire::Fixed),
        Wire::Free => ("layout", Wire::Free),
    };
    let title = format!("{}: the best of each {group} on each capture", asked.question.wire_words());
    let subtitle = format!(
        "times the speed of {} (dashed), ratio of the median rounds · {} · whisker: lowest and highest \
         fifth of the rounds · one scale",
        asked.baseline,
        asked.question.words()
    );
    panels::draw(format!("captures-{}.svg", asked.slug), &title, &subtitle, wire, &panels, origin)
}

/// Bytes against speed over both wires, which are comparable here since neither axis is a rank.
pub(crate) fn size_speed(fixed: &Asked<'_>, free: &Asked<'_>, origin: &str) -> Result<Option<Chart>> {
    let both = overall(&free.with_other_wire(fixed));
    let subtitle = format!(
        "times the speed of {} (logarithmic), geometric mean of {} · {} · line: none is both smaller \
         and faster · best is up and left",
        free.baseline,
        plural(both.captures.len(), "capture"),
        free.question.words()
    );
    let file = format!("size-speed-{}.svg", free.slug);
    let title = "What another layout costs in bytes and buys in speed";
    size_speed::draw(file, title, &subtitle, &both, free.baseline, origin)
}

/// Instructions against time on the captures that are counted.
pub(crate) fn instructions(
    asked: &Asked<'_>,
    compared: &Compared<'_>,
    origin: &str,
) -> Result<Option<Chart>> {
    let question = &asked.question;
    let frame = instructions::Frame {
        file: format!("instructions-{}.svg", asked.slug),
        title: format!(
            "{}: {} of {} have fewer instructions and more time",
            question.wire_words(),
            compared.pairs.len(),
            plural(compared.all_pairs(), "pair")
        ),
        subtitle: format!(
            "median rounds against callgrind's counts, both logarithmic, geometric mean of {} · {} · coloured \
             lines: from a decoder to a faster one with more instructions · grey lines: instructions per ns · \
             without AVX-512, which cannot be counted",
            plural(compared.captures.len(), "capture"),
            question.words()
        ),
        unit: question.unit(),
        baseline: asked.baseline,
        origin,
    };
    instructions::draw(frame, compared)
}

/// Captures of a kind with their LEB128 bytes per token, fewest first.
fn by_size<'a>(asked: &Asked<'a>, kind: Kind) -> Vec<(&'a str, f64)> {
    let size = |capture| asked.leb128_bytes.get(capture).copied().unwrap_or(f64::NAN);
    let mut captures: Vec<(&str, f64)> =
        asked.captures(kind).into_iter().map(|capture| (capture, size(capture))).collect();
    captures.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(b.0)));
    captures
}
