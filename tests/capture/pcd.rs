//! PCD: the reported failures, and every way to cut a file.

use varint_lab::{
    capture::pcd::parse,
    cloud::{Cloud, FieldType},
};

use crate::support::{assert_prefixes_refused, assert_refused, f32s, survive_changes};

/// A header whose COUNT is all ones, and a body.
fn file(fields: &str, size: &str, kind: &str, width: u64, height: u64, data: &str, body: &[u8]) -> Vec<u8> {
    let points = width * height;
    let mut file = format!(
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS {fields}\nSIZE {size}\nTYPE {kind}\n\
         WIDTH {width}\nHEIGHT {height}\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {points}\nDATA {data}\n"
    )
    .into_bytes();
    file.extend_from_slice(body);
    file
}

fn padded(count: &str, body: &[u8]) -> Vec<u8> {
    let mut file = format!(
        "VERSION 0.7\nFIELDS x _ y _\nSIZE 4 1 4 1\nTYPE F U F U\n{count}WIDTH 2\nHEIGHT 1\nPOINTS 2\n\
         DATA binary\n"
    )
    .into_bytes();
    file.extend_from_slice(body);
    file
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// LZF without references: literals alone, which every unpacker has to take.
fn packed_literally(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    for run in bytes.chunks(32) {
        packed.push(run.len() as u8 - 1);
        packed.extend_from_slice(run);
    }
    packed
}

/// The body of a binary_compressed file.
fn compressed(packed: &[u8], unpacked: usize) -> Vec<u8> {
    let mut body = (packed.len() as u32).to_le_bytes().to_vec();
    body.extend((unpacked as u32).to_le_bytes());
    body.extend_from_slice(packed);
    body
}

const P01_BODY: [u8; 24] = [
    0x00, 0x00, 0x80, 0x3f, 0xaa, 0xaa, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0x40, //
    0x00, 0x00, 0x40, 0x40, 0xbb, 0xbb, 0xbb, 0xbb, 0x00, 0x00, 0x80, 0x40,
];

#[test]
fn p01_padding_columns_and_counts_give_the_step() {
    let cloud = parse(&padded("COUNT 1 4 1 0\n", &P01_BODY)).unwrap();
    assert_eq!(cloud.point_step, 12);
    let fields: Vec<_> = cloud.fields.iter().map(|field| (field.name.as_str(), field.offset)).collect();
    assert_eq!(fields, [("x", 0), ("y", 8)]);
    assert_eq!(f32s(&cloud, "x"), [1.0, 3.0]);
    assert_eq!(f32s(&cloud, "y"), [2.0, 4.0]);
}

#[test]
fn p01_bad_counts_are_refused_by_the_line() {
    assert_refused(parse(&padded("COUNT 1 -4 1 0\n", &P01_BODY)), &["COUNT", "-4"]);
    assert_refused(parse(&padded("COUNT 1 4 1\n", &P01_BODY)), &["COUNT", "3", "4"]);
    assert_refused(parse(&padded("COUNT 1 4294967295 1 0\n", &P01_BODY)), &["2 points", "8589934606"]);
    // A field of several values is refused by its name, never read as if it had one.
    assert_refused(parse(&padded("COUNT 2 0 1 0\n", &P01_BODY)), &["field x", "COUNT 2"]);
}

#[test]
fn padding_takes_its_place_in_every_kind_of_body() {
    // x of both points, then what pads them, then y.
    let by_field = [floats(&[1.0, 3.0]), vec![0xaa; 8], floats(&[2.0, 4.0])].concat();
    let bodies: [(&str, Vec<u8>); 3] = [
        ("ascii", b"1 170 170 170 170 2\n3 187 187 187 187 4\n".to_vec()),
        ("binary", P01_BODY.to_vec()),
        ("binary_compressed", compressed(&packed_literally(&by_field), by_field.len())),
    ];
    for (data, body) in bodies {
        let mut file = String::from_utf8(padded("COUNT 1 4 1 0\n", &[])).unwrap();
        file = file.replace("DATA binary", &format!("DATA {data}"));
        let cloud = parse(&[file.as_bytes(), &body].concat()).unwrap();
        assert_eq!((cloud.point_step, cloud.points(), cloud.fields.len()), (12, 2, 2), "{data}");
        assert_eq!(f32s(&cloud, "x"), [1.0, 3.0], "{data}");
        assert_eq!(f32s(&cloud, "y"), [2.0, 4.0], "{data}");
    }
}

#[test]
fn p03_organised_files_have_all_their_rows() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let bytes = floats(&values);
    let bodies: [(&str, Vec<u8>); 3] = [
        ("ascii", b"1\n2\n3\n4\n5\n6\n".to_vec()),
        ("binary", bytes.clone()),
        ("binary_compressed", compressed(&packed_literally(&bytes), bytes.len())),
    ];
    for (data, body) in bodies {
        let cloud = parse(&file("x", "4", "F", 2, 3, data, &body)).unwrap();
        assert_eq!((cloud.width, cloud.height), (2, 3), "{data}");
        assert_eq!(f32s(&cloud, "x"), values, "{data}");
    }
}

#[test]
fn p04_compressed_files_near_a_page_s_end_are_whole() {
    for excess in 0..=8 {
        // The header's length is fixed by four-digit widths, so the width decides the file's length.
        let empty = file("x", "1", "U", 1000, 1, "binary_compressed", &[]).len();
        let room = 8192 + excess - empty - 8;
        // 33 bytes a full run of 32, one more than the rest for the last run.
        let width = room / 33 * 32 + (room % 33).saturating_sub(1);
        let bytes: Vec<u8> = (0..width).map(|at| (at % 251) as u8).collect();
        let body = compressed(&packed_literally(&bytes), bytes.len());
        let file = file("x", "1", "U", width as u64, 1, "binary_compressed", &body);
        // A last run cannot be empty, so one length in 33 is out of reach.
        assert!(file.len() == 8192 + excess || room % 33 == 1, "{}", file.len());
        assert_eq!(parse(&file).unwrap().data, bytes);
    }
}

#[test]
fn p05_more_points_promised_than_held() {
    let file = file("x y z", "4 4 4", "F F F", 10, 1, "binary", &[0; 40]);
    assert_refused(parse(&file), &["10 points", "12 bytes", "120", "40"]);
}

#[test]
fn p06_sizes_are_64_bits_wide() {
    let words = [0x10, 0, 0, 0, 0x10, 0, 0, 0];
    let four = ("x y z i", "4 4 4 4", "F F F F");
    let big = file(four.0, four.1, four.2, 268_435_457, 1, "binary_compressed", &words);
    assert_refused(parse(&big), &["16 bytes", "4294967312"]);
    let big = file(four.0, four.1, four.2, 268_435_457, 1, "binary", &words);
    assert_refused(parse(&big), &["4294967312", "holds only 8"]);
    let big = file(four.0, four.1, four.2, 65_536, 65_536, "binary", &words);
    assert_refused(parse(&big), &["4294967296 points"]);
}

#[test]
fn p07_files_without_points_are_empty_clouds() {
    let bodies: [(&str, &[u8]); 4] =
        [("ascii", b""), ("binary", b""), ("binary_compressed", &[0; 8]), ("binary_compressed", b"")];
    for (data, body) in bodies {
        let cloud = parse(&file("x", "4", "F", 0, 1, data, body)).unwrap();
        assert_eq!((cloud.points(), cloud.data.len()), (0, 0), "{data}");
    }
    // Nor does the last line need its end.
    let mut cut = file("x", "4", "F", 0, 1, "binary", b"");
    cut.pop();
    assert_eq!(parse(&cut).unwrap().points(), 0);
}

#[test]
fn c06_no_field_can_lie_outside_the_point() {
    // Offsets are sums of sizes, so the only way is a size that is not the type's.
    assert_refused(parse(&file("x", "3", "F", 1, 1, "binary", &[0; 3])), &["field x", "SIZE 3"]);
    assert_refused(parse(&file("x", "4", "Q", 1, 1, "binary", &[0; 4])), &["field x", "TYPE Q"]);
}

#[test]
fn c12_c13_ascii_nan_and_packed_colours_keep_their_bits() {
    let body = b"nan 1 4278255360\n1.5 -2 16711680\n";
    let cloud = parse(&file("x y rgb", "4 4 4", "F F U", 2, 1, "ascii", body)).unwrap();
    assert!(f32s(&cloud, "x")[0].is_nan());
    assert_eq!(f32s(&cloud, "y"), [1.0, -2.0]);
    assert_eq!(cloud.fields[2].kind, FieldType::Uint32);
    let cloud = parse(&file("rgb", "4", "F", 1, 1, "binary", &[0xff; 4])).unwrap();
    assert_eq!(cloud.data, [0xff; 4]);
}

#[test]
fn compressed_points_lie_field_by_field() {
    // Two points of x FLOAT32 and r UINT8.
    let by_field = [floats(&[1.0, 2.0]), vec![7, 8]].concat();
    let body = compressed(&packed_literally(&by_field), by_field.len());
    let cloud = parse(&file("x r", "4 1", "F U", 2, 1, "binary_compressed", &body)).unwrap();
    assert_eq!(cloud.data, [floats(&[1.0]), vec![7], floats(&[2.0]), vec![8]].concat());
}

#[test]
fn lzf_references_may_overlap_what_they_write() {
    // `a`, then 2 + 4 bytes from one back: seven times `a`; long form: 7 + 1 + 2 bytes from two back.
    let body = compressed(&[0, b'a', 4 << 5, 0], 7);
    assert_eq!(parse(&file("x", "1", "U", 7, 1, "binary_compressed", &body)).unwrap().data, b"aaaaaaa");
    let body = compressed(&[1, b'a', b'b', 7 << 5, 1, 1], 12);
    let cloud = parse(&file("x", "1", "U", 12, 1, "binary_compressed", &body)).unwrap();
    assert_eq!(cloud.data, b"abababababab");
    let body = compressed(&[0, b'a', 4 << 5, 1], 7);
    assert_refused(
        parse(&file("x", "1", "U", 7, 1, "binary_compressed", &body)),
        &["refer to 2 bytes back", "only 1"],
    );
    for (packed, width) in [(&[0, b'a', 4 << 5, 0][..], 6), (&[0, b'a', 4 << 5, 0], 8)] {
        let body = compressed(packed, width);
        let file = file("x", "1", "U", width as u64, 1, "binary_compressed", &body);
        assert_refused(parse(&file), &["unpack to", &width.to_string()]);
    }
}

#[test]
fn a_claim_of_four_gigabytes_allocates_none() {
    let body = compressed(&[0, b'a'], u32::MAX as usize);
    let file = file("x", "1", "U", u64::from(u32::MAX), 1, "binary_compressed", &body);
    assert_refused(parse(&file), &["unpack to 1 bytes instead of 4294967295"]);
}

#[test]
fn zeros_behind_the_points_are_a_page_s_rest_but_other_bytes_are_not() {
    let with = |surplus: &[u8]| {
        let body = [&floats(&[1.0, 2.0])[..], surplus].concat();
        parse(&file("x", "4", "F", 2, 1, "binary", &body))
    };
    assert_eq!(with(&[0; 3900]).unwrap().points(), 2);
    assert_eq!(with(b"\n").unwrap().points(), 2);
    assert_refused(with(&floats(&[3.0])), &["2 points", "4 more bytes"]);
}

#[test]
fn ascii_errors_name_the_line() {
    let ascii = |body: &[u8]| parse(&file("x r", "4 1", "F U", 2, 1, "ascii", body));
    assert_eq!(ascii(b"1 2\n\n3 4").unwrap().points(), 2);
    assert_eq!(ascii(b"1 2\r\n3 4\r\n").unwrap().points(), 2);
    assert_refused(ascii(b"1 2\n3\n"), &["line 12", "column r"]);
    assert_refused(ascii(b"1 2\n3 256\n"), &["line 12", "256", "TYPE U SIZE 1"]);
    assert_refused(ascii(b"1 2\n3 4 5\n"), &["line 12", "\"5\""]);
    assert_refused(ascii(b"1 2\n"), &["2 points", "1 lines"]);
    assert_refused(ascii(b"1 2\n3 4\n5 6\n"), &["2 points", "3 lines"]);
    assert_refused(ascii(b"1 2\n\xff 4\n"), &["not text"]);
}

#[test]
fn headers_that_contradict_themselves_are_refused() {
    let header = |lines: &str| parse(format!("{lines}DATA binary\n").as_bytes());
    assert_refused(header(""), &["WIDTH", "POINTS"]);
    assert_refused(header("WIDTH 0\n"), &["no FIELDS line"]);
    assert_refused(header("WIDTH 0\nFIELDS x\nTYPE F\n"), &["no SIZE line"]);
    assert_refused(header("WIDTH 0\nFIELDS x\nSIZE 4\n"), &["no TYPE line"]);
    assert_refused(header("WIDTH 0\nFIELDS _\nSIZE 4\nTYPE F\n"), &["nothing but padding"]);
    assert_refused(
        header("WIDTH 3\nHEIGHT 2\nPOINTS 7\nFIELDS x\nSIZE 4\nTYPE F\n"),
        &["POINTS says 7", "WIDTH 3", "HEIGHT 2", "6"],
    );
    assert_refused(header("WIDTH 4294967296\n"), &["WIDTH 4294967296"]);
    assert_refused(header("WIDTH\n"), &["WIDTH", "0 values"]);
    assert_refused(header("WIDTH 5\nFIELDS x\nSIZE 4\nTYPE F\nCOUNT 0\n"), &["5 points of 0 bytes"]);
    assert_refused(parse(b"WIDTH 0\nDATA zip\n"), &["DATA zip"]);
    assert_refused(parse(b"{\"a\": 1}\n"), &["no PCD", "line 1"]);
    assert_refused(parse(&[0xff, b'\n']), &["no PCD"]);
    assert_refused(parse(b""), &["no DATA line"]);
}

#[test]
fn old_headers_without_height_or_width_are_read() {
    let cloud = parse(b"COLUMNS x\nSIZE 4\nTYPE F\nPOINTS 1\nDATA ascii\n2.5\n").unwrap();
    assert_eq!((cloud.width, cloud.height), (1, 1));
    assert_eq!(f32s(&cloud, "x"), [2.5]);
}

#[test]
fn every_cut_is_refused() {
    let bytes = floats(&[1.0, 2.0, 3.0, 4.0]);
    assert_prefixes_refused(&file("x y", "4 4", "F F", 2, 1, "binary", &bytes), parse);
    assert_prefixes_refused(
        &file("x y", "4 4", "F F", 2, 1, "binary_compressed", &compressed(&packed_literally(&bytes), 16)),
        parse,
    );
}

#[test]
fn a_file_cut_in_half_is_one_clear_line() {
    let whole = file("x y z", "4 4 4", "F F F", 1000, 1, "binary", &[1; 12_000]);
    assert_refused(parse(&whole[..whole.len() / 2]), &["1000 points", "12000 bytes", "holds only"]);
}

#[test]
fn no_changed_byte_makes_a_panic() {
    let bytes = floats(&[1.0, 2.0, 3.0, 4.0]);
    let check = |file: &[u8]| {
        let cloud: Result<Cloud, _> = parse(file);
        cloud.inspect(|cloud| assert_eq!(cloud.data.len(), cloud.points() * cloud.point_step))
    };
    survive_changes(&file("x y", "4 4", "F F", 2, 1, "binary", &bytes), check);
    survive_changes(&file("x y", "4 4", "F F", 2, 1, "ascii", b"1 2\n3 4\n"), check);
    let packed = [1, 0, 0, 3 << 5, 1, 4, 1, 2, 3, 4, 5, 1 << 5, 3];
    let body = compressed(&packed, 16);
    survive_changes(&file("x y", "4 4", "F F", 2, 1, "binary_compressed", &body), check);
}
