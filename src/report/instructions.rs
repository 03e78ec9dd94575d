//! Instructions beside time: where fewer of them are slower.

use std::{collections::BTreeMap, path::Path};

use crate::{
    error::Result,
    measure::{
        Record, RunRecord,
        counts::{self, KeptRow, fingerprint, read_kept},
    },
    report::{
        charts::{self, Chart},
        findings::Answer,
        question::{Asked, Kind},
        rank::{Entry, Spread, geometric_mean, on_capture},
        sections::picture,
        text::{code, digits, list, markdown, nanoseconds, percent, plural, table},
    },
};

/// The part's name and heading.
pub(crate) const PART: (&str, &str) = ("instructions", "## Instructions and time");

/// How many pairs are called out; the rest is counted.
const CALLED_OUT: usize = 6;

/// Counts differ less than this part by alignment and such: no call is made of it.
const NEAR: f64 = 0.02;

/// What is known of the instructions of the code as it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Known {
    /// Counts of this very code.
    Current(Vec<KeptRow>),
    /// None that may be shown, and why.
    Not(String),
}

/// The project's counts, if they belong to its sources and to the compiler that the run was built by.
///
/// # Errors
/// If the kept counts cannot be read.
pub(crate) fn known(project: &Path, run: &RunRecord) -> Result<Known> {
    const ANEW: &str = "`varint-lab gate --update` counts anew, which takes valgrind and a few minutes";
    let rows = read_kept(&project.join("reports").join("counts.csv"))?;
    let Some(first) = rows.first() else {
        return Ok(Known::Not(format!("Nothing is counted yet: {ANEW}.")));
    };
    let stale = |why: &str| {
        Known::Not(format!("**Stale**, so not shown: the counts of {} are {why}. {ANEW}.", first.date))
    };
    let sources = fingerprint(project)?;
    if rows.iter().any(|row| row.sources != sources) {
        return Ok(stale("older than the code: decoders, paths or slices have changed"));
    }
    let foreign = |row: &KeptRow| row.rustc != run.machine.rustc || row.target != run.machine.target;
    if rows.iter().any(foreign) {
        let other = format!("of {} for {}, which is not what was timed", first.rustc, first.target);
        return Ok(stale(&other));
    }
    Ok(Known::Current(rows))
}

/// One decoder's figures: means over the captures that have both time and count.
pub(crate) struct Both<'a> {
    pub(crate) row: &'a Record,
    pub(crate) ns: f64,
    pub(crate) instructions: f64,
    branches: Option<f64>,
    mispredicted: Option<f64>,
    /// Instructions, nanoseconds and speed on each capture.
    each: Vec<(f64, f64, Spread)>,
}

impl Both<'_> {
    /// Whether it takes fewer instructions than the other on every capture and is slower on every one, ties not
    /// counted.
    fn fewer_and_slower(&self, other: &Self) -> bool {
        self.each.iter().zip(&other.each).all(|((mine, my_ns, speed), (its, its_ns, its_speed))| {
            *mine < its * (1.0 - NEAR) && my_ns > its_ns && !speed.ties(*its_speed)
        })
    }

    /// How much they disagree: fewer instructions times more time.
    fn contradiction(&self, other: &Self) -> f64 {
        other.instructions / self.instructions * (self.ns / other.ns)
    }
}

/// A question's decoders with both figures, fastest first, and the pairs of them that disagree, the worst first:
/// the one with fewer instructions, then the faster one.
pub(crate) struct Compared<'a> {
    pub(crate) captures: Vec<&'a str>,
    pub(crate) decoders: Vec<Both<'a>>,
    pub(crate) pairs: Vec<(usize, usize)>,
}

/// The id under which a row's decode is counted, if it is.
fn id(row: &Record) -> Option<String> {
    let Record { capture, variant, .. } = row;
    match (row.task.as_str(), row.window.as_str(), row.mode.as_deref()) {
        ("tokens", "l2", None) => {
            Some(format!("tokens/{}/{}/{capture}/{variant}", row.arrangement, row.word))
        }
        ("points", "l2", Some(mode)) => Some(format!("points/{mode}/{capture}/{variant}")),
        _ => None,
    }
}

/// `None` if no capture has both counts and times.
pub(crate) fn compared<'a>(asked: &Asked<'a>, counts: &[KeptRow]) -> Option<Compared<'a>> {
    let counts: BTreeMap<&str, &KeptRow> = counts.iter().map(|row| (row.id.as_str(), row)).collect();
    let count = |row: &Record| counts.get(id(row)?.as_str()).copied();
    let captures: Vec<&str> = asked
        .captures(Kind::Real)
        .into_iter()
        .filter(|capture| asked.on(capture).into_iter().any(|row| count(row).is_some()))
        .collect();
    let mut found = BTreeMap::<&str, Vec<(Entry<'a>, &KeptRow)>>::new();
    for capture in &captures {
        for entry in on_capture(asked, capture).entries {
            if let Some(counted) = count(entry.row).filter(|_| !entry.is_control()) {
                found.entry(&entry.row.variant).or_default().push((entry, counted));
            }
        }
    }
    let whole = found.into_values().filter(|each| each.len() == captures.len());
    let mut decoders: Vec<Both<'a>> = whole.filter_map(|each| both(&each)).collect();
    decoders.sort_by(|one, other| one.ns.total_cmp(&other.ns).then(one.row.variant.cmp(&other.row.variant)));
    let all = (0..decoders.len()).flat_map(|slow| (0..slow).map(move |fast| (slow, fast)));
    let mut pairs: Vec<(usize, usize)> =
        all.filter(|&(slow, fast)| decoders[slow].fewer_and_slower(&decoders[fast])).collect();
    let by = |&(slow, fast): &(usize, usize)| decoders[slow].contradiction(&decoders[fast]);
    pairs.sort_by(|one, other| by(other).total_cmp(&by(one)));
    (!decoders.is_empty()).then_some(Compared { captures, decoders, pairs })
}

/// One decoder on all captures that are counted.
fn both<'a>(each: &[(Entry<'a>, &KeptRow)]) -> Option<Both<'a>> {
    let per_unit = |count: u64, row: &KeptRow| count as f64 / row.units as f64;
    let mean = |pick: fn(&KeptRow) -> Option<u64>| {
        let sum = each.iter().map(|(_, row)| Some(per_unit(pick(row)?, row))).sum::<Option<f64>>()?;
        Some(sum / each.len() as f64)
    };
    Some(Both {
        row: each.first()?.0.row,
        ns: geometric_mean(each.iter().map(|(entry, _)| entry.row.ns_median))?,
        instructions: geometric_mean(each.iter().map(|(_, row)| per_unit(row.instructions, row)))?,
        branches: mean(|row| row.branches),
        mispredicted: mean(|row| row.mispredicted),
        each: each
            .iter()
            .map(|(entry, row)| (per_unit(row.instructions, row), entry.row.ns_median, entry.ratio))
            .collect(),
    })
}

impl Compared<'_> {
    /// The worst pairs, each slow decoder once.
    pub(crate) fn called_out(&self) -> Vec<(usize, usize)> {
        let mut chosen = Vec::<(usize, usize)>::new();
        for &(slow, fast) in &self.pairs {
            if chosen.iter().all(|&(other, _)| other != slow) {
                chosen.push((slow, fast));
            }
        }
        chosen.truncate(CALLED_OUT);
        chosen
    }

    /// All pairs, in agreement or not.
    pub(crate) fn all_pairs(&self) -> usize {
        self.decoders.len() * (self.decoders.len() - 1) / 2
    }
}

/// The part of `results.md` with its charts.
///
/// # Errors
/// If a chart cannot be drawn.
pub(crate) fn part(run: &RunRecord, answers: &[Answer<'_>], known: &Known) -> Result<(String, Vec<Chart>)> {
    let rows = match known {
        Known::Current(rows) => rows,
        Known::Not(why) => return Ok((why.clone(), Vec::new())),
    };
    let origin = charts::origin(run);
    let (mut text, mut drawn) = (String::new(), Vec::new());
    for answer in answers {
        let question = &answer.asked.question;
        let Some(compared) = compared(&answer.asked, rows) else { continue };
        let chart = charts::instructions(&answer.asked, &compared, &origin)?;
        text += &format!("### {}: {}\n\n", question.wire_words(), markdown(&question.words()));
        text.extend(chart.iter().map(picture));
        text += &disagreements(&compared, question.unit());
        text += &format!("\n{}\n", figures(&compared, question.unit()));
        drawn.extend(chart);
    }
    if text.is_empty() {
        return Ok(("None of the measured captures is counted.".into(), drawn));
    }
    Ok((about(rows) + &text, drawn))
}

/// What is counted, before any figure.
fn about(rows: &[KeptRow]) -> String {
    let row = &rows[0];
    let not = counts::uncountable().into_iter().map(code).collect::<Vec<_>>();
    format!(
        "Counted on {} under {} ([counts.csv](counts.csv)): one decode of a slice out of the middle of a capture; \
         times are the record's, of whole captures. Valgrind cannot run AVX-512, so {} have no count. What counts \
         cannot see is in [note 31](notes/0031-what-instruction-counts-cannot-see.md).\n\n",
        row.date,
        markdown(&row.valgrind),
        list(&not)
    )
}

/// Pairs in which fewer instructions take longer.
fn disagreements(compared: &Compared<'_>, unit: &str) -> String {
    let over = match compared.captures[..] {
        [only] => code(only),
        _ => {
            format!("each of {}", list(&compared.captures.iter().map(|name| code(name)).collect::<Vec<_>>()))
        }
    };
    let mut text = format!(
        "Of {}, {} disagree on {over}: fewer instructions, and slower.\n\n",
        plural(compared.all_pairs(), "pair"),
        compared.pairs.len()
    );
    for (slow, fast) in compared.called_out() {
        let [slow, fast] = [slow, fast].map(|at| &compared.decoders[at]);
        text += &format!(
            "- {} takes {} instructions a {unit} where {} takes {} ({} fewer), and {} ns where that one takes {} \
             ({} more).\n",
            code(&slow.row.variant),
            digits(slow.instructions),
            code(&fast.row.variant),
            digits(fast.instructions),
            percent(1.0 - slow.instructions / fast.instructions),
            nanoseconds(slow.ns),
            nanoseconds(fast.ns),
            percent(slow.ns / fast.ns - 1.0)
        );
    }
    text
}

/// Every decoder's figures, by time.
fn figures(compared: &Compared<'_>, unit: &str) -> String {
    let mut order: Vec<usize> = (0..compared.decoders.len()).collect();
    order.sort_by(|&a, &b| compared.decoders[a].instructions.total_cmp(&compared.decoders[b].instructions));
    let per = [">ns", ">instructions", ">branches", ">mispredicted*"].map(|name| format!("{name}/{unit}"));
    let headings = [
        ">by time",
        ">by instructions",
        "decoder",
        "class",
        &per[0],
        &per[1],
        ">instructions/ns",
        &per[2],
        &per[3],
    ];
    let optional = |figure: Option<f64>| figure.map_or("n/a".to_owned(), |figure| format!("{figure:.3}"));
    let rows: Vec<Vec<String>> = compared
        .decoders
        .iter()
        .enumerate()
        .map(|(at, decoder)| {
            let by_instructions = order.iter().position(|&other| other == at).unwrap_or(at) + 1;
            vec![
                (at + 1).to_string(),
                by_instructions.to_string(),
                code(&decoder.row.variant),
                markdown(&decoder.row.class),
                nanoseconds(decoder.ns),
                digits(decoder.instructions),
                digits(decoder.instructions / decoder.ns),
                optional(decoder.branches),
                optional(decoder.mispredicted),
            ]
        })
        .collect();
    format!("{}\n\\* by valgrind's fixed model, which is no CPU's.\n", table(&headings, &rows))
}
