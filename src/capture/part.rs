//! One file of a recording: what it is, by its first bytes, and its clouds.

use std::{
    cell::Cell,
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    Message, Options, bin,
    files::has_extension,
    las::{self, Survey},
    mcap,
    ouster_frames::{Frames, Metadata},
    pcap::Packets,
    pcd, pointcloud2,
    recording::Sampler,
    velodyne::{self, Model, Turns},
};
use crate::{
    cloud::Cloud,
    error::{Error, Result},
};

/// A file that was opened.
pub(super) enum Part {
    Whole(Option<Cloud>, Option<String>),
    Mcap(Box<mcap::Clouds<Counted>>),
    Ouster { packets: Packets<Counted>, frames: Box<Frames>, bytes: usize },
    Velodyne { packets: Packets<Counted>, turns: Box<Turns> },
}

/// What opening a file takes, and what it finds out beside the points.
pub(super) struct Opener<'a> {
    pub(super) options: &'a Options,
    /// Whether the file is its whole recording.
    pub(super) alone: bool,
    /// Counts the bytes that are read.
    pub(super) read: &'a Rc<Cell<u64>>,
    /// The sensor, if the file tells.
    pub(super) sensor: Option<String>,
}

impl Opener<'_> {
    /// Opens a file of any known kind.
    ///
    /// # Errors
    /// If it is of none, or what has to be known of it first is missing or damaged.
    pub(super) fn open(&mut self, path: &Path) -> Result<Part> {
        if path.is_dir() {
            return Err(Error::input("is a folder, not a file"));
        }
        let failed = |error: io::Error| Error::input(format!("cannot be read: {error}"));
        let mut file = File::open(path).map_err(failed)?;
        let mut start = Vec::new();
        file.by_ref().take(16).read_to_end(&mut start).map_err(failed)?;
        match &start[..] {
            [0x89, b'M', b'C', b'A', b'P', ..] => {
                return Ok(Part::Mcap(Box::new(mcap::Clouds::new(self.counted(path)?, self.alone))));
            }
            // Classic pcap in both byte orders and with both clocks, and pcapng, which is refused in words.
            [0xd4, 0xc3, 0xb2, 0xa1, ..]
            | [0xa1, 0xb2, 0xc3, 0xd4, ..]
            | [0x4d, 0x3c, 0xb2, 0xa1, ..]
            | [0xa1, 0xb2, 0x3c, 0x4d, ..]
            | [0x0a, 0x0d, 0x0d, 0x0a, ..] => return self.open_pcap(path),
            start if start.starts_with(b"#ROSBAG V") => {
                return Err(Error::input(
                    "is a ROS 1 bag, which is not read: convert it with `mcap convert in.bag out.mcap` (Foxglove's \
                     mcap tool) or `rosbags-convert --src in.bag --dst out` (Python package rosbags), for ROS 2",
                ));
            }
            start if start.starts_with(b"SQLite format 3") => {
                return Err(Error::input(
                    "is a ROS 2 bag in SQLite, which is not read: convert it with `mcap convert in.db3 out.mcap`",
                ));
            }
            start if start.trim_ascii_start().starts_with(b"{") && !has_extension(path, "bin") => {
                return Err(Error::input(
                    "is JSON, which holds no points: a sensor's metadata is read with the .pcap beside it, so give that",
                ));
            }
            _ => {}
        }
        let bytes = fs::read(path).map_err(failed)?;
        let (cloud, remark) = read_whole(&bytes, path, self.options)?;
        self.read.set(self.read.get() + bytes.len() as u64);
        Ok(Part::Whole(Some(cloud), remark))
    }

    fn counted(&self, path: &Path) -> Result<Counted> {
        let file = File::open(path).map_err(|error| Error::input(format!("cannot be read: {error}")))?;
        Ok(Counted { file: BufReader::with_capacity(1 << 18, file), read: Rc::clone(self.read) })
    }

    fn open_pcap(&mut self, path: &Path) -> Result<Part> {
        if let Some(json) = metadata_beside(path)? {
            let bytes = fs::read(&json).map_err(|error| Error::unreadable(&json, &error))?;
            let metadata = Metadata::parse(&bytes).map_err(|error| error.within(json.display()))?;
            let bytes = metadata.packet_bytes();
            self.sensor = Some(metadata.sensor.clone());
            expect_packet(
                self.probe(path)?,
                |payload| payload.len() == bytes,
                || format!("is a lidar packet of {bytes} bytes, as {} says", json.display()),
            )?;
            let frames = Box::new(Frames::new(metadata));
            return Ok(Part::Ouster { packets: Packets::open(self.counted(path)?)?, frames, bytes });
        }
        let packets = self.probe(path)?;
        let data: Vec<Vec<u8>> =
            packets.iter().filter(|payload| velodyne::is_data(payload)).cloned().collect();
        expect_packet(packets, velodyne::is_data, || {
            "is a Velodyne data packet of 1206 bytes; an Ouster recording needs its metadata beside it, a .json of \
             the same name or of the name's beginning"
                .to_owned()
        })?;
        let model = velodyne::model_of(&data)?;
        self.sensor = Some(match model {
            Model::Vlp16 => "Velodyne VLP-16, by its packets' timing".to_owned(),
            Model::Hdl32e => "Velodyne HDL-32E, by its packets' timing".to_owned(),
        });
        let turns = Box::new(Turns::new(model));
        Ok(Part::Velodyne { packets: Packets::open(self.counted(path)?)?, turns })
    }

    /// The payloads of the first datagrams.
    fn probe(&self, path: &Path) -> Result<Vec<Vec<u8>>> {
        let file = File::open(path).map_err(|error| Error::input(format!("cannot be read: {error}")))?;
        let mut packets = Packets::open(BufReader::new(file))?;
        let payloads = std::iter::from_fn(|| packets.next()).filter_map(|datagram| Some(datagram.ok()?.2));
        Ok(payloads.take(PROBED).collect())
    }
}

/// Datagrams that are looked at to tell the sensor.
const PROBED: usize = 512;

fn expect_packet(
    payloads: Vec<Vec<u8>>,
    is_wanted: impl Fn(&[u8]) -> bool,
    what: impl Fn() -> String,
) -> Result<()> {
    if payloads.iter().any(|payload| is_wanted(payload)) {
        return Ok(());
    }
    Err(Error::input(format!("none of its first {} UDP datagrams {}", payloads.len(), what())))
}

/// The metadata of an Ouster recording: the `.json` of the same stem, else the only one of its folder whose stem
/// the recording's begins with.
fn metadata_beside(path: &Path) -> Result<Option<PathBuf>> {
    let same = path.with_extension("json");
    if same.is_file() {
        return Ok(Some(same));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).map_err(|error| Error::unreadable(folder, &error))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        has_extension(file, "json") && !name.is_empty() && stem.starts_with(&*name)
    });
    found.sort();
    match &found[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        [one, other, ..] => Err(Error::input(format!(
            "has metadata in both {} and {}: name the right one {}",
            one.display(),
            other.display(),
            same.display()
        ))),
    }
}

/// The cloud of a file that holds one, and a remark on it.
fn read_whole(bytes: &[u8], path: &Path, options: &Options) -> Result<(Cloud, Option<String>)> {
    let is_bin = has_extension(path, "bin");
    match bytes {
        [] if !is_bin => Err(Error::input(
            "is empty: expected PCD, LAS, LAZ, MCAP, pcap, cloudini or a PointCloud2 message in CDR",
        )),
        [b'L', b'A', b'S', b'F', ..] => {
            let Survey { cloud, scale: [x, y, z], .. } = las::parse(bytes)?;
            Ok((cloud, Some(format!("x y z in steps of {x}, {y}, {z}"))))
        }
        _ if bytes.starts_with(b"CLOUDINI_V") => Ok((pointcloud2::decode_cloudini(bytes)?, None)),
        _ if is_bin => {
            // A dump of a message may bear this name, too: its header is no coordinate that a sensor measures,
            // except for four zero bytes, which are also a big-endian one.
            let little_endian = bytes.starts_with(&[0, 1, 0, 0]);
            let message = if options.bin_columns.is_none() && (little_endian || bytes.starts_with(&[0; 4])) {
                pointcloud2::parse(bytes).map(Some)
            } else {
                Ok(None)
            };
            match message {
                Ok(Some(cloud)) => Ok((cloud, None)),
                Err(error) if little_endian => Err(error),
                _ => {
                    let (cloud, remark) = bin::parse(bytes, path, options.bin_columns)?;
                    Ok((cloud, Some(remark)))
                }
            }
        }
        // A CDR header's first byte is 0, which no text has.
        [0, ..] => Ok((pointcloud2::parse(bytes)?, None)),
        _ => Ok((pcd::parse(bytes)?, None)),
    }
}

impl Part {
    /// The next cloud that is to be taken, or what was lost.
    pub(super) fn next(&mut self, sampler: &mut Sampler) -> Option<Result<Message>> {
        match self {
            Self::Whole(cloud, remark) => {
                let cloud = cloud.take()?;
                let index = sampler.take("")?;
                Some(Ok(Message {
                    topic: String::new(),
                    index,
                    log_time: None,
                    cloud,
                    remark: remark.take(),
                }))
            }
            Self::Mcap(clouds) => clouds.next(sampler),
            Self::Ouster { packets, frames, bytes } => {
                let wanted = |payload: &[u8]| payload.len() == *bytes;
                turn(packets, sampler, wanted, |payload| match payload {
                    Some(payload) => frames.push(payload),
                    None => frames.finish(),
                })
            }
            Self::Velodyne { packets, turns } => {
                turn(packets, sampler, velodyne::is_data, |payload| match payload {
                    Some(payload) => turns.push(payload),
                    None => turns.finish(),
                })
            }
        }
    }
}

/// Feeds wanted packets to `collect`, and `None` at the end, until it gives a cloud that is to be taken.
fn turn(
    packets: &mut Packets<Counted>,
    sampler: &mut Sampler,
    wanted: impl Fn(&[u8]) -> bool,
    mut collect: impl FnMut(Option<&[u8]>) -> Result<Option<Cloud>>,
) -> Option<Result<Message>> {
    loop {
        let datagram = packets.next();
        let is_end = datagram.is_none();
        let (time, cloud) = match datagram {
            None => (None, collect(None)),
            Some(Ok((time, _, payload))) if wanted(&payload) => (Some(time), collect(Some(&payload))),
            Some(Ok(_)) => continue,
            Some(Err(error)) => return Some(Err(error)),
        };
        match cloud {
            Err(error) => return Some(Err(error)),
            Ok(Some(cloud)) => {
                if let Some(index) = sampler.take("") {
                    return Some(Ok(Message {
                        topic: String::new(),
                        index,
                        log_time: time,
                        cloud,
                        remark: None,
                    }));
                }
            }
            Ok(None) => {}
        }
        if is_end {
            return None;
        }
    }
}

/// A file that counts the bytes taken from it.
pub(super) struct Counted {
    file: BufReader<File>,
    read: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}
