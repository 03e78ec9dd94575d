//! `gate`: instruction counts against the accepted ones.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    error::{Error, Result},
    measure::counts::{
        self, Baseline, BaselineRow, Comparison, Counts, DEFAULT_TOLERANCE, Problem, Row, compare, count,
        read_baseline, valgrind_version, write_baseline,
    },
};

/// Arguments of `gate`.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Accept the counts as they are now.
    #[arg(long)]
    update: bool,
    /// Compare only ids that match, such as `*/leb128_fast*`.
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// The accepted counts [default: the project's reports/gate.csv].
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Exit code 1 if a count moved, is new or vanished, or nothing could be compared; 2 if nothing could be counted.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let selection = Selection::new(arguments.only.as_deref())?;
    let path = arguments.baseline.clone().unwrap_or_else(|| project_baseline().to_owned());
    let valgrind = valgrind_version()?;
    // Before minutes of counting: without a baseline there is nothing to compare.
    let accepted = if arguments.update && !path.exists() { Baseline::new() } else { read_baseline(&path)? };
    eprintln!("counting instructions under {valgrind}: a minute or two");
    let all = count()?;
    let counts: Counts = all.into_iter().filter(|(id, _)| selection.matches(id)).collect();
    if counts.is_empty() && !accepted.iter().any(|row| selection.matches(&row.id)) {
        return Err(Error::check(format!("{} matches no id", arguments.only.as_deref().unwrap_or("*"))));
    }
    let (selected, others): (Baseline, Baseline) =
        accepted.into_iter().partition(|row| selection.matches(&row.id));
    let (rustc, target) = (env!("BUILD_RUSTC"), env!("BUILD_TARGET"));
    let comparison = compare(&selected, &counts, rustc, target);
    print(&comparison);
    if arguments.update {
        let mut rows = others;
        rows.extend(accept(&selected, &counts, &valgrind));
        rows.sort_by(|one, other| one.id.cmp(&other.id));
        write_baseline(&path, &rows)?;
        println!("accepted: {} ids in {}", rows.len(), path.display());
        return Ok(());
    }
    if comparison.passes() {
        return Ok(());
    }
    Err(Error::check("the gate is closed; `varint-lab gate --update` accepts the counts on purpose"))
}

fn project_baseline() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/reports/gate.csv"))
}

/// The ids that are compared.
struct Selection(Option<glob::Pattern>);

impl Selection {
    fn new(only: Option<&str>) -> Result<Self> {
        let pattern = only.map(glob::Pattern::new).transpose();
        pattern.map(Self).map_err(|error| Error::input(format!("--only: {error}")))
    }

    fn matches(&self, id: &str) -> bool {
        self.0.as_ref().is_none_or(|pattern| pattern.matches(id))
    }
}

/// The counts as accepted rows; a row keeps its tolerance, and its date too if its count did not move.
fn accept(before: &Baseline, counts: &Counts, valgrind: &str) -> Baseline {
    let today = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let row = |(id, measured): (&String, &counts::Measured)| {
        let old = before.iter().find(|row| row.id == *id);
        let new = BaselineRow {
            id: id.clone(),
            instructions: measured.instructions,
            tolerance: old.map_or(DEFAULT_TOLERANCE, |row| row.tolerance),
            rustc: env!("BUILD_RUSTC").into(),
            target: env!("BUILD_TARGET").into(),
            valgrind: valgrind.into(),
            date: today.clone(),
        };
        match old {
            Some(old) if BaselineRow { date: today.clone(), ..old.clone() } == new => old.clone(),
            _ => new,
        }
    };
    counts.iter().map(row).collect()
}

fn print(comparison: &Comparison) {
    let moved: Vec<&Row> = comparison.rows.iter().filter(|row| !row.holds()).collect();
    for row in &moved {
        println!("moved     {:60} {:>11} -> {:>11}  {:+.2} %", row.id, row.accepted, row.now, row.change);
    }
    for id in &comparison.new {
        println!("new       {id}");
    }
    for id in &comparison.vanished {
        println!("vanished  {id}");
    }
    for name in counts::uncountable() {
        println!("not countable under valgrind: {name}");
    }
    for problem in &comparison.problems {
        match problem {
            Problem::Foreign { accepted, now } => {
                println!(
                    "foreign   the baseline was made by {accepted}, this is {now}: counts differ by compiler"
                );
            }
            Problem::Nothing => println!("nothing   no id is in both the baseline and the counts"),
            Problem::Zero(id) => {
                println!("zero      {id} was accepted with 0 instructions: a broken measurement");
            }
        }
    }
    println!(
        "{} of {} ids compared, {} moved",
        comparison.rows.len(),
        comparison.rows.len() + comparison.new.len() + comparison.vanished.len(),
        moved.len()
    );
}
