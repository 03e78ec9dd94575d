//! The points task: whole clouds in cloudini's bytes, from stage-1 chunks to point bytes, by path and variant.

use variants::{Class, Decoder, Info, Leb128Visitor, Standing, layout::Leb128};

use super::{
    record::Record,
    rounds::interleave,
    stream::Stream,
    tokens::{Aligned, BASELINE, Window, with_times},
};
use crate::{
    cloud::{Cloud, CloudError, EncodeOptions, Path, Prepared, encode},
    error::{Error, Result},
    fnv::Fnv,
};

/// What users run today: upstream's path and step since its pull request 127.
pub const UPSTREAM: &str = "per-field/leb128_fast2";

/// The baseline of this task: upstream's path around the plain loop.
pub const PLAIN: &str = "per-field/leb128_loop";

/// Points of the DRAM window, in bytes: well above any cache that one core has to itself.
const DRAM_BYTES: usize = 128 << 20;

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
enum Work {
    /// Decodes the chunks.
    Decode(Path, Calls),
    /// Copies the decoded points: what is left when decoding costs nothing.
    Copy,
    /// Writes one byte over and over: what is left when reading costs nothing, too.
    Fill,
}

/// One path around one variant, or a control.
#[derive(Clone, Copy)]
pub struct PathContestant {
    /// The path's name, or `control`.
    pub path: &'static str,
    /// The variant's name, `copy` or `fill`.
    pub variant: &'static str,
    /// The variant's own words on itself; `None` for a control.
    pub info: Option<Info>,
    work: Work,
}

type DecodeCall = fn(&Prepared<'_>, Path, &mut [u8]) -> std::result::Result<(), CloudError>;

/// A variant's generic code as plain calls.
#[derive(Clone, Copy)]
struct Calls {
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
            Work::Decode(Path::Block, _) => true,
            _ => self.info.is_some_and(|info| info.class == Class::Scalar),
        }
    }

    /// Fills `points` from `cloud`; `decoded` is what the controls copy.
    ///
    /// # Errors
    /// The decoder's.
    pub fn run(
        &self,
        cloud: &Prepared<'_>,
        decoded: &[u8],
        points: &mut [u8],
    ) -> std::result::Result<(), CloudError> {
        match self.work {
            Work::Decode(path, calls) => (calls.alone)(cloud, path, points),
            Work::Copy => {
                points.copy_from_slice(decoded);
                Ok(())
            }
            Work::Fill => {
                points.fill(std::hint::black_box(1));
                Ok(())
            }
        }
    }
}

impl PathContestant {
    /// As [`PathContestant::run`], every chunk to the front of `window`, one over the other.
    ///
    /// # Errors
    /// The decoder's.
    pub fn run_over(
        &self,
        cloud: &Prepared<'_>,
        decoded: &[u8],
        window: &mut [u8],
    ) -> std::result::Result<(), CloudError> {
        match self.work {
            Work::Decode(path, calls) => return (calls.over)(cloud, path, window),
            Work::Copy => decoded.chunks(cloud.largest_chunk().max(1)).for_each(|chunk| {
                window[..chunk.len()].copy_from_slice(std::hint::black_box(chunk));
            }),
            Work::Fill => decoded.chunks(cloud.largest_chunk().max(1)).for_each(|chunk| {
                window[..chunk.len()].fill(std::hint::black_box(1));
            }),
        }
        Ok(())
    }

    /// As [`PathContestant::run`], on rayon's threads of the current pool; a control runs alone.
    ///
    /// # Errors
    /// The decoder's.
    pub fn run_parallel(
        &self,
        cloud: &Prepared<'_>,
        points: &mut [u8],
    ) -> std::result::Result<(), CloudError> {
        match self.work {
            Work::Decode(path, calls) => (calls.parallel)(cloud, path, points),
            Work::Copy | Work::Fill => self.run(cloud, &[], points),
        }
    }
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
    let control = |variant, work| PathContestant { path: "control", variant, info: None, work };
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

fn proof<D: Decoder>() -> D {
    D::detect().expect("only decoders that run on this CPU are listed")
}

/// The ranked variant of the widest class that runs here; of several, the registry's last.
#[must_use]
pub fn widest() -> &'static str {
    let all = contestants();
    let ranked = all.iter().filter_map(|contestant| {
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
    encoded(stream, cloud, mode).map(Some)
}

/// As [`prepare`], the cloud's points over and over until they exceed any cache.
fn prepare_large(stream: &Stream, mode: CloudMode) -> Result<Option<Prepared<'static>>> {
    let Some(cloud) = stream.cloud.as_ref().filter(|cloud| !cloud.data.is_empty()) else {
        return Ok(None);
    };
    let times = DRAM_BYTES.div_ceil(cloud.data.len());
    let width = u32::try_from(cloud.points() * times)
        .map_err(|_| Error::input(format!("{}: too many points for the DRAM window", stream.facts.name)))?;
    let large = Cloud { width, height: 1, data: cloud.data.repeat(times), ..cloud.clone() };
    encoded(stream, &large, mode).map(Some)
}

fn encoded(stream: &Stream, cloud: &Cloud, mode: CloudMode) -> Result<Prepared<'static>> {
    let place =
        |error: CloudError| Error::from(error).within(format!("{}, {}", stream.facts.name, mode.name()));
    let file = encode(cloud, &EncodeOptions::lossy(mode.version())).map_err(place)?;
    Ok(Prepared::open(&file).map_err(place)?.into_owned())
}

/// Checks that every contestant gives the same points, and returns their fingerprint.
///
/// # Errors
/// Names the first contestant that differs from the first one's points.
pub fn check(cloud: &Prepared<'_>, contestants: &[PathContestant]) -> Result<(Vec<u8>, u64)> {
    let mut first: Option<(String, Vec<u8>)> = None;
    let mut points = vec![0; cloud.point_bytes()];
    for contestant in contestants.iter().filter(|contestant| contestant.info.is_some()) {
        points.fill(0);
        contestant
            .run(cloud, &[], &mut points)
            .map_err(|error| Error::check(format!("{}: {error}", contestant.name())))?;
        match &first {
            None => first = Some((contestant.name(), points.clone())),
            Some((name, expected)) => {
                if points != *expected
                    && let Some(byte) =
                        points.iter().zip(expected).position(|(got, expected)| got != expected)
                {
                    return Err(Error::check(format!(
                        "{} and {name} give different points: byte {byte} is {:#04x} and {:#04x}",
                        contestant.name(),
                        points[byte],
                        expected[byte]
                    )));
                }
            }
        }
    }
    let (_, expected) = first.ok_or_else(|| Error::check("no path was asked for"))?;
    let fingerprint = Fnv::of(&expected);
    Ok((expected, fingerprint))
}

/// Times `contestants` on one capture in one mode; `None` if it has no points. [`UPSTREAM`] and [`PLAIN`]
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
    let prepared = match window {
        Window::L2 => prepare(stream, mode)?,
        Window::Dram => prepare_large(stream, mode)?,
    };
    let Some(cloud) = prepared else { return Ok(None) };
    let (decoded, _) = check(&cloud, contestants)
        .map_err(|error| error.within(format!("{}, {}", stream.facts.name, mode.name())))?;
    let index_of = |name: &str| {
        contestants
            .iter()
            .position(|contestant| contestant.name() == name)
            .ok_or_else(|| Error::check(format!("{name} has to run for there to be ratios")))
    };
    let base = index_of(PLAIN)?;
    let upstream = index_of(UPSTREAM)?;
    let mut buffer = Aligned::<u64>::default();
    let bytes = match window {
        Window::L2 => cloud.largest_chunk(),
        Window::Dram => cloud.point_bytes(),
    };
    let words = buffer.of(bytes.div_ceil(8));
    let points = &mut bytemuck::cast_slice_mut::<u64, u8>(words)[..bytes];
    let mut failed = None;
    let times = interleave(
        contestants.len(),
        rounds,
        |index| {
            let done = match window {
                Window::L2 => contestants[index].run_over(&cloud, &decoded, points),
                Window::Dram => contestants[index].run(&cloud, &decoded, points),
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
    let encoded: usize = cloud.chunks().map(|(_, bytes)| bytes.len()).sum();
    let records = contestants.iter().enumerate().map(|(index, contestant)| {
        let (upstream_low, upstream_high) = times.spread(upstream, index);
        let identity = Record {
            task: "points".into(),
            word: "points".into(),
            arrangement: if mode == CloudMode::V4 { "rows" } else { "sections" }.into(),
            window: window.name().into(),
            capture: stream.facts.name.clone(),
            synthetic: false,
            short: stream.facts.short,
            variant: contestant.name(),
            layout: "leb128".into(),
            class: contestant.info.map_or("scalar", |info| info.class.name()).into(),
            standing: contestant.info.map_or(Standing::Control, |info| info.standing).name().into(),
            tokens: cloud.points() as u64,
            bytes_per_token: encoded as f64 / cloud.points().max(1) as f64,
            gb_per_s: Some(cloud.point_bytes() as f64 / times.min(index)),
            path: Some(contestant.path.into()),
            mode: Some(mode.name().into()),
            vs_upstream: Some(times.min(upstream) / times.min(index)),
            vs_upstream_low: Some(upstream_low),
            vs_upstream_high: Some(upstream_high),
            ..Record::default()
        };
        with_times(identity, &times, base, index, rounds)
    });
    Ok(Some(records.collect()))
}
