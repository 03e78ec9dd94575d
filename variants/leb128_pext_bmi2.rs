//! One PEXT a token: the first clear high bit of an 8-byte load gives the length, PEXT drops the high bits.
//! No branch on the length, but load, bit scan and address form one chain from token to token that is longer
//! than a well predicted loop. It loses to the plain loop wherever the loop's branches are predictable.

use crate::{Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, cpu::Bmi2, layout::Leb128};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128PextBmi2(Bmi2);

impl Decoder for Leb128PextBmi2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "8-byte load, bit scan, PEXT: one token a time",
        origin: "this lab; the form that most BMI2 decoders start with",
        loses_when: "lengths are predictable: its chain is longer than a guessed loop",
        class: Class::Bmi2,
        standing: Standing::Rejected(1),
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

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        // SAFETY: `self.0` exists only where `Bmi2::detect` found bmi1, bmi2 and popcnt.
        return unsafe { kernel::next_token(run) };
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        match (self.0, run) {}
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::_pext_u64;

    use super::{DecodeError, ErrorKind, Run, Word};
    use crate::{decode_by_step, layout::leb128::decode_token, next_by_step};

    /// One token from the front of `bytes`, and how many bytes it takes.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
        let Some(&word) = bytes.first_chunk() else { return decode_token(bytes) };
        let word = u64::from_le_bytes(word);
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            return decode_token(bytes);
        }
        let token = ends ^ (ends - 1);
        Ok((_pext_u64(word, token & 0x7f7f_7f7f_7f7f_7f7f), ends.trailing_zeros() as usize / 8 + 1))
    }

    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(super) fn decode<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        decode_by_step(run, out, |bytes| step(bytes))
    }

    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(super) fn next_token(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step(run.data))
    }
}
