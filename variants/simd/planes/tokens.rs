//! From planes to words.

use core::{arch::x86_64::*, hint::black_box};

use super::{GROUP, Planes};
use crate::simd::{
    avx512::put,
    stride::{Emitted, Slot},
};

/// Where each 32 bits of a plane go so that unpacking twice, which works in quarters, keeps the order.
const FOURS: [u32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
/// The same of 64 bits, for unpacking once.
const EIGHTS: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// Writes the groups whose bytes the planes hold, until one has a token that does not fit slots of 16 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
#[inline(never)]
pub(crate) fn emit<const LEVEL: usize, const STREAM: bool, W: Slot>(
    planes: &Planes,
    groups: &mut [[W; GROUP]],
) -> Emitted {
    // The compiler must not know how, or it makes one slower step of moving and unpacking.
    let fours: __m512i = pulp::cast(*black_box(&FOURS));
    let eights: __m512i = pulp::cast(*black_box(&EIGHTS));
    let septet = _mm512_set1_epi8(0x7f);
    let zero = _mm512_setzero_si512();
    let mut emitted = Emitted { groups: 0, bytes: 0, longest: 0 };
    let bytes = planes.groups(0).iter().zip(planes.groups(1));
    for (slots, (first, second)) in groups.iter_mut().zip(bytes) {
        let mut first: __m512i = pulp::cast(*first);
        let two = _mm512_movepi8_mask(first);
        first = _mm512_and_si512(first, septet);
        let mut second = _mm512_maskz_mov_epi8(two, pulp::cast(*second));
        let three = _mm512_movepi8_mask(second);
        let mut longer = two.count_ones();
        let mut third = zero;
        let mut fourth = zero;
        if LEVEL > 1 || three != 0 {
            let Some(bytes) = planes.groups(2).get(emitted.groups) else { break };
            second = _mm512_and_si512(second, septet);
            third = _mm512_maskz_mov_epi8(three, pulp::cast(*bytes));
            let mut longest = three.count_ones();
            longer += longest;
            if LEVEL > 2 {
                let Some(bytes) = planes.groups(3).get(emitted.groups) else { break };
                let four = _mm512_movepi8_mask(third);
                third = _mm512_and_si512(third, septet);
                fourth = _mm512_maskz_mov_epi8(four, pulp::cast(*bytes));
                longest = four.count_ones();
                longer += longest;
            }
            emitted.longest += longest as usize;
        }
        let upper = LEVEL > 1 || three != 0;
        if size_of::<W>() == 2 {
            first = _mm512_permutexvar_epi64(eights, first);
            second = _mm512_permutexvar_epi64(eights, second);
            let mut low = pack2(_mm512_unpacklo_epi8(first, second));
            let mut high = pack2(_mm512_unpackhi_epi8(first, second));
            if upper {
                if _mm512_test_epi8_mask(third, _mm512_set1_epi8(!3)) != 0 {
                    break;
                }
                third = _mm512_permutexvar_epi64(eights, third);
                low = _mm512_or_si512(low, _mm512_slli_epi16::<6>(_mm512_unpacklo_epi8(zero, third)));
                high = _mm512_or_si512(high, _mm512_slli_epi16::<6>(_mm512_unpackhi_epi8(zero, third)));
            }
            let (slots, _) = slots.as_chunks_mut::<32>();
            put::<STREAM, W, 32>(&mut slots[0], low);
            put::<STREAM, W, 32>(&mut slots[1], high);
        } else {
            first = _mm512_permutexvar_epi32(fours, first);
            second = _mm512_permutexvar_epi32(fours, second);
            let low = pack2(_mm512_unpacklo_epi8(first, second));
            let high = pack2(_mm512_unpackhi_epi8(first, second));
            if upper {
                third = _mm512_permutexvar_epi32(fours, third);
                let mut low_upper = _mm512_unpacklo_epi8(third, zero);
                let mut high_upper = _mm512_unpackhi_epi8(third, zero);
                if LEVEL == 3 {
                    fourth = _mm512_permutexvar_epi32(fours, fourth);
                    low_upper = pack2(_mm512_unpacklo_epi8(third, fourth));
                    high_upper = pack2(_mm512_unpackhi_epi8(third, fourth));
                }
                let (slots, _) = slots.as_chunks_mut::<16>();
                store::<STREAM, W>(&mut slots[0], pack4(_mm512_unpacklo_epi16(low, low_upper)));
                store::<STREAM, W>(&mut slots[1], pack4(_mm512_unpackhi_epi16(low, low_upper)));
                store::<STREAM, W>(&mut slots[2], pack4(_mm512_unpacklo_epi16(high, high_upper)));
                store::<STREAM, W>(&mut slots[3], pack4(_mm512_unpackhi_epi16(high, high_upper)));
            } else {
                let (slots, _) = slots.as_chunks_mut::<16>();
                store::<STREAM, W>(&mut slots[0], _mm512_unpacklo_epi16(low, zero));
                store::<STREAM, W>(&mut slots[1], _mm512_unpackhi_epi16(low, zero));
                store::<STREAM, W>(&mut slots[2], _mm512_unpacklo_epi16(high, zero));
                store::<STREAM, W>(&mut slots[3], _mm512_unpackhi_epi16(high, zero));
            }
        }
        emitted.bytes += GROUP + longer as usize;
        emitted.groups += 1;
    }
    emitted
}

/// Pairs of words of 14 bits into words of 28.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn pack4(words: __m512i) -> __m512i {
    _mm512_madd_epi16(words, _mm512_set1_epi32(0x4000_0001))
}

/// Pairs of bytes of seven bits into words of 14.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn pack2(septets: __m512i) -> __m512i {
    _mm512_maddubs_epi16(_mm512_set1_epi32(0x8001_8001_u32 as i32), septets)
}

/// Stores 16 lanes of 32 bits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn store<const STREAM: bool, W: Slot>(slots: &mut [W; 16], tokens: __m512i) {
    if size_of::<W>() == 4 {
        put::<STREAM, W, 16>(slots, tokens);
    } else {
        let upper = _mm512_setr_epi32(8, 0, 9, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0);
        let (slots, _) = slots.as_chunks_mut::<8>();
        put::<STREAM, W, 8>(&mut slots[0], _mm512_cvtepu32_epi64(_mm512_castsi512_si256(tokens)));
        put::<STREAM, W, 8>(&mut slots[1], _mm512_maskz_permutexvar_epi32(0x5555, upper, tokens));
    }
}
