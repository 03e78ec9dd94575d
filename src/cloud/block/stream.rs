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
    lines::Lines,
};

/// Tokens in a window: with their points they fill about half of an L1 cache.
const WINDOW: usize = 4096;

/// Tokens in a window of 32-bit words between two of 16-bit ones: about what a longer token keeps from those.
const BETWEEN: usize = 256;

/// Windows of 16-bit words with fewer tokens than this are no gain.
const WORTH: usize = 256;

/// So many of those behind one another, and 16-bit words are not tried again.
const MOST_WORTHLESS: usize = 8;

/// Tokens in a window of a column, of which several share the cache.
const COLUMN_WINDOW: usize = 2048;

/// Rows of the widest vectors: one lane, 16 values.
const VECTOR: usize = 16;

/// Tokens, at most, that wait for the next window's.
const KEPT: usize = 1024;

/// Nothing but tokens: rows without gaps, or a column.
pub(in crate::cloud) struct Stream<'a> {
    lift: Lift,
    /// From the first token on that has not been decoded.
    pub(in crate::cloud) run: Run<'a>,
    /// Tokens that have not been decoded.
    left: usize,
    /// Whether token 0 may be a NaN, whose marker is one byte.
    has_floats: bool,
    short: Window<u16>,
    narrow: Window<u32>,
    wide: Window<u64>,
    holder: Holder,
    /// Whether the last window of 16-bit words ended at a longer token.
    at_long: bool,
    /// Windows of 16-bit words in a row that were no gain.
    worthless: usize,
    /// Windows of 64-bit words in a row.
    wide_windows: usize,
}

/// The window that holds the tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Short,
    Narrow,
    Wide,
}

/// Decoded tokens that have not been lifted.
struct Window<W> {
    tokens: Lines<W>,
    size: usize,
    from: usize,
    to: usize,
}

impl<'a> Stream<'a> {
    /// The stream of so many points' tokens of these fields that begins where `run` stands.
    pub(super) fn new(lift: &Lift, steps: &[Step], run: Run<'a>, points: usize) -> Self {
        let has_floats = steps.iter().any(|step| step.codec.is_lossy_float());
        Self { has_floats, ..Self::of_rows(lift, run, points) }
    }

    /// The stream of so many points' tokens whose longer forms are as good as their shortest.
    pub(in crate::cloud) fn of_rows(lift: &Lift, run: Run<'a>, points: usize) -> Self {
        let window = if lift.lanes() == 1 { COLUMN_WINDOW } else { WINDOW };
        Self {
            lift: lift.clone(),
            run,
            left: points * lift.lanes(),
            has_floats: false,
            short: Window::new(window),
            narrow: Window::new(window),
            wide: Window::new(window),
            holder: Holder::Short,
            at_long: false,
            worthless: 0,
            wide_windows: 0,
        }
    }

    /// Begins anew with another run, as at a chunk's start.
    pub(in crate::cloud) fn restart(&mut self, run: Run<'a>, points: usize) {
        self.lift.restart();
        (self.short.from, self.short.to) = (0, 0);
        (self.run, self.left) = (run, points * self.lift.lanes());
        (self.holder, self.at_long, self.worthless, self.wide_windows) = (Holder::Short, false, 0, 0);
    }

    /// How points are stored from now on.
    pub(super) fn store_by(&mut self, stores: Stores) {
        self.lift = self.lift.clone().with_stores(stores);
    }

    /// Fills the fields of the next points, which are whole ones.
    pub(in crate::cloud) fn fill(
        &mut self,
        decoder: &dyn Bulk,
        point_step: usize,
        mut points: &mut [u8],
    ) -> Result<(), GaveUp> {
        let lanes = self.lift.lanes();
        let whole = (KEPT / lanes).clamp(1, VECTOR);
        while !points.is_empty() {
            let held = match self.holder {
                Holder::Short => self.short.held(),
                Holder::Narrow => self.narrow.held(),
                Holder::Wide => self.wide.held(),
            };
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
            let lifted = match self.holder {
                Holder::Short => self.lift.short_rows(self.short.take(rows * lanes), now),
                Holder::Narrow => self.lift.rows(self.narrow.take(rows * lanes), now),
                Holder::Wide => self.lift.rows(self.wide.take(rows * lanes), now),
            };
            lifted.map_err(|_| GaveUp)?;
        }
        Ok(())
    }

    /// Decodes another window. A long token now and then (the first timestamp of a chunk) costs one window of
    /// 64-bit words; where they are common, 32-bit words are not tried again.
    fn refill(&mut self, decoder: &dyn Bulk) -> Result<(), GaveUp> {
        if self.holder == Holder::Wide && self.wide_windows <= 2 && self.narrow.take_back(&self.wide) {
            self.holder = Holder::Narrow;
        }
        let shortens = decoder.takes_short() && self.worthless < MOST_WORTHLESS && self.lift.takes_short();
        if shortens && !std::mem::take(&mut self.at_long) && self.refill_short(decoder)? {
            return Ok(());
        }
        if self.holder == Holder::Short {
            self.narrow.take_over(&self.short);
            self.holder = Holder::Narrow;
        }
        if self.holder == Holder::Narrow {
            let most = if shortens { BETWEEN } else { self.left };
            match self.narrow.decode(decoder, &mut self.run, &mut self.left, most, self.has_floats) {
                Ok(()) => {
                    self.wide_windows = 0;
                    return Ok(());
                }
                Err(ErrorKind::Wide) => {
                    self.wide.take_over(&self.narrow);
                    self.holder = Holder::Wide;
                }
                Err(_) => return Err(GaveUp),
            }
        }
        self.wide_windows += 1;
        let left = self.left;
        self.wide.decode(decoder, &mut self.run, &mut self.left, left, self.has_floats).map_err(|_| GaveUp)
    }

    /// Decodes a window of 16-bit words; `false` if there is nothing in it.
    fn refill_short(&mut self, decoder: &dyn Bulk) -> Result<bool, GaveUp> {
        let fits = match self.holder {
            Holder::Short => true,
            Holder::Narrow => self.short.take_back(&self.narrow),
            Holder::Wide => false,
        };
        if !fits {
            return Ok(false);
        }
        self.holder = Holder::Short;
        let before = self.run.data;
        let free = self.short.free(self.left);
        let room = free.len();
        let decoded = decoder.some_u16(&mut self.run, free);
        self.short.to += decoded;
        self.left -= decoded;
        self.at_long = decoded + BETWEEN < room;
        self.worthless = if decoded < WORTH { self.worthless + 1 } else { 0 };
        if self.has_floats && has_padded_end(decoder.class(), &before[..before.len() - self.run.data.len()]) {
            return Err(GaveUp);
        }
        Ok(decoded > 0)
    }
}

impl<W: Copy + Default> Window<W> {
    fn new(size: usize) -> Self {
        Self { tokens: Lines::default(), size, from: 0, to: 0 }
    }

    fn held(&self) -> usize {
        self.to - self.from
    }

    /// The tokens that are held.
    fn holds(&self) -> &[W] {
        &self.tokens.words()[self.from..self.to]
    }

    /// The next tokens, which are held.
    fn take(&mut self, tokens: usize) -> &[W] {
        let from = self.from;
        self.from += tokens;
        &self.tokens.words()[from..self.from]
    }

    /// Room behind the tokens that are held, for at most so many.
    fn free(&mut self, most: usize) -> &mut [W] {
        let tokens = self.tokens.of(self.size);
        tokens.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        let free = &mut tokens[self.to..];
        let most = most.min(free.len());
        &mut free[..most]
    }

    /// Goes on where shorter words came to their end.
    fn take_over<N: Copy + Default>(&mut self, narrow: &Window<N>)
    where
        W: From<N>,
    {
        (self.from, self.to) = (0, narrow.held());
        let wide = self.tokens.of(self.size).iter_mut();
        wide.zip(narrow.holds()).for_each(|(wide, &narrow)| *wide = narrow.into());
    }

    /// Goes on after wider words, if the tokens that they hold fit.
    fn take_back<N: Copy + Default>(&mut self, wide: &Window<N>) -> bool
    where
        W: TryFrom<N>,
    {
        (self.from, self.to) = (0, wide.held());
        self.tokens.of(self.size).iter_mut().zip(wide.holds()).all(|(narrow, &wide)| {
            let fitting = W::try_from(wide);
            fitting.is_ok_and(|token| {
                *narrow = token;
                true
            })
        })
    }
}

impl<W: WindowWord> Window<W> {
    /// Decodes tokens behind those that are held, at least one and at most so many. Those are still held if this
    /// is an error.
    fn decode(
        &mut self,
        decoder: &dyn Bulk,
        run: &mut Run<'_>,
        left: &mut usize,
        most: usize,
        has_floats: bool,
    ) -> Result<(), ErrorKind> {
        let free = self.free(most.min(*left));
        let room = free.len();
        let least = if room == *left { room } else { room - SLACK };
        let before = run.data;
        let decoded = W::some(decoder, run, free, least).map_err(|error| error.kind)?;
        let used = &before[..before.len() - run.data.len()];
        if has_floats && has_padded_end(decoder.class(), used) {
            return Err(ErrorKind::Malformed);
        }
        self.to += decoded;
        *left -= decoded;
        Ok(())
    }
}
