//! The magic and the two headers: text (a small YAML, version 3 and later) and binary (before).

mod binary;
mod text;

use super::{CloudError, CloudErrorKind, Field, Mode, container};

pub(super) use binary::{read_fields, take, write_fields};

/// What every file starts with; two ASCII digits of the version follow.
pub(super) const MAGIC: &[u8] = b"CLOUDINI_V";

/// The versions that can be read and written.
pub const VERSIONS: std::ops::RangeInclusive<u8> = 2..=5;

/// What stage 2 does with a chunk's bytes: cloudini's `compression_opt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Compression {
    /// Nothing.
    None = 0,
    /// One LZ4 block.
    Lz4 = 1,
    /// One ZSTD frame.
    Zstd = 2,
}

/// What a file says of its cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The format's version, 2 to 5, by the magic: no other field of the header may say otherwise.
    pub version: u8,
    /// Points in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes from one point to the next.
    pub point_step: u32,
    /// Stage 1.
    pub mode: Mode,
    /// Stage 2.
    pub compression: Compression,
    /// In the order in which they are coded.
    pub fields: Vec<Field>,
}

fn error(what: impl Into<String>) -> CloudError {
    CloudError::new(CloudErrorKind::Header, what)
}

/// The header at the front of a file, and the bytes behind it.
///
/// The fields are read, not judged: whether they lie inside the point and have usable resolutions is
/// [`super::Plan::new`]'s to say.
///
/// # Errors
/// `Header` if the bytes are no cloudini file or the header is cut short or not understood; `Version` if only
/// the version is not supported.
pub fn read_header(bytes: &[u8]) -> Result<(Header, &[u8]), CloudError> {
    if bytes.starts_with(container::MAGIC) {
        return Err(error("no cloudini file but one of this lab's layouts: it starts with VARINTLAB_"));
    }
    if !bytes.starts_with(&MAGIC[..MAGIC.len().min(bytes.len())]) {
        return Err(error("no cloudini file: it does not start with CLOUDINI_V"));
    }
    let Some((digits, rest)) = bytes.get(MAGIC.len()..).and_then(<[u8]>::split_first_chunk::<2>) else {
        return Err(error("the header is too short: it ends inside the magic"));
    };
    let unsupported = |found: String| {
        let what = format!("unsupported version {found}: versions 2 to 5 can be read");
        CloudError::new(CloudErrorKind::Version, what)
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(unsupported(format!("\"{}\"", digits.escape_ascii())));
    }
    let version = (digits[0] - b'0') * 10 + digits[1] - b'0';
    if !VERSIONS.contains(&version) {
        return Err(unsupported(version.to_string()));
    }
    if is_text(rest) { text::read(version, &rest[1..]) } else { binary::read(version, rest) }
}

/// A binary header's first byte, the width's lowest, may be a newline as well: but then a byte of the numbers
/// behind it is none that a text has.
fn is_text(rest: &[u8]) -> bool {
    let printable = |byte: &u8| matches!(byte, b'\n' | b' '..=b'~');
    rest.first() == Some(&b'\n') && rest.iter().take(12).all(printable)
}

/// The bytes of a header: text for version 3 and later, as upstream writes it, else binary.
///
/// # Errors
/// `Version` if the version is not supported; `Header` if a name, a number or the number of fields has no place
/// in the header.
pub fn write_header(header: &Header) -> Result<Vec<u8>, CloudError> {
    if !VERSIONS.contains(&header.version) {
        let what = format!("version {} cannot be written: it is none of 2 to 5", header.version);
        return Err(CloudError::new(CloudErrorKind::Version, what));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(format!("{:02}", header.version).bytes());
    if header.version >= 3 {
        bytes.extend(text::text_of(header)?.bytes());
        bytes.push(0);
    } else {
        binary::write(header, &mut bytes)?;
    }
    Ok(bytes)
}

impl Compression {
    /// All of them, by number.
    pub const ALL: [Self; 3] = [Self::None, Self::Lz4, Self::Zstd];

    /// The name in the text header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Lz4 => "LZ4",
            Self::Zstd => "ZSTD",
        }
    }
}

impl Mode {
    const ALL: [Self; 3] = [Self::None, Self::Lossy, Self::Lossless];

    /// The name in the text header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Lossy => "LOSSY",
            Self::Lossless => "LOSSLESS",
        }
    }
}

/// A field's offset as headers hold it.
fn offset_of(field: &Field) -> Result<u32, CloudError> {
    u32::try_from(field.offset).map_err(|_| error("its offset has more than 32 bits").in_field(&field.name))
}
