//! A stream of tokens that a window at a time is decoded in bulk, and lifted into the points.

use variants::{
    ErrorKind, Run,
    ends::has_padded_end,
    lift::{Lift, Stores},
};

use super::{GaveUp, SLACK};
use crate::cloud::{
    Step,
    bulk::{Bulk, WindowWord},
};

/// Tokens in a window: with their points they fill about half of an L1 cache.
const WINDOW: usize = 4096;

/// Tokens in a window of a column, of which several share the cache.
const COLUMN_WINDOW: usize = 2048;

/// Rows of the widest vectors: one lane, 16 values.
const VECTOR: usize = 16;

/// Tokens, at most, that wait for the next window's.
const KEPT: usize = 1024;

/// Nothing but tokens: rows without gaps, or a column.
pub(super) struct Stream<'a> {
    lift: Lift,
    /// From the first token on that has not been decoded.
    run: Run<'a>,
    /// Tokens that have not been decoded.
    left: usize,
    /// Whether token 0 may be a NaN, whose marker is one byte.
    has_floats: bool,
    narrow: Window<u32>,
    wide: Window<u64>,
    /// Which of the two holds the tokens.
    is_wide: bool,
    /// Windows of 64-bit words in a row.
    wide_windows: usize,
}

/// Decoded tokens that have not been lifted.
struct Window<W> {
    tokens: Vec<W>,
    from: usize,
    to: usize,
}

impl<'a> Stream<'a> {
    /// The stream of so many points' tokens of these fields that begins where `run` stands.
    pub(super) fn new(lift: &Lift, steps: &[Step], run: Run<'a>, points: usize) -> Self {
        let window = if steps.len() == 1 { COLUMN_WINDOW } else { WINDOW };
        Self {
            lift: lift.clone(),
            run,
            left: points * steps.len(),
            has_floats: steps.iter().any(|step| step.codec.is_lossy_float()),
            narrow: Window::new(window),
            wide: Window::new(0),
            is_wide: false,
            wide_windows: 0,
        }
    }

    /// How points are stored from now on.
    pub(super) fn store_by(&mut self, stores: Stores) {
        self.lift = self.lift.clone().with_stores(stores);
    }

    /// Fills the fields of the next points, which are whole ones.
    pub(super) fn fill(
        &mut self,
        decoder: &dyn Bulk,
        point_step: usize,
        mut points: &mut [u8],
    ) -> Result<(), GaveUp> {
        let lanes = self.lift.lanes();
        let whole = (KEPT / lanes).clamp(1, VECTOR);
        while !points.is_empty() {
            let held = if self.is_wide { self.wide.held() } else { self.narrow.held() };
            let all = points.len() / point_step;
            if held < lanes * all.min(whole) {
                self.refill(decoder)?;
                continue;
            }
            // A part of a vector would be lifted row by row: it waits for the next window's tokens.
            let rows = held / lanes;
            let rows = if rows < all { rows / whole * whole } else { all };
            let (now, rest) = points.split_at_mut(rows * point_step);
            points = rest;
            let lifted = if self.is_wide {
                self.lift.rows(self.wide.take(rows * lanes), now)
            } else {
                self.lift.rows(self.narrow.take(rows * lanes), now)
            };
            lifted.map_err(|_| GaveUp)?;
        }
        Ok(())
    }

    /// Decodes another window. A long token now and then (the first timestamp of a chunk) costs one window of
    /// 64-bit words; where they are common, 32-bit words are not tried again.
    fn refill(&mut self, decoder: &dyn Bulk) -> Result<(), GaveUp> {
        if self.is_wide && self.wide_windows <= 2 && self.narrow.take_back(&self.wide) {
            self.is_wide = false;
        }
        if !self.is_wide {
            match self.narrow.decode(decoder, &mut self.run, &mut self.left, self.has_floats) {
                Ok(()) => {
                    self.wide_windows = 0;
                    return Ok(());
                }
                Err(ErrorKind::Wide) => {
                    self.wide.take_over(&self.narrow);
                    self.is_wide = true;
                }
                Err(_) => return Err(GaveUp),
            }
        }
        self.wide_windows += 1;
        self.wide.decode(decoder, &mut self.run, &mut self.left, self.has_floats).map_err(|_| GaveUp)
    }
}

impl<W: WindowWord> Window<W> {
    fn new(size: usize) -> Self {
        Self { tokens: vec![W::default(); size], from: 0, to: 0 }
    }

    fn held(&self) -> usize {
        self.to - self.from
    }

    /// The next tokens, which are held.
    fn take(&mut self, tokens: usize) -> &[W] {
        let from = self.from;
        self.from += tokens;
        &self.tokens[from..self.from]
    }

    /// Decodes tokens behind those that are held, at least one. Those are still held if this is an error.
    fn decode(
        &mut self,
        decoder: &dyn Bulk,
        run: &mut Run<'_>,
        left: &mut usize,
        has_floats: bool,
    ) -> Result<(), ErrorKind> {
        self.tokens.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.held());
        let free = &mut self.tokens[self.to..];
        let room = free.len().min(*left);
        let least = if room == *left { room } else { room - SLACK };
        let before = run.data;
        let decoded = W::some(decoder, run, &mut free[..room], least).map_err(|error| error.kind)?;
        let used = &before[..before.len() - run.data.len()];
        if has_floats && has_padded_end(decoder.class(), used) {
            return Err(ErrorKind::Malformed);
        }
        self.to += decoded;
        *left -= decoded;
        Ok(())
    }
}

impl Window<u64> {
    /// Goes on where 32-bit words came to their end.
    fn take_over(&mut self, narrow: &Window<u32>) {
        self.tokens.resize(narrow.tokens.len(), 0);
        (self.from, self.to) = (0, narrow.held());
        let held = &narrow.tokens[narrow.from..narrow.to];
        self.tokens.iter_mut().zip(held).for_each(|(wide, &narrow)| *wide = narrow.into());
    }
}

impl Window<u32> {
    /// Goes on after 64-bit words, if the tokens that they hold fit.
    fn take_back(&mut self, wide: &Window<u64>) -> bool {
        (self.from, self.to) = (0, wide.held());
        let held = &wide.tokens[wide.from..wide.to];
        self.tokens.iter_mut().zip(held).all(|(narrow, &wide)| {
            *narrow = wide as u32;
            u64::from(*narrow) == wide
        })
    }
}
