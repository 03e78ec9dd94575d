use crate::{
    measure::RunRecord,
    report::{
        charts::{Chart, PREFIXES},
        fixture::{FIELD, add_points, add_sweeps, capture, crowded, machine, run, run_of},
        results::{answers, render},
    },
};

fn charts(run: &RunRecord) -> Vec<Chart> {
    render(run, &answers(run), "record").unwrap().charts
}

fn named<'a>(charts: &'a [Chart], file: &str) -> &'a str {
    &charts.iter().find(|chart| chart.is_named(file)).unwrap_or_else(|| panic!("{file}")).svg
}

/// Every text of a drawing with its place, size, anchor and whether it stands upright.
fn texts(svg: &str) -> Vec<(f64, f64, f64, String, bool, String)> {
    svg.split("<text ")
        .skip(1)
        .map(|text| {
            let tag = format!(" {}", text.split('>').next().unwrap());
            let attribute = |name: &str| {
                let value = tag.split(&format!(" {name}=\"")).nth(1);
                value.and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
            };
            let number = |name: &str| attribute(name).parse::<f64>().unwrap();
            let content = text.split('>').nth(1).unwrap().split('<').next().unwrap().trim().to_owned();
            let upright = attribute("transform").starts_with("rotate(270");
            (number("x"), number("y"), number("font-size"), attribute("text-anchor"), upright, content)
        })
        .collect()
}

fn size(svg: &str) -> (f64, f64) {
    let number = |name: &str| {
        let rest = svg.split(&format!(" {name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    (number("width"), number("height"))
}

/// The box that a text surely covers: half an em for each letter.
fn covered((x, y, size, anchor, upright, text): &(f64, f64, f64, String, bool, String)) -> [f64; 4] {
    let long = text.chars().count() as f64 * size * 0.5;
    let (x, y, size) = (*x, *y, *size);
    if *upright {
        return [x - size / 3.0, y - long, x + size / 3.0, y];
    }
    let left = match anchor.as_str() {
        "start" => x,
        "middle" => x - long / 2.0,
        _ => x - long,
    };
    [left, y - size / 3.0, left + long, y + size / 3.0]
}

fn assert_well_placed(chart: &Chart) {
    let (width, height) = size(&chart.svg);
    let boxes: Vec<_> = texts(&chart.svg).iter().map(|text| (covered(text), text.5.clone())).collect();
    assert!(!boxes.is_empty());
    for (at, (a, text)) in boxes.iter().enumerate() {
        let inside = a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width && a[3] <= height;
        assert!(inside, "{}: {text} leaves the card: {a:?}", chart.file);
        for (b, other) in &boxes[at + 1..] {
            let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(apart, "{}: {text} and {other} overlap", chart.file);
        }
    }
}

#[test]
fn no_text_leaves_its_card_or_covers_another() {
    let mut full = run();
    add_points(&mut full);
    add_sweeps(&mut full);
    for run in [full, crowded(), run_of(&FIELD, &[capture("only-one", [0.7, 0.2, 0.1, 0.0])])] {
        for chart in charts(&run) {
            assert_well_placed(&chart);
        }
    }
}

#[test]
fn charts_have_safe_unique_names_that_a_later_report_knows() {
    let mut run = run();
    add_points(&mut run);
    add_sweeps(&mut run);
    for (at, row) in run.records.iter_mut().enumerate() {
        row.word = ["../u\\3:2", "u 3 2", "u32"][at % 3].to_owned();
        row.arrangement += &"y".repeat(at % 5 * 20);
    }
    let mut names: Vec<String> = charts(&run).into_iter().map(|chart| chart.file).collect();
    for name in &names {
        assert!(PREFIXES.iter().any(|prefix| name.starts_with(prefix)), "{name}");
        let stem = name.strip_suffix(".svg").unwrap();
        assert!(stem.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-'), "{name}");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_ranking_names_every_contestant_and_its_figure() {
    let run = run();
    let charts = charts(&run);
    let fixed = named(&charts, "ranking-leb128-u32-rows.svg");
    let free = named(&charts, "ranking-layouts-u32-rows.svg");
    for (name, layout, _, standing, ..) in FIELD {
        let (has, has_not) = if layout == "leb128" { (fixed, free) } else { (free, fixed) };
        let written = |svg: &str| texts(svg).iter().any(|text| text.5 == name);
        assert!(written(has), "{name}");
        assert_eq!(written(has_not), standing == "control", "{name}");
    }
}

#[test]
fn figures_that_are_none_are_left_out_with_a_note() {
    for figure in [0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -3.0] {
        let mut run = run_of(&FIELD, &[capture("one", [0.7, 0.2, 0.1, 0.0])]);
        for row in &mut run.records {
            if ["leb128_fast2", "svb_scalar", "raw_fill"].contains(&row.variant.as_str()) {
                row.vs_loop = figure;
                row.vs_loop_low = figure;
                row.vs_loop_high = figure;
                row.vs_loop_min = figure;
                row.ns_median = figure;
            }
        }
        let charts = charts(&run);
        for (file, gone) in
            [("ranking-leb128-u32-rows.svg", "leb128_fast2"), ("ranking-layouts-u32-rows.svg", "svb_scalar")]
        {
            let texts: Vec<String> = texts(named(&charts, file)).into_iter().map(|text| text.5).collect();
            assert!(!texts.iter().any(|text| text == gone), "{figure}");
            let note = format!("{gone} on one is left out: it has no usable figure");
            assert!(texts.contains(&note), "{figure}: {texts:?}");
        }
        for chart in &charts {
            assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"), "{}", chart.file);
            assert_well_placed(chart);
        }
    }
}

#[test]
fn captures_without_tokens_draw_an_empty_bar() {
    let mut run = run();
    run.captures[0].length_shares = [f64::NAN; 10];
    run.captures[0].bytes_per_token = f64::NAN;
    run.captures[1].length_shares = [0.0; 10];
    run.captures[2].length_shares = [f64::INFINITY; 10];
    let charts = charts(&run);
    let svg = named(&charts, "token-lengths.svg");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert!(texts(svg).iter().any(|text| text.5 == "–"));
}

#[test]
fn figures_far_apart_stay_on_the_card() {
    let mut run = run();
    for (at, row) in run.records.iter_mut().enumerate() {
        if row.variant != "leb128_loop" {
            row.vs_loop = if at % 2 == 0 { 1e12 } else { 1e-12 };
            (row.vs_loop_low, row.vs_loop_high) = (row.vs_loop, row.vs_loop);
        }
    }
    for chart in charts(&run) {
        let (width, height) = size(&chart.svg);
        for (x, y, ..) in texts(&chart.svg) {
            assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{}", chart.file);
        }
    }
}

#[test]
fn series_are_drawn_with_every_name_and_the_caches_that_lie_on_the_axis() {
    let mut run = run();
    assert!(!charts(&run).iter().any(|chart| chart.is_named("working-set.svg")));
    add_sweeps(&mut run);
    let all = charts(&run);
    let texts = |file: &str| texts(named(&all, file)).into_iter().map(|text| text.5).collect::<Vec<_>>();
    let working_set = texts("working-set.svg");
    for name in ["leb128_loop", "stream_vbyte12_avx512", "raw_copy", "8 KB", "128 MB", "L1 48 KB", "L3 30 MB"]
    {
        assert!(working_set.iter().any(|text| text == name), "{name}: {working_set:?}");
    }
    let shares = texts("two-byte-share.svg");
    // In each of both panels.
    assert_eq!(shares.iter().filter(|text| *text == "leb128_fast2").count(), 2);
    run.machine.caches[2].bytes = 1 << 30;
    let far = charts(&run);
    assert!(named(&far, "working-set.svg").contains("L3, 1 GB, lies beyond the axis"));
    for row in &mut run.sweeps {
        row.ns_median = f64::NAN;
    }
    assert!(!charts(&run).iter().any(|chart| chart.is_named("two-byte-share.svg")));
}

#[test]
fn a_record_of_nothing_draws_nothing() {
    let run = RunRecord { machine: machine(), ..RunRecord::default() };
    assert!(charts(&run).is_empty());
}

#[test]
fn names_are_escaped() {
    let mut run = run_of(&FIELD, &[capture("a<b>&\"c", [0.7, 0.2, 0.1, 0.0])]);
    add_sweeps(&mut run);
    run.machine.cpu = "<script>".to_owned();
    for chart in charts(&run) {
        assert!(!chart.svg.contains("<script>") && !chart.svg.contains("a<b>"), "{}", chart.file);
        assert!(chart.svg.starts_with("<svg role=\"img\" aria-label=\""), "{}", chart.file);
    }
}
