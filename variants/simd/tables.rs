//! Shuffle tables: where the bytes of some tokens go, by the tokens' lengths.

/// A table whose rows lie on vector boundaries.
#[repr(align(64))]
pub(crate) struct Rows<const N: usize>(pub(crate) [[u8; 16]; N]);

/// Lanes with this index become 0.
const NONE: u8 = 0x80;

/// Eight tokens of one or two bytes into lanes of two: token `k` has two bytes if bit `k` of the row is set.
pub(crate) static PAIRS: Rows<256> = Rows(pairs());

/// Four tokens of one to four bytes into lanes of four: bits `2 k` and `2 k + 1` of the row are token `k`'s
/// length less one. These are Stream VByte's control bytes.
pub(crate) static QUADS: Rows<256> = Rows(quads());

/// The bytes of the four tokens of a row of [`QUADS`].
pub(crate) static QUAD_BYTES: [u8; 256] = quad_bytes();

const fn pairs() -> [[u8; 16]; 256] {
    let mut rows = [[NONE; 16]; 256];
    let mut row = 0;
    while row < 256 {
        let (mut token, mut byte) = (0, 0);
        while token < 8 {
            rows[row][2 * token] = byte;
            byte += 1;
            if row >> token & 1 == 1 {
                rows[row][2 * token + 1] = byte;
                byte += 1;
            }
            token += 1;
        }
        row += 1;
    }
    rows
}

const fn quads() -> [[u8; 16]; 256] {
    let mut rows = [[NONE; 16]; 256];
    let mut row = 0;
    while row < 256 {
        let (mut token, mut byte) = (0, 0);
        while token < 4 {
            let mut place = 0;
            while place <= row >> (2 * token) & 3 {
                rows[row][4 * token + place] = byte;
                byte += 1;
                place += 1;
            }
            token += 1;
        }
        row += 1;
    }
    rows
}

const fn quad_bytes() -> [u8; 256] {
    let mut bytes = [4; 256];
    let mut row = 0;
    while row < 256 {
        bytes[row] += ((row & 3) + (row >> 2 & 3) + (row >> 4 & 3) + (row >> 6)) as u8;
        row += 1;
    }
    bytes
}
