use std::fs;

use crate::{
    measure::{RunRecord, counts::KeptRow},
    report::{
        fixture::{CAPTURES, FIELD, add_points, run},
        instructions::{Known, compared, known, part},
        results::{answers, render},
        write,
    },
};

fn row(id: String, per_unit: f64) -> KeptRow {
    KeptRow {
        id,
        units: 1000,
        instructions: (1000.0 * per_unit) as u64,
        branches: Some(3000),
        mispredicted: None,
        sources: "s".into(),
        rustc: "rustc 1.95.0".into(),
        target: "x86_64-unknown-linux-gnu".into(),
        valgrind: "valgrind-3.19.0".into(),
        date: "2026-01-30".into(),
    }
}

/// Counts on the first two captures that follow speed, but for `leb128_pext_single_bmi2`, which is slowest of all
/// and takes the fewest instructions of its wire.
fn counts() -> Vec<KeptRow> {
    let mut rows = Vec::new();
    for (capture, _) in &CAPTURES[..2] {
        for (name, _, class, _, speed, _) in FIELD {
            if class != "AVX-512" {
                let per_unit = if name == "leb128_pext_single_bmi2" { 2.0 } else { 30.0 / speed };
                rows.push(row(format!("tokens/rows/u32/{capture}/{name}"), per_unit));
            }
        }
    }
    rows
}

fn with_counts(run: &RunRecord) -> String {
    part(run, &answers(run), &Known::Current(counts())).unwrap().0
}

#[test]
fn fewer_instructions_and_more_time_is_called_out_and_agreement_is_not() {
    let run = run();
    let all = answers(&run);
    let fixed = all.iter().find(|answer| answer.asked.slug == "leb128-u32-rows").unwrap();
    let found = compared(&fixed.asked, &counts()).unwrap();
    assert_eq!(found.captures, ["cloudini-lidar", "cloudini-dds"]);
    let names: Vec<&str> = found.decoders.iter().map(|decoder| decoder.row.variant.as_str()).collect();
    assert!(!names.iter().any(|name| name.ends_with("avx512")), "not countable: {names:?}");
    assert!(!names.contains(&"raw_copy"), "controls decode nothing: {names:?}");
    let slow: Vec<&str> = found.pairs.iter().map(|&(slow, _)| names[slow]).collect();
    assert!(slow.iter().all(|name| *name == "leb128_pext_single_bmi2"), "{slow:?}");
    assert_eq!(slow.len(), names.len() - 1, "against every other one");
    assert_eq!(found.called_out().len(), 1, "once, with the worst");
}

#[test]
fn a_tie_is_no_disagreement() {
    let mut run = run();
    for record in &mut run.records {
        (record.vs_loop_low, record.vs_loop_high) = (0.01, 100.0);
    }
    let all = answers(&run);
    assert!(all.iter().filter_map(|answer| compared(&answer.asked, &counts())).all(|it| it.pairs.is_empty()));
}

#[test]
fn the_part_says_what_disagrees_and_what_cannot_be_counted() {
    let mut run = run();
    add_points(&mut run);
    let text = with_counts(&run);
    assert!(text.contains("`leb128_pext_single_bmi2` takes 2.00 instructions a token where"), "{text}");
    assert!(text.contains("`leb128_stride_avx512`") && text.contains("n/a"), "{text}");
    assert!(!text.contains("points of V4"), "points were not counted: {text}");
    let figures = |text: &str| text.matches("| by time |").count();
    assert_eq!(figures(&text), 2, "same bytes, other layouts: {text}");
}

#[test]
fn points_are_found_by_path_and_variant() {
    let mut run = run();
    add_points(&mut run);
    let rows = vec![
        row("points/v4/cloudini-lidar/per-field/leb128_loop".into(), 400.0),
        row("points/v4/cloudini-lidar/block/leb128_unrolled".into(), 90.0),
    ];
    let (text, charts) = part(&run, &answers(&run), &Known::Current(rows)).unwrap();
    assert!(text.contains("points of V4 clouds") && !text.contains("V5"), "{text}");
    assert!(text.contains("| 400 |") && text.contains("`block/leb128_unrolled`"), "{text}");
    assert_eq!(charts[0].file, "instructions-points-v4-leb128.svg");
}

#[test]
fn counts_of_other_code_or_another_compiler_are_stale_and_not_shown() {
    let project = tempfile::tempdir().unwrap();
    let run = run();
    let why = || match known(project.path(), &run).unwrap() {
        Known::Not(why) => why,
        Known::Current(rows) => panic!("{} rows pass for current", rows.len()),
    };
    assert!(why().contains("Nothing is counted yet"));
    for folder in ["variants", "src/cloud", "src/measure/counts", "reports"] {
        fs::create_dir_all(project.path().join(folder)).unwrap();
    }
    let path = project.path().join("reports/counts.csv");
    let head = "id,units,instructions,branches,mispredicted,sources,rustc,target,valgrind,date\n";
    let sources = crate::measure::counts::fingerprint(project.path()).unwrap();
    let write = |sources: &str, rustc: &str| {
        let line = format!("a,1,1,,,{sources},{rustc},{},v,2026-01-30\n", run.machine.target);
        fs::write(&path, format!("{head}{line}")).unwrap();
    };
    write("0123456789abcdef", &run.machine.rustc);
    assert!(why().contains("**Stale**") && why().contains("2026-01-30"));
    write(&sources, "rustc 1.0.0");
    assert!(why().contains("**Stale**") && why().contains("rustc 1.0.0"));
    write(&sources, &run.machine.rustc);
    assert!(matches!(known(project.path(), &run).unwrap(), Known::Current(rows) if rows.len() == 1));
    fs::write(&path, format!("{head}a,x\n")).unwrap();
    assert!(known(project.path(), &run).is_err());
}

#[test]
fn the_part_stands_before_what_is_in_no_mean() {
    let run = run();
    let mut report = render(&run, &answers(&run), "record").unwrap();
    report.add_instructions("counted".into(), &[]);
    let text = report.text(None).unwrap();
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}"));
    assert!(at("## Other layouts") < at("## Instructions and time"));
    assert!(at("## Instructions and time") < at("## Short captures"));
    let folder = tempfile::tempdir().unwrap();
    let written = write(folder.path(), None, &run).unwrap();
    assert!(fs::read_to_string(written.results).unwrap().contains("<!-- generated: instructions -->"));
}
