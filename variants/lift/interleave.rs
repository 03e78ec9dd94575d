//! Columns into rows, for lifting several columns as the rows that they are together.

use crate::Word;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
use crate::{Tokens, Words, cpu};

/// Puts columns, which begin `stride` words apart in `columns`, into rows of `lanes` words, as many as `rows` holds.
///
/// # Panics
/// If there are fewer words in the columns than the rows take.
pub fn interleave<W: Word>(columns: &[W], stride: usize, rows: &mut [W], lanes: usize) {
    match lanes {
        1 => rows.copy_from_slice(&columns[..rows.len()]),
        2 => lanes_of::<W, 2>(columns, stride, rows),
        3 => lanes_of::<W, 3>(columns, stride, rows),
        4 => four(columns, stride, rows),
        5 => lanes_of::<W, 5>(columns, stride, rows),
        6 => lanes_of::<W, 6>(columns, stride, rows),
        7 => lanes_of::<W, 7>(columns, stride, rows),
        8 => lanes_of::<W, 8>(columns, stride, rows),
        9 => lanes_of::<W, 9>(columns, stride, rows),
        _ => {
            for (lane, column) in columns.chunks(stride).take(lanes).enumerate() {
                let column = &column[..rows.len() / lanes];
                for (row, &word) in rows.chunks_exact_mut(lanes).zip(column) {
                    row[lane] = word;
                }
            }
        }
    }
}

/// The rows' columns.
fn split<W, const N: usize>(columns: &[W], stride: usize, rows: usize) -> [&[W]; N] {
    core::array::from_fn(|lane| &columns[lane * stride..][..rows])
}

fn lanes_of<W: Word, const N: usize>(columns: &[W], stride: usize, rows: &mut [W]) {
    let (rows, _) = rows.as_chunks_mut::<N>();
    let columns: [&[W]; N] = split(columns, stride, rows.len());
    for (index, row) in rows.iter_mut().enumerate() {
        *row = core::array::from_fn(|lane| columns[lane][index]);
    }
}

/// Four columns: x, y, z and intensity are what most captures have.
fn four<W: Word>(columns: &[W], stride: usize, rows: &mut [W]) {
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    if let (Tokens::U32(columns), Words::U32(rows)) = (W::tokens(columns), W::words(rows)) {
        let (rows, _) = rows.as_chunks_mut();
        let columns = split(columns, stride, rows.len());
        if cpu::Avx512Vbmi2::detect().is_some() {
            // SAFETY: `cpu::Avx512Vbmi2` exists only where AVX-512F was detected.
            unsafe { kernel::four_by_16(columns, rows) };
        } else if cpu::Avx2::detect().is_some() {
            // SAFETY: `cpu::Avx2` exists only where AVX2 was detected.
            unsafe { kernel::four_by_8(columns, rows) };
        } else {
            kernel::four_by_1(columns, rows);
        }
        return;
    }
    lanes_of::<W, 4>(columns, stride, rows);
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::*;

    /// Words of a 512-bit vector.
    const WIDE: usize = 16;
    /// Words of a 256-bit vector.
    const NARROW: usize = 8;

    /// For two vectors: the pairs of their first halves, and of their second ones.
    static PAIRS: [[u32; WIDE]; 2] = {
        let mut pairs = [[0; WIDE]; 2];
        let mut at = 0;
        while at < WIDE {
            let word = (at / 2 + at % 2 * WIDE) as u32;
            pairs[0][at] = word;
            pairs[1][at] = word + WIDE as u32 / 2;
            at += 1;
        }
        pairs
    };

    /// The same for pairs.
    static FOURS: [[u64; WIDE / 2]; 2] = [[0, 8, 1, 9, 2, 10, 3, 11], [4, 12, 5, 13, 6, 14, 7, 15]];

    pub(super) fn four_by_1(columns: [&[u32]; 4], rows: &mut [[u32; 4]]) {
        let [a, b, c, d] = columns;
        for ((((row, &a), &b), &c), &d) in rows.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *row = [a, b, c, d];
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn four_by_16(columns: [&[u32]; 4], rows: &mut [[u32; 4]]) {
        let [(a, a_end), (b, b_end), (c, c_end), (d, d_end)] = columns.map(<[u32]>::as_chunks::<WIDE>);
        let (whole, end) = rows.as_chunks_mut::<WIDE>();
        let pairs = PAIRS.map(pulp::cast::<_, __m512i>);
        let fours = FOURS.map(pulp::cast::<_, __m512i>);
        for ((((rows, a), b), c), d) in whole.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let [a, b, c, d]: [__m512i; 4] = [pulp::cast(*a), pulp::cast(*b), pulp::cast(*c), pulp::cast(*d)];
            let ab = pairs.map(|pairs| _mm512_permutex2var_epi32(a, pairs, b));
            let cd = pairs.map(|pairs| _mm512_permutex2var_epi32(c, pairs, d));
            let low = fours.map(|fours| _mm512_permutex2var_epi64(ab[0], fours, cd[0]));
            let high = fours.map(|fours| _mm512_permutex2var_epi64(ab[1], fours, cd[1]));
            *rows = pulp::cast([low[0], low[1], high[0], high[1]]);
        }
        four_by_1([a_end, b_end, c_end, d_end], end);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn four_by_8(columns: [&[u32]; 4], rows: &mut [[u32; 4]]) {
        let [(a, a_end), (b, b_end), (c, c_end), (d, d_end)] = columns.map(<[u32]>::as_chunks::<NARROW>);
        let (whole, end) = rows.as_chunks_mut::<NARROW>();
        for ((((rows, a), b), c), d) in whole.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let [a, b, c, d]: [__m256i; 4] = [pulp::cast(*a), pulp::cast(*b), pulp::cast(*c), pulp::cast(*d)];
            let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
            let (first, second) = (_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
            let (ab, cd) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
            let (third, fourth) = (_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
            // Each holds a row of the first half and one of the second.
            *rows = pulp::cast([
                _mm256_permute2x128_si256::<0x20>(first, second),
                _mm256_permute2x128_si256::<0x20>(third, fourth),
                _mm256_permute2x128_si256::<0x31>(first, second),
                _mm256_permute2x128_si256::<0x31>(third, fourth),
            ]);
        }
        four_by_1([a_end, b_end, c_end, d_end], end);
    }
}
