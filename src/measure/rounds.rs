//! Interleaved rounds: all contestants in each round, in a new order, so that a machine that slows down
//! slows all of them.

use std::time::{Duration, Instant};

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use super::{
    clock::thread_time,
    quiet::{UNOPTIMISED, Watch},
};

/// A sample shorter than this is repeated within its round: the clock's own cost must not show.
const SHORTEST_SAMPLE: Duration = Duration::from_micros(200);

/// The parts that the rounds are cut into to see how far the ratios repeat.
const PARTS: usize = 5;

/// Seed of the orders; fixed, so that two runs differ by the machine alone.
const SEED: u64 = 0x001e_b128;

/// Waiting for quiet moments takes at most so many times the time that is spent in them: of few rounds, which are for
/// a quick look, and of many.
const PATIENCE: [u32; 2] = [2, 6];

/// From here on they are many.
const MANY: u32 = 20;

/// Of a contestant with fewer quiet samples, so many of the quietest count.
const FEW: usize = 7;

/// One contestant's time in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    /// Of one pass.
    nanoseconds: f64,
    /// Of the core right before and right after, the higher.
    crowding: f64,
}

/// Nanoseconds of one pass by contestant, of the samples that count, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    counted: Vec<Vec<f64>>,
    /// How many samples had the core to themselves; fewer than are counted if they were too few.
    quiet: Vec<u32>,
}

/// Runs `rounds` rounds over `contestants` ways to run `pass(contestant)` and times each.
///
/// Each sample waits for a moment in which nobody else uses the core, and is taken again if somebody came; while
/// patience lasts. Samples with company do not count in the end.
///
/// `tick` is called after each round. Each contestant has one untimed pass first.
pub fn interleave(
    contestants: usize,
    rounds: u32,
    mut pass: impl FnMut(usize),
    mut tick: impl FnMut(),
) -> Times {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut repeats = Vec::with_capacity(contestants);
    for contestant in 0..contestants {
        pass(contestant);
        let start = thread_time();
        pass(contestant);
        let took = (thread_time() - start).max(Duration::from_nanos(1));
        repeats.push(SHORTEST_SAMPLE.as_nanos().div_ceil(took.as_nanos()).clamp(1, 1000) as u32);
    }
    let mut watch = Watch::new();
    let patience_for = if UNOPTIMISED { 0 } else { PATIENCE[usize::from(rounds >= MANY)] };
    let mut patience = Duration::ZERO;
    let mut samples = vec![Vec::with_capacity(rounds as usize); contestants];
    let mut order: Vec<usize> = (0..contestants).collect();
    for _ in 0..rounds {
        order.shuffle(&mut random);
        for &contestant in &order {
            let sample = loop {
                let begun = Instant::now();
                let mut before = watch.read();
                while before > watch.limit() && begun.elapsed() < patience {
                    before = watch.read();
                }
                let quiet = Instant::now();
                if repeats[contestant] > 1 {
                    // The others have pushed its input out of the cache, and a short pass would show how far.
                    pass(contestant);
                }
                let start = thread_time();
                for _ in 0..repeats[contestant] {
                    pass(contestant);
                }
                let took = thread_time() - start;
                let crowding = before.max(watch.read());
                if crowding > watch.limit() && begun.elapsed() < patience {
                    patience -= begun.elapsed().min(patience);
                    continue;
                }
                patience = (patience + patience_for * quiet.elapsed()).saturating_sub(quiet - begun);
                let nanoseconds = took.as_nanos() as f64 / f64::from(repeats[contestant]);
                break Sample { nanoseconds, crowding };
            };
            samples[contestant].push(sample);
        }
        tick();
    }
    let limit = watch.limit();
    let is_quiet = |sample: &&Sample| sample.crowding <= limit;
    Times {
        counted: samples.iter().map(|own| counted(own, limit)).collect(),
        quiet: samples.iter().map(|own| own.iter().filter(is_quiet).count() as u32).collect(),
    }
}

/// The nanoseconds of the samples up to the limit, or of the [`FEW`] quietest if those are fewer; in their order.
fn counted(samples: &[Sample], limit: f64) -> Vec<f64> {
    let mut by_crowding: Vec<f64> = samples.iter().map(|sample| sample.crowding).collect();
    by_crowding.sort_by(f64::total_cmp);
    let few = by_crowding.get(FEW - 1).or(by_crowding.last());
    let limit = few.map_or(limit, |&few| limit.max(few));
    samples.iter().filter(|sample| sample.crowding <= limit).map(|sample| sample.nanoseconds).collect()
}

impl Times {
    /// In how many rounds the contestant had the core to itself.
    #[must_use]
    pub fn quiet(&self, contestant: usize) -> u32 {
        self.quiet[contestant]
    }

    /// The fastest that counts.
    #[must_use]
    pub fn min(&self, contestant: usize) -> f64 {
        self.counted[contestant].iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The median of those that count.
    #[must_use]
    pub fn median(&self, contestant: usize) -> f64 {
        median(&self.counted[contestant])
    }

    /// The lowest and the highest quotient of medians, `base` by `contestant`, of the five parts of what counts, each
    /// taken alone.
    #[must_use]
    pub fn spread(&self, base: usize, contestant: usize) -> (f64, f64) {
        let (base, own) = (parts(&self.counted[base]), parts(&self.counted[contestant]));
        base.zip(own)
            .map(|(base, own)| median(base) / median(own))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ratio| (low.min(ratio), high.max(ratio)))
    }
}

/// Five parts of nearly equal length; fewer if there are fewer times.
fn parts(times: &[f64]) -> impl Iterator<Item = &[f64]> {
    let parts = PARTS.min(times.len());
    (0..parts).map(move |part| &times[part * times.len() / parts..(part + 1) * times.len() / parts])
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_runs_every_contestant_and_orders_differ() {
        let mut passes = Vec::new();
        let mut ticks = 0;
        let times = interleave(3, 10, |contestant| passes.push(contestant), || ticks += 1);
        assert_eq!(ticks, 10);
        assert!(
            (0..3).all(|contestant| times.counted[contestant].len() >= FEW && times.quiet(contestant) <= 10)
        );
        let first = |contestant| passes.iter().filter(|&&pass| pass == contestant).count();
        assert!(first(0) >= 12 && first(1) >= 12 && first(2) >= 12);
    }

    #[test]
    fn statistics_are_minimum_and_median_and_those_of_fifths() {
        let base = vec![10.0; 10];
        let own = vec![5.0, 6.0, 2.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0];
        let times = Times { counted: vec![base, own], quiet: vec![4, 10] };
        assert_eq!((times.quiet(1), times.min(1), times.median(1)), (10, 2.0, 5.0));
        // Fifths have two samples each; their medians are 5.5, 3, 5, 5, 7.
        assert_eq!(times.spread(0, 1), (10.0 / 7.0, 10.0 / 3.0));
    }

    #[test]
    fn fifths_of_few_samples_and_of_different_numbers_of_them_still_pair() {
        let times =
            Times { counted: vec![vec![4.0, 8.0, 8.0], vec![2.0; 7], vec![1.0]], quiet: vec![3, 2, 0] };
        assert_eq!(times.spread(0, 1), (2.0, 4.0));
        assert_eq!(times.spread(0, 2), (4.0, 4.0));
    }

    #[test]
    fn samples_with_company_do_not_count_unless_nearly_all_have_it() {
        let samples = |crowding: &[f64]| -> Vec<Sample> {
            let sample = |(index, &crowding): (usize, &f64)| Sample { nanoseconds: index as f64, crowding };
            crowding.iter().enumerate().map(sample).collect()
        };
        let mut crowding = [1.0, 1.1, 1.12, 1.0, 1.0, 1.0, 1.0, 1.14, 2.0, 1.2];
        assert_eq!(counted(&samples(&crowding), 1.15), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        (crowding[0], crowding[1], crowding[2]) = (1.25, 1.3, 1.4);
        // Five are quiet, so the next two count as well.
        assert_eq!(counted(&samples(&crowding), 1.15), [0.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0]);
        assert_eq!(counted(&samples(&[5.0, 6.0]), 1.15), [0.0, 1.0]);
    }
}
