//! One small ranking for each capture, all on one scale.

use crate::{
    error::Result,
    report::{
        charts::{
            canvas::{Align, Canvas, GREY, INK, bold, fit, plain, text_width},
            ranking::whisker,
            style::{
                Axis, BROKEN, Chart, MARGIN, SMALL, WIDTH, break_off, footer, header, legend, legend_items,
                looks, swatch,
            },
        },
        question::Wire,
        rank::{Entry, Ranking},
        text::{plural, times},
    },
};

const ROW: i32 = 20;
const GAP: i32 = 28;

/// A capture's name, what stands beside it, and its ranking.
pub(super) type Panel<'a> = (&'a str, String, Ranking<'a>);

/// The best of every class, or of every layout where layouts differ, and the fastest control.
fn chosen<'a>(ranking: &'a Ranking<'_>, wire: Wire) -> Vec<&'a Entry<'a>> {
    let mut seen = Vec::<&str>::new();
    ranking
        .entries
        .iter()
        .filter(|entry| {
            let group = match wire {
                _ if entry.is_control() => "control",
                _ if entry.place.is_none() => return false,
                Wire::Fixed => entry.row.class.as_str(),
                Wire::Free => entry.row.layout.as_str(),
            };
            let first = !seen.contains(&group);
            seen.push(group);
            first
        })
        .collect()
}

/// The panels in two columns, or `None` without any.
pub(super) fn draw(
    file: String,
    title: &str,
    subtitle: &str,
    wire: Wire,
    panels: &[Panel<'_>],
    origin: &str,
) -> Result<Option<Chart>> {
    let chosen: Vec<Vec<&Entry<'_>>> = panels.iter().map(|(.., ranking)| chosen(ranking, wire)).collect();
    let all = || chosen.iter().flatten();
    let reaches: Vec<_> = all().map(|&entry| (entry, entry.ratio.high)).collect();
    let Some(Axis { end, broken }) = Axis::of(&reaches) else { return Ok(None) };
    let mut canvas = Canvas::new(WIDTH);
    let y = header(&mut canvas, title, subtitle);
    let mut y = legend(&mut canvas, y, &legend_items(all().map(|entry| entry.row))) + 6;

    let look = plain(12, INK);
    let column = (WIDTH - 2 * MARGIN - GAP) / 2;
    let names = all().map(|entry| text_width(&entry.row.variant, look)).max().unwrap_or(0).min(210);
    let bars = column - names - 8 - 52;
    for (pair, entries) in panels.chunks(2).zip(chosen.chunks(2)) {
        for (at, ((capture, beside, _), entries)) in pair.iter().zip(entries).enumerate() {
            let from = MARGIN + at as i32 * (column + GAP);
            let head = bold(13, INK);
            let name = fit(capture, head, column - 4 - text_width(beside, SMALL));
            canvas.text(from, y + 10, &name, head, Align::Left);
            canvas.text(from + column, y + 10, beside, SMALL, Align::Right);
            let left = from + names + 8;
            let x = |ratio: f64| left + (f64::from(bars) * ratio / end).round() as i32;
            let bottom = y + 22 + ROW * entries.len() as i32;
            for (row, entry) in entries.iter().enumerate() {
                let middle = y + 22 + ROW * row as i32 + ROW / 2;
                let look = if entry.is_control() { plain(12, GREY) } else { look };
                canvas.text(left - 8, middle, &fit(&entry.row.variant, look, names), look, Align::Right);
                let (fill, edge) = looks(entry.row);
                let inside = entry.ratio.value <= end;
                let tip = x(entry.ratio.value.min(end));
                swatch(&mut canvas, [left, middle - 6, tip, middle + 6], fill, edge);
                if inside {
                    whisker(&mut canvas, x(entry.ratio.low), x(entry.ratio.high), middle);
                } else {
                    break_off(&mut canvas, tip, middle, 6);
                }
                let figure = bold(12, look.colour);
                let text = times(entry.ratio.value);
                canvas.text(
                    if inside { x(entry.ratio.high) } else { tip } + 7,
                    middle,
                    &text,
                    figure,
                    Align::Left,
                );
            }
            canvas.dashes((x(1.0), y + 22), (x(1.0), bottom), GREY);
        }
        let most = entries.iter().map(Vec::len).max().unwrap_or(0) as i32;
        y += 22 + ROW * most + 16;
    }
    let mut notes: Vec<String> = broken.then(|| BROKEN.to_owned()).into_iter().collect();
    notes.extend(panels.iter().flat_map(|(.., ranking)| ranking.notes.clone()));
    let height = footer(&mut canvas, y - 4, &notes, origin);
    let alt = format!("{title}, for {}", plural(panels.len(), "capture"));
    Ok(Some(Chart { svg: canvas.svg(height, &alt)?, alt, file }))
}
