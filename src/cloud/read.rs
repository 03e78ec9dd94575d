//! One reader for each codec: the next value of a row out of the run, into the point.

use variants::{
    Decoder, ErrorKind, Run,
    layout::{Leb128, leb128::delta_of_token},
};

use super::{
    CloudErrorKind, Codec, Step,
    gorilla::GorillaReader,
    kept::{Again, Reset},
};

/// Why a value could not be read, and which of the reader's fields it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) kind: CloudErrorKind,
    /// The field, counted from the reader's first.
    pub(super) lane: u8,
}

impl From<CloudErrorKind> for Flaw {
    fn from(kind: CloudErrorKind) -> Self {
        Self { kind, lane: 0 }
    }
}

/// Reads one value (a group: 3 or 4) of every point, in turn.
pub(super) trait Read<D> {
    /// Reads from `run` into `point`.
    fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw>;
}

/// What [`Decoder::next_token`] refuses, in the words of a cloud.
pub(super) fn kind_of(error: ErrorKind) -> CloudErrorKind {
    match error {
        ErrorKind::Truncated => CloudErrorKind::Truncated,
        ErrorKind::Overflow | ErrorKind::Wide => CloudErrorKind::Overflow,
        ErrorKind::Malformed => CloudErrorKind::Malformed,
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

/// The next delta, which has to be a number.
#[inline(always)]
pub(super) fn next_delta<D: Decoder<Layout = Leb128>>(
    decoder: D,
    run: &mut Run<'_>,
) -> Result<i64, CloudErrorKind> {
    let token = decoder.next_token(run).map_err(kind_of)?;
    delta_of_token(token).ok_or(CloudErrorKind::NanMarker)
}

/// The next delta of a float, or `None` for NaN, whose marker is one zero byte and no longer form of token 0.
#[inline(always)]
pub(super) fn next_float_delta<D: Decoder<Layout = Leb128>>(
    decoder: D,
    run: &mut Run<'_>,
) -> Result<Option<i64>, CloudErrorKind> {
    if let [0, rest @ ..] = run.data {
        run.data = rest;
        run.taken += 1;
        return Ok(None);
    }
    next_delta(decoder, run).map(Some)
}

/// Stores a value's bytes in the point; the plan has checked that the field lies inside.
#[inline(always)]
fn store<const N: usize>(point: &mut [u8], offset: usize, bytes: [u8; N]) {
    point[offset..offset + N].copy_from_slice(&bytes);
}

/// The next `N` bytes.
#[inline(always)]
fn take<const N: usize>(run: &mut Run<'_>) -> Result<[u8; N], CloudErrorKind> {
    let (bytes, rest) = run.data.split_first_chunk().ok_or(CloudErrorKind::Truncated)?;
    run.data = rest;
    Ok(*bytes)
}

/// The leading group of `N` floats: sums wrap in 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<const N: usize> {
    lanes: [(usize, f32); N],
    sums: [i32; N],
}

impl<const N: usize> Group<N> {
    /// The group of a plan's first `N` steps.
    pub(super) fn new(steps: &[Step]) -> Self {
        let mut lanes = [(0, 0.0); N];
        for (lane, step) in lanes.iter_mut().zip(steps) {
            if let Codec::Group { resolution } = step.codec {
                *lane = (step.offset, resolution);
            }
        }
        Self { lanes, sums: [0; N] }
    }
}

impl<D: Decoder<Layout = Leb128>, const N: usize> Read<D> for Group<N> {
    #[inline(always)]
    fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        // A copy that nothing else points at can live in registers.
        let mut left = *run;
        for lane in 0..N {
            let (offset, resolution) = self.lanes[lane];
            let delta =
                next_float_delta(decoder, &mut left).map_err(|kind| Flaw { kind, lane: lane as u8 })?;
            let sum = &mut self.sums[lane];
            let value = if let Some(delta) = delta {
                *sum = sum.wrapping_add(delta as i32);
                *sum as f32 * resolution
            } else {
                *sum = 0;
                f32::NAN
            };
            store(point, offset, value.to_le_bytes());
        }
        *run = left;
        Ok(())
    }
}

/// A float on a 64-bit grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lossy<F> {
    offset: usize,
    resolution: F,
    sum: i64,
}

macro_rules! lossy {
    ($float:ty) => {
        impl<D: Decoder<Layout = Leb128>> Read<D> for Lossy<$float> {
            #[inline(always)]
            fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
                let value = if let Some(delta) = next_float_delta(decoder, run)? {
                    self.sum = self.sum.wrapping_add(delta);
                    self.sum as $float * self.resolution
                } else {
                    self.sum = 0;
                    <$float>::NAN
                };
                store(point, self.offset, value.to_le_bytes());
                Ok(())
            }
        }
    };
}

lossy!(f32);
lossy!(f64);

/// An integer of `N` bytes: the low ones of a 64-bit sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integer<const N: usize> {
    offset: usize,
    sum: i64,
}

impl<D: Decoder<Layout = Leb128>, const N: usize> Read<D> for Integer<N> {
    #[inline(always)]
    fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        self.sum = self.sum.wrapping_add(next_delta(decoder, run)?);
        store(point, self.offset, low_bytes::<N>(self.sum));
        Ok(())
    }
}

/// The `N` low bytes of a sum, little endian.
#[inline(always)]
pub(super) fn low_bytes<const N: usize>(sum: i64) -> [u8; N] {
    *sum.to_le_bytes().first_chunk().expect("integers have 8 bytes at most")
}

/// Bytes as they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied<const N: usize> {
    offset: usize,
}

impl<D, const N: usize> Read<D> for Copied<N> {
    #[inline(always)]
    fn read(&mut self, _: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        store::<N>(point, self.offset, take(run)?);
        Ok(())
    }
}

/// A float's bytes XOR the previous ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Xored<const N: usize> {
    offset: usize,
    previous: [u8; N],
}

impl<D, const N: usize> Read<D> for Xored<N> {
    #[inline(always)]
    fn read(&mut self, _: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        let changed = take::<N>(run)?;
        for (byte, change) in self.previous.iter_mut().zip(changed) {
            *byte ^= change;
        }
        store(point, self.offset, self.previous);
        Ok(())
    }
}

/// A bit-packed FLOAT64.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    offset: usize,
    reader: GorillaReader,
}

impl<D> Read<D> for Packed {
    #[inline]
    fn read(&mut self, _: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        let bits = self.reader.read(&mut run.data)?;
        store(point, self.offset, bits.to_le_bytes());
        Ok(())
    }
}

/// Declares [`Reader`], the sum of all readers of single fields, with its two ways to call them.
macro_rules! readers {
    ($($name:ident($reader:ty)),* $(,)?) => {
        /// The reader of one field that is in no group.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Reader { $($name($reader)),* }

        impl Reader {
            /// The reader behind a virtual call.
            pub(super) fn boxed<D: Decoder<Layout = Leb128>>(self) -> Box<dyn Read<D>> {
                match self { $(Self::$name(reader) => Box::new(reader)),* }
            }

            /// The same for a reader that is used again.
            pub(super) fn boxed_again<D: Decoder<Layout = Leb128>>(self) -> Box<dyn Again<D>> {
                match self { $(Self::$name(reader) => Box::new(Reset::new(reader))),* }
            }
        }

        impl<D: Decoder<Layout = Leb128>> Read<D> for Reader {
            #[inline(always)]
            fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
                match self { $(Self::$name(reader) => reader.read(decoder, run, point)),* }
            }
        }
    };
}

readers! {
    Lossy32(Lossy<f32>),
    Lossy64(Lossy<f64>),
    Integer16(Integer<2>),
    Integer32(Integer<4>),
    Integer64(Integer<8>),
    Copied8(Copied<1>),
    Copied16(Copied<2>),
    Copied32(Copied<4>),
    Copied64(Copied<8>),
    Xored32(Xored<4>),
    Xored64(Xored<8>),
    Packed(Packed),
}

impl Reader {
    /// The reader of a step; a lane of a group is read as if it stood alone.
    pub(super) fn new(step: &Step) -> Self {
        let offset = step.offset;
        match step.codec {
            Codec::Group { resolution } | Codec::Lossy32 { resolution } => {
                Self::Lossy32(Lossy { offset, resolution, sum: 0 })
            }
            Codec::Lossy64 { resolution } => {
                Self::Lossy64(Lossy { offset, resolution: resolution.into(), sum: 0 })
            }
            Codec::Integer(kind) => match kind.size() {
                2 => Self::Integer16(Integer { offset, sum: 0 }),
                4 => Self::Integer32(Integer { offset, sum: 0 }),
                _ => Self::Integer64(Integer { offset, sum: 0 }),
            },
            Codec::Copy(kind) => match kind.size() {
                1 => Self::Copied8(Copied { offset }),
                2 => Self::Copied16(Copied { offset }),
                4 => Self::Copied32(Copied { offset }),
                _ => Self::Copied64(Copied { offset }),
            },
            Codec::Xor32 => Self::Xored32(Xored { offset, previous: [0; 4] }),
            Codec::Xor64 => Self::Xored64(Xored { offset, previous: [0; 8] }),
            Codec::Gorilla => Self::Packed(Packed { offset, reader: GorillaReader::default() }),
        }
    }
}
