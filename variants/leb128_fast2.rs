//! Paths of their own for one- and two-byte tokens, then the loop: cloudini's `decodeVarint` since its pull
//! request 127. The loop's guess at each length stays a guess, so it can save only the loop's own overhead;
//! it loses where three-byte tokens are common.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    layout::leb128::decode_token, next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Fast2;

impl Decoder for Leb128Fast2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "one- and two-byte tokens apart, then the loop",
        origin: "cloudini since pull request 127 (decodeVarint)",
        loses_when: "three-byte tokens are common",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        decode_by_step(run, out, step)
    }

    #[inline(always)]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step(run.data))
    }
}

/// One token from the front of `bytes`, and how many bytes it takes.
#[inline(always)]
fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    match *bytes {
        [first, ..] if first < 0x80 => Ok((u64::from(first), 1)),
        [first, second, ..] if second < 0x80 => Ok((u64::from(first & 0x7f) | (u64::from(second) << 7), 2)),
        _ => decode_token(bytes),
    }
}
