//! Stream VByte with codes for 1, 2, 3 or 8 bytes, two control bytes a step: each byte's shuffle and data fill
//! one half of a 256-bit register, and one VPSHUFB puts eight tokens into their 32-bit lanes; a step with an
//! 8-byte code goes to plain code. It loses where 8-byte codes are more than rare, and to the one-bit layout
//! where hardly any token has a third byte.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{StreamVbyte, decode_whole_groups, stream_vbyte::next},
};

/// Tokens of a step.
const GROUP: usize = 8;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyteAvx2(cpu::Avx2);

impl Decoder for StreamVbyteAvx2 {
    type Layout = StreamVbyte;
    const INFO: Info = Info {
        idea: "two control bytes a step, each with its shuffle in one half of a 256-bit register",
        origin: "Stream VByte (Lemire, Kurz, Rupp 2018), two control bytes at once",
        loses_when: "8-byte codes are more than rare",
        class: Class::Avx2,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        cpu::Avx2::detect().map(Self)
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
fn decode_all<'a, W: Word>(cpu: cpu::Avx2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx2, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    use crate::layout::stream_vbyte::CODES;

    let lead = (run.taken.wrapping_neg() % CODES).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(CODES))?;
    // SAFETY: `cpu::Avx2` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::tokens(control, run.data, out) }?;
    run.control = &run.control[out.len() / CODES..];
    run.taken += out.len();
    Some(run)
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m128i, __m256i, _mm256_castsi256_si128, _mm256_cvtepu32_epi64, _mm256_extracti128_si256,
        _mm256_set_m128i, _mm256_shuffle_epi8,
    };

    use super::GROUP;
    use crate::{
        Word, Words,
        layout::stream_vbyte::{CODES, LENGTHS},
    };

    /// A length that stands for a control byte with an 8-byte code.
    const LONG: u8 = 0;

    /// Bytes of four tokens by control byte, or [`LONG`].
    static SIZES: [u8; 256] = {
        let mut sizes = [LONG; 256];
        let mut code = 0;
        while code < 256 {
            if code & code >> 1 & 0x55 == 0 {
                let size =
                    LENGTHS[code & 3] + LENGTHS[code >> 2 & 3] + LENGTHS[code >> 4 & 3] + LENGTHS[code >> 6];
                sizes[code] = size as u8;
            }
            code += 1;
        }
        sizes
    };

    /// By control byte without an 8-byte code: the data byte for each byte of four 32-bit lanes, or 0x80 for
    /// zero.
    static SHUFFLES: [[u8; 16]; 256] = {
        let mut shuffles = [[0x80; 16]; 256];
        let mut code = 0;
        while code < 256 {
            let mut from = 0;
            let mut lane = 0;
            while lane < CODES && SIZES[code] != LONG {
                let mut byte = 0;
                while byte < LENGTHS[code >> (2 * lane) & 3] {
                    shuffles[code][4 * lane + byte] = from;
                    from += 1;
                    byte += 1;
                }
                lane += 1;
            }
            code += 1;
        }
        shuffles
    };

    /// Fills `out`, and gives the data behind it; `None` if `data` ends first or a token does not fit.
    /// `control` holds exactly the codes of `out`.
    #[target_feature(enable = "avx2")]
    pub(super) fn tokens<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        let (pairs, _) = control.as_chunks::<{ GROUP / CODES }>();
        let (groups, _) = out.as_chunks_mut::<GROUP>();
        let mut done = 0;
        for (slots, &pair) in groups.iter_mut().zip(pairs) {
            let [low, high] = pair.map(|code| SIZES[code as usize]);
            if low == LONG || high == LONG {
                data = plain(&pair, data, slots)?;
            } else {
                let Some(first) = data.first_chunk() else { break };
                let rest = &data[usize::from(low)..];
                let Some(second) = rest.first_chunk() else { break };
                eight([first, second], pair, slots);
                data = &rest[usize::from(high)..];
            }
            done += GROUP;
        }
        plain(control.get(done / CODES..)?, data, out.get_mut(done..)?)
    }

    /// Fills `out`, whatever its codes and however long, one token after the other.
    #[inline(never)]
    fn plain<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        for (slots, &code) in out.chunks_mut(CODES).zip(control) {
            for (place, slot) in slots.iter_mut().enumerate() {
                let length = LENGTHS[usize::from(code >> (2 * place) & 3)];
                let (bytes, rest) = data.split_at_checked(length)?;
                let token = bytes.iter().rev().fold(0, |token, &byte| token << 8 | u64::from(byte));
                *slot = W::from_token(token)?;
                data = rest;
            }
        }
        Some(data)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight<W: Word>(windows: [&[u8; 16]; 2], codes: [u8; 2], slots: &mut [W; GROUP]) {
        let [first, second] = windows.map(|window| pulp::cast::<_, __m128i>(*window));
        let [low, high] = codes.map(|code| pulp::cast::<_, __m128i>(SHUFFLES[code as usize]));
        let lanes = _mm256_shuffle_epi8(_mm256_set_m128i(second, first), _mm256_set_m128i(high, low));
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m256i, [u32; GROUP]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(4);
                let words = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(lanes));
                low.copy_from_slice(&pulp::cast::<__m256i, [u64; 4]>(words));
                let words = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m256i, [u64; 4]>(words));
            }
        }
    }
}
