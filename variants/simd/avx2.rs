//! AVX2 pieces: the mask of high bits, guarded stores, and the decoder of single windows.

use core::arch::x86_64::{
    __m256i, _mm256_cvtepu8_epi32, _mm256_cvtepu8_epi64, _mm256_movemask_epi8, _mm256_storeu_si256,
    _mm256_stream_si256,
};

use super::{bmi2, stride::Window};
use crate::Word;

/// The high bits of 64 bytes.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn high_bits(block: &[u8; 64]) -> u64 {
    let [low, high]: [__m256i; 2] = pulp::cast(*block);
    u64::from(_mm256_movemask_epi8(low) as u32) | u64::from(_mm256_movemask_epi8(high) as u32) << 32
}

/// Stores a vector over `slots`, which it has to fill. With `STREAM` it goes past the caches if the slots
/// are half a cache line.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn put<const STREAM: bool, W: Word, const N: usize>(slots: &mut [W; N], vector: __m256i) {
    assert!(size_of_val(slots) == 32);
    let to = slots.as_mut_ptr().cast::<__m256i>();
    if STREAM && to.is_aligned() {
        // SAFETY: the slots are 32 bytes and aligned to as many, as tested above.
        unsafe { _mm256_stream_si256(to, vector) }
    } else {
        // SAFETY: the slots are 32 bytes, as tested above.
        unsafe { _mm256_storeu_si256(to, vector) }
    }
}

/// Writes groups of one-byte tokens as long as there are any.
#[target_feature(enable = "avx2")]
#[inline(never)]
pub(crate) fn ones<const STREAM: bool, W: Word>(data: &mut &[u8], slots: &mut [W]) -> usize {
    let mut written = 0;
    for slots in slots.as_chunks_mut::<32>().0 {
        let Some(&bytes) = data.first_chunk::<32>() else { break };
        if _mm256_movemask_epi8(pulp::cast(bytes)) != 0 {
            break;
        }
        if W::BYTES == 4 {
            for (bytes, slots) in bytes.as_chunks().0.iter().zip(slots.as_chunks_mut().0) {
                let eight = pulp::cast(u128::from(u64::from_le_bytes(*bytes)));
                put::<STREAM, W, 8>(slots, _mm256_cvtepu8_epi32(eight));
            }
        } else {
            for (bytes, slots) in bytes.as_chunks().0.iter().zip(slots.as_chunks_mut().0) {
                let four = pulp::cast(u128::from(u32::from_le_bytes(*bytes)));
                put::<STREAM, W, 4>(slots, _mm256_cvtepu8_epi64(four));
            }
        }
        *data = &data[32..];
        written += 32;
    }
    written
}

/// Decodes tokens of any length out of the first 64 bytes of `data`: see [`bmi2::window`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline(never)]
pub(crate) fn window<W: Word>(data: &[u8], out: &mut [W]) -> Window {
    let mut padded = [0x80; bmi2::REACH];
    let bytes = match data.first_chunk() {
        Some(bytes) => bytes,
        None => {
            padded[..data.len()].copy_from_slice(data);
            &padded
        }
    };
    let block = bytes.first_chunk().unwrap();
    let large = block.map(|byte| byte | if byte > 1 { 0x80 } else { 0 });
    bmi2::window(bytes, high_bits(block), high_bits(&large), out)
}
