//! Token streams of users' recordings: one for each topic, of all its sampled messages, in bounded memory.

use std::collections::BTreeMap;

use super::{record::CaptureFacts, stream::Stream};
use crate::{
    capture::{Message, Options, Provenance, Recording, messages_of},
    cloud::{CHUNK_POINTS, Cloud, CloudError, Mode, Plan, Resolutions, tokens},
    error::{Error, Result},
};

/// A topic's stream takes no more tokens than this: 32 times what a comparison needs, and small enough that four
/// topics in every layout fit in 300 MB.
pub const MOST_TOKENS: usize = 1 << 21;

/// What was lost or left out, in words, each once with how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<(String, u64)>);

/// Notes that are kept word by word.
const MOST_NOTES: usize = 8;

impl Notes {
    /// Adds one.
    pub fn add(&mut self, note: String) {
        const MORE: &str = "and more of the kind";
        let known = |note: &str| self.0.iter().position(|(known, _)| known == note);
        let at = known(&note).or_else(|| if self.0.len() < MOST_NOTES { None } else { known(MORE) });
        match at {
            Some(at) => self.0[at].1 += 1,
            None if self.0.len() < MOST_NOTES => self.0.push((note, 1)),
            None => self.0.push((MORE.to_owned(), 1)),
        }
    }

    /// Says of a topic that was cut what its stream lacks.
    pub(super) fn left_out(&mut self, name: &str, topic: &Topic) {
        if topic.left_out > 0 {
            self.add(format!(
                "{name}: its stream has the first {} tokens; points read and left out: {}",
                topic.rows.len(),
                topic.left_out
            ));
        }
    }

    /// A line each.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.0
            .iter()
            .map(|(note, count)| if *count > 1 { format!("{note} ({count} times)") } else { note.clone() })
    }
}

/// Gives every message of a recording, its fields' resolutions set, to `use_message` with the name of its topic's
/// capture and what is known of it, until that says that it has enough. `watch` is told the bytes read and the
/// bytes that there are. Returns what was lost.
///
/// # Errors
/// If there is no whole message: then what was lost first.
pub fn each_message(
    recording: &Recording,
    options: &Options,
    resolutions: &Resolutions,
    mut use_message: impl FnMut(&str, Message, Provenance) -> Result<Go>,
    mut watch: impl FnMut(u64, u64),
) -> Result<Notes> {
    let mut messages = messages_of(&recording.parts, options)?;
    let mut notes = Notes::default();
    let mut first_lost = None;
    let mut whole = 0_u64;
    while let Some(found) = messages.next() {
        let (read, total) = messages.progress();
        watch(read, total);
        let done = found.and_then(|mut message| {
            message.cloud = resolutions.apply(message.cloud);
            let remark = message.remark.as_deref();
            let facts = Provenance::given(messages.sensor(), &message.cloud, remark, recording.source());
            let name = format!("{}{}", recording.name, message.topic);
            if whole == 0 && facts.is_not_lidar() {
                notes.add(format!("{name}: {}", facts.sensor));
            }
            let index = message.index;
            let place = |error: Error| error.within(format!("{name}, message {index}"));
            use_message(&name, message, facts).map_err(place)
        });
        match done {
            Ok(Go::On) => whole += 1,
            Ok(Go::Enough) => {
                whole += 1;
                if read < total {
                    notes.add(format!(
                        "{}: read no further than {:.0} % of it: every topic so far has as many tokens as are kept, up to {MOST_TOKENS}",
                        recording.name,
                        100.0 * read as f64 / total as f64
                    ));
                }
                break;
            }
            Err(error) => {
                notes.add(error.to_string());
                first_lost.get_or_insert(error);
            }
        }
    }
    match first_lost {
        Some(error) if whole == 0 => Err(error),
        None if whole == 0 => Err(Error::input(format!("{}: has no clouds", recording.source()))),
        _ => Ok(notes),
    }
}

/// Whether to read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Yes.
    On,
    /// No.
    Enough,
}

/// The streams of a recording's topics by name, and what was lost or left out.
///
/// A stream's tokens are those of its messages, one after the other, each message in chunks of its own; its cloud
/// has the points of all of them.
///
/// # Errors
/// As [`each_message`].
pub fn streams(
    recording: &Recording,
    options: &Options,
    resolutions: &Resolutions,
    watch: impl FnMut(u64, u64),
) -> Result<(Vec<Stream>, Notes)> {
    let mut topics = BTreeMap::<String, Topic>::new();
    let use_message = |name: &str, message: Message, facts: Provenance| {
        match topics.get_mut(name) {
            Some(topic) => topic.add(message.cloud)?,
            None => {
                topics.insert(name.to_owned(), Topic::new(message.cloud, facts)?);
            }
        }
        Ok(if topics.values().all(Topic::is_full) { Go::Enough } else { Go::On })
    };
    let mut notes = each_message(recording, options, resolutions, use_message, watch)?;
    for (name, topic) in &topics {
        notes.left_out(name, topic);
    }
    Ok((topics.into_iter().map(|(name, topic)| topic.into_stream(name)).collect(), notes))
}

/// What the messages of one topic come to.
#[derive(Clone, Debug)]
pub struct Topic {
    facts: Provenance,
    rows: Vec<u64>,
    columns: Vec<u64>,
    cloud: Cloud,
    tokens_per_point: usize,
    /// Points for which there was no room.
    left_out: u64,
}

impl Topic {
    /// A topic of one message, its fields' resolutions set.
    ///
    /// # Errors
    /// If a value cannot be stored on the grid.
    pub fn new(cloud: Cloud, facts: Provenance) -> Result<Self> {
        let plan = Plan::of_cloud(&cloud, 4, Mode::Lossy)?;
        let tokens_per_point = plan.rows.iter().filter(|step| step.codec.is_token()).count();
        let empty = Cloud { width: 0, height: 1, data: Vec::new(), ..cloud.clone() };
        let mut topic = Self {
            facts,
            rows: Vec::new(),
            columns: Vec::new(),
            cloud: empty,
            tokens_per_point,
            left_out: 0,
        };
        topic.add(cloud)?;
        Ok(topic)
    }

    /// Whether it takes no more.
    #[must_use]
    pub fn is_full(&self) -> bool {
        // A cloud without tokens still has points, which count then.
        let tokens = self.rows.len().max(self.cloud.points());
        tokens + self.tokens_per_point.max(1) * CHUNK_POINTS > MOST_TOKENS
    }

    /// Adds a message, as much of it as there is room for.
    ///
    /// # Errors
    /// If its fields are others than those of the first, or a value cannot be stored on the grid. It is then
    /// left out whole.
    pub fn add(&mut self, cloud: Cloud) -> Result<()> {
        if cloud.fields != self.cloud.fields || cloud.point_step != self.cloud.point_step {
            return Err(Error::input("has other fields than the topic's first message: left out"));
        }
        let room = MOST_TOKENS.saturating_sub(self.rows.len()) / self.tokens_per_point.max(1);
        let points = cloud.points();
        let cloud = front(cloud, room);
        let refusal = |error: CloudError| Error::from(error);
        let rows = tokens::rows(&cloud).map_err(refusal)?;
        let columns = tokens::columns(&cloud).map_err(refusal)?;
        self.rows.extend(rows.into_iter().flatten());
        self.columns.extend(columns.into_iter().flatten().flatten());
        self.left_out += (points - cloud.points()) as u64;
        self.cloud.width = (self.cloud.points() + cloud.points()) as u32;
        self.cloud.data.extend_from_slice(&cloud.data);
        Ok(())
    }

    /// The stream.
    #[must_use]
    pub fn into_stream(self, name: String) -> Stream {
        let facts = CaptureFacts {
            name,
            sensor: self.facts.sensor,
            scene: self.facts.scene,
            order: self.facts.order,
            fields: self.facts.fields,
            source: self.facts.source,
            licence: self.facts.licence,
            ..CaptureFacts::of_tokens(&self.rows)
        };
        Stream::recorded(facts, self.rows, self.columns, self.cloud)
    }
}

/// The cloud itself if it has no more points than these, else its first whole chunks.
fn front(cloud: Cloud, most: usize) -> Cloud {
    if cloud.points() <= most {
        return cloud;
    }
    let points = most / CHUNK_POINTS * CHUNK_POINTS;
    let Cloud { fields, point_step, mut data, .. } = cloud;
    data.truncate(points * point_step);
    Cloud { fields, point_step, data, width: points as u32, height: 1 }
}
