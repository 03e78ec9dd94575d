//! Stream VByte with one control bit, eight tokens a control byte: a table of 256 byte shuffles (VPSHUFB) puts
//! every token into its 16-bit lane, and the lanes are widened. The next step's address hangs on the control
//! byte's population count alone. It loses where tokens of more than 16 bits are common, each of which is an
//! exception to be patched in.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{
        StreamVbyte12, decode_whole_groups,
        stream_vbyte12::{PER_BYTE, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte12Avx2(cpu::Avx2);

impl Decoder for StreamVbyte12Avx2 {
    type Layout = StreamVbyte12;
    const INFO: Info = Info {
        idea: "a shuffle by the control byte makes eight 16-bit lanes, which are widened",
        origin: "Stream VByte (Lemire, Kurz, Rupp 2018), with codes for two lengths",
        loses_when: "many tokens exceed 16 bits",
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
        decode_whole_groups(self, run, out, least, PER_BYTE)
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
    use crate::layout::stream_vbyte12::Outliers;

    let lead = (run.taken.wrapping_neg() % PER_BYTE).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    let control = run.control.get(..out.len().div_ceil(PER_BYTE))?;
    // SAFETY: `cpu::Avx2` exists only where each feature that the kernel enables was detected.
    run.data = unsafe { kernel::low_parts(control, run.data, out) }?;
    run.exceptions = Outliers::patch(run.exceptions, run.taken, out, |place| {
        control[place / PER_BYTE] >> (place % PER_BYTE) & 1 == 1
    })?;
    run.control = &run.control[out.len() / PER_BYTE..];
    run.taken += out.len();
    Some(run)
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m256i, _mm_shuffle_epi8, _mm_srli_si128, _mm256_cvtepu16_epi32, _mm256_cvtepu16_epi64,
    };

    use super::PER_BYTE;
    use crate::{Word, Words};

    /// By control byte: the data byte for each byte of eight 16-bit lanes, or 0x80 for zero.
    static SHUFFLES: [[u8; 16]; 256] = {
        let mut shuffles = [[0x80; 16]; 256];
        let mut code = 0;
        while code < 256 {
            let mut from = 0;
            let mut lane = 0;
            while lane < PER_BYTE {
                shuffles[code][2 * lane] = from;
                from += 1;
                if code >> lane & 1 == 1 {
                    shuffles[code][2 * lane + 1] = from;
                    from += 1;
                }
                lane += 1;
            }
            code += 1;
        }
        shuffles
    };

    /// The first two bytes of `out.len()` tokens, and the data behind them; `None` if `data` ends first.
    /// `control` holds exactly their bits.
    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn low_parts<'a, W: Word>(
        control: &[u8],
        mut data: &'a [u8],
        out: &mut [W],
    ) -> Option<&'a [u8]> {
        let (groups, _) = out.as_chunks_mut::<PER_BYTE>();
        let mut done = 0;
        for (slots, &code) in groups.iter_mut().zip(control) {
            let Some(window) = data.first_chunk() else { break };
            group(window, code, slots);
            data = &data[length(code)..];
            done += 1;
        }
        finish(control.get(done..)?, data, out.get_mut(done * PER_BYTE..)?)
    }

    /// The same for the end of the data, where 16 bytes cannot be loaded, and of the output, where eight tokens
    /// cannot be stored.
    #[target_feature(enable = "avx2,popcnt")]
    fn finish<'a, W: Word>(control: &[u8], mut data: &'a [u8], out: &mut [W]) -> Option<&'a [u8]> {
        for (slots, &code) in out.chunks_mut(PER_BYTE).zip(control) {
            let code = code & (u8::MAX >> (PER_BYTE - slots.len()));
            let used = length(code) - (PER_BYTE - slots.len());
            let (bytes, rest) = data.split_at_checked(used)?;
            let mut window = [0; 16];
            window[..used].copy_from_slice(bytes);
            let mut tokens = [W::default(); PER_BYTE];
            group(&window, code, &mut tokens);
            slots.copy_from_slice(&tokens[..slots.len()]);
            data = rest;
        }
        Some(data)
    }

    /// Bytes of eight tokens.
    #[inline]
    #[target_feature(enable = "popcnt")]
    fn length(code: u8) -> usize {
        PER_BYTE + code.count_ones() as usize
    }

    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn group<W: Word>(window: &[u8; 16], code: u8, slots: &mut [W; PER_BYTE]) {
        let lanes = _mm_shuffle_epi8(pulp::cast(*window), pulp::cast(SHUFFLES[code as usize]));
        match W::words(slots) {
            Words::U32(slots) => {
                let words = _mm256_cvtepu16_epi32(lanes);
                slots.copy_from_slice(&pulp::cast::<__m256i, [u32; 8]>(words));
            }
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(4);
                let words = _mm256_cvtepu16_epi64(lanes);
                low.copy_from_slice(&pulp::cast::<__m256i, [u64; 4]>(words));
                let words = _mm256_cvtepu16_epi64(_mm_srli_si128::<8>(lanes));
                high.copy_from_slice(&pulp::cast::<__m256i, [u64; 4]>(words));
            }
        }
    }
}
