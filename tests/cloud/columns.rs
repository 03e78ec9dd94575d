//! Version 5's sections and rows, which the block path stores together where it can: all decoders agree, on values,
//! on errors and on the bytes that no field covers.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::SliceRandom};
use variants::{Decoder, Leb128Visitor, layout::Leb128, leb128_loop::Leb128Loop, visit_leb128};
use varint_lab::cloud::{
    CHUNK_POINTS, Cloud, EncodeOptions, Field, FieldType, Path, Prepared, encode, read_header, write_header,
};

use crate::{fields, mixed::agreed};

/// Up to five floats in front, then integers, at tight or loose offsets in any order; and the point's step.
fn random_fields(rng: &mut impl Rng) -> (Vec<Field>, usize) {
    use FieldType::{Float32, Int16, Int64, Uint8, Uint16, Uint32};
    let leading = rng.random_range(0..6);
    let mut kinds = vec![Float32; leading];
    let behind = [Uint16, Uint16, Uint32, Int16, Uint32, Uint16, Int64, Uint8];
    let most = if rng.random() { 6 } else { behind.len() };
    kinds.extend((0..rng.random_range(1..9)).map(|_| behind[rng.random_range(0..most)]));
    let mut fields = fields(&kinds, Some(0.01));
    let mut places: Vec<_> = (0..fields.len()).collect();
    if rng.random() {
        places.shuffle(rng);
    }
    let (mut end, widest) = (0, [0, 2, 2, 40][rng.random_range(0..4)]);
    for place in places {
        end += rng.random_range(0..=widest) * rng.random_range(0..=1);
        fields[place].offset = end;
        end += fields[place].kind.size();
    }
    (fields, end + [0, 0, 3, 12][rng.random_range(0..4)])
}

/// Each integer in one of the ways that the modes are for, NaN alone and in rows.
fn random_cloud(rng: &mut impl Rng, points: usize) -> Cloud {
    let (fields, step) = random_fields(rng);
    let mut data = vec![0; points * step];
    let nan = [0.0, 0.1, 0.9][rng.random_range(0..3)];
    for field in &fields {
        let way = rng.random_range(0..4);
        let (mut value, jump) = (rng.random_range(0..1 << 20), 1 << rng.random_range(1..22));
        for (index, point) in data.chunks_exact_mut(step).enumerate() {
            value = match way {
                0 => value + 7,
                1 if index % 700 != 0 => value,
                2 => rng.random_range(0..900) * 3,
                _ => value + rng.random_range(0..2 * jump) - jump,
            };
            let is_nan = rng.random_bool(nan);
            let float = if is_nan { f32::NAN } else { value as f32 * 0.01 };
            let is_float = field.kind == FieldType::Float32;
            let bytes = if is_float { float.to_bits().into() } else { value as u64 };
            let size = field.kind.size();
            point[field.offset..][..size].copy_from_slice(&bytes.to_le_bytes()[..size]);
        }
    }
    Cloud::new(fields, points as u32, 1, step, data).unwrap()
}

/// Compares what every decoder's block path makes of points that are not 0 with what the plain decoder does.
struct Over<'a> {
    file: &'a Prepared<'a>,
    points: &'a [u8],
}

impl Leb128Visitor for Over<'_> {
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str) {
        if let Some(decoder) = D::detect() {
            let mut points = vec![0xa5; self.points.len()];
            self.file.decode_into(decoder, Path::Block, &mut points).unwrap();
            assert!(points == self.points, "{name}");
        }
    }
}

#[test]
fn fields_that_are_stored_together_come_back() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..60 {
        let points = match round {
            0..2 => CHUNK_POINTS + rng.random_range(1..5000),
            _ => [rng.random_range(1..40), rng.random_range(1..500), 5000][round % 3],
        };
        let cloud = random_cloud(&mut rng, points);
        let mut bytes = encode(&cloud, &EncodeOptions::lossy(5)).unwrap();
        assert!(agreed(&bytes).is_ok());
        let file = Prepared::open(&bytes).unwrap();
        let mut points = vec![0xa5; file.point_bytes()];
        file.decode_into(Leb128Loop::detect().unwrap(), Path::PerField, &mut points).unwrap();
        visit_leb128(&mut Over { file: &file, points: &points });
        // Damaged, it may still be a file.
        for _ in 0..if points.len() < 20_000 { 4 } else { 0 } {
            let at = rng.random_range(bytes.len() / 4..bytes.len());
            bytes[at] = rng.random();
            let _ = agreed(&bytes);
        }
    }
}

#[test]
fn of_sections_that_share_bytes_the_later_one_stays() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut apart = fields(&[FieldType::Uint32, FieldType::Uint32, FieldType::Uint16], None);
    apart[2].offset = 12;
    let mut data = vec![0; 16 * 4000];
    rng.fill(&mut data[..]);
    let cloud = Cloud::new(apart, 4000, 1, 16, data).unwrap();
    let bytes = encode(&cloud, &EncodeOptions::lossy(5)).unwrap();
    let (header, body) = read_header(&bytes).unwrap();
    for (first, second) in [(0, 2), (2, 0), (1, 2), (3, 3)] {
        let mut header = header.clone();
        (header.fields[0].offset, header.fields[1].offset) = (first, second);
        let decoded = agreed(&[&write_header(&header).unwrap(), body].concat()).unwrap();
        for (decoded, point) in decoded.data.chunks(16).zip(cloud.data.chunks(16)) {
            assert_eq!(decoded[second..second + 4], point[4..8]);
        }
    }
}
