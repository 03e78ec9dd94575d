//! What is in a recording, as far as decoders care: lengths, how predictable they are, and sizes by layout.

use std::collections::HashSet;

use serde::Serialize;
use variants::{Word, layout::leb128};

use super::{
    contestants::{self, LabWord},
    points::{self, CloudMode},
    predictability::{Predictability, bits, predictability},
    recordings::{Go, Notes, Topic, each_message},
    stream::{Arrangement, LONG_ENOUGH, Stream},
    tokens::words,
};
use crate::{
    capture::{Capture, Message, Options, Provenance, Recording},
    cloud::{Cloud, Field, FieldType, Mode, Plan, Resolutions, tokens},
    error::Result,
};

/// One field of a topic, over all its sampled messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldSurvey {
    /// Its name.
    pub name: String,
    /// Its type, such as `FLOAT32`.
    pub kind: &'static str,
    /// Its grid, in its own unit; `None` if it is kept exactly.
    pub resolution: Option<f32>,
    /// Tokens; 0 for a field that has none, such as 8-bit integers and exact floats.
    pub tokens: u64,
    /// Share of values that are NaN, 0 to 1; of integers always 0.
    pub nan_share: f64,
    /// Tokens of 1, 2 ... 10 LEB128 bytes.
    pub lengths: [u64; leb128::MAX_BYTES],
}

/// Bytes of the tokens in one layout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayoutSize {
    /// The layout's name.
    pub layout: &'static str,
    /// Bytes a point in rows.
    pub rows: f64,
    /// Bytes a point in columns.
    pub columns: f64,
}

/// What a topic holds.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    /// The capture's name: the recording's with the topic behind it.
    pub name: String,
    /// The sensor, as far as it is known.
    pub sensor: String,
    /// The files.
    pub source: String,
    /// Messages that were taken.
    pub messages: u64,
    /// Their points.
    pub points: u64,
    /// Bytes of a point in memory.
    pub point_step: usize,
    /// Width and height of the first message.
    pub size: (u32, u32),
    /// Seconds from the first message to the last, by the recorder's clock, if it tells.
    pub seconds: Option<f64>,
    /// The fields, in their order.
    pub fields: Vec<FieldSurvey>,
    /// By known lengths before, rows.
    pub predictability: Vec<Predictability>,
    /// Entropy in bits of a token's length to who knows its field alone.
    pub bits_by_field: f64,
    /// `u32` or `u64`: the word that holds every token.
    pub word: &'static str,
    /// Every registered layout, tokens alone.
    pub layouts: Vec<LayoutSize>,
    /// Bytes a point of cloudini's versions 4 and 5 without stage 2, all fields.
    pub cloudini: [f64; 2],
    /// The tokens that sizes and predictability are of: those of the first messages, see
    /// [`super::recordings::MOST_TOKENS`].
    #[serde(skip)]
    pub stream: Stream,
}

/// Surveys a recording's topics, by name; `watch` is told the bytes read and the bytes that there are. The notes
/// say what was lost.
///
/// # Errors
/// If there is no whole message, or a stream's cloud cannot be encoded.
pub fn survey(
    recording: &Recording,
    options: &Options,
    resolutions: &Resolutions,
    watch: impl FnMut(u64, u64),
) -> Result<(Vec<Survey>, Notes)> {
    let mut drafts: Vec<(String, Draft)> = Vec::new();
    let use_message = |name: &str, message: Message, facts: Provenance| {
        match drafts.iter_mut().find(|(known, _)| known == name) {
            Some((_, draft)) => draft.add(message)?,
            None => drafts.push((name.to_owned(), Draft::new(message, facts)?)),
        }
        Ok(Go::On)
    };
    let mut notes = each_message(recording, options, resolutions, use_message, watch)?;
    drafts.sort_by(|one, other| one.0.cmp(&other.0));
    for (name, draft) in &drafts {
        notes.left_out(name, &draft.topic);
    }
    let surveys = drafts.into_iter().map(|(name, draft)| draft.finish(name)).collect::<Result<_>>()?;
    Ok((surveys, notes))
}

/// The survey of a capture that is a cloud already.
///
/// # Errors
/// If a value cannot be stored on the grid.
pub fn survey_capture(capture: Capture, resolutions: &Resolutions) -> Result<Survey> {
    let Capture { name, facts, cloud } = capture;
    let cloud = resolutions.apply(cloud);
    let message = Message { topic: String::new(), index: 0, log_time: None, cloud, remark: None };
    Draft::new(message, facts)
        .and_then(|draft| draft.finish(name.clone()))
        .map_err(|error| error.within(name))
}

/// A topic as far as it was read.
struct Draft {
    topic: Topic,
    fields: Vec<FieldSurvey>,
    messages: u64,
    points: u64,
    point_step: usize,
    size: (u32, u32),
    first: Option<u64>,
    last: Option<u64>,
}

impl Draft {
    fn new(message: Message, facts: Provenance) -> Result<Self> {
        let Message { cloud, log_time, .. } = message;
        let fields = count_fields(&cloud)?;
        let (point_step, size, points) =
            (cloud.point_step, (cloud.width, cloud.height), cloud.points() as u64);
        let topic = Topic::new(cloud, facts)?;
        Ok(Self { topic, fields, messages: 1, points, point_step, size, first: log_time, last: log_time })
    }

    fn add(&mut self, message: Message) -> Result<()> {
        let Message { cloud, log_time, .. } = message;
        let fields = count_fields(&cloud)?;
        let points = cloud.points() as u64;
        self.topic.add(cloud)?;
        for (all, own) in self.fields.iter_mut().zip(fields) {
            // NaN shares are of all values: weighed by points.
            let (before, now) = (self.points as f64, points as f64);
            all.nan_share = (all.nan_share * before + own.nan_share * now) / (before + now).max(1.0);
            all.tokens += own.tokens;
            for (sum, count) in all.lengths.iter_mut().zip(own.lengths) {
                *sum += count;
            }
        }
        self.messages += 1;
        self.points += points;
        self.last = log_time.or(self.last);
        Ok(())
    }

    fn finish(self, name: String) -> Result<Survey> {
        let stream = self.topic.into_stream(name.clone());
        let rows = stream.tokens(Arrangement::Rows).unwrap_or_default();
        let token_fields = self.fields.iter().filter(|field| field.tokens > 0).count();
        let fits = rows.iter().all(|&token| u32::try_from(token).is_ok());
        let (word, layouts) = if fits {
            (<u32 as Word>::NAME, layouts::<u32>(&stream)?)
        } else {
            (<u64 as Word>::NAME, layouts::<u64>(&stream)?)
        };
        let mut cloudini = [0.0; 2];
        for (bytes, mode) in cloudini.iter_mut().zip(CloudMode::ALL) {
            if let Some(cloud) = points::prepare(&stream, mode)? {
                let chunks: usize = cloud.chunks().map(|(_, bytes)| bytes.len()).sum();
                *bytes = chunks as f64 / cloud.points().max(1) as f64;
            }
        }
        Ok(Survey {
            name,
            sensor: stream.facts.sensor.clone(),
            source: stream.facts.source.clone(),
            messages: self.messages,
            points: self.points,
            point_step: self.point_step,
            size: self.size,
            seconds: self.first.zip(self.last).map(|(first, last)| last.saturating_sub(first) as f64 / 1e9),
            predictability: predictability(rows, token_fields),
            bits_by_field: bits_by_field(&self.fields),
            fields: self.fields,
            word,
            layouts,
            cloudini,
            stream,
        })
    }
}

/// Lengths and NaN of one cloud's fields, whose resolutions are set.
fn count_fields(cloud: &Cloud) -> Result<Vec<FieldSurvey>> {
    let plan = Plan::of_cloud(cloud, 4, Mode::Lossy)?;
    let columns = tokens::columns(cloud)?;
    let mut token_field = 0;
    // Version 4 codes the fields in their order.
    let counted = cloud.fields.iter().zip(&plan.rows).map(|(field, step)| {
        let mut lengths = [0; leb128::MAX_BYTES];
        if step.codec.is_token() {
            for token in columns.iter().filter_map(|chunk| chunk.get(token_field)).flatten() {
                lengths[leb128::token_bytes(*token) - 1] += 1;
            }
            token_field += 1;
        }
        let nan = cloud.data.chunks_exact(cloud.point_step).filter(|point| is_nan(field, point)).count();
        FieldSurvey {
            name: field.name.clone(),
            kind: field.kind.name(),
            resolution: field.resolution,
            tokens: lengths.iter().sum(),
            nan_share: nan as f64 / cloud.points().max(1) as f64,
            lengths,
        }
    });
    Ok(counted.collect())
}

fn is_nan(field: &Field, point: &[u8]) -> bool {
    let bytes = &point[field.offset..field.offset + field.kind.size()];
    match (field.kind, bytes.first_chunk(), bytes.first_chunk()) {
        (FieldType::Float32, Some(bytes), _) => {
            f32::from_le_bytes(*bytes).is_nan() && !field.is_packed_colour()
        }
        (FieldType::Float64, _, Some(bytes)) => f64::from_le_bytes(*bytes).is_nan(),
        _ => false,
    }
}

/// The tokens' bytes a point in each registered layout, in the registry's order.
fn layouts<W: LabWord>(stream: &Stream) -> Result<Vec<LayoutSize>> {
    let arranged = |arrangement| words::<W>(stream.tokens(arrangement).unwrap_or_default());
    let (rows, columns) = (arranged(Arrangement::Rows)?, arranged(Arrangement::Columns)?);
    let points = stream.facts.points.max(1) as f64;
    let mut seen = HashSet::new();
    let first_of_layout =
        |contestant: &contestants::Contestant| contestant.takes::<W>() && seen.insert(contestant.layout);
    let sizes = contestants::all().into_iter().filter(first_of_layout).map(|contestant| {
        let bytes =
            |words: &[W]| (W::calls(&contestant).encode)(words, LONG_ENOUGH).bytes.len() as f64 / points;
        LayoutSize { layout: contestant.layout, rows: bytes(&rows), columns: bytes(&columns) }
    });
    Ok(sizes.collect())
}

/// Bits of a token's length to who knows its field.
fn bits_by_field(fields: &[FieldSurvey]) -> f64 {
    let tokens: u64 = fields.iter().map(|field| field.tokens).sum();
    fields.iter().map(|field| bits(&field.lengths)).sum::<f64>() / tokens.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_cloud_by_hand() {
        let fields = vec![
            Field::new("x", 0, FieldType::Float32),
            Field::new("flag", 4, FieldType::Uint8),
            Field::new("t", 5, FieldType::Float64),
            Field::new("n", 13, FieldType::Uint16),
        ];
        let mut data = Vec::new();
        for (x, t, n) in
            [(0.0_f32, 1.0_f64, 0_u16), (f32::NAN, f64::NAN, 100), (1.0, 2.0, 100), (1.0, 3.0, 0)]
        {
            data.extend(x.to_le_bytes());
            data.push(7);
            data.extend(t.to_le_bytes());
            data.extend(n.to_le_bytes());
        }
        let cloud = Cloud::new(fields, 4, 1, 15, data).unwrap();
        let capture = Capture {
            name: "hand".into(),
            facts: Provenance::given(None, &cloud, None, String::new()),
            cloud,
        };
        let found = survey_capture(capture, &Resolutions::all(0.01)).unwrap();
        // x: 0, NaN, 100, 0 steps make tokens 1, 0, 201, 1; n: 0, 100, 0, -100 make 1, 201, 1, 200.
        let lengths: Vec<_> =
            found.fields.iter().map(|field| (field.tokens, field.lengths[0], field.lengths[1])).collect();
        assert_eq!(lengths, [(4, 3, 1), (0, 0, 0), (0, 0, 0), (4, 2, 2)]);
        let nan: Vec<f64> = found.fields.iter().map(|field| field.nan_share).collect();
        assert_eq!(nan, [0.25, 0.0, 0.25, 0.0]);
        let leb128 = found.layouts.iter().find(|size| size.layout == "leb128").unwrap();
        assert_eq!((leb128.rows, leb128.columns), (11.0 / 4.0, 11.0 / 4.0));
        assert_eq!((found.points, found.messages, found.word), (4, 1, "u32"));
        // A quarter of x is not of one byte, half of n.
        let x = 0.25 * 4.0_f64.log2() + 0.75 * (4.0_f64 / 3.0).log2();
        assert!((found.bits_by_field - f64::midpoint(x, 1.0)).abs() < 1e-12);
    }
}
