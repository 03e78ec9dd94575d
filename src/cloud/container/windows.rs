//! A chunk's runs into its points: tokens for some rows at a time go to a window that stays in the L1 cache, and
//! the lift turns the window into points. Columns are interleaved on the way.

use variants::{Class, ErrorKind, Run, lift::Lift};

use super::{
    super::{
        CloudError, CloudErrorKind, Plan,
        block::{Stream, lane},
        bulk::{Bulk, OpenRun},
        read::{kind_of, words},
    },
    Arrangement,
    buffers::{Buffers, Flaw, Shape, Why, Window},
    chunk,
};

/// Tokens in a window, about: with their bytes and points they fill about half of an L1 cache.
const WINDOW: usize = 4096;

/// The rows in a window are a multiple of this, so that windows end where groups of tokens end.
const GROUP: usize = 32;

/// Windows of 64-bit words behind one another after which 32-bit ones are not tried again in a chunk.
const MOST_WIDE: usize = 2;

/// What decoding chunk after chunk needs, made once for them all.
pub(super) struct Windows<'a> {
    plan: &'a Plan,
    arrangement: Arrangement,
    /// `None` if there are no token fields.
    lift: Option<Lift>,
    /// Rows in a window.
    rows: usize,
    /// The current chunk's.
    runs: Vec<Run<'a>>,
    /// For rows whose tokens are decoded in words of 16 bits, once it is needed.
    stream: Option<Stream<'a>>,
    narrow: Buffers<u32>,
    wide: Buffers<u64>,
}

/// The lift of a plan's tokens that uses nothing beyond the class; `None` if there are no token fields.
///
/// # Errors
/// `Header` if a field cannot be stored.
pub(super) fn lift_of(plan: &Plan, class: Class) -> Result<Option<Lift>, CloudError> {
    let lanes: Vec<_> = plan.rows.iter().filter_map(lane).collect();
    if lanes.is_empty() {
        return Ok(None);
    }
    let lift = Lift::at_most(class, &lanes, plan.point_step);
    lift.map(Some).map_err(|error| CloudError::new(CloudErrorKind::Header, error.to_string()))
}

impl<'a> Windows<'a> {
    /// For the chunks of one file whose lift is this.
    pub(super) fn new(plan: &'a Plan, arrangement: Arrangement, lift: Option<Lift>) -> Self {
        let lanes = lift.as_ref().map_or(1, Lift::lanes);
        let rows = GROUP * (WINDOW / (GROUP * lanes)).max(1);
        let shape = match arrangement {
            Arrangement::Rows => Shape { runs: 1, run: rows * lanes, mixed: 0 },
            Arrangement::Columns if lanes == 1 => Shape { runs: 1, run: rows, mixed: 0 },
            Arrangement::Columns => Shape { runs: lanes, run: rows, mixed: rows * lanes },
        };
        let (narrow, wide) = (Buffers::new(shape), Buffers::new(shape));
        Self {
            plan,
            arrangement,
            lift,
            rows,
            runs: Vec::with_capacity(shape.runs),
            stream: None,
            narrow,
            wide,
        }
    }

    /// Decodes a chunk whose runs are these into its points.
    ///
    /// # Errors
    /// The first window's token that cannot be decoded, with its field and its point within the chunk;
    /// `LeftOver` for bytes behind a run's last token where that shows.
    pub(super) fn decode(
        &mut self,
        decoder: &dyn Bulk,
        runs: impl Iterator<Item = &'a [u8]>,
        points: &mut [u8],
    ) -> Result<(), CloudError> {
        let count = points.len() / self.plan.point_step;
        self.open(decoder.opener(), runs, count)?;
        let tokens = self.tokens(count);
        self.windows(decoder, tokens, points).map_err(|flaw| self.refusal(&flaw))?;
        // A piece of several tokens may outlast the last one.
        match self.runs.iter().position(|run| !run.data.is_empty()).filter(|_| decoder.piece() == 1) {
            None => Ok(()),
            Some(run) => {
                let what = format!("{} bytes are left behind its last token", self.runs[run].data.len());
                let error = CloudError::new(CloudErrorKind::LeftOver, what);
                Err(match self.arrangement {
                    Arrangement::Rows => error,
                    Arrangement::Columns => error.in_field(&chunk::token_steps(self.plan)[run].name),
                })
            }
        }
    }

    /// Opens a chunk's runs.
    ///
    /// # Errors
    /// `Truncated` or `Malformed`, with field and point, if the bytes cannot hold the bookkeeping of the tokens of
    /// so many points, or if it contradicts itself.
    pub(super) fn open(
        &mut self,
        open: OpenRun,
        runs: impl Iterator<Item = &'a [u8]>,
        points: usize,
    ) -> Result<(), CloudError> {
        let tokens = self.tokens(points);
        self.runs.clear();
        for (run, bytes) in runs.enumerate() {
            let opened = open(bytes, tokens).map_err(|error| {
                let token = error.index.min(tokens.saturating_sub(1));
                self.refusal(&Flaw { run, token, why: Why::Undecodable(error.kind) })
            })?;
            self.runs.push(opened);
        }
        Ok(())
    }

    /// The tokens of each run for so many points.
    fn tokens(&self, points: usize) -> usize {
        match self.arrangement {
            Arrangement::Rows => points * self.lift.as_ref().map_or(0, Lift::lanes),
            Arrangement::Columns => points,
        }
    }

    /// Decodes the opened runs, each of so many tokens.
    fn windows(&mut self, decoder: &dyn Bulk, tokens: usize, points: &mut [u8]) -> Result<(), Flaw> {
        let Some(lift) = &mut self.lift else { return Ok(()) };
        lift.restart();
        self.narrow.held.fill(0);
        let point_step = self.plan.point_step;
        if let [run] = &mut self.runs[..]
            && decoder.takes_short()
            && lift.takes_short()
        {
            let count = points.len() / point_step;
            let stream = self.stream.get_or_insert_with(|| Stream::of_rows(lift, *run, count));
            stream.restart(*run, count);
            if stream.fill(decoder, point_step, points).is_ok() {
                *run = stream.run;
                return Ok(());
            }
            // What is wrong, and where, is found again below.
        }
        // A long token now and then (the first timestamp of a chunk) costs one window of 64-bit words; where
        // they are common, 32-bit words are not tried again.
        let (mut is_wide, mut wide_windows) = (false, 0);
        for (index, points) in points.chunks_mut(self.rows * point_step).enumerate() {
            let window = Window { tokens, first_row: index * self.rows, rows: points.len() / point_step };
            if is_wide && wide_windows <= MOST_WIDE {
                is_wide = !self.narrow.take_back(&self.wide);
            }
            if !is_wide {
                match self.narrow.advance(decoder, &mut self.runs, lift, window, points) {
                    Err(Flaw { why: Why::Undecodable(ErrorKind::Wide), .. }) => {
                        self.wide.take_over(&self.narrow);
                        is_wide = true;
                    }
                    done => {
                        done?;
                        wide_windows = 0;
                        continue;
                    }
                }
            }
            self.wide.advance(decoder, &mut self.runs, lift, window, points)?;
            wide_windows += 1;
        }
        Ok(())
    }

    #[cold]
    fn refusal(&self, flaw: &Flaw) -> CloudError {
        let steps = chunk::token_steps(self.plan);
        let (point, field) = match self.arrangement {
            Arrangement::Rows => (flaw.token / steps.len(), flaw.token % steps.len()),
            Arrangement::Columns => (flaw.token, flaw.run),
        };
        let (kind, what) = match flaw.why {
            Why::Undecodable(kind) => (kind_of(kind), kind.to_string()),
            Why::Marker => (CloudErrorKind::NanMarker, words(CloudErrorKind::NanMarker).to_owned()),
        };
        CloudError::new(kind, what).in_field(&steps[field].name).at_point(point)
    }
}
