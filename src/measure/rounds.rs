//! Interleaved rounds: all contestants in each round, in a new order, so that a machine that slows down
//! slows all of them.

use std::time::Duration;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};

use super::clock::thread_time;

/// A sample shorter than this is repeated within its round: the clock's own cost must not show.
const SHORTEST_SAMPLE: Duration = Duration::from_micros(200);

/// The parts that the rounds are cut into to see how far the ratios repeat.
const PARTS: usize = 5;

/// Seed of the orders; fixed, so that two runs differ by the machine alone.
const SEED: u64 = 0x001e_b128;

/// Nanoseconds of one pass, by contestant and round.
#[derive(Clone, Debug, PartialEq)]
pub struct Times(Vec<Vec<f64>>);

/// Runs `rounds` rounds over `contestants` ways to run `pass(contestant)` and times each.
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
    let mut times = vec![Vec::with_capacity(rounds as usize); contestants];
    let mut order: Vec<usize> = (0..contestants).collect();
    for _ in 0..rounds {
        order.shuffle(&mut random);
        for &contestant in &order {
            let start = thread_time();
            for _ in 0..repeats[contestant] {
                pass(contestant);
            }
            let took = thread_time() - start;
            times[contestant].push(took.as_nanos() as f64 / f64::from(repeats[contestant]));
        }
        tick();
    }
    Times(times)
}

impl Times {
    /// The fastest round.
    #[must_use]
    pub fn min(&self, contestant: usize) -> f64 {
        minimum(&self.0[contestant])
    }

    /// The median round.
    #[must_use]
    pub fn median(&self, contestant: usize) -> f64 {
        let mut sorted = self.0[contestant].clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
    }

    /// The lowest and the highest ratio of minima, `base` to `contestant`, of the five parts of the rounds,
    /// each taken alone.
    #[must_use]
    pub fn spread(&self, base: usize, contestant: usize) -> (f64, f64) {
        let rounds = self.0[contestant].len();
        let size = rounds.div_ceil(PARTS).max(1);
        let ratios = self.0[base].chunks(size).zip(self.0[contestant].chunks(size));
        ratios
            .map(|(base, own)| minimum(base) / minimum(own))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), ratio| (low.min(ratio), high.max(ratio)))
    }
}

fn minimum(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
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
        assert!(times.0.iter().all(|rounds| rounds.len() == 10));
        let first = |contestant| passes.iter().filter(|&&pass| pass == contestant).count();
        assert!(first(0) >= 12 && first(1) >= 12 && first(2) >= 12);
    }

    #[test]
    fn statistics_are_minimum_median_and_fifths() {
        let base = vec![10.0; 10];
        let own = vec![5.0, 6.0, 2.0, 4.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0];
        let times = Times(vec![base, own]);
        assert_eq!(times.min(1), 2.0);
        assert_eq!(times.median(1), 5.0);
        // Fifths have two rounds each; their minima are 5, 2, 5, 5, 5.
        assert_eq!(times.spread(0, 1), (2.0, 5.0));
    }
}
