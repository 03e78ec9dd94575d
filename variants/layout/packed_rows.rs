//! Binary packing for rows of fields: every field has its own width, although the fields stay interleaved.
//!
//! A row of a cloud is one token of each field, and the fields differ: intensities and rings need few bits,
//! coordinates many. Packing groups of consecutive tokens (`packed32`) gives all of them the width of the
//! widest; this layout takes blocks of 16 rows and packs the tokens in their order, each with the width that
//! its field has in this block. A block's bits are 16 times the sum of the widths, so blocks are whole bytes.
//!
//! Bytes of a run: the number of fields in a row, 1 to 16; for every block one width byte for each field, 0 to
//! 64 bits; the blocks, packed least significant bit first, the last one filled up with zeros. No tokens are no
//! bytes. The encoder is not told how many fields there are: it takes the number that gives the fewest bytes,
//! the least of them if there are several; 1 is a column. The layout is this lab's.
//!
//! While a run is read its control bytes stay whole and `taken` says which block is next; the data starts at
//! that block. A token is there if its whole block is: `Truncated` without the number of fields, `Malformed`
//! for one that is none, `Truncated` without all widths of the block, `Malformed` for a width above 64,
//! `Truncated` without all bytes of the block, then `Wide`.

use alloc::vec::Vec;

use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Rows of a block.
pub const ROWS: usize = 16;

/// The most fields in a row.
pub const MAX_FIELDS: usize = 16;

/// The layout.
#[derive(Clone, Copy, Debug)]
pub struct PackedRows;

impl Layout for PackedRows {
    const NAME: &'static str = "packed_rows";
    /// A multiple of every block's tokens, whatever the number of fields.
    const PIECE: usize = ROWS * 720_720;

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let cost = |&fields: &usize| -> usize {
            let blocks = tokens.chunks(ROWS * fields);
            blocks
                .map(|block| widths_of(block, fields).map(|width| 1 + ROWS / 8 * width).sum::<usize>())
                .sum()
        };
        let Some(fields) = (1..=MAX_FIELDS).min_by_key(cost).filter(|_| !tokens.is_empty()) else { return };
        bytes.push(fields as u8);
        for block in tokens.chunks(ROWS * fields) {
            bytes.extend(widths_of(block, fields).map(|width| width as u8));
        }
        for block in tokens.chunks(ROWS * fields) {
            pack(block, fields, bytes);
        }
    }

    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError> {
        if count == 0 {
            return Ok(Run::of_data(bytes));
        }
        let fields = fields(bytes).map_err(|kind| DecodeError { kind, index: 0 })?;
        let block = ROWS * fields;
        let control = count.div_ceil(block).checked_mul(fields).and_then(|widths| widths.checked_add(1));
        let (control, data) = control
            .and_then(|control| bytes.split_at_checked(control))
            .ok_or(DecodeError { kind: ErrorKind::Truncated, index: (bytes.len() - 1) / fields * block })?;
        Ok(Run { control, data, ..Run::default() })
    }

    fn oracle<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut ahead = *run;
        for (index, slot) in out.iter_mut().enumerate() {
            let token = next_token(&mut ahead).map_err(|kind| DecodeError { kind, index })?;
            *slot = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
        }
        *run = ahead;
        Ok(())
    }
}

/// The width of each field in a block.
fn widths_of<W: Word>(block: &[W], fields: usize) -> impl Iterator<Item = usize> {
    (0..fields).map(move |field| {
        let all = block.iter().skip(field).step_by(fields).fold(0, |all, &token| all | token.into());
        (u64::BITS - all.leading_zeros()) as usize
    })
}

/// Appends a block, filled up with zeros.
fn pack<W: Word>(block: &[W], fields: usize, bytes: &mut Vec<u8>) {
    let widths: Vec<usize> = widths_of(block, fields).collect();
    let start = bytes.len();
    bytes.resize(start + ROWS / 8 * widths.iter().sum::<usize>(), 0);
    let mut at = 0;
    for (&token, &width) in block.iter().zip(widths.iter().cycle()) {
        for bit in 0..width {
            bytes[start + (at + bit) / 8] |= (token.into() >> bit & 1) as u8 * (1 << ((at + bit) % 8));
        }
        at += width;
    }
}

/// The number of fields in a row, from a run's control bytes.
///
/// # Errors
/// `Truncated` if there are none, `Malformed` if it is 0 or more than [`MAX_FIELDS`].
#[inline]
pub fn fields(control: &[u8]) -> Result<usize, ErrorKind> {
    match usize::from(*control.first().ok_or(ErrorKind::Truncated)?) {
        fields @ 1..=MAX_FIELDS => Ok(fields),
        _ => Err(ErrorKind::Malformed),
    }
}

/// A block: 16 rows of tokens.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The width of each field, at most 64 bits.
    pub widths: &'a [u8],
    /// The packed tokens.
    pub bytes: &'a [u8],
    /// The data behind the block.
    pub rest: &'a [u8],
}

impl<'a> Block<'a> {
    /// The block that the run's next token lies in.
    ///
    /// # Errors
    /// See the module.
    #[inline]
    pub fn of(run: &Run<'a>) -> Result<Self, ErrorKind> {
        let fields = fields(run.control)?;
        let number = run.taken / (ROWS * fields);
        let widths = run.control[1..].chunks_exact(fields).nth(number).ok_or(ErrorKind::Truncated)?;
        if widths.iter().any(|&width| u32::from(width) > u64::BITS) {
            return Err(ErrorKind::Malformed);
        }
        let (bytes, rest) = run.data.split_at_checked(ROWS / 8 * sum(widths)).ok_or(ErrorKind::Truncated)?;
        Ok(Self { widths, bytes, rest })
    }

    /// How many tokens it holds.
    #[inline]
    #[must_use]
    pub fn tokens(&self) -> usize {
        ROWS * self.widths.len()
    }

    /// The token at a place.
    ///
    /// # Panics
    /// If the place is not less than [`Self::tokens`].
    #[inline]
    #[must_use]
    pub fn token(&self, place: usize) -> u64 {
        let (row, field) = (place / self.widths.len(), place % self.widths.len());
        let start = row * sum(self.widths) + sum(&self.widths[..field]);
        let width = usize::from(self.widths[field]);
        let bytes = &self.bytes[start / 8..(start + width).div_ceil(8)];
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte));
        (bits >> (start % 8) & ((1 << width) - 1)) as u64
    }
}

fn sum(widths: &[u8]) -> usize {
    widths.iter().map(|&width| usize::from(width)).sum()
}

/// The next token of a run.
///
/// # Errors
/// See the module. The run is then where it was.
#[inline]
pub fn next_token(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
    let block = Block::of(run)?;
    let place = run.taken % block.tokens();
    run.taken += 1;
    if place == block.tokens() - 1 {
        run.data = block.rest;
    }
    Ok(block.token(place))
}
