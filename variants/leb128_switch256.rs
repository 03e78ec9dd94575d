//! A 256-way switch on the high bits of eight bytes: each way is straight-line code for its tokens, with
//! constant shifts and masks. The high bits come together by one multiplication. The idea of SFVInt (SIGMOD
//! 2024), here without its carry from block to block: a step starts at a token. One guess, of an indirect
//! jump, for eight bytes instead of one for each: it loses where even that has to fail, as with lengths that
//! are uniformly random, and to PEXT, which does not guess.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, layout::Leb128,
    layout::leb128::decode_token,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Switch256;

impl Decoder for Leb128Switch256 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "one of 256 ways by the high bits of eight bytes, straight-line code in each",
        origin: "this lab, after the idea of SFVInt (SIGMOD 2024)",
        loses_when: "PEXT is at hand and fast",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let (mut data, mut index) = (run.data, 0);
        while index < out.len() {
            while let (Some(eight), Some(&word)) = (out[index..].first_chunk_mut(), data.first_chunk()) {
                let word = u64::from_le_bytes(word);
                let (tokens, used) = Ways::ALL[high_bits(word)](word, eight);
                if tokens == 0 {
                    break;
                }
                index += tokens;
                data = &data[used..];
            }
            if index == out.len() {
                break;
            }
            let (token, used) = decode_token(data).map_err(|kind| DecodeError { kind, index })?;
            out[index] = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
            data = &data[used..];
            index += 1;
        }
        run.data = data;
        run.taken += out.len();
        Ok(())
    }
}

/// The high bit of each byte, the first byte's lowest.
#[inline(always)]
fn high_bits(word: u64) -> usize {
    // Each factor bit moves one byte's high bit into the top byte, and no two sums meet in a bit.
    (((word & 0x8080_8080_8080_8080) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

/// Writes the tokens that end in eight bytes; how many, and how many bytes they take. No tokens if none ends,
/// or if one does not fit the word.
type Way<W> = fn(u64, &mut [W; 8]) -> (usize, usize);

/// Straight-line code for high bits that are known: loops over constants, which the compiler writes out.
fn way<const MORE: usize, W: Word>(word: u64, eight: &mut [W; 8]) -> (usize, usize) {
    let (mut tokens, mut used) = (0, 0);
    let mut token = 0;
    for byte in 0..8 {
        token |= ((word >> (8 * byte)) & 0x7f) << (7 * (byte - used));
        if (MORE >> byte) & 1 == 0 {
            let Some(fits) = W::from_token(token) else { return (0, 0) };
            eight[tokens] = fits;
            tokens += 1;
            used = byte + 1;
            token = 0;
        }
    }
    (tokens, used)
}

struct Ways<W>(core::marker::PhantomData<W>);

/// The sixteen ways of each high digit.
macro_rules! ways {
    ($($high:literal)*) => {
        [$(
            way::<{ $high }, W>, way::<{ $high + 1 }, W>, way::<{ $high + 2 }, W>, way::<{ $high + 3 }, W>,
            way::<{ $high + 4 }, W>, way::<{ $high + 5 }, W>, way::<{ $high + 6 }, W>, way::<{ $high + 7 }, W>,
            way::<{ $high + 8 }, W>, way::<{ $high + 9 }, W>, way::<{ $high + 10 }, W>, way::<{ $high + 11 }, W>,
            way::<{ $high + 12 }, W>, way::<{ $high + 13 }, W>, way::<{ $high + 14 }, W>, way::<{ $high + 15 }, W>,
        )*]
    };
}

impl<W: Word> Ways<W> {
    const ALL: &'static [Way<W>; 256] =
        &ways!(0x00 0x10 0x20 0x30 0x40 0x50 0x60 0x70 0x80 0x90 0xa0 0xb0 0xc0 0xd0 0xe0 0xf0);
}
