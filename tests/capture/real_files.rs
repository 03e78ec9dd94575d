//! Real files that lie beside the repository where it is developed; the tests pass without them.

use std::{fs, path::PathBuf};

use varint_lab::{
    capture::{
        Message, Options, load_path, messages, recordings,
        velodyne::{self, Model},
    },
    cloud::{EncodeOptions, Resolutions, encode},
    fnv::Fnv,
    measure::{
        recordings::streams,
        stream::{Arrangement, Stream},
    },
};

use crate::support::sha256;

/// The file, or `None` after saying that the test is skipped.
fn shared(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")).join(name);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: {} is not here", path.display());
    None
}

#[test]
fn point_counts_of_real_pcd_files() {
    for (name, points, step, fields) in [
        ("libwave_hdl32_padded.pcd", 55_067, 32, "x y z intensity FLOAT32, ring UINT16"),
        ("fast_gicp_251370668.pcd", 69_088, 16, "x y z intensity FLOAT32"),
        ("nebula_at128.pcd", 10_198, 12, "x y z FLOAT32"),
        ("pcl_five_people.pcd", 307_200, 16, "x y z FLOAT32, rgba UINT32"),
        ("pjlab_0001_top.pcd", 92_677, 26, "x y z intensity FLOAT32, ring UINT16, timestamp FLOAT64"),
        ("pjlab_qt.pcd", 12_414, 24, "x y z intensity FLOAT32, t FLOAT64"),
    ] {
        let Some(path) = shared(name) else { continue };
        let capture = load_path(&path).unwrap().remove(0);
        assert_eq!((capture.cloud.points(), capture.cloud.point_step), (points, step), "{name}");
        assert_eq!(capture.facts.fields, fields, "{name}");
    }
}

#[test]
fn a_real_compressed_pcd_unpacks_to_known_bytes() {
    let Some(path) = shared("pjlab_0001_left.pcd") else { return };
    let cloud = load_path(&path).unwrap().remove(0).cloud;
    assert_eq!(sha256(&cloud.data), "b5d7e3349239a537d1d2f192e326be5259a225fb8abf867349901d8562680136");
}

#[test]
fn point_counts_of_real_survey_files() {
    for (name, points) in [
        ("pdal_autzen_trim.laz", 110_000),
        ("pdal_alirt_crop.las", 38_367),
        ("laspy_mobile_vegetation.las", 10_683),
        ("laspy_yellowscan_fullwave.laz", 10_750),
    ] {
        let Some(path) = shared(name) else { continue };
        let capture = load_path(&path).unwrap().remove(0);
        assert_eq!(capture.cloud.points(), points, "{name}");
        assert!(capture.facts.fields.starts_with("x y z INT32"), "{name}");
    }
}

#[test]
fn point_counts_of_real_velodyne_recordings() {
    for (name, model, points) in [
        ("mrpt_velodyne_hdl32.pcap", Model::Hdl32e, 146_705),
        ("mrpt_velodyne_vlp16_gps.pcap", Model::Vlp16, 73_486),
    ] {
        let Some(path) = shared(name) else { continue };
        let cloud = velodyne::firing_order(&fs::read(path).unwrap(), model).unwrap();
        assert_eq!(cloud.points(), points, "{name}");
    }
}

fn messages_in(path: &std::path::Path) -> Vec<Message> {
    messages(path, &Options::default()).unwrap().map(Result::unwrap).collect()
}

fn streams_of(path: &std::path::Path) -> Vec<Stream> {
    let recording = recordings(path).unwrap().remove(0);
    let (found, notes) =
        streams(&recording, &Options::default(), &Resolutions::default(), |_, _| {}).unwrap();
    assert_eq!(notes.lines().count(), 0);
    found
}

#[test]
fn an_mcap_has_the_tokens_of_the_pcd_files_it_was_made_of() {
    let Some(mcap) = shared("derived_pjlab_drive_3frames.mcap") else { return };
    let parts = ["468", "568", "668"].map(|part| {
        let name = format!("pjlab_drive_2021-10-26-16-21-29-{part}.pcd");
        let path = shared(&name).expect("it lies beside the MCAP file");
        streams_of(&path).remove(0)
    });
    let found = streams_of(&mcap);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].facts.name, "derived_pjlab_drive_3frames/lidar_top/points");
    assert_eq!(found[0].facts.points, 80_787 + 80_753 + 80_793);
    for arrangement in [Arrangement::Rows, Arrangement::Columns] {
        let expected: Vec<u64> =
            parts.iter().flat_map(|part| part.tokens(arrangement).unwrap()).copied().collect();
        assert!(found[0].tokens(arrangement) == Some(&expected[..]), "{arrangement:?}");
    }
}

#[test]
fn an_mcap_s_first_message_encodes_to_the_golden_bytes() {
    let Some(path) = shared("derived_ouster_os1_128_organized_nan.mcap") else { return };
    let cloud = messages_in(&path).remove(0).cloud.with_resolution(0.001);
    assert_eq!((cloud.width, cloud.height, cloud.point_step), (1024, 128, 48));
    for (version, bytes, hash) in
        [(4, 1_733_784, 0xb1c6_e051_013e_6a6c_u64), (5, 1_335_677, 0xbad2_324b_57f8_e70c)]
    {
        let file = encode(&cloud, &EncodeOptions::lossy(version)).unwrap();
        assert_eq!((file.len(), Fnv::of(&file)), (bytes, hash), "version {version}");
    }
}

#[test]
fn an_mcap_has_the_points_of_the_packets_it_was_made_of() {
    let Some(mcap) = shared("derived_ouster_os1_128_organized_nan.mcap") else { return };
    let packets = shared("ouster_OS-1-128_v2.3.0_1024x10_lb_n3.pcap").expect("it lies beside the MCAP file");
    let (mcap, packets) = (messages_in(&mcap).remove(0).cloud, messages_in(&packets));
    assert_eq!(packets.len(), 3);
    // All but NaN's own bits, which say nothing.
    let zeroed = |cloud: &varint_lab::cloud::Cloud| {
        let mut data = cloud.data.clone();
        for point in data.chunks_exact_mut(48).filter(|point| point[32..36] == [0; 4]) {
            assert!(
                point[..12].chunks_exact(4).all(|xyz| f32::from_le_bytes(xyz.try_into().unwrap()).is_nan())
            );
            point[..12].fill(0);
        }
        data
    };
    assert!(zeroed(&packets[0].cloud) == zeroed(&mcap));
    let tokens = |cloud| varint_lab::cloud::tokens::rows(&Resolutions::default().apply(cloud)).unwrap();
    assert!(tokens(packets[0].cloud.clone()) == tokens(mcap));
}

#[test]
fn frames_and_turns_of_real_packet_recordings() {
    for (name, sensor, points) in [
        ("ouster_OS-0-128-U1_v2.3.0_1024x10.pcap", "Ouster OS-0-128, 1024x10", &[97_299][..]),
        ("ouster_OS-1-32-G_v2.1.1_1024x10.pcap", "Ouster OS-1-32-G, 1024x10", &[27_310]),
        ("mrpt_velodyne_vlp16_gps.pcap", "VLP-16", &[]),
        ("mrpt_velodyne_hdl32.pcap", "HDL-32E", &[]),
    ] {
        let Some(path) = shared(name) else { continue };
        let mut found = messages(&path, &Options::default()).unwrap();
        assert!(found.sensor().unwrap().contains(sensor), "{name}: {:?}", found.sensor());
        let clouds: Vec<_> = found.by_ref().map(|message| message.unwrap().cloud).collect();
        if points.is_empty() {
            let all = if sensor == "VLP-16" { 73_486 } else { 146_705 };
            assert_eq!(clouds.iter().map(|cloud| cloud.points()).sum::<usize>(), all, "{name}");
            continue;
        }
        let valid = clouds.iter().map(|cloud| {
            let ranges = crate::support::bytes_of::<4>(cloud, "range");
            ranges.filter(|range| u32::from_le_bytes(*range) != 0).count()
        });
        assert_eq!(valid.collect::<Vec<_>>(), points, "{name}");
    }
}

#[test]
fn a_real_ros_1_bag_is_refused_helpfully() {
    let Some(path) = shared("sick_lms_rms.bag") else { return };
    crate::support::assert_refused(load_path(&path), &["sick_lms_rms.bag", "mcap convert"]);
}
