//! Files that cloudini wrote (commit d202e52, x86-64): the same bytes out of our encoder, the same points out of
//! our decoder. The figures are FNV-1a 64 hashes.

use std::{
    fs,
    path::{Path as FilePath, PathBuf},
};

use variants::{Decoder, leb128_loop::Leb128Loop};
use varint_lab::{
    capture,
    cloud::{Cloud, Compression, EncodeOptions, Mode, Path, decode, encode, read_header},
    fnv::Fnv,
};

use crate::all_paths;

/// One file: name of the cloud, version, mode, stage 2, bytes, header bytes, and the hashes of the file, of what
/// follows the header, and of the decoded points.
type Row = (&'static str, u8, &'static str, &'static str, usize, usize, u64, u64, u64);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("cloudini_lidar", 4, "LOSSY", "NONE", 567028, 387, 0x6ad7f42fa9d47ec3, 0x800e6ccaa0348f63, 0xdcd32492c331c988),
    ("cloudini_lidar", 4, "LOSSLESS", "NONE", 1846566, 390, 0x493e757d3320d7f2, 0x0f4956792fe8c7b0, 0xf1a7df90622a385d),
    ("cloudini_lidar", 4, "LOSSY", "LZ4", 569119, 386, 0x36eba2fd56348b76, 0x9935aa1955e0fe00, 0xdcd32492c331c988),
    ("cloudini_lidar", 4, "LOSSY", "ZSTD", 459480, 387, 0x2b155bf410a7d841, 0x64871d9a9c061c8c, 0xdcd32492c331c988),
    ("cloudini_lidar", 5, "LOSSY", "NONE", 567028, 387, 0xd8b95f6208899099, 0x800e6ccaa0348f63, 0xdcd32492c331c988),
    ("cloudini_lidar", 5, "LOSSY", "LZ4", 569119, 386, 0x5cde7a0a1aa4e308, 0x9935aa1955e0fe00, 0xdcd32492c331c988),
    ("cloudini_lidar", 5, "LOSSY", "ZSTD", 459480, 387, 0x97535073af2cbd47, 0x64871d9a9c061c8c, 0xdcd32492c331c988),
    ("cloudini_dds", 4, "LOSSY", "NONE", 498072, 528, 0xe1fd0ae6cc727690, 0xc2608758cd0af5d5, 0xee5ff9fe2202fa15),
    ("cloudini_dds", 4, "LOSSLESS", "NONE", 1153547, 531, 0x3a35b3b94ba4db9e, 0xd10c992ee08d9c51, 0xd0ff249baa886eb3),
    ("cloudini_dds", 4, "LOSSY", "LZ4", 205951, 527, 0x70bcaaefdca7bdc6, 0x96c07a0c643d1e85, 0xee5ff9fe2202fa15),
    ("cloudini_dds", 4, "LOSSY", "ZSTD", 173395, 528, 0x0edeb39c1582af14, 0x24f3ec786417f1f2, 0xee5ff9fe2202fa15),
    ("cloudini_dds", 5, "LOSSY", "NONE", 442082, 528, 0x56c03cc916e47320, 0x0100e43ec71812a7, 0xee5ff9fe2202fa15),
    ("cloudini_dds", 5, "LOSSY", "LZ4", 208224, 527, 0x34ee082255456823, 0x0115fb8e16907958, 0xee5ff9fe2202fa15),
    ("cloudini_dds", 5, "LOSSY", "ZSTD", 174737, 528, 0xef9e2e96ab7f678b, 0x77e36fb3ed57212f, 0xee5ff9fe2202fa15),
    ("nebula_vlp16", 4, "LOSSY", "NONE", 212276, 824, 0x40edb5b074909bb3, 0xc01ac75d9a25b26c, 0x717d9ddc954f0608),
    ("nebula_vlp16", 4, "LOSSLESS", "NONE", 433609, 827, 0x2c148fd2030103e5, 0xf1ed044e49a431d8, 0xba47605169e9b764),
    ("nebula_vlp16", 4, "LOSSY", "LZ4", 173710, 823, 0x4620d40dd7b59e6c, 0x47c9db86728135f3, 0x717d9ddc954f0608),
    ("nebula_vlp16", 4, "LOSSY", "ZSTD", 145195, 824, 0x2dbc567f8abdaf90, 0xd2ae75f0fa7f6af4, 0x717d9ddc954f0608),
    ("nebula_vlp16", 5, "LOSSY", "NONE", 190685, 824, 0x5637c6bf66049dd8, 0x08d2aa3fa9404fa3, 0x717d9ddc954f0608),
    ("nebula_vlp16", 5, "LOSSY", "LZ4", 159140, 823, 0xaa206bb5948577ad, 0xe1ac212f2efc82a8, 0x717d9ddc954f0608),
    ("nebula_vlp16", 5, "LOSSY", "ZSTD", 138183, 824, 0x016ef80c77330e3e, 0x87e890159e8c4220, 0x717d9ddc954f0608),
    ("libwave_hdl32_padded", 4, "LOSSY", "NONE", 517176, 454, 0x3962b1c65ad913d6, 0xf3e313f2e81eae05, 0x6fd51680e7f77ad6),
    ("libwave_hdl32_padded", 4, "LOSSLESS", "NONE", 936604, 457, 0x41a225770bb8a0e5, 0xbc9de8503c8bbbfa, 0x91e5c19499427ba5),
    ("libwave_hdl32_padded", 4, "LOSSY", "LZ4", 432458, 453, 0x4f6a8d92dd0203de, 0x4011e8ee575536d1, 0x6fd51680e7f77ad6),
    ("libwave_hdl32_padded", 4, "LOSSY", "ZSTD", 412461, 454, 0x811ce13922394f3c, 0xc1f1555790d52ae8, 0x6fd51680e7f77ad6),
    ("libwave_hdl32_padded", 5, "LOSSY", "NONE", 496644, 454, 0x6ad4751cf66e6d51, 0x8da124ad3b5cf5f0, 0x6fd51680e7f77ad6),
    ("libwave_hdl32_padded", 5, "LOSSY", "LZ4", 448237, 453, 0xfc7578d19213adc5, 0xda68ce7a4b86972a, 0x6fd51680e7f77ad6),
    ("libwave_hdl32_padded", 5, "LOSSY", "ZSTD", 407946, 454, 0x139154ecc197befc, 0x2a0e8e6c6cc2188e, 0x6fd51680e7f77ad6),
    ("pjlab_drive_468", 4, "LOSSY", "NONE", 828826, 528, 0xc194803173bccd58, 0xa51330446aed8da7, 0x7c6fec1bfd03b02a),
    ("pjlab_drive_468", 4, "LOSSLESS", "NONE", 1455934, 531, 0x6ccb00f1ba46e5b4, 0xc3dafdbaaf3e3a33, 0xf12d0b17adc111f1),
    ("pjlab_drive_468", 4, "LOSSY", "LZ4", 789993, 527, 0x48a3182e6c21ba34, 0x3cb029c9905bbc01, 0x7c6fec1bfd03b02a),
    ("pjlab_drive_468", 4, "LOSSY", "ZSTD", 707953, 528, 0xf4fdf7404482b82d, 0x7f0f65e6a92d1eed, 0x7c6fec1bfd03b02a),
    ("pjlab_drive_468", 5, "LOSSY", "NONE", 809001, 528, 0x2b0d9b1b2c98894f, 0x4f326cff6b35a89c, 0x7c6fec1bfd03b02a),
    ("pjlab_drive_468", 5, "LOSSY", "LZ4", 784935, 527, 0xcd489ff8a1ba1608, 0x980c964e8b8e9f73, 0x7c6fec1bfd03b02a),
    ("pjlab_drive_468", 5, "LOSSY", "ZSTD", 705455, 528, 0x08d53e53423799cd, 0xbaa336b16b317b1b, 0x7c6fec1bfd03b02a),
    ("ouster_os1_128_nan", 4, "LOSSY", "NONE", 1733784, 736, 0xb1c6e051013e6a6c, 0x1dc8d5fd193c49f0, 0xa9632e21fbd1ffee),
    ("ouster_os1_128_nan", 4, "LOSSLESS", "NONE", 3102745, 739, 0x634408d961b24130, 0xb2f30418ee0a9d1c, 0x8fbd0b8da1ecd7e6),
    ("ouster_os1_128_nan", 4, "LOSSY", "LZ4", 1551737, 735, 0x645ae8ee23b4ef6c, 0x905e8b2dbe5f23dc, 0xa9632e21fbd1ffee),
    ("ouster_os1_128_nan", 4, "LOSSY", "ZSTD", 1216470, 736, 0xfb097a4a7b0450e1, 0x8bb99ba5b6f655b4, 0xa9632e21fbd1ffee),
    ("ouster_os1_128_nan", 5, "LOSSY", "NONE", 1335677, 736, 0xbad2324b57f8e70c, 0x3eaf1310c9ea0c22, 0xa9632e21fbd1ffee),
    ("ouster_os1_128_nan", 5, "LOSSY", "LZ4", 1045899, 735, 0x97351460eac4542d, 0x2e1ef64bc6e32de7, 0xa9632e21fbd1ffee),
    ("ouster_os1_128_nan", 5, "LOSSY", "ZSTD", 866075, 736, 0x862f9d7e42416609, 0xd43b5d87067178a4, 0xa9632e21fbd1ffee),
];

/// The folder of the files, if it is there.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = FilePath::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/golden"));
    if folder.is_dir() {
        return Some(folder.to_owned());
    }
    println!("skipped: the golden files are not beside this clone");
    None
}

/// A golden file and its row, for those that are there.
pub(crate) fn files() -> Vec<(Row, Vec<u8>)> {
    let Some(folder) = folder() else { return Vec::new() };
    let read = |row: &Row| {
        let &(cloud, version, mode, compression, ..) = row;
        let name = format!("{cloud}.v{version}.{mode}.{compression}.cloudini").to_lowercase();
        fs::read(folder.join(name)).ok().map(|bytes| (*row, bytes))
    };
    let files: Vec<_> = ROWS.iter().filter_map(read).collect();
    assert!(files.len() >= 30, "a cloud's files are missing");
    files
}

#[test]
fn golden_files_decode_to_their_points_by_every_path() {
    for ((cloud, version, mode, compression, length, header, file, body, points), bytes) in files() {
        let name = format!("{cloud}.v{version}.{mode}.{compression}");
        assert_eq!((bytes.len(), Fnv::of(&bytes), Fnv::of(&bytes[header..])), (length, file, body), "{name}");
        let (read, behind) = read_header(&bytes).unwrap();
        assert_eq!(bytes.len() - behind.len(), header, "{name}");
        assert_eq!((read.version, read.mode.name(), read.compression.name()), (version, mode, compression));
        let decoded = all_paths(&bytes).unwrap();
        assert_eq!(Fnv::of(&decoded.data), points, "{name}");
    }
}

/// What a row's file is written with.
fn options(&(_, version, mode, compression, ..): &Row) -> EncodeOptions {
    let mode = [Mode::None, Mode::Lossy, Mode::Lossless].into_iter().find(|known| known.name() == mode);
    let compression = [Compression::None, Compression::Lz4, Compression::Zstd]
        .into_iter()
        .find(|known| known.name() == compression);
    EncodeOptions { version, mode: mode.unwrap(), compression: compression.unwrap() }
}

/// The encoder has to write upstream's bytes for stage 2 NONE, and bytes that decode to upstream's points for the
/// others.
fn check_encoder(name: &str, cloud: &Cloud) {
    for row in ROWS.iter().filter(|row| row.0 == name) {
        let &(_, version, mode, compression, length, header, file, body, points) = row;
        let label = format!("{name}.v{version}.{mode}.{compression}");
        let bytes = encode(cloud, &options(row)).unwrap();
        if compression == "NONE" {
            assert_eq!(
                (Fnv::of(&bytes[header..]), Fnv::of(&bytes), bytes.len()),
                (body, file, length),
                "{label}"
            );
        }
        let back = decode(&bytes, Path::Block, Leb128Loop::detect().unwrap()).unwrap();
        assert_eq!(Fnv::of(&back.data), points, "{label}");
    }
}

/// LOSSLESS keeps every bit, so its file is the cloud.
#[test]
fn encoding_the_golden_clouds_gives_upstreams_bytes() {
    let lossless = |row: &Row| row.2 == "LOSSLESS";
    for (row, bytes) in files().into_iter().filter(|(row, _)| lossless(row)) {
        let cloud = decode(&bytes, Path::PerPoint, Leb128Loop::detect().unwrap()).unwrap();
        check_encoder(row.0, &cloud);
    }
}

#[test]
fn encoding_the_bundled_captures_gives_upstreams_bytes() {
    for (capture, golden) in [("hdl64-rings", "cloudini_lidar"), ("spin32-columns", "cloudini_dds")] {
        let cloud = capture::bundled(capture).unwrap().cloud.with_resolution(0.001);
        check_encoder(golden, &cloud);
    }
}
