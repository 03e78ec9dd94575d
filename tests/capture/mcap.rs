//! MCAP: reported failures and damaged files, written record by record here.

use std::{fs, io::Write as _, path::PathBuf};

use varint_lab::{
    capture::{Message, Options, messages, messages_of, recordings},
    cloud::{Compression, EncodeOptions, encode},
    error::Error,
};

use crate::{
    pointcloud2::{self, F32},
    support::f32s,
};

const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];

const SCHEMA: u8 = 3;
const CHANNEL: u8 = 4;
const MESSAGE: u8 = 5;
const CHUNK: u8 = 6;
const CHUNK_INDEX: u8 = 8;
const DATA_END: u8 = 15;
const FOOTER: u8 = 2;

const CLOUD: &str = "sensor_msgs/msg/PointCloud2";
const COMPRESSED: &str = "point_cloud_interfaces/msg/CompressedPointCloud2";

fn record(opcode: u8, body: &[u8]) -> Vec<u8> {
    [&[opcode][..], &(body.len() as u64).to_le_bytes(), body].concat()
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn schema(id: u16, name: &str) -> Vec<u8> {
    record(SCHEMA, &[&id.to_le_bytes()[..], &string(name), &string("ros2msg"), &string("")].concat())
}

fn channel(id: u16, schema: u16, topic: &str, encoding: &str) -> Vec<u8> {
    let ids = [id.to_le_bytes(), schema.to_le_bytes()].concat();
    record(CHANNEL, &[&ids[..], &string(topic), &string(encoding), &0_u32.to_le_bytes()].concat())
}

fn message(channel: u16, log_time: u64, data: &[u8]) -> Vec<u8> {
    let head = [&channel.to_le_bytes()[..], &[0; 4], &log_time.to_le_bytes(), &[0; 8]].concat();
    record(MESSAGE, &[&head[..], data].concat())
}

/// A chunk whose sizes are what they are.
fn chunk(compression: &str, records: &[u8]) -> Vec<u8> {
    let packed = match compression {
        "zstd" => zstd::encode_all(records, 1).unwrap(),
        "lz4" => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(records).unwrap();
            encoder.finish().unwrap()
        }
        _ => records.to_vec(),
    };
    raw_chunk(compression, records.len() as u64, crc32fast::hash(records), &packed)
}

fn raw_chunk(compression: &str, uncompressed: u64, crc: u32, packed: &[u8]) -> Vec<u8> {
    let sizes = [&[0; 16][..], &uncompressed.to_le_bytes(), &crc.to_le_bytes()].concat();
    let length = (packed.len() as u64).to_le_bytes();
    record(CHUNK, &[&sizes[..], &string(compression), &length, packed].concat())
}

/// The records of a file behind its header, without an end.
fn open(records: &[Vec<u8>]) -> Vec<u8> {
    [&MAGIC[..], &record(1, &[string("ros2"), string("test")].concat()), &records.concat()].concat()
}

/// The smallest end: no summary.
fn closed(records: &[Vec<u8>]) -> Vec<u8> {
    [&open(records)[..], &record(DATA_END, &[0; 4]), &record(FOOTER, &[0; 20]), &MAGIC].concat()
}

/// A topic's schema and channel.
fn topic(id: u16, name: &str) -> Vec<u8> {
    [schema(id, CLOUD), channel(id, id, name, "cdr")].concat()
}

/// A message of one point.
fn point(channel: u16, x: f32) -> Vec<u8> {
    message(channel, x as u64, &pointcloud2::Message::new(&[("x", 0, F32)], 1, 4, &x.to_le_bytes()).bytes())
}

/// What there is of a file: each topic's x in order, and what was lost.
fn read(file: &[u8], options: &Options) -> (Vec<(String, f32)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    fs::write(&path, file).unwrap();
    sort(messages(&path, options).unwrap())
}

fn sort(found: impl Iterator<Item = Result<Message, Error>>) -> (Vec<(String, f32)>, Vec<String>) {
    let (mut points, mut lost) = (Vec::new(), Vec::new());
    for item in found {
        match item {
            Ok(message) => points.push((message.topic, f32s(&message.cloud, "x")[0])),
            Err(error) => {
                assert_eq!(error.exit_code(), 2);
                assert!(!error.to_string().contains('\n'), "{error}");
                lost.push(error.to_string());
            }
        }
    }
    (points, lost)
}

fn xs(file: &[u8]) -> (Vec<f32>, Vec<String>) {
    let (points, lost) = read(file, &Options::default());
    (points.into_iter().map(|(_, x)| x).collect(), lost)
}

#[track_caller]
fn assert_lost(lost: &[String], words: &[&str]) {
    assert_eq!(lost.len(), 1, "{lost:?}");
    for word in words {
        assert!(lost[0].contains(word), "{word:?} is not in {:?}", lost[0]);
    }
}

#[test]
fn chunks_of_every_compression_and_topics_side_by_side() {
    for compression in ["", "lz4", "zstd"] {
        let first = [topic(1, "/a"), topic(2, "/b"), point(1, 1.0), point(2, 2.0)].concat();
        let second = [point(2, 3.0), point(1, 4.0)].concat();
        let file = closed(&[chunk(compression, &first), chunk(compression, &second)]);
        let (points, lost) = read(&file, &Options::default());
        let expected =
            [("/a", 1.0), ("/b", 2.0), ("/b", 3.0), ("/a", 4.0)].map(|(name, x)| (name.to_owned(), x));
        assert_eq!((points, lost), (expected.to_vec(), vec![]), "{compression:?}");
    }
}

#[test]
fn sampling_counts_each_topic_by_itself() {
    let mut records = vec![topic(1, "/a"), topic(2, "/b")];
    records.extend((0..7_u8).map(|x| point(1, f32::from(x))));
    records.push(point(2, 9.0));
    let options = Options { sample_every: 2.try_into().ok(), max_messages: Some(3), bin_columns: None };
    let (points, lost) = read(&closed(&records), &options);
    let expected = [("/a", 0.0), ("/a", 2.0), ("/a", 4.0), ("/b", 9.0)].map(|(name, x)| (name.to_owned(), x));
    assert_eq!((points, lost), (expected.to_vec(), vec![]));
}

#[test]
fn m12_a_stored_chunk_has_one_size() {
    let bad = raw_chunk("", 999, 0, &[0; 10]);
    let (points, lost) = xs(&closed(&[topic(1, "/a"), bad, point(1, 5.0)]));
    assert_eq!(points, [5.0]);
    assert_lost(&lost, &["chunk 0", "10 bytes", "999"]);
}

#[test]
fn m13_padding_behind_the_packed_records_is_passed_over() {
    let records = [topic(1, "/a"), point(1, 1.0)].concat();
    let mut packed = zstd::encode_all(&records[..], 1).unwrap();
    packed.extend([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
    let padded = raw_chunk("zstd", records.len() as u64, crc32fast::hash(&records), &packed);
    packed.truncate(packed.len() - 8);
    packed.extend([0xee; 16]);
    let rubbish = raw_chunk("zstd", records.len() as u64, 0, &packed);
    let (points, lost) = xs(&closed(&[padded, rubbish, chunk("zstd", &point(1, 2.0))]));
    assert_eq!((points, lost), (vec![1.0, 1.0, 2.0], vec![]));
}

#[test]
fn bytes_behind_the_packed_records_are_passed_over_in_lz4_too() {
    let records = [topic(1, "/a"), point(1, 1.0)].concat();
    let mut packed = lz4_flex::frame::FrameEncoder::new(Vec::new());
    packed.write_all(&records).unwrap();
    let packed = packed.finish().unwrap();
    // A skippable frame, and bytes that are none.
    for padding in [&[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0][..], &[0xee; 16]] {
        let padded = [&packed[..], padding].concat();
        let padded = raw_chunk("lz4", records.len() as u64, crc32fast::hash(&records), &padded);
        let (points, lost) = xs(&closed(&[padded, chunk("lz4", &point(1, 2.0))]));
        assert_eq!((points, lost), (vec![1.0, 2.0], vec![]));
    }
}

#[test]
fn a_chunk_that_unpacks_to_less_than_it_promises_keeps_its_whole_records() {
    let records = [topic(1, "/a"), point(1, 1.0)].concat();
    for compression in ["lz4", "zstd"] {
        let whole = chunk(compression, &records);
        // Behind opcode, length and two times.
        let mut short = whole.clone();
        short[25..33].copy_from_slice(&(1_u64 << 62).to_le_bytes());
        let (points, lost) = xs(&closed(&[short, chunk(compression, &point(1, 2.0))]));
        assert_eq!(points, [1.0, 2.0], "{compression}");
        let missing = (1 << 62) - records.len() as u64;
        assert_lost(&lost, &["chunk 0", &format!("{missing} bytes less than it promises")]);
    }
}

#[test]
fn m14_what_is_whole_before_a_cut_is_delivered_and_then_one_error() {
    let whole = [topic(1, "/a"), chunk("zstd", &point(1, 1.0)), chunk("zstd", &point(1, 2.0))];
    let mut unfinished = open(&whole);
    unfinished.push(CHUNK);
    unfinished.extend([0xff; 8]);
    unfinished.extend([7; 100]);
    let (points, lost) = xs(&unfinished);
    assert_eq!(points, [1.0, 2.0]);
    assert_lost(&lost, &["18446744073709551615 bytes", "2 whole chunks and 2 clouds"]);

    // Cut anywhere: nothing panics, and nothing is made up.
    let file = closed(&whole);
    for length in 1..file.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mcap");
        fs::write(&path, &file[..length]).unwrap();
        let Ok(found) = messages(&path, &Options::default()) else {
            assert!(length < MAGIC.len(), "{length}");
            continue;
        };
        let (points, lost) = sort(found);
        let xs: Vec<f32> = points.iter().map(|(_, x)| *x).collect();
        assert!([&[][..], &[1.0], &[1.0, 2.0]].contains(&&xs[..]), "{xs:?}");
        let whole = file[..length].windows(9).any(|window| window == [DATA_END, 4, 0, 0, 0, 0, 0, 0, 0]);
        assert!(lost.len() == 1 || whole && xs.len() == 2, "{length}: {lost:?}");
    }
}

#[test]
fn m15_a_file_without_chunks_and_summary_is_read() {
    assert_eq!(xs(&closed(&[topic(1, "/a"), point(1, 1.0)])), (vec![1.0], vec![]));
}

#[test]
fn m16_unknown_compressions_are_named_and_the_other_chunks_go_on() {
    for compression in ["bz2", "ZSTD", "lz4 "] {
        let strange = raw_chunk(compression, 10, 0, &[0; 10]);
        let (points, lost) = xs(&closed(&[topic(1, "/a"), strange, chunk("lz4", &point(1, 3.0))]));
        assert_eq!(points, [3.0]);
        assert_lost(&lost, &[&format!("unsupported compression: {compression}"), "chunk 0"]);
    }
}

#[test]
fn m18_messages_without_an_index_are_found_in_their_chunk() {
    let index = [&[0; 32][..], &0_u32.to_le_bytes(), &[0; 8], &string("zstd"), &[0; 16]].concat();
    let records = [topic(1, "/a"), chunk("zstd", &point(1, 1.0))];
    let file = [
        &open(&records)[..],
        &record(DATA_END, &[0; 4]),
        &record(CHUNK_INDEX, &index),
        &record(FOOTER, &[0; 20]),
        &MAGIC,
    ]
    .concat();
    assert_eq!(xs(&file), (vec![1.0], vec![]));
}

#[test]
fn m19_topics_are_known_by_their_type_s_name() {
    let named = record(SCHEMA, &[&[1, 0][..], &string(CLOUD), &string("ros2msg"), &string(CLOUD)].concat());
    let file = closed(&[named, channel(1, 1, "/a", "cdr"), point(1, 1.0)]);
    assert_eq!(xs(&file), (vec![1.0], vec![]));
}

#[test]
fn m20_the_parts_of_a_split_recording_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let bag = folder.path().join("drive");
    fs::create_dir(&bag).unwrap();
    let other = [schema(1, "std_msgs/msg/String"), channel(1, 1, "/said", "cdr")].concat();
    fs::write(bag.join("drive_9.mcap"), closed(&[other])).unwrap();
    fs::write(bag.join("drive_10.mcap"), closed(&[topic(1, "/a"), point(1, 1.0)])).unwrap();
    // Ids are a part's own.
    fs::write(bag.join("drive_11.mcap"), closed(&[topic(7, "/a"), point(7, 2.0), point(7, 3.0)])).unwrap();
    fs::write(bag.join("metadata.yaml"), "rosbag2_bagfile_information:\n").unwrap();
    let found = recordings(&bag).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].parts.len()), ("drive", 3));
    let indices = messages_of(&found[0].parts, &Options::default()).unwrap().map(|item| item.unwrap().index);
    assert_eq!(indices.collect::<Vec<_>>(), [0, 1, 2]);
    assert!(found[0].source().contains("drive_9.mcap") && found[0].source().contains("drive_11.mcap"));

    fs::remove_file(bag.join("metadata.yaml")).unwrap();
    assert_eq!(recordings(&bag).unwrap().len(), 3, "files of their own");
}

#[test]
fn a_damaged_chunk_is_told_by_its_crc() {
    let records = [topic(1, "/a"), point(1, 1.0)].concat();
    let wrong = raw_chunk("", records.len() as u64, crc32fast::hash(&records) ^ 1, &records);
    let (_, lost) = xs(&closed(&[wrong, point(1, 2.0)]));
    assert_lost(&lost, &["chunk 0", "CRC"]);
}

#[test]
fn a_damaged_message_is_lost_by_itself() {
    let mut bad = pointcloud2::Message::new(&[("x", 0, F32)], 1, 4, &[0; 4]).bytes();
    bad.truncate(40);
    let file =
        closed(&[topic(1, "/a"), point(1, 1.0), message(1, 0, &bad), message(9, 0, &[]), point(1, 2.0)]);
    let (points, lost) = xs(&file);
    assert_eq!(points, [1.0, 2.0]);
    assert_eq!(lost.len(), 2);
    assert!(lost[0].contains("topic /a, message 1"), "{lost:?}");
    assert!(lost[1].contains("channel 9"), "{lost:?}");
}

#[test]
fn a_file_without_clouds_says_what_it_has() {
    let other = [schema(1, "foxglove.PointCloud"), channel(1, 1, "/points", "protobuf")].concat();
    let ros1 = [schema(2, "sensor_msgs/PointCloud2"), channel(2, 2, "/old", "ros1")].concat();
    let (_, lost) = xs(&closed(&[other, ros1]));
    assert_lost(
        &lost,
        &["/old (sensor_msgs/PointCloud2 in ros1)", "/points (foxglove.PointCloud in protobuf)"],
    );
    assert_lost(&xs(&closed(&[])).1, &["no topic at all"]);
}

#[test]
fn no_changed_byte_makes_a_panic_or_an_endless_loop() {
    let records = [topic(1, "/a"), point(1, 1.0)].concat();
    let file = closed(&[chunk("", &records), chunk("zstd", &records), chunk("lz4", &records)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    let mut changed = file.clone();
    for at in 0..file.len() {
        for value in [0, 0xff, file[at] ^ 1] {
            changed[at] = value;
            fs::write(&path, &changed).unwrap();
            if let Ok(found) = messages(&path, &Options::default()) {
                assert!(found.take(100).count() < 100);
            }
        }
        changed[at] = file[at];
    }
}

/// A CompressedPointCloud2 around a cloudini file.
fn compressed(width: u32, format: &str, file: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    let number = |body: &mut Vec<u8>, value: u32| {
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend(value.to_le_bytes());
    };
    for value in [1, 2, 1, 0] {
        number(&mut body, value);
    }
    // Height, width, no fields, little endian, steps.
    for value in [1, width, 0] {
        number(&mut body, value);
    }
    body.push(0);
    for value in [4, 4 * width, file.len() as u32] {
        number(&mut body, value);
    }
    body.extend(file);
    body.push(1);
    number(&mut body, format.len() as u32 + 1);
    body.extend(format.bytes());
    body.push(0);
    [&[0, 1, 0, 0][..], &body].concat()
}

#[test]
fn compressed_clouds_are_decoded() {
    let plain = pointcloud2::Message::new(&[("x", 0, F32)], 2, 4, &[0, 0, 128, 63, 0, 0, 64, 64]).bytes();
    let cloud = varint_lab::capture::pointcloud2::parse(&plain).unwrap().with_resolution(0.5);
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
        let file = encode(&cloud, &EncodeOptions { compression, ..EncodeOptions::lossy(4) }).unwrap();
        let records = vec![
            schema(1, COMPRESSED),
            channel(1, 1, "/a", "cdr"),
            message(1, 0, &compressed(2, "cloudini", &file)),
            message(1, 0, &compressed(2, "draco", &file)),
            message(1, 0, &compressed(3, "cloudini", &file)),
            message(1, 0, &compressed(2, "cloudini", &file[..file.len() - 1])),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path: PathBuf = folder.path().join("a.mcap");
        fs::write(&path, closed(&records)).unwrap();
        let found: Vec<_> = messages(&path, &Options::default()).unwrap().collect();
        assert_eq!(found[0].as_ref().unwrap().cloud, cloud);
        let lost: Vec<String> =
            found[1..].iter().map(|item| item.as_ref().unwrap_err().to_string()).collect();
        assert!(
            lost[0].contains("draco") && lost[1].contains("1 x 3") || lost[1].contains("3 x 1"),
            "{lost:?}"
        );
        assert_eq!(lost.len(), 3);
    }
}
