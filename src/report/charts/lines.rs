//! Series along one quantity: a line for each contestant, named where it ends.

use plotters::{prelude::RGBColor, style::Color};

use crate::{
    error::Result,
    report::charts::{
        canvas::{Align, Canvas, GREY, GRID, INK, PAPER, bold, fit, plain, text_width},
        style::{Chart, MARGIN, SMALL, WIDTH, footer, header, log_ticks},
    },
};

/// One contestant.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) colour: RGBColor,
    /// Controls are thin and have no dots.
    pub(super) control: bool,
    /// Along the quantity, in its order.
    pub(super) points: Vec<(f64, f64)>,
}

/// One set of axes.
pub(super) struct Panel {
    /// Empty if there is only one.
    pub(super) heading: String,
    pub(super) lines: Vec<Line>,
}

/// An axis of all panels.
pub(super) struct Scale {
    pub(super) logarithmic: bool,
    /// Where it has figures, and how they read.
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) words: String,
}

/// What stands round the lines.
pub(super) struct Frame<'a> {
    pub(super) file: &'a str,
    pub(super) title: &'a str,
    pub(super) subtitle: String,
    pub(super) x: Scale,
    /// Whether the figures are far apart, so that the axis has to be logarithmic.
    pub(super) logarithmic: bool,
    /// What the figures are.
    pub(super) words: &'a str,
    /// Places along the quantity that mean something of their own.
    pub(super) marks: Vec<(f64, String)>,
    pub(super) notes: Vec<String>,
    pub(super) origin: &'a str,
}

const PANEL: i32 = 330;
/// Over a panel: what its figures are, and below that the names of the marks.
const HEAD: i32 = 38;
/// From name to name.
const STEP: i32 = 17;

/// Where figures between two limits are drawn.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: i32,
    to: i32,
}

impl Axis {
    fn at(self, figure: f64) -> i32 {
        let part = if self.logarithmic {
            (figure / self.low).ln() / (self.high / self.low).ln()
        } else {
            (figure - self.low) / (self.high - self.low)
        };
        self.from + (f64::from(self.to - self.from) * part).round() as i32
    }
}

/// The lowest and the highest of the figures.
fn limits(figures: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = figures.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    (low <= high).then_some((low, high))
}

/// The panels one below the other on the same scales, or `None` without a line of two places.
pub(super) fn draw(frame: Frame<'_>, mut panels: Vec<Panel>) -> Result<Option<Chart>> {
    for panel in &mut panels {
        for line in &mut panel.lines {
            line.points.retain(|&(x, y)| {
                x.is_finite() && y.is_finite() && y > 0.0 && (x > 0.0 || !frame.x.logarithmic)
            });
            line.points.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        panel.lines.retain(|line| line.points.len() > 1);
    }
    panels.retain(|panel| !panel.lines.is_empty());
    let all = || panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
    let Some((first, last)) = limits(all().map(|point| point.0)).filter(|(first, last)| first < last) else {
        return Ok(None);
    };
    let Some((least, most)) = limits(all().map(|point| point.1)) else { return Ok(None) };

    let mut canvas = Canvas::new(WIDTH);
    let mut y = header(&mut canvas, frame.title, &frame.subtitle);
    let name = plain(13, INK);
    let names = panels.iter().flat_map(|panel| &panel.lines).map(|line| text_width(&line.name, name));
    let names = names.max().unwrap_or(0).min(230);
    let (left, right) = (MARGIN + 54, WIDTH - MARGIN - names - 22);
    let across = Axis { low: first, high: last, logarithmic: frame.x.logarithmic, from: left, to: right };
    for panel in &panels {
        if !panel.heading.is_empty() {
            canvas.text(MARGIN, y + 10, &panel.heading, bold(14, INK), Align::Left);
            y += 22;
        }
        let (top, bottom) = (y + HEAD, y + HEAD + PANEL);
        let up = if frame.logarithmic {
            Axis { low: least / 1.2, high: most * 1.2, logarithmic: true, from: bottom, to: top }
        } else {
            Axis { low: 0.0, high: most * 1.06, logarithmic: false, from: bottom, to: top }
        };
        axes(&mut canvas, &frame, across, up);
        for line in &panel.lines {
            curve(&mut canvas, line, across, up);
        }
        labels(&mut canvas, &panel.lines, across, up, names);
        y = bottom + 46;
    }
    let height = footer(&mut canvas, y - 8, &frame.notes, frame.origin);
    let alt = alt(frame.title, &panels);
    Ok(Some(Chart { svg: canvas.svg(height, &alt)?, alt, file: frame.file.to_owned() }))
}

/// Grid, ticks and marks.
fn axes(canvas: &mut Canvas, frame: &Frame<'_>, across: Axis, up: Axis) {
    let (left, right, bottom, top) = (across.from, across.to, up.from, up.to);
    let ticks = if up.logarithmic { log_ticks(up.low, up.high) } else { super::style::ticks(up.high, 6.0) };
    for tick in ticks {
        let at = up.at(tick);
        canvas.line(&[(left, at), (right, at)], GRID, 1);
        canvas.text(left - 8, at, &format!("{}", (tick * 1000.0).round() / 1000.0), SMALL, Align::Right);
    }
    canvas.text(left, top - 28, frame.words, SMALL, Align::Left);
    for (tick, text) in frame.x.ticks.iter().filter(|(tick, _)| (across.low..=across.high).contains(tick)) {
        let at = across.at(*tick);
        canvas.line(&[(at, bottom), (at, bottom + 4)], GREY, 1);
        canvas.text(at, bottom + 13, text, SMALL, Align::Middle);
    }
    canvas.line(&[(left, bottom), (right, bottom)], GREY, 1);
    canvas.text(right, bottom + 30, &frame.x.words, SMALL, Align::Right);
    for (mark, text) in frame.marks.iter().filter(|(mark, _)| (across.low..=across.high).contains(mark)) {
        let at = across.at(*mark);
        canvas.dashes((at, top), (at, bottom), GREY);
        canvas.text(at, top - 12, text, SMALL, Align::Middle);
    }
}

fn curve(canvas: &mut Canvas, line: &Line, across: Axis, up: Axis) {
    let points: Vec<(i32, i32)> = line.points.iter().map(|&(x, y)| (across.at(x), up.at(y))).collect();
    canvas.line(&points, line.colour, if line.control { 1 } else { 2 });
    for &(x, y) in points.iter().filter(|_| !line.control) {
        canvas.dot(x, y, 4, PAPER.filled());
        canvas.dot(x, y, 3, line.colour.filled());
    }
}

/// Names right of where the lines end, moved apart where ends are near each other.
fn labels(canvas: &mut Canvas, lines: &[Line], across: Axis, up: Axis, width: i32) {
    let mut ends: Vec<(&Line, i32, i32)> = lines
        .iter()
        .filter_map(|line| {
            let &(x, y) = line.points.last()?;
            Some((line, across.at(x), up.at(y)))
        })
        .collect();
    ends.sort_by(|one, other| one.2.cmp(&other.2).then(one.0.name.cmp(&other.0.name)));
    let wanted: Vec<i32> = ends.iter().map(|end| end.2).collect();
    let places = apart(&wanted, up.to, up.from);
    for ((line, x, y), place) in ends.into_iter().zip(places) {
        let look = plain(13, if line.control { GREY } else { INK });
        let start = across.to + 16;
        canvas.line(&[(x + 5, y), (start - 3, place)], line.colour, 1);
        canvas.text(start + 3, place, &fit(&line.name, look, width), look, Align::Left);
    }
}

/// Heights at least [`STEP`] apart, as near to the wanted ones, which are sorted, as a pass down and one up get them.
fn apart(wanted: &[i32], top: i32, bottom: i32) -> Vec<i32> {
    let mut places = wanted.to_vec();
    let mut least = top;
    for place in &mut places {
        *place = (*place).max(least);
        least = *place + STEP;
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = (*place).min(most);
        most = *place - STEP;
    }
    places
}

fn alt(title: &str, panels: &[Panel]) -> String {
    let names: Vec<&str> = panels
        .first()
        .map(|panel| panel.lines.iter().map(|line| line.name.as_str()).collect())
        .unwrap_or_default();
    format!("{title}: a line each for {}", names.join(", "))
}
