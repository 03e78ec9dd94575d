//! Real recordings as clouds, with what is known of them; and synthetic token streams, named as such.

mod bin;
mod bundled;
mod cursor;
mod files;
pub mod las;
mod load;
mod mcap;
pub mod ouster;
mod ouster_frames;
mod packages;
mod part;
pub mod pcap;
pub mod pcd;
mod point;
pub mod pointcloud2;
mod recording;
pub mod synthetic;
#[cfg(test)]
mod trickle;
pub mod velodyne;

pub use bin::BinColumns;
pub use bundled::{BUNDLED, bundled};
pub use files::{Recording, recordings};
pub use load::load_path;
pub use recording::{Message, Messages, Options, messages, messages_of};

use crate::cloud::{Cloud, Field};

/// A recording. Its fields have no resolution yet: see [`Cloud::with_resolution`].
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// A bundled capture's name, or the stem of the user's file.
    pub name: String,
    /// What is known of it.
    pub facts: Provenance,
    /// The points.
    pub cloud: Cloud,
}

/// Where a recording comes from, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The sensor.
    pub sensor: String,
    /// What it looked at, and when.
    pub scene: String,
    /// The order of the points, which decides the deltas.
    pub order: String,
    /// The fields' names and types, in their order.
    pub fields: String,
    /// Package, version and file.
    pub source: String,
    /// The licence of the data.
    pub licence: String,
}

impl Provenance {
    /// Of a user's own recording, of which next to nothing is known.
    #[must_use]
    pub fn given(sensor: Option<&str>, cloud: &Cloud, remark: Option<&str>, source: String) -> Self {
        let unknown = || "given by the user, not known".to_owned();
        let mut words = describe_fields(&cloud.fields);
        if let Some(remark) = remark {
            words += "; ";
            words += remark;
        }
        Self {
            sensor: sensor.map(str::to_owned).or_else(|| image(cloud)).unwrap_or_else(unknown),
            scene: unknown(),
            order: "as in the file".to_owned(),
            fields: words,
            source,
            licence: unknown(),
        }
    }
}

/// How the sensor's words begin if it is no LIDAR.
const NO_LIDAR: &str = "not LIDAR";

impl Provenance {
    /// Whether the recording is known to be of another kind of sensor.
    #[must_use]
    pub fn is_not_lidar(&self) -> bool {
        self.sensor.starts_with(NO_LIDAR)
    }
}

/// What tells a depth camera's cloud: rows and columns of an image, each point with a colour.
fn image(cloud: &Cloud) -> Option<String> {
    let coloured = cloud.fields.iter().any(|field| matches!(field.name.as_str(), "rgb" | "rgba"));
    (coloured && cloud.height > 1).then(|| {
        format!("{NO_LIDAR}: an RGB-D camera, by its image of {} x {} colours", cloud.width, cloud.height)
    })
}

/// Fields of the same type in a row share its name: `x y z FLOAT32, ring UINT16`.
fn describe_fields(fields: &[Field]) -> String {
    let same_type = fields.chunk_by(|one, next| one.kind == next.kind);
    let groups = same_type.map(|group| {
        let names: Vec<&str> = group.iter().map(|field| field.name.as_str()).collect();
        format!("{} {}", names.join(" "), group[0].kind)
    });
    groups.collect::<Vec<_>>().join(", ")
}
