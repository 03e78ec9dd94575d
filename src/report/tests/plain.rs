use crate::{
    measure::RunRecord,
    report::{
        fixture::{add_points, add_sweeps, run},
        plain::plain,
        results::{answers, render},
    },
};

fn said(run: &RunRecord) -> Vec<String> {
    plain(run, &answers(run))
}

fn full() -> RunRecord {
    let mut run = run();
    add_points(&mut run);
    add_sweeps(&mut run);
    run
}

#[test]
fn every_question_of_a_reader_is_answered_near_the_top() {
    let run = full();
    let page = render(&run, &answers(&run), "record").unwrap().text(None).unwrap();
    let top: Vec<&str> = page.lines().take(20).collect();
    for question in [
        "- **Which decoder should cloudini use on a laptop with AVX2?** `leb128_fixed_stride_avx2`",
        "- **How much faster is it, on the bytes that it has?** Whole clouds (V4): **",
        "- **What does a CPU with AVX-512 add?** ",
        "- **What would a new layout add?** ",
        "- **Where does the path for 1- and 2-byte tokens lose?** ",
    ] {
        assert!(top.iter().any(|line| line.starts_with(question)), "{question} is not in {top:#?}");
    }
}

#[test]
fn a_laptop_is_offered_nothing_that_it_cannot_run() {
    let said = said(&full());
    assert!(
        !said[0].contains("avx512") && !said[1].contains("avx512") && !said[3].contains("avx512"),
        "{said:#?}"
    );
    assert!(said[2].contains("`leb128_two_tiers_avx512` is "), "{}", said[2]);
    assert!(said[3].contains("Whole clouds (V4): no other layout was measured"), "{}", said[3]);
    assert!(
        said[3].contains("`svb1bit_pshufb_avx2` is ") && said[3].contains("% of the bytes"),
        "{}",
        said[3]
    );
}

#[test]
fn without_wide_vectors_the_best_of_what_is_there_is_named() {
    let mut run = full();
    run.records.retain(|row| !row.class.starts_with("AVX"));
    let said = said(&run);
    assert!(said[0].contains("`leb128_masked_vbyte_sse41`"), "{}", said[0]);
    assert!(!said.iter().any(|text| text.contains("AVX-512 add")));
}

#[test]
fn the_fast_path_is_judged_on_each_capture_by_its_spread() {
    let mut run = full();
    for row in &mut run.records {
        if row.variant == "leb128_fast2" {
            let (low, value, high) = match row.capture.as_str() {
                "cloudini-lidar" => (1.1, 1.2, 1.3),
                "cloudini-dds" => (0.9, 1.0, 1.1),
                _ => (0.7, 0.8, 0.9),
            };
            (row.vs_loop_low, row.vs_loop, row.vs_loop_high) = (low, value, high);
        }
    }
    let last = said(&run).pop().unwrap();
    assert!(
        last.contains(
            "Tokens alone, `leb128_fast2`: slower than the loop on `ouster-os1-64` (0.80×), `nebula-vls128` (0.80×), \
             `pjlab-drive-pandar64` (0.80×) and `pdal-autzen-airborne` (0.80×); not told from it on `cloudini-dds` \
             (1.00×); faster on `cloudini-lidar` (1.20×)."
        ),
        "{last}"
    );
    assert!(last.contains("On made-up streams in random order, `leb128_fast2` beats the loop at "), "{last}");
}

#[test]
fn nothing_measured_answers_nothing() {
    assert!(said(&RunRecord::default()).is_empty());
}
