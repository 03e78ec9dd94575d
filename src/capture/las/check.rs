//! What has to hold before the `las` and `laz` crates may trust a file's numbers: they multiply, allocate or
//! leave points zero by these.

use ::las::Header;

use crate::{
    capture::cursor::{Cursor, Endian},
    error::{Error, Result},
};

/// The record that describes LAZ's compression: user and number.
const LASZIP: (&str, u16) = ("laszip encoded", 22_204);

/// The kind of compression without chunks.
const ONE_CHUNK: u16 = 1;

/// Checks the numbers of a LAS header.
pub(super) fn header(file: &[u8]) -> Result<()> {
    let raw = ::las::raw::Header::read_from(file)
        .map_err(|error| Error::input(format!("is no LAS file that can be read: {error}")))?;
    if raw.version.major != 1 || raw.version.minor > 4 {
        return Err(Error::input(format!("is LAS {}, but 1.0 to 1.4 are known", raw.version)));
    }
    for (axis, scale, offset) in [
        ("x", raw.x_scale_factor, raw.x_offset),
        ("y", raw.y_scale_factor, raw.y_offset),
        ("z", raw.z_scale_factor, raw.z_offset),
    ] {
        if !scale.is_finite() || scale == 0.0 || !offset.is_finite() {
            return Err(Error::input(format!(
                "scale {scale} and offset {offset} of {axis} make no coordinates of its integers"
            )));
        }
    }
    let short = u64::from(raw.number_of_point_records);
    let long = raw.large_file.map_or(short, |large| large.number_of_point_records);
    // A count of 32 bits that is 0 leaves it to the one of 64 bits.
    if short != 0 && short != long {
        return Err(Error::input(format!(
            "says in one place that it has {short} points and in another that it has {long} points"
        )));
    }
    // The crate looks for what follows the points at this product.
    let bytes = long.checked_mul(u64::from(raw.point_data_record_length));
    if bytes.is_none_or(|bytes| bytes > u64::MAX / 2) {
        return Err(Error::input(format!("says that it has {long} points, more than any file can hold")));
    }
    Ok(())
}

/// Checks LAZ's compression record and chunk table; a plain LAS file has none.
pub(super) fn laszip(header: &Header, file: &[u8]) -> Result<()> {
    if !header.point_format().is_compressed {
        return Ok(());
    }
    let record = header
        .all_vlrs()
        .find(|record| record.user_id == LASZIP.0 && record.record_id == LASZIP.1)
        .ok_or_else(|| Error::input("is LAZ, but has no record that says how it is compressed"))?;
    let mut cursor = Cursor::new(&record.data, Endian::Little);
    let what = "the compression record";
    let compressor = cursor.u16(what)?;
    cursor.take(10, what)?;
    let chunk_points = cursor.u32(what)?;
    cursor.take(16, what)?;
    let items = cursor.u16(what)?;
    let mut bytes = 0;
    for _ in 0..items {
        cursor.u16(what)?;
        bytes += u64::from(cursor.u16(what)?);
        cursor.u16(what)?;
    }
    let length = header.point_format().len();
    if bytes != u64::from(length) {
        return Err(Error::input(format!("compresses {bytes} bytes a point, but its points have {length}")));
    }
    // All points in one piece have no table.
    if compressor == ONE_CHUNK { Ok(()) } else { chunk_table(header, file, chunk_points) }
}

/// The number of chunks is what the crate reserves memory by.
fn chunk_table(header: &Header, file: &[u8], chunk_points: u32) -> Result<()> {
    let what = "the chunk table";
    let mut cursor = Cursor::new(file, Endian::Little);
    cursor.take(96, "the header")?;
    let points_at = cursor.u32("the header")? as usize;
    let read_at = |at: usize| -> Result<Cursor<'_>> {
        let mut cursor = Cursor::new(file, Endian::Little);
        cursor.take(at, what)?;
        Ok(cursor)
    };
    let mut table_at = read_at(points_at)?.u64(what)?;
    if table_at.cast_signed() <= points_at as i64 {
        // A writer that could not go back left the place at the file's end.
        table_at = read_at(file.len().saturating_sub(8))?.u64(what)?;
    }
    let table_at = usize::try_from(table_at)
        .ok()
        .filter(|&at| at > points_at && at < file.len())
        .ok_or_else(|| Error::input(format!("its chunk table is said to be at byte {table_at}, outside")))?;
    let mut table = read_at(table_at)?;
    table.u32(what)?;
    let chunks = table.u32(what)?;
    let points = header.number_of_points();
    if chunks as usize > file.len() || (chunks == 0 && points > 0) {
        return Err(Error::input(format!(
            "its chunk table has {chunks} entries for {points} points in a file of {} bytes",
            file.len()
        )));
    }
    let fixed = chunk_points != 0 && chunk_points != u32::MAX;
    if fixed && u64::from(chunks) * u64::from(chunk_points) < points {
        return Err(Error::input(format!(
            "its chunk table has {chunks} chunks of {chunk_points} points, but {points} points are promised"
        )));
    }
    Ok(())
}
