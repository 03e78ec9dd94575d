//! KITTI's and nuScenes' `.bin`: rows of little-endian FLOAT32 without a header.
//!
//! Source: the KITTI raw data set's development kit (`velodyne_points/data/*.bin`: x y z reflectance) and the
//! nuScenes schema (`LIDAR_TOP/*.pcd.bin`: x y z intensity ring). Nothing in such a file tells the columns: its
//! name or folder may, its size can rule one of them out, and what is left is for the user to say.

use std::path::Path;

use crate::{
    cloud::{Cloud, Field, FieldType},
    error::{Error, Result},
};

/// How many FLOAT32 a point has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum BinColumns {
    /// KITTI: x y z intensity.
    #[value(name = "4")]
    Four,
    /// nuScenes: x y z intensity ring.
    #[value(name = "5")]
    Five,
}

impl BinColumns {
    fn step(self) -> usize {
        match self {
            Self::Four => 16,
            Self::Five => 20,
        }
    }
}

/// KITTI's folders of scans.
const KITTI: [&str; 3] = ["velodyne", "velodyne_points", "velodyne_reduced"];

/// Reads a file's bytes; returns the cloud and how its columns were told, in words.
///
/// # Errors
/// If the size is no whole number of points, or neither name nor size tells the columns.
pub(super) fn parse(file: &[u8], path: &Path, columns: Option<BinColumns>) -> Result<(Cloud, String)> {
    let (columns, how) = match columns {
        Some(columns) => (columns, "as given"),
        None => tell(file.len(), path)?,
    };
    let step = columns.step();
    if !file.len().is_multiple_of(step) {
        return Err(Error::input(format!(
            "{} bytes are no whole number of points of {} FLOAT32 ({step} bytes), {how}",
            file.len(),
            step / 4
        )));
    }
    let names = ["x", "y", "z", "intensity", "ring"];
    let fields = names.iter().take(step / 4).zip(0..);
    let fields = fields.map(|(name, at)| Field::new(*name, 4 * at, FieldType::Float32)).collect();
    let points = file.len() / step;
    let width = u32::try_from(points).map_err(|_| Error::input(format!("{points} points are too many")))?;
    let cloud = Cloud::new(fields, width, 1, step, file.to_vec())?;
    Ok((cloud, format!("{} columns, {how}", step / 4)))
}

/// The columns by the name, else by the size.
fn tell(bytes: usize, path: &Path) -> Result<(BinColumns, &'static str)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.to_ascii_lowercase().ends_with(".pcd.bin") {
        return Ok((BinColumns::Five, "by its name, nuScenes'"));
    }
    let folder = |part: &std::ffi::OsStr| KITTI.iter().any(|kitti| part == *kitti);
    if path.parent().is_some_and(|parents| parents.iter().any(folder)) {
        return Ok((BinColumns::Four, "by its folder, KITTI's"));
    }
    match (bytes.is_multiple_of(16), bytes.is_multiple_of(20)) {
        _ if bytes == 0 => Ok((BinColumns::Four, "without a point to tell")),
        (true, false) => Ok((BinColumns::Four, "by its size")),
        // Five columns are never taken for granted: a KITTI file that was cut short would pass.
        (false, _) => Err(Error::input(format!(
            "{bytes} bytes are no whole number of KITTI's points of 4 FLOAT32 (16 bytes); if it has nuScenes' 5 \
             columns, say --bin-columns 5"
        ))),
        (true, true) => Err(Error::input(format!(
            "{bytes} bytes are whole points of 4 FLOAT32 and of 5: say --bin-columns 4 (KITTI) or 5 (nuScenes)"
        ))),
    }
}
