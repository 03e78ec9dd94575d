//! From values to tokens: quantise, take the delta, zigzag, add one.

use variants::layout::leb128::token_of_delta;

use super::{CloudError, CloudErrorKind, Codec, FieldType, Step};

/// Makes one field's tokens, one point after the other; a new chunk takes a new one.
#[derive(Clone, Debug)]
pub(super) struct TokenWriter<'a> {
    step: &'a Step,
    previous: i64,
}

impl<'a> TokenWriter<'a> {
    /// The writer of a step that has tokens.
    pub(super) fn new(step: &'a Step) -> Self {
        Self { step, previous: 0 }
    }

    /// The token of this point's value.
    ///
    /// # Errors
    /// `Unrepresentable`, with the field's name but without the point.
    pub(super) fn next(&mut self, point: &[u8]) -> Result<u64, CloudError> {
        let bytes = &point[self.step.offset..];
        let value = match self.step.codec {
            Codec::Group { resolution } => {
                let value = f32::from_le_bytes(head(bytes));
                // The group's grid is 32 bits wide and rounds ties to even, as upstream's SSE4.1 code does.
                let on_grid = (value * (1.0 / resolution)).round_ties_even();
                self.grid(value.into(), on_grid.into(), 32)?
            }
            Codec::Lossy32 { resolution } => {
                let value = f32::from_le_bytes(head(bytes));
                let scale = (1.0 / f64::from(resolution)) as f32;
                self.grid(value.into(), (value * scale).round().into(), 64)?
            }
            Codec::Lossy64 { resolution } => {
                let value = f64::from_le_bytes(head(bytes));
                self.grid(value, (value * (1.0 / f64::from(resolution))).round(), 64)?
            }
            Codec::Integer(kind) => Some(integer(kind, bytes)),
            Codec::Copy(_) | Codec::Xor32 | Codec::Xor64 | Codec::Gorilla => {
                unreachable!("token writers are made of token steps alone")
            }
        };
        let Some(value) = value else {
            // NaN: the marker, and the next delta is against 0.
            self.previous = 0;
            return Ok(0);
        };
        let mut delta = value.wrapping_sub(self.previous);
        if matches!(self.step.codec, Codec::Group { .. }) {
            delta = i64::from(delta as i32);
        }
        let token = token_of_delta(delta).ok_or_else(|| {
            let what = format!(
                "the delta from {} to {value} is -2^63, which has no token: it would be the NaN marker",
                self.previous
            );
            self.refusal(what)
        })?;
        self.previous = value;
        Ok(token)
    }

    /// The integer on the grid, `None` for NaN. `on_grid` is an integer already, or not finite.
    fn grid(&self, value: f64, on_grid: f64, bits: u32) -> Result<Option<i64>, CloudError> {
        let limit = 2_f64.powi(bits as i32 - 1);
        if value.is_nan() {
            Ok(None)
        } else if value.is_infinite() {
            Err(self.refusal(format!("{value} cannot be quantised")))
        } else if on_grid >= -limit && on_grid < limit {
            Ok(Some(on_grid as i64))
        } else {
            Err(self.refusal(format!(
                "{value} does not fit a grid of {bits} bits: choose a coarser resolution or a nearer origin"
            )))
        }
    }

    fn refusal(&self, what: String) -> CloudError {
        CloudError::new(CloudErrorKind::Unrepresentable, what).in_field(&self.step.name)
    }
}

/// The first `N` bytes.
pub(super) fn head<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("the plan checked that the field lies inside the point")
}

/// An integer of 16 bits or more as cloudini deltas it: unsigned 64-bit ones keep their bits.
pub(super) fn integer(kind: FieldType, bytes: &[u8]) -> i64 {
    match kind {
        FieldType::Int16 => i16::from_le_bytes(head(bytes)).into(),
        FieldType::Uint16 => u16::from_le_bytes(head(bytes)).into(),
        FieldType::Int32 => i32::from_le_bytes(head(bytes)).into(),
        FieldType::Uint32 => u32::from_le_bytes(head(bytes)).into(),
        FieldType::Int64 | FieldType::Uint64 => i64::from_le_bytes(head(bytes)),
        FieldType::Int8 | FieldType::Uint8 | FieldType::Float32 | FieldType::Float64 => {
            unreachable!("the plan makes integers of wide integers alone")
        }
    }
}
