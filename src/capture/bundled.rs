//! The captures that come with the lab: which files they are, how they are read, and what is known of them.

use super::{
    Capture, Provenance, describe_fields, las, ouster,
    packages::PinnedFile,
    pcd, pointcloud2,
    velodyne::{self, Model},
};
use crate::{
    cloud::Cloud,
    error::{Error, Result},
};

const CLOUDINI_LIDAR: PinnedFile = PinnedFile {
    package: "cloudini",
    version: "0.3.2",
    path: "cloudini-cpp/cloudini_lib/samples/lidar.pcd",
    sha256: "f407a4f0b99b9768f365894eea65f85a3b55675a8e697b7a74fb9942ba979403",
};
const CLOUDINI_DDS: PinnedFile = PinnedFile {
    package: "cloudini",
    version: "0.3.2",
    path: "cloudini-cpp/cloudini_lib/samples/dds_message.bin",
    sha256: "48c7a142fde40e92a268e2a596bd83994c681c16a65ff6c334f2172f71286507",
};

const OUSTER_PCAP: PinnedFile = PinnedFile {
    package: "lidar-utils",
    version: "0.13.1",
    path: "test_files/ouster_example.pcap",
    sha256: "d0c3507e0d29fe3911117b04eac2c5dc83449569e02ec8f77638c7380c7ba7b4",
};
const OUSTER_JSON: PinnedFile = PinnedFile {
    package: "lidar-utils",
    version: "0.13.1",
    path: "test_files/ouster_example.json",
    sha256: "8cfc1b613cb330d00e0156c8ad341f97a254eb81af2305afa65d7b758a860cf3",
};
const VELODYNE_VLP16: PinnedFile = PinnedFile {
    package: "lidar-utils",
    version: "0.13.1",
    path: "test_files/velodyne_vlp16.pcap",
    sha256: "285e6408802ff628cf60fcfe17f05357519a7c84e68c94b9c292ee1251071916",
};
const VELODYNE_HDL32: PinnedFile = PinnedFile {
    package: "lidar-utils",
    version: "0.13.1",
    path: "test_files/velodyne_vlp32.pcap",
    sha256: "1ecbd133a86f266bf0678e0d8aa557fcf082af56e5453457b36d5b6b965c45b8",
};
const LAS_TILE: PinnedFile = PinnedFile {
    package: "las",
    version: "0.11.2",
    path: "tests/data/32-1-472-150-76.laz",
    sha256: "1906635617e0e63e0bebf18fb3bc655b4c5a3368e67886d068872af3c11b29ea",
};

/// One bundled capture.
struct Entry {
    name: &'static str,
    sensor: &'static str,
    scene: &'static str,
    order: &'static str,
    files: &'static [&'static PinnedFile],
    licence: &'static str,
    /// Gets the bytes of `files`, in their order.
    read: fn(&[Vec<u8>]) -> Result<Cloud>,
}

const ENTRIES: &[Entry] = &[
    Entry {
        name: "hdl64-rings",
        sensor: "64-ring rotating LIDAR, by its looks a Velodyne HDL-64E; the package does not say",
        scene: "street, one turn; by its looks a scan of the KITTI data set",
        order: "ring by ring",
        files: &[&CLOUDINI_LIDAR],
        licence: "the package is MIT OR Apache-2.0; if it is a KITTI scan, KITTI's own CC BY-NC-SA 3.0 bars \
                  commercial use. The lab only reads it where Cargo unpacked it and redistributes nothing",
        read: |files| pcd::parse(&files[0]),
    },
    Entry {
        name: "spin32-columns",
        sensor: "32-ring rotating LIDAR of unknown make",
        scene: "recorded 2024-04-30 in frame lidar_link; the package says no more",
        order: "firing order: column after column",
        files: &[&CLOUDINI_DDS],
        licence: "MIT OR Apache-2.0, the package's",
        read: |files| pointcloud2::parse(&files[0]),
    },
    Entry {
        name: "os1-64-columns",
        sensor: "Ouster OS1-64, 1024 columns at 10 Hz",
        scene: "recorded 2019-06-27, 0.16 s over parts of three turns; the package says no more",
        order: "firing order: column after column, returns only",
        files: &[&OUSTER_PCAP, &OUSTER_JSON],
        licence: "MIT, the package's",
        read: |files| ouster::firing_order(&files[0], &files[1]),
    },
    Entry {
        name: "os1-64-organized",
        sensor: "Ouster OS1-64, 1024 columns at 10 Hz",
        scene: "the first 1024 columns of os1-64-columns as the ouster_ros driver would publish them",
        order: "ring by ring, 64 x 1024, missing returns as NaN",
        files: &[&OUSTER_PCAP, &OUSTER_JSON],
        licence: "MIT, the package's",
        read: |files| ouster::organized(&files[0], &files[1], 1024),
    },
    Entry {
        name: "vlp16-columns",
        sensor: "Velodyne VLP-16, by its timing and geometry: its product byte is the HDL-32E's, as early firmware had it",
        scene: "recorded 2014-11-10, a little over one turn; the package says no more",
        order: "firing order: column after column, returns only",
        files: &[&VELODYNE_VLP16],
        licence: "MIT, the package's",
        read: |files| velodyne::firing_order(&files[0], Model::Vlp16),
    },
    Entry {
        name: "hdl32-columns",
        sensor: "Velodyne HDL-32E. The file is named vlp32, but its product byte, its 0.55 ms a packet and its \
                 date, years before the VLP-32C, are the HDL-32E's",
        scene: "recorded 2012-12-11, a little over half a turn; the package says no more",
        order: "firing order: column after column, returns only",
        files: &[&VELODYNE_HDL32],
        licence: "MIT, the package's",
        read: |files| velodyne::firing_order(&files[0], Model::Hdl32e),
    },
    Entry {
        name: "airborne",
        sensor: "airborne survey LIDAR of unknown make",
        scene: "a clip of a survey tile, 2014 to 2018, integers of 0.01 m, written by LAStools' lasclip; the package \
                says no more",
        order: "as in the file",
        files: &[&LAS_TILE],
        licence: "MIT, the package's; it does not name the survey",
        read: |files| Ok(las::parse(&files[0])?.cloud),
    },
];

/// The bundled captures' names, in the order of tables.
pub const BUNDLED: &[&str] = &{
    let mut names = [""; ENTRIES.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = ENTRIES[index].name;
        index += 1;
    }
    names
};

/// Loads a bundled capture, fetching it through Cargo if it is not here yet.
///
/// # Errors
/// If the name is not one of [`BUNDLED`], or the capture cannot be fetched or is not the pinned one. No
/// made-up data ever takes its place.
pub fn bundled(name: &str) -> Result<Capture> {
    let entry = ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        Error::input(format!("there is no bundled capture {name}; there are {}", BUNDLED.join(", ")))
    })?;
    let files = entry.files.iter().map(|file| file.read()).collect::<Result<Vec<_>>>()?;
    let cloud = (entry.read)(&files).map_err(|error| error.within(entry.name))?;
    let source: Vec<String> = entry.files.iter().map(|file| file.describe()).collect();
    let facts = Provenance {
        sensor: entry.sensor.to_owned(),
        scene: entry.scene.to_owned(),
        order: entry.order.to_owned(),
        fields: describe_fields(&cloud.fields),
        source: source.join("; "),
        licence: entry.licence.to_owned(),
    };
    Ok(Capture { name: entry.name.to_owned(), facts, cloud })
}
