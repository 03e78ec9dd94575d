//! The contestants of the points task: a path around a variant, another layout's way, or a control.

use variants::{Class, Decoder, Info, Layout, Leb128Visitor, Standing, layout::Leb128};

use super::{CloudMode, UPSTREAM};
use crate::{
    cloud::{
        Arrangement, Cloud, CloudError, CloudErrorKind, Compression, EncodeOptions, Path, Prepared,
        PreparedContainer, encode,
    },
    measure::{
        inputs::{Format, Input},
        layouts::LayoutCalls,
        tokens::BASELINE,
    },
};

/// How a contestant fills the points.
#[derive(Clone, Copy)]
pub(in crate::measure) enum Work {
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
    pub(in crate::measure) work: Work,
}

type DecodeCall = fn(&Prepared<'_>, Path, &mut [u8]) -> std::result::Result<(), CloudError>;

/// A variant's generic code as plain calls.
#[derive(Clone, Copy)]
pub(in crate::measure) struct Calls {
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
    pub(in crate::measure) fn format(&self) -> Format {
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
pub(in crate::measure) fn proof<D: Decoder>() -> D {
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
