//! Whole clouds in other layouts: every variant of a layout that is not cloudini's, on the lab's own container.

use variants::{Decoder, Layout, Standing, Visitor, layout::Leb128, layout::Raw, visit_all};

use super::points::{PathContestant, Work, proof};
use crate::cloud::{Arrangement, Cloud, CloudError, Compression, PreparedContainer, encode_container};

/// A variant's generic code, and its layout's, as plain calls.
#[derive(Clone, Copy)]
pub(super) struct LayoutCalls {
    /// A cloud as a file.
    pub(super) encode: fn(&Cloud, Arrangement, Compression) -> Result<Vec<u8>, CloudError>,
    /// The whole cloud.
    pub(super) alone: fn(&PreparedContainer<'_>, &mut [u8]) -> Result<(), CloudError>,
    /// Chunk after chunk, one over the other.
    pub(super) over: fn(&PreparedContainer<'_>, &mut [u8]) -> Result<(), CloudError>,
    /// On rayon's threads of the current pool.
    pub(super) parallel: fn(&PreparedContainer<'_>, &mut [u8]) -> Result<(), CloudError>,
}

/// Both arrangements of every layout that is not cloudini's around each of its variants that runs here.
#[must_use]
pub fn contestants() -> Vec<PathContestant> {
    let mut collector = Collector(Vec::new());
    visit_all(&mut collector);
    collector.0
}

struct Collector(Vec<PathContestant>);

impl Visitor for Collector {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let is_other = ![Leb128::NAME, Raw::NAME].contains(&D::Layout::NAME);
        if !is_other || D::INFO.standing == Standing::Floor || D::detect().is_none() {
            return;
        }
        let calls = LayoutCalls {
            encode: encode_container::<D::Layout>,
            alone: |cloud, points| cloud.decode_into(proof::<D>(), points),
            over: |cloud, window| cloud.decode_over(proof::<D>(), window),
            parallel: |cloud, points| cloud.decode_into_parallel(proof::<D>(), points),
        };
        self.0.extend(Arrangement::ALL.map(|arrangement| PathContestant {
            path: arrangement.name(),
            variant: name,
            layout: D::Layout::NAME,
            info: Some(D::INFO),
            work: Work::Layout(arrangement, calls),
        }));
    }
}
