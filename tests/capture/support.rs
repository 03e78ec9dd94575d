//! What the tests share.

use sha2::{Digest, Sha256};
use varint_lab::{cloud::Cloud, error::Error};

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of one field of every point.
pub(crate) fn bytes_of<'a, const N: usize>(
    cloud: &'a Cloud,
    name: &str,
) -> impl Iterator<Item = [u8; N]> + 'a {
    let field = cloud.fields.iter().find(|field| field.name == name);
    let field = field.unwrap_or_else(|| panic!("no field {name}"));
    assert_eq!(field.kind.size(), N, "size of {name}");
    let offset = field.offset;
    cloud
        .data
        .chunks_exact(cloud.point_step)
        .map(move |point| point[offset..offset + N].try_into().expect("a field's size"))
}

/// The values of a FLOAT32 field.
pub(crate) fn f32s(cloud: &Cloud, name: &str) -> Vec<f32> {
    bytes_of(cloud, name).map(f32::from_le_bytes).collect()
}

/// The values of a UINT16 field.
pub(crate) fn u16s(cloud: &Cloud, name: &str) -> Vec<u16> {
    bytes_of(cloud, name).map(u16::from_le_bytes).collect()
}

/// The values of a FLOAT64 field.
pub(crate) fn f64s(cloud: &Cloud, name: &str) -> Vec<f64> {
    bytes_of(cloud, name).map(f64::from_le_bytes).collect()
}

/// Least and greatest value, NaN left out.
pub(crate) fn bounds(values: &[f32]) -> (f32, f32) {
    values
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)))
}

/// The message of a refusal, which has to be one line and exit code 2.
#[track_caller]
pub(crate) fn refusal<T>(result: Result<T, Error>) -> String {
    let Err(error) = result else { panic!("accepted") };
    assert_eq!(error.exit_code(), 2, "{error}");
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message:?}");
    message
}

/// Refused, with all of these words in the message.
#[track_caller]
pub(crate) fn assert_refused<T>(result: Result<T, Error>, words: &[&str]) {
    let message = refusal(result);
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}

/// Every proper prefix is refused: none panics, none is taken for the whole.
#[track_caller]
pub(crate) fn assert_prefixes_refused<T>(bytes: &[u8], parse: impl Fn(&[u8]) -> Result<T, Error>) {
    assert!(parse(bytes).is_ok());
    for length in 0..bytes.len() {
        assert!(parse(&bytes[..length]).is_err(), "the first {length} of {} bytes", bytes.len());
    }
}

/// Every single byte changed to some others: anything but a panic.
pub(crate) fn survive_changes<T>(bytes: &[u8], parse: impl Fn(&[u8]) -> Result<T, Error>) {
    let mut changed = bytes.to_vec();
    for at in 0..bytes.len() {
        for value in [0, 1, 0x80, 0xff, bytes[at] ^ 1] {
            changed[at] = value;
            let _ = parse(&changed);
        }
        changed[at] = bytes[at];
    }
}
