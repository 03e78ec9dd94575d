//! The layouts: how a run of tokens becomes bytes.

pub mod leb128;
pub mod raw;
pub mod stream_vbyte;

pub use leb128::Leb128;
pub use raw::Raw;
pub use stream_vbyte::StreamVbyte;
