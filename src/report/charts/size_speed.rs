//! Bytes against time, with the decoders that no other beats in both.

use plotters::{prelude::RGBColor, style::Color};

use crate::{
    error::Result,
    report::{
        charts::{
            canvas::{Align, Canvas, GREY, GRID, PAPER, text_width},
            labels::{dot_box, label},
            style::{
                Chart, MARGIN, SMALL, WIDTH, class_colour, footer, header, legend, legend_items, log_ticks,
            },
        },
        rank::{Entry, Ranking, front},
    },
};

const FRONT: RGBColor = RGBColor(0xb0, 0xb0, 0xb0);

/// A decoder's place: bytes against LEB128, ratio to the loop.
struct Point<'a> {
    entry: &'a Entry<'a>,
    size: f64,
    ratio: f64,
    x: i32,
    y: i32,
}

/// The chart, or `None` if fewer than two layouts are there. Controls are lines, since they have no layout.
pub(super) fn draw(
    file: String,
    title: &str,
    subtitle: &str,
    both: &Ranking<'_>,
    baseline: &str,
    origin: &str,
) -> Result<Option<Chart>> {
    let ranked = both.entries.iter().filter(|entry| entry.row.standing == "ranked");
    let mut points: Vec<Point<'_>> = ranked
        .filter_map(|entry| Some(Point { entry, size: entry.size?, ratio: entry.ratio.value, x: 0, y: 0 }))
        .collect();
    if points.iter().all(|point| point.entry.row.layout == points[0].entry.row.layout) {
        return Ok(None);
    }
    let controls: Vec<&Entry<'_>> = both.entries.iter().filter(|entry| entry.is_control()).collect();

    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, title, subtitle);
    let items = legend_items(points.iter().map(|point| point.entry.row));
    let top = legend(&mut canvas, top, &items) + 10;
    let (left, right, bottom) = (MARGIN + 54, WIDTH - MARGIN - 20, top + 420);

    let figures = points.iter().map(|point| point.ratio);
    let figures = figures.chain(controls.iter().map(|entry| entry.ratio.value));
    let (low, high) = figures.fold((1.0_f64, 1.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let (low, high) = (low / 1.15, high * 1.25);
    let sizes = points.iter().map(|point| point.size);
    let (small, large) = sizes.fold((1.0_f64, 1.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    // The smallest layout's names stand left of its points.
    let pad = (large - small).max(0.02) * 0.1;
    let (small, large) = (small - 3.0 * pad, large + pad);
    let x = |size: f64| left + (f64::from(right - left) * (size - small) / (large - small)).round() as i32;
    let y = |ratio: f64| {
        bottom - (f64::from(bottom - top) * (ratio / low).ln() / (high / low).ln()).round() as i32
    };
    for point in &mut points {
        (point.x, point.y) = (x(point.size), y(point.ratio));
    }

    for tick in log_ticks(low, high) {
        canvas.line(&[(left, y(tick)), (right, y(tick))], GRID, 1);
        canvas.text(left - 8, y(tick), &format!("{tick}×"), SMALL, Align::Right);
    }
    for percent in percents(small, large) {
        let at = x(percent / 100.0);
        canvas.line(&[(at, top), (at, bottom)], GRID, 1);
        canvas.text(at, bottom + 14, &format!("{percent} %"), SMALL, Align::Middle);
    }
    canvas.text((left + right) / 2, bottom + 34, "bytes, LEB128 = 100 %", SMALL, Align::Middle);
    let mut taken = Vec::new();
    for entry in controls {
        let at = y(entry.ratio.value);
        canvas.dashes((left, at), (right, at), GREY);
        let name = entry.row.variant.as_str();
        let width = text_width(name, SMALL);
        let spot = [right - width - 4, at - 16, right, at - 1];
        canvas.fill(spot, PAPER);
        canvas.text(right - 4, at - 9, name, SMALL, Align::Right);
        taken.push(spot);
    }
    let front = front_line(&points, right);
    canvas.line(&front, FRONT, 2);
    taken.extend(front.windows(2).map(|ends| {
        let ((a, b), (c, d)) = (ends[0], ends[1]);
        [a.min(c), b.min(d), a.max(c), b.max(d)]
    }));
    for point in &points {
        taken.push(dot_box((point.x, point.y)));
        canvas.dot(point.x, point.y, 7, PAPER.filled());
        canvas.dot(point.x, point.y, 5, class_colour(&point.entry.row.class).filled());
    }
    for point in labelled(&points, baseline) {
        let area = [left, top, right, bottom];
        label(&mut canvas, &point.entry.row.variant, (point.x, point.y), &mut taken, area);
    }
    let height = footer(&mut canvas, bottom + 46, &both.notes, origin);
    let alt = format!("{title}: bytes against LEB128 and speed against {baseline} of every decoder");
    Ok(Some(Chart { svg: canvas.svg(height, &alt)?, alt, file }))
}

fn front_of(points: &[Point<'_>]) -> Vec<usize> {
    front(&points.iter().map(|point| (point.size, point.ratio)).collect::<Vec<_>>())
}

/// The edge of what can be had: steps, since nothing lies between two layouts.
fn front_line(points: &[Point<'_>], right: i32) -> Vec<(i32, i32)> {
    let mut line = Vec::<(i32, i32)>::new();
    for at in front_of(points) {
        let Point { x, y, .. } = points[at];
        if let Some(&(_, before)) = line.last() {
            line.push((x, before));
        }
        line.push((x, y));
    }
    line.extend(line.last().map(|&(_, y)| (right, y)));
    line
}

/// The front, the best of every layout, and the loop: labels for all would cover each other.
fn labelled<'a>(points: &'a [Point<'a>], baseline: &str) -> Vec<&'a Point<'a>> {
    let front = front_of(points);
    let best = |point: &Point<'_>| {
        points
            .iter()
            .filter(|other| other.entry.row.layout == point.entry.row.layout)
            .all(|other| other.ratio <= point.ratio)
    };
    let mut chosen: Vec<&Point<'_>> = points
        .iter()
        .enumerate()
        .filter(|(at, point)| front.contains(at) || best(point) || point.entry.row.variant == baseline)
        .map(|(_, point)| point)
        .collect();
    // From the left: a name then finds the room over its own point, not the next one's.
    chosen.sort_by(|a, b| a.x.cmp(&b.x).then(a.y.cmp(&b.y)));
    chosen
}

/// Round percentages between two parts.
fn percents(small: f64, large: f64) -> Vec<f64> {
    let span = 100.0 * (large - small);
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
    let step = step.into_iter().find(|step| span / step <= 9.0).unwrap_or(span);
    let first = (100.0 * small / step).ceil();
    (0..10).map(|at| (first + f64::from(at)) * step).take_while(|&tick| tick <= 100.0 * large).collect()
}
