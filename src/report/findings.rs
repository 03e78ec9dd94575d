//! What a record says, in sentences that are made of its figures.

use crate::report::{
    rank::{Entry, Ranking},
    text::{list, times},
};

/// Names, as prose lists them.
pub(crate) fn names(entries: &[&Entry<'_>], quote: fn(&str) -> String) -> String {
    list(&entries.iter().map(|entry| quote(&entry.row.variant)).collect::<Vec<_>>())
}

/// Who leads and by how much, for a title.
pub(crate) fn leader(ranking: &Ranking<'_>) -> String {
    match ranking.first()[..] {
        [] => "no decoder was measured on all captures".to_owned(),
        [best] => format!("{} leads with {}", best.row.variant, times(best.ratio.value)),
        [best, _] => format!("two tie for first, {} with {}", best.row.variant, times(best.ratio.value)),
        [best, ..] => format!("several tie for first, {} with {}", best.row.variant, times(best.ratio.value)),
    }
}
