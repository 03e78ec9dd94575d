//! The block path: a bulk kernel fills a window of tokens that stays in the L1 cache, and the lift turns the
//! window into points.
//!
//! Version 5's sections lie one behind the other, and each of them touches every point: so their beginnings are
//! found first, and then all of them, with the rows, fill a window of points before the next one is begun.
//!
//! It knows the good case alone. Whatever is in its way (an error, a longer form of the NaN marker, fields that
//! overlap), it gives up and the chunk is decoded again by the per-point path: so the two cannot differ in
//! errors.

mod stream;

use variants::{
    Class, Run,
    ends::bytes_of,
    lift::{CELL, Columns, Lane, Lift, ROW, Store, Stores},
};

use super::{
    CloudError, Codec, Plan, Step,
    bulk::Bulk,
    mixed,
    plan::overlap,
    sections::{Column, Section},
};
pub(super) use stream::Stream;

/// Rows of more tokens are left to the other paths: a window has to hold some rows.
const MOST_LANES: usize = 256;

/// Bytes of points that are filled by all sections before the next ones are begun: they stay in an L1 cache.
const POINTS_TOGETHER: usize = 32 << 10;

/// The same where cells are filled, each once, and read once: they stay in an L2 cache, and what a section costs to
/// take up again counts for more.
const CELLS_TOGETHER: usize = 128 << 10;

/// The fewest points that are filled together.
const LEAST_TOGETHER: usize = 128;

/// Tokens that a kernel may leave undone at a window's end, where block decoders get slow.
pub(super) const SLACK: usize = 128;

/// The chunk cannot be decoded this way.
#[derive(Debug)]
pub(in crate::cloud) struct GaveUp;

/// The lifts of a plan, as a chunk's start needs them; those that there are none for are missing.
#[derive(Clone, Debug)]
pub(super) struct Lifts {
    /// Of the rows; fields that are no tokens are skipped.
    pub(super) rows: Option<Lift>,
    /// Where the rows' values go.
    rows_to: To,
    /// Of each section, should it hold tokens, and where the values go.
    sections: Vec<(Option<Lift>, To)>,
    /// What stores values that do not go into the points at once.
    columns: Option<Columns>,
    /// Points that are filled together.
    together: usize,
}

/// Where the values of rows or a section go.
#[derive(Clone, Copy, Debug)]
enum To {
    Points,
    /// Into rows of cells.
    Rows,
    /// Into this column of cells.
    Column(usize),
}

impl Lifts {
    fn new(plan: &Plan, class: Class) -> Self {
        let lanes: Vec<_> = plan.rows.iter().map(|step| lane(step).unwrap_or(SKIPPED)).collect();
        let short = |step: &&Step| step.bytes <= CELL;
        let place = |step: &Step| (step.offset, step.bytes);
        let sections: Vec<_> = plan.sections.iter().filter(short).map(place).collect();
        // Fields that share bytes have to be stored in their order, and one alone has nothing to share a store with.
        let share = sections.len() > 1 && !overlap(&plan.sections);
        let are_short = are_tokens(plan) && plan.rows.iter().all(|step| step.bytes == CELL);
        let rows: Vec<_> = plan.rows.iter().filter(|_| are_short).map(place).collect();
        let columns = |rows| Columns::at_most(class, rows, &sections, plan.point_step).filter(|_| share);
        let (rows_to, columns) = match columns(&rows) {
            Some(columns) if are_short => (To::Rows, Some(columns)),
            _ => (To::Points, columns(&[])),
        };
        let mut indexes = 0..sections.len();
        let section = |step: &Step| {
            let index = if columns.is_some() && short(&step) { indexes.next() } else { None };
            match index {
                // A cell's other bytes do not count, so any integer can be one of 32 bits.
                Some(index) => (lift(class, &[cell(0, Store::Int32)], CELL), To::Column(index)),
                None => (lane(step).and_then(|lane| lift(class, &[lane], plan.point_step)), To::Points),
            }
        };
        let cells = ROW + CELL * sections.len();
        let sections: Vec<_> = plan.sections.iter().map(section).collect();
        let all_in_cells = sections.iter().all(|(_, to)| matches!(to, To::Column(_)));
        let all_in_cells = all_in_cells && matches!(rows_to, To::Rows);
        let together = match all_in_cells {
            true => CELLS_TOGETHER / cells,
            false => POINTS_TOGETHER / plan.point_step,
        };
        let rows = match rows_to {
            To::Rows => {
                let cells: Vec<_> =
                    lanes.iter().enumerate().map(|(index, lane)| cell(index, lane.store)).collect();
                lift(class, &cells, ROW)
            }
            _ => lift(class, &lanes, plan.point_step),
        };
        Self { rows, rows_to, sections, columns, together: together.max(LEAST_TOGETHER) }
    }

    /// Those of this plan for decoders of this class.
    pub(super) fn of(plan: &Plan, class: Class) -> &Self {
        plan.lifts.get(class, |class| Self::new(plan, class))
    }
}

fn lift(class: Class, lanes: &[Lane], point_step: usize) -> Option<Lift> {
    Lift::at_most(class, lanes, point_step).ok()
}

/// The lane of a cell.
fn cell(index: usize, store: Store) -> Lane {
    Lane { offset: CELL * index, store }
}

/// Whether the rows are nothing but tokens, a window of which holds some of them.
fn are_tokens(plan: &Plan) -> bool {
    in_windows(plan) && plan.rows.iter().all(|step| step.codec.is_token())
}

/// Whether rows can be decoded a window at a time.
fn in_windows(plan: &Plan) -> bool {
    !plan.rows_overlap && plan.rows.len() <= MOST_LANES
}

/// The lane of a field that is no token.
const SKIPPED: Lane = Lane { offset: 0, store: Store::Skip };

/// What fills some fields of the points, from the first one to the last.
#[expect(
    clippy::large_enum_variant,
    reason = "a chunk has a handful, and an allocation each costs more than the room"
)]
enum Source<'a> {
    Tokens(Stream<'a>),
    /// With the field's first byte in the point.
    Section(Section<'a>, usize),
}

/// The per-point path's way with a chunk's rows.
pub(super) type RowsPerPoint<'a> = &'a dyn Fn(&mut Run<'_>, &mut [u8]) -> Result<(), CloudError>;

/// Decodes one chunk; see [`super::decode_chunk`].
pub(super) fn decode(
    decoder: &dyn Bulk,
    rows_per_point: RowsPerPoint<'_>,
    stores: Stores,
    plan: &Plan,
    bytes: &[u8],
    points: &mut [u8],
) -> Result<(), GaveUp> {
    let mut run = Run::of_data(bytes);
    let count = points.len() / plan.point_step;
    let mut sources = Vec::with_capacity(1 + plan.sections.len());
    let lifts = Lifts::of(plan, decoder.class());
    if are_tokens(plan) && !plan.rows.is_empty() {
        let mut rows = Stream::new(lifts.rows.as_ref().ok_or(GaveUp)?, &plan.rows, run, count);
        if plan.sections.is_empty() {
            // Nothing follows whose beginning would have to be known, or that would store into the same lines.
            rows.store_by(stores);
            return rows.fill(decoder, plan.point_step, points);
        }
        pass(decoder, &mut run, count * plan.rows.len());
        sources.push((Source::Tokens(rows), lifts.rows_to));
    } else if !plan.rows.is_empty() {
        let done = in_windows(plan) && mixed::rows(decoder, plan, &mut run, points)?;
        if !done {
            rows_per_point(&mut run, points).map_err(|_| GaveUp)?;
        }
    }
    for (step, (lift, to)) in plan.sections.iter().zip(&lifts.sections) {
        let section = Section::open(decoder, step, &mut run, count).map_err(|_| GaveUp)?;
        let source = match section {
            Some(section) => Source::Section(section, step.offset),
            None => {
                let step = std::slice::from_ref(step);
                let stream = Stream::new(lift.as_ref().ok_or(GaveUp)?, step, run, count);
                pass(decoder, &mut run, count);
                Source::Tokens(stream)
            }
        };
        sources.push((source, *to));
    }
    if plan.refuses_left_over && !run.data.is_empty() {
        return Err(GaveUp);
    }
    // Whole vectors, and whole bytes of a palette's indexes.
    let together = lifts.together / 16 * 16;
    // No more than there are points: a header may promise any number of sections.
    let stride = together.min(count);
    let columns = lifts.sections.iter().filter(|(_, to)| matches!(to, To::Column(_))).count();
    let mut cells = vec![0_u32; stride * columns];
    let mut rows = vec![0; if matches!(lifts.rows_to, To::Rows) { ROW * stride } else { 0 }];
    for points in points.chunks_mut(together * plan.point_step) {
        let count = points.len() / plan.point_step;
        for (source, to) in &mut sources {
            match (source, *to) {
                (Source::Tokens(stream), To::Points) => stream.fill(decoder, plan.point_step, points)?,
                (Source::Tokens(stream), To::Rows) => {
                    stream.fill(decoder, ROW, &mut rows[..ROW * count])?;
                }
                (Source::Tokens(stream), To::Column(index)) => {
                    let cells = &mut cells[stride * index..][..count];
                    stream.fill(decoder, CELL, bytemuck::cast_slice_mut(cells))?;
                }
                (Source::Section(section, offset), to) => {
                    let column = match to {
                        To::Column(index) => Column::Cells(&mut cells[stride * index..][..count]),
                        _ => Column::Points { points, point_step: plan.point_step, offset: *offset },
                    };
                    section.fill(decoder, column).map_err(|_| GaveUp)?;
                }
            }
        }
        if let Some(columns) = &lifts.columns {
            columns.store(&rows, bytemuck::cast_slice(&cells), stride, points);
        }
    }
    Ok(())
}

/// Passes so many tokens, or all that there are: whoever decodes them notices.
fn pass(decoder: &dyn Bulk, run: &mut Run<'_>, tokens: usize) {
    run.data = &run.data[bytes_of(decoder.class(), run.data, tokens)..];
    run.taken += tokens;
}

/// A token step as the lift knows it.
pub(super) fn lane(step: &Step) -> Option<Lane> {
    let store = match step.codec {
        Codec::Group { resolution } => Store::GroupF32 { resolution },
        Codec::Lossy32 { resolution } => Store::F32 { resolution },
        Codec::Lossy64 { resolution } => Store::F64 { resolution: resolution.into() },
        Codec::Integer(kind) => match kind.size() {
            2 => Store::Int16,
            4 => Store::Int32,
            _ => Store::Int64,
        },
        Codec::Copy(_) | Codec::Xor32 | Codec::Xor64 | Codec::Gorilla => return None,
    };
    Some(Lane { offset: step.offset, store })
}
