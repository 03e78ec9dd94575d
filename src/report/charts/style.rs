//! What all charts share: colours by class, header, legend, footer, ticks.

use plotters::prelude::RGBColor;

use crate::{
    fnv::Fnv,
    measure::Record,
    report::{
        charts::canvas::{Align, Canvas, GREY, INK, PAPER, Type, bold, plain, text_width, wrap},
        question::is_control,
        rank::Entry,
    },
};

pub(super) const WIDTH: i32 = 960;
pub(super) const MARGIN: i32 = 24;

pub(super) const NAME: Type = plain(14, INK);
pub(super) const FIGURE: Type = bold(14, INK);
pub(super) const SMALL: Type = plain(12, GREY);

/// Fill of controls, which decode nothing.
const CONTROL: RGBColor = RGBColor(0xf2, 0xf2, 0xf2);
/// Outline of controls.
const CONTROL_EDGE: RGBColor = RGBColor(0x99, 0x99, 0x99);

/// Colours of Okabe and Ito's colour-blind-safe set by class, grey for scalar code.
const CLASSES: [(&str, RGBColor); 5] = [
    ("scalar", RGBColor(0x8c, 0x8c, 0x8c)),
    ("BMI2", RGBColor(0x00, 0x9e, 0x73)),
    ("SSE4.1", RGBColor(0x56, 0xb4, 0xe9)),
    ("AVX2", RGBColor(0x00, 0x72, 0xb2)),
    ("AVX-512", RGBColor(0xd5, 0x5e, 0x00)),
];
const OTHER_CLASS: RGBColor = RGBColor(0xcc, 0x79, 0xa7);

pub(super) fn class_colour(class: &str) -> RGBColor {
    CLASSES.iter().find(|(name, _)| *name == class).map_or(OTHER_CLASS, |&(_, colour)| colour)
}

/// How a contestant is filled, and its outline if it has one.
pub(super) fn looks(row: &Record) -> (RGBColor, Option<RGBColor>) {
    let colour = class_colour(&row.class);
    if is_control(row) {
        (CONTROL, Some(CONTROL_EDGE))
    } else if row.standing == "rejected" {
        (pale(colour), Some(colour))
    } else {
        (colour, None)
    }
}

/// The colour thinned with white.
pub(super) fn pale(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let thin = |part: u8| 255 - (255 - part) / 4;
    RGBColor(thin(red), thin(green), thin(blue))
}

/// A drawn chart.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// File name, with `.svg`; in a report with a fingerprint of the content before it.
    pub(crate) file: String,
    /// What it shows, for those who do not see it.
    pub(crate) alt: String,
    pub(crate) svg: String,
}

impl Chart {
    /// The chart with a fingerprint of its content in its name.
    pub(crate) fn with_fingerprint(self) -> Self {
        let stem = self.file.strip_suffix(".svg").unwrap_or(&self.file);
        let file = format!("{stem}-{:08x}.svg", Fnv::of(self.svg.as_bytes()) as u32);
        Self { file, ..self }
    }

    /// Whether this is the chart of that name, its fingerprint aside.
    pub(crate) fn is_named(&self, file: &str) -> bool {
        self.file.rsplit_once('-').map(|(stem, _)| stem) == file.strip_suffix(".svg")
    }
}

/// Title and subtitle; returns where the rest may begin.
pub(super) fn header(canvas: &mut Canvas, title: &str, subtitle: &str) -> i32 {
    let room = canvas.width - 2 * MARGIN;
    let (large, grey) = (bold(20, INK), plain(13, GREY));
    let mut y = 34;
    for line in wrap(title, large, room) {
        canvas.text(MARGIN, y, &line, large, Align::Left);
        y += 26;
    }
    for line in wrap(subtitle, grey, room) {
        canvas.text(MARGIN, y, &line, grey, Align::Left);
        y += 18;
    }
    y + 4
}

/// Swatches of what is there, in lines; returns where the rest may begin.
pub(super) fn legend(canvas: &mut Canvas, y: i32, items: &[(String, RGBColor, Option<RGBColor>)]) -> i32 {
    let look = plain(13, INK);
    let (mut x, mut y) = (MARGIN, y + 4);
    for (text, fill, edge) in items {
        let width = 20 + text_width(text, look);
        if x > MARGIN && x + width > canvas.width - MARGIN {
            (x, y) = (MARGIN, y + 20);
        }
        swatch(canvas, [x, y - 6, x + 12, y + 6], *fill, *edge);
        canvas.text(x + 18, y, text, look, Align::Left);
        x += width + 16;
    }
    y + 22
}

pub(super) fn swatch(canvas: &mut Canvas, corners: [i32; 4], fill: RGBColor, edge: Option<RGBColor>) {
    canvas.fill(corners, fill);
    if let Some(edge) = edge {
        canvas.frame(corners, edge);
    }
}

/// The legend's items for these contestants: the classes that are there, then controls and rejected ones.
pub(super) fn legend_items<'a>(
    rows: impl Iterator<Item = &'a Record> + Clone,
) -> Vec<(String, RGBColor, Option<RGBColor>)> {
    let decoders = rows.clone().filter(|row| !is_control(row));
    let mut items: Vec<_> = CLASSES
        .iter()
        .filter(|(class, _)| decoders.clone().any(|row| row.class == *class))
        .map(|&(class, colour)| (class.to_owned(), colour, None))
        .collect();
    if decoders.clone().any(|row| CLASSES.iter().all(|(class, _)| row.class != *class)) {
        items.push(("other".to_owned(), OTHER_CLASS, None));
    }
    if rows.clone().any(is_control) {
        items.push(("control: no decoding, a ceiling".to_owned(), CONTROL, Some(CONTROL_EDGE)));
    }
    if rows.clone().any(|row| row.standing == "rejected") {
        let colour = class_colour("AVX2");
        items.push(("pale: rejected, out of rank".to_owned(), pale(colour), Some(colour)));
    }
    items
}

/// Notes and origin at the bottom; returns the card's height.
pub(super) fn footer(canvas: &mut Canvas, y: i32, notes: &[String], origin: &str) -> i32 {
    const MOST: usize = 6;
    let mut y = y + 12;
    let look = plain(11, GREY);
    let mut lines: Vec<String> = notes.iter().take(MOST).cloned().collect();
    if notes.len() > MOST {
        lines.push(format!("and {} more notes in results.md", notes.len() - MOST));
    }
    lines.push(origin.to_owned());
    for line in lines {
        for part in wrap(&line, look, canvas.width - 2 * MARGIN) {
            canvas.text(MARGIN, y, &part, look, Align::Left);
            y += 15;
        }
    }
    y + 8
}

/// The axis of a chart with bars.
pub(super) struct Axis {
    /// The ratio at its right end.
    pub(super) end: f64,
    /// Whether bars of controls go on beyond it.
    pub(super) broken: bool,
}

/// What the note of a chart with broken bars says.
pub(super) const BROKEN: &str = "broken bars go on beyond the axis";

impl Axis {
    /// The axis for these entries with their rightmost marks. Controls may be far beyond all decoders, and on a
    /// scale that holds them nothing else could be told apart: their bars are broken off at twice the best
    /// decoder.
    pub(super) fn of(entries: &[(&Entry<'_>, f64)]) -> Option<Self> {
        let most = |reaches: &mut dyn Iterator<Item = f64>| reaches.max_by(f64::total_cmp);
        let decoders = most(&mut entries.iter().filter(|(entry, _)| !entry.is_control()).map(|at| at.1));
        let limit = decoders.map_or(f64::INFINITY, |decoders| 2.0 * decoders);
        let inside =
            most(&mut entries.iter().filter(|(entry, _)| entry.ratio.value <= limit).map(|at| at.1))?;
        let beyond = |end: f64| entries.iter().any(|(entry, _)| entry.ratio.value > end);
        let end = if beyond(limit) { inside.max(limit) } else { inside };
        // A whisker may reach further than the limit, and then bars beyond the limit fit.
        Some(Self { end, broken: beyond(end) })
    }
}

/// Marks a bar that goes on beyond the axis.
pub(super) fn break_off(canvas: &mut Canvas, x: i32, middle: i32, half: i32) {
    for shift in [0, 6] {
        let at = x - 16 + shift;
        canvas.line(&[(at - 3, middle + half + 2), (at + 3, middle - half - 2)], PAPER, 3);
    }
}

/// Round numbers from 0 to `end`, about `count` of them.
pub(super) fn ticks(end: f64, count: f64) -> Vec<f64> {
    let rough = (end / count).max(f64::MIN_POSITIVE);
    let ten = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|part| part * ten).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * ten);
    (0..).map(|at| f64::from(at) * step).take_while(|&tick| tick <= end * 1.0001).take(50).collect()
}

/// The numbers 1, 2 and 5 times a power of ten between two positive limits.
pub(super) fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    (-6..=6)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|part| part * 10_f64.powi(power)))
        .filter(|tick| (low..=high).contains(tick))
        .collect()
}
