//! Length codes of the tokens of a batch, as bit streams: stage 1 of a kernel appends a block's codes, stage 2
//! reads them in whole groups.

use super::stride::Scanned;

/// Tokens of a group: one 32-bit word of each stream.
pub(crate) const GROUP: usize = 32;

/// The most blocks of 64 bytes that are scanned before their tokens are written.
pub(crate) const BATCH: usize = 31;
/// Where a store may begin: a power of two, so that a masked index needs no check.
const SPAN: usize = 256;
const SIZE: usize = SPAN + 16;

// A batch of one-byte tokens behind an unfinished group.
const _: () = assert!(64 * BATCH + GROUP <= 8 * SPAN);

/// Bit `t` of stream `j`: token `t` has more than `j + 1` bytes.
pub(crate) struct Codes {
    streams: [[u8; SIZE]; 3],
    /// Tokens whose codes are held.
    tokens: usize,
}

impl Codes {
    /// A stream's words, one for each group.
    #[inline(always)]
    pub(crate) fn words(&self, stream: usize) -> &[[u8; 4]] {
        self.streams[stream].as_chunks().0
    }

    /// The first word of a stream.
    #[inline(always)]
    fn first(&self, stream: usize) -> u32 {
        u32::from_le_bytes(self.words(stream)[0])
    }
}

impl Scanned for Codes {
    fn new() -> Self {
        Self { streams: [[0; SIZE]; 3], tokens: 0 }
    }

    fn tokens(&self) -> usize {
        self.tokens
    }

    /// The streams that the level does not use are free.
    fn bytes(&self, level: usize, tokens: usize) -> usize {
        let longer = (0..level).map(|j| (self.first(j) & ((1 << tokens) - 1)).count_ones() as usize);
        tokens + longer.sum::<usize>()
    }

    fn clear(&mut self) {
        for stream in &mut self.streams {
            stream[..4].fill(0);
        }
        self.tokens = 0;
    }

    /// Codes of no tokens are there already.
    fn fill_up(&mut self, _: usize) {}

    fn drop_groups(&mut self, level: usize, groups: usize) {
        for stream in &mut self.streams[..level] {
            let left: [u8; 4] = stream[4 * groups..][..4].try_into().unwrap();
            stream[..4].copy_from_slice(&left);
        }
        self.tokens -= groups * GROUP;
    }
}

/// Appends to the first `LEVEL` streams, with the last, unfinished byte of each in a register: without it
/// every block would wait for the store of the one before.
pub(crate) struct Appender<'a, const LEVEL: usize> {
    codes: &'a mut Codes,
    tokens: usize,
    open: [u64; LEVEL],
}

impl<'a, const LEVEL: usize> Appender<'a, LEVEL> {
    #[inline(always)]
    pub(crate) fn new(codes: &'a mut Codes) -> Self {
        let tokens = codes.tokens;
        let open = core::array::from_fn(|j| u64::from(codes.first(j) >> (tokens & 24)));
        Self { codes, tokens, open }
    }

    /// Appends the codes of `count` tokens, which have no bit set above `count`. Fewer than 8 tokens can
    /// only be the last ones.
    #[inline(always)]
    pub(crate) fn push(&mut self, count: usize, codes: [u64; LEVEL]) {
        let byte = self.tokens / 8 % SPAN;
        let bit = self.tokens % 8;
        self.tokens += count;
        let unfinished = self.tokens % 8;
        for (j, &code) in codes.iter().enumerate() {
            let stream = &mut self.codes.streams[j];
            // Two words that overlap hold the 71 bits that there may be, and end on the whole group's word.
            stream[byte..byte + 8].copy_from_slice(&(code << bit | self.open[j]).to_le_bytes());
            stream[byte + 4..byte + 12].copy_from_slice(&(code >> (32 - bit)).to_le_bytes());
            // In two steps, because all 64 may go.
            self.open[j] = code.wrapping_shr(count.wrapping_sub(unfinished + 1) as u32) >> 1;
        }
    }

    #[inline(always)]
    pub(crate) fn finish(self) {
        self.codes.tokens = self.tokens;
    }
}
