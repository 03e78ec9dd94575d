//! Recordings message by message: memory holds one message at a time, however long the recording.

use std::{
    cell::Cell,
    collections::{HashMap, VecDeque},
    fs,
    num::NonZeroU64,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    bin::BinColumns,
    part::{Opener, Part},
};
use crate::{cloud::Cloud, error::Result};

/// What of a recording is read, and what it does not say itself.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Of so many messages of a topic, take the first; `None` takes all.
    pub sample_every: Option<NonZeroU64>,
    /// Take no more of a topic.
    pub max_messages: Option<u64>,
    /// The columns of `.bin` files that do not tell them.
    pub bin_columns: Option<BinColumns>,
}

/// One cloud of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The topic; empty where a file has but one source.
    pub topic: String,
    /// Its place among the messages of its topic, counted from 0 over those that were passed over as well.
    pub index: u64,
    /// When it was recorded, in nanoseconds of the recorder's clock, if the file tells.
    pub log_time: Option<u64>,
    /// The points.
    pub cloud: Cloud,
    /// What the fields do not say of the points.
    pub remark: Option<String>,
}

/// Which messages of each topic are taken.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    every: u64,
    most: u64,
    seen: HashMap<String, u64>,
}

impl Sampler {
    fn new(options: &Options) -> Self {
        Self {
            every: options.sample_every.map_or(1, NonZeroU64::get),
            most: options.max_messages.unwrap_or(u64::MAX),
            seen: HashMap::new(),
        }
    }

    /// Counts a message of this topic; its index if it is to be taken.
    pub(super) fn take(&mut self, topic: &str) -> Option<u64> {
        let seen = match self.seen.get_mut(topic) {
            Some(seen) => seen,
            None => self.seen.entry(topic.to_owned()).or_default(),
        };
        let index = *seen;
        *seen += 1;
        (index.is_multiple_of(self.every) && index / self.every < self.most).then_some(index)
    }
}

/// The messages of a recording; see [`messages`] and [`messages_of`].
pub struct Messages {
    options: Options,
    sampler: Sampler,
    parts: VecDeque<PathBuf>,
    /// The part that is being read, for errors, and its content.
    current: Option<(PathBuf, Part)>,
    read: Rc<Cell<u64>>,
    total: u64,
    /// Whether there is but one part.
    alone: bool,
    sensor: Option<String>,
}

/// The clouds of one file, in its order.
///
/// PCD, LAS, LAZ, `.bin`, CDR dumps and cloudini files hold one. An MCAP file holds those of all topics of
/// PointCloud2 or CompressedPointCloud2 messages, a pcap file of an Ouster or Velodyne sensor one a turn.
///
/// An item is an error where something was lost: a message, a chunk, or all behind the point where the file was
/// cut off. Items after it are whole.
///
/// # Errors
/// If the file cannot be opened or is of no known kind.
pub fn messages(path: &Path, options: &Options) -> Result<Messages> {
    messages_of(&[path.to_owned()], options)
}

/// As [`messages`], for a recording that was split: topics go on from part to part.
///
/// # Errors
/// As [`messages`], for the first part; those of later parts are items.
pub fn messages_of(parts: &[PathBuf], options: &Options) -> Result<Messages> {
    let size = |part: &PathBuf| fs::metadata(part).map_or(0, |metadata| metadata.len());
    let mut messages = Messages {
        options: options.clone(),
        sampler: Sampler::new(options),
        parts: parts.iter().cloned().collect(),
        current: None,
        read: Rc::default(),
        total: parts.iter().map(size).sum(),
        alone: parts.len() == 1,
        sensor: None,
    };
    messages.open_next()?;
    Ok(messages)
}

impl Messages {
    /// Bytes read, and bytes that there are.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.read.get(), self.total)
    }

    /// The sensor, if the file tells.
    #[must_use]
    pub fn sensor(&self) -> Option<&str> {
        self.sensor.as_deref()
    }

    /// Opens the next part; `false` if there is none.
    fn open_next(&mut self) -> Result<bool> {
        self.current = None;
        let Some(path) = self.parts.pop_front() else { return Ok(false) };
        let mut opener = Opener { options: &self.options, alone: self.alone, read: &self.read, sensor: None };
        let part = opener.open(&path).map_err(|error| error.within(path.display()))?;
        self.sensor = opener.sensor.or(self.sensor.take());
        self.current = Some((path, part));
        Ok(true)
    }
}

impl Iterator for Messages {
    type Item = Result<Message>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((path, part)) = &mut self.current
                && let Some(item) = part.next(&mut self.sampler)
            {
                return Some(item.map_err(|error| error.within(path.display())));
            }
            match self.open_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
