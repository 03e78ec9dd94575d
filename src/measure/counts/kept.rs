//! The counts of the last update with what they belong to, for the report: `reports/counts.csv`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Counts, csv::write_rows, units};
use crate::error::{Error, Result};

/// One id's count, and what it was made of and by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRow {
    /// The id.
    pub id: String,
    /// Tokens or points of the slice.
    pub units: u64,
    /// Instructions for all of them.
    pub instructions: u64,
    /// Conditional and indirect branches, if they were simulated.
    pub branches: Option<u64>,
    /// Those of them that valgrind's fixed model mispredicts.
    pub mispredicted: Option<u64>,
    /// The fingerprint of the code that was counted.
    pub sources: String,
    /// The compiler.
    pub rustc: String,
    /// The target.
    pub target: String,
    /// The valgrind that counted.
    pub valgrind: String,
    /// The day.
    pub date: String,
}

/// Where counts are kept beside a baseline.
#[must_use]
pub fn beside(baseline: &Path) -> PathBuf {
    baseline.with_file_name("counts.csv")
}

/// Writes the counts of these sources to `path`.
///
/// # Errors
/// If the folder does not take it.
pub fn keep(path: &Path, counts: &Counts, sources: &str, valgrind: &str, date: &str) -> Result<()> {
    let row = |(id, measured): (&String, &super::Measured)| KeptRow {
        id: id.clone(),
        units: units(id),
        instructions: measured.instructions,
        branches: measured.branches,
        mispredicted: measured.mispredicted,
        sources: sources.to_owned(),
        rustc: env!("BUILD_RUSTC").into(),
        target: env!("BUILD_TARGET").into(),
        valgrind: valgrind.to_owned(),
        date: date.to_owned(),
    };
    write_rows(path, counts.iter().map(row))
}

/// Reads counts that were kept; none if there is no such file.
///
/// # Errors
/// If it cannot be read.
pub fn read_kept(path: &Path) -> Result<Vec<KeptRow>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
    csv::Reader::from_reader(text.as_bytes()).deserialize().collect::<std::result::Result<_, _>>().map_err(
        |error| {
            Error::input(format!("{}: {error}: `varint-lab gate --update` writes it anew", path.display()))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{super::Measured, *};

    #[test]
    fn counts_read_back_as_kept_and_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("gate.csv"));
        assert_eq!(read_kept(&path).unwrap(), []);
        let counts = Counts::from([
            (
                "points/v4/a/block/b".to_owned(),
                Measured { instructions: 7, branches: Some(2), mispredicted: Some(1) },
            ),
            (
                "tokens/rows/u32/a/b".to_owned(),
                Measured { instructions: 5, branches: None, mispredicted: None },
            ),
        ]);
        keep(&path, &counts, "s", "v", "d").unwrap();
        let rows = read_kept(&path).unwrap();
        let shown: Vec<_> = rows.iter().map(|row| (row.units, row.instructions, row.branches)).collect();
        assert_eq!(shown, [(8_192, 7, Some(2)), (16_384, 5, None)]);
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("8192", "many")).unwrap();
        assert!(read_kept(&path).unwrap_err().to_string().contains("--update"));
    }
}
