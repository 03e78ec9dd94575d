//! Stream VByte 0124, 16 tokens a step: PDEP and a few logic operations make a byte mask of 16 codes, one byte
//! expand (VPEXPANDB) puts every token into its 32-bit lane, and 0 and 1 change places. It loses in size where
//! tokens of three bytes are common, which take four here.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{StreamVbyte0124, decode_whole_groups, stream_vbyte0124::next_token},
};

/// Tokens of a step.
const GROUP: usize = 16;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte0124Avx512(cpu::Avx512Vbmi2);

impl Decoder for StreamVbyte0124Avx512 {
    type Layout = StreamVbyte0124;
    const INFO: Info = Info {
        idea: "PDEP makes a byte mask of 16 codes, one VPEXPANDB makes 16 lanes, no table",
        origin: "this lab, after Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "three-byte tokens are common, which take four bytes here",
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
            None => StreamVbyte0124::oracle(run, out),
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
        next_token(run)
    }
}

#[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
fn decode_all<'a, W: Word>(cpu: cpu::Avx512Vbmi2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx512Vbmi2, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    use crate::layout::stream_vbyte0124::{Outliers, PER_BYTE};

    let lead = (run.taken.wrapping_neg() % PER_BYTE).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(PER_BYTE))?;
    // SAFETY: `cpu::Avx512Vbmi2` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::low_words(control, run.data, out) }?;
    run.exceptions = Outliers::patch(run.exceptions, run.taken, out, |place| {
        control[place / PER_BYTE] >> (2 * (place % PER_BYTE)) & 3 == 3
    })?;
    run.control = &run.control[out.len() / PER_BYTE..];
    run.taken += out.len();
    Some(run)
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m512i, _mm512_castsi512_si256, _mm512_cmplt_epu32_mask, _mm512_cvtepu32_epi64,
        _mm512_extracti64x4_epi64, _mm512_mask_xor_epi32, _mm512_maskz_expand_epi8, _mm512_set1_epi32,
        _pdep_u64,
    };

    use super::GROUP;
    use crate::{Word, Words, layout::stream_vbyte0124::PER_BYTE};

    /// The first four bytes of `out.len()` tokens, and the data behind them; `None` if `data` ends first.
    /// `control` holds exactly their codes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    pub(super) fn low_words<'a, W: Word>(
        control: &[u8],
        mut data: &'a [u8],
        out: &mut [W],
    ) -> Option<&'a [u8]> {
        let (codes, _) = control.as_chunks::<{ GROUP / PER_BYTE }>();
        let (groups, _) = out.as_chunks_mut::<GROUP>();
        let mut done = 0;
        for (slots, &codes) in groups.iter_mut().zip(codes) {
            let Some(window) = data.first_chunk() else { break };
            let mask = bytes_of(u32::from_le_bytes(codes));
            group(window, mask, slots);
            data = &data[mask.count_ones() as usize..];
            done += GROUP;
        }
        finish(control.get(done / PER_BYTE..)?, data, out.get_mut(done..)?)
    }

    /// The same for the end of the data, where 64 bytes cannot be loaded, and of the output, where 16 tokens
    /// cannot be stored. Any number of tokens without a byte may come behind the last data.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn finish<'a, W: Word>(control: &[u8], data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        let mut padded = [0; 128];
        // With more than 64 bytes left there is less than one step to go.
        let there = data.len().min(64);
        padded[..there].copy_from_slice(&data[..there]);
        let mut at = 0;
        for (slots, some) in out.chunks_mut(GROUP).zip(control.chunks(GROUP / PER_BYTE)) {
            let mut codes = [0; 4];
            codes[..some.len()].copy_from_slice(some);
            let mask = bytes_of(u32::from_le_bytes(codes)) & (u64::MAX >> (4 * (GROUP - slots.len())));
            let window = padded.get(at..)?.first_chunk()?;
            at += mask.count_ones() as usize;
            if at > there {
                return None;
            }
            if let Some(slots) = slots.first_chunk_mut() {
                group(window, mask, slots);
            } else {
                let mut tokens = [W::default(); GROUP];
                group(window, mask, &mut tokens);
                slots.copy_from_slice(&tokens[..slots.len()]);
            }
        }
        Some(&data[at..])
    }

    /// The bytes of 16 tokens of four bytes each that are in the data, by the tokens' codes.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of(codes: u32) -> u64 {
        const FIRST: u64 = 0x1111_1111_1111_1111;
        let codes = _pdep_u64(codes.into(), 0x3333_3333_3333_3333);
        let (low, high) = (codes & FIRST, codes >> 1 & FIRST);
        low | high | high << 1 | ((low & high) * 0b1100)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn group<W: Word>(window: &[u8; 64], mask: u64, slots: &mut [W; GROUP]) {
        let lanes = _mm512_maskz_expand_epi8(mask, pulp::cast(*window));
        let small = _mm512_cmplt_epu32_mask(lanes, _mm512_set1_epi32(2));
        let lanes = _mm512_mask_xor_epi32(lanes, small, lanes, _mm512_set1_epi32(1));
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m512i, [u32; GROUP]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(8);
                let words = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(lanes));
                low.copy_from_slice(&pulp::cast::<__m512i, [u64; 8]>(words));
                let words = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m512i, [u64; 8]>(words));
            }
        }
    }
}
