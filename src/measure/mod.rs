//! Tasks, interleaved timing, records, ranking.

mod record;

pub use record::{CaptureFacts, Machine, Record, RunRecord};
