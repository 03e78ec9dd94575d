//! What the vector implementations work out about lanes, above all for 512 bits: which element of a vector is
//! which lane of which point, and which bytes of the points each becomes.

use alloc::{vec, vec::Vec};

use super::{Lane, Store};

/// Bytes of a vector.
const VECTOR: usize = 64;

/// One store: up to 64 bytes of the points, of which `mask` are written.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Window {
    /// The vector's byte that each byte of the window takes; first, so that a load of it splits no cache line.
    pub(super) index: [u8; VECTOR],
    /// The first byte, from the vector's first point.
    pub(super) start: usize,
    /// The bytes that are written; bit 0 is the first one.
    pub(super) mask: u64,
}

/// What the stores of a vector look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One, of the elements as they are.
    Plain,
    /// One, of bytes in another order.
    One,
    /// Several.
    Many,
}

/// Lanes in elements of 4 or 8 bytes, `points` points in a vector: element `e` is lane `e % lanes` of point
/// `e / lanes`.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) lanes: usize,
    pub(super) points: usize,
    /// Doublings that a running sum over the vector's points takes: the logarithm of `points`, rounded up.
    pub(super) steps: usize,
    pub(super) shape: Shape,
    pub(super) windows: Vec<Window>,
}

impl Plan {
    /// The plan with the least work a point, for lanes that do not overlap. Several points in a vector need
    /// the rows to be `dense`: the lanes are all there is in a row.
    pub(super) fn cheapest(lanes: &[Lane], point_step: usize, element: usize, dense: bool) -> Self {
        let most = if dense { VECTOR / element / lanes.len() } else { 1 };
        (1..=most)
            .map(|points| Self::new(lanes, point_step, element, points))
            .min_by_key(|plan| {
                // Instructions on the two vector ports; 720720 is divisible by every count of points.
                let carry = if plan.points > 1 { 2 } else { 1 };
                let store = if plan.shape == Shape::Plain { 1 } else { 2 };
                (7 + 2 * plan.steps + carry + store * plan.windows.len()) * 720_720 / plan.points
            })
            .unwrap_or_else(|| Self::new(lanes, point_step, element, 1))
    }

    /// The plan for this many points in a vector.
    pub(super) fn new(lanes: &[Lane], point_step: usize, element: usize, points: usize) -> Self {
        let mut values = Vec::new();
        for point in 0..points {
            for (index, lane) in lanes.iter().enumerate().filter(|(_, lane)| lane.store != Store::Skip) {
                let start = point * point_step + lane.offset;
                values.push((start, lane.store.bytes(), (point * lanes.len() + index) * element));
            }
        }
        values.sort_unstable();
        let mut windows: Vec<Window> = vec![];
        for (start, bytes, source) in values {
            if windows.last().is_none_or(|window| start + bytes > window.start + VECTOR) {
                windows.push(Window { index: [0; VECTOR], start, mask: 0 });
            }
            if let Some(window) = windows.last_mut() {
                for byte in 0..bytes {
                    let at = start - window.start + byte;
                    window.index[at] = (source + byte) as u8;
                    window.mask |= 1 << at;
                }
            }
        }
        let stays = |window: &Window| {
            let moved = |at: &usize| window.mask >> at & 1 == 1 && usize::from(window.index[*at]) != *at;
            window.start == 0 && !(0..VECTOR).any(|at| moved(&at))
        };
        let shape = match &windows[..] {
            [window] if stays(window) => Shape::Plain,
            [_] => Shape::One,
            _ => Shape::Many,
        };
        let steps = points.next_power_of_two().ilog2() as usize;
        Self { lanes: lanes.len(), points, steps, shape, windows }
    }

    /// The elements, as bits, whose lane `which` accepts.
    pub(super) fn elements(&self, lanes: &[Lane], which: impl Fn(Store) -> bool) -> u16 {
        (0..self.points * self.lanes)
            .fold(0, |mask, e| mask | u16::from(which(lanes[e % self.lanes].store)) << e)
    }
}

/// Whether two lanes share a byte.
pub(super) fn overlap(lanes: &[Lane]) -> bool {
    let mut spans: Vec<_> =
        lanes.iter().map(|lane| (lane.offset, lane.offset + lane.store.bytes())).collect();
    spans.sort_unstable();
    spans.windows(2).any(|pair| pair[0].1 > pair[1].0)
}

/// Whether no sum of these lanes can leave 32 bits within the tokens of up to `rows` rows.
pub(super) fn fits_32_bits(lanes: &[usize], previous: &[i64], tokens: &[u32], rows: usize) -> bool {
    let start = lanes.iter().map(|&lane| previous[lane].unsigned_abs()).max().unwrap_or(0);
    let bits = tokens.iter().fold(0, |bits, token| bits | token);
    start <= 1 << 31 && start + rows as u64 * u64::from(bits >> 1) <= i32::MAX as u64
}
