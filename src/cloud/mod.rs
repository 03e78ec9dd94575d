//! cloudini's path from points to bytes and back.

mod schema;

pub use schema::{Cloud, Field, FieldType, byte_count, check_fields};
