//! Token streams of captures: what the tokens task decodes.

use variants::layout::leb128;

use super::record::CaptureFacts;
pub use crate::cloud::Arrangement;
use crate::{
    capture::{self, Capture, synthetic},
    cloud::{Cloud, Resolutions, tokens},
    error::{Error, Result},
};

/// Fewer tokens than this let the branch predictor learn the stream by heart: such a capture is measured,
/// marked short and left out of every aggregate.
pub const LONG_ENOUGH: usize = 65_536;

/// Tokens of a synthetic stream.
const SYNTHETIC_TOKENS: usize = 8 * LONG_ENOUGH;

/// A capture's tokens, chunk after chunk.
#[derive(Clone, Debug)]
pub struct Stream {
    /// What a reader should know of it.
    pub facts: CaptureFacts,
    /// In rows.
    rows: Vec<u64>,
    /// In columns; `None` where there are no fields to tell apart.
    columns: Option<Vec<u64>>,
    /// The points, with their resolutions set; `None` for a synthetic stream.
    pub cloud: Option<Cloud>,
}

impl Stream {
    /// The tokens of a capture.
    ///
    /// # Errors
    /// If a value cannot be stored on the grid.
    pub fn of_capture(capture: Capture, resolutions: &Resolutions) -> Result<Self> {
        let cloud = resolutions.apply(capture.cloud);
        let rows = tokens::rows(&cloud).map_err(|error| Error::from(error).within(&capture.name))?.concat();
        let columns =
            tokens::columns(&cloud).map_err(|error| Error::from(error).within(&capture.name))?.concat();
        let given = capture.facts;
        let facts = CaptureFacts {
            name: capture.name,
            sensor: given.sensor,
            scene: given.scene,
            order: given.order,
            fields: given.fields,
            source: given.source,
            licence: given.licence,
            ..CaptureFacts::of_tokens(&rows)
        };
        Ok(Self::recorded(facts, rows, columns.concat(), cloud))
    }

    /// A stream of tokens that were taken from this cloud or, if it is several put together, from its parts.
    pub(super) fn recorded(facts: CaptureFacts, rows: Vec<u64>, columns: Vec<u64>, cloud: Cloud) -> Self {
        let facts = CaptureFacts { points: cloud.points() as u64, ..facts };
        Self { facts, rows, columns: Some(columns), cloud: Some(cloud) }
    }

    /// A made-up stream, or `None` if there is none of that name.
    #[must_use]
    pub fn synthetic(name: &str) -> Option<Self> {
        let rows = synthetic::tokens(name, SYNTHETIC_TOKENS)?;
        let facts = CaptureFacts {
            name: name.to_owned(),
            sensor: "none: synthetic".into(),
            scene: "none: synthetic".into(),
            order: "none: synthetic".into(),
            fields: "none: tokens".into(),
            source: format!("rand, Xoshiro256PlusPlus, seed {}", synthetic::SEED),
            licence: "of this project".into(),
            synthetic: true,
            ..CaptureFacts::of_tokens(&rows)
        };
        Some(Self { facts, rows, columns: None, cloud: None })
    }

    /// The tokens in an arrangement, if the stream has it.
    #[must_use]
    pub fn tokens(&self, arrangement: Arrangement) -> Option<&[u64]> {
        match arrangement {
            Arrangement::Rows => Some(&self.rows),
            Arrangement::Columns => self.columns.as_deref(),
        }
    }
}

impl CaptureFacts {
    /// The facts that the tokens themselves tell; words are empty.
    #[must_use]
    pub fn of_tokens(tokens: &[u64]) -> Self {
        let mut lengths = [0_u64; leb128::MAX_BYTES];
        for &token in tokens {
            lengths[leb128::token_bytes(token) - 1] += 1;
        }
        let count = tokens.len().max(1) as f64;
        let bytes: u64 = lengths.iter().zip(1..).map(|(count, bytes)| count * bytes).sum();
        Self {
            name: String::new(),
            sensor: String::new(),
            scene: String::new(),
            order: String::new(),
            fields: String::new(),
            source: String::new(),
            licence: String::new(),
            synthetic: false,
            short: tokens.len() < LONG_ENOUGH,
            points: 0,
            tokens: tokens.len() as u64,
            bytes_per_token: bytes as f64 / count,
            length_shares: lengths.map(|tokens| tokens as f64 / count),
        }
    }
}

/// All bundled captures, in table order.
///
/// # Errors
/// If their packages are not at hand.
pub fn bundled(resolutions: &Resolutions) -> Result<Vec<Stream>> {
    let load = |name: &&str| Stream::of_capture(capture::bundled(name)?, resolutions);
    capture::BUNDLED.iter().map(load).collect()
}

/// The stream of a bundled capture or a synthetic one.
///
/// # Errors
/// If there is none of that name, or its package is not at hand.
pub fn by_name(name: &str, resolutions: &Resolutions) -> Result<Stream> {
    if capture::BUNDLED.contains(&name) {
        return Stream::of_capture(capture::bundled(name)?, resolutions);
    }
    Stream::synthetic(name).ok_or_else(|| {
        Error::input(format!(
            "no capture is named {name}; there are {} and the synthetic {}; a file of your own goes after --data",
            capture::BUNDLED.join(", "),
            synthetic::NAMES.join(", ")
        ))
    })
}
