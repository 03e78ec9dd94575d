//! Users' files of every kind but MCAP, message by message.

use std::{fs, path::Path};

use varint_lab::{
    capture::{BinColumns, Message, Options, Provenance, messages, recordings},
    cloud::{Cloud, EncodeOptions, Field, FieldType, encode},
    error::Result,
    measure::recordings::{MOST_TOKENS, Notes, streams},
};

use crate::{
    packets::{LITTLE, frame, pcap, velodyne_packet},
    pointcloud2::{self, F32},
    support::{assert_refused, f32s, u16s},
};

fn all(path: &Path, options: &Options) -> Result<Vec<Message>> {
    messages(path, options)?.collect()
}

fn bin(path: &str, bytes: usize, columns: Option<BinColumns>) -> Result<Message> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // No first value is the header of a message.
    let file: Vec<u8> = (0..bytes).map(|at| [0, 0, 128, 63][at % 4]).collect();
    fs::write(&path, file).unwrap();
    Ok(all(&path, &Options { bin_columns: columns, ..Options::default() })?.remove(0))
}

#[test]
fn p08_columns_of_bin_files_are_given_or_told_and_never_guessed() {
    let (four, five) = (Some(BinColumns::Four), Some(BinColumns::Five));
    assert_refused(bin("a.bin", 20, None), &["20 bytes", "16 bytes", "--bin-columns 5"]);
    assert_refused(bin("a.bin", 20, four), &["20 bytes", "16 bytes"]);
    assert_refused(bin("a.bin", 4 * 265_728, five), &["1062912 bytes", "20 bytes"]);
    assert_refused(bin("a.bin", 80, None), &["80 bytes", "--bin-columns 4"]);
    assert_refused(bin("a.pcd.bin", 16, None), &["16 bytes", "nuScenes"]);
    for (name, bytes, columns, points, fields, how) in [
        ("a.bin", 0, None, 0, 4, "4 columns"),
        ("a.bin", 80, four, 5, 4, "4 columns, as given"),
        ("a.bin", 80, five, 4, 5, "5 columns, as given"),
        ("a.bin", 32, None, 2, 4, "4 columns, by its size"),
        ("velodyne/000.bin", 80, None, 5, 4, "4 columns, by its folder"),
        ("LIDAR_TOP/x.pcd.bin", 80, None, 4, 5, "5 columns, by its name"),
    ] {
        let message = bin(name, bytes, columns).unwrap();
        assert_eq!((message.cloud.points(), message.cloud.fields.len()), (points, fields), "{name} {bytes}");
        let remark = message.remark.unwrap();
        assert!(remark.starts_with(how), "{remark}");
    }
}

#[test]
fn a_message_s_dump_is_one_whatever_its_extension() {
    let folder = tempfile::tempdir().unwrap();
    let dump = pointcloud2::Message::new(&[("x", 0, F32)], 1, 4, &2.5_f32.to_le_bytes()).bytes();
    for name in ["a.bin", "a.cdr", "a"] {
        let path = folder.path().join(name);
        fs::write(&path, &dump).unwrap();
        assert_eq!(f32s(&all(&path, &Options::default()).unwrap()[0].cloud, "x"), [2.5]);
        fs::write(&path, &dump[..dump.len() - 1]).unwrap();
        assert_refused(all(&path, &Options::default()), &["is_dense"]);
    }
    // Four zero bytes are a coordinate, too.
    let path = folder.path().join("zero.bin");
    fs::write(&path, [0; 16]).unwrap();
    assert_eq!(all(&path, &Options::default()).unwrap()[0].cloud.points(), 1);
}

#[test]
fn cloudini_files_are_decoded_with_their_grid() {
    let dump = pointcloud2::Message::new(&[("x", 0, F32)], 1, 4, &2.5_f32.to_le_bytes()).bytes();
    let cloud = varint_lab::capture::pointcloud2::parse(&dump).unwrap().with_resolution(0.5);
    let file = encode(&cloud, &EncodeOptions::lossy(5)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cloudini");
    fs::write(&path, &file).unwrap();
    assert_eq!(all(&path, &Options::default()).unwrap()[0].cloud, cloud);
    fs::write(&path, &file[..file.len() - 1]).unwrap();
    assert_refused(all(&path, &Options::default()), &["a.cloudini", "chunk"]);
}

#[test]
fn bags_that_are_not_read_name_the_tool_that_converts_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start, words) in [
        ("a.bag", &b"#ROSBAG V2.0\n0123456789"[..], ["ROS 1", "mcap convert", "rosbags-convert"]),
        ("a.db3", b"SQLite format 3\x000123", ["SQLite", "mcap convert", ".mcap"]),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, start).unwrap();
        assert_refused(all(&path, &Options::default()), &words);
    }
}

#[test]
fn patterns_match_files_and_a_file_of_that_name_goes_before() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a_2.pcd", "a_10.pcd", "b.pcd", "a_[x].pcd"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let names = |pattern: &str| -> Vec<String> {
        let found = recordings(&folder.path().join(pattern)).unwrap();
        found.into_iter().map(|recording| recording.name).collect()
    };
    assert_eq!(names("a_[0-9]*.pcd"), ["a_2", "a_10"]);
    assert_eq!(names("a_[x].pcd"), ["a_[x]"]);
    assert_refused(recordings(&folder.path().join("c*.pcd")), &["c*.pcd", "nothing matches"]);
    assert_refused(recordings(&folder.path().join("[.pcd")), &["[.pcd"]);
}

#[test]
fn folders_without_recordings_do_not_stop_a_pattern_and_bags_name_their_converter() {
    let folder = tempfile::tempdir().unwrap();
    let licences = folder.path().join("licences");
    fs::create_dir(&licences).unwrap();
    assert_refused(recordings(&folder.path().join("*")), &["licences", "no .bin"]);
    fs::write(folder.path().join("scan.pcd"), "").unwrap();
    let found = recordings(&folder.path().join("*")).unwrap();
    assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["scan"]);
    fs::write(licences.join("drive.bag"), "").unwrap();
    assert_refused(recordings(&licences), &["licences", "mcap convert"]);
}

#[test]
fn a_depth_camera_is_told_by_its_coloured_image() {
    let given = |names: &[&str], width, height| {
        let fields: Vec<Field> = names
            .iter()
            .enumerate()
            .map(|(index, &name)| Field::new(name, 4 * index, FieldType::Float32))
            .collect();
        let data = vec![0; 4 * names.len() * width as usize * height as usize];
        let cloud = Cloud::new(fields, width, height, 4 * names.len(), data).unwrap();
        Provenance::given(None, &cloud, None, String::new())
    };
    let camera = given(&["x", "y", "z", "rgb"], 4, 3);
    assert!(camera.is_not_lidar() && camera.sensor.contains("4 x 3"), "{}", camera.sensor);
    // A coloured scan, and an organised one.
    assert!(!given(&["x", "rgb"], 12, 1).is_not_lidar());
    assert!(!given(&["x", "intensity"], 4, 3).is_not_lidar());
}

#[test]
fn velodyne_turns_end_at_north_and_the_model_is_told_by_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.pcap");
    let write = |gap: u32, azimuths: &[u32]| {
        let packet =
            |(number, &azimuth): (u32, &u32)| frame(&velodyne_packet(azimuth, &[0], number * gap, 0x37));
        let frames: Vec<Vec<u8>> = (0..).zip(azimuths).map(packet).collect();
        fs::write(&path, pcap(LITTLE, &frames)).unwrap();
    };
    write(1_327, &[35_000, 100, 200, 35_900, 50]);
    let found = all(&path, &Options::default()).unwrap();
    let points: Vec<_> = found.iter().map(|message| (message.index, message.cloud.points())).collect();
    let one = found[0].cloud.points();
    assert_eq!(points, [(0, one), (1, 3 * one), (2, one)]);
    assert_eq!(f32s(&found[1].cloud, "time")[0], 0.0, "each turn has its own time");
    let sensor = |path| messages(path, &Options::default()).unwrap().sensor().unwrap().to_owned();
    assert!(sensor(&path).contains("VLP-16"));
    write(553, &[0, 100, 200]);
    assert!(sensor(&path).contains("HDL-32E"));
    write(900, &[0, 100, 200]);
    assert_refused(all(&path, &Options::default()), &["900 µs"]);
    write(553, &[0]);
    assert_refused(all(&path, &Options::default()), &["single"]);
    write(553, &[]);
    assert_refused(all(&path, &Options::default()), &["1206 bytes", ".json"]);
}

/// Metadata of four pixels, two columns a packet, four a frame.
fn metadata(profile: &str) -> String {
    format!(
        r#"{{"prod_line": "OS-T", "lidar_mode": "4x10", "beam_altitude_angles": [10, 0, -10, -20],
            "beam_azimuth_angles": [0, 0, 0, 0], "lidar_origin_to_beam_origin_mm": 100,
            "lidar_to_sensor_transform": [1,0,0,0, 0,1,0,0, 0,0,1,50, 0,0,0,1],
            "data_format": {{"columns_per_frame": 4, "columns_per_packet": 2, "pixels_per_column": 4,
            "pixel_shift_by_row": [1, 0, 0, -1], "udp_profile_lidar": "{profile}"}}}}"#
    )
}

/// A packet of two columns; ranges are 8 x (1 + 10 x column + ring) mm.
fn ouster_packet(profile: &str, frame: u16, first: u16) -> Vec<u8> {
    let mut packet = Vec::new();
    let legacy = profile == "LEGACY";
    if !legacy {
        packet.extend([1, 0]);
        packet.extend(frame.to_le_bytes());
        packet.extend([0; 28]);
    }
    for column in first..first + 2 {
        packet.extend((1_000 + u64::from(column)).to_le_bytes());
        packet.extend(column.to_le_bytes());
        if legacy {
            packet.extend(frame.to_le_bytes());
            packet.extend([0; 4]);
        } else {
            packet.extend([1, 0]);
        }
        for ring in 0..4_u16 {
            let eighths = u32::from(1 + 10 * column + ring);
            match profile {
                "RNG15_RFL8_NIR8" => packet.extend((eighths | 0x0207_0000 | 0x8000).to_le_bytes()),
                "LEGACY" => {
                    packet.extend(((eighths * 8) | 0xfff0_0000).to_le_bytes());
                    packet.extend([7, 0, 5, 0, 32, 0, 9, 9]);
                }
                _ => {
                    packet.extend(((eighths * 8) | 0xfff8_0000).to_le_bytes());
                    packet.extend([7, 9, 5, 0, 32, 0, 9, 9]);
                }
            }
        }
        if legacy {
            packet.extend([0xff; 4]);
        }
    }
    packet.extend(vec![0; if legacy { 0 } else { 32 }]);
    packet
}

#[test]
fn ouster_frames_of_each_profile_stand_upright() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("yard_part1.pcap");
    for profile in ["LEGACY", "RNG15_RFL8_NIR8", "RNG19_RFL8_SIG16_NIR16"] {
        // A prefix of the recording's name is enough.
        fs::write(folder.path().join("yard.json"), metadata(profile)).unwrap();
        let packets =
            [(1, 0), (1, 2), (2, 2)].map(|(number, first)| frame(&ouster_packet(profile, number, first)));
        fs::write(&path, pcap(LITTLE, &packets)).unwrap();
        let found = all(&path, &Options::default()).unwrap();
        assert_eq!(found.len(), 2, "{profile}");
        let cloud = &found[0].cloud;
        assert_eq!((cloud.width, cloud.height, cloud.point_step), (4, 4, 48));
        let range = |column: u32, ring: u32| 8 * (1 + 10 * column + ring);
        let ranges: Vec<u32> =
            crate::support::bytes_of::<4>(cloud, "range").map(u32::from_le_bytes).collect();
        // The top row is turned by one column to the right, the lowest to the left.
        let order = [[3, 0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3], [1, 2, 3, 0]];
        let expected: Vec<u32> =
            (0..4).flat_map(|ring| order[ring].map(|column| range(column, ring as u32))).collect();
        assert_eq!(ranges, expected, "{profile}");
        assert!(u16s(cloud, "reflectivity").iter().all(|&value| value == 7));
        assert!(u16s(cloud, "ambient").iter().all(|&value| value == 32));
        let signal = if profile == "RNG15_RFL8_NIR8" { 7.0 } else { 5.0 };
        assert_eq!(f32s(cloud, "intensity")[0], signal);
        // Column 0 of ring 1 looks along x: the beam starts 100 mm from the axis, the sensor is 50 mm lower.
        let at = |name| f32s(cloud, name)[4];
        assert!((at("x") - 0.001 * range(0, 1) as f32).abs() < 1e-6, "{}", at("x"));
        assert!(at("y").abs() < 1e-6 && (at("z") - 0.05).abs() < 1e-6, "{} {}", at("y"), at("z"));
        // The second frame lacks columns 0 and 1: NaN, and no range.
        let late = &found[1].cloud;
        assert_eq!(f32s(late, "x").iter().filter(|x| x.is_nan()).count(), 8);
        assert!(messages(&path, &Options::default()).unwrap().sensor().unwrap().contains("OS-T, 4x10"));
    }
    fs::write(folder.path().join("yard.json"), metadata("RNG19_RFL8_SIG16_NIR16_DUAL")).unwrap();
    assert_refused(all(&path, &Options::default()), &["yard.json", "RNG19_RFL8_SIG16_NIR16_DUAL"]);
    fs::write(folder.path().join("yard.json"), metadata("LEGACY")).unwrap();
    assert_refused(all(&path, &Options::default()), &["136 bytes"]);
    fs::write(folder.path().join("ya.json"), metadata("LEGACY")).unwrap();
    assert_refused(all(&path, &Options::default()), &["ya.json", "yard.json", "yard_part1.json"]);
    for damage in ["[1]", "{}", r#"{"beam_altitude_angles": [1], "beam_azimuth_angles": []}"#, "x"] {
        fs::write(folder.path().join("yard_part1.json"), damage).unwrap();
        assert_refused(all(&path, &Options::default()), &["yard_part1.json", "metadata"]);
    }
}

#[test]
fn a_recording_cut_off_inside_a_packet_keeps_its_turns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pcap");
    let packets = [35_000, 0, 100].map(|azimuth| frame(&velodyne_packet(azimuth, &[0], azimuth, 0x37)));
    let gaps = (0..3).zip(packets).map(|(number, mut packet)| {
        let end = packet.len();
        packet[end - 6..end - 2].copy_from_slice(&(553_u32 * number).to_le_bytes());
        packet
    });
    let file = pcap(LITTLE, &gaps.collect::<Vec<_>>());
    fs::write(&path, &file[..file.len() - 10]).unwrap();
    let found: Vec<_> = messages(&path, &Options::default()).unwrap().collect();
    let (whole, lost): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    assert_eq!((whole.len(), lost.len()), (2, 1), "the turn before and what there is of the last");
    assert!(lost[0].as_ref().unwrap_err().to_string().contains("packet 3"));
}

#[test]
fn a_topic_is_cut_where_its_tokens_are_too_many_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let points = MOST_TOKENS as u32;
    let path = folder.path().join("long.cdr");
    let data = vec![0; 4 * points as usize + 4];
    fs::write(&path, pointcloud2::Message::new(&[("x", 0, F32)], points + 1, 4, &data).bytes()).unwrap();
    let recording = recordings(&path).unwrap().remove(0);
    let (found, notes) =
        streams(&recording, &Options::default(), &varint_lab::cloud::Resolutions::default(), |_, _| {})
            .unwrap();
    assert_eq!(found[0].facts.tokens, MOST_TOKENS as u64);
    assert_eq!(found[0].facts.points, MOST_TOKENS as u64);
    let notes: Vec<String> = notes.lines().collect();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("long") && notes[0].contains("left out: 1"), "{notes:?}");
}

#[test]
fn notes_are_told_once_with_how_often() {
    let mut notes = Notes::default();
    for _ in 0..3 {
        notes.add("same".to_owned());
    }
    for number in 0..20 {
        notes.add(format!("other {number}"));
    }
    let lines: Vec<String> = notes.lines().collect();
    assert_eq!(lines[0], "same (3 times)");
    assert_eq!(lines.last().unwrap(), "and more of the kind (13 times)");
    assert_eq!(lines.len(), 9);
}
