//! The output filled with one byte value: no load, no decoding, and the widest stores that the C library's
//! memset has for this CPU. A control: every decoder has to store its tokens, so none can be faster.

use crate::{Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, layout::Raw};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct RawFill;

impl Decoder for RawFill {
    type Layout = Raw;
    const INFO: Info = Info {
        idea: "memset of the output; its values are not the tokens",
        origin: "control",
        loses_when: "never: it is the floor",
        class: Class::Scalar,
        standing: Standing::Floor,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let held = (run.data.len() / W::BYTES).min(out.len());
        // All bytes alike: that is what makes a memset of it.
        out[..held].fill(W::cut(0x0101_0101_0101_0101));
        if held < out.len() {
            return Err(DecodeError { kind: ErrorKind::Truncated, index: held });
        }
        run.data = &run.data[held * W::BYTES..];
        run.taken += held;
        Ok(())
    }
}
