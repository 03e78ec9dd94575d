//! `verify`: every variant on every capture against the oracle.

use clap::Args;

use super::select::{Captures, Variants, progress};
use crate::{
    error::{Error, Result},
    measure::{
        contestants::{Contestant, LabWord},
        inputs::{able, inputs},
        points::{self, CloudMode, PathContestant},
        stream::{Arrangement, Stream},
        tokens::Aligned,
        verify::{Verdict, verify},
    },
};

/// Mistakes that are shown; one decoder that is wrong everywhere would fill the screen.
const SHOWN: usize = 10;

/// Arguments of `verify`.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    #[command(flatten)]
    captures: Captures,
    #[command(flatten)]
    variants: Variants,
}

/// Runs the command.
///
/// # Errors
/// On unknown names or unreadable captures, and if any variant is wrong.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let streams = arguments.captures.streams(true)?;
    let contestants = arguments.variants.contestants()?;
    for line in check_all(&streams, &contestants)? {
        println!("{line}");
    }
    for line in check_clouds(&streams, &arguments.variants.named_paths()?)? {
        println!("{line}");
    }
    Ok(())
}

/// Verifies every contestant on every stream; a line a stream, word and arrangement.
///
/// # Errors
/// Names every variant that is wrong.
pub(super) fn check_all(streams: &[Stream], contestants: &[Contestant]) -> Result<Vec<String>> {
    let bar = progress(streams.len() as u64 * 4, "verify");
    let mut lines = Vec::new();
    let mut wrong = Vec::new();
    for stream in streams {
        bar.set_message(format!("verify {}", stream.facts.name));
        for arrangement in [Arrangement::Rows, Arrangement::Columns] {
            check_one::<u32>(stream, arrangement, contestants, &mut lines, &mut wrong);
            check_one::<u64>(stream, arrangement, contestants, &mut lines, &mut wrong);
            bar.inc(2);
        }
    }
    bar.finish_and_clear();
    let absent: Vec<_> = contestants
        .iter()
        .filter(|contestant| !contestant.runs_here)
        .map(|contestant| contestant.name)
        .collect();
    if !absent.is_empty() {
        lines.push(format!("not run on this CPU: {}", absent.join(", ")));
    }
    match wrong.len() {
        0 => Ok(lines),
        count if count > SHOWN => {
            let rest = format!("... and {} more", count - SHOWN);
            Err(Error::check(format!("{}\n{rest}", wrong[..SHOWN].join("\n"))))
        }
        _ => Err(Error::check(wrong.join("\n"))),
    }
}

fn check_one<W: LabWord>(
    stream: &Stream,
    arrangement: Arrangement,
    contestants: &[Contestant],
    lines: &mut Vec<String>,
    mistakes: &mut Vec<String>,
) {
    let place = format!("{:16} {:7} {}", stream.facts.name, arrangement.name(), W::NAME);
    match verify(stream, arrangement, contestants, &mut Aligned::<W>::default()) {
        Verdict::NoStream => {}
        Verdict::TooWide => lines.push(format!("{place}  a token does not fit {}: left out", W::NAME)),
        Verdict::Compared { fingerprint, agree, wrong } => {
            lines.push(format!("{place}  {fingerprint:#018x}  {agree} variants agree with the oracle"));
            mistakes.extend(wrong.iter().map(|error| format!("{place}: {error}")));
        }
    }
}

/// Checks that every path around every LEB128 variant, and every other layout's in both arrangements, gives the
/// same points; a line for each capture and mode.
///
/// # Errors
/// Names the first contestant that differs.
pub(super) fn check_clouds(streams: &[Stream], contestants: &[PathContestant]) -> Result<Vec<String>> {
    let bar = progress(streams.len() as u64 * 2, "verify points");
    let mut lines = Vec::new();
    for stream in streams {
        for mode in CloudMode::ALL {
            let place = format!("{:16} points {}", stream.facts.name, mode.name());
            let contestants = able(stream, mode, contestants);
            if let Some(inputs) = inputs(stream, mode, &contestants)?.filter(|_| !contestants.is_empty()) {
                let (_, fingerprint) =
                    points::check(&inputs, &contestants).map_err(|error| error.within(place.trim_end()))?;
                lines.push(format!(
                    "{place:27}  {fingerprint:#018x}  {} paths and variants agree",
                    contestants.len()
                ));
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(lines)
}
