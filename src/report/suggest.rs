//! Which decoder the stored records suggest for a stream.

use std::{fs, path::Path};

use serde::Serialize;

use super::{
    question::{Asked, Wire, questions},
    rank::{Ranking, on_capture},
    record_io::load,
    text::times,
};
use crate::{
    error::Result,
    measure::{CaptureFacts, Machine, Record, RunRecord, contestants},
};

/// A decoder with its figures on the record's nearest capture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The variant.
    pub variant: String,
    /// Others that share its place.
    pub ties: Vec<String>,
    /// Thread CPU time per token, the median round, in nanoseconds.
    pub ns_median: f64,
    /// Time of the plain loop divided by its own: the value, and the lowest and highest of five parts.
    pub vs_loop: [f64; 3],
    /// Encoded bytes per token there.
    pub bytes_per_token: f64,
}

/// What a record says of a stream like the one that was asked about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The record's folder.
    pub record: String,
    /// The CPU that it was measured on.
    pub cpu: String,
    /// Whether that is this machine's.
    pub same_cpu: bool,
    /// UTC date and time.
    pub date: String,
    /// Whether it has fewer rounds than figures to quote need.
    pub quick: bool,
    /// The nearest capture of the record.
    pub capture: String,
    /// Share of tokens, 0 to 1, that would have to change their length for the two mixes to be the same.
    pub distance: f64,
    /// For the bytes that cloudini writes.
    pub same_bytes: Option<Choice>,
    /// For another layout.
    pub other_layout: Option<Choice>,
}

/// What the best of the records in `folder` suggests for a stream of these facts whose tokens fit `word`, `u32` or
/// `u64`; `None` if there is no record that says anything. Only variants that run on this CPU are suggested.
///
/// A record of this CPU goes before those of others, a full one before quick ones, a later one before earlier
/// ones. Nearest is the real capture whose length shares differ least.
///
/// # Errors
/// If a record cannot be read.
pub fn suggest(facts: &CaptureFacts, word: &str, folder: &Path) -> Result<Option<Suggestion>> {
    if facts.tokens == 0 {
        return Ok(None);
    }
    let Ok(entries) = fs::read_dir(folder) else { return Ok(None) };
    let mut folders: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|folder| folder.join("machine.json").is_file());
    folders.sort();
    let runs =
        folders.into_iter().map(|folder| Ok((folder.clone(), load(&folder)?))).collect::<Result<Vec<_>>>()?;
    let here = Machine::here().cpu;
    let best =
        runs.iter().max_by_key(|(_, run)| (run.machine.cpu == here, !run.quick, run.machine.date.clone()));
    let Some((folder, run)) = best else { return Ok(None) };
    Ok(of_run(facts, word, run).map(|(capture, same_bytes, other_layout)| Suggestion {
        record: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        cpu: run.machine.cpu.clone(),
        same_cpu: run.machine.cpu == here,
        date: run.machine.date.clone(),
        quick: run.quick,
        distance: distance(&facts.length_shares, &capture.length_shares),
        capture: capture.name.clone(),
        same_bytes,
        other_layout,
    }))
}

fn of_run<'a>(
    facts: &CaptureFacts,
    word: &str,
    run: &'a RunRecord,
) -> Option<(&'a CaptureFacts, Option<Choice>, Option<Choice>)> {
    let asked = questions(&run.records);
    let on_wire = |wire| {
        asked.iter().find(|asked| {
            let question = &asked.question;
            (question.task, question.arrangement, question.window) == ("tokens", "rows", "l2")
                && question.word == word
                && question.wire == wire
        })
    };
    let fixed = on_wire(Wire::Fixed)?;
    let captures = run.captures.iter().filter(|capture| {
        !capture.synthetic && !capture.short && fixed.rows.iter().any(|row| row.capture == capture.name)
    });
    let from_here = |capture: &&CaptureFacts| distance(&facts.length_shares, &capture.length_shares);
    let nearest = captures.min_by(|one, other| from_here(one).total_cmp(&from_here(other)))?;
    let choose = |asked: &Asked<'a>| choice(&on_capture(asked, &nearest.name));
    Some((nearest, choose(fixed), on_wire(Wire::Free).and_then(choose)))
}

/// The first of those that run here.
fn choice(ranking: &Ranking<'_>) -> Option<Choice> {
    let all = contestants::all();
    let runs = |name: &str| all.iter().any(|contestant| contestant.name == name && contestant.runs_here);
    let mut placed = ranking.placed().filter(|entry| runs(&entry.row.variant));
    let first = placed.next()?;
    let ties =
        placed.filter(|entry| entry.place == first.place).map(|entry| entry.row.variant.clone()).collect();
    Some(Choice {
        variant: first.row.variant.clone(),
        ties,
        ns_median: first.row.ns_median,
        vs_loop: [first.ratio.value, first.ratio.low, first.ratio.high],
        bytes_per_token: first.row.bytes_per_token,
    })
}

/// What rows measured on the spot say of the suggestion for cloudini's bytes: `None` if it is not among them.
#[must_use]
pub fn verdict(suggestion: &Suggestion, measured: &[Record]) -> Option<String> {
    let wanted = suggestion.same_bytes.as_ref()?;
    let asked = questions(measured);
    let asked = asked.iter().find(|asked| asked.question.wire == Wire::Fixed)?;
    let ranking = on_capture(asked, &asked.rows.first()?.capture);
    let first = ranking.placed().next()?;
    let own = ranking.of(&wanted.variant)?;
    Some(if own.place == first.place {
        format!(
            "measured here: the suggested {} is first, at {} the loop",
            wanted.variant,
            times(own.ratio.value)
        )
    } else {
        format!(
            "measured here: {} is first, at {} the loop; the suggested {} is at {}",
            first.row.variant,
            times(first.ratio.value),
            wanted.variant,
            times(own.ratio.value)
        )
    })
}

/// Half the sum of the differences: the share of one mix that is elsewhere in the other.
fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{fixture, store};

    #[test]
    fn the_nearest_capture_s_winner_that_runs_here_is_suggested() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = fixture::run();
        let real: Vec<CaptureFacts> =
            run.captures.iter().filter(|capture| !capture.synthetic && !capture.short).cloned().collect();
        // Only registered names can run here.
        for record in &mut run.records {
            if record.standing == "ranked" && record.layout == "leb128" && record.variant != "leb128_loop" {
                record.variant = "leb128_fast2".into();
            }
        }
        store(folder.path(), &run).unwrap();
        for capture in &real {
            let asked = suggest(capture, "u32", folder.path()).unwrap().expect("the record has this capture");
            assert_eq!((asked.capture.as_str(), asked.distance), (capture.name.as_str(), 0.0));
            let choice = asked.same_bytes.expect("the loop runs anywhere");
            let row = run
                .records
                .iter()
                .find(|row| {
                    (row.capture.as_str(), row.variant.as_str())
                        == (capture.name.as_str(), choice.variant.as_str())
                        && (row.word.as_str(), row.arrangement.as_str(), row.window.as_str())
                            == ("u32", "rows", "l2")
                        && row.task == "tokens"
                })
                .unwrap();
            assert_eq!((choice.ns_median, choice.vs_loop[0]), (row.ns_median, row.vs_loop));
        }
    }

    #[test]
    fn without_records_there_is_nothing_to_suggest() {
        let folder = tempfile::tempdir().unwrap();
        let facts = fixture::run().captures.remove(0);
        assert_eq!(suggest(&facts, "u32", folder.path()).unwrap(), None);
        assert_eq!(suggest(&facts, "u32", &folder.path().join("absent")).unwrap(), None);
    }

    #[test]
    fn distances_are_shares() {
        assert_eq!(distance(&[1.0, 0.0], &[0.0, 1.0]), 1.0);
        assert_eq!(distance(&[0.5, 0.5], &[0.25, 0.75]), 0.25);
    }
}
