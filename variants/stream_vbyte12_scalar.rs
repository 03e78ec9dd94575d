//! Stream VByte with one control bit, in plain code: four tokens from one 64-bit load, each cut out with a
//! mask and shifted away, without a branch on its length. The portable way to read the layout. It loses where
//! exceptions are common, as every reader of this layout does.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word,
    layout::{
        StreamVbyte12, decode_whole_groups,
        stream_vbyte12::{Outliers, PER_BYTE, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte12Scalar;

impl Decoder for StreamVbyte12Scalar {
    type Layout = StreamVbyte12;
    const INFO: Info = Info {
        idea: "a 64-bit load for four tokens, masks and shifts from the control bits",
        origin: "this lab",
        loses_when: "many tokens exceed 16 bits",
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
            None => StreamVbyte12::oracle(run, out),
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
        // Eight tokens take up to 16 bytes; the second load begins behind at least 4 of them.
        let Some((low, _)) = run.data.split_first_chunk::<8>() else { break };
        let Some((high, _)) = run.data[4 + (code & 15).count_ones() as usize..].split_first_chunk::<8>()
        else {
            break;
        };
        four(u64::from_le_bytes(*low), code, &mut slots[..4]);
        four(u64::from_le_bytes(*high), code >> 4, &mut slots[4..]);
        let Some(rest) = run.data.get(PER_BYTE + code.count_ones() as usize..) else { break };
        run.data = rest;
        done += 1;
    }
    let whole = done * PER_BYTE;
    run.control = &control[done..];
    run.taken += whole;
    run.exceptions =
        Outliers::patch(run.exceptions, first, &mut groups.as_flattened_mut()[..whole], |place| {
            control[place / PER_BYTE] >> (place % PER_BYTE) & 1 == 1
        })?;
    one_by_one(&mut run, &mut groups.as_flattened_mut()[whole..])?;
    one_by_one(&mut run, last)?;
    Some(run)
}

/// The low parts of four tokens, by the low four bits of `code`.
#[inline(always)]
fn four<W: Word>(mut bytes: u64, code: u8, slots: &mut [W]) {
    for (bit, slot) in slots.iter_mut().enumerate() {
        let bits = 8 << (code >> bit & 1);
        *slot = W::cut(bytes & ((1 << bits) - 1));
        bytes >>= bits;
    }
}

fn one_by_one<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Option<()> {
    for slot in out {
        *slot = W::from_token(next_token(run).ok()?)?;
    }
    Some(())
}
