//! Velodyne data packets of the VLP-16 and the HDL-32E as clouds.
//!
//! Source: Velodyne's VLP-16 User Manual (63-9243) and HDL-32E User's Manual (63-9113): twelve blocks of flag
//! `FF EE`, azimuth u16 (0.01 degrees, clockwise) and 32 returns of distance u16 (2 mm) and reflectivity u8;
//! then a timestamp u32 (µs since the hour) and two bytes that tell the return mode and the product.

use super::{
    cursor::{Cursor, Endian},
    pcap::{self, Datagram},
    point::put,
};
use crate::{
    cloud::{Cloud, Field, FieldType},
    error::{Error, Result},
};

const BLOCKS: usize = 12;
const RETURNS: usize = 32;
const PACKET_BYTES: usize = BLOCKS * (4 + RETURNS * 3) + 6;
const TURN: u32 = 36_000;
const HOUR: u32 = 3_600_000_000;
const DUAL: u8 = 0x39;
/// Bytes of a point.
const STEP: usize = 22;

/// Which sensor sent the packets: they do not tell reliably, early firmware has one product byte for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// 16 lasers from -15 to 15 degrees, fired twice a block.
    Vlp16,
    /// 32 lasers from -30.67 to 10.67 degrees.
    Hdl32e,
}

impl Model {
    fn lasers(self) -> usize {
        match self {
            Self::Vlp16 => 16,
            Self::Hdl32e => 32,
        }
    }

    /// Lasers fire low, middle, next to low, next to middle, and so on. Rings count from the lowest.
    fn ring(self, laser: usize) -> usize {
        laser / 2 + laser % 2 * self.lasers() / 2
    }

    /// In degrees.
    fn elevation(self, laser: usize) -> f64 {
        let ring = self.ring(laser) as f64;
        match self {
            Self::Vlp16 => 2.0 * ring - 15.0,
            Self::Hdl32e => (4.0 * ring - 92.0) / 3.0,
        }
    }

    /// When a return of a block was measured, and how long a block takes, both in microseconds.
    fn timing(self, index: usize) -> (f64, f64) {
        let (laser, firing) = match self {
            Self::Vlp16 => (2.304, 55.296),
            Self::Hdl32e => (1.152, 46.08),
        };
        let fired = (index / self.lasers()) as f64 * firing + (index % self.lasers()) as f64 * laser;
        (fired, (RETURNS / self.lasers()) as f64 * firing)
    }
}

/// One block as sent.
#[derive(Clone, Copy)]
struct Block {
    azimuth: u16,
    returns: [(u16, u8); RETURNS],
}

/// The returns of a pcap file in the order in which they were measured; returns without a distance are left out.
///
/// Fields are those of the velodyne_pointcloud driver's PointXYZIRT, tight in 22 bytes: `x y z` (metres; x ahead
/// at azimuth 0, y left, z up) and `intensity` (0 to 255) FLOAT32, `ring` UINT16, `time` FLOAT32 (seconds since
/// the first packet). Azimuths are interpolated to each laser's time. The lasers' own offsets from the sensor's
/// centre, up to some centimetres, are not applied.
///
/// # Errors
/// If the file is not understood, has no data packet, or one of another kind: other flags, dual returns.
pub fn firing_order(recording: &[u8], model: Model) -> Result<Cloud> {
    let datagrams = pcap::datagrams(recording)?;
    let mut data = Vec::new();
    let mut clock = Clock::default();
    // Position packets and whatever else was on the wire have other lengths.
    let packets = datagrams.iter().filter(|sent| sent.payload.len() == PACKET_BYTES);
    for (number, Datagram { payload, .. }) in packets.enumerate() {
        append_packet(payload, model, &mut clock, &mut data)
            .map_err(|error| error.within(format!("data packet {}", number + 1)))?;
    }
    if clock.previous.is_none() {
        return Err(Error::input(format!(
            "none of its {} UDP datagrams is a Velodyne data packet of {PACKET_BYTES} bytes",
            datagrams.len()
        )));
    }
    cloud(data)
}

fn cloud(data: Vec<u8>) -> Result<Cloud> {
    let fields = vec![
        Field::new("x", 0, FieldType::Float32),
        Field::new("y", 4, FieldType::Float32),
        Field::new("z", 8, FieldType::Float32),
        Field::new("intensity", 12, FieldType::Float32),
        Field::new("ring", 16, FieldType::Uint16),
        Field::new("time", 18, FieldType::Float32),
    ];
    let points = data.len() / STEP;
    let points = u32::try_from(points).map_err(|_| Error::input(format!("{points} points are too many")))?;
    Cloud::new(fields, points, 1, STEP, data)
}

/// Whether a datagram has the length of a data packet.
pub(super) fn is_data(payload: &[u8]) -> bool {
    payload.len() == PACKET_BYTES
}

/// The packet's product byte, and its time in microseconds since the hour.
fn product_and_time(payload: &[u8]) -> Option<(u8, u32)> {
    let (time, tail) = payload[..PACKET_BYTES].last_chunk::<6>()?.split_first_chunk::<4>()?;
    Some((tail[1], u32::from_le_bytes(*time)))
}

/// The model that sent these data packets, which follow each other: told by the time between them, since early
/// VLP-16 have the HDL-32E's product byte.
///
/// # Errors
/// If the product byte is neither's, or the packets are too few or too irregular to tell.
pub(super) fn model_of(packets: &[Vec<u8>]) -> Result<Model> {
    let mut gaps = Vec::new();
    let mut previous = None;
    for (product, time) in packets.iter().filter_map(|packet| product_and_time(packet)) {
        if !matches!(product, 0x21 | 0x22) {
            return Err(Error::input(format!(
                "has Velodyne packets of product {product:#04x}; only those of the HDL-32E (0x21) and the VLP-16 \
                 (0x22) are read"
            )));
        }
        gaps.extend(previous.map(|previous| time.wrapping_sub(previous)));
        previous = Some(time);
    }
    gaps.sort_unstable();
    // Twelve blocks take 553 µs or, of two firings each, 1327 µs.
    match gaps.get(gaps.len() / 2) {
        Some(500..=620) => Ok(Model::Hdl32e),
        Some(1200..=1450) => Ok(Model::Vlp16),
        Some(gap) => Err(Error::input(format!(
            "has Velodyne packets {gap} µs apart: an HDL-32E sends one in 553 µs, a VLP-16 in 1327 µs"
        ))),
        None => Err(Error::input("has a single Velodyne packet, which does not tell the model")),
    }
}

/// Puts data packets together as turns: a turn ends with the packet in which the azimuth starts anew. The `time`
/// of a turn's points counts from its own first packet; otherwise they are those of [`firing_order`].
pub(super) struct Turns {
    model: Model,
    clock: Clock,
    azimuth: u16,
    data: Vec<u8>,
}

impl Turns {
    pub(super) fn new(model: Model) -> Self {
        Self { model, clock: Clock::default(), azimuth: 0, data: Vec::new() }
    }

    /// Takes a data packet; gives the turn that ended before it.
    pub(super) fn push(&mut self, payload: &[u8]) -> Result<Option<Cloud>> {
        let azimuth = Cursor::new(&payload[2..], Endian::Little).u16("an azimuth")?;
        let ended = if azimuth < self.azimuth { self.finish()? } else { None };
        self.azimuth = azimuth;
        append_packet(payload, self.model, &mut self.clock, &mut self.data)?;
        Ok(ended)
    }

    /// Gives what there is of the last turn, if it has points.
    pub(super) fn finish(&mut self) -> Result<Option<Cloud>> {
        self.clock = Clock::default();
        let data = std::mem::take(&mut self.data);
        if data.is_empty() { Ok(None) } else { cloud(data).map(Some) }
    }
}

/// Microseconds since the first packet, over the hour's end.
#[derive(Default)]
struct Clock {
    previous: Option<u32>,
    elapsed: u64,
}

impl Clock {
    fn advance(&mut self, timestamp: u32) -> u64 {
        if let Some(previous) = self.previous {
            let wrapped = if timestamp < previous { HOUR } else { 0 };
            self.elapsed += u64::from(timestamp.wrapping_add(wrapped).wrapping_sub(previous));
        }
        self.previous = Some(timestamp);
        self.elapsed
    }
}

fn append_packet(payload: &[u8], model: Model, clock: &mut Clock, data: &mut Vec<u8>) -> Result<()> {
    let mut packet = Cursor::new(payload, Endian::Little);
    let mut blocks = [Block { azimuth: 0, returns: [(0, 0); RETURNS] }; BLOCKS];
    for (number, block) in blocks.iter_mut().enumerate() {
        let flag = packet.take(2, "a block's flag")?;
        if flag != [0xff, 0xee] {
            return Err(Error::input(format!(
                "block {number} has flag {:02x} {:02x} instead of ff ee",
                flag[0], flag[1]
            )));
        }
        block.azimuth = packet.u16("an azimuth")?;
        if u32::from(block.azimuth) >= TURN {
            return Err(Error::input(format!(
                "block {number} has azimuth {}, a turn ends at 35999",
                block.azimuth
            )));
        }
        for (distance, reflectivity) in &mut block.returns {
            *distance = packet.u16("a distance")?;
            *reflectivity = packet.u8("a reflectivity")?;
        }
    }
    let elapsed = clock.advance(packet.u32("the timestamp")?);
    if packet.u8("the return mode")? == DUAL {
        return Err(Error::input("has dual returns, only single returns are read"));
    }

    let mut gap = 0;
    for (number, block) in blocks.iter().enumerate() {
        // The next packet may be lost: the last block turns as far as the one before.
        if let Some(next) = blocks.get(number + 1) {
            gap = (u32::from(next.azimuth) + TURN - u32::from(block.azimuth)) % TURN;
        }
        for (index, &(distance, reflectivity)) in block.returns.iter().enumerate() {
            if distance == 0 {
                continue;
            }
            let laser = index % model.lasers();
            let (fired, duration) = model.timing(index);
            let azimuth = f64::from(block.azimuth) + f64::from(gap) * fired / duration;
            let (sin_azimuth, cos_azimuth) = (azimuth / 100.0).to_radians().sin_cos();
            let (sin_elevation, cos_elevation) = model.elevation(laser).to_radians().sin_cos();
            let distance = f64::from(distance) * 0.002;
            let time = elapsed as f64 + number as f64 * duration + fired;

            let mut point = [0; STEP];
            put(&mut point, 0, ((distance * cos_elevation * cos_azimuth) as f32).to_le_bytes());
            put(&mut point, 4, ((-distance * cos_elevation * sin_azimuth) as f32).to_le_bytes());
            put(&mut point, 8, ((distance * sin_elevation) as f32).to_le_bytes());
            put(&mut point, 12, f32::from(reflectivity).to_le_bytes());
            put(&mut point, 16, (model.ring(laser) as u16).to_le_bytes());
            put(&mut point, 18, ((time / 1e6) as f32).to_le_bytes());
            data.extend_from_slice(&point);
        }
    }
    Ok(())
}
