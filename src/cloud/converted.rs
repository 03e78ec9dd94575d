//! The leading group with its sums turned into floats together: an experiment of cloudini's, which its authors
//! dropped because it was slower (pull request 127).

use variants::{Decoder, Run, layout::Leb128};

use super::{
    Codec, Step,
    read::{Flaw, Read, next_float_delta},
};

/// The leading group of `N` floats (3 or 4), as `Group`, but for the last part of its work. Upstream
/// blames its loss on loading a vector whose elements were just stored one by one; compilers may as well bring the
/// sums together in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Converted<const N: usize> {
    offsets: [usize; N],
    /// Whether each float lies right behind the one before it.
    adjacent: bool,
    resolutions: [f32; 4],
    sums: [i32; 4],
}

impl<const N: usize> Converted<N> {
    /// The group of a plan's first `N` steps.
    pub(super) fn new(steps: &[Step]) -> Self {
        let mut offsets = [0; N];
        let mut resolutions = [0.0; 4];
        for ((offset, place), step) in offsets.iter_mut().zip(&mut resolutions).zip(steps) {
            if let Codec::Group { resolution } = step.codec {
                (*offset, *place) = (step.offset, resolution);
            }
        }
        let adjacent = offsets.windows(2).all(|pair| pair[0] + 4 == pair[1]);
        Self { offsets, adjacent, resolutions, sums: [0; 4] }
    }
}

impl<D: Decoder<Layout = Leb128>, const N: usize> Read<D> for Converted<N> {
    #[inline(always)]
    fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        let mut left = *run;
        let mut nans = 0_u8;
        for lane in 0..N {
            let delta =
                next_float_delta(decoder, &mut left).map_err(|kind| Flaw { kind, lane: lane as u8 })?;
            self.sums[lane] = if let Some(delta) = delta {
                self.sums[lane].wrapping_add(delta as i32)
            } else {
                nans |= 1 << lane;
                0
            };
        }
        *run = left;
        let mut values = scaled(self.sums, self.resolutions);
        if nans != 0 {
            for (lane, value) in values.iter_mut().enumerate() {
                if nans >> lane & 1 == 1 {
                    *value = f32::NAN;
                }
            }
        }
        let bytes = values.map(f32::to_le_bytes);
        if self.adjacent {
            point[self.offsets[0]..self.offsets[0] + 4 * N].copy_from_slice(bytes[..N].as_flattened());
        } else {
            for (offset, bytes) in self.offsets.iter().zip(bytes) {
                point[*offset..offset + 4].copy_from_slice(&bytes);
            }
        }
        Ok(())
    }
}

/// The sums as floats, times the resolutions. Four lanes whatever `N` is, so that SSE2, NEON and their like have
/// one instruction for each of the two steps; compilers find it, or for three lanes half of it.
#[inline(always)]
fn scaled(sums: [i32; 4], resolutions: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|lane| sums[lane] as f32 * resolutions[lane])
}
