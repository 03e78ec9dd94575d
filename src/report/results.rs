//! `results.md`: which parts it has, and how they join what people wrote between them.

use crate::{
    error::Result,
    measure::RunRecord,
    report::{
        blocks::Block,
        charts::{self, Chart},
        claims::claims,
        conclusions::conclusions,
        findings::{Answer, counterpart, sentences},
        instructions::PART,
        plain::plain,
        question::{Asked, Kind, Wire, questions},
        sections, sweeps,
        text::{code, markdown},
    },
};

/// What stands between the generated parts of a new file. People may rewrite it: it is written once.
const NEW: &str = "# Results\n\nWhich way of decoding varints is fastest on real LIDAR data, and what it \
                   costs. [README.md](README.md) says how to read this page and [METHOD.md](METHOD.md) how \
                   it was measured. The parts between `generated` and `end` comments are written anew with \
                   every report; text outside them stays.\n";

const HEADLINE: (&str, &str) = ("headline", "## In short");
const MACHINE: (&str, &str) = ("machine", "## Machine");
const CAPTURES: (&str, &str) = ("captures", "## Captures");
const CLAIMS: (&str, &str) = ("claims", "## Upstream's claims, measured here");
const FIXED: (&str, &str) = ("same-bytes", "## Same bytes: LEB128 as cloudini writes it");
const FREE: (&str, &str) = ("other-layouts", "## Other layouts: what changing the bytes buys and costs");
const SIZES: (&str, &str) = ("sizes", "## Sizes: what each layout takes, and what stage 2 leaves of it");
const WORKING_SET: (&str, &str) = ("working-set", "## Beyond the caches");
const TWO_BYTE_SHARE: (&str, &str) =
    ("two-byte-share", "## What the share of 2-byte tokens does, on made-up streams");
const SHORT: (&str, &str) = ("short", "## Short captures, in no mean");
const SYNTHETIC: (&str, &str) = ("synthetic", "## Synthetic streams, in no mean");

/// A rendered report.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) charts: Vec<Chart>,
    /// Heading and block, in the order of a new file.
    blocks: Vec<(&'static str, Block)>,
}

/// Renders everything but the README. `record` is the name of the folder that holds the run.
pub(crate) fn render(run: &RunRecord, answers: &[Answer<'_>], record: &str) -> Result<Report> {
    let origin = charts::origin(run);
    let mut charts = Vec::new();
    let mix = charts::token_lengths(run, &origin)?;
    let mut captures: String = mix.iter().map(sections::picture).collect();
    captures += &sections::captures(&run.captures);
    charts.extend(mix);
    let mut bodies = vec![
        (HEADLINE, headline(run, answers)),
        (MACHINE, sections::machine(run, record)),
        (CAPTURES, captures),
        (CLAIMS, claims(run, answers)),
    ];
    for (part, wire) in [(FIXED, Wire::Fixed), (FREE, Wire::Free)] {
        let mut body = String::new();
        for answer in answers.iter().filter(|answer| answer.asked.question.wire == wire) {
            body += &ranking(answers, answer, &origin, &mut charts)?;
        }
        bodies.push((part, body));
    }
    bodies.push((SIZES, sections::sizes(&run.sizes)));
    for (part, chart, text) in [
        (WORKING_SET, charts::working_set(run, &origin)?, sweeps::working_set(run)),
        (TWO_BYTE_SHARE, charts::two_byte_share(run, &origin)?, sweeps::two_byte_share(run)),
    ] {
        bodies.push((part, chart.iter().map(sections::picture).collect::<String>() + &text));
        charts.extend(chart);
    }
    for (part, kind) in [(SHORT, Kind::Short), (SYNTHETIC, Kind::Synthetic)] {
        bodies.push((part, apart(answers, kind, &origin, &mut charts)?));
    }
    let named = fingerprinted(&charts);
    let command = if run.command.is_empty() { "varint-lab report" } else { &run.command };
    let from = format!("by {command} at revision {}", run.machine.revision).replace("-->", "--");
    let blocks = bodies
        .into_iter()
        .map(|((name, heading), body)| {
            let body =
                if body.trim().is_empty() { "Nothing of this kind was measured." } else { body.trim() };
            (heading, Block::generated(name, linked(format!("<!-- {from} -->\n{body}"), &charts, &named)))
        })
        .collect();
    Ok(Report { charts: named, blocks })
}

fn fingerprinted(charts: &[Chart]) -> Vec<Chart> {
    charts.iter().cloned().map(Chart::with_fingerprint).collect()
}

/// The text with its links to `plain` charts led to the `named` ones.
fn linked(text: String, plain: &[Chart], named: &[Chart]) -> String {
    plain.iter().zip(named).fold(text, |text, (plain, named)| {
        text.replace(&format!("(charts/{})", plain.file), &format!("(charts/{})", named.file))
    })
}

impl Report {
    /// Puts the part on instructions in front of the captures that are in no mean.
    pub(crate) fn add_instructions(&mut self, body: String, charts: &[Chart]) {
        let (name, heading) = PART;
        let named = fingerprinted(charts);
        let at = self.blocks.iter().position(|&(heading, _)| heading == SHORT.1).unwrap_or(self.blocks.len());
        self.blocks.insert(at, (heading, Block::generated(name, linked(body, charts, &named))));
        self.charts.extend(named);
    }

    /// The file, with hand-written text of an existing one kept. A part that is not there yet goes before the heading
    /// of the next one that is, or to the end.
    pub(crate) fn text(&self, old: Option<&str>) -> Result<String> {
        let mut text = old.unwrap_or(NEW).to_owned();
        for (at, (heading, block)) in self.blocks.iter().enumerate() {
            if let Some(replaced) = block.put_into(&text)? {
                text = replaced;
                continue;
            }
            let part = format!("{heading}\n\n{}\n", block.text());
            let next = self.blocks[at + 1..].iter().find_map(|(_, block)| text.find(&block.open));
            text = match next.map(|open| heading_before(&text, open)) {
                Some(place) => format!("{}{part}\n{}", &text[..place], &text[place..]),
                None => format!("{}\n\n{part}", text.trim_end()),
            };
        }
        Ok(text)
    }
}

/// Where the last heading of the second level before `open` begins, unless another generated part lies between: then
/// `open` itself.
fn heading_before(text: &str, open: usize) -> usize {
    let heading = text[..open].rfind("\n## ").map(|at| at + 1);
    heading.filter(|&at| !text[at..open].contains("<!-- end: ")).unwrap_or(open)
}

fn headline(run: &RunRecord, answers: &[Answer<'_>]) -> String {
    let mut text = String::new();
    if run.quick {
        text += "**A quick run: few rounds, wide spreads. Do not quote it.**\n\n";
    }
    for said in plain(run, answers) {
        text += &format!("- {said}\n");
    }
    text += "\n";
    for said in conclusions(answers) {
        text += &format!("{said}\n\n");
    }
    for answer in answers {
        let question = &answer.asked.question;
        text += &format!("**{}, {}**\n\n", question.wire_words(), markdown(&question.words()));
        for said in sentences(answers, answer) {
            text += &format!("- {said}\n");
        }
        text.push('\n');
    }
    text
}

/// One question's ranking, charts, and captures.
fn ranking(
    answers: &[Answer<'_>],
    answer: &Answer<'_>,
    origin: &str,
    charts: &mut Vec<Chart>,
) -> Result<String> {
    let Answer { asked, overall } = answer;
    let several = asked.captures(Kind::Real).len() > 1;
    let mut drawn = Vec::new();
    drawn.extend(charts::ranking(asked, overall, origin)?);
    if let Some(fixed) = counterpart(answers, &asked.question, Wire::Fixed)
        && asked.question.wire == Wire::Free
    {
        drawn.extend(charts::size_speed(&fixed.asked, asked, origin)?);
    }
    if several {
        drawn.extend(charts::captures(asked, origin)?);
        drawn.extend(charts::heat(asked, Kind::Real, origin)?);
    }
    let mut text = format!("### {}\n\n", markdown(&asked.question.words()));
    if overall.entries.is_empty() {
        text += "No ranking: no real capture that is long enough has figures of every decoder.\n\n";
    } else {
        text.extend(drawn.first().map(sections::picture));
        text += &format!("{}\n", sections::overall(answer));
        text += &format!(
            "The mean is over {}.\n\n",
            overall.captures.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
        );
    }
    for note in &overall.notes {
        text += &format!("- {}\n", markdown(note));
    }
    let shown = usize::from(!overall.entries.is_empty());
    text.push('\n');
    text.extend(drawn.iter().skip(shown).map(sections::picture));
    text += &sections::each_capture(asked, kept_bytes(answers, asked), Kind::Real);
    text.push('\n');
    charts.extend(drawn);
    Ok(text)
}

/// The same question with cloudini's bytes, for one of other layouts.
fn kept_bytes<'a, 'b>(answers: &'b [Answer<'a>], asked: &Asked<'a>) -> Option<&'b Asked<'a>> {
    let fixed = counterpart(answers, &asked.question, Wire::Fixed);
    fixed.filter(|_| asked.question.wire == Wire::Free).map(|fixed| &fixed.asked)
}

/// Captures that are in no mean, question by question.
fn apart(answers: &[Answer<'_>], kind: Kind, origin: &str, charts: &mut Vec<Chart>) -> Result<String> {
    let mut text = String::new();
    for Answer { asked, .. } in answers {
        let tables = sections::each_capture(asked, kept_bytes(answers, asked), kind);
        if tables.is_empty() {
            continue;
        }
        let question = &asked.question;
        text += &format!("### {}: {}\n\n", question.wire_words(), markdown(&question.words()));
        if kind == Kind::Synthetic {
            let heat = charts::heat(asked, kind, origin)?;
            text.extend(heat.iter().map(sections::picture));
            charts.extend(heat);
        }
        text += &format!("{tables}\n");
    }
    Ok(text)
}

/// Answers to every question of the record.
pub(crate) fn answers(run: &RunRecord) -> Vec<Answer<'_>> {
    questions(&run.records).into_iter().map(Answer::to).collect()
}
