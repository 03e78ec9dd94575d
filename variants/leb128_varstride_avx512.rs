//! Variable stride: like the AVX-512 kernel of fixed stride, but each step begins where a token begins and
//! ends behind the last token that is whole. There are no codes to append, nothing is carried over a block's
//! end, and both stages are one.
//!
//! It loses everywhere to the fixed stride, most where tokens are short: a step cannot begin before the last
//! one has loaded its bytes, taken their high bits and counted. Kept out of the ranking; see its note.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, cpu::Avx512Vbmi2, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128VarstrideAvx512(Avx512Vbmi2);

impl Decoder for Leb128VarstrideAvx512 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "from token to token, 64 bytes at a time, by byte expand",
        origin: "this lab",
        loses_when: "always: each step waits for the length of the last",
        class: Class::Avx512,
        standing: Standing::Rejected(3),
    };

    fn detect() -> Option<Self> {
        Avx512Vbmi2::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        {
            kernel::decode(self.0, run, out)
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        {
            let _ = (run, out);
            match self.0 {}
        }
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, crate::layout::leb128::decode_token(run.data))
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m512i, _mm512_and_si512, _mm512_castsi512_si256, _mm512_cvtepu16_epi32, _mm512_extracti64x4_epi64,
        _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_maskz_expand_epi8, _mm512_movepi8_mask,
        _mm512_set1_epi8, _mm512_set1_epi32, _pdep_u64, _pext_u64,
    };

    use crate::{
        DecodeError, Run, Word,
        cpu::Avx512Vbmi2,
        simd::{
            avx512::{store16, window},
            refusal,
        },
    };

    pub(super) fn decode<W: Word>(
        _: Avx512Vbmi2,
        run: &mut Run<'_>,
        out: &mut [W],
    ) -> Result<(), DecodeError> {
        // SAFETY: the first argument exists only where every feature named there was detected.
        unsafe { tokens(run, out) }
    }

    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt"
    )]
    fn tokens<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut data = run.data;
        let mut done = 0;
        while done < out.len() {
            let (tokens, bytes) = steps(data, &mut out[done..]);
            done += tokens;
            data = &data[bytes..];
            if done < out.len() {
                // A token of five bytes or more, or the ends.
                let window = window(data, &mut out[done..]);
                if window.tokens == 0 {
                    return Err(refusal(data, done));
                }
                done += window.tokens;
                data = &data[window.bytes..];
            }
        }
        run.data = data;
        run.taken += out.len();
        Ok(())
    }

    /// Decodes until a token has five bytes or more, or bytes or slots are short. Returns the numbers of
    /// tokens and bytes.
    #[target_feature(
        enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt"
    )]
    #[inline]
    fn steps<W: Word>(data: &[u8], out: &mut [W]) -> (usize, usize) {
        let mut rest = data;
        let mut done = 0;
        // A step's last load begins within its 64 bytes; it writes up to 64 slots.
        while let (Some(&bytes), Some(slots)) =
            (rest.first_chunk::<128>(), out[done..].first_chunk_mut::<64>())
        {
            let more = _mm512_movepi8_mask(pulp::cast(*bytes.first_chunk::<64>().unwrap()));
            let ends = !more;
            let used = 64 - ends.leading_zeros() as usize;
            let more1 = more << 1;
            let more2 = more1 & more << 2;
            let more3 = more2 & more << 3;
            if more3 & more << 4 & ends != 0 || used == 0 {
                break;
            }
            let (groups, _) = slots.as_chunks_mut::<16>();
            let mut at = 0;
            if more2 & ends == 0 {
                let longer = _pext_u64(more1, ends);
                for (half, groups) in groups.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let longer = (longer >> (32 * half)) & 0xffff_ffff;
                    let lanes = 0x5555_5555_5555_5555 | _pdep_u64(longer, 0xaaaa_aaaa_aaaa_aaaa);
                    let tokens = pack2(_mm512_maskz_expand_epi8(lanes, load(&bytes, at)));
                    at += 32 + longer.count_ones() as usize;
                    store16(&mut groups[0], _mm512_cvtepu16_epi32(_mm512_castsi512_si256(tokens)));
                    let upper = _mm512_extracti64x4_epi64::<1>(tokens);
                    store16(&mut groups[1], _mm512_cvtepu16_epi32(upper));
                }
            } else {
                let mut longer = [more1, more2, more3].map(|longer| _pext_u64(longer, ends));
                // The fourth group is seldom needed where tokens are long.
                let count = if ends.count_ones() > 48 { 4 } else { 3 };
                for group in &mut groups[..count] {
                    let lanes = 0x1111_1111_1111_1111
                        | _pdep_u64(longer[0], 0x2222_2222_2222_2222)
                        | _pdep_u64(longer[1], 0x4444_4444_4444_4444)
                        | _pdep_u64(longer[2], 0x8888_8888_8888_8888);
                    longer = longer.map(|longer| longer >> 16);
                    let words = pack2(_mm512_maskz_expand_epi8(lanes, load(&bytes, at)));
                    at += lanes.count_ones() as usize;
                    store16(group, _mm512_madd_epi16(words, _mm512_set1_epi32(0x4000_0001)));
                }
            }
            rest = &rest[used..];
            done += ends.count_ones() as usize;
        }
        (done, data.len() - rest.len())
    }

    /// The 64 bytes at `at`, which is up to 64 for lanes that anyone reads.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(bytes: &[u8; 128], at: usize) -> __m512i {
        pulp::cast(*bytes[at.min(64)..].first_chunk::<64>().unwrap())
    }

    /// Bytes of seven bits into words of 14.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn pack2(bytes: __m512i) -> __m512i {
        let septets = _mm512_and_si512(bytes, _mm512_set1_epi8(0x7f));
        _mm512_maddubs_epi16(_mm512_set1_epi32(0x8001_8001_u32 as i32), septets)
    }
}
