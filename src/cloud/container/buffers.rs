//! Room for a window's tokens.

use variants::{
    ErrorKind, Run,
    lift::{Lift, interleave},
};

use super::super::{
    bulk::{Bulk, WindowWord},
    lines::{LINE, Lines},
};

/// A decoder may go on to the end of a block, which has no more tokens in any layout.
const AHEAD: usize = 256;

/// A token that is wrong: its run, its place there, and why.
pub(super) struct Flaw {
    pub(super) run: usize,
    pub(super) token: usize,
    pub(super) why: Why,
}

pub(super) enum Why {
    /// It cannot be decoded.
    Undecodable(ErrorKind),
    /// It is the NaN marker of an integer.
    Marker,
}

/// Where in a chunk a window is.
#[derive(Clone, Copy)]
pub(super) struct Window {
    /// Tokens of each run.
    pub(super) tokens: usize,
    pub(super) first_row: usize,
    pub(super) rows: usize,
}

/// Room for the tokens of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) runs: usize,
    /// Tokens of each run.
    pub(super) run: usize,
    /// Tokens in rows, if they have to be interleaved.
    pub(super) mixed: usize,
}

impl Shape {
    /// Tokens from one run's place to the next.
    fn stride(self) -> usize {
        (self.run + AHEAD).next_multiple_of(LINE)
    }
}

/// Decoded tokens in words of one width.
pub(super) struct Buffers<W> {
    shape: Shape,
    /// Room for the tokens of a window in rows, if they have to be interleaved.
    mixed: Lines<W>,
    /// A place for each run, [`Shape::stride`] tokens apart.
    runs: Lines<W>,
    /// Tokens at the front of each run's place: behind a window those that a decoder went ahead.
    pub(super) held: Vec<usize>,
}

impl<W: WindowWord> Buffers<W> {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, mixed: Lines::default(), runs: Lines::default(), held: vec![0; shape.runs] }
    }

    /// Decodes a window and lifts it. An error of the decoder loses nothing: what was decoded before it is held.
    pub(super) fn advance(
        &mut self,
        decoder: &dyn Bulk,
        runs: &mut [Run<'_>],
        lift: &mut Lift,
        window: Window,
        points: &mut [u8],
    ) -> Result<(), Flaw> {
        let Self { shape, mixed, runs: places, held } = self;
        let (stride, lanes) = (shape.stride(), lift.lanes());
        let need = window.rows * lanes / runs.len();
        let words = places.of(shape.runs * stride);
        for (index, (run, held)) in runs.iter_mut().zip(&mut *held).enumerate() {
            if *held < need {
                let place = &mut words[index * stride..][..stride];
                let free = &mut place[*held..];
                let room = free.len().min(window.tokens - run.taken);
                let taken = run.taken;
                *held += W::some(decoder, run, &mut free[..room], need - *held).map_err(|error| Flaw {
                    run: index,
                    token: taken + error.index,
                    why: Why::Undecodable(error.kind),
                })?;
            }
        }
        let rows = match shape.mixed {
            0 => &words[..need],
            mixed_tokens => {
                let rows = &mut mixed.of(mixed_tokens)[..window.rows * lanes];
                interleave(words, stride, rows, lanes);
                rows
            }
        };
        lift.rows(rows, points).map_err(|error| {
            let (row, lane) = (window.first_row + error.index / lanes, error.index % lanes);
            match runs.len() {
                1 => Flaw { run: 0, token: row * lanes + lane, why: Why::Marker },
                _ => Flaw { run: lane, token: row, why: Why::Marker },
            }
        })?;
        for (held, place) in held.iter_mut().zip(words.chunks_exact_mut(stride)) {
            place.copy_within(need..*held, 0);
            *held -= need;
        }
        Ok(())
    }

    /// Each run's tokens that are held.
    fn held(&self) -> impl Iterator<Item = &[W]> {
        let places = self.runs.words().chunks_exact(self.shape.stride());
        places.zip(&self.held).map(|(place, &held)| &place[..held])
    }
}

impl Buffers<u64> {
    /// Goes on where 32-bit words came to their end.
    pub(super) fn take_over(&mut self, narrow: &Buffers<u32>) {
        self.held.copy_from_slice(&narrow.held);
        let places = self.runs.of(self.shape.runs * self.shape.stride());
        for (place, held) in places.chunks_exact_mut(self.shape.stride()).zip(narrow.held()) {
            for (wide, &narrow) in place.iter_mut().zip(held) {
                *wide = narrow.into();
            }
        }
    }
}

impl Buffers<u32> {
    /// Goes on after 64-bit words, if the tokens that they hold fit.
    pub(super) fn take_back(&mut self, wide: &Buffers<u64>) -> bool {
        self.held.copy_from_slice(&wide.held);
        let places = self.runs.of(self.shape.runs * self.shape.stride());
        places.chunks_exact_mut(self.shape.stride()).zip(wide.held()).all(|(place, held)| {
            place.iter_mut().zip(held).all(|(narrow, &wide)| {
                *narrow = wide as u32;
                u64::from(*narrow) == wide
            })
        })
    }
}
