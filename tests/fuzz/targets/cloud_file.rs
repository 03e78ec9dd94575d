//! Any bytes as a cloudini file: every path around every LEB128 variant gives the same cloud or the same error,
//! in memory that the bytes prove.
#![no_main]

use libfuzzer_sys::fuzz_target;
use variants::{Decoder, Leb128Visitor, layout::Leb128};
use varint_lab::cloud::{Cloud, CloudError, Path, decode};

fuzz_target!(|bytes: &[u8]| {
    variants::visit_leb128(&mut AllPaths { bytes, first: None });
});

struct AllPaths<'a> {
    bytes: &'a [u8],
    first: Option<Result<Cloud, CloudError>>,
}

impl Leb128Visitor for AllPaths<'_> {
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str) {
        let Some(decoder) = D::detect() else { return };
        for path in Path::ALL {
            let got = decode(self.bytes, path, decoder);
            match &self.first {
                None => self.first = Some(got),
                Some(first) => assert!(same(&got, first), "{}/{name}: {:?}", path.name(), got.err()),
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
