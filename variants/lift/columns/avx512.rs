//! Pieces of up to 64 bytes: sixteen points at a time, each stored through a mask.

use core::arch::x86_64::*;

use super::{CELL, Cells, NOWHERE, PARTS, Piece, ROW, WIDEST, check};
use crate::cpu::Avx512Vbmi2;

/// Points that are stored at a time.
const POINTS: usize = 16;

/// How far ahead of the stores their lines are asked for, in bytes. Points of all columns do not fit the L2 cache, and
/// once the store buffer is full of stores that wait for their lines, everything waits.
const AHEAD: usize = 512;

/// Stores a piece in whole sixteens of points, and returns how many points these are.
pub(super) fn store(
    _proof: Avx512Vbmi2,
    piece: &Piece,
    rows: &[u8],
    parts: &Option<[Cells<'_>; PARTS]>,
    point_step: usize,
    points: &mut [u8],
) -> usize {
    let sixteens = points.len() / point_step / POINTS;
    assert!(!piece.has_rows || rows.len() / ROW >= sixteens * POINTS);
    parts.iter().for_each(|parts| check(parts, sixteens * POINTS));
    let inside = |byte: usize| piece.from[byte] == NOWHERE || piece.start + byte < point_step;
    assert!((0..WIDEST).all(inside));
    let body = match (parts, piece.has_rows) {
        (None, _) => body::<true, false>,
        (Some(_), false) => body::<false, true>,
        (Some(_), true) => body::<true, true>,
    };
    // A piece without columns loads none.
    let parts = parts.unwrap_or([(&[], None); PARTS]);
    // SAFETY: the proof says that the CPU has the features; lengths were just checked.
    unsafe { body(piece, rows, parts, point_step, sixteens, points) };
    sixteens * POINTS
}

/// The loop over sixteens of points.
///
/// # Safety
/// The points of all sixteens lie in `points` and the piece's bytes in each of them; with `ROWS` there is a row for
/// each point, and with `COLUMNS` a cell for each in every part.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn body<const ROWS: bool, const COLUMNS: bool>(
    piece: &Piece,
    rows: &[u8],
    parts: [Cells<'_>; PARTS],
    point_step: usize,
    sixteens: usize,
    points: &mut [u8],
) {
    let index = pulp::cast::<_, __m512i>(piece.from);
    let mask = !_mm512_movepi8_mask(index);
    // A quarter of a vector holds a point's parts: they go behind its row.
    let quarters: [__m512i; 4] = core::array::from_fn(|quarter| _mm512_set1_epi64(2 * quarter as i64))
        .map(|first| _mm512_add_epi64(first, pulp::cast([0_u64, 1, 0, 1, 0, 1, 0, 1])));
    for sixteen in 0..sixteens {
        for line in (0..POINTS * point_step).step_by(64) {
            let at = points.as_ptr().wrapping_add(sixteen * POINTS * point_step + AHEAD + line);
            _mm_prefetch::<_MM_HINT_T0>(at.cast());
        }
        let load = |cells: &[u8]| {
            // SAFETY: the caller vouches for the cells of all sixteens.
            let at = unsafe { cells.as_ptr().add(sixteen * POINTS * CELL) };
            // SAFETY: the same.
            unsafe { _mm512_loadu_si512(at.cast()) }
        };
        let part = |(first, second): Cells<'_>| match second {
            None => load(first),
            Some(second) => {
                _mm512_mask_blend_epi16(0xaaaa_aaaa, load(first), _mm512_slli_epi32::<16>(load(second)))
            }
        };
        let cells = if COLUMNS {
            let [a, b, c, d] = [part(parts[0]), part(parts[1]), part(parts[2]), part(parts[3])];
            // Point `i` of each quarter gets its four parts.
            let [ab, ab_high] = [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)];
            let [cd, cd_high] = [_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d)];
            [
                _mm512_unpacklo_epi64(ab, cd),
                _mm512_unpackhi_epi64(ab, cd),
                _mm512_unpacklo_epi64(ab_high, cd_high),
                _mm512_unpackhi_epi64(ab_high, cd_high),
            ]
        } else {
            [_mm512_setzero_si512(); PARTS]
        };
        for (quarter, places) in quarters.into_iter().enumerate() {
            for (index_in, cells) in cells.into_iter().enumerate() {
                let point = sixteen * POINTS + quarter * 4 + index_in;
                let mut values = _mm512_setzero_si512();
                if ROWS {
                    // SAFETY: the caller vouches for the rows.
                    let at = unsafe { rows.as_ptr().add(point * ROW) };
                    // SAFETY: the same.
                    values = _mm512_zextsi128_si512(unsafe { _mm_loadu_si128(at.cast()) });
                }
                if COLUMNS {
                    values = _mm512_mask_permutexvar_epi64(values, 0b1100, places, cells);
                }
                let bytes = _mm512_permutexvar_epi8(index, values);
                // SAFETY: the caller vouches for the point.
                let at = unsafe { points.as_mut_ptr().add(point * point_step + piece.start) };
                // SAFETY: the mask keeps to the piece's bytes of this point.
                unsafe { _mm512_mask_storeu_epi8(at.cast(), mask, bytes) };
            }
        }
    }
}
