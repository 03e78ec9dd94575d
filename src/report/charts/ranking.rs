//! Bars of speed, best first.

use plotters::{prelude::RGBColor, style::Color};

use crate::{
    error::Result,
    report::{
        charts::{
            canvas::{Align, Canvas, GREY, GRID, PAPER, bold, fit, plain, text_width},
            style::{
                Axis, BROKEN, Chart, FIGURE, MARGIN, NAME, SMALL, WIDTH, break_off, footer, header, legend,
                legend_items, looks, swatch, ticks,
            },
        },
        rank::{Entry, Ranking},
        text::{digits, times},
    },
};

const WHISKER: RGBColor = RGBColor(0x33, 0x33, 0x33);

/// What stands round the bars.
pub(super) struct Frame<'a> {
    pub(super) file: String,
    pub(super) title: String,
    pub(super) subtitle: String,
    /// What ratios are against.
    pub(super) baseline: &'a str,
    /// Whether sizes against LEB128 stand beside the figures.
    pub(super) sizes: bool,
    /// Who is not in the ranking, in words.
    pub(super) absent: Option<String>,
    pub(super) origin: &'a str,
}

/// No more bars than can be taken in.
const MOST: usize = 36;

/// The entries that are drawn, and how many are not: of a long field the slowest stay out, but never controls
/// or the baseline.
fn shown<'a, 'b>(ranking: &'b Ranking<'a>, baseline: &str) -> (Vec<&'b Entry<'a>>, usize) {
    let always = |entry: &Entry<'_>| entry.is_control() || entry.row.variant == baseline;
    let mut room = MOST.saturating_sub(ranking.entries.iter().filter(|entry| always(entry)).count());
    let kept: Vec<&Entry<'_>> = ranking
        .entries
        .iter()
        .filter(|entry| {
            let fits = always(entry) || room > 0;
            room -= usize::from(fits && !always(entry));
            fits
        })
        .collect();
    let left = ranking.entries.len() - kept.len();
    (kept, left)
}

/// The ranking, or `None` if there is no one in it.
pub(super) fn draw(frame: Frame<'_>, ranking: &Ranking<'_>) -> Result<Option<Chart>> {
    let (entries, left_out) = shown(ranking, frame.baseline);
    let reaches: Vec<_> = entries.iter().map(|&entry| (entry, reach(entry))).collect();
    let Some(Axis { end, broken }) = Axis::of(&reaches) else { return Ok(None) };
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, &frame.title, &frame.subtitle);
    let top = legend(&mut canvas, top, &legend_items(entries.iter().map(|entry| entry.row))) + 14;

    let step = if entries.len() > 20 { 22 } else { 27 };
    let bottom = top + step * entries.len() as i32;
    let names = entries.iter().map(|entry| text_width(&entry.row.variant, NAME)).max().unwrap_or(0).min(330);
    let left = MARGIN + 34 + names + 10;
    let right = WIDTH - MARGIN - 66 - if frame.sizes { 74 } else { 0 };
    let x = |ratio: f64| left + (f64::from(right - left) * ratio / end).round() as i32;

    for tick in ticks(end, 8.0) {
        canvas.line(&[(x(tick), top), (x(tick), bottom)], GRID, 1);
        canvas.text(x(tick), bottom + 12, &tick_text(tick), SMALL, Align::Middle);
    }
    if end > 1.0 {
        canvas.text(x(1.0), top - 9, &format!("{} = 1", frame.baseline), plain(12, GREY), Align::Left);
    }
    if frame.sizes {
        canvas.text(WIDTH - MARGIN, top - 9, "size", SMALL, Align::Right);
    }
    for (at, entry) in entries.iter().enumerate() {
        let middle = top + step * at as i32 + step / 2;
        if let Some(place) = entry.place {
            canvas.text(MARGIN, middle, &place.text(), SMALL, Align::Left);
        }
        let name = fit(&entry.row.variant, NAME, names);
        let look = if entry.place.is_some() { NAME } else { plain(14, GREY) };
        canvas.text(left - 10, middle, &name, look, Align::Right);
        let (fill, edge) = looks(entry.row);
        let half = step / 3;
        let inside = entry.ratio.value <= end;
        let tip = x(entry.ratio.value.min(end));
        swatch(&mut canvas, [left, middle - half, tip, middle + half], fill, edge);
        if inside {
            for &(_, ratio) in entry.each.iter().filter(|_| entry.each.len() > 1) {
                // Low in the bar, so that the whisker stays readable.
                canvas.dot(x(ratio), middle + half - 2, 3, PAPER.filled());
                canvas.dot(x(ratio), middle + half - 2, 2, WHISKER.filled());
            }
            whisker(&mut canvas, x(entry.ratio.low), x(entry.ratio.high), middle - 2);
        } else {
            break_off(&mut canvas, tip, middle, half);
        }
        let figure = if entry.place.is_some() { FIGURE } else { bold(14, GREY) };
        let text = times(entry.ratio.value);
        let at =
            beside_line(x(if inside { reach(entry) } else { end }) + 8, text_width(&text, figure), x(1.0));
        canvas.text(at, middle, &text, figure, Align::Left);
        if let (true, Some(size)) = (frame.sizes, entry.size) {
            let size = format!("{} %", digits(100.0 * size));
            canvas.text(WIDTH - MARGIN, middle, &size, SMALL, Align::Right);
        }
    }
    // Over the bars, so that it can be followed all the way down.
    canvas.dashes((x(1.0), top), (x(1.0), bottom), GREY);
    let mut notes = Vec::new();
    match left_out {
        0 => {}
        1 => notes.push("one slower is in results.md".to_owned()),
        more => notes.push(format!("{more} slower ones are in results.md")),
    }
    notes.extend(broken.then(|| BROKEN.to_owned()));
    notes.extend(frame.absent);
    notes.extend_from_slice(&ranking.notes);
    let height = footer(&mut canvas, bottom + 24, &notes, frame.origin);
    let alt = alt(&frame.title, ranking);
    Ok(Some(Chart { svg: canvas.svg(height, &alt)?, alt, file: frame.file }))
}

/// The rightmost mark of an entry.
fn reach(entry: &Entry<'_>) -> f64 {
    entry.each.iter().map(|&(_, ratio)| ratio).fold(entry.ratio.high, f64::max)
}

/// Where a text of this width goes that would start at `at`: behind the line if it would lie on it.
fn beside_line(at: i32, width: i32, line: i32) -> i32 {
    if at - 6 <= line && line <= at + width { line + 6 } else { at }
}

pub(super) fn whisker(canvas: &mut Canvas, low: i32, high: i32, middle: i32) {
    canvas.line(&[(low, middle), (high, middle)], WHISKER, 1);
    for end in [low, high] {
        canvas.line(&[(end, middle - 4), (end, middle + 4)], WHISKER, 1);
    }
}

fn tick_text(tick: f64) -> String {
    format!("{}×", (tick * 100.0).round() / 100.0)
}

fn alt(title: &str, ranking: &Ranking<'_>) -> String {
    let best: Vec<String> = ranking
        .placed()
        .take(3)
        .map(|entry| format!("{} {}", entry.row.variant, times(entry.ratio.value)))
        .collect();
    format!("{title}. {}", best.join(", "))
}
