//! The tokens of a cloud: what a capture puts in front of the decoders, whatever the layout.
//!
//! Mode LOSSY. Fields without tokens (8-bit ones, floats without a resolution) are left out, so one cloud's
//! tokens are the same whether version 4 or 5 would write them.

use super::{CHUNK_POINTS, Cloud, CloudError, Mode, Plan, quantise::TokenWriter};

/// One run of tokens for each chunk of [`CHUNK_POINTS`] points, the fields interleaved as version 4 writes
/// them. A cloud without points or without token fields has no runs.
///
/// # Errors
/// `Unrepresentable` names the first point and field that the grid or the token cannot hold (an infinity, a
/// value outside the 32-bit grid of a leading group, a delta of -2^63); `Header` a resolution that is no grid
/// or a field outside the point.
pub fn rows(cloud: &Cloud) -> Result<Vec<Vec<u64>>, CloudError> {
    let per_chunk = |chunk: &[u8], writers: &mut [TokenWriter<'_>]| {
        let mut tokens = Vec::with_capacity(chunk.len() / cloud.point_step * writers.len());
        each_token(cloud, chunk, writers, |_, token| tokens.push(token))?;
        Ok(tokens)
    };
    per_chunk_of(cloud, per_chunk)
}

/// For each chunk of [`CHUNK_POINTS`] points, one run of tokens for each token field, in the fields' order.
///
/// # Errors
/// As [`rows`].
pub fn columns(cloud: &Cloud) -> Result<Vec<Vec<Vec<u64>>>, CloudError> {
    let per_chunk = |chunk: &[u8], writers: &mut [TokenWriter<'_>]| {
        let points = chunk.len() / cloud.point_step;
        let mut columns: Vec<_> = writers.iter().map(|_| Vec::with_capacity(points)).collect();
        each_token(cloud, chunk, writers, |field, token| columns[field].push(token))?;
        Ok(columns)
    };
    per_chunk_of(cloud, per_chunk)
}

/// Calls `per_chunk` with each chunk's points and fresh writers.
fn per_chunk_of<T>(
    cloud: &Cloud,
    per_chunk: impl Fn(&[u8], &mut [TokenWriter<'_>]) -> Result<T, CloudError>,
) -> Result<Vec<T>, CloudError> {
    let plan = Plan::of_cloud(cloud, 4, Mode::Lossy)?;
    let steps: Vec<_> = plan.rows.iter().filter(|step| step.codec.is_token()).collect();
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    cloud
        .data
        .chunks(CHUNK_POINTS * cloud.point_step)
        .enumerate()
        .map(|(index, chunk)| {
            let mut writers: Vec<_> = steps.iter().map(|step| TokenWriter::new(step)).collect();
            per_chunk(chunk, &mut writers).map_err(|error| error.in_chunk(index, index * CHUNK_POINTS))
        })
        .collect()
}

/// Hands out every token of a chunk with the number of its field among the token fields.
fn each_token(
    cloud: &Cloud,
    chunk: &[u8],
    writers: &mut [TokenWriter<'_>],
    mut sink: impl FnMut(usize, u64),
) -> Result<(), CloudError> {
    for (point, bytes) in chunk.chunks_exact(cloud.point_step).enumerate() {
        for (field, writer) in writers.iter_mut().enumerate() {
            sink(field, writer.next(bytes).map_err(|error| error.at_point(point))?);
        }
    }
    Ok(())
}
