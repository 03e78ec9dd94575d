//! Classic Stream VByte, 16 tokens a step: PDEP and a few logic operations make a byte mask of 16 codes, and
//! one byte expand (VPEXPANDB) puts every token into its 32-bit lane. No table, and the next step's address
//! hangs on one addition. It loses to the one-bit layout where hardly any token has a third byte.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{StreamVbyte1234, decode_whole_groups, stream_vbyte1234::next_token},
};

/// Tokens of a step.
const GROUP: usize = 16;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte1234Avx512(cpu::Avx512Vbmi2);

impl Decoder for StreamVbyte1234Avx512 {
    type Layout = StreamVbyte1234;
    const INFO: Info = Info {
        idea: "PDEP makes a byte mask of 16 codes, one VPEXPANDB makes 16 lanes, no table",
        origin: "this lab, after Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "most tokens have one byte: it spends 2 control bits on each",
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
            None => StreamVbyte1234::oracle(run, out),
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
    use crate::layout::stream_vbyte1234::{Outliers, PER_BYTE};

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
        __m512i, _mm512_castsi512_si256, _mm512_cvtepu32_epi64, _mm512_extracti64x4_epi64,
        _mm512_maskz_expand_epi8, _pdep_u64,
    };

    use super::GROUP;
    use crate::{Word, Words, layout::stream_vbyte1234::PER_BYTE};

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
    /// cannot be stored.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn finish<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        for (slots, some) in out.chunks_mut(GROUP).zip(control.chunks(GROUP / PER_BYTE)) {
            let mut codes = [0; 4];
            codes[..some.len()].copy_from_slice(some);
            let mask = bytes_of(u32::from_le_bytes(codes)) & (u64::MAX >> (4 * (GROUP - slots.len())));
            let used = mask.count_ones() as usize;
            let (bytes, rest) = data.split_at_checked(used)?;
            let mut window = [0; 64];
            window[..used].copy_from_slice(bytes);
            let mut tokens = [W::default(); GROUP];
            group(&window, mask, &mut tokens);
            slots.copy_from_slice(&tokens[..slots.len()]);
            data = rest;
        }
        Some(data)
    }

    /// The bytes of 16 tokens of four bytes each that are in the data, by the tokens' codes.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of(codes: u32) -> u64 {
        const FIRST: u64 = 0x1111_1111_1111_1111;
        let codes = _pdep_u64(codes.into(), 0x3333_3333_3333_3333);
        let (low, high) = (codes & FIRST, codes >> 1 & FIRST);
        FIRST | (low | high) << 1 | high << 2 | (low & high) << 3
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn group<W: Word>(window: &[u8; 64], mask: u64, slots: &mut [W; GROUP]) {
        let lanes = _mm512_maskz_expand_epi8(mask, pulp::cast(*window));
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
