//! ROS 2's `sensor_msgs/msg/PointCloud2` as it travels: CDR, the encoding of DDS and of MCAP's ROS 2 profile.
//!
//! The message's layout is that of PointCloud2.msg and PointField.msg (ros2/common_interfaces); CDR is plain
//! CDR of the DDS-RTPS specification: a four-byte encapsulation header, then numbers aligned to their size.
//!
//! Rules where publishers disagree with the definition: `row_step` 0 is taken as tight rows if the data fits
//! exactly; a field's `count` 0 is taken as 1, as PCL does; every other contradiction is an error.

use std::borrow::Cow;

use variants::{Decoder, leb128_loop::Leb128Loop};

use super::cursor::{Cursor, Endian};
use crate::{
    cloud::{self, Cloud, Field, FieldType, byte_count, check_fields, check_step},
    error::{Error, Result},
};

/// Reads one message.
///
/// Fields keep the message's order. Rows come out tight and values little endian, whatever they were; bytes
/// that no field covers are kept as they are.
///
/// # Errors
/// Says which part of the message is cut off or contradicts which other.
pub fn parse(message: &[u8]) -> Result<Cloud> {
    let mut cdr = Cdr::open(message)?;
    cdr.u32("header.stamp.sec")?;
    cdr.u32("header.stamp.nanosec")?;
    cdr.string("header.frame_id")?;
    let height = cdr.u32("height")?;
    let width = cdr.u32("width")?;
    let fields = read_fields(&mut cdr)?;
    let big_endian = cdr.bool("is_bigendian")?;
    let point_step = cdr.u32("point_step")? as usize;
    let row_step = cdr.u32("row_step")? as usize;
    let length = cdr.u32("the length of data")? as usize;
    let data = cdr.cursor.take(length, "data")?;
    cdr.bool("is_dense")?;

    check_fields(&fields, point_step)?;
    check_step(width, height, point_step)?;
    let mut data = tight_rows(data, width, height, point_step, row_step)?.into_owned();
    if big_endian {
        swap_values(&mut data, &fields, point_step);
    }
    Cloud::new(fields, width, height, point_step, data)
}

/// Reads one `point_cloud_interfaces/msg/CompressedPointCloud2` of format `cloudini`, as cloudini's tools and its
/// point_cloud_transport plugin write them: the points are a whole cloudini file, whose header has the say.
///
/// # Errors
/// As [`parse`], if the format is another one, or if the file cannot be decoded or has other points than the
/// message says.
pub fn parse_compressed(message: &[u8]) -> Result<Cloud> {
    let mut cdr = Cdr::open(message)?;
    cdr.u32("header.stamp.sec")?;
    cdr.u32("header.stamp.nanosec")?;
    cdr.string("header.frame_id")?;
    let height = cdr.u32("height")?;
    let width = cdr.u32("width")?;
    read_fields(&mut cdr)?;
    cdr.bool("is_bigendian")?;
    cdr.u32("point_step")?;
    cdr.u32("row_step")?;
    let length = cdr.u32("the length of compressed_data")? as usize;
    let data = cdr.cursor.take(length, "compressed_data")?;
    cdr.bool("is_dense")?;
    let format = cdr.string("format")?;
    if format != "cloudini" {
        return Err(Error::input(format!("has format {format:.40?}, only \"cloudini\" is read")));
    }
    let cloud = decode_cloudini(data)?;
    if u64::from(width) * u64::from(height) != cloud.points() as u64 {
        return Err(Error::input(format!(
            "says that it has {width} x {height} points, but its compressed_data hold {}",
            cloud.points()
        )));
    }
    Ok(cloud)
}

/// The cloud of a cloudini file, by the plainest path.
pub(super) fn decode_cloudini(bytes: &[u8]) -> Result<Cloud> {
    let decoder = Leb128Loop::detect().expect("the plain loop runs on any CPU");
    Ok(cloud::decode(bytes, cloud::Path::PerPoint, decoder)?)
}

fn read_fields(cdr: &mut Cdr<'_>) -> Result<Vec<Field>> {
    let count = cdr.u32("the number of fields")?;
    // No allocation by the count: each field has to be there first.
    let mut fields = Vec::new();
    for index in 0..count {
        let name = cdr.string(&format!("the name of field {index}"))?;
        let offset = cdr.u32(&format!("the offset of field {name}"))? as usize;
        let datatype = cdr.u8(&format!("the datatype of field {name}"))?;
        let elements = cdr.u32(&format!("the count of field {name}"))?;
        let kind = FieldType::from_number(datatype).filter(|_| datatype <= 8).ok_or_else(|| {
            Error::input(format!("field {name} has datatype {datatype}, but PointField.msg knows 1 to 8"))
        })?;
        if elements > 1 {
            return Err(Error::input(format!(
                "field {name} has count {elements}; only fields of one value are supported"
            )));
        }
        fields.push(Field::new(name, offset, kind));
    }
    Ok(fields)
}

/// The points without what pads the rows.
fn tight_rows(
    data: &[u8],
    width: u32,
    height: u32,
    point_step: usize,
    row_step: usize,
) -> Result<Cow<'_, [u8]>> {
    let points = byte_count(width, height, point_step)?;
    let row = byte_count(width, 1, point_step)?;
    if row_step == 0 || row_step == row {
        if points != data.len() {
            return Err(Error::input(format!(
                "{width} x {height} points of {point_step} bytes are {points} bytes, but data holds {}",
                data.len()
            )));
        }
        return Ok(Cow::Borrowed(data));
    }
    if row_step < row {
        return Err(Error::input(format!(
            "row_step is {row_step}, but a row of {width} points of {point_step} bytes takes {row}"
        )));
    }
    let promised = row_step.checked_mul(height as usize);
    if promised != Some(data.len()) {
        return Err(Error::input(format!(
            "{height} rows of row_step {row_step} bytes do not make the {} bytes of data",
            data.len()
        )));
    }
    Ok(data.chunks_exact(row_step).flat_map(|padded| &padded[..row]).copied().collect())
}

fn swap_values(data: &mut [u8], fields: &[Field], point_step: usize) {
    // A field that is listed twice, or overlaps another, must not be swapped twice.
    let mut done = vec![false; point_step];
    for field in fields {
        let end = field.offset + field.kind.size();
        if done[field.offset..end].contains(&true) {
            continue;
        }
        done[field.offset..end].fill(true);
        for point in data.chunks_exact_mut(point_step) {
            point[field.offset..end].reverse();
        }
    }
}

/// CDR: numbers are aligned to their size, counted from behind the encapsulation header.
struct Cdr<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Cdr<'a> {
    fn open(message: &'a [u8]) -> Result<Self> {
        let endian = match message {
            [0, 0, _, _, ..] => Endian::Big,
            [0, 1, _, _, ..] => Endian::Little,
            [a, b, _, _, ..] => {
                return Err(Error::input(format!(
                    "is no plain CDR: it starts with {a:02x} {b:02x} instead of 00 00 or 00 01"
                )));
            }
            _ => {
                return Err(Error::input(format!(
                    "is no CDR: it has {} bytes, its header takes 4",
                    message.len()
                )));
            }
        };
        Ok(Self { cursor: Cursor::new(&message[4..], endian) })
    }

    fn u8(&mut self, what: &str) -> Result<u8> {
        self.cursor.u8(what)
    }

    fn bool(&mut self, what: &str) -> Result<bool> {
        match self.cursor.u8(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Error::input(format!("{what} is {other} instead of 0 or 1"))),
        }
    }

    fn u32(&mut self, what: &str) -> Result<u32> {
        let padding = self.cursor.position().wrapping_neg() % 4;
        self.cursor.take(padding, what)?;
        self.cursor.u32(what)
    }

    fn string(&mut self, what: &str) -> Result<String> {
        let length = self.u32(what)? as usize;
        let bytes = self.cursor.take(length, what)?;
        // The length counts a NUL at the end; an empty string may come without.
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        match std::str::from_utf8(text) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Error::input(format!("{what} is not UTF-8"))),
        }
    }
}
