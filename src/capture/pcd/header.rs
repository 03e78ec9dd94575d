//! The lines in front of the points.

use std::str::FromStr;

use crate::{
    cloud::{Field, FieldType, byte_count},
    error::{Error, Result},
};

/// How the points are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Ascii,
    Binary,
    BinaryCompressed,
}

/// One entry of FIELDS with its SIZE, TYPE and COUNT.
#[derive(Debug)]
pub(super) struct Column {
    name: String,
    /// `None` if no field can have this TYPE and SIZE: fine for padding.
    pub(super) kind: Option<FieldType>,
    pub(super) count: usize,
    /// First byte in the point.
    pub(super) offset: usize,
    /// `SIZE * COUNT`.
    pub(super) bytes: usize,
    /// As the header has it, for messages.
    declared: String,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) columns: Vec<Column>,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) point_step: usize,
    /// The bytes of all points together.
    pub(super) bytes: usize,
    pub(super) storage: Storage,
    /// Lines of the header, so that errors in an ascii body can give a line number.
    pub(super) lines: usize,
}

impl Column {
    pub(super) fn is_padding(&self) -> bool {
        self.name == "_"
    }

    /// For messages.
    pub(super) fn describe(&self) -> String {
        format!("{} ({})", self.name, self.declared)
    }
}

impl Header {
    pub(super) fn points(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The fields: every column but padding.
    pub(super) fn fields(&self) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        for column in self.columns.iter().filter(|column| !column.is_padding() && column.count > 0) {
            if column.count > 1 {
                return Err(Error::input(format!(
                    "field {} has COUNT {}; only fields of one value are supported",
                    column.name, column.count
                )));
            }
            let kind = column.kind.ok_or_else(|| {
                Error::input(format!("field {} is of unknown {}", column.name, column.declared))
            })?;
            fields.push(Field::new(&column.name, column.offset, kind));
        }
        if fields.is_empty() {
            return Err(Error::input("FIELDS names nothing but padding"));
        }
        Ok(fields)
    }
}

/// The header and the bytes behind it.
pub(super) fn parse(file: &[u8]) -> Result<(Header, &[u8])> {
    let mut lines = Lines::default();
    let mut rest = file;
    let mut count = 0;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let line = &rest[..end];
        rest = &rest[end + 1..];
        count += 1;
        let line = std::str::from_utf8(line)
            .map_err(|_| Error::input(format!("is no PCD: header line {count} is not text")))?;
        if let Some(storage) = lines.add(line, count)? {
            return Ok((lines.finish(storage, count)?, rest));
        }
    }
    // The last line of a file without points may lack its line end.
    let last = std::str::from_utf8(rest).unwrap_or_default();
    if let Some(storage) = lines.add(last, count + 1)? {
        return Ok((lines.finish(storage, count + 1)?, &[]));
    }
    Err(Error::input("is no PCD, or cut off in its header: no DATA line"))
}

/// The header's lines as they come.
#[derive(Default)]
struct Lines {
    fields: Option<Vec<String>>,
    size: Option<Vec<String>>,
    kind: Option<Vec<String>>,
    count: Option<Vec<String>>,
    width: Option<u32>,
    height: Option<u32>,
    points: Option<u64>,
}

impl Lines {
    /// Takes one line; the DATA line ends the header and gives the storage.
    fn add(&mut self, line: &str, number: usize) -> Result<Option<Storage>> {
        let mut words = line.split_ascii_whitespace();
        let Some(key) = words.next().filter(|key| !key.starts_with('#')) else {
            return Ok(None);
        };
        let values: Vec<String> = words.map(str::to_owned).collect();
        match key {
            "VERSION" | "VIEWPOINT" => {}
            // COLUMNS is FIELDS' name in version 0.5.
            "FIELDS" | "COLUMNS" => self.fields = Some(values),
            "SIZE" => self.size = Some(values),
            "TYPE" => self.kind = Some(values),
            "COUNT" => self.count = Some(values),
            "WIDTH" => self.width = Some(single(key, &values)?),
            "HEIGHT" => self.height = Some(single(key, &values)?),
            "POINTS" => self.points = Some(single(key, &values)?),
            "DATA" => {
                return match values.first().map(String::as_str) {
                    Some("ascii") => Ok(Some(Storage::Ascii)),
                    Some("binary") => Ok(Some(Storage::Binary)),
                    Some("binary_compressed") => Ok(Some(Storage::BinaryCompressed)),
                    _ => Err(Error::input(format!(
                        "DATA {} is none of ascii, binary, binary_compressed",
                        values.join(" ")
                    ))),
                };
            }
            _ => return Err(Error::input(format!("is no PCD: header line {number} starts with {key:.40?}"))),
        }
        Ok(None)
    }

    fn finish(self, storage: Storage, lines: usize) -> Result<Header> {
        let points = self.points;
        // Files from before organised clouds have POINTS alone.
        let width = match (self.width, points) {
            (Some(width), _) => width,
            (None, Some(points)) => u32::try_from(points)
                .map_err(|_| Error::input(format!("POINTS {points} is more than 4294967295")))?,
            (None, None) => return Err(Error::input("has neither a WIDTH nor a POINTS line")),
        };
        let height = self.height.unwrap_or(1);
        let product = u64::from(width) * u64::from(height);
        if let Some(points) = points.filter(|&points| points != product) {
            return Err(Error::input(format!(
                "POINTS says {points}, but WIDTH {width} x HEIGHT {height} is {product}"
            )));
        }
        let (columns, point_step) = columns(self.fields, self.size, self.kind, self.count)?;
        if point_step == 0 && product > 0 {
            return Err(Error::input(format!("{product} points of 0 bytes: every COUNT is 0")));
        }
        let bytes = byte_count(width, height, point_step)?;
        Ok(Header { columns, width, height, point_step, bytes, storage, lines })
    }
}

fn single<T: FromStr>(key: &str, values: &[String]) -> Result<T> {
    match values {
        [value] => number(key, value),
        _ => Err(Error::input(format!("{key} has {} values instead of one", values.len()))),
    }
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| Error::input(format!("{key} {value} is no number that fits")))
}

fn columns(
    names: Option<Vec<String>>,
    sizes: Option<Vec<String>>,
    kinds: Option<Vec<String>>,
    counts: Option<Vec<String>>,
) -> Result<(Vec<Column>, usize)> {
    let missing = |key| Error::input(format!("has no {key} line"));
    let names = names.ok_or_else(|| missing("FIELDS"))?;
    let sizes = sizes.ok_or_else(|| missing("SIZE"))?;
    let kinds = kinds.ok_or_else(|| missing("TYPE"))?;
    let counts = counts.unwrap_or_else(|| vec!["1".to_owned(); names.len()]);
    for (key, length) in [("SIZE", sizes.len()), ("TYPE", kinds.len()), ("COUNT", counts.len())] {
        if length != names.len() {
            return Err(Error::input(format!("{key} has {length} entries, but FIELDS has {}", names.len())));
        }
    }
    let mut columns = Vec::new();
    let mut step = 0_usize;
    for (((name, size), kind), count) in names.into_iter().zip(&sizes).zip(&kinds).zip(&counts) {
        let size: u8 = number("SIZE", size)?;
        let count = number::<u32>("COUNT", count)? as usize;
        let declared = format!("TYPE {kind} SIZE {size}");
        let kind = field_type(kind, size);
        let bytes = usize::from(size).checked_mul(count);
        let (Some(bytes), Some(end)) = (bytes, bytes.and_then(|bytes| step.checked_add(bytes))) else {
            return Err(Error::input(format!("SIZE times COUNT of field {name} does not fit in memory")));
        };
        columns.push(Column { name, kind, count, offset: step, bytes, declared });
        step = end;
    }
    Ok((columns, step))
}

fn field_type(kind: &str, size: u8) -> Option<FieldType> {
    Some(match (kind, size) {
        ("I", 1) => FieldType::Int8,
        ("I", 2) => FieldType::Int16,
        ("I", 4) => FieldType::Int32,
        ("I", 8) => FieldType::Int64,
        ("U", 1) => FieldType::Uint8,
        ("U", 2) => FieldType::Uint16,
        ("U", 4) => FieldType::Uint32,
        ("U", 8) => FieldType::Uint64,
        ("F", 4) => FieldType::Float32,
        ("F", 8) => FieldType::Float64,
        _ => return None,
    })
}
