//! The block path: a bulk kernel fills a window of tokens that stays in the L1 cache, and the lift turns the
//! window into points.
//!
//! It knows the good case alone. Whatever is in its way (an error, a longer form of the NaN marker, fields that
//! overlap), it gives up and the chunk is decoded again by the per-point path: so the two cannot differ in
//! errors.

use variants::{
    Decoder, ErrorKind, Run, Word,
    layout::Leb128,
    lift::{Lane, Lift, Store},
};

use super::{
    Codec, Plan, Step,
    ends::has_padded_end,
    mixed,
    path::rows_per_point,
    sections::{SectionMode, read_section},
};

/// Tokens in a window: with their points they fill about half of an L1 cache.
const WINDOW: usize = 4096;

/// Rows of more tokens are left to the other paths: a window has to hold some rows.
const MOST_LANES: usize = 256;

/// Tokens that a kernel may leave undone at a window's end, where block decoders get slow.
pub(super) const SLACK: usize = 128;

/// The chunk cannot be decoded this way.
#[derive(Debug)]
pub(super) struct GaveUp;

/// Decodes one chunk; see [`super::decode_chunk`].
pub(super) fn decode<D: Decoder<Layout = Leb128>>(
    decoder: D,
    plan: &Plan,
    bytes: &[u8],
    points: &mut [u8],
) -> Result<(), GaveUp> {
    let mut run = Run::of_data(bytes);
    let in_windows = !plan.rows_overlap && plan.rows.len() <= MOST_LANES;
    match plan.rows.iter().map(lane).collect::<Option<Vec<_>>>() {
        Some(lanes) if lanes.is_empty() => {}
        Some(lanes) if in_windows => pure_run(decoder, &lanes, plan.point_step, &mut run, points)?,
        _ => {
            let done = in_windows && mixed::rows(decoder, plan, &mut run, points)?;
            if !done {
                rows_per_point(decoder, plan, &mut run, points).map_err(|_| GaveUp)?;
            }
        }
    }
    for step in &plan.sections {
        section(decoder, step, &mut run, plan.point_step, points)?;
    }
    if plan.refuses_left_over && !run.data.is_empty() { Err(GaveUp) } else { Ok(()) }
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

fn section<D: Decoder<Layout = Leb128>>(
    decoder: D,
    step: &Step,
    run: &mut Run<'_>,
    point_step: usize,
    points: &mut [u8],
) -> Result<(), GaveUp> {
    match (run.data, lane(step)) {
        ([mode, column @ ..], Some(lane)) if *mode == SectionMode::DeltaVarint as u8 => {
            run.data = column;
            pure_run(decoder, &[lane], point_step, run, points)
        }
        _ => read_section(decoder, step, run, point_step, points).map_err(|_| GaveUp),
    }
}

/// Nothing but tokens: rows without gaps, or a column.
fn pure_run<D: Decoder<Layout = Leb128>>(
    decoder: D,
    lanes: &[Lane],
    point_step: usize,
    run: &mut Run<'_>,
    points: &mut [u8],
) -> Result<(), GaveUp> {
    let mut target = Target {
        lift: Lift::new(lanes, point_step).map_err(|_| GaveUp)?,
        point_step,
        left: points.len() / point_step * lanes.len(),
        points,
        has_floats: lanes.iter().any(|lane| !lane.store.is_integer()),
    };
    let mut narrow = Window::<u32>::new();
    let mut wide = Window::<u64>::new();
    // A long token now and then (the first timestamp of a chunk) costs one window of 64-bit words; where they
    // are common, 32-bit words are not tried again.
    let mut wide_windows = 0;
    while target.left > 0 {
        match narrow.advance(decoder, run, &mut target) {
            Ok(()) => wide_windows = 0,
            Err(ErrorKind::Wide) => {
                wide.take_over(&narrow);
                wide_windows += 1;
                wide.advance(decoder, run, &mut target).map_err(|_| GaveUp)?;
                while target.left > 0 && (wide_windows > 2 || !narrow.take_back(&wide)) {
                    wide.advance(decoder, run, &mut target).map_err(|_| GaveUp)?;
                }
            }
            Err(_) => return Err(GaveUp),
        }
    }
    Ok(())
}

/// Where tokens go.
struct Target<'a> {
    lift: Lift,
    point_step: usize,
    /// Tokens that are still to be decoded.
    left: usize,
    /// Points that are still to be stored.
    points: &'a mut [u8],
    /// Whether token 0 may be a NaN, whose marker is one byte.
    has_floats: bool,
}

/// Decoded tokens; those at the front are of a row that was not complete.
struct Window<W> {
    tokens: Vec<W>,
    held: usize,
}

impl<W: Word> Window<W> {
    fn new() -> Self {
        Self { tokens: Vec::new(), held: 0 }
    }

    /// Decodes a window of tokens and lifts the whole rows of it. Nothing has changed if this is an error of
    /// the decoder.
    fn advance<D: Decoder<Layout = Leb128>>(
        &mut self,
        decoder: D,
        run: &mut Run<'_>,
        target: &mut Target<'_>,
    ) -> Result<(), ErrorKind> {
        self.tokens.resize(WINDOW, W::default());
        let free = &mut self.tokens[self.held..];
        let room = free.len().min(target.left);
        let least = if room == target.left { room } else { room - SLACK };
        let before = run.data;
        let decoded = decoder.decode_some(run, &mut free[..room], least).map_err(|error| error.kind)?;
        let used = &before[..before.len() - run.data.len()];
        if target.has_floats && has_padded_end(used) {
            return Err(ErrorKind::Malformed);
        }
        self.held += decoded;
        target.left -= decoded;
        let lanes = target.lift.lanes();
        let rows = self.held / lanes;
        let (points, rest) = std::mem::take(&mut target.points).split_at_mut(rows * target.point_step);
        target.points = rest;
        let whole = rows * lanes;
        target.lift.rows(&self.tokens[..whole], points).map_err(|_| ErrorKind::Malformed)?;
        self.tokens.copy_within(whole..self.held, 0);
        self.held -= whole;
        Ok(())
    }
}

impl Window<u64> {
    /// Goes on where 32-bit words came to their end.
    fn take_over(&mut self, narrow: &Window<u32>) {
        self.tokens.resize(WINDOW, 0);
        self.held = narrow.held;
        for (wide, &narrow) in self.tokens.iter_mut().zip(&narrow.tokens[..narrow.held]) {
            *wide = narrow.into();
        }
    }
}

impl Window<u32> {
    /// Goes on after 64-bit words, if the tokens that they hold fit.
    fn take_back(&mut self, wide: &Window<u64>) -> bool {
        self.held = wide.held;
        let held = &wide.tokens[..wide.held];
        self.tokens.iter_mut().zip(held).all(|(narrow, &wide)| {
            *narrow = wide as u32;
            u64::from(*narrow) == wide
        })
    }
}
