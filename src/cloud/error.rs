//! What can be wrong with an encoded cloud, or with a cloud that is to be encoded, and where.

use std::fmt;

use crate::error::Error;

/// The kinds of trouble: what a caller may want to tell apart. The message says the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloudErrorKind {
    /// The magic or the header cannot be read, or contradicts itself.
    Header,
    /// The magic is right, but its version is none of those that are supported.
    Version,
    /// The chunks do not fit the header: too many, too few, cut short, or larger than any that could be.
    Chunks,
    /// Stage 2 (LZ4, ZSTD) failed.
    Compression,
    /// The bytes end inside a value.
    Truncated,
    /// A varint has more than 64 bits.
    Overflow,
    /// The NaN marker (token 0) stands where a number has to be.
    NanMarker,
    /// A section or a bit-packed value contradicts itself.
    Malformed,
    /// Bytes are left after the last section of a version 5 chunk.
    LeftOver,
    /// The encoder cannot write this value: infinite, off the integer grid, or a delta without a token.
    Unrepresentable,
    /// The memory for the points cannot be had.
    Memory,
}

/// One refusal: its kind, its place, and a message for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudError {
    /// What is wrong.
    pub kind: CloudErrorKind,
    /// The chunk, counted from 0.
    pub chunk: Option<usize>,
    /// The point, counted from the cloud's first.
    pub point: Option<usize>,
    /// The field's name.
    pub field: Option<String>,
    /// What is wrong, in words.
    pub what: String,
}

impl CloudError {
    /// An error without a place.
    pub fn new(kind: CloudErrorKind, what: impl Into<String>) -> Self {
        Self { kind, chunk: None, point: None, field: None, what: what.into() }
    }

    /// The same error in this chunk, whose first point has this index: a point that was counted within the
    /// chunk is counted from the cloud's first then.
    #[must_use]
    pub fn in_chunk(mut self, chunk: usize, first_point: usize) -> Self {
        self.chunk = Some(chunk);
        self.point = self.point.map(|point| point + first_point);
        self
    }

    /// The same error at this point.
    #[must_use]
    pub fn at_point(mut self, point: usize) -> Self {
        self.point = Some(point);
        self
    }

    /// The same error in this field.
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        self.field = Some(name.to_owned());
        self
    }
}

impl fmt::Display for CloudError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(chunk) = self.chunk {
            write!(f, "chunk {chunk}: ")?;
        }
        if let Some(point) = self.point {
            write!(f, "point {point}: ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "field {field}: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for CloudError {}

impl From<CloudError> for Error {
    fn from(error: CloudError) -> Self {
        Self::input(error.to_string())
    }
}
