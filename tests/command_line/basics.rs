//! What the commands print of the bundled captures.

use super::*;

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
fn b07_a_gate_without_valgrind_says_what_to_install() {
    let output = command(&["gate"]).env("PATH", "").output().expect("the command starts");
    assert_refused(&output, &["valgrind", "not installed", "apt-get install valgrind"]);
}
