//! What a report measures.

use std::io::IsTerminal;

use crate::{
    cli::{
        rank::{points_task, tokens_task},
        select::{Layouts, Variants, progress},
    },
    error::Result,
    measure::{
        Machine, Record, RunRecord, SweepRow,
        contestants::{Contestant, LabWord},
        layouts,
        points::CloudMode,
        sizes::sizes,
        stream::{Arrangement, Stream},
        sweep,
        tokens::{Plan, Window},
    },
    report,
};

/// With fewer there are no fifths to make a spread of.
pub(super) const LEAST_ROUNDS: u32 = 5;

/// All questions of the report, of streams and contestants that were verified.
///
/// # Errors
/// If a variant's output is wrong.
pub(super) fn measure_all(
    streams: &[Stream],
    all: &[Contestant],
    rounds: u32,
    quick: bool,
    command: String,
) -> Result<RunRecord> {
    let contestants: Vec<_> = all.iter().copied().filter(|contestant| contestant.runs_here).collect();
    let mut machine = Machine::here();
    let mut records = Vec::new();
    let questions: &[(Arrangement, bool)] = if quick {
        &[(Arrangement::Rows, false)]
    } else {
        &[(Arrangement::Rows, false), (Arrangement::Rows, true), (Arrangement::Columns, false)]
    };
    for &(arrangement, wide) in questions {
        let plan = Plan { arrangement, window: Window::L2, rounds, verified: true };
        let (made_up, recorded): (Vec<Stream>, Vec<Stream>) =
            streams.iter().cloned().partition(|stream| stream.facts.synthetic);
        // What is made up is in no mean: half the rounds show where a decoder breaks.
        let few = Plan { rounds: rounds.div_ceil(2).max(LEAST_ROUNDS), ..plan };
        for (streams, plan) in [(recorded, plan), (made_up, few)] {
            let mut rows = if wide {
                // Of the made-up streams, those that have been measured with 32-bit words say it all.
                let new = |stream: &Stream| !stream.facts.synthetic || !fits::<u32>(stream, arrangement);
                let rest: Vec<Stream> = streams.into_iter().filter(new).collect();
                on_fitting::<u64>(&rest, &contestants, plan)?
            } else {
                on_fitting::<u32>(&streams, &contestants, plan)?
            };
            records.append(&mut rows);
        }
    }
    // In one run with cloudini's bytes, so that the ratios are of the same rounds.
    let mut paths = Variants::default().path_contestants(&Layouts::default())?;
    paths.extend(layouts::contestants());
    let modes: &[CloudMode] = if quick { &[CloudMode::V4] } else { &CloudMode::ALL };
    for &mode in modes {
        records.append(&mut points_task(streams, mode, Window::L2, &paths, rounds)?);
    }
    let sizes = streams.iter().map(sizes).collect::<Result<Vec<_>>>()?.concat();
    let sweeps = if quick { Vec::new() } else { sweeps(streams, &contestants)? };
    machine.finish();
    let captures = streams.iter().map(|stream| stream.facts.clone()).collect();
    Ok(RunRecord { machine, captures, records, sizes, quick, command, sweeps })
}

/// The series, on the first long capture whose tokens fit 32 bits, and on made-up streams.
fn sweeps(streams: &[Stream], contestants: &[Contestant]) -> Result<Vec<SweepRow>> {
    let bar = progress(sweep::places(), "series");
    let long = |stream: &&Stream| !stream.facts.short && !stream.facts.synthetic;
    let stream = streams.iter().filter(long).find(|stream| fits::<u32>(stream, Arrangement::Rows));
    let mut rows = match stream {
        Some(stream) => sweep::working_set(stream, contestants, || bar.inc(1))?,
        None => Vec::new(),
    };
    rows.extend(sweep::two_byte_share(contestants, || bar.inc(1))?);
    bar.finish_and_clear();
    Ok(rows)
}

/// The main question as a terminal shows it.
pub(super) fn main_question(run: &RunRecord) -> String {
    let records: Vec<Record> = run
        .records
        .iter()
        .filter(|record| record.word == "u32" && record.arrangement == "rows" && !record.synthetic)
        .cloned()
        .collect();
    report::ranking_table(&records, std::io::stdout().is_terminal())
}

/// The task on the streams that have the arrangement and fit the word.
fn on_fitting<W: LabWord>(streams: &[Stream], contestants: &[Contestant], plan: Plan) -> Result<Vec<Record>> {
    let fitting: Vec<Stream> =
        streams.iter().filter(|stream| fits::<W>(stream, plan.arrangement)).cloned().collect();
    tokens_task::<W>(&fitting, contestants, plan)
}

/// Whether the stream has the arrangement, and every token of it fits the word.
fn fits<W: LabWord>(stream: &Stream, arrangement: Arrangement) -> bool {
    let fits = |tokens: &[u64]| tokens.iter().all(|&token| W::from_token(token).is_some());
    stream.tokens(arrangement).is_some_and(fits)
}
