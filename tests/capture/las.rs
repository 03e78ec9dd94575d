//! LAS and LAZ: the reported failures, on files that the `las` crate writes and that are then damaged.

use std::io::Cursor;

use ::las::{Builder, Point, Transform, Vector, Writer, point::Format};
use varint_lab::capture::las::{Survey, parse};

use crate::support::{assert_refused, bytes_of, refusal, u16s};

/// Where the header has it, by the specification.
const SOFTWARE: usize = 58;
const POINTS_AT: usize = 96;
const COUNT: usize = 107;
const SCALE_X: usize = 131;

/// A small survey file: point `n` has the integers n, -2n and 3 (n mod 7).
pub(crate) fn file(version: (u8, u8), format: u8, compressed: bool, points: i32) -> Vec<u8> {
    let mut builder = Builder::from(version);
    builder.point_format = Format::new(format).unwrap();
    builder.point_format.is_compressed = compressed;
    let transform = Transform { scale: 0.01, offset: 100.0 };
    builder.transforms = Vector { x: transform, y: transform, z: transform };
    let mut writer = Writer::new(Cursor::new(Vec::new()), builder.into_header().unwrap()).unwrap();
    for number in 0..points {
        let mut point = Point {
            x: 100.0 + f64::from(number) * 0.01,
            y: 100.0 - f64::from(number) * 0.02,
            z: 100.0 + f64::from(number % 7) * 0.03,
            intensity: (number % 500) as u16,
            ..Point::default()
        };
        let format = writer.header().point_format();
        point.gps_time = format.has_gps_time.then_some(f64::from(number) * 0.5);
        point.color = format.has_color.then(|| ::las::Color::new(1, 2, number as u16));
        writer.write_point(point).unwrap();
    }
    writer.into_inner().unwrap().into_inner()
}

fn put<const N: usize>(file: &mut [u8], at: usize, value: [u8; N]) {
    file[at..at + N].copy_from_slice(&value);
}

fn number<const N: usize>(file: &[u8], at: usize) -> [u8; N] {
    file[at..at + N].try_into().unwrap()
}

fn x(survey: &Survey) -> Vec<i32> {
    bytes_of(&survey.cloud, "x").map(i32::from_le_bytes).collect()
}

#[test]
fn stored_integers_come_out_of_las_and_laz_alike() {
    for (version, format) in [((1, 2), 0), ((1, 2), 3), ((1, 4), 6)] {
        let plain = parse(&file(version, format, false, 300)).unwrap();
        let packed = parse(&file(version, format, true, 300)).unwrap();
        assert_eq!(plain.cloud, packed.cloud);
        assert_eq!(x(&plain), (0..300).collect::<Vec<_>>());
        assert_eq!(plain.scale, [0.01; 3]);
        assert_eq!(u16s(&plain.cloud, "intensity"), (0..300).collect::<Vec<_>>());
        let y = bytes_of(&plain.cloud, "y").map(i32::from_le_bytes);
        assert!(y.eq((0..300).map(|number| -2 * number)));
        assert_eq!(plain.cloud.fields.iter().any(|field| field.name == "gps_time"), format != 0);
        if format == 3 {
            assert_eq!(u16s(&plain.cloud, "blue"), (0..300).collect::<Vec<_>>());
        }
    }
}

#[test]
fn p09_junk_behind_a_text_s_nul_is_left_out() {
    let mut file = file((1, 2), 0, false, 1);
    let mut text = [0; 32];
    text[..11].copy_from_slice(b"TEST - LasW");
    text[11..23].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0xfc, 0x39, 0xa2, 0x10]);
    put(&mut file, SOFTWARE, text);
    assert!(parse(&file).unwrap().software.starts_with("TEST - LasW"));
    text[11] = 0;
    put(&mut file, SOFTWARE, text);
    assert_eq!(parse(&file).unwrap().software, "TEST - LasW");
}

#[test]
fn p10_files_without_points_are_empty_clouds() {
    for compressed in [false, true] {
        assert_eq!(parse(&file((1, 2), 0, compressed, 0)).unwrap().cloud.points(), 0);
    }
}

/// Where a LAZ file's chunk table is.
fn chunk_table(file: &[u8]) -> usize {
    let points = u32::from_le_bytes(number(file, POINTS_AT)) as usize;
    u64::from_le_bytes(number(file, points)) as usize
}

/// Where the chunk size stands: behind twelve bytes of the compression record, the last record.
fn chunk_size(file: &[u8]) -> usize {
    let name = b"laszip encoded";
    let record = file.windows(name.len()).position(|bytes| bytes == name).unwrap();
    record + 16 + 2 + 2 + 32 + 12
}

#[test]
fn p11_chunk_tables_that_do_not_fit_are_refused() {
    let good = file((1, 2), 0, true, 100);
    let table = chunk_table(&good);
    for (chunks, words) in [(0_u32, "0 entries for 100 points"), (u32::MAX, "4294967295 entries")] {
        let mut file = good.clone();
        put(&mut file, table + 4, chunks.to_le_bytes());
        assert_refused(parse(&file), &[words]);
    }
    let points = u32::from_le_bytes(number(&good, POINTS_AT)) as usize;
    let mut missing = good.clone();
    put(&mut missing, points, u64::MAX.to_le_bytes());
    assert_refused(parse(&missing), &["chunk table"]);
    missing.truncate(table);
    assert_refused(parse(&missing), &["chunk table"]);
    put(&mut missing, points, (u64::MAX >> 1).to_le_bytes());
    assert_refused(parse(&missing), &["chunk table", "outside"]);

    // Fewer points in the chunks than promised.
    let at = chunk_size(&good);
    assert_eq!(u32::from_le_bytes(number(&good, at)), 50_000);
    let mut few = good.clone();
    put(&mut few, at, 99_u32.to_le_bytes());
    assert_refused(parse(&few), &["1 chunks of 99 points", "100 points"]);
    // Chunks of their own sizes, but the table lists none: whatever it is read as, an error.
    let mut variable = good;
    put(&mut variable, at, u32::MAX.to_le_bytes());
    refusal(parse(&variable));
}

/// A LAZ file of the same points in chunks of these sizes, which its table then lists.
fn in_chunks(version: (u8, u8), format: u8, sizes: &[usize]) -> Vec<u8> {
    let points = i32::try_from(sizes.iter().sum::<usize>()).unwrap();
    let plain = file(version, format, false, points);
    let records = &plain[u32::from_le_bytes(number(&plain, POINTS_AT)) as usize..];
    let mut packed = file(version, format, true, points);
    let size_at = chunk_size(&packed);
    put(&mut packed, size_at, u32::MAX.to_le_bytes());
    packed.truncate(u32::from_le_bytes(number(&packed, POINTS_AT)) as usize);
    let description = laz::LazVlr::from_buffer(&packed[size_at - 12..]).unwrap();
    let mut out = Cursor::new(packed);
    out.set_position(out.get_ref().len() as u64);
    let mut records = records.chunks(records.len() / points as usize);
    let mut compressor = laz::LasZipCompressor::new(out, description).unwrap();
    for &size in sizes {
        records.by_ref().take(size).for_each(|record| compressor.compress_one(record).unwrap());
        compressor.finish_current_chunk().unwrap();
    }
    compressor.done().unwrap();
    compressor.into_inner().into_inner()
}

#[test]
fn p11_chunks_of_their_own_sizes_are_read() {
    for (version, format) in [((1, 2), 0), ((1, 2), 3), ((1, 4), 6)] {
        let expected = parse(&file(version, format, false, 300)).unwrap();
        for sizes in [&[300][..], &[1, 299], &[120, 7, 100, 73]] {
            let found = parse(&in_chunks(version, format, sizes)).unwrap();
            assert_eq!(found.cloud, expected.cloud, "format {format}, chunks of {sizes:?}");
        }
    }
}

#[test]
fn p11_compression_of_other_records_is_refused() {
    let mut file = file((1, 2), 0, true, 10);
    let item_size = chunk_size(&file) + 4 + 16 + 2 + 2;
    assert_eq!(u16::from_le_bytes(number(&file, item_size)), 20);
    put(&mut file, item_size, 40_u16.to_le_bytes());
    assert_refused(parse(&file), &["40 bytes a point", "20"]);
}

#[test]
fn p12_a_short_file_says_how_far_it_went() {
    let mut file = file((1, 4), 6, false, 5000);
    // Formats from 6 on have no 32-bit count.
    put(&mut file, COUNT, [0; 4]);
    let points = u32::from_le_bytes(number(&file, POINTS_AT)) as usize;
    assert_eq!(parse(&file).unwrap().cloud.points(), 5000);
    file.truncate(points + 30 * 1222 + 11);
    assert_refused(parse(&file), &["1222 of 5000 points"]);
}

#[test]
fn p12_a_short_laz_file_is_refused() {
    let whole = file((1, 2), 0, true, 5000);
    // The table has to be there, so the points are what is cut: the file's end moves up.
    let table = chunk_table(&whole);
    let points = u32::from_le_bytes(number(&whole, POINTS_AT)) as usize;
    let mut short = whole[..points + 500].to_vec();
    let at = short.len() as u64;
    short.extend_from_slice(&whole[table..]);
    put(&mut short, points, at.to_le_bytes());
    assert_refused(parse(&short), &["of 5000 points"]);
}

#[test]
fn p13_scales_that_make_no_coordinates_are_refused() {
    let good = file((1, 2), 0, false, 3);
    for scale in [0.0, f64::NAN, f64::INFINITY] {
        let mut file = good.clone();
        put(&mut file, SCALE_X, scale.to_le_bytes());
        assert_refused(parse(&file), &[&format!("scale {scale}"), "x"]);
    }
    let points = u32::from_le_bytes(number(&good, POINTS_AT)) as usize;
    let mut file = good;
    put(&mut file, SCALE_X, 1e300_f64.to_le_bytes());
    put(&mut file, points, i32::MAX.to_le_bytes());
    assert_refused(parse(&file), &["1 points have no finite x", "scale 1"]);
    // An odd scale leaves the integers as they are.
    put(&mut file, SCALE_X, 1.140027523e-05_f64.to_le_bytes());
    let survey = parse(&file).unwrap();
    assert_eq!(x(&survey), [i32::MAX, 1, 2]);
    assert_eq!(survey.scale[0], 1.140027523e-05);
}

#[test]
fn counts_beyond_any_file_are_refused() {
    let mut file = file((1, 4), 6, false, 3);
    // LAS 1.4 has its 64-bit count at 247.
    assert_eq!(u64::from_le_bytes(number(&file, 247)), 3);
    put(&mut file, 247, 4_u64.to_le_bytes());
    assert_refused(parse(&file), &["3 points", "4 points"]);
    put(&mut file, COUNT, [0; 4]);
    for (count, words) in [(u64::MAX, "more than any file"), (1 << 33, "more than a cloud")] {
        put(&mut file, 247, count.to_le_bytes());
        assert_refused(parse(&file), &[words]);
    }
    put(&mut file, 247, 4_u64.to_le_bytes());
    assert_refused(parse(&file), &["3 of 4 points"]);
}

#[test]
fn other_files_and_versions_are_refused() {
    assert_refused(parse(b"LASF"), &["no LAS"]);
    assert_refused(parse(&[0; 400]), &["no LAS"]);
    let mut file = file((1, 2), 0, false, 1);
    file[25] = 9;
    assert_refused(parse(&file), &["LAS 1.9"]);
}

#[test]
fn no_cut_is_taken_for_the_whole() {
    let plain = file((1, 2), 0, false, 3);
    for length in 0..plain.len() {
        assert!(parse(&plain[..length]).is_err(), "{length} of {}", plain.len());
    }
    let packed = file((1, 2), 0, true, 50);
    for length in 0..chunk_table(&packed) {
        assert!(parse(&packed[..length]).is_err(), "{length} of {}", packed.len());
    }
}

#[test]
fn no_changed_byte_makes_a_panic_or_another_size() {
    for compressed in [false, true] {
        crate::support::survive_changes(&file((1, 2), 1, compressed, 5), |bytes| {
            parse(bytes).inspect(|survey| {
                let cloud = &survey.cloud;
                assert_eq!(cloud.data.len(), cloud.points() * cloud.point_step);
            })
        });
    }
}
