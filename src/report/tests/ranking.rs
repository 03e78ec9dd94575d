use crate::{
    measure::Record,
    report::{
        fixture::{Contestant, FIELD, capture, row, run, run_of},
        question::{Wire, questions, slug},
        rank::{Ranking, geometric_mean, on_capture, overall, wherever},
    },
};

fn ranked(name: &'static str) -> Contestant {
    (name, "leb128", "scalar", "ranked", 1.0, 1.0)
}

fn places(records: &[Record]) -> Vec<(String, String)> {
    let asked = &questions(records)[0];
    let ranking = on_capture(asked, &records[0].capture);
    ranking.entries.iter().map(|entry| (entry.row.variant.clone(), entry.mark())).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|&(name, mark)| (name.to_owned(), mark.to_owned())).collect()
}

#[test]
fn overlapping_spreads_share_a_place() {
    let records = [
        row(ranked("a"), "c", 10.0, 0.001),
        row(ranked("b"), "c", 9.0, 0.03),
        row(ranked("d"), "c", 8.6, 0.03),
        row(ranked("e"), "c", 2.0, 0.001),
    ];
    assert_eq!(places(&records), pairs(&[("a", "1"), ("b", "2="), ("d", "2="), ("e", "4")]));
}

#[test]
fn less_than_two_percent_is_a_tie_and_more_is_not() {
    let tie = [row(ranked("a"), "c", 10.0, 0.0), row(ranked("b"), "c", 9.81, 0.0)];
    assert_eq!(places(&tie), pairs(&[("a", "1="), ("b", "1=")]));
    let apart = [row(ranked("a"), "c", 10.0, 0.0), row(ranked("b"), "c", 9.79, 0.0)];
    assert_eq!(places(&apart), pairs(&[("a", "1"), ("b", "2")]));
}

#[test]
fn a_tie_is_with_the_best_of_the_group_and_not_passed_on() {
    let records = [
        row(ranked("a"), "c", 10.0, 0.0),
        row(ranked("b"), "c", 9.85, 0.0),
        row(ranked("d"), "c", 9.70, 0.0),
    ];
    assert_eq!(places(&records), pairs(&[("a", "1="), ("b", "1="), ("d", "3")]));
}

#[test]
fn controls_and_rejected_variants_take_no_place() {
    let control = ("raw_copy", "raw", "scalar", "control", 1.0, 1.0);
    let rejected = ("b", "leb128", "scalar", "rejected", 1.0, 1.0);
    let records = [
        row(ranked("a"), "c", 2.0, 0.0),
        row(rejected, "c", 3.0, 0.0),
        row(control, "c", 9.0, 0.0),
        row(ranked("d"), "c", 1.0, 0.0),
    ];
    let expected = pairs(&[("raw_copy", "control"), ("b", "rejected"), ("a", "1"), ("d", "2")]);
    assert_eq!(places(&records), expected);
}

#[test]
fn equal_figures_are_in_the_order_of_their_names() {
    let records = [row(ranked("z"), "c", 2.0, 0.0), row(ranked("a"), "c", 2.0, 0.0)];
    assert_eq!(places(&records), pairs(&[("a", "1="), ("z", "1=")]));
}

#[test]
fn the_mean_is_over_the_captures_that_every_ranked_variant_has() {
    let records = [
        row(ranked("a"), "one", 2.0, 0.0),
        row(ranked("a"), "two", 8.0, 0.0),
        row(ranked("a"), "three", 100.0, 0.0),
        row(ranked("b"), "one", 1.0, 0.0),
        row(ranked("b"), "two", 4.0, 0.0),
    ];
    let asked = &questions(&records)[0];
    let all = overall(asked);
    assert_eq!(all.captures, ["one", "two"]);
    let value = |name| all.of(name).map(|entry| entry.ratio.value);
    assert!((value("a").unwrap() - 4.0).abs() < 1e-12);
    assert!((value("b").unwrap() - 2.0).abs() < 1e-12);
    assert_eq!(all.notes, ["three is left out of the mean: it has no figure of b"]);
    assert_eq!(all.of("a").unwrap().extremes(), Some([("one", 2.0), ("two", 8.0)]));
}

#[test]
fn variants_without_a_common_capture_have_no_mean() {
    let records = [row(ranked("a"), "one", 2.0, 0.0), row(ranked("b"), "two", 4.0, 0.0)];
    let asked = &questions(&records)[0];
    let all = overall(asked);
    assert!(all.entries.is_empty() && all.captures.is_empty());
    assert_eq!(all.notes.len(), 2);
    assert_eq!(wherever(asked, &["one", "two"]).entries.len(), 2);
}

#[test]
fn a_rejected_variant_or_a_control_that_is_absent_takes_no_capture_away() {
    let rejected = ("r", "leb128", "scalar", "rejected", 1.0, 1.0);
    let records = [
        row(ranked("a"), "one", 2.0, 0.0),
        row(ranked("a"), "two", 8.0, 0.0),
        row(rejected, "one", 1.0, 0.0),
    ];
    let all: Ranking<'_> = overall(&questions(&records)[0]);
    assert_eq!(all.captures, ["one", "two"]);
    assert!(all.of("r").is_none());
}

#[test]
fn short_and_synthetic_rows_are_in_no_mean() {
    let run = run();
    for asked in questions(&run.records) {
        let all = overall(&asked);
        assert_eq!(all.captures.len(), 6);
        for entry in &all.entries {
            assert!(entry.each.iter().all(|(name, _)| *name != "velodyne-vlp16"));
            assert!(entry.each.iter().all(|(name, _)| !name.starts_with("synthetic")));
        }
    }
}

#[test]
fn wires_are_never_in_one_ranking_and_controls_are_in_both() {
    let run = run();
    let asked = questions(&run.records);
    assert_eq!(asked.iter().map(|asked| asked.question.wire).collect::<Vec<_>>(), [Wire::Fixed, Wire::Free]);
    for asked in &asked {
        let fixed = asked.question.wire == Wire::Fixed;
        for row in &asked.rows {
            assert!(row.standing == "control" || (row.layout == "leb128") == fixed, "{}", row.variant);
        }
        assert!(asked.rows.iter().any(|row| row.variant == "raw_copy"));
    }
}

#[test]
fn a_record_of_nothing_but_controls_asks_nothing() {
    let control = ("raw_copy", "raw", "scalar", "control", 1.0, 1.0);
    assert!(questions(&[row(control, "c", 9.0, 0.0)]).is_empty());
}

#[test]
fn figures_that_are_none_are_left_out_with_a_note() {
    for figure in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let records = [row(ranked("a"), "c", 2.0, 0.0), row(ranked("b"), "c", figure, 0.0)];
        let ranking = on_capture(&questions(&records)[0], "c");
        assert_eq!(ranking.entries.len(), 1, "{figure}");
        assert_eq!(ranking.notes, ["b on c is left out: it has no usable figure"]);
    }
}

#[test]
fn a_spread_that_is_none_is_the_figure() {
    let mut record = row(ranked("a"), "c", 2.0, 0.0);
    (record.vs_loop_low, record.vs_loop_high) = (f64::NAN, 0.0);
    let records = [record];
    let ranking = on_capture(&questions(&records)[0], "c");
    let spread = ranking.entries[0].ratio;
    assert_eq!((spread.low, spread.value, spread.high), (2.0, 2.0, 2.0));
}

#[test]
fn a_variant_that_is_there_twice_counts_once() {
    let records = [row(ranked("a"), "c", 2.0, 0.0), row(ranked("a"), "c", 3.0, 0.0)];
    let ranking = on_capture(&questions(&records)[0], "c");
    assert_eq!(ranking.entries.len(), 1);
    assert_eq!(ranking.notes, ["a on c is left out: it is there twice"]);
}

#[test]
fn sizes_are_against_leb128_on_the_same_capture() {
    let captures = [capture("one", [1.0, 0.0, 0.0, 0.0]), capture("two", [0.0, 1.0, 0.0, 0.0])];
    let run = run_of(&FIELD, &captures);
    let asked = questions(&run.records);
    let size = overall(&asked[1]).of("svb_scalar").and_then(|entry| entry.size);
    assert!((size.unwrap() - 1.124).abs() < 1e-12);
}

#[test]
fn geometric_means() {
    assert_eq!(geometric_mean([]), None);
    assert_eq!(geometric_mean([1.0, 0.0]), None);
    assert_eq!(geometric_mean([1.7]), Some(1.7));
    assert!((geometric_mean([1.0, 100.0]).unwrap() - 10.0).abs() < 1e-12);
}

#[test]
fn slugs_are_safe_file_names() {
    for (text, expected) in [
        ("simd/avx2", "simd-avx2"),
        ("a:b", "a-b"),
        ("t{e.s/t", "t-e-s-t"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("\"q\"", "q"),
        ("x\\y.", "x-y"),
    ] {
        assert_eq!(slug(text), expected);
    }
    assert_eq!(slug(&"a".repeat(300)).len(), 48);
}
