//! What a record says, in sentences that are made of its figures.

use crate::report::{
    question::{Asked, Kind, Question, Wire},
    rank::{Entry, Ranking, Spread, geometric_mean, on_capture, overall},
    text::{code, digits, list, plural, times},
};

/// Classes from what any CPU has to what few have.
pub(crate) const CLASSES: [&str; 5] = ["scalar", "BMI2", "SSE4.1", "AVX2", "AVX-512"];

/// What `vs_upstream` is against.
pub(crate) const UPSTREAM: &str = "per-field/leb128_fast2";

/// A question with its answer over all captures.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) asked: Asked<'a>,
    pub(crate) overall: Ranking<'a>,
}

impl<'a> Answer<'a> {
    pub(crate) fn to(asked: Asked<'a>) -> Self {
        let overall = overall(&asked);
        Self { asked, overall }
    }
}

/// The answer to the same question on the other wire.
pub(crate) fn counterpart<'a, 'b>(
    answers: &'b [Answer<'a>],
    question: &Question<'a>,
    wire: Wire,
) -> Option<&'b Answer<'a>> {
    let other = question.on_wire(wire);
    answers.iter().find(|answer| answer.asked.question == other)
}

/// Who leads and by how much, for a title.
pub(crate) fn leader(ranking: &Ranking<'_>) -> String {
    match ranking.first()[..] {
        [] => "no decoder was measured on all captures".to_owned(),
        [best] => format!("{} leads with {}", best.row.variant, times(best.ratio.value)),
        [best, _] => format!("two tie for first, {} with {}", best.row.variant, times(best.ratio.value)),
        [best, ..] => format!("several tie for first, {} with {}", best.row.variant, times(best.ratio.value)),
    }
}

/// The best ranked decoder of each class that is there, plainest class first.
pub(crate) fn best_of_classes<'a, 'b>(ranking: &'b Ranking<'a>) -> Vec<&'b Entry<'a>> {
    let best = |class: &str| ranking.placed().find(|entry| entry.row.class == class);
    CLASSES.into_iter().filter_map(best).collect()
}

/// The names as a list in prose, of which only the first `most` are spelt out.
pub(crate) fn names(entries: &[&Entry<'_>], most: usize) -> String {
    // "and 1 other" is no shorter than the name.
    let shown = if entries.len() == most + 1 { entries.len() } else { entries.len().min(most) };
    let mut names: Vec<String> = entries[..shown].iter().map(|entry| code(&entry.row.variant)).collect();
    if shown < entries.len() {
        names.push(format!("{} others", entries.len() - shown));
    }
    list(&names)
}

/// The findings on one question as Markdown list items, the answer first.
pub(crate) fn sentences(answers: &[Answer<'_>], answer: &Answer<'_>) -> Vec<String> {
    let Answer { asked, overall } = answer;
    let first = overall.first();
    let Some(&best) = first.first() else {
        return vec![
            "No decoder has figures on a common set of real captures, so there is no answer.".into(),
        ];
    };
    let mut said = vec![lead(answer)];
    said.extend(range(best));
    said.extend(next(overall, first.len()));
    said.extend(where_it_wins(asked, best));
    said.extend(by_minima(overall, best));
    said.extend(against_upstream(answer, best));
    match asked.question.wire {
        Wire::Fixed => said.extend(by_class(overall)),
        Wire::Free => {
            said.push(size(best));
            said.extend(
                counterpart(answers, &asked.question, Wire::Fixed)
                    .and_then(|fixed| against_same_bytes(best, fixed)),
            );
        }
    }
    said.extend(slower_than_the_loop(overall));
    said
}

/// One sentence: who is fastest, by how much, on how many captures. Empty if no one is.
fn lead(answer: &Answer<'_>) -> String {
    let Answer { asked, overall } = answer;
    let first = overall.first();
    let Some(best) = first.first() else { return String::new() };
    let over = match overall.captures[..] {
        [only] => format!("on the only capture, {}", code(only)),
        _ => format!("by geometric mean over {}", plural(overall.captures.len(), "capture")),
    };
    let who = match first[..] {
        [_] => format!("{} is fastest:", code(&best.row.variant)),
        _ => format!(
            "{} cannot be told apart and share the first place, {} in front with",
            names(&first, 3),
            code(&best.row.variant)
        ),
    };
    let Spread { low, value, high } = best.ratio;
    format!(
        "{who} **{}** the speed of {}, {over} (fifths of the rounds: {} to {}).",
        times(value),
        code(asked.baseline),
        digits(low),
        digits(high)
    )
}

fn range(best: &Entry<'_>) -> Option<String> {
    let [(hardest, least), (easiest, most)] = best.extremes().filter(|_| best.each.len() > 1)?;
    Some(format!(
        "Its ratio is lowest on {} ({}) and highest on {} ({}).",
        code(hardest),
        times(least),
        code(easiest),
        times(most)
    ))
}

fn next(overall: &Ranking<'_>, tied: usize) -> Option<String> {
    let placed: Vec<&Entry<'_>> = overall.placed().collect();
    let (best, next) = (placed.first()?, placed.get(tied)?);
    Some(format!(
        "The next, {}, has {}: the lead is {}.",
        code(&next.row.variant),
        times(next.ratio.value),
        times(best.ratio.value / next.ratio.value)
    ))
}

fn where_it_wins(asked: &Asked<'_>, best: &Entry<'_>) -> Option<String> {
    let captures = asked.captures(Kind::Real);
    if captures.len() < 2 {
        return None;
    }
    let rankings: Vec<Ranking<'_>> = captures.iter().map(|capture| on_capture(asked, capture)).collect();
    let lost: Vec<String> = rankings
        .iter()
        .filter(|ranking| ranking.first().iter().all(|entry| entry.row.variant != best.row.variant))
        .map(|ranking| format!("{} on {}", names(&ranking.first(), 2), code(ranking.captures[0])))
        .collect();
    let won = captures.len() - lost.len();
    let others = if lost.is_empty() { String::new() } else { format!("; elsewhere: {}", lost.join(", ")) };
    Some(format!(
        "{} is first, alone or tied, on {won} of {}{others}.",
        code(&best.row.variant),
        plural(captures.len(), "real capture")
    ))
}

fn by_minima(overall: &Ranking<'_>, best: &Entry<'_>) -> Option<String> {
    let by_minimum = |entry: &&Entry<'_>| entry.by_minimum.unwrap_or(0.0);
    let other = overall.placed().max_by(|a, b| by_minimum(a).total_cmp(&by_minimum(b)))?;
    let same = by_minimum(&other) <= by_minimum(&best);
    (!same).then(|| {
        format!(
            "Minima disagree: by them {} is in front with {}.",
            code(&other.row.variant),
            times(by_minimum(&other))
        )
    })
}

/// The ratio to what users run today, which only the points task has.
pub(crate) fn upstream(answer: &Answer<'_>, entry: &Entry<'_>) -> Option<f64> {
    let rows = answer.asked.rows.iter().filter(|row| {
        row.variant == entry.row.variant && answer.overall.captures.contains(&row.capture.as_str())
    });
    geometric_mean(rows.map(|row| row.vs_upstream.unwrap_or(f64::NAN)))
}

fn against_upstream(answer: &Answer<'_>, best: &Entry<'_>) -> Option<String> {
    let ratio = upstream(answer, best)?;
    Some(format!(
        "Against {}, which is what users run today, {} is {} as fast.",
        code(UPSTREAM),
        code(&best.row.variant),
        times(ratio)
    ))
}

fn by_class(overall: &Ranking<'_>) -> Option<String> {
    let best = best_of_classes(overall);
    if best.len() < 2 {
        return None;
    }
    let classes: Vec<String> = best
        .iter()
        .map(|entry| {
            format!("{}: {} {}", entry.row.class, code(&entry.row.variant), times(entry.ratio.value))
        })
        .collect();
    Some(format!("Best by what the CPU has to offer: {}.", classes.join("; ")))
}

fn size(best: &Entry<'_>) -> String {
    match best.size {
        Some(size) => format!("Its bytes are {} % of LEB128's.", digits(100.0 * size)),
        None => "Its bytes cannot be held against LEB128's, which was not measured.".to_owned(),
    }
}

/// How many times as fast as `other` it is, by geometric mean over the captures that both have, and how many those are.
pub(crate) fn gain_over(entry: &Entry<'_>, other: &Entry<'_>) -> Option<(f64, usize)> {
    let pairs: Vec<f64> = entry
        .each
        .iter()
        .filter_map(|(capture, ratio)| {
            let (_, theirs) = other.each.iter().find(|(name, _)| name == capture)?;
            Some(ratio / theirs)
        })
        .collect();
    Some((geometric_mean(pairs.iter().copied())?, pairs.len()))
}

/// What changing the bytes buys beyond the best decoder that keeps them, over the captures that both have.
fn against_same_bytes(best: &Entry<'_>, fixed: &Answer<'_>) -> Option<String> {
    let keeper = *fixed.overall.first().first()?;
    let (gain, captures) = gain_over(best, keeper)?;
    Some(format!(
        "It is {} as fast as {}, the fastest that keeps the bytes (geometric mean over {}).",
        times(gain),
        code(&keeper.row.variant),
        plural(captures, "common capture")
    ))
}

fn slower_than_the_loop(overall: &Ranking<'_>) -> Option<String> {
    let slower: Vec<&Entry<'_>> = overall.placed().filter(|entry| entry.ratio.high < 1.0).collect();
    (!slower.is_empty()).then(|| format!("Slower than the loop, spread included: {}.", names(&slower, 6)))
}
