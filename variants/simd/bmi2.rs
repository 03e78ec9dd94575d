//! The decoder of single windows for CPUs with PEXT: tokens of any length, one after the other, but without
//! a branch on a byte's high bit.

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use super::stride::Window;
use crate::Word;

/// Bytes that [`window`] reads: 64 for the tokens, and what a load takes from the last of them.
pub(crate) const REACH: usize = 80;

/// Decodes the tokens that lie in the first 64 bytes, at most as many as `out` has slots. Bit `p` of `more`
/// is the high bit of byte `p`, for at most 64 bytes that exist: the bits of others have to be set.
///
/// None at all means that the first token is truncated, too long or too wide.
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub(crate) fn window<W: Word>(bytes: &[u8; REACH], more: u64, out: &mut [W]) -> Window {
    let mut ends = !more;
    if ends.count_ones() as usize > out.len() {
        ends = _pdep_u64((1 << out.len()) - 1, ends);
    }
    let mut window = Window { tokens: 0, bytes: 0, long: false };
    for slot in out.iter_mut().take(ends.count_ones() as usize) {
        let first = window.bytes % 64;
        let last = ends.trailing_zeros() as usize;
        ends &= ends.wrapping_sub(1);
        let word = u64::from_le_bytes(*bytes[first..].first_chunk().unwrap());
        let length = last + 1 - first;
        let mut token = if length < 8 {
            _pext_u64(word, 0x7f7f_7f7f_7f7f_7f7f & ((1 << (8 * length)) - 1))
        } else {
            _pext_u64(word, 0x7f7f_7f7f_7f7f_7f7f)
        };
        if length > 8 {
            let tenth = if length > 9 { bytes[first + 9] } else { 0 };
            if length > 10 || tenth > 1 {
                break;
            }
            token |= u64::from(bytes[first + 8] & 0x7f) << 56 | u64::from(tenth) << 63;
        }
        let Some(token) = W::from_token(token) else { break };
        *slot = token;
        window.long |= length > 4;
        window.tokens += 1;
        window.bytes = last + 1;
    }
    window
}
