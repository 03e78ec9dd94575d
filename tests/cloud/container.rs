//! The lab's own container: the points of version 4 out of every layout, and errors out of damaged files.

use rand::{Rng, RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use variants::{
    Decoder, Layout, Visitor,
    layout::{
        Leb128, Packed32, PackedRows, Raw, StreamVbyte, StreamVbyte12, StreamVbyte0124, StreamVbyte1234,
    },
    leb128_fast2::Leb128Fast2,
    stream_vbyte_bytes::StreamVbyteBytes,
    visit_all,
};
use varint_lab::cloud::{
    Arrangement, CHUNK_POINTS, Cloud, CloudError, CloudErrorKind, Compression, EncodeOptions, Field,
    FieldType, Path, PreparedContainer, decode, decode_container, encode, encode_container, read_header,
};

use crate::{cloud, f32s, fields, mixed::random_cloud};

/// What cloudini's version 4 makes of a cloud.
fn by_version_4(cloud: &Cloud) -> Cloud {
    let bytes = encode(cloud, &EncodeOptions::lossy(4)).unwrap();
    decode(&bytes, Path::PerField, Leb128Fast2::detect().unwrap()).unwrap()
}

/// Sends a cloud through every layout and variant that runs here.
struct ThereAndBack<'a> {
    cloud: &'a Cloud,
    expected: &'a Cloud,
    variants: usize,
}

impl Visitor for ThereAndBack<'_> {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let Some(decoder) = D::detect().filter(|_| D::Layout::NAME != Raw::NAME) else { return };
        for arrangement in Arrangement::ALL {
            let bytes = encode_container::<D::Layout>(self.cloud, arrangement, Compression::None).unwrap();
            let back = decode_container(&bytes, decoder);
            assert!(back.as_ref() == Ok(self.expected), "{name} {}: {:?}", arrangement.name(), back.err());
        }
        self.variants += 1;
    }
}

pub(super) fn assert_comes_back(cloud: &Cloud) {
    let expected = by_version_4(cloud);
    let mut visitor = ThereAndBack { cloud, expected: &expected, variants: 0 };
    visit_all(&mut visitor);
    assert!(visitor.variants > 10);
}

#[test]
fn random_clouds_give_the_points_of_version_4() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x1a70_0001);
    for round in 0..24 {
        let points = [0, 1, 2, 31, 500, 1500][round % 6];
        assert_comes_back(&random_cloud(&mut rng, points));
    }
}

#[test]
fn chunks_begin_anew() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x1a70_0002);
    for points in [CHUNK_POINTS, 2 * CHUNK_POINTS + 77] {
        let list = fields(&[FieldType::Float32, FieldType::Float32, FieldType::Float32], Some(0.5));
        let mut value = 0.0_f32;
        let data = (0..3 * points).flat_map(|_| {
            value += f32::from(rng.random::<i8>()) * if rng.random_ratio(1, 50) { 40.0 } else { 0.5 };
            let value = if rng.random_ratio(1, 99) { f32::NAN } else { value };
            value.to_le_bytes()
        });
        assert_comes_back(&cloud(list, data.collect()));
    }
}

#[test]
fn tokens_of_more_than_32_bits_come_back() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x1a70_0003);
    // One at the front as of a timestamp, one now and then, and many in a row.
    for share in [0, 400, 2] {
        let list =
            fields(&[FieldType::Uint64, FieldType::Int16, FieldType::Float64, FieldType::Uint32], Some(0.25));
        let data = (0..6000_u64).flat_map(|index| {
            let jump = if share > 0 && rng.random_ratio(1, share) { rng.random::<u64>() >> 1 } else { 0 };
            [
                &(1_700_000_000_000_000_000 + index * 21_701).wrapping_add(jump).to_le_bytes()[..],
                &(index as u16 / 4).to_le_bytes(),
                &((index * 3) as f64 / 4.0 + (jump >> 20) as f64).to_le_bytes(),
                &rng.random::<u32>().to_le_bytes(),
            ]
            .concat()
        });
        assert_comes_back(&cloud(list, data.collect()));
    }
}

#[test]
fn a_cloud_without_token_fields_comes_back() {
    let list = fields(&[FieldType::Uint8, FieldType::Float64, FieldType::Float32], None);
    let data = (0..13 * 700_u32).map(|index| ((index * index) >> 7) as u8).collect();
    assert_comes_back(&cloud(list, data));
}

/// A small cloud with every kind of field, at odd places.
fn small_cloud() -> Cloud {
    use FieldType::{Float32, Float64, Int64, Uint8, Uint16};
    let kinds = [Float32, Float32, Float32, Uint8, Uint16, Float64, Int64];
    let mut list = fields(&kinds, None);
    list[..3].iter_mut().for_each(|field| field.resolution = Some(0.5));
    list.iter_mut().for_each(|field| field.offset += 1);
    let data = (0..9_u32).flat_map(|index| {
        let value = if index % 5 == 4 { f32::NAN } else { index as f32 * 40.5 };
        [
            vec![0],
            f32s(&[value, -value, 3.0]),
            vec![index as u8],
            (index as u16 * 900).to_le_bytes().to_vec(),
            (f64::from(index / 2) / 3.0).to_le_bytes().to_vec(),
            (i64::from(index) << 40).to_le_bytes().to_vec(),
        ]
        .concat()
    });
    cloud(list, data.collect())
}

/// Decodes by every variant of the layout that runs here, on whose answer all agree.
struct Agreed<'a> {
    layout: &'a str,
    bytes: &'a [u8],
    answer: Option<Result<Cloud, CloudError>>,
}

impl Visitor for Agreed<'_> {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let Some(decoder) = D::detect().filter(|_| D::Layout::NAME == self.layout) else { return };
        let own = decode_container(self.bytes, decoder);
        let first = self.answer.get_or_insert_with(|| own.clone());
        assert!(*first == own, "{name}: {own:?}, others {first:?}");
    }
}

pub(super) fn agreed<L: Layout>(bytes: &[u8]) -> Result<Cloud, CloudError> {
    let mut visitor = Agreed { layout: L::NAME, bytes, answer: None };
    visit_all(&mut visitor);
    visitor.answer.expect("every layout has a variant for any CPU")
}

fn survives_damage<L: Layout>() {
    let cloud = small_cloud();
    let expected = by_version_4(&cloud);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x1a70_0004);
    for arrangement in Arrangement::ALL {
        for compression in Compression::ALL {
            let file = encode_container::<L>(&cloud, arrangement, compression).unwrap();
            assert!(agreed::<L>(&file).as_ref() == Ok(&expected));
            for length in 0..file.len() {
                let error = agreed::<L>(&file[..length]).expect_err("a cut went unnoticed");
                assert!(!error.what.is_empty());
            }
            // Behind stage 2, damage is mostly the library's to find.
            let step = if compression == Compression::None { 1 } else { 7 };
            let mut damaged = file.clone();
            for place in (0..file.len()).step_by(step) {
                for flip in [1 << (place % 8), 0xff, rng.random_range(1..=255)] {
                    damaged[place] ^= flip;
                    if let Ok(cloud) = agreed::<L>(&damaged) {
                        cloud.check().unwrap();
                    }
                    damaged[place] ^= flip;
                }
            }
        }
    }
}

#[test]
fn damaged_files_give_errors_on_which_variants_agree() {
    survives_damage::<StreamVbyte>();
    survives_damage::<StreamVbyte12>();
    survives_damage::<StreamVbyte1234>();
    survives_damage::<StreamVbyte0124>();
    survives_damage::<Packed32>();
    survives_damage::<PackedRows>();
    survives_damage::<Leb128>();
}

#[test]
fn rubbish_in_the_runs_survives() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x1a70_0005);
    let cloud = small_cloud();
    for arrangement in Arrangement::ALL {
        for _ in 0..300 {
            rubbish::<StreamVbyte12>(&mut rng, &cloud, arrangement);
            rubbish::<PackedRows>(&mut rng, &cloud, arrangement);
            rubbish::<Packed32>(&mut rng, &cloud, arrangement);
        }
    }
}

fn rubbish<L: Layout>(rng: &mut impl Rng, cloud: &Cloud, arrangement: Arrangement) {
    let mut file = encode_container::<L>(cloud, arrangement, Compression::None).unwrap();
    let body = file.len() - (PreparedContainer::open(&file).unwrap().encoded_bytes());
    for _ in 0..rng.random_range(1..6) {
        let place = rng.random_range(body..file.len());
        file[place] = [0, 1, 0xff, rng.random()][rng.random_range(0..4)];
    }
    let _ = agreed::<L>(&file);
}

#[test]
fn an_error_names_chunk_point_and_field() {
    let list = fields(&[FieldType::Uint16, FieldType::Uint16], None);
    let points = CHUNK_POINTS + 10;
    let data = (0..2 * points).flat_map(|index| (index as u16).to_le_bytes()).collect();
    let cloud = cloud(list, data);
    for arrangement in Arrangement::ALL {
        let file = encode_container::<StreamVbyte>(&cloud, arrangement, Compression::None).unwrap();
        let marked = |from_end: usize, byte: u8| {
            let mut file = file.clone();
            let place = file.len() - from_end;
            file[place] = byte;
            agreed::<StreamVbyte>(&file).unwrap_err()
        };
        // The last token of all is of one byte and the second field's.
        let error = marked(1, 0);
        assert_eq!(error.kind, CloudErrorKind::NanMarker);
        assert_eq!((error.chunk, error.point), (Some(1), Some(points - 1)));
        assert_eq!(error.field.as_deref(), Some("f1"));
        let error = agreed::<StreamVbyte>(&file[..file.len() - 1]).unwrap_err();
        assert_eq!((error.kind, error.chunk), (CloudErrorKind::Chunks, Some(1)));
    }
}

#[test]
fn files_of_the_other_format_are_told_apart() {
    let cloud = small_cloud();
    let ours = encode_container::<StreamVbyte>(&cloud, Arrangement::Rows, Compression::None).unwrap();
    let cloudinis = encode(&cloud, &EncodeOptions::lossy(4)).unwrap();
    let decoder = StreamVbyteBytes::detect().unwrap();
    let error = decode_container(&cloudinis, decoder).unwrap_err();
    assert!(error.kind == CloudErrorKind::Header && error.what.contains("a cloudini file"), "{error}");
    let error = read_header(&ours).unwrap_err();
    assert!(error.kind == CloudErrorKind::Header && error.what.contains("VARINTLAB_"), "{error}");
    let error = decode_container(b"ply\nformat ascii", decoder).unwrap_err();
    assert!(error.what.contains("VARINTLAB_"), "{error}");
    let mut later = ours.clone();
    later[11] = b'2';
    let error = decode_container(&later, decoder).unwrap_err();
    assert!(error.kind == CloudErrorKind::Version && error.what.contains("02"), "{error}");
    let error = decode_container(&ours, Leb128Fast2::detect().unwrap()).unwrap_err();
    assert!(error.what.contains("stream_vbyte") && error.what.contains("leb128"), "{error}");
}

#[test]
fn fields_that_share_bytes_are_refused() {
    let list = vec![Field::new("a", 0, FieldType::Uint16), Field::new("b", 1, FieldType::Uint16)];
    let cloud = Cloud::new(list, 1, 1, 3, vec![0; 3]).unwrap();
    let error = encode_container::<StreamVbyte>(&cloud, Arrangement::Rows, Compression::None).unwrap_err();
    assert!(error.kind == CloudErrorKind::Header && error.what.contains("share bytes"), "{error}");
}

#[test]
fn a_promise_of_points_is_held_against_the_bytes() {
    let cloud = Cloud::new(fields(&[FieldType::Uint16], None), 70_000, 1, 2, vec![7; 140_000]).unwrap();
    for arrangement in Arrangement::ALL {
        let mut file = encode_container::<Packed32>(&cloud, arrangement, Compression::None).unwrap();
        assert!(agreed::<Packed32>(&file).as_ref() == Ok(&by_version_4(&cloud)));
        // The width stands behind the magic, the layout's name, the arrangement and stage 2.
        let place = 12 + 1 + "packed32".len() + 2;
        assert_eq!(file[place..place + 4], 70_000_u32.to_le_bytes());
        for width in [u32::MAX, 70_001 + CHUNK_POINTS as u32] {
            file[place..place + 4].copy_from_slice(&width.to_le_bytes());
            assert_eq!(agreed::<Packed32>(&file).unwrap_err().kind, CloudErrorKind::Chunks);
        }
        // More points than the last chunk has, in a chunk that could hold them: its run is too short.
        file[place..place + 4].copy_from_slice(&72_000_u32.to_le_bytes());
        let error = agreed::<Packed32>(&file).unwrap_err();
        assert_eq!((error.kind, error.chunk), (CloudErrorKind::Truncated, Some(2)));
    }
}
