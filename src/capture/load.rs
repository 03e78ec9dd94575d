//! A user's own recordings.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    Capture, Provenance, describe_fields,
    las::{self, Survey},
    pcd, pointcloud2,
};
use crate::{
    cloud::Cloud,
    error::{Error, Result},
};

/// Loads one file, or every `.pcd` of a folder by name.
///
/// A file's content decides what it is: PCD, LAS, LAZ or a PointCloud2 message in CDR.
///
/// # Errors
/// If there is no such file, it cannot be read, or the folder has no `.pcd`.
pub fn load_path(path: &Path) -> Result<Vec<Capture>> {
    if !path.is_dir() {
        return Ok(vec![load_file(path)?]);
    }
    let unreadable = |error| Error::unreadable(path, &error);
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(unreadable)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pcd")));
    files.sort();
    if files.is_empty() {
        return Err(Error::input(format!(
            "{}: the folder has no .pcd file: give a folder with some, or one file",
            path.display()
        )));
    }
    files.iter().map(|file| load_file(file)).collect()
}

fn load_file(path: &Path) -> Result<Capture> {
    if path.is_dir() {
        return Err(Error::input(format!("{}: is a folder, not a file", path.display())));
    }
    let bytes = fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    let (cloud, fields) = read(&bytes).map_err(|error| error.within(path.display()))?;
    let unknown = || "given by the user, not known".to_owned();
    let facts = Provenance {
        sensor: unknown(),
        scene: unknown(),
        order: "as in the file".to_owned(),
        fields,
        source: path.display().to_string(),
        licence: unknown(),
    };
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Capture { name, facts, cloud })
}

/// The cloud, and its fields in words.
fn read(bytes: &[u8]) -> Result<(Cloud, String)> {
    let cloud = match bytes {
        [] => return Err(Error::input("is empty: expected PCD, LAS, LAZ or a PointCloud2 message in CDR")),
        [b'L', b'A', b'S', b'F', ..] => {
            let Survey { cloud, scale: [x, y, z], .. } = las::parse(bytes)?;
            let fields = format!("{}; x y z in steps of {x}, {y}, {z}", describe_fields(&cloud.fields));
            return Ok((cloud, fields));
        }
        // A CDR header's first byte is 0, which no text has.
        [0, ..] => pointcloud2::parse(bytes)?,
        _ => pcd::parse(bytes)?,
    };
    let fields = describe_fields(&cloud.fields);
    Ok((cloud, fields))
}
