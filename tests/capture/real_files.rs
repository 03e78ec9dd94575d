//! Real files that lie beside the repository where it is developed; the tests pass without them.

use std::{fs, path::PathBuf};

use varint_lab::capture::{
    load_path,
    velodyne::{self, Model},
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
