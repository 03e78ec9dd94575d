//! Points of four float lanes from tokens of 16 bits, with AVX-512: half of the running sum is worked out on 32
//! elements at once.
//!
//! A token of 1 to 2^14 is a delta from -8192 to 8191, and four of those fit 16 bits: so the sums over four points do,
//! and only then are they widened. Vectors with a larger token or with a NaN marker are widened first.

use core::arch::x86_64::*;

use super::{
    elements512::{Constants, lift_nan},
    narrow512::Narrow,
};
use crate::{cpu::Avx512Vbmi2, simd::avx512::put};

/// Tokens of a step.
const STEP: usize = 32;
/// Bytes of its points.
const BYTES: usize = 4 * STEP;

/// Lifts whole steps from the front of `tokens` to 16-byte points and says how many tokens those are. `narrow` is
/// for vectors of four points of nothing but four float lanes.
pub(super) fn run(
    _proof: Avx512Vbmi2,
    narrow: &Narrow,
    previous: &mut [i64],
    tokens: &[u16],
    points: &mut [u8],
) -> usize {
    let (steps, _) = tokens.as_chunks::<STEP>();
    let (out, _) = points.as_chunks_mut::<BYTES>();
    assert!(out.len() >= steps.len());
    // SAFETY: the proof says that the CPU has the features.
    unsafe { body(narrow, previous, steps, out) };
    steps.len() * STEP
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,popcnt")]
fn body(narrow: &Narrow, previous: &mut [i64], steps: &[[u16; STEP]], out: &mut [[u8; BYTES]]) {
    let constants = &narrow.constants();
    let mut carry = narrow.sums(previous);
    for (tokens, out) in steps.iter().zip(out) {
        // Spelt out: what goes through closures or arrays of vectors goes through memory.
        let tokens: __m512i = pulp::cast(*tokens);
        let less = _mm512_add_epi16(tokens, _mm512_set1_epi16(-1));
        let (out, _) = out.as_chunks_mut::<64>();
        if _mm512_test_epi16_mask(less, _mm512_set1_epi16(0xc000_u16 as i16)) == 0 {
            let sums = sums_of_fours(tokens);
            put::<false, u8, 64>(&mut out[0], lift(constants, low(sums), &mut carry));
            put::<false, u8, 64>(&mut out[1], lift(constants, high(sums), &mut carry));
        } else {
            put::<false, u8, 64>(&mut out[0], lift_wide(constants, low(tokens), &mut carry));
            put::<false, u8, 64>(&mut out[1], lift_wide(constants, high(tokens), &mut carry));
        }
    }
    narrow.store_sums(carry, previous);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn low(elements: __m512i) -> __m256i {
    _mm512_castsi512_si256(elements)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn high(elements: __m512i) -> __m256i {
    _mm512_extracti64x4_epi64::<1>(elements)
}

/// The sums of deltas of 14 bits in each half, which are four points.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sums_of_fours(tokens: __m512i) -> __m512i {
    let half = _mm512_srli_epi16::<1>(tokens);
    let even = _mm512_testn_epi16_mask(tokens, _mm512_set1_epi16(1));
    let deltas = _mm512_mask_sub_epi16(half, even, _mm512_setzero_si512(), half);
    // A point has 8 bytes: the second one of each quarter takes the first, and then the second quarter of each half
    // what the first one came to.
    let pairs = _mm512_add_epi16(deltas, _mm512_bslli_epi128::<8>(deltas));
    _mm512_add_epi16(pairs, _mm512_maskz_permutex_epi64::<0b01_01_00_00>(0b1100_1100, pairs))
}

/// The values of four points whose sums these are, but for what came before.
#[inline]
#[target_feature(enable = "avx512f")]
fn lift(constants: &Constants, sums: __m256i, carry: &mut __m512i) -> __m512i {
    let sums = _mm512_add_epi32(_mm512_cvtepi16_epi32(sums), *carry);
    *carry = _mm512_permutexvar_epi32(constants.last, sums);
    _mm512_castps_si512(_mm512_mul_ps(_mm512_cvtepi32_ps(sums), constants.resolutions))
}

/// The values of four points of any tokens.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn lift_wide(constants: &Constants, tokens: __m256i, carry: &mut __m512i) -> __m512i {
    // There are no integers whose markers would have to be told.
    lift_nan::<2>(constants, _mm512_cvtepu16_epi32(tokens), carry, &mut 0)
}
