//! The loop written out byte by byte, with constant shifts, and the test for more than 64 bits behind it
//! instead of on every byte. The shape of the fastest plain Rust parsers. It loses like every branch per byte
//! where lengths are mixed at random.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Unrolled;

impl Decoder for Leb128Unrolled {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "every byte written out, the overflow test behind them",
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

    #[inline(always)]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step(run.data))
    }
}

/// One token from the front of `bytes`, and how many bytes it takes.
#[inline(always)]
fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    let mut token = 0;
    // A macro, since the compiler rolls a loop over nine bytes up again, and more slowly.
    macro_rules! bytes {
        ($($place:literal)*) => {$(
            let Some(&byte) = bytes.get($place) else { return Err(ErrorKind::Truncated) };
            token |= u64::from(byte & 0x7f) << (7 * $place);
            if byte < 0x80 {
                return Ok((token, $place + 1));
            }
        )*};
    }
    bytes!(0 1 2 3 4 5 6 7 8);
    // One of 64 bits is left.
    match bytes.get(9) {
        Some(&last @ 0..=1) => Ok((token | (u64::from(last) << 63), 10)),
        Some(_) => Err(ErrorKind::Overflow),
        None => Err(ErrorKind::Truncated),
    }
}
