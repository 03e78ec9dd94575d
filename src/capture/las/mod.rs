//! LAS and LAZ, the survey format, through the `las` crate.
//!
//! Source: ASPRS LAS Specification 1.4-R15; LASzip's description of its record and chunk table for the checks
//! that come before the crate is asked.

mod check;
mod quiet;

use std::io;

use ::las::{Header, PointData, PointDataBuilder, Reader};

use crate::{
    cloud::{Cloud, Field, FieldType},
    error::{Error, Result},
};

/// A survey file's points, and what makes coordinates of them.
#[derive(Clone, Debug)]
pub struct Survey {
    /// `x y z` INT32 as stored, `intensity` UINT16, `return_number` and `classification` UINT8,
    /// `point_source_id` UINT16; `gps_time` FLOAT64 and `red green blue`, `nir` UINT16 if the point format has
    /// them. In the file's order, tight.
    pub cloud: Cloud,
    /// Metres, or the file's own unit, of one step in x, y and z.
    pub scale: [f64; 3],
    /// The program that wrote the file, up to its first NUL.
    pub software: String,
}

/// Reads a file's bytes, LAS or LAZ.
///
/// # Errors
/// If the file is damaged, ends before its last point, or has a scale that makes no coordinates.
pub fn parse(file: &[u8]) -> Result<Survey> {
    check::header(file)?;
    // The laz crate panics on some damaged points and compression records instead of refusing them.
    quiet::caught(|| read(file))
        .unwrap_or_else(|| Err(Error::input("is damaged: the laz crate gave up on its points")))
}

fn read(file: &[u8]) -> Result<Survey> {
    let failed = |error: ::las::Error| Error::input(format!("is no LAS file that can be read: {error}"));
    // The header by itself first: a reader of LAZ already reserves memory by the chunk table's count.
    check::laszip(&Header::new(io::Cursor::new(file)).map_err(failed)?, file)?;
    let mut reader = Reader::new(io::Cursor::new(file.to_vec())).map_err(failed)?;
    let header = reader.header();
    let promised = header.number_of_points();
    let width = u32::try_from(promised)
        .map_err(|_| Error::input(format!("has {promised} points, more than a cloud can have")))?;
    let transforms = *header.transforms();
    let software = header.generating_software();
    let software = software.split('\0').next().unwrap_or_default().to_owned();

    // One at a time: memory grows by what the file holds, and an error can tell how far it went.
    let mut one = PointDataBuilder::new().for_header(header).build();
    let mut records = Vec::new();
    for point in 0..promised {
        match reader.fill_points(1, &mut one) {
            Ok(1) => records.extend_from_slice(one.raw_bytes()),
            Ok(_) => return Err(Error::input(format!("ends after {point} of {promised} points"))),
            Err(error) => {
                return Err(Error::input(format!("ends after {point} of {promised} points ({error})")));
            }
        }
    }
    let points =
        PointDataBuilder::new().for_header(reader.header()).build_from_bytes(records).map_err(failed)?;
    for (axis, transform, mut values) in [
        ("x", transforms.x, points.x().collect::<Vec<_>>()),
        ("y", transforms.y, points.y().collect()),
        ("z", transforms.z, points.z().collect()),
    ] {
        values.retain(|value| !value.is_finite());
        if !values.is_empty() {
            return Err(Error::input(format!(
                "{} points have no finite {axis}: scale {} and offset {} are too large",
                values.len(),
                transform.scale,
                transform.offset
            )));
        }
    }
    let scale = [transforms.x.scale, transforms.y.scale, transforms.z.scale];
    Ok(Survey { cloud: cloud(&points, width)?, scale, software })
}

fn cloud(points: &PointData, width: u32) -> Result<Cloud> {
    let mut columns = Columns::default();
    columns.add("x", FieldType::Int32, points.x_raw().map(i32::to_le_bytes));
    columns.add("y", FieldType::Int32, points.y_raw().map(i32::to_le_bytes));
    columns.add("z", FieldType::Int32, points.z_raw().map(i32::to_le_bytes));
    columns.add("intensity", FieldType::Uint16, points.intensity().map(u16::to_le_bytes));
    columns.add("return_number", FieldType::Uint8, points.return_number().map(u8::to_le_bytes));
    columns.add("classification", FieldType::Uint8, points.classification().map(u8::to_le_bytes));
    columns.add("point_source_id", FieldType::Uint16, points.point_source_id().map(u16::to_le_bytes));
    if let Some(times) = points.gps_time() {
        columns.add("gps_time", FieldType::Float64, times.map(f64::to_le_bytes));
    }
    if let Some(colours) = points.rgb() {
        let colours: Vec<(u16, u16, u16)> = colours.collect();
        columns.add("red", FieldType::Uint16, colours.iter().map(|colour| colour.0.to_le_bytes()));
        columns.add("green", FieldType::Uint16, colours.iter().map(|colour| colour.1.to_le_bytes()));
        columns.add("blue", FieldType::Uint16, colours.iter().map(|colour| colour.2.to_le_bytes()));
    }
    if let Some(infrared) = points.nir() {
        columns.add("nir", FieldType::Uint16, infrared.map(u16::to_le_bytes));
    }
    columns.into_cloud(width)
}

/// Fields column after column, to be laid out as tight points.
#[derive(Default)]
struct Columns {
    fields: Vec<Field>,
    bytes: Vec<Vec<u8>>,
    step: usize,
}

impl Columns {
    fn add<const N: usize>(&mut self, name: &str, kind: FieldType, values: impl Iterator<Item = [u8; N]>) {
        debug_assert_eq!(kind.size(), N, "{name}");
        self.fields.push(Field::new(name, self.step, kind));
        self.bytes.push(values.flatten().collect());
        self.step += N;
    }

    fn into_cloud(self, width: u32) -> Result<Cloud> {
        let mut data = vec![0; self.bytes.iter().map(Vec::len).sum()];
        for (field, bytes) in self.fields.iter().zip(&self.bytes) {
            let size = field.kind.size();
            for (point, value) in data.chunks_exact_mut(self.step).zip(bytes.chunks_exact(size)) {
                point[field.offset..field.offset + size].copy_from_slice(value);
            }
        }
        Cloud::new(self.fields, width, 1, self.step, data)
    }
}
