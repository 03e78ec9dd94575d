//! Chunks: their lengths, their share of the points, and stage 2.

use std::borrow::Cow;

use super::{CHUNK_POINTS, CloudError, CloudErrorKind, Compression, Header, Plan};

/// One chunk as it stands in the file.
pub(super) struct Frame<'a> {
    /// How many points it has to hold.
    pub(super) points: usize,
    /// Its bytes, behind stage 2.
    pub(super) bytes: &'a [u8],
}

/// Cuts a file's body into chunks and gives each its share of the points.
///
/// # Errors
/// `Chunks` if a length is cut short or points outside the body, or if the chunks are more or fewer than the
/// points need.
pub(super) fn frames<'a>(
    header: &Header,
    points: usize,
    body: &'a [u8],
) -> Result<Vec<Frame<'a>>, CloudError> {
    if header.version == 2 {
        // One chunk without a length, whatever its size.
        return Ok(if points == 0 { Vec::new() } else { vec![Frame { points, bytes: body }] });
    }
    framed(points, body)
}

/// The same where every chunk has its length in front of it.
///
/// # Errors
/// As [`frames`].
pub(super) fn framed(points: usize, body: &[u8]) -> Result<Vec<Frame<'_>>, CloudError> {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let (mut rest, mut left) = (body, points);
    while !rest.is_empty() {
        let error = |what: String| CloudError::new(CloudErrorKind::Chunks, what).in_chunk(frames.len(), 0);
        if left == 0 {
            return Err(error(format!(
                "the header's {points} points are complete, but another chunk follows"
            )));
        }
        let (length, behind) =
            rest.split_first_chunk().ok_or_else(|| error("its length is cut short".to_owned()))?;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, behind) = behind
            .split_at_checked(length)
            .ok_or_else(|| error(format!("its length says {length} bytes, but {} are left", behind.len())))?;
        if bytes.is_empty() {
            return Err(error("it is empty".to_owned()));
        }
        let points = left.min(CHUNK_POINTS);
        frames.push(Frame { points, bytes });
        (rest, left) = (behind, left - points);
    }
    if left > 0 {
        let what = format!("the chunks end {left} points before the header's {points}");
        return Err(CloudError::new(CloudErrorKind::Chunks, what));
    }
    Ok(frames)
}

/// A chunk's stage-1 bytes, which are enough to hold its points at the very least: what is allocated for the
/// points later is proven by them.
///
/// # Errors
/// `Compression` if stage 2 fails or yields more than an encoder writes for so many points; `Truncated` if the
/// bytes cannot hold the points.
pub(super) fn unpack<'a>(
    frame: &Frame<'a>,
    compression: Compression,
    plan: &Plan,
) -> Result<Cow<'a, [u8]>, CloudError> {
    let bytes = undo(frame.bytes, compression, plan.most_bytes(frame.points))?;
    let least = plan.least_bytes(frame.points);
    if bytes.len() < least {
        let what = format!(
            "its {} bytes cannot hold {} points, which take {least} or more",
            bytes.len(),
            frame.points
        );
        return Err(CloudError::new(CloudErrorKind::Truncated, what));
    }
    Ok(bytes)
}

/// What stage 2 made `bytes` of, if that is not more than `most`.
///
/// # Errors
/// `Compression` if the library refuses or yields more.
pub(super) fn undo(bytes: &[u8], compression: Compression, most: usize) -> Result<Cow<'_, [u8]>, CloudError> {
    Ok(match compression {
        Compression::None => Cow::Borrowed(bytes),
        Compression::Lz4 => Cow::Owned(unpack_lz4(bytes, most)?),
        Compression::Zstd => Cow::Owned(unpack_zstd(bytes, most)?),
    })
}

/// `bytes` behind stage 2.
///
/// # Errors
/// `Compression` if the library refuses.
pub(super) fn pack(bytes: Vec<u8>, compression: Compression) -> Result<Vec<u8>, CloudError> {
    match compression {
        Compression::None => Ok(bytes),
        Compression::Lz4 => Ok(lz4_flex::block::compress(&bytes)),
        // Level 1, as upstream.
        Compression::Zstd => zstd::bulk::compress(&bytes, 1).map_err(failure),
    }
}

fn failure(error: impl std::fmt::Display) -> CloudError {
    CloudError::new(CloudErrorKind::Compression, error.to_string())
}

/// An LZ4 sequence yields at most 255 bytes for each of its own, so no small chunk asks for much memory.
fn unpack_lz4(bytes: &[u8], most: usize) -> Result<Vec<u8>, CloudError> {
    let mut out = buffer(most.min(bytes.len().saturating_mul(255)))?;
    out.resize(out.capacity(), 0);
    let length = lz4_flex::block::decompress_into(bytes, &mut out).map_err(failure)?;
    out.truncate(length);
    Ok(out)
}

/// A ZSTD block has 4 bytes or more and yields at most 128 KiB; what the frame says of its size is not asked.
fn unpack_zstd(bytes: &[u8], most: usize) -> Result<Vec<u8>, CloudError> {
    let mut out = buffer(most.min((bytes.len() / 4 + 1).saturating_mul(128 << 10)))?;
    zstd::bulk::Decompressor::new()
        .and_then(|mut decompressor| decompressor.decompress_to_buffer(bytes, &mut out))
        .map_err(failure)?;
    Ok(out)
}

/// An empty buffer of this capacity.
fn buffer(capacity: usize) -> Result<Vec<u8>, CloudError> {
    let mut out = Vec::new();
    out.try_reserve_exact(capacity)
        .map_err(|error| CloudError::new(CloudErrorKind::Memory, error.to_string()))?;
    Ok(out)
}
