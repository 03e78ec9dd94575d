//! Tells the moments in which somebody else used the same core.
//!
//! A virtual CPU is often one of two hardware threads of a core. While the other one works, this one's decoders take
//! up to twice as long, some more than others, and the thread's CPU time does not show it. Two short loops do: a
//! chain, in which every operation waits for the last and which hardly notices company, and independent operations,
//! which have to share the ports. Their quotient, the crowding, does not depend on the clock speed.

use std::{
    hint::black_box,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::clock::thread_time;

/// In such a build no figure means anything, so nobody should wait for one.
pub(super) const UNOPTIMISED: bool = cfg!(debug_assertions);

/// How far above the lowest crowding a quiet moment may be. Where this was made, quiet moments lie within 1 % of each
/// other, and company starts 6 % above them.
const QUIET: f64 = 1.05;

/// So large a share of the readings has to be next to each other to be the lowest: single ones are lower when the clock
/// speed changes between the two loops.
const CLUSTER: f64 = 0.005;

/// How long a process looks for the lowest crowding before it measures anything, at least and at most. It looks on
/// while there is no [`CALM`]: moments with company last for up to some tenths of a second.
const LOOK: [Duration; 2] = match UNOPTIMISED {
    true => [Duration::ZERO; 2],
    false => [Duration::from_millis(250), Duration::from_secs(2)],
};

/// Quiet moments are all alike and those with company are not: if so large a share of the readings is next to the
/// lowest, that one was quiet.
const CALM: f64 = 0.05;

/// What is next to the lowest, as a multiple.
const ALIKE: f64 = 1.01;

/// From so many readings on, their lowest is as good as that of the first look.
const MANY: usize = 1000;

/// Each loop is timed so many times and the fastest counts: an interrupt must not look like company.
const TRIES: u64 = 3;

/// Rounds of either loop: some microseconds.
const STEPS: u64 = if UNOPTIMISED { 50 } else { 2000 };

/// The lowest crowding of this process: how quiet a CPU gets does not change with what is measured.
static LOWEST: Mutex<Option<f64>> = Mutex::new(None);

/// Reads the crowding and knows what is quiet on this CPU.
#[derive(Debug)]
pub(super) struct Watch {
    lowest: f64,
    readings: Vec<f64>,
}

impl Watch {
    /// Looks at the core for a while if this process has not yet.
    pub(super) fn new() -> Self {
        let mut known = LOWEST.lock().unwrap_or_else(PoisonError::into_inner);
        let lowest = *known.get_or_insert_with(|| {
            let start = Instant::now();
            let mut readings = vec![crowding()];
            for least in [LOOK[0], LOOK[1] / 4, LOOK[1] / 2, LOOK[1]] {
                while start.elapsed() < least {
                    readings.push(crowding());
                }
                if calm(&mut readings) {
                    break;
                }
            }
            lowest(&mut readings)
        });
        Self { lowest, readings: Vec::new() }
    }

    /// How much the core is shared right now: what independent operations take, as a multiple of what a chain takes.
    pub(super) fn read(&mut self) -> f64 {
        let reading = crowding();
        self.readings.push(reading);
        if self.readings.len() == MANY {
            self.lowest = self.lowest.min(lowest(&mut self.readings));
            self.readings.clear();
            *LOWEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.lowest);
        }
        reading
    }

    /// The highest crowding that counts as quiet, by all that is known so far.
    pub(super) fn limit(&self) -> f64 {
        QUIET * self.lowest
    }
}

/// The lowest of at least one reading that has enough of them next to it, or the middle one if none has.
fn lowest(readings: &mut [f64]) -> f64 {
    clustered(readings, CLUSTER).unwrap_or(readings[readings.len() / 2])
}

/// Whether a low reading is one of many alike.
fn calm(readings: &mut [f64]) -> bool {
    let lowest = lowest(readings);
    clustered(readings, CALM).is_some_and(|calm| calm < QUIET * lowest)
}

/// The lowest reading that has this share of all next to it; sorts them.
fn clustered(readings: &mut [f64], share: f64) -> Option<f64> {
    readings.sort_unstable_by(f64::total_cmp);
    let least = ((readings.len() as f64 * share) as usize).max(1);
    let alike = |window: &&[f64]| window[least - 1] <= ALIKE * window[0];
    readings.windows(least).find(alike).map(|window| window[0])
}

fn crowding() -> f64 {
    fastest(independent) / fastest(chain)
}

/// Nanoseconds, at least one.
fn fastest(steps: fn(u64) -> u64) -> f64 {
    let tries = (0..TRIES).map(|seed| {
        let start = thread_time();
        black_box(steps(black_box(seed)));
        (thread_time() - start).as_nanos()
    });
    tries.min().unwrap_or(0).max(1) as f64
}

#[inline(never)]
fn chain(seed: u64) -> u64 {
    // The factor depends on the value, or the compiler would multiply factors beforehand.
    (0..STEPS).fold(seed, |value, _| value.wrapping_mul(value | 1))
}

#[inline(never)]
fn independent(seed: u64) -> u64 {
    let mut values = [0, 1, 2, 3, 4, 5, 6, 7].map(|offset: u64| seed ^ offset);
    for step in 0..STEPS {
        for value in &mut values {
            *value = value.rotate_left(7) ^ step;
        }
    }
    values.iter().fold(0, |all, value| all ^ value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_numbers_and_the_limit_only_falls() {
        let mut watch = Watch::new();
        let first = watch.limit();
        for _ in 0..=MANY {
            let reading = watch.read();
            assert!(reading.is_finite() && reading > 0.0);
        }
        assert!(watch.limit() > 0.0 && watch.limit() <= first);
        assert_eq!(watch.readings.len(), 1);
    }

    #[test]
    fn a_few_strays_are_not_the_lowest() {
        let mut readings = vec![1.2; 1990];
        readings.extend((1..=10).map(|index| 0.1 * f64::from(index)));
        assert_eq!(lowest(&mut readings), 1.2);
        assert!(calm(&mut readings));
        assert_eq!(lowest(&mut [1.5]), 1.5);
        let mut spread: Vec<f64> = (0..200).map(|index| 1.0 + f64::from(index) / 200.0).collect();
        assert!(!calm(&mut spread));
    }
}
