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
    Decoder, Run,
    layout::Leb128,
    lift::{Lane, Store},
};

use super::{Codec, Plan, Step, ends::bytes_of, mixed, path::rows_per_point, sections::Section};
use stream::Stream;

/// Rows of more tokens are left to the other paths: a window has to hold some rows.
const MOST_LANES: usize = 256;

/// Bytes of points that are filled by all sections before the next ones are begun: half of an L1 cache.
const FILLED_TOGETHER: usize = 16 << 10;

/// The fewest points that are filled together.
const LEAST_TOGETHER: usize = 128;

/// Tokens that a kernel may leave undone at a window's end, where block decoders get slow.
pub(super) const SLACK: usize = 128;

/// The chunk cannot be decoded this way.
#[derive(Debug)]
pub(super) struct GaveUp;

/// What fills some fields of the points, from the first one to the last.
enum Source<'a> {
    Tokens(Stream<'a>),
    Section(Section<'a>),
}

/// Decodes one chunk; see [`super::decode_chunk`].
pub(super) fn decode<D: Decoder<Layout = Leb128>>(
    decoder: D,
    plan: &Plan,
    bytes: &[u8],
    points: &mut [u8],
) -> Result<(), GaveUp> {
    let mut run = Run::of_data(bytes);
    let count = points.len() / plan.point_step;
    let mut sources = Vec::with_capacity(1 + plan.sections.len());
    let in_windows = !plan.rows_overlap && plan.rows.len() <= MOST_LANES;
    match plan.rows.iter().map(lane).collect::<Option<Vec<_>>>() {
        Some(lanes) if lanes.is_empty() => {}
        Some(lanes) if in_windows && plan.sections.is_empty() => {
            // Nothing follows whose beginning would have to be known.
            let mut rows = Stream::new(&lanes, plan.point_step, run, count).ok_or(GaveUp)?;
            return rows.fill(decoder, plan.point_step, points);
        }
        Some(lanes) if in_windows => {
            let tokens = count * lanes.len();
            sources.push(Source::Tokens(Stream::new(&lanes, plan.point_step, run, count).ok_or(GaveUp)?));
            pass(&mut run, tokens);
        }
        _ => {
            let done = in_windows && mixed::rows(decoder, plan, &mut run, points)?;
            if !done {
                rows_per_point(decoder, plan, &mut run, points).map_err(|_| GaveUp)?;
            }
        }
    }
    for step in &plan.sections {
        let section = Section::open(decoder, step, &mut run, count).map_err(|_| GaveUp)?;
        sources.push(match (section, lane(step)) {
            (Some(section), _) => Source::Section(section),
            (None, Some(lane)) => {
                let stream = Stream::new(&[lane], plan.point_step, run, count).ok_or(GaveUp)?;
                pass(&mut run, count);
                Source::Tokens(stream)
            }
            (None, None) => return Err(GaveUp),
        });
    }
    if plan.refuses_left_over && !run.data.is_empty() {
        return Err(GaveUp);
    }
    let together = (FILLED_TOGETHER / plan.point_step).max(LEAST_TOGETHER);
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
