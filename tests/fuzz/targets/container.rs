//! A small cloud in the lab's own container, with some bytes changed, or any bytes as a container: every decoder of
//! its layout gives the same cloud or the same error, in memory that the bytes prove.
#![no_main]

use libfuzzer_sys::fuzz_target;
use variants::{Decoder, Layout, Visitor, layout::Raw};
use varint_lab::cloud::{
    Arrangement, Cloud, CloudError, Compression, Field, FieldType, decode_container, encode_container,
};

/// Three floats, two integers and a float that is kept as it is: every kind of part.
const POINT: usize = 24;

fuzz_target!(|input: &[u8]| {
    let Some((&[which, changes], rest)) = input.split_first_chunk::<2>() else { return };
    let mut file = Encoded { which: usize::from(which >> 1), file: None, points: &[] };
    let mut changed = rest;
    if which == u8::MAX {
        file.file = Some(rest.to_vec());
    } else {
        (changed, file.points) = rest.split_at(rest.len().min(3 * usize::from(changes % 8)));
        file.arrange(Arrangement::ALL[usize::from(which & 1)]);
    }
    let Some(mut bytes) = file.file else { return };
    if which != u8::MAX {
        for change in changed.chunks_exact(3) {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
            bytes[place] ^= change[2];
        }
    }
    variants::visit_all(&mut Differential { bytes: &bytes, first: Vec::new() });
});

/// Makes any four bytes a float that the grid holds, or NaN: of random floats four in ten do not fit, and one is
/// enough for the cloud to be refused. The low bits say how far the value is shifted, so that tokens have all lengths.
fn on_grid(bytes: &mut [u8; 4]) {
    let bits = i32::from_le_bytes(*bytes);
    let value = match bits >> 1 >> (bits & 31) {
        -1 => f32::NAN,
        steps => steps as f32 * 0.001,
    };
    *bytes = value.to_le_bytes();
}

/// Makes a file in the layout of one of the decoders.
struct Encoded<'a> {
    which: usize,
    file: Option<Vec<u8>>,
    points: &'a [u8],
}

impl Encoded<'_> {
    fn arrange(&mut self, arrangement: Arrangement) {
        struct Names(Vec<&'static str>);
        impl Visitor for Names {
            fn visit<D: Decoder>(&mut self, _: &'static str) {
                let layout = D::Layout::NAME;
                if layout != Raw::NAME && !self.0.contains(&layout) {
                    self.0.push(layout);
                }
            }
        }
        struct Encoder<'a>(&'static str, Arrangement, &'a Cloud, Option<Vec<u8>>);
        impl Visitor for Encoder<'_> {
            fn visit<D: Decoder>(&mut self, _: &'static str) {
                if D::Layout::NAME == self.0 && self.3.is_none() {
                    self.3 = encode_container::<D::Layout>(self.2, self.1, Compression::None).ok();
                }
            }
        }
        let mut names = Names(Vec::new());
        variants::visit_all(&mut names);
        let layout = names.0[self.which % names.0.len()];
        let count = self.points.len() / POINT;
        let float =
            |name, offset| Field { resolution: Some(0.001), ..Field::new(name, offset, FieldType::Float32) };
        let fields = vec![
            float("x", 0),
            float("y", 4),
            float("z", 8),
            Field::new("ring", 12, FieldType::Uint16),
            Field::new("t", 16, FieldType::Uint32),
            Field::new("range", 20, FieldType::Float32),
        ];
        let mut data = self.points[..count * POINT].to_vec();
        data.chunks_exact_mut(POINT)
            .for_each(|point| point[..12].as_chunks_mut().0.iter_mut().for_each(on_grid));
        let Ok(cloud) = Cloud::new(fields, count as u32, 1, POINT, data) else { return };
        let mut encoder = Encoder(layout, arrangement, &cloud, None);
        variants::visit_all(&mut encoder);
        self.file = encoder.3;
    }
}

struct Differential<'a> {
    bytes: &'a [u8],
    /// What the first decoder of each layout said.
    first: Vec<(&'static str, Result<Cloud, CloudError>)>,
}

impl Visitor for Differential<'_> {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let (layout, Some(decoder)) = (D::Layout::NAME, D::detect()) else { return };
        if layout == Raw::NAME {
            return;
        }
        let got = decode_container(self.bytes, decoder);
        match self.first.iter().find(|(of, _)| *of == layout) {
            None => self.first.push((layout, got)),
            Some((_, first)) => {
                assert!(same(&got, first), "{name}: {:?} and {:?}", got.err(), first.as_ref().err())
            }
        }
    }
}

/// Clouds by their bytes, so that a NaN equals itself.
fn same(one: &Result<Cloud, CloudError>, other: &Result<Cloud, CloudError>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one.data == other.data,
        (Err(one), Err(other)) => one == other,
        _ => false,
    }
}
