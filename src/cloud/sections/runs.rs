//! The modes that hold runs: of a value, or of a delta.

use variants::{
    Run,
    layout::leb128::{decode_token, delta_of_token},
};

use super::read::{Column, SectionFlaw, at, malformed, take};
use crate::cloud::{
    CloudErrorKind,
    bulk::Bulk,
    read::{kind_of, low_bytes},
};

/// What both kinds of runs have in common.
pub(super) struct Head<'a> {
    /// From the next run on.
    pub(super) run: Run<'a>,
    /// Runs that have not been read.
    runs: u32,
    /// Points of the section, and how many of them runs that have been read are for.
    points: usize,
    promised: usize,
    /// Points of the last run that have not been filled.
    repeat: usize,
}

impl<'a> Head<'a> {
    pub(super) fn open(run: &mut Run<'a>, points: usize) -> Result<Self, SectionFlaw> {
        let runs = u32::from_le_bytes(take(run)?);
        Ok(Self { run: *run, runs, points, promised: 0, repeat: 0 })
    }

    /// A run's length, behind its value: plain LEB128, by the strict reader, and never 0.
    fn read_length(&mut self) -> Result<(), SectionFlaw> {
        let (length, used) = decode_token(self.run.data).map_err(|error| {
            (kind_of(error), None, "a run's length is cut short or has more than 64 bits")
        })?;
        self.run.data = &self.run.data[used..];
        let length = usize::try_from(length).ok().filter(|&length| length <= self.points - self.promised);
        let length = length.ok_or_else(|| malformed("the runs have more points than the chunk"))?;
        if length == 0 {
            return Err(malformed("a run has no points"));
        }
        self.runs -= 1;
        self.promised += length;
        self.repeat = length;
        Ok(())
    }

    /// Takes the places of the points off the run, as many as it has and the column.
    fn take<'b>(&mut self, column: &mut Column<'b>) -> Column<'b> {
        let taken = self.repeat.min(column.len());
        self.repeat -= taken;
        column.take(taken)
    }
}

/// What a run repeats.
pub(super) trait Repeat<'a> {
    /// The part that all kinds have.
    fn head(&mut self) -> &mut Head<'a>;

    /// Reads the next run.
    fn next(&mut self, decoder: &dyn Bulk) -> Result<(), SectionFlaw>;

    /// Goes to the next run if the last one has been filled.
    fn proceed(&mut self, decoder: &dyn Bulk) -> Result<(), SectionFlaw> {
        match self.head() {
            Head { repeat: 1.., .. } => Ok(()),
            Head { runs: 0, .. } => Err(malformed("the runs end before the chunk's points")),
            _ => self.next(decoder),
        }
    }

    /// What follows the last run.
    fn end(mut self, decoder: &dyn Bulk) -> Result<Run<'a>, SectionFlaw>
    where
        Self: Sized,
    {
        while self.head().runs > 0 {
            self.next(decoder)?;
        }
        Ok(self.head().run)
    }
}

/// Runs of a value.
pub(super) struct Runs<'a, const N: usize> {
    pub(super) head: Head<'a>,
    pub(super) value: [u8; N],
}

impl<'a, const N: usize> Repeat<'a> for Runs<'a, N> {
    fn head(&mut self) -> &mut Head<'a> {
        &mut self.head
    }

    fn next(&mut self, _: &dyn Bulk) -> Result<(), SectionFlaw> {
        self.value = take(&mut self.head.run)?;
        self.head.read_length()
    }
}

impl<const N: usize> Runs<'_, N> {
    pub(super) fn fill(&mut self, decoder: &dyn Bulk, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
        while column.len() > 0 {
            self.proceed(decoder)?;
            self.head.take(column).fill(|| Ok::<_, SectionFlaw>(self.value))?;
        }
        Ok(())
    }
}

/// Runs of a delta.
pub(super) struct DeltaRuns<'a> {
    pub(super) head: Head<'a>,
    pub(super) delta: i64,
    pub(super) sum: i64,
}

impl<'a> Repeat<'a> for DeltaRuns<'a> {
    fn head(&mut self) -> &mut Head<'a> {
        &mut self.head
    }

    fn next(&mut self, decoder: &dyn Bulk) -> Result<(), SectionFlaw> {
        let token = decoder.next(&mut self.head.run).map_err(kind_of);
        let delta = token.and_then(|token| delta_of_token(token).ok_or(CloudErrorKind::NanMarker));
        self.delta = delta.map_err(at(self.head.promised))?;
        self.head.read_length()
    }
}

impl DeltaRuns<'_> {
    pub(super) fn fill<const N: usize>(
        &mut self,
        decoder: &dyn Bulk,
        column: &mut Column<'_>,
    ) -> Result<(), SectionFlaw> {
        while column.len() > 0 {
            self.proceed(decoder)?;
            self.head.take(column).fill(|| {
                self.sum = self.sum.wrapping_add(self.delta);
                Ok::<_, SectionFlaw>(low_bytes::<N>(self.sum))
            })?;
        }
        Ok(())
    }
}
