//! Instruction counts: what is counted, how the counts are read, and the gate that compares them.

mod compare;
mod csv;
mod run;

pub use compare::{Comparison, Problem, Row, compare};
pub use csv::{Baseline, BaselineRow, DEFAULT_TOLERANCE, read_baseline, write_baseline};
pub use run::{Counts, Measured, count, uncountable, valgrind_version};

use super::{
    contestants::{self, Contestant, Encoded},
    stream::{self, Arrangement},
    tokens::words,
};
use crate::{
    cloud::Resolutions,
    error::{Error, Result},
};

/// The captures that are counted: one of short tokens, one of long ones.
pub const CAPTURES: [&str; 2] = ["hdl64-rings", "os1-64-organized"];

/// Tokens of a slice: several batches of the widest kernel, and still quick under valgrind.
pub const TOKENS: usize = 16_384;

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
        let stream = stream::by_name(capture, &Resolutions::default())?;
        let tokens = stream.tokens(Arrangement::Rows).unwrap_or_default();
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
