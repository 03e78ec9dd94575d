//! What the vector kernels share: no variant of its own, and no loop that decides a ranking.

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod bmi2;
pub(crate) mod codes;
pub(crate) mod masked;
pub(crate) mod planes;
pub(crate) mod stride;
pub(crate) mod tables;

use crate::{DecodeError, ErrorKind, layout::leb128::decode_token};

/// The error of a token that a kernel could not decode, found by the plain decoder.
#[cold]
pub(crate) fn refusal(data: &[u8], index: usize) -> DecodeError {
    // A token that the plain decoder takes was refused for its size.
    let kind = decode_token(data).err().unwrap_or(ErrorKind::Wide);
    DecodeError { kind, index }
}
