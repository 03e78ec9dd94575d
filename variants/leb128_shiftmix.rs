//! Straight-line code without masks: each byte is sign-extended, so that a high bit that says "more" and the
//! clear one that says "end" become all the bits above it. Inverted and shifted into place, the parts need
//! one OR each, and the end byte wipes nothing below it. The fewest operations on the way from a byte to its
//! token among the scalar decoders; it loses like every branch per byte where lengths are mixed at random.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Shiftmix;

impl Decoder for Leb128Shiftmix {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "sign-extended bytes mixed by OR, unrolled",
        origin: "this lab, after the idea of protobuf's ShiftMixParseVarint",
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
    // The inverse of a byte with a high bit is its low bits' inverse with zeros above; that of an end byte
    // has ones above, which the last inversion turns into the zeros above the token.
    let mut inverse = 0;
    macro_rules! bytes {
        ($($place:literal)*) => {$(
            let Some(&byte) = bytes.get($place) else { return Err(ErrorKind::Truncated) };
            inverse |= (!i64::from(byte as i8) as u64) << (7 * $place);
            if byte < 0x80 {
                return Ok((!inverse, $place + 1));
            }
        )*};
    }
    bytes!(0 1 2 3 4 5 6 7 8);
    // One of 64 bits is left.
    match bytes.get(9) {
        Some(&last @ 0..=1) => Ok((!inverse & (u64::MAX >> 1) | (u64::from(last) << 63), 10)),
        Some(_) => Err(ErrorKind::Overflow),
        None => Err(ErrorKind::Truncated),
    }
}
