//! `list`: the field and the captures.

use std::io::IsTerminal;

use clap::Args;

use super::select::{Captures, Variants};
use crate::{error::Result, report};

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
    println!("{}", report::tables::variants(&Variants::default().contestants()?, colour));
    let streams = arguments.captures.streams(true)?;
    let facts: Vec<_> = streams.into_iter().map(|stream| stream.facts).collect();
    println!("{}", report::tables::captures(&facts, colour));
    Ok(())
}
