//! The lift of AVX-512 for everything: sums of 64 bits, tokens of either word, every store; 8 elements a vector.

use alloc::vec::Vec;
use core::arch::x86_64::*;

use super::{Lane, NAN_F32, NAN_F64, Store, plan::Plan};
use crate::{Word, cpu::Avx512Vbmi2};

/// Loads tokens as 64-bit elements.
pub(super) trait Load: Word {
    /// The elements of `mask`, the others 0.
    ///
    /// # Safety
    /// The elements of `mask` lie in one allocation from `at` on; the CPU has AVX-512F and VL.
    unsafe fn load(mask: __mmask8, at: *const Self) -> __m512i;
}

impl Load for u32 {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn load(mask: __mmask8, at: *const Self) -> __m512i {
        // SAFETY: the caller vouches for the elements of `mask`; no others are loaded.
        _mm512_cvtepu32_epi64(unsafe { _mm256_maskz_loadu_epi32(mask, at.cast()) })
    }
}

impl Load for u64 {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn load(mask: __mmask8, at: *const Self) -> __m512i {
        // SAFETY: the caller vouches for the elements of `mask`; no others are loaded.
        unsafe { _mm512_maskz_loadu_epi64(mask, at.cast()) }
    }
}

/// How rows lie in the tokens and the points.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) stride: usize,
    pub(super) point_step: usize,
}

/// Up to 8 lanes that follow one another in the row: as many points in a vector as pay, and one of them.
#[derive(Clone, Debug)]
pub(super) struct Part {
    first: usize,
    vector: Wide,
    row: Wide,
}

/// The parts of lanes that start at lane `first` of the row; `dense` if they are the whole row.
pub(super) fn parts(lanes: &[Lane], first: usize, point_step: usize, dense: bool) -> Vec<Part> {
    let dense = dense && lanes.len() <= 8;
    let part = |(index, lanes): (usize, &[Lane])| Part {
        first: first + index * 8,
        vector: Wide::new(lanes, Plan::cheapest(lanes, point_step, 8, dense)),
        row: Wide::new(lanes, Plan::new(lanes, point_step, 8, 1)),
    };
    lanes.chunks(8).enumerate().map(part).collect()
}

impl Part {
    /// How many lanes it has.
    pub(super) fn lanes(&self) -> usize {
        self.row.plan.lanes
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows<W: Load>(
        &self,
        proof: Avx512Vbmi2,
        rows: Rows,
        previous: &mut [i64],
        tokens: &[W],
        points: &mut [u8],
    ) -> bool {
        let mut sums = core::array::from_fn(|index| previous[index % previous.len()]);
        let count = tokens.len() / rows.stride;
        let whole = count - count % self.vector.plan.points;
        let (tokens, last_tokens) = tokens.split_at(whole * rows.stride);
        let (points, last_points) = points.split_at_mut(whole * rows.point_step);
        let mut fine = self.vector.run(proof, self.first, rows, &mut sums, tokens, points);
        fine &= self.row.run(proof, self.first, rows, &mut sums, last_tokens, last_points);
        for (index, previous) in previous.iter_mut().enumerate() {
            let short = self.row.short >> index & 1 == 1;
            *previous = if short { i64::from(sums[index] as i32) } else { sums[index] };
        }
        fine
    }
}

/// A plan for 64-bit elements with the constants of its lanes.
#[derive(Clone, Debug)]
struct Wide {
    plan: Plan,
    loaded: __mmask8,
    integers: __mmask8,
    floats32: __mmask8,
    floats64: __mmask8,
    /// Sums of 32 bits.
    short: __mmask8,
    resolutions32: [f32; 8],
    resolutions64: [f64; 8],
    nans: [u64; 8],
    /// For each doubling, where each element finds the one it adds, and which elements add one.
    shifts: [([u64; 8], __mmask8); 3],
    /// The last point's element of each element's lane.
    last: [u64; 8],
}

impl Wide {
    fn new(lanes: &[Lane], plan: Plan) -> Self {
        let used = plan.points * plan.lanes;
        let (mut resolutions32, mut resolutions64, mut nans) = ([0.0; 8], [0.0; 8], [0; 8]);
        for element in 0..used {
            match lanes[element % plan.lanes].store {
                Store::GroupF32 { resolution } | Store::F32 { resolution } => {
                    resolutions32[element] = resolution;
                    nans[element] = u64::from(NAN_F32);
                }
                Store::F64 { resolution } => {
                    resolutions64[element] = resolution;
                    nans[element] = NAN_F64;
                }
                Store::Int16 | Store::Int32 | Store::Int64 | Store::Skip => {}
            }
        }
        let shift = |step: usize| {
            let by = plan.lanes << step;
            let mask = (0..used).fold(0, |mask, e| mask | __mmask8::from(e >= by) << e);
            (core::array::from_fn(|e| e.saturating_sub(by) as u64), mask)
        };
        let is_float32 = |store| matches!(store, Store::GroupF32 { .. } | Store::F32 { .. });
        let is_short = |store| matches!(store, Store::GroupF32 { .. } | Store::Int16 | Store::Int32);
        let elements = |which: &dyn Fn(Store) -> bool| plan.elements(lanes, which) as __mmask8;
        Self {
            loaded: elements(&|store| store != Store::Skip),
            integers: elements(&Store::is_integer),
            floats32: elements(&is_float32),
            floats64: elements(&|store| matches!(store, Store::F64 { .. })),
            short: elements(&is_short),
            resolutions32,
            resolutions64,
            nans,
            shifts: core::array::from_fn(shift),
            last: core::array::from_fn(|e| ((plan.points - 1) * plan.lanes + e % plan.lanes) as u64),
            plan,
        }
    }

    /// Lifts rows that are whole vectors, from lane `first` on.
    fn run<W: Load>(
        &self,
        _proof: Avx512Vbmi2,
        first: usize,
        rows: Rows,
        sums: &mut [i64; 8],
        tokens: &[W],
        points: &mut [u8],
    ) -> bool {
        let token_step = self.plan.points * rows.stride;
        let point_step = self.plan.points * rows.point_step;
        let count = tokens.len() / token_step;
        if count == 0 {
            return true;
        }
        let tokens = &tokens[first..];
        assert!((count - 1) * token_step + self.plan.points * self.plan.lanes <= tokens.len());
        assert!(count * point_step <= points.len());
        let floats = self.floats32 | self.floats64 != 0;
        let body = match (self.plan.steps, floats) {
            (0, false) => body::<W, 0, false>,
            (1, false) => body::<W, 1, false>,
            (2, false) => body::<W, 2, false>,
            (_, false) => body::<W, 3, false>,
            (0, true) => body::<W, 0, true>,
            (1, true) => body::<W, 1, true>,
            (2, true) => body::<W, 2, true>,
            (_, true) => body::<W, 3, true>,
        };
        // SAFETY: the proof says that the CPU has the features; both lengths were just checked.
        unsafe { body(self, (count, token_step, point_step), sums, tokens, points) }
    }
}

/// The loop over `count` vectors, their tokens and points so many apart. Without `FLOATS`, a marker restarts no
/// sum: it is an error.
///
/// # Safety
/// `tokens` holds the vectors and `points` their points.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
unsafe fn body<W: Load, const STEPS: usize, const FLOATS: bool>(
    wide: &Wide,
    (count, token_step, point_step): (usize, usize, usize),
    totals: &mut [i64; 8],
    tokens: &[W],
    points: &mut [u8],
) -> bool {
    let resolutions32: __m256 = pulp::cast(wide.resolutions32);
    let resolutions64: __m512d = pulp::cast(wide.resolutions64);
    let nans: __m512i = pulp::cast(wide.nans);
    let shifts = wide.shifts.map(|(index, mask)| (pulp::cast::<_, __m512i>(index), mask));
    let last: __m512i = pulp::cast(wide.last);
    let mut carry: __m512i = pulp::cast(*totals);
    let mut markers = 0;
    for vector in 0..count {
        // SAFETY: the caller vouches that the vector's tokens are there.
        let at = unsafe { tokens.as_ptr().add(vector * token_step) };
        // SAFETY: `loaded` keeps to the vector's tokens; this function has the features.
        let token = unsafe { W::load(wide.loaded, at) };
        let numbers = _mm512_test_epi64_mask(token, token);
        markers |= !numbers & wide.integers;
        let half = _mm512_srli_epi64::<1>(token);
        let even = _mm512_testn_epi64_mask(token, _mm512_set1_epi64(1));
        let mut sums = _mm512_mask_sub_epi64(half, even, _mm512_setzero_si512(), half);
        // A bit is set if the elements that the sum spans so far hold a marker: it then goes no further back.
        let mut stopped = if FLOATS { u32::from(!numbers & wide.loaded) } else { 0 };
        for (step, (index, mask)) in shifts[..STEPS].iter().enumerate() {
            let before = _mm512_permutexvar_epi64(*index, sums);
            sums = _mm512_mask_add_epi64(sums, mask & !stopped as u8, sums, before);
            stopped |= stopped << (wide.plan.lanes << step);
        }
        sums = _mm512_mask_add_epi64(sums, !stopped as u8, sums, carry);
        carry = if STEPS == 0 { sums } else { _mm512_permutexvar_epi64(last, sums) };

        let mut values = sums;
        if FLOATS {
            let low = _mm512_slli_epi64::<32>(sums);
            let sums = _mm512_mask_srai_epi64::<32>(sums, wide.short, low);
            let f32s = _mm256_mul_ps(_mm512_cvtepi64_ps(sums), resolutions32);
            let f32s = _mm512_cvtepu32_epi64(_mm256_castps_si256(f32s));
            let f64s = _mm512_castpd_si512(_mm512_mul_pd(_mm512_cvtepi64_pd(sums), resolutions64));
            values = _mm512_mask_mov_epi64(sums, wide.floats32, f32s);
            values = _mm512_mask_mov_epi64(values, wide.floats64, f64s);
            values = _mm512_mask_mov_epi64(values, !numbers, nans);
        }
        for window in &wide.plan.windows {
            let bytes = _mm512_permutexvar_epi8(pulp::cast(window.index), values);
            // SAFETY: a window lies within the vector's points, which the caller vouches for.
            let at = unsafe { points.as_mut_ptr().add(vector * point_step + window.start) };
            // SAFETY: as above; the mask keeps to the lanes' bytes.
            unsafe { _mm512_mask_storeu_epi8(at.cast(), window.mask, bytes) };
        }
    }
    *totals = pulp::cast(carry);
    markers == 0
}
