//! What is compared with what: a record's rows, split so that only comparable ones meet.

use std::collections::BTreeMap;

use variants::{Layout, layout::Leb128};

use crate::{cloud::Arrangement, measure::Record, report::rank::usable};

/// The variant that every ratio is against.
pub(crate) const LOOP: &str = "leb128_loop";

/// Whether the bytes stay as cloudini writes them. Rankings never mix the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wire {
    /// LEB128 alone: the winner is a drop-in.
    Fixed,
    /// Every other layout: the bytes have to be written anew.
    Free,
}

/// One way to measure: rows are compared only within it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Question<'a> {
    // Places first, so that the derived order is the order of the report; the names settle unknown ones.
    places: [usize; 4],
    pub(crate) task: &'a str,
    pub(crate) mode: Option<&'a str>,
    pub(crate) arrangement: &'a str,
    pub(crate) window: &'a str,
    pub(crate) word: &'a str,
    pub(crate) wire: Wire,
}

/// A question and the rows that answer it.
#[derive(Clone, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) question: Question<'a>,
    /// A name for files: only `a-z`, `0-9` and `-`, and no other question of the record has it.
    pub(crate) slug: String,
    /// Rows in the record's order: of the wire's layouts, and the controls.
    pub(crate) rows: Vec<&'a Record>,
    /// Bytes per token (or point) of LEB128 in the same arrangement, by capture: what sizes are held against.
    pub(crate) leb128_bytes: BTreeMap<&'a str, f64>,
    /// The variant that ratios are against, as the rows name it.
    pub(crate) baseline: &'a str,
}

fn place(of: &str, order: &[&str]) -> usize {
    order.iter().position(|&name| name == of).unwrap_or(order.len())
}

impl<'a> Question<'a> {
    fn of(record: &'a Record, wire: Wire) -> Self {
        // Clouds in other layouts are one question, whatever their arrangement: what may take the place of V4.
        let (mode, arrangement) = match is_other_cloud(record) {
            true => (Some("v4"), "rows"),
            false => (record.mode.as_deref(), record.arrangement.as_str()),
        };
        Self {
            places: [
                place(&record.task, &["points", "tokens"]),
                place(arrangement, &["rows", "sections", "columns"]),
                place(&record.window, &["l2", "dram"]),
                place(&record.word, &["u32", "u64"]),
            ],
            task: &record.task,
            mode,
            arrangement,
            window: &record.window,
            word: &record.word,
            wire,
        }
    }

    /// `point` or `token`: what times are per.
    pub(crate) fn unit(&self) -> &'static str {
        if self.task == "points" { "point" } else { "token" }
    }

    /// The question in words, as `tokens as u32, rows, output in L2` or `points of V4 clouds`.
    pub(crate) fn words(&self) -> String {
        let mode = self.mode.map(str::to_uppercase);
        let mut parts = vec![match (self.task, self.mode_is_cloudinis(), mode) {
            ("points", true, Some(mode)) if self.wire == Wire::Free => {
                format!("points of {mode} clouds, encoded anew in rows or columns")
            }
            ("points", true, Some(mode)) => format!("points of {mode} clouds"),
            (task, _, Some(mode)) => format!("{task} ({mode})"),
            (task, _, None) => task.to_owned(),
        }];
        if self.word != self.task {
            parts[0] += &format!(" as {}", self.word);
        }
        if !self.mode_is_cloudinis() {
            parts.push(self.arrangement.to_owned());
        }
        match self.window {
            "l2" => parts.push("output in L2".to_owned()),
            "dram" => parts.push("output in DRAM".to_owned()),
            other => parts.push(other.to_owned()),
        }
        parts.join(", ")
    }

    /// Whether the arrangement is the one that the mode stands for, so that it need not be said.
    fn mode_is_cloudinis(&self) -> bool {
        matches!((self.mode, self.arrangement), (Some("v4"), "rows") | (Some("v5"), "sections"))
    }

    /// The wire's side of the question, as a heading says it.
    pub(crate) fn wire_words(&self) -> &'static str {
        match self.wire {
            Wire::Fixed => "Same bytes (LEB128)",
            Wire::Free => "Other layouts",
        }
    }

    /// The same question on the other wire.
    pub(crate) fn on_wire(&self, wire: Wire) -> Self {
        Self { wire, ..self.clone() }
    }

    /// A name for files, as `leb128-u32-rows`; unknown words may give two questions the same.
    fn slug(&self) -> String {
        let mut parts = Vec::new();
        if self.task != "tokens" {
            parts.push(self.task);
        }
        parts.extend(self.mode);
        parts.push(match self.wire {
            Wire::Fixed => "leb128",
            Wire::Free => "layouts",
        });
        if self.word != self.task {
            parts.push(self.word);
        }
        if !self.mode_is_cloudinis() {
            parts.push(self.arrangement);
        }
        if self.window != "l2" {
            parts.push(self.window);
        }
        slug(&parts.join("-"))
    }
}

/// `text` as a file name that every file system takes: lower-case letters, digits and single dashes, at most
/// 48 of them, never empty.
pub(crate) fn slug(text: &str) -> String {
    let mut name = String::new();
    for letter in text.chars() {
        if name.len() == 48 {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}

/// Every question that the rows answer, in the report's order. A question without a single decoder of its
/// wire, that is with nothing but controls, is not one.
pub(crate) fn questions(records: &[Record]) -> Vec<Asked<'_>> {
    let mut all = BTreeMap::<Question<'_>, Vec<&Record>>::new();
    let mut sizes = BTreeMap::<_, f64>::new();
    for record in records {
        if wire_of(record) == Wire::Fixed && !is_control(record) {
            let encoded = (record.task.as_str(), record.mode.as_deref(), record.arrangement.as_str());
            sizes.insert((encoded, record.capture.as_str()), record.bytes_per_token);
        }
        for wire in [Wire::Fixed, Wire::Free] {
            if is_control(record) || wire == wire_of(record) {
                all.entry(Question::of(record, wire)).or_default().push(record);
            }
        }
    }
    let mut slugs = Vec::<String>::new();
    all.into_iter()
        .filter(|(_, rows)| rows.iter().any(|record| !is_control(record)))
        .map(|(question, rows)| {
            let encoded = (question.task, question.mode, question.arrangement);
            let leb128_bytes = sizes
                .iter()
                .filter(|((other, _), _)| *other == encoded)
                .map(|(&(_, capture), &bytes)| (capture, bytes))
                .collect();
            let baseline = baseline(records, &question);
            let mut slug = question.slug();
            while slugs.contains(&slug) {
                slug += "-2";
            }
            slugs.push(slug.clone());
            Asked { question, slug, rows, leb128_bytes, baseline }
        })
        .collect()
}

/// The loop's name in the rows that belong to the question: with its path for the points task, where only one
/// of the paths has a ratio of 1 everywhere.
fn baseline<'a>(records: &'a [Record], question: &Question<'a>) -> &'a str {
    let loops = records.iter().filter(|record| {
        record.variant.rsplit('/').next() == Some(LOOP)
            && Question::of(record, question.wire) == *question
            && usable(record.vs_loop).is_some()
    });
    let mut ratios = BTreeMap::<&str, bool>::new();
    for record in loops {
        *ratios.entry(&record.variant).or_insert(true) &= record.vs_loop == 1.0;
    }
    let mut whole = ratios.into_iter().filter(|&(_, always_one)| always_one);
    match (whole.next(), whole.next()) {
        (Some((name, _)), None) => name,
        _ => LOOP,
    }
}

/// The wire on which a record's variant competes.
pub(crate) fn wire_of(record: &Record) -> Wire {
    if record.layout == Leb128::NAME && !is_other_cloud(record) { Wire::Fixed } else { Wire::Free }
}

/// Whether the record is of a cloud that is not in cloudini's format.
fn is_other_cloud(record: &Record) -> bool {
    let arrangements = Arrangement::ALL.map(Arrangement::name);
    record.task == "points" && record.path.as_deref().is_some_and(|path| arrangements.contains(&path))
}

pub(crate) fn is_control(record: &Record) -> bool {
    record.standing == "control"
}

impl<'a> Asked<'a> {
    /// This question's rows together with those of the same question on the other wire: to hold sizes against
    /// speeds, never to rank.
    pub(crate) fn with_other_wire(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.rows.extend(other.rows.iter().copied().filter(|row| !is_control(row)));
        both
    }

    /// The captures of one kind that have rows, in the record's order.
    pub(crate) fn captures(&self, kind: Kind) -> Vec<&'a str> {
        let mut names = Vec::new();
        for record in self.rows.iter().filter(|record| Kind::of(record) == kind) {
            if !names.contains(&record.capture.as_str()) {
                names.push(record.capture.as_str());
            }
        }
        names
    }

    /// The rows of one capture.
    pub(crate) fn on(&self, capture: &str) -> Vec<&'a Record> {
        self.rows.iter().copied().filter(|record| record.capture == capture).collect()
    }
}

/// What a capture's figures may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A real recording that is long enough: the only kind that enters an aggregate.
    Real,
    /// Too few tokens: a branch predictor may learn them by heart.
    Short,
    /// Made up.
    Synthetic,
}

impl Kind {
    pub(crate) fn of(record: &Record) -> Self {
        match (record.synthetic, record.short) {
            (true, _) => Self::Synthetic,
            (false, true) => Self::Short,
            (false, false) => Self::Real,
        }
    }
}
