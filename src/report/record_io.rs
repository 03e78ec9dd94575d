//! Records on disk: `rows.csv`, `captures.csv`, `machine.json` and, if there are any, `sizes.csv` and `sweeps.csv`
//! in a folder of their own, never overwritten.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::{Error, Result},
    measure::{CaptureFacts, Machine, Record, RunRecord, SweepRow, sizes::SizeRow},
    report::{
        files::{staging_folder, write_synced},
        question::slug,
        record_rows::{CaptureRow, Row},
    },
};

const ROWS: &str = "rows.csv";
const CAPTURES: &str = "captures.csv";
const SIZES: &str = "sizes.csv";
const MACHINE: &str = "machine.json";
const SWEEPS: &str = "sweeps.csv";

/// `machine.json`.
#[derive(Serialize, Deserialize)]
struct Stamp {
    machine: Machine,
    quick: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    command: String,
}

/// Stores a run in a new folder `<date>-<machine>` of `records`, with `-2`, `-3` ... behind it if that is
/// taken, and returns the folder. A run that is already stored there is not stored again.
///
/// # Errors
/// `Check` if the folder cannot be written. It appears whole or not at all.
pub fn store(records: &Path, run: &RunRecord) -> Result<PathBuf> {
    let failed = |error: io::Error| {
        Error::check(format!("{}: the record cannot be written: {error}", records.display()))
    };
    fs::create_dir_all(records).map_err(failed)?;
    let staging = staging_folder(records).map_err(failed)?;
    let staged = staging.path().join("record");
    fs::create_dir(&staged).map_err(failed)?;
    write_synced(&staged.join(ROWS), &to_csv(run.records.iter().map(Row::from))?).map_err(failed)?;
    write_synced(&staged.join(CAPTURES), &to_csv(run.captures.iter().map(CaptureRow::from))?)
        .map_err(failed)?;
    if !run.sizes.is_empty() {
        write_synced(&staged.join(SIZES), &to_csv(run.sizes.iter())?).map_err(failed)?;
    }
    if !run.sweeps.is_empty() {
        write_synced(&staged.join(SWEEPS), &to_csv(run.sweeps.iter())?).map_err(failed)?;
    }
    let stamp = Stamp { machine: run.machine.clone(), quick: run.quick, command: run.command.clone() };
    let mut json = serde_json::to_vec_pretty(&stamp)
        .map_err(|error| Error::check(format!("the machine cannot be written as JSON: {error}")))?;
    json.push(b'\n');
    write_synced(&staged.join(MACHINE), &json).map_err(failed)?;

    let name = folder_name(&run.machine);
    let mut copy = 0_u32;
    loop {
        copy += 1;
        let folder = records.join(if copy == 1 { name.clone() } else { format!("{name}-{copy}") });
        if folder.exists() {
            if load(&folder).is_ok_and(|stored| stored == *run) {
                return Ok(folder);
            }
            continue;
        }
        match fs::rename(&staged, &folder) {
            Ok(()) => return Ok(folder),
            // Another run may have taken the name since it was looked at.
            Err(_) if folder.exists() => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Reads a stored run.
///
/// # Errors
/// `Input` with the file, and the line if there is one, that is missing or wrong; also if there are no rows, or
/// rows of a capture that is not in `captures.csv`.
pub fn load(folder: &Path) -> Result<RunRecord> {
    let records = from_csv::<Record>(&folder.join(ROWS))?;
    let captures = from_csv::<CaptureRow>(&folder.join(CAPTURES))?;
    let known: BTreeSet<&str> = captures.iter().map(|capture| capture.name.as_str()).collect();
    let wrong = |what: String| Err(Error::input(format!("{}: {what}", folder.join(ROWS).display())));
    if records.is_empty() {
        return wrong("has no rows: this is no whole record".to_owned());
    }
    if let Some(row) = records.iter().find(|row| !known.contains(row.capture.as_str())) {
        return wrong(format!("has a row of {}, which {CAPTURES} does not know", row.capture));
    }
    let sweeps = folder.join(SWEEPS);
    let sweeps = if sweeps.exists() { from_csv::<SweepRow>(&sweeps)? } else { Vec::new() };
    let sizes = folder.join(SIZES);
    let sizes = if sizes.exists() { from_csv::<SizeRow>(&sizes)? } else { Vec::new() };
    let path = folder.join(MACHINE);
    let json = fs::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
    let stamp: Stamp = serde_json::from_slice(&json)
        .map_err(|error| Error::input(format!("{}: {error}", path.display())))?;
    Ok(RunRecord {
        machine: stamp.machine,
        captures: captures.into_iter().map(CaptureFacts::from).collect(),
        records,
        sizes,
        quick: stamp.quick,
        command: stamp.command,
        sweeps,
    })
}

/// The day and the CPU's name without what every CPU's name says.
fn folder_name(machine: &Machine) -> String {
    let cpu = machine.cpu.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let words: Vec<&str> = cpu
        .split('@')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter(|word| !["cpu", "processor"].contains(word))
        .collect();
    let day: String = machine.date.chars().take(10).collect();
    format!("{}-{}", slug(&day), slug(&words.join(" ")))
}

fn to_csv<T: Serialize>(rows: impl Iterator<Item = T>) -> Result<Vec<u8>> {
    let failed = |error: &dyn std::fmt::Display| Error::check(format!("rows cannot be written: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| failed(&error))?;
    }
    writer.into_inner().map_err(|error| failed(&error))
}

fn from_csv<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let file = fs::File::open(path).map_err(|error| Error::unreadable(path, &error))?;
    csv::Reader::from_reader(io::BufReader::new(file))
        .into_deserialize()
        .collect::<std::result::Result<_, csv::Error>>()
        .map_err(|error| Error::input(format!("{}: {error}", path.display())))
}
