//! Fixed stride in two stages, with AVX-512's byte expand. Stage 1 walks the bytes 64 at a time, whatever
//! the tokens' lengths are, and turns the mask of high bits into length codes, one bit stream for each
//! length, so that nothing waits for a token's address. Stage 2 takes 32 codes at a time, expands the bytes
//! behind them into lanes and packs the groups of seven bits: every vector is full and stays aligned.
//!
//! Codes allow two, three or four bytes a token, by what the last blocks held (`simd/stride.rs`). Longer
//! tokens are decoded a window at a time, by permuting eight
//! bytes from each token's first one (`simd/`). An output that
//! exceeds the caches is written past them.
//!
//! It loses to plainer code only where calls are for a handful of tokens.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, cpu::Avx512Vbmi2, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128StrideAvx512(Avx512Vbmi2);

impl Decoder for Leb128StrideAvx512 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "64 bytes a step into length codes, then 32 tokens a step by byte expand",
        origin: "this lab; expanding by length codes after Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "a call is for a handful of tokens",
        class: Class::Avx512,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Avx512Vbmi2::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let least = out.len();
        self.decode_some(run, out, least).map(|_| ())
    }

    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        {
            crate::simd::stride::decode(self.0, run, out, least)
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        {
            let _ = (run, out, least);
            match self.0 {}
        }
    }

    const SHORT: bool = true;

    fn decode_short(self, run: &mut Run<'_>, out: &mut [u16]) -> usize {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        {
            crate::simd::stride::decode_short(self.0, run, out)
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        {
            let _ = (run, out);
            match self.0 {}
        }
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step(run.data))
    }
}

/// One token, for readers of mixed rows: a byte at a time.
#[inline(always)]
fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    match bytes {
        &[first, ..] if first < 0x80 => Ok((first.into(), 1)),
        _ => crate::layout::leb128::decode_token(bytes),
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m512i, _mm_sfence, _mm512_and_si512, _mm512_castsi512_si256, _mm512_cvtepu16_epi32,
        _mm512_cvtepu32_epi64, _mm512_extracti64x4_epi64, _mm512_madd_epi16, _mm512_maddubs_epi16,
        _mm512_maskz_expand_epi8, _mm512_maskz_permutexvar_epi16, _mm512_maskz_permutexvar_epi32,
        _mm512_movepi8_mask, _mm512_or_si512, _mm512_packus_epi32, _mm512_permutexvar_epi64,
        _mm512_set1_epi8, _mm512_set1_epi32, _mm512_setr_epi32, _mm512_test_epi32_mask, _pdep_u64, _pext_u64,
    };

    use crate::{
        Word,
        cpu::Avx512Vbmi2,
        simd::{
            avx512::{self, put},
            codes::{Appender, Codes, GROUP},
            stride::{Emit, Scan, Slot, Stages, Window},
        },
    };

    impl Stages for Avx512Vbmi2 {
        fn scan<const LEVEL: usize>(self, blocks: &[[u8; 64]], before: &mut u64, codes: &mut Codes) -> Scan {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { scan::<LEVEL>(blocks, before, codes) }
        }

        fn window<W: Word>(self, data: &[u8], out: &mut [W]) -> Window {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { avx512::window(data, out) }
        }

        fn fence(self) {
            // SAFETY: every x86-64 CPU has the instruction.
            unsafe { _mm_sfence() }
        }
    }

    impl<W: Slot> Emit<W> for Avx512Vbmi2 {
        fn emit<const LEVEL: usize, const STREAM: bool>(
            self,
            data: &mut &[u8],
            codes: &Codes,
            groups: &mut [[W; GROUP]],
        ) -> usize {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { emit::<LEVEL, STREAM, W>(data, codes, groups) }
        }

        fn ones<const STREAM: bool>(self, data: &mut &[u8], groups: &mut [[W; GROUP]]) -> usize {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { avx512::ones::<STREAM, W>(data, groups) }
        }
    }

    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt"
    )]
    #[inline(never)]
    fn scan<const LEVEL: usize>(blocks: &[[u8; 64]], before: &mut u64, codes: &mut Codes) -> Scan {
        let mut appender = Appender::<LEVEL>::new(codes);
        let mut read = blocks.len();
        let mut used = 0;
        // What the block before hands on to each mask below, in types that differ: else LLVM keeps pairs of
        // them in a vector and moves them to and fro.
        let mut last = *before;
        let mut carry1 = last >> 63;
        let mut carry2 = (last >> 62 & 1) as u32;
        let mut carry3 = (last >> 62 & last >> 61 & 1) as u16;
        let mut carry4 = (last >> 62 & last >> 61 & last >> 60 & 1) as u8;
        for (index, &block) in blocks.iter().enumerate() {
            let more = _mm512_movepi8_mask(pulp::cast(block));
            // Bit p of the j-th: the j bytes before byte p all say that more follow.
            let more1 = more << 1 | carry1;
            let more2 = more1 & (more1 << 1 | u64::from(carry2));
            let more3 = more2 & (more2 << 1 | u64::from(carry3));
            let more4 = more3 & (more3 << 1 | u64::from(carry4));
            if [more2, more3, more4][LEVEL - 1] != 0 {
                read = index;
                break;
            }
            carry1 = more >> 63;
            carry2 = (more1 >> 63) as u32;
            carry3 = (more2 >> 63) as u16;
            carry4 = (more3 >> 63) as u8;
            let ends = !more;
            let longer = [more1, more2, more3];
            used |= longer[LEVEL - 1];
            appender.push(ends.count_ones() as usize, core::array::from_fn(|j| _pext_u64(longer[j], ends)));
            last = more;
        }
        appender.finish();
        *before = last;
        Scan { blocks: read, used: used != 0 }
    }

    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt"
    )]
    #[inline(never)]
    fn emit<const LEVEL: usize, const STREAM: bool, W: Slot>(
        data: &mut &[u8],
        codes: &Codes,
        groups: &mut [[W; GROUP]],
    ) -> usize {
        let mut written = 0;
        let mut rest = *data;
        let words = codes.words(0).iter().zip(codes.words(1)).zip(codes.words(2));
        for (slots, ((&c1, &c2), &c3)) in groups.iter_mut().zip(words) {
            let c1 = u32::from_le_bytes(c1);
            let c2 = u32::from_le_bytes(c2);
            let c3 = u32::from_le_bytes(c3);
            if LEVEL == 1 {
                let Some(&bytes) = rest.first_chunk::<64>() else { break };
                let lanes = 0x5555_5555_5555_5555 | _pdep_u64(c1.into(), 0xaaaa_aaaa_aaaa_aaaa);
                let tokens = pack2(_mm512_maskz_expand_epi8(lanes, pulp::cast(bytes)));
                rest = &rest[GROUP + c1.count_ones() as usize..];
                store2::<STREAM, W>(slots, tokens);
            } else {
                let lanes = |shift: u32| {
                    let mut lanes = 0x1111_1111_1111_1111
                        | _pdep_u64((c1 >> shift).into(), 0x2222_2222_2222_2222)
                        | _pdep_u64((c2 >> shift).into(), 0x4444_4444_4444_4444);
                    if LEVEL == 3 {
                        lanes |= _pdep_u64((c3 >> shift).into(), 0x8888_8888_8888_8888);
                    }
                    lanes
                };
                let (first, second) = (lanes(0), lanes(16));
                if rest.len() < 128 {
                    break;
                }
                let Some(&bytes) = rest.first_chunk::<64>() else { break };
                let low = pack4(_mm512_maskz_expand_epi8(first, pulp::cast(bytes)));
                let behind = &rest[first.count_ones() as usize..];
                let Some(&bytes) = behind.first_chunk::<64>() else { break };
                let high = pack4(_mm512_maskz_expand_epi8(second, pulp::cast(bytes)));
                if size_of::<W>() == 2 && exceed_16_bits(low, high) {
                    break;
                }
                rest = &behind[second.count_ones() as usize..];
                store4::<STREAM, W>(slots, low, high);
            }
            written += 1;
        }
        *data = rest;
        written
    }

    /// Bytes of seven bits into words of 14.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn pack2(bytes: __m512i) -> __m512i {
        let septets = _mm512_and_si512(bytes, _mm512_set1_epi8(0x7f));
        _mm512_maddubs_epi16(_mm512_set1_epi32(0x8001_8001_u32 as i32), septets)
    }

    /// Bytes of seven bits into words of 28.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn pack4(bytes: __m512i) -> __m512i {
        _mm512_madd_epi16(pack2(bytes), _mm512_set1_epi32(0x4000_0001))
    }

    /// Whether any of 32 lanes of 32 bits does not fit 16.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn exceed_16_bits(low: __m512i, high: __m512i) -> bool {
        _mm512_test_epi32_mask(_mm512_or_si512(low, high), _mm512_set1_epi32(0xffff_0000_u32 as i32)) != 0
    }

    /// Stores a group, given as 32 lanes of 16 bits.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn store2<const STREAM: bool, W: Slot>(slots: &mut [W; GROUP], tokens: __m512i) {
        if size_of::<W>() == 2 {
            put::<STREAM, W, GROUP>(slots, tokens);
        } else if size_of::<W>() == 4 {
            let halves = [_mm512_castsi512_si256(tokens), _mm512_extracti64x4_epi64::<1>(tokens)];
            for (slots, half) in slots.as_chunks_mut::<16>().0.iter_mut().zip(halves) {
                put::<STREAM, W, 16>(slots, _mm512_cvtepu16_epi32(half));
            }
        } else {
            // Lanes picked from anywhere with zeros between: one step where extract and widen take two.
            const PICKS: [[u16; 32]; 4] = [picks(0), picks(8), picks(16), picks(24)];
            for (slots, picks) in slots.as_chunks_mut::<8>().0.iter_mut().zip(PICKS) {
                let eight = _mm512_maskz_permutexvar_epi16(0x1111_1111, pulp::cast(picks), tokens);
                put::<STREAM, W, 8>(slots, eight);
            }
        }
    }

    /// Every fourth of 32 lanes picks the next one from `first` on.
    const fn picks(first: u16) -> [u16; 32] {
        let mut picks = [0; 32];
        let mut lane = 0;
        while lane < 8 {
            picks[4 * lane] = first + lane as u16;
            lane += 1;
        }
        picks
    }

    /// Stores a group, given as two times 16 lanes of 32 bits.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn store4<const STREAM: bool, W: Slot>(slots: &mut [W; GROUP], low: __m512i, high: __m512i) {
        if size_of::<W>() == 2 {
            // Packing works in quarters: 64 bits of low, 64 of high.
            let in_order: __m512i = pulp::cast([0_u64, 2, 4, 6, 1, 3, 5, 7]);
            let packed = _mm512_packus_epi32(low, high);
            put::<STREAM, W, GROUP>(slots, _mm512_permutexvar_epi64(in_order, packed));
            return;
        }
        for (slots, tokens) in slots.as_chunks_mut::<16>().0.iter_mut().zip([low, high]) {
            if size_of::<W>() == 4 {
                put::<STREAM, W, 16>(slots, tokens);
            } else {
                let upper = _mm512_setr_epi32(8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0);
                let (slots, _) = slots.as_chunks_mut::<8>();
                put::<STREAM, W, 8>(&mut slots[0], _mm512_cvtepu32_epi64(_mm512_castsi512_si256(tokens)));
                put::<STREAM, W, 8>(&mut slots[1], _mm512_maskz_permutexvar_epi32(0x5555, upper, tokens));
            }
        }
    }
}
