//! One or two bytes without a branch: the second byte is always loaded and masked away where it is the next
//! token's. No guess, but every token waits for the length of the one before it. It wins where one and two
//! bytes are an even mix, and loses where lengths are predictable or three-byte tokens are common.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    layout::leb128::decode_token, next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Select2;

impl Decoder for Leb128Select2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "one or two bytes chosen by a mask, the loop beyond",
        origin: "this lab",
        loses_when: "lengths are predictable, or three-byte tokens are common",
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
    let Some(&pair) = bytes.first_chunk() else { return decode_token(bytes) };
    let pair = u64::from(u16::from_le_bytes(pair));
    if pair & 0x8080 == 0x8080 {
        return decode_token(bytes);
    }
    let two = (pair >> 7) & 1;
    let token = (pair & 0x7f) | ((pair >> 1) & 0x3f80 & two.wrapping_neg());
    Ok((token, 1 + two as usize))
}
