//! Where tokens end, counted in their bytes: what a byte below 0x80 says without decoding.

/// Bytes in the blocks that are counted at once: the sum of a block has to fit a byte.
const BLOCK: usize = 128;

/// How many tokens end in these bytes.
pub(super) fn tokens_in(bytes: &[u8]) -> usize {
    bytes.chunks(BLOCK).map(|block| usize::from(ends(block))).sum()
}

/// How many tokens end in a block.
#[inline(always)]
fn ends(block: &[u8]) -> u8 {
    block.iter().fold(0, |ends, &byte| ends + u8::from(byte < 0x80))
}

/// How many bytes the first `tokens` tokens take; all of them if there are fewer.
pub(super) fn bytes_of(bytes: &[u8], tokens: usize) -> usize {
    let mut left = tokens;
    let mut at = 0;
    at += skip::<BLOCK>(bytes, &mut left);
    at += skip::<32>(&bytes[at..], &mut left);
    at += skip::<8>(&bytes[at..], &mut left);
    at += bytes[at..]
        .iter()
        .take_while(|&&byte| {
            let more = left > 0;
            left -= usize::from(more && byte < 0x80);
            more
        })
        .count();
    at
}

/// Passes the blocks of `N` bytes in which fewer than `left` tokens end, and takes those off `left`.
#[inline(always)]
fn skip<const N: usize>(bytes: &[u8], left: &mut usize) -> usize {
    let mut at = 0;
    for block in bytes.as_chunks::<N>().0 {
        let ends = usize::from(ends(block));
        if ends >= *left {
            break;
        }
        *left -= ends;
        at += N;
    }
    at
}

/// The first zero byte that ends a token of several bytes.
#[cold]
pub(super) fn padded_end(bytes: &[u8]) -> usize {
    let pair = bytes.windows(2).position(|pair| pair[0] >= 0x80 && pair[1] == 0);
    pair.map_or(bytes.len(), |at| at + 1)
}

/// Whether a token ends in a zero byte that is not its only one: it may be a longer form of token 0, which is
/// no NaN marker.
pub(super) fn has_padded_end(bytes: &[u8]) -> bool {
    // Most windows have no zero byte at all, which is told faster than the pairs are looked at.
    let Some(first) = memchr::memchr(0, bytes) else { return false };
    let bytes = &bytes[first.saturating_sub(1)..];
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(next).fold(false, |found, (&byte, &next)| found | (byte >= 0x80 && next == 0))
}
