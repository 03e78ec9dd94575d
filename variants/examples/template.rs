//! A decoder to begin with: a look at one byte, then a byte at a time. It loses on everything but tokens of one
//! byte.
//!
//! As an example, `cargo run -p variants --example template` compares it with its layout's oracle. To make a variant
//! of it, copy it to `variants/leb128_yours.rs`, and there
//!
//! * delete all from "Only as an example" on,
//! * write `crate` for `variants` in `use`,
//! * say in these lines and in `INFO` what yours does, where the idea is from, and on which input it should lose,
//! * change `step`, or write a `decode` that handles many tokens at once;
//!
//! then add `leb128_yours::Leb128Yours,` to the registry in `variants/lib.rs`.

use variants::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, decode_by_step, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128Yours;

impl Decoder for Leb128Yours {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "a look at one byte, then a byte at a time",
        origin: "the template",
        loses_when: "tokens take two bytes and more",
        class: Class::Scalar,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        decode_by_step(run, out, step)
    }

    #[inline(always)]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step(run.data))
    }
}

/// One token from the front of `bytes`, and how many bytes it takes.
#[inline(always)]
fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    if let &[first, ..] = bytes
        && first < 0x80
    {
        return Ok((first.into(), 1));
    }
    let mut token = 0;
    for (place, &byte) in bytes.iter().enumerate() {
        // Nine bytes hold 63 bits, so that the tenth has room for one.
        if place == 9 && byte > 1 {
            return Err(ErrorKind::Overflow);
        }
        token |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Ok((token, place + 1));
        }
    }
    Err(ErrorKind::Truncated)
}

// Only as an example: the conformance suite does this, and far more, to every registered variant.

fn main() {
    use variants::Layout;

    let mut bytes = Vec::new();
    for bits in 0..64 {
        for token in [(1 << bits) - 1, 1 << bits, u64::MAX >> bits] {
            variants::layout::leb128::encode_token(token, &mut bytes);
        }
    }
    let count = 3 * 64;
    for cut in 0..=bytes.len() {
        compare::<u32>(&bytes[cut..], count);
        compare::<u64>(&bytes[..cut], count);
    }
    println!("the oracle of {} agrees at {} cuts", Leb128::NAME, bytes.len() + 1);

    fn compare<W: Word>(bytes: &[u8], count: usize) {
        let (mut want_run, mut got_run) = (Run::of_data(bytes), Run::of_data(bytes));
        let (mut want, mut got) = (vec![W::default(); count], vec![W::default(); count]);
        let expected = Leb128::oracle(&mut want_run, &mut want);
        let result = Leb128Yours.decode(&mut got_run, &mut got);
        let good = expected.map_or_else(|error| error.index, |()| count);
        assert_eq!((result, got_run), (expected, want_run), "{bytes:02x?}");
        assert_eq!(got[..good], want[..good], "{bytes:02x?}");
    }
}
