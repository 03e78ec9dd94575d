//! What the points task decodes: a cloud in the bytes of each contestant.

use super::{
    points::{CloudMode, PathContestant},
    stream::Stream,
};
use crate::{
    cloud::{Arrangement, Cloud, CloudError, Compression, Mode, Plan, Prepared, PreparedContainer},
    error::{Error, Result},
};

/// Points of the DRAM window, in bytes: well above any cache that one core has to itself.
const DRAM_BYTES: usize = 128 << 20;

/// What a file has to be for a contestant: `None` for cloudini's, else the container's layout and arrangement.
pub(super) type Format = Option<(&'static str, Arrangement)>;

/// A file with its header read and stage 2 undone.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// cloudini's.
    Cloudini(Prepared<'a>),
    /// The lab's own container.
    Container(PreparedContainer<'a>),
}

impl Input<'_> {
    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        match self {
            Self::Cloudini(cloud) => cloud.points(),
            Self::Container(cloud) => cloud.points(),
        }
    }

    /// Their bytes.
    #[must_use]
    pub fn point_bytes(&self) -> usize {
        match self {
            Self::Cloudini(cloud) => cloud.point_bytes(),
            Self::Container(cloud) => cloud.point_bytes(),
        }
    }

    /// The bytes of the points of the largest chunk.
    #[must_use]
    pub fn largest_chunk(&self) -> usize {
        match self {
            Self::Cloudini(cloud) => cloud.largest_chunk(),
            Self::Container(cloud) => cloud.largest_chunk(),
        }
    }

    /// The bytes of all chunks.
    #[must_use]
    pub fn encoded_bytes(&self) -> usize {
        match self {
            Self::Cloudini(cloud) => cloud.chunks().map(|(_, bytes)| bytes.len()).sum(),
            Self::Container(cloud) => cloud.encoded_bytes(),
        }
    }
}

/// A cloud in the bytes of each contestant.
pub struct Inputs(Vec<(Format, Input<'static>)>);

impl Inputs {
    /// Encodes the cloud for all of them.
    ///
    /// # Errors
    /// If a value cannot be stored on the grid, or fields share bytes.
    fn of(
        cloud: &Cloud,
        mode: CloudMode,
        contestants: &[PathContestant],
    ) -> std::result::Result<Self, CloudError> {
        let mut all: Vec<(Format, Input<'static>)> = Vec::new();
        for contestant in contestants {
            if !all.iter().any(|(format, _)| *format == contestant.format()) {
                let file = contestant.encode(cloud, mode, Compression::None)?;
                let input = match contestant.open(&file)? {
                    Input::Cloudini(cloud) => Input::Cloudini(cloud.into_owned()),
                    Input::Container(cloud) => Input::Container(cloud.into_owned()),
                };
                all.push((contestant.format(), input));
            }
        }
        Ok(Self(all))
    }

    /// What the contestant decodes.
    ///
    /// # Panics
    /// If the inputs were not made for it.
    pub(super) fn for_contestant(&self, contestant: &PathContestant) -> &Input<'static> {
        let found = self.0.iter().find(|(format, _)| *format == contestant.format());
        &found.expect("inputs are made for the contestants that are run").1
    }
}

/// Those of the contestants that can decode a capture in this mode: other layouts are held against version 4
/// alone, and have no place for fields that share bytes.
#[must_use]
pub fn able(stream: &Stream, mode: CloudMode, contestants: &[PathContestant]) -> Vec<PathContestant> {
    let overlap = |cloud: &Cloud| {
        let plan = Plan::new(&cloud.fields, cloud.point_step, mode.version(), Mode::Lossy);
        plan.is_ok_and(|plan| plan.rows_overlap)
    };
    let others = mode == CloudMode::V4 && !stream.cloud.as_ref().is_some_and(overlap);
    contestants.iter().filter(|contestant| others || !contestant.is_other_layout()).copied().collect()
}

/// A capture's cloud in the bytes of each contestant, with stage 2 off; `None` if it has none.
///
/// # Errors
/// If a value cannot be stored on the grid, or fields share bytes.
pub fn inputs(stream: &Stream, mode: CloudMode, contestants: &[PathContestant]) -> Result<Option<Inputs>> {
    let inputs = |cloud| Inputs::of(cloud, mode, contestants).map_err(|error| place(stream, mode, error));
    stream.cloud.as_ref().map(inputs).transpose()
}

/// As [`inputs`], the cloud's points over and over until they exceed any cache.
pub(super) fn large_inputs(
    stream: &Stream,
    mode: CloudMode,
    contestants: &[PathContestant],
) -> Result<Option<Inputs>> {
    let Some(cloud) = stream.cloud.as_ref().filter(|cloud| !cloud.data.is_empty()) else {
        return Ok(None);
    };
    let times = DRAM_BYTES.div_ceil(cloud.data.len());
    let width = u32::try_from(cloud.points() * times)
        .map_err(|_| Error::input(format!("{}: too many points for the DRAM window", stream.facts.name)))?;
    let large = Cloud { width, height: 1, data: cloud.data.repeat(times), ..cloud.clone() };
    Inputs::of(&large, mode, contestants).map_err(|error| place(stream, mode, error)).map(Some)
}

pub(super) fn place(stream: &Stream, mode: CloudMode, error: CloudError) -> Error {
    Error::from(error).within(format!("{}, {}", stream.facts.name, mode.name()))
}
