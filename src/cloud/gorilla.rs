//! FLOAT64 as the XOR with the previous value, bit-packed (the idea is that of the Gorilla paper, VLDB 2015).
//!
//! Bits are packed least significant first and every value is padded to whole bytes. The first value is its 64
//! bits. Then a 0 says "the same as before"; 1 0 that the meaningful bits lie in the previous window; 1 1 is
//! followed by 5 bits of leading zeros, 6 bits of (meaningful bits - 1) and sets the window.

use super::CloudErrorKind;

/// Where the meaningful bits of a XOR lie.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Zeros above; at most 31, since they are stored in 5 bits.
    leading: u32,
    /// Bits from there on, 1 to 64.
    meaningful: u32,
}

impl Window {
    /// Zeros below.
    fn trailing(self) -> u32 {
        64 - self.leading - self.meaningful
    }

    /// The smallest window around these bits, which are not all zero.
    fn around(bits: u64) -> Self {
        let leading = bits.leading_zeros().min(31);
        Self { leading, meaningful: 64 - leading - bits.trailing_zeros() }
    }

    /// Whether `other` lies inside.
    fn holds(self, other: Self) -> bool {
        other.leading >= self.leading && other.trailing() >= self.trailing()
    }
}

/// Packs values, one after the other; a new chunk takes a new one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GorillaWriter {
    previous: Option<u64>,
    window: Option<Window>,
}

impl GorillaWriter {
    /// Appends one value.
    pub(super) fn write(&mut self, bits: u64, bytes: &mut Vec<u8>) {
        let Some(previous) = self.previous.replace(bits) else {
            bytes.extend(bits.to_le_bytes());
            return;
        };
        let changed = bits ^ previous;
        if changed == 0 {
            bytes.push(0);
            return;
        }
        let tight = Window::around(changed);
        let reused = self.window.filter(|window| window.holds(tight));
        let window = *self.window.insert(reused.unwrap_or(tight));
        let (head, head_bits) = match reused {
            Some(_) => (0b01, 2),
            None => (0b11 | window.leading << 2 | (window.meaningful - 1) << 7, 13),
        };
        let packed = u128::from(head) | u128::from(changed >> window.trailing()) << head_bits;
        let length = (head_bits + window.meaningful).div_ceil(8) as usize;
        bytes.extend(&packed.to_le_bytes()[..length]);
    }
}

/// Unpacks values, one after the other; a new chunk takes a new one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GorillaReader {
    previous: Option<u64>,
    window: Option<Window>,
}

impl GorillaReader {
    /// The value that a 0 would repeat, once there is one.
    pub(super) fn previous(&self) -> Option<u64> {
        self.previous
    }

    /// The value at the front of `data`, which moves past it.
    ///
    /// # Errors
    /// `Truncated` if the bytes end first; `Malformed` if a window has no place in 64 bits or is that of a
    /// previous value that had none.
    #[inline]
    pub(super) fn read(&mut self, data: &mut &[u8]) -> Result<u64, CloudErrorKind> {
        let Some(previous) = self.previous else {
            let (first, rest) = data.split_first_chunk().ok_or(CloudErrorKind::Truncated)?;
            *data = rest;
            return Ok(*self.previous.insert(u64::from_le_bytes(*first)));
        };
        let front = front(data);
        if front & 1 == 0 {
            *data = data.get(1..).ok_or(CloudErrorKind::Truncated)?;
            return Ok(previous);
        }
        let head_bits = if front & 2 == 0 { 2 } else { 13 };
        if head_bits == 13 {
            let leading = (front >> 2) as u32 & 0x1f;
            let meaningful = ((front >> 7) as u32 & 0x3f) + 1;
            if data.len() < 2 {
                return Err(CloudErrorKind::Truncated);
            }
            if leading + meaningful > 64 {
                return Err(CloudErrorKind::Malformed);
            }
            self.window = Some(Window { leading, meaningful });
        }
        let window = self.window.ok_or(CloudErrorKind::Malformed)?;
        let length = (head_bits + window.meaningful).div_ceil(8) as usize;
        *data = data.get(length..).ok_or(CloudErrorKind::Truncated)?;
        let mask = u64::MAX >> (64 - window.meaningful);
        let changed = ((front >> head_bits) as u64 & mask) << window.trailing();
        Ok(*self.previous.insert(previous ^ changed))
    }
}

/// The first 16 bytes as a number; bytes that are not there count as 0.
#[inline]
fn front(data: &[u8]) -> u128 {
    data.first_chunk().map_or_else(
        || data.iter().rev().fold(0, |front, &byte| front << 8 | u128::from(byte)),
        |bytes| u128::from_le_bytes(*bytes),
    )
}
