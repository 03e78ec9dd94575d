//! Sections into points.

use variants::{
    Decoder, Run,
    layout::{Leb128, leb128::decode_token},
};

use super::{SectionMode, index_bits, width};
use crate::cloud::{
    CloudError, CloudErrorKind, Step,
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

fn read<D: Decoder<Layout = Leb128>, const N: usize>(
    decoder: D,
    run: &mut Run<'_>,
    column: &mut Column<'_>,
) -> Result<(), SectionFlaw> {
    let [mode] = take(run)?;
    let mode = SectionMode::ALL.into_iter().find(|known| *known as u8 == mode);
    match mode.ok_or_else(|| malformed("unknown section mode"))? {
        SectionMode::DeltaVarint => {
            let mut sum = 0_i64;
            for (point, slot) in column.slots::<N>().enumerate() {
                sum = sum.wrapping_add(next_delta(decoder, run).map_err(at(point))?);
                *slot = low_bytes(sum);
            }
            Ok(())
        }
        SectionMode::Palette => read_palette::<N>(run, column),
        SectionMode::Rle => read_runs::<N>(run, column),
        SectionMode::DeltaRle => read_delta_runs::<D, N>(decoder, run, column),
    }
}

fn read_palette<const N: usize>(run: &mut Run<'_>, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
    let count = usize::from(u16::from_le_bytes(take(run)?));
    if count == 0 {
        return Err(malformed("the palette has no values"));
    }
    let (palette, rest) = run.data.split_at_checked(count * N).ok_or_else(cut_short)?;
    let (palette, _) = palette.as_chunks::<N>();
    let bits = index_bits(count) as usize;
    let (indexes, rest) = rest.split_at_checked((column.len() * bits).div_ceil(8)).ok_or_else(cut_short)?;
    run.data = rest;
    let mask = (1_u32 << bits) - 1;
    for (point, slot) in column.slots::<N>().enumerate() {
        let place = point * bits;
        let index = bits_from(&indexes[(place / 8).min(indexes.len())..]) >> (place % 8) & mask;
        *slot = *palette.get(index as usize).ok_or((
            CloudErrorKind::Malformed,
            Some(point),
            "an index is outside the palette",
        ))?;
    }
    Ok(())
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

fn read_runs<const N: usize>(run: &mut Run<'_>, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
    let runs = u32::from_le_bytes(take(run)?);
    let mut left = column.len();
    let mut slots = column.slots::<N>();
    for _ in 0..runs {
        let value = take::<N>(run)?;
        let length = run_length(run, &mut left)?;
        slots.by_ref().take(length).for_each(|slot| *slot = value);
    }
    filled(left)
}

fn read_delta_runs<D: Decoder<Layout = Leb128>, const N: usize>(
    decoder: D,
    run: &mut Run<'_>,
    column: &mut Column<'_>,
) -> Result<(), SectionFlaw> {
    let runs = u32::from_le_bytes(take(run)?);
    let points = column.len();
    let mut left = points;
    let mut slots = column.slots::<N>();
    let mut sum = 0_i64;
    for _ in 0..runs {
        let delta = next_delta(decoder, run).map_err(at(points - left))?;
        let length = run_length(run, &mut left)?;
        slots.by_ref().take(length).for_each(|slot| {
            sum = sum.wrapping_add(delta);
            *slot = low_bytes(sum);
        });
    }
    filled(left)
}

/// A run's length, taken off what is left of the chunk: plain LEB128, by the strict reader, and never 0.
fn run_length(run: &mut Run<'_>, left: &mut usize) -> Result<usize, SectionFlaw> {
    let (length, used) = decode_token(run.data)
        .map_err(|error| (kind_of(error), None, "a run's length is cut short or has more than 64 bits"))?;
    run.data = &run.data[used..];
    let length = usize::try_from(length).ok().filter(|&length| length <= *left);
    let length = length.ok_or_else(|| malformed("the runs have more points than the chunk"))?;
    if length == 0 {
        return Err(malformed("a run has no points"));
    }
    *left -= length;
    Ok(length)
}

fn filled(left: usize) -> Result<(), SectionFlaw> {
    if left == 0 { Ok(()) } else { Err(malformed("the runs end before the chunk's points")) }
}
