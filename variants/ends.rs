//! Where LEB128's tokens end, counted in their bytes: what a byte below 0x80 says without decoding.
//!
//! The functions use nothing beyond the class that they are given.

use crate::Class;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
use crate::cpu::{Avx2, Avx512Vbmi2};

/// Bytes in the blocks that are counted at once: the sum of a block has to fit a byte.
const BLOCK: usize = 128;

/// AVX2, if `class` lets it be used and it is there.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn avx2(class: Class) -> Option<Avx2> {
    if class >= Class::Avx2 { Avx2::detect() } else { None }
}

/// How many tokens end in these bytes.
#[must_use]
pub fn tokens_in(bytes: &[u8]) -> usize {
    bytes.chunks(BLOCK).map(|block| usize::from(ends(block))).sum()
}

/// How many tokens end in a block.
#[inline(always)]
fn ends(block: &[u8]) -> u8 {
    block.iter().fold(0, |ends, &byte| ends + u8::from(byte < 0x80))
}

/// How many bytes the first `tokens` tokens take; all of them if there are fewer.
///
/// ```
/// use variants::{Class, ends::bytes_of};
///
/// assert_eq!(bytes_of(Class::Scalar, &[0x80, 1, 2, 3], 2), 3);
/// assert_eq!(bytes_of(Class::Scalar, &[0x80, 1, 2, 3], 4), 4);
/// ```
#[must_use]
pub fn bytes_of(class: Class, bytes: &[u8], tokens: usize) -> usize {
    let mut left = tokens;
    let mut at = skip_blocks(class, bytes, &mut left);
    at += skip::<32>(&bytes[at..], &mut left);
    at += skip::<8>(&bytes[at..], &mut left);
    at += bytes[at..]
        .iter()
        .take_while(|&&byte| {
            let more = left > 0;
            left -= usize::from(more && byte < 0x80);
            more
        })
        .count();
    at
}

/// [`skip`] for [`BLOCK`].
fn skip_blocks(class: Class, bytes: &[u8], left: &mut usize) -> usize {
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    if let Some(proof) = avx2(class) {
        // SAFETY: the proof exists only where every feature named there was detected.
        return unsafe { kernel::skip(proof, bytes, left) };
    }
    let _ = class;
    skip::<BLOCK>(bytes, left)
}

/// Passes the blocks of `N` bytes in which fewer than `left` tokens end, and takes those off `left`.
#[inline(always)]
fn skip<const N: usize>(bytes: &[u8], left: &mut usize) -> usize {
    let mut at = 0;
    for block in bytes.as_chunks::<N>().0 {
        let ends = usize::from(ends(block));
        if ends >= *left {
            break;
        }
        *left -= ends;
        at += N;
    }
    at
}

/// The first zero byte that ends a token of several bytes; behind the last byte if there is none.
#[must_use]
#[cold]
pub fn padded_end(bytes: &[u8]) -> usize {
    let pair = bytes.windows(2).position(|pair| pair[0] >= 0x80 && pair[1] == 0);
    pair.map_or(bytes.len(), |at| at + 1)
}

/// Whether a token ends in a zero byte that is not its only one: it may be a longer form of token 0, which is
/// no NaN marker.
#[must_use]
pub fn has_padded_end(class: Class, bytes: &[u8]) -> bool {
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    if let (Class::Avx512, Some(_proof)) = (class, Avx512Vbmi2::detect())
        // SAFETY: the proof exists only where every feature named there was detected.
        && unsafe { kernel::has_no_zero(bytes) }
    {
        return false;
    }
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    if let Some(proof) = avx2(class) {
        // SAFETY: the proof exists only where every feature named there was detected.
        return unsafe { kernel::has_padded_end(proof, bytes) };
    }
    let _ = class;
    has_padded_pair(bytes)
}

#[inline(always)]
fn has_padded_pair(bytes: &[u8]) -> bool {
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(next).fold(false, |found, (&byte, &next)| found | (byte >= 0x80 && next == 0))
}

/// The same by movemask and population count, and by comparisons of 32 pairs.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m256i, __m512i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_min_epu8, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_setzero_si256, _mm512_min_epu8, _mm512_testn_epi8_mask,
    };

    use super::{Avx2, BLOCK, has_padded_pair};
    use crate::simd::avx2::high_bits;

    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn skip(_proof: Avx2, bytes: &[u8], left: &mut usize) -> usize {
        let mut at = 0;
        for block in bytes.as_chunks::<BLOCK>().0 {
            let (halves, _) = block.as_chunks::<64>();
            let ends: usize = halves.iter().map(|half| high_bits(half).count_zeros() as usize).sum();
            if ends >= *left {
                break;
            }
            *left -= ends;
            at += BLOCK;
        }
        at
    }

    /// Whether no byte is 0, as in most windows of most streams.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn has_no_zero(bytes: &[u8]) -> bool {
        let (blocks, rest) = bytes.as_chunks::<256>();
        let none = |block: &[u8; 256]| {
            let [a, b, c, d]: [__m512i; 4] = pulp::cast(*block);
            let least = _mm512_min_epu8(_mm512_min_epu8(a, b), _mm512_min_epu8(c, d));
            _mm512_testn_epi8_mask(least, least) == 0
        };
        blocks.iter().all(none) && !rest.contains(&0)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn has_padded_end(_proof: Avx2, bytes: &[u8]) -> bool {
        // Most windows have no zero byte at all, which is told faster than the pairs are looked at.
        let none = |block: &&[u8; BLOCK]| {
            let [a, b, c, d]: [__m256i; 4] = pulp::cast(**block);
            let least = _mm256_min_epu8(_mm256_min_epu8(a, b), _mm256_min_epu8(c, d));
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(least, _mm256_setzero_si256())) == 0
        };
        let passed = BLOCK * bytes.as_chunks().0.iter().take_while(none).count();
        let bytes = &bytes[passed.saturating_sub(1)..];
        let (blocks, _) = bytes.as_chunks::<32>();
        let (nexts, _) = bytes.get(1..).unwrap_or_default().as_chunks::<32>();
        let mut found = _mm256_setzero_si256();
        for (block, next) in blocks.iter().zip(nexts) {
            let [block, next]: [__m256i; 2] = [pulp::cast(*block), pulp::cast(*next)];
            let zeros = _mm256_cmpeq_epi8(next, _mm256_setzero_si256());
            found = _mm256_or_si256(found, _mm256_and_si256(block, zeros));
        }
        _mm256_movemask_epi8(found) != 0 || has_padded_pair(&bytes[32 * nexts.len()..])
    }
}
