//! The charts of series: working sets, and shares of 2-byte tokens.

use plotters::prelude::RGBColor;

use super::{
    lines::{self, Frame, Line, Panel, Scale},
    style::Chart,
};
use crate::{
    error::Result,
    measure::{RunRecord, SweepRow, sweep},
    report::{
        sweeps::{gigabytes, rows_of, variants_of},
        text::bytes,
    },
};

/// Okabe and Ito's colour-blind-safe set, black first and brown for yellow, which white paper swallows; the same for a
/// decoder in every chart.
const COLOURS: [(&str, RGBColor); 8] = [
    ("leb128_loop", RGBColor(0x22, 0x22, 0x22)),
    ("leb128_fast1", RGBColor(0xe6, 0x9f, 0x00)),
    ("leb128_fast2", RGBColor(0x56, 0xb4, 0xe9)),
    ("leb128_fast3", RGBColor(0x00, 0x9e, 0x73)),
    ("leb128_select2", RGBColor(0xcc, 0x79, 0xa7)),
    ("leb128_pext4x2_bmi2", RGBColor(0x8c, 0x6d, 0x31)),
    ("leb128_stride_avx2", RGBColor(0x00, 0x72, 0xb2)),
    ("leb128_stride_avx512", RGBColor(0xd5, 0x5e, 0x00)),
];
const CONTROL: RGBColor = RGBColor(0x99, 0x99, 0x99);

fn lines(rows: &[&SweepRow], of: impl Fn(&SweepRow) -> f64) -> Vec<Line> {
    let variants = variants_of(rows);
    // Others take what nobody in the chart has.
    let mut free = COLOURS.iter().filter(|(name, _)| !variants.contains(name)).map(|&(_, colour)| colour);
    let mut colour_of = |variant: &str| {
        let own = COLOURS.iter().find(|(name, _)| *name == variant).map(|&(_, colour)| colour);
        own.or_else(|| free.next()).unwrap_or(CONTROL)
    };
    variants
        .iter()
        .map(|&variant| {
            let own: Vec<&&SweepRow> = rows.iter().filter(|row| row.variant == variant).collect();
            let control = own.iter().any(|row| row.standing == "control");
            let colour = if control { CONTROL } else { colour_of(variant) };
            let points = own.iter().map(|row| (row.place, of(row))).collect();
            Line { name: variant.to_owned(), colour, control, points }
        })
        .collect()
}

/// Throughput against the output's working set, or `None` if the record has no such series.
pub(crate) fn working_set(run: &RunRecord, origin: &str) -> Result<Option<Chart>> {
    let rows = rows_of(run, sweep::WORKING_SET);
    let Some(first) = rows.first() else { return Ok(None) };
    let mut places: Vec<f64> = rows.iter().map(|row| row.place).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let caches = &run.machine.caches;
    let beyond = caches.iter().filter(|cache| places.last().is_some_and(|&last| cache.bytes as f64 > last));
    let frame = Frame {
        file: "working-set.svg",
        title: "Throughput against the working set",
        subtitle: format!(
            "tokens of {} as u32, rows · GB/s of output, median round · the output buffer is filled from front to \
             end, then again · dashed: caches of this machine · thin: controls, which decode nothing",
            first.stream
        ),
        x: Scale {
            logarithmic: true,
            ticks: places.iter().map(|&place| (place, bytes(place as u64))).collect(),
            words: "bytes of the output buffer".to_owned(),
        },
        logarithmic: true,
        words: "GB/s of output",
        marks: caches
            .iter()
            .map(|cache| (cache.bytes as f64, format!("L{} {}", cache.level, bytes(cache.bytes))))
            .collect(),
        notes: beyond
            .map(|cache| format!("L{}, {}, lies beyond the axis", cache.level, bytes(cache.bytes)))
            .collect(),
        origin,
    };
    lines::draw(frame, vec![Panel { heading: String::new(), lines: lines(&rows, gigabytes) }])
}

/// Time against the share of 2-byte tokens, or `None` if the record has no such series.
pub(crate) fn two_byte_share(run: &RunRecord, origin: &str) -> Result<Option<Chart>> {
    let panels = [
        (sweep::TWO_BYTE_SHARE, "random order"),
        (sweep::TWO_BYTE_SHARE_REPEATING, "tokens over and over, which a branch predictor may learn"),
    ]
    .into_iter()
    .map(|(name, words)| {
        let rows = rows_of(run, name);
        let heading = match name {
            sweep::TWO_BYTE_SHARE => words.to_owned(),
            _ => format!("the same {} {words}", sweep::PERIOD),
        };
        Panel { heading, lines: lines(&rows, |row| row.ns_median) }
    });
    let frame = Frame {
        file: "two-byte-share.svg",
        title: "Time against the share of 2-byte tokens (synthetic)",
        subtitle:
            "made-up streams of 1- and 2-byte tokens as u32 · ns per token, median round · lower is faster · \
                   output in L2"
                .to_owned(),
        x: Scale {
            logarithmic: false,
            ticks: (0..=10).map(|step| (f64::from(step) / 10.0, format!("{} %", 10 * step))).collect(),
            words: "share of tokens with 2 bytes, the rest has 1".to_owned(),
        },
        logarithmic: false,
        words: "ns per token",
        marks: Vec::new(),
        notes: Vec::new(),
        origin,
    };
    lines::draw(frame, panels.collect())
}
