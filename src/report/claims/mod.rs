//! What cloudini's authors claim of their own experiments, held against the record's figures.

mod figures;
mod list;

use figures::{Measured, NEAR, Unit, best_of_same_bytes, dependence, gain, measured, verdict};
use list::{BYTES, CLAIMS, Claim, SAME_BYTES};

use crate::{
    measure::RunRecord,
    report::{
        findings::{Answer, counterpart, gain_over},
        question::Wire,
        rank::TIE,
        text::{code, digits, plural, table, times},
    },
};

/// The modes of cloudini's format, as records name them.
const MODES: [&str; 2] = ["v4", "v5"];

/// The section's body.
pub(crate) fn claims(run: &RunRecord, answers: &[Answer<'_>]) -> String {
    let mut rows = Vec::new();
    let mut columns: Vec<(String, &str, Option<Measured<'_>>, Unit)> = Vec::new();
    for claim in &CLAIMS {
        for (mode, claimed) in MODES.into_iter().zip(claim.gains) {
            let measured = measured(run, mode, claim.contestant, claim.against);
            rows.push(row(claim, mode, claimed, measured.as_ref()));
            columns.push((link(claim.note), mode, measured, Unit::Percent));
        }
    }
    for mode in MODES {
        let best = best_of_same_bytes(run, mode);
        rows.push(row_of_same_bytes(mode, best.as_ref(), answers));
        columns.push((link(SAME_BYTES.0), mode, best.map(|(_, measured)| measured), Unit::Times));
    }
    format!(
        "From cloudini's pull request 127, in our words: what it claims for itself, and what it says of ideas \
         that it dropped. Gains are in speed, by medians; in brackets the lowest and the highest of the fifths \
         of the rounds. A verdict is made of the figures alone: a claim *reproduces* if it lies within the \
         spread or {} of a percentage point from the mean, and the spread leaves no difference out.\n\n{}\n\
         {}",
        digits(100.0 * NEAR),
        table(&["note", "claim", "mode", ">claimed", ">here, over captures", "verdict", "depends on"], &rows),
        by_capture(run, &columns)
    )
}

fn row(claim: &Claim, mode: &str, claimed: Option<f64>, measured: Option<&Measured<'_>>) -> Vec<String> {
    let claimed_words = claimed.map_or("–".to_owned(), gain);
    let [here, said, depends] = match measured {
        None => ["–".to_owned(), "not measured".to_owned(), "–".to_owned()],
        Some(measured) => [
            format!("{} ({})", Unit::Percent.spread(measured.mean), plural(measured.each.len(), "capture")),
            claimed
                .map_or("nothing claimed".to_owned(), |claimed| verdict(claimed, measured.mean).to_owned()),
            dependence(measured, claim.cause, Unit::Percent),
        ],
    };
    vec![
        link(claim.note),
        format!("{}: {}", code(claim.contestant), claim.words),
        mode.to_uppercase(),
        claimed_words,
        here,
        said,
        depends,
    ]
}

fn row_of_same_bytes(mode: &str, best: Option<&(&str, Measured<'_>)>, answers: &[Answer<'_>]) -> Vec<String> {
    let (note, words) = SAME_BYTES;
    let [name, here, said, depends] = match best {
        None => [code("block"), "–".to_owned(), "not measured".to_owned(), other_layouts(answers)],
        Some((name, measured)) => {
            let captures = plural(measured.each.len(), "capture");
            let said = match measured.mean.low {
                low if low > 1.0 + TIE => "not so: the bytes as they are give more",
                _ => "holds: the bytes as they are give no more",
            };
            let depends = format!("{} {}", dependence(measured, BYTES, Unit::Times), other_layouts(answers));
            [
                code(name),
                format!("{} ({captures})", Unit::Times.spread(measured.mean)),
                said.to_owned(),
                depends,
            ]
        }
    };
    vec![link(note), format!("{name}: {words}"), mode.to_uppercase(), "–".to_owned(), here, said, depends]
}

/// What other layouts add in the tokens task, over the captures that the two best have in common.
fn other_layouts(answers: &[Answer<'_>]) -> String {
    let compared = || {
        let fixed = answers.iter().find(|answer| {
            let question = &answer.asked.question;
            question.task == "tokens" && question.wire == Wire::Fixed && !answer.overall.entries.is_empty()
        })?;
        let free = counterpart(answers, &fixed.asked.question, Wire::Free)?;
        let (keeper, other) = (*fixed.overall.first().first()?, *free.overall.first().first()?);
        let (gain, _) = gain_over(other, keeper)?;
        let size =
            other.size.map_or(String::new(), |size| format!(" at {} % of its bytes", digits(100.0 * size)));
        Some(format!(
            "Tokens alone: {} is {} as fast as {}{size}.",
            code(&other.row.variant),
            times(gain),
            code(&keeper.row.variant)
        ))
    };
    compared().unwrap_or_else(|| "Other layouts: not measured.".to_owned())
}

/// Every figure on every capture, folded away.
fn by_capture(run: &RunRecord, columns: &[(String, &str, Option<Measured<'_>>, Unit)]) -> String {
    let headings: Vec<String> =
        columns.iter().map(|(note, mode, ..)| format!(">{note} {}", mode.to_uppercase())).collect();
    let headings: Vec<&str> = ["capture"].into_iter().chain(headings.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = run
        .captures
        .iter()
        .filter_map(|facts| {
            let spreads: Vec<Option<String>> = columns
                .iter()
                .map(|(.., measured, unit)| {
                    let each = &measured.as_ref()?.each;
                    let (_, spread) = each.iter().find(|(other, _)| other.name == facts.name)?;
                    Some(unit.spread(*spread))
                })
                .collect();
            spreads.iter().any(Option::is_some).then(|| {
                let cells = spreads.into_iter().map(|spread| spread.unwrap_or("–".to_owned()));
                [code(&facts.name)].into_iter().chain(cells).collect()
            })
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("<details><summary>By capture</summary>\n\n{}\n</details>\n", table(&headings, &rows))
}

fn link(note: &str) -> String {
    format!("[{}](notes/{note}.md)", &note[..4])
}
