//! The questions that a reader comes with, each answered in a sentence or two that are made of the figures.

use crate::{
    measure::{Record, RunRecord},
    report::{
        findings::{Answer, CLASSES, UPSTREAM, counterpart, gain_over, names},
        question::{Kind, Wire},
        rank::{Entry, Spread, geometric_mean},
        sweeps,
        text::{code, digits, list, plural, times},
    },
};

/// What a laptop of the last ten years has.
const LAPTOP: &str = "AVX2";

/// The answers as Markdown list items; none without a measured decoder.
pub(crate) fn plain(run: &RunRecord, answers: &[Answer<'_>]) -> Vec<String> {
    let fixed: Vec<&Answer<'_>> = main_questions(answers);
    if fixed.iter().all(|answer| laptop_best(answer).is_none()) {
        return Vec::new();
    }
    let mut said = vec![
        format!("**Which decoder should cloudini use on a laptop with {LAPTOP}?** {}", which(&fixed)),
        format!("**How much faster is it, on the bytes that it has?** {}", how_much(&fixed)),
    ];
    said.extend(wider(&fixed).map(|text| format!("**What does a CPU with AVX-512 add?** {text}")));
    said.push(format!("**What would a new layout add?** {}", new_layout(answers, &fixed)));
    said.push(format!("**Where does the path for 1- and 2-byte tokens lose?** {}", fast_path(run, &fixed)));
    said
}

/// The first question of each task and mode, on cloudini's bytes.
fn main_questions<'a, 'b>(answers: &'b [Answer<'a>]) -> Vec<&'b Answer<'a>> {
    let mut tasks = Vec::new();
    answers
        .iter()
        .filter(|answer| {
            let question = &answer.asked.question;
            let task = (question.task, question.mode);
            let new = question.wire == Wire::Fixed && !tasks.contains(&task);
            tasks.push(task);
            new
        })
        .collect()
}

/// `Whole clouds (V4)` or `tokens alone`.
fn task(answer: &Answer<'_>) -> String {
    let question = &answer.asked.question;
    match (question.task, question.mode) {
        ("points", Some(mode)) => format!("whole clouds ({})", mode.to_uppercase()),
        ("points", None) => "whole clouds".to_owned(),
        ("tokens", _) => "tokens alone".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn runs_on_a_laptop(entry: &Entry<'_>) -> bool {
    let place = |class: &str| CLASSES.iter().position(|name| *name == class);
    place(&entry.row.class).is_some_and(|class| Some(class) <= place(LAPTOP))
}

fn laptop_best<'a, 'b>(answer: &'b Answer<'a>) -> Option<&'b Entry<'a>> {
    answer.overall.placed().find(|entry| runs_on_a_laptop(entry))
}

/// The variant without its path.
fn variant<'a>(entry: &'a Entry<'_>) -> &'a str {
    entry.row.variant.rsplit('/').next().unwrap_or_default()
}

fn which(fixed: &[&Answer<'_>]) -> String {
    let mut choices: Vec<(String, Vec<String>)> = Vec::new();
    for answer in fixed {
        let Some(best) = laptop_best(answer) else { continue };
        let tied: Vec<&Entry<'_>> = answer
            .overall
            .placed()
            .filter(|entry| runs_on_a_laptop(entry) && entry.ratio.ties(best.ratio))
            .filter(|entry| entry.row.variant != best.row.variant)
            .collect();
        let mut named = code(variant(best));
        if let Some(path) = &best.row.path {
            named += &format!(" in the path {}", code(path));
        }
        if !tied.is_empty() {
            named += &format!(" (not told apart from {})", names(&tied, 3));
        }
        match choices.iter_mut().find(|(choice, _)| *choice == named) {
            Some((_, tasks)) => tasks.push(task(answer)),
            None => choices.push((named, vec![task(answer)])),
        }
    }
    let choices: Vec<String> =
        choices.into_iter().map(|(choice, tasks)| format!("{choice} for {}", list(&tasks))).collect();
    format!("{}: the fastest of those that need no more and keep the bytes.", choices.join("; "))
}

/// The ratio to what users run today where the task has it, else to the loop; with its spread.
fn gain<'a>(answer: &Answer<'a>, entry: &Entry<'_>) -> (Spread, &'a str) {
    let rows: Vec<&Record> = answer
        .asked
        .rows
        .iter()
        .copied()
        .filter(|row| {
            row.variant == entry.row.variant && answer.overall.captures.contains(&row.capture.as_str())
        })
        .collect();
    let mean =
        |of: fn(&Record) -> Option<f64>| geometric_mean(rows.iter().map(|row| of(row).unwrap_or(f64::NAN)));
    let value = mean(|row| row.vs_upstream);
    match value {
        Some(value) => {
            let low = mean(|row| row.vs_upstream_low).unwrap_or(value).min(value);
            let high = mean(|row| row.vs_upstream_high).unwrap_or(value).max(value);
            (Spread { low, value, high }, UPSTREAM)
        }
        None => (entry.ratio, answer.asked.baseline),
    }
}

fn with_spread(Spread { low, value, high }: Spread) -> String {
    format!("**{}** ({} to {})", times(value), digits(low), digits(high))
}

fn how_much(fixed: &[&Answer<'_>]) -> String {
    let mut said = Vec::new();
    let mut against = "";
    for answer in fixed {
        let Some(best) = laptop_best(answer) else { continue };
        let (ratio, yardstick) = gain(answer, best);
        let mut text = format!("{}: {} the speed of ", task(answer), with_spread(ratio));
        text += &match yardstick {
            same if same == against => "that".to_owned(),
            UPSTREAM => format!("{}, which is what users run today", code(UPSTREAM)),
            other => format!("the plain {}", code(other)),
        };
        against = yardstick;
        if let Some([(hardest, _), (easiest, _)]) = best.extremes().filter(|_| best.each.len() > 1) {
            text += &format!(", least on {}, most on {}", code(hardest), code(easiest));
        }
        said.push(text);
    }
    let captures = fixed.iter().map(|answer| answer.overall.captures.len()).max().unwrap_or(0);
    format!(
        "{} (geometric mean over {}; in brackets the fifths of the rounds).",
        capital(&said.join("; ")),
        plural(captures, "capture")
    )
}

/// What the best of all adds to the best that a laptop runs; `None` where they are the same.
fn wider(fixed: &[&Answer<'_>]) -> Option<String> {
    let said: Vec<String> = fixed
        .iter()
        .filter_map(|answer| {
            let (best, laptop) = (answer.overall.placed().next()?, laptop_best(answer)?);
            if runs_on_a_laptop(best) {
                return None;
            }
            let tie =
                if best.ratio.ties(laptop.ratio) { ", which their spreads do not tell apart" } else { "" };
            Some(format!(
                "{}: {} is {} as fast as {}{tie}",
                task(answer),
                code(&best.row.variant),
                times(best.ratio.value / laptop.ratio.value),
                code(&laptop.row.variant)
            ))
        })
        .collect();
    (!said.is_empty()).then(|| capital(&format!("{}.", said.join("; "))))
}

/// Time and bytes of the fastest other layout, and of the smallest that is faster.
fn new_layout(answers: &[Answer<'_>], fixed: &[&Answer<'_>]) -> String {
    let said: Vec<String> = fixed
        .iter()
        .map(|answer| {
            layout_gain(answers, answer)
                .unwrap_or_else(|| format!("{}: no other layout was measured", task(answer)))
        })
        .collect();
    format!("{}.", capital(&said.join("; ")))
}

fn layout_gain(answers: &[Answer<'_>], fixed: &Answer<'_>) -> Option<String> {
    let free = counterpart(answers, &fixed.asked.question, Wire::Free)?;
    let keeper = laptop_best(fixed)?;
    let fastest = laptop_best(free)?;
    let told = |entry: &Entry<'_>| {
        let (gain, _) = gain_over(entry, keeper)?;
        let size = entry.size.map_or("unknown".to_owned(), |size| format!("{} %", digits(100.0 * size)));
        Some(format!("{} is {} as fast at {size} of the bytes", code(&entry.row.variant), times(gain)))
    };
    let clearly =
        |entry: &Entry<'_>| entry.ratio.value > keeper.ratio.value && !entry.ratio.ties(keeper.ratio);
    if !clearly(fastest) {
        return Some(format!(
            "{}: no other layout is clearly faster than {}",
            task(fixed),
            code(&keeper.row.variant)
        ));
    }
    let mut text = format!(
        "{}, against {} and up to {LAPTOP}: {}",
        task(fixed),
        code(&keeper.row.variant),
        told(fastest)?
    );
    let smallest = |fits: &dyn Fn(&Entry<'_>) -> bool| {
        let size = |entry: &&Entry<'_>| entry.size.unwrap_or(f64::INFINITY);
        let fitting = free.overall.placed().filter(|entry| runs_on_a_laptop(entry) && fits(entry));
        // Of equal sizes the first, which is the fastest.
        fitting.min_by(|one, other| size(one).total_cmp(&size(other)))
    };
    let mut named = vec![fastest.row.variant.as_str()];
    for (words, entry) in
        [("the smallest that is faster", smallest(&clearly)), ("the smallest of all", smallest(&|_| true))]
    {
        if let Some(entry) = entry.filter(|entry| !named.contains(&entry.row.variant.as_str())) {
            named.push(&entry.row.variant);
            text += &format!("; {words}: {}", told(entry)?);
        }
    }
    Some(text)
}

/// Upstream's path against the loop on each capture, and on made-up streams.
fn fast_path(run: &RunRecord, fixed: &[&Answer<'_>]) -> String {
    let mut said: Vec<String> = fixed.iter().filter_map(|answer| against_the_loop(answer)).collect();
    if said.is_empty() {
        said.push("It was not measured.".to_owned());
    }
    said.extend(sweeps::fast_path(run));
    said.join(" ")
}

fn against_the_loop(answer: &Answer<'_>) -> Option<String> {
    let name = if answer.asked.question.task == "points" {
        UPSTREAM
    } else {
        UPSTREAM.rsplit('/').next().unwrap_or(UPSTREAM)
    };
    let rows: Vec<(&str, Spread)> = answer
        .asked
        .rows
        .iter()
        .filter(|row| row.variant == name && Kind::of(row) == Kind::Real)
        .filter_map(|row| Some((row.capture.as_str(), Spread::of(row)?)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let of = |fits: fn(&Spread) -> bool| {
        let mut fitting: Vec<&(&str, Spread)> = rows.iter().filter(|(_, spread)| fits(spread)).collect();
        fitting.sort_by(|one, other| one.1.value.total_cmp(&other.1.value));
        let texts: Vec<String> = fitting
            .iter()
            .map(|(capture, spread)| format!("{} ({})", code(capture), times(spread.value)))
            .collect();
        (!texts.is_empty()).then(|| list(&texts))
    };
    let slower = of(|spread| spread.high < 1.0);
    let faster = of(|spread| spread.low > 1.0);
    let same = of(|spread| spread.low <= 1.0 && 1.0 <= spread.high);
    let mut parts = vec![match slower {
        Some(captures) => format!("slower than the loop on {captures}"),
        None => "slower than the loop on no capture".to_owned(),
    }];
    parts.extend(same.map(|captures| format!("not told from it on {captures}")));
    parts.extend(faster.map(|captures| format!("faster on {captures}")));
    Some(format!("{}, {}: {}.", capital(&task(answer)), code(name), parts.join("; ")))
}
