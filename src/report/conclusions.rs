//! The few sentences that a plain reader should take away.

use crate::report::{
    findings::{Answer, CLASSES, UPSTREAM, counterpart, names, upstream},
    question::Wire,
    rank::Entry,
    text::{code, digits, plural, times},
};

/// What a plain reader should conclude: one sentence or two for each task and mode, from its first question.
pub(crate) fn conclusions(answers: &[Answer<'_>]) -> Vec<String> {
    let mut tasks = Vec::new();
    let first = answers.iter().filter(|answer| {
        let question = &answer.asked.question;
        let task = (question.task, question.mode);
        let new = question.wire == Wire::Fixed && !tasks.contains(&task);
        if new {
            tasks.push(task);
        }
        new
    });
    first.filter_map(|answer| conclusion(answers, answer)).collect()
}

fn conclusion(answers: &[Answer<'_>], fixed: &Answer<'_>) -> Option<String> {
    let Answer { asked, overall } = fixed;
    let first = overall.first();
    let best = *first.first()?;
    let question = &asked.question;
    let what = match (question.task, question.mode) {
        ("points", Some(mode)) => format!("Clouds ({})", mode.to_uppercase()),
        ("points", None) => "Clouds".to_owned(),
        ("tokens", _) => "Tokens alone".to_owned(),
        (other, _) => other.to_owned(),
    };
    let (yardstick, against, gain): (_, _, fn(&Answer<'_>, &Entry<'_>) -> Option<f64>) =
        match upstream(fixed, best) {
            Some(_) => (UPSTREAM, format!("what users run today ({})", code(UPSTREAM)), upstream),
            None => (asked.baseline, format!("the plain loop ({})", code(asked.baseline)), |_, entry| {
                Some(entry.ratio.value)
            }),
        };
    let ahead = gain(fixed, best).is_some_and(|gain| gain > 1.0) && best.ratio.low > 1.0;
    if !ahead || first.iter().any(|entry| entry.row.variant == yardstick) {
        return Some(format!(
            "**{what}:** with the bytes as they are, nothing that was measured stands out from {against} (over {}).",
            plural(overall.captures.len(), "capture")
        ));
    }
    let gain = |answer: &Answer<'_>, entry: &Entry<'_>| {
        gain(answer, entry).map(|ratio| format!("**{}**", times(ratio)))
    };
    let needs = match best.row.class.as_str() {
        "scalar" => "on any CPU".to_owned(),
        class => format!("on a CPU with {class}"),
    };
    let tied = match first[1..] {
        [] => String::new(),
        [..] => format!(" (tied with {})", names(&first[1..], 2)),
    };
    let mut said = format!(
        "**{what}:** with the bytes as they are, {}{tied} is {} as fast as {against} {needs}",
        code(&best.row.variant),
        gain(fixed, best)?
    );
    let place = |class: &str| CLASSES.iter().position(|name| *name == class);
    let plainer = overall.placed().find(|entry| {
        let places = place(&entry.row.class).zip(place(&best.row.class));
        places.is_some_and(|(class, needed)| class < needed)
    });
    if let Some((entry, gain)) = plainer.and_then(|entry| Some((entry, gain(fixed, entry)?))) {
        said += &format!("; without that, {} ({}) {gain}", code(&entry.row.variant), entry.row.class);
    }
    said += &format!(" (geometric mean over {}).", plural(overall.captures.len(), "capture"));
    let free = counterpart(answers, question, Wire::Free);
    let other = free.and_then(|free| Some((free, *free.overall.first().first()?)));
    if let Some((entry, gain, size)) =
        other.and_then(|(free, entry)| Some((entry, gain(free, entry)?, entry.size?)))
    {
        said += &format!(
            " With other bytes, {} gets to {gain} at {} % of LEB128's size.",
            code(&entry.row.variant),
            digits(100.0 * size)
        );
    }
    Some(said)
}
