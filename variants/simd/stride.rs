//! The driver of the kernels that work in two stages: how many blocks to scan, which length codes they need,
//! and what to do at the ends. The stages themselves are each variant's own.

use super::{
    codes::{BATCH, Codes, GROUP},
    refusal,
};
use crate::{DecodeError, Run, Word, decode_by_step, layout::leb128::decode_token};

/// What was scanned.
pub(crate) struct Scan {
    /// Blocks before the first one with a token that is too long for the level.
    pub(crate) blocks: usize,
    /// Whether a token had all the bytes that the level allows.
    pub(crate) used: bool,
}

/// What became of a window.
pub(crate) struct Window {
    /// Tokens written.
    pub(crate) tokens: usize,
    /// Bytes that they take.
    pub(crate) bytes: usize,
    /// Whether one of them has more than four bytes.
    pub(crate) long: bool,
}

/// What tokens are written to: a word, or 16 bits for tokens that fit.
pub(crate) trait Slot: Copy + Default {
    /// The highest level that is worth a try.
    const LEVELS: usize;
}

impl Slot for u16 {
    const LEVELS: usize = 2;
}

impl<W: Word> Slot for W {
    const LEVELS: usize = 3;
}

/// The stages of a kernel, but for those of [`Emit`]. A level allows tokens of up to `LEVEL + 1` bytes.
pub(crate) trait Stages: Copy {
    /// Stage 1: appends the codes of the tokens that end in `blocks`. Stops before a block with a token of
    /// more than `LEVEL + 1` bytes. `before` is the mask of high bits of the block before these.
    fn scan<const LEVEL: usize>(self, blocks: &[[u8; 64]], before: &mut u64, codes: &mut Codes) -> Scan;

    /// Decodes tokens of any length out of the first 64 bytes of `data`, at most as many as `out` has slots.
    /// None at all means that the first one is truncated, too long or too wide.
    fn window<W: Word>(self, data: &[u8], out: &mut [W]) -> Window;

    /// Orders the stores that went past the caches before whatever comes next.
    fn fence(self);
}

/// The stages of a kernel that write these slots.
pub(crate) trait Emit<W: Slot>: Stages {
    /// Stage 2: writes the groups whose codes are given, as long as `data` has the bytes that its loads
    /// take, which are at most 144 from a group's first one, and the tokens fit slots of 16 bits, if they are
    /// those. Returns how many, and moves `data` past them.
    ///
    /// With `STREAM` the stores go past the caches, if the groups begin on a cache line.
    fn emit<const LEVEL: usize, const STREAM: bool>(
        self,
        data: &mut &[u8],
        codes: &Codes,
        groups: &mut [[W; GROUP]],
    ) -> usize;

    /// Writes groups as long as the next 32 bytes have no high bit, so that they are the tokens. Returns how
    /// many, and moves `data` past them.
    fn ones<const STREAM: bool>(self, data: &mut &[u8], groups: &mut [[W; GROUP]]) -> usize;
}

/// Below this many slots the plain decoder is faster than a window.
const FEW: usize = 8;
/// From this many bytes on, `out` is written past the caches. Below, whoever reads the tokens next finds
/// them in a cache, and such stores would be slower too.
const STREAM_FROM: usize = 8 << 20;
/// A cache line, in bytes.
const LINE: usize = 64;

/// Below this many bytes the rest is decoded from a padded copy. It is more than the bytes that are left
/// where a batch runs dry: a partial block, the tokens of an unfinished group, and what a load takes.
const SHORT: usize = 256;
const PADDED: usize = SHORT + 192;

/// [`Decoder::decode_some`](crate::Decoder::decode_some) for a run of LEB128.
pub(crate) fn decode<S: Emit<W>, W: Word>(
    stages: S,
    run: &mut Run<'_>,
    out: &mut [W],
    least: usize,
) -> Result<usize, DecodeError> {
    assert!(least <= out.len(), "more tokens are asked for than there are slots");
    if out.len() < FEW {
        return decode_by_step(run, &mut out[..least], decode_token).map(|()| least);
    }
    let mut ahead = *run;
    let result = if out.len() < GROUP {
        windows(stages, &mut ahead.data, out, 0, least)
    } else if size_of_val(out) < STREAM_FROM {
        tokens::<false, S, W>(stages, &mut ahead.data, out, least)
    } else {
        let result = tokens::<true, S, W>(stages, &mut ahead.data, out, least);
        stages.fence();
        result
    };
    let done = result?;
    run.data = ahead.data;
    run.taken += done;
    Ok(done)
}

/// [`Decoder::decode_short`](crate::Decoder::decode_short) for a run of LEB128: whole groups, until the bytes run
/// short or a longer token comes.
pub(crate) fn decode_short<S: Emit<u16>>(stages: S, run: &mut Run<'_>, out: &mut [u16]) -> usize {
    let whole = out.len() / GROUP * GROUP;
    let done = batches::<false, S, u16>(stages, &mut Codes::new(), &mut run.data, &mut out[..whole], whole);
    run.taken += done;
    done
}

/// Decodes at least `least` tokens and returns how many.
fn tokens<const STREAM: bool, S: Emit<W>, W: Word>(
    stages: S,
    data: &mut &[u8],
    out: &mut [W],
    least: usize,
) -> Result<usize, DecodeError> {
    let mut codes = Codes::new();
    let mut done = 0;
    while done < least {
        let slots = &mut out[done..];
        if STREAM {
            // The slots before the next cache line, so that whole lines are left.
            let before = slots.as_ptr().align_offset(LINE).min(least - done);
            if before > 0 {
                done = windows(stages, data, &mut out[..done + before], done, done + before)?;
                continue;
            }
        }
        let short = data.len() < SHORT;
        done += if short {
            rest(stages, &mut codes, data, slots, least - done)
        } else {
            batches::<STREAM, S, W>(stages, &mut codes, data, slots, least - done)
        };
        if short || data.len() >= SHORT {
            // What stopped it is a token of five bytes or more, or the end of the bytes.
            done = windows(stages, data, out, done, least.min(done + 1))?;
        }
    }
    Ok(done)
}

/// Decodes single windows until `done` tokens are `least` and long tokens stop. Returns the new `done`.
fn windows<S: Stages, W: Word>(
    stages: S,
    data: &mut &[u8],
    out: &mut [W],
    mut done: usize,
    least: usize,
) -> Result<usize, DecodeError> {
    let mut long = false;
    while done < least || long && done < out.len() {
        let window = stages.window(data, &mut out[done..]);
        if window.tokens == 0 {
            if done >= least {
                break;
            }
            return Err(refusal(data, done));
        }
        *data = &data[window.bytes..];
        done += window.tokens;
        long = window.long;
    }
    Ok(done)
}

/// Decodes from a copy with zeros behind, which are tokens that nobody asks for.
#[inline(never)]
fn rest<S: Emit<W>, W: Word>(
    stages: S,
    codes: &mut Codes,
    data: &mut &[u8],
    out: &mut [W],
    least: usize,
) -> usize {
    let mut padded = [0; PADDED];
    padded[..data.len()].copy_from_slice(data);
    let real = data.iter().filter(|&&byte| byte < 0x80).count();
    let count = real.min(out.len());
    let mut copy = &padded[..];
    let done = batches::<false, S, W>(stages, codes, &mut copy, &mut out[..count], least.min(count));
    *data = &data[PADDED - copy.len()..];
    done
}

/// Decodes until `least` tokens are there, the bytes run short, or a token of five bytes or more comes.
/// Returns the number of tokens and moves `data` past them.
fn batches<const STREAM: bool, S: Emit<W>, W: Slot>(
    stages: S,
    codes: &mut Codes,
    data: &mut &[u8],
    out: &mut [W],
    least: usize,
) -> usize {
    let (mut blocks, _) = data.as_chunks::<64>();
    let mut before = 0;
    codes.clear();
    let mut level = 1;
    let mut done = 0;
    while done < least {
        let (slots, last) = out[done..].as_chunks_mut::<GROUP>();
        let room = slots.len() * GROUP;
        if room == 0 && codes.tokens >= last.len() {
            // Fewer slots than a group has tokens.
            let mut group = [[W::default(); GROUP]];
            let mut ahead = *data;
            if emit::<false, S, W>(stages, level, &mut ahead, codes, &mut group) == 1 {
                last.copy_from_slice(&group[0][..last.len()]);
                *data = &data[codes.bytes(last.len())..];
                done += last.len();
            }
            break;
        }
        if codes.tokens == 0 && before >> 63 == 0 {
            // Between tokens, at the start of a block: a column of small numbers needs no codes.
            let groups = stages.ones::<STREAM>(data, slots);
            if groups > 0 {
                done += groups * GROUP;
                blocks = data.as_chunks().0;
                before = 0;
                continue;
            }
        }
        let wanted = (room + last.len()).saturating_sub(codes.tokens) / 48 + 1;
        let next = &blocks[..blocks.len().min(BATCH).min(wanted)];
        if next.is_empty() {
            break;
        }
        let scan = match level {
            1 => stages.scan::<1>(next, &mut before, codes),
            2 => stages.scan::<2>(next, &mut before, codes),
            _ => stages.scan::<3>(next, &mut before, codes),
        };
        let full = (codes.tokens / GROUP).min(slots.len());
        let groups = emit::<STREAM, S, W>(stages, level, data, codes, &mut slots[..full]);
        done += groups * GROUP;
        if groups < full {
            break;
        }
        codes.drop_groups(level, groups);
        blocks = &blocks[scan.blocks..];
        if scan.blocks < next.len() {
            if level == W::LEVELS {
                break;
            }
            level += 1;
        } else if level > 1 && !scan.used && codes.is_free(level - 1) {
            level -= 1;
        }
    }
    done
}

fn emit<const STREAM: bool, S: Emit<W>, W: Slot>(
    stages: S,
    level: usize,
    data: &mut &[u8],
    codes: &Codes,
    groups: &mut [[W; GROUP]],
) -> usize {
    match level {
        1 => stages.emit::<1, STREAM>(data, codes, groups),
        2 => stages.emit::<2, STREAM>(data, codes, groups),
        _ => stages.emit::<3, STREAM>(data, codes, groups),
    }
}
