//! What the suite says of a decoder that is wrong: the smallest input as hex, what was expected, what came.

use std::panic::{AssertUnwindSafe, catch_unwind};

use variants::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    layout::leb128::decode_token,
};

use crate::checker::{Calls, Checker};
use crate::streams::{STREET, rng, tokens};

/// A mistake that authors make.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    /// The third byte's lowest bit is lost.
    LosesABit,
    /// A token that the bytes end in is handed out as far as it goes.
    TakesCutTokens,
    /// The bytes of the last token are read again by the next call.
    StaysBehind,
    /// The slice is indexed a byte too far.
    ReadsPastTheEnd,
    /// A token of more than 16 bits is handed out as its lower ones.
    CutsTo16Bits,
}

#[derive(Clone, Copy, Debug)]
struct Planted(Mistake);

impl Decoder for Planted {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "the plain loop with a mistake",
        origin: "this test",
        loses_when: "it is tested",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self(Mistake::LosesABit))
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let before = run.data;
        decode_by_step(run, out, |bytes| self.step(bytes))?;
        if matches!(self.0, Mistake::StaysBehind) && run.data.len() < before.len() {
            run.data = &before[before.len() - run.data.len() - 1..];
        }
        Ok(())
    }

    const SHORT: bool = true;

    fn decode_short(self, run: &mut Run<'_>, out: &mut [u16]) -> usize {
        for (done, slot) in out.iter_mut().enumerate() {
            let Ok(token) = self.next_token(run) else { return done };
            *slot = token as u16;
        }
        out.len()
    }
}

impl Planted {
    fn step(self, bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
        match (self.0, decode_token(bytes)) {
            (Mistake::LosesABit, Ok((token, used))) => Ok((token & !(1 << 14), used)),
            (Mistake::TakesCutTokens, Err(ErrorKind::Truncated)) if bytes.len() > 1 => Ok((0, bytes.len())),
            (Mistake::ReadsPastTheEnd, Ok((token, used))) if used > 1 => {
                Ok((token | u64::from(bytes[used]) >> 8, used))
            }
            (_, decoded) => decoded,
        }
    }
}

/// What a failed check of a stream of 2001 tokens says.
fn said(mistake: Mistake, calls: Calls) -> String {
    let mut checker = Checker::<u32>::new("planted", Planted(mistake));
    let mut bytes = checker.encode(&tokens::<u32>(&mut rng(3), &STREET, 2000));
    bytes.extend(if matches!(mistake, Mistake::TakesCutTokens) { [0x81, 0x92] } else { [0x81, 0x12] });
    let failed = catch_unwind(AssertUnwindSafe(|| checker.check(&bytes, 2001, calls)));
    *failed.expect_err("the mistake is found").downcast::<String>().expect("a message")
}

#[test]
fn a_wrong_decoder_is_shown_with_its_smallest_input_as_hex() {
    assert_eq!(
        said(Mistake::LosesABit, Calls::Whole),
        "planted as u32, 1 tokens asked (Whole) of 3 bytes\n  80 80 01\n  token 0: expected 16384, got 0"
    );
    assert_eq!(
        said(Mistake::TakesCutTokens, Calls::Whole),
        "planted as u32, 1 tokens asked (Whole) of 2 bytes\n  80 80\n  \
         expected Err(DecodeError { kind: Truncated, index: 0 }), got Ok(())"
    );
    assert_eq!(
        said(Mistake::ReadsPastTheEnd, Calls::Steps(7)),
        "planted as u32, 1 tokens asked (Steps(7)) of 2 bytes\n  80 00\n  the variant panicked"
    );
    assert_eq!(
        said(Mistake::CutsTo16Bits, Calls::Short),
        "planted as u32, 1 tokens asked (Short) of 3 bytes\n  80 80 3d\n  token 0: expected 999424, got 16384"
    );
    let behind = said(Mistake::StaysBehind, Calls::Split(5));
    let head = "planted as u32, 1 tokens asked (Split(5)) of 1 bytes\n  00\n  expected the run at ";
    assert!(behind.starts_with(head), "{behind}");
}
