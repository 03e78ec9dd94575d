//! Sums of 32 bits with AVX2: 8 elements a vector, stored as values of 32 bits or merged into the points.

use core::arch::x86_64::*;

use super::{
    Lane, NAN_F32, Store,
    elements256::{Constants, HALVES, lift, lift_nan},
    merge256::{Constant, Window, Windows},
};
use crate::cpu::Avx2;

/// Where the values go.
pub(super) enum Target<'a> {
    /// Rows of values, in which each lies as its token did. A vector writes all its 32 bytes.
    Values(&'a mut [u8]),
    /// The same past the cache, from where [`Vector::points_to_line`] says.
    Lines(&'a mut [u8]),
    /// Points, through windows.
    Points(&'a Windows, &'a mut [u8]),
}

/// Lanes in a vector of 8 elements: element `e` is lane `e % lanes` of point `e / lanes`.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    pub(super) lanes: usize,
    pub(super) points: usize,
    /// Each element's lane.
    lane: [usize; 8],
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
    pub(super) fn new(lanes: &[Lane], points: usize) -> Self {
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
            lane: core::array::from_fn(|element| element % count),
            points,
            steps: points.next_power_of_two().ilog2() as usize,
            loaded: core::array::from_fn(|element| ones(used(element) && lane(element) != Store::Skip)),
            integers: core::array::from_fn(|element| ones(used(element) && lane(element).is_integer())),
            resolutions: core::array::from_fn(|element| match lane(element) {
                Store::GroupF32 { resolution } | Store::F32 { resolution } => resolution,
                _ => 0.0,
            }),
            shifts: core::array::from_fn(shift),
            last: core::array::from_fn(|element| ((points - 1) * count + element % count) as i32),
        }
    }

    /// How many points of nothing but the lanes come before the first that starts a cache line, if whole
    /// vectors follow one another from there on.
    pub(super) fn points_to_line(&self, points: &[u8]) -> Option<usize> {
        let start = points.as_ptr().addr();
        let at_line = |point: &usize| (start + point * 4 * self.lanes).is_multiple_of(64);
        (0..2 * self.points).find(at_line).filter(|_| self.lanes * self.points == 8)
    }

    /// Lifts `count` vectors of rows of `stride` tokens; `false` if an integer lane holds a NaN marker.
    pub(super) fn run(
        &self,
        _proof: Avx2,
        stride: usize,
        previous: &mut [i64],
        tokens: &[u32],
        count: usize,
        target: Target<'_>,
    ) -> bool {
        if count == 0 {
            return true;
        }
        let step = self.points * stride;
        assert!((count - 1) * step + self.points * self.lanes <= tokens.len());
        let mixed = self.integers != [0; 8];
        let halves = (self.lanes, self.points, self.loaded) == (4, 2, [-1; 8]);
        let steps = if halves { HALVES } else { self.steps };
        if let Target::Points(windows, out) = &target {
            assert!(count <= windows.vectors(out.len()));
        }
        let (body, windows, out_step, out) = match target {
            Target::Values(out) => {
                assert!((count - 1) * step * 4 + 32 <= out.len());
                (by_kind::<VALUES>(mixed, steps), &[][..], 4 * step, out)
            }
            Target::Lines(out) => {
                assert!((count - 1) * step * 4 + 32 <= out.len());
                assert!(stride == self.lanes && self.points_to_line(out) == Some(0));
                (by_kind::<LINES>(mixed, steps), &[][..], 4 * step, out)
            }
            Target::Points(Windows { windows, period }, out) => {
                let body = match &windows[..] {
                    [Window { is_double: true, .. }] => by_kind::<DOUBLE>(mixed, steps),
                    [_] => by_kind::<POINTS>(mixed, steps),
                    _ => by_kind::<EACH>(mixed, steps),
                };
                (body, &windows[..], *period, out)
            }
        };
        let mut sums = self.lane.map(|lane| previous[lane] as i32);
        // SAFETY: the proof says that the CPU has AVX2; lengths and alignment were just checked.
        let fine = unsafe { body(self, windows, Vectors { count, step, out_step }, &mut sums, tokens, out) };
        for (previous, sum) in previous.iter_mut().zip(&sums[..self.lanes]) {
            *previous = i64::from(*sum);
        }
        fine
    }
}

const VALUES: u8 = 0;
const LINES: u8 = 1;
/// Through one window.
const POINTS: u8 = 2;
/// Through one window whose bytes come from two vectors.
const DOUBLE: u8 = 3;
/// Through a window for each point.
const EACH: u8 = 4;

type Body = unsafe fn(&Vector, &[Window], Vectors, &mut [i32; 8], &[u32], &mut [u8]) -> bool;

fn by_kind<const OUT: u8>(mixed: bool, steps: usize) -> Body {
    match (mixed, steps) {
        (false, 0) => body::<0, false, OUT>,
        (false, 1) => body::<1, false, OUT>,
        (false, 2) => body::<2, false, OUT>,
        (false, 3) => body::<3, false, OUT>,
        (false, _) => body::<HALVES, false, OUT>,
        (true, 0) => body::<0, true, OUT>,
        (true, 1) => body::<1, true, OUT>,
        (true, 2) => body::<2, true, OUT>,
        (true, 3) => body::<3, true, OUT>,
        (true, _) => body::<HALVES, true, OUT>,
    }
}

/// How many vectors, how many tokens apart, and how many bytes apart where they go.
#[derive(Clone, Copy)]
struct Vectors {
    count: usize,
    step: usize,
    out_step: usize,
}

/// The loop over vectors.
///
/// # Safety
/// `tokens` holds the vectors' elements that are loaded; `out` has 32 bytes for each vector, aligned for `LINES`,
/// or each vector's windows.
#[target_feature(enable = "avx2")]
unsafe fn body<const STEPS: usize, const MIXED: bool, const OUT: u8>(
    vector: &Vector,
    windows: &[Window],
    vectors: Vectors,
    sums: &mut [i32; 8],
    tokens: &[u32],
    out: &mut [u8],
) -> bool {
    let Vectors { count, step, out_step } = vectors;
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
        if STEPS == HALVES {
            // SAFETY: the same, and all elements are loaded.
            return unsafe { _mm256_loadu_si256(at.cast()) };
        }
        // SAFETY: the caller vouches for the elements of `loaded`; no others are loaded.
        unsafe { _mm256_maskload_epi32(at.cast(), constants.loaded) }
    };
    let window = windows.first().map(|window| Constant::new(window));
    let mut store = |index: usize, lifted: __m256i| {
        // SAFETY: the caller vouches that the vector's values or points start in `out`.
        let at = unsafe { out.as_mut_ptr().add(index * out_step) };
        if OUT == EACH {
            for window in windows {
                let window = Constant::new(window);
                // SAFETY: the caller vouches for the windows.
                unsafe { window.merge::<false>(at, lifted) };
            }
            return;
        }
        match &window {
            // SAFETY: the caller vouches for the window.
            Some(window) if OUT == POINTS => unsafe { window.merge::<false>(at, lifted) },
            // SAFETY: the same.
            Some(window) if OUT == DOUBLE => unsafe { window.merge::<true>(at, lifted) },
            // SAFETY: the caller vouches for 32 aligned bytes; the fence comes before anyone reads them.
            _ if OUT == LINES => unsafe { _mm256_stream_si256(at.cast(), lifted) },
            // SAFETY: the caller vouches for 32 bytes from there.
            _ => unsafe { _mm256_storeu_si256(at.cast(), lifted) },
        }
    };
    let mut next = 0;
    while next + 4 <= count {
        // Spelt out: a loop would keep the vectors in memory.
        let [a, b, c, d] = [load(next), load(next + 1), load(next + 2), load(next + 3)];
        let least = _mm256_min_epu32(_mm256_min_epu32(a, b), _mm256_min_epu32(c, d));
        let zeros = _mm256_cmpeq_epi32(least, _mm256_setzero_si256());
        if _mm256_testz_si256(zeros, constants.loaded) == 1 {
            store(next, lift::<STEPS, MIXED>(&constants, a, &mut carry));
            store(next + 1, lift::<STEPS, MIXED>(&constants, b, &mut carry));
            store(next + 2, lift::<STEPS, MIXED>(&constants, c, &mut carry));
            store(next + 3, lift::<STEPS, MIXED>(&constants, d, &mut carry));
        } else {
            store(next, lift_nan::<STEPS>(&constants, a, &mut carry, &mut markers));
            store(next + 1, lift_nan::<STEPS>(&constants, b, &mut carry, &mut markers));
            store(next + 2, lift_nan::<STEPS>(&constants, c, &mut carry, &mut markers));
            store(next + 3, lift_nan::<STEPS>(&constants, d, &mut carry, &mut markers));
        }
        next += 4;
    }
    for index in next..count {
        store(index, lift_nan::<STEPS>(&constants, load(index), &mut carry, &mut markers));
    }
    if OUT == LINES {
        _mm_sfence();
    }
    *sums = pulp::cast(carry);
    _mm256_testz_si256(markers, markers) == 1
}
