//! Stream VByte with codes for 1, 2, 3 or 8 bytes: one control byte picks one of 256 byte shuffles (PSHUFB),
//! which puts four tokens into their 32-bit lanes; a control byte with an 8-byte code goes to plain code. It
//! loses where 8-byte codes are more than rare, and to the one-bit layout where hardly any token has a third
//! byte.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{
        StreamVbyte, decode_whole_groups,
        stream_vbyte::{CODES, next},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyteSse41(cpu::Sse41);

impl Decoder for StreamVbyteSse41 {
    type Layout = StreamVbyte;
    const INFO: Info = Info {
        idea: "a shuffle by the control byte makes four 32-bit lanes",
        origin: "Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "8-byte codes are more than rare",
        class: Class::Sse,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        cpu::Sse41::detect().map(Self)
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
        decode_whole_groups(self, run, out, least, CODES)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next(run)
    }
}

#[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
fn decode_all<'a, W: Word>(cpu: cpu::Sse41, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Sse41, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    let lead = (run.taken.wrapping_neg() % CODES).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(CODES))?;
    // SAFETY: `cpu::Sse41` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::tokens(control, run.data, out) }?;
    run.control = &run.control[out.len() / CODES..];
    run.taken += out.len();
    Some(run)
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{__m128i, _mm_cvtepu32_epi64, _mm_shuffle_epi8, _mm_srli_si128};

    use super::CODES;
    use crate::{Word, Words, layout::stream_vbyte::LENGTHS};

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
    #[target_feature(enable = "ssse3,sse4.1")]
    pub(super) fn tokens<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        let (groups, _) = out.as_chunks_mut::<CODES>();
        let mut done = 0;
        for (slots, &code) in groups.iter_mut().zip(control) {
            let Some(window) = data.first_chunk() else { break };
            let size = SIZES[code as usize];
            if size == LONG {
                data = plain(&[code], data, slots)?;
            } else {
                four(window, code, slots);
                data = &data[usize::from(size)..];
            }
            done += 1;
        }
        plain(control.get(done..)?, data, out.get_mut(done * CODES..)?)
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
    #[target_feature(enable = "ssse3,sse4.1")]
    fn four<W: Word>(window: &[u8; 16], code: u8, slots: &mut [W; CODES]) {
        let lanes = _mm_shuffle_epi8(pulp::cast(*window), pulp::cast(SHUFFLES[code as usize]));
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m128i, [u32; CODES]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(2);
                let words = _mm_cvtepu32_epi64(lanes);
                low.copy_from_slice(&pulp::cast::<__m128i, [u64; 2]>(words));
                let words = _mm_cvtepu32_epi64(_mm_srli_si128::<8>(lanes));
                high.copy_from_slice(&pulp::cast::<__m128i, [u64; 2]>(words));
            }
        }
    }
}
