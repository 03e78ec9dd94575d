//! A survey as text.

use super::{
    suggest::{Choice, Suggestion},
    terminal::{WIDTH, named, render},
    text::{count, cut, digits, nanoseconds, percent},
};
use crate::measure::{
    sizes::SizeRow,
    survey::{FieldSurvey, Survey},
};

/// A topic's survey, in lines of at most 100 columns; `suggestion` is what the records say of it. `colour` is for
/// terminals that take ANSI escapes.
#[must_use]
pub fn survey_text(survey: &Survey, suggestion: Option<&Suggestion>, colour: bool) -> String {
    let mut text = cut(&survey.name, WIDTH) + "\n";
    let (width, height) = survey.size;
    let mut line = format!(
        "{}, {} points of {} bytes, the first {width} x {height}",
        if survey.messages == 1 {
            "1 message".to_owned()
        } else {
            format!("{} messages", count(survey.messages))
        },
        count(survey.points),
        survey.point_step
    );
    if let Some(seconds) = survey.seconds.filter(|&seconds| seconds > 0.0) {
        line += &format!(", in {} s", digits(seconds));
    }
    for line in [line, format!("sensor: {}", survey.sensor), format!("from: {}", survey.source)] {
        text += &format!("  {}\n", cut(&line, WIDTH - 2));
    }
    text += &format!("\n{}", fields(&survey.fields, colour));
    text += &format!("\n{}", lengths(survey, colour));
    text += &format!("\n{}", layouts(survey, colour));
    text += "\n";
    match suggestion {
        None if survey.stream.facts.tokens == 0 => text += "no tokens, so no decoder to suggest\n",
        None => {
            text += "suggestion: no stored record; `varint-lab report` makes one, --measure measures this\n";
        }
        Some(suggestion) => suggested(&mut text, suggestion),
    }
    text
}

fn fields(fields: &[FieldSurvey], colour: bool) -> String {
    let headings = ["field", "type", "grid", "NaN", "1 byte", "2", "3", "4", "5+", "B/token"];
    let rows = fields.iter().map(|field| {
        let grid = field.resolution.map_or("–".to_owned(), |step| format!("{step}"));
        let mut cells =
            vec![field.name.clone(), field.kind.to_owned(), cut(&grid, 10), compact(field.nan_share)];
        if field.tokens == 0 {
            cells.extend(["none", "", "", "", "", ""].map(str::to_owned));
            return (cells, "");
        }
        let tokens = field.tokens as f64;
        cells.extend(field.lengths[..4].iter().map(|&count| compact(count as f64 / tokens)));
        cells.push(compact(field.lengths[4..].iter().sum::<u64>() as f64 / tokens));
        let bytes: u64 = field.lengths.iter().zip(1..).map(|(count, bytes)| count * bytes).sum();
        cells.push(digits(bytes as f64 / tokens));
        (cells, "")
    });
    render(&headings, &[2, 3, 4, 5, 6, 7, 8, 9], named(rows.collect(), &headings, 0), colour)
}

fn compact(share: f64) -> String {
    percent(share).replace(" %", "%")
}

/// How predictable lengths are.
fn lengths(survey: &Survey, colour: bool) -> String {
    let bits = |bits: Option<f64>| bits.map_or("too few".to_owned(), |bits| format!("{bits:.3}"));
    let known = |order| if order == 0 { "nothing".to_owned() } else { format!("{order} before") };
    let mut headings = vec!["known".to_owned()];
    let mut cells = vec!["bits".to_owned()];
    for found in &survey.predictability {
        headings.push(known(found.order));
        cells.push(bits(found.bits));
    }
    headings.push("its field".to_owned());
    cells.push(bits(Some(survey.bits_by_field)));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let right: Vec<usize> = (1..headings.len()).collect();
    format!(
        "what the length of a token is worth (0 bits: always the same, 1: a coin's toss) to who knows\n{}",
        render(&headings, &right, vec![(cells, "")], colour)
    )
}

fn layouts(survey: &Survey, colour: bool) -> String {
    let headings = ["layout", "rows B/point", "columns B/point"];
    let rows = survey
        .layouts
        .iter()
        .map(|size| (vec![size.layout.to_owned(), digits(size.rows), digits(size.columns)], ""));
    let table = render(&headings, &[1, 2], named(rows.collect(), &headings, 0), colour);
    let [v4, v5] = survey.cloudini;
    format!(
        "{table}tokens alone, as {}; whole clouds without stage 2: cloudini V4 {}, V5 {} B/point\n",
        survey.word,
        digits(v4),
        digits(v5)
    )
}

fn suggested(text: &mut String, suggestion: &Suggestion) {
    let Suggestion { record, cpu, date, capture, distance, .. } = suggestion;
    let mut line = |line: String| *text += &(cut(&line, WIDTH) + "\n");
    line(format!(
        "suggestion by {capture}, whose lengths are nearest: {} of tokens differ",
        percent(*distance)
    ));
    let day: String = date.chars().take(10).collect();
    let quick = if suggestion.quick { ", a quick run" } else { "" };
    let same = if suggestion.same_cpu { "this CPU" } else { cpu };
    line(format!("  record {record} of {day}{quick}, on {same}"));
    if !suggestion.same_cpu {
        line("  another CPU than this one: --measure checks it here".to_owned());
    }
    for (wire, choice) in [("same bytes", &suggestion.same_bytes), ("other layout", &suggestion.other_layout)]
    {
        let Some(choice) = choice else {
            line(format!("  {wire}: nothing of it runs here"));
            continue;
        };
        let Choice { variant, ties, ns_median, vs_loop: [ratio, low, high], bytes_per_token } = choice;
        line(format!(
            "  {wire}: {variant}, {} ns/token, {} x loop ({}–{}), {} B/token",
            nanoseconds(*ns_median),
            digits(*ratio),
            digits(*low),
            digits(*high),
            digits(*bytes_per_token)
        ));
        if !ties.is_empty() {
            line(format!("    not told apart from {}", ties.join(", ")));
        }
    }
}

/// A capture's sizes by layout, in lines of at most 100 columns; nothing if there are none.
#[must_use]
pub fn sizes_table(sizes: &[SizeRow], colour: bool) -> String {
    if sizes.is_empty() {
        return String::new();
    }
    let headings = ["layout", "arrangement", "B/token", "B/point", "LZ4", "ZSTD 1", "encoder MB/s"];
    let rows = sizes.iter().map(|row| {
        let mut cells = vec![row.layout.clone(), row.arrangement.clone()];
        cells.push(row.bytes_per_token.map_or("–".to_owned(), digits));
        cells.extend([row.bytes_per_point, row.lz4, row.zstd, row.encode_mb_per_s].map(digits));
        (cells, "")
    });
    let table = render(&headings, &[2, 3, 4, 5, 6], named(rows.collect(), &headings, 0), colour);
    format!("{table}whole chunks as stored, all fields; encoders are scalar and not optimised\n")
}
