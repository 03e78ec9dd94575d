//! Binary packing in groups of 32 tokens: each group has the width of its widest token, in bits. All width
//! bytes come first, then the groups, so that a decoder knows where the next group starts before it has looked
//! at this one's data.
//!
//! A width byte is 0 to 32 (32 is a plain `u32` each), or 64 for a group with a token of more than 32 bits,
//! whose tokens are plain `u64`. A group takes four times its width in bytes, its tokens packed least
//! significant bit first, without gaps. The last group is filled up with zeros. Binary packing of groups is
//! older than any one paper; see Lemire and Boytsov, "Decoding billions of integers per second through
//! vectorization" (2015), whose blocks of 128 share one width.
//!
//! While a group is being read, the run's data starts at that group. A token is there if its whole group is:
//! `Truncated` without the width byte, then `Malformed` for a width that is none, then `Truncated` without all
//! of the group's bytes, then `Wide`.

use alloc::vec::Vec;

use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Tokens of a group.
pub const GROUP: usize = 32;

/// The largest width of packed tokens.
pub const MAX_PACKED: usize = 32;

/// The width of a group of plain 64-bit tokens.
pub const PLAIN: usize = 64;

/// The layout.
#[derive(Clone, Copy, Debug)]
pub struct Packed32;

impl Layout for Packed32 {
    const NAME: &'static str = "packed32";
    const PIECE: usize = GROUP;

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let mut data = Vec::new();
        for group in tokens.chunks(GROUP) {
            let all = group.iter().fold(0, |all, &token| all | token.into());
            let width = width_of(all);
            bytes.push(width as u8);
            pack(group, width, &mut data);
        }
        bytes.extend_from_slice(&data);
    }

    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError> {
        let (control, data) = bytes
            .split_at_checked(count.div_ceil(GROUP))
            .ok_or(DecodeError { kind: ErrorKind::Truncated, index: bytes.len() * GROUP })?;
        Ok(Run { control, data, ..Run::default() })
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

/// The width for tokens that have no bit outside `all`.
fn width_of(all: u64) -> usize {
    let bits = (u64::BITS - all.leading_zeros()) as usize;
    if bits > MAX_PACKED { PLAIN } else { bits }
}

/// Appends a group, filled up with zeros.
fn pack<W: Word>(group: &[W], width: usize, data: &mut Vec<u8>) {
    let start = data.len();
    data.resize(start + size(width), 0);
    for (place, &token) in group.iter().enumerate() {
        for bit in 0..width {
            let at = place * width + bit;
            data[start + at / 8] |= (token.into() >> bit & 1) as u8 * (1 << (at % 8));
        }
    }
}

/// A width byte's width, if it is one.
#[must_use]
#[inline(always)]
pub fn width(code: u8) -> Option<usize> {
    let width = usize::from(code);
    (width <= MAX_PACKED || width == PLAIN).then_some(width)
}

/// Bytes of a group.
#[must_use]
#[inline(always)]
pub fn size(width: usize) -> usize {
    GROUP / 8 * width
}

/// The next token of a run.
///
/// # Errors
/// `Truncated` if the group's width or its bytes are not all there, `Malformed` if the width is none. The run
/// is then where it was.
#[inline]
pub fn next_token(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
    let place = run.taken % GROUP;
    let (&code, later) = run.control.split_first().ok_or(ErrorKind::Truncated)?;
    let width = width(code).ok_or(ErrorKind::Malformed)?;
    let (group, rest) = run.data.split_at_checked(size(width)).ok_or(ErrorKind::Truncated)?;
    let (start, end) = (place * width, (place + 1) * width);
    let bytes = &group[start / 8..end.div_ceil(8)];
    let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte));
    let token = bits >> (start % 8) & ((1 << width) - 1);
    if place == GROUP - 1 {
        (run.control, run.data) = (later, rest);
    }
    run.taken += 1;
    Ok(token as u64)
}
