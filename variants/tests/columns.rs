//! Columns into points against a byte at a time.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    Class, cpu,
    lift::{CELL, Columns},
};

/// Fields in random order, adjacent or apart, and the point's step.
fn random_fields(rng: &mut impl Rng) -> (Vec<(usize, usize)>, usize) {
    let widest = [0, 0, 3, 30][rng.random_range(0..4)];
    let mut end = rng.random_range(0..=widest);
    let mut fields: Vec<(usize, usize)> = (0..rng.random_range(1..20))
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

/// The columns, filled at random, and their stride.
fn random_columns(rng: &mut impl Rng, columns: usize, points: usize) -> (Vec<u8>, usize) {
    let stride = points + rng.random_range(0..20);
    let mut cells = vec![0; CELL * stride * columns];
    rng.fill(&mut cells[..]);
    (cells, stride)
}

/// What the points become.
fn expected(fields: &[(usize, usize)], cells: &[u8], stride: usize, step: usize, points: &mut [u8]) {
    for (column, &(offset, bytes)) in fields.iter().enumerate() {
        for (index, point) in points.chunks_exact_mut(step).enumerate() {
            let cell = &cells[CELL * (stride * column + index)..];
            point[offset..offset + bytes].copy_from_slice(&cell[..bytes]);
        }
    }
}

/// The columns on this CPU; says so if it has none.
fn columns(fields: &[(usize, usize)], step: usize) -> Option<Columns> {
    let columns = Columns::at_most(Class::Avx512, fields, step);
    assert_eq!(columns.is_some(), cpu::Avx2::detect().is_some(), "{fields:?}, step {step}");
    columns
}

#[test]
fn equal_a_byte_at_a_time() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..2000 {
        let (fields, step) = random_fields(&mut rng);
        let Some(columns) = columns(&fields, step) else { return println!("skipped: no AVX2") };
        let count = rng.random_range(0..40);
        let (cells, stride) = random_columns(&mut rng, fields.len(), count);
        let mut points = vec![0; count * step];
        rng.fill(&mut points[..]);
        let mut model = points.clone();
        expected(&fields, &cells, stride, step, &mut model);
        columns.store(&cells, stride, &mut points);
        assert!(points == model, "{fields:?}, step {step}, {count} points");
    }
}

#[test]
fn refuse_what_they_are_not_for() {
    let refused = |class, fields: &[_], step| Columns::at_most(class, fields, step).is_none();
    assert!(refused(Class::Scalar, &[(0, 2)], 16));
    assert!(refused(Class::Avx512, &[(0, 2)], 15));
    assert!(refused(Class::Avx512, &[(0, 8)], 16));
    assert!(refused(Class::Avx512, &[(15, 2)], 16));
    assert!(refused(Class::Avx512, &[(usize::MAX, 2)], 16));
    assert!(refused(Class::Avx512, &[(4, 2), (2, 4)], 16));
}

#[test]
#[should_panic(expected = "a cell for each point")]
fn refuse_columns_that_are_too_short() {
    let columns = columns(&[(0, 2), (2, 2)], 16).expect("a cell for each point: no AVX2 to test with");
    columns.store(&[0; CELL * 3], 2, &mut [0; 32]);
}

/// Cells and points that end at a page that must not be touched.
#[cfg(unix)]
mod pages;

#[test]
#[cfg(unix)]
fn touch_nothing_beyond_cells_and_points() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut cell_pages = pages::Pages::new(20 * 60 * CELL);
    let mut point_pages = pages::Pages::new(40 * 1000);
    for _ in 0..1000 {
        let (fields, step) = random_fields(&mut rng);
        let Some(columns) = columns(&fields, step) else { return println!("skipped: no AVX2") };
        let count = rng.random_range(0..40);
        let (cells, stride) = random_columns(&mut rng, fields.len(), count);
        let guarded = cell_pages.end(cells.len());
        guarded.copy_from_slice(&cells);
        let points = point_pages.end(count * step);
        rng.fill(&mut points[..]);
        let mut model = points.to_vec();
        expected(&fields, &cells, stride, step, &mut model);
        columns.store(guarded, stride, points);
        assert!(points == model, "{fields:?}, step {step}, {count} points");
    }
}
