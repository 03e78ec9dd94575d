//! The bytes of the layouts with exceptions and of the packed ones, as their documentation describes them:
//! files that hold them have to stay readable.

use variants::layout::{Packed32, PackedRows, StreamVbyte12, StreamVbyte0124, StreamVbyte1234};
use variants::{DecodeError, ErrorKind, Layout};

fn encoded<L: Layout>(tokens: &[u64]) -> Vec<u8> {
    // What the vector already holds has to stay out of the run.
    let mut bytes = vec![0xaa; 3];
    L::encode(tokens, &mut bytes);
    bytes.split_off(3)
}

fn decoded<L: Layout>(bytes: &[u8], count: usize) -> Result<Vec<u64>, DecodeError> {
    let mut run = L::open::<u64>(bytes, count)?;
    let mut tokens = vec![0; count];
    L::oracle(&mut run, &mut tokens)?;
    Ok(tokens)
}

fn refused<L: Layout>(bytes: &[u8], count: usize) -> (ErrorKind, usize) {
    let error = decoded::<L>(bytes, count).unwrap_err();
    (error.kind, error.index)
}

#[test]
fn stream_vbyte12() {
    assert_eq!(encoded::<StreamVbyte12>(&[]), []);
    assert_eq!(encoded::<StreamVbyte12>(&[10, 0]), [0, 0, 10, 0]);
    assert_eq!(encoded::<StreamVbyte12>(&[255, 256]), [0b10, 0, 255, 0, 1]);
    let outlier = [0b10, 1, 1, 0, 0, 0, 0x23, 1, 0, 0, 0, 0, 7, 0x67, 0x45, 8];
    assert_eq!(encoded::<StreamVbyte12>(&[7, 0x123_4567, 8]), outlier);
    let largest = [1, 1, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255];
    assert_eq!(encoded::<StreamVbyte12>(&[u64::MAX]), largest);
    // Nine tokens take a second control byte.
    assert_eq!(encoded::<StreamVbyte12>(&[5; 9]), [0, 0, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    // A count that was not the encoder's.
    assert_eq!(refused::<StreamVbyte12>(&[0b10, 0, 255, 0, 1], 1), (ErrorKind::Malformed, 1));
    assert_eq!(refused::<StreamVbyte12>(&[0, 0, 10, 0], 3), (ErrorKind::Truncated, 2));
    assert_eq!(refused::<StreamVbyte12>(&[], 1), (ErrorKind::Truncated, 0));
    assert_eq!(refused::<StreamVbyte12>(&[0], 9), (ErrorKind::Truncated, 8));
}

#[test]
fn stream_vbyte1234() {
    assert_eq!(encoded::<StreamVbyte1234>(&[]), []);
    let all = [&[0xe4, 0, 0][..], &[1], &[0, 1], &[0, 0, 1], &[0, 0, 0, 1], &[1]].concat();
    assert_eq!(encoded::<StreamVbyte1234>(&[1, 256, 65_536, 16_777_216, 1]), all);
    let outlier = [3, 1, 0, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0];
    assert_eq!(encoded::<StreamVbyte1234>(&[0x2_0000_0005]), outlier);
    assert_eq!(refused::<StreamVbyte1234>(&[0xe4, 0, 1, 0, 1], 3), (ErrorKind::Malformed, 3));
    assert_eq!(refused::<StreamVbyte1234>(&[0x04, 0, 1, 0], 2), (ErrorKind::Truncated, 1));
}

#[test]
fn stream_vbyte0124() {
    assert_eq!(encoded::<StreamVbyte0124>(&[]), []);
    // A zero delta is free, and the NaN marker takes the byte.
    assert_eq!(encoded::<StreamVbyte0124>(&[1, 0, 2, 65_536]), [0b11_01_01_00, 0, 1, 2, 0, 0, 1, 0]);
    // The low parts of outliers change places too, in four bytes.
    let outlier = [0b1111, 2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(encoded::<StreamVbyte0124>(&[1 << 32, 3 << 32 | 1]), outlier);
    assert_eq!(decoded::<StreamVbyte0124>(&outlier, 2), Ok(vec![1 << 32, 3 << 32 | 1]));
}

#[test]
fn packed32() {
    assert_eq!(encoded::<Packed32>(&[]), []);
    // 32 tokens of 2 bits are 8 bytes, filled up with zeros.
    assert_eq!(encoded::<Packed32>(&[1, 2, 3, 0, 1]), [2, 0b0011_1001, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(encoded::<Packed32>(&[0; 33]), [0, 0]);
    let wide = encoded::<Packed32>(&[1 << 32, 5]);
    assert_eq!((wide.len(), &wide[..10]), (1 + 256, &[64, 0, 0, 0, 0, 1, 0, 0, 0, 5][..]));
    assert_eq!(encoded::<Packed32>(&[u32::MAX.into()]).len(), 1 + 128);
    // 33 to 63 and 65 to 255 are no widths; the group before is not harmed.
    for width in (33..=255).filter(|&width| width != 64) {
        assert_eq!(refused::<Packed32>(&[0, width], 33), (ErrorKind::Malformed, 32));
    }
    assert_eq!(refused::<Packed32>(&[2, 1, 2, 3, 4, 5, 6, 7], 1), (ErrorKind::Truncated, 0));
    assert_eq!(refused::<Packed32>(&[0], 33), (ErrorKind::Truncated, 32));
}

#[test]
fn packed_rows() {
    assert_eq!(encoded::<PackedRows>(&[]), []);
    // Two fields of 1 and 4 bits: a row has 5, 16 rows have 10 bytes. As one column it would be 1 + 2 * 9.
    let rows: Vec<u64> = (0..32).map(|place| if place % 2 == 0 { 1 } else { 15 }).collect();
    let bytes = encoded::<PackedRows>(&rows);
    assert_eq!(bytes, [&[2, 1, 4][..], &[0xff; 10]].concat());
    assert_eq!(decoded::<PackedRows>(&bytes, 32), Ok(rows));
    // The last block is filled up, and all 64 bits are held.
    assert_eq!(encoded::<PackedRows>(&[3]), [1, 2, 3, 0, 0, 0]);
    assert_eq!(encoded::<PackedRows>(&[u64::MAX]).len(), 2 + 128);
    assert_eq!(refused::<PackedRows>(&[0, 0], 1), (ErrorKind::Malformed, 0));
    assert_eq!(refused::<PackedRows>(&[17, 0], 1), (ErrorKind::Malformed, 0));
    assert_eq!(refused::<PackedRows>(&[1, 0, 65], 17), (ErrorKind::Malformed, 16));
    assert_eq!(refused::<PackedRows>(&[1, 0, 8, 1], 17), (ErrorKind::Truncated, 16));
    assert_eq!(refused::<PackedRows>(&[1, 0], 17), (ErrorKind::Truncated, 16));
    assert_eq!(refused::<PackedRows>(&[], 1), (ErrorKind::Truncated, 0));
}
