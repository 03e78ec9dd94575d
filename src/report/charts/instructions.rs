//! Instructions against time, both logarithmic, with lines between decoders that disagree.

use plotters::{prelude::RGBColor, style::Color};

use crate::{
    error::Result,
    report::{
        charts::{
            canvas::{Align, Canvas, GRID, PAPER},
            labels::{Area, apart, dot_box, label},
            style::{
                Chart, MARGIN, SMALL, WIDTH, class_colour, footer, header, legend, legend_items, log_ticks,
                looks,
            },
        },
        instructions::Compared,
    },
};

/// Lines between two decoders, from the one with fewer instructions to the faster one.
const AGAINST: RGBColor = RGBColor(0xcc, 0x79, 0xa7);
const GUIDE: RGBColor = RGBColor(0xb8, 0xb8, 0xb8);

/// What a chart says around its dots.
pub(super) struct Frame<'a> {
    pub(super) file: String,
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) unit: &'a str,
    /// Labelled whatever it does, as the others are held against it.
    pub(super) baseline: &'a str,
    pub(super) origin: &'a str,
}

/// A logarithmic scale between two pixels.
struct Scale {
    low: f64,
    high: f64,
    from: i32,
    to: i32,
}

impl Scale {
    fn of(figures: impl Iterator<Item = f64> + Clone, from: i32, to: i32) -> Self {
        let low = figures.clone().fold(f64::INFINITY, f64::min) / 1.3;
        let high = figures.fold(0.0, f64::max) * 1.3;
        Self { low, high, from, to }
    }

    fn at(&self, figure: f64) -> i32 {
        let part = (figure / self.low).ln() / (self.high / self.low).ln();
        self.from + (f64::from(self.to - self.from) * part).round() as i32
    }
}

/// The chart, or `None` of fewer than two decoders.
pub(super) fn draw(frame: Frame<'_>, compared: &Compared<'_>) -> Result<Option<Chart>> {
    let decoders = &compared.decoders;
    if decoders.len() < 2 {
        return Ok(None);
    }
    let Frame { file, title, subtitle, unit, baseline, origin } = frame;
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, &title, &subtitle);
    let top = legend(&mut canvas, top, &legend_items(decoders.iter().map(|decoder| decoder.row))) + 10;
    let (left, right, bottom) = (MARGIN + 54, WIDTH - MARGIN - 20, top + 440);
    let across = Scale::of(decoders.iter().map(|decoder| decoder.instructions), left, right);
    let up = Scale::of(decoders.iter().map(|decoder| decoder.ns), bottom, top);

    for tick in log_ticks(up.low, up.high) {
        canvas.line(&[(left, up.at(tick)), (right, up.at(tick))], GRID, 1);
        canvas.text(left - 8, up.at(tick), &tick.to_string(), SMALL, Align::Right);
    }
    for tick in log_ticks(across.low, across.high) {
        canvas.line(&[(across.at(tick), top), (across.at(tick), bottom)], GRID, 1);
        canvas.text(across.at(tick), bottom + 14, &tick.to_string(), SMALL, Align::Middle);
    }
    canvas.text((left + right) / 2, bottom + 34, &format!("instructions per {unit}"), SMALL, Align::Middle);
    canvas.text(left + 6, top + 9, &format!("ns per {unit}"), SMALL, Align::Left);
    let mut taken = vec![[left, top, left + 80, top + 18]];
    for rate in [1.0, 2.0, 4.0, 8.0, 16.0] {
        guide(&mut canvas, rate, &across, &up, &mut taken);
    }
    let at: Vec<(i32, i32)> =
        decoders.iter().map(|decoder| (across.at(decoder.instructions), up.at(decoder.ns))).collect();
    let called_out = compared.called_out();
    for &(slow, fast) in &called_out {
        canvas.line(&[at[slow], at[fast]], AGAINST, 1);
    }
    for (decoder, &(x, y)) in decoders.iter().zip(&at) {
        let (fill, edge) = looks(decoder.row);
        canvas.dot(x, y, 7, PAPER.filled());
        canvas.dot(x, y, 5, fill.filled());
        if edge.is_some() {
            canvas.dot(x, y, 5, class_colour(&decoder.row.class).stroke_width(1));
        }
    }
    taken.extend(at.iter().copied().map(dot_box));
    // Those of a pair first: they are what the chart is about.
    let mut order: Vec<usize> = called_out.iter().flat_map(|&(slow, fast)| [slow, fast]).collect();
    order.extend((0..decoders.len()).filter(|&place| decoders[place].row.variant == baseline));
    order.extend(0..decoders.len());
    let mut done = Vec::new();
    for place in order {
        if !done.contains(&place) {
            done.push(place);
            label(
                &mut canvas,
                &decoders[place].row.variant,
                at[place],
                &mut taken,
                [left, top, right, bottom],
            );
        }
    }
    let height = footer(&mut canvas, bottom + 46, &[], origin);
    let alt = format!("{title}: instructions and time per {unit} of every decoder that can be counted");
    Ok(Some(Chart { svg: canvas.svg(height, &alt)?, alt, file }))
}

/// The line of all places with so many instructions a nanosecond, named at its upper end if there is room.
fn guide(canvas: &mut Canvas, rate: f64, across: &Scale, up: &Scale, taken: &mut Vec<Area>) {
    let (from, to) = ((up.low * rate).max(across.low), (up.high * rate).min(across.high));
    if from >= to {
        return;
    }
    let point = |instructions: f64| (across.at(instructions), up.at(instructions / rate));
    let end = point(to);
    canvas.line(&[point(from), end], GUIDE, 1);
    let (x, y) = (end.0 - 30, end.1 + 10);
    let area = [x - 24, y - 8, x + 24, y + 8];
    if x - 24 > across.from && taken.iter().all(|other| apart(&area, other)) {
        canvas.text(x, y, &format!("{rate}/ns"), SMALL, Align::Middle);
        taken.push(area);
    }
}
