//! `survey`: what is in recordings, and which decoder suits them.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use clap::Args;
use serde::Serialize;

use super::{
    rank::{default_rounds, tokens_task},
    select::{Reading, Variants, reading_bar},
};
use crate::{
    capture::{self, synthetic},
    error::{Error, Result},
    measure::{
        Record,
        sizes::{SizeRow, sizes},
        stream::{Arrangement, Stream},
        survey::{Survey, survey, survey_capture},
        tokens::{Plan, Window},
    },
    report::{self, Suggestion},
};

/// Arguments of `survey`.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Recordings: files, folders, patterns, or bundled captures by name.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// Encode each topic in every layout: sizes with and without stage 2, and the encoders' speed.
    #[arg(long)]
    sizes: bool,
    /// Time every variant on each topic and hold the suggestion against that.
    #[arg(long)]
    measure: bool,
    /// Rounds of --measure [default: 31].
    #[arg(long, requires = "measure", value_parser = clap::value_parser!(u32).range(5..=100_000))]
    rounds: Option<u32>,
    /// Records to suggest from [default: the project's reports/records].
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Print one JSON object a topic.
    #[arg(long)]
    json: bool,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    survey: &'a Survey,
    suggestion: Option<&'a Suggestion>,
    /// Empty without `--sizes`.
    sizes: &'a [SizeRow],
    /// Empty without `--measure`.
    measured: &'a [Record],
}

/// Runs the command. What is out of scope is said in a line, and the rest goes on.
///
/// # Errors
/// The last recording's that could not be surveyed, once all others were.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let mut last = None;
    let mut fail = |error: Error| {
        if let Some(earlier) = last.replace(error) {
            eprintln!("varint-lab: {earlier}");
        }
    };
    for path in &arguments.paths {
        let bundled = path.to_str().filter(|name| !path.exists() && capture::BUNDLED.contains(name));
        if let Some(name) = bundled {
            if let Err(error) = one_bundled(arguments, name) {
                fail(error);
            }
            continue;
        }
        let made_up = path.to_str().filter(|name| !path.exists() && synthetic::NAMES.contains(name));
        if let Some(name) = made_up {
            fail(Error::input(format!(
                "{name} is made up of tokens: it has no points to survey; `rank` takes it"
            )));
            continue;
        }
        match capture::recordings(path) {
            Err(error) => fail(error),
            Ok(recordings) => {
                for recording in recordings {
                    if let Err(error) = one_recording(arguments, &recording) {
                        fail(error);
                    }
                }
            }
        }
    }
    last.map_or(Ok(()), Err)
}

fn one_bundled(arguments: &Arguments, name: &str) -> Result<()> {
    let found = survey_capture(capture::bundled(name)?, &arguments.reading.resolutions()?)?;
    show(arguments, &found)
}

fn one_recording(arguments: &Arguments, recording: &capture::Recording) -> Result<()> {
    let resolutions = arguments.reading.resolutions()?;
    let bar = reading_bar(recording);
    let (surveys, notes) = survey(recording, &arguments.reading.options(), &resolutions, |read, total| {
        bar.set_length(total);
        bar.set_position(read);
    })?;
    bar.finish_and_clear();
    notes.lines().for_each(|note| eprintln!("note: {note}"));
    surveys.iter().try_for_each(|survey| show(arguments, survey))
}

fn show(arguments: &Arguments, survey: &Survey) -> Result<()> {
    let project = || Path::new(env!("CARGO_MANIFEST_DIR")).join("reports").join("records");
    let records = arguments.records.clone().unwrap_or_else(project);
    let suggestion = report::suggest(&survey.stream.facts, survey.word, &records)?;
    let sizes = if arguments.sizes { sizes(&survey.stream)? } else { Vec::new() };
    let measured = if arguments.measure { measure(arguments, survey)? } else { Vec::new() };
    if arguments.json {
        let line = Line { survey, suggestion: suggestion.as_ref(), sizes: &sizes, measured: &measured };
        println!("{}", serde_json::to_string(&line).map_err(|error| Error::check(error.to_string()))?);
        return Ok(());
    }
    let colour = std::io::stdout().is_terminal();
    println!("{}", report::survey_text(survey, suggestion.as_ref(), colour));
    if arguments.sizes {
        println!("{}", report::sizes_table(&sizes, colour));
    }
    if arguments.measure {
        if let Some(verdict) = suggestion.and_then(|suggestion| report::verdict(&suggestion, &measured)) {
            println!("{verdict}");
        }
        println!("{}", report::ranking_table(&measured, colour));
    }
    Ok(())
}

/// Times what runs here on the topic's tokens.
fn measure(arguments: &Arguments, survey: &Survey) -> Result<Vec<Record>> {
    let contestants = Variants::default().runnable()?;
    let rounds = arguments.rounds.unwrap_or_else(|| default_rounds(Window::L2));
    let plan = Plan { arrangement: Arrangement::Rows, window: Window::L2, rounds, verified: false };
    let streams: &[Stream] = std::slice::from_ref(&survey.stream);
    match survey.word {
        "u32" => tokens_task::<u32>(streams, &contestants, plan),
        _ => tokens_task::<u64>(streams, &contestants, plan),
    }
}
