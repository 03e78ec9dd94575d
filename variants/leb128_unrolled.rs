//! The loop written out for all ten bytes behind one check for their presence, each byte added whole and the
//! high bit of the one before taken off again. The shape of the fastest plain Rust parsers. It loses like every
//! branch per byte where lengths are mixed at random.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    layout::leb128::{MAX_BYTES, decode_token}, next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Unrolled;

impl Decoder for Leb128Unrolled {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "ten bytes written out behind one length check",
        origin: "this lab, after the shape of the crates leb128fmt and tiny-varint",
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

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step)
    }
}

/// One token from the front of `bytes`, and how many bytes it takes.
#[inline(always)]
fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    let Some(window) = bytes.first_chunk::<MAX_BYTES>() else { return decode_token(bytes) };
    let mut token = 0_u64;
    for (place, &byte) in window[..MAX_BYTES - 1].iter().enumerate() {
        token = token.wrapping_add(u64::from(byte) << (7 * place));
        if byte < 0x80 {
            return Ok((token, place + 1));
        }
        // The high bit, which lies where the next byte's lowest bit goes.
        token = token.wrapping_sub(0x80 << (7 * place));
    }
    // One of 64 bits is left.
    match window[MAX_BYTES - 1] {
        last @ 0..=1 => Ok((token | (u64::from(last) << 63), MAX_BYTES)),
        _ => Err(ErrorKind::Overflow),
    }
}
