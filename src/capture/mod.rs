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
    pub fn given(sensor: Option<&str>, fields: &[Field], remark: Option<&str>, source: String) -> Self {
        let unknown = || "given by the user, not known".to_owned();
        let mut words = describe_fields(fields);
        if let Some(remark) = remark {
            words += "; ";
            words += remark;
        }
        Self {
            sensor: sensor.map_or_else(unknown, str::to_owned),
            scene: unknown(),
            order: "as in the file".to_owned(),
            fields: words,
            source,
            licence: unknown(),
        }
    }
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
