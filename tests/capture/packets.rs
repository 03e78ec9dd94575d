//! pcap framing, Ouster and Velodyne packets, on files of a few packets that are built here.

use varint_lab::{
    capture::{
        ouster,
        pcap::datagrams,
        velodyne::{self, Model},
    },
    cloud::Cloud,
    error::Error,
};

use crate::support::{assert_prefixes_refused, assert_refused, f32s, survive_changes, u16s};

/// How a capture file writes its numbers.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    big: bool,
    nano: bool,
}

pub(crate) const LITTLE: Kind = Kind { big: false, nano: false };

pub(crate) fn pcap(kind: Kind, frames: &[Vec<u8>]) -> Vec<u8> {
    let number = |value: u32| if kind.big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut file = Vec::new();
    file.extend(number(if kind.nano { 0xa1b2_3c4d } else { 0xa1b2_c3d4 }));
    file.extend(if kind.big { [0, 2, 0, 4] } else { [2, 0, 4, 0] });
    for value in [0, 0, 65_535, 1] {
        file.extend(number(value));
    }
    for frame in frames {
        for value in [1_000, 7, frame.len() as u32, frame.len() as u32] {
            file.extend(number(value));
        }
        file.extend(frame);
    }
    file
}

/// Ethernet, IPv4 and UDP around a payload.
pub(crate) fn frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2; 12];
    frame.extend([0x08, 0x00, 0x45, 0]);
    frame.extend((payload.len() as u16 + 28).to_be_bytes());
    frame.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    frame.extend(7_503_u16.to_be_bytes());
    frame.extend(7_502_u16.to_be_bytes());
    frame.extend((payload.len() as u16 + 8).to_be_bytes());
    frame.extend([0, 0]);
    frame.extend(payload);
    frame
}

#[test]
fn both_byte_orders_and_both_time_units() {
    for (big, nano) in [(false, false), (false, true), (true, false), (true, true)] {
        let file = pcap(Kind { big, nano }, &[frame(b"one"), frame(b"")]);
        let found = datagrams(&file).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].payload, found[0].port), (&b"one"[..], 7_502));
        assert_eq!(found[0].time, 1_000_000_000_000 + if nano { 7 } else { 7_000 });
        assert_eq!(found[1].payload, b"");
    }
}

#[test]
fn padding_tags_and_options_are_not_payload() {
    let mut padded = frame(b"ab");
    padded.resize(60, 0xee);
    let mut tagged = frame(b"cd");
    tagged.splice(12..12, [0x81, 0x00, 0x00, 0x05]);
    let mut options = frame(b"ef");
    options[14] = 0x46;
    options.splice(34..34, [1, 1, 1, 0]);
    let file = pcap(LITTLE, &[padded, tagged, options]);
    let payloads: Vec<&[u8]> = datagrams(&file).unwrap().iter().map(|found| found.payload).collect();
    assert_eq!(payloads, [b"ab", b"cd", b"ef"]);
}

#[test]
fn other_packets_are_passed_over() {
    let mut tcp = frame(b"ab");
    tcp[23] = 6;
    let mut arp = frame(b"ab");
    arp[12..14].copy_from_slice(&[0x08, 0x06]);
    assert_eq!(datagrams(&pcap(LITTLE, &[tcp, arp, vec![1, 2, 3]])).unwrap(), []);
}

#[test]
fn incomplete_datagrams_are_refused_by_packet() {
    let mut fragment = frame(b"ab");
    fragment[20] = 0x20;
    assert_refused(datagrams(&pcap(LITTLE, &[frame(b""), fragment])), &["packet 2", "fragment"]);
    let mut short = frame(b"abcdef");
    short.truncate(44);
    assert_refused(datagrams(&pcap(LITTLE, &[short])), &["packet 1", "UDP payload"]);
    let mut impossible = frame(b"");
    impossible[39] = 7;
    assert_refused(datagrams(&pcap(LITTLE, &[impossible])), &["packet 1", "7"]);
}

#[test]
fn other_files_are_refused() {
    assert_refused(datagrams(&[0x0a, 0x0d, 0x0d, 0x0a, 0, 0]), &["pcapng", "editcap"]);
    assert_refused(datagrams(b"LASF"), &["no pcap"]);
    assert_refused(datagrams(b""), &["no pcap"]);
    let mut raw = pcap(LITTLE, &[]);
    raw[20] = 101;
    assert_refused(datagrams(&raw), &["link type 101"]);
}

#[test]
fn a_cut_inside_a_packet_is_refused_and_no_change_panics() {
    let file = pcap(LITTLE, &[frame(b"abc")]);
    for length in (0..24).chain(25..file.len()) {
        assert!(datagrams(&file[..length]).is_err(), "{length}");
    }
    assert_eq!(datagrams(&file[..24]).unwrap(), []);
    survive_changes(&file, |bytes| datagrams(bytes).map(|_| ()));
}

/// Sixteen columns; pixel 0 of each has a range, pixel 1 the highest flag bits and no range.
fn ouster_packet(first_column: u32, status: u32) -> Vec<u8> {
    let mut packet = Vec::new();
    for column in 0..16 {
        let number = first_column + column;
        packet.extend((1_000_000 + 100 * u64::from(number)).to_le_bytes());
        packet.extend([0; 4]);
        packet.extend((number * 88).to_le_bytes());
        for ring in 0..64_u32 {
            let range: u32 = match ring {
                0 => 0xff00_0000 | 2_000,
                1 => 0x0010_0000,
                _ => 0,
            };
            packet.extend(range.to_le_bytes());
            for value in [3_u16, 4, 5, 0] {
                packet.extend(value.to_le_bytes());
            }
        }
        packet.extend(status.to_le_bytes());
    }
    packet
}

fn beams() -> Vec<u8> {
    let list = |value: f64| format!("[{}]", vec![value.to_string(); 64].join(","));
    format!("{{\"beam_altitude_angles\": {}, \"beam_azimuth_angles\": {}}}", list(30.0), list(90.0))
        .into_bytes()
}

#[test]
fn an_ouster_pixel_has_twenty_bits_of_range() {
    let file = pcap(LITTLE, &[frame(&ouster_packet(0, u32::MAX)), frame(&[0; 48])]);
    let cloud = ouster::firing_order(&file, &beams()).unwrap();
    assert_eq!(cloud.points(), 16);
    // 2 m, 30 degrees up, a quarter turn clockwise: to the right.
    let point = [f32s(&cloud, "x")[0], f32s(&cloud, "y")[0], f32s(&cloud, "z")[0]];
    for (found, expected) in point.iter().zip([0.0, -3_f32.sqrt(), 1.0]) {
        assert!((found - expected).abs() < 1e-6, "{point:?}");
    }
    assert_eq!(f32s(&cloud, "intensity"), [4.0; 16]);
    assert_eq!(u16s(&cloud, "reflectivity"), [3; 16]);
    assert_eq!(u16s(&cloud, "ambient"), [5; 16]);
    let times = crate::support::bytes_of(&cloud, "t").map(u32::from_le_bytes);
    assert!(times.eq((0..16).map(|column| 100 * column)));

    let scan = ouster::organized(&file, &beams(), 16).unwrap();
    assert_eq!((scan.width, scan.height), (16, 64));
    assert!(f32s(&scan, "x")[..16].iter().all(|x| !x.is_nan()));
    assert!(f32s(&scan, "x")[16..].iter().all(|x| x.is_nan()));
    assert_refused(ouster::organized(&file, &beams(), 17), &["16 columns", "17"]);
}

#[test]
fn ouster_columns_that_were_not_measured_have_no_returns() {
    let file = pcap(LITTLE, &[frame(&ouster_packet(0, 0))]);
    assert_eq!(ouster::firing_order(&file, &beams()).unwrap().points(), 0);
    assert!(f32s(&ouster::organized(&file, &beams(), 16).unwrap(), "x").iter().all(|x| x.is_nan()));
}

#[test]
fn ouster_files_without_packets_or_angles_are_refused() {
    let file = pcap(LITTLE, &[frame(&[0; 48])]);
    assert_refused(ouster::firing_order(&file, &beams()), &["none of its 1", "12608"]);
    assert_refused(ouster::firing_order(&file, b"{}"), &["beam angles", "beam_altitude_angles"]);
    let short = b"{\"beam_altitude_angles\": [1], \"beam_azimuth_angles\": [1]}";
    assert_refused(ouster::firing_order(&file, short), &["1 beams", "64"]);
}

/// Twelve blocks, 10 degrees apart, from an azimuth in hundredths; only these returns of each have 10 m.
pub(crate) fn velodyne_packet(azimuth: u32, returns: &[usize], timestamp: u32, mode: u8) -> Vec<u8> {
    let mut packet = Vec::new();
    for block in 0..12 {
        packet.extend([0xff, 0xee]);
        packet.extend((((azimuth + 1_000 * block) % 36_000) as u16).to_le_bytes());
        for index in 0..32 {
            let distance: u16 = if returns.contains(&index) { 5_000 } else { 0 };
            packet.extend(distance.to_le_bytes());
            packet.push(index as u8);
        }
    }
    packet.extend(timestamp.to_le_bytes());
    packet.extend([mode, 0x21]);
    packet
}

fn velodyne(model: Model, packets: &[Vec<u8>]) -> Result<Cloud, Error> {
    let frames: Vec<_> = packets.iter().map(|packet| frame(packet)).collect();
    velodyne::firing_order(&pcap(LITTLE, &frames), model)
}

/// Clockwise from ahead, in degrees.
fn azimuths(cloud: &Cloud) -> Vec<f32> {
    let (x, y) = (f32s(cloud, "x"), f32s(cloud, "y"));
    x.iter().zip(y).map(|(x, y)| (-y).atan2(*x).to_degrees().rem_euclid(360.0)).collect()
}

fn elevations(cloud: &Cloud) -> Vec<f32> {
    f32s(cloud, "z").iter().map(|z| (z / 10.0).asin().to_degrees()).collect()
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 2e-3, "{found}, not {expected}");
    }
}

#[test]
fn lasers_have_the_manuals_angles() {
    let all: Vec<usize> = (0..32).collect();
    let vlp16 = velodyne(Model::Vlp16, &[velodyne_packet(0, &all, 0, 0x37)]).unwrap();
    let angles = [-15, 1, -13, 3, -11, 5, -9, 7, -7, 9, -5, 11, -3, 13, -1, 15].map(|angle| angle as f32);
    assert_close(&elevations(&vlp16)[..16], &angles);
    assert_close(&elevations(&vlp16)[16..32], &angles);
    assert_eq!(u16s(&vlp16, "ring")[..16], [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15]);
    let hdl32 = velodyne(Model::Hdl32e, &[velodyne_packet(0, &all, 0, 0x37)]).unwrap();
    let found = elevations(&hdl32);
    // The manual rounds to hundredths.
    for (laser, angle) in
        [(0, -30.67), (1, -9.33), (2, -29.33), (15, 0.0), (29, 9.33), (30, -10.67), (31, 10.67)]
    {
        assert!((found[laser] - angle).abs() < 5e-3, "laser {laser}: {}, not {angle}", found[laser]);
    }
}

#[test]
fn azimuths_go_on_inside_a_block_and_over_north() {
    let cloud = velodyne(Model::Vlp16, &[velodyne_packet(35_500, &[0, 16], 0, 0x37)]).unwrap();
    // The second firing of a block is half a block later.
    let expected: Vec<f32> = (0..24).map(|half| (355.0 + 5.0 * half as f32) % 360.0).collect();
    // Just under a full turn is as good as none.
    let found: Vec<f32> = azimuths(&cloud).iter().map(|azimuth| (azimuth + 1e-3) % 360.0).collect();
    assert_close(&found, &expected);
    let cloud = velodyne(Model::Hdl32e, &[velodyne_packet(0, &[31], 0, 0x37)]).unwrap();
    assert_close(&azimuths(&cloud)[..2], &[10.0 * 31.0 * 1.152 / 46.08, 10.0 + 10.0 * 31.0 * 1.152 / 46.08]);
}

#[test]
fn time_goes_on_over_the_full_hour() {
    let packets = [velodyne_packet(0, &[0], 3_599_999_000, 0x37), velodyne_packet(0, &[0], 327, 0x38)];
    let time = f32s(&velodyne(Model::Vlp16, &packets).unwrap(), "time");
    assert!((time[0], time.len()) == (0.0, 24), "{time:?}");
    assert!((time[1] - 110.592e-6).abs() < 1e-9 && (time[12] - 1_327e-6).abs() < 1e-9, "{time:?}");
}

#[test]
fn velodyne_packets_of_other_kinds_are_refused() {
    let mut flag = velodyne_packet(0, &[], 0, 0x37);
    flag[100..102].copy_from_slice(&[0xff, 0xdd]);
    let good = velodyne_packet(0, &[], 0, 0x37);
    assert_refused(velodyne(Model::Vlp16, &[good, flag]), &["data packet 2", "block 1", "ff dd"]);
    let mut azimuth = velodyne_packet(0, &[], 0, 0x37);
    azimuth[2..4].copy_from_slice(&36_000_u16.to_le_bytes());
    assert_refused(velodyne(Model::Vlp16, &[azimuth]), &["block 0", "36000"]);
    assert_refused(velodyne(Model::Vlp16, &[velodyne_packet(0, &[], 0, 0x39)]), &["dual returns"]);
    assert_refused(velodyne(Model::Vlp16, &[vec![0; 512]]), &["none of its 1", "1206"]);
}

#[test]
fn packets_cut_or_changed_make_no_panic() {
    let file = pcap(LITTLE, &[frame(&velodyne_packet(35_500, &[0, 31], 5, 0x37))]);
    assert_prefixes_refused(&file, |bytes| velodyne::firing_order(bytes, Model::Vlp16));
    survive_changes(&file, |bytes| velodyne::firing_order(bytes, Model::Hdl32e));
}
