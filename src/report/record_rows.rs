//! Records as lines of CSV: every column in every line.

use serde::{Deserialize, Serialize};

use crate::measure::{CaptureFacts, Record};

/// A line of `rows.csv`: a [`Record`] in which absent values are empty columns instead of missing ones.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    task: &'a str,
    word: &'a str,
    arrangement: &'a str,
    window: &'a str,
    capture: &'a str,
    synthetic: bool,
    short: bool,
    variant: &'a str,
    layout: &'a str,
    class: &'a str,
    standing: &'a str,
    tokens: u64,
    rounds: u32,
    quiet: u32,
    ns_min: f64,
    ns_median: f64,
    vs_loop: f64,
    vs_loop_min: f64,
    vs_loop_low: f64,
    vs_loop_high: f64,
    bytes_per_token: f64,
    gb_per_s: Option<f64>,
    path: Option<&'a str>,
    mode: Option<&'a str>,
    vs_upstream: Option<f64>,
    vs_upstream_low: Option<f64>,
    vs_upstream_high: Option<f64>,
}

impl<'a> From<&'a Record> for Row<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            task: &record.task,
            word: &record.word,
            arrangement: &record.arrangement,
            window: &record.window,
            capture: &record.capture,
            synthetic: record.synthetic,
            short: record.short,
            variant: &record.variant,
            layout: &record.layout,
            class: &record.class,
            standing: &record.standing,
            tokens: record.tokens,
            rounds: record.rounds,
            quiet: record.quiet,
            ns_min: record.ns_min,
            ns_median: record.ns_median,
            vs_loop: record.vs_loop,
            vs_loop_min: record.vs_loop_min,
            vs_loop_low: record.vs_loop_low,
            vs_loop_high: record.vs_loop_high,
            bytes_per_token: record.bytes_per_token,
            gb_per_s: record.gb_per_s,
            path: record.path.as_deref(),
            mode: record.mode.as_deref(),
            vs_upstream: record.vs_upstream,
            vs_upstream_low: record.vs_upstream_low,
            vs_upstream_high: record.vs_upstream_high,
        }
    }
}

/// A line of `captures.csv`: [`CaptureFacts`] with a column for each length's share.
#[derive(Serialize, Deserialize)]
pub(super) struct CaptureRow {
    pub(super) name: String,
    sensor: String,
    scene: String,
    order: String,
    fields: String,
    source: String,
    licence: String,
    synthetic: bool,
    short: bool,
    points: u64,
    tokens: u64,
    bytes_per_token: f64,
    share_1: f64,
    share_2: f64,
    share_3: f64,
    share_4: f64,
    share_5: f64,
    share_6: f64,
    share_7: f64,
    share_8: f64,
    share_9: f64,
    share_10: f64,
}

impl From<&CaptureFacts> for CaptureRow {
    fn from(facts: &CaptureFacts) -> Self {
        let [share_1, share_2, share_3, share_4, share_5, share_6, share_7, share_8, share_9, share_10] =
            facts.length_shares;
        let CaptureFacts { name, sensor, scene, order, fields, source, licence, .. } = facts.clone();
        let &CaptureFacts { synthetic, short, points, tokens, bytes_per_token, .. } = facts;
        Self {
            name,
            sensor,
            scene,
            order,
            fields,
            source,
            licence,
            synthetic,
            short,
            points,
            tokens,
            bytes_per_token,
            share_1,
            share_2,
            share_3,
            share_4,
            share_5,
            share_6,
            share_7,
            share_8,
            share_9,
            share_10,
        }
    }
}

impl From<CaptureRow> for CaptureFacts {
    fn from(row: CaptureRow) -> Self {
        Self {
            length_shares: [
                row.share_1,
                row.share_2,
                row.share_3,
                row.share_4,
                row.share_5,
                row.share_6,
                row.share_7,
                row.share_8,
                row.share_9,
                row.share_10,
            ],
            name: row.name,
            sensor: row.sensor,
            scene: row.scene,
            order: row.order,
            fields: row.fields,
            source: row.source,
            licence: row.licence,
            synthetic: row.synthetic,
            short: row.short,
            points: row.points,
            tokens: row.tokens,
            bytes_per_token: row.bytes_per_token,
        }
    }
}
