//! Version 5: one section for each integer field of 16 bits and more, behind the rows. A mode byte, then the
//! field's values of the whole chunk.

use std::collections::HashMap;

use variants::{
    Decoder, Run,
    layout::{
        Leb128,
        leb128::{decode_token, encode_token, token_of_delta},
    },
};

use super::{
    CloudError, CloudErrorKind, Codec, Step,
    quantise::integer,
    read::{kind_of, low_bytes, next_delta},
};

/// Points that the choice of a mode looks at: the first ones of the cloud's first chunk.
pub(super) const PROBE_POINTS: usize = 4096;

/// How a section holds its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum SectionMode {
    /// A token for each value, the first one against 0.
    DeltaVarint = 0,
    /// The distinct values in order of appearance, then bit-packed indexes.
    Palette = 1,
    /// Runs of a value: the value, the run's length as plain LEB128.
    Rle = 2,
    /// Runs of a delta: a token, the run's length as plain LEB128.
    DeltaRle = 3,
}

/// Bits of an index into this many values.
fn index_bits(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// The values of a section's field in these points, as deltas are taken of them.
fn values<'a>(step: &'a Step, points: &'a [u8], point_step: usize) -> impl Iterator<Item = i64> + 'a {
    let Codec::Integer(kind) = step.codec else { unreachable!("sections hold integers") };
    points.chunks_exact(point_step).map(move |point| integer(kind, &point[step.offset..]))
}

/// The bytes of one value.
fn width(step: &Step) -> usize {
    let Codec::Integer(kind) = step.codec else { unreachable!("sections hold integers") };
    kind.size()
}

/// The mode of the smallest section for these points; of equals the first one.
///
/// # Errors
/// As [`write_section`].
pub(super) fn choose_mode(step: &Step, probe: &[u8], point_step: usize) -> Result<SectionMode, CloudError> {
    use SectionMode::{DeltaRle, DeltaVarint, Palette, Rle};
    let (mut best, mut least) = (DeltaVarint, usize::MAX);
    for mode in [DeltaVarint, Palette, Rle, DeltaRle] {
        let mut bytes = Vec::new();
        write_section(step, mode, probe, point_step, &mut bytes)?;
        if bytes.len() < least {
            (best, least) = (mode, bytes.len());
        }
    }
    Ok(best)
}

/// Appends the section of a field.
///
/// # Errors
/// `Unrepresentable`, with the field and the point within the chunk, for a delta of -2^63.
pub(super) fn write_section(
    step: &Step,
    mode: SectionMode,
    points: &[u8],
    point_step: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), CloudError> {
    bytes.push(mode as u8);
    let values = values(step, points, point_step);
    match mode {
        SectionMode::DeltaVarint => {
            for token in tokens(step, values) {
                encode_token(token?, bytes);
            }
        }
        SectionMode::Palette => write_palette(values, width(step), bytes),
        SectionMode::Rle => write_runs(values.map(Ok), bytes, |value, bytes| {
            bytes.extend(&value.to_le_bytes()[..width(step)]);
        })?,
        SectionMode::DeltaRle => write_runs(tokens(step, values), bytes, encode_token)?,
    }
    Ok(())
}

/// The values' tokens.
fn tokens<'a>(
    step: &'a Step,
    values: impl Iterator<Item = i64> + 'a,
) -> impl Iterator<Item = Result<u64, CloudError>> + 'a {
    let mut previous = 0_i64;
    values.enumerate().map(move |(point, value)| {
        let delta = value.wrapping_sub(std::mem::replace(&mut previous, value));
        token_of_delta(delta).ok_or_else(|| {
            let what =
                format!("the delta to {value} is -2^63, which has no token: it would be the NaN marker");
            CloudError::new(CloudErrorKind::Unrepresentable, what).in_field(&step.name).at_point(point)
        })
    })
}

/// The palette and its indexes. A chunk has fewer points than the count has values, so it always fits.
fn write_palette(values: impl Iterator<Item = i64>, width: usize, bytes: &mut Vec<u8>) {
    let (mut places, mut palette) = (HashMap::new(), Vec::new());
    let indexes: Vec<u64> = values
        .map(|value| {
            *places.entry(value).or_insert_with(|| {
                palette.push(value);
                palette.len() as u64 - 1
            })
        })
        .collect();
    bytes.extend((palette.len() as u16).to_le_bytes());
    bytes.extend(palette.iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)));
    let bits = index_bits(palette.len());
    let (mut packed, mut held) = (0_u64, 0);
    for index in indexes {
        packed |= index << held;
        held += bits;
        while held >= 8 {
            bytes.push(packed as u8);
            packed >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        bytes.push(packed as u8);
    }
}

/// The number of runs of equal items, then each run.
fn write_runs<T: PartialEq>(
    mut items: impl Iterator<Item = Result<T, CloudError>>,
    bytes: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) -> Result<(), CloudError> {
    let place = bytes.len();
    bytes.extend(0_u32.to_le_bytes());
    let mut runs = 0_u32;
    let mut next = items.next().transpose()?;
    while let Some(item) = next {
        let mut length = 1;
        next = loop {
            match items.next().transpose()? {
                Some(other) if other == item => length += 1,
                other => break other,
            }
        };
        write(item, bytes);
        encode_token(length, bytes);
        runs += 1;
    }
    bytes[place..place + 4].copy_from_slice(&runs.to_le_bytes());
    Ok(())
}

/// Where in a section something is wrong: the point, if it is a value.
type SectionFlaw = (CloudErrorKind, Option<usize>, &'static str);

/// Reads one field's section from the front of `run` into the chunk's points.
///
/// # Errors
/// With the field, and the point within the chunk where a value is wrong. `Malformed` says that the section
/// contradicts itself: an unknown mode, a palette without values, an index outside it, runs that do not fill
/// the chunk exactly.
pub(super) fn read_section<D: Decoder<Layout = Leb128>>(
    decoder: D,
    step: &Step,
    run: &mut Run<'_>,
    point_step: usize,
    points: &mut [u8],
) -> Result<(), CloudError> {
    let mut column = Column { points, point_step, offset: step.offset };
    let done = match width(step) {
        2 => read::<D, 2>(decoder, run, &mut column),
        4 => read::<D, 4>(decoder, run, &mut column),
        _ => read::<D, 8>(decoder, run, &mut column),
    };
    done.map_err(|(kind, point, what)| {
        let error = CloudError { point, ..CloudError::new(kind, what) };
        error.in_field(&step.name)
    })
}

/// One field of all points of a chunk.
struct Column<'a> {
    points: &'a mut [u8],
    point_step: usize,
    offset: usize,
}

impl Column<'_> {
    fn len(&self) -> usize {
        self.points.len() / self.point_step
    }

    /// The field's bytes, point after point.
    fn slots<const N: usize>(&mut self) -> impl Iterator<Item = &mut [u8; N]> {
        let offset = self.offset;
        self.points.chunks_exact_mut(self.point_step).map(move |point| {
            point[offset..].first_chunk_mut().expect("the plan checked that the field lies inside the point")
        })
    }
}

/// What a value's kind of error is called.
pub(super) fn words(kind: CloudErrorKind) -> &'static str {
    match kind {
        CloudErrorKind::Truncated => "the bytes end inside the value, or before it",
        CloudErrorKind::Overflow => "a varint has more than 64 bits",
        CloudErrorKind::NanMarker => "the NaN marker stands where a number has to be",
        _ => "the value's bit-packing contradicts itself",
    }
}

fn at(point: usize) -> impl Fn(CloudErrorKind) -> SectionFlaw {
    move |kind| (kind, Some(point), words(kind))
}

fn malformed(what: &'static str) -> SectionFlaw {
    (CloudErrorKind::Malformed, None, what)
}

fn cut_short() -> SectionFlaw {
    (CloudErrorKind::Truncated, None, "the bytes end inside the section's bookkeeping, or before it")
}

/// The next `N` bytes of bookkeeping.
fn take<const N: usize>(run: &mut Run<'_>) -> Result<[u8; N], SectionFlaw> {
    let (bytes, rest) = run.data.split_first_chunk().ok_or_else(cut_short)?;
    run.data = rest;
    Ok(*bytes)
}

fn read<D: Decoder<Layout = Leb128>, const N: usize>(
    decoder: D,
    run: &mut Run<'_>,
    column: &mut Column<'_>,
) -> Result<(), SectionFlaw> {
    match take::<1>(run)?[0] {
        0 => {
            let mut sum = 0_i64;
            for (point, slot) in column.slots::<N>().enumerate() {
                sum = sum.wrapping_add(next_delta(decoder, run).map_err(at(point))?);
                *slot = low_bytes(sum);
            }
            Ok(())
        }
        1 => read_palette::<N>(run, column),
        2 => read_runs::<N>(run, column),
        3 => read_delta_runs::<D, N>(decoder, run, column),
        _ => Err(malformed("unknown section mode")),
    }
}

fn read_palette<const N: usize>(run: &mut Run<'_>, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
    let count = usize::from(u16::from_le_bytes(take(run)?));
    if count == 0 {
        return Err(malformed("the palette has no values"));
    }
    let (palette, rest) = run.data.split_at_checked(count * N).ok_or_else(cut_short)?;
    let (palette, _) = palette.as_chunks::<N>();
    let bits = index_bits(count) as usize;
    let (indexes, rest) = rest.split_at_checked((column.len() * bits).div_ceil(8)).ok_or_else(cut_short)?;
    run.data = rest;
    let mask = (1_u32 << bits) - 1;
    for (point, slot) in column.slots::<N>().enumerate() {
        let place = point * bits;
        let index = bits_from(&indexes[(place / 8).min(indexes.len())..]) >> (place % 8) & mask;
        *slot = *palette.get(index as usize).ok_or((
            CloudErrorKind::Malformed,
            Some(point),
            "an index is outside the palette",
        ))?;
    }
    Ok(())
}

/// The first 4 bytes as a number; bytes that are not there count as 0. An index has 16 bits at most, so it
/// lies in them wherever in the first byte it starts.
#[inline(always)]
fn bits_from(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or_else(
        || bytes.iter().take(4).rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte)),
        |bytes| u32::from_le_bytes(*bytes),
    )
}

fn read_runs<const N: usize>(run: &mut Run<'_>, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
    let runs = u32::from_le_bytes(take(run)?);
    let mut left = column.len();
    let mut slots = column.slots::<N>();
    for _ in 0..runs {
        let value = take::<N>(run)?;
        let length = run_length(run, &mut left)?;
        slots.by_ref().take(length).for_each(|slot| *slot = value);
    }
    filled(left)
}

fn read_delta_runs<D: Decoder<Layout = Leb128>, const N: usize>(
    decoder: D,
    run: &mut Run<'_>,
    column: &mut Column<'_>,
) -> Result<(), SectionFlaw> {
    let runs = u32::from_le_bytes(take(run)?);
    let points = column.len();
    let mut left = points;
    let mut slots = column.slots::<N>();
    let mut sum = 0_i64;
    for _ in 0..runs {
        let delta = next_delta(decoder, run).map_err(at(points - left))?;
        let length = run_length(run, &mut left)?;
        slots.by_ref().take(length).for_each(|slot| {
            sum = sum.wrapping_add(delta);
            *slot = low_bytes(sum);
        });
    }
    filled(left)
}

/// A run's length, taken off what is left of the chunk: plain LEB128, by the strict reader, and never 0.
fn run_length(run: &mut Run<'_>, left: &mut usize) -> Result<usize, SectionFlaw> {
    let (length, used) = decode_token(run.data)
        .map_err(|error| (kind_of(error), None, "a run's length is cut short or has more than 64 bits"))?;
    run.data = &run.data[used..];
    let length = usize::try_from(length).ok().filter(|&length| length <= *left);
    let length = length.ok_or_else(|| malformed("the runs have more points than the chunk"))?;
    if length == 0 {
        return Err(malformed("a run has no points"));
    }
    *left -= length;
    Ok(length)
}

fn filled(left: usize) -> Result<(), SectionFlaw> {
    if left == 0 { Ok(()) } else { Err(malformed("the runs end before the chunk's points")) }
}
