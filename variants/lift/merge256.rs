//! How a vector of 8 values becomes bytes of the points with AVX2, which has no masked store of bytes: a window
//! of 32 bytes is read, merged with the values' bytes and written back.

use alloc::{vec, vec::Vec};
use core::arch::x86_64::*;

use super::{Lane, Store};

/// Bytes of a vector.
const VECTOR: usize = 32;
/// Bytes within which AVX2 shuffles bytes.
const HALF: usize = 16;

/// 32 bytes that hold some lanes of a vector's points.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(super) struct Window {
    /// The value that each 32-bit element takes first, and what a second vector's elements take: a half has no
    /// more than four, and often more values of 16 bits.
    elements: [[i32; 8]; 2],
    /// Then the byte of its half that each byte takes; 0 in bytes that are not taken from this vector.
    bytes: [[u8; VECTOR]; 2],
    /// All ones in the lanes' bytes.
    mask: [u8; VECTOR],
    /// The first byte, from the vector's first point.
    start: usize,
    /// Whether the second vector is needed.
    pub(super) is_double: bool,
}

/// The windows that all lanes of a vector's points lie in.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// One, or one for each point.
    pub(super) windows: Vec<Window>,
    /// Bytes from one vector's points to the next's.
    pub(super) period: usize,
}

impl Windows {
    /// The windows of `points` points: if none stores more than 32 bits, one window holds all lanes or that of
    /// each point its own, and each window lies behind the one before, since a load that had to wait for stores
    /// in pieces would be slow.
    pub(super) fn new(lanes: &[Lane], points: usize, point_step: usize) -> Option<Self> {
        let period = points * point_step;
        let window = |from, to, apart| {
            if apart < VECTOR { None } else { Window::new(lanes, from..to, point_step) }
        };
        let windows = match window(0, points, period) {
            Some(one) => vec![one],
            None => (0..points).map(|point| window(point, point + 1, point_step)).collect::<Option<_>>()?,
        };
        Some(Self { windows, period })
    }

    /// How many vectors' windows lie within this many bytes of points.
    pub(super) fn vectors(&self, bytes: usize) -> usize {
        let end = self.windows.iter().map(|window| window.start + VECTOR).max().unwrap_or(0);
        (bytes + self.period).saturating_sub(end) / self.period
    }
}

impl Window {
    /// The window of these points of a vector.
    fn new(lanes: &[Lane], points: core::ops::Range<usize>, point_step: usize) -> Option<Self> {
        let stored = |lane: &&Lane| lane.store != Store::Skip;
        let first = lanes.iter().filter(stored).map(|lane| lane.offset).min()?;
        let start = points.start * point_step + first;
        let mut window = Self {
            elements: [[-1; 8]; 2],
            bytes: [[0x80; VECTOR]; 2],
            mask: [0; VECTOR],
            start,
            is_double: false,
        };
        for point in points {
            for (index, lane) in lanes.iter().enumerate().filter(|(_, lane)| stored(lane)) {
                let at = point * point_step + lane.offset - start;
                if lane.store.bytes() > 4 || at + lane.store.bytes() > VECTOR {
                    return None;
                }
                for byte in 0..lane.store.bytes() {
                    window.take(at + byte, (point * lanes.len() + index) as i32, byte)?;
                }
            }
        }
        // Elements that nothing takes: any value does.
        window.is_double = window.elements[1] != [-1; 8];
        window.elements = window.elements.map(|elements| elements.map(|element| element.max(0)));
        Some(window)
    }

    /// Makes byte `at` that of a value; `None` if its half has no element left for it.
    fn take(&mut self, at: usize, value: i32, byte: usize) -> Option<()> {
        let half = at / HALF * (HALF / 4);
        let vectors = self.elements.iter_mut().zip(&mut self.bytes);
        let (place, bytes) = vectors.into_iter().find_map(|(elements, bytes)| {
            let elements = &mut elements[half..half + HALF / 4];
            let place = elements.iter().position(|&element| element == value || element < 0)?;
            elements[place] = value;
            Some((place, bytes))
        })?;
        bytes[at] = (4 * place + byte) as u8;
        self.mask[at] = 0xff;
        Some(())
    }
}

/// A window's constants in registers.
pub(super) struct Constant {
    elements: [__m256i; 2],
    bytes: [__m256i; 2],
    mask: __m256i,
    start: usize,
}

impl Constant {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new(window: &Window) -> Self {
        Self {
            elements: window.elements.map(pulp::cast),
            bytes: window.bytes.map(pulp::cast),
            mask: pulp::cast(window.mask),
            start: window.start,
        }
    }

    /// Writes the lanes' bytes of the window in the points from `at` on; `BOTH` if it needs two vectors.
    ///
    /// # Safety
    /// The window's 32 bytes may be read and written.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn merge<const BOTH: bool>(&self, at: *mut u8, values: __m256i) {
        // SAFETY: the caller vouches for the window.
        let at = unsafe { at.add(self.start) }.cast::<__m256i>();
        // SAFETY: the same.
        let before = unsafe { _mm256_loadu_si256(at) };
        let taken =
            |elements, bytes| _mm256_shuffle_epi8(_mm256_permutevar8x32_epi32(values, elements), bytes);
        let mut merged = _mm256_andnot_si256(self.mask, before);
        merged = _mm256_or_si256(merged, taken(self.elements[0], self.bytes[0]));
        if BOTH {
            merged = _mm256_or_si256(merged, taken(self.elements[1], self.bytes[1]));
        }
        // SAFETY: the same.
        unsafe { _mm256_storeu_si256(at, merged) };
    }
}
