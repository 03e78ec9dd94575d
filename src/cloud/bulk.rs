//! Decoders behind virtual calls, one call a window: what works on windows is compiled once then, and not once for
//! each decoder.

use variants::{Class, DecodeError, Decoder, ErrorKind, Layout, Run, Word};

/// Opens a run of so many tokens.
pub(super) type OpenRun = for<'a> fn(&'a [u8], usize) -> Result<Run<'a>, DecodeError>;

/// A decoder, its type forgotten.
pub(super) trait Bulk: Sync {
    /// [`Decoder::decode_some`] for 32-bit words.
    fn some_u32(&self, run: &mut Run<'_>, out: &mut [u32], least: usize) -> Result<usize, DecodeError>;

    /// [`Decoder::decode_some`] for 64-bit words.
    fn some_u64(&self, run: &mut Run<'_>, out: &mut [u64], least: usize) -> Result<usize, DecodeError>;

    /// [`Decoder::SHORT`].
    fn takes_short(&self) -> bool;

    /// [`Decoder::decode_short`].
    fn some_u16(&self, run: &mut Run<'_>, out: &mut [u16]) -> usize;

    /// [`Decoder::next_token`].
    fn next(&self, run: &mut Run<'_>) -> Result<u64, ErrorKind>;

    /// [`Layout::open`] for 64-bit words.
    fn opener(&self) -> OpenRun;

    /// [`Layout::PIECE`].
    fn piece(&self) -> usize;

    /// What it needs of the CPU.
    fn class(&self) -> Class;
}

impl<D: Decoder> Bulk for D {
    fn some_u32(&self, run: &mut Run<'_>, out: &mut [u32], least: usize) -> Result<usize, DecodeError> {
        self.decode_some(run, out, least)
    }

    fn some_u64(&self, run: &mut Run<'_>, out: &mut [u64], least: usize) -> Result<usize, DecodeError> {
        self.decode_some(run, out, least)
    }

    fn takes_short(&self) -> bool {
        D::SHORT
    }

    fn some_u16(&self, run: &mut Run<'_>, out: &mut [u16]) -> usize {
        self.decode_short(run, out)
    }

    fn next(&self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        self.next_token(run)
    }

    fn opener(&self) -> OpenRun {
        D::Layout::open::<u64>
    }

    fn piece(&self) -> usize {
        D::Layout::PIECE
    }

    fn class(&self) -> Class {
        D::INFO.class
    }
}

/// A word that a window may hold.
pub(super) trait WindowWord: Word {
    /// [`Decoder::decode_some`] for this word.
    fn some(bulk: &dyn Bulk, run: &mut Run<'_>, out: &mut [Self], least: usize)
    -> Result<usize, DecodeError>;
}

impl WindowWord for u32 {
    fn some(
        bulk: &dyn Bulk,
        run: &mut Run<'_>,
        out: &mut [Self],
        least: usize,
    ) -> Result<usize, DecodeError> {
        bulk.some_u32(run, out, least)
    }
}

impl WindowWord for u64 {
    fn some(
        bulk: &dyn Bulk,
        run: &mut Run<'_>,
        out: &mut [Self],
        least: usize,
    ) -> Result<usize, DecodeError> {
        bulk.some_u64(run, out, least)
    }
}
