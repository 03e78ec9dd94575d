//! From a file to points.

use std::{borrow::Cow, num::NonZeroUsize};

use rayon::prelude::*;
use variants::{Decoder, layout::Leb128, lift::Stores};

use super::{
    CHUNK_POINTS, Cloud, CloudError, CloudErrorKind, Field, Header, Path, Plan, byte_count,
    chunk::{Frame, frames, unpack},
    path::decode_chunk_by,
    read_header,
};

/// The largest point step that is decoded. Upstream has no bound, but gap bytes are proven by nothing, and
/// published point types end far below (PCL's longest descriptor has 5.4 kB).
pub const MAX_POINT_STEP: usize = 1 << 16;

/// A chunk with stage 2 undone.
#[derive(Clone, Debug)]
struct Chunk<'a> {
    /// How many points it has to hold.
    points: usize,
    /// Its stage-1 bytes.
    bytes: Cow<'a, [u8]>,
}

/// A file with its header read and stage 2 undone: what is left is the work that decoders are compared by.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    header: Header,
    plan: Plan,
    chunks: Vec<Chunk<'a>>,
    point_bytes: usize,
}

/// Points of more bytes are stored past the cache: more than one core can count on of a cache that all share.
const BEYOND_CACHE: usize = 32 << 20;

/// How the points of a whole cloud are stored.
pub(super) fn stores_for(out: &[u8]) -> Stores {
    if out.len() > BEYOND_CACHE { Stores::NonTemporal } else { Stores::Ordinary }
}

impl<'a> Prepared<'a> {
    /// Reads the header, cuts the chunks and undoes stage 2.
    ///
    /// Memory is taken as the bytes prove it: a chunk that cannot hold its points is refused here, so what the
    /// points will take is known to be real.
    ///
    /// # Errors
    /// `Header`, `Version`, `Chunks`, `Compression`, and `Truncated` for a chunk that is too short for its
    /// points whatever they are.
    pub fn open(bytes: &'a [u8]) -> Result<Self, CloudError> {
        Self::open_by(bytes, |frames, unpack| frames.iter().enumerate().map(unpack).collect())
    }

    /// As [`Prepared::open`], stage 2 shared out among rayon's threads of the current pool.
    ///
    /// # Errors
    /// The same as [`Prepared::open`].
    pub fn open_parallel(bytes: &'a [u8]) -> Result<Self, CloudError> {
        Self::open_by(bytes, |frames, unpack| frames.par_iter().enumerate().map(unpack).collect())
    }

    /// `all` calls the function it is given for every frame and keeps the order.
    fn open_by(
        bytes: &'a [u8],
        all: impl FnOnce(&[Frame<'a>], &Unpack<'_, 'a>) -> Vec<Result<Chunk<'a>, CloudError>>,
    ) -> Result<Self, CloudError> {
        let (header, body) = read_header(bytes)?;
        let point_step = header.point_step as usize;
        let plan = Plan::new(&header.fields, point_step, header.version, header.mode)?;
        let (points, point_bytes) = promised(header.width, header.height, point_step, &header.fields)?;
        let frames = frames(&header, points, body)?;
        let unpack = |(index, frame): (usize, &Frame<'a>)| {
            let bytes = unpack(frame, header.compression, &plan).map_err(|error| error.in_chunk(index, 0))?;
            Ok(Chunk { points: frame.points, bytes })
        };
        let chunks = all(&frames, &unpack).into_iter().collect::<Result<_, _>>()?;
        Ok(Self { header, plan, chunks, point_bytes })
    }

    /// The same, independent of the file's bytes.
    #[must_use]
    pub fn into_owned(self) -> Prepared<'static> {
        let own =
            |chunk: Chunk<'_>| Chunk { points: chunk.points, bytes: Cow::Owned(chunk.bytes.into_owned()) };
        let chunks = self.chunks.into_iter().map(own).collect();
        Prepared { header: self.header, plan: self.plan, chunks, point_bytes: self.point_bytes }
    }

    /// What the file says of its cloud.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How its fields are coded.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.points).sum()
    }

    /// The length of the buffer that [`Prepared::decode_into`] fills.
    #[must_use]
    pub fn point_bytes(&self) -> usize {
        self.point_bytes
    }

    /// The number of points and the stage-1 bytes of each chunk, in order.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = (usize, &[u8])> {
        self.chunks.iter().map(|chunk| (chunk.points, &*chunk.bytes))
    }

    /// Decodes all points into `out`; bytes that no field covers are left as they are.
    ///
    /// # Errors
    /// The first chunk's that cannot be decoded; `out` then holds anything in its fields.
    ///
    /// # Panics
    /// If `out` does not have [`Prepared::point_bytes`] bytes.
    pub fn decode_into<D: Decoder<Layout = Leb128>>(
        &self,
        decoder: D,
        path: Path,
        out: &mut [u8],
    ) -> Result<(), CloudError> {
        let stores = stores_for(out);
        self.with_points(out).try_for_each(|part| self.decode_part(decoder, path, stores, part))
    }

    /// As [`Prepared::decode_into`], the chunks shared out among rayon's threads of the current pool.
    ///
    /// # Errors
    /// The same as [`Prepared::decode_into`]: those of the first chunk that cannot be decoded.
    ///
    /// # Panics
    /// If `out` does not have [`Prepared::point_bytes`] bytes.
    pub fn decode_into_parallel<D: Decoder<Layout = Leb128>>(
        &self,
        decoder: D,
        path: Path,
        out: &mut [u8],
    ) -> Result<(), CloudError> {
        let stores = stores_for(out);
        let parts = self.with_points(out).collect();
        each_in_parallel(parts, &|part| self.decode_part(decoder, path, stores, part))
    }

    /// Decodes chunk after chunk to the front of `window`, one over the other: for timing decoders while the
    /// output stays in a cache.
    ///
    /// # Errors
    /// As [`Prepared::decode_into`].
    ///
    /// # Panics
    /// If `window` has fewer than [`Prepared::largest_chunk`] bytes.
    pub fn decode_over<D: Decoder<Layout = Leb128>>(
        &self,
        decoder: D,
        path: Path,
        window: &mut [u8],
    ) -> Result<(), CloudError> {
        self.chunks.iter().enumerate().try_for_each(|(index, chunk)| {
            let points = &mut window[..chunk.points * self.plan.point_step];
            self.decode_part(decoder, path, Stores::Ordinary, (index, &chunk.bytes, points))
        })
    }

    /// The bytes of the points of the largest chunk.
    #[must_use]
    pub fn largest_chunk(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.points).max().unwrap_or(0) * self.plan.point_step
    }

    /// Each chunk with its number and its share of `out`.
    fn with_points<'b>(&'b self, out: &'b mut [u8]) -> impl Iterator<Item = Part<'b>> {
        assert_eq!(out.len(), self.point_bytes, "a buffer of exactly the points' bytes");
        let mut rest = out;
        self.chunks.iter().enumerate().map(move |(index, chunk)| {
            let bytes = chunk.points * self.plan.point_step;
            let (points, behind) = std::mem::take(&mut rest).split_at_mut(bytes);
            rest = behind;
            (index, &*chunk.bytes, points)
        })
    }

    fn decode_part<D: Decoder<Layout = Leb128>>(
        &self,
        decoder: D,
        path: Path,
        stores: Stores,
        (index, bytes, points): Part<'_>,
    ) -> Result<(), CloudError> {
        decode_chunk_by(decoder, path, stores, &self.plan, bytes, points)
            .map_err(|error| error.in_chunk(index, index * CHUNK_POINTS))
    }

    /// A zeroed buffer for the points.
    fn buffer(&self) -> Result<Vec<u8>, CloudError> {
        let mut out = Vec::new();
        out.try_reserve_exact(self.point_bytes)
            .map_err(|error| CloudError::new(CloudErrorKind::Memory, error.to_string()))?;
        out.resize(self.point_bytes, 0);
        Ok(out)
    }

    fn into_cloud(self, data: Vec<u8>) -> Cloud {
        let Header { width, height, point_step, fields, .. } = self.header;
        Cloud { fields, width, height, point_step: point_step as usize, data }
    }
}

/// The points that a header promises, and their bytes.
///
/// # Errors
/// `Header` if there cannot be as many, or if they cannot be decoded.
pub(super) fn promised(
    width: u32,
    height: u32,
    point_step: usize,
    fields: &[Field],
) -> Result<(usize, usize), CloudError> {
    let refusal = |what: String| CloudError::new(CloudErrorKind::Header, what);
    let bytes = byte_count(width, height, point_step).map_err(|error| refusal(error.to_string()))?;
    let points = width as usize * height as usize;
    if points > 0 && fields.is_empty() {
        return Err(refusal(format!("{points} points without a field have nothing to decode")));
    }
    if point_step > MAX_POINT_STEP {
        return Err(refusal(format!(
            "a point step of {point_step} bytes is more than the {MAX_POINT_STEP} that are decoded"
        )));
    }
    Ok((points, bytes))
}

/// The work on every part, shared out among rayon's threads of the current pool. The work is a virtual call, so
/// that rayon's code is compiled once and not once for each decoder.
///
/// # Errors
/// Those of the first part that cannot be decoded.
pub(super) fn each_in_parallel<P: Send>(
    parts: Vec<P>,
    decode: &(dyn Fn(P) -> Result<(), CloudError> + Sync),
) -> Result<(), CloudError> {
    let done: Vec<_> = parts.into_par_iter().map(decode).collect();
    done.into_iter().collect()
}

/// Undoes stage 2 of a chunk, given its number.
type Unpack<'b, 'a> = dyn Fn((usize, &Frame<'a>)) -> Result<Chunk<'a>, CloudError> + Sync + 'b;

/// A chunk's number, its stage-1 bytes and the place of its points.
type Part<'a> = (usize, &'a [u8], &'a mut [u8]);

/// The cloud of a file. Bytes that no field covers are 0.
///
/// No bytes at all are an empty cloud: that is what upstream's ROS messages hold when there are no points.
///
/// # Errors
/// Those of [`Prepared::open`] and [`Prepared::decode_into`]; `Memory` if there is none for the points.
pub fn decode<D: Decoder<Layout = Leb128>>(
    bytes: &[u8],
    path: Path,
    decoder: D,
) -> Result<Cloud, CloudError> {
    if bytes.is_empty() {
        return Ok(empty());
    }
    let prepared = Prepared::open(bytes)?;
    let mut out = prepared.buffer()?;
    prepared.decode_into(decoder, path, &mut out)?;
    Ok(prepared.into_cloud(out))
}

/// As [`decode`], on `threads` threads; the result is the same.
///
/// # Errors
/// As [`decode`], and `Memory` if the threads cannot be started.
pub fn decode_on<D: Decoder<Layout = Leb128>>(
    bytes: &[u8],
    path: Path,
    decoder: D,
    threads: NonZeroUsize,
) -> Result<Cloud, CloudError> {
    if bytes.is_empty() {
        return Ok(empty());
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build()
        .map_err(|error| CloudError::new(CloudErrorKind::Memory, error.to_string()))?;
    pool.install(|| {
        let prepared = Prepared::open_parallel(bytes)?;
        let mut out = prepared.buffer()?;
        prepared.decode_into_parallel(decoder, path, &mut out)?;
        Ok(prepared.into_cloud(out))
    })
}

fn empty() -> Cloud {
    Cloud { fields: Vec::new(), width: 0, height: 0, point_step: 0, data: Vec::new() }
}
