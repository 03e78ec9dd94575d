//! A path of its own for one-byte tokens, the loop for the rest: what most codecs write first. It loses to
//! the plain loop where one-byte tokens are no longer the rule, since their test then comes on top.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    layout::leb128::decode_token, next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Fast1;

impl Decoder for Leb128Fast1 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "one-byte tokens apart, then the loop",
        origin: "common practice",
        loses_when: "few tokens have one byte",
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
        _ => decode_token(bytes),
    }
}
