//! What was measured, as rows that can be stored, read again and rendered.

use serde::{Deserialize, Serialize};

use super::sizes::SizeRow;

/// One contestant on one capture: a line of `rank --json` and a row of a record's CSV.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `tokens` (the kernel alone) or `points` (the same point bytes out).
    pub task: String,
    /// `u32` or `u64`; `points` for the points task.
    pub word: String,
    /// `rows` (interleaved, as cloudini V4), `columns`, or `sections` (cloudini V5). A cloud in another layout says
    /// it in its path as well.
    pub arrangement: String,
    /// `l2` (one reused output buffer that stays in cache) or `dram` (output never reused).
    pub window: String,
    /// The capture's name.
    pub capture: String,
    /// Whether the stream was made up.
    pub synthetic: bool,
    /// Whether it has too few tokens to be compared; such rows stay out of every aggregate.
    pub short: bool,
    /// The variant's name; for the points task `path/variant`.
    pub variant: String,
    /// The layout that it decodes.
    pub layout: String,
    /// `scalar`, `BMI2`, `SSE4.1`, `AVX2` or `AVX-512`.
    pub class: String,
    /// `ranked`, `control` or `rejected`.
    pub standing: String,
    /// Tokens decoded in each round; for the points task, points.
    pub tokens: u64,
    /// Rounds measured, each with all contestants in a new order.
    pub rounds: u32,
    /// In how many of them it had the core to itself. All figures are of these, or of the 7 quietest if they are fewer.
    pub quiet: u32,
    /// Thread CPU time per token (per point for the points task), the fastest of them, in nanoseconds.
    pub ns_min: f64,
    /// The same, their median.
    pub ns_median: f64,
    /// Time of `leb128_loop` divided by this one's, medians of the same run: more than 1 is faster.
    pub vs_loop: f64,
    /// The same for the fastest.
    pub vs_loop_min: f64,
    /// The lowest `vs_loop` of the five fifths of the rounds that count, each taken alone.
    pub vs_loop_low: f64,
    /// The highest of them: together the spread.
    pub vs_loop_high: f64,
    /// Encoded bytes per token (per point for the points task), control bytes included.
    pub bytes_per_token: f64,
    /// For the points task: raw point bytes per nanosecond, which is GB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gb_per_s: Option<f64>,
    /// For the points task: the path's name, such as `per-field` or `block`, of other layouts `rows` or `columns`, or
    /// `control`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// For the points task: `v4` or `v5`; none for clouds in other layouts, which have the points of `v4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// For the points task: time of `per-field/leb128_fast2`, what users run today, divided by this one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs_upstream: Option<f64>,
    /// The lowest `vs_upstream` of the five fifths of the rounds that count, each taken alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs_upstream_low: Option<f64>,
    /// The highest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs_upstream_high: Option<f64>,
}

impl Record {
    /// Whether most of its rounds had to share the core, so that its figures rest on few.
    #[must_use]
    pub fn had_company(&self) -> bool {
        2 * self.quiet < self.rounds
    }
}

/// What a reader should know of a capture before the numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaptureFacts {
    /// The name used everywhere.
    pub name: String,
    /// Sensor, as far as it is known and how it is known.
    pub sensor: String,
    /// What was recorded.
    pub scene: String,
    /// The order of the points, and what happens to missing returns.
    pub order: String,
    /// Fields with their types, such as `x y z intensity f32, ring u16`.
    pub fields: String,
    /// Package, version and file that it comes from, or how it was made.
    pub source: String,
    /// Licence, with any doubt.
    pub licence: String,
    /// Whether it was made up.
    pub synthetic: bool,
    /// Whether it is too short to be compared.
    pub short: bool,
    /// How many points; 0 for synthetic token streams.
    pub points: u64,
    /// How many tokens in rows.
    pub tokens: u64,
    /// LEB128 bytes per token in rows.
    pub bytes_per_token: f64,
    /// Share of tokens of 1, 2 ... 10 LEB128 bytes; sums to 1.
    pub length_shares: [f64; 10],
}

/// A cache that a core reads data through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1, 2, 3: from the core outwards.
    pub level: u8,
    /// Its size.
    pub bytes: u64,
}

/// One contestant at one place of a sweep: a series of measurements along one quantity, which is in no ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepRow {
    /// Which series: `working-set`, `two-byte-share` or `two-byte-share-repeating`.
    pub sweep: String,
    /// The capture that is decoded, or how the stream is made up.
    pub stream: String,
    /// Where in the series: bytes of output before any of it is written again, or the share of 2-byte tokens, 0 to 1.
    pub place: f64,
    /// The variant's name.
    pub variant: String,
    /// `scalar`, `BMI2`, `SSE4.1`, `AVX2` or `AVX-512`.
    pub class: String,
    /// `ranked`, `control` or `rejected`.
    pub standing: String,
    /// Tokens decoded in each round.
    pub tokens: u64,
    /// Rounds measured, each with all contestants in a new order.
    pub rounds: u32,
    /// In how many of them it had the core to itself. All figures are of these, or of the 7 quietest if they are fewer.
    pub quiet: u32,
    /// Thread CPU time per token, the fastest of them, in nanoseconds.
    pub ns_min: f64,
    /// The same, their median.
    pub ns_median: f64,
    /// Time of `leb128_loop` divided by this one's, medians of the same run: more than 1 is faster.
    pub vs_loop: f64,
    /// The lowest `vs_loop` of the five fifths of the rounds that count, each taken alone.
    pub vs_loop_low: f64,
    /// The highest of them.
    pub vs_loop_high: f64,
    /// Encoded bytes per token.
    pub bytes_per_token: f64,
}

/// Where and when a record was made. Absolute times are never compared across machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's own name.
    pub cpu: String,
    /// Logical processors.
    pub processors: u32,
    /// The features the variants use that this CPU has.
    pub features: Vec<String>,
    /// Data and unified caches, innermost first, if the system tells.
    #[serde(default)]
    pub caches: Vec<Cache>,
    /// `rustc --version` of the build.
    pub rustc: String,
    /// The build's target triple.
    pub target: String,
    /// The source's git revision with `+changes` if it was not clean, or `unknown`.
    pub revision: String,
    /// One-minute load average when measuring began and ended, if the system tells.
    pub load: Option<(f64, f64)>,
    /// UTC date and time, as 2026-01-31T12:00:00Z.
    pub date: String,
}

/// A whole run: what one report is rendered from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Where it was measured.
    pub machine: Machine,
    /// What it was measured on.
    pub captures: Vec<CaptureFacts>,
    /// The rows.
    pub records: Vec<Record>,
    /// What the captures take in each layout.
    pub sizes: Vec<SizeRow>,
    /// Whether it was made with fewer rounds.
    pub quick: bool,
    /// The command line that made it; empty if that is not known.
    pub command: String,
    /// Series along one quantity, which are in no ranking.
    pub sweeps: Vec<SweepRow>,
}
