//! A chunk's parts: where they lie, and the fields that are not tokens.

use std::ops::Range;

use super::{
    super::{
        CloudError, CloudErrorKind, Codec, Plan, Step,
        gorilla::{GorillaReader, GorillaWriter},
        quantise::head,
        read::words,
    },
    Arrangement,
};

/// Bytes of a part's length.
const LENGTH: usize = 4;

/// What the longest encoding of a token takes: the low bytes of Stream VByte's and an exception.
const MOST_OF_TOKEN: usize = 20;

/// The steps that are tokens.
pub(super) fn token_steps(plan: &Plan) -> Vec<&Step> {
    plan.rows.iter().filter(|step| step.codec.is_token()).collect()
}

/// The steps that are not.
pub(super) fn other_steps(plan: &Plan) -> Vec<&Step> {
    plan.rows.iter().filter(|step| !step.codec.is_token()).collect()
}

/// How many runs of tokens a chunk has.
pub(super) fn runs(plan: &Plan, arrangement: Arrangement) -> usize {
    let tokens = plan.rows.iter().filter(|step| step.codec.is_token()).count();
    match arrangement {
        Arrangement::Rows => tokens.min(1),
        Arrangement::Columns => tokens,
    }
}

/// The most bytes that an encoder writes for a chunk of this many points, whatever the layout.
pub(super) fn most_bytes(plan: &Plan, points: usize) -> usize {
    let values = plan.rows.iter().map(|step| match step.codec {
        Codec::Copy(_) => step.bytes,
        _ => MOST_OF_TOKEN,
    });
    // Lengths, and groups that are filled up.
    points.saturating_mul(values.sum()).saturating_add(4096 * (plan.rows.len() + 1))
}

/// Appends a part.
///
/// # Errors
/// `Chunks` if it is too long for its length.
pub(super) fn push(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), CloudError> {
    let start = bytes.len();
    bytes.extend([0; LENGTH]);
    write(bytes);
    let length = u32::try_from(bytes.len() - start - LENGTH)
        .map_err(|_| CloudError::new(CloudErrorKind::Chunks, "a part has more than 4 GiB"))?;
    bytes[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// The places of a chunk's parts, and a check that those of the other fields can hold so many points.
///
/// # Errors
/// `Truncated` if a part's length or its bytes are not all there, or a field's part is too short for its
/// values; `LeftOver` for bytes behind the last part, or behind a field's copied values.
pub(super) fn parts(
    plan: &Plan,
    arrangement: Arrangement,
    points: usize,
    bytes: &[u8],
) -> Result<Vec<Range<usize>>, CloudError> {
    let (runs, others) = (runs(plan, arrangement), other_steps(plan));
    let named: Vec<_> = match arrangement {
        Arrangement::Rows => vec![None; runs],
        Arrangement::Columns => token_steps(plan).into_iter().map(Some).collect(),
    };
    let mut parts = Vec::new();
    let mut at = 0;
    for step in named.into_iter().chain(others.iter().copied().map(Some)) {
        let place = |error: CloudError| match step {
            Some(step) => error.in_field(&step.name),
            None => error,
        };
        let truncated = |what: String| place(CloudError::new(CloudErrorKind::Truncated, what));
        let length = bytes[at..].first_chunk::<LENGTH>().map(|length| u32::from_le_bytes(*length) as usize);
        let length = length.ok_or_else(|| truncated("the length of its part is cut short".to_owned()))?;
        let start = at + LENGTH;
        if length > bytes.len() - start {
            let what = format!("its part has {length} bytes, but {} are left", bytes.len() - start);
            return Err(truncated(what));
        }
        at = start + length;
        parts.push(start..at);
    }
    if at < bytes.len() {
        let what = format!("{} bytes are left behind its last part", bytes.len() - at);
        return Err(CloudError::new(CloudErrorKind::LeftOver, what));
    }
    for (step, part) in others.into_iter().zip(&parts[runs..]) {
        let error = |kind, what: String| Err(CloudError::new(kind, what).in_field(&step.name));
        // A packed value takes a byte or more; its exact length shows when it is read.
        let is_copy = matches!(step.codec, Codec::Copy(_));
        let least = points.saturating_mul(if is_copy { step.bytes } else { 1 });
        if part.len() < least {
            let what = format!("its {} bytes cannot hold {points} values, which take {least}", part.len());
            return error(CloudErrorKind::Truncated, what);
        }
        if is_copy && part.len() > least {
            let what = format!("{} bytes are left behind its last value", part.len() - least);
            return error(CloudErrorKind::LeftOver, what);
        }
    }
    Ok(parts)
}

/// Appends the values of a field that is not tokens, of all points of a chunk.
pub(super) fn write_other(step: &Step, points: &[u8], point_step: usize, bytes: &mut Vec<u8>) {
    let values = points.chunks_exact(point_step).map(|point| &point[step.offset..][..step.bytes]);
    if matches!(step.codec, Codec::Copy(_)) {
        values.for_each(|value| bytes.extend(value));
    } else {
        let mut writer = GorillaWriter::default();
        values.for_each(|value| writer.write(u64::from_le_bytes(head(value)), bytes));
    }
}

/// Reads what [`write_other`] wrote into the points of a chunk.
///
/// # Errors
/// The first packed value that cannot be read, with its point within the chunk; `LeftOver` for bytes behind the
/// last one.
pub(super) fn read_other(
    step: &Step,
    bytes: &[u8],
    point_step: usize,
    points: &mut [u8],
) -> Result<(), CloudError> {
    match (step.codec, step.bytes) {
        (Codec::Copy(_), 1) => copy::<1>(step.offset, bytes, point_step, points),
        (Codec::Copy(_), 2) => copy::<2>(step.offset, bytes, point_step, points),
        (Codec::Copy(_), 4) => copy::<4>(step.offset, bytes, point_step, points),
        (Codec::Copy(_), _) => copy::<8>(step.offset, bytes, point_step, points),
        _ => return unpack(step, bytes, point_step, points),
    }
    Ok(())
}

fn copy<const N: usize>(offset: usize, bytes: &[u8], point_step: usize, points: &mut [u8]) {
    for (point, value) in points.chunks_exact_mut(point_step).zip(bytes.as_chunks::<N>().0) {
        point[offset..offset + N].copy_from_slice(value);
    }
}

fn unpack(step: &Step, mut bytes: &[u8], point_step: usize, points: &mut [u8]) -> Result<(), CloudError> {
    let mut reader = GorillaReader::default();
    for (index, point) in points.chunks_exact_mut(point_step).enumerate() {
        let bits = reader
            .read(&mut bytes)
            .map_err(|kind| CloudError::new(kind, words(kind)).in_field(&step.name).at_point(index))?;
        point[step.offset..step.offset + 8].copy_from_slice(&bits.to_le_bytes());
    }
    if bytes.is_empty() {
        return Ok(());
    }
    let what = format!("{} bytes are left behind its last value", bytes.len());
    Err(CloudError::new(CloudErrorKind::LeftOver, what).in_field(&step.name))
}
