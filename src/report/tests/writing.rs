use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tempfile::tempdir;

use crate::{
    error::Error,
    report::{
        blocks::Block,
        files::Staging,
        fixture::{add_points, add_sweeps, run},
        load,
        readme::way,
        store, write,
    },
};

pub(super) fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(everything(&path));
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    files
}

#[test]
fn a_stored_run_is_read_back_equal() {
    let folder = tempdir().unwrap();
    let mut run = run();
    add_points(&mut run);
    add_sweeps(&mut run);
    run.quick = true;
    run.machine.load = None;
    run.captures[0].scene = "a \"quoted\", comma'd\nscene; é".to_owned();
    run.records[0].ns_min = 0.1 + 0.2;
    run.records[1].ns_min = 1e-300;
    let stored = store(folder.path(), &run).unwrap();
    assert_eq!(load(&stored).unwrap(), run);
    assert_eq!(stored.file_name().unwrap(), "2026-01-31-example-xeon-9999");
}

#[test]
fn a_record_is_never_overwritten_and_the_same_one_not_stored_twice() {
    let folder = tempdir().unwrap();
    let first = run();
    let mut second = first.clone();
    second.records[0].ns_min = 9.0;
    let name = |run| store(folder.path(), run).unwrap().file_name().unwrap().to_owned();
    assert_eq!(name(&first), "2026-01-31-example-xeon-9999");
    assert_eq!(name(&second), "2026-01-31-example-xeon-9999-2");
    assert_eq!(name(&first), "2026-01-31-example-xeon-9999");
    assert_eq!(name(&second), "2026-01-31-example-xeon-9999-2");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_damaged_record_is_an_error_that_names_the_file() {
    let folder = tempdir().unwrap();
    let stored = store(folder.path(), &run()).unwrap();
    for file in ["rows.csv", "captures.csv", "machine.json"] {
        let path = stored.join(file);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 7]).unwrap();
        let error = load(&stored).unwrap_err();
        assert!(matches!(&error, Error::Input(text) if text.contains(file)), "{error}");
        fs::remove_file(&path).unwrap();
        assert!(load(&stored).unwrap_err().to_string().contains(file));
        fs::write(&path, whole).unwrap();
    }
    assert!(load(&stored).is_ok());
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let folder = tempdir().unwrap();
    let mut run = run();
    add_points(&mut run);
    let written = write(folder.path(), None, &run).unwrap();
    let before = everything(folder.path());
    assert_eq!(write(folder.path(), None, &run).unwrap(), written);
    assert_eq!(everything(folder.path()), before);
    for chart in &written.charts {
        assert!(chart.exists(), "{}", chart.display());
    }
    // Nothing but the report: no staging folder stays.
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["charts", "records", "results.md"]);
}

#[test]
fn every_chart_that_is_linked_is_there_and_every_chart_is_linked() {
    let folder = tempdir().unwrap();
    let mut run = run();
    add_points(&mut run);
    let written = write(folder.path(), None, &run).unwrap();
    let text = fs::read_to_string(&written.results).unwrap();
    let mut linked: Vec<&str> =
        text.split("](charts/").skip(1).filter_map(|at| at.split(')').next()).collect();
    linked.sort_unstable();
    linked.dedup();
    let mut there: Vec<String> =
        written.charts.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    there.sort_unstable();
    assert_eq!(linked, there);
}

#[test]
fn hand_written_text_stays_and_generated_parts_are_replaced() {
    let folder = tempdir().unwrap();
    let mut run = run();
    let results = write(folder.path(), None, &run).unwrap().results;
    let text = fs::read_to_string(&results).unwrap();
    let marked = text
        .replace("## Machine\n", "## Machine\n\nBorrowed; the fan was loud.\n")
        .replace("# Results\n", "# What we found\n")
        + "\nLast words.\n";
    fs::write(&results, &marked).unwrap();
    run.machine.cpu = "Another CPU".to_owned();
    write(folder.path(), None, &run).unwrap();
    let text = fs::read_to_string(&results).unwrap();
    assert!(text.starts_with("# What we found\n"));
    assert!(text.contains("Borrowed; the fan was loud."));
    assert!(text.ends_with("\nLast words.\n"));
    assert!(text.contains("Another CPU") && !text.contains("Xeon"));
}

#[test]
fn a_part_that_was_removed_comes_back_at_the_end() {
    let folder = tempdir().unwrap();
    let run = run();
    let results = folder.path().join("results.md");
    fs::write(&results, "Mine.\n").unwrap();
    write(folder.path(), None, &run).unwrap();
    let text = fs::read_to_string(&results).unwrap();
    assert!(text.starts_with("Mine.\n\n## In short\n\n<!-- generated: headline -->\n"));
    assert!(text.ends_with("<!-- end: synthetic -->\n"));
}

#[test]
fn broken_markers_are_an_error_and_leave_everything_as_it_was() {
    let folder = tempdir().unwrap();
    let results = folder.path().join("results.md");
    for broken in [
        "<!-- generated: machine -->\nno end\n",
        "<!-- generated: machine --><!-- generated: machine --><!-- end: machine -->",
    ] {
        fs::write(&results, broken).unwrap();
        let error = write(folder.path(), None, &run()).unwrap_err();
        assert!(error.to_string().contains("generated: machine"), "{error}");
        assert_eq!(fs::read_to_string(&results).unwrap(), broken);
        assert!(!folder.path().join("charts").exists());
    }
}

#[test]
fn the_readme_changes_between_its_markers_alone() {
    let folder = tempdir().unwrap();
    let readme = folder.path().join("README.md");
    let reports = folder.path().join("reports");
    assert!(!write(&reports, Some(&readme), &run()).unwrap().readme);
    assert!(!readme.exists());

    fs::write(&readme, "No markers.\n").unwrap();
    assert!(!write(&reports, Some(&readme), &run()).unwrap().readme);
    assert_eq!(fs::read_to_string(&readme).unwrap(), "No markers.\n");

    fs::write(&readme, "Before\n<!-- headline -->\nold\n<!-- end headline -->\nAfter\n").unwrap();
    assert!(write(&reports, Some(&readme), &run()).unwrap().readme);
    let text = fs::read_to_string(&readme).unwrap();
    assert!(text.starts_with("Before\n<!-- headline -->\n") && !text.contains("\nold\n"));
    assert!(text.ends_with("<!-- end headline -->\nAfter\n"));
    assert_eq!(text.matches("(reports/charts/ranking-leb128-u32-rows-").count(), 2);
    assert!(text.contains("| geometric mean of 6 captures |"));
}

#[test]
fn ways_between_files() {
    for (file, folder, expected) in [
        ("/a/README.md", "/a/reports/charts", "reports/charts"),
        ("/a/docs/README.md", "/a/reports/charts", "../reports/charts"),
        ("README.md", "reports/charts", "reports/charts"),
    ] {
        assert_eq!(way(Path::new(file), Path::new(folder)), expected);
    }
}

#[test]
fn charts_of_an_earlier_report_go_and_other_files_stay() {
    let folder = tempdir().unwrap();
    let charts = folder.path().join("charts");
    fs::create_dir(&charts).unwrap();
    let (stale, mine) = (charts.join("ranking-of-old.svg"), charts.join("drawing.svg"));
    fs::write(&stale, "old").unwrap();
    fs::write(&mine, "mine").unwrap();
    write(folder.path(), None, &run()).unwrap();
    assert!(!stale.exists() && mine.exists());
}

#[test]
fn a_target_that_cannot_be_written_takes_the_others_back() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("old"), "old").unwrap();
    // A folder with something in it cannot be replaced by a file, whoever runs the test.
    fs::create_dir_all(at("full/inside")).unwrap();
    let mut staging = Staging::new(folder.path()).unwrap();
    staging.file(at("old"), b"new").unwrap();
    staging.file(at("fresh"), b"new").unwrap();
    staging.file(at("full"), b"new").unwrap();
    assert!(matches!(staging.commit(), Err(Error::Check(_))));
    assert_eq!(fs::read_to_string(at("old")).unwrap(), "old");
    assert!(!at("fresh").exists() && at("full/inside").exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_unwritable_report_is_an_error_and_the_old_one_is_intact() {
    let folder = tempdir().unwrap();
    let mut run = run();
    let results = write(folder.path(), None, &run).unwrap().results;
    let charts = folder.path().join("charts");
    let before = (fs::read(&results).unwrap(), everything(&charts));
    run.machine.revision = "fedcba9".to_owned();
    // The README is the last to be moved.
    let readme = folder.path().join("full");
    fs::create_dir_all(readme.join("inside")).unwrap();
    assert!(write(folder.path(), Some(&readme), &run).is_err());
    assert_eq!((fs::read(&results).unwrap(), everything(&charts)), before);

    // A file where a folder has to be.
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    assert!(matches!(write(&blocked, None, &run), Err(Error::Check(_))));
}

#[test]
fn blocks_are_found_by_their_markers() {
    let block = Block::generated("x", "new".to_owned());
    let put = |text: &str| block.put_into(text).unwrap();
    assert_eq!(put("nothing"), None);
    let old = "a <!-- generated: x -->old<!-- end: x --> b";
    assert_eq!(put(old).unwrap(), "a <!-- generated: x -->\nnew\n<!-- end: x --> b");
    assert_eq!(put(&put(old).unwrap()), put(old));
}
