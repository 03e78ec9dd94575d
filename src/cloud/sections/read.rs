//! Sections into points: each mode has a cursor that fills so many points at a time.

use variants::{
    Decoder, Run,
    layout::{
        Leb128,
        leb128::{decode_token, delta_of_token},
    },
};

use super::{SectionMode, index_bits, width};
use crate::cloud::{
    CloudError, CloudErrorKind, Step,
    bulk::Bulk,
    read::{kind_of, low_bytes, next_delta, words},
};

/// Where in a section something is wrong: the point, if it is a value.
type SectionFlaw = (CloudErrorKind, Option<usize>, &'static str);

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
struct Column<'a> {
    points: &'a mut [u8],
    point_step: usize,
    offset: usize,
}

impl Column<'_> {
    fn len(&self) -> usize {
        self.points.len() / self.point_step
    }

    /// The field's bytes, point after point.
    fn slots<const N: usize>(&mut self) -> impl Iterator<Item = &mut [u8; N]> {
        let offset = self.offset;
        self.points.chunks_exact_mut(self.point_step).map(move |point| {
            point[offset..].first_chunk_mut().expect("the plan checked that the field lies inside the point")
        })
    }
}

fn at(point: usize) -> impl Fn(CloudErrorKind) -> SectionFlaw {
    move |kind| (kind, Some(point), words(kind))
}

fn malformed(what: &'static str) -> SectionFlaw {
    (CloudErrorKind::Malformed, None, what)
}

fn cut_short() -> SectionFlaw {
    (CloudErrorKind::Truncated, None, "the bytes end inside the section's bookkeeping, or before it")
}

/// The next `N` bytes of bookkeeping.
fn take<const N: usize>(run: &mut Run<'_>) -> Result<[u8; N], SectionFlaw> {
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

struct Palette<'a, const N: usize> {
    values: &'a [[u8; N]],
    indexes: &'a [u8],
    bits: usize,
    /// Points that have been filled.
    filled: usize,
    behind: Run<'a>,
}

impl<'a, const N: usize> Palette<'a, N> {
    fn open(run: &mut Run<'a>, points: usize) -> Result<Self, SectionFlaw> {
        let count = usize::from(u16::from_le_bytes(take(run)?));
        if count == 0 {
            return Err(malformed("the palette has no values"));
        }
        let (values, rest) = run.data.split_at_checked(count * N).ok_or_else(cut_short)?;
        let bits = index_bits(count) as usize;
        let (indexes, rest) = rest.split_at_checked((points * bits).div_ceil(8)).ok_or_else(cut_short)?;
        let (values, _) = values.as_chunks::<N>();
        Ok(Self { values, indexes, bits, filled: 0, behind: Run { data: rest, ..*run } })
    }

    fn fill(&mut self, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
        let (bits, mask, values) = (self.bits, self.mask(), self.values);
        let mut filled = self.filled;
        let eights = if filled.is_multiple_of(8) { column.len() / 8 } else { 0 };
        let indexes = self.indexes.get(filled / 8 * bits..).unwrap_or_default();
        let mut slots = column.slots::<N>();
        // Eight indexes take as many bytes as an index has bits. Four of them lie in 64 bits, wherever they start.
        let second = 4 * bits;
        for bytes in (0..eights).map(|eight| &indexes[eight * bits..]) {
            let Some(bytes) = bytes.first_chunk::<16>() else { break };
            let from = |bit: usize| {
                let word = bytes[bit / 8..].first_chunk().expect("bit 64 at most is asked for");
                u64::from_le_bytes(*word) >> (bit % 8)
            };
            for half in [from(0), from(second)] {
                for (index, slot) in (0..4).zip(&mut slots) {
                    *slot = value(values, filled, (half >> (index * bits)) as u32 & mask)?;
                    filled += 1;
                }
            }
        }
        for slot in slots {
            let place = filled * bits;
            let bytes = &self.indexes[(place / 8).min(self.indexes.len())..];
            *slot = value(values, filled, bits_from(bytes) >> (place % 8) & mask)?;
            filled += 1;
        }
        self.filled = filled;
        Ok(())
    }

    fn mask(&self) -> u32 {
        (1 << self.bits) - 1
    }
}

#[inline(always)]
fn value<const N: usize>(values: &[[u8; N]], point: usize, index: u32) -> Result<[u8; N], SectionFlaw> {
    let value = values.get(index as usize);
    value.copied().ok_or((CloudErrorKind::Malformed, Some(point), "an index is outside the palette"))
}

/// The first 4 bytes as a number; bytes that are not there count as 0. An index has 16 bits at most, so it
/// lies in them wherever in the first byte it starts.
#[inline(always)]
fn bits_from(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or_else(
        || bytes.iter().take(4).rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte)),
        |bytes| u32::from_le_bytes(*bytes),
    )
}

/// What both kinds of runs have in common.
struct Head<'a> {
    /// From the next run on.
    run: Run<'a>,
    /// Runs that have not been read.
    runs: u32,
    /// Points of the section, and how many of them runs that have been read are for.
    points: usize,
    promised: usize,
    /// Points of the last run that have not been filled.
    repeat: usize,
}

impl<'a> Head<'a> {
    fn open(run: &mut Run<'a>, points: usize) -> Result<Self, SectionFlaw> {
        let runs = u32::from_le_bytes(take(run)?);
        Ok(Self { run: *run, runs, points, promised: 0, repeat: 0 })
    }

    fn is_open(&self) -> bool {
        self.runs > 0
    }

    /// A run's length, behind its value: plain LEB128, by the strict reader, and never 0.
    fn read_length(&mut self) -> Result<(), SectionFlaw> {
        let (length, used) = decode_token(self.run.data).map_err(|error| {
            (kind_of(error), None, "a run's length is cut short or has more than 64 bits")
        })?;
        self.run.data = &self.run.data[used..];
        let length = usize::try_from(length).ok().filter(|&length| length <= self.points - self.promised);
        let length = length.ok_or_else(|| malformed("the runs have more points than the chunk"))?;
        if length == 0 {
            return Err(malformed("a run has no points"));
        }
        self.runs -= 1;
        self.promised += length;
        self.repeat = length;
        Ok(())
    }

    /// Takes at most so many points off the run.
    fn take(&mut self, points: usize) -> usize {
        let taken = self.repeat.min(points);
        self.repeat -= taken;
        taken
    }
}

fn runs_end_early() -> SectionFlaw {
    malformed("the runs end before the chunk's points")
}

/// Runs of a value.
struct Runs<'a, const N: usize> {
    head: Head<'a>,
    value: [u8; N],
}

impl<const N: usize> Runs<'_, N> {
    fn next(&mut self) -> Result<(), SectionFlaw> {
        self.value = take(&mut self.head.run)?;
        self.head.read_length()
    }

    fn fill(&mut self, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
        let mut left = column.len();
        let mut slots = column.slots::<N>();
        while left > 0 {
            if self.head.repeat == 0 {
                if !self.head.is_open() {
                    return Err(runs_end_early());
                }
                self.next()?;
            }
            let length = self.head.take(left);
            slots.by_ref().take(length).for_each(|slot| *slot = self.value);
            left -= length;
        }
        Ok(())
    }
}

/// Runs of a delta.
struct DeltaRuns<'a> {
    head: Head<'a>,
    delta: i64,
    sum: i64,
}

impl DeltaRuns<'_> {
    fn next(&mut self, decoder: &dyn Bulk) -> Result<(), SectionFlaw> {
        let token = decoder.next(&mut self.head.run).map_err(kind_of);
        let delta = token.and_then(|token| delta_of_token(token).ok_or(CloudErrorKind::NanMarker));
        self.delta = delta.map_err(at(self.head.promised))?;
        self.head.read_length()
    }

    fn fill<const N: usize>(
        &mut self,
        decoder: &dyn Bulk,
        column: &mut Column<'_>,
    ) -> Result<(), SectionFlaw> {
        let mut left = column.len();
        let mut slots = column.slots::<N>();
        while left > 0 {
            if self.head.repeat == 0 {
                if !self.head.is_open() {
                    return Err(runs_end_early());
                }
                self.next(decoder)?;
            }
            let length = self.head.take(left);
            slots.by_ref().take(length).for_each(|slot| {
                self.sum = self.sum.wrapping_add(self.delta);
                *slot = low_bytes(self.sum);
            });
            left -= length;
        }
        Ok(())
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
        Ok(Some(Self { cursor: cursor.map_err(|flaw| flaw.0)?, offset: step.offset }))
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
