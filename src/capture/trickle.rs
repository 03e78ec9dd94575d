//! A source for tests that hands out few bytes at a time, as pipes and network drives do.

use std::io::{self, Read};

#[derive(Debug)]
pub(super) struct Trickle<'a> {
    bytes: &'a [u8],
    /// Bytes of a read at most.
    most: usize,
    interrupted: bool,
    /// The most that was ever asked for.
    pub(super) asked: usize,
}

impl<'a> Trickle<'a> {
    pub(super) fn new(bytes: &'a [u8], most: usize) -> Self {
        Self { bytes, most, interrupted: false, asked: 0 }
    }
}

impl Read for Trickle<'_> {
    /// Every other read is interrupted before it gives anything.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.asked = self.asked.max(buffer.len());
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = self.most.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}
