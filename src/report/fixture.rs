//! Made-up runs for tests. Nothing of this is ever a result.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::measure::{Cache, CaptureFacts, Machine, Record, RunRecord, SweepRow, sweep};

/// A decoder of the made-up field: name, layout, class, standing, speed against the loop, bytes against LEB128.
pub(crate) type Contestant = (&'static str, &'static str, &'static str, &'static str, f64, f64);

/// A field of plausible decoders.
pub(crate) const FIELD: [Contestant; 24] = [
    ("leb128_loop", "leb128", "scalar", "ranked", 1.0, 1.0),
    ("leb128_fast1", "leb128", "scalar", "ranked", 1.03, 1.0),
    ("leb128_fast2", "leb128", "scalar", "ranked", 1.06, 1.0),
    ("leb128_branchless", "leb128", "scalar", "rejected", 0.84, 1.0),
    ("leb128_unrolled", "leb128", "scalar", "ranked", 1.21, 1.0),
    ("leb128_shift_mix", "leb128", "scalar", "ranked", 1.23, 1.0),
    ("leb128_pext_single_bmi2", "leb128", "BMI2", "rejected", 0.56, 1.0),
    ("leb128_pext4_bmi2", "leb128", "BMI2", "ranked", 1.72, 1.0),
    ("leb128_pext4_two_halves_bmi2", "leb128", "BMI2", "ranked", 2.31, 1.0),
    ("leb128_masked_vbyte_sse41", "leb128", "SSE4.1", "ranked", 2.46, 1.0),
    ("leb128_fixed_stride_avx2", "leb128", "AVX2", "ranked", 7.6, 1.0),
    ("leb128_variable_stride_avx512", "leb128", "AVX-512", "ranked", 5.1, 1.0),
    ("leb128_two_stage_avx512", "leb128", "AVX-512", "ranked", 12.2, 1.0),
    ("leb128_two_tiers_avx512", "leb128", "AVX-512", "ranked", 16.6, 1.0),
    ("svb_scalar", "svb", "scalar", "ranked", 2.6, 1.124),
    ("svb_pshufb_sse41", "svb", "SSE4.1", "ranked", 8.4, 1.124),
    ("svb_double_avx2", "svb", "AVX2", "ranked", 12.4, 1.124),
    ("svb_expand_avx512", "svb", "AVX-512", "ranked", 19.4, 1.124),
    ("svb0124_expand_avx512", "svb0124", "AVX-512", "ranked", 18.8, 1.054),
    ("svb1bit_pshufb_avx2", "svb1bit", "AVX2", "ranked", 19.7, 1.024),
    ("svb1bit_expand_avx512", "svb1bit", "AVX-512", "ranked", 27.6, 1.024),
    ("packed32_avx512", "packed32", "AVX-512", "ranked", 25.8, 0.961),
    ("raw_copy", "raw", "scalar", "control", 28.2, 3.26),
    ("raw_fill", "raw", "scalar", "control", 33.0, 3.26),
];

/// Names and 1, 2, 3, 4-byte shares.
pub(crate) const CAPTURES: [(&str, [f64; 4]); 6] = [
    ("cloudini-lidar", [0.776, 0.22, 0.004, 0.0]),
    ("cloudini-dds", [0.703, 0.242, 0.055, 0.0]),
    ("ouster-os1-64", [0.515, 0.282, 0.2026, 0.0004]),
    ("nebula-vls128", [0.62, 0.3, 0.07, 0.01]),
    ("pjlab-drive-pandar64", [0.44, 0.41, 0.1, 0.05]),
    ("pdal-autzen-airborne", [0.1, 0.5, 0.3, 0.1]),
];

/// A row whose figures agree with each other.
pub(crate) fn row(contestant: Contestant, capture: &str, ratio: f64, spread: f64) -> Record {
    let (variant, layout, class, standing, _, size) = contestant;
    Record {
        task: "tokens".to_owned(),
        word: "u32".to_owned(),
        arrangement: "rows".to_owned(),
        window: "l2".to_owned(),
        capture: capture.to_owned(),
        synthetic: false,
        short: false,
        variant: variant.to_owned(),
        layout: layout.to_owned(),
        class: class.to_owned(),
        standing: standing.to_owned(),
        tokens: 461_540,
        rounds: 25,
        quiet: 24,
        ns_min: 2.75 / ratio,
        ns_median: 2.84 / ratio,
        vs_loop: ratio,
        vs_loop_min: ratio * 0.99,
        vs_loop_low: ratio * (1.0 - spread),
        vs_loop_high: ratio * (1.0 + spread),
        bytes_per_token: 1.25 * size,
        gb_per_s: None,
        path: None,
        mode: None,
        vs_upstream: None,
        vs_upstream_low: None,
        vs_upstream_high: None,
    }
}

/// A capture with these shares of 1 to 4 bytes.
pub(crate) fn capture(name: &str, shares: [f64; 4]) -> CaptureFacts {
    let mut length_shares = [0.0; 10];
    length_shares[..4].copy_from_slice(&shares);
    CaptureFacts {
        name: name.to_owned(),
        sensor: "OS1-64, by its metadata file".to_owned(),
        scene: "street, vehicle roof".to_owned(),
        order: "by column; missing returns are zero".to_owned(),
        fields: "x y z intensity f32, ring u16".to_owned(),
        source: "some-package 1.2.3, samples/file.pcd".to_owned(),
        licence: "MIT".to_owned(),
        synthetic: false,
        short: false,
        points: 115_385,
        tokens: 461_540,
        bytes_per_token: shares.iter().zip(1..).map(|(share, bytes)| share * f64::from(bytes)).sum(),
        length_shares,
    }
}

/// A machine that does not exist.
pub(crate) fn machine() -> Machine {
    Machine {
        cpu: "Example(R) Xeon(R) CPU 9999 @ 3.00GHz".to_owned(),
        processors: 2,
        features: ["sse4.1", "avx2", "bmi2", "avx512f"].map(str::to_owned).to_vec(),
        caches: [(1, 48 << 10), (2, 2 << 20), (3, 30 << 20)]
            .map(|(level, bytes)| Cache { level, bytes })
            .to_vec(),
        rustc: "rustc 1.95.0".to_owned(),
        target: "x86_64-unknown-linux-gnu".to_owned(),
        revision: "0123abc".to_owned(),
        load: Some((0.4, 0.7)),
        date: "2026-01-31T12:00:00Z".to_owned(),
    }
}

/// A run of these decoders on these captures, always with the same figures.
pub(crate) fn run_of(field: &[Contestant], captures: &[CaptureFacts]) -> RunRecord {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut records = Vec::new();
    for facts in captures {
        let hard = facts.length_shares[2..].iter().sum::<f64>();
        for &contestant in field {
            let (name, _, class, ..) = contestant;
            let speed = if name == "leb128_loop" {
                1.0
            } else {
                let suffers = if class == "AVX2" { 1.5 } else { 0.4 };
                contestant.4 * (1.0 - hard * suffers).max(0.1) * random.random_range(0.97..1.03)
            };
            let mut record = row(contestant, &facts.name, speed, random.random_range(0.004..0.03));
            record.synthetic = facts.synthetic;
            record.short = facts.short;
            record.tokens = facts.tokens;
            record.bytes_per_token = facts.bytes_per_token * contestant.5;
            records.push(record);
        }
    }
    RunRecord {
        machine: machine(),
        captures: captures.to_vec(),
        records,
        sizes: Vec::new(),
        quick: false,
        command: "varint-lab report".to_owned(),
        sweeps: Vec::new(),
    }
}

/// Adds the points task in both modes, made of the real captures' LEB128 rows and of the controls.
pub(crate) fn add_points(run: &mut RunRecord) {
    let tokens: Vec<Record> = run
        .records
        .iter()
        .filter(|row| !row.synthetic && (row.layout == "leb128" || row.standing == "control"))
        .cloned()
        .collect();
    for (mode, arrangement) in [("v4", "rows"), ("v5", "sections")] {
        for (path, part) in [("per-field", 0.2), ("per-point", 0.3), ("block", 0.6)] {
            for row in &tokens {
                let mut row = row.clone();
                let control = row.standing == "control";
                if control && path != "block" {
                    continue;
                }
                let path = if control { "control" } else { path };
                row.task = "points".to_owned();
                row.word = "points".to_owned();
                row.arrangement = arrangement.to_owned();
                row.layout = "leb128".to_owned();
                row.variant = format!("{path}/{}", row.variant.replace("raw_", ""));
                let faster = 1.0 + part / 10.0 - 0.02;
                for ratio in
                    [&mut row.vs_loop, &mut row.vs_loop_min, &mut row.vs_loop_low, &mut row.vs_loop_high]
                {
                    *ratio = (1.0 + (*ratio - 1.0) * part) * faster;
                }
                row.ns_min = 14.0 / row.vs_loop;
                row.ns_median = 14.6 / row.vs_loop;
                row.bytes_per_token *= 4.0;
                row.gb_per_s = Some(16.0 / row.ns_min);
                row.vs_upstream = Some(row.vs_loop / 1.02);
                row.vs_upstream_low = Some(row.vs_loop_low / 1.02);
                row.vs_upstream_high = Some(row.vs_loop_high / 1.02);
                row.path = Some(path.to_owned());
                row.mode = Some(mode.to_owned());
                run.records.push(row);
            }
        }
    }
}

/// A row of a series, with a spread of 1 %.
pub(crate) fn sweep_row(
    sweep: &str,
    place: f64,
    (variant, standing): (&str, &str),
    ns: f64,
    vs_loop: f64,
) -> SweepRow {
    SweepRow {
        sweep: sweep.to_owned(),
        stream: "cloudini-lidar".to_owned(),
        place,
        variant: variant.to_owned(),
        class: "scalar".to_owned(),
        standing: standing.to_owned(),
        tokens: 262_144,
        rounds: 9,
        quiet: 8,
        ns_min: ns * 0.9,
        ns_median: ns,
        vs_loop,
        vs_loop_low: vs_loop * 0.99,
        vs_loop_high: vs_loop * 1.01,
        bytes_per_token: 1.0 + if sweep == sweep::WORKING_SET { 0.2 } else { place },
    }
}

/// Adds series over working sets and shares: the faster a decoder, the more memory slows it, and the fast path loses
/// from 30 to 70 % in random order.
pub(crate) fn add_sweeps(run: &mut RunRecord) {
    let field = [
        ("leb128_loop", 3.5),
        ("leb128_fast2", 3.0),
        ("leb128_pext4x2_bmi2", 1.0),
        ("leb128_stride_avx2", 0.4),
        ("leb128_stride_avx512", 0.25),
        ("stream_vbyte12_avx512", 0.12),
    ];
    let controls = [("raw_copy", 0.1), ("raw_fill", 0.09)];
    for output in [8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20] {
        let memory = if output > 16 << 20 { 0.3 } else { 0.0 };
        let rows = field.map(|(name, ns)| (name, "ranked", ns)).into_iter();
        for (name, standing, ns) in rows.chain(controls.map(|(name, ns)| (name, "control", ns))) {
            let ratio = (3.5 + memory) / (ns + memory);
            let row = sweep_row(sweep::WORKING_SET, f64::from(output), (name, standing), ns + memory, ratio);
            run.sweeps.push(row);
        }
    }
    for (name, guessing) in [(sweep::TWO_BYTE_SHARE, 6.0), (sweep::TWO_BYTE_SHARE_REPEATING, 1.0)] {
        for step in 0..=10 {
            let share = f64::from(step) / 10.0;
            let guess = guessing * share * (1.0 - share);
            for (variant, base) in &field[..5] {
                let worse = if *variant == "leb128_fast2" { guess * 1.6 } else { guess };
                let ns = if *base < 2.0 { *base } else { base + worse };
                run.sweeps.push(sweep_row(name, share, (variant, "ranked"), ns, (3.5 + guess) / ns));
            }
        }
    }
}

/// The field on all captures, with a short one and two made-up streams.
pub(crate) fn run() -> RunRecord {
    let mut captures: Vec<CaptureFacts> =
        CAPTURES.iter().map(|&(name, shares)| capture(name, shares)).collect();
    let mut short = capture("velodyne-vlp16", [0.7, 0.2, 0.1, 0.0]);
    (short.short, short.tokens, short.points) = (true, 20_000, 5_000);
    captures.push(short);
    for (name, shares) in
        [("synthetic-all-one", [1.0, 0.0, 0.0, 0.0]), ("synthetic-uniform", [0.25, 0.25, 0.25, 0.25])]
    {
        let mut made_up = capture(name, shares);
        (made_up.synthetic, made_up.points) = (true, 0);
        captures.push(made_up);
    }
    run_of(&FIELD, &captures)
}

/// 30 decoders with long names on 16 captures with long names.
pub(crate) fn crowded() -> RunRecord {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let classes = ["scalar", "BMI2", "SSE4.1", "AVX2", "AVX-512"];
    let field: Vec<Contestant> = (0..30)
        .map(|at| {
            let name: &'static str = match at {
                0 => "leb128_loop",
                _ => Box::leak(format!("leb128_some_rather_long_algorithm_{at}_avx512").into_boxed_str()),
            };
            (name, "leb128", classes[at % 5], "ranked", 0.4 * 1.14_f64.powi(at as i32), 1.0)
        })
        .collect();
    let captures: Vec<CaptureFacts> = (0..16)
        .map(|at| {
            let second = random.random_range(0.1..0.5);
            let third = random.random_range(0.0..0.2);
            capture(
                &format!("derived-sensor-with-a-long-name-{at}"),
                [1.0 - second - third - 0.01, second, third, 0.01],
            )
        })
        .collect();
    run_of(&field, &captures)
}
