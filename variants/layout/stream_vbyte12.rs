//! Stream VByte with one control bit a token: 0 for one byte, 1 for two. Tokens of more than 16 bits keep
//! their low two bytes here and list the rest as exceptions ([`super::exceptions`] says which error wins).
//!
//! Bytes of a run: control, 8 tokens a byte, the first token in the lowest bit, unused bits 0; the number of
//! exceptions as LEB128; the exceptions, each a `u32` index and 6 bytes with the bits from the 17th on; the
//! data. Everything is little-endian. The idea is that of Stream VByte (Lemire, Kurz, Rupp 2018) with codes
//! for two lengths, as its authors' StreamVByte "1-2" codecs for 16-bit data have them.
//!
//! Longer codes than needed are accepted.

use alloc::vec::Vec;

use super::exceptions::Exceptions;
use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Control bits in a byte, and so tokens.
pub const PER_BYTE: usize = 8;

/// The list of tokens above 65 535.
pub(crate) type Outliers = Exceptions<6>;

/// The layout.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte12;

impl Layout for StreamVbyte12 {
    const NAME: &'static str = "stream_vbyte12";

    /// # Panics
    /// If a token of more than 16 bits stands behind the first 2^32 tokens.
    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let mut control = alloc::vec![0; tokens.len().div_ceil(PER_BYTE)];
        let (mut list, mut data) = (Vec::new(), Vec::new());
        for (index, &token) in tokens.iter().enumerate() {
            let token: u64 = token.into();
            let long = token > 0xff;
            control[index / PER_BYTE] |= u8::from(long) << (index % PER_BYTE);
            data.extend_from_slice(&token.to_le_bytes()[..1 + usize::from(long)]);
            Outliers::push(&mut list, index, token);
        }
        Outliers::join(&control, &list, &data, bytes);
    }

    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError> {
        Outliers::split(bytes, count, PER_BYTE)
    }

    fn oracle<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut ahead = *run;
        for (index, slot) in out.iter_mut().enumerate() {
            let token = next_token(&mut ahead).map_err(|kind| DecodeError { kind, index })?;
            *slot = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
        }
        *run = ahead;
        Ok(())
    }
}

/// The next token of a run.
///
/// # Errors
/// `Truncated` if control, data or an exception's bytes end first, `Malformed` for an exception that is out of
/// order, has no high part, or belongs to a token of one byte. The run is then where it was.
#[inline]
pub fn next_token(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
    let place = run.taken % PER_BYTE;
    let (&control, later) = run.control.split_first().ok_or(ErrorKind::Truncated)?;
    let long = control >> place & 1 == 1;
    let (bytes, data) = run.data.split_at_checked(1 + usize::from(long)).ok_or(ErrorKind::Truncated)?;
    let low = bytes.iter().rev().fold(0, |token, &byte| token << 8 | u64::from(byte));
    let mut exceptions = run.exceptions;
    let high = Outliers::take(&mut exceptions, run.taken)?;
    if high.is_some() && !long {
        return Err(ErrorKind::Malformed);
    }
    let control = if place == PER_BYTE - 1 { later } else { run.control };
    *run = Run { control, data, exceptions, taken: run.taken + 1 };
    Ok(low | high.unwrap_or(0) << Outliers::LOW_BITS)
}
