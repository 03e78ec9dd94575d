//! What cannot be used is refused in one clear line.

use super::*;

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
fn a_grid_for_a_field_that_is_not_there_is_a_slip() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "grid.pcd", &pcd(10, 10));
    let rank = ["rank", "--data", &path, "--rounds", "5", "--resolution", "intensty=1"];
    assert_refused(&lab(&rank), &["--resolution intensty", "no capture"]);
    assert_refused(&lab(&["list", "--data", &path, "--resolution", "0"]), &["--resolution"]);
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
