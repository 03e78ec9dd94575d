//! `leb128_pext8_bmi2` on two halves of the tokens in lock step, so that two chains from load to load overlap.
//! The place to split at comes from a pass that only counts token ends, by popcount, up to half of the tokens
//! asked for; a token has one end, so the second half's index is known beforehand. The first half is finished
//! before the second, so that the first error wins. It loses to vectors, where tokens take three bytes and
//! more, and on short calls, which it does not split.

use crate::{Class, DecodeError, Decoder, Info, Run, Standing, Word, cpu::Bmi2, layout::Leb128};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Pext8x2Bmi2(Bmi2);

impl Decoder for Leb128Pext8x2Bmi2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "all tokens of an 8-byte load, eight PEXTs by a table, in two halves at once",
        origin: "this lab",
        loses_when: "tokens take three bytes and more, or calls are short",
        class: Class::Bmi2,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Bmi2::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        // SAFETY: `self.0` exists only where `Bmi2::detect` found bmi1, bmi2 and popcnt.
        return unsafe { kernel::decode(run, out) };
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        match (self.0, run, out) {}
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::_pext_u64;

    use super::{DecodeError, Run, Word};
    use crate::{ErrorKind, layout::leb128::decode_token};

    /// Fewer tokens than this are not worth a split.
    const LEAST_SPLIT: usize = 64;

    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

    /// By the high bits of eight bytes: the value bits of each token that ends in them, zero beyond the last.
    static MASKS: [[u64; 8]; 256] = {
        let mut masks = [[0; 8]; 256];
        let mut more = 0;
        while more < 256 {
            let (mut token, mut mask, mut byte) = (0, 0, 0);
            while byte < 8 {
                mask |= 0x7f << (8 * byte);
                if (more >> byte) & 1 == 0 {
                    masks[more][token] = mask;
                    token += 1;
                    mask = 0;
                }
                byte += 1;
            }
            more += 1;
        }
        masks
    };

    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(super) fn decode<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let asked = out.len();
        let (split, before) = split(run.data, asked);
        let (first, second) = out.split_at_mut(before);
        let mut first = Part { data: run.data, out: first, index: 0 };
        let mut second = Part { data: &run.data[split..], out: second, index: before };
        lock_step(&mut first, &mut second);
        finish(&mut first)?;
        finish(&mut second)?;
        run.data = second.data;
        run.taken += asked;
        Ok(())
    }

    /// Where a token starts near the middle of the tokens asked for, and how many tokens are before it; the
    /// front if there are too few.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn split(data: &[u8], asked: usize) -> (usize, usize) {
        if asked < LEAST_SPLIT {
            return (0, 0);
        }
        let mut tokens = 0;
        for (place, &word) in data.as_chunks().0.iter().enumerate() {
            let ends = !u64::from_le_bytes(word) & HIGH_BITS;
            tokens += ends.count_ones() as usize;
            if tokens >= asked / 2 {
                return (8 * (place + 1) - ends.leading_zeros() as usize / 8, tokens);
            }
        }
        (0, 0)
    }

    /// What is left of one half.
    struct Part<'d, 'o, W> {
        data: &'d [u8],
        out: &'o mut [W],
        /// Of the next token, in the whole output.
        index: usize,
    }

    impl<W: Word> Part<'_, '_, W> {
        /// The next eight bytes and the next eight slots, if there are as many.
        #[inline(always)]
        fn ahead(&mut self) -> Option<(u64, &mut [W; 8])> {
            Some((u64::from_le_bytes(*self.data.first_chunk()?), self.out.first_chunk_mut()?))
        }

        /// Moves past `tokens` that took `bytes`.
        #[inline(always)]
        fn advance(&mut self, tokens: usize, bytes: usize) {
            self.data = &self.data[bytes..];
            self.out = &mut core::mem::take(&mut self.out)[tokens..];
            self.index += tokens;
        }

        /// Decodes the next token with every check; the part stays where it is if there is none.
        #[inline(always)]
        fn one(&mut self) -> Result<(), DecodeError> {
            let index = self.index;
            let (token, used) = decode_token(self.data).map_err(|kind| DecodeError { kind, index })?;
            self.out[0] = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
            self.advance(1, used);
            Ok(())
        }
    }

    /// Decodes both parts until one has no eight slots left or cannot go on.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn lock_step<W: Word>(first: &mut Part<'_, '_, W>, second: &mut Part<'_, '_, W>) {
        while let (Some(low), Some(high)) = (first.ahead(), second.ahead()) {
            let low_moves = eight_tokens(low.0, low.1);
            let high_moves = eight_tokens(high.0, high.1);
            if let (Some(low), Some(high)) = (low_moves, high_moves) {
                first.advance(low.0, low.1);
                second.advance(high.0, high.1);
            } else if first.one().is_err() || second.one().is_err() {
                // The error is met again, and reported, when the parts are finished in their order.
                return;
            }
        }
    }

    /// Decodes the rest of a part.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn finish<W: Word>(part: &mut Part<'_, '_, W>) -> Result<(), DecodeError> {
        while !part.out.is_empty() {
            while let Some((word, eight)) = part.ahead() {
                let Some((tokens, used)) = eight_tokens(word, eight) else { break };
                part.advance(tokens, used);
            }
            if !part.out.is_empty() {
                part.one()?;
            }
        }
        Ok(())
    }

    /// Every token that ends in eight bytes: how many, and how many bytes they take. `None` if none does, or
    /// if one may be too wide. Slots beyond that count hold anything.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn eight_tokens<W: Word>(word: u64, eight: &mut [W; 8]) -> Option<(usize, usize)> {
        let (more, ends) = (word & HIGH_BITS, !word & HIGH_BITS);
        // Four high bits in a row: a token of five bytes or more, which may not fit 32 bits.
        let two = more & (more >> 8);
        if ends == 0 || (W::BYTES < 8 && two & (two >> 16) != 0) {
            return None;
        }
        let masks = &MASKS[_pext_u64(word, HIGH_BITS) as usize & 0xff];
        for (slot, &mask) in eight.iter_mut().zip(masks) {
            *slot = W::cut(_pext_u64(word, mask));
        }
        Some((ends.count_ones() as usize, 8 - ends.leading_zeros() as usize / 8))
    }
}
