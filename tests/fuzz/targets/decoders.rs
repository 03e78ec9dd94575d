//! Every registered decoder on the same bytes: values, error kind, token index and bytes left as its layout's
//! oracle has them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use variants::{Decoder, Layout, Run, Standing, Visitor, Word};

fuzz_target!(|input: &[u8]| {
    // The last two bytes say how many tokens are asked for, so that the rest is a corpus of plain streams.
    let Some((bytes, &[low, high])) = input.split_last_chunk::<2>() else { return };
    let count = usize::from(u16::from_le_bytes([low, high])) % (bytes.len() + 2);
    variants::visit_all(&mut Differential { bytes, count });
});

struct Differential<'a> {
    bytes: &'a [u8],
    count: usize,
}

impl Visitor for Differential<'_> {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let Some(decoder) = D::detect() else { return };
        compare::<D, u32>(decoder, name, self.bytes, self.count);
        compare::<D, u64>(decoder, name, self.bytes, self.count);
        compare_short(decoder, name, self.bytes, self.count);
    }
}

fn compare<D: Decoder, W: Word>(decoder: D, name: &str, bytes: &[u8], count: usize) {
    let Ok(run) = D::Layout::open::<W>(bytes, count) else { return };
    let (mut expected_run, mut expected) = (run, vec![W::default(); count]);
    let wanted = D::Layout::oracle(&mut expected_run, &mut expected);
    let (mut own_run, mut own): (Run<'_>, _) = (run, vec![W::default(); count]);
    let got = decoder.decode(&mut own_run, &mut own);
    assert_eq!(got, wanted, "{name}, {}", W::NAME);
    assert_eq!(own_run, expected_run, "{name}, {}: what is left", W::NAME);
    let good = wanted.map_or_else(|error| error.index, |()| count);
    if D::INFO.standing != Standing::Floor {
        assert_eq!(own[..good], expected[..good], "{name}, {}: values", W::NAME);
    }
}

/// What a decoder hands out in words of 16 bits are the first tokens, as many as they are.
fn compare_short<D: Decoder>(decoder: D, name: &str, bytes: &[u8], count: usize) {
    let Ok(run) = D::Layout::open::<u64>(bytes, count) else { return };
    let (mut own_run, mut own) = (run, vec![0_u16; count]);
    let taken = decoder.decode_short(&mut own_run, &mut own);
    let (mut expected_run, mut expected) = (run, vec![0_u64; taken]);
    assert_eq!(D::Layout::oracle(&mut expected_run, &mut expected), Ok(()), "{name}, 16 bits");
    assert_eq!(own_run, expected_run, "{name}, 16 bits: what is left");
    assert!(own.iter().zip(&expected).all(|(&own, &expected)| u64::from(own) == expected), "{name}, 16 bits");
}
