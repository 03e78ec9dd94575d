//! What a variant promises: [`Decoder`], its [`Layout`], the [`Run`] it reads, the [`Word`] it writes.

use alloc::vec::Vec;
use core::fmt;

use crate::layout::Leb128;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// Output slices by word, for kernels that have one body for each width.
#[derive(Debug)]
pub enum Words<'a> {
    /// Tokens as 32-bit words.
    U32(&'a mut [u32]),
    /// Tokens as 64-bit words.
    U64(&'a mut [u64]),
}

/// Input slices by word, for what reads tokens.
#[derive(Clone, Copy, Debug)]
pub enum Tokens<'a> {
    /// Tokens as 32-bit words.
    U32(&'a [u32]),
    /// Tokens as 64-bit words.
    U64(&'a [u64]),
}

/// A token's type in memory: `u32` or `u64`.
pub trait Word:
    sealed::Sealed + Copy + Default + Eq + fmt::Debug + Send + Sync + Into<u64> + 'static
{
    /// Bytes of one word, 4 or 8.
    const BYTES: usize;
    /// `u32` or `u64`.
    const NAME: &'static str;
    /// The token as this word, or `None` if it does not fit.
    fn from_token(token: u64) -> Option<Self>;
    /// The token's low bits: for values that are known to fit.
    fn cut(token: u64) -> Self;
    /// The slice with its concrete type.
    fn words(out: &mut [Self]) -> Words<'_>;
    /// The same for a slice to read.
    fn tokens(tokens: &[Self]) -> Tokens<'_>;
}

impl Word for u32 {
    const BYTES: usize = 4;
    const NAME: &'static str = "u32";
    #[inline(always)]
    fn from_token(token: u64) -> Option<Self> {
        Self::try_from(token).ok()
    }
    #[inline(always)]
    fn cut(token: u64) -> Self {
        token as Self
    }
    #[inline(always)]
    fn words(out: &mut [Self]) -> Words<'_> {
        Words::U32(out)
    }
    #[inline(always)]
    fn tokens(tokens: &[Self]) -> Tokens<'_> {
        Tokens::U32(tokens)
    }
}

impl Word for u64 {
    const BYTES: usize = 8;
    const NAME: &'static str = "u64";
    #[inline(always)]
    fn from_token(token: u64) -> Option<Self> {
        Some(token)
    }
    #[inline(always)]
    fn cut(token: u64) -> Self {
        token
    }
    #[inline(always)]
    fn words(out: &mut [Self]) -> Words<'_> {
        Words::U64(out)
    }
    #[inline(always)]
    fn tokens(tokens: &[Self]) -> Tokens<'_> {
        Tokens::U64(tokens)
    }
}

/// What is left to read of one contiguous sequence of tokens.
///
/// LEB128 uses `data` alone. Stream VByte keeps its codes in `control`: `control[0]` then holds the code of
/// the next token, at the place that `taken` modulo the codes in a byte says. Layouts with outliers list them
/// in `exceptions`. A decoder moves the run past what it read; a run that it refused is where it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run<'a> {
    /// Length codes or widths; empty for layouts without.
    pub control: &'a [u8],
    /// The tokens' bytes.
    pub data: &'a [u8],
    /// Outliers that do not fit their code; empty for layouts without.
    pub exceptions: &'a [u8],
    /// Tokens handed out since the run was opened.
    pub taken: usize,
}

impl<'a> Run<'a> {
    /// A run that is nothing but token bytes, such as LEB128.
    #[must_use]
    pub fn of_data(data: &'a [u8]) -> Self {
        Self { data, ..Self::default() }
    }
}

/// Why a token could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// The bytes end inside the token, or before it.
    Truncated,
    /// The token has more than 64 bits.
    Overflow,
    /// The token is legal but does not fit the output word.
    Wide,
    /// The layout's own bookkeeping (a width, an exception's index) contradicts itself.
    Malformed,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the bytes end inside the token",
            Self::Overflow => "the token has more than 64 bits",
            Self::Wide => "the token does not fit the output word",
            Self::Malformed => "the layout's bookkeeping contradicts itself",
        })
    }
}

/// A refusal, with the place of the offending token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The token, counted from the first one of this call.
    pub index: usize,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "token {}: {}", self.index, self.kind)
    }
}

impl core::error::Error for DecodeError {}

/// How a run of tokens becomes bytes. Encoders and oracles are plain and slow on purpose.
pub trait Layout: Sized + 'static {
    /// The layout's name, which starts the names of its variants' files.
    const NAME: &'static str;
    /// How many tokens are stored as one piece. A run whose next token is not the first of its piece still
    /// has the whole piece in front of it.
    const PIECE: usize = 1;

    /// Appends the run's bytes to `bytes`.
    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>);

    /// Splits bytes that hold `count` tokens into the parts of a run.
    ///
    /// # Errors
    /// `Truncated` if `bytes` cannot hold the bookkeeping of `count` tokens, `Malformed` if it contradicts
    /// itself. Token bytes are not looked at.
    fn open<W: Word>(bytes: &[u8], count: usize) -> Result<Run<'_>, DecodeError>;

    /// The plainest correct decoder: what [`Decoder::decode`] of every variant has to equal.
    ///
    /// # Errors
    /// As [`Decoder::decode`].
    fn oracle<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError>;

    /// Shows a decoder of this layout to a visitor of LEB128 decoders, which only LEB128 itself does: the way
    /// from any decoder to code that reads cloudini's bytes.
    fn show_leb128<D: Decoder<Layout = Self>>(name: &'static str, visitor: &mut impl Leb128Visitor) {
        let _ = (name, visitor);
    }
}

/// Is shown the decoders of LEB128, cloudini's own bytes; see [`visit_leb128`](crate::visit_leb128).
pub trait Leb128Visitor {
    /// `name` is the name of the variant's file.
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str);
}

/// A decoder's place in the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Takes part.
    Ranked,
    /// A limit to hold the others against: it hands out the tokens, but there is nothing to decode.
    Control,
    /// A control that only stores: its values are not the tokens, and no decoder can be faster.
    Floor,
    /// Tested and measurable, but out of the ranking; the number is that of its note in `reports/notes/`.
    Rejected(u16),
}

impl Standing {
    /// The standing as records show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::Control | Self::Floor => "control",
            Self::Rejected(_) => "rejected",
        }
    }
}

/// What a variant needs from the CPU, and the class it is shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Any CPU.
    Scalar,
    /// 64-bit words with BMI2's PEXT and PDEP.
    Bmi2,
    /// 128-bit vectors, up to SSE4.1.
    Sse,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl Class {
    /// The class as tables show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Bmi2 => "BMI2",
            Self::Sse => "SSE4.1",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }
}

/// What readers should know of a variant before they see its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The idea in a line.
    pub idea: &'static str,
    /// Where it comes from: paper, project and commit, or this lab.
    pub origin: &'static str,
    /// The input on which it should lose.
    pub loses_when: &'static str,
    /// The CPU features that it is built from.
    pub class: Class,
    /// Its place in the ranking.
    pub standing: Standing,
}

/// One way to decode one layout. Holding a value proves that this CPU can run it.
pub trait Decoder: Copy + Send + Sync + 'static {
    /// The layout that it reads.
    type Layout: Layout;
    /// What readers should know of it.
    const INFO: Info;

    /// The decoder, if this CPU has every feature that it uses.
    fn detect() -> Option<Self>;

    /// Fills `out` from the front of `run` and moves `run` past what was read.
    ///
    /// Reads nothing outside `run`'s slices and writes nothing outside `out`; needs no padding of either.
    /// What follows the last token, be it another token or rubbish, does not matter.
    ///
    /// # Errors
    /// The first token that cannot be decoded, with its index in `out`: `run` is then where it was,
    /// `out[..index]` holds the tokens before it and the rest of `out` is unspecified.
    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError>;

    /// Fills the front of `out` with at least `least` and at most `out.len()` tokens and returns how many.
    /// Slots behind that count hold anything.
    ///
    /// The run has to hold `out.len()` tokens or more for a decoder to go past `least`: block decoders stop
    /// where a block ends and spare themselves the careful finish that an exact count costs.
    ///
    /// # Errors
    /// As [`Decoder::decode`], for the tokens up to `least`.
    ///
    /// # Panics
    /// If `least` is greater than `out.len()`.
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        self.decode(run, &mut out[..least])?;
        Ok(least)
    }

    /// Whether [`Self::decode_short`] ever decodes anything.
    const SHORT: bool = false;

    /// Decodes tokens below 2^16 into words of 16 bits, for readers that are faster on those. Fills the front of
    /// `out`, moves `run` past what was read and returns how many tokens that were.
    ///
    /// It stops at a token that is larger or cannot be decoded, and earlier if it likes; why, it does not say:
    /// [`Self::decode_some`] goes on from there, or gives the error. Slots behind the tokens hold anything. The
    /// run has to hold `out.len()` tokens or more.
    fn decode_short(self, run: &mut Run<'_>, out: &mut [u16]) -> usize {
        let _ = (run, out);
        0
    }

    /// Decodes one token: what a reader of mixed rows calls between other fields. Bulk decoders have nothing of
    /// their own to offer here and leave it to the layout's plain code.
    ///
    /// # Errors
    /// As [`Decoder::decode`] for one `u64`.
    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        let mut token = [0];
        Self::Layout::oracle::<u64>(run, &mut token).map_err(|error| error.kind)?;
        Ok(token[0])
    }
}

/// Makes [`Decoder::decode`] out of a step that decodes one LEB128 token from the front of a slice and says
/// how many bytes it took.
///
/// # Errors
/// The step's, with the token's index; `Wide` if a token does not fit `W`.
#[inline(always)]
pub fn decode_by_step<W: Word>(
    run: &mut Run<'_>,
    out: &mut [W],
    step: impl Fn(&[u8]) -> Result<(u64, usize), ErrorKind>,
) -> Result<(), DecodeError> {
    let mut data = run.data;
    for (index, slot) in out.iter_mut().enumerate() {
        let (token, used) = step(data).map_err(|kind| DecodeError { kind, index })?;
        *slot = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
        data = &data[used..];
    }
    run.data = data;
    run.taken += out.len();
    Ok(())
}

/// Makes [`Decoder::next_token`] out of what the same step made of `run.data`.
///
/// It takes the step's result and not the step: a function that is handed over is called through a shim, which
/// no attribute inlines, and its result then goes through memory with the next token waiting for it. `next_token`
/// itself wants `#[inline(always)]` for the same reason.
///
/// # Errors
/// The step's.
#[inline(always)]
pub fn next_by_step(run: &mut Run<'_>, stepped: Result<(u64, usize), ErrorKind>) -> Result<u64, ErrorKind> {
    let (token, used) = stepped?;
    run.data = &run.data[used..];
    run.taken += 1;
    Ok(token)
}
