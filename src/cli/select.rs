//! Which captures and variants a command is about.

use std::path::PathBuf;

use clap::Args;

use crate::{
    capture::{self, synthetic},
    error::{Error, Result},
    measure::{
        contestants::{self, Contestant},
        points::{self, PathContestant},
        stream::{self, Stream},
        tokens::BASELINE,
    },
};

/// Captures by name, or files of the user's own.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Captures {
    /// Captures by name, bundled or synthetic; all bundled ones if none is named.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    pub capture: Vec<String>,
    /// PCD files, or folders of them, in place of the bundled captures.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    pub data: Vec<PathBuf>,
}

impl Captures {
    /// The streams that were asked for; all bundled ones, and with `synthetic` the made-up ones too, if the
    /// user named none.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn streams(&self, with_synthetic: bool) -> Result<Vec<Stream>> {
        let mut streams = Vec::new();
        for path in &self.data {
            for capture in capture::load_path(path)? {
                streams.push(Stream::of_capture(capture)?);
            }
        }
        for name in &self.capture {
            streams.push(stream::by_name(name)?);
        }
        if streams.is_empty() {
            streams = stream::bundled()?;
            if with_synthetic {
                streams.extend(synthetic::NAMES.iter().filter_map(|name| Stream::synthetic(name)));
            }
        }
        Ok(streams)
    }
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

    /// Every path around the LEB128 variants that were asked for and run here.
    ///
    /// # Errors
    /// If a name is not registered.
    pub(super) fn named_paths(&self) -> Result<Vec<PathContestant>> {
        let asked = self.contestants()?;
        let named = |contestant: &PathContestant| asked.iter().any(|own| own.name == contestant.variant);
        Ok(points::contestants().into_iter().filter(named).collect())
    }

    /// Paths around the variants that were asked for, by `variant` or `path/variant`, with the two that ratios
    /// need and the controls. If none was asked for: all but bulk decoders in the paths that take a token at a
    /// time, where they fall back on plain code.
    ///
    /// # Errors
    /// If a name is none, or does not run on this CPU.
    pub(super) fn path_contestants(&self) -> Result<Vec<PathContestant>> {
        let here = points::contestants();
        let is =
            |contestant: &PathContestant, name: &str| name == contestant.variant || name == contestant.name();
        for name in &self.variant {
            if !here.iter().any(|contestant| is(contestant, name)) {
                return Err(Error::input(format!(
                    "{name} is no LEB128 variant or path/variant that runs here, such as {} or block/leb128_loop",
                    points::UPSTREAM
                )));
            }
        }
        let needed = |contestant: &PathContestant| {
            [points::UPSTREAM, points::PLAIN].contains(&contestant.name().as_str())
        };
        Ok(here
            .into_iter()
            .filter(|contestant| {
                (self.variant.is_empty() && contestant.has_its_say())
                    || needed(contestant)
                    || self.variant.iter().any(|name| is(contestant, name))
            })
            .chain(points::controls())
            .collect())
    }
}

/// A progress bar on standard error; nothing where that is no terminal.
pub(super) fn progress(steps: u64, what: &str) -> indicatif::ProgressBar {
    let style = indicatif::ProgressStyle::with_template("{msg:28} [{bar:40}] {pos}/{len} eta {eta}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar())
        .progress_chars("=> ");
    indicatif::ProgressBar::new(steps).with_style(style).with_message(what.to_owned())
}
