//! What is claimed, and of what it may depend on.

use crate::{
    measure::CaptureFacts,
    report::{
        findings::UPSTREAM,
        text::{digits, percent},
    },
};

/// What a ratio is against.
#[derive(Clone, Copy)]
pub(super) enum Against {
    /// `per-field/leb128_loop`.
    Loop,
    /// `per-field/leb128_fast2`.
    Upstream,
}

/// A quantity of captures that a gain may depend on.
#[derive(Clone, Copy)]
pub(super) struct Cause {
    pub(super) words: &'static str,
    pub(super) of: fn(&CaptureFacts) -> f64,
    pub(super) shown: fn(f64) -> String,
}

/// A claim with a figure in per cent.
pub(super) struct Claim {
    pub(super) note: &'static str,
    pub(super) words: &'static str,
    /// What is claimed in V4 and in V5, as a part of 1.
    pub(super) gains: [Option<f64>; 2],
    /// The contestant that has the change; what it is against does not.
    pub(super) contestant: &'static str,
    pub(super) against: Against,
    pub(super) cause: Cause,
}

pub(super) const CLAIMS: [Claim; 5] = [
    Claim {
        note: "0022-one-and-two-byte-path",
        words: "a path of their own for one- and two-byte varints makes clouds decode faster",
        gains: [Some(0.124), Some(0.124)],
        contestant: UPSTREAM,
        against: Against::Loop,
        cause: Cause { words: "two-byte tokens", of: |facts| facts.length_shares[1], shown: percent },
    },
    Claim {
        note: "0023-three-byte-path",
        words: "one more for three bytes makes them slower",
        gains: [Some(-0.015), Some(-0.015)],
        contestant: "per-field/leb128_fast3",
        against: Against::Upstream,
        cause: Cause { words: "three-byte tokens", of: |facts| facts.length_shares[2], shown: percent },
    },
    Claim {
        note: "0024-simd-conversion-in-the-group",
        words: "converting a group's integers to floats with SIMD, point by point, makes them slower",
        gains: [Some(-0.02), Some(-0.02)],
        contestant: "per-field-convert/leb128_fast2",
        against: Against::Upstream,
        cause: Cause { words: "one-byte tokens", of: |facts| facts.length_shares[0], shown: percent },
    },
    Claim {
        note: "0025-no-virtual-dispatch",
        words: "doing without the virtual call for each point and field makes V5 slower",
        gains: [None, Some(-0.04)],
        contestant: "per-point/leb128_fast2",
        against: Against::Upstream,
        cause: Cause {
            words: "fields of a point",
            of: |facts| facts.tokens as f64 / facts.points.max(1) as f64,
            shown: digits,
        },
    },
    Claim {
        note: "0026-cached-decoders",
        words: "keeping the decoder objects from message to message makes no difference",
        gains: [Some(0.0), Some(0.0)],
        contestant: "per-field-cached/leb128_fast2",
        against: Against::Upstream,
        cause: Cause {
            words: "points of the cloud",
            of: |facts| facts.points as f64,
            shown: |points| format!("{points:.0}"),
        },
    },
];

/// What is held against the claim that only another layout can be decoded much faster.
pub(super) const SAME_BYTES: (&str, &str) =
    ("0027-same-bytes-suffice", "more speed needs a layout made for SIMD, such as Stream VByte");
pub(super) const BYTES: Cause =
    Cause { words: "bytes of a token", of: |facts| facts.bytes_per_token, shown: digits };
