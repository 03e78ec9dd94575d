//! Instruction counts: what is counted, how the counts are read, and the gate that compares them.

mod compare;
mod csv;
mod run;

pub use compare::{Comparison, Problem, Row, compare};
pub use csv::{Baseline, BaselineRow, DEFAULT_TOLERANCE, read_baseline, write_baseline};
pub use run::{Counts, Measured, count, uncountable, valgrind_version};

use super::{
    contestants::{self, Contestant, Encoded},
    tokens::words,
};
use crate::{
    capture::bundled,
    cloud::{DEFAULT_RESOLUTION, tokens},
    error::{Error, Result},
};

/// Tokens of a slice: several batches of the widest kernel, and still quick under valgrind.
pub const TOKENS: usize = 16_384;

/// Points that surely hold as many tokens.
const POINTS: usize = TOKENS / 3;

/// One variant with the slice it decodes.
pub struct Counted {
    contestant: Contestant,
    encoded: Encoded,
    out: Vec<u32>,
}

impl Counted {
    /// The beginning of a bundled capture's rows, encoded in the variant's layout.
    ///
    /// # Errors
    /// If the variant is not registered or does not run here, or the capture cannot be read.
    pub fn prepare(variant: &str, capture: &str) -> Result<Self> {
        let contestant = contestants::all()
            .into_iter()
            .find(|contestant| contestant.name == variant && contestant.runs_here)
            .ok_or_else(|| Error::input(format!("{variant} does not run here")))?;
        // Cut before anything else is done with it: this runs under valgrind, too.
        let mut cloud = bundled(capture)?.cloud.with_resolution(DEFAULT_RESOLUTION);
        let points = POINTS.min(cloud.points());
        cloud.data.truncate(points * cloud.point_step);
        (cloud.width, cloud.height) = (points as u32, 1);
        let tokens = tokens::rows(&cloud)?.concat();
        let words = words::<u32>(&tokens[..TOKENS.min(tokens.len())])?;
        let encoded = (contestant.u32.encode)(&words, TOKENS);
        Ok(Self { contestant, encoded, out: vec![0; words.len()] })
    }

    /// What is counted: one decode of the slice. Hands itself back, so that dropping it is not.
    ///
    /// # Panics
    /// If the variant refuses its own layout's encoding.
    #[must_use]
    pub fn run(mut self) -> Self {
        let decoded = (self.contestant.u32.decode_over)(std::hint::black_box(&self.encoded), &mut self.out);
        assert_eq!(decoded, Ok(()));
        std::hint::black_box(&self.out);
        self
    }
}
