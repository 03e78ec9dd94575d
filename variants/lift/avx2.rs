//! The lift with AVX2: vectors of 8 lanes, or of several points if a row has at most 4 lanes, into a block of
//! 32-bit values as interleaved as the tokens; then strided copies into the points, a lane or some adjacent
//! ones at a time. Points that are nothing but 32-bit lanes in their order need no block in between.
//!
//! AVX2 cannot convert 64-bit integers, so lanes with a sum or a store of 64 bits go the portable way, unless
//! the sum is known to fit 32 bits.

use alloc::{boxed::Box, vec::Vec};

use super::{
    Lane, Store, Stores,
    plan::fits_32_bits,
    portable::{self, Column},
    vector256::Vector,
};
use crate::cpu::Avx2;

/// Values in a block.
const VALUES: usize = 1024;
/// Bytes of a block, with room for the end of the last vector's store.
const BYTES: usize = 4 * VALUES + 32;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Block([u8; BYTES]);

/// Prepared for some lanes, at most [`VALUES`], and a point step.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    proof: Avx2,
    lanes: Vec<Lane>,
    point_step: usize,
    parts: Vec<Part>,
    copies: Vec<Run>,
    /// The lanes whose sum has 64 bits but is worked out in 32 where it is known to fit.
    exact: Vec<usize>,
    /// Points are 32-bit lanes in their order.
    direct: bool,
    block: Box<Block>,
}

/// Up to 8 lanes that follow one another in the row: as many points in a vector as fit, and one of them.
#[derive(Clone, Debug)]
struct Part {
    first: usize,
    vector: Vector,
    row: Vector,
}

/// Adjacent bytes of a row of values that are adjacent in the point, too: 2, 4, 8 or 16 of them.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: usize,
    to: usize,
    bytes: usize,
}

impl Kernel {
    /// For lanes that do not overlap; `None` if there are too many.
    pub(super) fn new(proof: Avx2, lanes: &[Lane], point_step: usize) -> Option<Self> {
        if lanes.len() > VALUES {
            return None;
        }
        let part = |(index, part): (usize, &[Lane])| {
            let points = if part.len() == lanes.len() { 8 / part.len() } else { 1 };
            Part { first: index * 8, vector: Vector::new(part, points), row: Vector::new(part, 1) }
        };
        let exact = |index: &usize| matches!(lanes[*index].store, Store::F32 { .. });
        let in_order = |(index, lane): (usize, &Lane)| lane.offset == 4 * index && lane.store.bytes() == 4;
        Some(Self {
            proof,
            lanes: lanes.to_vec(),
            point_step,
            parts: lanes.chunks(8).enumerate().map(part).collect(),
            copies: runs(lanes),
            exact: (0..lanes.len()).filter(exact).collect(),
            direct: point_step == 4 * lanes.len()
                && lanes.len() <= 8
                && lanes.iter().enumerate().all(in_order),
            block: Box::new(Block([0; BYTES])),
        })
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u32(
        &mut self,
        stores: Stores,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        let per_vector = self.parts[0].vector.points;
        let rows = VALUES / self.lanes.len() / per_vector * per_vector;
        let blocks = tokens.chunks(rows * self.lanes.len()).zip(points.chunks_mut(rows * self.point_step));
        blocks.fold(true, |fine, (tokens, points)| {
            let fits = self.exact.is_empty() || fits_32_bits(&self.exact, previous, tokens, rows);
            fine & if self.direct && fits {
                self.direct_block(stores, previous, tokens, points)
            } else {
                self.block(previous, tokens, points, fits)
            }
        })
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u64(&self, previous: &mut [i64], tokens: &[u64], points: &mut [u8]) -> bool {
        portable::rows(&self.lanes, self.point_step, previous, tokens, points)
    }

    /// Lifts rows whose points are nothing but the lanes.
    fn direct_block(
        &mut self,
        stores: Stores,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        let Part { vector, row, .. } = &self.parts[0];
        let (stride, size) = (self.lanes.len(), self.point_step);
        let rows = tokens.len() / stride;
        let lines = if stores == Stores::NonTemporal { vector.points_to_line(points) } else { None };
        let head = lines.unwrap_or(0).min(rows);
        // A store of a whole vector must not reach beyond the points.
        let stored = vector.points * size;
        let room = points.len() - head * size;
        let count = ((rows - head) / vector.points).min((room + stored).saturating_sub(32) / stored);
        let done = head + count * vector.points;
        let values = &mut points[head * size..];
        let mut fine = row.run(self.proof, stride, false, previous, tokens, head, &mut self.block.0);
        fine &= vector.run(
            self.proof,
            stride,
            lines.is_some(),
            previous,
            &tokens[head * stride..],
            count,
            values,
        );
        points[..head * size].copy_from_slice(&self.block.0[..head * size]);
        let (last_tokens, last_points) = (&tokens[done * stride..], &mut points[done * size..]);
        fine &= row.run(self.proof, stride, false, previous, last_tokens, rows - done, &mut self.block.0);
        last_points.copy_from_slice(&self.block.0[..(rows - done) * size]);
        fine
    }

    /// Lifts rows by way of the block of values; if not everything `fits` 32 bits, some lanes the portable way.
    fn block(&mut self, previous: &mut [i64], tokens: &[u32], points: &mut [u8], fits: bool) -> bool {
        let stride = self.lanes.len();
        let rows = tokens.len() / stride;
        let apart = |store: Store| store.bytes() == 8 || !fits && matches!(store, Store::F32 { .. });
        let mut fine = true;
        // The last part's vectors reach into the next row: it comes before the lanes that it would overwrite.
        for part in self.parts.iter().rev() {
            let lanes = &self.lanes[part.first..][..part.row.lanes];
            let previous = &mut previous[part.first..][..lanes.len()];
            let mut sums = [0; 8];
            sums[..lanes.len()].copy_from_slice(previous);
            let sums = &mut sums[..lanes.len()];
            let count = rows / part.vector.points;
            let values = &mut self.block.0[4 * part.first..];
            fine &= part.vector.run(self.proof, stride, false, sums, &tokens[part.first..], count, values);
            let done = count * part.vector.points;
            if done < rows {
                let tokens = &tokens[done * stride + part.first..];
                let values = &mut self.block.0[4 * (done * stride + part.first)..];
                fine &= part.row.run(self.proof, stride, false, sums, tokens, rows - done, values);
            }
            for ((previous, sum), lane) in previous.iter_mut().zip(sums).zip(lanes) {
                if !apart(lane.store) {
                    *previous = *sum;
                }
            }
        }
        for run in &self.copies {
            run.copy(&self.block.0[..rows * stride * 4], stride * 4, points, self.point_step);
        }
        for (index, lane) in self.lanes.iter().enumerate().filter(|(_, lane)| apart(lane.store)) {
            let Lane { offset, store } = *lane;
            let column = Column { tokens, index, stride, offset, point_step: self.point_step };
            fine &= column.lift(store, &mut previous[index], points);
        }
        fine
    }
}

/// The copies of lanes that store at most 32 bits.
fn runs(lanes: &[Lane]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, lane) in lanes.iter().enumerate() {
        let run = Run { from: 4 * index, to: lane.offset, bytes: lane.store.bytes() };
        match runs.last_mut() {
            _ if run.bytes == 8 => {}
            Some(last) if run.bytes == 4 && last.bytes % 4 == 0 && last.bytes < 16 && last.ends_at(&run) => {
                last.bytes += 4;
            }
            _ => runs.push(run),
        }
    }
    // Twelve bytes are eight and four.
    let twelve = |run: Run| {
        let rest = Run { from: run.from + 8, to: run.to + 8, bytes: 4 };
        let (first, rest) = if run.bytes == 12 { (Run { bytes: 8, ..run }, Some(rest)) } else { (run, None) };
        core::iter::once(first).chain(rest)
    };
    runs.into_iter().flat_map(twelve).collect()
}

impl Run {
    /// Whether `next` goes on where this run ends, on both sides.
    fn ends_at(&self, next: &Self) -> bool {
        self.from + self.bytes == next.from && self.to + self.bytes == next.to
    }

    /// Copies the run from each row of values to its point.
    fn copy(&self, values: &[u8], row_bytes: usize, points: &mut [u8], point_step: usize) {
        match self.bytes {
            2 => self.copy_each::<2>(values, row_bytes, points, point_step),
            4 => self.copy_each::<4>(values, row_bytes, points, point_step),
            8 => self.copy_each::<8>(values, row_bytes, points, point_step),
            _ => self.copy_each::<16>(values, row_bytes, points, point_step),
        }
    }

    fn copy_each<const N: usize>(
        &self,
        values: &[u8],
        row_bytes: usize,
        points: &mut [u8],
        point_step: usize,
    ) {
        for (row, point) in values.chunks_exact(row_bytes).zip(points.chunks_exact_mut(point_step)) {
            point[self.to..self.to + N].copy_from_slice(&row[self.from..self.from + N]);
        }
    }
}
