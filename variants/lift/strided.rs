//! Values that lie one behind the other, row after row, into points that are further apart.

use alloc::vec::Vec;

use super::Lane;

/// Adjacent bytes of a row of values that are adjacent in the point, too: 2, 4, 8 or 16 of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    from: usize,
    to: usize,
    bytes: usize,
}

/// The copies of lanes that store at most 32 bits.
pub(super) fn runs(lanes: &[Lane]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (index, lane) in lanes.iter().enumerate() {
        let run = Run { from: 4 * index, to: lane.offset, bytes: lane.store.bytes() };
        match runs.last_mut() {
            _ if matches!(run.bytes, 0 | 8) => {}
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
    pub(super) fn copy(&self, values: &[u8], row_bytes: usize, points: &mut [u8], point_step: usize) {
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
