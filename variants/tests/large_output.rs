//! Outputs that exceed the caches: kernels may store past these then, a line at a time, and have to find a
//! line's start again behind every token that they decode in another way.

use variants::{Decoder, Layout, Leb128Visitor, Run, Word, layout::Leb128, visit_leb128};

/// More than 8 MB of the narrower word.
const TOKENS: usize = (9 << 20) / 4;

struct Large {
    tokens: Vec<u32>,
    bytes: Vec<u8>,
}

impl Large {
    fn check<D: Decoder, W: Word>(&self, decoder: D, name: &str) {
        let mut out = Vec::new();
        for first in [0, 1, 7] {
            out.clear();
            out.resize(TOKENS + 8, W::default());
            let mut run = Run::of_data(&self.bytes);
            let slots = &mut out[first..][..TOKENS];
            let count = decoder.decode_some(&mut run, slots, TOKENS - 100).unwrap();
            decoder.decode(&mut run, &mut slots[count..]).unwrap();
            assert!(run.data.is_empty(), "{name}");
            assert_eq!(run.taken, TOKENS, "{name}");
            let wrong = slots.iter().zip(&self.tokens).position(|(&got, &token)| got.into() != token.into());
            assert_eq!(wrong, None, "{name}: {} from slot {first}", W::NAME);
            assert_eq!(out[TOKENS + first..].iter().find(|&&slot| slot != W::default()), None, "{name}");
        }
    }
}

impl Leb128Visitor for Large {
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str) {
        if let Some(decoder) = D::detect() {
            self.check::<D, u32>(decoder, name);
            self.check::<D, u64>(decoder, name);
        }
    }
}

#[test]
fn large_outputs_are_the_same() {
    // One and two bytes, stretches with three and four, and now and then five.
    let mut state = 1_u32;
    let tokens: Vec<u32> = (0..TOKENS)
        .map(|index| {
            state = state.wrapping_mul(0x2c92_77b5).wrapping_add(0xac56_4b05);
            let bits = match (state >> 20, index >> 12 & 7) {
                (0..2, _) => 32,
                (_, 0) => 26,
                (_, 1 | 2) => 20,
                _ => 10,
            };
            state >> (32 - bits)
        })
        .collect();
    let mut bytes = Vec::new();
    Leb128::encode(&tokens, &mut bytes);
    visit_leb128(&mut Large { tokens, bytes });
}
