//! Ouster lidar packets of the OS1-64, firmware 1 ("legacy" profile), as clouds.
//!
//! Source: Ouster's Software User Guide for firmware 1.13, "Lidar Data Format" and "Coordinate Frames": sixteen
//! columns a packet, each a timestamp u64 (ns), measurement u16, frame u16, encoder u32 (90 112 ticks a turn),
//! 64 pixels of twelve bytes and a status u32. A pixel is range u32 (low 20 bits, mm), reflectivity u16,
//! signal u16, ambient u16 and two unused bytes.

use std::f64::consts::TAU;

use serde::Deserialize;

use super::{
    cursor::{Cursor, Endian},
    pcap::{self, Datagram},
    point::put,
};
use crate::{
    cloud::{Cloud, Field, FieldType},
    error::{Error, Result},
};

const BEAMS: usize = 64;
const COLUMNS: usize = 16;
const PACKET_BYTES: usize = COLUMNS * (16 + BEAMS * 12 + 4);
const TICKS: f64 = 90_112.0;
const VALID: u32 = 0xffff_ffff;
const RANGE_BITS: u32 = 0x000f_ffff;

/// Where the beams point, in degrees, by ring from the top.
#[derive(Clone, Debug, Deserialize)]
struct Beams {
    beam_altitude_angles: Vec<f64>,
    beam_azimuth_angles: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Pixel {
    /// In millimetres; 0 without a return.
    range: u32,
    reflectivity: u16,
    signal: u16,
    ambient: u16,
}

#[derive(Clone, Debug)]
struct Column {
    /// Nanoseconds.
    timestamp: u64,
    encoder: u32,
    pixels: [Pixel; BEAMS],
}

/// One point's numbers.
pub(super) struct Point {
    pub(super) xyz: [f32; 3],
    pub(super) intensity: f32,
    pub(super) t: u32,
    pub(super) reflectivity: u16,
    pub(super) ring: u16,
    pub(super) ambient: u16,
    pub(super) range: u32,
}

/// Where a layout puts them, in [`FIELDS`]' order.
pub(super) type Offsets = [usize; 9];

/// The fields of the ouster_ros driver's point, in its order. `t` is nanoseconds since the first column,
/// `range` millimetres, `x y z` metres, `intensity` the signal's photons.
const FIELDS: [(&str, FieldType); 9] = [
    ("x", FieldType::Float32),
    ("y", FieldType::Float32),
    ("z", FieldType::Float32),
    ("intensity", FieldType::Float32),
    ("t", FieldType::Uint32),
    ("reflectivity", FieldType::Uint16),
    ("ring", FieldType::Uint16),
    ("ambient", FieldType::Uint16),
    ("range", FieldType::Uint32),
];

/// One behind the other.
const TIGHT: (Offsets, usize) = ([0, 4, 8, 12, 16, 20, 22, 24, 26], 30);
/// ouster_ros's own, aligned for SIMD: 18 of 48 bytes are padding.
pub(super) const DRIVER: (Offsets, usize) = ([0, 4, 8, 16, 20, 24, 26, 28, 32], 48);

/// The returns in the order in which they were measured: column after column, each from the top ring down.
/// Pixels without a return are left out; the fields lie tight in 30 bytes.
///
/// `recording` is a pcap file, `angles` the JSON with `beam_altitude_angles` and `beam_azimuth_angles`.
///
/// # Errors
/// If either is not understood or there is no lidar packet.
pub fn firing_order(recording: &[u8], angles: &[u8]) -> Result<Cloud> {
    let (columns, beams) = read(recording, angles)?;
    let start = columns[0].timestamp;
    let mut data = Vec::new();
    for column in &columns {
        for ring in (0..BEAMS).filter(|&ring| column.pixels[ring].range != 0) {
            append(&mut data, &beams.point(column, ring, start), &TIGHT);
        }
    }
    let points = data.len() / TIGHT.1;
    let points = u32::try_from(points).map_err(|_| Error::input(format!("{points} points are too many")))?;
    Cloud::new(fields(&TIGHT), points, 1, TIGHT.1, data)
}

/// The first `width` columns as 64 rows, from the top ring down, in the layout of the ouster_ros driver (48
/// bytes a point). Pixels without a return keep their place: `x y z` are NaN and `range` is 0.
///
/// Rows are staggered as measured: a column's pixels were measured together, up to 6 degrees apart.
///
/// # Errors
/// As [`firing_order`], and if there are fewer columns.
pub fn organized(recording: &[u8], angles: &[u8], width: u32) -> Result<Cloud> {
    let (columns, beams) = read(recording, angles)?;
    let scan = columns
        .get(..width as usize)
        .ok_or_else(|| Error::input(format!("has {} columns, but {width} make a scan", columns.len())))?;
    let mut data = Vec::new();
    for ring in 0..BEAMS {
        for column in scan {
            append(&mut data, &beams.point(column, ring, columns[0].timestamp), &DRIVER);
        }
    }
    Cloud::new(fields(&DRIVER), width, BEAMS as u32, DRIVER.1, data)
}

impl Beams {
    fn parse(angles: &[u8]) -> Result<Self> {
        let beams: Self = serde_json::from_slice(angles)
            .map_err(|error| Error::input(format!("the beam angles are not understood: {error}")))?;
        for angles in [&beams.beam_altitude_angles, &beams.beam_azimuth_angles] {
            if angles.len() != BEAMS {
                return Err(Error::input(format!(
                    "the beam angles are those of {} beams, not of {BEAMS}",
                    angles.len()
                )));
            }
        }
        Ok(beams)
    }

    fn point(&self, column: &Column, ring: usize, start: u64) -> Point {
        let pixel = column.pixels[ring];
        let xyz = if pixel.range == 0 {
            [f32::NAN; 3]
        } else {
            // Encoder and azimuth angles grow clockwise, seen from above.
            let theta = TAU * (f64::from(column.encoder) / TICKS + self.beam_azimuth_angles[ring] / 360.0);
            let phi = self.beam_altitude_angles[ring].to_radians();
            let range = f64::from(pixel.range) / 1000.0;
            [
                (range * theta.cos() * phi.cos()) as f32,
                (-range * theta.sin() * phi.cos()) as f32,
                (range * phi.sin()) as f32,
            ]
        };
        Point {
            xyz,
            intensity: f32::from(pixel.signal),
            // Wraps after 4.3 s, as the driver's would.
            t: column.timestamp.wrapping_sub(start) as u32,
            reflectivity: pixel.reflectivity,
            ring: ring as u16,
            ambient: pixel.ambient,
            range: pixel.range,
        }
    }
}

fn read(recording: &[u8], angles: &[u8]) -> Result<(Vec<Column>, Beams)> {
    let beams = Beams::parse(angles)?;
    let datagrams = pcap::datagrams(recording)?;
    let mut columns = Vec::new();
    for Datagram { payload, .. } in datagrams.iter().filter(|sent| sent.payload.len() == PACKET_BYTES) {
        let mut packet = Cursor::new(payload, Endian::Little);
        for _ in 0..COLUMNS {
            columns.push(Column::read(&mut packet)?);
        }
    }
    if columns.is_empty() {
        return Err(Error::input(format!(
            "none of its {} UDP datagrams is an OS1-64 lidar packet of {PACKET_BYTES} bytes",
            datagrams.len()
        )));
    }
    Ok((columns, beams))
}

impl Column {
    fn read(packet: &mut Cursor<'_>) -> Result<Self> {
        let timestamp = packet.u64("the timestamp")?;
        packet.u32("the measurement and frame")?;
        let encoder = packet.u32("the encoder")?;
        let mut pixels = [Pixel { range: 0, reflectivity: 0, signal: 0, ambient: 0 }; BEAMS];
        for pixel in &mut pixels {
            pixel.range = packet.u32("a range")? & RANGE_BITS;
            pixel.reflectivity = packet.u16("a reflectivity")?;
            pixel.signal = packet.u16("a signal")?;
            pixel.ambient = packet.u16("an ambient light")?;
            packet.u16("the unused bytes")?;
        }
        if packet.u32("the status")? != VALID {
            // The sensor sends columns that it did not measure with anything in them.
            pixels.fill(Pixel { range: 0, reflectivity: 0, signal: 0, ambient: 0 });
        }
        Ok(Self { timestamp, encoder, pixels })
    }
}

pub(super) fn fields((offsets, _): &(Offsets, usize)) -> Vec<Field> {
    FIELDS.iter().zip(offsets).map(|(&(name, kind), &offset)| Field::new(name, offset, kind)).collect()
}

pub(super) fn append(data: &mut Vec<u8>, point: &Point, (offsets, step): &(Offsets, usize)) {
    let start = data.len();
    data.resize(start + step, 0);
    let bytes = &mut data[start..];
    put(bytes, offsets[0], point.xyz[0].to_le_bytes());
    put(bytes, offsets[1], point.xyz[1].to_le_bytes());
    put(bytes, offsets[2], point.xyz[2].to_le_bytes());
    put(bytes, offsets[3], point.intensity.to_le_bytes());
    put(bytes, offsets[4], point.t.to_le_bytes());
    put(bytes, offsets[5], point.reflectivity.to_le_bytes());
    put(bytes, offsets[6], point.ring.to_le_bytes());
    put(bytes, offsets[7], point.ambient.to_le_bytes());
    put(bytes, offsets[8], point.range.to_le_bytes());
}
