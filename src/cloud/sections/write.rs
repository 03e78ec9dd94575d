//! Sections out of points.

use std::collections::HashMap;

use variants::layout::leb128::{encode_token, token_of_delta};

use super::{SectionMode, index_bits, width};
use crate::cloud::{CloudError, CloudErrorKind, Codec, Step, quantise::integer};

/// The mode of the smallest section for these points; of equals the first one.
///
/// # Errors
/// As [`write_section`].
pub(in crate::cloud) fn choose_mode(
    step: &Step,
    probe: &[u8],
    point_step: usize,
) -> Result<SectionMode, CloudError> {
    let (mut best, mut least) = (SectionMode::DeltaVarint, usize::MAX);
    for mode in SectionMode::ALL {
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
pub(in crate::cloud) fn write_section(
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

/// The values of a section's field in these points, as deltas are taken of them.
fn values<'a>(step: &'a Step, points: &'a [u8], point_step: usize) -> impl Iterator<Item = i64> + 'a {
    let Codec::Integer(kind) = step.codec else { unreachable!("sections hold integers") };
    points.chunks_exact(point_step).map(move |point| integer(kind, &point[step.offset..]))
}
