//! LZF, the byte-wise dictionary packing of liblzf, here only unpacked.
//!
//! A control byte below 32 copies that many bytes and one more from the input. Otherwise its high three bits
//! are a length less 2 (if they are 7, the next byte is added), its low five and the following byte are a
//! distance back less 1.

use crate::error::{Error, Result};

/// The longest copy, from an instruction of three bytes.
const MAX_COPY: usize = 7 + 255 + 2;
/// What a packed byte can unpack to at most.
const MAX_RATIO: usize = MAX_COPY.div_ceil(3);

/// Unpacks to exactly `length` bytes.
pub(super) fn unpack(packed: &[u8], length: usize) -> Result<Vec<u8>> {
    // `length` is the file's claim: reserve no more than its bytes can prove.
    let mut unpacked = Vec::with_capacity(length.min(packed.len().saturating_mul(MAX_RATIO)));
    let mut rest = packed;
    while let Some((&control, tail)) = rest.split_first() {
        if control < 32 {
            let (literals, tail) = tail.split_at_checked(usize::from(control) + 1).ok_or_else(cut_off)?;
            unpacked.extend_from_slice(literals);
            rest = tail;
        } else {
            let (extra, tail) = match control >> 5 {
                7 => {
                    tail.split_first().map(|(&extra, tail)| (usize::from(extra), tail)).ok_or_else(cut_off)?
                }
                _ => (0, tail),
            };
            let (&low, tail) = tail.split_first().ok_or_else(cut_off)?;
            let count = usize::from(control >> 5) + extra + 2;
            let distance = (usize::from(control & 31) << 8) + usize::from(low) + 1;
            let start = unpacked.len().checked_sub(distance).ok_or_else(|| {
                Error::input(format!(
                    "the compressed points refer to {distance} bytes back, but only {} are unpacked",
                    unpacked.len()
                ))
            })?;
            // Byte by byte: the copy may run into what it has just written.
            for from in start..start + count {
                unpacked.push(unpacked[from]);
            }
            rest = tail;
        }
        if unpacked.len() > length {
            return Err(Error::input(format!("the compressed points unpack to more than {length} bytes")));
        }
    }
    if unpacked.len() < length {
        return Err(Error::input(format!(
            "the compressed points unpack to {} bytes instead of {length}",
            unpacked.len()
        )));
    }
    Ok(unpacked)
}

fn cut_off() -> Error {
    Error::input("the compressed points are cut off inside an LZF instruction")
}
