//! The classic Stream VByte: two control bits a token for 1, 2, 3 or 4 bytes. Tokens of more than 32 bits keep
//! their low four bytes here and list the rest as exceptions ([`super::exceptions`] says which error wins).
//!
//! Bytes of a run: control, 4 tokens a byte, the first token in the lowest bits, unused bits 0; the number of
//! exceptions as LEB128; the exceptions, each a `u32` index and 4 bytes with the bits from the 33rd on; the
//! data. Everything is little-endian. Control and data are those of Lemire, Kurz, Rupp, "Stream VByte: Faster
//! Byte-Oriented Integer Compression" (2018); only the list of exceptions between them is this lab's, since
//! the original stops at 32 bits.
//!
//! Longer codes than needed are accepted.

use alloc::vec::Vec;

use super::exceptions::Exceptions;
use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Codes in a control byte, and so tokens.
pub const PER_BYTE: usize = 4;

/// The list of tokens above 2^32 - 1.
pub(crate) type Outliers = Exceptions<4>;

/// The layout.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte1234;

impl Layout for StreamVbyte1234 {
    const NAME: &'static str = "stream_vbyte1234";

    /// # Panics
    /// If a token of more than 32 bits stands behind the first 2^32 tokens.
    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let mut control = alloc::vec![0; tokens.len().div_ceil(PER_BYTE)];
        let (mut list, mut data) = (Vec::new(), Vec::new());
        for (index, &token) in tokens.iter().enumerate() {
            let token: u64 = token.into();
            let code = if token <= 0xff {
                0
            } else if token <= 0xffff {
                1
            } else if token <= 0xff_ffff {
                2
            } else {
                3
            };
            control[index / PER_BYTE] |= code << (2 * (index % PER_BYTE));
            data.extend_from_slice(&token.to_le_bytes()[..1 + usize::from(code)]);
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
/// order, has no high part, or belongs to a token of fewer than four bytes. The run is then where it was.
#[inline]
pub fn next_token(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
    let place = run.taken % PER_BYTE;
    let (&control, later) = run.control.split_first().ok_or(ErrorKind::Truncated)?;
    let code = control >> (2 * place) & 3;
    let (bytes, data) = run.data.split_at_checked(1 + usize::from(code)).ok_or(ErrorKind::Truncated)?;
    let low = bytes.iter().rev().fold(0, |token, &byte| token << 8 | u64::from(byte));
    let mut exceptions = run.exceptions;
    let high = Outliers::take(&mut exceptions, run.taken)?;
    if high.is_some() && code != 3 {
        return Err(ErrorKind::Malformed);
    }
    let control = if place == PER_BYTE - 1 { later } else { run.control };
    *run = Run { control, data, exceptions, taken: run.taken + 1 };
    Ok(low | high.unwrap_or(0) << Outliers::LOW_BITS)
}
