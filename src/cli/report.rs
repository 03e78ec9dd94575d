//! `report`: verify, rank, write.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{
    rank::{Plan, default_rounds, points_task, tokens_task},
    select::{Captures, Variants},
    verify::check_all,
};
use crate::{
    error::Result,
    measure::{
        Machine, Record, RunRecord,
        contestants::{self, Contestant, LabWord},
        points::CloudMode,
        stream::{Arrangement, Stream},
        tokens::Window,
    },
    report,
};

/// Arguments of `report`.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    #[command(flatten)]
    captures: Captures,
    /// Fewer rounds and the main question only: a look in seconds, not figures to quote.
    #[arg(long)]
    quick: bool,
    /// Where to write instead of the project's `reports/`; the README stays as it is then.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Rounds of a quick report.
const QUICK_ROUNDS: u32 = 7;

/// Runs the command.
///
/// # Errors
/// If a capture cannot be read, a variant is wrong, or the report cannot be written: the last one stays.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let streams = arguments.captures.streams(true)?;
    let all = contestants::all();
    for line in check_all(&streams, &all)? {
        println!("{line}");
    }
    let run = measure_all(&streams, &all, arguments.quick)?;
    let main_question: Vec<Record> = run
        .records
        .iter()
        .filter(|record| record.word == "u32" && record.arrangement == "rows" && !record.synthetic)
        .cloned()
        .collect();
    println!("{}", report::ranking_table(&main_question, std::io::stdout().is_terminal()));
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let written = match &arguments.out {
        Some(out) => report::write(out, None, &run, &command())?,
        None => report::write(&project.join("reports"), Some(&project.join("README.md")), &run, &command())?,
    };
    println!("report  {}", written.results.display());
    println!("record  {}", written.record.display());
    Ok(())
}

/// The command line as a reader would type it.
fn command() -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    ["varint-lab".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

/// All questions of the report.
///
/// # Errors
/// If a variant's output is wrong.
fn measure_all(streams: &[Stream], all: &[Contestant], quick: bool) -> Result<RunRecord> {
    let contestants: Vec<_> = all.iter().copied().filter(|contestant| contestant.runs_here).collect();
    let mut machine = Machine::here();
    let rounds = if quick { QUICK_ROUNDS } else { default_rounds(Window::L2) };
    let mut records = Vec::new();
    let questions: &[(Arrangement, bool)] = if quick {
        &[(Arrangement::Rows, false)]
    } else {
        &[(Arrangement::Rows, false), (Arrangement::Rows, true), (Arrangement::Columns, false)]
    };
    for &(arrangement, wide) in questions {
        let plan = Plan { arrangement, window: Window::L2, rounds };
        let mut rows = if wide {
            // Of the made-up streams, those that have been measured with 32-bit words say it all.
            let rest: Vec<Stream> = streams
                .iter()
                .filter(|stream| !stream.facts.synthetic || !fits::<u32>(stream, arrangement))
                .cloned()
                .collect();
            on_fitting::<u64>(&rest, &contestants, plan)?
        } else {
            on_fitting::<u32>(streams, &contestants, plan)?
        };
        records.append(&mut rows);
    }
    let paths = Variants::default().path_contestants()?;
    let modes: &[CloudMode] = if quick { &[CloudMode::V4] } else { &CloudMode::ALL };
    for &mode in modes {
        records.append(&mut points_task(streams, mode, Window::L2, &paths, rounds)?);
    }
    machine.finish();
    let captures = streams.iter().map(|stream| stream.facts.clone()).collect();
    Ok(RunRecord { machine, captures, records, quick })
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
