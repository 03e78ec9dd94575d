//! Chunks, stage 2 and the threads that share them.

use std::num::NonZeroUsize;

use variants::{Decoder, leb128_fast2::Leb128Fast2};
use varint_lab::cloud::{
    CHUNK_POINTS, Cloud, CloudErrorKind, Compression, EncodeOptions, FieldType, Header, Mode, Path, decode,
    decode_on, encode, read_header, write_header,
};

use crate::{all_paths, body, cloud, f32s, fields, file, hex, refusal};

const XYZ: [FieldType; 3] = [FieldType::Float32; 3];

/// xyz on a 1 mm grid and a ring number, as in the field report.
fn xyz_ring(points: usize) -> Cloud {
    let kinds = [XYZ[0], XYZ[0], XYZ[0], FieldType::Uint16];
    let data = (0..points).flat_map(|index| {
        let value = (index % 977) as f32 / 8.0;
        [f32s(&[value, -1.0 - value, 3.0]), ((index % 32) as u16).to_le_bytes().to_vec()].concat()
    });
    cloud(fields(&kinds, Some(0.125)), data.collect())
}

/// The lengths of a body's chunks.
fn lengths(mut body: &[u8]) -> Vec<usize> {
    let mut lengths = Vec::new();
    while let Some((length, rest)) = body.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        lengths.push(length);
        body = &rest[length..];
    }
    lengths
}

#[test]
fn c03_clouds_without_points_are_clouds() {
    assert_eq!(all_paths(&[]).unwrap().points(), 0);
    let fields = fields(&XYZ, Some(0.001));
    for version in 2..=5 {
        let empty = all_paths(&file(version, Mode::Lossy, &fields, 0, "")).unwrap();
        assert_eq!((empty.points(), empty.fields), (0, fields.clone()));
    }
    assert_eq!(refusal(&file(4, Mode::Lossy, &fields, 0, "03 00 00 00 01 01 01")), CloudErrorKind::Chunks);
}

#[test]
fn m10_a_cloud_with_all_sizes_zero_is_an_empty_cloud() {
    let nothing = Cloud { fields: Vec::new(), width: 0, height: 0, point_step: 0, data: Vec::new() };
    for version in 2..=5 {
        let bytes = encode(&nothing, &EncodeOptions::lossy(version)).unwrap();
        assert_eq!(all_paths(&bytes).unwrap(), nothing);
    }
}

#[test]
fn v13_an_empty_chunk_is_an_error_where_points_are_owed() {
    assert_eq!(
        refusal(&file(4, Mode::Lossy, &fields(&XYZ, Some(0.001)), 1, "00 00 00 00")),
        CloudErrorKind::Chunks
    );
}

#[test]
fn c08_chunks_are_cut_every_32768_points_and_start_anew() {
    for (points, chunks) in [
        (1, 1),
        (4095, 1),
        (4096, 1),
        (4097, 1),
        (32_767, 1),
        (32_768, 1),
        (32_769, 2),
        (65_536, 2),
        (65_537, 3),
    ] {
        let cloud = xyz_ring(points);
        for version in [4, 5] {
            let bytes = encode(&cloud, &EncodeOptions::lossy(version)).unwrap();
            assert_eq!(lengths(read_header(&bytes).unwrap().1).len(), chunks);
            assert!(all_paths(&bytes).unwrap() == cloud, "{} points", cloud.points());
        }
    }
    // The second chunk of one point is the first chunk of that point alone.
    let two = body(&xyz_ring(CHUNK_POINTS + 1), 4);
    let mut last = xyz_ring(CHUNK_POINTS + 1);
    last.data.drain(..CHUNK_POINTS * last.point_step);
    last.width = 1;
    assert!(two.ends_with(&body(&last, 4)));
}

#[test]
fn c08_chunks_that_do_not_fit_the_header_are_refused() {
    let short = fields(&[FieldType::Uint16], None);
    for (width, body, kind) in [
        (2, "01 00 00 00 03", CloudErrorKind::Truncated),
        (1, "05 00 00 00 03 03 03", CloudErrorKind::Chunks),
        (1, "FF FF FF FF 03", CloudErrorKind::Chunks),
        (1, "01 00 00", CloudErrorKind::Chunks),
        (1, "", CloudErrorKind::Chunks),
        (1, "01 00 00 00 03 01 00 00 00 03", CloudErrorKind::Chunks),
        (CHUNK_POINTS as u32 + 1, "01 00 00 00 03", CloudErrorKind::Chunks),
    ] {
        assert_eq!(refusal(&file(4, Mode::Lossy, &short, width, body)), kind, "{width} {body}");
    }
}

#[test]
fn x7_c08_left_over_bytes_are_ignored_by_version_4_and_refused_by_5() {
    let short = fields(&[FieldType::Uint16], None);
    let one = all_paths(&file(4, Mode::Lossy, &short, 1, "02 00 00 00 03 55")).unwrap();
    assert_eq!(one.data, [1, 0]);
    let refused = file(5, Mode::Lossy, &short, 1, "03 00 00 00 00 03 55");
    assert_eq!(refusal(&refused), CloudErrorKind::LeftOver);
    let accepted = file(5, Mode::Lossy, &short, 1, "02 00 00 00 00 03");
    assert_eq!(all_paths(&accepted).unwrap().data, [1, 0]);
    // Without a section, version 5 writes and reads what version 4 does.
    let group = file(5, Mode::Lossy, &fields(&XYZ, Some(1.0)), 1, "04 00 00 00 03 03 03 55");
    assert_eq!(all_paths(&group).unwrap().data, f32s(&[1.0; 3]));
}

#[test]
fn c05_stage_1_may_be_larger_than_the_points() {
    let packed = |fields: &[_], mode, compression, body| {
        let header = Header {
            version: 4,
            width: 1,
            height: 1,
            point_step: fields_step(fields),
            mode,
            compression,
            fields: fields.to_vec(),
        };
        let mut bytes = write_header(&header).unwrap();
        bytes.extend(hex(body));
        all_paths(&bytes).unwrap().data
    };
    let short = fields(&[FieldType::Uint16], None);
    let lz4 = packed(&short, Mode::Lossy, Compression::Lz4, "04 00 00 00 30 81 F1 04");
    let zstd = "0C 00 00 00 28 B5 2F FD 20 03 19 00 00 81 F1 04";
    let zstd = packed(&short, Mode::Lossy, Compression::Zstd, zstd);
    assert_eq!((lz4, zstd), (hex("40 9C"), hex("40 9C")));
    let far = "18 00 00 00 28 B5 2F FD 20 0F 79 00 00 81 A7 D6 B9 07 81 A7 D6 B9 07 81 A7 D6 B9 07";
    let far = packed(&fields(&XYZ, Some(0.001)), Mode::Lossy, Compression::Zstd, far);
    assert_eq!(far, f32s(&[1e6; 3]));
    let mixed = fields(&[FieldType::Float64, FieldType::Uint32], None);
    let exact = "0C 00 00 00 11 00 01 00 70 F8 3F FF FF FF FF 1F";
    let exact = packed(&mixed, Mode::Lossless, Compression::Lz4, exact);
    assert_eq!(exact, hex("00 00 00 00 00 00 F8 3F FF FF FF FF"));
}

/// The step of tight fields.
fn fields_step(fields: &[varint_lab::cloud::Field]) -> u32 {
    fields.iter().map(|field| field.kind.size() as u32).sum()
}

#[test]
fn stage_2_gives_the_same_points_and_damage_in_it_is_an_error() {
    let cloud = xyz_ring(40_000);
    for compression in [Compression::Lz4, Compression::Zstd] {
        for version in 2..=5 {
            let options = EncodeOptions { version, mode: Mode::Lossy, compression };
            let bytes = encode(&cloud, &options).unwrap();
            assert!(all_paths(&bytes).unwrap() == cloud, "{} points", cloud.points());
            let header = bytes.len() - read_header(&bytes).unwrap().1.len();
            let mut damaged = bytes.clone();
            damaged[header + 4..header + 40].fill(0xff);
            assert_eq!(refusal(&damaged), CloudErrorKind::Compression);
        }
    }
}

#[test]
fn a_bomb_in_stage_2_is_refused_by_what_an_encoder_would_write() {
    let header = |compression| Header {
        version: 4,
        width: 1,
        height: 1,
        point_step: 2,
        mode: Mode::Lossy,
        compression,
        fields: fields(&[FieldType::Uint16], None),
    };
    let zeros = vec![1; 64 << 20];
    let bombs = [
        (Compression::Zstd, zstd::bulk::compress(&zeros, 1).unwrap()),
        (Compression::Lz4, lz4_flex::block::compress(&zeros)),
    ];
    for (compression, bomb) in bombs {
        let mut bytes = write_header(&header(compression)).unwrap();
        bytes.extend((bomb.len() as u32).to_le_bytes());
        bytes.extend(bomb);
        assert_eq!(refusal(&bytes), CloudErrorKind::Compression);
    }
}

#[test]
fn threads_give_the_same_points_and_the_same_first_error() {
    let cloud = xyz_ring(5 * CHUNK_POINTS + 7);
    let decoder = Leb128Fast2::detect().unwrap();
    for version in [4, 5] {
        let mut bytes = encode(&cloud, &EncodeOptions::lossy(version)).unwrap();
        let whole = bytes.clone();
        let three = NonZeroUsize::new(3).unwrap();
        for path in Path::ALL {
            assert!(decode_on(&bytes, path, decoder, three).unwrap() == cloud, "{}", path.name());
        }
        // Two chunks are damaged: the first one counts.
        let start = bytes.len() - read_header(&bytes).unwrap().1.len();
        let lengths = lengths(&bytes[start..]);
        for chunk in [2, 4] {
            let place = start + lengths[..chunk].iter().map(|length| length + 4).sum::<usize>() + 4;
            bytes[place..place + 11].fill(0xff);
        }
        for path in Path::ALL {
            let error = decode(&bytes, path, decoder).unwrap_err();
            assert_eq!((error.kind, error.chunk), (CloudErrorKind::Overflow, Some(2)));
            assert_eq!((error.point, error.field.as_deref()), (Some(2 * CHUNK_POINTS), Some("f0")));
            assert_eq!(decode_on(&bytes, path, decoder, three).unwrap_err(), error);
            // What an error left behind is not seen by the next cloud of the same thread.
            assert!(decode(&whole, path, decoder).unwrap() == cloud, "{}", path.name());
        }
    }
}

/// Points that a cache cannot hold are stored past it, in whole lines where that is possible.
#[test]
fn clouds_beyond_the_cache_have_the_same_points() {
    let data = (0..CHUNK_POINTS).flat_map(|index| {
        let value = (index % 1013) as f32 / 8.0;
        f32s(&[value, -2.0 * value, if index % 50 == 0 { f32::NAN } else { 1.5 }, value / 2.0])
    });
    let one = cloud(fields(&[FieldType::Float32; 4], Some(0.0625)), data.collect());
    let bytes = encode(&one, &EncodeOptions::lossy(4)).unwrap();
    let expected = all_paths(&bytes).unwrap().data;
    let chunks = (32 << 20) / expected.len() + 1;
    let (header, chunk) = read_header(&bytes).unwrap();
    let mut many = write_header(&Header { width: header.width * chunks as u32, ..header }).unwrap();
    many.extend_from_slice(&chunk.repeat(chunks));
    let decoder = Leb128Fast2::detect().unwrap();
    let threads = NonZeroUsize::new(2).unwrap();
    let clouds = [decode(&many, Path::Block, decoder), decode_on(&many, Path::Block, decoder, threads)];
    for found in clouds {
        let found = found.unwrap().data;
        assert_eq!(found.len(), chunks * expected.len());
        assert!(found.chunks_exact(expected.len()).all(|points| points == expected));
    }
}
