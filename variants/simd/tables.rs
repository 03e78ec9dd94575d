//! Shuffle tables: where the bytes of some tokens go, by the tokens' lengths.

/// Lanes with this index become 0.
const NONE: u8 = 0x80;

/// The shuffle of eight tokens of one or two bytes into lanes of two: token `k` has two bytes if bit `k` of the
/// row is set.
pub(crate) static PAIRS: [Pair; 256] = pairs();

/// The shuffle of four tokens of one to four bytes into lanes of four: bits `2 k` and `2 k + 1` of the row are
/// token `k`'s length less one. The row is Stream VByte's control byte.
pub(crate) static QUADS: [Quad; 256] = quads();

/// A row of [`PAIRS`].
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(crate) struct Pair(pub(crate) [u8; 16]);

/// A row of [`QUADS`], with the length beside the shuffle: one address for both.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Quad {
    pub(crate) places: [u8; 16],
    /// Bytes of the four tokens.
    pub(crate) bytes: u8,
}

const fn pairs() -> [Pair; 256] {
    let mut rows = [Pair([NONE; 16]); 256];
    let mut row = 0;
    while row < 256 {
        let (mut token, mut byte) = (0, 0);
        while token < 8 {
            rows[row].0[2 * token] = byte;
            byte += 1;
            if row >> token & 1 == 1 {
                rows[row].0[2 * token + 1] = byte;
                byte += 1;
            }
            token += 1;
        }
        row += 1;
    }
    rows
}

const fn quads() -> [Quad; 256] {
    let mut rows = [Quad { places: [NONE; 16], bytes: 0 }; 256];
    let mut row = 0;
    while row < 256 {
        let mut token = 0;
        while token < 4 {
            let mut place = 0;
            while place <= row >> (2 * token) & 3 {
                rows[row].places[4 * token + place] = rows[row].bytes;
                rows[row].bytes += 1;
                place += 1;
            }
            token += 1;
        }
        row += 1;
    }
    rows
}
