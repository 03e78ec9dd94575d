//! Tokens as little-endian words of their own width: nothing to decode, the layout of the controls.
//!
//! The only layout whose bytes depend on the word: a run that was encoded as `u32` holds 4 bytes a token and
//! has to be opened and decoded as `u32`.

use alloc::vec::Vec;

use crate::{DecodeError, ErrorKind, Layout, Run, Word};

/// Words in a row.
#[derive(Clone, Copy, Debug)]
pub struct Raw;

impl Layout for Raw {
    const NAME: &'static str = "raw";

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        for &token in tokens {
            let token: u64 = token.into();
            bytes.extend_from_slice(&token.to_le_bytes()[..W::BYTES]);
        }
    }

    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError> {
        let held = bytes.len() / W::BYTES;
        if held < count {
            return Err(DecodeError { kind: ErrorKind::Truncated, index: held });
        }
        Ok(Run::of_data(bytes))
    }

    fn oracle<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut data = run.data;
        for (index, slot) in out.iter_mut().enumerate() {
            let truncated = DecodeError { kind: ErrorKind::Truncated, index };
            let (word, rest) = data.split_at_checked(W::BYTES).ok_or(truncated)?;
            *slot = W::cut(word.iter().rev().fold(0, |token, &byte| (token << 8) | u64::from(byte)));
            data = rest;
        }
        run.data = data;
        run.taken += out.len();
        Ok(())
    }
}
