//! Values into the points whose fields they are, from dense columns and rows. A field alone costs a store a point;
//! fields that are close to each other in the point share one, once their columns have been made rows.

use alloc::{vec, vec::Vec};

use crate::{Class, cpu};

/// Bytes of a value in its column or row.
pub const CELL: usize = 4;

/// Bytes of the points that are stored at once.
const PIECE: usize = 16;

/// The place of a field that [`Columns`] fills: its first byte in the point, and its bytes, 2 or 4.
pub type Place = (usize, usize);

/// Columns of 32-bit cells, little endian, each a field of 2 or 4 bytes; of the former the cell's first two bytes
/// count. Some fields may come in rows of up to four such cells instead.
///
/// ```
/// use variants::{Class, lift::Columns};
///
/// // A byte of padding between them.
/// if let Some(columns) = Columns::at_most(Class::Avx2, &[], &[(0, 2), (3, 4)], 16) {
///     let mut points = [9; 32];
///     let cells = [1, 2, 0, 0, 3, 4, 0, 0, 10, 11, 12, 13, 14, 15, 16, 17];
///     columns.store(&[], &cells, 2, &mut points);
///     assert_eq!(points[..8], [1, 2, 9, 10, 11, 12, 13, 9]);
///     assert_eq!(points[16..24], [3, 4, 9, 14, 15, 16, 17, 9]);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Columns {
    proof: cpu::Avx2,
    pieces: Vec<Piece>,
    /// Cells in a row.
    lanes: usize,
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
    /// The columns whose cells are the four parts that bytes are taken from: one, or the first halves of two. `None`
    /// if all fields come in rows.
    parts: Option<[Part; 4]>,
    /// For each byte, the byte of the row and of the parts that it becomes; 0x80 for none.
    from_row: [u8; PIECE],
    from_parts: [u8; PIECE],
    fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    column: usize,
    second: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    source: Source,
    offset: usize,
    bytes: usize,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    /// The row's cell of this number.
    Row(usize),
    Column(usize),
}

impl Columns {
    /// For the fields whose values come in rows, and those of columns; it uses nothing beyond `class`. `None` without
    /// AVX2, if points have fewer than 16 bytes or rows more than four cells, if a field has neither 2 nor 4 bytes or
    /// ends outside the point, or if two overlap.
    #[must_use]
    pub fn at_most(class: Class, rows: &[Place], columns: &[Place], point_step: usize) -> Option<Self> {
        let proof = if class >= Class::Avx2 { cpu::Avx2::detect() } else { None };
        let ends_inside =
            |&(offset, bytes): &Place| offset.checked_add(bytes).is_some_and(|end| end <= point_step);
        let fits = |field| matches!(field, &(_, 2 | 4)) && ends_inside(field);
        if point_step < PIECE || rows.len() > PIECE / CELL || !rows.iter().chain(columns).all(fits) {
            return None;
        }
        let row = rows.iter().enumerate().map(|(index, place)| (Source::Row(index), place));
        let column = columns.iter().enumerate().map(|(index, place)| (Source::Column(index), place));
        let field = |(source, &(offset, bytes))| Field { source, offset, bytes };
        let pieces = together(row.chain(column).map(field).collect())?;
        let pieces = pieces.into_iter().map(|fields| Piece::new(fields, point_step)).collect();
        Some(Self { proof: proof?, pieces, lanes: rows.len(), columns: columns.len(), point_step })
    }

    /// The bytes of rows for so many points: those that are loaded with the last one are a few more.
    #[must_use]
    pub fn row_bytes(&self, points: usize) -> usize {
        CELL * self.lanes * points + PIECE
    }

    /// Stores a value for each field in each point: from the rows, one behind the other in [`Self::row_bytes`], and
    /// from the columns, which begin `stride` cells apart. Nothing but the fields' bytes change.
    ///
    /// # Panics
    /// If `points` ends inside a point, if there are fewer bytes of rows, or if a column has fewer cells than there
    /// are points.
    pub fn store(&self, rows: &[u8], columns: &[u8], stride: usize, points: &mut [u8]) {
        let count = points.len() / self.point_step;
        assert_eq!(count * self.point_step, points.len(), "whole points");
        assert!(self.lanes == 0 || rows.len() >= self.row_bytes(count), "a row for each point");
        assert!(count <= stride && columns.len() / CELL >= self.columns * stride, "a cell for each point");
        let column = |column: usize| &columns[CELL * stride * column..][..CELL * count];
        for piece in &self.pieces {
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            let done = {
                let parts = piece.parts.map(|parts| {
                    parts.map(|Part { column: first, second }| (column(first), second.map(column)))
                });
                kernel::store(
                    self.proof,
                    piece,
                    (rows, CELL * self.lanes),
                    parts.as_ref(),
                    self.point_step,
                    points,
                )
            };
            #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
            let done = match self.proof {};
            for field in &piece.fields {
                let (cells, apart) = match field.source {
                    Source::Row(index) => (&rows[CELL * index..], CELL * self.lanes),
                    Source::Column(index) => (column(index), CELL),
                };
                for (index, point) in points.chunks_exact_mut(self.point_step).enumerate().skip(done) {
                    let cell = &cells[apart * index..][..field.bytes];
                    point[field.offset..][..field.bytes].copy_from_slice(cell);
                }
            }
        }
    }
}

/// The fields in the order of their places, cut where more would not lie within the bytes of a piece; `None` if two
/// overlap.
fn together(mut fields: Vec<Field>) -> Option<Vec<Vec<Field>>> {
    fields.sort_unstable_by_key(|field| field.offset);
    if fields.windows(2).any(|pair| pair[0].offset + pair[0].bytes > pair[1].offset) {
        return None;
    }
    let mut pieces: Vec<Vec<Field>> = Vec::new();
    for field in fields {
        match pieces.last_mut() {
            Some(piece) if field.offset + field.bytes <= piece[0].offset + PIECE => piece.push(field),
            _ => pieces.push(vec![field]),
        }
    }
    Some(pieces)
}

impl Piece {
    /// The piece of fields that lie within so many bytes, in the order of their places.
    fn new(fields: Vec<Field>, point_step: usize) -> Self {
        let start = fields[0].offset.min(point_step - PIECE);
        let (mut from_row, mut from_parts) = ([0x80; PIECE], [0x80; PIECE]);
        let (mut parts, mut half) = (Vec::new(), None::<usize>);
        for field in &fields {
            let (from, at) = match field.source {
                Source::Row(index) => (&mut from_row, CELL * index),
                Source::Column(column) => {
                    // Two halves share a part, so four parts are enough for whatever fits the piece.
                    let is_half = field.bytes == CELL / 2;
                    let at = match half.filter(|_| is_half) {
                        Some(index) => {
                            parts[index] = Part { second: Some(column), ..parts[index] };
                            half = None;
                            CELL * index + CELL / 2
                        }
                        None => {
                            half = if is_half { Some(parts.len()) } else { half };
                            parts.push(Part { column, second: None });
                            CELL * (parts.len() - 1)
                        }
                    };
                    (&mut from_parts, at)
                }
            };
            for byte in 0..field.bytes {
                from[field.offset - start + byte] = (at + byte) as u8;
            }
        }
        // Parts that nothing is taken from have to be some column, too.
        let parts = parts.first().map(|_| core::array::from_fn(|index| parts[index.min(parts.len() - 1)]));
        Self { start, parts, from_row, from_parts, fields }
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::*;

    use super::{CELL, PIECE, Piece};
    use crate::cpu::Avx2;

    /// Points that are stored at a time.
    const POINTS: usize = 8;

    /// The cells of one column, or those of which two columns take a half each.
    type Cells<'a> = (&'a [u8], Option<&'a [u8]>);

    /// Stores a piece in whole eights of points, and returns how many points these are.
    pub(super) fn store(
        _proof: Avx2,
        piece: &Piece,
        rows: (&[u8], usize),
        parts: Option<&[Cells<'_>; 4]>,
        point_step: usize,
        points: &mut [u8],
    ) -> usize {
        let eights = points.len() / point_step / POINTS;
        if eights == 0 {
            return 0;
        }
        let has_rows = piece.from_row != [0x80; PIECE];
        let has_gaps = (0..PIECE).any(|byte| piece.from_row[byte] & piece.from_parts[byte] == 0x80);
        assert!(piece.start + PIECE <= point_step);
        assert!(!has_rows || rows.0.len() >= (eights * POINTS - 1) * rows.1 + PIECE);
        let long = |cells: &[u8]| cells.len() >= eights * POINTS * CELL;
        assert!(parts.into_iter().flatten().all(|&(first, second)| long(first) && second.is_none_or(long)));
        let body = match (parts, has_rows, has_gaps) {
            (None, _, false) => body::<true, false, false>,
            (None, _, true) => body::<true, false, true>,
            (Some(_), false, false) => body::<false, true, false>,
            (Some(_), false, true) => body::<false, true, true>,
            (Some(_), true, false) => body::<true, true, false>,
            (Some(_), true, true) => body::<true, true, true>,
        };
        // A piece without columns loads none.
        let parts = parts.unwrap_or(&[(&[], None); 4]);
        // SAFETY: the proof exists only where AVX2 was detected; lengths were just checked.
        unsafe { body(piece, rows, parts, point_step, eights, points) };
        eights * POINTS
    }

    /// The loop over eights of points.
    ///
    /// # Safety
    /// The points of all eights lie in `points` and the piece in each of them; with `ROWS` there are 16 bytes from each
    /// point's row on, and with `COLUMNS` a cell for each point in every part.
    #[target_feature(enable = "avx2")]
    unsafe fn body<const ROWS: bool, const COLUMNS: bool, const GAPS: bool>(
        piece: &Piece,
        (rows, row_bytes): (&[u8], usize),
        parts: &[Cells<'_>; 4],
        point_step: usize,
        eights: usize,
        points: &mut [u8],
    ) {
        let both = |bytes: [u8; PIECE]| _mm256_broadcastsi128_si256(pulp::cast(bytes));
        let (from_row, from_parts) = (both(piece.from_row), both(piece.from_parts));
        let gaps = _mm256_cmpgt_epi8(_mm256_setzero_si256(), _mm256_and_si256(from_row, from_parts));
        for eight in 0..eights {
            let load = |cells: &[u8]| {
                // SAFETY: the caller vouches for the cells of all eights.
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
            let cells = if COLUMNS {
                let [a, b, c, d] = [part(parts[0]), part(parts[1]), part(parts[2]), part(parts[3])];
                // Point `i` of each half gets its four parts.
                let [ab, ab_high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
                let [cd, cd_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
                [
                    _mm256_unpacklo_epi64(ab, cd),
                    _mm256_unpackhi_epi64(ab, cd),
                    _mm256_unpacklo_epi64(ab_high, cd_high),
                    _mm256_unpackhi_epi64(ab_high, cd_high),
                ]
            } else {
                [_mm256_setzero_si256(); 4]
            };
            for (index, cells) in cells.into_iter().enumerate() {
                let [low, high] = [index, index + POINTS / 2].map(|point| eight * POINTS + point);
                let mut pieces = if COLUMNS { _mm256_shuffle_epi8(cells, from_parts) } else { cells };
                if ROWS {
                    let row = |point| {
                        // SAFETY: the caller vouches for the rows.
                        let at = unsafe { rows.as_ptr().add(point * row_bytes) };
                        // SAFETY: the same.
                        unsafe { _mm_loadu_si128(at.cast()) }
                    };
                    let row = _mm256_shuffle_epi8(_mm256_set_m128i(row(high), row(low)), from_row);
                    pieces = if COLUMNS { _mm256_or_si256(pieces, row) } else { row };
                }
                // SAFETY: the caller vouches for the piece in this point.
                let low = unsafe { points.as_mut_ptr().add(low * point_step + piece.start) };
                // SAFETY: the same.
                let high = unsafe { points.as_mut_ptr().add(high * point_step + piece.start) };
                if GAPS {
                    // SAFETY: as above.
                    let before = unsafe { _mm256_loadu2_m128i(high.cast(), low.cast()) };
                    pieces = _mm256_or_si256(pieces, _mm256_and_si256(before, gaps));
                }
                // SAFETY: as above.
                unsafe { _mm_storeu_si128(low.cast(), _mm256_castsi256_si128(pieces)) };
                // SAFETY: as above.
                unsafe { _mm_storeu_si128(high.cast(), _mm256_extracti128_si256::<1>(pieces)) };
            }
        }
    }
}
