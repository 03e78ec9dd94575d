//! How a vector of 8 values becomes bytes of the points with AVX2, which has no masked store of bytes: a window
//! of 32 bytes is read, merged with the values' bytes and written back.

use super::{Lane, Store};

/// Bytes of a vector.
const VECTOR: usize = 32;
/// Bytes within which AVX2 shuffles bytes.
const HALF: usize = 16;

/// 32 bytes that hold all lanes of a vector's points.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
pub(super) struct Window {
    /// The value that each 32-bit element takes first.
    pub(super) elements: [i32; 8],
    /// Then the byte of its half that each byte takes; 0 in the bytes of no lane.
    pub(super) bytes: [u8; VECTOR],
    /// All ones in the lanes' bytes.
    pub(super) mask: [u8; VECTOR],
    /// The first byte, from the vector's first point.
    pub(super) start: usize,
    /// Bytes from one vector's points to the next's.
    pub(super) period: usize,
}

impl Window {
    /// The window of `points` points: if it holds all lanes, none stores more than 32 bits, no half needs more
    /// than four values, and the next vector's window lies behind it, since a load that had to wait for stores
    /// in pieces would be slow.
    pub(super) fn new(lanes: &[Lane], points: usize, point_step: usize) -> Option<Self> {
        let stored = |lane: &&Lane| lane.store != Store::Skip;
        let start = lanes.iter().filter(stored).map(|lane| lane.offset).min()?;
        let period = points * point_step;
        if period < VECTOR {
            return None;
        }
        let mut window = Self { elements: [-1; 8], bytes: [0x80; VECTOR], mask: [0; VECTOR], start, period };
        for element in 0..points * lanes.len() {
            let lane = lanes[element % lanes.len()];
            if lane.store == Store::Skip {
                continue;
            }
            let at = element / lanes.len() * point_step + lane.offset - start;
            if lane.store.bytes() > 4 || at + lane.store.bytes() > VECTOR {
                return None;
            }
            for byte in 0..lane.store.bytes() {
                window.take(at + byte, element as i32, byte)?;
            }
        }
        // Elements that nothing takes: any value does.
        window.elements = window.elements.map(|element| element.max(0));
        Some(window)
    }

    /// How many vectors' windows lie within this many bytes of points.
    pub(super) fn vectors(&self, bytes: usize) -> usize {
        (bytes + self.period).saturating_sub(self.start + VECTOR) / self.period
    }

    /// Makes byte `at` that of a value; `None` if its half has no element left for it.
    fn take(&mut self, at: usize, value: i32, byte: usize) -> Option<()> {
        let half = at / HALF * (HALF / 4);
        let elements = &mut self.elements[half..half + HALF / 4];
        let place = elements.iter().position(|&element| element == value || element < 0)?;
        elements[place] = value;
        self.bytes[at] = (4 * place + byte) as u8;
        self.mask[at] = 0xff;
        Some(())
    }
}
