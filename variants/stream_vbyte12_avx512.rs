//! Stream VByte with one control bit, 32 tokens a step: PDEP makes a byte mask of 32 control bits, one byte
//! expand (VPEXPANDB) puts every token into its 16-bit lane, and the lanes are widened. No table, and the
//! next step's address hangs on one addition. It loses where tokens of more than 16 bits are common, each of
//! which is an exception to be patched in.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{StreamVbyte12, decode_whole_groups, stream_vbyte12::next_token},
};

/// Tokens of a step.
const GROUP: usize = 32;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte12Avx512(cpu::Avx512Vbmi2);

impl Decoder for StreamVbyte12Avx512 {
    type Layout = StreamVbyte12;
    const INFO: Info = Info {
        idea: "PDEP makes a byte mask of 32 control bits, one VPEXPANDB makes 32 lanes",
        origin: "this lab, after Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "many tokens exceed 16 bits",
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
            None => StreamVbyte12::oracle(run, out),
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

    const SHORT: bool = true;

    fn decode_short(self, run: &mut Run<'_>, out: &mut [u16]) -> usize {
        decode_short(self.0, run, out).unwrap_or(0)
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

#[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
fn decode_short(cpu: cpu::Avx512Vbmi2, _: &mut Run<'_>, _: &mut [u16]) -> Option<usize> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx512Vbmi2, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    use crate::layout::stream_vbyte12::{Outliers, PER_BYTE};

    let lead = (run.taken.wrapping_neg() % PER_BYTE).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(PER_BYTE))?;
    // SAFETY: `cpu::Avx512Vbmi2` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::low_parts(control, run.data, out) }?;
    run.exceptions = Outliers::patch(run.exceptions, run.taken, out, |place| {
        control[place / PER_BYTE] >> (place % PER_BYTE) & 1 == 1
    })?;
    run.control = &run.control[out.len() / PER_BYTE..];
    run.taken += out.len();
    Some(run)
}

/// Whole steps before the next outlier: their tokens have 16 bits at most. `None` if the bytes are not all there.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_short(_: cpu::Avx512Vbmi2, run: &mut Run<'_>, out: &mut [u16]) -> Option<usize> {
    use crate::layout::stream_vbyte12::{Outliers, PER_BYTE};

    if !run.taken.is_multiple_of(PER_BYTE) {
        return None;
    }
    let tokens = out.len().min(Outliers::none_for(run.exceptions, run.taken)) / GROUP * GROUP;
    let control = run.control.get(..tokens / PER_BYTE)?;
    // SAFETY: `cpu::Avx512Vbmi2` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::low_parts(control, run.data, &mut out[..tokens]) }?;
    run.control = &run.control[tokens / PER_BYTE..];
    run.taken += tokens;
    Some(tokens)
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        _mm512_castsi512_si128, _mm512_castsi512_si256, _mm512_cvtepu16_epi32, _mm512_cvtepu16_epi64,
        _mm512_extracti32x4_epi32, _mm512_extracti64x4_epi64, _mm512_maskz_expand_epi8, _pdep_u64,
    };

    use super::GROUP;
    use crate::simd::{avx512::put, stride::Slot};

    /// The first two bytes of `out.len()` tokens, and the data behind them; `None` if `data` ends first.
    /// `control` holds exactly their bits.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    pub(super) fn low_parts<'a, W: Slot>(
        control: &[u8],
        mut data: &'a [u8],
        out: &mut [W],
    ) -> Option<&'a [u8]> {
        let (codes, _) = control.as_chunks::<{ GROUP / 8 }>();
        let (groups, _) = out.as_chunks_mut::<GROUP>();
        let mut done = 0;
        for (slots, &code) in groups.iter_mut().zip(codes) {
            let Some(window) = data.first_chunk() else { break };
            let code = u32::from_le_bytes(code);
            group(window, code, slots);
            data = &data[length(code)..];
            done += GROUP;
        }
        finish(control.get(done / 8..)?, data, out.get_mut(done..)?)
    }

    /// The same for the end of the data, where 64 bytes cannot be loaded, and of the output, where 32 tokens
    /// cannot be stored.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn finish<'a, W: Slot>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        for (slots, codes) in out.chunks_mut(GROUP).zip(control.chunks(GROUP / 8)) {
            let mut code = [0; 4];
            code[..codes.len()].copy_from_slice(codes);
            let code = u32::from_le_bytes(code) & (u32::MAX >> (GROUP - slots.len()));
            let used = length(code) - (GROUP - slots.len());
            let (bytes, rest) = data.split_at_checked(used)?;
            let mut window = [0; 64];
            window[..used].copy_from_slice(bytes);
            let mut tokens = [W::default(); GROUP];
            group(&window, code, &mut tokens);
            slots.copy_from_slice(&tokens[..slots.len()]);
            data = rest;
        }
        Some(data)
    }

    /// Bytes of 32 tokens.
    #[inline]
    #[target_feature(enable = "popcnt")]
    fn length(code: u32) -> usize {
        GROUP + code.count_ones() as usize
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn group<W: Slot>(window: &[u8; 64], code: u32, slots: &mut [W; GROUP]) {
        // Every token's first byte, and the second where its control bit is set.
        let mask = _pdep_u64(code.into(), 0xaaaa_aaaa_aaaa_aaaa) | 0x5555_5555_5555_5555;
        let lanes = _mm512_maskz_expand_epi8(mask, pulp::cast(*window));
        match size_of::<W>() {
            2 => put::<false, W, GROUP>(slots, lanes),
            4 => {
                let halves = [_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64::<1>(lanes)];
                for (slots, half) in slots.as_chunks_mut::<16>().0.iter_mut().zip(halves) {
                    put::<false, W, 16>(slots, _mm512_cvtepu16_epi32(half));
                }
            }
            _ => {
                let quarters = [
                    _mm512_castsi512_si128(lanes),
                    _mm512_extracti32x4_epi32::<1>(lanes),
                    _mm512_extracti32x4_epi32::<2>(lanes),
                    _mm512_extracti32x4_epi32::<3>(lanes),
                ];
                for (slots, quarter) in slots.as_chunks_mut::<8>().0.iter_mut().zip(quarters) {
                    put::<false, W, 8>(slots, _mm512_cvtepu16_epi64(quarter));
                }
            }
        }
    }
}
