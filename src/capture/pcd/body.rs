//! The points behind the header.

use super::{
    header::{Column, Header, Storage},
    lzf,
};
use crate::{
    cloud::FieldType,
    error::{Error, Result},
};

/// The points, one after the other, `header.bytes` bytes in all.
pub(super) fn read(header: &Header, body: &[u8]) -> Result<Vec<u8>> {
    match header.storage {
        Storage::Ascii => ascii(header, body),
        Storage::Binary => binary(header, body),
        Storage::BinaryCompressed => compressed(header, body),
    }
}

fn binary(header: &Header, body: &[u8]) -> Result<Vec<u8>> {
    let Some((points, surplus)) = body.split_at_checked(header.bytes) else {
        return Err(Error::input(format!(
            "the header promises {} points of {} bytes, {} bytes in all, but the file holds only {}",
            header.points(),
            header.point_step,
            header.bytes,
            body.len()
        )));
    };
    // PCL's writer used to fill the last memory page with zeros. Anything else behind the points is points
    // that the header does not count, or a wrong step.
    if surplus.len() >= header.point_step && surplus.iter().any(|&byte| byte != 0) {
        return Err(Error::input(format!(
            "the header promises {} points of {} bytes, but {} more bytes follow them",
            header.points(),
            header.point_step,
            surplus.len()
        )));
    }
    Ok(points.to_vec())
}

fn compressed(header: &Header, body: &[u8]) -> Result<Vec<u8>> {
    if header.bytes == 0 {
        return Ok(Vec::new());
    }
    let word = |at: usize| -> Option<usize> {
        let bytes = body.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    };
    let (Some(packed), Some(unpacked)) = (word(0), word(4)) else {
        return Err(Error::input(format!(
            "the compressed points have no size: {} bytes follow the header, 8 have to",
            body.len()
        )));
    };
    if unpacked != header.bytes {
        return Err(Error::input(format!(
            "the compressed points say they unpack to {unpacked} bytes, but {} points of {} bytes are {}",
            header.points(),
            header.point_step,
            header.bytes
        )));
    }
    let data = body[8..].get(..packed).ok_or_else(|| {
        Error::input(format!(
            "the compressed points are said to take {packed} bytes, but the file holds only {}",
            body.len() - 8
        ))
    })?;
    let by_field = lzf::unpack(data, unpacked)?;

    // Compressed files hold column after column.
    let mut points = vec![0; by_field.len()];
    let mut start = 0;
    for column in header.columns.iter().filter(|column| column.bytes > 0) {
        let end = start + column.bytes * header.points();
        let values = by_field[start..end].chunks_exact(column.bytes);
        for (point, value) in points.chunks_exact_mut(header.point_step).zip(values) {
            point[column.offset..column.offset + column.bytes].copy_from_slice(value);
        }
        start = end;
    }
    Ok(points)
}

fn ascii(header: &Header, body: &[u8]) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(body).map_err(|_| Error::input("the ascii points are not text"))?;
    let mut points = Vec::new();
    let mut count = 0;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if count < header.points() {
            ascii_point(header, line, &mut points)
                .map_err(|error| error.within(format!("line {}", header.lines + index + 1)))?;
        }
        count += 1;
    }
    if count != header.points() {
        return Err(Error::input(format!(
            "the header promises {} points, but {count} lines follow it",
            header.points()
        )));
    }
    Ok(points)
}

fn ascii_point(header: &Header, line: &str, points: &mut Vec<u8>) -> Result<()> {
    let mut words = line.split_ascii_whitespace();
    for column in &header.columns {
        if column.is_padding() {
            // Padding is never read: its words are skipped and its bytes are zero. A word each, so the step
            // stays bound to what the file holds.
            for _ in 0..column.count {
                words.next().ok_or_else(|| too_few(column))?;
            }
            points.extend(std::iter::repeat_n(0, column.bytes));
            continue;
        }
        for _ in 0..column.count {
            let word = words.next().ok_or_else(|| too_few(column))?;
            ascii_value(column.kind, word, points).ok_or_else(|| {
                Error::input(format!("{word:.40?} is no value for column {}", column.describe()))
            })?;
        }
    }
    match words.next() {
        None => Ok(()),
        Some(word) => Err(Error::input(format!("has {word:.40?} behind its last column"))),
    }
}

fn too_few(column: &Column) -> Error {
    Error::input(format!("ends before column {}", column.describe()))
}

/// `None` if the word is not a value of this type.
fn ascii_value(kind: Option<FieldType>, word: &str, points: &mut Vec<u8>) -> Option<()> {
    macro_rules! append {
        ($number:ty) => {
            points.extend(word.parse::<$number>().ok()?.to_le_bytes())
        };
    }
    match kind? {
        FieldType::Int8 => append!(i8),
        FieldType::Uint8 => append!(u8),
        FieldType::Int16 => append!(i16),
        FieldType::Uint16 => append!(u16),
        FieldType::Int32 => append!(i32),
        FieldType::Uint32 => append!(u32),
        FieldType::Float32 => append!(f32),
        FieldType::Float64 => append!(f64),
        FieldType::Int64 => append!(i64),
        FieldType::Uint64 => append!(u64),
    }
    Some(())
}
