//! Figures and names as text.

/// A ratio, with three digits that mean something: `0.87×`, `9.82×`, `16.9×`, `120×`.
pub(crate) fn times(ratio: f64) -> String {
    format!("{}×", digits(ratio))
}

/// Three digits or so, without an exponent.
pub(crate) fn digits(figure: f64) -> String {
    if !figure.is_finite() {
        "–".to_owned()
    } else if figure.abs() < 9.995 {
        format!("{figure:.2}")
    } else if figure.abs() < 99.95 {
        format!("{figure:.1}")
    } else {
        format!("{figure:.0}")
    }
}

/// Nanoseconds: the fastest kernels take a tenth of one per token, so one digit more than a ratio has.
pub(crate) fn nanoseconds(ns: f64) -> String {
    if !ns.is_finite() {
        "–".to_owned()
    } else if ns.abs() < 9.9995 {
        format!("{ns:.3}")
    } else {
        digits(ns)
    }
}

/// A share as `77.6 %`.
pub(crate) fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", 100.0 * share) } else { "–".to_owned() }
}

/// A count with thin gaps: `1 234 567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Bytes in powers of 1024: `48 KB`, `2 MB`, `1.5 MB`.
pub(crate) fn bytes(number: u64) -> String {
    let (unit, name) = match number {
        0..1_048_576 => (1024.0, "KB"),
        1_048_576..1_073_741_824 => (1_048_576.0, "MB"),
        _ => (1_073_741_824.0, "GB"),
    };
    let tenths = (number as f64 / unit * 10.0).round() / 10.0;
    format!("{tenths} {name}")
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// `1 capture`, `2 captures`.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The text, cut in its middle to `most` letters: names differ at their ends.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let letters: Vec<char> =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if letters.len() <= most {
        return letters.into_iter().collect();
    }
    let kept = most.saturating_sub(1);
    let (front, back) = (&letters[..kept / 2], &letters[letters.len() - (kept - kept / 2)..]);
    front.iter().chain(&['…']).chain(back).collect()
}

/// Free text in Markdown, in one line, with nothing in it that ends a table's cell or begins a tag.
pub(crate) fn markdown(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '|' | '*' | '[' | ']' | '\\' | '`' => safe.extend(['\\', letter]),
            '<' => safe.push_str("&lt;"),
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

/// A name in Markdown code.
pub(crate) fn code(name: &str) -> String {
    format!("`{}`", name.replace(['`', '|', '\n', '\r'], " "))
}

/// A Markdown table; columns whose heading begins with `>` are aligned right, without the `>`.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(headings.iter().map(|heading| heading.trim_start_matches('>')).collect());
    text +=
        &line(headings.iter().map(|heading| if heading.starts_with('>') { "---:" } else { "---" }).collect());
    for row in rows {
        text += &line(row.iter().map(String::as_str).collect());
    }
    text
}
