//! cloudini's format: golden figures, field reports by their numbers, damaged files.

mod chunks;
mod columns;
mod container;
mod damage;
mod golden;
mod headers;
mod mixed;
mod sections;
mod tokens;
mod values;

use variants::{Decoder, leb128_loop::Leb128Loop};
use varint_lab::cloud::{
    Cloud, CloudError, CloudErrorKind, Compression, EncodeOptions, Field, FieldType, Header, Mode, Path,
    decode, encode, read_header, write_header,
};

/// The cloud, or the error, on which all paths agree.
fn all_paths(bytes: &[u8]) -> Result<Cloud, CloudError> {
    let decoder = Leb128Loop::detect().unwrap();
    let [first, others @ ..] = Path::ALL;
    let expected = decode(bytes, first, decoder);
    for path in others {
        assert!(decode(bytes, path, decoder) == expected, "{} differs", path.name());
    }
    expected
}

/// Tight fields of these types, named f0, f1, ..., with a resolution for floats.
fn fields(kinds: &[FieldType], resolution: Option<f32>) -> Vec<Field> {
    let mut offset = 0;
    let mut fields = Vec::new();
    for (index, &kind) in kinds.iter().enumerate() {
        let mut field = Field::new(format!("f{index}"), offset, kind);
        field.resolution = resolution.filter(|_| matches!(kind, FieldType::Float32 | FieldType::Float64));
        offset += kind.size();
        fields.push(field);
    }
    fields
}

/// A cloud of these fields whose points are these bytes.
fn cloud(fields: Vec<Field>, data: Vec<u8>) -> Cloud {
    let step = fields.iter().map(|field| field.offset + field.kind.size()).max().unwrap_or(0);
    let width = u32::try_from(data.len() / step.max(1)).unwrap();
    Cloud::new(fields, width, 1, step, data).unwrap()
}

/// The bytes of these FLOAT32 values.
fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Bytes of hex digits; spaces and bars do not count.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// A file of this version and mode, without stage 2, whose body is this hex.
fn file(version: u8, mode: Mode, fields: &[Field], width: u32, body: &str) -> Vec<u8> {
    let point_step = fields.iter().map(|field| field.offset + field.kind.size()).max().unwrap_or(0);
    let header = Header {
        version,
        width,
        height: 1,
        point_step: point_step as u32,
        mode,
        compression: Compression::None,
        fields: fields.to_vec(),
    };
    let mut bytes = write_header(&header).unwrap();
    bytes.extend(hex(body));
    bytes
}

/// Stage 1 of a LOSSY file of this version: what the encoder writes behind the header.
fn body(cloud: &Cloud, version: u8) -> Vec<u8> {
    let bytes = encode(cloud, &EncodeOptions::lossy(version)).unwrap();
    read_header(&bytes).unwrap().1.to_vec()
}

/// The kind of error on which all paths agree.
fn refusal(bytes: &[u8]) -> CloudErrorKind {
    all_paths(bytes).unwrap_err().kind
}
