//! Sections into points: each mode has a cursor that fills so many points at a time.

use variants::{Decoder, Run, layout::Leb128};

use super::{
    SectionMode,
    palette::Palette,
    runs::{DeltaRuns, Head, Runs},
    width,
};
use crate::cloud::{
    CloudError, CloudErrorKind, Step,
    bulk::Bulk,
    read::{low_bytes, next_delta, words},
};

/// Where in a section something is wrong: the point, if it is a value.
pub(super) type SectionFlaw = (CloudErrorKind, Option<usize>, &'static str);

/// Reads one field's section from the front of `run` into the chunk's points.
///
/// # Errors
/// With the field, and the point within the chunk where a value is wrong. `Malformed` says that the section
/// contradicts itself: an unknown mode, a palette without values, an index outside it, runs that do not fill
/// the chunk exactly.
pub(in crate::cloud) fn read_section<D: Decoder<Layout = Leb128>>(
    decoder: D,
    step: &Step,
    run: &mut Run<'_>,
    point_step: usize,
    points: &mut [u8],
) -> Result<(), CloudError> {
    let mut column = Column { points, point_step, offset: step.offset };
    let done = match width(step) {
        2 => read::<D, 2>(decoder, run, &mut column),
        4 => read::<D, 4>(decoder, run, &mut column),
        _ => read::<D, 8>(decoder, run, &mut column),
    };
    done.map_err(|(kind, point, what)| {
        let error = CloudError { point, ..CloudError::new(kind, what) };
        error.in_field(&step.name)
    })
}

/// One field of all points of a chunk.
pub(super) struct Column<'a> {
    points: &'a mut [u8],
    point_step: usize,
    offset: usize,
}

impl Column<'_> {
    pub(super) fn len(&self) -> usize {
        self.points.len() / self.point_step
    }

    /// The field's bytes, point after point.
    pub(super) fn slots<const N: usize>(&mut self) -> impl Iterator<Item = &mut [u8; N]> {
        let offset = self.offset;
        self.points.chunks_exact_mut(self.point_step).map(move |point| {
            point[offset..].first_chunk_mut().expect("the plan checked that the field lies inside the point")
        })
    }
}

pub(super) fn at(point: usize) -> impl Fn(CloudErrorKind) -> SectionFlaw {
    move |kind| (kind, Some(point), words(kind))
}

pub(super) fn malformed(what: &'static str) -> SectionFlaw {
    (CloudErrorKind::Malformed, None, what)
}

pub(super) fn cut_short() -> SectionFlaw {
    (CloudErrorKind::Truncated, None, "the bytes end inside the section's bookkeeping, or before it")
}

/// The next `N` bytes of bookkeeping.
pub(super) fn take<const N: usize>(run: &mut Run<'_>) -> Result<[u8; N], SectionFlaw> {
    let (bytes, rest) = run.data.split_first_chunk().ok_or_else(cut_short)?;
    run.data = rest;
    Ok(*bytes)
}

/// The cursor of a section whose mode is not `DeltaVarint`, opened at the section's start.
enum Cursor<'a, const N: usize> {
    Palette(Palette<'a, N>),
    Runs(Runs<'a, N>),
    DeltaRuns(DeltaRuns<'a>),
}

fn mode_of(run: &mut Run<'_>) -> Result<SectionMode, SectionFlaw> {
    let [mode] = take(run)?;
    let mode = SectionMode::ALL.into_iter().find(|known| *known as u8 == mode);
    mode.ok_or_else(|| malformed("unknown section mode"))
}

fn read<D: Decoder<Layout = Leb128>, const N: usize>(
    decoder: D,
    run: &mut Run<'_>,
    column: &mut Column<'_>,
) -> Result<(), SectionFlaw> {
    let mode = mode_of(run)?;
    if mode == SectionMode::DeltaVarint {
        let mut sum = 0_i64;
        for (point, slot) in column.slots::<N>().enumerate() {
            sum = sum.wrapping_add(next_delta(decoder, run).map_err(at(point))?);
            *slot = low_bytes(sum);
        }
        return Ok(());
    }
    let mut cursor = Cursor::<N>::open(mode, run, column.len())?;
    cursor.fill(&decoder, column)?;
    *run = cursor.end(&decoder)?;
    Ok(())
}

impl<'a, const N: usize> Cursor<'a, N> {
    /// The cursor of a section of so many points, whose mode has been read.
    fn open(mode: SectionMode, run: &mut Run<'a>, points: usize) -> Result<Self, SectionFlaw> {
        Ok(match mode {
            SectionMode::Palette => Self::Palette(Palette::open(run, points)?),
            SectionMode::Rle => Self::Runs(Runs { head: Head::open(run, points)?, value: [0; N] }),
            SectionMode::DeltaRle => {
                Self::DeltaRuns(DeltaRuns { head: Head::open(run, points)?, delta: 0, sum: 0 })
            }
            SectionMode::DeltaVarint => unreachable!("tokens are read without a cursor"),
        })
    }

    /// Fills the next points of the section.
    fn fill(&mut self, decoder: &dyn Bulk, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
        match self {
            Self::Palette(palette) => palette.fill(column),
            Self::Runs(runs) => runs.fill(column),
            Self::DeltaRuns(runs) => runs.fill::<N>(decoder, column),
        }
    }

    /// What follows the section, once it has been filled.
    fn end(self, decoder: &dyn Bulk) -> Result<Run<'a>, SectionFlaw> {
        match self {
            Self::Palette(palette) => Ok(palette.behind),
            Self::Runs(mut runs) => {
                while runs.head.is_open() {
                    runs.next()?;
                }
                Ok(runs.head.run)
            }
            Self::DeltaRuns(mut runs) => {
                while runs.head.is_open() {
                    runs.next(decoder)?;
                }
                Ok(runs.head.run)
            }
        }
    }
}

/// A section of another mode than `DeltaVarint`, to be filled a window of points at a time.
pub(in crate::cloud) struct Section<'a> {
    cursor: AnyWidth<'a>,
    offset: usize,
}

enum AnyWidth<'a> {
    Two(Cursor<'a, 2>),
    Four(Cursor<'a, 4>),
    Eight(Cursor<'a, 8>),
}

impl<'a> Section<'a> {
    /// Opens the section at the front of `run`, whose values go to `offset` in the points that will be filled, and
    /// moves `run` behind it; `None` if it holds tokens, with `run` at the first one.
    ///
    /// # Errors
    /// If the section contradicts itself or is cut short.
    pub(in crate::cloud) fn open(
        decoder: &dyn Bulk,
        step: &Step,
        offset: usize,
        run: &mut Run<'a>,
        points: usize,
    ) -> Result<Option<Self>, CloudErrorKind> {
        let mode = mode_of(run).map_err(|flaw| flaw.0)?;
        if mode == SectionMode::DeltaVarint {
            return Ok(None);
        }
        let cursor = match width(step) {
            2 => opened(decoder, mode, run, points).map(AnyWidth::Two),
            4 => opened(decoder, mode, run, points).map(AnyWidth::Four),
            _ => opened(decoder, mode, run, points).map(AnyWidth::Eight),
        };
        Ok(Some(Self { cursor: cursor.map_err(|flaw| flaw.0)?, offset }))
    }

    /// Fills the field of the next points.
    ///
    /// # Errors
    /// As [`read_section`].
    pub(in crate::cloud) fn fill(
        &mut self,
        decoder: &dyn Bulk,
        point_step: usize,
        points: &mut [u8],
    ) -> Result<(), CloudErrorKind> {
        let mut column = Column { points, point_step, offset: self.offset };
        let done = match &mut self.cursor {
            AnyWidth::Two(cursor) => cursor.fill(decoder, &mut column),
            AnyWidth::Four(cursor) => cursor.fill(decoder, &mut column),
            AnyWidth::Eight(cursor) => cursor.fill(decoder, &mut column),
        };
        done.map_err(|flaw| flaw.0)
    }
}

/// The cursor of a section, with `run` moved behind it.
fn opened<'a, const N: usize>(
    decoder: &dyn Bulk,
    mode: SectionMode,
    run: &mut Run<'a>,
    points: usize,
) -> Result<Cursor<'a, N>, SectionFlaw> {
    let mut start = *run;
    *run = Cursor::<N>::open(mode, run, points)?.end(decoder)?;
    Cursor::open(mode, &mut start, points)
}
