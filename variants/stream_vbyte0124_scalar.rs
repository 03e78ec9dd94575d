//! Stream VByte 0124 in plain code: one 32-bit load for each token, cut by a mask from its code, without a
//! branch on its length. The portable way to read the layout. It loses in size where tokens of three bytes are
//! common, which take four here.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word,
    layout::{
        StreamVbyte0124, decode_whole_groups,
        stream_vbyte0124::{Outliers, PER_BYTE, SIZES, next_token, swap},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte0124Scalar;

impl Decoder for StreamVbyte0124Scalar {
    type Layout = StreamVbyte0124;
    const INFO: Info = Info {
        idea: "a 32-bit load for each token, cut by a mask from its code",
        origin: "this lab",
        loses_when: "three-byte tokens are common, which take four bytes here",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        match decode_all(*run, out) {
            Some(after) => {
                *run = after;
                Ok(())
            }
            // Something is wrong somewhere: the oracle says what and where.
            None => StreamVbyte0124::oracle(run, out),
        }
    }

    #[inline]
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        decode_whole_groups(self, run, out, least, PER_BYTE)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_token(run)
    }
}

/// Fills `out` and gives the run behind it, or `None` at any error.
fn decode_all<'a, W: Word>(mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    let lead = (run.taken.wrapping_neg() % PER_BYTE).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    one_by_one(&mut run, lead)?;
    let first = run.taken;
    let control = run.control;
    let (groups, last) = out.as_chunks_mut::<PER_BYTE>();
    let mut done = 0;
    for (slots, &code) in groups.iter_mut().zip(control) {
        let Some(window) = run.data.first_chunk() else { break };
        run.data = &run.data[four(window, code, slots)..];
        done += 1;
    }
    let whole = done * PER_BYTE;
    run.control = &control[done..];
    run.taken += whole;
    run.exceptions =
        Outliers::patch(run.exceptions, first, &mut groups.as_flattened_mut()[..whole], |place| {
            control[place / PER_BYTE] >> (2 * (place % PER_BYTE)) & 3 == 3
        })?;
    one_by_one(&mut run, &mut groups.as_flattened_mut()[whole..])?;
    one_by_one(&mut run, last)?;
    Some(run)
}

/// The low words of four tokens, by their codes, and how many bytes they take.
#[inline(always)]
fn four<W: Word>(window: &[u8; 16], code: u8, slots: &mut [W; PER_BYTE]) -> usize {
    const MASKS: [u32; 4] = [0, 0xff, 0xffff, 0xffff_ffff];
    let mut at = 0;
    for (place, slot) in slots.iter_mut().enumerate() {
        let code = usize::from(code >> (2 * place) & 3);
        // The tokens before take 12 bytes or less: the load stays inside.
        let mut word = [0; 4];
        word.copy_from_slice(&window[at..at + 4]);
        *slot = W::cut(swap(u32::from_le_bytes(word) & MASKS[code]).into());
        at += SIZES[code];
    }
    at
}

fn one_by_one<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Option<()> {
    for slot in out {
        *slot = W::from_token(next_token(run).ok()?)?;
    }
    Some(())
}
