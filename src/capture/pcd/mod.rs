//! PCD, the Point Cloud Library's file format, versions 0.5 to 0.7: ascii, binary and binary_compressed.
//!
//! Source: the format's description at pointclouds.org ("The PCD file format"); the LZF packing of
//! binary_compressed is liblzf's. A column named `_` is padding and no field; a `COUNT` of 0 takes no room.

mod body;
mod header;
mod lzf;

use crate::{cloud::Cloud, error::Result};

/// Reads a file's bytes.
///
/// # Errors
/// Says which header line is wrong, or how many bytes the points need and how many there are.
pub fn parse(file: &[u8]) -> Result<Cloud> {
    let (header, body) = header::parse(file)?;
    let fields = header.fields()?;
    let data = body::read(&header, body)?;
    Cloud::new(fields, header.width, header.height, header.point_step, data)
}
