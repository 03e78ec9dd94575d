//! The decoder of single windows for CPUs with PEXT: tokens of any length, one after the other, but without
//! a branch on a byte's high bit.

use core::arch::x86_64::{_bzhi_u32, _bzhi_u64, _pdep_u64, _pext_u32, _pext_u64};

use super::stride::Window;
use crate::Word;

/// Bytes that [`window`] reads: 64 for the tokens, and what a load takes from the last of them.
pub(crate) const REACH: usize = 80;

/// Decodes the tokens that lie in the first 64 bytes, at most as many as `out` has slots. Bit `p` of `more`
/// is the high bit of byte `p`, and bit `p` of `large` says that it is more than 1; of bytes that do not
/// exist, the bits have to be set.
///
/// None at all means that the first token is truncated, too long or too wide.
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub(crate) fn window<W: Word>(bytes: &[u8; REACH], more: u64, large: u64, out: &mut [W]) -> Window {
    // Bit p: the k bytes that end at p all say that more follow.
    let more2 = more & more << 1;
    let more4 = more2 & more2 << 2;
    let more8 = more4 & more4 << 4;
    let excess = (more8 & more << 8) << 1 & large;
    // Only what lies before the first tenth byte that is too large.
    let mut ends = !more & (excess & excess.wrapping_neg()).wrapping_sub(1);
    if ends.count_ones() as usize > out.len() {
        ends = _pdep_u64((1 << out.len()) - 1, ends);
    }
    let long = more4 << 1 & ends != 0;
    let (tokens, used) =
        if more8 == 0 { each::<false, W>(bytes, ends, out) } else { each::<true, W>(bytes, ends, out) };
    Window { tokens, bytes: used, long }
}

/// Decodes the tokens whose last bytes are at `ends`. They have nine bytes or more only if `LONGEST`.
/// Returns how many fit their slots, and the bytes that these take.
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
#[inline]
fn each<const LONGEST: bool, W: Word>(bytes: &[u8; REACH], mut ends: u64, out: &mut [W]) -> (usize, usize) {
    let mut first = 0;
    let count = ends.count_ones() as usize;
    for (index, slot) in out.iter_mut().take(count).enumerate() {
        let next = ends.trailing_zeros() as usize + 1;
        ends &= ends.wrapping_sub(1);
        let bits = 8 * (next - first) as u32;
        // The remainder changes nothing; it spares the check.
        let (word, behind) = bytes[first % 64..][..10].split_at(8);
        let word = u64::from_le_bytes(word.try_into().unwrap());
        let mut token = _pext_u64(word, _bzhi_u64(0x7f7f_7f7f_7f7f_7f7f, bits));
        if LONGEST {
            let behind = u16::from_le_bytes(behind.try_into().unwrap());
            let top = _pext_u32(behind.into(), _bzhi_u32(0x17f, bits.saturating_sub(64)));
            token |= u64::from(top) << 56;
        }
        match W::from_token(token) {
            Some(token) => *slot = token,
            None => return (index, first),
        }
        first = next;
    }
    (count, first)
}
