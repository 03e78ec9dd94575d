//! Tells the program which compiler and target it was built with, since both belong on every record, and writes
//! the counting benches: one function for each registered variant that valgrind can run.

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
    #[cfg(feature = "counts")]
    counting::write_benches();
}

#[cfg(feature = "counts")]
mod counting {
    use std::{env, fmt::Write as _, fs, path::Path};

    use variants::{Class, Decoder, Visitor};

    /// Writes the bench functions and their group, as Rust source for `benches/instructions.rs` to include.
    pub(crate) fn write_benches() {
        let mut benches = Benches::default();
        variants::visit_all(&mut benches);
        let names = benches.names.join(", ");
        let source = benches.functions
            + &format!("library_benchmark_group!(name = tokens_rows_u32; benchmarks = {names});\n");
        let folder = env::var_os("OUT_DIR").expect("cargo gives build scripts a folder");
        fs::write(Path::new(&folder).join("instructions.rs"), source).expect("the build folder takes a file");
    }

    #[derive(Default)]
    struct Benches {
        functions: String,
        names: Vec<&'static str>,
    }

    impl Visitor for Benches {
        fn visit<D: Decoder>(&mut self, name: &'static str) {
            // valgrind knows no AVX-512 and hides it from detection.
            if D::INFO.class == Class::Avx512 {
                return;
            }
            self.names.push(name);
            writeln!(
                self.functions,
                "#[library_benchmark(setup = prepare)]\n\
                 #[bench::hdl64_rings(\"{name}\", \"hdl64-rings\")]\n\
                 #[bench::os1_64_organized(\"{name}\", \"os1-64-organized\")]\n\
                 fn {name}(counted: Counted) -> Counted {{ counted.run() }}"
            )
            .expect("a string takes text");
        }
    }
}
