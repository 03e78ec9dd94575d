//! The fastest LEB128 decoder that this CPU can run, for those who decode and do not compare.
//!
//! ```
//! let bytes = [0x01, 0xac, 0x02, 0xf0, 0xa2, 0x04];
//! let tokens: Vec<u32> = variants::decode_leb128(&bytes, 3)?;
//! assert_eq!(tokens, [1, 300, 70_000]);
//! # Ok::<(), variants::DecodeError>(())
//! ```
//!
//! The choice follows `reports/results.md`: by what the CPU has and [`cpu::limit`](crate::cpu::limit) lets
//! through, [`leb128_stride_avx512`](crate::leb128_stride_avx512),
//! [`leb128_stride_avx2`](crate::leb128_stride_avx2), [`leb128_masked_sse41`](crate::leb128_masked_sse41) or the
//! portable [`leb128_switch256`](crate::leb128_switch256), which is all there is without the feature `simd` and on
//! other architectures. The decoders of the class BMI2 are left out: CPUs that have BMI2 have AVX2 as well.
//!
//! That record is of one Intel CPU. AMD before Zen 3 runs PEXT and PDEP as microcode, and the AVX2 decoder executes
//! one to five of them for some 40 tokens; this lab has not measured it there. Compare it with
//! `leb128_masked_sse41` on such a CPU, by `varint-lab rank`.

use alloc::{vec, vec::Vec};

use crate::{
    DecodeError, Decoder, Layout, Leb128Visitor, Run, Word, layout, leb128_masked_sse41::Leb128MaskedSse41,
    leb128_stride_avx2::Leb128StrideAvx2, leb128_stride_avx512::Leb128StrideAvx512,
    leb128_switch256::Leb128Switch256,
};

/// Fewer tokens than this are decoded by the layout's plain code: the vector decoders do the same with so few.
const FEW: usize = 8;

/// The decoder of this CPU. Whoever calls often detects it once and keeps it: a call then costs one branch more
/// than the decoder itself, and no token costs anything.
#[derive(Clone, Copy, Debug)]
pub struct Leb128(Choice);

#[derive(Clone, Copy, Debug)]
enum Choice {
    Avx512(Leb128StrideAvx512),
    Avx2(Leb128StrideAvx2),
    Sse41(Leb128MaskedSse41),
    Portable(Leb128Switch256),
}

impl Leb128 {
    /// The fastest decoder that this CPU can run.
    ///
    /// The CPU itself is asked once in a process; after that, this is a dozen loads of what it said.
    #[must_use]
    pub fn detect() -> Self {
        let avx512 = || Leb128StrideAvx512::detect().map(Choice::Avx512);
        let avx2 = || Leb128StrideAvx2::detect().map(Choice::Avx2);
        let sse41 = || Leb128MaskedSse41::detect().map(Choice::Sse41);
        Self(avx512().or_else(avx2).or_else(sse41).unwrap_or(Choice::Portable(Leb128Switch256)))
    }

    /// The decoder's name, one of [`NAMES`](crate::NAMES).
    #[must_use]
    pub fn name(self) -> &'static str {
        struct Name(&'static str);
        impl Leb128Visitor for Name {
            fn visit<D: Decoder<Layout = layout::Leb128>>(&mut self, name: &'static str) {
                self.0 = name;
            }
        }
        let mut name = Name("");
        self.show(&mut name);
        name.0
    }

    /// Shows the decoder's own type to `visitor`: for code that is generic over [`Decoder`], such as a reader of
    /// mixed rows that asks for one token at a time, and is to be chosen once and not for each token.
    pub fn show(self, visitor: &mut impl Leb128Visitor) {
        match self.0 {
            Choice::Avx512(_) => visitor.visit::<Leb128StrideAvx512>("leb128_stride_avx512"),
            Choice::Avx2(_) => visitor.visit::<Leb128StrideAvx2>("leb128_stride_avx2"),
            Choice::Sse41(_) => visitor.visit::<Leb128MaskedSse41>("leb128_masked_sse41"),
            Choice::Portable(_) => visitor.visit::<Leb128Switch256>("leb128_switch256"),
        }
    }

    /// [`Decoder::decode`] of the chosen decoder.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        match self.0 {
            Choice::Avx512(decoder) => decoder.decode(run, out),
            Choice::Avx2(decoder) => decoder.decode(run, out),
            Choice::Sse41(decoder) => decoder.decode(run, out),
            Choice::Portable(decoder) => decoder.decode(run, out),
        }
    }

    /// [`Decoder::decode_some`] of the chosen decoder.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there, if `least` is greater than `out.len()`.
    #[inline]
    pub fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        match self.0 {
            Choice::Avx512(decoder) => decoder.decode_some(run, out, least),
            Choice::Avx2(decoder) => decoder.decode_some(run, out, least),
            Choice::Sse41(decoder) => decoder.decode_some(run, out, least),
            Choice::Portable(decoder) => decoder.decode_some(run, out, least),
        }
    }
}

/// Fills `out` with the tokens at the front of `bytes` and returns how many bytes they take.
///
/// Reads nothing outside `bytes`; what follows the last token does not matter. Calls for fewer than eight tokens
/// ask nothing of the CPU and go to plain code.
///
/// # Errors
/// The first token that cannot be decoded, with its index in `out`; `out` is then unspecified from there on.
pub fn read_leb128<W: Word>(bytes: &[u8], out: &mut [W]) -> Result<usize, DecodeError> {
    let mut run = Run::of_data(bytes);
    if out.len() < FEW {
        layout::Leb128::oracle(&mut run, out)?;
    } else {
        Leb128::detect().decode(&mut run, out)?;
    }
    Ok(bytes.len() - run.data.len())
}

/// The first `count` tokens of `bytes`, as `u32` or `u64`.
///
/// A token takes a byte or more, so that memory is asked for `bytes.len()` words at most, whatever `count` says.
///
/// # Errors
/// The first token that cannot be decoded, with its index.
pub fn decode_leb128<W: Word>(bytes: &[u8], count: usize) -> Result<Vec<W>, DecodeError> {
    layout::Leb128::open::<W>(bytes, count)?;
    let mut tokens = vec![W::default(); count];
    read_leb128(bytes, &mut tokens)?;
    Ok(tokens)
}
