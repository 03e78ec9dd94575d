//! The registry as a table: every variant with its facts and its generic code behind plain function calls,
//! one call per piece of a stream, never per token.

use std::ops::Range;

use variants::{DecodeError, Decoder, Info, Layout, Run, Standing, Visitor, Word};

/// A stream in one layout and word: pieces that follow each other in `bytes`.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The encoding of all pieces.
    pub bytes: Vec<u8>,
    /// Each piece's bytes and how many tokens it holds.
    pub pieces: Vec<(Range<usize>, usize)>,
}

/// Decodes one piece of so many tokens and returns how many bytes of its run were left.
pub type PieceCall<W> = fn(&[u8], usize, &mut [W]) -> Result<usize, DecodeError>;

/// What the lab does with one variant for one output word.
#[derive(Clone, Copy)]
pub struct Calls<W> {
    /// Encodes a stream in pieces of so many tokens.
    pub encode: fn(&[W], usize) -> Encoded,
    /// Decodes every piece to the front of the output, one over the other.
    pub decode_over: fn(&Encoded, &mut [W]) -> Result<(), DecodeError>,
    /// Decodes one piece; for comparing before anything is timed.
    pub decode_piece: PieceCall<W>,
    /// The layout's oracle on one piece.
    pub oracle_piece: PieceCall<W>,
}

/// A registered variant.
#[derive(Clone, Copy)]
pub struct Contestant {
    /// The name of its file.
    pub name: &'static str,
    /// Its own words on itself.
    pub info: Info,
    /// The layout that it decodes.
    pub layout: &'static str,
    /// Whether this CPU, as far as it is shown, can run it.
    pub runs_here: bool,
    /// Whether it is another project's crate: feature `peers`.
    pub is_peer: bool,
    /// Whether it takes 32-bit words alone.
    pub u32_only: bool,
    /// For `u32` words.
    pub u32: Calls<u32>,
    /// For `u64` words.
    pub u64: Calls<u64>,
}

impl Contestant {
    /// The class it is shown in.
    #[must_use]
    pub fn class(&self) -> &'static str {
        if self.is_peer { "peer" } else { self.info.class.name() }
    }

    /// Whether it takes these words.
    #[must_use]
    pub fn takes<W: Word>(&self) -> bool {
        !self.u32_only || W::BYTES == u32::BYTES
    }

    /// Whether its output is the tokens.
    #[must_use]
    pub fn decodes(&self) -> bool {
        self.info.standing != Standing::Floor
    }
}

/// An output word with its column of the table.
pub trait LabWord: Word {
    /// The calls for this word.
    fn calls(contestant: &Contestant) -> &Calls<Self>;
}

impl LabWord for u32 {
    fn calls(contestant: &Contestant) -> &Calls<Self> {
        &contestant.u32
    }
}

impl LabWord for u64 {
    fn calls(contestant: &Contestant) -> &Calls<Self> {
        &contestant.u64
    }
}

/// All registered variants, in the registry's order, and behind them other projects' crates if they are built in.
#[must_use]
pub fn all() -> Vec<Contestant> {
    let mut collector = Collector(Vec::new());
    variants::visit_all(&mut collector);
    #[cfg(feature = "peers")]
    collector.0.extend(super::peers::contestants());
    collector.0
}

struct Collector(Vec<Contestant>);

impl Visitor for Collector {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        self.0.push(Contestant {
            name,
            info: D::INFO,
            layout: D::Layout::NAME,
            runs_here: D::detect().is_some(),
            is_peer: false,
            u32_only: false,
            u32: calls::<D, u32>(),
            u64: calls::<D, u64>(),
        });
    }
}

fn calls<D: Decoder, W: Word>() -> Calls<W> {
    Calls {
        encode: encode::<D::Layout, W>,
        decode_over: decode_over::<D, W>,
        decode_piece: |bytes, count, out| {
            let decoder = proof::<D>();
            one_piece::<D::Layout, W>(bytes, count, out, &|run, out| decoder.decode(run, out))
        },
        oracle_piece: oracle_piece::<D::Layout, W>,
    }
}

/// The decoder of a contestant that was found to run here.
///
/// # Panics
/// If it does not: callers look at [`Contestant::runs_here`] first.
fn proof<D: Decoder>() -> D {
    D::detect().expect("only contestants that run on this CPU are called")
}

// What depends on the layout alone is compiled once for it, not once for each of its decoders.

fn encode<L: Layout, W: Word>(tokens: &[W], piece: usize) -> Encoded {
    let mut bytes = Vec::new();
    let pieces = tokens
        .chunks(piece)
        .map(|tokens| {
            let start = bytes.len();
            L::encode(tokens, &mut bytes);
            (start..bytes.len(), tokens.len())
        })
        .collect();
    Encoded { bytes, pieces }
}

fn decode_over<D: Decoder, W: Word>(encoded: &Encoded, out: &mut [W]) -> Result<(), DecodeError> {
    let decoder = proof::<D>();
    for (place, count) in &encoded.pieces {
        let mut run = D::Layout::open::<W>(&encoded.bytes[place.clone()], *count)?;
        decoder.decode(&mut run, &mut out[..*count])?;
    }
    Ok(())
}

fn oracle_piece<L: Layout, W: Word>(bytes: &[u8], count: usize, out: &mut [W]) -> Result<usize, DecodeError> {
    one_piece::<L, W>(bytes, count, out, &L::oracle)
}

/// A decoder's or an oracle's code for one run.
type DecodeRun<'a, W> = dyn Fn(&mut Run<'_>, &mut [W]) -> Result<(), DecodeError> + 'a;

/// Decodes one piece and returns how many bytes of its run were left.
fn one_piece<L: Layout, W: Word>(
    bytes: &[u8],
    count: usize,
    out: &mut [W],
    decode: &DecodeRun<'_, W>,
) -> Result<usize, DecodeError> {
    let mut run = L::open::<W>(bytes, count)?;
    decode(&mut run, &mut out[..count])?;
    Ok(run.control.len() + run.data.len() + run.exceptions.len())
}
