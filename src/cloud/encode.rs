//! From points to a file.

use super::{
    CHUNK_POINTS, Cloud, CloudError, CloudErrorKind, Codec, Compression, Header, Mode, Plan, Step,
    chunk::pack,
    gorilla::GorillaWriter,
    quantise::{TokenWriter, head},
    sections::{PROBE_POINTS, choose_mode, write_section},
    write_header,
};
use variants::layout::leb128::encode_token;

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    /// The format's version, 2 to 5.
    pub version: u8,
    /// Stage 1.
    pub mode: Mode,
    /// Stage 2.
    pub compression: Compression,
}

impl EncodeOptions {
    /// This version in mode LOSSY without stage 2: what decoders are compared on.
    #[must_use]
    pub fn lossy(version: u8) -> Self {
        Self { version, mode: Mode::Lossy, compression: Compression::None }
    }
}

/// A cloud as a cloudini file: header and chunks, the same bytes as upstream's for stage 2 NONE.
///
/// # Errors
/// `Header` if the cloud contradicts itself, cannot be described by a header, quantises a packed colour or has
/// points without fields; `Version` if it is none of 2 to 5; `Unrepresentable`, with chunk, point and field,
/// if a value has no place in the format (see [`super::tokens::rows`]).
pub fn encode(cloud: &Cloud, options: &EncodeOptions) -> Result<Vec<u8>, CloudError> {
    let refusal = |what: &str| CloudError::new(CloudErrorKind::Header, what);
    let header = Header {
        version: options.version,
        width: cloud.width,
        height: cloud.height,
        point_step: u32::try_from(cloud.point_step)
            .map_err(|_| refusal("the point step has more than 32 bits"))?,
        mode: options.mode,
        compression: options.compression,
        fields: cloud.fields.clone(),
    };
    let mut file = write_header(&header)?;
    let plan = Plan::of_cloud(cloud, options.version, options.mode)?;
    if cloud.data.is_empty() {
        return Ok(file);
    }
    if cloud.fields.is_empty() {
        return Err(refusal("points without a field cannot be written"));
    }
    let probe = &cloud.data[..cloud.data.len().min(PROBE_POINTS * plan.point_step)];
    let modes = plan.sections.iter().map(|step| choose_mode(step, probe, plan.point_step));
    let modes = modes.collect::<Result<Vec<_>, _>>().map_err(|error| error.in_chunk(0, 0))?;
    let framed = options.version > 2;
    let chunk_bytes = if framed { CHUNK_POINTS * plan.point_step } else { cloud.data.len() };
    for (index, points) in cloud.data.chunks(chunk_bytes).enumerate() {
        let mut bytes = Vec::new();
        let done = write_rows(&plan, points, &mut bytes).and_then(|()| {
            plan.sections
                .iter()
                .zip(&modes)
                .try_for_each(|(step, &mode)| write_section(step, mode, points, plan.point_step, &mut bytes))
        });
        done.map_err(|error| error.in_chunk(index, index * CHUNK_POINTS))?;
        let bytes = pack(bytes, options.compression)?;
        if framed {
            let length = u32::try_from(bytes.len())
                .map_err(|_| CloudError::new(CloudErrorKind::Chunks, "a chunk has more than 4 GiB"))?;
            file.extend(length.to_le_bytes());
        }
        file.extend(bytes);
    }
    Ok(file)
}

/// Writes one field of every point, in turn.
enum Writer<'a> {
    Token(TokenWriter<'a>),
    Copy { offset: usize, bytes: usize },
    Xor32 { offset: usize, previous: u32 },
    Xor64 { offset: usize, previous: u64 },
    Gorilla { offset: usize, writer: GorillaWriter },
}

impl<'a> Writer<'a> {
    fn new(step: &'a Step) -> Self {
        let offset = step.offset;
        match step.codec {
            Codec::Copy(kind) => Self::Copy { offset, bytes: kind.size() },
            Codec::Xor32 => Self::Xor32 { offset, previous: 0 },
            Codec::Xor64 => Self::Xor64 { offset, previous: 0 },
            Codec::Gorilla => Self::Gorilla { offset, writer: GorillaWriter::default() },
            Codec::Group { .. } | Codec::Lossy32 { .. } | Codec::Lossy64 { .. } | Codec::Integer(_) => {
                Self::Token(TokenWriter::new(step))
            }
        }
    }

    fn write(&mut self, point: &[u8], bytes: &mut Vec<u8>) -> Result<(), CloudError> {
        match self {
            Self::Token(writer) => encode_token(writer.next(point)?, bytes),
            Self::Copy { offset, bytes: count } => bytes.extend(&point[*offset..*offset + *count]),
            Self::Xor32 { offset, previous } => {
                let bits = u32::from_le_bytes(head(&point[*offset..]));
                bytes.extend((bits ^ std::mem::replace(previous, bits)).to_le_bytes());
            }
            Self::Xor64 { offset, previous } => {
                let bits = u64::from_le_bytes(head(&point[*offset..]));
                bytes.extend((bits ^ std::mem::replace(previous, bits)).to_le_bytes());
            }
            Self::Gorilla { offset, writer } => {
                writer.write(u64::from_le_bytes(head(&point[*offset..])), bytes);
            }
        }
        Ok(())
    }
}

/// Appends a chunk's rows.
fn write_rows(plan: &Plan, points: &[u8], bytes: &mut Vec<u8>) -> Result<(), CloudError> {
    let mut writers: Vec<_> = plan.rows.iter().map(Writer::new).collect();
    for (index, point) in points.chunks_exact(plan.point_step).enumerate() {
        for writer in &mut writers {
            writer.write(point, bytes).map_err(|error| error.at_point(index))?;
        }
    }
    Ok(())
}
