//! Instruction counts: what is counted, how the counts are read and kept, and the gate that compares them.

mod compare;
mod csv;
mod kept;
mod plan;
mod run;
mod slice;
mod sources;

pub use compare::{Comparison, Problem, Row, compare};
pub use csv::{Baseline, BaselineRow, DEFAULT_TOLERANCE, read_baseline, write_baseline};
pub use kept::{KeptRow, beside, keep, read_kept};
pub use run::{Counts, Measured, count, uncountable, valgrind_version};
pub use slice::{Counted, cut};
pub use sources::fingerprint;

/// The ids of everything that is counted.
#[must_use]
pub fn ids() -> Vec<String> {
    plan::plan().into_iter().map(|bench| bench.id).collect()
}

/// What the instructions of an id are divided by: the tokens or the points of its slice.
#[must_use]
pub fn units(id: &str) -> u64 {
    if id.starts_with("points/") { slice::POINTS as u64 } else { slice::TOKENS as u64 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{plan::CAPTURES, *};
    use crate::{capture::BUNDLED, cloud::Path};

    #[test]
    fn every_variant_is_counted_or_listed_as_not_countable() {
        let ids = ids();
        for name in variants::NAMES {
            let counted = ids.contains(&format!("tokens/rows/u32/{}/{name}", CAPTURES[0]));
            assert_ne!(counted, uncountable().contains(name), "{name}");
        }
        for id in ["per-field/leb128_fast2", "per-point/leb128_loop", "block/leb128_stride_avx2"] {
            assert!(ids.contains(&format!("points/v4/{}/{id}", CAPTURES[0])), "{id}");
        }
        assert!(!ids.iter().any(|id| id.contains("per-field/leb128_stride_avx2")), "it falls back there");
    }

    #[test]
    fn b02_ids_and_the_functions_that_stand_for_them_are_unique() {
        let plan = plan::plan();
        let ids: BTreeSet<&str> = plan.iter().map(|bench| bench.id.as_str()).collect();
        let benches: BTreeSet<_> = plan.iter().map(|bench| (&bench.function, &bench.case)).collect();
        assert_eq!((ids.len(), benches.len()), (plan.len(), plan.len()));
    }

    #[test]
    fn captures_and_paths_are_those_of_the_lab() {
        assert!(CAPTURES.iter().all(|capture| BUNDLED.contains(capture)));
        for id in ids().iter().filter(|id| id.starts_with("points/")) {
            let path = id.split('/').nth(3).unwrap();
            assert!(Path::ALL.iter().any(|known| known.name() == path), "{id}");
        }
    }
}
