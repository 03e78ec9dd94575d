//! Every decoder on every capture: the losing cell next to the winning one.

use plotters::prelude::{ColorMap, RGBColor, ViridisRGB};

use crate::{
    error::Result,
    report::{
        charts::{
            canvas::{Align, Canvas, GREY, INK, PAPER, fit, plain, text_width},
            style::{Chart, MARGIN, SMALL, WIDTH, footer, header, log_ticks},
        },
        rank::Ranking,
        text::digits,
    },
};

/// Cells that say nothing, and those of controls.
const NEUTRAL: RGBColor = RGBColor(0xf4, 0xf4, 0xf4);
const ROW: i32 = 24;

/// What stands round the cells.
pub(super) struct Frame<'a> {
    pub(super) file: String,
    pub(super) title: String,
    pub(super) subtitle: String,
    /// The captures from left to right, and what stands under each name.
    pub(super) columns: Vec<(&'a str, String)>,
    pub(super) origin: &'a str,
}

/// The map, or `None` if it has no cell.
pub(super) fn draw(frame: Frame<'_>, all: &Ranking<'_>) -> Result<Option<Chart>> {
    let decoders = all.entries.iter().filter(|entry| !entry.is_control());
    let figures = decoders.flat_map(|entry| entry.each.iter().map(|&(_, ratio)| ratio));
    let Some((least, most)) = range(figures) else { return Ok(None) };

    let name = plain(13, INK);
    let names = all.entries.iter().map(|entry| text_width(&entry.row.variant, name)).max().unwrap_or(0);
    let names = names.min(280);
    let count = frame.columns.len() as i32;
    let cell = ((WIDTH - 2 * MARGIN - names - 8) / count.max(1)).clamp(40, 110);
    let mut canvas = Canvas::new((2 * MARGIN + names + 8 + cell * count).max(WIDTH));
    let left = MARGIN + names + 8;

    let y = header(&mut canvas, &frame.title, &frame.subtitle);
    let y = scale(&mut canvas, y, least, most);
    let head = column_heads(&mut canvas, &frame.columns, [left, y, cell]);
    let top = head + 24;
    for (row, entry) in all.entries.iter().enumerate() {
        let y = top + ROW * row as i32;
        let look = if entry.row.standing == "ranked" { name } else { plain(13, GREY) };
        canvas.text(left - 8, y + ROW / 2, &fit(&entry.row.variant, look, names), look, Align::Right);
        for (at, (capture, _)) in frame.columns.iter().enumerate() {
            let x = left + cell * at as i32;
            let figure = entry.each.iter().find(|(name, _)| name == capture).map(|&(_, ratio)| ratio);
            let fill = match figure {
                Some(ratio) if !entry.is_control() => colour(ratio, least, most),
                _ => NEUTRAL,
            };
            canvas.fill([x, y, x + cell - 2, y + ROW - 2], fill);
            let text = figure.map_or_else(|| "–".to_owned(), digits);
            canvas.text(x + cell / 2 - 1, y + ROW / 2 - 1, &text, plain(12, on(fill)), Align::Middle);
        }
    }
    let bottom = top + ROW * all.entries.len() as i32;
    let height = footer(&mut canvas, bottom + 6, &all.notes, frame.origin);
    let alt = format!("{}: every decoder's ratio on every capture", frame.title);
    Ok(Some(Chart { svg: canvas.svg(height, &alt)?, alt, file: frame.file }))
}

/// The lowest and the highest figure, a little apart even if they are the same.
fn range(figures: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (least, most) = figures.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    (least <= most).then(|| (least, most.max(least * 1.01)))
}

fn part(ratio: f64, least: f64, most: f64) -> f64 {
    ((ratio / least).ln() / (most / least).ln()).clamp(0.0, 1.0)
}

fn colour(ratio: f64, least: f64, most: f64) -> RGBColor {
    ViridisRGB.get_color(part(ratio, least, most) as f32)
}

/// Black or white, whichever can be read on `fill`.
fn on(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
    let light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    if light > 0.2 { INK } else { PAPER }
}

/// Names over the columns, lying in up to three lines where all have the room and upright where not; returns
/// where the line under them is.
fn column_heads(canvas: &mut Canvas, columns: &[(&str, String)], [left, y, cell]: [i32; 3]) -> i32 {
    let lying: Option<Vec<Vec<String>>> =
        columns.iter().map(|(name, _)| broken(name, cell - 8).filter(|lines| lines.len() <= 3)).collect();
    let upright: Vec<String> = columns.iter().map(|(name, _)| fit(name, SMALL, 190)).collect();
    let tall = match &lying {
        Some(names) => 15 * names.iter().map(Vec::len).max().unwrap_or(0) as i32,
        None => upright.iter().map(|name| text_width(name, SMALL)).max().unwrap_or(0) + 4,
    };
    let head = y + tall + 4;
    for (at, (name, (_, below))) in upright.iter().zip(columns).enumerate() {
        let middle = left + cell * at as i32 + cell / 2 - 1;
        canvas.text(middle, head + 12, below, plain(11, GREY), Align::Middle);
        let Some(names) = &lying else {
            canvas.text(middle, head - 4, name, SMALL, Align::Up);
            continue;
        };
        for (up, line) in names[at].iter().rev().enumerate() {
            canvas.text(middle, head - 6 - 15 * up as i32, line, SMALL, Align::Middle);
        }
    }
    head
}

/// A name in lines of at most `width`, broken behind `-` and `_`; `None` if a part is wider.
fn broken(name: &str, width: i32) -> Option<Vec<String>> {
    let mut lines = vec![String::new()];
    for part in name.split_inclusive(['-', '_', ' ']) {
        let line = lines.last_mut()?;
        if text_width(&format!("{line}{part}"), SMALL) <= width {
            line.push_str(part);
        } else if text_width(part, SMALL) <= width {
            lines.push(part.to_owned());
        } else {
            return None;
        }
    }
    Some(lines)
}

/// What the colours mean; returns where the rest may begin.
fn scale(canvas: &mut Canvas, y: i32, least: f64, most: f64) -> i32 {
    const LENGTH: i32 = 300;
    const STEP: i32 = 3;
    canvas.text(MARGIN, y + 8, "slower", SMALL, Align::Left);
    let left = MARGIN + 52;
    for x in (0..LENGTH).step_by(STEP as usize) {
        let at = f64::from(x) / f64::from(LENGTH - STEP);
        // A pixel over the next, or the seams show.
        canvas
            .fill([left + x, y, left + (x + STEP + 1).min(LENGTH), y + 14], ViridisRGB.get_color(at as f32));
    }
    canvas.text(left + LENGTH + 10, y + 8, "faster", SMALL, Align::Left);
    for tick in log_ticks(least, most) {
        let x = left + (part(tick, least, most) * f64::from(LENGTH)).round() as i32;
        canvas.line(&[(x, y + 14), (x, y + 18)], GREY, 1);
        canvas.text(x, y + 26, &format!("{tick}×"), plain(11, GREY), Align::Middle);
    }
    y + 44
}
