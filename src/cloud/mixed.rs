//! Rows with other bytes between their tokens, decoded in bulk as if there were none.
//!
//! A repeated FLOAT64 is the byte 0 and a copied byte below 0x80 is itself: both are what a token of one byte
//! would be. So a kernel decodes a window of such rows as nothing but tokens; whole stretches are right, and end
//! where one of those lanes is not what it has to be. That row is read field by field. Behind it the window's
//! tokens are right again, counted from the next byte that ends a token: nothing is decoded twice.

use variants::{
    Run, Word,
    ends::{bytes_of, has_padded_end, padded_end, tokens_in},
    lift::Lift,
};

use super::{
    Codec, Plan, Step,
    block::{GaveUp, Lifts, SLACK},
    bulk::{Bulk, WindowWord},
    gorilla::GorillaReader,
};

/// Tokens in a window: with their bytes, rows and points they fill about half of an L1 cache.
const WINDOW: usize = 2048;

/// Rows that are read field by field before a stretch is tried again; doubled each time it fails.
const PAUSE: usize = 256;

/// Tokens in a window while stretches are on trial.
const PROBE: usize = 512;

/// Rows after which the way that they are read is judged.
const ENOUGH: usize = 64;

/// What became of a window.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    rows: usize,
    /// How many of them had to be read field by field.
    alone: usize,
    /// Whether a token too long for the word ended it early.
    is_short: bool,
}

/// What stands in a row for one of its tokens.
#[derive(Clone, Copy, Debug)]
enum Part {
    Token {
        may_be_nan: bool,
    },
    /// A copied byte.
    Byte {
        offset: usize,
    },
    /// A FLOAT64, bit-packed.
    Packed {
        offset: usize,
        reader: GorillaReader,
    },
}

impl Part {
    /// `None` if it cannot be taken for one token.
    fn new(step: &Step) -> Option<Self> {
        let offset = step.offset;
        match step.codec {
            codec if codec.is_token() => Some(Self::Token { may_be_nan: codec.is_lossy_float() }),
            Codec::Copy(_) if step.bytes == 1 => Some(Self::Byte { offset }),
            Codec::Gorilla => Some(Self::Packed { offset, reader: GorillaReader::default() }),
            _ => None,
        }
    }

    /// The lowest token that this cannot have been taken for.
    fn limit(&self) -> Option<u64> {
        match self {
            Self::Token { .. } => None,
            Self::Byte { .. } => Some(0x80),
            Self::Packed { reader, .. } => Some(u64::from(reader.previous().is_some())),
        }
    }
}

/// Where rows go.
struct Rows<'a> {
    /// The fields, one a token.
    parts: Vec<Part>,
    lift: Lift,
    point_step: usize,
    points: &'a mut [u8],
    /// Rows whose tokens are known, and whose other fields are in the points.
    known: usize,
    /// Those of them that have been lifted.
    lifted: usize,
    /// The tokens of the rows between.
    tokens: Vec<u32>,
    /// Room for a row that is read alone.
    row: Vec<u64>,
}

/// Decodes the rows of a chunk; `false` if that is not worth while, the run is then where it was.
pub(super) fn rows(
    decoder: &dyn Bulk,
    plan: &Plan,
    run: &mut Run<'_>,
    points: &mut [u8],
) -> Result<bool, GaveUp> {
    let Some(parts) = plan.rows.iter().map(Part::new).collect::<Option<Vec<_>>>() else { return Ok(false) };
    let all = points.len() / plan.point_step;
    let mut rows = Rows {
        lift: Lifts::of(plan, decoder.class()).rows.clone().ok_or(GaveUp)?,
        point_step: plan.point_step,
        known: 0,
        lifted: 0,
        tokens: Vec::with_capacity(WINDOW + parts.len()),
        row: Vec::with_capacity(parts.len()),
        parts,
        points,
    };
    let mut left = *run;
    // The first values are no repetitions.
    rows.read_row(decoder, &mut left)?;
    let (mut narrow, mut wide) = (vec![0_u32; WINDOW], Vec::new());
    let (mut short_windows, mut pause, mut is_first, mut pays) = (0, PAUSE, true, false);
    let mut tried = Tried::default();
    while rows.known < all {
        let size = if pays { WINDOW } else { PROBE };
        // Where long tokens are common, 32-bit words are not tried again.
        let window = if short_windows < 3 {
            rows.window(decoder, &mut left, &mut narrow[..size], all)?
        } else {
            wide.resize(WINDOW, 0_u64);
            rows.window(decoder, &mut left, &mut wide[..size], all)?
        };
        short_windows = if window.is_short { short_windows + 1 } else { 0 };
        tried.rows += window.rows;
        tried.alone += window.alone;
        if tried.rows < ENOUGH {
            continue;
        }
        // A row that is read alone, with finding it, costs what a dozen rows in stretches save.
        pays = 16 * tried.alone <= tried.rows;
        if !pays && is_first {
            return Ok(false);
        }
        if pays {
            pause = PAUSE;
        } else {
            for _ in 0..pause.min(all - rows.known) {
                rows.read_row(decoder, &mut left)?;
            }
            pause *= 2;
        }
        (tried, is_first) = (Tried::default(), false);
    }
    rows.lift()?;
    *run = left;
    Ok(true)
}

impl Rows<'_> {
    /// Decodes one window of tokens from the front of a row.
    fn window<W: WindowWord>(
        &mut self,
        decoder: &dyn Bulk,
        run: &mut Run<'_>,
        window: &mut [W],
        all: usize,
    ) -> Result<Tried, GaveUp> {
        let (class, before, lanes) = (decoder.class(), self.known, self.parts.len());
        let room = window.len().min((all - self.known) * lanes);
        let least = if room == window.len() { room - SLACK } else { room };
        let mut behind = *run;
        // Bytes of another field may look like a token that is too long.
        let decoded = W::some(decoder, &mut behind, &mut window[..room], least);
        let count = decoded.unwrap_or_else(|error| error.index);
        let used = match decoded {
            Ok(_) => run.data.len() - behind.data.len(),
            Err(_) => bytes_of(class, run.data, count),
        };
        let bytes = &run.data[..used];

        let (mut token, mut byte, mut alone) = (0, 0, 0);
        loop {
            let mut rows = self.good_rows(&window[token..count]).min(all - self.known);
            let mut length = bytes_of(class, &bytes[byte..], rows * lanes);
            // A longer form of a token is not what one byte of another field is, and no NaN marker.
            let stretch = &bytes[byte..byte + length];
            if has_padded_end(class, stretch) {
                rows = tokens_in(&stretch[..padded_end(stretch)]) / lanes;
                length = bytes_of(class, stretch, rows * lanes);
            }
            self.take(&window[token..token + rows * lanes])?;
            byte += length;
            token += rows * lanes;
            // Whether the row at a window's end is a good one shows in the next window, unless it is what ended it.
            let is_cut = decoded.is_ok() && count - token < lanes;
            if self.known == all || is_cut {
                break;
            }
            let mut rest = Run::of_data(&run.data[byte..]);
            self.read_row(decoder, &mut rest)?;
            alone += 1;
            let end = run.data.len() - rest.data.len();
            if end >= bytes.len() {
                byte = end;
                break;
            }
            token += tokens_in(&bytes[byte..end]);
            byte = end;
            if bytes[byte - 1] >= 0x80 {
                // The window took the row's last byte for the first one of the token that follows.
                match decoder.next(&mut rest) {
                    Ok(first) if W::from_token(first).is_some() => window[token] = W::cut(first),
                    _ => break,
                }
            }
        }
        run.data = &run.data[byte..];
        let is_short = W::BYTES < 8 && 2 * count < room && decoded.is_err();
        Ok(Tried { rows: self.known - before, alone, is_short })
    }

    /// How many whole rows there are before the first with a lane that is not what it was taken for.
    fn good_rows<W: Word>(&self, tokens: &[W]) -> usize {
        let lanes = self.parts.len();
        let mut rows = tokens.len() / lanes;
        for (lane, part) in self.parts.iter().enumerate() {
            if let Some(limit) = part.limit() {
                let mut column = tokens[..rows * lanes].chunks_exact(lanes).map(|row| row[lane].into());
                rows = column.position(|token: u64| token >= limit).unwrap_or(rows);
            }
        }
        rows
    }

    /// Takes whole rows of tokens that are good.
    fn take<W: Word>(&mut self, tokens: &[W]) -> Result<(), GaveUp> {
        let lanes = self.parts.len();
        let points = &mut self.points[self.known * self.point_step..];
        let rows = || tokens.chunks_exact(lanes);
        for (lane, part) in self.parts.iter().enumerate() {
            match *part {
                Part::Token { .. } => {}
                Part::Byte { offset } => {
                    for (row, point) in rows().zip(points.chunks_exact_mut(self.point_step)) {
                        point[offset] = row[lane].into() as u8;
                    }
                }
                Part::Packed { offset, reader } => {
                    let value = reader.previous().unwrap_or_default().to_le_bytes();
                    for (_, point) in rows().zip(points.chunks_exact_mut(self.point_step)) {
                        point[offset..offset + 8].copy_from_slice(&value);
                    }
                }
            }
        }
        self.push(tokens)
    }

    /// Puts whole rows of tokens in front of the lift.
    fn push<W: Word>(&mut self, tokens: &[W]) -> Result<(), GaveUp> {
        if self.tokens.len() + tokens.len() > WINDOW {
            self.lift()?;
        }
        self.known += tokens.len() / self.parts.len();
        let held = self.tokens.len();
        self.tokens.extend(tokens.iter().map(|&token| token.into() as u32));
        let bits = || tokens.iter().fold(0_u64, |bits, &token| bits | token.into());
        if W::BYTES > 4 && bits() >> 32 != 0 {
            self.tokens.truncate(held);
            self.lift()?;
            let points = &mut self.points[self.lifted * self.point_step..];
            self.lift.rows(tokens, points).map_err(|_| GaveUp)?;
            self.lifted = self.known;
        }
        Ok(())
    }

    /// Lifts the rows that wait.
    fn lift(&mut self) -> Result<(), GaveUp> {
        let points = &mut self.points[self.lifted * self.point_step..];
        self.lift.rows(&self.tokens, points).map_err(|_| GaveUp)?;
        self.lifted += self.tokens.len() / self.parts.len();
        self.tokens.clear();
        Ok(())
    }

    /// Reads one row field by field.
    fn read_row(&mut self, decoder: &dyn Bulk, run: &mut Run<'_>) -> Result<(), GaveUp> {
        let point = &mut self.points[self.known * self.point_step..][..self.point_step];
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        for part in &mut self.parts {
            let token = match part {
                Part::Token { may_be_nan } => match run.data {
                    [0, rest @ ..] if *may_be_nan => {
                        run.data = rest;
                        0
                    }
                    // Token 0 is an error in any other form and field.
                    _ => decoder.next(run).ok().filter(|&token| token != 0).ok_or(GaveUp)?,
                },
                Part::Byte { offset } => {
                    let (byte, rest) = run.data.split_first().ok_or(GaveUp)?;
                    run.data = rest;
                    point[*offset] = *byte;
                    0
                }
                Part::Packed { offset, reader } => {
                    let bits = reader.read(&mut run.data).map_err(|_| GaveUp)?;
                    point[*offset..*offset + 8].copy_from_slice(&bits.to_le_bytes());
                    0
                }
            };
            row.push(token);
        }
        let pushed = self.push(&row);
        self.row = row;
        pushed
    }
}
