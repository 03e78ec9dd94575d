//! The output copied from words that lie ready: what a decoder costs beyond this is the price of the
//! layout. A control: it cannot lose, since it has nothing to decode.

use crate::{Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, Words, layout::Raw};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct RawCopy;

impl Decoder for RawCopy {
    type Layout = Raw;
    const INFO: Info = Info {
        idea: "memcpy of the finished words",
        origin: "control",
        loses_when: "the output is larger than the cache and the input with it",
        class: Class::Scalar,
        standing: Standing::Control,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let held = (run.data.len() / W::BYTES).min(out.len());
        let (words, rest) = run.data.split_at(held * W::BYTES);
        // Loops that the compiler turns into a memcpy where the machine is little endian.
        match W::words(&mut out[..held]) {
            Words::U32(out) => {
                for (slot, &word) in out.iter_mut().zip(words.as_chunks().0) {
                    *slot = u32::from_le_bytes(word);
                }
            }
            Words::U64(out) => {
                for (slot, &word) in out.iter_mut().zip(words.as_chunks().0) {
                    *slot = u64::from_le_bytes(word);
                }
            }
        }
        if held < out.len() {
            return Err(DecodeError { kind: ErrorKind::Truncated, index: held });
        }
        run.data = rest;
        run.taken += held;
        Ok(())
    }
}
