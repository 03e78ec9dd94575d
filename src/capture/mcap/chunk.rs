//! What is inside a chunk, unpacked as it is read.

use std::io::{self, Cursor, Read};

use ::mcap::{
    McapError,
    records::ChunkHeader,
    sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions},
};

use crate::error::{Error, Result};

/// Bytes that are asked of a source at once.
const PIECE: usize = 1 << 17;

/// The longest record that is read. Messages and chunks are far shorter; a damaged length is not.
const LONGEST: usize = 1 << 30;

/// The records of a source of bytes, one after the other.
pub(super) struct Records<R> {
    reader: LinearReader,
    source: R,
}

impl<R: Read> Records<R> {
    /// The records of a file.
    pub(super) fn of_file(source: R) -> Self {
        Self::new(source, LinearReaderOptions::default())
    }

    fn new(source: R, options: LinearReaderOptions) -> Self {
        let options = options.with_emit_chunks(true).with_record_length_limit(LONGEST);
        Self { reader: LinearReader::new_with_options(options), source }
    }

    /// Puts the next record into `body` and returns its opcode; `None` at the end.
    ///
    /// Memory grows piece by piece, by what the source really holds: a record's length is only a promise.
    pub(super) fn next(&mut self, body: &mut Vec<u8>) -> Option<std::result::Result<u8, McapError>> {
        loop {
            match self.reader.next_event()? {
                Err(error) => return Some(Err(error)),
                Ok(LinearReadEvent::Record { data, opcode }) => {
                    body.clear();
                    body.extend_from_slice(data);
                    return Some(Ok(opcode));
                }
                Ok(LinearReadEvent::ReadRequest(_)) => match self.source.read(self.reader.insert(PIECE)) {
                    Ok(count) => self.reader.notify_read(count),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Some(Err(error.into())),
                },
            }
        }
    }
}

/// The records of a chunk.
pub(super) type Inside = Records<Checked<Box<dyn Read>>>;

/// Opens a chunk of which `stored` holds the packed records.
///
/// # Errors
/// If the compression is none that is known, or the sizes contradict each other.
pub(super) fn open(header: &ChunkHeader, stored: Vec<u8>) -> Result<Inside> {
    let packed = stored.len() as u64;
    let stored = Cursor::new(stored);
    let unpacked: Box<dyn Read> = match header.compression.as_str() {
        "" if packed != header.uncompressed_size => {
            return Err(Error::input(format!(
                "is stored without compression in {packed} bytes, but says that it has {}",
                header.uncompressed_size
            )));
        }
        "" => Box::new(stored),
        "lz4" => Box::new(lz4_flex::frame::FrameDecoder::new(stored)),
        "zstd" => Box::new(
            zstd::stream::read::Decoder::with_buffer(stored)
                .map_err(|error| Error::input(format!("cannot be unpacked: {error}")))?,
        ),
        other => return Err(Error::input(format!("has unsupported compression: {other:.40}"))),
    };
    let checked = Checked {
        source: unpacked,
        left: header.uncompressed_size,
        crc: crc32fast::Hasher::new(),
        // 0 says that there is none.
        expected: Some(header.uncompressed_crc).filter(|&crc| crc != 0),
    };
    let options = LinearReaderOptions::default().with_skip_start_magic(true).with_skip_end_magic(true);
    Ok(Records::new(checked, options))
}

/// Hands out as many bytes as the chunk promises and checks them at the end. What follows in the source is
/// padding, which some compressors write.
pub(super) struct Checked<R> {
    source: R,
    left: u64,
    crc: crc32fast::Hasher,
    expected: Option<u32>,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bad = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most > 0 {
            let count = self.source.read(&mut buffer[..most])?;
            if count == 0 {
                return bad(format!("{} bytes less than it promises", self.left));
            }
            self.crc.update(&buffer[..count]);
            self.left -= count as u64;
            return Ok(count);
        }
        match self.expected.take() {
            Some(expected) if !buffer.is_empty() && self.crc.clone().finalize() != expected => {
                bad("its CRC is another one: the messages read from it may be wrong".to_owned())
            }
            _ => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use ::mcap::{WriteOptions, records::op};

    use super::*;
    use crate::capture::trickle::Trickle;

    /// A file of a chunk without compression, its two messages longer than a page.
    fn file() -> Vec<u8> {
        let options = WriteOptions::new().compression(None);
        let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
        let schema = writer.add_schema("some/msg/Type", "ros2msg", b"").unwrap();
        let channel_id = writer.add_channel(schema, "/a", "cdr", &Default::default()).unwrap();
        for sequence in 0..2 {
            let header =
                ::mcap::records::MessageHeader { channel_id, sequence, log_time: 1, publish_time: 1 };
            writer.write_to_known_channel(&header, &[sequence as u8; 5000]).unwrap();
        }
        writer.finish().unwrap();
        writer.into_inner().into_inner()
    }

    fn all<R: Read>(records: &mut Records<R>) -> (Vec<(u8, Vec<u8>)>, Option<McapError>) {
        let (mut found, mut body) = (Vec::new(), Vec::new());
        loop {
            match records.next(&mut body) {
                None => return (found, None),
                Some(Err(error)) => return (found, Some(error)),
                Some(Ok(opcode)) => found.push((opcode, body.clone())),
            }
        }
    }

    #[test]
    fn records_do_not_depend_on_how_many_bytes_a_read_gives() {
        let file = file();
        let (whole, error) = all(&mut Records::of_file(&file[..]));
        assert!(error.is_none(), "{error:?}");
        let chunks: Vec<_> = whole.iter().filter(|(opcode, _)| *opcode == op::CHUNK).collect();
        assert!(chunks.len() == 1 && chunks[0].1.len() > 10_000);
        assert_eq!(whole.last().map(|(opcode, _)| *opcode), Some(op::FOOTER));
        for most in [1, 7, 4096] {
            let (found, error) = all(&mut Records::of_file(Trickle::new(&file, most)));
            assert!(error.is_none(), "{most}: {error:?}");
            assert!(found == whole, "{most} bytes at a time");
        }
    }

    #[test]
    fn a_record_s_length_is_not_asked_for_at_once() {
        let mut file = file();
        // Behind the magic bytes and the header, which is shorter than 256 bytes.
        let at = 17 + file[9] as usize;
        assert_eq!(file[at], op::CHUNK);
        for (length, is_too_long) in [(LONGEST, false), (LONGEST + 1, true)] {
            file[at + 1..at + 9].copy_from_slice(&(length as u64).to_le_bytes());
            let mut records = Records::of_file(Trickle::new(&file, usize::MAX));
            let (found, error) = all(&mut records);
            assert_eq!(found.len(), 1, "the header");
            match error {
                Some(McapError::UnexpectedEof) => assert!(!is_too_long),
                Some(McapError::RecordTooLarge { .. }) => assert!(is_too_long),
                other => panic!("{other:?}"),
            }
            assert_eq!(records.source.asked, PIECE);
        }
    }
}
