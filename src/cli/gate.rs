//! `gate`: instruction counts against the accepted ones.

use std::path::{Path, PathBuf};

use clap::Args;

use super::select::progress;
use crate::{
    error::{Error, Result},
    measure::counts::{
        self, Baseline, BaselineRow, Comparison, Counts, DEFAULT_TOLERANCE, Problem, beside, compare, count,
        fingerprint, keep, read_baseline, read_kept, valgrind_version, write_baseline,
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
    /// Print every count, also per token or point, with the branches.
    #[arg(long)]
    show: bool,
}

/// Runs the command.
///
/// # Errors
/// Exit code 1 if a count moved, is new or vanished, or nothing could be compared; 2 if nothing could be counted.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let selection = Selection::new(arguments.only.as_deref())?;
    let path = arguments.baseline.clone().unwrap_or_else(|| project.join("reports/gate.csv"));
    let valgrind = valgrind_version()?;
    // Before minutes of counting: without a baseline there is nothing to compare.
    let accepted = if arguments.update && !path.exists() { Baseline::new() } else { read_baseline(&path)? };
    let (selected, others): (Baseline, Baseline) =
        accepted.into_iter().partition(|row| selection.matches(&row.id));
    if selected.is_empty() && !counts::ids().iter().any(|id| selection.matches(id)) {
        return Err(Error::check(format!(
            "{} matches no id that is counted, such as {}; not countable: {}",
            arguments.only.as_deref().unwrap_or("*"),
            counts::ids().first().map_or("", String::as_str),
            counts::uncountable().join(", ")
        )));
    }
    let sources = fingerprint(project)?;
    let all = count_all(&valgrind)?;
    let today = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let counts: Counts =
        all.iter().filter(|(id, _)| selection.matches(id)).map(|(id, count)| (id.clone(), *count)).collect();
    let (rustc, target) = (env!("BUILD_RUSTC"), env!("BUILD_TARGET"));
    let comparison = compare(&selected, &counts, rustc, target);
    if arguments.show {
        show(&counts);
    }
    print(&comparison, arguments.update);
    if arguments.update {
        let mut rows = others;
        rows.extend(accept(&selected, &counts, &valgrind, &today));
        rows.sort_by(|one, other| one.id.cmp(&other.id));
        write_baseline(&path, &rows)?;
        println!("accepted: {} ids in {}", rows.len(), path.display());
        if arguments.baseline.is_none() {
            keep(&beside(&path), &all, &sources, &valgrind, &today)?;
            println!("kept for the report: {}", beside(&path).display());
        }
        return Ok(());
    }
    if !comparison.passes() {
        if let Some(row) = selected.iter().find(|row| row.valgrind != valgrind) {
            println!("note      accepted under {}, counted under {valgrind}", row.valgrind);
        }
        return Err(Error::check(
            "the gate is closed; `varint-lab gate --update` accepts the counts on purpose",
        ));
    }
    if arguments.baseline.is_none() && read_kept(&beside(&path))?.iter().any(|row| row.sources != sources) {
        println!(
            "note      reports/counts.csv is of other sources, so the report will not show it: --update renews it"
        );
    }
    Ok(())
}

/// Counts everything: the benches are one program, and one build.
fn count_all(valgrind: &str) -> Result<Counts> {
    let total = counts::ids().len() as u64;
    eprintln!("building what is counted, then counting {total} decodes under {valgrind}: a minute or two");
    let bar = progress(total, "counting");
    let counts = count(|| bar.inc(1))?;
    bar.finish_and_clear();
    Ok(counts)
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
fn accept(before: &Baseline, counts: &Counts, valgrind: &str, today: &str) -> Baseline {
    let row = |(id, measured): (&String, &counts::Measured)| {
        let old = before.iter().find(|row| row.id == *id);
        let new = BaselineRow {
            id: id.clone(),
            instructions: measured.instructions,
            tolerance: old.map_or(DEFAULT_TOLERANCE, |row| row.tolerance),
            rustc: env!("BUILD_RUSTC").into(),
            target: env!("BUILD_TARGET").into(),
            valgrind: valgrind.into(),
            date: today.to_owned(),
        };
        match old {
            Some(old) if BaselineRow { date: today.to_owned(), ..old.clone() } == new => old.clone(),
            _ => new,
        }
    };
    counts.iter().map(row).collect()
}

/// Every count. Branches are those of valgrind's model, and what it mispredicts is no forecast for a real CPU.
fn show(counts: &Counts) {
    println!("{:58} {:>10} {:>8} {:>9} {:>8}", "id", "instr.", "per unit", "branches", "mispred.");
    for (id, measured) in counts {
        let optional = |count: Option<u64>| count.map_or("n/a".to_owned(), |count| count.to_string());
        println!(
            "{id:58} {:>10} {:>8.2} {:>9} {:>8}",
            measured.instructions,
            measured.instructions as f64 / counts::units(id) as f64,
            optional(measured.branches),
            optional(measured.mispredicted)
        );
    }
}

/// The comparison; with `all` also what moved within its tolerance.
fn print(comparison: &Comparison, all: bool) {
    let line = |word: &str, row: &counts::Row| {
        println!("{word:9} {:58} {:>9} -> {:>9} {:+.2} %", row.id, row.accepted, row.now, row.change);
    };
    let (steady, moved): (Vec<_>, Vec<_>) = comparison.rows.iter().partition(|row| row.holds());
    let near: Vec<_> = steady.into_iter().filter(|row| row.now != row.accepted).collect();
    moved.iter().for_each(|row| line("moved", row));
    near.iter().filter(|_| all).for_each(|row| line("near", row));
    for id in &comparison.new {
        println!("new       {id}");
    }
    for id in &comparison.vanished {
        println!("vanished  {id}");
    }
    for problem in &comparison.problems {
        match problem {
            Problem::Foreign { accepted, now } => {
                println!("foreign   the baseline is of {accepted}, this is {now}: their counts differ");
            }
            Problem::Nothing => println!("nothing   no id is in both the baseline and the counts"),
            Problem::Zero(id) => {
                println!("zero      {id} was accepted with 0 instructions: a broken measurement");
            }
        }
    }
    for name in counts::uncountable() {
        println!("not countable under valgrind: {name}");
    }
    println!(
        "{} of {} ids compared: {} moved, {} moved within the tolerance",
        comparison.rows.len(),
        comparison.rows.len() + comparison.new.len() + comparison.vanished.len(),
        moved.len(),
        near.len()
    );
}
