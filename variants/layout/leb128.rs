//! LEB128: 7 bits a byte, least significant group first, the high bit says that more follow; at most ten
//! bytes, the tenth 0 or 1. The token of cloudini's wire format, and DWARF's unsigned LEB128 cut at 64 bits.

use alloc::vec::Vec;
use core::fmt;

use crate::{DecodeError, Decoder, ErrorKind, Layout, Leb128Visitor, Run, Word, decode_by_step};

/// The longest token, in bytes.
pub const MAX_BYTES: usize = 10;

/// The layout that cloudini writes.
#[derive(Clone, Copy, Debug)]
pub struct Leb128;

impl Layout for Leb128 {
    const NAME: &'static str = "leb128";

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        for &token in tokens {
            encode_token(token.into(), bytes);
        }
    }

    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError> {
        if bytes.len() < count {
            // Every token takes a byte or more, so this one cannot be there.
            return Err(DecodeError { kind: ErrorKind::Truncated, index: bytes.len() });
        }
        Ok(Run::of_data(bytes))
    }

    #[inline]
    fn oracle<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        decode_by_step(run, out, decode_token)
    }

    fn show_leb128<D: Decoder<Layout = Self>>(name: &'static str, visitor: &mut impl Leb128Visitor) {
        visitor.visit::<D>(name);
    }
}

/// Appends one token in its shortest form.
pub fn encode_token(mut token: u64, bytes: &mut Vec<u8>) {
    while token >= 0x80 {
        bytes.push(token as u8 | 0x80);
        token >>= 7;
    }
    bytes.push(token as u8);
}

/// Bytes of a token in its shortest form, 1 to 10.
#[must_use]
#[inline]
pub fn token_bytes(token: u64) -> usize {
    (64 - (token | 1).leading_zeros() as usize).div_ceil(7)
}

/// The token at the front of `bytes`, and how many bytes it takes. Longer forms than needed are accepted.
///
/// # Errors
/// `Truncated` if the bytes end first; `Overflow` if a tenth byte is more than 1, since only one of 64 bits
/// is left for it.
// Inlined because steps fall back to it: a call would hand the result over in memory, and the next step waits
// for it there.
#[inline(always)]
pub fn decode_token(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    let mut token = 0;
    for (place, &byte) in bytes.iter().enumerate() {
        if place == MAX_BYTES - 1 && byte > 1 {
            return Err(ErrorKind::Overflow);
        }
        token |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Ok((token, place + 1));
        }
    }
    Err(ErrorKind::Truncated)
}

/// Why [`decode_varint`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarintError {
    /// The bytes end inside the varint, or there are none.
    Truncated,
    /// More than 64 bits.
    Overflow,
    /// Token 0: the NaN marker, where a number has to be. As a number it would be `i64::MIN`, the one delta
    /// that the format cannot write.
    NanMarker,
}

impl fmt::Display for VarintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the bytes end inside the varint",
            Self::Overflow => "the varint has more than 64 bits",
            Self::NanMarker => "the NaN marker stands where a number has to be",
        })
    }
}

impl core::error::Error for VarintError {}

/// One signed delta and how many bytes it takes: the contract of cloudini's `decodeVarint`.
///
/// # Errors
/// See [`VarintError`].
pub fn decode_varint(bytes: &[u8]) -> Result<(i64, usize), VarintError> {
    match decode_token(bytes) {
        Ok((token, used)) => Ok((delta_of_token(token).ok_or(VarintError::NanMarker)?, used)),
        Err(ErrorKind::Overflow) => Err(VarintError::Overflow),
        Err(_) => Err(VarintError::Truncated),
    }
}

/// The token of a delta, zigzag(delta) + 1, or `None` for `i64::MIN`, whose token would be the NaN marker.
#[must_use]
#[inline]
pub fn token_of_delta(delta: i64) -> Option<u64> {
    zigzag(delta).checked_add(1)
}

/// The delta of a token, or `None` for 0, the NaN marker.
#[must_use]
#[inline]
pub fn delta_of_token(token: u64) -> Option<i64> {
    token.checked_sub(1).map(unzigzag)
}

/// 0, -1, 1, -2 ... as 0, 1, 2, 3 ...: a bijection of all 2^64 values.
#[must_use]
#[inline]
pub fn zigzag(value: i64) -> u64 {
    let bits = value as u64;
    (bits << 1) ^ (bits >> 63).wrapping_neg()
}

/// The inverse of [`zigzag`].
#[must_use]
#[inline]
pub fn unzigzag(value: u64) -> i64 {
    ((value >> 1) ^ (value & 1).wrapping_neg()) as i64
}
