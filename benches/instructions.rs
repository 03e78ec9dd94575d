//! Instructions that each variant takes on slices of real captures, counted by callgrind: tokens as 32-bit words,
//! and the points of V4 clouds.
//!
//! `cargo bench --features counts`; needs valgrind. The functions are made from the registry by the build script;
//! variants with AVX-512 are left out, since valgrind would count what they fall back to.
#![allow(missing_docs, reason = "iai-callgrind's macros make public items of every function")]

use std::path::Path;

use iai_callgrind::{Callgrind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use varint_lab::{
    error::Result,
    measure::counts::{Counted, cut},
};

/// Where the slices lie, which are cut once and not under valgrind.
fn slices() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn or_panic<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// A contestant with its slice, ready: what is done here is not counted.
fn prepare(id: &str) -> Counted {
    or_panic(Counted::prepare(slices(), id))
}

include!(concat!(env!("OUT_DIR"), "/instructions.rs"));

main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--branch-sim=yes"]));
    setup = or_panic(cut(slices()));
    library_benchmark_groups = decoders
);
