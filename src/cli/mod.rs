//! The command line: what can be asked, and the exit code of the answer.

/// As the standard library's, except that a reader who has seen enough is no reason to panic. It stands before the
/// modules, so that it is theirs, too.
macro_rules! println {
    ($($text:tt)*) => { $crate::cli::print_line(format_args!($($text)*)) };
}

mod gate;
mod list;
mod rank;
mod replay;
mod report;
mod select;
mod survey;
mod verify;

use std::{
    fmt,
    io::{self, Write},
    process::{self, ExitCode},
};

use clap::{Parser, Subcommand, ValueEnum};
use variants::cpu;

use crate::error::Result;

/// Which way of decoding varints is fastest on real LIDAR data, and what it costs.
///
/// Without a command: `report`. Exit codes: 0 ok, 1 mismatch or failed check, 2 usage or missing data.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    /// Act as if the CPU had no more than this.
    #[arg(long, global = true, value_enum, default_value = "all")]
    cpu: Cpu,
    #[command(subcommand)]
    command: Option<Command>,
}

/// CPU features to let through.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cpu {
    /// The architecture's baseline.
    Portable,
    /// Up to SSE4.1.
    Sse41,
    /// Up to AVX2 with BMI2.
    Avx2,
    /// Everything it has.
    All,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the variants and the captures: what runs here, and what the streams are made of.
    List(list::Arguments),
    /// Compare every variant with its layout's oracle on every capture.
    Verify(verify::Arguments),
    /// Time variants against each other on captures.
    Rank(rank::Arguments),
    /// Decode whole clouds over and over: throughput in raw point bytes, and the points' fingerprint.
    Replay(replay::Arguments),
    /// Say what is in recordings, and which decoder suits them.
    Survey(survey::Arguments),
    /// Compare instruction counts with the accepted ones: needs valgrind.
    Gate(gate::Arguments),
    /// Verify, rank and write the report.
    Report(report::Arguments),
}

/// Runs the command line and prints what went wrong, if anything did.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    cpu::limit(match cli.cpu {
        Cpu::Portable => cpu::Level::Portable,
        Cpu::Sse41 => cpu::Level::Sse41,
        Cpu::Avx2 => cpu::Level::Avx2,
        Cpu::All => cpu::Level::All,
    });
    let done: Result<()> = match cli.command.unwrap_or_else(|| Command::Report(report::Arguments::default()))
    {
        Command::List(arguments) => list::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Rank(arguments) => rank::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Survey(arguments) => survey::run(&arguments),
        Command::Gate(arguments) => gate::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("varint-lab: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// What shells show for a program that was ended for writing to a pipe that nobody reads.
const PIPE_CLOSED: i32 = 141;

/// Prints a line; where nobody reads it, the program ends without a word, as others do in a pipe.
fn print_line(text: fmt::Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout().lock(), "{text}") {
        if error.kind() == io::ErrorKind::BrokenPipe {
            process::exit(PIPE_CLOSED);
        }
        eprintln!("varint-lab: the output cannot be written: {error}");
        process::exit(1);
    }
}
