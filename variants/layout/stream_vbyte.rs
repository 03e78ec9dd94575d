//! Stream VByte with two-bit codes for 1, 2, 3 or 8 bytes: the control bytes of a run first, four codes a
//! byte from the low bits up, then the tokens' bytes, little endian and without gaps.
//!
//! After D. Lemire, N. Kurz, C. Rupp, "Stream VByte: Faster Byte-Oriented Integer Compression" (2017), whose
//! codes mean 1, 2, 3 or 4 bytes. LIDAR deltas are short, but a token may be any `u64`: the longest code
//! covers them all here, so that no token needs an exception.

use alloc::vec::Vec;

use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Bytes of a token by its code.
pub const LENGTHS: [usize; 4] = [1, 2, 3, 8];

/// Codes in a control byte.
pub const CODES: usize = 4;

/// Two-bit length codes apart from the tokens' bytes.
#[derive(Clone, Copy, Debug)]
pub struct StreamVbyte;

impl Layout for StreamVbyte {
    const NAME: &'static str = "stream_vbyte";

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        for four in tokens.chunks(CODES) {
            let codes = four.iter().map(|&token| code_of(token.into())).enumerate();
            // Codes of tokens that are not there stay 0, so that equal tokens give equal bytes.
            bytes.push(codes.fold(0, |control, (place, code)| control | (code << (2 * place))));
        }
        for &token in tokens {
            let token = token.into();
            bytes.extend_from_slice(&token.to_le_bytes()[..LENGTHS[usize::from(code_of(token))]]);
        }
    }

    /// Refuses, as `Malformed`, codes other than 0 behind the last token: the count is then not the one that
    /// was encoded.
    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError> {
        let Some((control, data)) = bytes.split_at_checked(count.div_ceil(CODES)) else {
            return Err(DecodeError { kind: ErrorKind::Truncated, index: bytes.len() * CODES });
        };
        match control.last() {
            Some(last) if !count.is_multiple_of(CODES) && last >> (2 * (count % CODES)) != 0 => {
                Err(DecodeError { kind: ErrorKind::Malformed, index: count })
            }
            _ => Ok(Run { control, data, ..Run::default() }),
        }
    }

    fn oracle<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut rest = *run;
        for (index, slot) in out.iter_mut().enumerate() {
            let token = next(&mut rest).map_err(|kind| DecodeError { kind, index })?;
            *slot = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
        }
        *run = rest;
        Ok(())
    }
}

/// The shortest code that holds `token`.
fn code_of(token: u64) -> u8 {
    match token {
        0..=0xff => 0,
        0x100..=0xffff => 1,
        0x1_0000..=0xff_ffff => 2,
        _ => 3,
    }
}

/// The token at the front of `run`, which moves past it. Longer codes than needed are accepted.
///
/// # Errors
/// `Truncated` if the token's code or bytes are not all there; `run` is then where it was.
pub fn next(run: &mut Run<'_>) -> Result<u64, ErrorKind> {
    let control = *run.control.first().ok_or(ErrorKind::Truncated)?;
    let place = run.taken % CODES;
    let length = LENGTHS[usize::from((control >> (2 * place)) & 3)];
    let (token, data) = run.data.split_at_checked(length).ok_or(ErrorKind::Truncated)?;
    let token = token.iter().rev().fold(0, |token, &byte| (token << 8) | u64::from(byte));
    run.data = data;
    run.taken += 1;
    if place == CODES - 1 {
        run.control = &run.control[1..];
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::StreamVbyte;
    use crate::{DecodeError, ErrorKind, Layout};

    fn encoded(tokens: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        StreamVbyte::encode(tokens, &mut bytes);
        bytes
    }

    #[test]
    fn bytes_are_as_described() {
        assert_eq!(encoded(&[10, 0]), [0x00, 0x0a, 0x00]);
        assert_eq!(encoded(&[255, 256]), [0x04, 0xff, 0x00, 0x01]);
        assert_eq!(encoded(&[5; 7]), [0, 0, 5, 5, 5, 5, 5, 5, 5]);
        let four_lengths = [&[0xe4, 0x00, 1, 0, 1, 0, 0, 1][..], &[0, 0, 0, 1, 0, 0, 0, 0], &[1]].concat();
        assert_eq!(encoded(&[1, 256, 65_536, 16_777_216, 1]), four_lengths);
        assert_eq!(encoded(&[u64::MAX]), [0x03, 255, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(encoded(&[]), []);
    }

    /// S01, S05: what the count says is held against the bytes.
    #[test]
    fn a_wrong_count_is_refused() {
        let bytes = encoded(&[1, 2, 300]);
        assert!(StreamVbyte::open::<u64>(&bytes, 3).is_ok());
        let malformed = DecodeError { kind: ErrorKind::Malformed, index: 2 };
        assert_eq!(StreamVbyte::open::<u64>(&bytes, 2), Err(malformed));
        let truncated = DecodeError { kind: ErrorKind::Truncated, index: 4 * bytes.len() };
        assert_eq!(StreamVbyte::open::<u64>(&bytes, 100), Err(truncated));
    }

    #[test]
    fn the_error_names_the_token() {
        let mut bytes = encoded(&[1, 2, 300, 4, 70_000]);
        bytes.pop();
        let mut run = StreamVbyte::open::<u32>(&bytes, 5).unwrap();
        let before = run;
        let mut out = vec![0_u32; 5];
        let truncated = DecodeError { kind: ErrorKind::Truncated, index: 4 };
        assert_eq!(StreamVbyte::oracle(&mut run, &mut out), Err(truncated));
        assert_eq!((run, &out[..4]), (before, &[1, 2, 300, 4][..]));
        let bytes = encoded(&[7, 1 << 32]);
        let mut run = StreamVbyte::open::<u32>(&bytes, 2).unwrap();
        let wide = DecodeError { kind: ErrorKind::Wide, index: 1 };
        assert_eq!(StreamVbyte::oracle(&mut run, &mut out[..2]), Err(wide));
    }
}
