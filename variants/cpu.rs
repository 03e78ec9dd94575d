//! CPU features as proofs: a value of one of these types exists only where every feature it names was
//! detected at run time.
//!
//! [`limit`] hides features that the CPU has, so that one machine can show what a lesser one would run.
//! Where the features do not exist at all (another architecture, or the crate's feature `simd` off), the
//! types have no values and `detect` returns `None`.

use core::sync::atomic::{AtomicU8, Ordering};

/// The most that [`limit`] lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// No feature beyond the architecture's baseline.
    Portable,
    /// SSSE3 and SSE4.1.
    Sse41,
    /// AVX2, BMI1, BMI2 and what comes before.
    Avx2,
    /// Everything the CPU has.
    All,
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::All as u8);

/// Hides every feature above `level` from now on, for the whole process.
pub fn limit(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Whether `level` is let through.
fn allows(level: Level) -> bool {
    LEVEL.load(Ordering::Relaxed) >= level as u8
}

/// Declares proofs: the pulp token inside (or nothing that could exist) and the level it needs.
macro_rules! proofs {
    ($($(#[$doc:meta])* $name:ident($level:ident) { $($field:ident: $feature:tt),* $(,)? })*) => {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        #[allow(missing_docs, reason = "the features' own names say it")]
        mod token {
            pulp::simd_type! {
                $(pub struct $name { $(pub $field: $feature),* })*
            }
        }

        $(
            $(#[$doc])*
            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            #[derive(Clone, Copy, Debug)]
            pub struct $name(token::$name);

            #[cfg(all(target_arch = "x86_64", feature = "simd"))]
            impl $name {
                /// The proof, if the CPU has every feature and [`limit`] lets them through.
                #[must_use]
                #[inline]
                pub fn detect() -> Option<Self> {
                    if allows(Level::$level) { token::$name::try_new().map(Self) } else { None }
                }

                /// The pulp token, with the safe intrinsics of each feature.
                #[must_use]
                #[inline(always)]
                pub fn token(self) -> token::$name {
                    self.0
                }
            }

            $(#[$doc])*
            #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}

            #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
            impl $name {
                /// The proof: never here.
                #[must_use]
                pub fn detect() -> Option<Self> {
                    allows(Level::All);
                    None
                }
            }
        )*
    };
}

proofs! {
    /// PEXT and PDEP with the bit counts that go with them.
    Bmi2(Avx2) { bmi1: "bmi1", bmi2: "bmi2", popcnt: "popcnt" }
    /// 128-bit byte shuffles and widening.
    Sse41(Sse41) { sse2: "sse2", ssse3: "ssse3", sse4_1: "sse4.1", popcnt: "popcnt" }
    /// 256-bit integer vectors with BMI2 beside them.
    Avx2(Avx2) {
        ssse3: "ssse3", sse4_1: "sse4.1", avx: "avx", avx2: "avx2",
        bmi1: "bmi1", bmi2: "bmi2", popcnt: "popcnt", lzcnt: "lzcnt",
    }
    /// 512-bit vectors with byte expand and compress (VBMI2), and BMI2 beside them.
    Avx512Vbmi2(All) {
        ssse3: "ssse3", sse4_1: "sse4.1", avx: "avx", avx2: "avx2",
        avx512f: "avx512f", avx512bw: "avx512bw", avx512dq: "avx512dq", avx512vl: "avx512vl",
        avx512vbmi: "avx512vbmi", avx512vbmi2: "avx512vbmi2",
        bmi1: "bmi1", bmi2: "bmi2", popcnt: "popcnt", lzcnt: "lzcnt",
    }
}
