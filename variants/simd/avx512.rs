//! AVX-512 pieces: guarded loads and stores, and the decoder of single windows, which takes tokens of any
//! length.

use core::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm256_mask_storeu_epi32, _mm256_movepi8_mask, _mm512_add_epi8,
    _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_castsi512_si256, _mm512_cmpgt_epu8_mask,
    _mm512_cmpgt_epu64_mask, _mm512_cvtepi64_epi32, _mm512_cvtepu8_epi16, _mm512_cvtepu8_epi32,
    _mm512_cvtepu8_epi64, _mm512_cvtepu32_epi64, _mm512_extracti64x4_epi64, _mm512_madd_epi16,
    _mm512_maddubs_epi16, _mm512_mask_or_epi64, _mm512_mask_storeu_epi64, _mm512_maskz_compress_epi8,
    _mm512_maskz_loadu_epi8, _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask, _mm512_or_si512,
    _mm512_permutexvar_epi8, _mm512_set1_epi8, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_slli_epi64,
    _mm512_srli_epi64, _mm512_storeu_si512, _mm512_stream_si512, _mm512_ternarylogic_epi64,
    _mm512_testn_epi64_mask, _pdep_u64,
};

use super::stride::{Slot, Window};
use crate::{Word, Words};

/// The first 64 bytes of `data`; those behind its end read as 0.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load(data: &[u8]) -> __m512i {
    if let Some(bytes) = data.first_chunk::<64>() {
        return pulp::cast(*bytes);
    }
    let lanes = (1_u64 << data.len()) - 1;
    // SAFETY: a masked load touches only the lanes of its mask, which are the bytes of `data`.
    unsafe { _mm512_maskz_loadu_epi8(lanes, data.as_ptr().cast()) }
}

/// Stores 8 tokens at the front of `slots`, or as many as fit.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
pub(crate) fn store8<W: Word>(slots: &mut [W], tokens: __m512i) {
    let lanes = ((1_u32 << slots.len().min(8)) - 1) as u8;
    match W::words(slots) {
        Words::U32(slots) => {
            let tokens: __m256i = _mm512_cvtepi64_epi32(tokens);
            // SAFETY: a masked store touches only the lanes of its mask, and there are no more than slots.
            unsafe { _mm256_mask_storeu_epi32(slots.as_mut_ptr().cast(), lanes, tokens) }
        }
        Words::U64(slots) => {
            // SAFETY: a masked store touches only the lanes of its mask, and there are no more than slots.
            unsafe { _mm512_mask_storeu_epi64(slots.as_mut_ptr().cast(), lanes, tokens) }
        }
    }
}

/// Stores a vector over `slots`, which it has to fill. With `STREAM` it goes past the caches if the slots
/// are a cache line.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn put<const STREAM: bool, W: Copy, const N: usize>(slots: &mut [W; N], vector: __m512i) {
    assert!(size_of_val(slots) == 64);
    let to = slots.as_mut_ptr().cast::<__m512i>();
    if STREAM && to.is_aligned() {
        // SAFETY: the slots are 64 bytes and aligned to as many, as tested above.
        unsafe { _mm512_stream_si512(to, vector) }
    } else {
        // SAFETY: the slots are 64 bytes, as tested above.
        unsafe { _mm512_storeu_si512(to, vector) }
    }
}

/// Stores 16 lanes of 32 bits.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn store16<W: Word>(slots: &mut [W; 16], tokens: __m512i) {
    if W::BYTES == 4 {
        put::<false, W, 16>(slots, tokens);
    } else {
        let (slots, _) = slots.as_chunks_mut::<8>();
        let halves = [_mm512_castsi512_si256(tokens), _mm512_extracti64x4_epi64::<1>(tokens)];
        for (slots, half) in slots.iter_mut().zip(halves) {
            put::<false, W, 8>(slots, _mm512_cvtepu32_epi64(half));
        }
    }
}

/// Writes groups of one-byte tokens as long as there are any.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline(never)]
pub(crate) fn ones<const STREAM: bool, W: Slot>(data: &mut &[u8], slots: &mut [W]) -> usize {
    let mut written = 0;
    for slots in slots.as_chunks_mut::<32>().0 {
        let Some(&bytes) = data.first_chunk::<32>() else { break };
        if _mm256_movepi8_mask(pulp::cast(bytes)) != 0 {
            break;
        }
        if size_of::<W>() == 2 {
            put::<STREAM, W, 32>(slots, _mm512_cvtepu8_epi16(pulp::cast(bytes)));
        } else if size_of::<W>() == 4 {
            for (bytes, slots) in bytes.as_chunks().0.iter().zip(slots.as_chunks_mut().0) {
                let sixteen = pulp::cast::<[u8; 16], __m128i>(*bytes);
                put::<STREAM, W, 16>(slots, _mm512_cvtepu8_epi32(sixteen));
            }
        } else {
            for (bytes, slots) in bytes.as_chunks().0.iter().zip(slots.as_chunks_mut().0) {
                let eight = pulp::cast(u128::from(u64::from_le_bytes(*bytes)));
                put::<STREAM, W, 8>(slots, _mm512_cvtepu8_epi64(eight));
            }
        }
        *data = &data[32..];
        written += 32;
    }
    written
}

/// 0, 1, 2 ... 63.
const IOTA: [u8; 64] = pattern(1, 64);

/// Byte `j` is `j / div % modulus`.
const fn pattern(div: usize, modulus: usize) -> [u8; 64] {
    let mut pattern = [0; 64];
    let mut j = 0;
    while j < 64 {
        pattern[j] = (j / div % modulus) as u8;
        j += 1;
    }
    pattern
}

/// Decodes the tokens that lie in the first 64 bytes of `data`, at most as many as `out` has slots.
///
/// None at all means that the first one is truncated, too long or too wide. The idea: compress the positions
/// of the tokens' first bytes, fetch eight bytes from each position, and clear those behind the token's end.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
#[inline(never)]
pub(crate) fn window<W: Word>(data: &[u8], out: &mut [W]) -> Window {
    let block = load(data);
    let more = _mm512_movepi8_mask(block) as u64;
    let bytes = data.len().min(64);
    let mut ends = !more & (u64::MAX >> (64 - bytes.max(1)));
    if bytes == 0 {
        ends = 0;
    }
    // Bit p: the k bytes that end at p all say that more follow.
    let more2 = more & more << 1;
    let more4 = more2 & more2 << 2;
    let more8 = more4 & more4 << 4;
    let more9 = more8 & more << 8;
    let excess = more9 << 1 & _mm512_cmpgt_epu8_mask(block, _mm512_set1_epi8(1)) as u64;
    // Only what lies before the first tenth byte that is too large.
    ends &= (excess & excess.wrapping_neg()).wrapping_sub(1);
    if ends.count_ones() as usize > out.len() {
        ends = _pdep_u64((1 << out.len()) - 1, ends);
    }
    let tokens = ends.count_ones() as usize;
    let used = 64 - ends.leading_zeros() as usize;
    let long = more4 << 1 & ends != 0;

    let firsts = _mm512_maskz_compress_epi8(ends << 1 | 1, pulp::cast(IOTA));
    let mut lanes: __m512i = pulp::cast(const { pattern(8, 8) });
    let offsets: __m512i = pulp::cast(const { pattern(1, 8) });
    let high = _mm512_set1_epi8(-128);
    for (group, slots) in out[..].chunks_mut(8).take(tokens.div_ceil(8)).enumerate() {
        let places = _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, firsts), offsets);
        lanes = _mm512_add_epi8(lanes, _mm512_set1_epi8(8));
        let raw = _mm512_permutexvar_epi8(places, block);
        // Everything up to and with the lowest clear high bit; all eight bytes if there is none.
        let stop = _mm512_andnot_si512(raw, high);
        let below = _mm512_add_epi64(stop, _mm512_set1_epi64(-1));
        let kept = _mm512_ternarylogic_epi64::<0x28>(below, stop, raw);
        let septets = _mm512_andnot_si512(high, kept);
        let words = _mm512_maddubs_epi16(_mm512_set1_epi32(0x8001_8001_u32 as i32), septets);
        let halves = _mm512_madd_epi16(words, _mm512_set1_epi32(0x4000_0001));
        // 28 bits and 28 bits become 56: the upper half moves down by 4.
        let moved = _mm512_srli_epi64::<4>(halves);
        let mut values = _mm512_ternarylogic_epi64::<0xca>(_mm512_set1_epi64(0x0fff_ffff), halves, moved);
        if more8 != 0 {
            let places = _mm512_add_epi8(places, _mm512_set1_epi8(8));
            let last = _mm512_maskz_permutexvar_epi8(0x0303_0303_0303_0303, places, block);
            // The ninth byte's seven bits, and the tenth byte's one if the ninth says that it follows.
            let tenth = _mm512_and_si512(
                _mm512_and_si512(last, _mm512_srli_epi64::<1>(last)),
                _mm512_set1_epi64(0x80),
            );
            let ninth = _mm512_and_si512(last, _mm512_set1_epi64(0x7f));
            let top = _mm512_slli_epi64::<56>(_mm512_or_si512(ninth, tenth));
            let longest = _mm512_testn_epi64_mask(stop, stop);
            values = _mm512_mask_or_epi64(values, longest, values, top);
        }
        if W::BYTES == 4 && long {
            let wide = _mm512_cmpgt_epu64_mask(values, _mm512_set1_epi64(0xffff_ffff));
            let first = 8 * group + wide.trailing_zeros() as usize;
            if wide != 0 && first < tokens {
                store8(slots, values);
                let ends = _pdep_u64((1 << first) - 1, ends);
                return Window { tokens: first, bytes: 64 - ends.leading_zeros() as usize, long };
            }
        }
        store8(slots, values);
    }
    Window { tokens, bytes: used, long }
}
