//! `rank`: time variants against each other.

use std::{collections::BTreeSet, io::IsTerminal};

use clap::{Args, ValueEnum};

use super::select::{Captures, Layouts, Variants, progress};
use crate::{
    error::{Error, Result},
    measure::{
        Record,
        contestants::{Contestant, LabWord},
        inputs::able,
        points::{self, CloudMode, PathContestant},
        stream::{Arrangement, Stream},
        tokens::{Aligned, Plan, Window, measure},
    },
    report,
};

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Task {
    /// Kernels alone: bytes to tokens.
    Tokens,
    /// Whole clouds: stage-1 chunks to point bytes, by path and variant; with --layout in other bytes than
    /// cloudini's.
    Points,
}

/// The output word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WordName {
    /// 32 bits a token.
    U32,
    /// 64 bits a token.
    U64,
}

/// Arguments of `rank`.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    /// What is timed.
    #[arg(long, value_enum, default_value = "tokens")]
    task: Task,
    /// The output word.
    #[arg(long, value_enum, default_value = "u32")]
    word: WordName,
    #[command(flatten)]
    layouts: Layouts,
    #[command(flatten)]
    captures: Captures,
    #[command(flatten)]
    variants: Variants,
    /// Where the output goes.
    #[arg(long, value_enum, default_value = "l2")]
    window: Window,
    /// The version of cloudini's format, for --task points.
    #[arg(long, value_enum)]
    mode: Option<CloudMode>,
    /// Rounds, each with every variant in a new order [default: 31, or 7 for --window dram].
    #[arg(long, value_parser = clap::value_parser!(u32).range(5..=100_000))]
    rounds: Option<u32>,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Rounds that a user gets who does not choose.
pub(super) fn default_rounds(window: Window) -> u32 {
    match window {
        Window::L2 => 31,
        Window::Dram => 7,
    }
}

/// Runs the command.
///
/// # Errors
/// On unknown names, unreadable captures, or a variant whose output is wrong.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.task == Task::Tokens && arguments.mode.is_some() {
        return Err(Error::input("--mode is for --task points: tokens have no version"));
    }
    let layouts = &arguments.layouts;
    let other_layouts = arguments.task == Task::Points
        && (!layouts.layout.is_empty() || arguments.variants.name_another_layout());
    if other_layouts && arguments.mode == Some(CloudMode::V5) {
        return Err(Error::input("--mode v5 is cloudini's own: other layouts are held against v4"));
    }
    if arguments.task == Task::Points && layouts.layout.is_empty() && layouts.arrangement.is_some() {
        return Err(Error::input("--arrangement is for clouds in other layouts: --layout says which"));
    }
    let streams = arguments.captures.streams(false)?;
    let rounds = arguments.rounds.unwrap_or_else(|| default_rounds(arguments.window));
    let records = match arguments.task {
        Task::Points => {
            let contestants = arguments.variants.path_contestants(layouts)?;
            let mode = arguments.mode.unwrap_or(CloudMode::V4);
            points_task(&streams, mode, arguments.window, &contestants, rounds)?
        }
        Task::Tokens => {
            let contestants = layouts.of_tokens(arguments.variants.runnable()?)?;
            let arrangement = layouts.arrangement.unwrap_or(Arrangement::Rows);
            let plan = Plan { arrangement, window: arguments.window, rounds, verified: false };
            match arguments.word {
                WordName::U32 => tokens_task::<u32>(&streams, &contestants, plan)?,
                WordName::U64 => tokens_task::<u64>(&streams, &contestants, plan)?,
            }
        }
    };
    if arguments.json {
        for record in &records {
            let line = serde_json::to_string(record).map_err(|error| Error::check(error.to_string()))?;
            println!("{line}");
        }
    } else {
        println!("{}", report::ranking_table(&records, std::io::stdout().is_terminal()));
    }
    Ok(())
}

/// Times the contestants on each stream, fastest first in each.
///
/// # Errors
/// If a variant's output is wrong, or none of the streams has tokens that fit the word; one that has none is left out.
pub(super) fn tokens_task<W: LabWord>(
    streams: &[Stream],
    contestants: &[Contestant],
    plan: Plan,
) -> Result<Vec<Record>> {
    let mut buffer = Aligned::<W>::default();
    let bar = progress(streams.len() as u64 * u64::from(plan.rounds), "tokens");
    let mut records = Vec::new();
    let mut unfit = None;
    for stream in streams {
        bar.set_message(format!("{} {} {}", stream.facts.name, plan.arrangement.name(), W::NAME));
        match measure(stream, plan, contestants, &mut buffer, || bar.inc(1)) {
            Ok(mut rows) => {
                rows.sort_by(|one, other| one.ns_median.total_cmp(&other.ns_median));
                records.append(&mut rows);
            }
            Err(error @ Error::Input(_)) => {
                if streams.len() > 1 {
                    bar.suspend(|| eprintln!("note: left out: {error}"));
                }
                unfit = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    bar.finish_and_clear();
    tell_company(&records);
    match unfit {
        Some(error) if records.is_empty() => Err(error),
        _ => Ok(records),
    }
}

/// Times paths around variants on each stream's cloud, fastest first in each.
///
/// # Errors
/// If contestants give different points.
pub(super) fn points_task(
    streams: &[Stream],
    mode: CloudMode,
    window: Window,
    contestants: &[PathContestant],
    rounds: u32,
) -> Result<Vec<Record>> {
    let bar = progress(streams.len() as u64 * u64::from(rounds), "points");
    let mut records = Vec::new();
    for stream in streams {
        bar.set_message(format!("{} points {}", stream.facts.name, mode.name()));
        if mode == CloudMode::V4 && able(stream, mode, contestants).len() < contestants.len() {
            bar.suspend(|| {
                eprintln!(
                    "note: {}: its fields share bytes, which only cloudini's format can store",
                    stream.facts.name
                );
            });
        }
        if let Some(mut rows) = points::measure(stream, mode, window, contestants, rounds, || bar.inc(1))? {
            rows.sort_by(|one, other| one.ns_median.total_cmp(&other.ns_median));
            records.append(&mut rows);
        }
    }
    bar.finish_and_clear();
    tell_company(&records);
    Ok(records)
}

/// Says on how many captures the figures rest on few rounds; not in an unoptimised build, whose figures mean nothing.
fn tell_company(records: &[Record]) {
    let captures = |rows: &mut dyn Iterator<Item = &Record>| {
        rows.map(|record| record.capture.as_str()).collect::<BTreeSet<_>>().len()
    };
    let shared = captures(&mut records.iter().filter(|record| record.had_company()));
    if shared > 0 && !cfg!(debug_assertions) {
        eprintln!(
            "note: on {shared} of {} captures the core was shared in most rounds, so figures may not repeat",
            captures(&mut records.iter())
        );
    }
}
