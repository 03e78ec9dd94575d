//! The lab's own container: the same points as cloudini's version 4 in mode LOSSY, their tokens in another layout.
//!
//! Everything is little endian. A file is a header and chunks of [`CHUNK_POINTS`](super::CHUNK_POINTS) points,
//! the last one with the rest.
//!
//! | header | bytes |
//! |---|---|
//! | magic `VARINTLAB_`, two ASCII digits of the version, `01` | 12 |
//! | the layout's name: its length, its bytes | 1, length |
//! | arrangement: 0 rows, 1 columns | 1 |
//! | stage 2: 0 none, 1 LZ4, 2 ZSTD | 1 |
//! | width, height, point step | 4 each |
//! | number of fields | 2 |
//! | of each field: its name's length, its name, offset, type, resolution (not above 0: exact) | 2, length, 4, 1, 4 |
//!
//! A chunk is its length (4 bytes) and as many bytes, behind stage 2: parts, each a length (4 bytes) and as many
//! bytes, and nothing behind the last one.
//!
//! * The token fields come first. In `rows` they are one part: one run of the layout over all their tokens, point
//!   after point, the fields interleaved. In `columns` each is a part and a run of its own. Tokens are
//!   cloudini's: deltas restart with each chunk and are zigzagged, plus one; 0 is NaN.
//! * Then a part for each other field, in the fields' order: 8-bit integers and FLOAT32 without a resolution as
//!   they are, value after value; FLOAT64 without a resolution as version 4 packs it (the XOR with the previous
//!   value, padded to whole bytes), value after value. A repeated value is one byte then, which raw columns of
//!   timestamps would not have.
//!
//! Fields that share bytes of the point are refused: which of them is stored last would depend on the
//! arrangement.

mod buffers;
mod chunk;
mod decode;
mod encode;
mod header;
mod windows;

pub use decode::{PreparedContainer, decode_container};
pub use encode::encode_container;
pub(super) use header::MAGIC;
pub use header::{ContainerHeader, read_container_header};

use super::{CloudError, CloudErrorKind, Field, Mode, Plan};

/// How points times fields are cut into runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
#[repr(u8)]
pub enum Arrangement {
    /// Point after point, the fields interleaved, as cloudini V4.
    Rows = 0,
    /// Field after field inside each chunk.
    Columns = 1,
}

impl Arrangement {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Rows, Self::Columns];

    /// `rows` or `columns`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Columns => "columns",
        }
    }
}

/// The codecs are those of version 4.
const CODECS_OF: u8 = 4;

/// How the fields of a container are coded.
///
/// # Errors
/// As [`Plan::new`], and `Header` if fields share bytes of the point.
fn plan_of(fields: &[Field], point_step: usize) -> Result<Plan, CloudError> {
    let plan = Plan::new(fields, point_step, CODECS_OF, Mode::Lossy)?;
    if plan.rows_overlap {
        let what = "fields share bytes of the point: only cloudini's own format can store them";
        return Err(CloudError::new(CloudErrorKind::Header, what));
    }
    Ok(plan)
}
