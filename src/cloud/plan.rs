//! How each field of a cloud is coded: resolved once from the fields, the version and the mode.

use std::ops::Range;

use super::{Cloud, CloudError, CloudErrorKind, Field, FieldType, block::Lifts, by_class::ByClass};

/// Points in a chunk; the last one holds the rest. All deltas restart with each chunk.
pub const CHUNK_POINTS: usize = 32_768;

/// What stage 1 does with values: cloudini's `encoding_opt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Mode {
    /// Every field is copied.
    None = 0,
    /// Floats with a resolution are put on their grid.
    Lossy = 1,
    /// Every bit is kept.
    Lossless = 2,
}

/// How one field is coded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Codec {
    /// A lane of the leading group: FLOAT32 on a 32-bit grid, one token; deltas and sums wrap in `i32`.
    Group {
        /// The grid's step.
        resolution: f32,
    },
    /// FLOAT32 on a 64-bit grid, one token.
    Lossy32 {
        /// The grid's step.
        resolution: f32,
    },
    /// FLOAT64 on a 64-bit grid, one token.
    Lossy64 {
        /// The grid's step.
        resolution: f32,
    },
    /// An integer of 16 to 64 bits, one token; the sum's low bytes are the value.
    Integer(FieldType),
    /// The value's bytes as they are.
    Copy(FieldType),
    /// 4 bytes: the bits of a FLOAT32 XOR the previous ones.
    Xor32,
    /// 8 bytes: the bits of a FLOAT64 XOR the previous ones; versions before 4.
    Xor64,
    /// A FLOAT64's XOR with the previous one, bit-packed and padded to whole bytes; version 4 and later.
    Gorilla,
}

impl Codec {
    /// Whether a value is one token.
    #[must_use]
    pub fn is_token(self) -> bool {
        matches!(self, Self::Group { .. } | Self::Lossy32 { .. } | Self::Lossy64 { .. } | Self::Integer(_))
    }

    /// Whether token 0 is a value (NaN) here.
    #[must_use]
    pub fn is_lossy_float(self) -> bool {
        matches!(self, Self::Group { .. } | Self::Lossy32 { .. } | Self::Lossy64 { .. })
    }

    /// The fewest bytes that a value can take in a row.
    fn least(self) -> usize {
        match self {
            Self::Copy(kind) => kind.size(),
            Self::Xor32 => 4,
            Self::Xor64 => 8,
            _ => 1,
        }
    }

    /// The most bytes that a value takes in a row, by upstream's reckoning.
    fn most(self) -> usize {
        match self {
            Self::Copy(kind) => kind.size(),
            Self::Xor32 => 7,
            Self::Xor64 | Self::Gorilla => 11,
            _ => 10,
        }
    }
}

/// One field and its codec.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The field's name, for messages.
    pub name: String,
    /// Its first byte in the point.
    pub offset: usize,
    /// Its bytes in the point.
    pub bytes: usize,
    /// How it is coded.
    pub codec: Codec,
}

/// A stretch of a row: what a reader can take at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Consecutive steps of one token each: contiguous LEB128.
    Tokens(Range<usize>),
    /// Consecutive steps that are no tokens.
    Gap(Range<usize>),
}

/// How the points of a cloud are coded.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bytes from one point to the next.
    pub point_step: usize,
    /// What is coded point after point, in this order.
    pub rows: Vec<Step>,
    /// How many steps at the front of `rows` are the leading group: 0, 3 or 4.
    pub group: usize,
    /// Whether two of them share bytes of the point: the order in which they are stored then matters.
    pub rows_overlap: bool,
    /// Version 5: what is coded field after field once the rows are done, in this order.
    pub sections: Vec<Step>,
    /// Whether bytes behind a chunk's last value are an error (version 5's sections) or ignored.
    pub refuses_left_over: bool,
    /// What the block path works out of the above, once for all chunks.
    pub(super) lifts: ByClass<Lifts>,
}

impl Plan {
    /// The plan of fields that are coded by this version (2 to 5) in this mode.
    ///
    /// # Errors
    /// `Header` if a field ends outside the point, or if a resolution that would be used is not positive and
    /// finite.
    pub fn new(fields: &[Field], point_step: usize, version: u8, mode: Mode) -> Result<Self, CloudError> {
        super::check_fields(fields, point_step)
            .map_err(|error| CloudError::new(CloudErrorKind::Header, error.to_string()))?;
        let lossy = mode == Mode::Lossy;
        if lossy {
            fields.iter().try_for_each(check_resolution)?;
        }
        let leading = fields
            .iter()
            .take_while(|field| field.kind == FieldType::Float32 && field.resolution.is_some())
            .count();
        // Five in a row, or two, are no group: each field is then coded alone.
        let group = if lossy && matches!(leading, 3 | 4) { leading } else { 0 };
        let steps = fields.iter().enumerate().map(|(index, field)| Step {
            name: field.name.clone(),
            offset: field.offset,
            codec: codec_of(field, index < group, version, mode),
            bytes: field.kind.size(),
        });
        let sectioned = version >= 5 && lossy;
        let (sections, rows): (Vec<_>, Vec<_>) =
            steps.partition(|step| sectioned && matches!(step.codec, Codec::Integer(_)));
        let refuses_left_over = !sections.is_empty();
        let rows_overlap = overlap(&rows);
        let lifts = ByClass::new();
        Ok(Self { point_step, rows, group, rows_overlap, sections, refuses_left_over, lifts })
    }

    /// The plan that writes this cloud.
    ///
    /// # Errors
    /// As [`Plan::new`], and `Header` if the cloud does not hold the points that it says, or if a FLOAT32 that
    /// packs a colour (`rgb`, `rgba`) has a resolution: on a grid its bytes would be lost.
    pub fn of_cloud(cloud: &Cloud, version: u8, mode: Mode) -> Result<Self, CloudError> {
        cloud.check().map_err(|error| CloudError::new(CloudErrorKind::Header, error.to_string()))?;
        let lossy_colour = |field: &&Field| field.is_packed_colour() && field.resolution.is_some();
        if let Some(field) = cloud.fields.iter().find(lossy_colour).filter(|_| mode == Mode::Lossy) {
            let what = "packs a colour into a FLOAT32: a resolution would destroy it, leave it without one";
            return Err(CloudError::new(CloudErrorKind::Header, what).in_field(&field.name));
        }
        Self::new(&cloud.fields, cloud.point_step, version, mode)
    }

    /// The rows cut where tokens begin and end.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut start = 0;
        for part in self.rows.chunk_by(|a, b| a.codec.is_token() == b.codec.is_token()) {
            let range = start..start + part.len();
            start = range.end;
            spans.push(if part[0].codec.is_token() { Span::Tokens(range) } else { Span::Gap(range) });
        }
        spans
    }

    /// The fewest stage-1 bytes that a chunk of this many points (one or more) can have: what its presence
    /// proves.
    #[must_use]
    pub fn least_bytes(&self, points: usize) -> usize {
        let row = self.rows.iter().map(|step| step.codec.least()).sum::<usize>();
        // The shortest section is the mode and a count of runs, or a palette of one value.
        points.saturating_mul(row).saturating_add(self.sections.len().saturating_mul(2))
    }

    /// The most stage-1 bytes that an encoder writes for a chunk of this many points.
    #[must_use]
    pub fn most_bytes(&self, points: usize) -> usize {
        let row = self.rows.iter().map(|step| step.codec.most()).sum::<usize>();
        // Runs of one: a token and the run's length.
        let sections = self.sections.len().saturating_mul(11);
        let fields = self.rows.len() + self.sections.len();
        points.saturating_mul(row + sections).saturating_add(1024 + 32 * fields)
    }
}

/// Refuses a resolution that is no grid, for fields that it applies to.
fn check_resolution(field: &Field) -> Result<(), CloudError> {
    match (field.kind, field.resolution) {
        (FieldType::Float32 | FieldType::Float64, Some(resolution))
            if !(resolution > 0.0 && resolution.is_finite()) =>
        {
            let what = format!("a resolution has to be positive and finite, not {resolution}");
            Err(CloudError::new(CloudErrorKind::Header, what).in_field(&field.name))
        }
        _ => Ok(()),
    }
}

/// Whether two steps share bytes of the point.
pub(super) fn overlap(steps: &[Step]) -> bool {
    let mut places: Vec<_> = steps.iter().map(|step| (step.offset, step.offset + step.bytes)).collect();
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0].1 > pair[1].0)
}

/// The codec of one field.
fn codec_of(field: &Field, grouped: bool, version: u8, mode: Mode) -> Codec {
    let copy = Codec::Copy(field.kind);
    let exact64 = if version >= 4 { Codec::Gorilla } else { Codec::Xor64 };
    match (mode, field.kind, field.resolution) {
        (Mode::None, _, _) => copy,
        (_, kind, _) if kind.is_wide_integer() => Codec::Integer(kind),
        (Mode::Lossy, FieldType::Float32, Some(resolution)) if grouped => Codec::Group { resolution },
        (Mode::Lossy, FieldType::Float32, Some(resolution)) => Codec::Lossy32 { resolution },
        (Mode::Lossy, FieldType::Float64, Some(resolution)) => Codec::Lossy64 { resolution },
        (Mode::Lossless, FieldType::Float32, _) => Codec::Xor32,
        (_, FieldType::Float64, _) => exact64,
        _ => copy,
    }
}
