//! The driver of the kernels that work in two stages: how many blocks to scan, how long their tokens may be, and what
//! to do at the ends. The stages themselves are each variant's own.

use super::refusal;
use crate::{DecodeError, Run, Word, decode_by_step, layout::leb128::decode_token};

/// What was scanned.
pub(crate) struct Scan {
    /// Blocks before the first one with a token that is too long for the level.
    pub(crate) blocks: usize,
    /// How many of them had tokens with all the bytes that the level allows, or whether any had.
    pub(crate) hard: usize,
}

/// What was written.
pub(crate) struct Emitted {
    pub(crate) groups: usize,
    /// Bytes that their tokens take.
    pub(crate) bytes: usize,
    /// Tokens among them that have all the bytes that the level allows, where that is counted.
    pub(crate) longest: usize,
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

/// The most tokens of a group.
const MOST: usize = 64;

/// What stage 1 hands to stage 2.
pub(crate) trait Scanned {
    fn new() -> Self;

    /// Tokens that are held.
    fn tokens(&self) -> usize;

    /// Forgets all tokens.
    fn clear(&mut self);

    /// The bytes of the first `tokens` tokens, fewer than a group.
    fn bytes(&self, level: usize, tokens: usize) -> usize;

    /// Makes the first group a whole one.
    fn fill_up(&mut self, level: usize);

    /// Drops whole groups from the front. Of what is left, the first group is kept.
    fn drop_groups(&mut self, level: usize, groups: usize);
}

/// The stages of a kernel, but for those of [`Emit`]. A level allows tokens of up to `LEVEL + 1` bytes.
pub(crate) trait Stages: Copy {
    /// What stage 1 hands to stage 2.
    type Scanned: Scanned;

    /// Tokens of a group, the unit of stage 2.
    const GROUP: usize;

    /// Bytes behind a block that stage 1 reads with it.
    const AHEAD: usize;

    /// The most blocks of 64 bytes that are scanned before their tokens are written.
    const BATCH: usize;

    /// Stage 1: appends the tokens of the first `blocks` blocks. Stops before a block with a token of
    /// more than `LEVEL + 1` bytes, or of more than it can take along at this level. `before` is the mask of high bits of the block before these.
    fn scan<const LEVEL: usize>(
        self,
        data: &[u8],
        blocks: usize,
        before: &mut u64,
        scanned: &mut Self::Scanned,
    ) -> Scan;

    /// The level to go on with after a batch at this one, which `stopped` before a block that is too hard.
    fn next_level(level: usize, stopped: bool, scan: &Scan, emitted: &Emitted) -> usize;

    /// Decodes tokens of any length out of the first 64 bytes of `data`, at most as many as `out` has slots.
    /// None at all means that the first one is truncated, too long or too wide.
    fn window<W: Word>(self, data: &[u8], out: &mut [W]) -> Window;

    /// Orders the stores that went past the caches before whatever comes next.
    fn fence(self);
}

/// The stages of a kernel that write these slots.
pub(crate) trait Emit<W: Slot>: Stages {
    /// Stage 2: writes the groups that were scanned, which start with `data`, as long as `data` has the bytes that
    /// its loads take, if it loads any, and the tokens fit slots of 16 bits, if they are those.
    ///
    /// With `STREAM` the stores go past the caches, if the groups begin on a cache line.
    fn emit<const LEVEL: usize, const STREAM: bool>(
        self,
        data: &[u8],
        scanned: &Self::Scanned,
        slots: &mut [W],
    ) -> Emitted;

    /// Writes 32 tokens at a time as long as the next 32 bytes have no high bit, so that they are the tokens.
    /// Returns how many, and moves `data` past them.
    fn ones<const STREAM: bool>(self, data: &mut &[u8], slots: &mut [W]) -> usize;
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
const SHORT: usize = 384;
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
    let result = if out.len() < S::GROUP {
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
    let whole = out.len() / S::GROUP * S::GROUP;
    let done =
        batches::<false, S, u16>(stages, &mut S::Scanned::new(), &mut run.data, &mut out[..whole], whole);
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
    let mut scanned = S::Scanned::new();
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
            rest(stages, &mut scanned, data, slots, least - done)
        } else {
            batches::<STREAM, S, W>(stages, &mut scanned, data, slots, least - done)
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
    scanned: &mut S::Scanned,
    data: &mut &[u8],
    out: &mut [W],
    least: usize,
) -> usize {
    let mut padded = [0; PADDED];
    padded[..data.len()].copy_from_slice(data);
    let real = data.iter().filter(|&&byte| byte < 0x80).count();
    let count = real.min(out.len());
    let mut copy = &padded[..];
    let done = batches::<false, S, W>(stages, scanned, &mut copy, &mut out[..count], least.min(count));
    *data = &data[PADDED - copy.len()..];
    done
}

/// Decodes until `least` tokens are there, the bytes run short, or a token of five bytes or more comes.
/// Returns the number of tokens and moves `data` past them.
fn batches<const STREAM: bool, S: Emit<W>, W: Slot>(
    stages: S,
    scanned: &mut S::Scanned,
    data: &mut &[u8],
    out: &mut [W],
    least: usize,
) -> usize {
    let mut ahead = *data;
    let mut before = 0;
    scanned.clear();
    let mut level = 1;
    let mut done = 0;
    while done < least {
        let room = (out.len() - done) / S::GROUP * S::GROUP;
        let (slots, last) = out[done..].split_at_mut(room);
        if room == 0 && scanned.tokens() >= last.len() {
            // Fewer slots than a group has tokens.
            let mut group = [W::default(); MOST];
            scanned.fill_up(level);
            if emit::<false, S, W>(stages, level, data, scanned, &mut group[..S::GROUP]).groups == 1 {
                last.copy_from_slice(&group[..last.len()]);
                *data = &data[scanned.bytes(level, last.len())..];
                done += last.len();
            }
            break;
        }
        if scanned.tokens() == 0 && before >> 63 == 0 {
            // Between tokens, at the start of a block: a column of small numbers needs no codes.
            let tokens = stages.ones::<STREAM>(data, slots);
            if tokens > 0 {
                done += tokens;
                ahead = *data;
                before = 0;
                continue;
            }
        }
        let wanted = (room + last.len()).saturating_sub(scanned.tokens()) / 48 + 1;
        let next = (ahead.len().saturating_sub(S::AHEAD) / 64).min(S::BATCH).min(wanted);
        if next == 0 {
            break;
        }
        let held = scanned.tokens();
        let scan = match level {
            1 => stages.scan::<1>(ahead, next, &mut before, scanned),
            2 => stages.scan::<2>(ahead, next, &mut before, scanned),
            _ => stages.scan::<3>(ahead, next, &mut before, scanned),
        };
        let added = scanned.tokens() - held;
        let full = scanned.tokens().min(room) / S::GROUP;
        let emitted = emit::<STREAM, S, W>(stages, level, data, scanned, &mut slots[..full * S::GROUP]);
        *data = &data[emitted.bytes..];
        done += emitted.groups * S::GROUP;
        if emitted.groups < full {
            break;
        }
        scanned.drop_groups(level, full);
        ahead = &ahead[64 * scan.blocks..];
        let stopped = scan.blocks < next;
        let better = S::next_level(level, stopped, &scan, &emitted);
        if stopped && better > W::LEVELS {
            break;
        }
        // What is left over may be of a batch before this one.
        if better > level || scanned.tokens() <= added {
            level = better;
        }
    }
    done
}

fn emit<const STREAM: bool, S: Emit<W>, W: Slot>(
    stages: S,
    level: usize,
    data: &[u8],
    scanned: &S::Scanned,
    slots: &mut [W],
) -> Emitted {
    match level {
        1 => stages.emit::<1, STREAM>(data, scanned, slots),
        2 => stages.emit::<2, STREAM>(data, scanned, slots),
        _ => stages.emit::<3, STREAM>(data, scanned, slots),
    }
}
