//! Tables, charts and `results.md`, rendered from a [`RunRecord`] alone.

mod absent;
mod blocks;
mod charts;
mod claims;
mod compare;
mod conclusions;
mod files;
mod findings;
#[cfg(test)]
mod fixture;
mod instructions;
mod plain;
mod question;
mod rank;
mod readme;
mod record_io;
mod record_rows;
mod results;
mod sections;
mod suggest;
mod survey;
mod sweeps;
mod terminal;
#[cfg(test)]
mod tests;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use compare::comparison_text;
pub use record_io::{load, store};
pub use suggest::{Choice, Suggestion, suggest, verdict};
pub use survey::{sizes_table, survey_text};
pub use terminal::{VariantRow, captures_table, ranking_table, variants_table};

use crate::{
    error::{Error, Result},
    measure::RunRecord,
    report::{charts::Chart, files::Staging},
};

/// What [`write()`] left behind.
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

/// Stores the run in `records/` of `out_dir` and writes the report of it there: `results.md` and `charts/`, and the
/// headline of `readme` if that file is there and has the markers `<!-- headline -->` and `<!-- end headline -->`.
///
/// Text outside the generated parts of `results.md` stays. Every file appears whole or not at all, and if one
/// cannot be written, those before it are taken back.
///
/// # Errors
/// `Check` if something cannot be written, or if the markers in an existing file are broken.
pub fn write(out_dir: &Path, readme: Option<&Path>, run: &RunRecord) -> Result<Written> {
    let record = store(&out_dir.join("records"), run)?;
    write_report(out_dir, readme, run, record)
}

/// Writes the report of a run that is stored in `folder`, as [`write()`] does. A record from elsewhere is stored in
/// `records/` of `out_dir`, so that the report's links lead to it.
///
/// # Errors
/// `Input` if the record is damaged or none: nothing was touched then. Else as [`write()`].
pub fn write_stored(out_dir: &Path, readme: Option<&Path>, folder: &Path) -> Result<Written> {
    let run = load(folder)?;
    // Whatever way led to it, links need its own name.
    let home = fs::canonicalize(out_dir.join("records")).ok();
    match fs::canonicalize(folder) {
        Ok(folder) if folder.parent().map(Path::to_owned) == home => {
            write_report(out_dir, readme, &run, folder)
        }
        _ => write(out_dir, readme, &run),
    }
}

fn write_report(out_dir: &Path, readme: Option<&Path>, run: &RunRecord, record: PathBuf) -> Result<Written> {
    let (staging, written, documents) = staged(out_dir, readme, run, record)?;
    staging.commit()?;
    remove_stale(&out_dir.join("charts"), &written.charts, &documents)?;
    Ok(written)
}

/// Everything that is to be written, beside its targets; and the texts of the documents.
///
/// Charts come first, and a chart of other content has another name: whenever the moves are interrupted, each document
/// is the old one with the old charts or the new one with the new charts.
fn staged(
    out_dir: &Path,
    readme: Option<&Path>,
    run: &RunRecord,
    record: PathBuf,
) -> Result<(Staging, Written, Vec<String>)> {
    let folder = record.file_name().unwrap_or_default().to_string_lossy();
    let answers = results::answers(run);
    let mut report = results::render(run, &answers, &folder)?;
    let known = instructions::known(Path::new(env!("CARGO_MANIFEST_DIR")), run)?;
    let (body, drawn) = instructions::part(run, &answers, &known)?;
    report.add_instructions(body, &drawn);

    let charts_dir = out_dir.join("charts");
    let results = out_dir.join("results.md");
    let mut staging = Staging::new(out_dir)?;
    let mut charts = Vec::new();
    for Chart { file, svg, .. } in &report.charts {
        let path = charts_dir.join(file);
        staging.file(path.clone(), svg.as_bytes())?;
        charts.push(path);
    }
    let text = report.text(read_if_there(&results)?.as_deref()).map_err(|e| e.within(results.display()))?;
    staging.file(results.clone(), text.as_bytes())?;
    let mut documents = vec![text];
    let mut headline = false;
    if let Some(readme) = readme
        && let Some(old) = read_if_there(readme)?
    {
        let block = readme::headline(&answers, &readme::way(readme, &charts_dir), &report.charts);
        let new = block.put_into(&old).map_err(|e| e.within(readme.display()))?;
        if let Some(new) = &new {
            staging.file(readme.to_owned(), new.as_bytes())?;
            headline = true;
        }
        documents.push(new.unwrap_or(old));
    }
    Ok((staging, Written { results, charts, record, readme: headline }, documents))
}

/// Removes charts of earlier reports that this one has not and no document links to. Files that no report would write
/// stay.
fn remove_stale(folder: &Path, charts: &[PathBuf], documents: &[String]) -> Result<()> {
    let failed = |error| Error::check(format!("{}: old charts cannot be removed: {error}", folder.display()));
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ours = charts::PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && name.ends_with(".svg");
        let linked = || documents.iter().any(|text| text.contains(&format!("charts/{name}")));
        if ours && !charts.contains(&path) && !linked() {
            fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}

fn read_if_there(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}
