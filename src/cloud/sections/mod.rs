//! Version 5: one section for each integer field of 16 bits and more, behind the rows. A mode byte, then the
//! field's values of the whole chunk.

mod palette;
mod read;
mod runs;
mod write;

use super::{Codec, Step};

pub(super) use read::{Column, Section, read_section};
pub(super) use write::{choose_mode, write_section};

/// Points that the choice of a mode looks at: the first ones of the cloud's first chunk.
pub(super) const PROBE_POINTS: usize = 4096;

/// How a section holds its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum SectionMode {
    /// A token for each value, the first one against 0.
    DeltaVarint = 0,
    /// The distinct values in order of appearance, then bit-packed indexes.
    Palette = 1,
    /// Runs of a value: the value, the run's length as plain LEB128.
    Rle = 2,
    /// Runs of a delta: a token, the run's length as plain LEB128.
    DeltaRle = 3,
}

impl SectionMode {
    /// All modes, in the order in which the choice prefers them.
    const ALL: [Self; 4] = [Self::DeltaVarint, Self::Palette, Self::Rle, Self::DeltaRle];
}

/// Bits of an index into this many values.
fn index_bits(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// The bytes of one value.
fn width(step: &Step) -> usize {
    let Codec::Integer(kind) = step.codec else { unreachable!("sections hold integers") };
    kind.size()
}
