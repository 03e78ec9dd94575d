//! The runner that the counting benches start: iai-callgrind's own, as a program of this package.

use std::process::ExitCode;

use iai_callgrind_runner::{error::Error, runner};
use varint_lab::measure::counts::valgrind_version;

fn main() -> ExitCode {
    // The runner itself only says that it did not find it.
    if let Err(error) = valgrind_version() {
        eprintln!("varint-lab: {error}");
        return ExitCode::from(error.exit_code());
    }
    match runner::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(Error::RegressionError(_)) = error.downcast_ref::<Error>() {
                return ExitCode::from(3);
            }
            eprintln!("iai-callgrind-runner: {error:#}");
            ExitCode::FAILURE
        }
    }
}
