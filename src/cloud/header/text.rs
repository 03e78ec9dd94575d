//! The text header: the one shape of YAML that cloudini writes, and small departures from it.

use std::fmt::Write as _;

use super::{Compression, Header, error, offset_of};
use crate::cloud::{CloudError, Field, FieldType, Mode};

/// The text, newline first.
pub(super) fn text_of(header: &Header) -> Result<String, CloudError> {
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

/// The pairs of a text header: those of the top, and those of each field.
#[derive(Default)]
struct Pairs<'a> {
    top: Vec<(&'a str, &'a str)>,
    fields: Vec<Vec<(&'a str, &'a str)>>,
}

/// Splits the text into its pairs. What stands below other keys (an `encoding_config`) is passed over.
fn pairs(text: &str) -> Result<Pairs<'_>, CloudError> {
    let mut pairs = Pairs::default();
    let mut in_fields = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let content = line.trim();
        if in_fields && let Some(first) = content.strip_prefix("- ") {
            pairs.fields.push(vec![pair(first.trim())?]);
        } else if !line.starts_with(' ') {
            let (key, value) = pair(content)?;
            in_fields = key == "fields";
            pairs.top.push((key, value));
        } else if in_fields {
            let refusal = || error(format!("fields have to be a list, not \"{}\"", content.escape_default()));
            pairs.fields.last_mut().ok_or_else(refusal)?.push(pair(content)?);
        }
    }
    Ok(pairs)
}

/// `key: value`, or `key:` alone.
fn pair(content: &str) -> Result<(&str, &str), CloudError> {
    content
        .split_once(": ")
        .or_else(|| Some((content.strip_suffix(':')?, "")))
        .ok_or_else(|| error(format!("a line has to be key: value, not \"{}\"", content.escape_default())))
}

/// The text header behind its first newline, and the bytes behind its NUL.
pub(super) fn read(version: u8, bytes: &[u8]) -> Result<(Header, &[u8]), CloudError> {
    let end = bytes.iter().position(|&byte| byte == 0);
    let end = end.ok_or_else(|| error("the text header has no end: a NUL byte is missing"))?;
    let text = str::from_utf8(&bytes[..end]).map_err(|_| error("the text header is not UTF-8"))?;
    let pairs = pairs(text)?;
    let top = |key: &str| find(&pairs.top, key);
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
        fields: pairs.fields.iter().map(|item| field(item)).collect::<Result<_, _>>()?,
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
