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

    pub(super) fn is_open(&self) -> bool {
        self.runs > 0
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

    /// Takes at most so many points off the run.
    fn take(&mut self, points: usize) -> usize {
        let taken = self.repeat.min(points);
        self.repeat -= taken;
        taken
    }
}

fn runs_end_early() -> SectionFlaw {
    malformed("the runs end before the chunk's points")
}

/// Runs of a value.
pub(super) struct Runs<'a, const N: usize> {
    pub(super) head: Head<'a>,
    pub(super) value: [u8; N],
}

impl<const N: usize> Runs<'_, N> {
    pub(super) fn next(&mut self) -> Result<(), SectionFlaw> {
        self.value = take(&mut self.head.run)?;
        self.head.read_length()
    }

    pub(super) fn fill(&mut self, column: &mut Column<'_>) -> Result<(), SectionFlaw> {
        let mut left = column.len();
        let mut slots = column.slots::<N>();
        while left > 0 {
            if self.head.repeat == 0 {
                if !self.head.is_open() {
                    return Err(runs_end_early());
                }
                self.next()?;
            }
            let length = self.head.take(left);
            slots.by_ref().take(length).for_each(|slot| *slot = self.value);
            left -= length;
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

impl DeltaRuns<'_> {
    pub(super) fn next(&mut self, decoder: &dyn Bulk) -> Result<(), SectionFlaw> {
        let token = decoder.next(&mut self.head.run).map_err(kind_of);
        let delta = token.and_then(|token| delta_of_token(token).ok_or(CloudErrorKind::NanMarker));
        self.delta = delta.map_err(at(self.head.promised))?;
        self.head.read_length()
    }

    pub(super) fn fill<const N: usize>(
        &mut self,
        decoder: &dyn Bulk,
        column: &mut Column<'_>,
    ) -> Result<(), SectionFlaw> {
        let mut left = column.len();
        let mut slots = column.slots::<N>();
        while left > 0 {
            if self.head.repeat == 0 {
                if !self.head.is_open() {
                    return Err(runs_end_early());
                }
                self.next(decoder)?;
            }
            let length = self.head.take(left);
            slots.by_ref().take(length).for_each(|slot| {
                self.sum = self.sum.wrapping_add(self.delta);
                *slot = low_bytes(self.sum);
            });
            left -= length;
        }
        Ok(())
    }
}
