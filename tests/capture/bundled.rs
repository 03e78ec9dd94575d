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
