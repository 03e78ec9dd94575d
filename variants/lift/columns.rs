//! Columns of values into the points whose fields they are. A field alone costs a store a point; fields that are close
//! to each other in the point share one, once their columns have been made rows.

use alloc::vec::Vec;

use crate::{Class, cpu};

/// Bytes of a value in its column.
pub const CELL: usize = 4;

/// Bytes of the points that are stored at once.
const PIECE: usize = 16;

/// Columns of 32-bit cells, little endian, each a field of 2 or 4 bytes; of the former the cell's first two bytes count.
///
/// ```
/// use variants::{Class, lift::Columns};
///
/// // A byte of padding between them.
/// if let Some(columns) = Columns::at_most(Class::Avx2, &[(0, 2), (3, 4)], 16) {
///     let mut points = [9; 32];
///     columns.store(&[1, 2, 0, 0, 3, 4, 0, 0, 10, 11, 12, 13, 14, 15, 16, 17], 2, &mut points);
///     assert_eq!(points[..8], [1, 2, 9, 10, 11, 12, 13, 9]);
///     assert_eq!(points[16..24], [3, 4, 9, 14, 15, 16, 17, 9]);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Columns {
    proof: cpu::Avx2,
    pieces: Vec<Piece>,
    columns: usize,
    point_step: usize,
}

/// Some fields that lie within 16 bytes of the point.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "simd")),
    expect(dead_code, reason = "only vectors read it")
)]
struct Piece {
    /// The first byte in the point.
    start: usize,
    /// The columns whose cells are the four parts that bytes are taken from: one, or the first halves of two.
    parts: [Part; 4],
    /// For each byte, the byte of the parts that it becomes; 0x80 where it stays what it is.
    bytes: [u8; PIECE],
    /// Whether there is such a byte.
    has_gaps: bool,
    fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    column: usize,
    second: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    column: usize,
    offset: usize,
    bytes: usize,
}

impl Columns {
    /// For fields, each with its first byte in the point and its bytes; it uses nothing beyond `class`. `None` without
    /// AVX2, if points have fewer than 16 bytes, if a field has neither 2 nor 4 bytes or ends outside the point, or if
    /// two overlap.
    #[must_use]
    pub fn at_most(class: Class, fields: &[(usize, usize)], point_step: usize) -> Option<Self> {
        let proof = if class >= Class::Avx2 { cpu::Avx2::detect() } else { None };
        let ends_inside = |&(offset, bytes): &(usize, usize)| {
            offset.checked_add(bytes).is_some_and(|end| end <= point_step)
        };
        let fits = |field| matches!(field, &(_, 2 | 4)) && ends_inside(field);
        if point_step < PIECE || !fields.iter().all(fits) {
            return None;
        }
        let pieces = together(fields)?.into_iter().map(|fields| Piece::new(fields, point_step)).collect();
        Some(Self { proof: proof?, pieces, columns: fields.len(), point_step })
    }

    /// Stores a value of each column in each point; the columns begin `stride` cells apart. Nothing but the fields'
    /// bytes change.
    ///
    /// # Panics
    /// If `points` ends inside a point or a column has fewer cells than there are points.
    pub fn store(&self, columns: &[u8], stride: usize, points: &mut [u8]) {
        let count = points.len() / self.point_step;
        assert_eq!(count * self.point_step, points.len(), "whole points");
        assert!(count <= stride && columns.len() / CELL >= self.columns * stride, "a cell for each point");
        for piece in &self.pieces {
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            let done = {
                let [a, b, c, d] = piece.parts.map(|part| {
                    let cells = |column: usize| &columns[CELL * stride * column..][..CELL * count];
                    (cells(part.column), part.second.map(cells))
                });
                let to = kernel::Place { start: piece.start, point_step: self.point_step };
                // SAFETY: the proof exists only where AVX2 was detected.
                unsafe {
                    kernel::store(self.proof, &[a, b, c, d], (&piece.bytes, piece.has_gaps), to, points)
                }
            };
            #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
            let done = match self.proof {};
            for field in &piece.fields {
                let cells = columns[CELL * stride * field.column..].chunks_exact(CELL).skip(done);
                for (point, cell) in points.chunks_exact_mut(self.point_step).skip(done).zip(cells) {
                    point[field.offset..][..field.bytes].copy_from_slice(&cell[..field.bytes]);
                }
            }
        }
    }
}

/// The fields in the order of their places, cut where more would not lie within the bytes of a piece; `None` if two
/// overlap.
fn together(fields: &[(usize, usize)]) -> Option<Vec<Vec<Field>>> {
    let numbered = fields.iter().enumerate();
    let mut fields: Vec<_> =
        numbered.map(|(column, &(offset, bytes))| Field { column, offset, bytes }).collect();
    fields.sort_unstable_by_key(|field| field.offset);
    if fields.windows(2).any(|pair| pair[0].offset + pair[0].bytes > pair[1].offset) {
        return None;
    }
    let mut pieces: Vec<Vec<Field>> = Vec::new();
    for field in fields {
        match pieces.last_mut() {
            Some(piece) if field.offset + field.bytes <= piece[0].offset + PIECE => piece.push(field),
            _ => pieces.push(Vec::from([field])),
        }
    }
    Some(pieces)
}

impl Piece {
    /// The piece of fields that lie within so many bytes, in the order of their places.
    fn new(fields: Vec<Field>, point_step: usize) -> Self {
        let start = fields[0].offset.min(point_step - PIECE);
        let (mut parts, mut bytes) = ([Part::default(); 4], [0x80; PIECE]);
        let (mut used, mut half) = (0, None::<usize>);
        for field in &fields {
            // Two halves share a part, so the parts are enough for whatever fits the piece.
            let at = match half.take() {
                Some(part) if field.bytes == CELL / 2 => {
                    parts[part].second = Some(field.column);
                    CELL * part + CELL / 2
                }
                other => {
                    half = other.or((field.bytes == CELL / 2).then_some(used));
                    parts[used].column = field.column;
                    used += 1;
                    CELL * (used - 1)
                }
            };
            for byte in 0..field.bytes {
                bytes[field.offset - start + byte] = (at + byte) as u8;
            }
        }
        // Parts that nothing is taken from have to be some column, too.
        parts[used..].fill(Part { column: fields[0].column, second: None });
        Self { start, parts, bytes, has_gaps: bytes.contains(&0x80), fields }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::*;

    use super::{CELL, PIECE};
    use crate::cpu::Avx2;

    /// Points that are stored at a time.
    const POINTS: usize = 8;

    /// Where the pieces of points lie.
    #[derive(Clone, Copy)]
    pub(super) struct Place {
        pub(super) start: usize,
        pub(super) point_step: usize,
    }

    /// The cells of one column, or those of which two columns take a half each.
    type Cells<'a> = (&'a [u8], Option<&'a [u8]>);

    /// Stores a piece in whole eights of points, and returns how many points these are.
    #[target_feature(enable = "avx2")]
    pub(super) fn store(
        _proof: Avx2,
        parts: &[Cells<'_>; 4],
        (bytes, has_gaps): (&[u8; PIECE], bool),
        to: Place,
        points: &mut [u8],
    ) -> usize {
        let eights = points.len() / to.point_step / POINTS;
        assert!(to.start + PIECE <= to.point_step);
        let long = |cells: &[u8]| cells.len() >= eights * POINTS * CELL;
        assert!(parts.iter().all(|&(first, second)| long(first) && second.is_none_or(long)));
        let shuffle: __m128i = pulp::cast(*bytes);
        let shuffle = _mm256_broadcastsi128_si256(shuffle);
        let gaps = _mm256_cmpgt_epi8(_mm256_setzero_si256(), shuffle);
        for eight in 0..eights {
            let load = |cells: &[u8]| {
                // SAFETY: the cells of all eights were just counted.
                let at = unsafe { cells.as_ptr().add(eight * POINTS * CELL) };
                // SAFETY: the same.
                unsafe { _mm256_loadu_si256(at.cast()) }
            };
            let part = |(first, second): Cells<'_>| match second {
                None => load(first),
                Some(second) => {
                    _mm256_blend_epi16::<0xaa>(load(first), _mm256_slli_epi32::<16>(load(second)))
                }
            };
            let [a, b, c, d] = [part(parts[0]), part(parts[1]), part(parts[2]), part(parts[3])];
            // Point `i` of a half gets its four parts.
            let [ab, ab_high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
            let [cd, cd_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
            let rows = [
                _mm256_unpacklo_epi64(ab, cd),
                _mm256_unpackhi_epi64(ab, cd),
                _mm256_unpacklo_epi64(ab_high, cd_high),
                _mm256_unpackhi_epi64(ab_high, cd_high),
            ];
            for (index, row) in rows.into_iter().enumerate() {
                let place = |point: usize| (eight * POINTS + point) * to.point_step + to.start;
                // SAFETY: the piece lies inside its point, and that in `points`: the eights were counted.
                let low = unsafe { points.as_mut_ptr().add(place(index)) }.cast::<__m128i>();
                // SAFETY: the same.
                let high = unsafe { points.as_mut_ptr().add(place(index + POINTS / 2)) }.cast::<__m128i>();
                let mut pieces = _mm256_shuffle_epi8(row, shuffle);
                if has_gaps {
                    // SAFETY: as above.
                    let before = unsafe { _mm256_loadu2_m128i(high, low) };
                    pieces = _mm256_or_si256(pieces, _mm256_and_si256(before, gaps));
                }
                // SAFETY: as above.
                unsafe { _mm_storeu_si128(low, _mm256_castsi256_si128(pieces)) };
                // SAFETY: as above.
                unsafe { _mm_storeu_si128(high, _mm256_extracti128_si256::<1>(pieces)) };
            }
        }
        eights * POINTS
    }
}
