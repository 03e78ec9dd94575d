//! The tables of `results.md`.

use crate::{
    measure::{CaptureFacts, Machine, RunRecord, sizes::SizeRow},
    report::{
        absent::absent,
        charts::{self, Chart},
        findings::Answer,
        question::{Asked, Kind, Wire},
        rank::{Entry, Ranking, front_on, geometric_mean, on_capture},
        text::{bytes, code, count, digits, markdown, nanoseconds, percent, plural, table, times},
    },
};

/// A chart as a linked picture.
pub(crate) fn picture(chart: &Chart) -> String {
    format!("[![{}](charts/{file})](charts/{file})\n\n", markdown(&chart.alt), file = chart.file)
}

/// The machine, and where its record is.
pub(crate) fn machine(run: &RunRecord, record: &str) -> String {
    let Machine { cpu, processors, features, caches, rustc, target, revision, load, date } = &run.machine;
    let command = if run.command.is_empty() { "not recorded".to_owned() } else { code(&run.command) };
    let load = match load {
        Some((began, ended)) => {
            format!("{} when measuring began, {} when it ended", digits(*began), digits(*ended))
        }
        None => "not known".to_owned(),
    };
    let sizes: Vec<String> =
        caches.iter().map(|cache| format!("L{} {}", cache.level, bytes(cache.bytes))).collect();
    let rows = [
        ("CPU", markdown(cpu)),
        ("logical processors", processors.to_string()),
        ("features in use", markdown(&features.join(", "))),
        ("caches", if sizes.is_empty() { "not known".to_owned() } else { sizes.join(", ") }),
        ("compiler", markdown(rustc)),
        ("target", code(target)),
        ("revision", code(revision)),
        ("date", markdown(date)),
        ("load average", load),
        ("rounds", rounds(run)),
        ("command", command),
        ("record", format!("[{record}](records/{record}/)")),
    ];
    table(&["", ""], &rows.map(|(name, value)| vec![name.to_owned(), value]))
}

fn rounds(run: &RunRecord) -> String {
    let rounds = run.records.iter().map(|row| row.rounds);
    let span = match (rounds.clone().min(), rounds.max()) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "none".to_owned(),
    };
    if run.quick { format!("{span}: a quick run, too few for a verdict") } else { span }
}

/// What the captures are, and how long their tokens are.
pub(crate) fn captures(all: &[CaptureFacts]) -> String {
    let kind = |facts: &CaptureFacts| match (facts.synthetic, facts.short) {
        (true, _) => "synthetic",
        (false, true) => "short",
        (false, false) => "real",
    };
    let mixes: Vec<Vec<String>> = all
        .iter()
        .map(|facts| {
            let points = if facts.points == 0 { "–".to_owned() } else { count(facts.points) };
            let mut row = vec![
                code(&facts.name),
                kind(facts).to_owned(),
                points,
                count(facts.tokens),
                digits(facts.bytes_per_token),
            ];
            row.extend(charts::shares(facts).map(percent));
            row
        })
        .collect();
    let provenance: Vec<Vec<String>> = all
        .iter()
        .map(|facts| {
            let CaptureFacts { sensor, scene, order, fields, source, licence, .. } = facts;
            let mut row = vec![code(&facts.name)];
            row.extend([sensor, scene, order, fields, source, licence].map(|text| markdown(text)));
            row
        })
        .collect();
    format!(
        "{}\n{}",
        table(
            &["capture", "kind", ">points", ">tokens", ">B/token", ">1 byte", ">2", ">3", ">4 or more"],
            &mixes
        ),
        table(&["capture", "sensor", "scene", "order", "fields", "source", "licence"], &provenance)
    )
}

/// The ranking over all captures, and who is absent from it.
pub(crate) fn overall(answer: &Answer<'_>) -> String {
    let free = answer.asked.question.wire == Wire::Free;
    let mut headings = vec!["#", "decoder", "class", ">× loop", ">spread", ">by minima", ">least", ">most"];
    if free {
        headings.push(">size");
    }
    let mut rows: Vec<Vec<String>> = answer
        .overall
        .entries
        .iter()
        .map(|entry| {
            let end = |of: Option<(&str, f64)>| {
                of.map_or("–".to_owned(), |(capture, ratio)| format!("{} {}", digits(ratio), code(capture)))
            };
            let extremes = entry.extremes();
            let mut row = vec![
                entry.mark(),
                code(&entry.row.variant),
                markdown(class(entry)),
                format!("**{}**", times(entry.ratio.value)),
                spread(entry),
                entry.by_minimum.map_or("–".to_owned(), times),
                end(extremes.map(|[least, _]| least)),
                end(extremes.map(|[_, most]| most)),
            ];
            if free {
                row.push(entry.size.map_or("–".to_owned(), |size| format!("{} %", digits(100.0 * size))));
            }
            row
        })
        .collect();
    rows.extend(absent(&answer.asked).iter().map(|absent| {
        let mut row = vec!["absent".to_owned(), code(absent.variant), absent.class.to_owned()];
        row.resize(headings.len(), "–".to_owned());
        row
    }));
    table(&headings, &rows)
}

fn class<'a>(entry: &'a Entry<'_>) -> &'a str {
    if entry.is_control() { "–" } else { &entry.row.class }
}

fn spread(entry: &Entry<'_>) -> String {
    format!("{}–{}", digits(entry.ratio.low), digits(entry.ratio.high))
}

/// What marks a decoder that no other beats both in bytes and in time.
const FRONT: &str = "◆";

/// The ranking on one capture, with its times; the variants of `front` are marked.
pub(crate) fn one_capture(asked: &Asked<'_>, ranking: &Ranking<'_>, front: &[&str]) -> String {
    let points = asked.question.task == "points";
    let bytes = format!(">B/{}", asked.question.unit());
    let [least, median] = ["min", "median"].map(|name| format!(">{name} ns/{}", asked.question.unit()));
    let mut headings =
        vec!["#", "decoder", "class", &least, &median, ">× loop", ">spread", ">by minima", &bytes];
    if points {
        headings.extend([">GB/s of points", ">× today's"]);
    }
    let rows: Vec<Vec<String>> = ranking
        .entries
        .iter()
        .map(|entry| {
            let mut row = vec![
                entry.mark(),
                match front.contains(&entry.row.variant.as_str()) {
                    true => format!("{} {FRONT}", code(&entry.row.variant)),
                    false => code(&entry.row.variant),
                },
                markdown(class(entry)),
                nanoseconds(entry.row.ns_min),
                nanoseconds(entry.row.ns_median),
                format!("**{}**", times(entry.ratio.value)),
                spread(entry),
                entry.by_minimum.map_or("–".to_owned(), times),
                digits(entry.row.bytes_per_token),
            ];
            if points {
                row.push(entry.row.gb_per_s.map_or("–".to_owned(), digits));
                row.push(entry.row.vs_upstream.map_or("–".to_owned(), times));
            }
            row
        })
        .collect();
    let notes: String = ranking.notes.iter().map(|note| format!("- {}\n", markdown(note))).collect();
    format!("{}{}{notes}", table(&headings, &rows), if notes.is_empty() { "" } else { "\n" })
}

/// The rankings of all captures of a kind, folded away; nothing if there is none. `fixed` is the same question with
/// cloudini's bytes, if this is one of other layouts: its decoders are not ranked here, but can be smaller and
/// faster.
pub(crate) fn each_capture(asked: &Asked<'_>, fixed: Option<&Asked<'_>>, kind: Kind) -> String {
    let both = fixed.map(|fixed| asked.with_other_wire(fixed));
    let marks = if both.is_some() && !asked.captures(kind).is_empty() {
        format!(
            "{FRONT} in a capture's table: no other decoder, also none that keeps the bytes, beats it both in bytes and in time there.\n\n"
        )
    } else {
        String::new()
    };
    let tables: String = asked
        .captures(kind)
        .into_iter()
        .map(|capture| {
            let ranking = on_capture(asked, capture);
            let tokens = ranking.entries.iter().map(|entry| entry.row.tokens).max().unwrap_or(0);
            format!(
                "<details><summary>{} ({} {}s in a round)</summary>\n\n{}\n</details>\n",
                markdown(capture),
                count(tokens),
                asked.question.unit(),
                one_capture(
                    asked,
                    &ranking,
                    &both.as_ref().map_or(Vec::new(), |both| front_on(both, capture))
                )
            )
        })
        .collect();
    marks + &tables
}

/// What each layout takes, on average and by capture.
pub(crate) fn sizes(rows: &[SizeRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let v4 = |row: &SizeRow| {
        rows.iter().find(|other| other.capture == row.capture && other.layout == "cloudini v4")
    };
    let mut formats: Vec<(&str, &str)> = Vec::new();
    let mut captures: Vec<&str> = Vec::new();
    for row in rows {
        let format = (row.layout.as_str(), row.arrangement.as_str());
        if !formats.contains(&format) {
            formats.push(format);
        }
        if !captures.contains(&row.capture.as_str()) {
            captures.push(&row.capture);
        }
    }
    let means: Vec<Vec<String>> = formats
        .iter()
        .map(|&(layout, arrangement)| {
            let own = || {
                rows.iter()
                    .filter(|row| (row.layout.as_str(), row.arrangement.as_str()) == (layout, arrangement))
            };
            let mean = |ratio: fn(&SizeRow, &SizeRow) -> f64| {
                let ratios = own().map(|row| v4(row).map_or(f64::NAN, |v4| ratio(row, v4)));
                geometric_mean(ratios).map_or("–".to_owned(), percent)
            };
            vec![
                code(layout),
                arrangement.to_owned(),
                mean(|row, v4| row.bytes_per_point / v4.bytes_per_point),
                mean(|row, v4| row.lz4 / v4.lz4),
                mean(|row, v4| row.zstd / v4.zstd),
                geometric_mean(own().map(|row| row.encode_mb_per_s)).map_or("–".to_owned(), digits),
            ]
        })
        .collect();
    let mut text = format!(
        "Whole chunks as they are stored, all fields, against those of cloudini V4 with the same stage 2, geometric \
         mean of {}. **Encoders are plain, scalar and not optimised:** their speed (MB of raw points a second, without \
         stage 2) says what was measured here and nothing about what a layout allows.\n\n{}\n",
        plural(captures.len(), "capture"),
        table(
            &["layout", "arrangement", ">stored", ">behind LZ4", ">behind ZSTD 1", ">encoder MB/s"],
            &means
        )
    );
    for capture in captures {
        let own: Vec<Vec<String>> = rows
            .iter()
            .filter(|row| row.capture == capture)
            .map(|row| {
                vec![
                    code(&row.layout),
                    row.arrangement.clone(),
                    row.bytes_per_token.map_or("–".to_owned(), digits),
                    digits(row.bytes_per_point),
                    digits(row.lz4),
                    digits(row.zstd),
                    digits(row.encode_mb_per_s),
                ]
            })
            .collect();
        let step = rows.iter().find(|row| row.capture == capture).map_or(0, |row| row.point_step);
        text += &format!(
            "<details><summary>{} ({step} B/point in memory)</summary>\n\n{}\n</details>\n",
            markdown(capture),
            table(
                &["layout", "arrangement", ">B/token", ">B/point", ">LZ4", ">ZSTD 1", ">encoder MB/s"],
                &own
            )
        );
    }
    text
}
