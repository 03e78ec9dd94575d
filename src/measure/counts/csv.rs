//! The baseline that is committed: `reports/gate.csv`.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How far a count may move either way, in percent, where a row does not say otherwise.
pub const DEFAULT_TOLERANCE: f64 = 0.5;

/// One id's accepted count, with what it was made by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineRow {
    /// `tokens/rows/u32/<capture>/<variant>` or `points/v4/<capture>/<path>/<variant>`.
    pub id: String,
    /// Accepted instructions.
    pub instructions: u64,
    /// How far a count may be from it, in percent.
    pub tolerance: f64,
    /// The compiler.
    pub rustc: String,
    /// The target.
    pub target: String,
    /// The valgrind that counted.
    pub valgrind: String,
    /// The day it was accepted.
    pub date: String,
}

/// All accepted counts.
pub type Baseline = Vec<BaselineRow>;

/// Reads a baseline.
///
/// # Errors
/// If it is missing, a line cannot be read, an id comes twice or a number makes no sense.
pub fn read_baseline(path: &Path) -> Result<Baseline> {
    if !path.exists() {
        return Err(Error::check(format!(
            "{}: there is no baseline to compare with; `varint-lab gate --update` writes one",
            path.display()
        )));
    }
    let text = fs::read_to_string(path).map_err(|error| Error::unreadable(path, &error))?;
    parse(&text).map_err(|error| error.within(path.display()))
}

fn parse(text: &str) -> Result<Baseline> {
    let rows: Baseline = csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| Error::check(format!("unreadable baseline: {error}")))?;
    for (place, row) in rows.iter().enumerate() {
        if !row.tolerance.is_finite() || row.tolerance < 0.0 {
            return Err(Error::check(format!("{}: {} is no tolerance", row.id, row.tolerance)));
        }
        if rows[..place].iter().any(|earlier| earlier.id == row.id) {
            return Err(Error::check(format!("{} stands in the baseline twice", row.id)));
        }
    }
    Ok(rows)
}

/// Writes a baseline, whole or not at all.
///
/// # Errors
/// If the folder does not take it.
pub fn write_baseline(path: &Path, rows: &Baseline) -> Result<()> {
    write_rows(path, rows.iter())
}

/// Writes rows as CSV, whole or not at all.
pub(super) fn write_rows<R: Serialize>(path: &Path, rows: impl Iterator<Item = R>) -> Result<()> {
    let failed = |error: String| Error::check(format!("{}: cannot be written: {error}", path.display()));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Beside its place: it can then be moved there in one step.
    let staging = tempfile::tempdir_in(folder).map_err(|error| failed(error.to_string()))?;
    let staged = staging.path().join("rows.csv");
    fs::write(&staged, &bytes).map_err(|error| failed(error.to_string()))?;
    fs::rename(&staged, path).map_err(|error| failed(error.to_string()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "id,instructions,tolerance,rustc,target,valgrind,date\n";

    #[test]
    fn a_baseline_reads_back_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.csv");
        let rows = vec![BaselineRow {
            id: "tokens/rows/u32/a/b".into(),
            instructions: 12,
            tolerance: 0.5,
            rustc: "rustc 1.95.0 (a, b)".into(),
            target: "t".into(),
            valgrind: "v".into(),
            date: "d".into(),
        }];
        write_baseline(&path, &rows).unwrap();
        assert_eq!(read_baseline(&path).unwrap(), rows);
    }

    #[test]
    fn b14_b15_what_makes_no_sense_is_a_failure() {
        for lines in [
            "a,1,0.5,r,t,v,d\na,1,0.5,r,t,v,d",
            "a,-1,0.5,r,t,v,d",
            "a,1,NaN,r,t,v,d",
            "a,1,-1,r,t,v,d",
            "a,1",
        ] {
            assert!(parse(&format!("{HEAD}{lines}\n")).is_err(), "{lines}");
        }
        assert!(read_baseline(Path::new("no/such/gate.csv")).unwrap_err().to_string().contains("--update"));
    }
}
