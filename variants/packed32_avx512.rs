//! Binary packing in groups of 32, 16 tokens a step: one byte permutation (VPERMB) by a table for the width
//! puts the four bytes around each token into its 32-bit lane, a shift by lane and a mask cut it out. There is
//! no branch on the width up to 25 bits; from 26 to 32 a token can lie in five bytes and is cut out of two
//! dwords (VPERMD, VPSHRDVD). It loses in size where outliers are spread over the groups.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{
        Packed32, decode_whole_groups,
        packed32::{GROUP, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Packed32Avx512(cpu::Avx512Vbmi2);

impl Decoder for Packed32Avx512 {
    type Layout = Packed32;
    const INFO: Info = Info {
        idea: "a VPERMB by the width's table, a shift by lane, a mask",
        origin: "this lab, after Lemire and Boytsov's binary packing (2015)",
        loses_when: "outliers are spread over the groups, as in rows of fields of different widths",
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
fn decode_all<'a, W: Word>(cpu: cpu::Avx512Vbmi2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx512Vbmi2, mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    let lead = (run.taken.wrapping_neg() % GROUP).min(out.len());
    let (lead, out) = out.split_at_mut(lead);
    for slot in lead {
        *slot = W::from_token(next_token(&mut run).ok()?)?;
    }
    // SAFETY: `cpu::Avx512Vbmi2` exists only where each feature that the kernel enables was detected.
    unsafe { kernel::groups(run, out) }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m512i, _mm512_add_epi32, _mm512_and_si512, _mm512_castsi512_si256, _mm512_cvtepu32_epi64,
        _mm512_extracti64x4_epi64, _mm512_permutexvar_epi8, _mm512_permutexvar_epi32, _mm512_set1_epi32,
        _mm512_shrdv_epi32, _mm512_srli_epi32, _mm512_srlv_epi32,
    };

    use super::GROUP;
    use crate::{
        Run, Word, Words,
        layout::packed32::{MAX_PACKED, PLAIN, size, width},
    };

    /// Tokens of a register.
    const HALF: usize = GROUP / 2;

    /// The widest token that lies in four bytes, wherever in the first it starts.
    const FOUR_BYTES: usize = 25;

    /// By width: the four bytes that hold each of 16 tokens.
    static BYTES: [[u8; 64]; FOUR_BYTES + 1] = {
        let mut table = [[0; 64]; FOUR_BYTES + 1];
        let mut width = 0;
        while width <= FOUR_BYTES {
            let mut at = 0;
            while at < 64 {
                table[width][at] = (at / 4 * width / 8 + at % 4) as u8;
                at += 1;
            }
            width += 1;
        }
        table
    };

    /// By width: the bit where each of 16 tokens starts.
    static STARTS: [[u32; HALF]; MAX_PACKED + 1] = {
        let mut table = [[0; HALF]; MAX_PACKED + 1];
        let mut width = 0;
        while width <= MAX_PACKED {
            let mut lane = 0;
            while lane < HALF {
                table[width][lane] = (lane * width) as u32;
                lane += 1;
            }
            width += 1;
        }
        table
    };

    /// Fills `out` from a run that is at a group's start.
    #[target_feature(enable = "avx512f,avx512vbmi,avx512vbmi2")]
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
    #[target_feature(enable = "avx512f,avx512vbmi,avx512vbmi2")]
    fn group<'a, W: Word>(code: u8, data: &'a [u8], slots: &mut [W; GROUP]) -> Option<&'a [u8]> {
        let width = usize::from(code);
        // Half a group is two bytes for each bit of its width.
        if width <= FOUR_BYTES
            && let Some(low) = data.first_chunk()
            && let Some(high) = data.get(2 * width..).and_then(<[u8]>::first_chunk)
        {
            let (first, second) = slots.split_at_mut(HALF);
            store(narrow(low, width), first);
            store(narrow(high, width), second);
            return data.get(size(width)..);
        }
        careful(code, data, GROUP, slots)
    }

    /// The groups that `group` leaves: wide tokens, plain tokens, those at the data's end. Only the first
    /// `asked` tokens have to fit the output word.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512vbmi,avx512vbmi2")]
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
        let (low, high) = bytes.split_at(2 * width);
        for (bytes, slots) in [low, high].into_iter().zip(slots.chunks_exact_mut(HALF)) {
            let mut window = [0; 64];
            window[..bytes.len()].copy_from_slice(bytes);
            store(if width <= FOUR_BYTES { narrow(&window, width) } else { wide(&window, width) }, slots);
        }
        Some(rest)
    }

    /// 16 tokens of up to [`FOUR_BYTES`] bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn narrow(window: &[u8; 64], width: usize) -> __m512i {
        let lanes = _mm512_permutexvar_epi8(pulp::cast(BYTES[width]), pulp::cast(*window));
        let within = _mm512_and_si512(pulp::cast(STARTS[width]), _mm512_set1_epi32(7));
        _mm512_and_si512(_mm512_srlv_epi32(lanes, within), mask(width))
    }

    /// 16 tokens of up to [`MAX_PACKED`] bits, each from the two dwords that it can lie in. A token that needs
    /// only one may have the second index wrap around.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi2")]
    fn wide(window: &[u8; 64], width: usize) -> __m512i {
        let window = pulp::cast(*window);
        let starts = pulp::cast(STARTS[width]);
        let dword = _mm512_srli_epi32::<5>(starts);
        let low = _mm512_permutexvar_epi32(dword, window);
        let high = _mm512_permutexvar_epi32(_mm512_add_epi32(dword, _mm512_set1_epi32(1)), window);
        // The shift counts modulo 32.
        _mm512_and_si512(_mm512_shrdv_epi32(low, high, starts), mask(width))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn mask(width: usize) -> __m512i {
        _mm512_set1_epi32(((1_u64 << width) - 1) as u32 as i32)
    }

    /// Stores 16 tokens.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store<W: Word>(lanes: __m512i, slots: &mut [W]) {
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m512i, [u32; HALF]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(HALF / 2);
                let words = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(lanes));
                low.copy_from_slice(&pulp::cast::<__m512i, [u64; HALF / 2]>(words));
                let words = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m512i, [u64; HALF / 2]>(words));
            }
        }
    }
}
