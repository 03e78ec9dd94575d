//! Asking for the lines that are stored to next: a store to a line that is not in the L1 cache waits for it, and once
//! the store buffer is full of those, so does everything else.

use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// How far ahead of the stores, in bytes: farther ones are dropped again where windows are short.
const AHEAD: usize = 512;

/// Asks for the lines that many bytes are going to be stored to after those from `at` on. That is no access: the
/// lines need not be anyone's.
#[inline(always)]
pub(super) fn ask_ahead(at: *const u8, bytes: usize) {
    for line in (0..bytes).step_by(64) {
        // SAFETY: a prefetch reads nothing and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD + line).cast()) };
    }
}
