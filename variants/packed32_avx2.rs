//! Binary packing in groups of 32, eight tokens a step: each half of a 256-bit register loads the bytes of four
//! tokens, one byte shuffle (VPSHUFB) by a table for the width puts the four bytes around each token into its
//! 32-bit lane, a shift by lane and a mask cut it out. There is no branch on the width up to 25 bits; from 26
//! to 32 a token can lie in five bytes, and plain code cuts it out. It loses in size where outliers are spread
//! over the groups.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{
        Packed32, decode_whole_groups,
        packed32::{GROUP, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Packed32Avx2(cpu::Avx2);

impl Decoder for Packed32Avx2 {
    type Layout = Packed32;
    const INFO: Info = Info {
        idea: "a VPSHUFB by the width's table, a shift by lane, a mask",
        origin: "this lab, after Lemire and Boytsov's binary packing (2015)",
        loses_when: "outliers are spread over the groups, as in rows of fields of different widths",
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
            None => Packed32::oracle(run, out),
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
    let lead = (run.taken.wrapping_neg() % GROUP).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    // SAFETY: `cpu::Avx2` exists only where each feature that the kernel enables was detected.
    unsafe { kernel::groups(run, out) }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m128i, __m256i, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cvtepu32_epi64,
        _mm256_extracti128_si256, _mm256_set_m128i, _mm256_set1_epi32, _mm256_shuffle_epi8,
        _mm256_srlv_epi32,
    };

    use super::GROUP;
    use crate::{
        Run, Word, Words,
        layout::packed32::{PLAIN, size, width},
    };

    /// Tokens of a register.
    const STEP: usize = 8;

    /// The widest token that lies in four bytes, wherever in the first it starts.
    const FOUR_BYTES: usize = 25;

    /// Bytes that a group's loads may reach into: they start in the first 100 and load 16.
    const REACH: usize = 128;

    /// How eight tokens of one width are cut out of their bytes.
    #[derive(Clone, Copy)]
    struct Cut {
        /// The four bytes around each token, counted for the upper half from byte `width / 2`.
        shuffle: [u8; 32],
        /// Where in the first of them the token starts.
        shift: [u32; STEP],
    }

    /// By width.
    static CUTS: [Cut; FOUR_BYTES + 1] = {
        let mut cuts = [Cut { shuffle: [0; 32], shift: [0; STEP] }; FOUR_BYTES + 1];
        let mut width = 0;
        while width <= FOUR_BYTES {
            let mut lane = 0;
            while lane < STEP {
                let base = if lane < STEP / 2 { 0 } else { width / 2 };
                let mut byte = 0;
                while byte < 4 {
                    cuts[width].shuffle[4 * lane + byte] = (lane * width / 8 - base + byte) as u8;
                    byte += 1;
                }
                cuts[width].shift[lane] = (lane * width % 8) as u32;
                lane += 1;
            }
            width += 1;
        }
        cuts
    };

    /// Fills `out` from a run that is at a group's start.
    #[target_feature(enable = "avx2")]
    pub(super) fn groups<'a, W: Word>(mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
        let (groups, last) = out.as_chunks_mut::<GROUP>();
        let (control, later) = run.control.split_at_checked(groups.len())?;
        let mut data = run.data;
        for (slots, &code) in groups.iter_mut().zip(control) {
            data = group(code, data, slots)?;
        }
        run = Run { control: later, data, taken: run.taken + control.len() * GROUP, ..run };
        if !last.is_empty() {
            let mut tokens = [W::default(); GROUP];
            careful(*later.first()?, data, last.len(), &mut tokens)?;
            last.copy_from_slice(&tokens[..last.len()]);
            run.taken += last.len();
        }
        Some(run)
    }

    /// A group's tokens, and the data behind it.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn group<'a, W: Word>(code: u8, data: &'a [u8], slots: &mut [W; GROUP]) -> Option<&'a [u8]> {
        let width = usize::from(code);
        if width <= FOUR_BYTES
            && let Some(window) = data.first_chunk()
        {
            narrow(window, width, slots);
            return data.get(size(width)..);
        }
        careful(code, data, GROUP, slots)
    }

    /// The groups that `group` leaves: wide tokens, plain tokens, those at the data's end. Only the first
    /// `asked` tokens have to fit the output word.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn careful<'a, W: Word>(
        code: u8,
        data: &'a [u8],
        asked: usize,
        slots: &mut [W; GROUP],
    ) -> Option<&'a [u8]> {
        let width = width(code)?;
        let (bytes, rest) = data.split_at_checked(size(width))?;
        if width == PLAIN {
            for (slot, bytes) in slots[..asked].iter_mut().zip(bytes.as_chunks().0) {
                *slot = W::from_token(u64::from_le_bytes(*bytes))?;
            }
            return Some(rest);
        }
        let mut window = [0; REACH + 8];
        window[..bytes.len()].copy_from_slice(bytes);
        if width <= FOUR_BYTES {
            narrow(window.first_chunk()?, width, slots);
            return Some(rest);
        }
        for (place, slot) in slots.iter_mut().enumerate() {
            let start = place * width;
            let bits = u64::from_le_bytes(*window[start / 8..].first_chunk()?);
            *slot = W::cut(bits >> (start % 8) & ((1 << width) - 1));
        }
        Some(rest)
    }

    /// A group of tokens of up to [`FOUR_BYTES`] bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn narrow<W: Word>(window: &[u8; REACH], width: usize, slots: &mut [W; GROUP]) {
        let cut = &CUTS[width];
        let (shuffle, shift) = (pulp::cast(cut.shuffle), pulp::cast(cut.shift));
        let mask = _mm256_set1_epi32((1 << width) - 1);
        for (step, slots) in slots.as_chunks_mut::<STEP>().0.iter_mut().enumerate() {
            // Eight tokens take `width` bytes.
            let start = step * width;
            let mut halves = [[0; 16]; 2];
            halves[0].copy_from_slice(&window[start..start + 16]);
            halves[1].copy_from_slice(&window[start + width / 2..start + width / 2 + 16]);
            let [low, high] = halves.map(pulp::cast::<_, __m128i>);
            let lanes = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), shuffle);
            store(_mm256_and_si256(_mm256_srlv_epi32(lanes, shift), mask), slots);
        }
    }

    /// Stores eight tokens.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store<W: Word>(lanes: __m256i, slots: &mut [W; STEP]) {
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m256i, [u32; STEP]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(STEP / 2);
                let words = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(lanes));
                low.copy_from_slice(&pulp::cast::<__m256i, [u64; STEP / 2]>(words));
                let words = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m256i, [u64; STEP / 2]>(words));
            }
        }
    }
}
