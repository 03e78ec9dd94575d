//! Instructions that each variant takes on slices of real captures, counted by callgrind: rows, 32-bit words.
//!
//! `cargo bench --features counts`; needs valgrind. The functions are made from the registry by the build script;
//! variants with AVX-512 are left out, since valgrind would count what they fall back to.
#![allow(missing_docs, reason = "iai-callgrind's macros make public items of every function")]

use iai_callgrind::{Callgrind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use varint_lab::measure::counts::Counted;

/// The slice that a variant decodes, ready: what is done here is not counted.
fn prepare(variant: &str, capture: &str) -> Counted {
    Counted::prepare(variant, capture).unwrap_or_else(|error| panic!("{error}"))
}

include!(concat!(env!("OUT_DIR"), "/instructions.rs"));

main!(
    // The captures are found with cargo, which has to find itself.
    config = LibraryBenchmarkConfig::default()
        .pass_through_envs(["CARGO", "CARGO_HOME", "HOME", "PATH", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"])
        .tool(Callgrind::with_args(["--branch-sim=yes"]));
    library_benchmark_groups = tokens_rows_u32
);
