//! Stream VByte with one unaligned 8-byte load and one mask a token. A control byte's four places come from
//! a table, so that the only chain from one group to the next is an addition. The scalar form to beat; it
//! loses to any shuffle, which does four tokens or more at once.

use crate::layout::stream_vbyte::{CODES, LENGTHS, next};
use crate::layout::{StreamVbyte, decode_whole_groups};
use crate::{Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyteMasked;

/// Bytes from a group's start that its loads can touch: three tokens of 8 bytes before the last load make
/// 32; eight more let an offset of up to 31 go without a check.
const WINDOW: usize = 40;

/// By control byte: where the group's tokens start, and where the next group does.
const PLACES: [[u8; 5]; 256] = {
    let mut places = [[0; 5]; 256];
    let mut control = 0;
    while control < 256 {
        let mut place = 0;
        while place < 4 {
            let length = LENGTHS[(control >> (2 * place)) & 3] as u8;
            places[control][place + 1] = places[control][place] + length;
            place += 1;
        }
        control += 1;
    }
    places
};

/// The bits of a token by its code.
const MASKS: [u64; 4] = [0xff, 0xffff, 0xff_ffff, u64::MAX];

impl Decoder for StreamVbyteMasked {
    type Layout = StreamVbyte;
    const INFO: Info = Info {
        idea: "an 8-byte load and a mask a token, places of four from a table",
        origin: "this lab, after Lemire, Kurz, Rupp 2017",
        loses_when: "vectors are at hand",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut rest = *run;
        // Up to the first whole control byte.
        let mut done = (rest.taken.wrapping_neg() % 4).min(out.len());
        one_by_one(&mut rest, out, 0..done)?;
        loop {
            done += groups(&mut rest, &mut out[done..]);
            // The end of the data, the last tokens of the output, or a token that is too wide.
            let end = out.len().min(done + 4);
            if done == end {
                break;
            }
            one_by_one(&mut rest, out, done..end)?;
            done = end;
        }
        *run = rest;
        Ok(())
    }

    #[inline]
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        decode_whole_groups(self, run, out, least, CODES)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next(run)
    }
}

/// Whole control bytes from the front of `run` while there is room; how many tokens they held.
#[inline(always)]
fn groups<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> usize {
    let (data, mut at, mut taken) = (run.data, 0, 0);
    for (&control, four) in run.control.iter().zip(out.as_chunks_mut::<4>().0) {
        let Some(window) = data.get(at..).and_then(|data| data.first_chunk::<WINDOW>()) else { break };
        let places = &PLACES[usize::from(control)];
        // A loop: `map` over an array may become a call for every group, which only its instruction count shows.
        let mut tokens = [0_u64; 4];
        for (token, slot) in tokens.iter_mut().enumerate() {
            let start = usize::from(places[token]) & 31;
            let bytes = window[start..].first_chunk().copied().unwrap_or_default();
            *slot = u64::from_le_bytes(bytes) & MASKS[usize::from(control >> (2 * token)) & 3];
        }
        if W::BYTES < 8 && tokens.iter().fold(0, |all, token| all | token) > u64::from(u32::MAX) {
            break;
        }
        *four = tokens.map(W::cut);
        at += usize::from(places[4]);
        taken += 4;
    }
    run.data = &data[at..];
    run.control = &run.control[taken / 4..];
    run.taken += taken;
    taken
}

/// The tokens of `range` with every check.
fn one_by_one<W: Word>(
    run: &mut Run<'_>,
    out: &mut [W],
    range: core::ops::Range<usize>,
) -> Result<(), DecodeError> {
    for index in range {
        let token = next(run).map_err(|kind| DecodeError { kind, index })?;
        out[index] = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
    }
    Ok(())
}
