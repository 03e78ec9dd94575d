//! The command as users meet it: what it prints, and its exit code.

use std::{
    fs,
    io::Cursor,
    path::Path,
    process::{Command, Output},
};

use variants::NAMES;
use varint_lab::capture;

fn lab(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command starts")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varint-lab"));
    command.args(arguments);
    command
}

/// Exit code 2 and one line that has every one of `words`; nothing panicked.
fn assert_refused(output: &Output, words: &[&str]) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "one clear line, not: {error}");
    assert!(!error.contains("panicked"), "{error}");
    for word in words {
        assert!(error.contains(word), "{word} is not in: {error}");
    }
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A binary PCD of `points` points x y z whose header promises `promised`.
fn pcd(points: usize, promised: usize) -> Vec<u8> {
    let mut file = format!(
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {promised}\nHEIGHT 1\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {promised}\nDATA binary\n"
    )
    .into_bytes();
    for point in 0..points {
        for axis in 0..3 {
            file.extend_from_slice(&((point * (axis + 1)) as f32 * 0.01).to_le_bytes());
        }
    }
    file
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("the folder takes a file");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn list_shows_every_variant_and_capture_within_100_columns() {
    let shown = text(&lab(&["list"]));
    for name in NAMES.iter().chain(varint_lab::capture::BUNDLED).chain(varint_lab::capture::synthetic::NAMES)
    {
        assert!(shown.contains(name), "{name} is not listed");
    }
    for line in shown.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
    assert!(!shown.contains('\u{1b}'), "colours only on a terminal");
}

#[test]
fn a_reader_who_has_seen_enough_is_no_panic() {
    for arguments in [&["list"][..], &["rank", "--capture", "mix-100", "--rounds", "5", "--json"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command(arguments)
            .stdout(writer)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .expect("the command ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(141));
    }
}

#[test]
fn verify_covers_every_variant_that_runs_here() {
    let shown = text(&lab(&["verify", "--capture", "vlp16-columns", "alternating-1-2"]));
    let here =
        varint_lab::measure::contestants::all().iter().filter(|contestant| contestant.runs_here).count();
    assert!(shown.contains(&format!("{here} variants agree with the oracle")), "{shown}");
}

#[test]
fn rank_prints_one_json_object_a_contestant() {
    let shown = text(&lab(&["rank", "--capture", "alternating-1-2", "--rounds", "5", "--json"]));
    let rows: Vec<serde_json::Value> =
        shown.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect();
    let keys = [
        "task",
        "word",
        "arrangement",
        "window",
        "capture",
        "synthetic",
        "variant",
        "standing",
        "tokens",
        "rounds",
        "ns_min",
        "ns_median",
        "vs_loop",
        "vs_loop_min",
        "bytes_per_token",
    ];
    for row in &rows {
        for key in keys {
            assert!(row.get(key).is_some(), "{key} is missing in {row}");
        }
        assert_eq!(row["synthetic"], true);
    }
    let here: Vec<_> = varint_lab::measure::contestants::all()
        .into_iter()
        .filter(|contestant| contestant.runs_here)
        .collect();
    assert_eq!(rows.len(), here.len(), "no variant is hidden");
    let baseline = rows.iter().find(|row| row["variant"] == "leb128_loop").expect("the baseline is shown");
    assert_eq!(baseline["vs_loop"], 1.0);
}

#[test]
fn hidden_features_take_variants_out_of_the_run() {
    let shown = text(&lab(&["--cpu", "portable", "rank", "--capture", "mix-100", "--rounds", "5", "--json"]));
    assert!(shown.lines().all(|line| line.contains("\"class\":\"scalar\"")), "{shown}");
}

#[test]
fn unknown_names_are_refused() {
    assert_refused(&lab(&["rank", "--variant", "leb128_lop"]), &["leb128_lop", "list"]);
    assert_refused(&lab(&["rank", "--capture", "hdl65"]), &["hdl65", "hdl64-rings", "--data"]);
}

#[test]
fn unusable_files_are_refused_and_the_last_report_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("reports");
    fs::create_dir(&out).expect("a folder");
    fs::write(out.join("results.md"), "the last good report").expect("a file");
    let out = out.to_str().expect("a plain path");

    let whole = pcd(100, 100);
    let half = write(folder.path(), "half.pcd", &whole[..whole.len() / 2]);
    let greedy = write(folder.path(), "greedy.pcd", &pcd(100, 1000));
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    let empty = empty.to_str().expect("a plain path");
    let gone = folder.path().join("gone.pcd");
    let gone = gone.to_str().expect("a plain path");

    for (path, words) in [
        (half.as_str(), &["half.pcd"][..]),
        (greedy.as_str(), &["greedy.pcd", "1000"]),
        (empty, &["empty"]),
        (gone, &["gone.pcd"]),
    ] {
        assert_refused(&lab(&["report", "--quick", "--data", path, "--out", out]), words);
        let kept = fs::read_to_string(Path::new(out).join("results.md")).expect("the report");
        assert_eq!(kept, "the last good report");
        assert_eq!(fs::read_dir(out).expect("the folder").count(), 1, "nothing else was left there");
    }
}

#[test]
fn offline_with_nothing_cached_names_the_command_to_run() {
    let home = tempfile::tempdir().expect("a folder");
    let output = command(&["rank", "--capture", "hdl64-rings"])
        .env("CARGO_HOME", home.path())
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .expect("the command starts");
    assert_refused(&output, &["cargo fetch --locked --manifest-path"]);
}

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
fn what_is_no_recording_is_refused_in_a_line_that_says_what_to_give() {
    assert_refused(&lab(&["survey", "mix-100"]), &["mix-100", "made up", "`rank`"]);
    let folder = tempfile::tempdir().expect("a folder");
    let json = write(folder.path(), "os1.json", b" {\"lidar_mode\": 1}");
    assert_refused(&lab(&["survey", &json]), &["os1.json", "is JSON", ".pcap"]);
}

#[test]
fn a_recording_without_points_divides_by_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "nothing.pcd", &pcd(0, 0));
    let shown = text(&lab(&["survey", &path, "--sizes"]));
    assert!(shown.contains("nothing") && shown.contains("no decoder to suggest"), "{shown}");
    // A column's heading is NaN.
    let words = shown.lines().filter(|line| !line.starts_with("field")).flat_map(str::split_whitespace);
    for word in words {
        assert!(!word.starts_with("NaN") && !word.starts_with("inf"), "{word} is in {shown}");
    }
    let rank = ["rank", "--rounds", "5", "--variant", "leb128_loop", "--json", "--data", &path];
    assert_refused(&lab(&rank), &["nothing", "has no tokens"]);
    // Beside one that has tokens it is left out.
    let full = write(folder.path(), "full.pcd", &pcd(100, 100));
    let output = lab(&[&rank[..], &["--data", &full]].concat());
    let noted = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(noted.contains("left out: nothing: has no tokens"), "{noted}");
    let shown = text(&output);
    assert_eq!(shown.lines().count(), 1, "{shown}");
    let found = text(&lab(&["survey", &path, "--json"]));
    let found: serde_json::Value = serde_json::from_str(found.trim()).expect("one JSON object");
    assert_eq!((&found["points"], &found["fields"][0]["nan_share"]), (&0.into(), &0.0.into()));
    assert_eq!(found["layouts"][0]["rows"], 0.0);
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
fn a_grid_for_a_field_that_is_not_there_is_a_slip() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(10, 10));
    let rank = ["rank", "--data", &path, "--rounds", "5", "--resolution", "intensty=1"];
    assert_refused(&lab(&rank), &["--resolution intensty", "no capture"]);
    assert_refused(&lab(&["list", "--data", &path, "--resolution", "0"]), &["--resolution"]);
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
fn clouds_in_other_layouts_are_ranked_against_upstream_s() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(3000, 3000));
    let rank = ["rank", "--task", "points", "--data", &path, "--rounds", "5", "--json"];
    let rows = |more: &[&str]| -> Vec<serde_json::Value> {
        let shown = text(&lab(&[&rank[..], more].concat()));
        shown.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
    };
    let found = rows(&["--layout", "all"]);
    let of = |name: &str| found.iter().find(|row| row["variant"] == name).unwrap_or_else(|| panic!("{name}"));
    for arrangement in ["rows", "columns"] {
        let own = of(&format!("{arrangement}/stream_vbyte12_scalar"));
        assert_eq!((&own["layout"], &own["arrangement"]), (&"stream_vbyte12".into(), &arrangement.into()));
        assert!(own["vs_upstream"].as_f64() > Some(0.0) && own["gb_per_s"].as_f64() > Some(0.0));
        assert!(own["bytes_per_token"].as_f64() > Some(3.0) && own.get("mode").is_none());
    }
    assert_eq!(of("per-field/leb128_fast2")["vs_upstream"], 1.0);
    assert!(["control/copy", "control/fill"].iter().all(|name| of(name)["standing"] == "control"));
    let some = rows(&["--layout", "packed32", "packed_rows", "--arrangement", "columns"]);
    for row in some.iter().filter(|row| row["layout"] != "leb128") {
        assert!(row["variant"].as_str().unwrap().starts_with("columns/packed"), "{row}");
    }
    let one = rows(&["--variant", "rows/packed32_scalar"]);
    assert_eq!(one.len(), 5, "it, the two that ratios need, and the controls");
    assert_refused(
        &lab(&["rank", "--task", "points", "--layout", "svb"]),
        &["--layout svb", "packed32", "all"],
    );
    assert_refused(&lab(&["rank", "--task", "points", "--arrangement", "columns"]), &["--layout"]);
    assert_refused(&lab(&["rank", "--task", "points", "--layout", "all", "--mode", "v5"]), &["v4"]);
    assert_refused(&lab(&["replay", &path, "--layout", "svb"]), &["--layout svb", "stream_vbyte12"]);
    let other = ["replay", &path, "--layout", "packed32", "--variant", "leb128_loop"];
    assert_refused(&lab(&other), &["leb128_loop", "packed32"]);
}

#[test]
fn replay_gives_the_same_points_in_every_layout() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(40_000, 40_000));
    let hash = |more: &[&str]| {
        let shown = text(&lab(&[&["replay", &path, "--repeat", "1", "--hash"], more].concat()));
        let (_, hash) = shown.split_once("FNV-1a ").expect("a fingerprint");
        hash.split_whitespace().next().expect("a fingerprint").to_owned()
    };
    let expected = hash(&["--mode", "v4"]);
    for layout in ["stream_vbyte", "stream_vbyte12", "packed_rows"] {
        for arrangement in ["rows", "columns"] {
            assert_eq!(hash(&["--layout", layout, "--arrangement", arrangement]), expected, "{layout}");
        }
    }
    let packed = ["--layout", "packed32", "--variant", "packed32_scalar", "--zstd", "--threads", "2"];
    assert_eq!(hash(&packed), expected);
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

/// A LAZ file of 5 points on which the laz crate panics: the first one that clearing a byte of its points makes.
fn laz_that_panics() -> Vec<u8> {
    let mut builder = las::Builder::from((1, 2));
    builder.point_format = las::point::Format::new(1).expect("a format with times");
    builder.point_format.is_compressed = true;
    let header = builder.into_header().expect("a header");
    let mut writer = las::Writer::new(Cursor::new(Vec::new()), header).expect("a writer");
    for number in 0..5 {
        let (x, y) = (f64::from(number), f64::from(number % 7));
        let point = las::Point { x, y, gps_time: Some(0.5 * x), ..Default::default() };
        writer.write_point(point).expect("a point");
    }
    let whole = writer.into_inner().expect("the file").into_inner();
    let points_at = u32::from_le_bytes(whole[96..100].try_into().expect("four bytes")) as usize;
    // The place of the chunk table comes first.
    (points_at + 8..whole.len())
        .map(|at| {
            let mut file = whole.clone();
            file[at] = 0;
            file
        })
        .find(|file| capture::las::parse(file).is_err_and(|error| error.to_string().contains("gave up")))
        .expect("one cleared byte that the laz crate cannot stand")
}

#[test]
fn a_panic_of_the_laz_crate_is_one_clear_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "damaged.laz", &laz_that_panics());
    assert_refused(&lab(&["rank", "--data", &path]), &["damaged.laz", "gave up"]);
}

#[test]
fn b07_a_gate_without_valgrind_says_what_to_install() {
    let output = command(&["gate"]).env("PATH", "").output().expect("the command starts");
    assert_refused(&output, &["valgrind", "not installed", "apt-get install valgrind"]);
}
