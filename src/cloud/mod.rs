//! cloudini's path from points to bytes and back.

mod error;
mod plan;
mod quantise;
mod schema;
pub mod tokens;

pub use error::{CloudError, CloudErrorKind};
pub use plan::{CHUNK_POINTS, Codec, Mode, Plan, Span, Step};
pub use schema::{Cloud, Field, FieldType, byte_count, check_fields};
