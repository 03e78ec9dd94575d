//! The headline in the project's README.

use std::path::Path;

use crate::report::{
    blocks::Block,
    charts::{Chart, ranking_file},
    conclusions::conclusions,
    findings::{Answer, best_of_classes, names},
    question::{Kind, Wire},
    rank::on_capture,
    text::{code, digits, markdown, plural, table, times},
};

/// The headline between its markers. `way` is the way from the README to the charts.
pub(crate) fn headline(answers: &[Answer<'_>], way: &str, charts: &[Chart]) -> Block {
    let body = answers.iter().find(|answer| answer.asked.question.wire == Wire::Fixed).map_or_else(
        || "Nothing was measured yet on the bytes that cloudini writes.".to_owned(),
        |answer| body(answers, answer, way, charts),
    );
    Block { open: "<!-- headline -->".to_owned(), close: "<!-- end headline -->".to_owned(), body }
}

fn body(answers: &[Answer<'_>], answer: &Answer<'_>, way: &str, charts: &[Chart]) -> String {
    let Answer { asked, overall } = answer;
    let first = overall.first();
    if first.is_empty() {
        return "No decoder has figures on a common set of real captures, so there is no headline."
            .to_owned();
    }
    let mut text: String = conclusions(answers).iter().map(|said| format!("{said}\n\n")).collect();
    text += &format!("{}, {}:\n", asked.question.wire_words(), markdown(&asked.question.words()));

    let chosen = best_of_classes(overall);
    let classes: Vec<String> =
        chosen.iter().map(|entry| format!(">{} ({})", code(&entry.row.variant), entry.row.class)).collect();
    let bytes = format!(">B/{}", asked.question.unit());
    let mut headings = vec!["capture", &bytes, "fastest"];
    headings.extend(classes.iter().map(String::as_str));
    let mut rows: Vec<Vec<String>> = asked
        .captures(Kind::Real)
        .into_iter()
        .map(|capture| {
            let ranking = on_capture(asked, capture);
            let bytes = asked.leb128_bytes.get(capture).map_or("–".to_owned(), |&bytes| digits(bytes));
            let mut row = vec![code(capture), bytes, names(&ranking.first(), 2)];
            row.extend(chosen.iter().map(|entry| {
                let ratio = ranking.of(&entry.row.variant).map(|entry| entry.ratio.value);
                ratio.map_or("–".to_owned(), times)
            }));
            row
        })
        .collect();
    let mut mean = vec![
        format!("geometric mean of {}", plural(overall.captures.len(), "capture")),
        String::new(),
        names(&first, 2),
    ];
    mean.extend(chosen.iter().map(|entry| format!("**{}**", times(entry.ratio.value))));
    rows.push(mean);
    let picture = charts.iter().find(|chart| chart.is_named(&ranking_file(asked))).map(|chart| {
        let alt = markdown(&format!("{}: ranking of all decoders", asked.question.wire_words()));
        format!("\n[![{alt}]({way}/{file})]({way}/{file})", file = chart.file)
    });
    format!(
        "{text}\n{}\nTimes the speed of {}; columns: the best decoder of each class.\n{}",
        table(&headings, &rows),
        code(asked.baseline),
        picture.unwrap_or_default(),
    )
}

/// The way from the folder of `file` to `folder` for links, with `/` between its parts.
pub(crate) fn way(file: &Path, folder: &Path) -> String {
    let parts = |path: &Path| -> Vec<String> {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        whole.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let (mut from, to) = (parts(file), parts(folder));
    from.pop();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut way = vec!["..".to_owned(); from.len() - shared];
    way.extend_from_slice(&to[shared..]);
    way.join("/")
}
