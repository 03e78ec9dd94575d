use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use tempfile::tempdir;

use super::writing::everything;
use crate::{
    error::Error,
    report::{
        fixture::{add_points, add_sweeps, run},
        staged, store, write, write_stored,
    },
};

/// Every chart that a document links to, with its content.
fn linked(document: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let text = fs::read_to_string(document).unwrap();
    let links = text.split("](").skip(1).filter_map(|at| at.split(')').next());
    links
        .filter(|link| link.ends_with(".svg"))
        .map(|link| {
            let path = document.parent().unwrap().join(link);
            (path.clone(), fs::read(&path).unwrap_or_else(|_| panic!("{link} is linked and not there")))
        })
        .collect()
}

#[test]
fn whenever_it_is_interrupted_documents_are_the_old_or_the_new_ones_with_their_charts() {
    let folder = tempdir().unwrap();
    let (reports, readme) = (folder.path().join("reports"), folder.path().join("README.md"));
    let results = reports.join("results.md");
    let (old, mut new) = (run(), run());
    new.machine.revision = "fedcba9".to_owned();
    for row in &mut new.records {
        row.vs_loop *= if row.variant == "leb128_loop" { 1.0 } else { 1.5 };
    }
    let mut interrupted = 0;
    for moves in 0.. {
        fs::write(&readme, "<!-- headline -->\nold\n<!-- end headline -->\n").unwrap();
        write(&reports, Some(&readme), &old).unwrap();
        let before = [&results, &readme].map(|document| (fs::read(document).unwrap(), linked(document)));
        let record = store(&reports.join("records"), &new).unwrap();
        let (staging, ..) = staged(&reports, Some(&readme), &new, record).unwrap();
        staging.prepare().unwrap();
        if moves > staging.len() {
            break;
        }
        for at in 0..moves {
            staging.move_one(at).unwrap();
        }
        for (document, (text, charts)) in [&results, &readme].into_iter().zip(before) {
            // A new document has links to new charts alone, all of which are there.
            let linked = linked(document);
            if fs::read(document).unwrap() == text {
                assert_eq!(linked, charts);
            } else {
                assert!(!linked.is_empty() && linked.keys().all(|chart| !charts.contains_key(chart)));
            }
        }
        interrupted += 1;
    }
    assert!(interrupted > 5);
    // What was left behind goes with the next report.
    write(&reports, Some(&readme), &new).unwrap();
    assert_eq!(
        fs::read_dir(reports.join("charts")).unwrap().count(),
        linked(&results).len(),
        "charts that nothing links to"
    );
}

#[test]
fn charts_that_people_link_to_stay() {
    let folder = tempdir().unwrap();
    let mut run = run();
    let written = write(folder.path(), None, &run).unwrap();
    let chart = written.charts[0].file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(&written.results).unwrap();
    fs::write(&written.results, format!("{text}\nAs it was once: ![](charts/{chart})\n")).unwrap();
    run.machine.revision = "fedcba9".to_owned();
    let again = write(folder.path(), None, &run).unwrap();
    assert!(!again.charts.contains(&written.charts[0]) && written.charts[0].exists());
}

#[test]
fn a_record_is_rendered_again_with_the_same_bytes() {
    let folder = tempdir().unwrap();
    let mut run = run();
    add_points(&mut run);
    add_sweeps(&mut run);
    let first = write(&folder.path().join("first"), None, &run).unwrap();
    let before = everything(&folder.path().join("first"));
    // In place, whatever the way to it, and to another folder.
    for record in [first.record.clone(), first.record.join(".")] {
        let again = write_stored(&folder.path().join("first"), None, &record).unwrap();
        assert_eq!(again.record.file_name(), first.record.file_name());
        assert_eq!(everything(&folder.path().join("first")), before);
    }
    write_stored(&folder.path().join("second"), None, &first.record).unwrap();
    let relative = |root: &str| -> BTreeMap<PathBuf, Vec<u8>> {
        let root = folder.path().join(root);
        everything(&root)
            .into_iter()
            .map(|(path, bytes)| (path.strip_prefix(&root).unwrap().to_owned(), bytes))
            .collect()
    };
    assert_eq!(relative("first"), relative("second"));
}

#[test]
fn committed_records_render_and_twice_to_the_same_bytes() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports").join("records");
    let mut rendered = 0;
    for entry in fs::read_dir(records).unwrap() {
        let record = entry.unwrap().path();
        let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
        let results = [&one, &other].map(|out| write_stored(out.path(), None, &record).unwrap());
        let names = results[0].charts.iter().map(|chart| chart.file_name().unwrap().to_owned());
        for name in names.map(|name| Path::new("charts").join(name)).chain([PathBuf::from("results.md")]) {
            assert_eq!(
                fs::read(one.path().join(&name)).unwrap(),
                fs::read(other.path().join(&name)).unwrap()
            );
        }
        rendered += 1;
    }
    assert!(rendered > 0);
}

#[test]
fn a_record_that_is_damaged_or_none_leaves_the_report_whole() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("reports");
    write(&out, None, &run()).unwrap();
    let before = everything(&out);
    let mut other = run();
    other.machine.revision = "fedcba9".to_owned();
    let stored = store(folder.path(), &other).unwrap();
    let rows = fs::read_to_string(stored.join("rows.csv")).unwrap();
    let header = rows.lines().next().unwrap();
    for (damaged, words) in [
        (rows[..rows.len() / 2].to_owned(), "rows.csv"),
        (format!("{header}\n"), "no rows"),
        ("a,b\n1,2\n".to_owned(), "missing field"),
        (rows.replacen("cloudini-lidar", "elsewhere", 1), "elsewhere"),
        (String::new(), "no rows"),
    ] {
        fs::write(stored.join("rows.csv"), damaged).unwrap();
        let error = write_stored(&out, None, &stored).unwrap_err();
        assert!(matches!(&error, Error::Input(text) if text.contains(words)), "{error}");
        assert_eq!(error.to_string().lines().count(), 1);
    }
    fs::write(stored.join("rows.csv"), &rows).unwrap();
    fs::write(stored.join("sweeps.csv"), "sweep\nworking-set\n").unwrap();
    assert!(write_stored(&out, None, &stored).unwrap_err().to_string().contains("sweeps.csv"));
    assert!(write_stored(&out, None, &folder.path().join("none")).is_err());
    assert_eq!(everything(&out), before);
}

#[test]
fn a_record_of_another_cpu_shows_what_is_absent() {
    let folder = tempdir().unwrap();
    let mut run = run();
    run.records.retain(|row| row.class != "AVX-512");
    let written = write(folder.path(), None, &run).unwrap();
    let text = fs::read_to_string(&written.results).unwrap();
    assert!(text.contains("| absent | `leb128_stride_avx512` | AVX-512 | – | – | – | – | – |"));
    let svg = written.charts.iter().find(|chart| chart.to_string_lossy().contains("ranking-leb128-u32-rows"));
    assert!(fs::read_to_string(svg.unwrap()).unwrap().contains("leb128_stride_avx512"));
}

#[test]
fn a_part_that_is_new_goes_before_the_next_one() {
    let folder = tempdir().unwrap();
    let results = write(folder.path(), None, &run()).unwrap().results;
    let text = fs::read_to_string(&results).unwrap();
    let (front, rest) = text.split_once("## Captures\n").unwrap();
    let (_, rest) = rest.split_once("<!-- end: captures -->\n\n").unwrap();
    fs::write(&results, format!("{front}My own words.\n\n{rest}")).unwrap();
    write(folder.path(), None, &run()).unwrap();
    let again = fs::read_to_string(&results).unwrap();
    assert_eq!(again.replace("My own words.\n\n", ""), text);
}

#[test]
fn what_a_killed_report_left_behind_goes_and_what_another_one_stages_stays() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in [".staging-old", ".staging-new", "mine"] {
        fs::create_dir_all(at(name).join("inside")).unwrap();
    }
    let long_ago = SystemTime::now() - Duration::from_secs(100_000);
    for name in [".staging-old", "mine"] {
        fs::File::open(at(name)).unwrap().set_modified(long_ago).unwrap();
    }
    write(folder.path(), None, &run()).unwrap();
    assert!(!at(".staging-old").exists() && at(".staging-new").exists() && at("mine").exists());
}
