//! Stream VByte with codes for 1, 2, 3 or 8 bytes, 16 tokens a step: PDEP and a few logic operations make a byte
//! mask of 16 codes, and one byte expand (VPEXPANDB) puts every token into its 32-bit lane. A step with an
//! 8-byte code does the same twice with eight 64-bit lanes. It loses where 8-byte codes come and go at random,
//! which the branch on them cannot foresee, and to the one-bit layout where hardly any token has a third byte.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{StreamVbyte, decode_whole_groups, stream_vbyte::next},
};

/// Tokens of a step.
const GROUP: usize = 16;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyteAvx512(cpu::Avx512Vbmi2);

impl Decoder for StreamVbyteAvx512 {
    type Layout = StreamVbyte;
    const INFO: Info = Info {
        idea: "PDEP makes a byte mask of 16 codes, one VPEXPANDB makes 16 lanes, no table",
        origin: "this lab, after Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "8-byte codes come and go at random",
        class: Class::Avx512,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        cpu::Avx512Vbmi2::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        match decode_all(self.0, *run, out) {
            Some(after) => {
                *run = after;
                Ok(())
            }
            // Something is wrong somewhere: the oracle says what and where.
            None => StreamVbyte::oracle(run, out),
        }
    }

    #[inline]
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        decode_whole_groups(self, run, out, least, GROUP)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next(run)
    }
}

#[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
fn decode_all<'a, W: Word>(cpu: cpu::Avx512Vbmi2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx512Vbmi2, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    use crate::layout::stream_vbyte::CODES;

    let lead = (run.taken.wrapping_neg() % CODES).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(CODES))?;
    // SAFETY: `cpu::Avx512Vbmi2` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::tokens(control, run.data, out) }?;
    run.control = &run.control[out.len() / CODES..];
    run.taken += out.len();
    Some(run)
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m256i, __m512i, _mm512_castsi512_si256, _mm512_cmpgt_epu64_mask, _mm512_cvtepi64_epi32,
        _mm512_cvtepu32_epi64, _mm512_extracti64x4_epi64, _mm512_maskz_expand_epi8, _mm512_set1_epi64,
        _pdep_u64,
    };

    use super::GROUP;
    use crate::{Word, Words, layout::stream_vbyte::CODES};

    /// Tokens of a register with 64-bit lanes.
    const HALF: usize = GROUP / 2;

    /// Fills `out`, and gives the data behind it; `None` if `data` ends first or a token does not fit.
    /// `control` holds exactly the codes of `out`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    pub(super) fn tokens<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        let (codes, _) = control.as_chunks::<{ GROUP / CODES }>();
        let (groups, _) = out.as_chunks_mut::<GROUP>();
        let mut done = 0;
        for (slots, &code) in groups.iter_mut().zip(codes) {
            let Some(window) = data.first_chunk() else { break };
            let number = u32::from_le_bytes(code);
            if number & number >> 1 & 0x5555_5555 == 0 {
                let mask = bytes_of_sixteen(number);
                sixteen(window, mask, slots);
                data = &data[mask.count_ones() as usize..];
            } else {
                data = by_eights(&code, data, slots)?;
            }
            done += GROUP;
        }
        by_eights(control.get(done / CODES..)?, data, out.get_mut(done..)?)
    }

    /// The same in 64-bit lanes, for any codes, any number of tokens and the end of the data.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn by_eights<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        for (slots, some) in out.chunks_mut(HALF).zip(control.chunks(HALF / CODES)) {
            let mut codes = [0; 2];
            codes[..some.len()].copy_from_slice(some);
            let mask = bytes_of_eight(u16::from_le_bytes(codes)) & (u64::MAX >> (8 * (HALF - slots.len())));
            let (bytes, rest) = data.split_at_checked(mask.count_ones() as usize)?;
            let mut window = [0; 64];
            if let Some(whole) = data.first_chunk() {
                window = *whole;
            } else {
                window[..bytes.len()].copy_from_slice(bytes);
            }
            let lanes = _mm512_maskz_expand_epi8(mask, pulp::cast(window));
            let count = slots.len();
            match W::words(slots) {
                Words::U32(slots) => {
                    if _mm512_cmpgt_epu64_mask(lanes, _mm512_set1_epi64(u32::MAX.into())) != 0 {
                        return None;
                    }
                    let words = pulp::cast::<__m256i, [u32; HALF]>(_mm512_cvtepi64_epi32(lanes));
                    slots.copy_from_slice(&words[..count]);
                }
                Words::U64(slots) => {
                    slots.copy_from_slice(&pulp::cast::<__m512i, [u64; HALF]>(lanes)[..count]);
                }
            }
            data = rest;
        }
        Some(data)
    }

    /// The bytes of eight tokens of eight bytes each that are in the data, by the tokens' codes.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of_eight(codes: u16) -> u64 {
        const FIRST: u64 = 0x0101_0101_0101_0101;
        let codes = _pdep_u64(codes.into(), 0x0303_0303_0303_0303);
        let (low, high) = (codes & FIRST, codes >> 1 & FIRST);
        FIRST | (low | high) << 1 | high << 2 | ((low & high) * 0b1111_1000)
    }

    /// The bytes of 16 tokens of four bytes each that are in the data, by the tokens' codes, none of them 3.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of_sixteen(codes: u32) -> u64 {
        const FIRST: u64 = 0x1111_1111_1111_1111;
        let codes = _pdep_u64(codes.into(), 0x3333_3333_3333_3333);
        let (low, high) = (codes & FIRST, codes >> 1 & FIRST);
        FIRST | (low | high) << 1 | high << 2
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn sixteen<W: Word>(window: &[u8; 64], mask: u64, slots: &mut [W; GROUP]) {
        let lanes = _mm512_maskz_expand_epi8(mask, pulp::cast(*window));
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m512i, [u32; GROUP]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(HALF);
                let words = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(lanes));
                low.copy_from_slice(&pulp::cast::<__m512i, [u64; HALF]>(words));
                let words = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m512i, [u64; HALF]>(words));
            }
        }
    }
}
