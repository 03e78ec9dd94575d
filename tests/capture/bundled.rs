//! The bundled captures. Expected figures come from a separate program that reads the same files.

use varint_lab::{
    capture::{BUNDLED, Capture, bundled},
    cloud::FieldType,
};

use crate::support::{bounds, f32s, f64s, sha256, u16s};

fn load(name: &str) -> Capture {
    let capture = bundled(name).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(capture.name, name);
    assert!(capture.cloud.fields.iter().all(|field| field.resolution.is_none()));
    capture
}

fn layout(capture: &Capture) -> Vec<(&str, usize, FieldType)> {
    capture.cloud.fields.iter().map(|field| (field.name.as_str(), field.offset, field.kind)).collect()
}

#[test]
fn hdl64_rings() {
    let capture = load("hdl64-rings");
    let cloud = &capture.cloud;
    assert_eq!((cloud.width, cloud.height, cloud.point_step), (115_385, 1, 16));
    assert_eq!(capture.facts.fields, "x y z intensity FLOAT32");
    assert!(capture.facts.licence.contains("NC"), "a non-commercial licence has to be named");
    assert_eq!(sha256(&cloud.data), "666c76a84255da4abef49ae4178ae0c58f7785cfbbf7ac1004520f3e4d379121");
    assert_eq!(bounds(&f32s(cloud, "x")), (-71.036, 73.039));
    assert_eq!(bounds(&f32s(cloud, "intensity")), (0.0, 0.99));
}

#[test]
fn spin32_columns() {
    let capture = load("spin32-columns");
    let cloud = &capture.cloud;
    assert_eq!((cloud.width, cloud.height, cloud.point_step), (64_000, 1, 26));
    assert_eq!(
        layout(&capture),
        [
            ("x", 0, FieldType::Float32),
            ("y", 4, FieldType::Float32),
            ("z", 8, FieldType::Float32),
            ("intensity", 12, FieldType::Float32),
            ("ring", 16, FieldType::Uint16),
            ("timestamp", 18, FieldType::Float64),
        ]
    );
    assert_eq!(sha256(&cloud.data), "7737ce768fe001b9c481ae2a4a212bb0d2ea63015d2c01f660d17d1104ca9449");
    let (x, y, z) = (f32s(cloud, "x"), f32s(cloud, "y"), f32s(cloud, "z"));
    let zero = (0..cloud.points()).filter(|&at| x[at] == 0.0 && y[at] == 0.0 && z[at] == 0.0);
    assert_eq!(zero.count(), 4_578);
    // Firing order: the rings go round, time never goes back.
    assert!(u16s(cloud, "ring").iter().enumerate().all(|(at, &ring)| usize::from(ring) == at % 32));
    assert!(f64s(cloud, "timestamp").is_sorted());
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let error = bundled("hdl64").unwrap_err();
    assert_eq!(error.exit_code(), 2);
    for name in BUNDLED {
        assert!(error.to_string().contains(name), "{error}");
    }
}

/// SHA-256 of these fields of every point, in this order: integers and floats that no rounding touches.
fn digest_of(capture: &Capture, names: &[&str]) -> String {
    let cloud = &capture.cloud;
    let fields: Vec<_> = names
        .iter()
        .map(|name| cloud.fields.iter().find(|field| field.name == *name).expect("the field"))
        .collect();
    let mut bytes = Vec::new();
    for point in cloud.data.chunks_exact(cloud.point_step) {
        for field in &fields {
            bytes.extend_from_slice(&point[field.offset..][..field.kind.size()]);
        }
    }
    sha256(&bytes)
}

/// Sums and bounds of the coordinates, NaN left out: f32 rounding moves a sum of 100,000 by less than 0.5.
fn assert_coordinates(capture: &Capture, sums: [f64; 3], bounds_of: [(f32, f32); 3]) {
    for ((axis, sum), (low, high)) in ["x", "y", "z"].into_iter().zip(sums).zip(bounds_of) {
        let values = f32s(&capture.cloud, axis);
        let found: f64 = values.iter().filter(|value| !value.is_nan()).copied().map(f64::from).sum();
        assert!((found - sum).abs() < 0.05, "sum of {axis}: {found}, not {sum}");
        let (found_low, found_high) = bounds(&values);
        let close = (found_low - low).abs() < 1e-4 && (found_high - high).abs() < 1e-4;
        assert!(close, "{axis} from {found_low} to {found_high}, not {low} to {high}");
    }
}

const OUSTER_EXACT: [&str; 6] = ["intensity", "t", "reflectivity", "ring", "ambient", "range"];

#[test]
fn os1_64_columns() {
    let capture = load("os1-64-columns");
    // 102,400 ranges, 10,130 of them zero.
    assert_eq!((capture.cloud.width, capture.cloud.height, capture.cloud.point_step), (92_270, 1, 30));
    assert_coordinates(
        &capture,
        [374_272.697, -197_673.859, 52_552.704],
        [(-67.623_48, 143.070_9), (-58.752_216, 32.694_62), (-10.132_642, 24.911_093)],
    );
    assert_eq!(
        digest_of(&capture, &OUSTER_EXACT),
        "22a0227672c4dc9fd07d53dfc47a85864f54a046522109b69dc2ef8c6d68ee4a"
    );
}

#[test]
fn os1_64_organized() {
    let capture = load("os1-64-organized");
    let cloud = &capture.cloud;
    assert_eq!((cloud.width, cloud.height, cloud.point_step), (1024, 64, 48));
    let offsets: Vec<usize> = cloud.fields.iter().map(|field| field.offset).collect();
    assert_eq!(offsets, [0, 4, 8, 16, 20, 24, 26, 28, 32]);
    for axis in ["x", "y", "z"] {
        assert_eq!(f32s(cloud, axis).iter().filter(|value| value.is_nan()).count(), 6_763);
    }
    let ranges = crate::support::bytes_of(cloud, "range").map(u32::from_le_bytes);
    let missing: Vec<bool> = ranges.map(|range| range == 0).collect();
    assert!(f32s(cloud, "x").iter().zip(missing).all(|(x, missing)| x.is_nan() == missing));
    // Ring by ring.
    assert!(u16s(cloud, "ring").iter().enumerate().all(|(at, &ring)| usize::from(ring) == at / 1024));
    let sums: Vec<f64> = ["x", "y", "z"]
        .map(|axis| f32s(cloud, axis).iter().filter(|v| !v.is_nan()).copied().map(f64::from).sum())
        .to_vec();
    for (found, sum) in sums.iter().zip([65_817.068_f64, -86_929.136, 35_034.299]) {
        assert!((found - sum).abs() < 0.05, "{found}, not {sum}");
    }
    assert_eq!(
        digest_of(&capture, &OUSTER_EXACT),
        "fd8e204b541f06f48a8edde7974327e2bbd2e396c825ced97ce6cf7ae3649635"
    );
}

#[test]
fn vlp16_columns() {
    let capture = load("vlp16-columns");
    // 84 packets of 384 returns, 12,677 of them without a distance.
    assert_eq!((capture.cloud.width, capture.cloud.height, capture.cloud.point_step), (19_579, 1, 22));
    assert_coordinates(
        &capture,
        [-43_317.46, -20_236.787, 1_733.436],
        [(-77.289_79, 78.286_28), (-78.084_3, 81.463_93), (-4.939_258, 14.794_614)],
    );
    assert_eq!(
        digest_of(&capture, &["intensity", "ring"]),
        "9ca187cdbd2e693d4ec6338d82b7deb947a88f802cff99274abf5cfa38407dbb"
    );
    let time = f32s(&capture.cloud, "time");
    assert!(time.is_sorted());
    assert!((time[time.len() - 1] - 0.111_455_37).abs() < 1e-6, "{:?}", time.last());
}

#[test]
fn hdl32_columns() {
    let capture = load("hdl32-columns");
    assert!(capture.facts.sensor.contains("HDL-32E"));
    // 91 packets of 384 returns, 4,348 of them without a distance.
    assert_eq!((capture.cloud.width, capture.cloud.height, capture.cloud.point_step), (30_596, 1, 22));
    let found: Vec<f64> =
        ["x", "y", "z"].map(|axis| f32s(&capture.cloud, axis).iter().copied().map(f64::from).sum()).to_vec();
    // The reference has the manual's angles, which are rounded to 0.01 degrees.
    for (found, sum) in found.iter().zip([187_621.722_f64, 129_946.13, -40_219.666]) {
        assert!((found - sum).abs() < 0.15, "{found}, not {sum}");
    }
    assert_eq!(
        digest_of(&capture, &["intensity", "ring"]),
        "1ef993fff0b32a93d2f94fc82e25a3da666b2bfc82ef71b6ed5a366e4d098f56"
    );
    let time = f32s(&capture.cloud, "time");
    assert!(time.is_sorted());
    assert!((time[time.len() - 1] - 0.050_308_44).abs() < 1e-6, "{:?}", time.last());
}

#[test]
fn airborne() {
    let capture = load("airborne");
    let cloud = &capture.cloud;
    assert_eq!((cloud.width, cloud.height), (5_658, 1));
    assert_eq!(capture.facts.fields.split(',').next(), Some("x y z INT32"));
    // The header's own bounding box, in steps of 0.01 m.
    for (axis, low, high) in
        [("x", 32_640_001, 32_719_999), ("y", 672_417_252, 672_419_999), ("z", -37, 20_274)]
    {
        let values = || crate::support::bytes_of(cloud, axis).map(i32::from_le_bytes);
        assert_eq!((values().min(), values().max()), (Some(low), Some(high)), "{axis}");
    }
    assert!(f64s(cloud, "gps_time").iter().all(|time| time.is_finite() && *time > 0.0));
}

#[test]
fn every_bundled_capture_is_here_and_says_what_it_is() {
    for name in BUNDLED {
        let facts = load(name).facts;
        for fact in [facts.sensor, facts.scene, facts.order, facts.fields, facts.source, facts.licence] {
            assert!(!fact.is_empty() && !fact.contains('\n') && !fact.contains("  "), "{name}: {fact:?}");
        }
    }
    assert_eq!(BUNDLED.len(), 7);
}
