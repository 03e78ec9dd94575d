//! The ways from a chunk's stage-1 bytes to its points. All of them give the same bytes and the same errors.

use variants::{Decoder, Run, layout::Leb128, lift::Stores};

use super::{
    CloudError, CloudErrorKind, Plan, Step, block,
    converted::Converted,
    kept::Kept,
    read::{Flaw, Group, Read, Reader, words},
    sections::read_section,
};

/// How the tokens of rows get into the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// Upstream's shape: for every point one virtual call for each field (one for a whole leading group) around
    /// the scalar step [`Decoder::next_token`].
    PerField,
    /// An experiment of upstream's: `PerField` with a leading group's sums turned into floats by one vector
    /// instruction and stored together.
    PerFieldConvert,
    /// An experiment of upstream's: `PerField` with readers that a thread keeps from chunk to chunk and from
    /// cloud to cloud, as long as variant and fields stay the same, and resets instead of building anew.
    PerFieldCached,
    /// The same step, with the fields resolved once for the chunk and no virtual call.
    PerPoint,
    /// Bulk kernel and lift by turns, on windows of tokens that stay in the L1 cache. Other bytes between the
    /// tokens are taken for tokens as long as that is right; where it mostly is not, rows are read as by
    /// `PerPoint`, and version 5's columns behind them in bulk.
    Block,
}

impl Path {
    /// All paths.
    pub const ALL: [Self; 5] =
        [Self::PerField, Self::PerFieldConvert, Self::PerFieldCached, Self::PerPoint, Self::Block];

    /// The name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PerField => "per-field",
            Self::PerFieldConvert => "per-field-convert",
            Self::PerFieldCached => "per-field-cached",
            Self::PerPoint => "per-point",
            Self::Block => "block",
        }
    }

    /// Whether it exists to test a claim: what it changes has nothing to do with the variant inside, so one
    /// variant is enough to time it with.
    #[must_use]
    pub fn is_experiment(self) -> bool {
        matches!(self, Self::PerFieldConvert | Self::PerFieldCached)
    }
}

/// Decodes one chunk's stage-1 bytes into `points`, which are as many whole points as the chunk has to hold.
/// Bytes of a point that no field covers are left as they are.
///
/// # Errors
/// The first value that cannot be read, with its field and its point within the chunk; `LeftOver` if a plan
/// with sections leaves bytes. `points` then holds anything in its fields.
///
/// # Panics
/// If `points` is not a multiple of the plan's point step.
pub fn decode_chunk<D: Decoder<Layout = Leb128>>(
    decoder: D,
    path: Path,
    plan: &Plan,
    bytes: &[u8],
    points: &mut [u8],
) -> Result<(), CloudError> {
    decode_chunk_by(decoder, path, Stores::Ordinary, plan, bytes, points)
}

/// As [`decode_chunk`]; the block path stores its points so.
pub(super) fn decode_chunk_by<D: Decoder<Layout = Leb128>>(
    decoder: D,
    path: Path,
    stores: Stores,
    plan: &Plan,
    bytes: &[u8],
    points: &mut [u8],
) -> Result<(), CloudError> {
    if points.is_empty() {
        return Ok(());
    }
    assert!(points.len().is_multiple_of(plan.point_step), "whole points");
    if path == Path::Block {
        let rows = |run: &mut Run<'_>, points: &mut [u8]| rows_per_point(decoder, plan, run, points);
        if block::decode(&decoder, &rows, stores, plan, bytes, points).is_ok() {
            return Ok(());
        }
    }
    let mut run = Run::of_data(bytes);
    match path {
        Path::PerField => {
            rows_per_field(decoder, &mut readers(plan, boxed_group::<D>(plan)), plan, &mut run, points)?;
        }
        Path::PerFieldConvert => {
            rows_per_field(decoder, &mut readers(plan, boxed_converted::<D>(plan)), plan, &mut run, points)?;
        }
        Path::PerFieldCached => {
            let mut kept = Kept::<D>::take(plan);
            let done = rows_per_field(decoder, &mut kept.readers, plan, &mut run, points);
            kept.give_back();
            done?;
        }
        // A block that gave up starts again.
        Path::PerPoint | Path::Block => rows_per_point(decoder, plan, &mut run, points)?,
    }
    for step in &plan.sections {
        read_section(decoder, step, &mut run, plan.point_step, points)?;
    }
    if plan.refuses_left_over && !run.data.is_empty() {
        let what = format!("{} bytes are left behind the last section", run.data.len());
        return Err(CloudError::new(CloudErrorKind::LeftOver, what));
    }
    Ok(())
}

/// A reader behind a virtual call, and the number of its first field.
pub(super) type Boxed<R> = (usize, Box<R>);

fn boxed_group<D: Decoder<Layout = Leb128>>(plan: &Plan) -> Option<Box<dyn Read<D>>> {
    match plan.group {
        3 => Some(Box::new(Group::<3>::new(&plan.rows))),
        4 => Some(Box::new(Group::<4>::new(&plan.rows))),
        _ => None,
    }
}

fn boxed_converted<D: Decoder<Layout = Leb128>>(plan: &Plan) -> Option<Box<dyn Read<D>>> {
    match plan.group {
        3 => Some(Box::new(Converted::<3>::new(&plan.rows))),
        4 => Some(Box::new(Converted::<4>::new(&plan.rows))),
        _ => None,
    }
}

/// The group's reader, if there is a group, and those of the fields behind it.
fn readers<D: Decoder<Layout = Leb128>>(
    plan: &Plan,
    group: Option<Box<dyn Read<D>>>,
) -> Vec<Boxed<dyn Read<D>>> {
    let single = plan.rows.iter().enumerate().skip(plan.group);
    let single = single.map(|(index, step)| (index, Reader::new(step).boxed()));
    group.map(|group| (0, group)).into_iter().chain(single).collect()
}

fn rows_per_field<D: Decoder<Layout = Leb128>, R: Read<D> + ?Sized>(
    decoder: D,
    readers: &mut [Boxed<R>],
    plan: &Plan,
    run: &mut Run<'_>,
    points: &mut [u8],
) -> Result<(), CloudError> {
    for (index, point) in points.chunks_exact_mut(plan.point_step).enumerate() {
        for (first, reader) in &mut *readers {
            reader.read(decoder, run, point).map_err(|flaw| place(flaw, &plan.rows[*first..], index))?;
        }
    }
    Ok(())
}

fn rows_per_point<D: Decoder<Layout = Leb128>>(
    decoder: D,
    plan: &Plan,
    run: &mut Run<'_>,
    points: &mut [u8],
) -> Result<(), CloudError> {
    match plan.group {
        3 => rows_behind_group(decoder, Group::<3>::new(&plan.rows), plan, run, points),
        4 => rows_behind_group(decoder, Group::<4>::new(&plan.rows), plan, run, points),
        _ => rows_behind_group(decoder, Group::<0>::new(&plan.rows), plan, run, points),
    }
}

/// The group's lanes are unrolled; the fields behind it take a jump each.
fn rows_behind_group<D: Decoder<Layout = Leb128>, const N: usize>(
    decoder: D,
    mut group: Group<N>,
    plan: &Plan,
    run: &mut Run<'_>,
    points: &mut [u8],
) -> Result<(), CloudError> {
    let mut readers: Vec<_> = plan.rows[N..].iter().map(Reader::new).collect();
    // A copy that nothing else points at can live in registers.
    let mut left = *run;
    for (index, point) in points.chunks_exact_mut(plan.point_step).enumerate() {
        group.read(decoder, &mut left, point).map_err(|flaw| place(flaw, &plan.rows, index))?;
        for (reader, step) in readers.iter_mut().zip(&plan.rows[N..]) {
            reader
                .read(decoder, &mut left, point)
                .map_err(|flaw| place(flaw, std::slice::from_ref(step), index))?;
        }
    }
    *run = left;
    Ok(())
}

/// The error of a flaw in the fields of a reader, whose first one is the first of `steps`.
#[cold]
fn place(flaw: Flaw, steps: &[Step], point: usize) -> CloudError {
    let field = &steps[usize::from(flaw.lane)].name;
    CloudError::new(flaw.kind, words(flaw.kind)).in_field(field).at_point(point)
}
