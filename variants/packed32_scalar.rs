//! Binary packing in groups of 32, in plain code: one unaligned 64-bit load for each token, a shift and a mask.
//! The portable way to read the layout. It loses to every vector reader, and in size where outliers are spread
//! over the groups.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word,
    layout::{
        Packed32, decode_whole_groups,
        packed32::{GROUP, MAX_PACKED, PLAIN, next_token, size, width},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Packed32Scalar;

impl Decoder for Packed32Scalar {
    type Layout = Packed32;
    const INFO: Info = Info {
        idea: "a 64-bit load, a shift and a mask for each token",
        origin: "this lab",
        loses_when: "outliers are spread over the groups, as in rows of fields of different widths",
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
            None => Packed32::oracle(run, out),
        }
    }

    #[inline]
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        decode_whole_groups(self, run, out, least, GROUP)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_token(run)
    }
}

/// Bytes that a group's loads may reach into: the largest packed group and a load at its end.
const REACH: usize = GROUP / 8 * MAX_PACKED + 8;

/// Fills `out` and gives the run behind it, or `None` at any error.
fn decode_all<'a, W: Word>(mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    let lead = (run.taken.wrapping_neg() % GROUP).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    for slots in out.chunks_mut(GROUP) {
        let width = width(*run.control.first()?)?;
        let (group, rest) = run.data.split_at_checked(size(width))?;
        if width == PLAIN {
            for (slot, bytes) in slots.iter_mut().zip(group.as_chunks().0) {
                *slot = W::from_token(u64::from_le_bytes(*bytes))?;
            }
        } else if let Some(window) = run.data.first_chunk() {
            unpack(window, width, slots);
        } else {
            let mut window = [0; REACH];
            window[..group.len()].copy_from_slice(group);
            unpack(&window, width, slots);
        }
        if slots.len() == GROUP {
            (run.control, run.data) = (&run.control[1..], rest);
        }
        run.taken += slots.len();
    }
    Some(run)
}

/// The first tokens of a packed group.
#[inline]
fn unpack<W: Word>(window: &[u8; REACH], width: usize, slots: &mut [W]) {
    let mask = (1_u64 << width) - 1;
    let mut start = 0;
    for slot in slots {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&window[start / 8..start / 8 + 8]);
        *slot = W::cut(u64::from_le_bytes(bytes) >> (start % 8) & mask);
        start += width;
    }
}
