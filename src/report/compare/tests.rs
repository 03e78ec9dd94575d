use super::{Place, compare, comparison_text};
use crate::{
    measure::RunRecord,
    report::fixture::{FIELD, add_points, capture, run, run_of},
};

fn named(run: RunRecord) -> (String, RunRecord) {
    ("2026-01-31-example-xeon-9999".to_owned(), run)
}

fn text(old: &RunRecord, new: &RunRecord) -> String {
    let text = comparison_text(&named(old.clone()), &named(new.clone()), false);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
    assert!(!text.contains('\x1b'));
    text
}

/// Changes a decoder's ratio, the spread with it.
fn speed_up(run: &mut RunRecord, variant: &str, capture: &str, by: f64) {
    for row in &mut run.records {
        if row.variant == variant && row.capture.contains(capture) {
            for ratio in [&mut row.vs_loop, &mut row.vs_loop_low, &mut row.vs_loop_high] {
                *ratio *= by;
            }
        }
    }
}

#[test]
fn the_same_record_twice_changes_nothing() {
    let mut run = run();
    add_points(&mut run);
    let text = text(&run, &run);
    assert!(text.contains("nothing changed beyond the spread: "), "{text}");
    assert!(text.contains("all keep the order"), "{text}");
    for word in ["another", "vanished", "appeared", "unchanged"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn what_moved_beyond_the_spread_is_told_biggest_first() {
    let (old, mut new) = (run(), run());
    speed_up(&mut new, "leb128_unrolled", "cloudini-lidar", 1.2);
    speed_up(&mut new, "leb128_shift_mix", "cloudini-lidar", 0.5);
    // Within the spread, which is at least 0.4 % to either side.
    speed_up(&mut new, "leb128_fast1", "cloudini-lidar", 1.004);
    let text = text(&old, &new);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is not in {text}"));
    assert!(at("leb128_shift_mix  ") < at("leb128_unrolled  "));
    assert!(text.contains("-50.0 %") && text.contains("+20.0 %"));
    // Two cells and the mean of at least the one that was halved.
    let changed = compare(&old, &new).questions[0].pairs.iter().filter(|p| p.is_beyond_the_spread()).count();
    assert!((3..=4).contains(&changed), "{changed}");
    assert!(!text.lines().any(|line| line.starts_with("leb128_fast1")));
}

#[test]
fn means_are_over_the_captures_that_both_have() {
    let (old, mut new) = (run(), run());
    new.records.retain(|row| row.capture != "cloudini-dds");
    speed_up(&mut new, "leb128_fast2", "", 2.0);
    let comparison = compare(&old, &new);
    let fast2 = comparison.questions[0].pairs.iter().find(|pair| pair.variant == "leb128_fast2").unwrap();
    // Short and made-up streams are in no mean.
    assert_eq!(fast2.place, Place::MeanOf(5));
    assert!((fast2.change() - 2.0).abs() < 1e-9);
    assert_eq!(comparison.vanished.captures, ["cloudini-dds"]);
    assert!(comparison.appeared.is_empty());
}

#[test]
fn what_came_and_went_is_named() {
    let (mut old, mut new) = (run(), run());
    add_points(&mut old);
    new.records.retain(|row| row.variant != "leb128_fast1" && row.layout != "svb");
    old.records.retain(|row| row.variant != "packed32_avx512" && row.capture != "synthetic-uniform");
    new.records.retain(|row| !(row.variant == "leb128_fast2" && row.capture == "cloudini-dds"));
    let text = text(&old, &new);
    for words in [
        "vanished variants: ",
        "leb128_fast1",
        "svb_scalar",
        "vanished questions: Same bytes (LEB128): points of V4 clouds, output in L2",
        "vanished: 1 rows more",
        "appeared variants: packed32_avx512\n",
        "appeared captures: synthetic-uniform\n",
    ] {
        assert!(text.contains(words), "{words} is not in {text}");
    }
}

#[test]
fn other_machines_are_flagged() {
    let (old, mut new) = (run(), run());
    new.machine.cpu = "Other CPU 1".to_owned();
    new.machine.features.retain(|feature| feature != "avx512f");
    new.records.retain(|row| row.class != "AVX-512");
    let text = text(&old, &new);
    assert!(text.contains("another machine: ratios may differ"), "{text}");
    assert!(text.contains("another set of features, only here: avx512f -> nothing more"), "{text}");
    assert!(text.contains("leb128_two_tiers_avx512"), "{text}");
}

#[test]
fn flipped_orders_are_listed_and_near_pairs_are_not() {
    let captures = [capture("a", [0.8, 0.2, 0.0, 0.0]), capture("b", [0.7, 0.3, 0.0, 0.0])];
    let (old, mut new) = (run_of(&FIELD, &captures), run_of(&FIELD, &captures));
    speed_up(&mut new, "leb128_pext4_bmi2", "", 2.0);
    let comparison = compare(&old, &new);
    let order = &comparison.questions[0].order;
    let flip = |one: &str, other: &str| {
        order.flips.iter().any(|flip| (flip.ahead_before, flip.ahead_now) == (one, other))
    };
    // 1.72 was behind 2.31 and 2.46 and now is 3.44.
    assert!(flip("leb128_pext4_two_halves_bmi2", "leb128_pext4_bmi2"), "{order:?}");
    assert!(flip("leb128_masked_vbyte_sse41", "leb128_pext4_bmi2"), "{order:?}");
    assert_eq!(order.flips.len(), 2, "{order:?}");
    assert!(order.flips.iter().all(|flip| flip.before > 1.03 && flip.now > 1.03));
    assert!(text(&old, &new).contains("keep and 2 flipped"));
}

#[test]
fn long_names_fit() {
    let (mut old, mut new) = (run(), run());
    for run in [&mut old, &mut new] {
        for row in &mut run.records {
            row.variant = format!("{}_{}", row.variant, "x".repeat(150));
            row.capture += &"y".repeat(150);
        }
    }
    for row in &mut new.records {
        row.vs_loop *= 1e6;
        (row.vs_loop_low, row.vs_loop_high) = (row.vs_loop, row.vs_loop);
    }
    assert!(text(&old, &new).contains("smaller changes more"));
}

#[test]
fn records_with_nothing_in_common_say_so() {
    let empty = RunRecord { records: Vec::new(), ..run() };
    assert!(text(&empty, &run()).contains("nothing that both records measured"));
}

#[test]
fn what_rests_on_rounds_with_company_is_marked() {
    let (mut old, mut new) = (run(), run());
    speed_up(&mut new, "leb128_unrolled", "", 0.2);
    let quiet = text(&old, &new);
    assert!(quiet.contains("flipped the order") && !quiet.contains('~'), "{quiet}");
    for row in &mut old.records {
        row.quiet = row.rounds / 2;
    }
    let loud = text(&old, &new);
    for words in [
        " of them had company (~)",
        " had to share the core (marked ~)",
        "-80.0 % ~\n",
        "\n~ leb128_unrolled was",
    ] {
        assert!(loud.contains(words), "{words}: {loud}");
    }
}
