//! `results.md`.

use crate::{
    error::Result,
    measure::RunRecord,
    report::{
        blocks::Block,
        charts::{self, Chart},
        question::questions,
        rank::overall,
        text::{code, nanoseconds, table, times},
    },
};

/// A rendered report.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) charts: Vec<Chart>,
    blocks: Vec<(&'static str, Block)>,
}

pub(crate) fn render(run: &RunRecord, command: &str) -> Result<Report> {
    let origin = charts::origin(run);
    let mut charts = Vec::new();
    charts.extend(charts::token_lengths(run, &origin)?);
    let mut body = format!("`{command}`\n");
    let all = questions(run);
    for asked in &all {
        charts.extend(charts::heat(asked, crate::report::question::Kind::Real, &origin)?);
        charts.extend(charts::heat(asked, crate::report::question::Kind::Synthetic, &origin)?);
        charts.extend(charts::captures(asked, &origin)?);
        let other = asked.question.on_wire(crate::report::question::Wire::Free);
        if other != asked.question && let Some(free) = all.iter().find(|a| a.question == other) {
            charts.extend(charts::size_speed(asked, free, &origin)?);
        }
        let ranking = overall(asked);
        charts.extend(charts::ranking(asked, &ranking, &origin)?);
        let rows: Vec<Vec<String>> = ranking
            .entries
            .iter()
            .map(|e| vec![e.mark(), code(&e.row.variant), times(e.ratio.value), nanoseconds(e.row.ns_min)])
            .collect();
        body += &table(&["#", "decoder", ">× loop", ">ns"], &rows);
    }
    Ok(Report { charts, blocks: vec![("## Rankings", Block::generated("rankings", body))] })
}

impl Report {
    /// The file, with hand-written text of an existing one kept.
    pub(crate) fn text(&self, old: Option<&str>) -> Result<String> {
        let mut text = old.unwrap_or("# Results\n").to_owned();
        for (heading, block) in &self.blocks {
            text = match block.put_into(&text)? {
                Some(text) => text,
                None => format!("{}\n\n{heading}\n\n{}\n", text.trim_end(), block.text()),
            };
        }
        Ok(text)
    }
}
