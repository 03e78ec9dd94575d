//! cloudini's format: golden figures, field reports by their numbers, damaged files.

mod golden;
mod tokens;

use variants::{Decoder, leb128_loop::Leb128Loop};
use varint_lab::cloud::{Cloud, CloudError, Field, FieldType, Path, decode};

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
