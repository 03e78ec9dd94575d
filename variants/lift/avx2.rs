//! The lift with AVX2: vectors of 8 lanes, or of several points if a row has at most 4 lanes, into a block of
//! 32-bit values as interleaved as the tokens; then strided copies into the points, a lane or some adjacent
//! ones at a time. Points that are nothing but 32-bit lanes in their order need no block in between.
//!
//! AVX2 cannot convert 64-bit integers, so lanes with a sum or a store of 64 bits go the portable way, unless
//! the sum is known to fit 32 bits.

use alloc::{boxed::Box, vec::Vec};
use core::arch::x86_64::*;

use super::{
    Lane, NAN_F32, Store,
    plan::fits_32_bits,
    portable::{self, Column},
};
use crate::cpu::Avx2;

/// Values in a block.
const VALUES: usize = 1024;
/// Bytes of a block, with room for the end of the last vector's store.
const BYTES: usize = 4 * VALUES + 32;
/// Vectors that are searched for NaN markers at a time.
const SEARCHED: usize = 4;

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
    /// The lanes that store 64 bits.
    wide: Vec<usize>,
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
        let which = |accept: fn(Store) -> bool| {
            let accepted = lanes.iter().enumerate().filter(move |(_, lane)| accept(lane.store));
            accepted.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let in_order = |(index, lane): (usize, &Lane)| lane.offset == 4 * index && lane.store.bytes() == 4;
        Some(Self {
            proof,
            lanes: lanes.to_vec(),
            point_step,
            parts: lanes.chunks(8).enumerate().map(part).collect(),
            copies: runs(lanes),
            exact: which(|store| matches!(store, Store::F32 { .. })),
            wide: which(|store| store.bytes() == 8),
            direct: point_step == 4 * lanes.len()
                && lanes.len() <= 8
                && lanes.iter().enumerate().all(in_order),
            block: Box::new(Block([0; BYTES])),
        })
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u32(&mut self, previous: &mut [i64], tokens: &[u32], points: &mut [u8]) -> bool {
        let per_vector = self.parts[0].vector.points;
        let rows = VALUES / self.lanes.len() / per_vector * per_vector;
        let blocks = tokens.chunks(rows * self.lanes.len()).zip(points.chunks_mut(rows * self.point_step));
        blocks.fold(true, |fine, (tokens, points)| {
            let fits = self.exact.is_empty() || fits_32_bits(&self.exact, previous, tokens, rows);
            fine & self.one_block(previous, tokens, points, fits)
        })
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u64(&self, previous: &mut [i64], tokens: &[u64], points: &mut [u8]) -> bool {
        portable::rows(&self.lanes, self.point_step, previous, tokens, points)
    }

    fn one_block(&mut self, previous: &mut [i64], tokens: &[u32], points: &mut [u8], fits: bool) -> bool {
        let stride = self.lanes.len();
        let rows = tokens.len() / stride;
        let direct = self.direct && fits;
        let mut fine = true;
        // The last part's vectors reach into the next row: it comes before the lanes that it would overwrite.
        for part in self.parts.iter().rev() {
            let lanes = part.row.lanes;
            let previous = &mut previous[part.first..][..lanes];
            let mut sums = core::array::from_fn(|element| previous[element % lanes] as i32);
            let tokens = &tokens[part.first..];
            let mut whole = rows / part.vector.points;
            if direct {
                // A store of a whole vector must not reach beyond the points.
                let stored = part.vector.points * self.point_step;
                whole = whole.min((points.len() + stored).saturating_sub(32) / stored);
                fine &= part.vector.run(self.proof, stride, &mut sums, tokens, whole, points);
            } else {
                fine &= part.vector.run(
                    self.proof,
                    stride,
                    &mut sums,
                    tokens,
                    whole,
                    &mut self.block.0[4 * part.first..],
                );
            }
            let done = whole * part.vector.points;
            if done < rows {
                let tokens = &tokens[done * stride..];
                let block = &mut self.block.0[4 * (done * stride + part.first)..];
                fine &= part.row.run(self.proof, stride, &mut sums, tokens, rows - done, block);
            }
            if direct {
                let size = self.point_step;
                points[done * size..rows * size].copy_from_slice(&self.block.0[done * size..rows * size]);
            }
            for (index, previous) in previous.iter_mut().enumerate() {
                match self.lanes[part.first + index].store {
                    Store::F32 { .. } if !fits => {}
                    Store::F64 { .. } | Store::Int64 => {}
                    _ => *previous = i64::from(sums[index]),
                }
            }
        }
        if !direct {
            for run in &self.copies {
                run.copy(&self.block.0[..rows * stride * 4], stride * 4, points, self.point_step);
            }
        }
        let exact = if fits { &[][..] } else { &self.exact[..] };
        for &index in self.wide.iter().chain(exact) {
            let Lane { offset, store } = self.lanes[index];
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

/// Lanes in a vector of 8 elements: element `e` is lane `e % lanes` of point `e / lanes`.
#[derive(Clone, Debug)]
struct Vector {
    lanes: usize,
    points: usize,
    /// Doublings that a running sum over the vector's points takes.
    steps: usize,
    /// All ones in elements that are loaded.
    loaded: [i32; 8],
    /// All ones in elements of integer lanes.
    integers: [i32; 8],
    resolutions: [f32; 8],
    /// For each doubling, where each element finds the one it adds, and all ones in those that add one.
    shifts: [([i32; 8], [i32; 8]); 3],
    /// The last point's element of each element's lane.
    last: [i32; 8],
}

impl Vector {
    fn new(lanes: &[Lane], points: usize) -> Self {
        let count = lanes.len();
        let used = |element: usize| element < count * points;
        let lane = |element: usize| lanes[element % count].store;
        let ones = |set: bool| -i32::from(set);
        let shift = |step: usize| {
            let by = count << step;
            let from = core::array::from_fn(|element| element.saturating_sub(by) as i32);
            (from, core::array::from_fn(|element| ones(used(element) && element >= by)))
        };
        Self {
            lanes: count,
            points,
            steps: points.next_power_of_two().ilog2() as usize,
            loaded: core::array::from_fn(|element| ones(used(element))),
            integers: core::array::from_fn(|element| ones(used(element) && lane(element).is_integer())),
            resolutions: core::array::from_fn(|element| match lane(element) {
                Store::GroupF32 { resolution } | Store::F32 { resolution } => resolution,
                _ => 0.0,
            }),
            shifts: core::array::from_fn(shift),
            last: core::array::from_fn(|element| ((points - 1) * count + element % count) as i32),
        }
    }

    /// Lifts `count` vectors of rows, `stride` tokens each, to rows of as many values.
    fn run(
        &self,
        _proof: Avx2,
        stride: usize,
        sums: &mut [i32; 8],
        tokens: &[u32],
        count: usize,
        values: &mut [u8],
    ) -> bool {
        if count == 0 {
            return true;
        }
        let step = self.points * stride;
        assert!((count - 1) * step + self.points * self.lanes <= tokens.len());
        assert!((count - 1) * step * 4 + 32 <= values.len());
        let mixed = self.integers != [0; 8];
        let body = match (self.steps, mixed) {
            (0, false) => body::<0, false>,
            (1, false) => body::<1, false>,
            (2, false) => body::<2, false>,
            (_, false) => body::<3, false>,
            (0, true) => body::<0, true>,
            (1, true) => body::<1, true>,
            (2, true) => body::<2, true>,
            (_, true) => body::<3, true>,
        };
        // SAFETY: the proof says that the CPU has AVX2; both lengths were just checked.
        unsafe { body(self, (count, step), sums, tokens, values) }
    }
}

/// What the inner loop keeps in registers.
struct Constants {
    loaded: __m256i,
    integers: __m256i,
    resolutions: __m256,
    nans: __m256,
    shifts: [(__m256i, __m256i); 3],
    last: __m256i,
}

/// The loop over `count` vectors, `step` tokens and values apart.
///
/// # Safety
/// `tokens` holds the vectors' elements that are loaded; `values` has 32 bytes for each.
#[target_feature(enable = "avx2")]
unsafe fn body<const STEPS: usize, const MIXED: bool>(
    vector: &Vector,
    (count, step): (usize, usize),
    sums: &mut [i32; 8],
    tokens: &[u32],
    values: &mut [u8],
) -> bool {
    let constants = Constants {
        loaded: pulp::cast(vector.loaded),
        integers: pulp::cast(vector.integers),
        resolutions: pulp::cast(vector.resolutions),
        nans: pulp::cast([NAN_F32; 8]),
        shifts: vector.shifts.map(|(from, mask)| (pulp::cast(from), pulp::cast(mask))),
        last: pulp::cast(vector.last),
    };
    let mut carry: __m256i = pulp::cast(*sums);
    let mut markers = _mm256_setzero_si256();
    let load = |index: usize| {
        // SAFETY: the caller vouches that the vector starts in `tokens`.
        let at = unsafe { tokens.as_ptr().add(index * step) };
        // SAFETY: the caller vouches for the elements of `loaded`; no others are loaded.
        unsafe { _mm256_maskload_epi32(at.cast(), constants.loaded) }
    };
    let mut store = |index: usize, lifted: __m256i| {
        // SAFETY: the caller vouches that the vector's values start in `values`.
        let at = unsafe { values.as_mut_ptr().add(index * step * 4) };
        // SAFETY: the caller vouches for 32 bytes from there.
        unsafe { _mm256_storeu_si256(at.cast(), lifted) };
    };
    let mut next = 0;
    while next + SEARCHED <= count {
        let tokens: [_; SEARCHED] = core::array::from_fn(|index| load(next + index));
        let least = tokens[1..].iter().fold(tokens[0], |least, tokens| _mm256_min_epu32(least, *tokens));
        let zeros = _mm256_cmpeq_epi32(least, _mm256_setzero_si256());
        if _mm256_testz_si256(zeros, constants.loaded) == 1 {
            for (index, tokens) in tokens.into_iter().enumerate() {
                store(next + index, lift::<STEPS, MIXED>(&constants, tokens, &mut carry));
            }
        } else {
            for (index, tokens) in tokens.into_iter().enumerate() {
                store(next + index, lift_nan::<STEPS>(&constants, tokens, &mut carry, &mut markers));
            }
        }
        next += SEARCHED;
    }
    for index in next..count {
        store(index, lift_nan::<STEPS>(&constants, load(index), &mut carry, &mut markers));
    }
    *sums = pulp::cast(carry);
    _mm256_testz_si256(markers, markers) == 1
}

/// The negatives of the tokens' deltas: -(v >> 1) if v is odd, v >> 1 if it is even.
#[inline]
#[target_feature(enable = "avx2")]
fn negated_deltas(tokens: __m256i) -> __m256i {
    let sign = _mm256_or_si256(_mm256_slli_epi32::<31>(tokens), _mm256_set1_epi32(1));
    _mm256_sign_epi32(_mm256_srli_epi32::<1>(tokens), sign)
}

/// The values of a vector without NaN markers.
#[inline]
#[target_feature(enable = "avx2")]
fn lift<const STEPS: usize, const MIXED: bool>(
    constants: &Constants,
    tokens: __m256i,
    carry: &mut __m256i,
) -> __m256i {
    let mut negated = negated_deltas(tokens);
    for (from, mask) in &constants.shifts[..STEPS] {
        let before = _mm256_permutevar8x32_epi32(negated, *from);
        negated = _mm256_add_epi32(negated, _mm256_and_si256(before, *mask));
    }
    let sums = _mm256_sub_epi32(*carry, negated);
    *carry = if STEPS == 0 { sums } else { _mm256_permutevar8x32_epi32(sums, constants.last) };
    let floats = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), constants.resolutions);
    if MIXED {
        _mm256_blendv_epi8(_mm256_castps_si256(floats), sums, constants.integers)
    } else {
        _mm256_castps_si256(floats)
    }
}

/// The values of a vector with NaN markers, which restart their lane's sum; those of integers go to `markers`.
#[inline]
#[target_feature(enable = "avx2")]
fn lift_nan<const STEPS: usize>(
    constants: &Constants,
    tokens: __m256i,
    carry: &mut __m256i,
    markers: &mut __m256i,
) -> __m256i {
    let zeros = _mm256_cmpeq_epi32(tokens, _mm256_setzero_si256());
    *markers = _mm256_or_si256(*markers, _mm256_and_si256(zeros, constants.integers));
    let mut negated = negated_deltas(tokens);
    // All ones if the elements that the sum spans so far hold a marker: it then goes no further back.
    let mut stopped = zeros;
    for (from, mask) in &constants.shifts[..STEPS] {
        let before = _mm256_and_si256(_mm256_permutevar8x32_epi32(negated, *from), *mask);
        negated = _mm256_add_epi32(negated, _mm256_andnot_si256(stopped, before));
        let before = _mm256_and_si256(_mm256_permutevar8x32_epi32(stopped, *from), *mask);
        stopped = _mm256_or_si256(stopped, before);
    }
    let sums = _mm256_sub_epi32(_mm256_andnot_si256(stopped, *carry), negated);
    *carry = if STEPS == 0 { sums } else { _mm256_permutevar8x32_epi32(sums, constants.last) };
    let floats = _mm256_blendv_ps(_mm256_cvtepi32_ps(sums), constants.nans, _mm256_castsi256_ps(zeros));
    let floats = _mm256_castps_si256(_mm256_mul_ps(floats, constants.resolutions));
    _mm256_blendv_epi8(floats, sums, constants.integers)
}
