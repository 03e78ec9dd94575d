//! The runner that the counting benches start: iai-callgrind's own, as a program of this package.

use std::process::ExitCode;

use iai_callgrind_runner::{error::Error, runner};

fn main() -> ExitCode {
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
