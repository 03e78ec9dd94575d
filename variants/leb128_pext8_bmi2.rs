//! Every token of an 8-byte load, however many: the eight high bits look up up to eight PEXT masks, all eight
//! are always used, and what they make beyond the last whole token is overwritten by the next load's. No
//! branch on lengths at all, and the chain from load to load is a bit scan for the last end. It loses to
//! vectors, and where tokens take three bytes and more, since most of the eight PEXTs are then for nothing.

use crate::{Class, DecodeError, Decoder, Info, Run, Standing, Word, cpu::Bmi2, layout::Leb128};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Pext8Bmi2(Bmi2);

impl Decoder for Leb128Pext8Bmi2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "all tokens of an 8-byte load: eight PEXTs with masks from a table, no branch on lengths",
        origin: "this lab",
        loses_when: "tokens take three bytes and more",
        class: Class::Bmi2,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Bmi2::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        self.decode_some(run, out, out.len()).map(drop)
    }

    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        assert!(least <= out.len(), "{least} tokens do not fit {} slots", out.len());
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        // SAFETY: `self.0` exists only where `Bmi2::detect` found bmi1, bmi2 and popcnt.
        return unsafe { kernel::decode(run, out, least) };
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        match (self.0, run, out) {}
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::_pext_u64;

    use super::{DecodeError, Run, Word};
    use crate::{ErrorKind, layout::leb128::decode_token};

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

    /// Goes on to the end of the load in which token `least` lies, where `out` has room for it.
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(super) fn decode<W: Word>(
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        let (mut data, mut index) = (run.data, 0);
        while index < least {
            if let (Some(eight), Some(&word)) = (out[index..].first_chunk_mut(), data.first_chunk())
                && let Some((tokens, used)) = eight_tokens(u64::from_le_bytes(word), eight)
            {
                index += tokens;
                data = &data[used..];
                continue;
            }
            let (token, used) = decode_token(data).map_err(|kind| DecodeError { kind, index })?;
            out[index] = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
            data = &data[used..];
            index += 1;
        }
        run.data = data;
        run.taken += index;
        Ok(index)
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
