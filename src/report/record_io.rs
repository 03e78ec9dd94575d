//! Records on disk: `rows.csv`, `captures.csv` and `machine.json` in a folder of their own, never overwritten.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::{Error, Result},
    measure::{CaptureFacts, Machine, Record, RunRecord},
    report::{files::write_synced, question::slug},
};

const ROWS: &str = "rows.csv";
const CAPTURES: &str = "captures.csv";
const MACHINE: &str = "machine.json";

/// `machine.json`.
#[derive(Serialize, Deserialize)]
struct Stamp {
    machine: Machine,
    quick: bool,
}

/// A line of `rows.csv`: a [`Record`] in which absent values are empty columns instead of missing ones.
#[derive(Serialize)]
struct Row<'a> {
    task: &'a str,
    word: &'a str,
    arrangement: &'a str,
    window: &'a str,
    capture: &'a str,
    synthetic: bool,
    short: bool,
    variant: &'a str,
    layout: &'a str,
    class: &'a str,
    standing: &'a str,
    tokens: u64,
    rounds: u32,
    ns_min: f64,
    ns_median: f64,
    vs_loop: f64,
    vs_loop_median: f64,
    vs_loop_low: f64,
    vs_loop_high: f64,
    bytes_per_token: f64,
    gb_per_s: Option<f64>,
    path: Option<&'a str>,
    mode: Option<&'a str>,
    vs_upstream: Option<f64>,
    vs_upstream_low: Option<f64>,
    vs_upstream_high: Option<f64>,
}

impl<'a> From<&'a Record> for Row<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            task: &record.task,
            word: &record.word,
            arrangement: &record.arrangement,
            window: &record.window,
            capture: &record.capture,
            synthetic: record.synthetic,
            short: record.short,
            variant: &record.variant,
            layout: &record.layout,
            class: &record.class,
            standing: &record.standing,
            tokens: record.tokens,
            rounds: record.rounds,
            ns_min: record.ns_min,
            ns_median: record.ns_median,
            vs_loop: record.vs_loop,
            vs_loop_median: record.vs_loop_median,
            vs_loop_low: record.vs_loop_low,
            vs_loop_high: record.vs_loop_high,
            bytes_per_token: record.bytes_per_token,
            gb_per_s: record.gb_per_s,
            path: record.path.as_deref(),
            mode: record.mode.as_deref(),
            vs_upstream: record.vs_upstream,
            vs_upstream_low: record.vs_upstream_low,
            vs_upstream_high: record.vs_upstream_high,
        }
    }
}

/// A line of `captures.csv`: [`CaptureFacts`] with a column for each length's share.
#[derive(Serialize, Deserialize)]
struct CaptureRow {
    name: String,
    sensor: String,
    scene: String,
    order: String,
    fields: String,
    source: String,
    licence: String,
    synthetic: bool,
    short: bool,
    points: u64,
    tokens: u64,
    bytes_per_token: f64,
    share_1: f64,
    share_2: f64,
    share_3: f64,
    share_4: f64,
    share_5: f64,
    share_6: f64,
    share_7: f64,
    share_8: f64,
    share_9: f64,
    share_10: f64,
}

impl From<&CaptureFacts> for CaptureRow {
    fn from(facts: &CaptureFacts) -> Self {
        let [share_1, share_2, share_3, share_4, share_5, share_6, share_7, share_8, share_9, share_10] =
            facts.length_shares;
        let CaptureFacts { name, sensor, scene, order, fields, source, licence, .. } = facts.clone();
        let &CaptureFacts { synthetic, short, points, tokens, bytes_per_token, .. } = facts;
        Self {
            name,
            sensor,
            scene,
            order,
            fields,
            source,
            licence,
            synthetic,
            short,
            points,
            tokens,
            bytes_per_token,
            share_1,
            share_2,
            share_3,
            share_4,
            share_5,
            share_6,
            share_7,
            share_8,
            share_9,
            share_10,
        }
    }
}

impl From<CaptureRow> for CaptureFacts {
    fn from(row: CaptureRow) -> Self {
        Self {
            length_shares: [
                row.share_1,
                row.share_2,
                row.share_3,
                row.share_4,
                row.share_5,
                row.share_6,
                row.share_7,
                row.share_8,
                row.share_9,
                row.share_10,
            ],
            name: row.name,
            sensor: row.sensor,
            scene: row.scene,
            order: row.order,
            fields: row.fields,
            source: row.source,
            licence: row.licence,
            synthetic: row.synthetic,
            short: row.short,
            points: row.points,
            tokens: row.tokens,
            bytes_per_token: row.bytes_per_token,
        }
    }
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
    let staging = tempfile::Builder::new().prefix(".staging-").tempdir_in(records).map_err(failed)?;
    let staged = staging.path().join("record");
    fs::create_dir(&staged).map_err(failed)?;
    write_synced(&staged.join(ROWS), &to_csv(run.records.iter().map(Row::from))?).map_err(failed)?;
    write_synced(&staged.join(CAPTURES), &to_csv(run.captures.iter().map(CaptureRow::from))?)
        .map_err(failed)?;
    let stamp = Stamp { machine: run.machine.clone(), quick: run.quick };
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
/// `Input` with the file, and the line if there is one, that is missing or wrong.
pub fn load(folder: &Path) -> Result<RunRecord> {
    let records = from_csv::<Record>(&folder.join(ROWS))?;
    let captures = from_csv::<CaptureRow>(&folder.join(CAPTURES))?;
    let path = folder.join(MACHINE);
    let json = fs::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
    let stamp: Stamp = serde_json::from_slice(&json)
        .map_err(|error| Error::input(format!("{}: {error}", path.display())))?;
    Ok(RunRecord {
        machine: stamp.machine,
        captures: captures.into_iter().map(CaptureFacts::from).collect(),
        records,
        quick: stamp.quick,
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
