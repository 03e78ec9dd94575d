//! The tokens' bytes of a batch, apart: the first bytes of all tokens, their second ones, and so on.

mod tokens;

pub(crate) use tokens::emit;

use core::{arch::x86_64::__m512i, mem::MaybeUninit};

use super::{avx512::put, stride::Scanned};

/// Tokens of a group: a vector of each plane.
pub(crate) const GROUP: usize = 64;
/// The most blocks of 64 bytes that are scanned before their tokens are written.
pub(crate) const BATCH: usize = 15;
/// Bytes of a plane: a batch of one-byte tokens behind an unfinished group, and what the last store writes.
const SIZE: usize = 64 * BATCH + 2 * GROUP;

/// Byte `t` of plane `j` is byte `j` of token `t`, high bit and all; whatever follows the token if it has none.
///
/// Nothing is cleared beforehand: that would take longer than a short batch.
pub(crate) struct Planes {
    planes: [[MaybeUninit<u8>; SIZE]; 4],
    /// How many bytes of each plane have been written at least, from its front on.
    written: [usize; 4],
    /// Tokens whose bytes are held.
    tokens: usize,
}

impl Planes {
    /// A plane's bytes, a group's at a time, as far as they have been written.
    #[inline(always)]
    pub(crate) fn groups(&self, plane: usize) -> &[[u8; GROUP]] {
        self.written(plane).as_chunks().0
    }

    #[inline(always)]
    fn written(&self, plane: usize) -> &[u8] {
        let written = &self.planes[plane][..self.written[plane]];
        // SAFETY: `written` counts bytes that were written.
        unsafe { &*(core::ptr::from_ref(written) as *const [u8]) }
    }

    /// Writes zeros up to byte `to` of a plane.
    #[inline(never)]
    fn fill(&mut self, plane: usize, to: usize) {
        let from = self.written[plane];
        if from < to {
            self.planes[plane][from..to].fill(MaybeUninit::new(0));
            self.written[plane] = to;
        }
    }
}

impl Scanned for Planes {
    #[inline(always)]
    fn new() -> Self {
        Self { planes: [[MaybeUninit::uninit(); SIZE]; 4], written: [0; 4], tokens: 0 }
    }

    fn tokens(&self) -> usize {
        self.tokens
    }

    fn clear(&mut self) {
        self.tokens = 0;
    }

    fn bytes(&self, level: usize, tokens: usize) -> usize {
        let length =
            |t: usize| 1 + (0..level.max(2)).take_while(|&plane| self.written(plane)[t] >= 0x80).count();
        (0..tokens).map(length).sum()
    }

    fn fill_up(&mut self, level: usize) {
        (0..=level.max(2)).for_each(|plane| self.fill(plane, GROUP));
    }

    fn drop_groups(&mut self, level: usize, groups: usize) {
        // The lowest level has third bytes, too, here and there.
        for (plane, written) in self.planes.iter_mut().zip(&mut self.written).take(1 + level.max(2)) {
            plane.copy_within(GROUP * groups..GROUP * (groups + 1), 0);
            // What was written behind the first group still is.
            let left = written.saturating_sub(GROUP * groups);
            if left < GROUP {
                *written = left;
            }
        }
        self.tokens -= groups * GROUP;
    }
}

/// Appends to the first planes, with the counts in registers.
pub(crate) struct Appender<'a, const PLANES: usize> {
    planes: &'a mut Planes,
    tokens: usize,
    written: usize,
}

impl<'a, const PLANES: usize> Appender<'a, PLANES> {
    #[inline(always)]
    pub(crate) fn new(planes: &'a mut Planes) -> Self {
        let tokens = planes.tokens;
        for plane in 0..PLANES {
            if planes.written[plane] < tokens {
                planes.fill(plane, tokens);
            }
        }
        Self { planes, tokens, written: tokens }
    }

    /// Prepares for third bytes that only some blocks write.
    #[inline(always)]
    pub(crate) fn fill_third(&mut self) {
        if self.planes.written[2] < SIZE {
            self.planes.fill(2, SIZE);
        }
    }

    /// Writes a plane's bytes of the next tokens, which are pushed then: at most 64.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn put<const PLANE: usize>(&mut self, bytes: __m512i) {
        let free = &mut self.planes.planes[PLANE][self.tokens..self.tokens + 64];
        put::<false, MaybeUninit<u8>, 64>(free.try_into().unwrap(), bytes);
    }

    /// Appends so many tokens.
    ///
    /// # Safety
    /// Each of the appender's planes was put for them.
    #[inline(always)]
    pub(crate) unsafe fn push(&mut self, tokens: u32) {
        self.written = self.tokens + 64;
        self.tokens += tokens as usize;
    }

    #[inline(always)]
    pub(crate) fn finish(self) {
        self.planes.tokens = self.tokens;
        for written in &mut self.planes.written[..PLANES] {
            *written = self.written.max(*written);
        }
    }
}
