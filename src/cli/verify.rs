//! `verify`: every variant on every capture against the oracle.

use std::collections::BTreeMap;

use clap::Args;

use super::select::{Captures, Variants, progress};
use crate::{
    error::{Error, Result},
    measure::{
        contestants::{Contestant, LabWord},
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
    wrong: &mut Vec<String>,
) {
    if stream.tokens(arrangement).is_none() {
        return;
    }
    let place = format!("{:16} {:7} {}", stream.facts.name, arrangement.name(), W::NAME);
    let mut buffer = Aligned::<W>::default();
    let mut same: BTreeMap<u64, usize> = BTreeMap::new();
    for contestant in contestants {
        match verify(stream, arrangement, contestant, &mut buffer) {
            Verdict::Same(fingerprint) => *same.entry(fingerprint).or_default() += 1,
            Verdict::Absent => {}
            Verdict::TooWide => {
                lines.push(format!("{place}  a token does not fit {}: left out", W::NAME));
                return;
            }
            Verdict::Wrong(error) => wrong.push(format!("{}: {place}: {error}", contestant.name)),
        }
    }
    for (fingerprint, count) in same {
        lines.push(format!("{place}  {fingerprint:#018x}  {count} variants agree with the oracle"));
    }
}
