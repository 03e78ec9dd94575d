//! Sections into points: each mode has a cursor that fills so many points at a time.

use variants::{Decoder, Run, layout::Leb128};

use super::{
    SectionMode,
    palette::Palette,
    runs::{DeltaRuns, Head, Repeat, Runs},
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
    let mut column = Column::Points { points, point_step, offset: step.offset };
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

/// Where the values of a field go.
pub(in crate::cloud) enum Column<'a> {
    /// Into the points, whose field begins at `offset`.
    Points {
        /// Whole ones.
        points: &'a mut [u8],
        /// Bytes from one to the next.
        point_step: usize,
        /// The field's first byte in each.
        offset: usize,
    },
    /// One behind the other. In memory a cell begins with the value's bytes; any others of it may be anything.
    Cells(&'a mut [u32]),
}

impl<'a> Column<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Points { points, point_step, .. } => points.len() / point_step,
            Self::Cells(cells) => cells.len(),
        }
    }

    /// The first `count` places of values, which are there, and are then no longer in the column.
    pub(super) fn take(&mut self, count: usize) -> Column<'a> {
        match self {
            Self::Points { points, point_step, offset } => {
                let (point_step, offset) = (*point_step, *offset);
                let (taken, rest) = std::mem::take(points).split_at_mut(count * point_step);
                *points = rest;
                Column::Points { points: taken, point_step, offset }
            }
            Self::Cells(cells) => {
                let (taken, rest) = std::mem::take(cells).split_at_mut(count);
                *cells = rest;
                Column::Cells(taken)
            }
        }
    }

    /// Puts a value at each place, in order; the first error ends it.
    #[inline(always)]
    pub(super) fn fill<const N: usize, E>(
        self,
        mut value: impl FnMut() -> Result<[u8; N], E>,
    ) -> Result<(), E> {
        match self {
            Self::Points { points, point_step, offset } => {
                for point in points.chunks_exact_mut(point_step) {
                    point[offset..offset + N].copy_from_slice(&value()?);
                }
            }
            Self::Cells(cells) => {
                for slot in cells {
                    *slot = cell(value()?);
                }
            }
        }
        Ok(())
    }
}

/// The cell of a value. A longer one has no cell: it keeps what fits.
#[inline(always)]
pub(super) fn cell<const N: usize>(value: [u8; N]) -> u32 {
    u32::from_ne_bytes(std::array::from_fn(|byte| if byte < N { value[byte] } else { 0 }))
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
        let (mut sum, mut points) = (0_i64, 0..);
        return column.take(column.len()).fill(|| {
            let point = points.next().unwrap_or_default();
            sum = sum.wrapping_add(next_delta(decoder, run).map_err(at(point))?);
            Ok(low_bytes::<N>(sum))
        });
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
            Self::Runs(runs) => runs.fill(decoder, column),
            Self::DeltaRuns(runs) => runs.fill::<N>(decoder, column),
        }
    }

    /// What follows the section, once it has been filled.
    fn end(self, decoder: &dyn Bulk) -> Result<Run<'a>, SectionFlaw> {
        match self {
            Self::Palette(palette) => Ok(palette.behind),
            Self::Runs(runs) => runs.end(decoder),
            Self::DeltaRuns(runs) => runs.end(decoder),
        }
    }
}

/// A section of another mode than `DeltaVarint`, to be filled a window of points at a time.
pub(in crate::cloud) struct Section<'a>(AnyWidth<'a>);

enum AnyWidth<'a> {
    Two(Cursor<'a, 2>),
    Four(Cursor<'a, 4>),
    Eight(Cursor<'a, 8>),
}

impl<'a> Section<'a> {
    /// Opens the section at the front of `run` and moves `run` behind it; `None` if it holds tokens, with
    /// `run` at the first one.
    ///
    /// # Errors
    /// If the section contradicts itself or is cut short.
    pub(in crate::cloud) fn open(
        decoder: &dyn Bulk,
        step: &Step,
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
        cursor.map(|cursor| Some(Self(cursor))).map_err(|flaw| flaw.0)
    }

    /// Fills the field of the next points. Cells are for values of 4 bytes at most.
    ///
    /// # Errors
    /// As [`read_section`].
    pub(in crate::cloud) fn fill(
        &mut self,
        decoder: &dyn Bulk,
        mut column: Column<'_>,
    ) -> Result<(), CloudErrorKind> {
        let done = match &mut self.0 {
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
