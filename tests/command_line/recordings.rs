//! Recordings of the user's own, and records of what was measured.

use super::*;

#[test]
fn a_file_of_the_users_own_is_ranked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "mine.pcd", &pcd(1000, 1000));
    let shown = text(&lab(&["rank", "--data", &path, "--rounds", "5", "--json"]));
    assert!(shown.contains("\"capture\":\"mine\"") && shown.contains("\"short\":true"), "{shown}");
}

#[test]
fn survey_says_what_a_recording_holds_within_100_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(30_000, 30_000));
    let shown = text(&lab(&["survey", &path]));
    for words in
        ["grid\n", "1 message, 30 000 points of 12 bytes", "FLOAT32", "leb128", "cloudini V4", "bits"]
    {
        assert!(shown.contains(words), "{words:?} is not in {shown}");
    }
    for layout in varint_lab::measure::contestants::all().iter().map(|contestant| contestant.layout) {
        assert!(shown.contains(layout), "{layout} is not in {shown}");
    }
    for line in shown.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
    assert!(!shown.contains('\u{1b}'), "colours only on a terminal");
}

#[test]
fn survey_prints_one_json_object_a_topic_and_goes_on_behind_what_it_refuses() {
    let folder = tempfile::tempdir().expect("a folder");
    let bag = write(folder.path(), "old.bag", b"#ROSBAG V2.0\n");
    let path = write(folder.path(), "grid.pcd", &pcd(70_000, 70_000));
    let output = lab(&[
        "survey",
        &bag,
        &path,
        "--json",
        "--measure",
        "--rounds",
        "5",
        "--resolution",
        "0.01",
        "--resolution",
        "x=0.1",
    ]);
    assert_refused(&output, &["old.bag", "mcap convert"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    let found: serde_json::Value = serde_json::from_str(shown.trim()).expect("one JSON object");
    assert_eq!((&found["name"], &found["points"]), (&"grid".into(), &70_000.into()));
    let grids: Vec<_> =
        found["fields"].as_array().unwrap().iter().map(|field| field["resolution"].as_f64()).collect();
    assert_eq!(grids, [Some(0.1), Some(0.01), Some(0.01)]);
    // y moves by two steps a point, except that two later chunks begin far from 0.
    assert_eq!(found["fields"][1]["lengths"][0], 69_998);
    assert_eq!(found["word"], "u32");
    let here =
        varint_lab::measure::contestants::all().iter().filter(|contestant| contestant.runs_here).count();
    assert_eq!(found["measured"].as_array().unwrap().len(), here);
}

#[test]
fn files_that_share_a_name_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = Vec::new();
    for part in ["a", "b"] {
        fs::create_dir(folder.path().join(part)).expect("a folder");
        paths.push(write(&folder.path().join(part), "grid.pcd", &pcd(10, 10)));
    }
    let shown = text(&lab(&["list", "--data", &paths[0], &paths[1]]));
    assert!(shown.contains("grid ") && shown.contains("grid (2)"), "{shown}");
}

#[test]
fn survey_suggests_from_a_stored_record_and_measures_against_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(70_000, 70_000));
    let out = folder.path().join("reports");
    let out = out.to_str().expect("a plain path");
    text(&lab(&["report", "--quick", "--data", &path, "--out", out]));
    let records = format!("{out}/records");
    let shown = text(&lab(&["survey", &path, "--records", &records, "--measure", "--rounds", "5"]));
    for words in
        ["suggestion by grid", "0.0 % of tokens differ", "this CPU", "same bytes: leb128_", "measured here: "]
    {
        assert!(shown.contains(words), "{words:?} is not in {shown}");
    }
    for line in shown.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn a_record_is_rendered_again_and_compared_with_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(70_000, 70_000));
    let at = |name: &str| folder.path().join(name).to_str().expect("a plain path").to_owned();
    let shown = text(&lab(&["report", "--quick", "--rounds", "5", "--data", &path, "--out", &at("first")]));
    let record =
        shown.lines().rev().find_map(|line| line.strip_prefix("record  ")).expect("the record's folder");
    text(&lab(&["report", "--from", record, "--out", &at("second")]));
    let results = |name: &str| fs::read_to_string(Path::new(&at(name)).join("results.md")).expect("a report");
    assert_eq!(results("first"), results("second"));

    let shown = text(&lab(&["report", "--compare", record, record]));
    assert!(shown.contains("nothing changed beyond the spread"), "{shown}");

    fs::write(Path::new(record).join("rows.csv"), "task,word\ntokens,u32\n").expect("a file");
    for arguments in
        [&["report", "--from", record, "--out", &at("second")][..], &["report", "--compare", record, record]]
    {
        assert_refused(&lab(arguments), &["rows.csv", "missing field"]);
    }
    assert_eq!(results("first"), results("second"));
    assert_refused(&lab(&["report", "--from", &at("none")]), &["none", "no folder"]);
    let output = lab(&["report", "--from", record, "--rounds", "31"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be used with"));
}

#[test]
fn survey_shows_sizes_with_and_without_stage_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(3000, 3000));
    let shown = text(&lab(&["survey", &path, "--sizes"]));
    for words in ["cloudini v5", "columns", "ZSTD 1", "encoder MB/s", "not optimised"] {
        assert!(shown.contains(words), "{words:?} is not in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
}
