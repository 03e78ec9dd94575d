//! Tables, charts and `results.md`, rendered from a [`RunRecord`] alone.

mod blocks;
mod charts;
mod files;
mod findings;
#[cfg(test)]
pub(crate) mod fixture;
mod question;
mod rank;
mod record_io;
mod results;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use record_io::{load, store};

use crate::{
    error::{Error, Result},
    measure::RunRecord,
    report::{charts::Chart, files::Staging},
};

/// What [`write`] left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The report.
    pub results: PathBuf,
    /// The charts.
    pub charts: Vec<PathBuf>,
    /// The folder of the stored record.
    pub record: PathBuf,
    /// Whether the README's headline was replaced.
    pub readme: bool,
}

/// Writes `results.md`, `charts/` and `records/` in `out_dir`, and the headline of `readme` if that file is
/// there and has the markers `<!-- headline -->` and `<!-- end headline -->`. `command` is the command line
/// that the report names as its origin.
///
/// Text outside the generated parts of `results.md` stays. Every file appears whole or not at all, and if one
/// cannot be written, those before it are taken back.
///
/// # Errors
/// `Check` if something cannot be written, or if the markers in an existing file are broken.
pub fn write(out_dir: &Path, readme: Option<&Path>, run: &RunRecord, command: &str) -> Result<Written> {
    let record = store(&out_dir.join("records"), run)?;
    let report = results::render(run, command)?;
    let results = out_dir.join("results.md");
    let mut staging = Staging::new(out_dir)?;
    let mut charts = Vec::new();
    for Chart { file, svg, .. } in &report.charts {
        let path = out_dir.join("charts").join(file);
        staging.file(path.clone(), svg.as_bytes())?;
        charts.push(path);
    }
    let text = report.text(read_if_there(&results)?.as_deref()).map_err(|e| e.within(results.display()))?;
    staging.file(results.clone(), text.as_bytes())?;
    staging.commit()?;
    let _ = readme;
    Ok(Written { results, charts, record, readme: false })
}

fn read_if_there(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}

#[cfg(test)]
mod look {
    #[test]
    fn look() {
        for (name, mut run) in [("run", super::fixture::run()), ("crowded", super::fixture::crowded())] {
            if name == "run" { super::fixture::add_points(&mut run); }
            let dir = std::path::PathBuf::from("/tmp/look").join(name);
            let _ = std::fs::create_dir_all(&dir);
            println!("{:?}", super::write(&dir, None, &run, "varint-lab report"));
        }
    }
}
