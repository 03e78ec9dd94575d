//! Packed rows, as many whole rows a step as 16 lanes hold: where each token starts follows from its row, its
//! field and the prefix sums of the block's widths, which are made once for 16 rows. One byte permutation
//! (VPERMB) then puts the four bytes around each token into its 32-bit lane, a shift by lane and a mask by field
//! cut it out. Blocks with a token of more than 25 bits, or a row of more than 255, go to plain code. It loses time
//! where those are common.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{
        PackedRows, decode_whole_groups,
        packed_rows::{ROWS, fields, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct PackedRowsAvx512(cpu::Avx512Vbmi2);

impl Decoder for PackedRowsAvx512 {
    type Layout = PackedRows;
    const INFO: Info = Info {
        idea: "bit offsets from prefix sums of the fields' widths, then VPERMB, a shift and a mask by lane",
        origin: "this lab",
        loses_when: "widths change within 16 rows, and on a few tokens, whose block is filled up",
        class: Class::Avx512,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        cpu::Avx512Vbmi2::detect().map(Self)
    }

    fn decode<W: Word>(self, run: &mut Run<'_>, out: &mut [W]) -> Result<(), DecodeError> {
        match decode_all(self.0, *run, out) {
            Some(after) => {
                *run = after;
                Ok(())
            }
            // Something is wrong somewhere: the oracle says what and where.
            None => PackedRows::oracle(run, out),
        }
    }

    #[inline]
    fn decode_some<W: Word>(
        self,
        run: &mut Run<'_>,
        out: &mut [W],
        least: usize,
    ) -> Result<usize, DecodeError> {
        let group = fields(run.control).map_or(1, |fields| ROWS * fields);
        decode_whole_groups(self, run, out, least, group)
    }

    #[inline]
    fn next_token(self, run: &mut Run<'_>) -> Result<u64, ErrorKind> {
        next_token(run)
    }
}

#[cfg(not(all(target_arch = "x86_64", feature = "simd")))]
fn decode_all<'a, W: Word>(cpu: cpu::Avx512Vbmi2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx512Vbmi2, run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    // SAFETY: `cpu::Avx512Vbmi2` exists only where each feature that the kernel enables was detected.
    unsafe { kernel::blocks(run, out) }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m128i, __m512i, _mm512_add_epi8, _mm512_add_epi32, _mm512_and_si512, _mm512_castsi128_si512,
        _mm512_castsi512_si256, _mm512_cvtepu32_epi64, _mm512_extracti64x4_epi64, _mm512_madd_epi16,
        _mm512_maskz_permutexvar_epi8, _mm512_permutexvar_epi8, _mm512_set1_epi32, _mm512_set4_epi32,
        _mm512_shuffle_epi8, _mm512_sllv_epi32, _mm512_srli_epi32, _mm512_srlv_epi32, _mm512_sub_epi32,
    };

    use crate::{
        Run, Word, Words,
        layout::packed_rows::{Block, MAX_FIELDS, ROWS, fields},
    };

    /// Tokens of a register.
    const LANES: usize = 16;

    /// The widest token that lies in four bytes, wherever in the first it starts.
    const FOUR_BYTES: u64 = 25;

    /// The most bits of a row whose prefix sums fit in bytes.
    const ROW_BITS: usize = 255;

    /// Bytes that a block's vector loads may reach into: they start within its first 510 and load 64.
    const REACH: usize = 512 + 64;

    /// How rows of `FIELDS` fields lie in a register.
    struct Shape<const FIELDS: usize>;

    impl<const FIELDS: usize> Shape<FIELDS> {
        /// Whole rows in a register.
        const ROWS: usize = LANES / FIELDS;

        /// The field of each lane, in its lowest byte.
        const FIELD: [u32; LANES] = {
            let mut field = [0; LANES];
            let mut lane = 0;
            while lane < LANES {
                field[lane] = (lane % FIELDS) as u32;
                lane += 1;
            }
            field
        };

        /// The row of each lane.
        const ROW: [u32; LANES] = {
            let mut row = [0; LANES];
            let mut lane = 0;
            while lane < LANES {
                row[lane] = (lane / FIELDS) as u32;
                lane += 1;
            }
            row
        };

        /// All bits of the fields' width bytes.
        const BYTES: u128 = u128::MAX >> (8 * (MAX_FIELDS - FIELDS));
    }

    /// The numbers below 8, as a vector operation can broadcast them from memory.
    static BITS: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    /// Fills `out`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(super) fn blocks<'a, W: Word>(run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
        if out.is_empty() {
            return Some(run);
        }
        // A kernel for each number of fields: the loop over a block's registers is then unrolled.
        match fields(run.control).ok()? {
            1 => blocks_of::<1, W>(run, out),
            2 => blocks_of::<2, W>(run, out),
            3 => blocks_of::<3, W>(run, out),
            4 => blocks_of::<4, W>(run, out),
            5 => blocks_of::<5, W>(run, out),
            6 => blocks_of::<6, W>(run, out),
            7 => blocks_of::<7, W>(run, out),
            8 => blocks_of::<8, W>(run, out),
            9 => blocks_of::<9, W>(run, out),
            10 => blocks_of::<10, W>(run, out),
            11 => blocks_of::<11, W>(run, out),
            12 => blocks_of::<12, W>(run, out),
            13 => blocks_of::<13, W>(run, out),
            14 => blocks_of::<14, W>(run, out),
            15 => blocks_of::<15, W>(run, out),
            _ => blocks_of::<16, W>(run, out),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn blocks_of<'a, const FIELDS: usize, W: Word>(mut run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
        let tokens = ROWS * FIELDS;
        let mut done = 0;
        while done < out.len() {
            let place = run.taken % tokens;
            if place == 0 {
                let mut data = run.data;
                let mut control = run.control.get(1 + run.taken / ROWS..)?;
                let before = done;
                // The last register of a block may write up to LANES behind it, where the next block goes.
                while let Some(slots) = out.get_mut(done..done + tokens + LANES)
                    && let Some(some) = control.first_chunk()
                    && let Some(widths) = Widths::narrow(*some, Shape::<FIELDS>::BYTES)
                    && let Some(bytes) = data.first_chunk()
                {
                    unpack::<FIELDS, W>(&widths, bytes, slots);
                    data = &data[widths.size()..];
                    control = &control[FIELDS..];
                    done += tokens;
                }
                run.data = data;
                run.taken += done - before;
            }
            let count = (tokens - place).min(out.len() - done);
            run = part::<FIELDS, W>(run, &mut out[done..done + count])?;
            done += count;
        }
        Some(run)
    }

    /// The widths of a block that `unpack` can take.
    struct Widths {
        /// One byte a field; what follows them means nothing.
        bytes: [u8; MAX_FIELDS],
        /// Where each field starts in a row, in bits; one byte a field.
        starts: [u64; 2],
        /// Bits of a row.
        sum: usize,
    }

    impl Widths {
        /// The widths in `bytes`, as far as `fields` lets them through, if all are narrow.
        #[inline(always)]
        fn narrow(bytes: [u8; MAX_FIELDS], fields: u128) -> Option<Self> {
            const ONES: u64 = 0x0101_0101_0101_0101;
            let widths = u128::from_le_bytes(bytes) & fields;
            let (low, high) = (widths as u64, (widths >> 64) as u64);
            // Bytes above FOUR_BYTES get their top bit set, or have it. None can carry into the next.
            let above = |eight: u64| ((eight & (0x7f * ONES)) + (0x7f - FOUR_BYTES) * ONES) | eight;
            if (above(low) | above(high)) & (0x80 * ONES) != 0 {
                return None;
            }
            // A product with ones adds up every byte and all below it; eight widths are at most 200 bits.
            let (low_ends, high_ends) = (low.wrapping_mul(ONES), high.wrapping_mul(ONES));
            let low_sum = low_ends >> 56;
            let sum = (low_sum + (high_ends >> 56)) as usize;
            let starts = [low_ends << 8, (high_ends << 8).wrapping_add(low_sum.wrapping_mul(ONES))];
            (sum <= ROW_BITS).then_some(Self { bytes, starts, sum })
        }

        /// Bytes of the block.
        #[inline(always)]
        fn size(&self) -> usize {
            ROWS / 8 * self.sum
        }
    }

    /// A block or a part of one, at the end of the data, the widths or the output, or with wide tokens.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn part<'a, const FIELDS: usize, W: Word>(mut run: Run<'a>, slots: &mut [W]) -> Option<Run<'a>> {
        let block = Block::of(&run).ok()?;
        let place = run.taken % block.tokens();
        let mut control = [0; MAX_FIELDS];
        control[..FIELDS].copy_from_slice(block.widths);
        if let Some(widths) = Widths::narrow(control, Shape::<FIELDS>::BYTES) {
            let mut data = [0; REACH];
            data[..block.bytes.len()].copy_from_slice(block.bytes);
            let mut tokens = [W::default(); ROWS * MAX_FIELDS + LANES];
            unpack::<FIELDS, W>(&widths, &data, &mut tokens[..ROWS * FIELDS + LANES]);
            slots.copy_from_slice(&tokens[place..place + slots.len()]);
        } else if slots.len() == block.tokens()
            && block.rest.len() >= 8
            && block.widths.iter().all(|&width| fits::<W>(width))
        {
            wide(&block, run.data, slots)?;
        } else {
            for (slot, place) in slots.iter_mut().zip(place..) {
                *slot = W::from_token(block.token(place))?;
            }
        }
        if place + slots.len() == block.tokens() {
            run.data = block.rest;
        }
        run.taken += slots.len();
        Some(run)
    }

    /// Whether tokens of this width lie in eight bytes, wherever in the first they start, and fit the word.
    fn fits<W: Word>(width: u8) -> bool {
        usize::from(width) <= (8 * W::BYTES).min(57)
    }

    /// A block of tokens that all `fit`, one by one from `data` that begins with it.
    fn wide<W: Word>(block: &Block<'_>, data: &[u8], slots: &mut [W]) -> Option<()> {
        let mut bit = 0;
        for row in slots.chunks_exact_mut(block.widths.len()) {
            for (slot, &width) in row.iter_mut().zip(block.widths) {
                let bytes = data.get(bit / 8..).and_then(<[u8]>::first_chunk);
                let bits = u64::from_le_bytes(*bytes?);
                *slot = W::cut(bits >> (bit % 8) & ((1 << width) - 1));
                bit += usize::from(width);
            }
        }
        Some(())
    }

    /// A block, whose slots have [`LANES`] more behind them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn unpack<const FIELDS: usize, W: Word>(widths: &Widths, data: &[u8; REACH], slots: &mut [W]) {
        let place = pulp::cast(Shape::<FIELDS>::FIELD);
        let by_field = |bytes: __m128i| {
            _mm512_maskz_permutexvar_epi8(0x1111_1111_1111_1111, place, _mm512_castsi128_si512(bytes))
        };
        // Rows and bits of a row have 16 bits each, so that the sum of the halves' products is one product.
        let row_bits = _mm512_set1_epi32(widths.sum as i32);
        let rows = _mm512_madd_epi16(pulp::cast(Shape::<FIELDS>::ROW), row_bits);
        let start = _mm512_add_epi32(rows, by_field(pulp::cast(widths.starts)));
        let width = by_field(pulp::cast(widths.bytes));
        let one = _mm512_set1_epi32(1);
        let mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, width), one);
        // The lowest byte of each dword four times, for the byte that a token starts in and the three behind.
        let lowest = _mm512_set4_epi32(0x0c0c_0c0c, 0x0808_0808, 0x0404_0404, 0);
        let four = _mm512_set1_epi32(0x0302_0100);
        let seven = _mm512_set1_epi32(7);
        for row in (0..ROWS).step_by(Shape::<FIELDS>::ROWS) {
            let bit = row * widths.sum;
            // The block's bytes are fewer than 512: the mask changes nothing and spares a check.
            let mut window = [0; 64];
            window.copy_from_slice(&data[bit / 8 % 512..][..64]);
            let start = _mm512_add_epi32(start, _mm512_set1_epi32(BITS[bit % 8]));
            let byte = _mm512_shuffle_epi8(_mm512_srli_epi32::<3>(start), lowest);
            let bytes = _mm512_permutexvar_epi8(_mm512_add_epi8(byte, four), pulp::cast(window));
            let lanes = _mm512_srlv_epi32(bytes, _mm512_and_si512(start, seven));
            store(_mm512_and_si512(lanes, mask), &mut slots[row * FIELDS..][..LANES]);
        }
    }

    /// Stores 16 tokens.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store<W: Word>(lanes: __m512i, slots: &mut [W]) {
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m512i, [u32; LANES]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(LANES / 2);
                let words = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(lanes));
                low.copy_from_slice(&pulp::cast::<__m512i, [u64; LANES / 2]>(words));
                let words = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m512i, [u64; LANES / 2]>(words));
            }
        }
    }
}
