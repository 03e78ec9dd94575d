//! Tasks, interleaved timing, records, ranking.

pub mod clock;
pub mod contestants;
pub mod counts;
pub mod inputs;
pub mod layouts;
mod machine;
#[cfg(feature = "peers")]
mod peers;
pub mod points;
pub mod predictability;
mod quiet;
mod record;
pub mod recordings;
mod rounds;
pub mod sizes;
pub mod stream;
pub mod survey;
pub mod sweep;
pub mod tokens;
pub mod verify;

pub use record::{Cache, CaptureFacts, Machine, Record, RunRecord, SweepRow};
pub use rounds::{Times, interleave};
