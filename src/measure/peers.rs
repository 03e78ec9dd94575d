//! Other people's crates as contestants of the tokens task: feature `peers`.
//!
//! They are called through their safe interfaces, as their documentation shows, on runs that were encoded here or by
//! themselves: they need not survive damage, so they are in no conformance suite, but `verify` and `rank` hold their
//! tokens against those that were encoded. What is built without flags is measured: `varint-simd` asks for
//! `-C target-cpu=native`, without which it has SSE2 alone, and `stream-vbyte` for SSSE3, without which it is
//! scalar; `streamvbyte64` has vectors for ARM alone. `bitpacking` finds its CPU features itself.

use bitpacking::{BitPacker, BitPacker4x, BitPacker8x};
use integer_encoding::VarInt;
use streamvbyte64::{Coder, Coder0124, Coder1234};
use variants::{Class, DecodeError, ErrorKind, Info, Layout, Standing, Word, Words, layout::Leb128};

use super::contestants::{Calls, Contestant, Encoded};

/// A crate's decoder of one layout.
trait Peer {
    const NAME: &'static str;
    /// The layout's name: that of a registered one only if the bytes are the same.
    const LAYOUT: &'static str;
    const INFO: Info;
    /// Whether it takes 32-bit words alone.
    const U32_ONLY: bool = false;

    /// Appends the encoding of these tokens.
    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>);

    /// Fills `out` and returns how many bytes it took; `None` if it refuses.
    fn decode<W: Word>(bytes: &[u8], out: &mut [W]) -> Option<usize>;
}

const fn info(idea: &'static str, origin: &'static str) -> Info {
    let loses_when = "not ours to say";
    Info { idea, origin, loses_when, class: Class::Scalar, standing: Standing::Ranked }
}

/// All of them, by crate.
pub(super) fn contestants() -> Vec<Contestant> {
    vec![
        contestant::<PeerLeb128fmt>(),
        contestant::<PeerIntegerEncoding>(),
        contestant::<PeerTinyVarint>(),
        contestant::<PeerProst>(),
        contestant::<PeerVarintSimd>(),
        contestant::<PeerStreamVbyte>(),
        contestant::<PeerStreamvbyte64<Coder1234>>(),
        contestant::<PeerStreamvbyte64<Coder0124>>(),
        contestant::<PeerBitpacking<BitPacker4x>>(),
        contestant::<PeerBitpacking<BitPacker8x>>(),
    ]
}

fn contestant<P: Peer>() -> Contestant {
    Contestant {
        name: P::NAME,
        info: P::INFO,
        layout: P::LAYOUT,
        runs_here: true,
        is_peer: true,
        u32_only: P::U32_ONLY,
        u32: calls::<P, u32>(),
        u64: calls::<P, u64>(),
    }
}

fn calls<P: Peer, W: Word>() -> Calls<W> {
    Calls {
        encode: encode::<P, W>,
        decode_over: |encoded, out| {
            encoded.pieces.iter().try_for_each(|(place, count)| {
                piece::<P, W>(&encoded.bytes[place.clone()], *count, out).map(|_| ())
            })
        },
        decode_piece: piece::<P, W>,
        // A layout of its own has no other oracle: what comes out is compared with the tokens that went in.
        oracle_piece: piece::<P, W>,
    }
}

fn encode<P: Peer, W: Word>(tokens: &[W], piece: usize) -> Encoded {
    let mut encoded = Encoded { bytes: Vec::new(), pieces: Vec::new() };
    for tokens in tokens.chunks(piece) {
        let start = encoded.bytes.len();
        P::encode(tokens, &mut encoded.bytes);
        encoded.pieces.push((start..encoded.bytes.len(), tokens.len()));
    }
    encoded
}

fn piece<P: Peer, W: Word>(bytes: &[u8], count: usize, out: &mut [W]) -> Result<usize, DecodeError> {
    let refusal = DecodeError { kind: ErrorKind::Malformed, index: 0 };
    P::decode(bytes, &mut out[..count]).map(|used| bytes.len() - used).ok_or(refusal)
}

/// Fills `out` by a step that decodes one token.
#[inline(always)]
fn by_step<W>(bytes: &[u8], out: &mut [W], step: impl Fn(&[u8]) -> Option<(W, usize)>) -> Option<usize> {
    let mut at = 0;
    for slot in out {
        let (token, used) = step(&bytes[at..])?;
        *slot = token;
        at += used;
    }
    Some(at)
}

/// Declares a decoder of LEB128 by its steps for either word.
macro_rules! leb128_peers {
    ($($peer:ident, $name:literal, $origin:literal, $idea:literal, $u32:expr, $u64:expr;)*) => {$(
        struct $peer;

        impl Peer for $peer {
            const NAME: &'static str = $name;
            const LAYOUT: &'static str = Leb128::NAME;
            const INFO: Info = info($idea, $origin);

            fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
                Leb128::encode(tokens, bytes);
            }

            fn decode<W: Word>(bytes: &[u8], out: &mut [W]) -> Option<usize> {
                match W::words(out) {
                    Words::U32(out) => by_step(bytes, out, $u32),
                    Words::U64(out) => by_step(bytes, out, $u64),
                }
            }
        }
    )*};
}

leb128_peers! {
    PeerLeb128fmt, "peer_leb128fmt", "leb128fmt 0.1", "one token a call, decode_uint_slice",
        |bytes| {
            let mut at = 0;
            Some((leb128fmt::decode_uint_slice::<u32, 32>(bytes, &mut at).ok()?, at))
        },
        |bytes| {
            let mut at = 0;
            Some((leb128fmt::decode_uint_slice::<u64, 64>(bytes, &mut at).ok()?, at))
        };
    PeerIntegerEncoding, "peer_integer_encoding", "integer-encoding 4", "one token a call, VarInt::decode_var",
        u32::decode_var, u64::decode_var;
    PeerTinyVarint, "peer_tiny_varint", "tiny-varint 0.1", "one token a call, decode",
        |bytes| tiny_varint::decode::<u32>(bytes).ok(), |bytes| tiny_varint::decode::<u64>(bytes).ok();
    PeerProst, "peer_prost", "prost 0.14", "one token a call, encoding::decode_varint",
        |bytes| prost_step(bytes).and_then(|(token, used)| Some((u32::try_from(token).ok()?, used))),
        prost_step;
    PeerVarintSimd, "peer_varint_simd", "varint-simd 0.4", "one token a call, decode; built without flags: SSE2",
        |bytes| varint_simd::decode::<u32>(bytes).ok(), |bytes| varint_simd::decode::<u64>(bytes).ok();
}

#[inline(always)]
fn prost_step(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut left = bytes;
    let token = prost::encoding::decode_varint(&mut left).ok()?;
    Some((token, bytes.len() - left.len()))
}

/// The words, if they are 32-bit ones, which is all that some crates take.
fn narrow<W: Word>(out: &mut [W]) -> Option<&mut [u32]> {
    match W::words(out) {
        Words::U32(out) => Some(out),
        Words::U64(_) => None,
    }
}

/// The tokens as 32-bit words; they are, wherever a contestant for 32-bit words runs.
fn narrowed<W: Word>(tokens: &[W]) -> Vec<u32> {
    tokens.iter().map(|&token| token.into() as u32).collect()
}

struct PeerStreamVbyte;

impl Peer for PeerStreamVbyte {
    const NAME: &'static str = "peer_stream_vbyte";
    /// Control and data are those of `stream_vbyte1234`, whose list of exceptions it has not.
    const LAYOUT: &'static str = "stream_vbyte_classic";
    const INFO: Info = info("Stream VByte, decode::<Scalar>; built without flags", "stream-vbyte 0.4");
    const U32_ONLY: bool = true;

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.resize(start + tokens.len().div_ceil(4) + 4 * tokens.len(), 0);
        let used = stream_vbyte::encode::encode::<stream_vbyte::scalar::Scalar>(
            &narrowed(tokens),
            &mut bytes[start..],
        );
        bytes.truncate(start + used);
    }

    fn decode<W: Word>(bytes: &[u8], out: &mut [W]) -> Option<usize> {
        let out = narrow(out)?;
        Some(stream_vbyte::decode::decode::<stream_vbyte::scalar::Scalar>(bytes, out.len(), out))
    }
}

struct PeerStreamvbyte64<C>(C);

/// The names of a coder's contestant and layout.
trait NamedCoder: Coder<Elem = u32> {
    const PEER: &'static str;
    const BYTES: &'static str;
}

impl NamedCoder for Coder1234 {
    const PEER: &'static str = "peer_streamvbyte64_1234";
    const BYTES: &'static str = "stream_vbyte_classic_4";
}

impl NamedCoder for Coder0124 {
    const PEER: &'static str = "peer_streamvbyte64_0124";
    const BYTES: &'static str = "stream_vbyte_0124_4";
}

impl<C: NamedCoder> Peer for PeerStreamvbyte64<C> {
    const NAME: &'static str = C::PEER;
    const LAYOUT: &'static str = C::BYTES;
    const INFO: Info = info("Stream VByte, Coder::decode; scalar on this architecture", "streamvbyte64 0.2");
    const U32_ONLY: bool = true;

    /// It takes tokens by fours: the last group is filled up.
    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let mut words = narrowed(tokens);
        words.resize(words.len().next_multiple_of(4), 0);
        let (tags, data) = C::max_compressed_bytes(words.len());
        let start = bytes.len();
        bytes.resize(start + tags + data, 0);
        let (tag_bytes, data_bytes) = bytes[start..].split_at_mut(tags);
        let used = C::new().encode(&words, tag_bytes, data_bytes);
        bytes.truncate(start + tags + used);
    }

    fn decode<W: Word>(bytes: &[u8], out: &mut [W]) -> Option<usize> {
        let out = narrow(out)?;
        let (tags, data) = bytes.split_at_checked(out.len().div_ceil(4))?;
        let (whole, last) = out.as_chunks_mut::<4>();
        let (whole_tags, last_tag) = tags.split_at(whole.len());
        let coder = C::new();
        let mut used = coder.decode(whole_tags, data, whole.as_flattened_mut());
        if !last.is_empty() {
            let mut group = [0; 4];
            used += coder.decode(last_tag, &data[used..], &mut group);
            last.copy_from_slice(&group[..last.len()]);
        }
        Some(tags.len() + used)
    }
}

struct PeerBitpacking<P>(P);

/// The names of a packer's contestant and layout.
trait NamedPacker: BitPacker {
    const PEER: &'static str;
    const BYTES: &'static str;
    const IDEA: &'static str;
}

impl NamedPacker for BitPacker4x {
    const PEER: &'static str = "peer_bitpacking4x";
    const BYTES: &'static str = "bitpacking4x";
    const IDEA: &'static str = "blocks of 128 of one width, decompress; SSE3 where the CPU has it";
}

impl NamedPacker for BitPacker8x {
    const PEER: &'static str = "peer_bitpacking8x";
    const BYTES: &'static str = "bitpacking8x";
    const IDEA: &'static str = "blocks of 256 of one width, decompress; AVX2 where the CPU has it";
}

/// Blocks, each behind a byte with its width; the last one is filled up with zeros.
impl<P: NamedPacker> Peer for PeerBitpacking<P> {
    const NAME: &'static str = P::PEER;
    const LAYOUT: &'static str = P::BYTES;
    const INFO: Info = info(P::IDEA, "bitpacking 0.9");
    const U32_ONLY: bool = true;

    fn encode<W: Word>(tokens: &[W], bytes: &mut Vec<u8>) {
        let packer = P::new();
        for block in tokens.chunks(P::BLOCK_LEN) {
            let mut words = narrowed(block);
            words.resize(P::BLOCK_LEN, 0);
            let width = packer.num_bits(&words);
            bytes.push(width);
            let start = bytes.len();
            bytes.resize(start + P::BLOCK_LEN / 8 * usize::from(width), 0);
            packer.compress(&words, &mut bytes[start..], width);
        }
    }

    fn decode<W: Word>(bytes: &[u8], out: &mut [W]) -> Option<usize> {
        let packer = P::new();
        let mut at = 0;
        let mut last = [0; BitPacker8x::BLOCK_LEN];
        for block in narrow(out)?.chunks_mut(P::BLOCK_LEN) {
            let width = *bytes.get(at)?;
            let packed = bytes.get(at + 1..)?;
            at += 1 + if block.len() == P::BLOCK_LEN {
                packer.decompress(packed, block, width)
            } else {
                let used = packer.decompress(packed, &mut last[..P::BLOCK_LEN], width);
                block.copy_from_slice(&last[..block.len()]);
                used
            };
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back() {
        let tokens: Vec<u32> =
            (0..1003_u32).map(|index| index.wrapping_mul(0x9e37_79b9) >> (index % 32)).collect();
        let wide: Vec<u64> = tokens.iter().map(|&token| u64::from(token) << (token % 33)).collect();
        for contestant in contestants() {
            for count in [0, 1, 3, 4, 127, 128, 255, 257, 1003] {
                let (tokens, wide) = (&tokens[..count], &wide[..count]);
                let mut out = vec![0; count];
                let encoded = (contestant.u32.encode)(tokens, 400);
                for ((place, count), tokens) in encoded.pieces.iter().zip(tokens.chunks(400)) {
                    let left = (contestant.u32.decode_piece)(&encoded.bytes[place.clone()], *count, &mut out);
                    assert_eq!(left, Ok(0), "{}", contestant.name);
                    assert_eq!(&out[..*count], tokens, "{}", contestant.name);
                }
                let encoded = (contestant.u64.encode)(wide, 2000);
                let mut out = vec![0; count];
                let done = (contestant.u64.decode_over)(&encoded, &mut out);
                assert!(contestant.u32_only || (done == Ok(()) && out == wide), "{}", contestant.name);
            }
        }
    }
}
