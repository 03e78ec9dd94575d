//! Four tokens from one 8-byte load: the four lowest clear high bits bound them, and one PEXT each drops the
//! high bits and moves the token down. The chain from load to load is paid once for four tokens. It loses
//! where four tokens often need more than eight bytes, since each such load is then decoded token by token.

use crate::{Class, DecodeError, Decoder, Info, Run, Standing, Word, cpu::Bmi2, layout::Leb128};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Pext4Bmi2(Bmi2);

impl Decoder for Leb128Pext4Bmi2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "four tokens from an 8-byte load, a PEXT each",
        origin: "this lab; cf. varint-simd",
        loses_when: "four tokens often take more than 8 bytes",
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

    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    pub(super) fn decode<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let (mut data, mut index) = (run.data, 0);
        while index < out.len() {
            while let (Some(four), Some(&word)) = (out[index..].first_chunk_mut(), data.first_chunk()) {
                let Some(used) = four_tokens(u64::from_le_bytes(word), four) else { break };
                data = &data[used..];
                index += 4;
            }
            if index == out.len() {
                break;
            }
            let (token, used) = decode_token(data).map_err(|kind| DecodeError { kind, index })?;
            out[index] = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
            data = &data[used..];
            index += 1;
        }
        run.data = data;
        run.taken += out.len();
        Ok(())
    }

    /// The first four tokens of eight bytes, and how many bytes they take; `None` if they are not all there
    /// or one is too wide.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2,popcnt")]
    fn four_tokens<W: Word>(word: u64, four: &mut [W; 4]) -> Option<usize> {
        let first = !word & 0x8080_8080_8080_8080;
        let second = first & first.wrapping_sub(1);
        let third = second & second.wrapping_sub(1);
        let fourth = third & third.wrapping_sub(1);
        if fourth == 0 {
            return None;
        }
        // All bits up to a token's end.
        let up_to = |end: u64| end ^ (end - 1);
        let part = |bits: u64| _pext_u64(word, bits & 0x7f7f_7f7f_7f7f_7f7f);
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
