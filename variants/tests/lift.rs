//! The lift against a model that knows nothing of blocks or vectors, bit for bit.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    Class, Word,
    lift::{Lane, Lift, LiftError, PlanError, Store, Stores},
};

/// A value at a time, in the order of the rows, with the widest arithmetic.
struct Model {
    lanes: Vec<Lane>,
    step: usize,
    sums: Vec<i64>,
}

impl Model {
    fn new(lanes: &[Lane], step: usize) -> Self {
        Self { lanes: lanes.to_vec(), step, sums: vec![0; lanes.len()] }
    }

    fn rows<W: Word>(&mut self, tokens: &[W], points: &mut [u8]) -> Result<(), LiftError> {
        for (index, &token) in tokens.iter().enumerate() {
            let (row, lane) = (index / self.lanes.len(), index % self.lanes.len());
            let Lane { offset, store } = self.lanes[lane];
            let token: u64 = token.into();
            if store == Store::Skip {
                continue;
            }
            if token == 0 && store.is_integer() {
                return Err(LiftError { index });
            }
            let zigzag = token.wrapping_sub(1);
            let delta = ((zigzag >> 1) as i64) ^ -((zigzag & 1) as i64);
            let sum = if token == 0 { 0 } else { self.sums[lane].wrapping_add(delta) };
            let group = matches!(store, Store::GroupF32 { .. });
            self.sums[lane] = if group { i64::from(sum as i32) } else { sum };
            let nan = token == 0;
            let sum = self.sums[lane];
            let bytes: Vec<u8> = match store {
                Store::GroupF32 { .. } | Store::F32 { .. } if nan => 0x7fc0_0000_u32.to_le_bytes().into(),
                Store::F64 { .. } if nan => 0x7ff8_0000_0000_0000_u64.to_le_bytes().into(),
                Store::GroupF32 { resolution } => (sum as i32 as f32 * resolution).to_le_bytes().into(),
                Store::F32 { resolution } => (sum as f32 * resolution).to_le_bytes().into(),
                Store::F64 { resolution } => (sum as f64 * resolution).to_le_bytes().into(),
                Store::Int16 => sum.to_le_bytes()[..2].into(),
                Store::Int32 => sum.to_le_bytes()[..4].into(),
                Store::Int64 => sum.to_le_bytes().into(),
                Store::Skip => Vec::new(),
            };
            let start = row * self.step + offset;
            points[start..start + bytes.len()].copy_from_slice(&bytes);
        }
        Ok(())
    }
}

const GROUP: Store = Store::GroupF32 { resolution: 0.001 };

/// Lanes side by side from offset 0.
fn packed(stores: &[Store]) -> Vec<Lane> {
    let mut offset = 0;
    let lane = |store: &Store| {
        offset += store.bytes();
        Lane { offset: offset - store.bytes(), store: *store }
    };
    stores.iter().map(lane).collect()
}

/// Lanes in random order, some apart, now and then on top of each other; and the point's step.
fn random_lanes(rng: &mut impl Rng) -> (Vec<Lane>, usize) {
    let kinds = rng.random_range(1..128_u32);
    let most = if rng.random_ratio(1, 20) { 40 } else { 10 };
    let count = rng.random_range(1..=most);
    let mut stores = Vec::new();
    while stores.len() < count {
        let kind = rng.random_range(0..7);
        let resolution = [0.001, 0.01, 1.0, -0.25, 3e-39][rng.random_range(0..5)];
        if kinds >> kind & 1 == 1 {
            stores.push(match kind {
                0 => Store::GroupF32 { resolution },
                1 => Store::F32 { resolution },
                2 => Store::F64 { resolution: f64::from(resolution) },
                3 => Store::Int16,
                4 => Store::Int32,
                5 => Store::Int64,
                _ => Store::Skip,
            });
        }
    }
    if stores.iter().all(|store| *store == Store::Skip) {
        stores[0] = GROUP;
    }
    let mut lanes = packed(&stores);
    if rng.random_ratio(2, 3) {
        let widest = if rng.random_ratio(1, 10) { 60 } else { 6 };
        let mut gap = 0;
        for lane in &mut lanes {
            gap += rng.random_range(0..=widest) * rng.random_range(0..=1);
            lane.offset += gap;
        }
    }
    let end = lanes.iter().map(|lane| lane.offset + lane.store.bytes()).max().unwrap();
    let step = end + [0, 0, 1, 3, 16, 100][rng.random_range(0..6)];
    for index in (1..lanes.len()).rev() {
        if rng.random_ratio(1, 10) {
            // Shuffled: a lane takes another's place and may then overlap its neighbour.
            let other = rng.random_range(0..index);
            let (a, b) = (lanes[index].offset, lanes[other].offset);
            if a + lanes[other].store.bytes() <= step && b + lanes[index].store.bytes() <= step {
                (lanes[index].offset, lanes[other].offset) = (b, a);
            }
        }
    }
    (lanes, step)
}

/// Rows of tokens: mostly short ones, some as long as the word, NaN markers alone, in whole rows and in runs.
fn random_tokens<W: Word>(rng: &mut impl Rng, lanes: &[Lane], rows: usize) -> Vec<W> {
    let nan = [0.0, 0.0, 0.01, 0.3, 1.0][rng.random_range(0..5)];
    let whole_rows = rng.random::<bool>();
    let longest = [8, 14, 21, 28, 64][rng.random_range(0..5)].min(W::BYTES as u32 * 8);
    let stray = rng.random_ratio(1, 8);
    let mut tokens = Vec::with_capacity(rows * lanes.len());
    let mut in_run = false;
    for _ in 0..rows {
        if rng.random_ratio(1, 20) {
            in_run = rng.random_bool(nan);
        }
        for lane in lanes {
            // What is passed over may be anything, above all 0.
            let nan = if lane.store == Store::Skip { 0.9 } else { nan };
            let marker = if whole_rows && lane.store != Store::Skip { in_run } else { rng.random_bool(nan) };
            let zero = if lane.store.is_integer() { stray && rng.random_ratio(1, 2000) } else { marker };
            let bits = if rng.random_ratio(1, 500) { W::BYTES as u32 * 8 } else { longest };
            let token = (rng.random::<u64>() >> (64 - bits)).max(1);
            let extreme = rng.random_ratio(1, 1000);
            let token =
                if extreme { [u64::MAX, u64::MAX - 1, 1 << 32][rng.random_range(0..3)] } else { token };
            tokens.push(W::cut(if zero { 0 } else { W::cut(token).into().max(1) }));
        }
    }
    tokens
}

/// A lift of each implementation that this CPU has, with either kind of stores.
fn lifts(lanes: &[Lane], step: usize) -> Vec<Lift> {
    let mut lifts: Vec<Lift> = Vec::new();
    for class in [Class::Scalar, Class::Avx2, Class::Avx512] {
        let lift = Lift::at_most(class, lanes, step).unwrap();
        if lifts.iter().all(|other| other.class() != lift.class()) {
            lifts.push(lift);
        }
    }
    let streaming: Vec<_> = lifts.iter().map(|lift| lift.clone().with_stores(Stores::NonTemporal)).collect();
    lifts.extend(streaming);
    lifts
}

fn agree<W: Word>(
    rng: &mut impl Rng,
    lanes: &[Lane],
    step: usize,
    rows: usize,
    lifts: &mut [Lift],
    model: &mut Model,
) {
    let tokens = random_tokens::<W>(rng, lanes, rows);
    let spare = rng.random_range(0..2 * step);
    let mut expected = vec![0; rows * step + spare];
    rng.fill(&mut expected[..]);
    let before = expected.clone();
    let outcome = model.rows(&tokens, &mut expected);
    for lift in lifts {
        let mut points = before.clone();
        assert_eq!(lift.rows(&tokens, &mut points), outcome, "{:?}: {lanes:?}, step {step}", lift.class());
        if outcome.is_err() {
            lift.restart();
        } else if let Some(at) = (0..points.len()).find(|&at| points[at] != expected[at]) {
            let (row, byte) = (at / step, at % step);
            panic!("{:?}: row {row} of {rows}, byte {byte}: {lanes:?}, step {step}", lift.class());
        }
    }
    if outcome.is_err() {
        *model = Model::new(lanes, step);
    }
}

#[test]
fn equals_the_model_over_windows_of_both_words() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..1500 {
        let (lanes, step) = random_lanes(&mut rng);
        let mut lifts = lifts(&lanes, step);
        let mut model = Model::new(&lanes, step);
        for _ in 0..rng.random_range(1..6) {
            let rows = [rng.random_range(0..5), rng.random_range(0..300), 700][rng.random_range(0..3)];
            if rng.random_ratio(3, 4) {
                agree::<u32>(&mut rng, &lanes, step, rows, &mut lifts, &mut model);
            } else {
                agree::<u64>(&mut rng, &lanes, step, rows, &mut lifts, &mut model);
            }
        }
    }
}

#[test]
fn equals_the_model_with_many_lanes_and_long_points() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for (count, step) in [(63, 256), (129, 1000), (1000, 4000), (1024, 5000), (1025, 4100), (3, 1 << 17)] {
        for last in [Store::Int16, GROUP, Store::F32 { resolution: 0.1 }] {
            let mut stores = vec![GROUP; count];
            stores[count - 1] = last;
            let lanes = packed(&stores);
            let mut model = Model::new(&lanes, step);
            let mut lifts = lifts(&lanes, step);
            for rows in [0, 1, 2, 30] {
                agree::<u32>(&mut rng, &lanes, step, rows, &mut lifts, &mut model);
            }
        }
    }
}

#[test]
fn equals_the_model_in_whole_lines_from_any_start() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut memory = vec![0; 16 * 1000];
    for stores in [&[GROUP][..], &[GROUP; 2], &[GROUP; 4], &[GROUP, GROUP, GROUP, Store::Int32], &[GROUP; 8]]
    {
        let lanes = packed(stores);
        let step = 4 * lanes.len();
        for start in 0..130 {
            let rows = rng.random_range(0..1000 * 16 / 64 / lanes.len());
            let tokens = random_tokens::<u32>(&mut rng, &lanes, rows);
            let mut expected = vec![0; rows * step];
            let outcome = Model::new(&lanes, step).rows(&tokens, &mut expected);
            for mut lift in lifts(&lanes, step) {
                memory.fill(7);
                assert_eq!(lift.rows(&tokens, &mut memory[start..start + rows * step]), outcome);
                let (before, points) = memory.split_at(start);
                let (points, after) = points.split_at(rows * step);
                assert!(outcome.is_err() || points == expected, "{:?}, start {start}", lift.class());
                assert!(before.iter().chain(after).all(|&byte| byte == 7));
            }
        }
    }
}

#[test]
fn a_group_wraps_in_32_bits_and_others_do_not() {
    // Deltas +(2^31 - 1), +1 and, as a token of 33 bits, -2^31.
    let tokens = [0xffff_ffff, 3, 1_u64 << 32];
    let two31 = 2_147_483_648.0;
    let group = (Store::GroupF32 { resolution: 1.0 }, [two31, -two31, 0.0]);
    for (store, expected) in [group, (Store::F32 { resolution: 1.0 }, [two31, two31, 0.0])] {
        for mut lift in lifts(&packed(&[store]), 4) {
            let mut points = [0; 12];
            lift.rows(&tokens, &mut points).unwrap();
            let values = points.chunks(4).map(|value| f32::from_le_bytes(value.try_into().unwrap()));
            assert_eq!(values.collect::<Vec<_>>(), expected, "{:?}", lift.class());
        }
    }
}

#[test]
fn restarts_at_zero() {
    for mut lift in lifts(&packed(&[Store::Int32]), 4) {
        let mut points = [0; 4];
        lift.rows(&[15_u32], &mut points).unwrap();
        lift.rows(&[15_u32], &mut points).unwrap();
        assert_eq!(points, [14, 0, 0, 0]);
        lift.restart();
        lift.rows(&[15_u32], &mut points).unwrap();
        assert_eq!(points, [7, 0, 0, 0]);
    }
}

#[test]
fn names_the_first_marker_in_an_integer_lane() {
    let lanes = packed(&[GROUP, Store::Int16, Store::Int64]);
    let mut points = vec![0; 14 * 1000];
    for at in [0, 1, 2, 7, 1000, 2998, 2999] {
        let mut tokens = vec![4_u32; 3000];
        tokens[at] = 0;
        tokens[2999] = 0;
        let expected = if at % 3 == 0 { 2999 } else { at };
        for mut lift in lifts(&lanes, 14) {
            assert_eq!(lift.rows(&tokens, &mut points), Err(LiftError { index: expected }));
        }
    }
}

#[test]
fn refuses_lanes_outside_the_point() {
    let lane = |offset| Lane { offset, store: Store::Int32 };
    assert_eq!(Lift::new(&[], 16).err(), Some(PlanError::NoLanes));
    let skipped = Lane { offset: 0, store: Store::Skip };
    assert_eq!(Lift::new(&[skipped], 16).err(), Some(PlanError::NoLanes));
    assert_eq!(Lift::new(&[lane(0), lane(13)], 16).err(), Some(PlanError::Outside(1)));
    assert_eq!(Lift::new(&[lane(usize::MAX)], 16).err(), Some(PlanError::Outside(0)));
    assert!(Lift::new(&[lane(12)], usize::MAX).is_ok());
}

#[test]
#[should_panic(expected = "end inside a row")]
fn refuses_half_a_row() {
    let _ = Lift::new(&packed(&[GROUP; 3]), 12).unwrap().rows(&[1_u32; 4], &mut [0; 48]);
}

#[test]
#[should_panic(expected = "fewer points")]
fn refuses_too_few_points() {
    let _ = Lift::new(&packed(&[GROUP; 3]), 12).unwrap().rows(&[1_u32; 6], &mut [0; 23]);
}

#[cfg(unix)]
mod pages;

/// Slices that end at a page that must not be touched.
#[cfg(unix)]
mod guarded {
    use super::{pages::Pages, *};

    fn ends_at_the_guard<W: Word>(rng: &mut impl Rng, token_pages: &mut Pages, point_pages: &mut Pages) {
        let (lanes, step) = random_lanes(rng);
        let rows = rng.random_range(0..60);
        let tokens = token_pages.end(rows * lanes.len());
        tokens.copy_from_slice(&random_tokens::<W>(rng, &lanes, rows));
        for mut lift in lifts(&lanes, step) {
            let points = point_pages.end(rows * step);
            let mut expected = points.to_vec();
            let outcome = Model::new(&lanes, step).rows(tokens, &mut expected);
            assert_eq!(lift.rows(tokens, points), outcome);
            assert!(outcome.is_err() || points == expected, "{:?}: {lanes:?}, step {step}", lift.class());
        }
    }

    #[test]
    fn touches_nothing_beyond_tokens_and_points() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let (mut tokens, mut points) = (Pages::new(60 * 40 * 8), Pages::new(60 * 4096));
        for _ in 0..1500 {
            ends_at_the_guard::<u32>(&mut rng, &mut tokens, &mut points);
            ends_at_the_guard::<u64>(&mut rng, &mut tokens, &mut points);
        }
    }
}
