//! Packed rows in plain code: one unaligned 64-bit load for each token, a shift and a mask, all from the field's
//! width. The portable way to read the layout. It loses to every vector reader.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word,
    layout::{
        PackedRows, decode_whole_groups,
        packed_rows::{Block, ROWS, fields, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct PackedRowsScalar;

impl Decoder for PackedRowsScalar {
    type Layout = PackedRows;
    const INFO: Info = Info {
        idea: "a 64-bit load, a shift and a mask for each token",
        origin: "this lab",
        loses_when: "widths change within 16 rows, and on a few tokens, whose block is filled up",
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
            None => PackedRows::oracle(run, out),
        }
    }

    #[inline]
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        let group = fields(run.control).map_or(1, |fields| ROWS * fields);
        decode_whole_groups(self, run, out, least, group)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_token(run)
    }
}

/// The widest token that lies in eight bytes, wherever in the first it starts.
const EIGHT_BYTES: usize = 57;

/// Fills `out` and gives the run behind it, or `None` at any error.
fn decode_all<'a, W: Word>(mut run: Run<'a>, mut out: &mut [W]) -> Option<Run<'a>> {
    while !out.is_empty() {
        let block = Block::of(&run).ok()?;
        let place = run.taken % block.tokens();
        let (slots, later) = out.split_at_mut(out.len().min(block.tokens() - place));
        let narrow = block.widths.iter().all(|&width| usize::from(width) <= EIGHT_BYTES.min(8 * W::BYTES));
        if slots.len() == block.tokens() && narrow && block.rest.len() >= 8 {
            whole(block.widths, run.data, slots);
        } else {
            for (slot, place) in slots.iter_mut().zip(place..) {
                *slot = W::from_token(block.token(place))?;
            }
        }
        if place + slots.len() == block.tokens() {
            run.data = block.rest;
        }
        run.taken += slots.len();
        out = later;
    }
    Some(run)
}

/// A block whose tokens fit the output word, from data that goes on for eight bytes or more behind it.
#[inline]
fn whole<W: Word>(widths: &[u8], data: &[u8], slots: &mut [W]) {
    let mut start = 0;
    for row in slots.chunks_exact_mut(widths.len()) {
        for (slot, &width) in row.iter_mut().zip(widths) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&data[start / 8..start / 8 + 8]);
            *slot = W::cut(u64::from_le_bytes(bytes) >> (start % 8) & ((1 << width) - 1));
            start += usize::from(width);
        }
    }
}
