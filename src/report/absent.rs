//! Decoders that a record has no row of: its CPU could not run them, or they are younger than it.

use crate::{
    measure::contestants,
    report::{
        findings::CLASSES,
        question::{Asked, LOOP, Wire, is_control},
    },
};
use variants::{Layout, Standing, layout::Leb128};

/// A registered decoder without a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    pub(crate) variant: &'static str,
    pub(crate) class: &'static str,
}

/// The ranked decoders of the question's wire that the registry has and the question's rows have not, plainest class
/// first. A record that lacks even the loop is of another field, of which the registry says nothing.
pub(crate) fn absent(asked: &Asked<'_>) -> Vec<Absent> {
    let measured = |name: &str| {
        asked.rows.iter().any(|row| !is_control(row) && row.variant.rsplit('/').next() == Some(name))
    };
    let unknown_field = asked.question.wire == Wire::Fixed && !measured(LOOP);
    // Which decoders of other layouts fill points is the task's choice, not the CPU's.
    let chosen_field = asked.question.wire == Wire::Free && asked.question.task != "tokens";
    if unknown_field || chosen_field {
        return Vec::new();
    }
    let layouts: Vec<&str> = asked.rows.iter().map(|row| row.layout.as_str()).collect();
    let mut found: Vec<Absent> = contestants::all()
        .into_iter()
        .filter(|contestant| {
            let ranked = contestant.info.standing == Standing::Ranked;
            let wire = (contestant.layout == Leb128::NAME) == (asked.question.wire == Wire::Fixed);
            // What the task has no way to run is not missing from it, and other projects' crates are extras.
            ranked
                && !contestant.is_peer
                && wire
                && layouts.contains(&contestant.layout)
                && !measured(contestant.name)
        })
        .map(|contestant| Absent { variant: contestant.name, class: contestant.info.class.name() })
        .collect();
    let place = |class: &str| CLASSES.iter().position(|name| *name == class);
    found.sort_by_key(|absent| place(absent.class));
    found
}

/// The same in a line, class by class; `None` if none is missing.
pub(crate) fn note(absent: &[Absent]) -> Option<String> {
    let classes: Vec<String> = absent
        .chunk_by(|one, other| one.class == other.class)
        .map(|group| {
            let names: Vec<&str> = group.iter().map(|absent| absent.variant).collect();
            format!("{} ({})", names.join(", "), group[0].class)
        })
        .collect();
    (!classes.is_empty()).then(|| format!("absent, not measured for this record: {}", classes.join("; ")))
}
