//! Charts as SVG: no font and no system library is needed, and the same record gives the same bytes.

mod canvas;
mod mix;
mod ranking;
mod style;

pub(crate) use mix::shares;
pub(crate) use style::Chart;

use crate::{
    error::Result,
    measure::RunRecord,
    report::{
        findings::leader,
        question::{Asked, Wire},
        rank::Ranking,
        text::plural,
    },
};

/// Where the figures come from, in a line.
pub(crate) fn origin(run: &RunRecord) -> String {
    let machine = &run.machine;
    let day: String = machine.date.chars().take(10).collect();
    let quick = if run.quick { ", quick run" } else { "" };
    format!("{} · {} · {day} · revision {}{quick}", machine.cpu, machine.rustc, machine.revision)
}

/// The file name of a question's ranking.
pub(crate) fn ranking_file(asked: &Asked<'_>) -> String {
    format!("ranking-{}.svg", asked.question.slug())
}

/// The ranking over all captures of a question.
pub(crate) fn ranking(asked: &Asked<'_>, overall: &Ranking<'_>, origin: &str) -> Result<Option<Chart>> {
    let question = &asked.question;
    let captures = &overall.captures;
    let (bar, dots) = match captures[..] {
        [only] => (format!("capture {only}, ratio of the fastest rounds"), ""),
        _ => (
            format!("geometric mean of {}, ratio of the fastest rounds", plural(captures.len(), "capture")),
            " · dots: each capture",
        ),
    };
    let size = if question.wire == Wire::Free { " · size: bytes against LEB128" } else { "" };
    let frame = ranking::Frame {
        file: ranking_file(asked),
        title: format!("{}: {}", question.wire_words(), leader(overall)),
        subtitle: format!(
            "times the speed of leb128_loop · {} · bar: {bar} · whisker: lowest and highest fifth of the \
             rounds{dots}{size}",
            question.words()
        ),
        sizes: question.wire == Wire::Free,
        origin,
    };
    ranking::draw(frame, overall)
}

/// The captures' token lengths.
pub(crate) fn token_lengths(run: &RunRecord, origin: &str) -> Result<Option<Chart>> {
    mix::draw(&run.captures, origin)
}
