//! Stream VByte 0124: two control bits a token for 0, 1, 2 or 4 bytes, the published variant for streams with
//! many zeros. Tokens of more than 32 bits keep their low four bytes here and list the rest as exceptions
//! ([`super::exceptions`] says which error wins).
//!
//! cloudini's token of a zero delta is 1, and 0 is its NaN marker. So that the free code is the common one, the
//! number that is stored is the token's low 32 bits with 0 and 1 changing places: an unchanged coordinate takes
//! two bits, a marker ten.
//!
//! Bytes of a run: control, 4 tokens a byte, the first token in the lowest bits, unused bits 0; the number of
//! exceptions as LEB128; the exceptions, each a `u32` index and 4 bytes with the bits from the 33rd on; the
//! data. Everything is little-endian. Control and data are those of the "0124" codec that the authors of Stream
//! VByte (Lemire, Kurz, Rupp 2018) added to their library; the swap and the exceptions are this lab's.
//!
//! Longer codes than needed are accepted.

use alloc::vec::Vec;

use super::exceptions::Exceptions;
use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Codes in a control byte, and so tokens.
pub const PER_BYTE: usize = 4;

/// Bytes of a token, by code.
pub const SIZES: [usize; 4] = [0, 1, 2, 4];

/// The list of tokens above 2^32 - 1.
pub(crate) type Outliers = Exceptions<4>;

/// The layout.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte0124;

impl Layout for StreamVbyte0124 {
    const NAME: &'static str = "stream_vbyte0124";

    /// # Panics
    /// If a token of more than 32 bits stands behind the first 2^32 tokens.
    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let mut control = alloc::vec![0; tokens.len().div_ceil(PER_BYTE)];
        let (mut list, mut data) = (Vec::new(), Vec::new());
        for (index, &token) in tokens.iter().enumerate() {
            let token: u64 = token.into();
            let number = swap(token as u32);
            let code = if token > u32::MAX.into() {
                3
            } else if number == 0 {
                0
            } else if number <= 0xff {
                1
            } else if number <= 0xffff {
                2
            } else {
                3
            };
            control[index / PER_BYTE] |= (code as u8) << (2 * (index % PER_BYTE));
            data.extend_from_slice(&number.to_le_bytes()[..SIZES[code]]);
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
    let (bytes, data) = run.data.split_at_checked(SIZES[code as usize]).ok_or(ErrorKind::Truncated)?;
    let low = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    let mut exceptions = run.exceptions;
    let high = Outliers::take(&mut exceptions, run.taken)?;
    if high.is_some() && code != 3 {
        return Err(ErrorKind::Malformed);
    }
    let control = if place == PER_BYTE - 1 { later } else { run.control };
    *run = Run { control, data, exceptions, taken: run.taken + 1 };
    Ok(u64::from(swap(low)) | high.unwrap_or(0) << Outliers::LOW_BITS)
}

/// 0 and 1 changed over: the number stored for a token's low 32 bits, and the other way round.
#[must_use]
#[inline(always)]
pub fn swap(number: u32) -> u32 {
    number ^ u32::from(number < 2)
}
