//! `replay`: upstream's decode replay. Everything is encoded beforehand, decoding alone is timed.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path as FilePath, PathBuf},
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};

use super::select::progress;
use crate::{
    capture,
    cloud::{self, Arrangement, Cloud, Compression, Path, Resolutions},
    error::{Error, Result},
    fnv::Fnv,
    measure::{
        clock::thread_time,
        layouts,
        points::{self, CloudMode, PathContestant},
    },
};

/// Arguments of `replay`.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    /// A bundled capture's name, or a recording of your own: a file, a folder or a pattern with *.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The version to encode as [default: both].
    #[arg(long, value_enum)]
    mode: Option<CloudMode>,
    /// Encode in this layout instead, in the lab's own container.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["mode", "path"])]
    layout: Option<String>,
    /// How the layout's tokens are cut into runs.
    #[arg(long, value_enum, default_value = "rows", requires = "layout")]
    arrangement: Arrangement,
    /// The variant to decode with: of LEB128 or the layout [default: the one for the widest vectors that run here].
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// How cloudini's tokens get into the points.
    #[arg(long, value_enum, default_value = "block")]
    path: PathName,
    /// How often everything is decoded.
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// Put ZSTD behind the encoding; undoing it is timed.
    #[arg(long, conflicts_with = "lz4")]
    zstd: bool,
    /// Put LZ4 behind the encoding; undoing it is timed.
    #[arg(long)]
    lz4: bool,
    /// Print the FNV-1a fingerprint of the decoded points.
    #[arg(long)]
    hash: bool,
    /// The grid of float fields: a step for all, or one for a field as intensity=1; may be given several times.
    #[arg(long, value_name = "[FIELD=]STEP")]
    resolution: Vec<String>,
    /// Share the chunks out among so many threads; wall time is shown then.
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
}

/// [`Path`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PathName {
    /// Upstream's: one virtual call for each field of each point.
    PerField,
    /// The same with a vector conversion to float in the leading group.
    PerFieldConvert,
    /// The same with readers kept from chunk to chunk and from cloud to cloud.
    PerFieldCached,
    /// The plan resolved once, no virtual call.
    PerPoint,
    /// A bulk decoder into windows that stay in the cache, then the lift.
    Block,
}

impl PathName {
    fn path(self) -> Path {
        match self {
            Self::PerField => Path::PerField,
            Self::PerFieldConvert => Path::PerFieldConvert,
            Self::PerFieldCached => Path::PerFieldCached,
            Self::PerPoint => Path::PerPoint,
            Self::Block => Path::Block,
        }
    }
}

/// What is replayed: files in one mode.
struct Replay {
    label: String,
    files: Vec<Vec<u8>>,
}

/// Runs the command.
///
/// # Errors
/// If the input cannot be read or encoded, or the options contradict it.
pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let contestant = contestant(arguments)?;
    for replay in replays(arguments, &contestant)? {
        replay_one(arguments, &contestant, &replay)?;
    }
    Ok(())
}

fn contestant(arguments: &Arguments) -> Result<PathContestant> {
    let (mut here, path, layout) = match &arguments.layout {
        None => (points::contestants(), arguments.path.path().name(), "leb128"),
        Some(layout) => (layouts::contestants(), arguments.arrangement.name(), &**layout),
    };
    let mut known: Vec<&str> = here.iter().map(|contestant| contestant.layout).collect();
    here.retain(|contestant| contestant.layout == layout && contestant.path == path);
    if here.is_empty() {
        known.dedup();
        let known = known.join(", ");
        return Err(Error::input(format!("--layout {layout}: there is no such layout here, only {known}")));
    }
    let name = arguments.variant.as_deref().unwrap_or_else(|| points::widest(&here));
    here.iter().find(|contestant| contestant.variant == name).copied().ok_or_else(|| {
        Error::input(format!(
            "{name} is no variant of {layout} that runs here; `varint-lab list` shows them all"
        ))
    })
}

/// Encodes what the user named, once for each mode.
fn replays(arguments: &Arguments, contestant: &PathContestant) -> Result<Vec<Replay>> {
    let input = &arguments.input;
    if input.extension().is_some_and(|extension| extension == "cloudini") {
        return encoded_file(arguments, input);
    }
    let resolutions = Resolutions::parse(&arguments.resolution)?;
    let bundled = input.to_str().filter(|name| capture::BUNDLED.contains(name));
    let captures = match bundled {
        Some(name) => vec![capture::bundled(name)?],
        None if input.exists() || input.to_string_lossy().contains('*') => capture::load_path(input)?,
        None => {
            return Err(Error::input(format!(
                "{}: neither a file nor a bundled capture; those are {}",
                input.display(),
                capture::BUNDLED.join(", ")
            )));
        }
    };
    let clouds: Vec<(String, Cloud)> =
        captures.into_iter().map(|capture| (capture.name, resolutions.apply(capture.cloud))).collect();
    let compression = match (arguments.zstd, arguments.lz4) {
        (true, _) => Compression::Zstd,
        (_, true) => Compression::Lz4,
        _ => Compression::None,
    };
    let modes = match arguments.mode {
        // Other layouts have one mode.
        _ if contestant.is_other_layout() => vec![CloudMode::V4],
        None => CloudMode::ALL.to_vec(),
        Some(mode) => vec![mode],
    };
    modes
        .into_iter()
        .map(|mode| {
            let files = clouds.iter().map(|(name, cloud)| {
                let file = contestant.encode(cloud, mode, compression);
                file.map_err(|error| Error::from(error).within(name))
            });
            let label = if contestant.is_other_layout() { contestant.layout } else { mode.name() };
            Ok(Replay { label: label.to_owned(), files: files.collect::<Result<_>>()? })
        })
        .collect()
}

/// A file that is encoded already says itself how.
fn encoded_file(arguments: &Arguments, path: &FilePath) -> Result<Vec<Replay>> {
    let refused = [
        ("--mode", arguments.mode.is_some()),
        ("--layout", arguments.layout.is_some()),
        ("--resolution", !arguments.resolution.is_empty()),
        ("--zstd", arguments.zstd),
        ("--lz4", arguments.lz4),
    ];
    if let Some((option, _)) = refused.iter().find(|(_, given)| *given) {
        return Err(Error::input(format!(
            "{option} says how to encode, but {} is encoded already: leave it out",
            path.display()
        )));
    }
    let bytes = fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    let (header, _) =
        cloud::read_header(&bytes).map_err(|error| Error::from(error).within(path.display()))?;
    let label = format!("v{} {}", header.version, header.compression.name());
    Ok(vec![Replay { label, files: vec![bytes] }])
}

fn replay_one(arguments: &Arguments, contestant: &PathContestant, replay: &Replay) -> Result<()> {
    let mut fingerprint = Fnv::default();
    let mut raw_bytes = 0;
    let mut best = Duration::MAX;
    let mut total = Duration::ZERO;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads.get())
        .build()
        .map_err(|error| Error::check(format!("threads: {error}")))?;
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    let bar = progress(u64::from(arguments.repeat), &format!("replay {}", replay.label));
    for pass in 0..arguments.repeat {
        let mut took = Duration::ZERO;
        for (index, file) in replay.files.iter().enumerate() {
            let place =
                |error| Error::from(error).within(format!("{}, {}", arguments.input.display(), replay.label));
            if pass == 0 {
                buffers.push(vec![0; contestant.open(file).map_err(place)?.point_bytes()]);
            }
            let points = &mut buffers[index][..];
            let (wall, cpu) = (Instant::now(), thread_time());
            let prepared = contestant.open(file).map_err(place)?;
            if arguments.threads.get() == 1 {
                contestant.run(&prepared, &[], points).map_err(place)?;
                took += thread_time() - cpu;
            } else {
                pool.install(|| contestant.run_parallel(&prepared, points)).map_err(place)?;
                took += wall.elapsed();
            }
            if pass == 0 {
                raw_bytes += points.len();
                fingerprint.add(points);
            }
        }
        best = best.min(took);
        total += took;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let rate = |time: Duration| raw_bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9);
    let mean = total / arguments.repeat;
    let mut line = format!(
        "{:16} {:40} {:>9.1} MB/s best {:>9.1} MB/s mean of {}",
        replay.label,
        contestant.name(),
        rate(best),
        rate(mean),
        arguments.repeat
    );
    if arguments.hash {
        line += &format!("\n{:16} FNV-1a {:#018x} of {raw_bytes} bytes", replay.label, fingerprint.value());
    }
    println!("{line}");
    Ok(())
}
