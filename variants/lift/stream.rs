//! Non-temporal stores: points are made in a buffer that stays in the L1 cache and go to memory a whole aligned
//! line at a time. The cache need not first read lines that are about to be overwritten.

use alloc::{vec, vec::Vec};
use core::arch::x86_64::{__m128i, _mm_sfence, _mm_stream_si128};

/// Bytes of a cache line.
const LINE: usize = 64;
/// Bytes of points that are made before they are streamed.
const BLOCK: usize = 4096;

/// The buffer, for points of one step.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    bytes: Vec<u8>,
    point_step: usize,
}

impl Stream {
    pub(super) fn new(point_step: usize) -> Self {
        // Beside the points: what is left of a line from the points before, and room to start at a line.
        Self { bytes: vec![0; point_step.max(BLOCK) + 2 * LINE], point_step }
    }

    /// Points that are made at a time, at most.
    pub(super) fn rows(&self) -> usize {
        (BLOCK / self.point_step).max(1)
    }

    /// Fills `points`, in parts of [`Self::rows`] points of which the last one may have fewer. `make` gets each
    /// part in the buffer and writes all of its bytes.
    pub(super) fn fill(&mut self, points: &mut [u8], mut make: impl FnMut(&mut [u8])) {
        let part = self.rows() * self.point_step;
        let aligned = self.bytes.as_ptr().align_offset(LINE);
        let buffer = &mut self.bytes[aligned..];
        // A byte has the same place in its line here and there: the first line may start in the middle.
        let mut start = points.as_ptr().addr() % LINE;
        let mut end = start;
        let mut left = points.len();
        let mut rest = points;
        while left > 0 {
            let bytes = part.min(left);
            make(&mut buffer[end..end + bytes]);
            left -= bytes;
            end += bytes;
            if start > 0 && end >= LINE {
                let (head, after) = rest.split_at_mut(LINE - start);
                head.copy_from_slice(&buffer[start..LINE]);
                let whole = end - end % LINE;
                rest = stream(&buffer[LINE..whole], after);
                start = 0;
                buffer.copy_within(whole..end, 0);
                end -= whole;
            } else if start == 0 {
                let whole = end - end % LINE;
                rest = stream(&buffer[..whole], rest);
                buffer.copy_within(whole..end, 0);
                end -= whole;
            }
        }
        rest.copy_from_slice(&buffer[start..end]);
        // Streamed stores must not be overtaken by whatever tells others that the points are there.
        // SAFETY: every x86-64 CPU has SSE.
        unsafe { _mm_sfence() };
    }
}

/// Streams whole lines to the front of `points`, which starts at a line, and returns the rest of it.
fn stream<'a>(lines: &[u8], points: &'a mut [u8]) -> &'a mut [u8] {
    let (front, rest) = points.split_at_mut(lines.len());
    for (from, to) in lines.chunks_exact(16).zip(front.chunks_exact_mut(16)) {
        let to = to.as_mut_ptr().cast::<__m128i>();
        assert!(to.is_aligned());
        let mut value = [0; 16];
        value.copy_from_slice(from);
        // SAFETY: 16 bytes of `front`, aligned as was just checked, with the SSE2 of every x86-64 CPU; `fill`
        // fences before anyone reads them.
        unsafe { _mm_stream_si128(to, pulp::cast(value)) };
    }
    rest
}
