//! Masked VByte's tables: from the high bits of twelve bytes to a shuffle of the tokens that begin there.

/// What twelve high bits stand for.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// The row of [`ROWS`].
    pub(crate) row: u8,
    /// The bytes of the row's tokens.
    pub(crate) bytes: u8,
}

/// Rows below this one hold six tokens, in lanes of two bytes: one row for every choice of one or two bytes.
pub(crate) const SIX: usize = 64;
/// Rows from [`SIX`] up to this one hold four tokens, in lanes of four bytes: one to three bytes each.
pub(crate) const TWO: usize = SIX + 81;
/// Rows from [`TWO`] up to this one hold two tokens, in lanes of eight bytes: one to five bytes each. The
/// row itself says that the first two tokens are longer.
pub(crate) const NONE: usize = TWO + 25;

/// Tokens of a row, the bytes that each may have, and the first such row: the most tokens come first.
const KINDS: [(usize, usize, usize); 3] = [(6, 2, 0), (4, 3, SIX), (2, 5, TWO)];

pub(crate) static KEYS: [Key; 4096] = keys();
pub(crate) static ROWS: [[u8; 16]; NONE] = rows();

const fn keys() -> [Key; 4096] {
    let mut keys = [Key { row: NONE as u8, bytes: 0 }; 4096];
    let mut bits = 0;
    while bits < 4096 {
        let mut kind = 0;
        while kind < KINDS.len() {
            if let Some(key) = key(bits, KINDS[kind]) {
                keys[bits] = key;
                break;
            }
            kind += 1;
        }
        bits += 1;
    }
    keys
}

/// The key of one kind, if the first tokens are short enough and end within the twelve bytes.
const fn key(bits: usize, (tokens, most, first): (usize, usize, usize)) -> Option<Key> {
    let (mut row, mut scale) = (first, 1);
    let (mut byte, mut token) = (0, 0);
    while token < tokens {
        let length = (!bits >> byte).trailing_zeros() as usize + 1;
        byte += length;
        if length > most || byte > 12 {
            return None;
        }
        row += scale * (length - 1);
        scale *= most;
        token += 1;
    }
    Some(Key { row: row as u8, bytes: byte as u8 })
}

const fn rows() -> [[u8; 16]; NONE] {
    // Lanes with this index become 0.
    let mut rows = [[0x80; 16]; NONE];
    let mut kind = 0;
    while kind < KINDS.len() {
        let (tokens, most, first) = KINDS[kind];
        let lane = if tokens == 6 { 2 } else { 16 / tokens };
        let end = if kind + 1 < KINDS.len() { KINDS[kind + 1].2 } else { NONE };
        let mut row = first;
        while row < end {
            let (mut byte, mut token, mut digits) = (0, 0, row - first);
            while token < tokens {
                let mut place = 0;
                while place <= digits % most {
                    rows[row][lane * token + place] = byte;
                    byte += 1;
                    place += 1;
                }
                digits /= most;
                token += 1;
            }
            row += 1;
        }
        kind += 1;
    }
    rows
}
