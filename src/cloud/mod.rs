//! cloudini's path from points to bytes and back.

mod block;
mod bulk;
mod by_class;
mod chunk;
mod container;
mod converted;
mod decode;
mod encode;
mod error;
mod gorilla;
mod header;
mod kept;
mod lines;
mod mixed;
mod path;
mod plan;
mod quantise;
mod read;
mod resolution;
mod schema;
mod sections;
pub mod tokens;

pub use container::{
    Arrangement, ContainerHeader, PreparedContainer, decode_container, encode_container,
    read_container_header,
};
pub use decode::{MAX_POINT_STEP, Prepared, decode, decode_on};
pub use encode::{EncodeOptions, encode};
pub use error::{CloudError, CloudErrorKind};
pub use header::{Compression, Header, VERSIONS, read_header, write_header};
pub use path::{Path, decode_chunk};
pub use plan::{CHUNK_POINTS, Codec, Mode, Plan, Span, Step};
pub use resolution::{DEFAULT_RESOLUTION, Resolutions};
pub use schema::{Cloud, Field, FieldType, byte_count, check_fields, check_step};
