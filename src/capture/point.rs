//! Writing values into a point's bytes.

/// Writes a value's little-endian bytes at its field's offset.
pub(super) fn put<const N: usize>(point: &mut [u8], offset: usize, value: [u8; N]) {
    point[offset..offset + N].copy_from_slice(&value);
}
