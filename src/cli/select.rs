//! Which captures and variants a command is about.

use std::{num::NonZeroU64, path::PathBuf};

use clap::Args;

use crate::{
    capture::{self, BinColumns, Recording, synthetic},
    cloud::Resolutions,
    error::{Error, Result},
    measure::{
        contestants::{self, Contestant},
        layouts,
        points::{self, PathContestant},
        recordings,
        stream::{self, Arrangement, Stream},
        tokens::BASELINE,
    },
};

/// Captures by name, or files of the user's own.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Captures {
    /// Captures by name, bundled or synthetic; all bundled ones if none is named.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub capture: Vec<String>,
    /// Recordings of your own in place of the bundled captures: files, folders or patterns.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

/// How recordings are read.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Reading {
    /// The grid of float fields: a step for all, one for a field as intensity=1, or @FILE with one a line; may
    /// be given several times.
    #[arg(long, value_name = "[FIELD=]STEP")]
    pub resolution: Vec<String>,
    /// Of so many messages of a topic, take one.
    #[arg(long, value_name = "N")]
    pub sample_every: Option<NonZeroU64>,
    /// Take no more messages of a topic.
    #[arg(long, value_name = "N")]
    pub max_messages: Option<NonZeroU64>,
    /// Columns of .bin files that do not tell them: 4 as KITTI has, or nuScenes' 5.
    #[arg(long, value_enum)]
    pub bin_columns: Option<BinColumns>,
}

impl Reading {
    /// What the readers need of it.
    pub(super) fn options(&self) -> capture::Options {
        capture::Options {
            sample_every: self.sample_every,
            max_messages: self.max_messages.map(NonZeroU64::get),
            bin_columns: self.bin_columns,
        }
    }

    /// The grids.
    ///
    /// # Errors
    /// If one is none.
    pub(super) fn resolutions(&self) -> Result<Resolutions> {
        Resolutions::parse(&self.resolution)
    }
}

impl Captures {
    /// The streams that were asked for; all bundled ones, and with `synthetic` the made-up ones too, if the
    /// user named none.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn streams(&self, with_synthetic: bool) -> Result<Vec<Stream>> {
        let resolutions = self.reading.resolutions()?;
        let mut streams = Vec::new();
        for path in &self.data {
            for recording in capture::recordings(path)? {
                let bar = reading_bar(&recording);
                let (found, notes) =
                    recordings::streams(&recording, &self.reading.options(), &resolutions, |read, total| {
                        bar.set_length(total);
                        bar.set_position(read);
                    })?;
                bar.finish_and_clear();
                notes.lines().for_each(|note| eprintln!("note: {note}"));
                for mut stream in found {
                    stream.facts.name = free_name(stream.facts.name, &streams);
                    streams.push(stream);
                }
            }
        }
        for name in &self.capture {
            streams.push(stream::by_name(name, &resolutions)?);
        }
        if streams.is_empty() {
            streams = stream::bundled(&resolutions)?;
            if with_synthetic {
                streams.extend(synthetic::NAMES.iter().filter_map(|name| Stream::synthetic(name)));
            }
        }
        let fields: Vec<_> = streams
            .iter()
            .filter_map(|stream| stream.cloud.as_ref())
            .flat_map(|cloud| &cloud.fields)
            .collect();
        if let Some(name) = resolutions.unused(fields.iter().copied()).first() {
            return Err(Error::input(format!(
                "--resolution {name}: no capture has a float field of this name"
            )));
        }
        Ok(streams)
    }
}

/// The name, or with a number behind it if a stream has it already: files of other folders may share it.
fn free_name(name: String, taken: &[Stream]) -> String {
    let is_taken = |name: &str| taken.iter().any(|stream| stream.facts.name == name);
    if !is_taken(&name) {
        return name;
    }
    (2..).map(|number| format!("{name} ({number})")).find(|name| !is_taken(name)).unwrap_or(name)
}

/// Variants by name.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Variants {
    /// Variants by name; all of them if none is named.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub variant: Vec<String>,
}

impl Variants {
    /// The contestants that were asked for, in the registry's order.
    ///
    /// # Errors
    /// If a name is not registered.
    pub(super) fn contestants(&self) -> Result<Vec<Contestant>> {
        let all = contestants::all();
        for name in &self.variant {
            if !all.iter().any(|contestant| contestant.name == name) {
                return Err(Error::input(format!(
                    "no variant is named {name}; `varint-lab list` shows all {}",
                    all.len()
                )));
            }
        }
        Ok(all
            .into_iter()
            .filter(|contestant| {
                self.variant.is_empty() || self.variant.iter().any(|name| name == contestant.name)
            })
            .collect())
    }

    /// Those of them that run here, with the baseline that ratios need.
    ///
    /// # Errors
    /// If a name is not registered, or was asked for and does not run on this CPU.
    pub(super) fn runnable(&self) -> Result<Vec<Contestant>> {
        let asked = self.contestants()?;
        if let Some(absent) =
            asked.iter().find(|contestant| !contestant.runs_here && !self.variant.is_empty())
        {
            return Err(Error::input(format!(
                "{} needs {}, which this CPU does not have or --cpu hides",
                absent.name,
                absent.info.class.name()
            )));
        }
        let named = |name: &str| asked.iter().any(|contestant| contestant.name == name);
        Ok(contestants::all()
            .into_iter()
            .filter(|contestant| {
                contestant.runs_here && (named(contestant.name) || contestant.name == BASELINE)
            })
            .collect())
    }

    /// Every path around the LEB128 variants that were asked for and run here, and both arrangements of the other
    /// layouts' variants; with upstream's.
    ///
    /// # Errors
    /// If a name is not registered.
    pub(super) fn named_paths(&self) -> Result<Vec<PathContestant>> {
        let asked = self.contestants()?;
        // Upstream's is there in any case, for others to be held against.
        let named = |contestant: &PathContestant| {
            asked.iter().any(|own| own.name == contestant.variant) || contestant.name() == points::UPSTREAM
        };
        Ok(points::contestants().into_iter().chain(layouts::contestants()).filter(named).collect())
    }

    /// Whether a variant of another layout than cloudini's is asked for.
    pub(super) fn name_another_layout(&self) -> bool {
        let is = |contestant: PathContestant| {
            self.variant.iter().any(|name| *name == contestant.variant || *name == contestant.name())
        };
        layouts::contestants().into_iter().any(is)
    }

    /// Paths around the variants that were asked for, by `variant` or `path/variant`, with the two that ratios
    /// need and the controls. If none was asked for: of the layouts that were, all; else of cloudini's, all but
    /// bulk decoders in the paths that take a token at a time, where they fall back on plain code.
    ///
    /// # Errors
    /// If a name is none, or does not run on this CPU.
    pub(super) fn path_contestants(&self, layouts: &Layouts) -> Result<Vec<PathContestant>> {
        let cloudinis = points::contestants();
        let others = layouts.contestants()?;
        let is =
            |contestant: &PathContestant, name: &str| name == contestant.variant || name == contestant.name();
        for name in &self.variant {
            if !cloudinis.iter().chain(&others).any(|contestant| is(contestant, name)) {
                return Err(Error::input(format!(
                    "{name} is no variant or path/variant that runs here{}, such as {}, block/leb128_loop or \
                     rows/stream_vbyte_bytes",
                    if layouts.layout.is_empty() { "" } else { " in the layouts that were asked for" },
                    points::UPSTREAM
                )));
            }
        }
        let needed = |contestant: &PathContestant| {
            [points::UPSTREAM, points::PLAIN].contains(&contestant.name().as_str())
        };
        let any_layout = !layouts.layout.is_empty();
        Ok(cloudinis
            .into_iter()
            .chain(others)
            .filter(|contestant| {
                let by_default = contestant.has_its_say() && contestant.is_other_layout() == any_layout;
                (self.variant.is_empty() && by_default)
                    || needed(contestant)
                    || self.variant.iter().any(|name| is(contestant, name))
            })
            .chain(points::controls())
            .collect())
    }
}

/// Layouts by name.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Layouts {
    /// Layouts by name, or `all`. With --task points: whole clouds in the lab's own container, held against
    /// cloudini's; with --task tokens: the variants of these layouts.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub layout: Vec<String>,
    /// How points times fields are cut into runs [default: rows, or both for clouds in other layouts].
    #[arg(long, value_enum)]
    pub arrangement: Option<Arrangement>,
}

impl Layouts {
    fn takes(&self, layout: &str) -> bool {
        self.layout.is_empty() || self.layout.iter().any(|name| name == "all" || name == layout)
    }

    /// Clouds in the layouts and the arrangement that were asked for; in all of them if none was.
    ///
    /// # Errors
    /// If there is no layout of a name.
    fn contestants(&self) -> Result<Vec<PathContestant>> {
        let all = layouts::contestants();
        self.check(all.iter().map(|contestant| contestant.layout))?;
        let arranged = |contestant: &PathContestant| {
            self.arrangement.is_none_or(|arrangement| arrangement.name() == contestant.path)
        };
        Ok(all
            .into_iter()
            .filter(|contestant| self.takes(contestant.layout) && arranged(contestant))
            .collect())
    }

    /// Those of the token contestants that decode these layouts, and the baseline.
    ///
    /// # Errors
    /// If there is no layout of a name.
    pub(super) fn of_tokens(&self, contestants: Vec<Contestant>) -> Result<Vec<Contestant>> {
        self.check(contestants::all().iter().map(|contestant| contestant.layout))?;
        let taken = |contestant: &Contestant| contestant.name == BASELINE || self.takes(contestant.layout);
        Ok(contestants.into_iter().filter(taken).collect())
    }

    /// Refuses names that are none of these.
    fn check<'a>(&self, known: impl Iterator<Item = &'a str>) -> Result<()> {
        let mut known: Vec<&str> = known.collect();
        known.dedup();
        let unknown = |name: &&String| *name != "all" && !known.contains(&name.as_str());
        match self.layout.iter().find(unknown) {
            None => Ok(()),
            Some(name) => Err(Error::input(format!(
                "--layout {name}: there is no such layout here, only {} and all",
                known.join(", ")
            ))),
        }
    }
}

/// A progress bar on standard error; nothing where that is no terminal.
pub(super) fn progress(steps: u64, what: &str) -> indicatif::ProgressBar {
    let style = indicatif::ProgressStyle::with_template("{msg:28} [{bar:40}] {pos}/{len} eta {eta}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar())
        .progress_chars("=> ");
    indicatif::ProgressBar::new(steps).with_style(style).with_message(what.to_owned())
}

/// A bar of a recording's bytes with rate and time left, as [`progress`].
pub(super) fn reading_bar(recording: &Recording) -> indicatif::ProgressBar {
    let template = "{msg:28} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} eta {eta}";
    let style = indicatif::ProgressStyle::with_template(template)
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar())
        .progress_chars("=> ");
    indicatif::ProgressBar::new(0).with_style(style).with_message(recording.name.clone())
}
