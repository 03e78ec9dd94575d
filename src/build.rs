//! Tells the program which compiler and target it was built with, since both belong on every record, and writes
//! the counting benches: one function for each contestant that is counted.

use std::{env, process::Command};

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!(
        "cargo::rustc-env=BUILD_RUSTC={}",
        version.as_deref().unwrap_or("rustc, version unknown").trim()
    );
    println!("cargo::rustc-env=BUILD_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-changed=src/measure/counts/plan.rs");
    #[cfg(feature = "counts")]
    counting::write_benches();
}

#[cfg(feature = "counts")]
#[path = "measure/counts/plan.rs"]
mod plan;

#[cfg(feature = "counts")]
mod counting {
    use std::{env, fmt::Write as _, fs, path::Path};

    use super::plan::{Bench, plan};

    /// Writes the bench functions and their group, as Rust source for `benches/instructions.rs` to include.
    pub(crate) fn write_benches() {
        let plan = plan();
        let mut source = String::new();
        let mut names = Vec::new();
        for cases in plan.chunk_by(|one, next| one.function == next.function) {
            let name = &cases[0].function;
            names.push(name.as_str());
            source += "#[library_benchmark(setup = prepare)]\n";
            for Bench { id, case, .. } in cases {
                writeln!(source, "#[bench::{case}(\"{id}\")]").expect("a string takes text");
            }
            writeln!(source, "fn {name}(counted: Counted) -> Counted {{ counted.run() }}")
                .expect("a string takes text");
        }
        let names = names.join(", ");
        source += &format!("library_benchmark_group!(name = decoders; benchmarks = {names});\n");
        let folder = env::var_os("OUT_DIR").expect("cargo gives build scripts a folder");
        fs::write(Path::new(&folder).join("instructions.rs"), source).expect("the build folder takes a file");
    }
}
