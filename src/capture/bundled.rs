//! The captures that come with the lab: which files they are, how they are read, and what is known of them.

use super::{Capture, Provenance, packages::PinnedFile, pcd, pointcloud2};
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
        fields: super::describe_fields(&cloud.fields),
        source: source.join("; "),
        licence: entry.licence.to_owned(),
    };
    Ok(Capture { name: entry.name.to_owned(), facts, cloud })
}
