//! The mode that indexes a palette of values.

use variants::Run;

use super::{
    index_bits,
    read::{Column, SectionFlaw, cut_short, malformed, take},
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
