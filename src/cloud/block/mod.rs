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
    lift::{Lane, Lift, Store, Stores},
};

use super::{CloudError, Codec, Plan, Step, bulk::Bulk, ends::bytes_of, mixed, sections::Section};
pub(super) use stream::Stream;

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
pub(in crate::cloud) struct GaveUp;

/// The lifts of a plan, as a chunk's start needs them; those that there are none for are missing.
#[derive(Clone, Debug)]
pub(super) struct Lifts {
    /// Of the rows; fields that are no tokens are skipped.
    pub(super) rows: Option<Lift>,
    /// Of each section, should it hold tokens.
    sections: Vec<Option<Lift>>,
}

impl Lifts {
    fn new(plan: &Plan, class: Class) -> Self {
        let lanes: Vec<_> = plan.rows.iter().map(|step| lane(step).unwrap_or(SKIPPED)).collect();
        let section = |step| Lift::at_most(class, &[lane(step)?], plan.point_step).ok();
        Self {
            rows: Lift::at_most(class, &lanes, plan.point_step).ok(),
            sections: plan.sections.iter().map(section).collect(),
        }
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
        pass(&mut run, count * plan.rows.len());
        sources.push(Source::Tokens(rows));
    } else if !plan.rows.is_empty() {
        let done = in_windows && mixed::rows(decoder, plan, &mut run, points)?;
        if !done {
            rows_per_point(&mut run, points).map_err(|_| GaveUp)?;
        }
    }
    for (step, lift) in plan.sections.iter().zip(&lifts.sections) {
        let section = Section::open(decoder, step, &mut run, count).map_err(|_| GaveUp)?;
        sources.push(match section {
            Some(section) => Source::Section(section),
            None => {
                let step = std::slice::from_ref(step);
                let stream = Stream::new(lift.as_ref().ok_or(GaveUp)?, step, run, count);
                pass(&mut run, count);
                Source::Tokens(stream)
            }
        });
    }
    if plan.refuses_left_over && !run.data.is_empty() {
        return Err(GaveUp);
    }
    // Whole bytes of a palette's indexes.
    let together = (FILLED_TOGETHER / plan.point_step / 8 * 8).max(LEAST_TOGETHER);
    for points in points.chunks_mut(together * plan.point_step) {
        for source in &mut sources {
            match source {
                Source::Tokens(stream) => stream.fill(decoder, plan.point_step, points)?,
                Source::Section(section) => {
                    section.fill(decoder, plan.point_step, points).map_err(|_| GaveUp)?;
                }
            }
        }
    }
    Ok(())
}

/// Passes so many tokens, or all that there are: whoever decodes them notices.
fn pass(run: &mut Run<'_>, tokens: usize) {
    run.data = &run.data[bytes_of(run.data, tokens)..];
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
