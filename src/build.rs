//! Tells the program which compiler and target it was built with: both belong on every record.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=BUILD_RUSTC={}", version.as_deref().unwrap_or("rustc, version unknown").trim());
    println!("cargo::rustc-env=BUILD_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rerun-if-changed=src/build.rs");
}
