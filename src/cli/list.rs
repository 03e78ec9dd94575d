//! `list`: the field and the captures.

use std::io::IsTerminal;

use clap::Args;

use super::select::Captures;
use crate::{
    error::Result,
    measure::contestants,
    report::{VariantRow, captures_table, variants_table},
};

/// Arguments of `list`.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    #[command(flatten)]
    captures: Captures,
}

/// Runs the command: the variants first, which need no data.
///
/// # Errors
/// If a capture cannot be read.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let colour = std::io::stdout().is_terminal();
    let rows: Vec<VariantRow> = contestants::all()
        .into_iter()
        .map(|contestant| VariantRow {
            name: contestant.name.into(),
            class: contestant.class().into(),
            layout: contestant.layout.into(),
            standing: contestant.info.standing.name().into(),
            runs_here: contestant.runs_here,
            idea: contestant.info.idea.into(),
        })
        .collect();
    println!("{}", variants_table(&rows, colour));
    let streams = arguments.captures.streams(true)?;
    let facts: Vec<_> = streams.into_iter().map(|stream| stream.facts).collect();
    println!("{}", captures_table(&facts, colour));
    Ok(())
}
