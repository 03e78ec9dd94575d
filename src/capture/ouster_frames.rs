//! Ouster recordings of any model, frame by frame, by the sensor's own metadata.
//!
//! Source: Ouster's Firmware User Manual 2.x and 3.x, "Lidar Data Packet Format", "Data Packet Profiles" and
//! "Sensor Coordinate Frame": LEGACY as in [`super::ouster`] with any number of pixels; the configurable
//! profiles have a header of 32 bytes (the frame's number at byte 2), columns with a header of 12 bytes
//! (timestamp u64 in ns, measurement u16, status u16 whose low bit says valid), and a footer of 32 bytes.

use std::f64::consts::TAU;

use serde_json::Value;

use super::{
    cursor::{Cursor, Endian},
    ouster::{DRIVER, Point, append, fields},
};
use crate::{
    cloud::Cloud,
    error::{Error, Result},
};

/// Twice what any sensor has: a frame of so many points is still small, whatever the metadata say.
const MOST_PIXELS: u64 = 256;
const MOST_COLUMNS: u64 = 4096;

/// How a packet is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    /// Range u32 (20 bits, mm), reflectivity, signal, near infrared u16, two unused bytes.
    Legacy,
    /// Range 15 bits (8 mm), reflectivity u8, near infrared u8 (units of 16).
    LowData,
    /// Range u32 (19 bits, mm), reflectivity u8 at byte 4, signal u16 at 6, near infrared u16 at 8; 12 bytes.
    Single,
}

impl Profile {
    fn named(name: &str) -> Result<Self> {
        match name {
            "LEGACY" => Ok(Self::Legacy),
            "RNG15_RFL8_NIR8" => Ok(Self::LowData),
            "RNG19_RFL8_SIG16_NIR16" => Ok(Self::Single),
            other => Err(Error::input(format!(
                "has UDP profile {other}; LEGACY, RNG15_RFL8_NIR8 and RNG19_RFL8_SIG16_NIR16 are read"
            ))),
        }
    }

    /// Bytes of a packet's header and its footer, of a column's header and its footer, and of a pixel.
    fn sizes(self) -> [usize; 5] {
        match self {
            Self::Legacy => [0, 0, 16, 4, 12],
            Self::LowData => [32, 32, 12, 0, 4],
            Self::Single => [32, 32, 12, 0, 12],
        }
    }
}

/// What the sensor says of itself.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    /// Product line and mode, for provenance.
    pub(super) sensor: String,
    profile: Profile,
    /// Pixels of a column, from the top.
    pixels: usize,
    columns_per_packet: usize,
    columns_per_frame: usize,
    /// In degrees.
    altitude: Vec<f64>,
    azimuth: Vec<f64>,
    /// Columns by which each row is to be turned so that pixels above each other look the same way.
    shift: Vec<i64>,
    /// From the turning axis to where beams start, in millimetres.
    beam_origin: f64,
    /// Row-major 4 x 4, in millimetres.
    to_sensor: [f64; 16],
}

impl Metadata {
    /// Reads the sensor's JSON, flat (firmware 1 and 2) or in sections (firmware 3).
    pub(super) fn parse(json: &[u8]) -> Result<Self> {
        let json: Value = serde_json::from_slice(json)
            .map_err(|error| Error::input(format!("the sensor's metadata are not understood: {error}")))?;
        let numbers = |key: &str| -> Option<Vec<f64>> {
            find(&json, key)?.as_array()?.iter().map(Value::as_f64).collect()
        };
        let missing = |key: &str| Error::input(format!("the sensor's metadata have no usable {key}"));
        let text = |key: &str| find(&json, key).and_then(Value::as_str);
        let altitude = numbers("beam_altitude_angles").ok_or_else(|| missing("beam_altitude_angles"))?;
        let azimuth = numbers("beam_azimuth_angles").ok_or_else(|| missing("beam_azimuth_angles"))?;
        let mode = text("lidar_mode");
        let mode_columns = mode.and_then(|mode| mode.split('x').next()?.parse().ok());
        let count = |key: &str, default: Option<u64>, most: u64| {
            let count = find(&json, key).and_then(Value::as_u64).or(default);
            let count = count.filter(|count| (1..=most).contains(count));
            count.map(|count| count as usize).ok_or_else(|| missing(key))
        };
        let pixels = count("pixels_per_column", Some(altitude.len() as u64), MOST_PIXELS)?;
        let shift = find(&json, "pixel_shift_by_row").and_then(Value::as_array);
        let one_shift = |row: &Value| row.as_i64().filter(|shift| shift.unsigned_abs() <= MOST_COLUMNS);
        let shift: Option<Vec<i64>> =
            shift.map_or(Some(vec![0; pixels]), |rows| rows.iter().map(one_shift).collect());
        let shift = shift.ok_or_else(|| missing("pixel_shift_by_row"))?;
        for (key, length) in [
            ("beam_altitude_angles", altitude.len()),
            ("beam_azimuth_angles", azimuth.len()),
            ("pixel_shift_by_row", shift.len()),
        ] {
            if length != pixels {
                return Err(Error::input(format!(
                    "the sensor's metadata have {length} {key} for {pixels} pixels a column"
                )));
            }
        }
        // Turned half around, as every model so far: firmware before 2 leaves it out.
        let half_turn = [-1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 36.18, 0.0, 0.0, 0.0, 1.0];
        let to_sensor = match numbers("lidar_to_sensor_transform") {
            None => half_turn,
            Some(given) => given.try_into().map_err(|_| missing("lidar_to_sensor_transform"))?,
        };
        let line = text("prod_line").unwrap_or("of unknown product line");
        Ok(Self {
            sensor: format!("Ouster {line}, {}, by its metadata", mode.unwrap_or("unknown mode")),
            profile: Profile::named(text("udp_profile_lidar").unwrap_or("LEGACY"))?,
            pixels,
            columns_per_packet: count("columns_per_packet", Some(16), MOST_COLUMNS)?,
            columns_per_frame: count("columns_per_frame", mode_columns.or(Some(1024)), MOST_COLUMNS)?,
            altitude,
            azimuth,
            shift,
            beam_origin: find(&json, "lidar_origin_to_beam_origin_mm").and_then(Value::as_f64).unwrap_or(0.0),
            to_sensor,
        })
    }

    /// Bytes of a lidar packet.
    pub(super) fn packet_bytes(&self) -> usize {
        let [header, footer, column_header, column_footer, pixel] = self.profile.sizes();
        header + footer + self.columns_per_packet * (column_header + column_footer + self.pixels * pixel)
    }

    /// Metres in the sensor's frame, or NaN without a return.
    fn position(&self, ring: usize, measurement: usize, range: u32) -> [f32; 3] {
        if range == 0 {
            return [f32::NAN; 3];
        }
        let encoder = TAU * (1.0 - measurement as f64 / self.columns_per_frame as f64);
        let azimuth = -TAU * self.azimuth[ring] / 360.0;
        let altitude = self.altitude[ring].to_radians();
        let beam = f64::from(range) - self.beam_origin;
        let lidar = [
            beam * (encoder + azimuth).cos() * altitude.cos() + self.beam_origin * encoder.cos(),
            beam * (encoder + azimuth).sin() * altitude.cos() + self.beam_origin * encoder.sin(),
            beam * altitude.sin(),
            1.0,
        ];
        [0, 4, 8].map(|row| {
            let sum: f64 =
                self.to_sensor[row..row + 4].iter().zip(lidar).map(|(factor, axis)| factor * axis).sum();
            (sum / 1000.0) as f32
        })
    }
}

/// The value of a key of the object or of one of the objects in it.
fn find<'a>(json: &'a Value, key: &str) -> Option<&'a Value> {
    let sections = json.as_object()?;
    sections.get(key).or_else(|| sections.values().find_map(|section| section.as_object()?.get(key)))
}

/// One column as measured.
#[derive(Clone, Debug)]
struct Column {
    /// Nanoseconds.
    timestamp: u64,
    pixels: Vec<Pixel>,
}

#[derive(Clone, Copy, Debug)]
struct Pixel {
    /// Millimetres; 0 without a return.
    range: u32,
    reflectivity: u16,
    signal: u16,
    ambient: u16,
}

/// Puts lidar packets together as frames: clouds of a row for each beam, in the layout of the ouster_ros driver
/// and turned so that columns stand upright, as it publishes them. What was not measured is NaN.
pub(super) struct Frames {
    metadata: Metadata,
    number: Option<u16>,
    columns: Vec<Option<Column>>,
}

impl Frames {
    pub(super) fn new(metadata: Metadata) -> Self {
        let columns = vec![None; metadata.columns_per_frame];
        Self { metadata, number: None, columns }
    }

    /// Takes a lidar packet; gives the frame that ended before it, or, with old firmware, inside it.
    pub(super) fn push(&mut self, payload: &[u8]) -> Result<Option<Cloud>> {
        let mut packet = Cursor::new(payload, Endian::Little);
        let mut number = None;
        if self.metadata.profile != Profile::Legacy {
            packet.u16("the packet's type")?;
            number = Some(packet.u16("the frame")?);
            packet.take(28, "the packet's header")?;
        }
        let mut ended = None;
        for _ in 0..self.metadata.columns_per_packet {
            let timestamp = packet.u64("the timestamp")?;
            let measurement = usize::from(packet.u16("the measurement")?);
            let (frame, mut valid) = match number {
                Some(frame) => (frame, packet.u16("the status")? & 1 == 1),
                None => {
                    let frame = packet.u16("the frame")?;
                    packet.u32("the encoder")?;
                    (frame, true)
                }
            };
            let pixels = (0..self.metadata.pixels).map(|_| self.pixel(&mut packet)).collect::<Result<_>>()?;
            if number.is_none() {
                valid = packet.u32("the status")? == u32::MAX;
            }
            if self.number.is_some_and(|current| current != frame) {
                ended = self.finish()?.or(ended);
            }
            self.number = Some(frame);
            if valid && let Some(place) = self.columns.get_mut(measurement) {
                *place = Some(Column { timestamp, pixels });
            }
        }
        Ok(ended)
    }

    fn pixel(&self, packet: &mut Cursor<'_>) -> Result<Pixel> {
        let word = packet.u32("a range")?;
        Ok(match self.metadata.profile {
            Profile::Legacy => {
                let reflectivity = packet.u16("a reflectivity")?;
                let signal = packet.u16("a signal")?;
                let ambient = packet.u16("an ambient light")?;
                packet.u16("the unused bytes")?;
                Pixel { range: word & 0x000f_ffff, reflectivity, signal, ambient }
            }
            Profile::LowData => {
                let reflectivity = (word >> 16 & 0xff) as u16;
                // Without a signal, the driver's intensity is the reflectivity.
                let (range, ambient) = ((word & 0x7fff) * 8, (word >> 24) as u16 * 16);
                Pixel { range, reflectivity, signal: reflectivity, ambient }
            }
            Profile::Single => {
                let reflectivity = packet.u8("a reflectivity")?.into();
                packet.u8("the unused byte")?;
                let signal = packet.u16("a signal")?;
                let ambient = packet.u16("an ambient light")?;
                packet.u16("the unused bytes")?;
                Pixel { range: word & 0x0007_ffff, reflectivity, signal, ambient }
            }
        })
    }

    /// Gives what there is of the last frame, if any column of it was measured.
    pub(super) fn finish(&mut self) -> Result<Option<Cloud>> {
        let width = self.columns.len();
        let columns = std::mem::replace(&mut self.columns, vec![None; width]);
        let Some(start) = columns.iter().flatten().map(|column| column.timestamp).min() else {
            return Ok(None);
        };
        let metadata = &self.metadata;
        let mut data = Vec::with_capacity(width * metadata.pixels * DRIVER.1);
        for ring in 0..metadata.pixels {
            for at in 0..width {
                let measurement = (at as i64 - metadata.shift[ring]).rem_euclid(width as i64) as usize;
                let column = columns[measurement].as_ref();
                let nothing = Pixel { range: 0, reflectivity: 0, signal: 0, ambient: 0 };
                let pixel = column.map_or(nothing, |column| column.pixels[ring]);
                let point = Point {
                    xyz: metadata.position(ring, measurement, pixel.range),
                    intensity: f32::from(pixel.signal),
                    t: column.map_or(0, |column| column.timestamp.wrapping_sub(start) as u32),
                    reflectivity: pixel.reflectivity,
                    ring: ring as u16,
                    ambient: pixel.ambient,
                    range: pixel.range,
                };
                append(&mut data, &point, &DRIVER);
            }
        }
        Cloud::new(fields(&DRIVER), width as u32, metadata.pixels as u32, DRIVER.1, data).map(Some)
    }
}
