//! Reading numbers from the front of bytes, never past their end.

use crate::error::{Error, Result};

/// The order of a number's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// What is left of some bytes. Every read says what it wants, so that the error can name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    endian: Endian,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], endian: Endian) -> Self {
        Self { bytes, position: 0, endian }
    }

    /// The order of the numbers' bytes.
    pub(super) fn endian(&self) -> Endian {
        self.endian
    }

    /// Bytes read so far.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Bytes that are left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8]> {
        let rest = self.rest();
        let taken = rest.get(..count).ok_or_else(|| {
            Error::input(format!(
                "ends inside {what}: at byte {} it needs {count} bytes, but {} are left",
                self.position,
                rest.len()
            ))
        })?;
        self.position += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        if self.endian == Endian::Big {
            array.reverse();
        }
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }
}
