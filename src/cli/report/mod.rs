//! `report`: verify, rank, write; or render or compare what was measured before.

mod measure;

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use clap::Args;

use super::{select::Captures, verify::check_all};
use crate::{
    error::{Error, Result},
    measure::contestants,
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
    /// Rounds, each with every variant in a new order [default: 7, or 5 with --quick].
    #[arg(long, value_parser = clap::value_parser!(u32).range(i64::from(measure::LEAST_ROUNDS)..=100_000))]
    rounds: Option<u32>,
    /// Render a stored record again and measure nothing: a folder, or a name in the project's reports/records/.
    #[arg(long, value_name = "RECORD", conflicts_with_all = MEASURING)]
    from: Option<PathBuf>,
    /// Say what changed from one stored record to another, and write nothing.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = MEASURING, conflicts_with_all = ["from", "out"])]
    compare: Vec<PathBuf>,
    /// Where to write instead of the project's `reports/`; the README stays as it is then.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Options that are about measuring.
const MEASURING: [&str; 8] =
    ["capture", "data", "resolution", "sample_every", "max_messages", "bin_columns", "quick", "rounds"];

/// Rounds of a report, unless the user chooses: with a cold build it stays a matter of four minutes.
const ROUNDS: u32 = 7;

/// Rounds of a quick report.
const QUICK_ROUNDS: u32 = 5;

/// Runs the command.
///
/// # Errors
/// If a capture or a record cannot be read, a variant is wrong, or the report cannot be written: the last one stays.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    if let [old, new] = &arguments.compare[..] {
        return compare(old, new);
    }
    let project = project();
    let reports = project.join("reports");
    let readme = project.join("README.md");
    let (out, readme) = match &arguments.out {
        Some(out) => (out, None),
        None => (&reports, Some(readme.as_path())),
    };
    if let Some(record) = &arguments.from {
        announce(&report::write_stored(out, readme, &record_folder(record)?)?);
        return Ok(());
    }
    let streams = arguments.captures.streams(true)?;
    let all = contestants::all();
    for line in check_all(&streams, &all)? {
        println!("{line}");
    }
    let rounds = arguments.rounds.unwrap_or(if arguments.quick { QUICK_ROUNDS } else { ROUNDS });
    let run = measure::measure_all(&streams, &all, rounds, arguments.quick, command())?;
    let written = report::write(out, readme, &run)?;
    println!("{}", measure::main_question(&run));
    announce(&written);
    Ok(())
}

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn announce(written: &report::Written) {
    println!("report  {}", written.results.display());
    println!("record  {}", written.record.display());
}

fn compare(old: &Path, new: &Path) -> Result<()> {
    let load = |path: &Path| {
        let folder = record_folder(path)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok::<_, Error>((name, report::load(&folder)?))
    };
    let (old, new) = (load(old)?, load(new)?);
    println!("{}", report::comparison_text(&old, &new, std::io::stdout().is_terminal()));
    Ok(())
}

/// The folder of a record that the user names.
///
/// # Errors
/// If there is none.
fn record_folder(given: &Path) -> Result<PathBuf> {
    let stored = project().join("reports").join("records").join(given);
    [given.to_owned(), stored].into_iter().find(|folder| folder.is_dir()).ok_or_else(|| {
        Error::input(format!(
            "{}: no folder of that name, here or in the project's reports/records/: name the folder of a record, which \
             has rows.csv in it",
            given.display()
        ))
    })
}

/// The command line as a reader would type it.
fn command() -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    ["varint-lab".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}
