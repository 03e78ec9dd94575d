//! Values into the points whose fields they are, from dense columns and rows. A field alone costs a store a point;
//! fields that are close to each other in the point share one, once their columns have been made rows.

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod avx512;

use alloc::{vec, vec::Vec};

use crate::{Class, cpu};

/// Bytes of a value in its column or row.
pub const CELL: usize = 4;

/// Bytes of a row: four cells, of which the last ones may be of no field.
pub const ROW: usize = 16;

/// Cells of a row, and of the columns that become one.
const PARTS: usize = ROW / CELL;

/// The most bytes of a point that are stored at once.
const WIDEST: usize = 64;

/// What no byte is taken from: a shuffle gives 0 for it, also as counted from behind a row.
const NOWHERE: u8 = 0xff;

/// The place of a field that [`Columns`] fills: its first byte in the point, and its bytes, 2 or 4.
pub type Place = (usize, usize);

/// Columns of 32-bit cells, little endian, each a field of 2 or 4 bytes; of the former the cell's first two bytes
/// count. With AVX-512, some fields may come in rows of up to four such cells instead.
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
    kernel: Kernel,
    pieces: Vec<Piece>,
    has_rows: bool,
    columns: usize,
    point_step: usize,
}

/// The implementation.
#[derive(Clone, Copy, Debug)]
enum Kernel {
    Avx2(cpu::Avx2),
    Avx512(cpu::Avx512Vbmi2),
}

impl Kernel {
    /// The fastest one within `class`.
    fn choose(class: Class) -> Option<Self> {
        let wide = if class >= Class::Avx512 { cpu::Avx512Vbmi2::detect() } else { None };
        let narrow = if class >= Class::Avx2 { cpu::Avx2::detect() } else { None };
        wide.map(Self::Avx512).or(narrow.map(Self::Avx2))
    }

    /// Whether fields may come in rows. With AVX2 a row's way into the points is no shorter from a buffer.
    fn takes_rows(self) -> bool {
        matches!(self, Self::Avx512(_))
    }

    /// Bytes of the point that it stores at once, and whether a store can spare some: what spares none must not
    /// reach beyond the point.
    fn piece(self) -> (usize, bool) {
        match self {
            Self::Avx2(_) => (ROW, false),
            Self::Avx512(_) => (WIDEST, true),
        }
    }
}

/// Some fields that are stored at once.
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
    parts: Option<[Part; PARTS]>,
    has_rows: bool,
    /// For each byte, the byte of the row and behind it the parts that it becomes, or [`NOWHERE`].
    from: [u8; WIDEST],
    fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "simd")),
    expect(dead_code, reason = "only vectors read it")
)]
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
    /// AVX2, or AVX-512 for rows; if points have fewer than 16 bytes or rows more than four cells; if a field has
    /// neither 2 nor 4 bytes or ends outside the point; or if two overlap.
    #[must_use]
    pub fn at_most(class: Class, rows: &[Place], columns: &[Place], point_step: usize) -> Option<Self> {
        let kernel = Kernel::choose(class)?;
        let ends_inside =
            |&(offset, bytes): &Place| offset.checked_add(bytes).is_some_and(|end| end <= point_step);
        let fits = |field| matches!(field, &(_, 2 | 4)) && ends_inside(field);
        let most = if kernel.takes_rows() { PARTS } else { 0 };
        if point_step < ROW || rows.len() > most || !rows.iter().chain(columns).all(fits) {
            return None;
        }
        let row = rows.iter().enumerate().map(|(index, place)| (Source::Row(index), place));
        let column = columns.iter().enumerate().map(|(index, place)| (Source::Column(index), place));
        let field = |(source, &(offset, bytes))| Field { source, offset, bytes };
        let (size, spares) = kernel.piece();
        let last = if spares { point_step } else { point_step - size };
        let pieces = together(row.chain(column).map(field).collect(), size)?;
        let pieces = pieces.into_iter().map(|fields| Piece::new(fields, last)).collect();
        Some(Self { kernel, pieces, has_rows: !rows.is_empty(), columns: columns.len(), point_step })
    }

    /// Stores a piece in as many points as whole vectors hold, and returns how many these are.
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    fn store_vectors(&self, piece: &Piece, rows: &[u8], column: Column<'_, '_>, points: &mut [u8]) -> usize {
        let cells = |part: Part| (column(part.column), part.second.map(column));
        let parts = piece.parts.map(|parts| parts.map(cells));
        match (self.kernel, &parts) {
            (Kernel::Avx2(proof), Some(parts)) => avx2::store(proof, piece, parts, self.point_step, points),
            // It takes no rows.
            (Kernel::Avx2(_), None) => 0,
            (Kernel::Avx512(proof), parts) => {
                avx512::store(proof, piece, rows, parts, self.point_step, points)
            }
        }
    }

    #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
    fn store_vectors(&self, _: &Piece, _: &[u8], _: Column<'_, '_>, _: &mut [u8]) -> usize {
        match self.kernel {
            Kernel::Avx2(proof) => match proof {},
            Kernel::Avx512(proof) => match proof {},
        }
    }

    /// Stores a value for each field in each point: from the rows of [`ROW`] bytes, and from the columns, which begin
    /// `stride` cells apart. Nothing but the fields' bytes change.
    ///
    /// # Panics
    /// If `points` ends inside a point, or if there are fewer rows, or fewer cells in a column, than points.
    pub fn store(&self, rows: &[u8], columns: &[u8], stride: usize, points: &mut [u8]) {
        let count = points.len() / self.point_step;
        assert_eq!(count * self.point_step, points.len(), "whole points");
        assert!(!self.has_rows || rows.len() / ROW >= count, "a row for each point");
        assert!(count <= stride && columns.len() / CELL >= self.columns * stride, "a cell for each point");
        let column = |column: usize| &columns[CELL * stride * column..][..CELL * count];
        for piece in &self.pieces {
            let done = self.store_vectors(piece, rows, &column, points);
            for field in &piece.fields {
                let (cells, first, apart) = match field.source {
                    Source::Row(index) => (rows, CELL * index, ROW),
                    Source::Column(index) => (column(index), 0, CELL),
                };
                for (index, point) in points.chunks_exact_mut(self.point_step).enumerate().skip(done) {
                    let cell = &cells[apart * index + first..][..field.bytes];
                    point[field.offset..][..field.bytes].copy_from_slice(cell);
                }
            }
        }
    }
}

/// The cells of a column.
type Column<'a, 'b> = &'b dyn Fn(usize) -> &'a [u8];

/// The cells of one column, or those of which two columns take a half each.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
type Cells<'a> = (&'a [u8], Option<&'a [u8]>);

/// Checks that the parts have cells for the first `count` points.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn check(parts: &[Cells<'_>; PARTS], count: usize) {
    let long = |cells: &[u8]| cells.len() / CELL >= count;
    assert!(parts.iter().all(|&(first, second)| long(first) && second.is_none_or(long)));
}

/// The fields in the order of their places, cut where more would not lie within `size` bytes or need more parts than
/// there are; `None` if two overlap.
fn together(mut fields: Vec<Field>, size: usize) -> Option<Vec<Vec<Field>>> {
    fields.sort_unstable_by_key(|field| field.offset);
    if fields.windows(2).any(|pair| pair[0].offset + pair[0].bytes > pair[1].offset) {
        return None;
    }
    let mut pieces: Vec<Vec<Field>> = Vec::new();
    for field in fields {
        let piece = pieces.last_mut().filter(|piece| {
            let columns =
                || piece.iter().chain([&field]).filter(|field| matches!(field.source, Source::Column(_)));
            let halves = columns().filter(|field| field.bytes < CELL).count();
            let parts = columns().count() - halves / 2;
            field.offset + field.bytes <= piece[0].offset + size && parts <= PARTS
        });
        match piece {
            Some(piece) => piece.push(field),
            None => pieces.push(vec![field]),
        }
    }
    Some(pieces)
}

impl Piece {
    /// The piece of fields that [`together`] found, which starts at byte `last` of the point at the latest.
    fn new(fields: Vec<Field>, last: usize) -> Self {
        let start = fields[0].offset.min(last);
        let mut from = [NOWHERE; WIDEST];
        let (mut parts, mut half, mut has_rows) = (Vec::new(), None::<usize>, false);
        for field in &fields {
            let at = match field.source {
                Source::Row(index) => {
                    has_rows = true;
                    CELL * index
                }
                Source::Column(column) => {
                    // Two halves share a part.
                    let is_half = field.bytes < CELL;
                    ROW + match half.filter(|_| is_half) {
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
                    }
                }
            };
            for byte in 0..field.bytes {
                from[field.offset - start + byte] = (at + byte) as u8;
            }
        }
        // Parts that nothing is taken from have to be some column, too.
        let parts = parts.first().map(|_| core::array::from_fn(|index| parts[index.min(parts.len() - 1)]));
        Self { start, parts, has_rows, from, fields }
    }
}
