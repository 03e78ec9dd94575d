//! The lift with AVX-512: as many points in a vector as fit, a running sum over them by doubling, then a byte
//! permutation into the points' shape and masked stores.
//!
//! Where a row fills most of a vector there is no sum to double: a point costs one addition in the chain.
//! NaN markers restart the sum, so it is a segmented one; the masks for that are worked out only in blocks that
//! hold a marker.

use alloc::vec::Vec;
use core::arch::x86_64::*;

use super::{
    Lane, NAN_F32, Store,
    plan::{Plan, Shape, fits_32_bits},
    wide512,
};
use crate::cpu::Avx512Vbmi2;

/// Vectors that are searched for NaN markers at a time.
const BLOCK: usize = 4;
/// Vectors after which a lane with a sum of 64 bits has its range checked again.
const EXACT_BLOCK: usize = 64;

/// Prepared for some lanes and a point step.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    proof: Avx512Vbmi2,
    parts: Vec<Part>,
    stride: usize,
    point_step: usize,
}

/// Up to 16 lanes that follow one another in the row.
#[derive(Clone, Debug)]
struct Part {
    first: usize,
    lanes: usize,
    /// For 32-bit words, unless a lane stores 64 bits: as many points in a vector as pay, and one of them.
    narrow: Option<(Narrow, Narrow)>,
    /// The lanes whose sum has 64 bits but is worked out in 32 where it is known to fit.
    exact: Vec<usize>,
    /// For any word and store: up to 8 lanes each.
    wide: Vec<wide512::Part>,
}

impl Kernel {
    /// For lanes that do not overlap.
    pub(super) fn new(proof: Avx512Vbmi2, lanes: &[Lane], point_step: usize) -> Self {
        let part = |(index, part): (usize, &[Lane])| {
            let first = index * 16;
            let dense = part.len() == lanes.len();
            let narrow = part.iter().all(|lane| lane.store.bytes() <= 4).then(|| {
                let vector = Plan::cheapest(part, point_step, 4, dense);
                (Narrow::new(part, vector), Narrow::new(part, Plan::new(part, point_step, 4, 1)))
            });
            let exact = |index: &usize| matches!(part[*index].store, Store::F32 { .. });
            Part {
                first,
                lanes: part.len(),
                narrow,
                exact: (0..part.len()).filter(exact).collect(),
                wide: wide512::parts(part, first, point_step, dense),
            }
        };
        let parts = lanes.chunks(16).enumerate().map(part).collect();
        Self { proof, parts, stride: lanes.len(), point_step }
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u32(&self, previous: &mut [i64], tokens: &[u32], points: &mut [u8]) -> bool {
        let mut fine = true;
        for part in &self.parts {
            let previous = &mut previous[part.first..][..part.lanes];
            fine &= match &part.narrow {
                None => self.wide(part, previous, tokens, points),
                Some(narrow) if part.exact.is_empty() => self.narrow(narrow, part, previous, tokens, points),
                Some(narrow) => {
                    let rows = EXACT_BLOCK * narrow.0.plan.points;
                    let blocks =
                        tokens.chunks(rows * self.stride).zip(points.chunks_mut(rows * self.point_step));
                    blocks.fold(true, |fine, (tokens, points)| {
                        let fits = fits_32_bits(&part.exact, previous, tokens, rows);
                        fine & if fits {
                            self.narrow(narrow, part, previous, tokens, points)
                        } else {
                            self.wide(part, previous, tokens, points)
                        }
                    })
                }
            };
        }
        fine
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u64(&self, previous: &mut [i64], tokens: &[u64], points: &mut [u8]) -> bool {
        self.parts.iter().fold(true, |fine, part| {
            fine & self.wide(part, &mut previous[part.first..][..part.lanes], tokens, points)
        })
    }

    fn wide<W: wide512::Load>(
        &self,
        part: &Part,
        previous: &mut [i64],
        tokens: &[W],
        points: &mut [u8],
    ) -> bool {
        let rows = wide512::Rows { stride: self.stride, point_step: self.point_step };
        let mut done = 0;
        part.wide.iter().fold(true, |fine, wide| {
            let lanes = wide.lanes();
            done += lanes;
            fine & wide.rows(self.proof, rows, &mut previous[done - lanes..done], tokens, points)
        })
    }

    fn narrow(
        &self,
        (vector, row): &(Narrow, Narrow),
        part: &Part,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        let mut sums = [0; 16];
        for (index, sum) in sums.iter_mut().enumerate() {
            *sum = previous[index % part.lanes] as i32;
        }
        let rows = tokens.len() / self.stride;
        let whole = rows - rows % vector.plan.points;
        let (tokens, last_tokens) = tokens.split_at(whole * self.stride);
        let (points, last_points) = points.split_at_mut(whole * self.point_step);
        let mut fine = vector.run(self, part.first, &mut sums, tokens, points);
        fine &= row.run(self, part.first, &mut sums, last_tokens, last_points);
        for (previous, sum) in previous.iter_mut().zip(sums) {
            *previous = i64::from(sum);
        }
        fine
    }
}

/// A plan for 32-bit elements with the constants of its lanes.
#[derive(Clone, Debug)]
struct Narrow {
    plan: Plan,
    loaded: u16,
    floats: u16,
    integers: u16,
    resolutions: [f32; 16],
    /// For each doubling, where each element finds the one it adds, and which elements add one.
    shifts: [([u32; 16], u16); 4],
    /// The last point's element of each element's lane.
    last: [u32; 16],
}

impl Narrow {
    fn new(lanes: &[Lane], plan: Plan) -> Self {
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
            loaded: plan.elements(lanes, |_| true),
            floats: plan.elements(lanes, |store| !store.is_integer()),
            integers: plan.elements(lanes, Store::is_integer),
            resolutions,
            shifts,
            last,
            plan,
        }
    }

    /// Lifts rows that are whole vectors, from lane `first` on.
    fn run(
        &self,
        kernel: &Kernel,
        first: usize,
        sums: &mut [i32; 16],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        let count = tokens.len() / (self.plan.points * kernel.stride);
        if count == 0 {
            return true;
        }
        let vectors = Vectors {
            count,
            token_step: self.plan.points * kernel.stride,
            point_step: self.plan.points * kernel.point_step,
        };
        let tokens = &tokens[first..];
        assert!((count - 1) * vectors.token_step + self.plan.points * self.plan.lanes <= tokens.len());
        assert!(count * vectors.point_step <= points.len());
        let body = match self.plan.shape {
            Shape::Plain => by_steps::<PLAIN>(self.plan.steps),
            Shape::One => by_steps::<ONE>(self.plan.steps),
            Shape::Many => by_steps::<MANY>(self.plan.steps),
        };
        // SAFETY: the kernel's proof says that the CPU has the features; both lengths were just checked.
        unsafe { body(self, vectors, sums, tokens, points) }
    }
}

const PLAIN: u8 = Shape::Plain as u8;
const ONE: u8 = Shape::One as u8;
const MANY: u8 = Shape::Many as u8;

type Body = unsafe fn(&Narrow, Vectors, &mut [i32; 16], &[u32], &mut [u8]) -> bool;

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

/// What the inner loop keeps in registers.
struct Constants {
    loaded: __mmask16,
    floats: __mmask16,
    integers: __mmask16,
    resolutions: __m512,
    nans: __m512,
    shifts: [(__m512i, __mmask16); 4],
    last: __m512i,
    lanes: usize,
}

/// The loop over blocks.
///
/// # Safety
/// `tokens` holds `vectors.count` vectors, `points` their points.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")]
unsafe fn body<const STEPS: usize, const SHAPE: u8>(
    narrow: &Narrow,
    vectors: Vectors,
    sums: &mut [i32; 16],
    tokens: &[u32],
    points: &mut [u8],
) -> bool {
    let constants = Constants {
        loaded: narrow.loaded,
        floats: narrow.floats,
        integers: narrow.integers,
        resolutions: pulp::cast(narrow.resolutions),
        nans: pulp::cast([NAN_F32; 16]),
        shifts: narrow.shifts.map(|(index, mask)| (pulp::cast(index), mask)),
        last: pulp::cast(narrow.last),
        lanes: narrow.plan.lanes,
    };
    let windows = &narrow.plan.windows[..];
    let only_index = pulp::cast(windows[0].index);
    let (only_start, only_mask) = (windows[0].start, windows[0].mask);
    let mut carry: __m512i = pulp::cast(*sums);
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
        if SHAPE != MANY {
            let bytes = if SHAPE == ONE { _mm512_permutexvar_epi8(only_index, values) } else { values };
            // SAFETY: the window starts at a lane of these points.
            let at = unsafe { point.add(only_start) };
            // SAFETY: the mask keeps to the lanes' bytes of these points.
            unsafe { _mm512_mask_storeu_epi8(at.cast(), only_mask, bytes) };
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
    while STEPS > 0 && next + BLOCK <= vectors.count {
        let tokens: [_; BLOCK] = core::array::from_fn(|index| load(next + index));
        let least = tokens[1..].iter().fold(tokens[0], |least, tokens| _mm512_min_epu32(least, *tokens));
        if _mm512_mask_testn_epi32_mask(constants.loaded, least, least) == 0 {
            for (index, tokens) in tokens.into_iter().enumerate() {
                store(next + index, lift::<STEPS>(&constants, tokens, &mut carry));
            }
        } else {
            for (index, tokens) in tokens.into_iter().enumerate() {
                store(next + index, lift_nan::<STEPS>(&constants, tokens, &mut carry, &mut markers));
            }
        }
        next += BLOCK;
    }
    for vector in next..vectors.count {
        store(vector, lift_nan::<STEPS>(&constants, load(vector), &mut carry, &mut markers));
    }
    *sums = pulp::cast(carry);
    markers == 0
}

/// The deltas of tokens: +(v >> 1) if v is odd, the negative if it is even.
#[inline]
#[target_feature(enable = "avx512f")]
fn deltas(tokens: __m512i) -> __m512i {
    let half = _mm512_srli_epi32::<1>(tokens);
    let even = _mm512_testn_epi32_mask(tokens, _mm512_set1_epi32(1));
    _mm512_mask_sub_epi32(half, even, _mm512_setzero_si512(), half)
}

/// The values of a vector without NaN markers.
#[inline]
#[target_feature(enable = "avx512f")]
fn lift<const STEPS: usize>(constants: &Constants, tokens: __m512i, carry: &mut __m512i) -> __m512i {
    let mut sums = deltas(tokens);
    for (index, mask) in &constants.shifts[..STEPS] {
        sums = _mm512_add_epi32(sums, _mm512_maskz_permutexvar_epi32(*mask, *index, sums));
    }
    sums = _mm512_add_epi32(sums, *carry);
    *carry = if STEPS == 0 { sums } else { _mm512_permutexvar_epi32(constants.last, sums) };
    let floats = _mm512_cvtepi32_ps(sums);
    let plain = _mm512_castsi512_ps(sums);
    _mm512_castps_si512(_mm512_mask_mul_ps(plain, constants.floats, floats, constants.resolutions))
}

/// The values of a vector with NaN markers, which restart their lane's sum; those of integers go to `markers`.
#[inline]
#[target_feature(enable = "avx512f")]
fn lift_nan<const STEPS: usize>(
    constants: &Constants,
    tokens: __m512i,
    carry: &mut __m512i,
    markers: &mut __mmask16,
) -> __m512i {
    let numbers = _mm512_test_epi32_mask(tokens, tokens);
    *markers |= !numbers & constants.integers;
    let mut sums = deltas(tokens);
    if STEPS == 0 {
        sums = _mm512_maskz_add_epi32(numbers, sums, *carry);
        *carry = sums;
    } else {
        // A bit is set if the elements that the sum spans so far hold a marker: it then goes no further back.
        let mut stopped = u32::from(!numbers & constants.loaded);
        for (step, (index, mask)) in constants.shifts[..STEPS].iter().enumerate() {
            let before = _mm512_permutexvar_epi32(*index, sums);
            sums = _mm512_mask_add_epi32(sums, mask & !stopped as u16, sums, before);
            stopped |= stopped << (constants.lanes << step);
        }
        sums = _mm512_mask_add_epi32(sums, !stopped as u16, sums, *carry);
        *carry = _mm512_permutexvar_epi32(constants.last, sums);
    }
    let floats = _mm512_mask_cvtepi32_ps(constants.nans, numbers, sums);
    let plain = _mm512_castsi512_ps(sums);
    _mm512_castps_si512(_mm512_mask_mul_ps(plain, constants.floats, floats, constants.resolutions))
}
