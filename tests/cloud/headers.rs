//! Magic, headers, and what they may say.

use varint_lab::cloud::{
    Cloud, CloudErrorKind, Compression, EncodeOptions, Field, FieldType, Header, Mode, encode, read_header,
    write_header,
};

use crate::{all_paths, cloud, f32s, fields, file, hex, refusal};

const XYZ: [FieldType; 3] = [FieldType::Float32; 3];

#[test]
fn c01_the_version_is_named_and_not_the_magic_blamed() {
    let error = |bytes: &[u8]| read_header(bytes).unwrap_err();
    for (version, found) in [("01", "1"), ("00", "0"), ("06", "6"), ("99", "99")] {
        let error = error(format!("CLOUDINI_V{version}\n").as_bytes());
        assert_eq!(error.kind, CloudErrorKind::Version);
        assert!(error.what.contains(&format!("version {found}:")), "{error}");
        assert!(error.what.contains("2 to 5"), "{error}");
    }
    for short in ["CLOUDINI_V", "CLOUDINI_", "CLOUDINI_V0", ""] {
        let error = error(short.as_bytes());
        assert_eq!(error.kind, CloudErrorKind::Header);
        assert!(error.what.contains("too short"), "{error}");
    }
    assert!(error(b"CLOUDS").what.contains("no cloudini file"));
}

#[test]
fn x8_version_digits_have_to_be_digits() {
    for magic in ["CLOUDINI_Vx4\n", "CLOUDINI_V0x\n", "CLOUDINI_V 4\n"] {
        assert_eq!(read_header(magic.as_bytes()).unwrap_err().kind, CloudErrorKind::Version);
    }
}

#[test]
fn c02_the_magic_decides_the_version_whatever_the_text_says() {
    let fields = fields(&[FieldType::Float64], None);
    let plain = "10 00 00 00 00 00 00 00 00 00 F0 3F 00 00 00 00 00 00 00 00";
    let packed = "09 00 00 00 00 00 00 00 00 00 F0 3F 00";
    let ones = hex("00 00 00 00 00 00 F0 3F 00 00 00 00 00 00 F0 3F");
    for (version, body) in [(3, plain), (4, packed), (5, packed)] {
        let bytes = file(version, Mode::Lossless, &fields, 2, body);
        assert_eq!(all_paths(&bytes).unwrap().data, ones);
        let told = format!("version: {version}").into_bytes();
        for other in 2..=5 {
            let mut bytes = bytes.clone();
            let place = bytes.windows(told.len()).position(|window| window == told).unwrap();
            bytes[place + told.len() - 1] = b'0' + other;
            assert_eq!(all_paths(&bytes).unwrap().data, ones);
        }
        let options = EncodeOptions { version, mode: Mode::Lossless, compression: Compression::None };
        assert_eq!(encode(&cloud(fields.clone(), ones.clone()), &options).unwrap(), bytes);
    }
}

#[test]
fn c04_resolutions_are_judged_when_they_are_used() {
    let text = |resolution: &str| {
        let bytes = file(4, Mode::Lossy, &fields(&XYZ, Some(0.5)), 1, "03 00 00 00 03 03 03");
        let place = bytes.iter().position(|&byte| byte == 0).unwrap();
        let mut text = String::from_utf8(bytes[..place].to_vec()).unwrap();
        text = text.replace("    resolution: 0.5\n", resolution);
        [text.as_bytes(), &bytes[place..]].concat()
    };
    for bad in ["0", "-0.001", "nan", "inf", ".inf", "1e39"] {
        assert_eq!(refusal(&text(&format!("    resolution: {bad}\n"))), CloudErrorKind::Header, "{bad}");
    }
    let tiny = all_paths(&text("    resolution: 1e-05\n")).unwrap();
    assert_eq!(tiny.data, f32s(&[1e-5; 3]));
    // Without a resolution the fields are copies, and three bytes cannot hold them.
    assert_eq!(refusal(&text("")), CloudErrorKind::Truncated);
}

#[test]
fn c04_a_binary_header_without_a_positive_resolution_has_none() {
    let mut lone = fields(&XYZ[..1], None);
    for resolution in [0.0, -1.0] {
        lone[0].resolution = Some(resolution);
        let bytes = file(2, Mode::Lossy, &lone, 1, "01 02 03 04");
        let (header, _) = read_header(&bytes).unwrap();
        assert_eq!(header.fields[0].resolution, None);
        assert_eq!(all_paths(&bytes).unwrap().data, [1, 2, 3, 4]);
    }
    lone[0].resolution = Some(f32::NAN);
    assert_eq!(refusal(&file(2, Mode::Lossy, &lone, 1, "01")), CloudErrorKind::Header);
}

#[test]
fn a_binary_header_may_start_with_a_newline() {
    // Width 10 is a newline, as the text header's first byte.
    for width in [10, 0x0a0a_0a0a] {
        let header = Header {
            version: 2,
            width,
            height: 1,
            point_step: 2,
            mode: Mode::Lossy,
            compression: Compression::Lz4,
            fields: fields(&[FieldType::Int16], None),
        };
        let bytes = write_header(&header).unwrap();
        assert_eq!(read_header(&bytes).unwrap(), (header, &[][..]));
        for length in 0..bytes.len() {
            assert_eq!(read_header(&bytes[..length]).unwrap_err().kind, CloudErrorKind::Header);
        }
    }
}

#[test]
fn c06_a_field_outside_the_point_is_refused_with_its_name() {
    for offset in [16, 13, u32::MAX] {
        let mut outside = fields(&XYZ, Some(0.001));
        outside.push(Field::new("intensity", offset as usize, FieldType::Float32));
        let header = Header {
            version: 4,
            width: 1,
            height: 1,
            point_step: 16,
            mode: Mode::Lossy,
            compression: Compression::None,
            fields: outside.clone(),
        };
        let mut bytes = write_header(&header).unwrap();
        bytes.extend(hex("07 00 00 00 01 01 01 00 00 00 00"));
        let error = all_paths(&bytes).unwrap_err();
        assert_eq!(error.kind, CloudErrorKind::Header);
        assert!(error.what.contains("intensity"), "{error}");
        let cloud = Cloud { fields: outside, width: 1, height: 1, point_step: 16, data: vec![0; 16] };
        let error = encode(&cloud, &EncodeOptions::lossy(4)).unwrap_err();
        assert!(error.what.contains("intensity"), "{error}");
    }
}

#[test]
fn c07_points_and_bytes_have_to_agree() {
    for bytes in [144, 168] {
        let error = Cloud::new(fields(&XYZ, None), 10, 1, 16, vec![0; bytes]).unwrap_err().to_string();
        assert!(error.contains("160") && error.contains(&bytes.to_string()), "{error}");
        let cloud =
            Cloud { fields: fields(&XYZ, None), width: 10, height: 1, point_step: 16, data: vec![0; bytes] };
        let error = encode(&cloud, &EncodeOptions::lossy(4)).unwrap_err();
        assert_eq!(error.kind, CloudErrorKind::Header);
        assert!(error.what.contains("160") && error.what.contains(&bytes.to_string()), "{error}");
    }
}

#[test]
fn points_of_no_bytes_are_refused_and_no_points_are_not() {
    let error = Cloud::new(Vec::new(), u32::MAX, 2, 0, Vec::new()).unwrap_err().to_string();
    assert!(error.contains("point_step is 0") && error.contains("4294967295 x 2"), "{error}");
    let cloud = Cloud { fields: Vec::new(), width: 1, height: 1, point_step: 0, data: Vec::new() };
    let error = encode(&cloud, &EncodeOptions::lossy(4)).unwrap_err();
    assert!(error.what.contains("point_step is 0"), "{error}");
    assert_eq!(Cloud::new(Vec::new(), 5, 0, 0, Vec::new()).unwrap().points(), 0);
}

#[test]
fn c14_sizes_that_wrap_in_32_bits_are_refused_before_memory_is_taken() {
    for (width, height, step) in [(65_536, 65_536, 16), (268_435_457, 1, 16), (u32::MAX, u32::MAX, u32::MAX)]
    {
        let header = Header {
            version: 4,
            width,
            height,
            point_step: step,
            mode: Mode::Lossy,
            compression: Compression::None,
            fields: fields(&XYZ, Some(0.001)),
        };
        let mut bytes = write_header(&header).unwrap();
        bytes.extend(hex("03 00 00 00 01 01 01"));
        all_paths(&bytes).unwrap_err();
    }
}

#[test]
fn points_without_fields_prove_nothing_and_are_refused() {
    for version in 2..=5 {
        for mode in [Mode::None, Mode::Lossy, Mode::Lossless] {
            for body in ["", "00 00 00 00", "01 00 00 00 00"] {
                assert_eq!(refusal(&file(version, mode, &[], u32::MAX, body)), CloudErrorKind::Header);
            }
        }
    }
    let cloud = Cloud { fields: Vec::new(), width: 3, height: 1, point_step: 1, data: vec![0; 3] };
    assert_eq!(encode(&cloud, &EncodeOptions::lossy(4)).unwrap_err().kind, CloudErrorKind::Header);
}

#[test]
fn a_point_step_that_nothing_proves_is_refused() {
    let header = Header {
        version: 4,
        width: 1,
        height: 1,
        point_step: u32::MAX,
        mode: Mode::Lossy,
        compression: Compression::None,
        fields: fields(&XYZ, Some(0.001)),
    };
    let mut bytes = write_header(&header).unwrap();
    bytes.extend(hex("03 00 00 00 01 01 01"));
    assert_eq!(refusal(&bytes), CloudErrorKind::Header);
}

#[test]
fn x4_every_resolution_comes_back_the_same() {
    let printed = |resolution: f32| {
        let bytes = file(4, Mode::Lossy, &fields(&XYZ, Some(resolution)), 0, "");
        let back = read_header(&bytes).unwrap().0.fields[0].resolution;
        assert_eq!(back.map(f32::to_bits), Some(resolution.to_bits()));
        let text = String::from_utf8(bytes).unwrap();
        let (_, text) = text.split_once("resolution: ").unwrap();
        text.split_once('\n').unwrap().0.to_owned()
    };
    for (resolution, text) in [
        (0.001, "0.001"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (1.0, "1"),
        (2.5e10, "2.5e+10"),
        (123_456.0, "123456"),
        (0.000_123_456_78, "0.00012345678"),
    ] {
        assert_eq!(printed(resolution), text);
    }
    for bits in (1..f32::INFINITY.to_bits()).step_by(9_999_991) {
        printed(f32::from_bits(bits));
    }
}

#[test]
fn text_headers_may_differ_in_order_and_style() {
    let text = "CLOUDINI_V05\nheight: 2\nfields:\n- name: 'a b'\n  type: 4\n  offset: 0\n- type: \"FLOAT32\"\n  \
                name: y\n  offset: 2\n  resolution: ~\nwidth: 3\nencoding_config:\n  depth:\n    - 1\npoint_step: 6\n\
                encoding_opt: LOSSLESS\r\ncompression_opt: ZSTD\nversion: 4\n\0rest";
    let (header, rest) = read_header(text.as_bytes()).unwrap();
    assert_eq!(rest, b"rest");
    assert_eq!((header.version, header.width, header.height, header.point_step), (5, 3, 2, 6));
    assert_eq!((header.mode, header.compression), (Mode::Lossless, Compression::Zstd));
    let names: Vec<_> = header.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["a b", "y"]);
    assert_eq!(header.fields[0].kind, FieldType::Uint16);
    for (from, to) in [
        ("width: 3", "width: three"),
        ("width: 3", "breadth: 3"),
        ("LOSSLESS", "LOSSY!"),
        ("ZSTD", "ZST"),
        ("type: 4", "type: 11"),
        ("name: y", "label: y"),
        ("point_step: 6\n", "point_step 6\n"),
        ("\0", ""),
    ] {
        let bad = text.replacen(from, to, 1);
        assert_eq!(read_header(bad.as_bytes()).unwrap_err().kind, CloudErrorKind::Header, "{to}");
    }
}

#[test]
fn names_come_back_from_both_headers() {
    let names =
        ["x", "", " x", "it's", "'", "a: b", "a #b", "#a", "-", "näme", "\"q\"", "a:", "null", "''", "a'b'"];
    for version in [2, 4] {
        let named = |name: &&str| Field::new(*name, 0, FieldType::Uint8);
        let fields: Vec<_> = names.iter().map(named).collect();
        let bytes = file(version, Mode::None, &fields, 0, "");
        assert_eq!(read_header(&bytes).unwrap().0.fields, fields);
    }
    let broken = cloud(vec![Field::new("a\nb", 0, FieldType::Uint8)], vec![1]);
    assert_eq!(encode(&broken, &EncodeOptions::lossy(4)).unwrap_err().kind, CloudErrorKind::Header);
    encode(&broken, &EncodeOptions::lossy(2)).unwrap();
}
