//! Masked VByte: the high bits of twelve bytes are the key of a table that says how many whole tokens begin
//! there and how to shuffle their bytes into lanes: six of up to two bytes, four of up to three, or two of up
//! to five. Sixteen tokens of one byte have a path of their own; longer tokens are decoded one at a time.
//!
//! The next key waits for the length that the last one found, and steps are small: it loses to the kernels
//! that walk the bytes at a fixed stride everywhere, and to the plain loop on runs of tokens of six bytes
//! and more.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Run, Standing, Word, cpu::Sse41, layout::Leb128,
    next_by_step,
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Leb128MaskedSse41(Sse41);

impl Decoder for Leb128MaskedSse41 {
    type Layout = Leb128;
    const INFO: Info = Info {
        idea: "twelve high bits choose a byte shuffle for two, four or six tokens",
        origin: "Masked VByte (Plaisance, Kurz, Lemire 2015)",
        loses_when: "tokens have six bytes and more",
        class: Class::Sse,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        Sse41::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        #[cfg(all(target_arch = "x86_64", feature = "simd"))]
        {
            kernel::decode(self.0, run, out)
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
        {
            let _ = (run, out);
            match self.0 {}
        }
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_by_step(run, step(run.data))
    }
}

/// One token, for the long ones, the ends, and readers of mixed rows.
#[inline(always)]
fn step(bytes: &[u8]) -> Result<(u64, usize), ErrorKind> {
    match bytes {
        &[first, ..] if first < 0x80 => Ok((first.into(), 1)),
        _ => crate::layout::leb128::decode_token(bytes),
    }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cvtepu8_epi16, _mm_cvtepu16_epi32, _mm_cvtepu32_epi64,
        _mm_madd_epi16, _mm_maddubs_epi16, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_set1_epi32,
        _mm_set1_epi64x, _mm_shuffle_epi8, _mm_srli_epi64, _mm_srli_si128,
    };

    use super::step;
    use crate::{
        DecodeError, ErrorKind, Run, Word, Words,
        cpu::Sse41,
        simd::masked::{KEYS, NONE, ROWS, SIX, TWO},
    };

    pub(super) fn decode<W: Word>(_: Sse41, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        // SAFETY: the first argument exists only where every feature named there was detected.
        unsafe { tokens(run, out) }
    }

    #[target_feature(enable = "ssse3,sse4.1")]
    fn tokens<W: Word>(run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        let mut data = run.data;
        let mut done = 0;
        while done < out.len() {
            let (tokens, bytes) = shuffled(data, &mut out[done..]);
            done += tokens;
            data = &data[bytes..];
            // The token that has no shuffle; behind it there may be more that have one.
            if let Some(slot) = out.get_mut(done) {
                let index = done;
                let (token, used) = step(data).map_err(|kind| DecodeError { kind, index })?;
                *slot = W::from_token(token).ok_or(DecodeError { kind: ErrorKind::Wide, index })?;
                data = &data[used..];
                done += 1;
            }
        }
        run.data = data;
        run.taken += out.len();
        Ok(())
    }

    /// Decodes until a token has no shuffle or does not fit, or fewer than 16 bytes or slots are left.
    /// Returns the numbers of tokens and bytes.
    #[target_feature(enable = "ssse3,sse4.1")]
    #[inline]
    fn shuffled<W: Word>(data: &[u8], out: &mut [W]) -> (usize, usize) {
        let mut rest = data;
        let mut done = 0;
        while let (Some(&bytes), Some(slots)) =
            (rest.first_chunk::<16>(), out[done..].first_chunk_mut::<16>())
        {
            let bytes: __m128i = pulp::cast(bytes);
            let high = _mm_movemask_epi8(bytes) as usize;
            if high == 0 {
                for (quarter, slots) in slots.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                    let half = if quarter == 0 { bytes } else { _mm_srli_si128::<8>(bytes) };
                    store2(slots, _mm_cvtepu8_epi16(half));
                }
                rest = &rest[16..];
                done += 16;
                continue;
            }
            let key = KEYS[high % 4096];
            let row = usize::from(key.row);
            if row == NONE {
                break;
            }
            let lanes = _mm_shuffle_epi8(bytes, pulp::cast(ROWS[row]));
            let septets = _mm_and_si128(lanes, _mm_set1_epi8(0x7f));
            let words = _mm_maddubs_epi16(_mm_set1_epi32(0x8001_8001_u32 as i32), septets);
            if row < SIX {
                store2(slots.first_chunk_mut().unwrap(), words);
                done += 6;
            } else {
                let halves = _mm_madd_epi16(words, _mm_set1_epi32(0x4000_0001));
                if row < TWO {
                    store4(slots.first_chunk_mut().unwrap(), halves);
                    done += 4;
                } else {
                    // 28 bits and 7 bits become 35: the upper half moves down by 4.
                    let low = _mm_set1_epi64x(0x0fff_ffff);
                    let tokens = _mm_or_si128(
                        _mm_and_si128(halves, low),
                        _mm_andnot_si128(low, _mm_srli_epi64::<4>(halves)),
                    );
                    let tokens: [u64; 2] = pulp::cast(tokens);
                    let (Some(first), Some(second)) = (W::from_token(tokens[0]), W::from_token(tokens[1]))
                    else {
                        break;
                    };
                    slots[0] = first;
                    slots[1] = second;
                    done += 2;
                }
            }
            rest = &rest[usize::from(key.bytes)..];
        }
        (done, data.len() - rest.len())
    }

    /// Stores 8 lanes of 16 bits.
    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn store2<W: Word>(slots: &mut [W; 8], tokens: __m128i) {
        let (first, second) = slots.split_at_mut(4);
        store4(first.try_into().unwrap(), _mm_cvtepu16_epi32(tokens));
        store4(second.try_into().unwrap(), _mm_cvtepu16_epi32(_mm_srli_si128::<8>(tokens)));
    }

    /// Stores 4 lanes of 32 bits.
    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn store4<W: Word>(slots: &mut [W; 4], tokens: __m128i) {
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m128i, [u32; 4]>(tokens)),
            Words::U64(slots) => {
                let low: [u64; 2] = pulp::cast(_mm_cvtepu32_epi64(tokens));
                let high: [u64; 2] = pulp::cast(_mm_cvtepu32_epi64(_mm_srli_si128::<8>(tokens)));
                slots.copy_from_slice([low, high].as_flattened());
            }
        }
    }
}
