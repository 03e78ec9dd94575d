//! The layouts: how a run of tokens becomes bytes.

pub mod leb128;

pub use leb128::Leb128;
