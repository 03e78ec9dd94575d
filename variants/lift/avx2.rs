//! The lift with AVX2: vectors of 8 lanes, or of several points if a row has at most 4 lanes. Their values go
//! straight into points that are nothing but 32-bit lanes in their order; are merged into points where that is
//! cheap; or go into a block, as interleaved as the tokens, and from there into the points by strided copies, a
//! lane or some adjacent ones at a time.
//!
//! AVX2 cannot convert 64-bit integers, so lanes with a sum or a store of 64 bits go the portable way, unless
//! the sum is known to fit 32 bits.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use super::{
    Lane, Store, Stores,
    merge256::Windows,
    plan::fits_32_bits,
    portable::{self, Column},
    strided::{Run, runs},
    vector256::{Target, Vector},
};
use crate::cpu::Avx2;

/// Values in a block.
const VALUES: usize = 1024;
/// Bytes of a block, with room for the end of the last vector's store.
const BYTES: usize = 4 * VALUES + 32;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Block([u8; BYTES]);

/// Prepared for some lanes, at most [`VALUES`], and a point step; quick to clone.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    prepared: Arc<Prepared>,
    block: Box<Block>,
}

#[derive(Debug)]
struct Prepared {
    proof: Avx2,
    lanes: Vec<Lane>,
    point_step: usize,
    parts: Vec<Part>,
    /// The lanes whose sum has 64 bits but is worked out in 32 where it is known to fit.
    exact: Vec<usize>,
    /// Points are 32-bit lanes in their order.
    direct: bool,
}

/// Up to 8 lanes that follow one another in the row: as many points in a vector as fit, and one of them.
#[derive(Clone, Debug)]
struct Part {
    first: usize,
    vector: Vector,
    row: Vector,
    /// From the block to the points, for lanes that store at most 32 bits.
    copies: Vec<Run>,
    /// For merging vectors into the points, if that is cheaper.
    windows: Option<Windows>,
}

impl Kernel {
    /// For lanes that do not overlap; `None` if there are too many.
    pub(super) fn new(proof: Avx2, lanes: &[Lane], point_step: usize) -> Option<Self> {
        if lanes.len() > VALUES {
            return None;
        }
        let part = |(index, part): (usize, &[Lane])| {
            let points = if part.len() == lanes.len() { 8 / part.len() } else { 1 };
            let copies = runs(part);
            let windows = Windows::new(part, points, point_step);
            // One takes the time of two copies or, of one point's lanes, of four.
            let cheap = |windows: &Windows| points * copies.len() >= 4.max(2 * windows.windows.len());
            let windows = windows.filter(cheap);
            let vector = Vector::new(part, points);
            Part { first: index * 8, vector, row: Vector::new(part, 1), copies, windows }
        };
        let exact = |index: &usize| matches!(lanes[*index].store, Store::F32 { .. });
        let in_order = |(index, lane): (usize, &Lane)| lane.offset == 4 * index && lane.store.bytes() == 4;
        let prepared = Prepared {
            proof,
            lanes: lanes.to_vec(),
            point_step,
            parts: lanes.chunks(8).enumerate().map(part).collect(),
            exact: (0..lanes.len()).filter(exact).collect(),
            direct: point_step == 4 * lanes.len()
                && lanes.len() <= 8
                && lanes.iter().enumerate().all(in_order),
        };
        Some(Self { prepared: Arc::new(prepared), block: Box::new(Block([0; BYTES])) })
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u32(
        &mut self,
        stores: Stores,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        self.prepared.rows_u32(&mut self.block, stores, previous, tokens, points)
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u64(&self, previous: &mut [i64], tokens: &[u64], points: &mut [u8]) -> bool {
        portable::rows(&self.prepared.lanes, self.prepared.point_step, previous, tokens, points)
    }
}

impl Prepared {
    fn rows_u32(
        &self,
        block: &mut Block,
        stores: Stores,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        if self.direct && self.exact.is_empty() {
            return self.direct_block(block, stores, previous, tokens, points);
        }
        let per_vector = self.parts[0].vector.points;
        let rows = VALUES / self.lanes.len() / per_vector * per_vector;
        let blocks = tokens.chunks(rows * self.lanes.len()).zip(points.chunks_mut(rows * self.point_step));
        blocks.fold(true, |fine, (tokens, points)| {
            let fits = self.exact.is_empty() || fits_32_bits(&self.exact, previous, tokens, rows);
            fine & if self.direct && fits {
                self.direct_block(block, stores, previous, tokens, points)
            } else {
                self.block(block, previous, tokens, points, fits)
            }
        })
    }

    /// Lifts rows whose points are nothing but the lanes.
    fn direct_block(
        &self,
        block: &mut Block,
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
        let (head_tokens, tokens) = tokens.split_at(head * stride);
        let (head_points, points) = points.split_at_mut(head * size);
        // A store of a whole vector must not reach beyond the points.
        let stored = vector.points * size;
        let count = ((rows - head) / vector.points).min((points.len() + stored).saturating_sub(32) / stored);
        let last = rows - head - count * vector.points;

        let block = &mut block.0;
        let mut fine = row.run(self.proof, stride, previous, head_tokens, head, Target::Values(block));
        head_points.copy_from_slice(&block[..head_points.len()]);
        let last_tokens = &tokens[(rows - head - last) * stride..];
        let target = if lines.is_some() { Target::Lines(points) } else { Target::Values(points) };
        fine &= vector.run(self.proof, stride, previous, tokens, count, target);
        fine &= row.run(self.proof, stride, previous, last_tokens, last, Target::Values(block));
        let last_points = &mut points[(rows - head - last) * size..];
        last_points.copy_from_slice(&block[..last_points.len()]);
        fine
    }

    /// Lifts rows; if not everything `fits` 32 bits, some lanes the portable way.
    fn block(
        &self,
        block: &mut Block,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
        fits: bool,
    ) -> bool {
        let stride = self.lanes.len();
        let wide = |store: Store| store.bytes() == 8 || !fits && matches!(store, Store::F32 { .. });
        // A vector for each row, to lift one lane of it, costs more than the lane alone.
        let alone = |index: usize| stride > 1 && index.is_multiple_of(8) && index + 1 == stride;
        let apart = |index: usize, store: Store| store != Store::Skip && (wide(store) || alone(index));
        let mut fine = true;
        for part in self.parts.iter().filter(|part| !part.copies.is_empty() && !alone(part.first)) {
            let lanes = &self.lanes[part.first..][..part.row.lanes];
            let previous = &mut previous[part.first..][..lanes.len()];
            let mut sums = [0; 8];
            sums[..lanes.len()].copy_from_slice(previous);
            let sums = &mut sums[..lanes.len()];
            fine &= part.rows(self.proof, (stride, self.point_step), sums, tokens, points, &mut block.0);
            for (((index, previous), sum), lane) in (part.first..).zip(previous).zip(sums).zip(lanes) {
                if !apart(index, lane.store) {
                    *previous = *sum;
                }
            }
        }
        for (index, lane) in self.lanes.iter().enumerate().filter(|(index, lane)| apart(*index, lane.store)) {
            let Lane { offset, store } = *lane;
            let column = Column { tokens, index, stride, offset, point_step: self.point_step };
            fine &= column.lift(store, &mut previous[index], points);
        }
        fine
    }
}

impl Part {
    /// Lifts rows of `stride` tokens into points `point_step` bytes apart.
    fn rows(
        &self,
        proof: Avx2,
        (stride, point_step): (usize, usize),
        sums: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
        block: &mut [u8],
    ) -> bool {
        let rows = tokens.len() / stride;
        let whole = rows / self.vector.points;
        let mut fine = true;
        let mut merged = 0;
        if let Some(windows) = &self.windows {
            let count = whole.min(windows.vectors(points.len()));
            let target = Target::Points(windows, points);
            fine &= self.vector.run(proof, stride, sums, &tokens[self.first..], count, target);
            merged = count * self.vector.points;
        }
        let count = whole - merged / self.vector.points;
        let last = rows - merged - count * self.vector.points;
        let tokens = tokens[merged * stride..].get(self.first..).unwrap_or_default();
        fine &= self.vector.run(proof, stride, sums, tokens, count, Target::Values(block));
        let tokens = tokens.get(count * self.vector.points * stride..).unwrap_or_default();
        let values = &mut block[count * self.vector.points * stride * 4..];
        fine &= self.row.run(proof, stride, sums, tokens, last, Target::Values(values));
        for copy in &self.copies {
            let values = &block[..(rows - merged) * stride * 4];
            copy.copy(values, stride * 4, &mut points[merged * point_step..], point_step);
        }
        fine
    }
}
