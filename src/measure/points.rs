//! The points task: whole clouds, from stage-1 chunks to point bytes. cloudini's bytes by path and variant, and
//! other layouts (see [`super::layouts`]) by arrangement and variant.

use variants::{Class, Decoder, Info, Layout, Leb128Visitor, Standing, layout::Leb128};

use super::{
    inputs::{Format, Input, Inputs, able, inputs, large_inputs, place},
    layouts::LayoutCalls,
    record::Record,
    rounds::interleave,
    stream::Stream,
    tokens::{Aligned, BASELINE, Window, with_times},
};
use crate::{
    cloud::{
        Arrangement, Cloud, CloudError, CloudErrorKind, Compression, EncodeOptions, Path, Prepared,
        PreparedContainer, encode,
    },
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

/// How a contestant fills the points.
#[derive(Clone, Copy)]
pub(super) enum Work {
    /// Decodes cloudini's chunks.
    Decode(Path, Calls),
    /// Decodes those of the lab's own container.
    Layout(Arrangement, LayoutCalls),
    /// Copies the decoded points: what is left when decoding costs nothing.
    Copy,
    /// Writes one byte over and over: what is left when reading costs nothing, too.
    Fill,
}

/// One path around one variant, or a control.
#[derive(Clone, Copy)]
pub struct PathContestant {
    /// The path's name, or `control`; of other layouts the arrangement's.
    pub path: &'static str,
    /// The variant's name, `copy` or `fill`.
    pub variant: &'static str,
    /// The layout of its tokens; a control's is that of the others' V4.
    pub layout: &'static str,
    /// The variant's own words on itself; `None` for a control.
    pub info: Option<Info>,
    pub(super) work: Work,
}

type DecodeCall = fn(&Prepared<'_>, Path, &mut [u8]) -> std::result::Result<(), CloudError>;

/// A variant's generic code as plain calls.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    /// The whole cloud.
    alone: DecodeCall,
    /// Chunk after chunk, one over the other.
    over: DecodeCall,
    /// On rayon's threads of the current pool.
    parallel: DecodeCall,
}

impl PathContestant {
    /// `path/variant`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.path, self.variant)
    }

    /// Whether the path shows the variant at work: bulk decoders fall back on plain code where one token is
    /// asked for at a time, and a path that is an experiment differs in something else than the variant, for
    /// which upstream's is enough.
    #[must_use]
    pub fn has_its_say(&self) -> bool {
        match self.work {
            Work::Decode(path, _) if path.is_experiment() => {
                UPSTREAM.ends_with(&format!("/{}", self.variant))
            }
            Work::Decode(Path::Block, _) | Work::Layout(..) => true,
            _ => self.info.is_some_and(|info| info.class == Class::Scalar),
        }
    }

    /// Whether it decodes other bytes than cloudini's.
    #[must_use]
    pub fn is_other_layout(&self) -> bool {
        self.format().is_some()
    }

    /// What a file has to be for it.
    pub(super) fn format(&self) -> Format {
        match self.work {
            Work::Layout(arrangement, _) => Some((self.layout, arrangement)),
            Work::Decode(..) | Work::Copy | Work::Fill => None,
        }
    }

    /// A cloud as a file that the contestant decodes: of this mode if it is cloudini's.
    ///
    /// # Errors
    /// The encoder's.
    pub fn encode(
        &self,
        cloud: &Cloud,
        mode: CloudMode,
        compression: Compression,
    ) -> std::result::Result<Vec<u8>, CloudError> {
        match self.work {
            Work::Layout(arrangement, calls) => (calls.encode)(cloud, arrangement, compression),
            _ => encode(cloud, &EncodeOptions { compression, ..EncodeOptions::lossy(mode.version()) }),
        }
    }

    /// Opens such a file.
    ///
    /// # Errors
    /// If it is none.
    pub fn open<'a>(&self, file: &'a [u8]) -> std::result::Result<Input<'a>, CloudError> {
        match self.work {
            Work::Layout(..) => PreparedContainer::open(file).map(Input::Container),
            _ => Prepared::open(file).map(Input::Cloudini),
        }
    }

    /// Fills `points` from `input`; `decoded` is what the controls copy.
    ///
    /// # Errors
    /// The decoder's; `Header` if the input is in another format than the contestant's.
    pub fn run(
        &self,
        input: &Input<'_>,
        decoded: &[u8],
        points: &mut [u8],
    ) -> std::result::Result<(), CloudError> {
        match (self.work, input) {
            (Work::Decode(path, calls), Input::Cloudini(cloud)) => (calls.alone)(cloud, path, points),
            (Work::Layout(_, calls), Input::Container(cloud)) => (calls.alone)(cloud, points),
            (Work::Copy, _) => {
                points.copy_from_slice(decoded);
                Ok(())
            }
            (Work::Fill, _) => {
                points.fill(std::hint::black_box(1));
                Ok(())
            }
            _ => Err(other_format()),
        }
    }

    /// As [`PathContestant::run`], every chunk to the front of `window`, one over the other.
    ///
    /// # Errors
    /// As [`PathContestant::run`].
    pub fn run_over(
        &self,
        input: &Input<'_>,
        decoded: &[u8],
        window: &mut [u8],
    ) -> std::result::Result<(), CloudError> {
        match (self.work, input) {
            (Work::Decode(path, calls), Input::Cloudini(cloud)) => return (calls.over)(cloud, path, window),
            (Work::Layout(_, calls), Input::Container(cloud)) => return (calls.over)(cloud, window),
            (Work::Copy, _) => decoded.chunks(input.largest_chunk().max(1)).for_each(|chunk| {
                window[..chunk.len()].copy_from_slice(std::hint::black_box(chunk));
            }),
            (Work::Fill, _) => decoded.chunks(input.largest_chunk().max(1)).for_each(|chunk| {
                window[..chunk.len()].fill(std::hint::black_box(1));
            }),
            _ => return Err(other_format()),
        }
        Ok(())
    }

    /// As [`PathContestant::run`], on rayon's threads of the current pool; a control runs alone.
    ///
    /// # Errors
    /// As [`PathContestant::run`].
    pub fn run_parallel(&self, input: &Input<'_>, points: &mut [u8]) -> std::result::Result<(), CloudError> {
        match (self.work, input) {
            (Work::Decode(path, calls), Input::Cloudini(cloud)) => (calls.parallel)(cloud, path, points),
            (Work::Layout(_, calls), Input::Container(cloud)) => (calls.parallel)(cloud, points),
            _ => self.run(input, &[], points),
        }
    }
}

fn other_format() -> CloudError {
    CloudError::new(CloudErrorKind::Header, "the file is in another format than the decoder's")
}

/// Every path around every LEB128 variant that runs here.
#[must_use]
pub fn contestants() -> Vec<PathContestant> {
    let mut collector = Collector(Vec::new());
    variants::visit_leb128(&mut collector);
    collector.0
}

/// The limits that the contestants are held against.
#[must_use]
pub fn controls() -> [PathContestant; 2] {
    let control =
        |variant, work| PathContestant { path: "control", variant, layout: Leb128::NAME, info: None, work };
    [control("copy", Work::Copy), control("fill", Work::Fill)]
}

struct Collector(Vec<PathContestant>);

impl Leb128Visitor for Collector {
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str) {
        if D::detect().is_none() {
            return;
        }
        for path in Path::ALL {
            self.0.push(PathContestant {
                path: path.name(),
                variant: name,
                layout: D::Layout::NAME,
                info: Some(D::INFO),
                work: Work::Decode(
                    path,
                    Calls {
                        alone: |cloud, path, points| cloud.decode_into(proof::<D>(), path, points),
                        over: |cloud, path, window| cloud.decode_over(proof::<D>(), path, window),
                        parallel: |cloud, path, points| {
                            cloud.decode_into_parallel(proof::<D>(), path, points)
                        },
                    },
                ),
            });
        }
    }
}

/// The decoder of a contestant that was found to run here.
pub(super) fn proof<D: Decoder>() -> D {
    D::detect().expect("only decoders that run on this CPU are listed")
}

/// The ranked variant of the widest class among these; of several, the last.
#[must_use]
pub fn widest(contestants: &[PathContestant]) -> &'static str {
    let ranked = contestants.iter().filter_map(|contestant| {
        let info = contestant.info.filter(|info| info.standing == Standing::Ranked)?;
        Some((info.class, contestant.variant))
    });
    ranked.max_by_key(|(class, _)| *class).map_or(BASELINE, |(_, variant)| variant)
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
