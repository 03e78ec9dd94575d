//! From a file to points.

use std::{borrow::Cow, ops::Range};

use variants::{
    Class, Decoder, Layout,
    lift::{Lift, Stores},
};

use super::{
    super::{
        CHUNK_POINTS, Cloud, CloudError, CloudErrorKind, Plan,
        bulk::Bulk,
        by_class::ByClass,
        chunk::{Frame, framed, undo},
        decode::{each_in_parallel, promised, stores_for},
    },
    ContainerHeader,
    chunk::{most_bytes, parts, read_other, runs},
    plan_of, read_container_header,
    windows::{Windows, lift_of},
};

/// A chunk with stage 2 undone.
#[derive(Clone, Debug)]
struct Chunk<'a> {
    /// How many points it has to hold.
    points: usize,
    /// Its bytes.
    bytes: Cow<'a, [u8]>,
    /// Its parts' places in them: the runs of tokens, then the other fields.
    parts: Vec<Range<usize>>,
}

/// A file with its header read, stage 2 undone and its parts found: what is left is the work that layouts are
/// compared by.
#[derive(Clone, Debug)]
pub struct PreparedContainer<'a> {
    header: ContainerHeader,
    plan: Plan,
    /// Worked out once, and copied for every use.
    lifts: Box<ByClass<Option<Lift>>>,
    chunks: Vec<Chunk<'a>>,
    point_bytes: usize,
}

impl<'a> PreparedContainer<'a> {
    /// Reads the header, cuts the chunks, undoes stage 2 and finds the parts. Nothing is allocated for points.
    ///
    /// # Errors
    /// `Header`, `Version`, `Chunks` and `Compression`; `Truncated` and `LeftOver` for a chunk whose parts do not
    /// fit its bytes or cannot hold its points.
    pub fn open(bytes: &'a [u8]) -> Result<Self, CloudError> {
        let (header, body) = read_container_header(bytes)?;
        let point_step = header.point_step as usize;
        let plan = plan_of(&header.fields, point_step)?;
        let (points, point_bytes) = promised(header.width, header.height, point_step, &header.fields)?;
        let open = |(index, frame): (usize, Frame<'a>)| {
            let points = frame.points;
            undo(frame.bytes, header.compression, most_bytes(&plan, points))
                .and_then(|bytes| {
                    let parts = parts(&plan, header.arrangement, points, &bytes)?;
                    Ok(Chunk { points, bytes, parts })
                })
                .map_err(|error| error.in_chunk(index, index * CHUNK_POINTS))
        };
        let chunks = framed(points, body)?.into_iter().enumerate().map(open).collect::<Result<_, _>>()?;
        // Which lanes can be lifted does not depend on the class.
        lift_of(&plan, Class::Scalar)?;
        Ok(Self { lifts: Box::new(ByClass::new()), header, plan, chunks, point_bytes })
    }

    /// The same, independent of the file's bytes.
    #[must_use]
    pub fn into_owned(self) -> PreparedContainer<'static> {
        let own = |chunk: Chunk<'_>| Chunk {
            points: chunk.points,
            bytes: Cow::Owned(chunk.bytes.into_owned()),
            parts: chunk.parts,
        };
        PreparedContainer {
            header: self.header,
            plan: self.plan,
            lifts: self.lifts,
            chunks: self.chunks.into_iter().map(own).collect(),
            point_bytes: self.point_bytes,
        }
    }

    /// What the file says of its cloud.
    #[must_use]
    pub fn header(&self) -> &ContainerHeader {
        &self.header
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.points).sum()
    }

    /// The length of the buffer that [`Self::decode_into`] fills.
    #[must_use]
    pub fn point_bytes(&self) -> usize {
        self.point_bytes
    }

    /// The bytes of the points of the largest chunk.
    #[must_use]
    pub fn largest_chunk(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.points).max().unwrap_or(0) * self.plan.point_step
    }

    /// The bytes of all chunks before stage 2, without the chunks' lengths.
    #[must_use]
    pub fn encoded_bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len()).sum()
    }

    /// The bytes of all runs of tokens, without the parts' lengths.
    #[must_use]
    pub fn run_bytes(&self) -> usize {
        let runs = self.chunks.iter().flat_map(|chunk| chunk.runs(&self.plan, &self.header));
        runs.map(<[u8]>::len).sum()
    }

    /// Checks that a decoder of this layout is the one for the file, and that the bytes can hold the tokens as far
    /// as their bookkeeping tells: before anything is allocated for points.
    ///
    /// # Errors
    /// `Header` if the file's layout is another one; `Truncated` or `Malformed`, with chunk and field, if a run
    /// cannot be opened.
    pub fn check<L: Layout>(&self) -> Result<(), CloudError> {
        self.check_layout::<L>()?;
        let mut windows = self.windows(Class::Scalar, Stores::Ordinary);
        self.chunks.iter().enumerate().try_for_each(|(index, chunk)| {
            windows
                .open(L::open::<u64>, chunk.runs(&self.plan, &self.header), chunk.points)
                .map_err(|error| error.in_chunk(index, index * CHUNK_POINTS))
        })
    }

    fn check_layout<L: Layout>(&self) -> Result<(), CloudError> {
        if self.header.layout == L::NAME {
            return Ok(());
        }
        let what =
            format!("the file's layout is {}, this decoder's {}", self.header.layout.escape_debug(), L::NAME);
        Err(CloudError::new(CloudErrorKind::Header, what))
    }

    /// Decodes all points into `out`; bytes that no field covers are left as they are.
    ///
    /// # Errors
    /// `Header` if the file's layout is not the decoder's; else the first chunk's that cannot be decoded. `out`
    /// then holds anything in its fields.
    ///
    /// # Panics
    /// If `out` does not have [`Self::point_bytes`] bytes.
    pub fn decode_into<D: Decoder>(&self, decoder: D, out: &mut [u8]) -> Result<(), CloudError> {
        self.check_layout::<D::Layout>()?;
        let mut windows = self.windows(D::INFO.class, stores_for(out));
        self.with_points(out).try_for_each(|part| self.decode_chunk(&decoder, &mut windows, part))
    }

    /// As [`Self::decode_into`], the chunks shared out among rayon's threads of the current pool.
    ///
    /// # Errors
    /// The same as [`Self::decode_into`]: those of the first chunk that cannot be decoded.
    ///
    /// # Panics
    /// If `out` does not have [`Self::point_bytes`] bytes.
    pub fn decode_into_parallel<D: Decoder>(&self, decoder: D, out: &mut [u8]) -> Result<(), CloudError> {
        self.check_layout::<D::Layout>()?;
        let stores = stores_for(out);
        each_in_parallel(self.with_points(out).collect(), &|part| {
            self.decode_chunk(&decoder, &mut self.windows(D::INFO.class, stores), part)
        })
    }

    /// Decodes chunk after chunk to the front of `window`, one over the other: for timing decoders while the
    /// output stays in a cache.
    ///
    /// # Errors
    /// As [`Self::decode_into`].
    ///
    /// # Panics
    /// If `window` has fewer than [`Self::largest_chunk`] bytes.
    pub fn decode_over<D: Decoder>(&self, decoder: D, window: &mut [u8]) -> Result<(), CloudError> {
        self.check_layout::<D::Layout>()?;
        let mut windows = self.windows(D::INFO.class, Stores::Ordinary);
        self.chunks.iter().enumerate().try_for_each(|(index, chunk)| {
            let points = &mut window[..chunk.points * self.plan.point_step];
            self.decode_chunk(&decoder, &mut windows, (index, chunk, points))
        })
    }

    fn windows(&self, class: Class, stores: Stores) -> Windows<'_> {
        let make = |class| lift_of(&self.plan, class).expect("opening has tried");
        let lift = self.lifts.get(class, make).clone().map(|lift| lift.with_stores(stores));
        Windows::new(&self.plan, self.header.arrangement, lift)
    }

    /// Each chunk with its number and its share of `out`.
    fn with_points<'b>(&self, out: &'b mut [u8]) -> impl Iterator<Item = Part<'_, 'b>> {
        assert_eq!(out.len(), self.point_bytes, "a buffer of exactly the points' bytes");
        let mut rest = out;
        self.chunks.iter().enumerate().map(move |(index, chunk)| {
            let bytes = chunk.points * self.plan.point_step;
            let (points, behind) = std::mem::take(&mut rest).split_at_mut(bytes);
            rest = behind;
            (index, chunk, points)
        })
    }

    fn decode_chunk<'b>(
        &'b self,
        decoder: &dyn Bulk,
        windows: &mut Windows<'b>,
        (index, chunk, points): Part<'b, '_>,
    ) -> Result<(), CloudError> {
        windows
            .decode(decoder, chunk.runs(&self.plan, &self.header), points)
            .and_then(|()| self.read_others(chunk, points))
            .map_err(|error| error.in_chunk(index, index * CHUNK_POINTS))
    }

    /// The fields that are not tokens.
    fn read_others(&self, chunk: &Chunk<'_>, points: &mut [u8]) -> Result<(), CloudError> {
        let parts = &chunk.parts[runs(&self.plan, self.header.arrangement)..];
        let steps = self.plan.rows.iter().filter(|step| !step.codec.is_token());
        steps.zip(parts).try_for_each(|(step, part)| {
            read_other(step, &chunk.bytes[part.clone()], self.plan.point_step, points)
        })
    }
}

impl Chunk<'_> {
    /// The bytes of its runs.
    fn runs(&self, plan: &Plan, header: &ContainerHeader) -> impl Iterator<Item = &[u8]> {
        let parts = &self.parts[..runs(plan, header.arrangement)];
        parts.iter().map(|part| &self.bytes[part.clone()])
    }
}

/// A chunk's number, the chunk and the place of its points.
type Part<'a, 'b> = (usize, &'a Chunk<'a>, &'b mut [u8]);

/// The cloud of a file. Bytes that no field covers are 0.
///
/// # Errors
/// Those of [`PreparedContainer::open`], [`PreparedContainer::check`] and [`PreparedContainer::decode_into`];
/// `Memory` if there is none for the points.
pub fn decode_container<D: Decoder>(bytes: &[u8], decoder: D) -> Result<Cloud, CloudError> {
    let prepared = PreparedContainer::open(bytes)?;
    prepared.check::<D::Layout>()?;
    let mut data = Vec::new();
    data.try_reserve_exact(prepared.point_bytes)
        .map_err(|error| CloudError::new(CloudErrorKind::Memory, error.to_string()))?;
    data.resize(prepared.point_bytes, 0);
    prepared.decode_into(decoder, &mut data)?;
    let ContainerHeader { width, height, point_step, fields, .. } = prepared.header;
    Ok(Cloud { fields, width, height, point_step: point_step as usize, data })
}
