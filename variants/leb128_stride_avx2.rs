//! Fixed stride in two stages, with AVX2's byte shuffle. LEB128's bytes are the data of Stream VByte without
//! its control bytes. Stage 1 makes these: it walks the bytes 64 at a time, whatever the tokens' lengths are,
//! and turns the mask of high bits into length codes, so that nothing waits for a token's address. Stage 2
//! is a Stream VByte decoder that packs the groups of seven bits: eight tokens a shuffle while there are only
//! one and two bytes, else four.
//!
//! Codes allow two, three or four bytes a token, by what the last blocks held (`simd/stride.rs`). Longer
//! tokens are decoded a window at a time, by PEXT (`simd/`). An output that
//! exceeds the caches is written past them.
//!
//! It loses to plainer code only where calls are for a handful of tokens, and needs PEXT and PDEP in
//! hardware: on AMD before Zen 3 they are microcode.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, cpu::Avx2, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128StrideAvx2(Avx2);

impl Decoder for Leb128StrideAvx2 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "64 bytes a step into Stream VByte's control bytes, then its decoder",
        origin: "this lab; stage 2 after Stream VByte (Lemire, Kurz, Rupp 2018)",
        loses_when: "a call is for a handful of tokens",
        class: Class::Avx2,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Avx2::detect().map(Self)
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
        __m128i, __m256i, _mm_sfence, _mm256_and_si256, _mm256_castsi128_si256, _mm256_inserti128_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi8,
        _mm256_set1_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_unpackhi_epi16,
        _mm256_unpackhi_epi32, _mm256_unpacklo_epi16, _mm256_unpacklo_epi32, _pdep_u64, _pext_u64,
    };

    use crate::{
        Word,
        cpu::Avx2,
        simd::{
            avx2::{self, high_bits, put},
            codes::{Appender, BATCH, Codes, GROUP},
            stride::{Emit, Emitted, Scan, Stages, Window},
            tables::{PAIRS, QUADS},
        },
    };

    /// Bytes that the loads of a group reach: each begins within its 128 and takes 16.
    const REACH: usize = 144;

    impl Stages for Avx2 {
        type Scanned = Codes;
        const GROUP: usize = GROUP;
        const AHEAD: usize = 0;
        const BATCH: usize = BATCH;

        fn scan<const LEVEL: usize>(
            self,
            data: &[u8],
            blocks: usize,
            before: &mut u64,
            codes: &mut Codes,
        ) -> Scan {
            let (all, _) = data.as_chunks();
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { scan::<LEVEL>(&all[..blocks], before, codes) }
        }

        fn next_level(level: usize, stopped: bool, scan: &Scan, _: &Emitted) -> usize {
            if stopped {
                level + 1
            } else if scan.hard == 0 && level > 1 {
                level - 1
            } else {
                level
            }
        }

        fn window<W: Word>(self, data: &[u8], out: &mut [W]) -> Window {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { avx2::window(data, out) }
        }

        fn fence(self) {
            // SAFETY: every x86-64 CPU has the instruction.
            unsafe { _mm_sfence() }
        }
    }

    impl<W: Word> Emit<W> for Avx2 {
        fn emit<const LEVEL: usize, const STREAM: bool>(
            self,
            data: &[u8],
            codes: &Codes,
            slots: &mut [W],
        ) -> Emitted {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { emit::<LEVEL, STREAM, W>(data, codes, slots.as_chunks_mut().0) }
        }

        fn ones<const STREAM: bool>(self, data: &mut &[u8], slots: &mut [W]) -> usize {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { avx2::ones::<STREAM, W>(data, slots) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
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
        for (index, block) in blocks.iter().enumerate() {
            let more = high_bits(block);
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
        Scan { blocks: read, hard: usize::from(used != 0) }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    #[inline(never)]
    fn emit<const LEVEL: usize, const STREAM: bool, W: Word>(
        data: &[u8],
        codes: &Codes,
        groups: &mut [[W; GROUP]],
    ) -> Emitted {
        let mut written = 0;
        let mut rest = data;
        let words = codes.words(0).iter().zip(codes.words(1)).zip(codes.words(2));
        for (slots, ((&c1, &c2), &c3)) in groups.iter_mut().zip(words) {
            let Some(bytes) = rest.first_chunk::<REACH>() else { break };
            let mut at = 0;
            if LEVEL == 1 {
                for (keys, slots) in c1.as_chunks::<2>().0.iter().zip(slots.as_chunks_mut::<16>().0) {
                    let [first, second] = keys.map(usize::from);
                    let next = at + 8 + first.count_ones() as usize;
                    let bytes = two(take(bytes, at), take(bytes, next));
                    at = next + 8 + second.count_ones() as usize;
                    let places = two(PAIRS[first].0, PAIRS[second].0);
                    store2::<STREAM, W>(slots, pack2(_mm256_shuffle_epi8(bytes, places)));
                }
            } else {
                let [c1, c2, c3] = [c1, c2, c3].map(|c| u64::from(u32::from_le_bytes(c)));
                let low = if LEVEL == 3 { c1 ^ c2 ^ c3 } else { c1 ^ c2 };
                // Stream VByte's control bytes: two bits a token.
                let keys = _pdep_u64(low, 0x5555_5555_5555_5555) | _pdep_u64(c2, 0xaaaa_aaaa_aaaa_aaaa);
                let keys = keys.to_le_bytes();
                for (keys, slots) in keys.as_chunks::<2>().0.iter().zip(slots.as_chunks_mut::<8>().0) {
                    let [first, second] = keys.map(|key| &QUADS[usize::from(key)]);
                    let next = at + usize::from(first.bytes);
                    let bytes = two(take(bytes, at), take(bytes, next));
                    at = next + usize::from(second.bytes);
                    let places = two(first.places, second.places);
                    store4::<STREAM, W>(slots, pack4(_mm256_shuffle_epi8(bytes, places)));
                }
            }
            rest = &rest[at..];
            written += 1;
        }
        Emitted { groups: written, bytes: data.len() - rest.len(), longest: 0 }
    }

    /// The 16 bytes at `at`, below 128.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn take(bytes: &[u8; REACH], at: usize) -> [u8; 16] {
        // The remainder changes nothing; it spares the check.
        *bytes[at % 128..].first_chunk().unwrap()
    }

    /// Two halves of a vector.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn two(low: [u8; 16], high: [u8; 16]) -> __m256i {
        _mm256_inserti128_si256::<1>(
            _mm256_castsi128_si256(pulp::cast::<[u8; 16], __m128i>(low)),
            pulp::cast(high),
        )
    }

    /// Bytes of seven bits into words of 14.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn pack2(bytes: __m256i) -> __m256i {
        let septets = _mm256_and_si256(bytes, _mm256_set1_epi8(0x7f));
        _mm256_maddubs_epi16(_mm256_set1_epi32(0x8001_8001_u32 as i32), septets)
    }

    /// Bytes of seven bits into words of 28.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn pack4(bytes: __m256i) -> __m256i {
        _mm256_madd_epi16(pack2(bytes), _mm256_set1_epi32(0x4000_0001))
    }

    /// Stores 16 lanes of 16 bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn store2<const STREAM: bool, W: Word>(slots: &mut [W; 16], tokens: __m256i) {
        // The middle quarters change places, so that unpacking, which works in halves, keeps the order.
        let swapped = _mm256_permute4x64_epi64::<0b11_01_10_00>(tokens);
        let (first, second) = slots.split_at_mut(8);
        let zero = _mm256_setzero_si256();
        store4::<STREAM, W>(first.try_into().unwrap(), _mm256_unpacklo_epi16(swapped, zero));
        store4::<STREAM, W>(second.try_into().unwrap(), _mm256_unpackhi_epi16(swapped, zero));
    }

    /// Stores 8 lanes of 32 bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn store4<const STREAM: bool, W: Word>(slots: &mut [W; 8], tokens: __m256i) {
        if W::BYTES == 4 {
            put::<STREAM, W, 8>(slots, tokens);
        } else {
            let swapped = _mm256_permute4x64_epi64::<0b11_01_10_00>(tokens);
            let zero = _mm256_setzero_si256();
            let (slots, _) = slots.as_chunks_mut::<4>();
            put::<STREAM, W, 4>(&mut slots[0], _mm256_unpacklo_epi32(swapped, zero));
            put::<STREAM, W, 4>(&mut slots[1], _mm256_unpackhi_epi32(swapped, zero));
        }
    }
}
