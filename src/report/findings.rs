//! What a record says, in sentences that are made of its figures.

use crate::report::{
    question::{Asked, Kind, Question, Wire},
    rank::{Entry, Ranking, geometric_mean, on_capture, overall, usable},
    text::{code, digits, list, plural, times},
};

/// Classes from what any CPU has to what few have.
const CLASSES: [&str; 5] = ["scalar", "BMI2", "SSE4.1", "AVX2", "AVX-512"];

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

fn names<'a>(entries: impl IntoIterator<Item = &'a Entry<'a>>) -> String {
    list(&entries.into_iter().map(|entry| code(&entry.row.variant)).collect::<Vec<_>>())
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
    let mut said = vec![lead(overall, &first)];
    said.extend(range(best));
    said.extend(next(overall, first.len()));
    said.extend(where_it_wins(asked, best));
    said.extend(by_medians(overall, best));
    said.extend(against_upstream(asked, overall, best));
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

/// One sentence: who is fastest, by how much, on how many captures.
pub(crate) fn lead(overall: &Ranking<'_>, first: &[&Entry<'_>]) -> String {
    let over = match overall.captures[..] {
        [only] => format!("on the only capture, {}", code(only)),
        _ => format!("by geometric mean over {}", plural(overall.captures.len(), "capture")),
    };
    let spread = |entry: &Entry<'_>| {
        format!(
            "**{}** (fifths of the rounds: {} to {})",
            times(entry.ratio.value),
            digits(entry.ratio.low),
            digits(entry.ratio.high)
        )
    };
    match first {
        [] => String::new(),
        [best] => format!(
            "{} is fastest: {} the speed of `leb128_loop`, {over}.",
            code(&best.row.variant),
            spread(best)
        ),
        [best, ..] => format!(
            "{} cannot be told apart and share the first place, {} in front with {} the speed of \
             `leb128_loop`, {over}.",
            names(first.iter().copied()),
            code(&best.row.variant),
            spread(best)
        ),
    }
}

fn range(best: &Entry<'_>) -> Option<String> {
    let ((hardest, least), (easiest, most)) = best.extremes().filter(|_| best.each.len() > 1)?;
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
        .map(|ranking| format!("{} on {}", names(ranking.first()), code(ranking.captures[0])))
        .collect();
    let won = captures.len() - lost.len();
    let others = if lost.is_empty() { String::new() } else { format!("; elsewhere: {}", lost.join(", ")) };
    Some(format!(
        "{} is first, alone or tied, on {won} of {}{others}.",
        code(&best.row.variant),
        plural(captures.len(), "real capture")
    ))
}

fn by_medians(overall: &Ranking<'_>, best: &Entry<'_>) -> Option<String> {
    let by_median = |entry: &&Entry<'_>| entry.by_median.unwrap_or(0.0);
    let other = overall.placed().max_by(|a, b| by_median(a).total_cmp(&by_median(b)))?;
    let same = by_median(&other) <= by_median(&best);
    (!same).then(|| {
        format!(
            "Medians disagree: by them {} is in front with {}.",
            code(&other.row.variant),
            times(by_median(&other))
        )
    })
}

fn against_upstream(asked: &Asked<'_>, overall: &Ranking<'_>, best: &Entry<'_>) -> Option<String> {
    let rows = asked
        .rows
        .iter()
        .filter(|row| row.variant == best.row.variant && overall.captures.contains(&row.capture.as_str()));
    let ratio = geometric_mean(rows.map(|row| row.vs_upstream.unwrap_or(f64::NAN)))?;
    Some(format!(
        "Against `per-field/leb128_fast2`, which is what users run today, {} is {} as fast.",
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

/// What changing the bytes buys beyond the best decoder that keeps them, over the captures that both have.
fn against_same_bytes(best: &Entry<'_>, fixed: &Answer<'_>) -> Option<String> {
    let keeper = *fixed.overall.first().first()?;
    let pairs: Vec<f64> = best
        .each
        .iter()
        .filter_map(|(capture, ratio)| {
            let (_, kept) = keeper.each.iter().find(|(name, _)| name == capture)?;
            Some(ratio / kept)
        })
        .collect();
    let gain = geometric_mean(pairs.iter().copied())?;
    Some(format!(
        "It is {} as fast as {}, the fastest that keeps the bytes (geometric mean over {}).",
        times(gain),
        code(&keeper.row.variant),
        plural(pairs.len(), "common capture")
    ))
}

fn slower_than_the_loop(overall: &Ranking<'_>) -> Option<String> {
    let slower: Vec<&Entry<'_>> = overall.placed().filter(|entry| entry.ratio.high < 1.0).collect();
    (!slower.is_empty()).then(|| format!("Slower than the loop even at their best: {}.", names(slower)))
}

/// What a plain reader should conclude from the first question of a task that keeps the bytes.
pub(crate) fn conclusion(answers: &[Answer<'_>], fixed: &Answer<'_>) -> Option<String> {
    let first = fixed.overall.first();
    let best = *first.first()?;
    let unit = fixed.asked.question.unit();
    if best.ratio.low <= 1.0 || first.iter().any(|entry| entry.row.variant == "leb128_loop") {
        return Some(format!("Per {unit}, nothing that was measured here is faster than the plain loop."));
    }
    let mut said = format!(
        "Whoever keeps cloudini's bytes can decode a {unit} in {} % of the loop's time with {}{}",
        digits(100.0 / best.ratio.value),
        code(&best.row.variant),
        if best.row.class == "scalar" { String::new() } else { format!(" (needs {})", best.row.class) }
    );
    let plainer = best_of_classes(&fixed.overall).into_iter().rev().find(|entry| {
        let place = |class: &str| CLASSES.iter().position(|name| *name == class);
        place(&entry.row.class) < place(&best.row.class)
    });
    if let Some(plainer) = plainer {
        said += &format!(
            ", and in {} % with {} ({}) where the CPU lacks that",
            digits(100.0 / plainer.ratio.value),
            code(&plainer.row.variant),
            plainer.row.class
        );
    }
    said.push('.');
    let free = counterpart(answers, &fixed.asked.question, Wire::Free);
    if let Some(entry) = free.and_then(|free| free.overall.first().first().copied())
        && let (Some(size), Some(speed)) = (entry.size.and_then(usable), usable(entry.ratio.value))
    {
        said += &format!(
            " Whoever may change the bytes gets to {} % with {}, at {} % of LEB128's size.",
            digits(100.0 / speed),
            code(&entry.row.variant),
            digits(100.0 * size)
        );
    }
    Some(said)
}
