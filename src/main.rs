//! The command `varint-lab`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    varint_lab::cli::run()
}
