//! The lift with AVX-512: as many points in a vector as fit, a running sum over them by doubling, then a byte
//! permutation into the points' shape and masked stores.
//!
//! Where a row fills most of a vector there is no sum to double: a point costs one addition in the chain.
//! See `narrow512` for sums of 32 bits, which all lanes of up to 32 bits have for as long as they fit, and
//! `wide512` for those of 64.

use alloc::vec::Vec;

use super::{
    Lane, Store, Stores,
    narrow512::Narrow,
    plan::{Plan, fits_32_bits},
    short512,
    strided::{Run, runs},
    wide512,
};
use crate::cpu::Avx512Vbmi2;

/// Vectors after which a lane with a sum of 64 bits has its range checked again.
const EXACT_BLOCK: usize = 64;

/// Values of a column that are lifted before they are spread over their points.
const BLOCK: usize = 512;

/// A column is spread a value at a time if fewer points than this would share a store.
const SHARE: usize = 3;

/// Prepared for some lanes and a point step.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    proof: Avx512Vbmi2,
    parts: Vec<Part>,
    stride: usize,
    point_step: usize,
}

/// Up to 16 lanes that follow one another in the row.
#[derive(Clone, Debug)]
struct Part {
    first: usize,
    lanes: usize,
    /// For 32-bit words, unless a lane stores 64 bits: as many points in a vector as pay, and one of them.
    narrow: Option<(Narrow, Narrow)>,
    /// For the only lane of rows whose points are far apart.
    column: Option<Column>,
    /// The lanes whose sum has 64 bits but is worked out in 32 where it is known to fit.
    exact: Vec<usize>,
    /// For any word and store: up to 8 lanes each.
    wide: Vec<wide512::Part>,
}

/// A lane of up to 32 bits as if there were nothing else in the points, and its way into them: a vector's store cannot
/// reach many points that are far apart, and one that is cut by a cache line's end takes twice as long.
#[derive(Clone, Debug)]
struct Column {
    vector: Narrow,
    value: Narrow,
    spread: Run,
}

impl Column {
    fn new(lane: Lane, point_step: usize) -> Option<Self> {
        let store = match lane.store {
            Store::Int16 => Store::Int32,
            other => other,
        };
        let alone = [Lane { offset: 0, store }];
        let narrow = |points| Narrow::new(&alone, Plan::new(&alone, 4, 4, points), 4);
        let spread = runs(&[lane]).pop().filter(|_| lane.store.bytes() <= 4 && SHARE * point_step > 64)?;
        Some(Self { vector: narrow(16), value: narrow(1), spread })
    }

    /// Lifts all tokens; `false` if one of an integer is a NaN marker.
    fn rows(
        &self,
        proof: Avx512Vbmi2,
        previous: &mut [i64],
        tokens: &[u32],
        (point_step, points): (usize, &mut [u8]),
    ) -> bool {
        let mut block = [0; 4 * BLOCK];
        let parts = tokens.chunks(BLOCK).zip(points.chunks_mut(BLOCK * point_step));
        parts.fold(true, |fine, (tokens, points)| {
            let (vectors, last) = tokens.split_at(tokens.len() / 16 * 16);
            let values = &mut block[..4 * tokens.len()];
            let (values, last_values) = values.split_at_mut(4 * vectors.len());
            let fine = fine
                & self.vector.run(proof, (0, 1), false, previous, vectors, values)
                & self.value.run(proof, (0, 1), false, previous, last, last_values);
            self.spread.copy(&block[..4 * tokens.len()], 4, points, point_step);
            fine
        })
    }
}

impl Kernel {
    /// For lanes that do not overlap.
    pub(super) fn new(proof: Avx512Vbmi2, lanes: &[Lane], point_step: usize) -> Self {
        let part = |(index, part): (usize, &[Lane])| {
            let first = index * 16;
            let dense = part.len() == lanes.len();
            let narrow = part.iter().all(|lane| lane.store.bytes() <= 4).then(|| {
                let vector = Plan::cheapest(part, point_step, 4, dense);
                (
                    Narrow::new(part, vector, point_step),
                    Narrow::new(part, Plan::new(part, point_step, 4, 1), point_step),
                )
            });
            let column = match part {
                [lane] if dense => Column::new(*lane, point_step),
                _ => None,
            };
            let exact = |index: &usize| matches!(part[*index].store, Store::F32 { .. });
            Part {
                first,
                lanes: part.len(),
                narrow,
                column,
                exact: (0..part.len()).filter(exact).collect(),
                wide: wide512::parts(part, first, point_step, dense),
            }
        };
        let parts = lanes.chunks(16).enumerate().map(part).collect();
        Self { proof, parts, stride: lanes.len(), point_step }
    }

    /// Whether [`Self::rows_u16`] lifts anything.
    pub(super) fn takes_short(&self) -> bool {
        self.short().is_some()
    }

    /// Lifts rows from the front of `tokens` and says how many tokens those are.
    pub(super) fn rows_u16(&self, previous: &mut [i64], tokens: &[u16], points: &mut [u8]) -> usize {
        self.short().map_or(0, |narrow| short512::run(self.proof, narrow, previous, tokens, points))
    }

    fn short(&self) -> Option<&Narrow> {
        match &self.parts[..] {
            [Part { narrow: Some((vector, _)), exact, .. }] if exact.is_empty() => {
                Some(vector).filter(|vector| vector.is_four_floats())
            }
            _ => None,
        }
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u32(
        &self,
        stores: Stores,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        let mut fine = true;
        for part in &self.parts {
            let previous = &mut previous[part.first..][..part.lanes];
            fine &= match &part.narrow {
                None => self.wide(part, previous, tokens, points),
                Some(narrow) if part.exact.is_empty() => {
                    self.narrow(narrow, part, stores, previous, tokens, points)
                }
                Some(narrow) => {
                    let rows = EXACT_BLOCK * narrow.0.plan.points;
                    let blocks =
                        tokens.chunks(rows * self.stride).zip(points.chunks_mut(rows * self.point_step));
                    blocks.fold(true, |fine, (tokens, points)| {
                        let fits = fits_32_bits(&part.exact, previous, tokens, rows);
                        fine & if fits {
                            self.narrow(narrow, part, stores, previous, tokens, points)
                        } else {
                            self.wide(part, previous, tokens, points)
                        }
                    })
                }
            };
        }
        fine
    }

    /// Lifts whole rows; `false` if an integer lane holds a NaN marker.
    pub(super) fn rows_u64(&self, previous: &mut [i64], tokens: &[u64], points: &mut [u8]) -> bool {
        self.parts.iter().fold(true, |fine, part| {
            fine & self.wide(part, &mut previous[part.first..][..part.lanes], tokens, points)
        })
    }

    fn wide<W: wide512::Load>(
        &self,
        part: &Part,
        previous: &mut [i64],
        tokens: &[W],
        points: &mut [u8],
    ) -> bool {
        let rows = wide512::Rows { stride: self.stride, point_step: self.point_step };
        let mut done = 0;
        part.wide.iter().fold(true, |fine, wide| {
            let lanes = wide.lanes();
            done += lanes;
            fine & wide.rows(self.proof, rows, &mut previous[done - lanes..done], tokens, points)
        })
    }

    fn narrow(
        &self,
        (vector, row): &(Narrow, Narrow),
        part: &Part,
        stores: Stores,
        previous: &mut [i64],
        tokens: &[u32],
        points: &mut [u8],
    ) -> bool {
        if let Some(column) = &part.column {
            return column.rows(self.proof, previous, tokens, (self.point_step, points));
        }
        let lines = if stores == Stores::NonTemporal { vector.points_to_line(points) } else { None };
        let rows = tokens.len() / self.stride;
        let head = lines.unwrap_or(0).min(rows);
        let whole = (rows - head) / vector.plan.points * vector.plan.points;
        let (head_tokens, tokens) = tokens.split_at(head * self.stride);
        let (head_points, points) = points.split_at_mut(head * self.point_step);
        let (tokens, last_tokens) = tokens.split_at(whole * self.stride);
        let (points, last_points) = points.split_at_mut(whole * self.point_step);
        let mut run = |narrow: &Narrow, lines, tokens, points| {
            narrow.run(self.proof, (part.first, self.stride), lines, previous, tokens, points)
        };
        run(row, false, head_tokens, head_points)
            & run(vector, lines.is_some(), tokens, points)
            & run(row, false, last_tokens, last_points)
    }
}
