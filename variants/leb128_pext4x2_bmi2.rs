//! `leb128_pext4_bmi2` on two halves of the tokens in lock step: the chain from one load to the next is what
//! binds it, and two chains overlap. The place to split at comes from a pass that only counts token ends, by
//! popcount, up to half of the tokens asked for; a token has one end, so the second half's index is known
//! beforehand. The first half is finished before the second, so that the first error wins. It loses where
//! four tokens often take more than eight bytes, and on short calls, which it does not split.

use crate::{Class, DecodeError, Decoder, Info, Run, Standing, Word, cpu::Bmi2, layout::Leb128};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Pext4x2Bmi2(Bmi2);

impl Decoder for Leb128Pext4x2Bmi2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "four tokens from an 8-byte load, a PEXT each, in two halves at once",
        origin: "this lab",
        loses_when: "four tokens often take more than 8 bytes, or calls are short",
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

    /// Decodes both parts until one has no four tokens left or cannot go on.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn lock_step<W: Word>(first: &mut Part<'_, '_, W>, second: &mut Part<'_, '_, W>) {
        loop {
            let (mut low, mut high, mut steps, mut odd) = (first.data, second.data, 0, false);
            let (low_fours, high_fours) = (first.out.as_chunks_mut().0, second.out.as_chunks_mut().0);
            for (low_four, high_four) in low_fours.iter_mut().zip(high_fours) {
                let (Some(&low_word), Some(&high_word)) = (low.first_chunk(), high.first_chunk()) else {
                    break;
                };
                let low_used = four_tokens(u64::from_le_bytes(low_word), low_four);
                let high_used = four_tokens(u64::from_le_bytes(high_word), high_four);
                let (Some(low_used), Some(high_used)) = (low_used, high_used) else {
                    odd = true;
                    break;
                };
                low = &low[low_used..];
                high = &high[high_used..];
                steps += 1;
            }
            first.advance(4 * steps, first.data.len() - low.len());
            second.advance(4 * steps, second.data.len() - high.len());
            // An error is met again, and reported, when the parts are finished in their order.
            if !odd || first.one().is_err() || second.one().is_err() {
                return;
            }
        }
    }

    /// Decodes the rest of a part.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn finish<W: Word>(part: &mut Part<'_, '_, W>) -> Result<(), DecodeError> {
        while !part.out.is_empty() {
            while let (Some(four), Some(&word)) = (part.out.first_chunk_mut(), part.data.first_chunk()) {
                let Some(used) = four_tokens(u64::from_le_bytes(word), four) else { break };
                part.advance(4, used);
            }
            if !part.out.is_empty() {
                part.one()?;
            }
        }
        Ok(())
    }

    /// The first four tokens of eight bytes, and how many bytes they take; `None` if they are not all there
    /// or one is too wide.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn four_tokens<W: Word>(word: u64, four: &mut [W; 4]) -> Option<usize> {
        let first = !word & HIGH_BITS;
        let second = first & first.wrapping_sub(1);
        let third = second & second.wrapping_sub(1);
        let fourth = third & third.wrapping_sub(1);
        if fourth == 0 {
            return None;
        }
        // All bits up to a token's end.
        let up_to = |end: u64| end ^ (end - 1);
        let part = |bits: u64| _pext_u64(word, bits & !HIGH_BITS);
        let tokens = [
            part(up_to(first)),
            part(up_to(second) & !up_to(first)),
            part(up_to(third) & !up_to(second)),
            part(up_to(fourth) & !up_to(third)),
        ];
        if W::BYTES < 8 && (tokens[0] | tokens[1] | tokens[2] | tokens[3]) > u64::from(u32::MAX) {
            return None;
        }
        *four = tokens.map(W::cut);
        Some(fourth.trailing_zeros() as usize / 8 + 1)
    }
}
