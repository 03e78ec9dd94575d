//! A vector of 8 elements with sums of 32 bits: what becomes of its tokens.

use core::arch::x86_64::*;

/// In place of one doubling: a half is a point, and all elements are loaded.
pub(super) const HALVES: usize = 4;

/// What the inner loop keeps in registers.
pub(super) struct Constants {
    pub(super) loaded: __m256i,
    pub(super) integers: __m256i,
    pub(super) resolutions: __m256,
    pub(super) nans: __m256,
    pub(super) shifts: [(__m256i, __m256i); 3],
    pub(super) last: __m256i,
}

/// The negatives of the tokens' deltas: -(v >> 1) if v is odd, v >> 1 if it is even.
#[inline]
#[target_feature(enable = "avx2")]
fn negated_deltas(tokens: __m256i) -> __m256i {
    let sign = _mm256_or_si256(_mm256_slli_epi32::<31>(tokens), _mm256_set1_epi32(1));
    _mm256_sign_epi32(_mm256_srli_epi32::<1>(tokens), sign)
}

/// The values of a vector without NaN markers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lift<const STEPS: usize, const MIXED: bool>(
    constants: &Constants,
    tokens: __m256i,
    carry: &mut __m256i,
) -> __m256i {
    let mut negated = negated_deltas(tokens);
    let sums;
    if STEPS == HALVES {
        // The first point's deltas on top of the second's, zeros on top of the first's.
        negated = _mm256_add_epi32(negated, _mm256_permute2x128_si256::<0x08>(negated, negated));
        sums = _mm256_sub_epi32(*carry, negated);
        // What the sums themselves would be permuted to, but the next vector waits for a subtraction alone.
        *carry = _mm256_sub_epi32(*carry, _mm256_permute2x128_si256::<0x11>(negated, negated));
    } else {
        for (from, mask) in &constants.shifts[..STEPS] {
            let before = _mm256_permutevar8x32_epi32(negated, *from);
            negated = _mm256_add_epi32(negated, _mm256_and_si256(before, *mask));
        }
        sums = _mm256_sub_epi32(*carry, negated);
        *carry = if STEPS == 0 { sums } else { _mm256_permutevar8x32_epi32(sums, constants.last) };
    }
    let floats = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), constants.resolutions);
    if MIXED {
        _mm256_blendv_epi8(_mm256_castps_si256(floats), sums, constants.integers)
    } else {
        _mm256_castps_si256(floats)
    }
}

/// The same in other operations: what the two ways with a vector had in common would be worked out for four vectors
/// before it is known which way they go, and there are not as many registers.
#[inline]
#[target_feature(enable = "avx2")]
fn negated_deltas_with_nan(tokens: __m256i) -> __m256i {
    let odd = _mm256_and_si256(tokens, _mm256_set1_epi32(1));
    let sign = _mm256_or_si256(_mm256_sub_epi32(_mm256_setzero_si256(), odd), _mm256_set1_epi32(1));
    _mm256_sign_epi32(_mm256_srli_epi32::<1>(tokens), sign)
}

/// The values of a vector with NaN markers, which restart their lane's sum; those of integers go to `markers`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn lift_nan<const STEPS: usize>(
    constants: &Constants,
    tokens: __m256i,
    carry: &mut __m256i,
    markers: &mut __m256i,
) -> __m256i {
    let zeros = _mm256_cmpeq_epi32(tokens, _mm256_setzero_si256());
    *markers = _mm256_or_si256(*markers, _mm256_and_si256(zeros, constants.integers));
    let mut negated = negated_deltas_with_nan(tokens);
    // All ones if the elements that the sum spans so far hold a marker: it then goes no further back.
    let mut stopped = zeros;
    let doublings = if STEPS == HALVES { 1 } else { STEPS };
    for (from, mask) in &constants.shifts[..doublings] {
        let before = _mm256_and_si256(_mm256_permutevar8x32_epi32(negated, *from), *mask);
        negated = _mm256_add_epi32(negated, _mm256_andnot_si256(stopped, before));
        let before = _mm256_and_si256(_mm256_permutevar8x32_epi32(stopped, *from), *mask);
        stopped = _mm256_or_si256(stopped, before);
    }
    let sums = _mm256_sub_epi32(_mm256_andnot_si256(stopped, *carry), negated);
    *carry = if STEPS == 0 { sums } else { _mm256_permutevar8x32_epi32(sums, constants.last) };
    let floats = _mm256_blendv_ps(_mm256_cvtepi32_ps(sums), constants.nans, _mm256_castsi256_ps(zeros));
    let floats = _mm256_castps_si256(_mm256_mul_ps(floats, constants.resolutions));
    _mm256_blendv_epi8(floats, sums, constants.integers)
}
