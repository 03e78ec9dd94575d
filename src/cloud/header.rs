//! The magic and the two headers: text (a small YAML, version 3 and later) and binary (before).

use std::fmt::Write as _;

use super::{CloudError, CloudErrorKind, Field, FieldType, Mode};

/// What every file starts with; two ASCII digits of the version follow.
const MAGIC: &[u8] = b"CLOUDINI_V";

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
    if is_text(rest) { read_text(version, &rest[1..]) } else { read_binary(version, rest) }
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
        bytes.extend(text_of(header)?.bytes());
        bytes.push(0);
    } else {
        write_binary(header, &mut bytes)?;
    }
    Ok(bytes)
}

impl Compression {
    const ALL: [Self; 3] = [Self::None, Self::Lz4, Self::Zstd];

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

/// The text, newline first.
fn text_of(header: &Header) -> Result<String, CloudError> {
    let mut text = format!(
        "\nversion: {}\nwidth: {}\nheight: {}\npoint_step: {}\nencoding_opt: {}\ncompression_opt: {}\nfields:\n",
        header.version,
        header.width,
        header.height,
        header.point_step,
        header.mode.name(),
        header.compression.name()
    );
    for field in &header.fields {
        let resolution = field.resolution.map_or_else(|| "null".to_owned(), number_text);
        let written = write!(
            text,
            "  - name: {}\n    offset: {}\n    type: {}\n    resolution: {resolution}\n",
            scalar_text(&field.name)?,
            offset_of(field)?,
            field.kind,
        );
        written.expect("a string takes any text");
    }
    Ok(text)
}

/// A resolution in C's `%g` style, as upstream prints it, but with as many digits as an `f32` needs to come
/// back the same.
fn number_text(value: f32) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => format!("{digits}e{exponent:+03}"),
        _ => value.to_string(),
    }
}

/// A name as a YAML scalar: plain where that is safe, else in single quotes.
fn scalar_text(name: &str) -> Result<String, CloudError> {
    if name.chars().any(char::is_control) {
        return Err(error("a name with control characters has no place in a text header").in_field(name));
    }
    let indicators = "\"'#&*!|>%@`[]{},?:-~";
    let plain = !name.is_empty()
        && name.trim() == name
        && !name.starts_with(|first| indicators.contains(first))
        && !name.contains(": ")
        && !name.contains(" #")
        && !name.ends_with(':');
    Ok(if plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) })
}

/// The value of a scalar, which may be quoted.
fn scalar(text: &str) -> &str {
    let text = text.trim();
    let quoted = |quote| text.strip_prefix(quote).and_then(|text: &str| text.strip_suffix(quote));
    quoted('\'').or_else(|| quoted('"')).unwrap_or(text)
}

/// What a text header may leave open while it is read.
#[derive(Default)]
struct Draft<'a> {
    top: Vec<(&'a str, &'a str)>,
    fields: Vec<Vec<(&'a str, &'a str)>>,
}

/// Splits the text into `key: value` pairs: those of the top, and those of each item of `fields`. Deeper levels
/// below other keys (an `encoding_config`) are passed over.
fn draft(text: &str) -> Result<Draft<'_>, CloudError> {
    let mut draft = Draft::default();
    let mut in_fields = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (indent, content) = (line.len() - line.trim_start().len(), line.trim());
        let pair = |text: &'static str| {
            move |content: &str| error(format!("{text}, not \"{}\"", content.escape_default()))
        };
        let split = |content| {
            let (key, value) =
                split_pair(content).ok_or_else(|| pair("a line has to be key: value")(content))?;
            Ok::<_, CloudError>((key, value))
        };
        if in_fields && let Some(first) = content.strip_prefix("- ") {
            draft.fields.push(vec![split(first.trim())?]);
        } else if indent == 0 {
            let (key, value) = split(content)?;
            in_fields = key == "fields";
            draft.top.push((key, value));
        } else if in_fields {
            let item = draft.fields.last_mut();
            item.ok_or_else(|| pair("fields have to be a list")(content))?.push(split(content)?);
        }
    }
    Ok(draft)
}

/// `key: value`, or `key:` alone.
fn split_pair(content: &str) -> Option<(&str, &str)> {
    content.split_once(": ").or_else(|| Some((content.strip_suffix(':')?, "")))
}

/// The text header behind its first newline, and the bytes behind its NUL.
fn read_text(version: u8, bytes: &[u8]) -> Result<(Header, &[u8]), CloudError> {
    let end = bytes.iter().position(|&byte| byte == 0);
    let end = end.ok_or_else(|| error("the text header has no end: a NUL byte is missing"))?;
    let text = str::from_utf8(&bytes[..end]).map_err(|_| error("the text header is not UTF-8"))?;
    let draft = draft(text)?;
    let top = |key: &str| find(&draft.top, key);
    let named = |key: &str, found: &str| error(format!("{key} cannot be \"{}\"", found.escape_default()));
    let mode = top("encoding_opt")?;
    let compression = top("compression_opt")?;
    let header = Header {
        version,
        width: number(top("width")?, "width")?,
        height: number(top("height")?, "height")?,
        point_step: number(top("point_step")?, "point_step")?,
        mode: Mode::ALL
            .into_iter()
            .find(|known| known.name() == mode)
            .ok_or_else(|| named("encoding_opt", mode))?,
        compression: Compression::ALL
            .into_iter()
            .find(|known| known.name() == compression)
            .ok_or_else(|| named("compression_opt", compression))?,
        fields: draft.fields.iter().map(|item| field(item)).collect::<Result<_, _>>()?,
    };
    Ok((header, &bytes[end + 1..]))
}

/// The value of a key that has to be there.
fn find<'a>(pairs: &[(&str, &'a str)], key: &str) -> Result<&'a str, CloudError> {
    let pair = pairs.iter().find(|(name, _)| *name == key);
    pair.map(|(_, value)| scalar(value)).ok_or_else(|| error(format!("{key} is missing")))
}

fn number(text: &str, key: &str) -> Result<u32, CloudError> {
    text.parse()
        .map_err(|_| error(format!("{key} has to be a 32-bit number, not \"{}\"", text.escape_default())))
}

/// One item of `fields`.
fn field(item: &[(&str, &str)]) -> Result<Field, CloudError> {
    let name = find(item, "name")?.replace("''", "'");
    let place = |error: CloudError| error.in_field(&name);
    let kind = find(item, "type").map_err(place)?;
    let by_name = FieldType::ALL.into_iter().find(|known| known.name() == kind);
    let kind = by_name
        .or_else(|| FieldType::from_number(kind.parse().ok()?))
        .ok_or_else(|| place(error(format!("unknown type \"{}\"", kind.escape_default()))))?;
    let resolution = match find(item, "resolution") {
        Err(_) | Ok("null" | "~" | "") => None,
        Ok(text) => {
            let parsed = text.parse().ok().filter(|value: &f32| value.is_finite());
            let refusal =
                || error(format!("resolution has to be a finite number, not \"{}\"", text.escape_default()));
            Some(parsed.ok_or_else(|| place(refusal()))?)
        }
    };
    let offset = find(item, "offset").and_then(|text| number(text, "offset")).map_err(place)?;
    Ok(Field { offset: offset as usize, kind, resolution, name })
}

/// The binary header, and the bytes behind it.
fn read_binary(version: u8, mut bytes: &[u8]) -> Result<(Header, &[u8]), CloudError> {
    let input = &mut bytes;
    let (width, height) = (u32::from_le_bytes(take(input)?), u32::from_le_bytes(take(input)?));
    let point_step = u32::from_le_bytes(take(input)?);
    let [mode, compression] = take(input)?;
    let count = u16::from_le_bytes(take(input)?);
    let mode = Mode::ALL.into_iter().find(|known| *known as u8 == mode);
    let compression = Compression::ALL.into_iter().find(|known| *known as u8 == compression);
    let mut fields = Vec::new();
    for _ in 0..count {
        let length = u16::from_le_bytes(take(input)?).into();
        let (name, rest) = input.split_at_checked(length).ok_or_else(cut_short)?;
        *input = rest;
        let name = str::from_utf8(name).map_err(|_| error("a field's name is not UTF-8"))?.to_owned();
        let offset = u32::from_le_bytes(take(input)?) as usize;
        let [kind] = take(input)?;
        let kind = FieldType::from_number(kind)
            .ok_or_else(|| error(format!("unknown type number {kind}")).in_field(&name))?;
        let resolution = f32::from_le_bytes(take(input)?);
        if !resolution.is_finite() {
            return Err(error(format!("resolution has to be finite, not {resolution}")).in_field(&name));
        }
        let resolution = (resolution > 0.0).then_some(resolution);
        fields.push(Field { name, offset, kind, resolution });
    }
    let mode = mode.ok_or_else(|| error("unknown encoding number"))?;
    let compression = compression.ok_or_else(|| error("unknown compression number"))?;
    Ok((Header { version, width, height, point_step, mode, compression, fields }, bytes))
}

/// The binary header behind the magic.
fn write_binary(header: &Header, bytes: &mut Vec<u8>) -> Result<(), CloudError> {
    for number in [header.width, header.height, header.point_step] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([header.mode as u8, header.compression as u8]);
    let count = u16::try_from(header.fields.len()).map_err(|_| error("more than 65535 fields"))?;
    bytes.extend(count.to_le_bytes());
    for field in &header.fields {
        let length = u16::try_from(field.name.len()).map_err(|_| error("a field's name is too long"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(field.name.bytes());
        bytes.extend(offset_of(field)?.to_le_bytes());
        bytes.push(field.kind as u8);
        bytes.extend(field.resolution.unwrap_or(-1.0).to_le_bytes());
    }
    Ok(())
}

/// The next `N` bytes of a binary header.
fn take<const N: usize>(input: &mut &[u8]) -> Result<[u8; N], CloudError> {
    let (bytes, rest) = input.split_first_chunk().ok_or_else(cut_short)?;
    *input = rest;
    Ok(*bytes)
}

fn cut_short() -> CloudError {
    error("the header is too short: it ends inside the binary header")
}
