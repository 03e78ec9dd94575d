//! The magic and the header.

use super::{
    super::{
        CloudError, CloudErrorKind, Compression, Field,
        header::{MAGIC as CLOUDINI, read_fields, take, write_fields},
    },
    Arrangement,
};

/// What every file starts with; two ASCII digits of the version follow.
pub(in crate::cloud) const MAGIC: &[u8] = b"VARINTLAB_";

/// The only version.
const VERSION: &[u8; 2] = b"01";

/// What a file says of its cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerHeader {
    /// The name of the layout of its tokens.
    pub layout: String,
    /// How its tokens are cut into runs.
    pub arrangement: Arrangement,
    /// Stage 2.
    pub compression: Compression,
    /// Points in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes from one point to the next.
    pub point_step: u32,
    /// In the order in which they are coded.
    pub fields: Vec<Field>,
}

fn error(what: impl Into<String>) -> CloudError {
    CloudError::new(CloudErrorKind::Header, what)
}

/// The header at the front of a file, and the bytes behind it.
///
/// The fields are read, not judged. Whether there is a layout of that name is the decoder's to say.
///
/// # Errors
/// `Header` if the bytes are no such file or the header is cut short or not understood; `Version` if only the
/// version is not supported.
pub fn read_container_header(bytes: &[u8]) -> Result<(ContainerHeader, &[u8]), CloudError> {
    if bytes.starts_with(CLOUDINI) {
        return Err(error("a cloudini file, not one of this lab's layouts: it starts with CLOUDINI_V"));
    }
    if !bytes.starts_with(&MAGIC[..MAGIC.len().min(bytes.len())]) {
        return Err(error("no file of this lab's layouts: it does not start with VARINTLAB_"));
    }
    let Some((version, mut input)) = bytes.get(MAGIC.len()..).and_then(<[u8]>::split_first_chunk) else {
        return Err(error("the header is too short: it ends inside the magic"));
    };
    if version != VERSION {
        let what = format!("unsupported version \"{}\": only 01 can be read", version.escape_ascii());
        return Err(CloudError::new(CloudErrorKind::Version, what));
    }
    let input = &mut input;
    let [length] = take(input)?;
    let name = input.split_off(..usize::from(length));
    let name = name.ok_or_else(|| error("the header is too short: it ends inside the layout's name"))?;
    let layout = str::from_utf8(name).map_err(|_| error("the layout's name is not UTF-8"))?.to_owned();
    let [arrangement, compression] = take(input)?;
    let arrangement = Arrangement::ALL.into_iter().find(|known| *known as u8 == arrangement);
    let compression = Compression::ALL.into_iter().find(|known| *known as u8 == compression);
    let header = ContainerHeader {
        layout,
        arrangement: arrangement.ok_or_else(|| error("unknown arrangement number"))?,
        compression: compression.ok_or_else(|| error("unknown compression number"))?,
        width: u32::from_le_bytes(take(input)?),
        height: u32::from_le_bytes(take(input)?),
        point_step: u32::from_le_bytes(take(input)?),
        fields: read_fields(input)?,
    };
    Ok((header, input))
}

/// The bytes of a header.
///
/// # Errors
/// `Header` if a name, a number or the number of fields has no place in it.
pub(super) fn write_container_header(header: &ContainerHeader) -> Result<Vec<u8>, CloudError> {
    let mut bytes = [MAGIC, VERSION].concat();
    let length = u8::try_from(header.layout.len()).map_err(|_| error("the layout's name is too long"))?;
    bytes.push(length);
    bytes.extend(header.layout.bytes());
    bytes.extend([header.arrangement as u8, header.compression as u8]);
    for number in [header.width, header.height, header.point_step] {
        bytes.extend(number.to_le_bytes());
    }
    write_fields(&header.fields, &mut bytes)?;
    Ok(bytes)
}
