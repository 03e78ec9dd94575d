//! Pieces of 16 bytes: eight points at a time, two in a vector.

use core::arch::x86_64::*;

use super::{CELL, Cells, NOWHERE, PARTS, Piece, ROW, check};
use crate::cpu::Avx2;

/// Points that are stored at a time.
const POINTS: usize = 8;

/// Stores a piece in whole eights of points, and returns how many points these are.
pub(super) fn store(
    _proof: Avx2,
    piece: &Piece,
    parts: &[Cells<'_>; PARTS],
    point_step: usize,
    points: &mut [u8],
) -> usize {
    let eights = points.len() / point_step / POINTS;
    check(parts, eights * POINTS);
    assert!(piece.start + ROW <= point_step);
    let has_gaps = piece.from[..ROW].contains(&NOWHERE);
    let body = if has_gaps { body::<true> } else { body::<false> };
    // SAFETY: the proof exists only where AVX2 was detected; lengths were just checked.
    unsafe { body(piece, parts, point_step, eights, points) };
    eights * POINTS
}

/// The loop over eights of points.
///
/// # Safety
/// The points of all eights lie in `points` and the piece in each of them; there is a cell for each in every part.
#[target_feature(enable = "avx2")]
unsafe fn body<const GAPS: bool>(
    piece: &Piece,
    parts: &[Cells<'_>; PARTS],
    point_step: usize,
    eights: usize,
    points: &mut [u8],
) {
    // Cells come behind a row, of which there is none here; what is below them is no byte's.
    let from: [u8; ROW] = core::array::from_fn(|byte| piece.from[byte] - ROW as u8);
    let from = _mm256_broadcastsi128_si256(pulp::cast(from));
    let gaps = _mm256_cmpgt_epi8(_mm256_setzero_si256(), from);
    for eight in 0..eights {
        let load = |cells: &[u8]| {
            // SAFETY: the caller vouches for the cells of all eights.
            let at = unsafe { cells.as_ptr().add(eight * POINTS * CELL) };
            // SAFETY: the same.
            unsafe { _mm256_loadu_si256(at.cast()) }
        };
        let part = |(first, second): Cells<'_>| match second {
            None => load(first),
            Some(second) => _mm256_blend_epi16::<0xaa>(load(first), _mm256_slli_epi32::<16>(load(second))),
        };
        let [a, b, c, d] = [part(parts[0]), part(parts[1]), part(parts[2]), part(parts[3])];
        // Point `i` of each half gets its four parts.
        let [ab, ab_high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
        let [cd, cd_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
        let cells = [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ];
        for (index, cells) in cells.into_iter().enumerate() {
            let [low, high] = [index, index + POINTS / 2].map(|point| eight * POINTS + point);
            let mut pieces = _mm256_shuffle_epi8(cells, from);
            // SAFETY: the caller vouches for the piece in this point.
            let low = unsafe { points.as_mut_ptr().add(low * point_step + piece.start) };
            // SAFETY: the same.
            let high = unsafe { points.as_mut_ptr().add(high * point_step + piece.start) };
            if GAPS {
                // SAFETY: as above.
                let before = unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) };
                pieces = _mm256_or_si256(pieces, _mm256_and_si256(before, gaps));
            }
            let [first, second] = [_mm256_castsi256_si128(pieces), _mm256_extracti128_si256::<1>(pieces)];
            // SAFETY: as above.
            unsafe { _mm_storeu_si128(low.cast(), first) };
            // SAFETY: as above.
            unsafe { _mm_storeu_si128(high.cast(), second) };
        }
    }
}
