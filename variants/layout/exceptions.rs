//! Outliers beside the data, as patched coding has them: the data keeps a token's low bits, a list holds the
//! index of the token and its remaining, high bits.
//!
//! An entry is the index as a little-endian `u32`, counted from the run's first token, and `HIGH` bytes with
//! the high bits. Indexes rise strictly and no high part is 0: each list has one spelling.
//!
//! **Which error wins.** The list is read token by token, together with the tokens. At each token its front
//! entry is looked at: fewer bytes than an entry are `Truncated`; an index below the token's, which is an
//! unsorted or a repeated one, is `Malformed`; an index above the token's leaves the token as it is; the
//! token's own index takes the entry, and then a high part of 0 is `Malformed`. Behind that come the layout's
//! check that the token has the longest code (`Malformed`) and the fit into the output word (`Wide`). All of
//! it happens after the token's control bits and data were found to be there, so `Truncated` for those comes
//! first, and an earlier token's error always wins over a later one's.

use alloc::vec::Vec;

use super::leb128::{decode_token, encode_token};
use crate::{DecodeError, ErrorKind, Run, Word};

/// Bytes of an entry's index.
const INDEX: usize = 4;

/// The list of a layout whose high parts take `HIGH` bytes; the data holds the other `8 - HIGH`.
pub(crate) struct Exceptions<const HIGH: usize>;

impl<const HIGH: usize> Exceptions<HIGH> {
    /// Bits of a token that its data can hold.
    pub(crate) const LOW_BITS: usize = 64 - 8 * HIGH;
    const ENTRY: usize = INDEX + HIGH;

    /// Appends an entry if the token has bits above [`Self::LOW_BITS`].
    ///
    /// # Panics
    /// If an outlier's index does not fit a `u32`.
    pub(crate) fn push(list: &mut Vec<u8>, index: usize, token: u64) {
        let high = token >> Self::LOW_BITS;
        if high != 0 {
            let index = u32::try_from(index).expect("a run's outliers are among its first 2^32 tokens");
            list.extend_from_slice(&index.to_le_bytes());
            list.extend_from_slice(&high.to_le_bytes()[..HIGH]);
        }
    }

    /// Appends control, the number of entries as LEB128, the entries and the data; nothing for no tokens.
    pub(crate) fn join(control: &[u8], list: &[u8], data: &[u8], bytes: &mut Vec<u8>) {
        if control.is_empty() {
            return;
        }
        bytes.extend_from_slice(control);
        encode_token((list.len() / Self::ENTRY) as u64, bytes);
        bytes.extend_from_slice(list);
        bytes.extend_from_slice(data);
    }

    /// What [`Self::join`] joined, for `count` tokens whose control bytes hold `per_byte` codes each.
    ///
    /// # Errors
    /// `Truncated` at the first token without a code, or at token 0 if the list's length or its entries are
    /// not all there. `Malformed` at `count` for control bits other than 0 behind the last token, since the
    /// count is then not the one that was encoded; and for an index that does not rise or is `count` or more,
    /// at the first token that the entry could belong to.
    pub(crate) fn split(bytes: &[u8], count: usize, per_byte: usize) -> Result<Run<'_>, DecodeError> {
        if count == 0 {
            return Ok(Run::of_data(bytes));
        }
        let error = |kind, index| DecodeError { kind, index };
        let (control, rest) = bytes
            .split_at_checked(count.div_ceil(per_byte))
            .ok_or_else(|| error(ErrorKind::Truncated, bytes.len() * per_byte))?;
        let unused = control.last().map_or(0, |&last| {
            let used = 8 / per_byte * ((count - 1) % per_byte + 1);
            u32::from(last) >> used
        });
        if unused != 0 {
            return Err(error(ErrorKind::Malformed, count));
        }
        let (entries, used) = decode_token(rest).map_err(|kind| match kind {
            ErrorKind::Overflow => error(ErrorKind::Malformed, 0),
            kind => error(kind, 0),
        })?;
        let rest = &rest[used..];
        let (exceptions, data) = usize::try_from(entries)
            .ok()
            .and_then(|entries| entries.checked_mul(Self::ENTRY))
            .and_then(|length| rest.split_at_checked(length))
            .ok_or_else(|| error(ErrorKind::Truncated, 0))?;
        let mut least = 0;
        for entry in exceptions.chunks_exact(Self::ENTRY) {
            let (index, _) = read::<HIGH>(entry);
            if index < least || index >= count as u64 {
                return Err(error(ErrorKind::Malformed, least as usize));
            }
            least = index + 1;
        }
        Ok(Run { control, data, exceptions, taken: 0 })
    }

    /// Takes the entry of token `index` off the list, and gives its high part.
    ///
    /// # Errors
    /// See the module.
    #[inline]
    pub(crate) fn take(list: &mut &[u8], index: usize) -> Result<Option<u64>, ErrorKind> {
        if list.is_empty() {
            return Ok(None);
        }
        let (entry, rest) = list.split_at_checked(Self::ENTRY).ok_or(ErrorKind::Truncated)?;
        let (at, high) = read::<HIGH>(entry);
        if at > index as u64 {
            return Ok(None);
        }
        if at < index as u64 || high == 0 {
            return Err(ErrorKind::Malformed);
        }
        *list = rest;
        Ok(Some(high))
    }

    /// How many tokens from number `first` on have no entry for sure: those before the one that the front entry names.
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    pub(crate) fn none_for(list: &[u8], first: usize) -> usize {
        if list.is_empty() {
            return usize::MAX;
        }
        let Some(entry) = list.get(..Self::ENTRY) else { return 0 };
        let (at, _) = read::<HIGH>(entry);
        usize::try_from(at).map_or(0, |at| at.saturating_sub(first))
    }

    /// Adds the high parts of all of `out`, whose words hold the tokens' low parts and begin with token
    /// `first`, and gives what is left of the list. `may_have` says whether the word at a place has the
    /// longest code.
    ///
    /// `None` if any entry or any result is not as it should be: the oracle then says where.
    #[inline]
    pub(crate) fn patch<'a, W: Word>(
        mut list: &'a [u8],
        first: usize,
        out: &mut [W],
        may_have: impl Fn(usize) -> bool,
    ) -> Option<&'a [u8]> {
        let mut next = 0;
        while next < out.len() && !list.is_empty() {
            let (entry, rest) = list.split_at_checked(Self::ENTRY)?;
            let (at, high) = read::<HIGH>(entry);
            let place = usize::try_from(at.checked_sub(first as u64)?).ok()?;
            let Some(slot) = out.get_mut(place) else { break };
            if place < next || high == 0 || !may_have(place) {
                return None;
            }
            *slot = W::from_token(high << Self::LOW_BITS | (*slot).into())?;
            list = rest;
            next = place + 1;
        }
        Some(list)
    }
}

/// Index and high part of a whole entry.
#[inline(always)]
fn read<const HIGH: usize>(entry: &[u8]) -> (u64, u64) {
    let mut index = [0; 8];
    let mut high = [0; 8];
    index[..INDEX].copy_from_slice(&entry[..INDEX]);
    high[..HIGH].copy_from_slice(&entry[INDEX..INDEX + HIGH]);
    (u64::from_le_bytes(index), u64::from_le_bytes(high))
}
