//! The layouts: how a run of tokens becomes bytes.

use crate::{DecodeError, Decoder, Run, Word};

pub mod exceptions;
pub mod leb128;
pub mod packed32;
pub mod packed_rows;
pub mod raw;
pub mod stream_vbyte;
pub mod stream_vbyte0124;
pub mod stream_vbyte12;
pub mod stream_vbyte1234;

pub use leb128::Leb128;
pub use packed_rows::PackedRows;
pub use packed32::Packed32;
pub use raw::Raw;
pub use stream_vbyte::StreamVbyte;
pub use stream_vbyte12::StreamVbyte12;
pub use stream_vbyte0124::StreamVbyte0124;
pub use stream_vbyte1234::StreamVbyte1234;

/// [`Decoder::decode_some`] for layouts whose tokens come in groups of `group`: goes on to the end of a group
/// if `out` has room for it, so that the next call begins with a whole one.
#[inline]
pub(crate) fn decode_whole_groups<D: Decoder, W: Word>(
    decoder: D,
    run: &mut Run<'_>,
    out: &mut [W],
    least: usize,
    group: usize,
) -> Result<usize, DecodeError> {
    let more = (run.taken + least).next_multiple_of(group) - run.taken;
    // An error behind `least` is none of this call's: it is asked for less, then.
    if least < more && more <= out.len() && decoder.decode(run, &mut out[..more]).is_ok() {
        return Ok(more);
    }
    decoder.decode(run, &mut out[..least])?;
    Ok(least)
}
