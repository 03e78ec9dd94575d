//! PointCloud2 in CDR: the reported failures, and every way to cut a message.

use varint_lab::{
    capture::pointcloud2::parse,
    cloud::{Cloud, FieldType},
};

use crate::support::{assert_refused, f32s, survive_changes, u16s};

/// A message to be written, in either byte order of its own numbers.
#[derive(Clone)]
pub(crate) struct Message {
    height: u32,
    width: u32,
    /// Name, offset, datatype, count.
    fields: Vec<(&'static str, u32, u8, u32)>,
    big_endian_data: bool,
    point_step: u32,
    row_step: u32,
    data: Vec<u8>,
}

impl Message {
    pub(crate) fn new(fields: &[(&'static str, u32, u8)], width: u32, point_step: u32, data: &[u8]) -> Self {
        Self {
            height: 1,
            width,
            fields: fields.iter().map(|&(name, offset, datatype)| (name, offset, datatype, 1)).collect(),
            big_endian_data: false,
            point_step,
            row_step: width.wrapping_mul(point_step),
            data: data.to_vec(),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.written(u32::to_le_bytes, [0, 1, 0, 0])
    }

    fn written(&self, order: fn(u32) -> [u8; 4], encapsulation: [u8; 4]) -> Vec<u8> {
        let mut body = Vec::new();
        let number = |body: &mut Vec<u8>, value: u32| {
            body.resize(body.len().next_multiple_of(4), 0xcd);
            body.extend(order(value));
        };
        let string = |body: &mut Vec<u8>, text: &str| {
            number(body, text.len() as u32 + 1);
            body.extend(text.bytes());
            body.push(0);
        };
        number(&mut body, 1_714_506_077);
        number(&mut body, 5);
        string(&mut body, "lidar");
        number(&mut body, self.height);
        number(&mut body, self.width);
        number(&mut body, self.fields.len() as u32);
        for &(name, offset, datatype, count) in &self.fields {
            string(&mut body, name);
            number(&mut body, offset);
            body.push(datatype);
            number(&mut body, count);
        }
        body.push(self.big_endian_data.into());
        number(&mut body, self.point_step);
        number(&mut body, self.row_step);
        number(&mut body, self.data.len() as u32);
        body.extend(&self.data);
        body.push(1);
        [&encapsulation[..], &body].concat()
    }
}

pub(crate) const F32: u8 = 7;
const XYZI: [(&str, u32, u8); 4] = [("x", 0, F32), ("y", 4, F32), ("z", 8, F32), ("intensity", 12, F32)];

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn names(cloud: &Cloud) -> Vec<&str> {
    cloud.fields.iter().map(|field| field.name.as_str()).collect()
}

#[test]
fn m01_the_stride_is_point_step_not_the_last_field_s_end() {
    let fields = [
        ("x", 0, F32),
        ("y", 4, F32),
        ("z", 8, F32),
        ("intensity", 16, F32),
        ("t", 20, 6),
        ("reflectivity", 24, 4),
        ("ring", 26, 4),
        ("ambient", 28, 4),
        ("range", 32, 6),
    ];
    let mut data = vec![0xee; 96];
    for point in 0..2_u8 {
        let bytes = &mut data[48 * usize::from(point)..];
        bytes[..12].copy_from_slice(&floats(&[1.0, 2.0, 3.0].map(|value| value + 10.0 * f32::from(point))));
        bytes[16..20].copy_from_slice(&4_f32.to_le_bytes());
        bytes[26..28].copy_from_slice(&[7 + point, 0]);
    }
    let cloud = parse(&Message::new(&fields, 2, 48, &data).bytes()).unwrap();
    assert_eq!(f32s(&cloud, "x"), [1.0, 11.0]);
    assert_eq!(f32s(&cloud, "z"), [3.0, 13.0]);
    assert_eq!(u16s(&cloud, "ring"), [7, 8]);
}

#[test]
fn m02_fields_keep_the_message_s_order_and_their_offsets() {
    let fields = [
        ("x", 0, F32),
        ("y", 4, F32),
        ("z", 8, F32),
        ("intensity", 32, F32),
        ("normal_x", 16, F32),
        ("normal_y", 20, F32),
        ("normal_z", 24, F32),
        ("curvature", 36, F32),
    ];
    let data = floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    let cloud = parse(&Message::new(&fields, 1, 48, &data).bytes()).unwrap();
    assert_eq!(names(&cloud), fields.map(|field| field.0));
    for (name, offset, _) in fields {
        assert_eq!(f32s(&cloud, name), [offset as f32 / 4.0], "{name}");
    }
}

#[test]
fn m03_a_row_step_of_zero_means_tight_rows_if_the_data_fits() {
    for height in [1, 16] {
        let mut message = Message::new(&XYZI, 4, 16, &vec![0; 64 * height as usize]);
        message.height = height;
        message.row_step = 0;
        assert_eq!(parse(&message.bytes()).unwrap().points(), 4 * height as usize);
        message.data.pop();
        assert_refused(parse(&message.bytes()), &["16 bytes", &(64 * height - 1).to_string()]);
    }
}

#[test]
fn m05_padded_rows_come_out_tight() {
    let mut message = Message::new(&[("a", 0, 5)], 3, 4, &[]);
    message.height = 2;
    message.row_step = 16;
    for row in 0..2_u8 {
        message.data.extend((0..12).map(|at| 12 * row + at));
        message.data.extend([0x7f; 4]);
    }
    let cloud = parse(&message.bytes()).unwrap();
    assert_eq!((cloud.width, cloud.height), (3, 2));
    assert_eq!(cloud.data, (0..24).collect::<Vec<u8>>());
}

#[test]
fn m06_a_row_step_of_the_whole_cloud_is_refused() {
    let mut message = Message::new(&[("a", 0, 5)], 3, 4, &[0; 24]);
    message.height = 2;
    message.row_step = 24;
    assert_refused(parse(&message.bytes()), &["2 rows", "row_step 24", "24 bytes"]);
    message.row_step = 8;
    assert_refused(parse(&message.bytes()), &["row_step is 8", "12"]);
    message.row_step = u32::MAX;
    message.height = u32::MAX;
    assert_refused(parse(&message.bytes()), &["row_step"]);
}

#[test]
fn m07_the_byte_order_flag_is_honoured() {
    let mut message = Message::new(&[("x", 0, F32), ("r", 4, 4)], 1, 6, &[0x3f, 0x80, 0, 0, 1, 2]);
    message.big_endian_data = true;
    let cloud = parse(&message.bytes()).unwrap();
    assert_eq!(f32s(&cloud, "x"), [1.0]);
    assert_eq!(u16s(&cloud, "r"), [0x0102]);
    message.data[..4].copy_from_slice(&[0, 0, 0x80, 0x3f]);
    assert_eq!(f32s(&parse(&message.bytes()).unwrap(), "x"), [f32::from_bits(0x0000_803f)]);
    // Listed twice, but the same bytes: turned once.
    message.data[..4].copy_from_slice(&[0x3f, 0x80, 0, 0]);
    message.fields.push(("again", 0, F32, 1));
    assert_eq!(f32s(&parse(&message.bytes()).unwrap(), "again"), [1.0]);
}

#[test]
fn m08_fields_of_several_values_are_refused_by_name() {
    let mut message = Message::new(&XYZI[..3], 1, 12, &[0; 12]);
    for field in &mut message.fields {
        field.3 = 65_536;
    }
    assert_refused(parse(&message.bytes()), &["field x", "65536"]);
    let mut message = Message::new(&[("vfh", 0, F32)], 1, 12, &[0; 12]);
    message.fields[0].3 = 3;
    assert_refused(parse(&message.bytes()), &["field vfh", "count 3"]);
    // Publishers that leave the count out mean one, and PCL takes it so.
    message.fields[0].3 = 0;
    assert_eq!(parse(&message.bytes()).unwrap().points(), 1);
}

#[test]
fn m09_no_field_shows_another_s_values() {
    let data = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let cloud = parse(&Message::new(&XYZI, 2, 16, &data).bytes()).unwrap();
    let found = ["x", "y", "z", "intensity"].map(|name| f32s(&cloud, name));
    assert_eq!(found, [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]]);
}

#[test]
fn m10_sizes_of_zero_divide_nothing() {
    let mut message = Message::new(&XYZI[..3], 0, 0, &[]);
    message.height = 0;
    assert_refused(parse(&message.bytes()), &["field x", "step is 0"]);
    message.fields.clear();
    assert_eq!(parse(&message.bytes()).unwrap().points(), 0);
    // Points without bytes would be four billion for nothing.
    message.height = u32::MAX;
    message.width = u32::MAX;
    assert_refused(parse(&message.bytes()), &["point_step is 0"]);
}

#[test]
fn m11_values_at_odd_places_and_odd_buffers() {
    let fields = [
        ("x", 0, F32),
        ("y", 4, F32),
        ("z", 8, F32),
        ("intensity", 12, F32),
        ("ring", 16, 4),
        ("time", 18, F32),
    ];
    let mut data = Vec::new();
    for point in 0..3_u16 {
        data.extend(floats(&[1.0, 2.0, 3.0, 4.0]));
        data.extend(point.to_le_bytes());
        data.extend((f32::from(point) * 0.5).to_le_bytes());
    }
    let bytes = Message::new(&fields, 3, 22, &data).bytes();
    for shift in 0..4 {
        let shifted = [&vec![0; shift][..], &bytes].concat();
        let cloud = parse(&shifted[shift..]).unwrap();
        assert_eq!(u16s(&cloud, "ring"), [0, 1, 2]);
        assert_eq!(f32s(&cloud, "time"), [0.0, 0.5, 1.0]);
    }
}

#[test]
fn c03_a_cloud_without_points_is_empty() {
    let cloud = parse(&Message::new(&XYZI, 0, 16, &[]).bytes()).unwrap();
    assert_eq!((cloud.points(), cloud.fields.len()), (0, 4));
}

#[test]
fn c06_fields_outside_the_point_are_refused_by_name() {
    for offset in [16, 13, u32::MAX] {
        let mut message = Message::new(&XYZI, 1, 16, &[0; 16]);
        message.fields[3].1 = offset;
        assert_refused(parse(&message.bytes()), &["intensity", &offset.to_string(), "16 bytes"]);
    }
}

#[test]
fn c07_data_of_another_number_of_points_is_refused_with_both_sizes() {
    for length in [144, 168] {
        let message = Message::new(&XYZI, 10, 16, &vec![0; length]);
        assert_refused(parse(&message.bytes()), &["160", &length.to_string()]);
    }
}

#[test]
fn c12_nan_and_its_payload_pass_through() {
    let data = [0xff, 0xff, 0xff, 0xff, 0x33, 0x22, 0x11, 0x00];
    let cloud = parse(&Message::new(&[("rgb", 0, F32)], 2, 4, &data).bytes()).unwrap();
    assert_eq!(cloud.data, data);
}

#[test]
fn c14_products_beyond_32_bits_are_refused() {
    let mut message = Message::new(&XYZI, 65_536, 16, &[]);
    message.height = 65_536;
    for row_step in [0, 65_536 * 16] {
        message.row_step = row_step;
        assert_refused(parse(&message.bytes()), &["65536 x 65536", "68719476736"]);
    }
    let message = Message::new(&XYZI, 268_435_457, 16, &[0; 16]);
    assert_refused(parse(&message.bytes()), &["268435457"]);
}

#[test]
fn big_endian_cdr_is_read() {
    let message = Message::new(&XYZI, 2, 16, &floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
    let big = message.written(u32::to_be_bytes, [0, 0, 0, 0]);
    assert_eq!(parse(&big).unwrap(), parse(&message.bytes()).unwrap());
}

#[test]
fn datatypes_outside_the_definition_are_refused() {
    // 9 and 10 are cloudini's own, not PointField's.
    for datatype in [0, 9, 10, 255] {
        let mut message = Message::new(&XYZI, 1, 16, &[0; 16]);
        message.fields[0].2 = datatype;
        assert_refused(parse(&message.bytes()), &["field x", &datatype.to_string()]);
    }
    let message = Message::new(&[("d", 0, 8)], 1, 8, &[0; 8]);
    assert_eq!(parse(&message.bytes()).unwrap().fields[0].kind, FieldType::Float64);
}

#[test]
fn other_encodings_are_refused() {
    let mut bytes = Message::new(&XYZI, 1, 16, &[0; 16]).bytes();
    bytes[1] = 7;
    assert_refused(parse(&bytes), &["no plain CDR", "00 07"]);
}

#[test]
fn every_cut_is_refused() {
    let bytes = Message::new(&XYZI, 1, 16, &[1; 16]).bytes();
    crate::support::assert_prefixes_refused(&bytes, parse);
}

#[test]
fn a_claim_of_four_billion_fields_allocates_none() {
    let mut bytes = Message::new(&[], 0, 0, &[]).bytes();
    // Behind 4 bytes of encapsulation: stamp 8, string 4 + 6, padding 2, height and width 8.
    bytes[32..36].fill(0xff);
    assert_refused(parse(&bytes), &["field"]);
}

#[test]
fn no_changed_byte_makes_a_panic() {
    let mut message = Message::new(&XYZI, 2, 16, &[1; 48]);
    message.height = 1;
    message.row_step = 48;
    message.big_endian_data = true;
    let check = |bytes: &[u8]| {
        parse(bytes).inspect(|cloud| assert_eq!(cloud.data.len(), cloud.points() * cloud.point_step))
    };
    survive_changes(&message.bytes(), check);
}
