//! Sums of 32 bits with AVX-512: 16 elements a vector.
//!
//! NaN markers restart the sum, so it is a segmented one; the masks for that are worked out only where some
//! vectors hold a marker.

use core::arch::x86_64::*;

use super::{
    Lane, NAN_F32, Store,
    elements512::{Constants, lift, lift_nan},
    plan::{Plan, Shape},
};
use crate::cpu::Avx512Vbmi2;

/// A plan for 32-bit elements with the constants of its lanes.
#[derive(Clone, Debug)]
pub(super) struct Narrow {
    pub(super) plan: Plan,
    point_step: usize,
    loaded: u16,
    floats: u16,
    integers: u16,
    resolutions: [f32; 16],
    /// For each doubling, where each element finds the one it adds, and which elements add one.
    shifts: [([u32; 16], u16); 4],
    /// The last point's element of each element's lane.
    last: [u32; 16],
    /// Each element's lane.
    lane: [u32; 16],
}

impl Narrow {
    pub(super) fn new(lanes: &[Lane], plan: Plan, point_step: usize) -> Self {
        let used = plan.points * plan.lanes;
        let mut resolutions = [0.0; 16];
        for (element, resolution) in resolutions.iter_mut().enumerate() {
            if let Store::GroupF32 { resolution: r } | Store::F32 { resolution: r } =
                lanes[element % plan.lanes].store
            {
                *resolution = r;
            }
        }
        let shift = |step: usize| {
            let by = plan.lanes << step;
            let mask = (0..used).fold(0, |mask, e| mask | u16::from(e >= by) << e);
            (core::array::from_fn(|e| e.saturating_sub(by) as u32), mask)
        };
        let shifts = core::array::from_fn(shift);
        let last = core::array::from_fn(|e| ((plan.points - 1) * plan.lanes + e % plan.lanes) as u32);
        Self {
            loaded: plan.elements(lanes, |store| store != Store::Skip),
            floats: plan.elements(lanes, |store| !store.is_integer()),
            integers: plan.elements(lanes, Store::is_integer),
            resolutions,
            shifts,
            last,
            lane: core::array::from_fn(|e| (e % plan.lanes) as u32),
            point_step,
            plan,
        }
    }

    /// How many points come before the first that starts a cache line, if the vectors from there on are whole
    /// lines.
    pub(super) fn points_to_line(&self, points: &[u8]) -> Option<usize> {
        let whole = self.plan.shape == Shape::Plain && self.plan.windows[0].mask == !0;
        let start = points.as_ptr().addr();
        let at_line = |point: &usize| (start + point * self.point_step).is_multiple_of(64);
        (0..self.plan.points).find(at_line).filter(|_| whole && self.plan.points * self.point_step == 64)
    }

    /// What is the same for all vectors.
    #[inline]
    pub(super) fn constants(&self) -> Constants {
        Constants {
            loaded: self.loaded,
            floats: self.floats,
            integers: self.integers,
            resolutions: pulp::cast(self.resolutions),
            nans: pulp::cast([NAN_F32; 16]),
            shifts: self.shifts.map(|(index, mask)| (pulp::cast(index), mask)),
            last: pulp::cast(self.last),
            lanes: self.plan.lanes,
        }
    }

    /// Whether the vector is four points of nothing but four float lanes in their order.
    pub(super) fn is_four_floats(&self) -> bool {
        let plain = self.plan.shape == Shape::Plain && self.plan.windows[0].mask == !0;
        plain && (self.plan.points, self.plan.lanes, self.point_step) == (4, 4, 16) && self.floats == !0
    }

    /// Whether the vector is four points of four elements that are adjacent in the point, too.
    fn has_quarters(&self) -> bool {
        let window = &self.plan.windows[0];
        let in_order = (0..16).all(|byte| usize::from(window.index[byte]) == byte);
        (self.plan.points, self.plan.lanes, self.loaded) == (4, 4, !0)
            && in_order
            && window.mask & 0xffff == 0xffff
    }

    /// Lifts rows of `stride` tokens that are whole vectors, from lane `first` on; as whole `lines` if
    /// [`Self::points_to_line`] found that `points` starts one. `false` if an integer lane holds a NaN marker.
    pub(super) fn run(
        &self,
        _proof: Avx512Vbmi2,
        (first, stride): (usize, usize),
        lines: bool,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        let count = tokens.len() / (self.plan.points * stride);
        if count == 0 || self.plan.windows.is_empty() {
            return true;
        }
        let vectors = Vectors {
            count,
            token_step: self.plan.points * stride,
            point_step: self.plan.points * self.point_step,
        };
        let tokens = &tokens[first..];
        assert!((count - 1) * vectors.token_step + self.plan.points * self.plan.lanes <= tokens.len());
        assert!(count * vectors.point_step <= points.len());
        assert!(!lines || self.points_to_line(points) == Some(0));
        let body = match self.plan.shape {
            Shape::Plain if lines => by_steps::<LINES>(self.plan.steps),
            Shape::Plain => by_steps::<PLAIN>(self.plan.steps),
            Shape::Many if self.has_quarters() => body::<2, QUARTERS>,
            Shape::One => by_steps::<ONE>(self.plan.steps),
            Shape::Many => by_steps::<MANY>(self.plan.steps),
        };
        // SAFETY: the proof says that the CPU has the features; lengths and alignment were just checked.
        unsafe { body(self, vectors, previous, tokens, points) }
    }

    /// The running values, in each element its lane's.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn sums(&self, previous: &[i64]) -> __m512i {
        let (low, high) = self.halves(previous.len());
        let at = previous.as_ptr();
        // SAFETY: the mask's elements are those of `previous`; no others are loaded.
        let low = unsafe { _mm512_maskz_loadu_epi64(low, at) };
        // SAFETY: the same; with no element there is no load.
        let high = unsafe { _mm512_maskz_loadu_epi64(high, at.wrapping_add(8)) };
        let low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low));
        let sums = _mm512_inserti64x4::<1>(low, _mm512_cvtepi64_epi32(high));
        _mm512_permutexvar_epi32(pulp::cast(self.lane), sums)
    }

    /// Stores the running values, of which the first elements are the lanes'. As a vector: a load, of sums that were
    /// stored to be taken apart, waits until the stores of the points before it are through.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn store_sums(&self, sums: __m512i, previous: &mut [i64]) {
        let (low, high) = self.halves(previous.len());
        let at = previous.as_mut_ptr();
        let sums_low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums));
        let sums_high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sums));
        // SAFETY: the mask's elements are those of `previous`; no others are stored.
        unsafe { _mm512_mask_storeu_epi64(at, low, sums_low) };
        // SAFETY: the same; with no element there is no store.
        unsafe { _mm512_mask_storeu_epi64(at.wrapping_add(8), high, sums_high) };
    }

    /// Masks of the first 8 and the other lanes that there are running values of.
    #[inline]
    fn halves(&self, previous: usize) -> (__mmask8, __mmask8) {
        let lanes = (1_u32 << self.plan.lanes.min(previous)) - 1;
        (lanes as u8, (lanes >> 8) as u8)
    }
}

/// Four points, each of four adjacent elements.
const QUARTERS: u8 = 4;
/// Plain, past the cache.
const LINES: u8 = 3;
const PLAIN: u8 = Shape::Plain as u8;
const ONE: u8 = Shape::One as u8;
const MANY: u8 = Shape::Many as u8;

type Body = unsafe fn(&Narrow, Vectors, &mut [i64], &[u32], &mut [u8]) -> bool;

fn by_steps<const SHAPE: u8>(steps: usize) -> Body {
    match steps {
        0 => body::<0, SHAPE>,
        1 => body::<1, SHAPE>,
        2 => body::<2, SHAPE>,
        3 => body::<3, SHAPE>,
        _ => body::<4, SHAPE>,
    }
}

/// How the vectors of a call lie in the tokens and the points.
#[derive(Clone, Copy)]
struct Vectors {
    count: usize,
    token_step: usize,
    point_step: usize,
}

/// The loop over blocks.
///
/// # Safety
/// `tokens` holds `vectors.count` vectors, `points` their points; for `LINES` these are whole cache lines.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")]
unsafe fn body<const STEPS: usize, const SHAPE: u8>(
    narrow: &Narrow,
    vectors: Vectors,
    previous: &mut [i64],
    tokens: &[u32],
    points: &mut [u8],
) -> bool {
    let constants = narrow.constants();
    let windows = &narrow.plan.windows[..];
    let only_index = pulp::cast(windows[0].index);
    let (only_start, only_mask) = (windows[0].start, windows[0].mask);
    let mut carry = narrow.sums(previous);
    let mut markers = 0;
    let load = |vector: usize| {
        // SAFETY: the caller vouches that the vector starts in `tokens`.
        let at = unsafe { tokens.as_ptr().add(vector * vectors.token_step) };
        // SAFETY: the caller vouches for the vector's elements; no others are loaded.
        unsafe { _mm512_maskz_loadu_epi32(constants.loaded, at.cast()) }
    };
    let mut store = |vector: usize, values: __m512i| {
        // SAFETY: the caller vouches that the vector's points lie in `points`.
        let point = unsafe { points.as_mut_ptr().add(vector * vectors.point_step) };
        if SHAPE == QUARTERS {
            let quarters = [
                _mm512_castsi512_si128(values),
                _mm512_extracti32x4_epi32::<1>(values),
                _mm512_extracti32x4_epi32::<2>(values),
                _mm512_extracti32x4_epi32::<3>(values),
            ];
            for (point_index, quarter) in quarters.into_iter().enumerate() {
                // SAFETY: the first window starts at the first lane of the first of four points.
                let at = unsafe { point.add(point_index * narrow.point_step + only_start) };
                // SAFETY: the four lanes' 16 bytes are adjacent in each of the points.
                unsafe { _mm_storeu_si128(at.cast(), quarter) };
            }
            return;
        }
        if SHAPE != MANY {
            let bytes = if SHAPE == ONE { _mm512_permutexvar_epi8(only_index, values) } else { values };
            // SAFETY: the window starts at a lane of these points.
            let at = unsafe { point.add(only_start) };
            if SHAPE == LINES {
                // SAFETY: the caller vouches for a whole line; the fence comes before anyone reads it.
                unsafe { _mm512_stream_si512(at.cast(), bytes) };
            } else {
                // SAFETY: the mask keeps to the lanes' bytes of these points.
                unsafe { _mm512_mask_storeu_epi8(at.cast(), only_mask, bytes) };
            }
            return;
        }
        for window in windows {
            let bytes = _mm512_permutexvar_epi8(pulp::cast(window.index), values);
            // SAFETY: a window starts at a lane of these points.
            let at = unsafe { point.add(window.start) };
            // SAFETY: the mask keeps to the lanes' bytes of these points.
            unsafe { _mm512_mask_storeu_epi8(at.cast(), window.mask, bytes) };
        }
    };
    let mut next = 0;
    while STEPS > 0 && next + 4 <= vectors.count {
        // Spelt out: a loop would keep the vectors in memory.
        let [a, b, c, d] = [load(next), load(next + 1), load(next + 2), load(next + 3)];
        let least = _mm512_min_epu32(_mm512_min_epu32(a, b), _mm512_min_epu32(c, d));
        if _mm512_mask_testn_epi32_mask(constants.loaded, least, least) == 0 {
            store(next, lift::<STEPS>(&constants, a, &mut carry));
            store(next + 1, lift::<STEPS>(&constants, b, &mut carry));
            store(next + 2, lift::<STEPS>(&constants, c, &mut carry));
            store(next + 3, lift::<STEPS>(&constants, d, &mut carry));
        } else {
            store(next, lift_nan::<STEPS>(&constants, a, &mut carry, &mut markers));
            store(next + 1, lift_nan::<STEPS>(&constants, b, &mut carry, &mut markers));
            store(next + 2, lift_nan::<STEPS>(&constants, c, &mut carry, &mut markers));
            store(next + 3, lift_nan::<STEPS>(&constants, d, &mut carry, &mut markers));
        }
        next += 4;
    }
    for vector in next..vectors.count {
        store(vector, lift_nan::<STEPS>(&constants, load(vector), &mut carry, &mut markers));
    }
    if SHAPE == LINES {
        _mm_sfence();
    }
    narrow.store_sums(carry, previous);
    markers == 0
}
