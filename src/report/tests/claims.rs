use crate::{
    measure::{Record, RunRecord},
    report::{
        claims::claims,
        fixture::{CAPTURES, FIELD, add_points, capture, row, run_of},
        results::answers,
    },
};

/// Captures `a`, `b` ... with these shares of 2-byte tokens, and nothing measured on them.
fn empty(two_byte_shares: &[f64]) -> RunRecord {
    let names = ["a", "b", "c", "d", "e"];
    let captures: Vec<_> = names
        .into_iter()
        .zip(two_byte_shares)
        .map(|(name, &share)| capture(name, [1.0 - share, share, 0.0, 0.0]))
        .collect();
    run_of(&[], &captures)
}

/// A row of the points task with this ratio to the loop, or to upstream, and its spread.
fn points(mode: &str, capture: &str, variant: &str, [low, value, high]: [f64; 3]) -> Record {
    let mut record = row(FIELD[0], capture, value, 0.0);
    record.task = "points".to_owned();
    record.mode = Some(mode.to_owned());
    record.variant = variant.to_owned();
    (record.vs_loop_low, record.vs_loop_high) = (low, high);
    (record.vs_upstream_low, record.vs_upstream, record.vs_upstream_high) =
        (Some(low), Some(value), Some(high));
    record
}

fn text(run: &RunRecord) -> String {
    claims(run, &answers(run))
}

/// The cells of the line that has all of these.
fn cells(text: &str, parts: &[&str]) -> Vec<String> {
    let fits = |line: &&str| parts.iter().all(|part| line.contains(part));
    let mut lines = text.lines().filter(fits);
    let line = lines.next().unwrap_or_else(|| panic!("no line has {parts:?}:\n{text}"));
    assert!(lines.next().is_none(), "several lines have {parts:?}:\n{text}");
    line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
}

/// What is said of one ratio of `variant` on one capture in V5.
fn verdict(variant: &str, spread: [f64; 3]) -> String {
    let mut run = empty(&[0.2]);
    run.records.push(points("v5", "a", variant, spread));
    cells(&text(&run), &[&format!("`{variant}`:"), "| V5 |"])[5].clone()
}

#[test]
fn every_claim_has_a_row_a_mode_and_says_what_was_not_measured() {
    let text = text(&empty(&[0.2]));
    assert_eq!(text.lines().filter(|line| line.contains("not measured |")).count(), 12);
    assert!(!text.contains("<details>"));
    let row = cells(&text, &["`per-field-cached/leb128_fast2`:", "| V4 |"]);
    assert_eq!(row[3..6], ["0.0 %", "–", "not measured"]);
}

#[test]
fn verdicts_are_made_of_the_spread() {
    let fast2 = |spread| verdict("per-field/leb128_fast2", spread);
    assert_eq!(fast2([1.10, 1.12, 1.15]), "reproduces");
    assert_eq!(fast2([1.02, 1.06, 1.08]), "direction holds, size does not");
    assert_eq!(fast2([1.15, 1.20, 1.25]), "direction holds, size does not");
    assert_eq!(fast2([0.98, 1.02, 1.04]), "not here: no difference beyond the spread");
    assert_eq!(fast2([0.98, 1.06, 1.2]), "undecided: the spread holds the claim and no difference");
    assert_eq!(fast2([0.90, 0.95, 0.99]), "opposite");
    // -2.0 % is claimed, and 0.5 more is near enough.
    let convert = |spread| verdict("per-field-convert/leb128_fast2", spread);
    assert_eq!(convert([0.974, 0.975, 0.976]), "reproduces");
    assert_eq!(convert([0.964, 0.965, 0.966]), "direction holds, size does not");
    assert_eq!(convert([1.01, 1.02, 1.03]), "opposite");
    let cached = |spread| verdict("per-field-cached/leb128_fast2", spread);
    assert_eq!(cached([0.98, 0.99, 1.01]), "reproduces: no difference beyond the spread");
    assert_eq!(cached([1.001, 1.005, 1.009]), "reproduces: the difference is under one per cent");
    assert_eq!(cached([1.02, 1.03, 1.04]), "not here: faster");
    assert_eq!(cached([0.96, 0.97, 0.98]), "not here: slower");
    let best = |spread| verdict("block/leb128_loop", spread);
    assert_eq!(best([3.0, 4.0, 5.0]), "not so: the bytes as they are give more");
    assert_eq!(best([1.01, 1.03, 1.05]), "holds: the bytes as they are give no more");
}

#[test]
fn nothing_is_claimed_of_v4_without_virtual_calls() {
    let mut run = empty(&[0.2]);
    run.records.push(points("v4", "a", "per-point/leb128_fast2", [1.1, 1.2, 1.3]));
    let row = cells(&text(&run), &["`per-point/leb128_fast2`:", "| V4 |"]);
    assert_eq!(row[3..6], ["–", "+20.0 % [+10.0 to +30.0] (1 capture)", "nothing claimed"]);
}

#[test]
fn means_and_dependences_are_over_the_captures() {
    let mut run = empty(&[0.1, 0.2, 0.3, 0.4, 0.5]);
    for (name, gain) in ["a", "b", "c", "d"].into_iter().zip([1.0, 1.02, 1.01, 1.08]) {
        let spread = [gain - 0.01, gain, gain + 0.02];
        run.records.push(points("v4", name, "per-field/leb128_fast2", spread));
    }
    // Short and made-up streams are in no mean, nor is a figure that is none.
    for (name, ratio) in [("e", 9.0), ("e", f64::NAN)] {
        let mut record = points("v4", name, "per-field/leb128_fast2", [ratio; 3]);
        record.short = ratio == 9.0;
        run.records.push(record);
    }
    let text = text(&run);
    let row = cells(&text, &["`per-field/leb128_fast2`:", "| V4 |"]);
    assert_eq!(row[3..5], ["+12.4 %", "+2.7 % [+1.7 to +4.7] (4 captures)"]);
    assert_eq!(
        row[6],
        "two-byte tokens: 0.0 % on `a` (10.0 %), +8.0 % on `d` (40.0 %); rank correlation +0.80."
    );
    assert_eq!(cells(&text, &["| `a` |"])[1], "0.0 % [-1.0 to +2.0]");
    assert!(!text.contains("| `e` |"));
}

#[test]
fn a_record_without_the_spread_to_upstream_still_has_a_row() {
    let mut run = empty(&[0.2]);
    let mut old = points("v5", "a", "per-field/leb128_fast3", [0.5, 0.985, 2.0]);
    (old.vs_upstream_low, old.vs_upstream_high) = (None, None);
    run.records.push(old);
    let row = cells(&text(&run), &["`per-field/leb128_fast3`:", "| V5 |"]);
    assert_eq!(row[4..6], ["-1.5 % [-1.5 to -1.5] (1 capture)", "reproduces"]);
}

#[test]
fn the_best_on_the_same_bytes_stands_beside_other_layouts() {
    let captures: Vec<_> = CAPTURES.iter().map(|&(name, shares)| capture(name, shares)).collect();
    let mut run = run_of(&FIELD, &captures);
    add_points(&mut run);
    let text = text(&run);
    let row = cells(&text, &["`block/leb128_two_tiers_avx512`:", "| V4 |"]);
    assert!(row[4].ends_with("(6 captures)") && row[4].contains('×'), "{}", row[4]);
    assert!(row[6].starts_with("bytes of a token: "), "{}", row[6]);
    assert!(row[6].contains("Tokens alone: `svb1bit_expand_avx512` is "), "{}", row[6]);
    assert!(row[6].contains(" as fast as `leb128_two_tiers_avx512` at 102 % of its bytes."), "{}", row[6]);
    // Order of the record's rows does not matter.
    run.records.reverse();
    assert_eq!(claims(&run, &answers(&run)), text);
}
