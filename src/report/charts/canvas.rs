//! Shapes that are laid out first and drawn last, when the height is known.

use plotters::{
    coord::Shift,
    prelude::{
        Circle, DrawingArea, EmptyElement, FontTransform, IntoDrawingArea, IntoFont, PathElement, Polygon,
        RGBColor, Rectangle, SVGBackend, ShapeStyle, Text, TextStyle,
    },
    style::{
        Color, FontStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

use crate::{
    error::{Error, Result},
    report::text::cut,
};

/// Black text.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Text that says less.
pub(super) const GREY: RGBColor = RGBColor(0x66, 0x66, 0x66);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xe3, 0xe3, 0xe3);
/// The card.
pub(super) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Where a text stands to its point, vertically always in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
    /// Turned a quarter to the left: reads upwards from its point.
    Up,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    pub(super) size: i32,
    pub(super) colour: RGBColor,
    pub(super) bold: bool,
}

pub(super) const fn plain(size: i32, colour: RGBColor) -> Type {
    Type { size, colour, bold: false }
}

pub(super) const fn bold(size: i32, colour: RGBColor) -> Type {
    Type { size, colour, bold: true }
}

enum Shape {
    Text(i32, i32, String, Type, Align),
    Box([i32; 4], ShapeStyle),
    Line(Vec<(i32, i32)>, ShapeStyle),
    Dot(i32, i32, i32, ShapeStyle),
}

/// A white card that is right on white and on dark pages: outside its round corners nothing is drawn.
pub(super) struct Canvas {
    pub(super) width: i32,
    shapes: Vec<Shape>,
}

impl Canvas {
    pub(super) fn new(width: i32) -> Self {
        Self { width, shapes: Vec::new() }
    }

    pub(super) fn text(&mut self, x: i32, y: i32, text: &str, look: Type, align: Align) {
        if !text.is_empty() {
            self.shapes.push(Shape::Text(x, y, text.to_owned(), look, align));
        }
    }

    /// A filled box from its left top to its right bottom corner.
    pub(super) fn fill(&mut self, corners: [i32; 4], colour: RGBColor) {
        self.shapes.push(Shape::Box(corners, colour.filled()));
    }

    /// A box's outline.
    pub(super) fn frame(&mut self, corners: [i32; 4], colour: RGBColor) {
        self.shapes.push(Shape::Box(corners, colour.stroke_width(1)));
    }

    pub(super) fn line(&mut self, points: &[(i32, i32)], colour: RGBColor, width: u32) {
        self.shapes.push(Shape::Line(points.to_vec(), colour.stroke_width(width)));
    }

    /// A line of dashes, straight across or down.
    pub(super) fn dashes(&mut self, from: (i32, i32), to: (i32, i32), colour: RGBColor) {
        let length = (to.0 - from.0).abs() + (to.1 - from.1).abs();
        let step = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let at = |by: i32| (from.0 + step.0 * by, from.1 + step.1 * by);
        for start in (0..length).step_by(7) {
            self.line(&[at(start), at((start + 4).min(length))], colour, 1);
        }
    }

    pub(super) fn dot(&mut self, x: i32, y: i32, radius: i32, style: ShapeStyle) {
        self.shapes.push(Shape::Dot(x, y, radius, style));
    }

    /// The drawing as SVG. `title` is what a screen reader says.
    pub(super) fn svg(&self, height: i32, title: &str) -> Result<String> {
        let size = (self.width.unsigned_abs(), height.unsigned_abs());
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.draw(&area, height)
                .and_then(|()| area.present().map_err(|error| error.to_string()))
                .map_err(|error| Error::check(format!("a chart cannot be drawn: {error}")))?;
        }
        let label = format!(" role=\"img\" aria-label=\"{}\"", escape(title));
        Ok(svg.replacen("<svg", &format!("<svg{label}"), 1))
    }

    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        height: i32,
    ) -> std::result::Result<(), String> {
        let failed = |error: plotters::prelude::DrawingAreaErrorKind<_>| -> String { error.to_string() };
        area.draw(&Polygon::new(card(self.width, height), PAPER.filled())).map_err(failed)?;
        for shape in &self.shapes {
            match shape {
                Shape::Text(x, y, text, look, align) => {
                    area.draw(&Text::new(text.as_str(), (*x, *y), style(*look, *align)))
                }
                Shape::Box([left, top, right, bottom], style) => {
                    area.draw(&Rectangle::new([(*left, *top), (*right, *bottom)], *style))
                }
                Shape::Line(points, style) => area.draw(&PathElement::new(points.clone(), *style)),
                Shape::Dot(x, y, radius, style) => {
                    area.draw(&(EmptyElement::at((*x, *y)) + Circle::new((0, 0), *radius, *style)))
                }
            }
            .map_err(failed)?;
        }
        Ok(())
    }
}

fn style(look: Type, align: Align) -> TextStyle<'static> {
    let horizontal = match align {
        Align::Left | Align::Up => HPos::Left,
        Align::Middle => HPos::Center,
        Align::Right => HPos::Right,
    };
    // plotters divides by this on the way to SVG.
    let mut font = ("sans-serif", f64::from(look.size) * 1.24).into_font();
    if look.bold {
        font = font.style(FontStyle::Bold);
    }
    if align == Align::Up {
        font = font.transform(FontTransform::Rotate270);
    }
    let mut style = TextStyle::from(font).pos(Pos::new(horizontal, VPos::Center));
    style.color = look.colour.to_backend_color();
    style
}

/// A rectangle with round corners.
fn card(width: i32, height: i32) -> Vec<(i32, i32)> {
    const RADIUS: i32 = 12;
    const STEPS: u32 = 8;
    let corners = [
        (width - RADIUS, height - RADIUS, 0.0),
        (RADIUS, height - RADIUS, 0.5),
        (RADIUS, RADIUS, 1.0),
        (width - RADIUS, RADIUS, 1.5),
    ];
    let mut outline = Vec::new();
    for (x, y, start) in corners {
        for step in 0..=STEPS {
            let angle = (start + 0.5 * f64::from(step) / f64::from(STEPS)) * std::f64::consts::PI;
            let at = |centre: i32, part: f64| centre + (f64::from(RADIUS) * part).round() as i32;
            outline.push((at(x, angle.cos()), at(y, angle.sin())));
        }
    }
    outline
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// How wide a text is at most, in pixels. The viewer picks the font, so this is for a wide one.
pub(super) fn text_width(text: &str, look: Type) -> i32 {
    let ems: f64 = text
        .chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '·' => 0.33,
            'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.42,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.97,
            'a'..='z' | '0'..='9' | '_' => 0.63,
            letter if letter.is_ascii() => 0.76,
            '×' | '–' | '…' => 0.84,
            _ => 1.0,
        })
        .sum();
    (ems * f64::from(look.size) * if look.bold { 1.1 } else { 1.0 }).ceil() as i32
}

/// The text, cut in its middle if it is wider than `width`: names differ at their ends.
pub(super) fn fit(text: &str, look: Type, width: i32) -> String {
    if text_width(text, look) <= width {
        return text.to_owned();
    }
    (1..text.chars().count())
        .rev()
        .map(|kept| cut(text, kept))
        .find(|shorter| text_width(shorter, look) <= width)
        .unwrap_or_else(|| "…".to_owned())
}

/// The text in lines of at most `width`; a word that is wider than that is cut.
pub(super) fn wrap(text: &str, look: Type, width: i32) -> Vec<String> {
    let mut lines = Vec::<String>::new();
    for word in text.split_whitespace() {
        let word = fit(word, look, width);
        match lines.last_mut() {
            // A separator stays with what it ends.
            Some(line) if word == "·" || text_width(&format!("{line} {word}"), look) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}
