//! A cloud in memory: named fields at offsets in points of a fixed step, as ROS PointCloud2 has them.

use std::fmt;

use crate::error::{Error, Result};

/// A field's type. The numbers are those of PointField.msg (1 to 8) and of cloudini's binary header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum FieldType {
    Int8 = 1,
    Uint8 = 2,
    Int16 = 3,
    Uint16 = 4,
    Int32 = 5,
    Uint32 = 6,
    Float32 = 7,
    Float64 = 8,
    Int64 = 9,
    Uint64 = 10,
}

impl FieldType {
    /// All types, by number.
    pub const ALL: [Self; 10] = [
        Self::Int8,
        Self::Uint8,
        Self::Int16,
        Self::Uint16,
        Self::Int32,
        Self::Uint32,
        Self::Float32,
        Self::Float64,
        Self::Int64,
        Self::Uint64,
    ];

    /// Bytes of one value.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Float64 | Self::Int64 | Self::Uint64 => 8,
        }
    }

    /// The name in cloudini's text header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "INT8",
            Self::Uint8 => "UINT8",
            Self::Int16 => "INT16",
            Self::Uint16 => "UINT16",
            Self::Int32 => "INT32",
            Self::Uint32 => "UINT32",
            Self::Float32 => "FLOAT32",
            Self::Float64 => "FLOAT64",
            Self::Int64 => "INT64",
            Self::Uint64 => "UINT64",
        }
    }

    /// The type of a PointField or of a binary header.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Whether cloudini codes it as delta varints whatever the mode: the integers of 16 bits and more.
    #[must_use]
    pub fn is_wide_integer(self) -> bool {
        matches!(self, Self::Int16 | Self::Uint16 | Self::Int32 | Self::Uint32 | Self::Int64 | Self::Uint64)
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One field of every point.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name; `_` is padding by PCD's custom and never a field.
    pub name: String,
    /// Its first byte in the point.
    pub offset: usize,
    /// Its type.
    pub kind: FieldType,
    /// The grid of a lossy float, in the field's own unit; `None` keeps it exact.
    pub resolution: Option<f32>,
}

impl Field {
    /// A field that is kept exactly.
    pub fn new(name: impl Into<String>, offset: usize, kind: FieldType) -> Self {
        Self { name: name.into(), offset, kind, resolution: None }
    }

    /// Whether it is a FLOAT32 by type only: PCL packs colours into the bits of `rgb` and `rgba`.
    #[must_use]
    pub fn is_packed_colour(&self) -> bool {
        self.kind == FieldType::Float32 && matches!(self.name.as_str(), "rgb" | "rgba")
    }
}

/// Points with their layout: `width * height` points of `point_step` bytes, rows tight, little endian.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// In the order in which cloudini codes them, which need not be that of the offsets.
    pub fields: Vec<Field>,
    /// Points in a row; all of them if `height` is 1.
    pub width: u32,
    /// Rows; more than 1 for an organised cloud.
    pub height: u32,
    /// Bytes from one point to the next.
    pub point_step: usize,
    /// The points' bytes; those that no field covers mean nothing.
    pub data: Vec<u8>,
}

impl Cloud {
    /// A checked cloud.
    ///
    /// # Errors
    /// If a field ends outside the point, if there are points of no bytes, or if `data` does not hold exactly
    /// `width * height` points.
    pub fn new(
        fields: Vec<Field>,
        width: u32,
        height: u32,
        point_step: usize,
        data: Vec<u8>,
    ) -> Result<Self> {
        let cloud = Self { fields, width, height, point_step, data };
        cloud.check()?;
        Ok(cloud)
    }

    /// What [`Cloud::new`] checks, for clouds that were put together by hand.
    ///
    /// # Errors
    /// As [`Cloud::new`].
    pub fn check(&self) -> Result<()> {
        check_fields(&self.fields, self.point_step)?;
        check_step(self.width, self.height, self.point_step)?;
        let promised = byte_count(self.width, self.height, self.point_step)?;
        if promised == self.data.len() {
            return Ok(());
        }
        Err(Error::input(format!(
            "{} x {} points of {} bytes are {promised} bytes, but there are {}",
            self.width,
            self.height,
            self.point_step,
            self.data.len()
        )))
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Gives every FLOAT32 field this resolution, upstream's default being 0.001; FLOAT64 fields and colours
    /// packed into a FLOAT32 stay exact.
    #[must_use]
    pub fn with_resolution(mut self, resolution: f32) -> Self {
        for field in &mut self.fields {
            let is_number = field.kind == FieldType::Float32 && !field.is_packed_colour();
            field.resolution = is_number.then_some(resolution);
        }
        self
    }
}

/// Refuses fields that do not lie inside a point.
///
/// # Errors
/// Names the field and both numbers.
pub fn check_fields(fields: &[Field], point_step: usize) -> Result<()> {
    for field in fields {
        let end = field.offset.checked_add(field.kind.size());
        if end.is_none_or(|end| end > point_step) {
            return Err(Error::input(format!(
                "field {} ({}) at offset {} ends outside the point, whose step is {point_step} bytes",
                field.name, field.kind, field.offset
            )));
        }
    }
    Ok(())
}

/// Refuses points of no bytes, of which no data could say how many there are. A cloud without points may have any
/// step.
///
/// # Errors
/// Names the number of points.
pub fn check_step(width: u32, height: u32, point_step: usize) -> Result<()> {
    if point_step == 0 && width != 0 && height != 0 {
        return Err(Error::input(format!("point_step is 0 but there are {width} x {height} points")));
    }
    Ok(())
}

/// The bytes of `width * height` points, checked.
///
/// # Errors
/// If the product does not fit the machine's addresses.
pub fn byte_count(width: u32, height: u32, point_step: usize) -> Result<usize> {
    (width as usize)
        .checked_mul(height as usize)
        .and_then(|points| points.checked_mul(point_step))
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| {
            Error::input(format!("{width} x {height} points of {point_step} bytes do not fit in memory"))
        })
}
