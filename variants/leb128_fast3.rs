//! Paths of their own for one, two and three bytes, then the loop. Fine resolutions and wide fields make
//! three-byte tokens common, for which cloudini's two paths fall back to its loop. It loses where four and
//! more bytes are common, and to anything without a branch where lengths are mixed at random.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    layout::leb128::decode_token, next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Fast3;

impl Decoder for Leb128Fast3 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "tokens of up to three bytes apart, then the loop",
        origin: "this lab, after cloudini pull request 127",
        loses_when: "lengths are mixed at random, or four bytes and more are common",
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
        [first, second, third, ..] if third < 0x80 => {
            let low = u64::from(first & 0x7f) | (u64::from(second & 0x7f) << 7);
            Ok((low | (u64::from(third) << 14), 3))
        }
        _ => decode_token(bytes),
    }
}
