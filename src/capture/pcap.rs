//! Classic pcap, both byte orders, micro- and nanoseconds: the UDP datagrams in it.
//!
//! Source: draft-ietf-opsawg-pcap ("PCAP Capture File Format"), IEEE 802.3 and 802.1Q, RFC 791, RFC 768.

use std::io::{self, Read};

use super::cursor::{Cursor, Endian};
use crate::error::{Error, Result};

/// Bytes in front of the packets, and in front of each packet.
const FILE_HEADER: usize = 24;
const PACKET_HEADER: usize = 16;

/// The link type LINKTYPE_ETHERNET, the only one that is read.
const ETHERNET: u32 = 1;

/// One UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// When it was captured, in nanoseconds since 1970.
    pub time: u64,
    /// The port it was sent to.
    pub port: u16,
    /// What the sensor sent.
    pub payload: &'a [u8],
}

/// All UDP datagrams over IPv4 of a capture file, in its order; other packets are passed over.
///
/// # Errors
/// Says at which packet the file ends or a datagram is incomplete: cut short by the recorder, or a fragment.
pub fn datagrams(file: &[u8]) -> Result<Vec<Datagram<'_>>> {
    let (mut cursor, fraction) = open(file)?;
    let mut datagrams = Vec::new();
    for number in 1_u64.. {
        if cursor.rest().is_empty() {
            break;
        }
        let at = |error: Error| error.within(format!("packet {number}"));
        let (time, captured) = packet_header(&mut cursor, fraction).map_err(at)?;
        let frame = cursor.take(captured, "its bytes").map_err(at)?;
        if let Some((port, payload)) = udp(frame).map_err(at)? {
            datagrams.push(Datagram { time, port, payload });
        }
    }
    Ok(datagrams)
}

/// The UDP datagrams of a capture file as its bytes come, for files that do not fit in memory.
pub(super) struct Packets<R> {
    source: R,
    endian: Endian,
    fraction: u64,
    /// The packet that was read last, counted from 1.
    number: u64,
    ended: bool,
}

/// One UDP datagram with bytes of its own: time, port and payload as in [`Datagram`].
pub(super) type Owned = (u64, u16, Vec<u8>);

impl<R: Read> Packets<R> {
    pub(super) fn open(mut source: R) -> Result<Self> {
        let mut header = Vec::new();
        source.by_ref().take(FILE_HEADER as u64).read_to_end(&mut header).map_err(failed)?;
        let (cursor, fraction) = open(&header)?;
        Ok(Self { source, endian: cursor.endian(), fraction, number: 0, ended: false })
    }

    /// The next datagram. An error in a packet ends with the packet; one in the file is the last item.
    pub(super) fn next(&mut self) -> Option<Result<Owned>> {
        loop {
            if self.ended {
                return None;
            }
            self.number += 1;
            let found = self.packet().map_err(|error| error.within(format!("packet {}", self.number)));
            if let Some(found) = found.transpose() {
                return Some(found);
            }
        }
    }

    fn packet(&mut self) -> Result<Option<Owned>> {
        // Whatever stops this before the frame is read leaves nothing to go on from.
        let ended = std::mem::replace(&mut self.ended, true);
        debug_assert!(!ended, "the file goes on");
        let mut header = Vec::new();
        self.source.by_ref().take(PACKET_HEADER as u64).read_to_end(&mut header).map_err(failed)?;
        if header.is_empty() {
            return Ok(None);
        }
        let (time, captured) = packet_header(&mut Cursor::new(&header, self.endian), self.fraction)?;
        let mut frame = Vec::new();
        self.source.by_ref().take(captured as u64).read_to_end(&mut frame).map_err(failed)?;
        let frame = Cursor::new(&frame, self.endian).take(captured, "its bytes")?;
        self.ended = false;
        Ok(udp(frame)?.map(|(port, payload)| (time, port, payload.to_vec())))
    }
}

fn failed(error: io::Error) -> Error {
    Error::input(format!("cannot be read: {error}"))
}

/// A packet's time in nanoseconds and how many of its bytes follow.
fn packet_header(cursor: &mut Cursor<'_>, fraction: u64) -> Result<(u64, usize)> {
    let seconds = cursor.u32("its time")?;
    let part = cursor.u32("its time")?;
    let captured = cursor.u32("its length")? as usize;
    cursor.u32("its length")?;
    Ok((u64::from(seconds) * 1_000_000_000 + u64::from(part) * fraction, captured))
}

/// The packets behind the file header, and how many nanoseconds a unit of their times' fraction has.
fn open(file: &[u8]) -> Result<(Cursor<'_>, u64)> {
    let (endian, fraction) = match file {
        [0xd4, 0xc3, 0xb2, 0xa1, ..] => (Endian::Little, 1_000),
        [0xa1, 0xb2, 0xc3, 0xd4, ..] => (Endian::Big, 1_000),
        [0x4d, 0x3c, 0xb2, 0xa1, ..] => (Endian::Little, 1),
        [0xa1, 0xb2, 0x3c, 0x4d, ..] => (Endian::Big, 1),
        [0x0a, 0x0d, 0x0d, 0x0a, ..] => {
            return Err(Error::input(
                "is pcapng, only classic pcap is read: convert it with `editcap -F pcap`",
            ));
        }
        _ => return Err(Error::input("is no pcap: it does not start with pcap's magic number")),
    };
    let mut cursor = Cursor::new(file, endian);
    cursor.take(20, "the file header")?;
    // The high bits say whether frames end with a checksum.
    let link = cursor.u32("the file header")? & 0x0fff_ffff;
    if link != ETHERNET {
        return Err(Error::input(format!("has link type {link}, only Ethernet (1) is read")));
    }
    Ok((cursor, fraction))
}

/// Port and payload, or `None` if the frame is something else.
fn udp(frame: &[u8]) -> Result<Option<(u16, &[u8])>> {
    let mut frame = Cursor::new(frame, Endian::Big);
    if frame.rest().len() < 14 {
        return Ok(None);
    }
    frame.take(12, "the Ethernet addresses")?;
    let mut kind = frame.u16("the EtherType")?;
    while matches!(kind, 0x8100 | 0x88a8) {
        frame.u16("the VLAN tag")?;
        kind = frame.u16("the EtherType")?;
    }
    if kind != 0x0800 {
        return Ok(None);
    }
    let first = frame.u8("the IP header")?;
    frame.take(5, "the IP header")?;
    let fragment = frame.u16("the IP header")?;
    frame.u8("the IP header")?;
    let protocol = frame.u8("the IP header")?;
    frame.take(10, "the IP header")?;
    let options = (usize::from(first & 15) * 4).saturating_sub(20);
    frame.take(options, "the IP options")?;
    if first >> 4 != 4 || protocol != 17 {
        return Ok(None);
    }
    // Bit 13 says that more fragments follow, the low 13 bits where this one belongs.
    if fragment & 0x3fff != 0 {
        return Err(Error::input("is an IP fragment: record with the packets put together again"));
    }
    frame.u16("the UDP header")?;
    let port = frame.u16("the UDP header")?;
    let length = frame.u16("the UDP header")?;
    frame.u16("the UDP header")?;
    let payload = usize::from(length)
        .checked_sub(8)
        .ok_or_else(|| Error::input(format!("says its UDP length is {length}, less than the header's 8")))?;
    // Not all of the rest: short frames are padded.
    Ok(Some((port, frame.take(payload, "the UDP payload")?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::trickle::Trickle;

    /// A recording of UDP datagrams over IPv4 and Ethernet, a packet each.
    fn file(payloads: &[&[u8]]) -> Vec<u8> {
        let mut file = [&[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0][..], &[0; 12], &[1, 0, 0, 0]].concat();
        for payload in payloads {
            let mut frame = [&[2; 12][..], &[8, 0, 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17], &[0; 10]].concat();
            frame.extend([1, 2, 3, 4]);
            frame.extend((payload.len() as u16 + 8).to_be_bytes());
            frame.extend([0, 0]);
            frame.extend(*payload);
            file.extend([9, 0, 0, 0, 5, 0, 0, 0]);
            for _ in 0..2 {
                file.extend((frame.len() as u32).to_le_bytes());
            }
            file.extend(frame);
        }
        file
    }

    #[test]
    fn packets_do_not_depend_on_how_many_bytes_a_read_gives() {
        let payloads = [&[1; 1206][..], b"", &[2; 9000]];
        let file = file(&payloads);
        let whole: Vec<Owned> = datagrams(&file)
            .unwrap()
            .into_iter()
            .map(|Datagram { time, port, payload }| (time, port, payload.to_vec()))
            .collect();
        assert_eq!(whole, payloads.map(|payload| (9_000_005_000, 0x0304, payload.to_vec())));
        for most in [1, 7, 4096] {
            let mut packets = Packets::open(Trickle::new(&file, most)).unwrap();
            let found: Result<Vec<Owned>> = std::iter::from_fn(|| packets.next()).collect();
            assert_eq!(found.unwrap(), whole, "{most} bytes at a time");
        }
    }

    #[test]
    fn a_packet_s_length_is_not_asked_for_at_once() {
        let mut file = file(&[b"whole", b"cut"]);
        let at = file.len() - 3 - 42 - 8;
        file[at..at + 4].fill(0xff);
        let mut packets = Packets::open(Trickle::new(&file, usize::MAX)).unwrap();
        assert_eq!(packets.next().unwrap().unwrap().2, b"whole");
        let error = packets.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("packet 2") && error.contains("4294967295 bytes"), "{error}");
        assert!(packets.next().is_none());
        assert!(packets.source.asked < 1 << 16, "{}", packets.source.asked);
    }
}
