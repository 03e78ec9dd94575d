use crate::report::{
    VariantRow, captures_table,
    fixture::{FIELD, add_points, crowded, run},
    ranking_table, variants_table,
};

fn listing() -> Vec<VariantRow> {
    FIELD
        .iter()
        .map(|&(name, layout, class, standing, ..)| VariantRow {
            name: name.to_owned(),
            class: class.to_owned(),
            layout: layout.to_owned(),
            standing: standing.to_owned(),
            runs_here: class != "AVX-512",
            idea: "a byte at a time until one has no high bit, and then a long explanation".to_owned(),
        })
        .collect()
}

fn assert_fits(table: &str) {
    assert!(!table.contains('\x1b'));
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
}

#[test]
fn no_line_is_longer_than_a_hundred_columns() {
    let mut run = run();
    add_points(&mut run);
    let mut listing = listing();
    for (at, row) in run.records.iter_mut().enumerate() {
        row.variant = format!("{}{}{at}", row.variant, "x".repeat(300));
        row.capture += &"y".repeat(200);
        row.word += &"z".repeat(100);
        row.ns_min *= 1e9;
    }
    for (row, facts) in listing.iter_mut().zip(&mut run.captures) {
        row.name += &"x".repeat(300);
        row.layout += &"x".repeat(300);
        row.idea += &"x".repeat(300);
        facts.name += &"y".repeat(300);
        facts.points = u64::MAX;
    }
    assert_fits(&ranking_table(&run.records, false));
    assert_fits(&variants_table(&listing, false));
    assert_fits(&captures_table(&run.captures, false));
    assert_fits(&ranking_table(&crowded().records, false));
}

#[test]
fn a_ranking_shows_every_contestant_and_the_mean() {
    let run = run();
    let table = ranking_table(&run.records, false);
    for (name, ..) in FIELD {
        assert!(table.contains(name), "{name}");
    }
    for part in [
        "Same bytes (LEB128): tokens as u32, rows, output in L2",
        "Other layouts: tokens as u32, rows, output in L2",
        "velodyne-vlp16, short: in no mean",
        "synthetic-uniform, synthetic: in no mean",
        "geometric mean of 6 captures",
    ] {
        assert!(table.contains(part), "{part}");
    }
    let line = table.lines().find(|line| line.contains("leb128_two_tiers_avx512")).unwrap();
    assert!(line.starts_with("1 "), "{line}");
    let line = table.lines().find(|line| line.contains("raw_copy")).unwrap();
    assert!(line.starts_with("ctrl"), "{line}");
}

#[test]
fn colour_changes_nothing_but_escapes() {
    let strip = |text: String| {
        ["\x1b[1;32m", "\x1b[1m", "\x1b[2m", "\x1b[0m"]
            .iter()
            .fold(text, |text, escape| text.replace(escape, ""))
    };
    let run = run();
    let coloured = ranking_table(&run.records, true);
    assert!(coloured.contains("\x1b[1;32m1 "));
    assert_eq!(strip(coloured), ranking_table(&run.records, false));
    let coloured = variants_table(&listing(), true);
    assert!(coloured.contains("\x1b[2mleb128_two_tiers_avx512"));
    assert!(coloured.contains("\nleb128_loop"));
    assert_eq!(strip(coloured), variants_table(&listing(), false));
    assert_eq!(strip(captures_table(&run.captures, true)), captures_table(&run.captures, false));
}

#[test]
fn tables_of_nothing_are_empty() {
    assert_eq!(ranking_table(&[], false), "");
    assert_eq!(captures_table(&[], false).lines().count(), 2);
}
