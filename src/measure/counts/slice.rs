//! What is decoded under the count: slices of captures, cut beforehand, since everything takes valgrind many times
//! as long.

use std::{fs, path::Path};

use super::plan::CAPTURES;
use crate::{
    capture::bundled,
    cloud::{Cloud, DEFAULT_RESOLUTION, EncodeOptions, Prepared, encode, tokens},
    error::{Error, Result},
    measure::{
        contestants::{self, Contestant, Encoded},
        inputs::Input,
        points::{self, PathContestant},
        tokens::words,
    },
};

/// Tokens of a slice: many blocks of the widest kernel, and still quick under valgrind.
pub(crate) const TOKENS: usize = 16_384;

/// Points of a slice: a quarter of a chunk.
pub(crate) const POINTS: usize = 8_192;

/// Cuts the middle out of every counted capture and leaves its tokens and its V4 cloud in `folder`, for
/// [`Counted::prepare`].
///
/// # Errors
/// If a capture cannot be read or is too short, or the folder takes no file.
pub fn cut(folder: &Path) -> Result<()> {
    for capture in CAPTURES {
        let cloud = bundled(capture)?.cloud.with_resolution(DEFAULT_RESOLUTION);
        let cloud = middle(cloud).map_err(|error| error.within(capture))?;
        let tokens = tokens::rows(&cloud)?.concat();
        let tokens = tokens.get(..TOKENS).ok_or_else(|| {
            Error::input(format!("{capture}: {} tokens are too few to be counted", tokens.len()))
        })?;
        let write = |kind: &str, bytes: &[u8]| {
            let path = folder.join(format!("{capture}.{kind}"));
            fs::write(&path, bytes)
                .map_err(|error| Error::check(format!("{}: cannot be written: {error}", path.display())))
        };
        write("tokens", bytemuck::cast_slice(&words::<u32>(tokens)?))?;
        write("v4", &encode(&cloud, &EncodeOptions::lossy(4))?)?;
    }
    Ok(())
}

/// The middle points: captures may begin with rings that see little.
fn middle(mut cloud: Cloud) -> Result<Cloud> {
    let before = cloud.points().checked_sub(POINTS).ok_or_else(|| {
        Error::input(format!("{} points are too few to be counted: {POINTS} are needed", cloud.points()))
    })? / 2;
    cloud.data.truncate((before + POINTS) * cloud.point_step);
    cloud.data.drain(..before * cloud.point_step);
    (cloud.width, cloud.height) = (POINTS as u32, 1);
    Ok(cloud)
}

/// One contestant with the slice it decodes.
pub struct Counted(Work);

enum Work {
    Tokens { contestant: Contestant, encoded: Encoded, out: Vec<u32> },
    Points { contestant: PathContestant, cloud: Box<Input<'static>>, out: Vec<u8> },
}

impl Counted {
    /// The contestant of an id, with its slice from `folder` in its layout.
    ///
    /// # Errors
    /// If there is none or it does not run here, or the slice is not there.
    pub fn prepare(folder: &Path, id: &str) -> Result<Self> {
        let stranger = || Error::input(format!("{id} does not run here"));
        let (task, rest) = ["tokens/rows/u32/", "points/v4/"]
            .iter()
            .find_map(|task| Some((*task, id.strip_prefix(task)?)))
            .ok_or_else(stranger)?;
        let (capture, name) = rest.split_once('/').ok_or_else(stranger)?;
        let read = |kind: &str| {
            let path = folder.join(format!("{capture}.{kind}"));
            fs::read(&path).map_err(|error| Error::unreadable(&path, &error))
        };
        if task == "points/v4/" {
            let contestant = points::contestants()
                .into_iter()
                .find(|contestant| contestant.name() == name)
                .ok_or_else(stranger)?;
            let cloud = Box::new(Input::Cloudini(Prepared::open(&read("v4")?)?.into_owned()));
            let out = vec![0; cloud.point_bytes()];
            return Ok(Self(Work::Points { contestant, cloud, out }));
        }
        let contestant = contestants::all()
            .into_iter()
            .find(|contestant| contestant.name == name && contestant.runs_here)
            .ok_or_else(stranger)?;
        let bytes = read("tokens")?;
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_ne_bytes(word)).collect();
        let encoded = (contestant.u32.encode)(&words, words.len());
        Ok(Self(Work::Tokens { contestant, encoded, out: vec![0; words.len()] }))
    }

    /// What is counted: one decode of the slice. Hands itself back, so that dropping it is not.
    ///
    /// # Panics
    /// If the contestant refuses the encoding of its own layout.
    #[must_use]
    pub fn run(mut self) -> Self {
        match &mut self.0 {
            Work::Tokens { contestant, encoded, out } => {
                let decoded = (contestant.u32.decode_over)(std::hint::black_box(encoded), out);
                assert_eq!(decoded, Ok(()));
                std::hint::black_box(out);
            }
            Work::Points { contestant, cloud, out } => {
                let decoded = contestant.run(std::hint::black_box(cloud), &[], out);
                assert_eq!(decoded, Ok(()));
                std::hint::black_box(out);
            }
        }
        self
    }
}
