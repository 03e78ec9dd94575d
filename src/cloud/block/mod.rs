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
    lift::{CELL, Columns, Lane, Lift, Store, Stores},
};

use super::{CloudError, Codec, Plan, Step, bulk::Bulk, mixed, plan::overlap, sections::Section};
use stream::Stream;

/// Rows of more tokens are left to the other paths: a window has to hold some rows.
const MOST_LANES: usize = 256;

/// Bytes of points that are filled by all sections before the next ones are begun: they stay in an L1 cache.
const FILLED_TOGETHER: usize = 24 << 10;

/// The fewest points that are filled together.
const LEAST_TOGETHER: usize = 128;

/// Tokens that a kernel may leave undone at a window's end, where block decoders get slow.
pub(super) const SLACK: usize = 128;

/// The chunk cannot be decoded this way.
#[derive(Debug)]
pub(super) struct GaveUp;

/// The lifts of a plan, as a chunk's start needs them; those that there are none for are missing.
#[derive(Clone, Debug)]
pub(super) struct Lifts {
    /// Of the rows; fields that are no tokens are skipped.
    pub(super) rows: Option<Lift>,
    /// What is known of each section.
    sections: Vec<Column>,
    /// What stores the columns of sections that have one.
    columns: Option<Columns>,
}

/// A section, as the block path goes about it.
#[derive(Clone, Debug)]
struct Column {
    /// Its lift, should it hold tokens: into the points or into its column.
    lift: Option<Lift>,
    /// Which of the columns is filled and then stored with the others; the points are, if there is none.
    index: Option<usize>,
}

impl Lifts {
    fn new(plan: &Plan, class: Class) -> Self {
        let lanes: Vec<_> = plan.rows.iter().map(|step| lane(step).unwrap_or(SKIPPED)).collect();
        // Fields that share a store are found by their places; where they share bytes, their order matters.
        let places: Vec<_> = plan
            .sections
            .iter()
            .map(|step| (step.offset, step.bytes))
            .filter(|place| place.1 <= CELL)
            .collect();
        let share = places.len() > 1 && !overlap(&plan.sections);
        let columns = if share { Columns::at_most(class, &places, plan.point_step) } else { None };
        let mut indexes = 0..places.len();
        let section = |step: &Step| {
            let index = if columns.is_some() && step.bytes <= CELL { indexes.next() } else { None };
            let (lane, point_step) = match index {
                // A cell's other bytes do not count, so any integer can be one of 32 bits.
                Some(_) => (Some(Lane { offset: 0, store: Store::Int32 }), CELL),
                None => (lane(step), plan.point_step),
            };
            Column { lift: lane.and_then(|lane| Lift::at_most(class, &[lane], point_step).ok()), index }
        };
        let sections = plan.sections.iter().map(section).collect();
        Self { rows: Lift::at_most(class, &lanes, plan.point_step).ok(), sections, columns }
    }

    /// Those of this plan for decoders of this class.
    pub(super) fn of(plan: &Plan, class: Class) -> &Self {
        plan.lifts.get(class, |class| Self::new(plan, class))
    }
}

/// The lane of a field that is no token.
const SKIPPED: Lane = Lane { offset: 0, store: Store::Skip };

/// What fills some fields of the points, from the first one to the last.
enum Source<'a> {
    Tokens(Stream<'a>),
    Section(Section<'a>),
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
    let in_windows = !plan.rows_overlap && plan.rows.len() <= MOST_LANES;
    let are_tokens = plan.rows.iter().all(|step| step.codec.is_token());
    if in_windows && are_tokens && !plan.rows.is_empty() {
        let mut rows = Stream::new(lifts.rows.as_ref().ok_or(GaveUp)?, &plan.rows, run, count);
        if plan.sections.is_empty() {
            // Nothing follows whose beginning would have to be known, or that would store into the same lines.
            rows.store_by(stores);
            return rows.fill(decoder, plan.point_step, points);
        }
        pass(decoder, &mut run, count * plan.rows.len());
        sources.push((Source::Tokens(rows), None));
    } else if !plan.rows.is_empty() {
        let done = in_windows && mixed::rows(decoder, plan, &mut run, points)?;
        if !done {
            rows_per_point(&mut run, points).map_err(|_| GaveUp)?;
        }
    }
    for (step, column) in plan.sections.iter().zip(&lifts.sections) {
        let offset = if column.index.is_some() { 0 } else { step.offset };
        let section = Section::open(decoder, step, offset, &mut run, count).map_err(|_| GaveUp)?;
        let source = match section {
            Some(section) => Source::Section(section),
            None => {
                let step = std::slice::from_ref(step);
                let stream = Stream::new(column.lift.as_ref().ok_or(GaveUp)?, step, run, count);
                pass(decoder, &mut run, count);
                Source::Tokens(stream)
            }
        };
        sources.push((source, column.index));
    }
    if plan.refuses_left_over && !run.data.is_empty() {
        return Err(GaveUp);
    }
    // Whole bytes of a palette's indexes.
    let together = (FILLED_TOGETHER / plan.point_step / 8 * 8).max(LEAST_TOGETHER);
    let mut cells = vec![0; CELL * together * lifts.sections.len()];
    for points in points.chunks_mut(together * plan.point_step) {
        let count = points.len() / plan.point_step;
        for (source, column) in &mut sources {
            let (step, points) = match column {
                Some(column) => (CELL, &mut cells[CELL * together * *column..][..CELL * count]),
                None => (plan.point_step, &mut *points),
            };
            match source {
                Source::Tokens(stream) => stream.fill(decoder, step, points)?,
                Source::Section(section) => section.fill(decoder, step, points).map_err(|_| GaveUp)?,
            }
        }
        if let Some(columns) = &lifts.columns {
            columns.store(&cells, together, points);
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
