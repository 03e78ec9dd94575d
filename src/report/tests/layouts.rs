use crate::{
    measure::{RunRecord, sizes::SizeRow},
    report::{
        fixture::{add_points, run},
        load,
        question::{Wire, questions},
        results::{answers, render},
        store,
    },
};

/// Clouds in another layout beside those of the points task: small and slow in columns, large and fast in rows.
fn with_layouts() -> RunRecord {
    let mut run = run();
    add_points(&mut run);
    let models: Vec<_> =
        run.records.iter().filter(|row| row.variant == "per-field/leb128_loop").cloned().collect();
    for model in models.iter().filter(|row| row.mode.as_deref() == Some("v4")) {
        for (path, size, speed) in [("rows", 1.2, 30.0), ("columns", 0.9, 2.0)] {
            let mut row = model.clone();
            row.variant = format!("{path}/svb_scalar");
            row.path = Some(path.to_owned());
            row.arrangement = path.to_owned();
            row.layout = "svb".to_owned();
            row.mode = None;
            row.bytes_per_token *= size;
            for ratio in [&mut row.vs_loop, &mut row.vs_loop_min, &mut row.vs_loop_low, &mut row.vs_loop_high]
            {
                *ratio = speed;
            }
            run.records.push(row);
        }
    }
    run
}

#[test]
fn clouds_in_other_layouts_are_one_question_that_keeps_to_itself() {
    let run = with_layouts();
    let all = questions(&run.records);
    let points: Vec<_> = all.iter().filter(|asked| asked.question.task == "points").collect();
    let [v4, others, v5] = points[..] else { panic!("three questions, not {}", points.len()) };
    assert_eq!([v4, others, v5].map(|asked| asked.question.wire), [Wire::Fixed, Wire::Free, Wire::Fixed]);
    assert!(others.rows.iter().all(|row| row.layout == "svb" || row.standing == "control"));
    assert!(v4.rows.iter().all(|row| row.layout == "leb128"));
    let paths: Vec<_> = others.rows.iter().filter_map(|row| row.path.as_deref()).collect();
    assert!(paths.contains(&"rows") && paths.contains(&"columns") && paths.contains(&"control"));
    assert_eq!(others.baseline, "per-field/leb128_loop");
    assert_eq!(others.question.on_wire(Wire::Fixed), v4.question);
    // Sizes are held against V4's.
    let capture = others.captures(super::super::question::Kind::Real)[0];
    assert_eq!(others.leb128_bytes[capture], v4.leb128_bytes[capture]);
    assert!(others.question.words().contains("rows or columns"), "{}", others.question.words());
}

#[test]
fn the_front_is_marked_on_each_capture() {
    let run = with_layouts();
    let report = render(&run, &answers(&run), "record").unwrap();
    let text = report.text(None).unwrap();
    let marked = |name: &str| text.contains(&format!("`{name}` ◆"));
    assert!(marked("rows/svb_scalar") && marked("columns/svb_scalar"));
    // In tokens, svb_scalar is neither as small nor as fast as others.
    assert!(text.contains("| `svb_scalar` |") && !marked("svb_scalar"));
}

fn size(layout: &str, arrangement: &str, bytes: f64) -> SizeRow {
    SizeRow {
        capture: "ouster-os1-64".into(),
        layout: layout.into(),
        arrangement: arrangement.into(),
        points: 1000,
        point_step: 16,
        bytes_per_token: (layout != "cloudini v5").then_some(bytes / 4.0),
        bytes_per_point: bytes,
        lz4: bytes * 0.9,
        zstd: bytes * 0.5,
        encode_mb_per_s: 123.0,
    }
}

#[test]
fn sizes_are_stored_and_shown() {
    let mut run = run();
    run.sizes = vec![
        size("cloudini v4", "rows", 5.0),
        size("cloudini v5", "sections", 4.5),
        size("packed32", "columns", 4.0),
    ];
    let folder = tempfile::tempdir().unwrap();
    let stored = store(folder.path(), &run).unwrap();
    assert_eq!(load(&stored).unwrap(), run);
    // A record from before there were sizes.
    std::fs::remove_file(stored.join("sizes.csv")).unwrap();
    assert!(load(&stored).unwrap().sizes.is_empty());
    let text = render(&run, &answers(&run), "record").unwrap().text(None).unwrap();
    assert!(text.contains("| `packed32` | columns | 80.0 % | 80.0 % | 80.0 % | 123 |"), "{text}");
    assert!(text.contains("| `packed32` | columns | 1.00 | 4.00 | 3.60 | 2.00 | 123 |"));
    assert!(text.contains("| `cloudini v5` | sections | – | 4.50 |"));
}
