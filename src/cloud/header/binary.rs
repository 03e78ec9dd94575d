//! The binary header of versions before 3, little endian.

use super::{Compression, Header, error, offset_of};
use crate::cloud::{CloudError, Field, FieldType, Mode};

/// The binary header, and the bytes behind it.
pub(super) fn read(version: u8, mut bytes: &[u8]) -> Result<(Header, &[u8]), CloudError> {
    let input = &mut bytes;
    let (width, height) = (u32::from_le_bytes(take(input)?), u32::from_le_bytes(take(input)?));
    let point_step = u32::from_le_bytes(take(input)?);
    let [mode, compression] = take(input)?;
    let fields = read_fields(input)?;
    let mode = Mode::ALL.into_iter().find(|known| *known as u8 == mode);
    let compression = Compression::ALL.into_iter().find(|known| *known as u8 == compression);
    let mode = mode.ok_or_else(|| error("unknown encoding number"))?;
    let compression = compression.ok_or_else(|| error("unknown compression number"))?;
    Ok((Header { version, width, height, point_step, mode, compression, fields }, bytes))
}

/// The number of fields and the fields, from the front of `input`, which moves past them.
pub(in crate::cloud) fn read_fields(input: &mut &[u8]) -> Result<Vec<Field>, CloudError> {
    let count = u16::from_le_bytes(take(input)?);
    let mut fields = Vec::new();
    for _ in 0..count {
        let length = u16::from_le_bytes(take(input)?).into();
        let (name, rest) = input.split_at_checked(length).ok_or_else(cut_short)?;
        *input = rest;
        let name = str::from_utf8(name).map_err(|_| error("a field's name is not UTF-8"))?.to_owned();
        let offset = u32::from_le_bytes(take(input)?) as usize;
        let [kind] = take(input)?;
        let kind = FieldType::from_number(kind)
            .ok_or_else(|| error(format!("unknown type number {kind}")).in_field(&name))?;
        let resolution = f32::from_le_bytes(take(input)?);
        if !resolution.is_finite() {
            return Err(error(format!("resolution has to be finite, not {resolution}")).in_field(&name));
        }
        let resolution = (resolution > 0.0).then_some(resolution);
        fields.push(Field { name, offset, kind, resolution });
    }
    Ok(fields)
}

/// The binary header behind the magic.
pub(super) fn write(header: &Header, bytes: &mut Vec<u8>) -> Result<(), CloudError> {
    for number in [header.width, header.height, header.point_step] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([header.mode as u8, header.compression as u8]);
    write_fields(&header.fields, bytes)
}

/// What [`read_fields`] reads.
pub(in crate::cloud) fn write_fields(fields: &[Field], bytes: &mut Vec<u8>) -> Result<(), CloudError> {
    let count = u16::try_from(fields.len()).map_err(|_| error("more than 65535 fields"))?;
    bytes.extend(count.to_le_bytes());
    for field in fields {
        let length = u16::try_from(field.name.len()).map_err(|_| error("a field's name is too long"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(field.name.bytes());
        bytes.extend(offset_of(field)?.to_le_bytes());
        bytes.push(field.kind as u8);
        bytes.extend(field.resolution.unwrap_or(-1.0).to_le_bytes());
    }
    Ok(())
}

/// The next `N` bytes of a binary header.
pub(in crate::cloud) fn take<const N: usize>(input: &mut &[u8]) -> Result<[u8; N], CloudError> {
    let (bytes, rest) = input.split_first_chunk().ok_or_else(cut_short)?;
    *input = rest;
    Ok(*bytes)
}

fn cut_short() -> CloudError {
    error("the header is too short: it ends inside the binary header")
}
