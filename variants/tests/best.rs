//! The decoder for users: the right one for what the CPU may use, and equal to the oracle. Hiding features is
//! process-wide, so this is one test in a process of its own.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    DecodeError, Decoder, ErrorKind, Layout, Leb128Visitor, Run, Word,
    best::Leb128,
    cpu::{self, Level},
    decode_leb128, layout, read_leb128, visit_leb128,
};

/// The names of the LEB128 decoders that can run as things are.
#[derive(Default)]
struct Here(Vec<&'static str>);

impl Leb128Visitor for Here {
    fn visit<D: Decoder<Layout = layout::Leb128>>(&mut self, name: &'static str) {
        if D::detect().is_some() {
            self.0.push(name);
        }
    }
}

/// Tokens of 1 to 5 bytes, short ones mostly.
fn stream(rng: &mut Xoshiro256PlusPlus, count: usize) -> Vec<u8> {
    let tokens: Vec<u32> = (0..count)
        .map(|_| {
            let bits = if rng.random_ratio(1, 50) { 32 } else { rng.random_range(1..18) };
            rng.random::<u32>() >> (32 - bits)
        })
        .collect();
    let mut bytes = Vec::new();
    layout::Leb128::encode(&tokens, &mut bytes);
    bytes
}

/// All four ways to ask for `count` tokens against the oracle.
fn agree<W: Word>(bytes: &[u8], count: usize) {
    let mut want_run = Run::of_data(bytes);
    let mut want = vec![W::default(); count];
    let expected = layout::Leb128::oracle(&mut want_run, &mut want);
    let used = expected.map(|()| bytes.len() - want_run.data.len());
    let good = expected.map_or_else(|error| error.index, |()| count);

    let decoder = Leb128::detect();
    let mut run = Run::of_data(bytes);
    let mut out = vec![W::default(); count];
    assert_eq!(decoder.decode(&mut run, &mut out), expected, "{} on {bytes:02x?}", decoder.name());
    assert_eq!((run, &out[..good]), (want_run, &want[..good]), "{} on {bytes:02x?}", decoder.name());

    let mut run = Run::of_data(bytes);
    let some = decoder.decode_some(&mut run, &mut out, good).expect("the tokens before the error");
    assert!((good..=count).contains(&some));
    assert_eq!(out[..good], want[..good]);

    assert_eq!(read_leb128(bytes, &mut out), used);
    assert_eq!(out[..good], want[..good]);

    // Too few bytes for so many tokens are refused beforehand, with the first token that cannot be there.
    match decode_leb128::<W>(bytes, count) {
        Err(error) if count > bytes.len() => {
            assert_eq!(error, DecodeError { kind: ErrorKind::Truncated, index: bytes.len() });
        }
        decoded => assert_eq!(decoded, expected.map(|()| want)),
    }
}

#[test]
fn the_best_decoder_is_chosen_and_right() {
    let best_first =
        ["leb128_stride_avx512", "leb128_stride_avx2", "leb128_masked_sse41", "leb128_switch256"];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for (level, hidden) in [(Level::All, 0), (Level::Avx2, 1), (Level::Sse41, 2), (Level::Portable, 3)] {
        cpu::limit(level);
        let mut here = Here::default();
        visit_leb128(&mut here);
        let expected = best_first[hidden..].iter().find(|name| here.0.contains(name));
        assert_eq!(Some(&Leb128::detect().name()), expected, "at {level:?}");

        for count in (0..40).chain([100, 1000, 20_000]) {
            let mut bytes = stream(&mut rng, count);
            agree::<u32>(&bytes, count);
            agree::<u64>(&bytes, count);
            agree::<u32>(&bytes, count + 1);
            agree::<u32>(&bytes[..bytes.len() / 2], count);
            // A token of more than 32 bits, or of more than 64, somewhere in it.
            for long in [6, 11] {
                if !bytes.is_empty() {
                    let at = rng.random_range(0..bytes.len());
                    bytes.splice(at..at, core::iter::repeat_n(0xff, long).chain([0x01]));
                    agree::<u32>(&bytes, count);
                    agree::<u64>(&bytes, count);
                }
            }
        }
        let error = decode_leb128::<u64>(&[0x01], usize::MAX).expect_err("one byte is one token");
        assert_eq!(error, DecodeError { kind: ErrorKind::Truncated, index: 1 });
    }
}
