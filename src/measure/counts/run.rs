//! Counting: the bench under valgrind, and what it left behind.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use variants::Class;

use super::plan::plan;
use crate::{
    error::{Error, Result},
    measure::contestants,
};

/// What callgrind counted for one decode of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Instructions.
    pub instructions: u64,
    /// Conditional and indirect branches, if they were simulated.
    pub branches: Option<u64>,
    /// Those of them that valgrind's fixed model mispredicts; no forecast for a real CPU.
    pub mispredicted: Option<u64>,
}

/// Counts by id.
pub type Counts = BTreeMap<String, Measured>;

/// Registered variants that valgrind cannot run.
#[must_use]
pub fn uncountable() -> Vec<&'static str> {
    let avx512 = |contestant: &contestants::Contestant| contestant.info.class == Class::Avx512;
    contestants::all().into_iter().filter(avx512).map(|contestant| contestant.name).collect()
}

/// What `valgrind --version` says.
///
/// # Errors
/// If there is none: with the command that installs it.
pub fn valgrind_version() -> Result<String> {
    let output = Command::new("valgrind").arg("--version").output();
    match output {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        _ => Err(Error::input(
            "instruction counts need valgrind, which is not installed: `apt-get install valgrind` (Debian, Ubuntu) \
             or `dnf install valgrind` (Fedora)",
        )),
    }
}

/// Runs the counting bench and reads its counts; `tick` is called as each of them begins. What cargo says of the
/// build goes to standard error.
///
/// # Errors
/// If valgrind or the sources are missing, the bench fails, or what it wrote cannot be read or is not all that had
/// to be counted: not measured, which is never a pass.
pub fn count(mut tick: impl FnMut()) -> Result<Counts> {
    valgrind_version()?;
    if cfg!(target_feature = "avx512f") {
        return Err(Error::input(
            "this was built for a CPU with AVX-512, which valgrind cannot run: build it without target-cpu=native",
        ));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !root.join("benches/instructions.rs").exists() {
        return Err(Error::input(format!(
            "{}: the sources are not there, and counting builds them",
            root.display()
        )));
    }
    // A folder of its own each time: what an earlier run left cannot be taken for this one's.
    let home = tempfile::tempdir().map_err(|error| Error::check(format!("no temporary folder: {error}")))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let failed = |error: std::io::Error| Error::input(format!("cargo cannot be run: {error}"));
    let mut running = Command::new(cargo)
        .current_dir(root)
        .env("IAI_CALLGRIND_HOME", home.path())
        .args(["bench", "--locked", "--features", "counts", "--bench", "instructions"])
        .args(["--", "--save-summary=json"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    for line in running.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        if line.map_err(failed)?.starts_with("instructions::") {
            tick();
        }
    }
    let status = running.wait().map_err(failed)?;
    if !status.success() {
        return Err(Error::input(format!("nothing was counted ({status}): the reason stands above")));
    }
    let counts = read_counts(home.path())?;
    match plan().iter().find(|bench| !counts.contains_key(&bench.id)) {
        Some(absent) => Err(Error::input(format!("{} was not counted", absent.id))),
        None => Ok(counts),
    }
}

/// Reads every summary below `folder`.
///
/// # Errors
/// If there is none, one cannot be read, or an id comes twice.
pub(super) fn read_counts(folder: &Path) -> Result<Counts> {
    let mut counts = Counts::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Error::unreadable(&folder, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| Error::unreadable(&folder, &error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "summary.json") {
                let text = fs::read_to_string(&path).map_err(|error| Error::unreadable(&path, &error))?;
                let (id, measured) = read_summary(&text).map_err(|error| error.within(path.display()))?;
                if counts.insert(id.clone(), measured).is_some() {
                    return Err(Error::check(format!("{id} was measured twice")));
                }
            }
        }
    }
    if counts.is_empty() {
        return Err(Error::check(format!("{}: no counts were written there", folder.display())));
    }
    Ok(counts)
}

/// One summary of iai-callgrind, schema version 6.
///
/// # Errors
/// Says what is missing.
pub(super) fn read_summary(text: &str) -> Result<(String, Measured)> {
    let summary: Value =
        serde_json::from_str(text).map_err(|error| Error::check(format!("unreadable summary: {error}")))?;
    let word = |key: &str| {
        summary[key].as_str().ok_or_else(|| Error::check(format!("unreadable summary: it has no {key}")))
    };
    let (function, case) = (word("function_name")?, word("id")?);
    let bench = plan().into_iter().find(|bench| bench.function == function && bench.case == case);
    // Benches are built anew for each count; the program that reads them may not have been.
    let id = bench.map(|bench| bench.id).ok_or_else(|| {
        Error::check(format!("{function}, {case} is no bench of this program: build it of the same sources"))
    })?;
    let events = &summary["profiles"][0]["summaries"]["total"]["summary"]["Callgrind"];
    let instructions = event(events, "Ir")
        .filter(|&instructions| instructions > 0)
        .ok_or_else(|| Error::check(format!("unreadable summary: {id} has no instruction count")))?;
    let sum = |one, other| Some(event(events, one)? + event(events, other)?);
    Ok((id, Measured { instructions, branches: sum("Bc", "Bi"), mispredicted: sum("Bcm", "Bim") }))
}

/// An event of a run: alone, or first of a pair with an older one. Events that valgrind did not simulate are
/// not there.
fn event(events: &Value, name: &str) -> Option<u64> {
    let metrics = &events[name]["metrics"];
    metrics["Left"]["Int"].as_u64().or_else(|| metrics["Both"][0]["Int"].as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(events: &str) -> String {
        format!(
            r#"{{"version":"6","function_name":"tokens_rows_u32_leb128_loop","id":"hdl64_rings",
                "profiles":[{{"summaries":{{"total":{{"summary":{{"Callgrind":{events}}}}}}}}}]}}"#
        )
    }

    #[test]
    fn b09_events_that_were_not_simulated_are_absent() {
        let (id, measured) = read_summary(&summary(r#"{"Ir":{"metrics":{"Left":{"Int":53309}}}}"#)).unwrap();
        assert_eq!(id, "tokens/rows/u32/hdl64-rings/leb128_loop");
        assert_eq!(measured, Measured { instructions: 53309, branches: None, mispredicted: None });
    }

    #[test]
    fn a_run_beside_an_older_one_is_read_first() {
        let both = r#"{"Ir":{"metrics":{"Both":[{"Int":7},{"Int":9}]}},
            "Bc":{"metrics":{"Left":{"Int":1}}},"Bi":{"metrics":{"Left":{"Int":2}}}}"#;
        let (_, measured) = read_summary(&summary(both)).unwrap();
        assert_eq!(measured, Measured { instructions: 7, branches: Some(3), mispredicted: None });
    }

    #[test]
    fn b14_unreadable_summaries_and_empty_folders_are_failures() {
        let none = summary(r#"{"Ir":{"metrics":{"Left":{"Int":0}}}}"#);
        for text in ["", "{", "{}", &summary("{}"), &none] {
            assert!(read_summary(text).is_err(), "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(read_counts(folder.path()).is_err());
        assert!(read_counts(&folder.path().join("gone")).is_err());
        fs::write(folder.path().join("summary.json"), "{").unwrap();
        assert!(read_counts(folder.path()).is_err());
    }

    #[test]
    fn a_bench_that_the_program_does_not_know_is_a_failure() {
        let text = summary(r#"{"Ir":{"metrics":{"Left":{"Int":1}}}}"#).replace("leb128_loop", "leb128_other");
        assert!(read_summary(&text).unwrap_err().to_string().contains("leb128_other"));
    }

    #[test]
    fn an_id_measured_twice_is_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let text = summary(r#"{"Ir":{"metrics":{"Left":{"Int":1}}}}"#);
        for name in ["a", "b"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("summary.json"), &text).unwrap();
        }
        assert!(read_counts(folder.path()).unwrap_err().to_string().contains("twice"));
    }
}
