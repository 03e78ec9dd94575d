//! MCAP: the clouds of all its topics, record after record, in one pass and without its index.
//!
//! Source: the MCAP specification (mcap.dev/spec), read with the `mcap` crate. The data section alone is read:
//! the summary only repeats it, and is missing where a recording was cut off. Topics are known by their schema's
//! name, whatever text comes with it.

mod chunk;

use std::{
    collections::{BTreeMap, HashMap},
    io::Read,
};

use ::mcap::{
    McapError, parse_record,
    records::{MessageHeader, Record, op},
};

use super::{
    pointcloud2,
    recording::{Message, Sampler},
};
use crate::error::{Error, Result};

use chunk::{Inside, Records};

/// What a channel carries.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    /// `sensor_msgs/msg/PointCloud2` in CDR.
    Cloud,
    /// `point_cloud_interfaces/msg/CompressedPointCloud2` in CDR.
    CompressedCloud,
    /// Something else, or a cloud in another encoding.
    Other(String),
}

#[derive(Clone, Debug)]
struct Channel {
    topic: String,
    content: Content,
}

/// The clouds of one file, as its bytes come.
pub(super) struct Clouds<R> {
    records: Records<R>,
    /// The chunk that is being read, with its number.
    chunk: Option<(u64, Inside)>,
    chunks: u64,
    schemas: HashMap<u16, String>,
    channels: HashMap<u16, Channel>,
    /// Messages of clouds so far, sampled or not.
    messages: u64,
    /// Whether a file without a topic of clouds is an error: other parts of its recording may have some.
    alone: bool,
    ended: bool,
    body: Vec<u8>,
}

impl<R: Read> Clouds<R> {
    pub(super) fn new(source: R, alone: bool) -> Self {
        Self {
            records: Records::of_file(source),
            chunk: None,
            chunks: 0,
            schemas: HashMap::new(),
            channels: HashMap::new(),
            messages: 0,
            alone,
            ended: false,
            body: Vec::new(),
        }
    }

    /// The next cloud, or what was lost instead of one: a chunk or a message. Nothing follows what cannot be
    /// told apart from the end.
    pub(super) fn next(&mut self, sampler: &mut Sampler) -> Option<Result<Message>> {
        let mut body = std::mem::take(&mut self.body);
        let found = loop {
            if self.ended {
                break None;
            }
            match self.step(&mut body, sampler) {
                Ok(None) => {}
                Ok(Some(message)) => break Some(Ok(message)),
                Err(error) => break Some(Err(error)),
            }
        };
        self.body = body;
        found
    }

    /// Reads one record.
    fn step(&mut self, body: &mut Vec<u8>, sampler: &mut Sampler) -> Result<Option<Message>> {
        if let Some((number, inside)) = &mut self.chunk {
            let number = *number;
            match inside.next(body) {
                None => self.chunk = None,
                Some(Ok(opcode)) => {
                    return self.record(opcode, body, sampler).map_err(|error| in_chunk(error, number));
                }
                Some(Err(error)) => {
                    self.chunk = None;
                    return Err(in_chunk(
                        Error::input(format!("the rest of it is lost: {}", words(&error))),
                        number,
                    ));
                }
            }
            return Ok(None);
        }
        match self.records.next(body) {
            Some(Ok(op::DATA_END)) | None => self.end(),
            Some(Ok(op::CHUNK)) => {
                let number = self.chunks;
                self.chunks += 1;
                let lost = |error: Error| in_chunk(error, number);
                let record =
                    parse_record(op::CHUNK, body).map_err(|error| lost(Error::input(words(&error))))?;
                if let Record::Chunk { header, data } = record {
                    self.chunk = Some((number, chunk::open(&header, data.into_owned()).map_err(lost)?));
                }
                Ok(None)
            }
            Some(Ok(opcode)) => self.record(opcode, body, sampler),
            Some(Err(error)) => {
                self.ended = true;
                let whole = format!("{} whole chunks and {} clouds", self.chunks, self.messages);
                Err(Error::input(match error {
                    McapError::UnexpectedEof => {
                        format!("was cut off: it ends without an end of data; before that are {whole}")
                    }
                    McapError::RecordTooLarge { len, .. } => format!(
                        "was cut off or is damaged: a record says that it has {len} bytes; before it are {whole}"
                    ),
                    other => format!("{}; before that are {whole}", words(&other)),
                }))
            }
        }
    }

    /// Everything was read.
    fn end(&mut self) -> Result<Option<Message>> {
        self.ended = true;
        let is_cloud = |channel: &Channel| !matches!(channel.content, Content::Other(_));
        if !self.alone || self.channels.values().any(is_cloud) {
            return Ok(None);
        }
        let others: BTreeMap<&str, &str> = self
            .channels
            .values()
            .filter_map(|channel| match &channel.content {
                Content::Other(name) => Some((channel.topic.as_str(), name.as_str())),
                Content::Cloud | Content::CompressedCloud => None,
            })
            .collect();
        let others: Vec<String> = others.iter().map(|(topic, name)| format!("{topic} ({name})")).collect();
        let has = if others.is_empty() { "no topic at all".to_owned() } else { others.join(", ") };
        Err(Error::input(format!(
            "has no topic of PointCloud2 or CompressedPointCloud2 messages in CDR: {has}"
        )))
    }

    fn record(&mut self, opcode: u8, body: &[u8], sampler: &mut Sampler) -> Result<Option<Message>> {
        if !matches!(opcode, op::SCHEMA | op::CHANNEL | op::MESSAGE) {
            return Ok(None);
        }
        match parse_record(opcode, body).map_err(|error| Error::input(words(&error)))? {
            Record::Schema { header, .. } => {
                self.schemas.insert(header.id, header.name);
            }
            Record::Channel(channel) => {
                let schema = self.schemas.get(&channel.schema_id).map_or("no schema", String::as_str);
                let content = content(schema, &channel.message_encoding);
                self.channels.insert(channel.id, Channel { topic: channel.topic, content });
            }
            Record::Message { header, data } => return self.message(&header, &data, sampler),
            _ => {}
        }
        Ok(None)
    }

    fn message(
        &mut self,
        header: &MessageHeader,
        data: &[u8],
        sampler: &mut Sampler,
    ) -> Result<Option<Message>> {
        let Some(channel) = self.channels.get(&header.channel_id) else {
            return Err(Error::input(format!(
                "a message is of channel {}, which is not there",
                header.channel_id
            )));
        };
        let parse = match channel.content {
            Content::Cloud => pointcloud2::parse,
            Content::CompressedCloud => pointcloud2::parse_compressed,
            Content::Other(_) => return Ok(None),
        };
        self.messages += 1;
        let Some(index) = sampler.take(&channel.topic) else { return Ok(None) };
        let place = |error: Error| error.within(format!("topic {}, message {index}", channel.topic));
        Ok(Some(Message {
            topic: channel.topic.clone(),
            index,
            log_time: Some(header.log_time),
            cloud: parse(data).map_err(place)?,
            remark: None,
        }))
    }
}

fn content(schema: &str, encoding: &str) -> Content {
    // ROS 2's names have /msg/ in the middle, ROS 1's have not.
    let (package, name) =
        (schema.split('/').next().unwrap_or_default(), schema.rsplit('/').next().unwrap_or_default());
    match (package, name) {
        ("sensor_msgs", "PointCloud2") if encoding == "cdr" => Content::Cloud,
        ("point_cloud_interfaces", "CompressedPointCloud2") if encoding == "cdr" => Content::CompressedCloud,
        _ if schema.is_empty() || encoding == "cdr" => Content::Other(schema.to_owned()),
        _ => Content::Other(format!("{schema} in {encoding}")),
    }
}

fn in_chunk(error: Error, number: u64) -> Error {
    error.within(format!("chunk {number}"))
}

/// The crate's words, with what lies behind them.
fn words(error: &McapError) -> String {
    match error {
        McapError::Io(error) => error.to_string(),
        McapError::UnexpectedEof => "it ends inside a record".to_owned(),
        McapError::Parse(error) => format!("a record is not understood: {}", one_line(&error.to_string())),
        other => other.to_string(),
    }
}

/// The record parser draws its errors over several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect::<Vec<_>>()
        .join(" ")
}
