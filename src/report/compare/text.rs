//! The comparison as text for a terminal of 100 columns.

use super::{Compared, Comparison, Gone, Named, Pair, Place, compare, order::APART, words};
use crate::{
    measure::RunRecord,
    report::{
        rank::Spread,
        terminal::{BOLD, WIDTH, named, paint, render},
        text::{cut, digits, plural, times},
    },
};

/// Changes of one question that are spelt out; the rest is counted.
const MOST: usize = 15;

/// Flipped pairs of one question that are spelt out.
const MOST_FLIPS: usize = 8;

/// Two records, each with its name, side by side: ratios to the loop, question by question, biggest changes first. Lines
/// have at most 100 columns. `colour` is for terminals that take ANSI escapes.
#[must_use]
pub fn comparison_text(old: &Named, new: &Named, colour: bool) -> String {
    let mut text = String::new();
    for (letter, (name, run)) in [("old", old), ("new", new)] {
        line(&mut text, &format!("{letter}  {name}"));
        line(&mut text, &format!("     {}", origin(run)));
    }
    if old.1.machine.cpu != new.1.machine.cpu {
        line(&mut text, "another machine: ratios may differ for it alone; times are never compared");
    }
    for (what, one, other) in differences(&old.1, &new.1) {
        line(&mut text, &format!("another {what}: {one} -> {other}"));
    }
    text.push('\n');
    let comparison = compare(&old.1, &new.1);
    summary(&mut text, &comparison);
    for question in &comparison.questions {
        changes(&mut text, question, colour);
    }
    agreement(&mut text, &comparison, colour);
    text.trim_end().to_owned()
}

fn line(text: &mut String, said: &str) {
    *text += &(cut(said, WIDTH) + "\n");
}

/// A list in lines of at most 100 columns, broken between its items.
fn listed(text: &mut String, what: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let mut rest = format!("{what}:");
    for (at, item) in items.iter().enumerate() {
        let item = format!(" {item}{}", if at + 1 < items.len() { "," } else { "" });
        if rest.chars().count() + item.chars().count() > WIDTH && !rest.trim().is_empty() {
            line(text, &rest);
            rest = "   ".to_owned();
        }
        rest += &item;
    }
    line(text, &rest);
}

fn origin(run: &RunRecord) -> String {
    let machine = &run.machine;
    let day: String = machine.date.chars().take(10).collect();
    let rounds = run.records.iter().map(|row| row.rounds).max().unwrap_or(0);
    let quick = if run.quick { ", quick" } else { "" };
    format!("{} · {day} · revision {} · {rounds} rounds{quick}", machine.cpu, machine.revision)
}

/// What else of where they were made is not the same.
fn differences(old: &RunRecord, new: &RunRecord) -> Vec<(&'static str, String, String)> {
    let features = |run: &RunRecord, other: &RunRecord| {
        let only: Vec<&str> = run
            .machine
            .features
            .iter()
            .filter(|feature| !other.machine.features.contains(feature))
            .map(String::as_str)
            .collect();
        if only.is_empty() { "nothing more".to_owned() } else { only.join(" ") }
    };
    let (a, b) = (&old.machine, &new.machine);
    let mut found =
        vec![("compiler", a.rustc.clone(), b.rustc.clone()), ("target", a.target.clone(), b.target.clone())];
    found.retain(|(_, one, other)| one != other);
    if a.features != b.features {
        found.push(("set of features, only here", features(old, new), features(new, old)));
    }
    found
}

fn summary(text: &mut String, comparison: &Comparison<'_>) {
    let pairs = || comparison.questions.iter().flat_map(|question| &question.pairs);
    let (changed, all) = (pairs().filter(|pair| pair.is_beyond_the_spread()).count(), pairs().count());
    if all == 0 {
        line(text, "nothing that both records measured");
    } else if changed == 0 {
        line(text, &format!("nothing changed beyond the spread: {all} ratios to the loop compared"));
    } else {
        let company = pairs().filter(|pair| pair.is_beyond_the_spread() && pair.had_company).count();
        let company = match company {
            0 => String::new(),
            some => format!("; {some} of them had company (~)"),
        };
        line(
            text,
            &format!(
                "{changed} of {all} ratios to the loop changed beyond the spread, {} did not{company}",
                all - changed
            ),
        );
    }
    for (what, gone) in [("vanished", &comparison.vanished), ("appeared", &comparison.appeared)] {
        if gone.is_empty() {
            continue;
        }
        let Gone { questions, captures, variants, cells } = gone;
        listed(text, &format!("{what} variants"), variants);
        listed(text, &format!("{what} captures"), captures);
        listed(text, &format!("{what} questions"), questions);
        if *cells > 0 {
            line(
                text,
                &format!("{what}: {cells} rows more, of variants, captures and questions that both have"),
            );
        }
    }
}

fn changes(text: &mut String, question: &Compared<'_>, colour: bool) {
    let mut changed: Vec<&Pair<'_>> =
        question.pairs.iter().filter(|pair| pair.is_beyond_the_spread()).collect();
    if changed.is_empty() {
        return;
    }
    let size = |pair: &Pair<'_>| pair.change().ln().abs();
    changed.sort_by(|one, other| size(other).total_cmp(&size(one)));
    *text += &format!("\n{}\n", paint(&cut(&words(&question.asked.question), WIDTH), BOLD, colour));
    let headings = ["decoder", "capture", "old x", "spread", "new x", "spread", "change"];
    let rows = changed.iter().take(MOST).map(|pair| {
        let place = match pair.place {
            Place::Capture(capture) => cut(capture, 22),
            Place::MeanOf(captures) => format!("(mean of {captures})"),
        };
        let spread = |spread: Spread| format!("{}–{}", digits(spread.low), digits(spread.high));
        let cells = vec![
            pair.variant.to_owned(),
            place,
            digits(pair.old.value),
            spread(pair.old),
            digits(pair.new.value),
            spread(pair.new),
            percent_change(pair.change()) + if pair.had_company { " ~" } else { "" },
        ];
        (cells, "")
    });
    *text += &render(&headings, &[2, 3, 4, 5, 6], named(rows.collect(), &headings, 0), colour);
    let rest = changed.len().saturating_sub(MOST);
    let same = question.pairs.len() - changed.len();
    let more = if rest > 0 { format!("{rest} smaller changes more; ") } else { String::new() };
    line(text, &format!("{more}{same} unchanged"));
}

/// `+12.3 %`, or a factor where that says more.
fn percent_change(change: f64) -> String {
    if (0.1..10.0).contains(&change) { format!("{:+.1} %", 100.0 * (change - 1.0)) } else { times(change) }
}

fn agreement(text: &mut String, comparison: &Comparison<'_>, colour: bool) {
    let pairs: usize = comparison.questions.iter().map(|question| question.order.pairs).sum();
    if pairs == 0 {
        return;
    }
    let flips: usize = comparison.questions.iter().map(|question| question.order.flips.len()).sum();
    let percent = 100.0 * APART;
    let heading = format!("\n{}\n", paint("Order", BOLD, colour));
    *text += &heading;
    line(
        text,
        &format!(
            "of {} more than {percent} % apart in both records, {} the order",
            plural(pairs, "pair"),
            if flips == 0 {
                "all keep".to_owned()
            } else {
                format!("{} keep and {flips} flipped", pairs - flips)
            }
        ),
    );
    let flips = || comparison.questions.iter().flat_map(|question| &question.order.flips);
    let company = flips().filter(|flip| flip.had_company).count();
    if company > 0 {
        line(
            text,
            &format!(
                "{company} of them rest on figures most of whose rounds had to share the core (marked ~)"
            ),
        );
    }
    for question in comparison.questions.iter().filter(|question| !question.order.flips.is_empty()) {
        line(text, &format!("{}:", words(&question.asked.question)));
        let flips = &question.order.flips;
        for flip in flips.iter().take(MOST_FLIPS) {
            // Two lines, so that long names fit.
            let mark = if flip.had_company { '~' } else { ' ' };
            line(text, &format!("{mark} {} was {} as fast as", flip.ahead_before, times(flip.before)));
            line(text, &format!("    {}, which now is {} as fast", flip.ahead_now, times(flip.now)));
        }
        if flips.len() > MOST_FLIPS {
            line(text, &format!("  and {}", plural(flips.len() - MOST_FLIPS, "more pair")));
        }
    }
}
