//! Stream VByte without any trick: look up the length, gather that many bytes one after the other. The
//! baseline of its layout. It loses to a load and a mask everywhere: the inner loop's end is a guess.

use crate::layout::{StreamVbyte, stream_vbyte::LENGTHS};
use crate::{Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyteBytes;

impl Decoder for StreamVbyteBytes {
    type Layout = StreamVbyte;
    const INFO: Info = Info {
        idea: "a byte at a time, as many as the code says",
        origin: "this lab, after Lemire, Kurz, Rupp 2017",
        loses_when: "lengths are mixed at random",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut rest = *run;
        for (index, slot) in out.iter_mut().enumerate() {
            let token = step(&mut rest).map_err(|kind| DecodeError { kind, index })?;
            *slot = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
        }
        *run = rest;
        Ok(())
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        step(run)
    }
}

/// The token at the front of `run`, which moves past it.
#[inline(always)]
fn step(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
    let [control, later @ ..] = run.control else { return Err(ErrorKind::Truncated) };
    let place = run.taken % 4;
    let length = LENGTHS[usize::from((control >> (2 * place)) & 3)];
    let (bytes, data) = run.data.split_at_checked(length).ok_or(ErrorKind::Truncated)?;
    let mut token = 0;
    for (place, &byte) in bytes.iter().enumerate() {
        token |= u64::from(byte) << (8 * place);
    }
    run.data = data;
    run.taken += 1;
    if place == 3 {
        run.control = later;
    }
    Ok(token)
}
