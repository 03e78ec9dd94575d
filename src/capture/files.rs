//! Which files a path names: a file, a folder of them, or a pattern.

use std::{
    cmp::Ordering,
    fs,
    path::{Path, PathBuf},
};

use crate::error::{Error, Result};

/// Extensions that a folder is searched for.
const KNOWN: [&str; 8] = ["bin", "cdr", "cloudini", "las", "laz", "mcap", "pcap", "pcd"];

/// Extensions of ROS bags, which are not read: they have to be converted.
const BAGS: [&str; 2] = ["bag", "db3"];

/// What a recorder leaves beside the parts of a recording that it split.
const SPLIT: &str = "metadata.yaml";

/// One recording: a file, or the parts of a split one in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The stem of the file, or the name of the folder that holds the parts.
    pub name: String,
    /// The files; never empty.
    pub parts: Vec<PathBuf>,
}

impl Recording {
    fn of_file(path: PathBuf) -> Self {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self { name, parts: vec![path] }
    }

    /// The files, for provenance.
    #[must_use]
    pub fn source(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| part.display().to_string()).collect();
        parts.join(", ")
    }
}

/// The recordings that a path names: a file is one; a folder has one in each file of a known kind, by name;
/// a pattern such as `drive/*.pcd` has those of each path that matches, unless a file has the very name.
///
/// A folder of MCAP files with a `metadata.yaml` is one recording that ROS 2 split.
///
/// # Errors
/// If nothing is there, a folder has no file of a known kind, or the pattern is none.
pub fn recordings(path: &Path) -> Result<Vec<Recording>> {
    if path.is_dir() {
        return folder(path);
    }
    let pattern = path.to_str().filter(|text| !path.exists() && text.contains(['*', '?', '[']));
    let Some(pattern) = pattern else {
        return Ok(vec![Recording::of_file(path.to_owned())]);
    };
    let matches = glob::glob(pattern).map_err(|error| Error::input(format!("{pattern}: {error}")))?;
    let mut paths = matches
        .collect::<std::result::Result<Vec<PathBuf>, _>>()
        .map_err(|error| Error::unreadable(error.path(), error.error()))?;
    paths.sort_by(|one, other| by_name(one, other));
    if paths.is_empty() {
        return Err(Error::input(format!("{pattern}: nothing matches")));
    }
    let mut found = Vec::new();
    let mut empty = None;
    for path in paths {
        if !path.is_dir() {
            found.push(Recording::of_file(path));
            continue;
        }
        match folder(&path) {
            Ok(mut recordings) => found.append(&mut recordings),
            Err(error) => empty = Some(error),
        }
    }
    // A folder that a pattern happens to match may have nothing, unless it is all that matches.
    if found.is_empty()
        && let Some(error) = empty
    {
        return Err(error);
    }
    Ok(found)
}

fn folder(path: &Path) -> Result<Vec<Recording>> {
    let unreadable = |error| Error::unreadable(path, &error);
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(unreadable)?;
    let bags = files.iter().any(|file| BAGS.iter().any(|bag| has_extension(file, bag)));
    files.retain(|file| KNOWN.iter().any(|known| has_extension(file, known)));
    files.sort_by(|one, other| by_name(one, other));
    if files.is_empty() {
        return Err(Error::input(format!(
            "{}: the folder has no .{} file: {}",
            path.display(),
            KNOWN.join(", ."),
            if bags {
                "convert its ROS bags with `mcap convert in.bag out.mcap`"
            } else {
                "give a folder with some, or one file"
            }
        )));
    }
    if path.join(SPLIT).is_file() && files.iter().all(|file| has_extension(file, "mcap")) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        return Ok(vec![Recording { name, parts: files }]);
    }
    Ok(files.into_iter().map(Recording::of_file).collect())
}

/// Whether the name ends so, in any case.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// By name with numbers by their value: the recorder's part 10 comes after its part 9.
fn by_name(one: &Path, other: &Path) -> Ordering {
    let (one, other) = (one.to_string_lossy(), other.to_string_lossy());
    words(&one).cmp(words(&other)).then_with(|| one.cmp(&other))
}

/// The text cut into digits and the rest. Numbers are compared by length without leading zeros, then by digits.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    bytes.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit()).scan(0, move |start, chunk| {
        // Digits are ASCII, so cuts beside them are between characters.
        let word = &text[*start..*start + chunk.len()];
        *start += chunk.len();
        let number = word.trim_start_matches('0');
        Some(if chunk[0].is_ascii_digit() { (number.len(), number) } else { (0, word) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_ordered_by_value() {
        let mut names = ["bag_10.mcap", "bag_9.mcap", "bag_009b.mcap", "bag_1.mcap", "a.mcap", "été_2.mcap"]
            .map(PathBuf::from);
        names.sort_by(|one, other| by_name(one, other));
        let sorted: Vec<_> = names.iter().map(|name| name.to_str().unwrap()).collect();
        assert_eq!(
            sorted,
            ["a.mcap", "bag_1.mcap", "bag_9.mcap", "bag_009b.mcap", "bag_10.mcap", "été_2.mcap"]
        );
    }
}
