use crate::{
    measure::{RunRecord, sweep},
    report::{
        fixture::{add_sweeps, run, sweep_row},
        sweeps::{fast_path, two_byte_share, working_set},
    },
};

/// A series in which the fast path has these ratios to the loop, from 0 % upwards.
fn with_ratios(ratios: &[f64]) -> RunRecord {
    let mut run = RunRecord::default();
    for (step, ratio) in ratios.iter().enumerate() {
        let share = step as f64 / 10.0;
        for (name, ratio) in [("leb128_loop", 1.0), ("leb128_fast2", *ratio)] {
            run.sweeps.push(sweep_row(sweep::TWO_BYTE_SHARE, share, (name, "ranked"), 4.0 / ratio, ratio));
        }
    }
    run
}

#[test]
fn where_the_fast_path_wins_and_loses_is_said_in_spans() {
    let said = fast_path(&with_ratios(&[1.5, 1.2, 1.005, 0.9, 0.8, 0.9, 1.1])).join(" ");
    assert_eq!(
        said,
        "On made-up streams in random order, `leb128_fast2` beats the loop at 0 to 10 % and 60 % of 2-byte tokens \
         (1.10 to 1.50×), is slower than it at 30 to 50 % of 2-byte tokens (0.80 to 0.90×) and cannot be told from it \
         at 20 % of 2-byte tokens (1.00×)."
    );
    let said = fast_path(&with_ratios(&[1.5, 1.5])).join(" ");
    assert!(said.contains("beats the loop at 0 to 10 %") && !said.contains("slower"), "{said}");
    assert!(fast_path(&RunRecord::default()).is_empty());
}

#[test]
fn repeating_is_said_to_flatter_only_where_it_does() {
    let mut run = run();
    add_sweeps(&mut run);
    let said = fast_path(&run).join(" ");
    assert!(said.contains(
        "At 50 % of 2-byte tokens, `leb128_fast2` takes 5.400 ns in random order and 3.400 repeated"
    ));
    assert!(
        said.contains("a benchmark on a short stream measures how well its branches are remembered."),
        "{said}"
    );
    for row in &mut run.sweeps {
        if row.sweep == sweep::TWO_BYTE_SHARE_REPEATING {
            row.ns_median = 5.3;
        }
    }
    assert!(!fast_path(&run).join(" ").contains("remembered"));
}

#[test]
fn sections_have_a_row_for_each_decoder_and_nothing_without_a_series() {
    let mut run = run();
    assert_eq!([working_set(&run), two_byte_share(&run)], ["", ""]);
    add_sweeps(&mut run);
    let text = working_set(&run);
    assert!(text.starts_with(
        "With 8 KB of output `stream_vbyte12_avx512` gives 33.3 GB/s and `raw_copy` copies 40.0; with 128 MB \
         `stream_vbyte12_avx512` gives 9.52 GB/s and `raw_copy` copies 10.0."
    ));
    assert!(
        text.contains("is 29.2× as fast as the loop at the small end and 9.05× at the large one"),
        "{text}"
    );
    assert!(text.contains("| decoder | 8 KB | 32 KB |") && text.contains("| `raw_fill` | 44.4 |"), "{text}");
    let text = two_byte_share(&run);
    assert_eq!(text.matches("| `leb128_stride_avx2` | 0.400 |").count(), 2, "{text}");
    assert!(text.contains("Synthetic"));
}
