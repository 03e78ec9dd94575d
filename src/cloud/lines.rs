//! Room for words that begins where a cache line does: vectors that straddle two lines take twice as long to store.

/// 32-bit words of a cache line; of 64-bit ones it is two.
pub(super) const LINE: usize = 16;

/// Words at the start of a line, made when they are first asked for.
#[derive(Default)]
pub(super) struct Lines<W> {
    words: Vec<W>,
    count: usize,
}

impl<W: Copy + Default> Lines<W> {
    /// So many words, the same number each time.
    pub(super) fn of(&mut self, count: usize) -> &mut [W] {
        if self.count != count {
            self.count = count;
            self.words = vec![W::default(); count + 64 / size_of::<W>()];
        }
        let start = self.start();
        &mut self.words[start..start + count]
    }

    /// The words so far.
    pub(super) fn words(&self) -> &[W] {
        let start = self.start();
        &self.words[start..start + self.count]
    }

    fn start(&self) -> usize {
        self.words.as_ptr().align_offset(64).min(self.words.len() - self.count)
    }
}
