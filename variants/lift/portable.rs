//! The plain lift: a lane at a time over a block of rows, the running value in a register.

use super::{Lane, NAN_F32, NAN_F64, Store};
use crate::Word;

/// Rows after which the next lane has its turn: few enough for tokens and points to stay in the L1 cache.
const BLOCK: usize = 256;

/// Lifts whole rows; `false` if an integer lane holds a NaN marker.
pub(super) fn rows<W: Word>(
    lanes: &[Lane],
    point_step: usize,
    previous: &mut [i64],
    tokens: &[W],
    points: &mut [u8],
) -> bool {
    let stride = lanes.len();
    let mut fine = true;
    for (tokens, points) in
        tokens.chunks(BLOCK * stride).zip(points.chunks_mut(BLOCK.saturating_mul(point_step)))
    {
        for (index, (lane, previous)) in lanes.iter().zip(previous.iter_mut()).enumerate() {
            let column = Column { tokens, index, stride, offset: lane.offset, point_step };
            fine &= column.lift(lane.store, previous, points);
        }
    }
    fine
}

/// The delta of a token, without the bias being taken off first: +(token >> 1) if it is odd, the negative if it
/// is even. Token 0, the NaN marker, gives 0.
#[inline(always)]
fn delta(token: u64) -> i64 {
    let half = (token >> 1) as i64;
    if token & 1 == 1 { half } else { -half }
}

/// One lane of a block of rows.
pub(super) struct Column<'a, W> {
    pub(super) tokens: &'a [W],
    /// The lane's place in the row.
    pub(super) index: usize,
    /// Tokens in a row.
    pub(super) stride: usize,
    /// The lane's first byte in the point.
    pub(super) offset: usize,
    pub(super) point_step: usize,
}

impl<W: Word> Column<'_, W> {
    /// Stores the lane's values; `false` if it holds a NaN marker but must not.
    pub(super) fn lift(&self, store: Store, previous: &mut i64, points: &mut [u8]) -> bool {
        let mut sum = *previous;
        let mut zero = false;
        match store {
            Store::GroupF32 { resolution } => self.each(points, |token| {
                sum = if token == 0 { 0 } else { i64::from(sum.wrapping_add(delta(token)) as i32) };
                let value = if token == 0 { f32::from_bits(NAN_F32) } else { sum as i32 as f32 * resolution };
                value.to_le_bytes()
            }),
            Store::F32 { resolution } => self.each(points, |token| {
                sum = if token == 0 { 0 } else { sum.wrapping_add(delta(token)) };
                let value = if token == 0 { f32::from_bits(NAN_F32) } else { sum as f32 * resolution };
                value.to_le_bytes()
            }),
            Store::F64 { resolution } => self.each(points, |token| {
                sum = if token == 0 { 0 } else { sum.wrapping_add(delta(token)) };
                let value = if token == 0 { f64::from_bits(NAN_F64) } else { sum as f64 * resolution };
                value.to_le_bytes()
            }),
            Store::Int16 => self.each(points, |token| {
                zero |= token == 0;
                sum = i64::from(sum.wrapping_add(delta(token)) as i32);
                (sum as i16).to_le_bytes()
            }),
            Store::Int32 => self.each(points, |token| {
                zero |= token == 0;
                sum = i64::from(sum.wrapping_add(delta(token)) as i32);
                (sum as i32).to_le_bytes()
            }),
            Store::Int64 => self.each(points, |token| {
                zero |= token == 0;
                sum = sum.wrapping_add(delta(token));
                sum.to_le_bytes()
            }),
            Store::Skip => {}
        }
        *previous = sum;
        !zero
    }

    /// Stores what `value` makes of each of the lane's tokens.
    #[inline(always)]
    fn each<const N: usize>(&self, points: &mut [u8], mut value: impl FnMut(u64) -> [u8; N]) {
        let rows = self.tokens.chunks_exact(self.stride).zip(points.chunks_exact_mut(self.point_step));
        for (row, point) in rows {
            let bytes = value(row[self.index].into());
            point[self.offset..self.offset + N].copy_from_slice(&bytes);
        }
    }
}
