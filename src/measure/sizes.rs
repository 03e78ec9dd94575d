//! What clouds take in each layout, and what stage 2 leaves of it; and how fast the plain encoders are.

use serde::{Deserialize, Serialize};
use variants::{Decoder, Layout, Visitor, layout::Leb128, layout::Raw, visit_all};

use super::{clock::thread_time, inputs::able, layouts, points::CloudMode, stream::Stream};
use crate::{
    cloud::{
        Arrangement, CHUNK_POINTS, Cloud, CloudError, Compression, EncodeOptions, PreparedContainer, encode,
        encode_container, read_container_header, read_header,
    },
    error::{Error, Result},
};

/// How often each file is encoded for its fastest time.
const REPEATS: usize = 3;

/// One layout and arrangement on one capture: a line of `survey --sizes` and a row of `sizes.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeRow {
    /// The capture's name.
    pub capture: String,
    /// The layout; `cloudini v4` and `cloudini v5` for its own formats.
    pub layout: String,
    /// `rows`, `columns` or, of cloudini's V5, `sections`.
    pub arrangement: String,
    /// Points.
    pub points: u64,
    /// Bytes of a point in memory.
    pub point_step: u64,
    /// Bytes per token of the runs alone; none where tokens have no bytes of their own, as in V5's sections.
    pub bytes_per_token: Option<f64>,
    /// Bytes per point of whole chunks, all fields, as they are stored.
    pub bytes_per_point: f64,
    /// The same behind LZ4.
    pub lz4: f64,
    /// The same behind ZSTD, level 1.
    pub zstd: f64,
    /// Raw point bytes that the encoder takes in, in MB per second of thread CPU time, without stage 2: unoptimised,
    /// scalar encoders.
    pub encode_mb_per_s: f64,
}

/// A way to encode clouds.
struct Format {
    layout: &'static str,
    arrangement: &'static str,
    encode: Encode,
}

enum Encode {
    Cloudini(u8),
    Container(EncodeContainer, Arrangement),
}

type EncodeContainer = fn(&Cloud, Arrangement, Compression) -> std::result::Result<Vec<u8>, CloudError>;

impl Format {
    fn encode(&self, cloud: &Cloud, compression: Compression) -> std::result::Result<Vec<u8>, CloudError> {
        match self.encode {
            Encode::Cloudini(version) => {
                encode(cloud, &EncodeOptions { compression, ..EncodeOptions::lossy(version) })
            }
            Encode::Container(encode, arrangement) => encode(cloud, arrangement, compression),
        }
    }

    /// The bytes of a file's chunks, without their lengths.
    fn chunk_bytes(&self, file: &[u8], points: usize) -> std::result::Result<usize, CloudError> {
        let body = match self.encode {
            Encode::Cloudini(_) => read_header(file)?.1,
            Encode::Container(..) => read_container_header(file)?.1,
        };
        Ok(body.len() - 4 * points.div_ceil(CHUNK_POINTS))
    }
}

/// cloudini's formats, then both arrangements of every layout that a container can hold. LEB128 in rows is V4.
fn formats() -> Vec<Format> {
    struct Collector(Vec<Format>);
    impl Visitor for Collector {
        fn visit<D: Decoder>(&mut self, _: &'static str) {
            let layout = D::Layout::NAME;
            if layout == Raw::NAME || self.0.iter().any(|format| format.layout == layout) {
                return;
            }
            for arrangement in Arrangement::ALL {
                if layout != Leb128::NAME || arrangement != Arrangement::Rows {
                    let encode = Encode::Container(encode_container::<D::Layout>, arrangement);
                    self.0.push(Format { layout, arrangement: arrangement.name(), encode });
                }
            }
        }
    }
    let cloudini =
        |layout, arrangement, version| Format { layout, arrangement, encode: Encode::Cloudini(version) };
    let mut collector =
        Collector(vec![cloudini("cloudini v4", "rows", 4), cloudini("cloudini v5", "sections", 5)]);
    visit_all(&mut collector);
    collector.0
}

/// The sizes of a capture's cloud in each layout; none if it has no points. A cloud whose fields share bytes is in
/// cloudini's formats alone.
///
/// # Errors
/// If a value cannot be stored on the grid.
pub fn sizes(stream: &Stream) -> Result<Vec<SizeRow>> {
    let Some(cloud) = stream.cloud.as_ref().filter(|cloud| cloud.points() > 0) else {
        return Ok(Vec::new());
    };
    let holds_others = !able(stream, CloudMode::V4, &layouts::contestants()).is_empty();
    formats()
        .iter()
        .filter(|format| holds_others || matches!(format.encode, Encode::Cloudini(_)))
        .map(|format| {
            row(stream, cloud, format).map_err(|error| Error::from(error).within(&stream.facts.name))
        })
        .collect()
}

fn row(stream: &Stream, cloud: &Cloud, format: &Format) -> std::result::Result<SizeRow, CloudError> {
    let points = cloud.points();
    let per_point = |compression| {
        let file = format.encode(cloud, compression)?;
        Ok(format.chunk_bytes(&file, points)? as f64 / points as f64)
    };
    let mut fastest = f64::INFINITY;
    let mut file = Vec::new();
    for _ in 0..REPEATS {
        let start = thread_time();
        file = format.encode(cloud, Compression::None)?;
        fastest = fastest.min((thread_time() - start).as_secs_f64());
    }
    let tokens = stream.facts.tokens.max(1) as f64;
    let bytes_per_token = match format.encode {
        Encode::Cloudini(4) => Some(stream.facts.bytes_per_token),
        Encode::Cloudini(_) => None,
        Encode::Container(..) => Some(PreparedContainer::open(&file)?.run_bytes() as f64 / tokens),
    };
    Ok(SizeRow {
        capture: stream.facts.name.clone(),
        layout: format.layout.to_owned(),
        arrangement: format.arrangement.to_owned(),
        points: points as u64,
        point_step: cloud.point_step as u64,
        bytes_per_token: bytes_per_token.filter(|_| stream.facts.tokens > 0),
        bytes_per_point: format.chunk_bytes(&file, points)? as f64 / points as f64,
        lz4: per_point(Compression::Lz4)?,
        zstd: per_point(Compression::Zstd)?,
        encode_mb_per_s: cloud.data.len() as f64 / 1e6 / fastest.max(1e-9),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        capture::{Capture, Provenance},
        cloud::{Field, FieldType, Resolutions},
    };

    /// A field of u16 that rises by 3, so that every token but the first of a chunk is 6: one byte in LEB128.
    #[test]
    fn sizes_of_a_cloud_by_hand() {
        let points = 4000;
        let mut data = Vec::new();
        for index in 0..points {
            data.extend((index as u16).wrapping_mul(3).to_le_bytes());
            data.push(7);
        }
        let fields = vec![Field::new("n", 0, FieldType::Uint16), Field::new("flag", 2, FieldType::Uint8)];
        let cloud = Cloud::new(fields, points as u32, 1, 3, data).unwrap();
        let facts = Provenance::given(None, &cloud, None, String::new());
        let stream =
            Stream::of_capture(Capture { name: "hand".into(), facts, cloud }, &Resolutions::default())
                .unwrap();
        let rows = sizes(&stream).unwrap();
        let of = |layout: &str, arrangement: &str| {
            let found = rows.iter().find(|row| row.layout == layout && row.arrangement == arrangement);
            found.unwrap_or_else(|| panic!("{layout} {arrangement}"))
        };
        let v4 = of("cloudini v4", "rows");
        assert_eq!((v4.bytes_per_token, v4.bytes_per_point), (Some(1.0), 2.0));
        // Two parts with their lengths, and a column of flags.
        let columns = of("leb128", "columns");
        assert_eq!((columns.bytes_per_token, columns.bytes_per_point), (Some(1.0), 2.0 + 8.0 / 4000.0));
        // Three bits a token, and a width byte for every 32.
        let packed = of("packed32", "columns");
        assert_eq!(packed.bytes_per_token, Some(3.0 / 8.0 + 1.0 / 32.0));
        assert!(packed.zstd < packed.bytes_per_point && packed.lz4 < packed.bytes_per_point);
        assert_eq!(of("cloudini v5", "sections").bytes_per_token, None);
        assert!(rows.iter().all(|row| row.encode_mb_per_s > 0.0 && row.point_step == 3));
        assert_eq!(rows.iter().filter(|row| row.layout == "leb128").count(), 1);
    }
}
