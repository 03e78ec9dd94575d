//! The lift: tokens to field values in points. Un-zigzag, NaN marker, running sum, scale, strided store.
//!
//! A kernel fills a window of tokens that stays in the L1 cache and a [`Lift`] turns it into point bytes. Tokens
//! come as rows (one token for each lane, point after point) or, with a single lane, as a column.
//!
//! ```
//! use variants::lift::{Lane, Lift, Store};
//!
//! let lanes = [
//!     Lane { offset: 0, store: Store::GroupF32 { resolution: 0.5 } },
//!     Lane { offset: 6, store: Store::Int16 },
//! ];
//! let mut lift = Lift::new(&lanes, 8)?;
//! let mut points = [0; 16];
//! lift.rows(&[3_u32, 5, 0, 4], &mut points).unwrap();
//! assert_eq!(points[..4], 0.5_f32.to_le_bytes()); // token 3 is the delta +1
//! assert_eq!(points[6..8], [2, 0]); // token 5 is the delta +2
//! assert!(f32::from_le_bytes(points[8..12].try_into().unwrap()).is_nan()); // token 0
//! assert_eq!(points[14..16], [0, 0]); // token 4 is the delta -2
//! # Ok::<(), variants::lift::PlanError>(())
//! ```

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod avx512;
mod columns;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod elements256;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod elements512;
mod error;
mod interleave;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod merge256;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod narrow512;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod plan;
mod portable;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod short512;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod strided;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod vector256;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod wide512;

pub use columns::{CELL, Columns, Place, ROW};
pub use error::{LiftError, PlanError};
pub use interleave::interleave;

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
use alloc::sync::Arc;
use alloc::{vec, vec::Vec};

use crate::{Class, Word};
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
use crate::{Tokens, cpu};

/// The bits of the NaN that token 0 becomes: positive, quiet, without payload.
const NAN_F32: u32 = 0x7fc0_0000;
/// The same as an f64.
const NAN_F64: u64 = 0x7ff8_0000_0000_0000;

/// Short tokens that are widened at a time, for rows of no more lanes.
const WIDENED: usize = 64;

/// Points of more bytes go the portable way, which does no arithmetic on a multiple of the step.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
const LONGEST_POINT: usize = 1 << 16;

/// What becomes of one token field. Resolutions are the grid's step, in the field's own unit.
///
/// The arithmetic is that of cloudini (`field_decoder.cpp`, commit d202e52), with every overflow wrapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Store {
    /// FLOAT32 of a group of leading floats: the sum wraps in 32 bits, the value is `sum as f32 * resolution`.
    /// Token 0 gives NaN and restarts the sum at 0.
    GroupF32 {
        /// The grid.
        resolution: f32,
    },
    /// Any other lossy FLOAT32: as a group's, with a sum of 64 bits.
    F32 {
        /// The grid.
        resolution: f32,
    },
    /// A lossy FLOAT64: a sum of 64 bits, the value is `sum as f64 * resolution`; token 0 as in the others.
    F64 {
        /// The grid.
        resolution: f64,
    },
    /// INT16 or UINT16: the sum's low 16 bits. Token 0 is an error in all integers.
    Int16,
    /// INT32 or UINT32: the sum's low 32 bits.
    Int32,
    /// INT64 or UINT64.
    Int64,
    /// Nothing: a lane that is passed over, whatever its tokens are. A row that has one byte of another field
    /// between its tokens is a row of tokens with such a lane.
    Skip,
}

impl Store {
    /// Bytes of one value: 2, 4 or 8; 0 if nothing is stored.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Skip => 0,
            Self::Int16 => 2,
            Self::GroupF32 { .. } | Self::F32 { .. } | Self::Int32 => 4,
            Self::F64 { .. } | Self::Int64 => 8,
        }
    }

    /// Whether token 0 is an error.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Int16 | Self::Int32 | Self::Int64)
    }
}

/// One token field of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lane {
    /// Its first byte in the point.
    pub offset: usize,
    /// What is stored there, little endian.
    pub store: Store,
}

/// How the points are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stores {
    /// Through the cache.
    #[default]
    Ordinary,
    /// Past the cache where a vector holds whole points and nothing else, as with 16-byte points of four 32-bit
    /// lanes, and the points can be aligned; ordinary ones elsewhere. Worth it if all the points together exceed
    /// the cache, and a loss if they would have fitted.
    NonTemporal,
}

/// Where each lane's running value stands, and how it gets into the points.
#[derive(Clone, Debug)]
pub struct Lift {
    lanes: Vec<Lane>,
    point_step: usize,
    /// The running values; sums of 32 bits (or of which only as many are stored) are kept sign-extended.
    previous: Vec<i64>,
    kernel: Kernel,
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "simd")),
        expect(dead_code, reason = "only vectors choose")
    )]
    stores: Stores,
}

/// The implementation, prepared for the lanes.
#[derive(Clone, Debug)]
enum Kernel {
    Portable,
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    Avx2(avx2::Kernel),
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    Avx512(Arc<avx512::Kernel>),
}

impl Kernel {
    /// The fastest one within `class`. Vectors store overlapping lanes in no particular order.
    #[cfg(all(target_arch = "x86_64", feature = "simd"))]
    fn choose(class: Class, lanes: &[Lane], point_step: usize) -> Self {
        if point_step > LONGEST_POINT || plan::overlap(lanes) {
            return Self::Portable;
        }
        if let (Class::Avx512, Some(proof)) = (class, cpu::Avx512Vbmi2::detect()) {
            return Self::Avx512(Arc::new(avx512::Kernel::new(proof, lanes, point_step)));
        }
        let avx2 = if class >= Class::Avx2 { cpu::Avx2::detect() } else { None };
        let kernel = avx2.and_then(|proof| avx2::Kernel::new(proof, lanes, point_step));
        kernel.map_or(Self::Portable, Self::Avx2)
    }

    #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
    fn choose(_: Class, _: &[Lane], _: usize) -> Self {
        Self::Portable
    }
}

impl Lift {
    /// A lift of the fastest implementation that the CPU and [`limit`](crate::cpu::limit) allow, at a
    /// chunk's start. Points are `point_step` bytes apart. Where lanes overlap, the later one's bytes stay.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn new(lanes: &[Lane], point_step: usize) -> Result<Self, PlanError> {
        Self::at_most(Class::Avx512, lanes, point_step)
    }

    /// A lift that uses nothing beyond `class`, for comparing implementations on one machine.
    ///
    /// # Errors
    /// See [`PlanError`].
    pub fn at_most(class: Class, lanes: &[Lane], point_step: usize) -> Result<Self, PlanError> {
        if lanes.iter().all(|lane| lane.store == Store::Skip) {
            return Err(PlanError::NoLanes);
        }
        for (index, lane) in lanes.iter().enumerate() {
            let end = lane.offset.checked_add(lane.store.bytes());
            if end.is_none_or(|end| end > point_step) {
                return Err(PlanError::Outside(index));
            }
        }
        Ok(Self {
            lanes: lanes.to_vec(),
            point_step,
            previous: vec![0; lanes.len()],
            kernel: Kernel::choose(class, lanes, point_step),
            stores: Stores::Ordinary,
        })
    }

    /// The same lift with other stores; a lift starts with ordinary ones.
    #[must_use]
    pub fn with_stores(self, stores: Stores) -> Self {
        Self { stores, ..self }
    }

    /// What the implementation is built from.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.kernel {
            Kernel::Portable => Class::Scalar,
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            Kernel::Avx2(_) => Class::Avx2,
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            Kernel::Avx512(_) => Class::Avx512,
        }
    }

    /// Tokens in a row: the number of lanes.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Sets every running value to 0, as a chunk's start requires.
    pub fn restart(&mut self) {
        self.previous.fill(0);
    }

    /// Turns whole rows of tokens into as many points at the front of `points`, going on from the rows before.
    /// Only the lanes' bytes of these points change.
    ///
    /// # Errors
    /// A NaN marker in an integer lane. The lanes' bytes of these points, and the running values up to the next
    /// [`Self::restart`], then mean nothing.
    ///
    /// # Panics
    /// If `tokens` ends inside a row or `points` is shorter than the rows' points.
    pub fn rows<W: Word>(&mut self, tokens: &[W], points: &mut [u8]) -> Result<(), LiftError> {
        let rows = tokens.len() / self.lanes.len();
        assert_eq!(rows * self.lanes.len(), tokens.len(), "the tokens end inside a row");
        assert!(points.len() / self.point_step >= rows, "there are fewer points than rows");
        let points = &mut points[..rows * self.point_step];
        let previous = &mut self.previous[..];
        let fine = match &mut self.kernel {
            Kernel::Portable => portable::rows(&self.lanes, self.point_step, previous, tokens, points),
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            Kernel::Avx2(kernel) => match W::tokens(tokens) {
                Tokens::U32(tokens) => kernel.rows_u32(self.stores, previous, tokens, points),
                Tokens::U64(tokens) => kernel.rows_u64(previous, tokens, points),
            },
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            Kernel::Avx512(kernel) => match W::tokens(tokens) {
                Tokens::U32(tokens) => kernel.rows_u32(self.stores, previous, tokens, points),
                Tokens::U64(tokens) => kernel.rows_u64(previous, tokens, points),
            },
        };
        if fine { Ok(()) } else { Err(LiftError { index: self.first_marker(tokens) }) }
    }

    /// Whether [`Self::short_rows`] is faster than [`Self::rows`] with wider words: for points of nothing but four
    /// float lanes in their order, of a group of leading floats, with ordinary stores.
    #[must_use]
    pub fn takes_short(&self) -> bool {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        if let (Stores::Ordinary, Kernel::Avx512(kernel)) = (self.stores, &self.kernel) {
            return kernel.takes_short();
        }
        false
    }

    /// As [`Self::rows`], for tokens of at most 16 bits.
    ///
    /// # Errors
    /// As [`Self::rows`].
    ///
    /// # Panics
    /// As [`Self::rows`].
    pub fn short_rows(&mut self, tokens: &[u16], points: &mut [u8]) -> Result<(), LiftError> {
        let lanes = self.lanes.len();
        let rows = tokens.len() / lanes;
        assert_eq!(rows * lanes, tokens.len(), "the tokens end inside a row");
        assert!(points.len() / self.point_step >= rows, "there are fewer points than rows");
        let mut done = 0;
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        if let Kernel::Avx512(kernel) = &self.kernel {
            done = kernel.rows_u16(&mut self.previous, tokens, points);
        }
        // What is left, wider: some rows at a time.
        let mut wide = [0_u32; WIDENED];
        while done < tokens.len() {
            let now = (tokens.len() - done).min(WIDENED / lanes * lanes);
            let points = &mut points[done / lanes * self.point_step..];
            if now == 0 {
                let tokens: Vec<u32> = tokens[done..].iter().copied().map(u32::from).collect();
                return self.rows(&tokens, points).map_err(|error| error.behind(done));
            }
            for (wide, &token) in wide.iter_mut().zip(&tokens[done..done + now]) {
                *wide = token.into();
            }
            self.rows(&wide[..now], points).map_err(|error| error.behind(done))?;
            done += now;
        }
        Ok(())
    }

    /// The first token 0 in an integer lane.
    #[cold]
    fn first_marker<W: Word>(&self, tokens: &[W]) -> usize {
        let integers = self.lanes.iter().map(|lane| lane.store.is_integer()).cycle();
        let found =
            tokens.iter().zip(integers).position(|(&token, integer)| integer && token == W::default());
        found.unwrap_or(tokens.len())
    }
}
