//! The lift of tokens in words of 16 bits against that of wider ones.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    Class,
    lift::{Lane, Lift, LiftError, Store, Stores},
};

const GROUP: Store = Store::GroupF32 { resolution: 0.001 };

/// Lanes side by side.
fn packed(stores: &[Store]) -> Vec<Lane> {
    let mut offset = 0;
    let lane = |&store: &Store| {
        offset += store.bytes();
        Lane { offset: offset - store.bytes(), store }
    };
    stores.iter().map(lane).collect()
}

/// Tokens up to `largest`, one in `nan` of them the NaN marker.
fn tokens(rng: &mut impl Rng, count: usize, largest: u16, nan: u32) -> Vec<u16> {
    (0..count).map(|_| if rng.random_ratio(1, nan) { 0 } else { rng.random_range(1..=largest) }).collect()
}

/// Lifts the same rows in both words, in windows of random sizes, and now and then some in words of 32 bits alone.
fn agree(rng: &mut impl Rng, class: Class, lanes: &[Lane], step: usize, tokens: &[u16]) {
    let mut short = Lift::at_most(class, lanes, step).unwrap();
    let mut wide = short.clone();
    let mut rest = tokens;
    while !rest.is_empty() {
        let rows = rng.random_range(0..=(rest.len() / lanes.len()).min(200));
        let (now, later) = rest.split_at(rows * lanes.len());
        rest = later;
        let mut got = vec![7; rows * step + rng.random_range(0..step)];
        let mut expected = got.clone();
        let widened: Vec<u32> = now.iter().copied().map(u32::from).collect();
        wide.rows(&widened, &mut expected).unwrap();
        if rng.random_ratio(1, 4) {
            short.rows(&widened, &mut got).unwrap();
        } else {
            short.short_rows(now, &mut got).unwrap();
        }
        assert!(got == expected, "{class:?}: {rows} rows of {lanes:?}, step {step}");
    }
}

#[test]
fn equals_the_lift_of_wider_words() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let wide = Store::F32 { resolution: 0.5 };
    let shapes: [(&[Store], usize); 7] = [
        (&[GROUP; 4], 16),
        (&[GROUP; 4], 24),
        (&[GROUP; 3], 12),
        (&[GROUP, GROUP, GROUP, wide], 16),
        (&[GROUP, GROUP, Store::Skip, GROUP], 16),
        (&[GROUP; 70], 280),
        (&[wide], 4),
    ];
    for (stores, step) in shapes {
        let lanes = packed(stores);
        for (largest, nan) in
            [(127, 1_000_000), (1 << 14, 1_000_000), (u16::MAX, 300), (20_000, 3), (255, 40)]
        {
            let tokens = tokens(&mut rng, lanes.len() * 1000, largest, nan);
            for class in [Class::Scalar, Class::Avx2, Class::Avx512] {
                agree(&mut rng, class, &lanes, step, &tokens);
            }
        }
    }
}

/// Four of the largest deltas either way are the most that a sum over four points holds.
#[test]
fn the_longest_short_tokens_fit_the_sums() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for around in [16_382..=16_383, 16_383..=16_384, 16_384..=16_385, 16_382..=16_386_u16] {
        let all: Vec<u16> = (0..4 * 4000).map(|_| rng.random_range(around.clone())).collect();
        agree(&mut rng, Class::Avx512, &packed(&[GROUP; 4]), 16, &all);
        let one = vec![*around.start(); 4 * 1000];
        agree(&mut rng, Class::Avx512, &packed(&[GROUP; 4]), 16, &one);
    }
}

#[test]
fn points_of_four_floats_are_for_short_words_and_others_are_not() {
    let four = Lift::new(&packed(&[GROUP; 4]), 16).unwrap();
    // Whether the CPU has AVX-512 decides.
    assert_eq!(four.takes_short(), four.class() == Class::Avx512);
    assert!(!four.with_stores(Stores::NonTemporal).takes_short());
    assert!(!Lift::at_most(Class::Avx2, &packed(&[GROUP; 4]), 16).unwrap().takes_short());
    for (stores, step) in
        [(&[GROUP; 4][..], 20), (&[GROUP; 3], 12), (&[GROUP, GROUP, GROUP, Store::Int32], 16)]
    {
        assert!(!Lift::new(&packed(stores), step).unwrap().takes_short(), "{stores:?}");
    }
}

#[test]
fn names_the_first_marker_in_an_integer_lane() {
    let lanes = packed(&[GROUP, Store::Int16]);
    for at in [1, 63, 65, 999] {
        let mut tokens = [4_u16; 1000];
        (tokens[at], tokens[0]) = (0, 0);
        let outcome = Lift::new(&lanes, 6).unwrap().short_rows(&tokens, &mut [0; 3000]);
        assert_eq!(outcome, Err(LiftError { index: at }));
    }
}

#[test]
#[should_panic(expected = "end inside a row")]
fn refuses_half_a_row() {
    let _ = Lift::new(&packed(&[GROUP; 4]), 16).unwrap().short_rows(&[1; 130], &mut [0; 1000]);
}

#[test]
#[should_panic(expected = "fewer points")]
fn refuses_too_few_points() {
    let _ = Lift::new(&packed(&[GROUP; 4]), 16).unwrap().short_rows(&[1; 256], &mut [0; 1023]);
}
