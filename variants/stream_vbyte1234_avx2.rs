//! Classic Stream VByte, two control bytes a step: each byte's shuffle and data fill one half of a 256-bit
//! register, and one VPSHUFB puts eight tokens into their 32-bit lanes. It loses to the one-bit layout where
//! hardly any token has a third byte.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{StreamVbyte1234, decode_whole_groups, stream_vbyte1234::next_token},
};

/// Tokens of a step.
const GROUP: usize = 8;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte1234Avx2(cpu::Avx2);

impl Decoder for StreamVbyte1234Avx2 {
    type Layout = StreamVbyte1234;
    const INFO: Info = Info {
        idea: "two control bytes a step, each with its shuffle in one half of a 256-bit register",
        origin: "Stream VByte (Lemire, Kurz, Rupp 2018), two control bytes at once",
        loses_when: "most tokens have one byte: it spends 2 control bits on each",
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
fn decode_all<'a, W: Word>(cpu: cpu::Avx2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx2, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    use crate::layout::stream_vbyte1234::{Outliers, PER_BYTE};

    let lead = (run.taken.wrapping_neg() % PER_BYTE).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(PER_BYTE))?;
    // SAFETY: `cpu::Avx2` exists only where each feature that the kernel enables was detected.
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
        __m128i, __m256i, _mm_shuffle_epi8, _mm256_castsi256_si128, _mm256_cvtepu32_epi64,
        _mm256_extracti128_si256, _mm256_set_m128i, _mm256_shuffle_epi8,
    };

    use super::GROUP;
    use crate::{Word, Words, layout::stream_vbyte1234::PER_BYTE};

    /// By control byte: the data byte for each byte of four 32-bit lanes, or 0x80 for zero.
    static SHUFFLES: [[u8; 16]; 256] = {
        let mut shuffles = [[0x80; 16]; 256];
        let mut code = 0;
        while code < 256 {
            let mut from = 0;
            let mut lane = 0;
            while lane < PER_BYTE {
                let mut byte = 0;
                while byte <= code >> (2 * lane) & 3 {
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

    /// Bytes of four tokens, by control byte.
    static LENGTHS: [u8; 256] = {
        let mut lengths = [0; 256];
        let mut code = 0;
        while code < 256 {
            lengths[code] = (PER_BYTE + (code & 3) + (code >> 2 & 3) + (code >> 4 & 3) + (code >> 6)) as u8;
            code += 1;
        }
        lengths
    };

    /// The first four bytes of `out.len()` tokens, and the data behind them; `None` if `data` ends first.
    /// `control` holds exactly their codes.
    #[target_feature(enable = "avx2")]
    pub(super) fn low_words<'a, W: Word>(
        control: &[u8],
        mut data: &'a [u8],
        out: &mut [W],
    ) -> Option<&'a [u8]> {
        let (pairs, _) = control.as_chunks::<2>();
        let (groups, _) = out.as_chunks_mut::<GROUP>();
        let mut done = 0;
        for (slots, &[low, high]) in groups.iter_mut().zip(pairs) {
            let Some(first) = data.first_chunk::<16>() else { break };
            let rest = &data[usize::from(LENGTHS[low as usize])..];
            let Some(second) = rest.first_chunk::<16>() else { break };
            eight([first, second], [low, high], slots);
            data = &rest[usize::from(LENGTHS[high as usize])..];
            done += GROUP;
        }
        finish(control.get(done / PER_BYTE..)?, data, out.get_mut(done..)?)
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

    /// The same for the end of the data, where 16 bytes cannot be loaded, and of the output, where four tokens
    /// cannot be stored.
    #[target_feature(enable = "avx2")]
    fn finish<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        for (slots, &code) in out.chunks_mut(PER_BYTE).zip(control) {
            let code = code & (u8::MAX >> (2 * (PER_BYTE - slots.len())));
            let used = usize::from(LENGTHS[code as usize]) - (PER_BYTE - slots.len());
            let (bytes, rest) = data.split_at_checked(used)?;
            let mut window = [0; 16];
            window[..used].copy_from_slice(bytes);
            let mut tokens = [W::default(); PER_BYTE];
            four(&window, code, &mut tokens);
            slots.copy_from_slice(&tokens[..slots.len()]);
            data = rest;
        }
        Some(data)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn four<W: Word>(window: &[u8; 16], code: u8, slots: &mut [W; PER_BYTE]) {
        let lanes = _mm_shuffle_epi8(pulp::cast(*window), pulp::cast(SHUFFLES[code as usize]));
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m128i, [u32; PER_BYTE]>(lanes)),
            Words::U64(slots) => {
                let words = _mm256_cvtepu32_epi64(lanes);
                slots.copy_from_slice(&pulp::cast::<__m256i, [u64; PER_BYTE]>(words));
            }
        }
    }
}
