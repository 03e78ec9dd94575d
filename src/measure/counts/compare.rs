//! The gate: counts against the baseline, both ways.

use std::collections::BTreeMap;

use super::{Baseline, BaselineRow, Counts};

/// One id that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The id.
    pub id: String,
    /// Accepted instructions.
    pub accepted: u64,
    /// Instructions now.
    pub now: u64,
    /// The change in percent; infinite from nothing to something.
    pub change: f64,
    /// How far it may be, in percent.
    pub tolerance: f64,
}

impl Row {
    /// Whether the count is where it was accepted, more or less.
    #[must_use]
    pub fn holds(&self) -> bool {
        // In whole instructions, where half a per cent is what it says.
        100.0 * self.now.abs_diff(self.accepted) as f64 <= self.tolerance * self.accepted as f64
    }
}

/// Why a comparison is no pass, beside counts that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The baseline was made by another compiler or for another target.
    Foreign {
        /// What the baseline says.
        accepted: String,
        /// What this is.
        now: String,
    },
    /// Nothing was compared.
    Nothing,
    /// An accepted count is 0, of which no change can be told.
    Zero(String),
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The ids on both sides.
    pub rows: Vec<Row>,
    /// Counted now, not in the baseline.
    pub new: Vec<String>,
    /// In the baseline, not counted now.
    pub vanished: Vec<String>,
    /// What forbids a pass whatever the counts say.
    pub problems: Vec<Problem>,
}

impl Comparison {
    /// Whether every id is accepted: none moved, none new, none vanished.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.problems.is_empty()
            && self.new.is_empty()
            && self.vanished.is_empty()
            && self.rows.iter().all(Row::holds)
    }
}

/// Compares counts with a baseline of the same compiler and target.
#[must_use]
pub fn compare(baseline: &Baseline, counts: &Counts, rustc: &str, target: &str) -> Comparison {
    let mut comparison = Comparison::default();
    let foreign = |row: &&BaselineRow| row.rustc != rustc || row.target != target;
    if let Some(row) = baseline.iter().find(foreign) {
        comparison.problems.push(Problem::Foreign {
            accepted: format!("{} for {}", row.rustc, row.target),
            now: format!("{rustc} for {target}"),
        });
    }
    let accepted: BTreeMap<&str, &BaselineRow> = baseline.iter().map(|row| (row.id.as_str(), row)).collect();
    for (id, measured) in counts {
        let Some(row) = accepted.get(id.as_str()) else {
            comparison.new.push(id.clone());
            continue;
        };
        if row.instructions == 0 {
            comparison.problems.push(Problem::Zero(id.clone()));
            continue;
        }
        let change = (measured.instructions as f64 / row.instructions as f64 - 1.0) * 100.0;
        comparison.rows.push(Row {
            id: id.clone(),
            accepted: row.instructions,
            now: measured.instructions,
            change,
            tolerance: row.tolerance,
        });
    }
    comparison.vanished =
        baseline.iter().filter(|row| !counts.contains_key(&row.id)).map(|row| row.id.clone()).collect();
    if comparison.rows.is_empty() {
        comparison.problems.push(Problem::Nothing);
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::{super::Measured, *};

    fn baseline(rows: &[(&str, u64)]) -> Baseline {
        let row = |&(id, instructions): &(&str, u64)| BaselineRow {
            id: id.into(),
            instructions,
            tolerance: 0.5,
            rustc: "r".into(),
            target: "t".into(),
            valgrind: "v".into(),
            date: "d".into(),
        };
        rows.iter().map(row).collect()
    }

    fn counts(rows: &[(&str, u64)]) -> Counts {
        let measured = |instructions| Measured { instructions, branches: None, mispredicted: None };
        rows.iter().map(|&(id, instructions)| (id.to_owned(), measured(instructions))).collect()
    }

    fn gate(accepted: &[(&str, u64)], now: &[(&str, u64)]) -> Comparison {
        compare(&baseline(accepted), &counts(now), "r", "t")
    }

    #[test]
    fn a_count_within_the_tolerance_passes_and_beyond_it_fails_either_way() {
        assert!(gate(&[("a", 1000)], &[("a", 1005)]).passes());
        assert!(gate(&[("a", 1000)], &[("a", 995)]).passes());
        assert!(!gate(&[("a", 1000)], &[("a", 1006)]).passes());
        assert!(!gate(&[("a", 1000)], &[("a", 994)]).passes());
        assert!(
            !gate(&[("a", 1000)], &[("a", 100)]).passes(),
            "a decoder that lost its work is no improvement"
        );
    }

    #[test]
    fn only_the_id_that_moved_fails() {
        let comparison = gate(&[("a", 1000), ("b", 1000)], &[("a", 1000), ("b", 1100)]);
        let failing: Vec<_> =
            comparison.rows.iter().filter(|row| !row.holds()).map(|row| &row.id[..]).collect();
        assert_eq!(failing, ["b"]);
    }

    #[test]
    fn b16_a_renamed_id_is_one_vanished_and_one_new() {
        let comparison = gate(&[("a", 1), ("b", 1)], &[("a", 1), ("c", 1)]);
        assert_eq!(
            (comparison.new.as_slice(), comparison.vanished.as_slice()),
            (&["c".into()][..], &["b".into()][..])
        );
        assert!(!comparison.passes());
    }

    #[test]
    fn b14_nothing_compared_is_a_failure() {
        for (accepted, now) in
            [(&[][..], &[][..]), (&[("a", 1)], &[]), (&[], &[("a", 1)]), (&[("a", 1)], &[("b", 1)])]
        {
            let comparison = gate(accepted, now);
            assert!(comparison.problems.contains(&Problem::Nothing) && !comparison.passes());
        }
    }

    #[test]
    fn b15_a_baseline_of_zero_is_a_failure() {
        assert_eq!(gate(&[("a", 0), ("b", 1)], &[("a", 5), ("b", 1)]).problems, [Problem::Zero("a".into())]);
    }

    #[test]
    fn a_foreign_baseline_is_a_failure() {
        for (rustc, target) in [("other", "t"), ("r", "other")] {
            let comparison = compare(&baseline(&[("a", 1)]), &counts(&[("a", 1)]), rustc, target);
            assert!(!comparison.passes() && matches!(comparison.problems[0], Problem::Foreign { .. }));
        }
    }
}
