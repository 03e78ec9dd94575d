//! Tables for a terminal of 100 columns.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};

use crate::{
    measure::{CaptureFacts, Record},
    report::{
        charts::shares,
        question::{Asked, Kind, Wire, questions},
        rank::{Entry, Ranking, on_capture, overall},
        text::{count, cut, digits, nanoseconds, percent, plural},
    },
};

/// No line is longer.
pub(super) const WIDTH: usize = 100;
/// Blanks behind every column.
const PADDING: usize = 2;

pub(super) const BOLD: &str = "\x1b[1m";
const GREEN: &str = "\x1b[1;32m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// What a listing says of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantRow {
    /// The name of its file.
    pub name: String,
    /// `scalar`, `BMI2`, `SSE4.1`, `AVX2` or `AVX-512`.
    pub class: String,
    /// The layout that it decodes.
    pub layout: String,
    /// `ranked`, `control` or `rejected`.
    pub standing: String,
    /// Whether this CPU has what it needs.
    pub runs_here: bool,
    /// The idea in a line.
    pub idea: String,
}

/// Rankings of every question and capture in `records`, and over the captures where a question has several.
/// Lines have at most 100 columns. `colour` is for terminals that take ANSI escapes.
#[must_use]
pub fn ranking_table(records: &[Record], colour: bool) -> String {
    let mut text = String::new();
    for asked in questions(records) {
        text += &paint(&heading(&asked), BOLD, colour);
        for (kind, note) in [
            (Kind::Real, ""),
            (Kind::Short, ", short: in no mean"),
            (Kind::Synthetic, ", synthetic: in no mean"),
        ] {
            for capture in asked.captures(kind) {
                let ranking = on_capture(&asked, capture);
                text += &format!("\n{}\n", cut(&format!("{capture}{note}"), WIDTH));
                text += &rows(&asked, &ranking, colour);
            }
        }
        if asked.captures(Kind::Real).len() > 1 {
            let all = overall(&asked);
            text += &format!("\ngeometric mean of {}\n", plural(all.captures.len(), "capture"));
            text += &mean_rows(&asked, &all, colour);
        }
        text.push('\n');
    }
    text
}

/// The variants of a listing, in their order.
#[must_use]
pub fn variants_table(variants: &[VariantRow], colour: bool) -> String {
    let headings = ["variant", "class", "layout", "standing", "here", "idea"];
    let rows = variants.iter().map(|row| {
        let here = if row.runs_here { "yes" } else { "no" };
        let cells = [&row.name, &row.class, &row.layout, &row.standing, here, &row.idea];
        let limits = [34, 8, 12, 8, 4, usize::MAX];
        let cells = cells.iter().zip(limits).map(|(cell, limit)| cut(cell, limit)).collect();
        (cells, if row.runs_here { "" } else { DIM })
    });
    render(&headings, &[], rows.collect(), colour)
}

/// The captures of a listing, in their order.
#[must_use]
pub fn captures_table(captures: &[CaptureFacts], colour: bool) -> String {
    let headings = ["capture", "kind", "points", "tokens", "B/token", "1 byte", "2", "3", "4+"];
    let rows = captures.iter().map(|facts| {
        let kind = match (facts.synthetic, facts.short) {
            (true, _) => "synthetic",
            (false, true) => "short",
            (false, false) => "real",
        };
        let mut cells = vec![facts.name.clone(), kind.to_owned(), count(facts.points), count(facts.tokens)];
        cells.push(digits(facts.bytes_per_token));
        cells.extend(shares(facts).map(|share| percent(share).replace(" %", "%")));
        (cells, if kind == "real" { "" } else { DIM })
    });
    render(&headings, &[2, 3, 4, 5, 6, 7, 8], named(rows.collect(), &headings, 0), colour)
}

fn heading(asked: &Asked<'_>) -> String {
    let question = &asked.question;
    cut(&format!("{}: {}", question.wire_words(), question.words()), WIDTH) + "\n"
}

fn rows(asked: &Asked<'_>, ranking: &Ranking<'_>, colour: bool) -> String {
    let unit = format!("min ns/{}", asked.question.unit());
    let points = asked.question.task == "points";
    let free = asked.question.wire == Wire::Free;
    let mut headings = vec!["#", "decoder", "class", &unit, "median", "x loop", "spread"];
    headings.extend(free.then_some(if points { "B/pt" } else { "B/tok" }));
    headings.extend(points.then_some("GB/s"));
    let right: Vec<usize> = (3..headings.len()).collect();
    let rows = ranking.entries.iter().map(|entry| {
        let mut cells = vec![mark(entry), entry.row.variant.clone(), class(entry)];
        cells.extend([
            nanoseconds(entry.row.ns_min),
            nanoseconds(entry.row.ns_median),
            digits(entry.ratio.value),
            spread(entry),
        ]);
        cells.extend(free.then(|| digits(entry.row.bytes_per_token)));
        cells.extend(points.then(|| digits(entry.row.gb_per_s.unwrap_or(f64::NAN))));
        (cells, tone(entry))
    });
    let table = render(&headings, &right, named(rows.collect(), &headings, 1), colour);
    ranking.notes.iter().fold(table, |text, note| text + &cut(note, WIDTH) + "\n")
}

fn mean_rows(asked: &Asked<'_>, ranking: &Ranking<'_>, colour: bool) -> String {
    let free = asked.question.wire == Wire::Free;
    let mut headings = vec!["#", "decoder", "class", "x loop", "spread", "least", "most"];
    headings.extend(free.then_some("size"));
    let right: Vec<usize> = (3..headings.len()).collect();
    let rows = ranking.entries.iter().map(|entry| {
        let mut cells = vec![mark(entry), entry.row.variant.clone(), class(entry)];
        let (least, most) = entry.extremes().map_or((f64::NAN, f64::NAN), |[a, b]| (a.1, b.1));
        cells.extend([digits(entry.ratio.value), spread(entry), digits(least), digits(most)]);
        cells.extend(free.then(|| entry.size.map_or("–".to_owned(), |size| digits(100.0 * size) + "%")));
        (cells, tone(entry))
    });
    let table = render(&headings, &right, named(rows.collect(), &headings, 1), colour);
    ranking.notes.iter().fold(table, |text, note| text + &cut(note, WIDTH) + "\n")
}

/// A place, or a word of four letters that the column has room for.
fn mark(entry: &Entry<'_>) -> String {
    match entry.place {
        Some(place) => place.text(),
        None if entry.is_control() => "ctrl".to_owned(),
        None => "rej.".to_owned(),
    }
}

fn class(entry: &Entry<'_>) -> String {
    if entry.is_control() { "–".to_owned() } else { entry.row.class.clone() }
}

fn spread(entry: &Entry<'_>) -> String {
    format!("{}–{}", digits(entry.ratio.low), digits(entry.ratio.high))
}

fn tone(entry: &Entry<'_>) -> &'static str {
    match entry.place {
        Some(place) if place.number == 1 => GREEN,
        Some(_) => "",
        None => DIM,
    }
}

pub(super) type Row = (Vec<String>, &'static str);

/// The rows with the names in this column cut to what the other columns leave.
pub(super) fn named(mut rows: Vec<Row>, headings: &[&str], names: usize) -> Vec<Row> {
    let widest = |column: usize| {
        let cells = rows.iter().map(|(cells, _)| cells[column].chars().count());
        cells.chain([headings[column].chars().count()]).max().unwrap_or(0)
    };
    let others: usize = (0..headings.len()).filter(|&column| column != names).map(widest).sum();
    let room = WIDTH.saturating_sub(others + PADDING * headings.len());
    for (cells, _) in &mut rows {
        cells[names] = cut(&cells[names], room);
    }
    rows
}

/// The table, its rows in their tones. Only the last column may wrap, and only where nothing is aligned right.
pub(super) fn render(headings: &[&str], right: &[usize], rows: Vec<Row>, colour: bool) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─')));
    table.set_width(WIDTH as u16).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(headings.to_vec());
    for (cells, _) in &rows {
        table.add_row(cells.clone());
    }
    let last = headings.len() - 1;
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, PADDING as u16));
        if right.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if at != last || right.contains(&at) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        } else {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(10)));
        }
    }
    let mut text = String::new();
    let mut row = None;
    for (at, line) in table.lines().enumerate() {
        let line = line.trim_end();
        // A wrapped row goes on in lines whose first column is blank.
        if at >= 2 && !line.starts_with(' ') {
            row = Some(row.map_or(0, |row: usize| row + 1));
        }
        let tone = if at == 0 { BOLD } else { row.and_then(|row| rows.get(row)).map_or("", |row| row.1) };
        text += &paint(line, tone, colour);
        text.push('\n');
    }
    text
}

pub(super) fn paint(text: &str, tone: &str, colour: bool) -> String {
    if colour && !tone.is_empty() { format!("{tone}{text}{RESET}") } else { text.to_owned() }
}
