//! Fixed stride in two stages, with AVX-512's byte compress. Stage 1 walks the bytes 64 at a time, whatever the
//! tokens' lengths are: where the byte before has no high bit, a token starts, and the first bytes of all tokens that
//! start in the block are moved together, then the bytes behind those, and so on. They are appended to a plane of
//! first bytes, one of second bytes and so on (`simd/planes.rs`), so that nothing waits for a token's address. Stage 2
//! takes 64 tokens at a time from the front of the planes: a byte's high bit says whether the next plane's byte is
//! the token's, and unpacking and multiplying puts the groups of seven bits together.
//!
//! Levels allow two, three or four bytes a token, by what the last blocks held; the lowest takes third bytes
//! here and there. Longer tokens are decoded a window at a time, by permuting eight bytes from each token's first one
//! (`simd/avx512.rs`). An output that exceeds the caches is written past them.
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
        idea: "64 bytes a step into planes of first, second ... bytes by byte compress, then 64 tokens a step",
        origin: "this lab",
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
    use core::arch::x86_64::*;

    use crate::{
        Word,
        cpu::Avx512Vbmi2,
        simd::{
            avx512,
            planes::{Appender, BATCH, GROUP, Planes, emit},
            stride::{Emit, Emitted, Scan, Slot, Stages, Window},
        },
    };

    impl Stages for Avx512Vbmi2 {
        type Scanned = Planes;
        const GROUP: usize = GROUP;
        const AHEAD: usize = 3;
        const BATCH: usize = BATCH;

        fn scan<const LEVEL: usize>(
            self,
            data: &[u8],
            blocks: usize,
            before: &mut u64,
            planes: &mut Planes,
        ) -> Scan {
            let scan: unsafe fn(&[u8], usize, &mut u64, &mut Planes) -> Scan = match LEVEL {
                1 => scan::<1, 2>,
                2 => scan::<2, 3>,
                _ => scan::<3, 4>,
            };
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { scan(data, blocks, before, planes) }
        }

        fn next_level(level: usize, stopped: bool, scan: &Scan, emitted: &Emitted) -> usize {
            match level {
                _ if stopped => level.max(2) + 1,
                1 if 4 * scan.hard > scan.blocks => 2,
                2 if 4 * emitted.longest < emitted.groups => 1,
                3 if scan.hard == 0 => 2,
                _ => level,
            }
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
            _data: &[u8],
            planes: &Planes,
            slots: &mut [W],
        ) -> Emitted {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { emit::<LEVEL, STREAM, W>(planes, slots.as_chunks_mut().0) }
        }

        fn ones<const STREAM: bool>(self, data: &mut &[u8], slots: &mut [W]) -> usize {
            // SAFETY: `self` exists only where every feature named there was detected.
            unsafe { avx512::ones::<STREAM, W>(data, slots) }
        }
    }

    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt"
    )]
    #[inline(never)]
    fn scan<const LEVEL: usize, const PLANES: usize>(
        data: &[u8],
        blocks: usize,
        before: &mut u64,
        planes: &mut Planes,
    ) -> Scan {
        let mut appender = Appender::<PLANES>::new(planes);
        let mut last = *before;
        let mut used = _mm512_setzero_si512();
        let mut hard = 0;
        let mut rest = data;
        let mut read = 0;
        while read < blocks {
            let Some(bytes) = rest.first_chunk::<67>() else { break };
            // Spelt out: what goes through closures or arrays of vectors goes through memory.
            let zero = _mm512_setzero_si512();
            let first = from::<0>(bytes);
            let second = from::<1>(bytes);
            let third = if PLANES > 2 { from::<2>(bytes) } else { zero };
            let fourth = if PLANES > 3 { from::<3>(bytes) } else { zero };
            // High bit of byte p: as many bytes from byte p on as the level allows all say that more follow.
            let (most, behind) = match LEVEL {
                1 => (first, second),
                2 => (_mm512_and_si512(first, second), third),
                _ => (_mm512_ternarylogic_epi64::<0x80>(first, second, third), fourth),
            };
            let too_long = _mm512_movepi8_mask(_mm512_and_si512(most, behind));
            if LEVEL > 1 && too_long != 0 {
                break;
            }
            used = _mm512_or_si512(used, most);
            let more = _mm512_movepi8_mask(first);
            let starts = !(more << 1 | last >> 63);
            if LEVEL == 1 && too_long != 0 {
                let third = from::<2>(bytes);
                if _mm512_movepi8_mask(_mm512_ternarylogic_epi64::<0x80>(first, second, third)) != 0 {
                    break;
                }
                hard += 1;
                appender.fill_third();
                appender.put::<2>(_mm512_maskz_compress_epi8(starts, third));
            }
            appender.put::<0>(_mm512_maskz_compress_epi8(starts, first));
            appender.put::<1>(_mm512_maskz_compress_epi8(starts, second));
            if PLANES > 2 {
                appender.put::<2>(_mm512_maskz_compress_epi8(starts, third));
            }
            if PLANES > 3 {
                appender.put::<3>(_mm512_maskz_compress_epi8(starts, fourth));
            }
            // SAFETY: each of the planes was put.
            unsafe { appender.push(starts.count_ones()) };
            last = more;
            rest = &rest[64..];
            read += 1;
        }
        appender.finish();
        *before = last;
        if LEVEL > 1 {
            hard = usize::from(_mm512_movepi8_mask(used) != 0);
        }
        Scan { blocks: read, hard }
    }

    /// The 64 bytes from byte `FROM` on.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn from<const FROM: usize>(bytes: &[u8; 67]) -> __m512i {
        pulp::cast(*bytes[FROM..].first_chunk::<64>().unwrap())
    }
}
