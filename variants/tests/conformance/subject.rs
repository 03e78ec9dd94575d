//! A variant without its type, so that a property is compiled once per word and not once per variant.

use variants::{DecodeError, Decoder, ErrorKind, Layout, Run, Standing, Word};

pub(crate) trait Subject<W: Word> {
    /// Whether the values that it hands out are the tokens.
    fn hands_out_tokens(&self) -> bool;
    fn layout(&self) -> &'static str;
    /// Whether `count` tokens are whole pieces, so that nothing is left behind them.
    fn ends_with_piece(&self, count: usize) -> bool;
    fn encode(&self, tokens: &[W], bytes: &mut Vec<u8>);
    fn open<'a>(&self, bytes: &'a [u8], count: usize) -> Result<Run<'a>, DecodeError>;
    fn oracle(&self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError>;
    fn decode(&self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError>;
    fn decode_some(&self, run: &mut Run<'_>, out: &mut [W], least: usize) -> Result<usize, DecodeError>;
    /// Whether it decodes into words of 16 bits.
    fn takes_short(&self) -> bool;
    fn decode_short(&self, run: &mut Run<'_>, out: &mut [u16]) -> usize;
    fn next_token(&self, run: &mut Run<'_>) -> Result<u64, ErrorKind>;
}

/// A detected decoder.
pub(crate) struct Detected<D>(pub(crate) D);

impl<D: Decoder, W: Word> Subject<W> for Detected<D> {
    fn hands_out_tokens(&self) -> bool {
        D::INFO.standing != Standing::Floor
    }
    fn layout(&self) -> &'static str {
        D::Layout::NAME
    }
    fn ends_with_piece(&self, count: usize) -> bool {
        count.is_multiple_of(D::Layout::PIECE)
    }
    fn encode(&self, tokens: &[W], bytes: &mut Vec<u8>) {
        D::Layout::encode(tokens, bytes);
    }
    fn open<'a>(&self, bytes: &'a [u8], count: usize) -> Result<Run<'a>, DecodeError> {
        D::Layout::open::<W>(bytes, count)
    }
    fn oracle(&self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        D::Layout::oracle(run, out)
    }
    fn decode(&self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        self.0.decode(run, out)
    }
    fn decode_some(&self, run: &mut Run<'_>, out: &mut [W], least: usize) -> Result<usize, DecodeError> {
        self.0.decode_some(run, out, least)
    }
    fn takes_short(&self) -> bool {
        D::SHORT
    }
    fn decode_short(&self, run: &mut Run<'_>, out: &mut [u16]) -> usize {
        self.0.decode_short(run, out)
    }
    fn next_token(&self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        self.0.next_token(run)
    }
}
