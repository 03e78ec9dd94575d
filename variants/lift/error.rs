//! Why rows, or lanes, cannot be lifted.

use core::fmt;

/// Token 0, the NaN marker, in an integer lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiftError {
    /// The first such token, counted from the first one of this call.
    pub index: usize,
}

impl LiftError {
    /// The same, so many tokens further on.
    pub(super) fn behind(self, tokens: usize) -> Self {
        Self { index: self.index + tokens }
    }
}

impl fmt::Display for LiftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "token {}: the NaN marker stands where an integer has to be", self.index)
    }
}

impl core::error::Error for LiftError {}

/// Lanes that no lift can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// There has to be one lane at least that stores something.
    NoLanes,
    /// This lane, counted from 0, ends outside the point.
    Outside(usize),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLanes => f.write_str("a lift without lanes that store something"),
            Self::Outside(lane) => write!(f, "lane {lane} ends outside the point"),
        }
    }
}

impl core::error::Error for PlanError {}
