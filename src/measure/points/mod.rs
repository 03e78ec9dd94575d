//! The points task: whole clouds, from stage-1 chunks to point bytes. cloudini's bytes by path and variant, and
//! other layouts (see [`super::layouts`]) by arrangement and variant.

mod contestant;

use variants::Standing;

pub use contestant::{PathContestant, contestants, controls, widest};
pub(super) use contestant::{Work, proof};

use super::{
    inputs::{Inputs, able, inputs, large_inputs, place},
    record::Record,
    rounds::interleave,
    stream::Stream,
    tokens::{Aligned, Window, with_times},
};
use crate::{
    cloud::{EncodeOptions, Prepared, encode},
    error::{Error, Result},
    fnv::Fnv,
};

/// What users run today: upstream's path and step since its pull request 127.
pub const UPSTREAM: &str = "per-field/leb128_fast2";

/// The baseline of this task: upstream's path around the plain loop.
pub const PLAIN: &str = "per-field/leb128_loop";

/// The version of cloudini's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CloudMode {
    /// Version 4: rows.
    V4,
    /// Version 5: rows of floats, then a section for each integer field.
    V5,
}

impl CloudMode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::V4, Self::V5];

    /// `v4` or `v5`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V4 => "v4",
            Self::V5 => "v5",
        }
    }

    /// 4 or 5.
    #[must_use]
    pub fn version(self) -> u8 {
        match self {
            Self::V4 => 4,
            Self::V5 => 5,
        }
    }
}

/// A capture's cloud in one mode, encoded, with stage 2 off.
///
/// # Errors
/// If a value cannot be stored on the grid.
pub fn prepare(stream: &Stream, mode: CloudMode) -> Result<Option<Prepared<'static>>> {
    let Some(cloud) = &stream.cloud else { return Ok(None) };
    let place = |error| place(stream, mode, error);
    let file = encode(cloud, &EncodeOptions::lossy(mode.version())).map_err(place)?;
    Ok(Some(Prepared::open(&file).map_err(place)?.into_owned()))
}

/// Checks that every contestant gives the same points, and returns them with their fingerprint.
///
/// # Errors
/// Names the first contestant that differs from the first one's points.
pub fn check(inputs: &Inputs, contestants: &[PathContestant]) -> Result<(Vec<u8>, u64)> {
    let mut first: Option<(String, Vec<u8>)> = None;
    for contestant in contestants.iter().filter(|contestant| contestant.info.is_some()) {
        let input = inputs.for_contestant(contestant);
        let mut points = vec![0; input.point_bytes()];
        contestant
            .run(input, &[], &mut points)
            .map_err(|error| Error::check(format!("{}: {error}", contestant.name())))?;
        let Some((name, expected)) = &first else {
            first = Some((contestant.name(), points));
            continue;
        };
        if points != *expected
            && let Some(byte) = points.iter().zip(expected).position(|(got, expected)| got != expected)
        {
            return Err(Error::check(format!(
                "{} and {name} give different points: byte {byte} is {:#04x} and {:#04x}",
                contestant.name(),
                points[byte],
                expected[byte]
            )));
        }
    }
    let (_, expected) = first.ok_or_else(|| Error::check("no path was asked for"))?;
    let fingerprint = Fnv::of(&expected);
    Ok((expected, fingerprint))
}

/// Times those of `contestants` that are [`able`] on one capture in one mode; `None` if it has no points. [`UPSTREAM`] and [`PLAIN`]
/// have to be among them.
///
/// # Errors
/// If a contestant's points differ from the others'.
pub fn measure(
    stream: &Stream,
    mode: CloudMode,
    window: Window,
    contestants: &[PathContestant],
    rounds: u32,
    tick: impl FnMut(),
) -> Result<Option<Vec<Record>>> {
    let contestants = &able(stream, mode, contestants)[..];
    let inputs = match window {
        Window::L2 => inputs(stream, mode, contestants)?,
        Window::Dram => large_inputs(stream, mode, contestants)?,
    };
    let Some(inputs) = inputs else { return Ok(None) };
    let (decoded, _) = check(&inputs, contestants)
        .map_err(|error| error.within(format!("{}, {}", stream.facts.name, mode.name())))?;
    let index_of = |name: &str| {
        contestants
            .iter()
            .position(|contestant| contestant.name() == name)
            .ok_or_else(|| Error::check(format!("{name} has to run for there to be ratios")))
    };
    let base = index_of(PLAIN)?;
    let upstream = index_of(UPSTREAM)?;
    let inputs: Vec<_> = contestants.iter().map(|contestant| inputs.for_contestant(contestant)).collect();
    let mut buffer = Aligned::<u64>::default();
    let bytes = match window {
        Window::L2 => inputs[base].largest_chunk(),
        Window::Dram => decoded.len(),
    };
    let words = buffer.of(bytes.div_ceil(8));
    let points = &mut bytemuck::cast_slice_mut::<u64, u8>(words)[..bytes];
    let mut failed = None;
    let times = interleave(
        contestants.len(),
        rounds,
        |index| {
            let done = match window {
                Window::L2 => contestants[index].run_over(inputs[index], &decoded, points),
                Window::Dram => contestants[index].run(inputs[index], &decoded, points),
            };
            if let Err(error) = done {
                failed = Some(Error::check(format!("{}: {error}", contestants[index].name())));
            }
        },
        tick,
    );
    if let Some(error) = failed {
        return Err(error);
    }
    let records = contestants.iter().enumerate().map(|(index, contestant)| {
        let points = inputs[index].points();
        let (upstream_low, upstream_high) = times.spread(upstream, index);
        let identity = Record {
            task: "points".into(),
            word: "points".into(),
            arrangement: match (contestant.format(), mode) {
                (Some((_, arrangement)), _) => arrangement.name(),
                (None, CloudMode::V4) => "rows",
                (None, CloudMode::V5) => "sections",
            }
            .into(),
            window: window.name().into(),
            capture: stream.facts.name.clone(),
            synthetic: false,
            short: stream.facts.short,
            variant: contestant.name(),
            layout: contestant.layout.into(),
            class: contestant.info.map_or("scalar", |info| info.class.name()).into(),
            standing: contestant.info.map_or(Standing::Control, |info| info.standing).name().into(),
            tokens: points as u64,
            bytes_per_token: inputs[index].encoded_bytes() as f64 / points.max(1) as f64,
            gb_per_s: Some(decoded.len() as f64 / times.median(index)),
            path: Some(contestant.path.into()),
            mode: (!contestant.is_other_layout()).then(|| mode.name().into()),
            vs_upstream: Some(times.median(upstream) / times.median(index)),
            vs_upstream_low: Some(upstream_low),
            vs_upstream_high: Some(upstream_high),
            ..Record::default()
        };
        with_times(identity, &times, base, index, rounds)
    });
    Ok(Some(records.collect()))
}
