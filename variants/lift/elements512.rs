//! A vector of 16 elements with sums of 32 bits: what becomes of its tokens.

use core::arch::x86_64::*;

/// What the inner loop keeps in registers.
pub(super) struct Constants {
    pub(super) loaded: __mmask16,
    pub(super) floats: __mmask16,
    pub(super) integers: __mmask16,
    pub(super) resolutions: __m512,
    pub(super) nans: __m512,
    pub(super) shifts: [(__m512i, __mmask16); 4],
    /// The last point's element of each element's lane.
    pub(super) last: __m512i,
    pub(super) lanes: usize,
}

/// The deltas of tokens: +(v >> 1) if v is odd, the negative if it is even.
#[inline]
#[target_feature(enable = "avx512f")]
fn deltas(tokens: __m512i) -> __m512i {
    let half = _mm512_srli_epi32::<1>(tokens);
    let even = _mm512_testn_epi32_mask(tokens, _mm512_set1_epi32(1));
    _mm512_mask_sub_epi32(half, even, _mm512_setzero_si512(), half)
}

/// The values of a vector without NaN markers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn lift<const STEPS: usize>(
    constants: &Constants,
    tokens: __m512i,
    carry: &mut __m512i,
) -> __m512i {
    let mut sums = deltas(tokens);
    for (index, mask) in &constants.shifts[..STEPS] {
        sums = _mm512_add_epi32(sums, _mm512_maskz_permutexvar_epi32(*mask, *index, sums));
    }
    sums = _mm512_add_epi32(sums, *carry);
    *carry = if STEPS == 0 { sums } else { _mm512_permutexvar_epi32(constants.last, sums) };
    let floats = _mm512_cvtepi32_ps(sums);
    let plain = _mm512_castsi512_ps(sums);
    _mm512_castps_si512(_mm512_mask_mul_ps(plain, constants.floats, floats, constants.resolutions))
}

/// The values of a vector with NaN markers, which restart their lane's sum; those of integers go to `markers`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn lift_nan<const STEPS: usize>(
    constants: &Constants,
    tokens: __m512i,
    carry: &mut __m512i,
    markers: &mut __mmask16,
) -> __m512i {
    let numbers = _mm512_test_epi32_mask(tokens, tokens);
    *markers |= !numbers & constants.integers;
    let mut sums = deltas(tokens);
    if STEPS == 0 {
        sums = _mm512_maskz_add_epi32(numbers, sums, *carry);
        *carry = sums;
    } else {
        // A bit is set if the elements that the sum spans so far hold a marker: it then goes no further back.
        let mut stopped = u32::from(!numbers & constants.loaded);
        for (step, (index, mask)) in constants.shifts[..STEPS].iter().enumerate() {
            let before = _mm512_permutexvar_epi32(*index, sums);
            sums = _mm512_mask_add_epi32(sums, mask & !stopped as u16, sums, before);
            stopped |= stopped << (constants.lanes << step);
        }
        sums = _mm512_mask_add_epi32(sums, !stopped as u16, sums, *carry);
        *carry = _mm512_permutexvar_epi32(constants.last, sums);
    }
    let floats = _mm512_mask_cvtepi32_ps(constants.nans, numbers, sums);
    let plain = _mm512_castsi512_ps(sums);
    _mm512_castps_si512(_mm512_mask_mul_ps(plain, constants.floats, floats, constants.resolutions))
}
