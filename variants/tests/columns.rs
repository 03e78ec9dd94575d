//! Columns into points against a byte at a time.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    Class, cpu,
    lift::{CELL, Columns, Place, ROW},
};

/// Fields in random order, adjacent or apart, and the point's step.
fn random_fields(rng: &mut impl Rng) -> (Vec<Place>, usize) {
    let widest = [0, 0, 3, 30][rng.random_range(0..4)];
    let mut end = rng.random_range(0..=widest);
    let mut fields: Vec<Place> = (0..rng.random_range(1..20))
        .map(|_| {
            let field = (end, [2, 4][rng.random_range(0..2)]);
            end += field.1 + rng.random_range(0..=widest) * rng.random_range(0..=1);
            field
        })
        .collect();
    for index in (1..fields.len()).rev() {
        fields.swap(index, rng.random_range(0..=index));
    }
    let end = fields.iter().map(|(offset, bytes)| offset + bytes).max().unwrap();
    (fields, end.max(16) + [0, 0, 1, 7, 40][rng.random_range(0..5)])
}

/// Fields, how many of them come in rows, their values in rows and columns, and the points that they go to.
struct Case {
    fields: Vec<Place>,
    in_rows: usize,
    rows: Vec<u8>,
    cells: Vec<u8>,
    stride: usize,
    step: usize,
    points: Vec<u8>,
}

impl Case {
    fn random(rng: &mut impl Rng) -> Self {
        let (fields, step) = random_fields(rng);
        let in_rows = (rng.random_range(0..=4) * rng.random_range(0..=1)).min(fields.len());
        let count = rng.random_range(0..70);
        let stride = count + rng.random_range(0..20);
        let mut bytes = |bytes| {
            let mut random = vec![0; bytes];
            rng.fill(&mut random[..]);
            random
        };
        let rows = bytes(ROW * count);
        let cells = bytes(CELL * stride * (fields.len() - in_rows));
        let points = bytes(count * step);
        Self { fields, in_rows, rows, cells, stride, step, points }
    }

    /// What stores them with each class that this CPU has.
    fn columns(&self) -> Vec<Columns> {
        let (rows, columns) = self.fields.split_at(self.in_rows);
        let wide = cpu::Avx512Vbmi2::detect().is_some();
        let there = [
            (Class::Avx2, cpu::Avx2::detect().is_some() && rows.is_empty()),
            (Class::Avx512, wide || cpu::Avx2::detect().is_some() && rows.is_empty()),
        ];
        let made = there.map(|(class, there)| {
            let made = Columns::at_most(class, rows, columns, self.step);
            assert_eq!(made.is_some(), there, "{class:?}: {self:?}");
            made
        });
        made.into_iter().flatten().collect()
    }

    /// What the points become.
    fn expected(&self) -> Vec<u8> {
        let mut points = self.points.clone();
        for (field, &(offset, bytes)) in self.fields.iter().enumerate() {
            for (index, point) in points.chunks_exact_mut(self.step).enumerate() {
                let cell = match field.checked_sub(self.in_rows) {
                    None => &self.rows[ROW * index + CELL * field..],
                    Some(column) => &self.cells[CELL * (self.stride * column + index)..],
                };
                point[offset..offset + bytes].copy_from_slice(&cell[..bytes]);
            }
        }
        points
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { fields, in_rows, step, points, .. } = self;
        write!(f, "{fields:?}, {in_rows} in rows, step {step}, {} points", points.len() / step)
    }
}

#[test]
fn equal_a_byte_at_a_time() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..3000 {
        let case = Case::random(&mut rng);
        for columns in case.columns() {
            let mut points = case.points.clone();
            columns.store(&case.rows, &case.cells, case.stride, &mut points);
            assert!(points == case.expected(), "{columns:?}: {case:?}");
        }
    }
}

#[test]
fn refuse_what_they_are_not_for() {
    let refused =
        |class, rows: &[_], fields: &[_], step| Columns::at_most(class, rows, fields, step).is_none();
    assert!(refused(Class::Scalar, &[], &[(0, 2)], 16));
    assert!(refused(Class::Avx2, &[(0, 2)], &[(2, 2)], 16));
    assert!(refused(Class::Avx512, &[], &[(0, 2)], 15));
    assert!(refused(Class::Avx512, &[], &[(0, 8)], 16));
    assert!(refused(Class::Avx512, &[], &[(15, 2)], 16));
    assert!(refused(Class::Avx512, &[(usize::MAX, 2)], &[], 16));
    assert!(refused(Class::Avx512, &[(4, 2)], &[(2, 4)], 16));
    assert!(refused(Class::Avx512, &[(0, 2), (2, 2), (4, 2), (6, 2), (8, 2)], &[], 16));
}

/// Two points of two fields, with too few bytes of rows or of columns.
fn store_short(rows: &[u8], cells: &[u8]) {
    // As if it had been refused: without AVX-512 there is nothing to refuse.
    let columns = Columns::at_most(Class::Avx512, &[(0, 2)], &[(2, 2)], 16);
    columns.expect("a row for each point, a cell for each point").store(rows, cells, 2, &mut [0; 32]);
}

#[test]
#[should_panic(expected = "a cell for each point")]
fn refuse_columns_that_are_too_short() {
    store_short(&[0; 2 * ROW], &[0; 2 * CELL - 1]);
}

#[test]
#[should_panic(expected = "a row for each point")]
fn refuse_rows_that_are_too_short() {
    store_short(&[0; 2 * ROW - 1], &[0; 2 * CELL]);
}

/// Slices that end at a page that must not be touched.
#[cfg(unix)]
mod pages;

#[test]
#[cfg(unix)]
fn touch_nothing_beyond_cells_and_points() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let [mut rows, mut cells, mut points] = [70 * ROW, 20 * 90 * CELL, 70 * 700].map(pages::Pages::new);
    for _ in 0..1000 {
        let case = Case::random(&mut rng);
        let rows = rows.end(case.rows.len());
        rows.copy_from_slice(&case.rows);
        let cells = cells.end(case.cells.len());
        cells.copy_from_slice(&case.cells);
        let points = points.end(case.points.len());
        for columns in case.columns() {
            points.copy_from_slice(&case.points);
            columns.store(rows, cells, case.stride, points);
            assert!(*points == case.expected(), "{columns:?}: {case:?}");
        }
    }
}
