//! The mode that indexes a palette of values.

use variants::Run;

use super::{
    index_bits,
    read::{Column, SectionFlaw, cell, cut_short, malformed, take},
};
use crate::cloud::CloudErrorKind;

/// The cursor of a section of indexes, each of as few bits as the palette allows.
pub(super) struct Palette<'a, const N: usize> {
    values: &'a [[u8; N]],
    indexes: &'a [u8],
    bits: usize,
    /// Points that have been filled.
    filled: usize,
    pub(super) behind: Run<'a>,
}

impl<'a, const N: usize> Palette<'a, N> {
    pub(super) fn open(run: &mut Run<'a>, points: usize) -> Result<Self, SectionFlaw> {
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

    pub(super) fn fill(&mut self, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
        let (bits, values) = (self.bits, self.values);
        let indexes = self.indexes.get(self.filled / 8 * bits..).unwrap_or_default();
        // Eight indexes take as many bytes as an index has bits.
        let whole = (indexes.len() + bits).saturating_sub(READ).checked_div(bits).unwrap_or(0);
        let eights = if self.filled.is_multiple_of(8) { whole.min(column.len() / 8) } else { 0 };
        let fill = [
            None,
            Some(fill_eights::<1, N> as Fill<N>),
            Some(fill_eights::<2, N>),
            Some(fill_eights::<3, N>),
            Some(fill_eights::<4, N>),
            Some(fill_eights::<5, N>),
            Some(fill_eights::<6, N>),
            Some(fill_eights::<7, N>),
            Some(fill_eights::<8, N>),
            Some(fill_eights::<9, N>),
            Some(fill_eights::<10, N>),
            Some(fill_eights::<11, N>),
            Some(fill_eights::<12, N>),
            Some(fill_eights::<13, N>),
            Some(fill_eights::<14, N>),
            Some(fill_eights::<15, N>),
            Some(fill_eights::<16, N>),
        ];
        if let Some(fill) = fill[bits] {
            fill(values, indexes, column.take(8 * eights)).map_err(|point| outside(self.filled + point))?;
            self.filled += 8 * eights;
        }
        let (indexes, mask) = (self.indexes, (1 << bits) - 1);
        column.take(column.len()).fill(|| {
            let place = self.filled * bits;
            let bytes = &indexes[(place / 8).min(indexes.len())..];
            let index = bits_from(bytes) >> (place % 8) & mask;
            let value = values.get(index as usize).copied().ok_or_else(|| outside(self.filled))?;
            self.filled += 1;
            Ok(value)
        })
    }
}

fn outside(point: usize) -> SectionFlaw {
    (CloudErrorKind::Malformed, Some(point), "an index is outside the palette")
}

/// Bytes that are read for eight indexes.
const READ: usize = 16;

/// Fills whole eights of places, [`READ`] bytes of indexes from each; the error is the first place whose index is
/// outside the palette.
type Fill<const N: usize> = fn(&[[u8; N]], &[u8], Column<'_>) -> Result<(), usize>;

fn fill_eights<const BITS: usize, const N: usize>(
    values: &[[u8; N]],
    indexes: &[u8],
    column: Column<'_>,
) -> Result<(), usize> {
    let eights = (0..).map(|eight| {
        let bytes: &[u8; READ] = indexes[eight * BITS..].first_chunk().expect("the eights were counted");
        (8 * eight, eight_indexes::<BITS>(bytes))
    });
    match column {
        Column::Cells(cells) => {
            for (cells, (first, indexes)) in cells.as_chunks_mut::<8>().0.iter_mut().zip(eights) {
                for (place, slot) in cells.iter_mut().enumerate() {
                    let Some(&value) = values.get(indexes[place] as usize) else { return Err(first + place) };
                    *slot = cell(value);
                }
            }
        }
        Column::Points { points, point_step, offset } => {
            for (points, (first, indexes)) in points.chunks_exact_mut(8 * point_step).zip(eights) {
                for (place, point) in points.chunks_exact_mut(point_step).enumerate() {
                    let Some(value) = values.get(indexes[place] as usize) else { return Err(first + place) };
                    point[offset..offset + N].copy_from_slice(value);
                }
            }
        }
    }
    Ok(())
}

/// The first eight indexes of these bytes. Four of them lie in 64 bits, wherever they start.
#[inline(always)]
fn eight_indexes<const BITS: usize>(bytes: &[u8; READ]) -> [u32; 8] {
    let from = |bit: usize| {
        let word = bytes[bit / 8..].first_chunk().expect("bit 64 at most is asked for");
        u64::from_le_bytes(*word) >> (bit % 8)
    };
    let halves = [from(0), from(4 * BITS)];
    std::array::from_fn(|index| (halves[index / 4] >> (index % 4 * BITS)) as u32 & ((1 << BITS) - 1))
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
