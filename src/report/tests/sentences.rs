use crate::{
    measure::RunRecord,
    report::{
        fixture::{Contestant, FIELD, add_points, capture, machine, row, run, run_of},
        results::{answers, render},
        text::{code, count, cut, digits, list, markdown, nanoseconds, percent, table, times},
    },
};

fn page(run: &RunRecord) -> String {
    render(run, &answers(run), "record").unwrap().text(None).unwrap()
}

fn run_with(rows: &[(Contestant, f64, f64)]) -> RunRecord {
    let records =
        rows.iter().map(|&(contestant, ratio, spread)| row(contestant, "c", ratio, spread)).collect();
    let captures = vec![capture("c", [0.7, 0.2, 0.1, 0.0])];
    RunRecord { machine: machine(), captures, records, ..RunRecord::default() }
}

const LOOP: Contestant = FIELD[0];
const AVX2: Contestant = FIELD[10];
const AVX512: Contestant = FIELD[13];

#[test]
fn the_winner_is_the_one_in_the_figures() {
    let text = page(&run_with(&[(LOOP, 1.0, 0.0), (AVX2, 7.0, 0.01), (AVX512, 3.0, 0.01)]));
    assert!(text.contains(
        "with the bytes as they are, `leb128_fixed_stride_avx2` is **7.00×** as fast as the plain loop \
         (`leb128_loop`) on a CPU with AVX2; without that, `leb128_loop` (scalar) **1.00×**"
    ));
    let text = page(&run_with(&[(LOOP, 1.0, 0.0), (AVX2, 3.0, 0.01), (AVX512, 7.0, 0.01)]));
    assert!(text.contains("`leb128_two_tiers_avx512` is fastest: **7.00×** the speed of `leb128_loop`"));
    assert!(text.contains("without that, `leb128_fixed_stride_avx2` (AVX2) **3.00×**"));
    assert!(text.contains("The next, `leb128_fixed_stride_avx2`, has 3.00×: the lead is 2.33×."));
}

#[test]
fn ties_are_called_ties() {
    let text = page(&run_with(&[(LOOP, 1.0, 0.0), (AVX2, 7.0, 0.01), (AVX512, 7.1, 0.01)]));
    assert!(text.contains("cannot be told apart and share the first place"));
    assert!(text.contains("`leb128_two_tiers_avx512` (tied with `leb128_fixed_stride_avx2`)"));
    assert!(text.contains("| 1= | `leb128_fixed_stride_avx2` |"));
}

#[test]
fn nobody_beats_the_loop_where_nobody_does() {
    let text = page(&run_with(&[(LOOP, 1.0, 0.01), (AVX2, 1.01, 0.05)]));
    assert!(text.contains("nothing that was measured stands out from the plain loop (`leb128_loop`)"));
    assert!(!text.contains("as fast as the plain loop"));
}

#[test]
fn long_lists_of_ties_are_cut() {
    let mut rows = vec![(LOOP, 1.0, 0.0)];
    rows.extend(FIELD[1..9].iter().map(|&contestant| (contestant, 2.0, 0.1)));
    let mut run = run_with(&rows);
    for row in &mut run.records {
        row.standing = "ranked".to_owned();
    }
    let text = page(&run);
    assert!(text.contains(
        "`leb128_branchless`, `leb128_fast1`, `leb128_fast2` and 5 others cannot be told apart and share the \
         first place"
    ));
    assert!(text.contains("`leb128_branchless` (tied with `leb128_fast1`, `leb128_fast2` and 5 others)"));
}

#[test]
fn what_users_run_today_is_the_measure_of_points() {
    let mut run = run();
    add_points(&mut run);
    run.records.retain(|row| row.task == "points" && row.variant.starts_with("per-field/leb128_fast"));
    for row in &mut run.records {
        (row.vs_loop, row.vs_loop_low, row.vs_loop_high) = (2.0, 1.9, 2.1);
    }
    let said = "**Clouds (V4):** with the bytes as they are, nothing that was measured stands out from what users \
                run today (`per-field/leb128_fast2`) (over 6 captures).";
    assert!(page(&run).contains(said));
}

#[test]
fn medians_that_disagree_are_told() {
    let mut run = run_with(&[(LOOP, 1.0, 0.0), (AVX2, 7.0, 0.0), (AVX512, 8.0, 0.0)]);
    assert!(!page(&run).contains("Minima disagree"));
    run.records[1].vs_loop_min = 9.0;
    assert!(
        page(&run).contains("Minima disagree: by them `leb128_fixed_stride_avx2` is in front with 9.00×")
    );
}

#[test]
fn captures_where_another_wins_are_named() {
    let mut run = run_of(&FIELD, &[capture("a", [1.0, 0.0, 0.0, 0.0]), capture("b", [1.0, 0.0, 0.0, 0.0])]);
    let slow = run.records.iter_mut().find(|row| row.variant == AVX512.0 && row.capture == "b").unwrap();
    slow.vs_loop = 11.0;
    (slow.vs_loop_low, slow.vs_loop_high) = (10.9, 11.1);
    let text = page(&run);
    assert!(text.contains(
        "`leb128_two_tiers_avx512` is first, alone or tied, on 1 of 2 real captures; elsewhere: \
         `leb128_two_stage_avx512` on `b`."
    ));
}

#[test]
fn a_page_has_all_its_parts() {
    let mut run = run();
    add_points(&mut run);
    run.quick = true;
    let text = page(&run);
    for name in ["headline", "machine", "captures", "same-bytes", "other-layouts", "short", "synthetic"] {
        assert!(text.contains(&format!("<!-- generated: {name} -->\n<!-- by varint-lab report at")));
        assert!(text.contains(&format!("\n<!-- end: {name} -->")));
    }
    for part in [
        "A quick run",
        "Clouds (V4)",
        "Clouds (V5)",
        "what users run today (`per-field/leb128_fast2`)",
        "the fastest that keeps the bytes",
        "some-package 1.2.3",
        "| rejected | `leb128_branchless` |",
        "| control | `raw_copy` | – |",
        "[record](records/record/)",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let real = text.split("<!-- generated: short -->").next().unwrap();
    assert!(!real.contains("<summary>synthetic-uniform") && !real.contains("<summary>velodyne-vlp16"));
    assert!(text.contains("<summary>synthetic-uniform") && text.contains("<summary>velodyne-vlp16"));
}

#[test]
fn the_loop_is_named_with_its_path_where_one_path_is_the_measure() {
    let mut run = run_with(&[(LOOP, 1.0, 0.0), (LOOP, 1.5, 0.0), (AVX512, 8.0, 0.0)]);
    for (row, path) in run.records.iter_mut().zip(["per-field", "block", "block"]) {
        row.task = "points".to_owned();
        row.variant = format!("{path}/{}", row.variant);
    }
    assert!(page(&run).contains("the speed of `per-field/leb128_loop`"));
}

#[test]
fn an_empty_record_says_so() {
    let run = RunRecord { machine: machine(), ..RunRecord::default() };
    assert_eq!(page(&run).matches("Nothing of this kind was measured.").count(), 8);
}

#[test]
fn figures_as_text() {
    assert_eq!([0.871, 9.994, 9.996, 99.96, 1234.5].map(times), ["0.87×", "9.99×", "10.0×", "100×", "1234×"]);
    assert_eq!([f64::NAN, f64::INFINITY].map(digits), ["–", "–"]);
    assert_eq!([0.1634, 9.99949, 9.99951].map(nanoseconds), ["0.163", "9.999", "10.0"]);
    assert_eq!(percent(0.776), "77.6 %");
    assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1 000", "1 234 567"]);
    assert_eq!(list(&["a", "b", "c"].map(str::to_owned)), "a, b and c");
    assert_eq!(cut("abcdefgh", 5), "ab…gh");
    assert_eq!(cut("abc\ndef", 7), "abc def");
}

#[test]
fn free_text_cannot_break_the_page() {
    assert_eq!(markdown("a|b\n<i>*c*"), "a\\|b &lt;i>\\*c\\*");
    assert_eq!(code("a`b|c"), "`a b c`");
    assert_eq!(
        table(&["x", ">y"], &[vec!["1".into(), "2".into()]]),
        "| x | y |\n| --- | ---: |\n| 1 | 2 |\n"
    );
}
