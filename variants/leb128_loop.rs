//! The plain loop: one byte after the other until one has no high bit. cloudini's `decodeVarint` from before
//! its pull request 127, and the baseline that every ratio is against. It loses wherever lengths are mixed:
//! the branch on each byte's high bit is then a guess.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Loop;

impl Decoder for Leb128Loop {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "a byte at a time until one has no high bit",
        origin: "cloudini before pull request 127 (decodeVarint)",
        loses_when: "lengths are mixed at random",
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
    let mut token = 0;
    let mut shift = 0;
    for (place, &byte) in bytes.iter().enumerate() {
        if shift == 63 && byte > 1 {
            return Err(ErrorKind::Overflow);
        }
        token |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok((token, place + 1));
        }
        shift += 7;
    }
    Err(ErrorKind::Truncated)
}
