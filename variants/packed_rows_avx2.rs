//! Packed rows, as many whole rows a step as eight lanes hold: where each token starts follows from its row, its
//! field and the prefix sums of the block's widths, which are made once for 16 rows. Each half of a 256-bit
//! register loads the bytes of four tokens; one byte shuffle (VPSHUFB) puts the four bytes around each token into
//! its 32-bit lane, a shift by lane and a mask by field cut it out. Rows of more than eight fields take two
//! registers. Blocks with a token of more than 25 bits, or a row of more than 255, go to plain code. It loses
//! time where those are common.

use crate::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Run, Standing, Word, cpu,
    layout::{
        PackedRows, decode_whole_groups,
        packed_rows::{ROWS, fields, next_token},
    },
};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct PackedRowsAvx2(cpu::Avx2);

impl Decoder for PackedRowsAvx2 {
    type Layout = PackedRows;
    const INFO: Info = Info {
        idea: "bit offsets from prefix sums of the fields' widths, then VPSHUFB, a shift and a mask by lane",
        origin: "this lab",
        loses_when: "widths change within 16 rows, and on a few tokens, whose block is filled up",
        class: Class::Avx2,
        standing: Standing::Ranked,
    };

    fn detect() -> Option<Self> {
        cpu::Avx2::detect().map(Self)
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
fn decode_all<'a, W: Word>(cpu: cpu::Avx2, _: Run<'a>, _: &mut [W]) -> Option<Run<'a>> {
    match cpu {}
}

/// Fills `out` and gives the run behind it, or `None` at any error.
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
fn decode_all<'a, W: Word>(_: cpu::Avx2, run: Run<'a>, out: &mut [W]) -> Option<Run<'a>> {
    // SAFETY: `cpu::Avx2` exists only where each feature that the kernel enables was detected.
    unsafe { kernel::blocks(run, out) }
}

#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod kernel {
    use core::arch::x86_64::{
        __m128i, __m256i, _mm_set1_epi32, _mm_shuffle_epi8, _mm256_add_epi8, _mm256_add_epi32,
        _mm256_and_si256, _mm256_castsi256_si128, _mm256_cvtepu8_epi32, _mm256_cvtepu32_epi64,
        _mm256_extracti128_si256, _mm256_madd_epi16, _mm256_set_m128i, _mm256_set1_epi32,
        _mm256_shuffle_epi8, _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_srlv_epi32, _mm256_sub_epi32,
    };

    use crate::{
        Run, Word, Words,
        layout::packed_rows::{Block, MAX_FIELDS, ROWS, fields},
    };

    /// Tokens of a register.
    const LANES: usize = 8;

    /// The widest token that lies in four bytes, wherever in the first it starts.
    const FOUR_BYTES: u64 = 25;

    /// The most bits of a row whose prefix sums fit in bytes.
    const ROW_BITS: usize = 255;

    /// Bytes that a block's vector loads may reach into: they start within its first 512 and load 16.
    const REACH: usize = 512 + 16;

    /// How rows of `FIELDS` fields lie in a register.
    struct Shape<const FIELDS: usize>;

    impl<const FIELDS: usize> Shape<FIELDS> {
        /// Registers for the rows that are cut out together.
        const REGISTERS: usize = FIELDS.div_ceil(LANES);

        /// Rows that are cut out together.
        const ROWS: usize = if FIELDS > LANES { 1 } else { LANES / FIELDS };

        /// The field of a lane, which is beyond the last one in the lanes that are left over.
        const fn field(register: usize, lane: usize) -> usize {
            if FIELDS > LANES { register * LANES + lane } else { lane % FIELDS }
        }

        /// The row of a lane.
        const fn row(lane: usize) -> usize {
            if FIELDS > LANES { 0 } else { lane / FIELDS }
        }

        /// The fields of both registers' lanes, as bytes.
        const FIELD: [[u8; 16]; 2] = {
            let mut field = [[0; 16]; 2];
            let mut place = 0;
            while place < 2 * LANES {
                let (register, lane) = (place / LANES, place % LANES);
                field[register][lane] = Self::field(register, lane) as u8;
                place += 1;
            }
            field
        };

        /// The row of each lane.
        const ROW: [u32; LANES] = {
            let mut row = [0; LANES];
            let mut lane = 0;
            while lane < LANES {
                row[lane] = Self::row(lane) as u32;
                lane += 1;
            }
            row
        };

        /// All bits of the fields' width bytes.
        const BYTES: u128 = u128::MAX >> (8 * (MAX_FIELDS - FIELDS));
    }

    /// Tokens of half a register, which has a window of its own.
    const HALF: usize = LANES / 2;

    /// Numbers below 8 for each half of a register.
    static BITS: [[[u32; LANES]; 8]; 8] = {
        let mut bits = [[[0; LANES]; 8]; 8];
        let mut number = 0;
        while number < 64 * LANES {
            let (low, high, lane) = (number / 64, number / 8 % 8, number % LANES);
            bits[low][high][lane] = if lane < HALF { low } else { high } as u32;
            number += 1;
        }
        bits
    };

    /// Fills `out`.
    #[target_feature(enable = "avx2")]
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

    #[target_feature(enable = "avx2")]
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
    #[target_feature(enable = "avx2")]
    fn part<'a, const FIELDS: usize, W: Word>(run: Run<'a>, slots: &mut [W]) -> Option<Run<'a>> {
        let block = Block::of(&run).ok()?;
        let place = run.taken % block.tokens();
        let mut control = [0; MAX_FIELDS];
        control[..FIELDS].copy_from_slice(block.widths);
        let Some(widths) = Widths::narrow(control, Shape::<FIELDS>::BYTES) else {
            return plain(run, slots);
        };
        let mut data = [0; REACH];
        data[..block.bytes.len()].copy_from_slice(block.bytes);
        let mut tokens = [W::default(); ROWS * MAX_FIELDS + LANES];
        unpack::<FIELDS, W>(&widths, &data, &mut tokens[..ROWS * FIELDS + LANES]);
        slots.copy_from_slice(&tokens[place..place + slots.len()]);
        Some(behind(run, &block, slots.len()))
    }

    /// The run behind `count` more tokens of its block.
    fn behind<'a>(run: Run<'a>, block: &Block<'a>, count: usize) -> Run<'a> {
        let ends = run.taken % block.tokens() + count == block.tokens();
        Run { data: if ends { block.rest } else { run.data }, taken: run.taken + count, ..run }
    }

    /// A block or a part of one, one token after the other.
    fn plain<'a, W: Word>(run: Run<'a>, slots: &mut [W]) -> Option<Run<'a>> {
        let block = Block::of(&run).ok()?;
        let place = run.taken % block.tokens();
        // Tokens of up to 57 bits lie in eight bytes, wherever in the first they start.
        let fit = block.widths.iter().all(|&width| usize::from(width) <= (8 * W::BYTES).min(57));
        if slots.len() == block.tokens() && fit && block.rest.len() >= 8 {
            let mut bit = 0;
            for row in slots.chunks_exact_mut(block.widths.len()) {
                for (slot, &width) in row.iter_mut().zip(block.widths) {
                    let bits = u64::from_le_bytes(*run.data.get(bit / 8..)?.first_chunk()?);
                    *slot = W::cut(bits >> (bit % 8) & ((1 << width) - 1));
                    bit += usize::from(width);
                }
            }
        } else {
            for (slot, place) in slots.iter_mut().zip(place..) {
                *slot = W::from_token(block.token(place))?;
            }
        }
        Some(behind(run, &block, slots.len()))
    }

    /// What is the same for the rows of a block that lie in a register alike.
    struct Lanes {
        /// Where each token starts, in bits, counted in the upper half from that half's first token.
        start: __m256i,
        /// The bits of each token.
        mask: __m256i,
        /// Where the lower and the upper half start, in bits.
        halves: [usize; 2],
    }

    impl Lanes {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn of<const FIELDS: usize>(widths: &Widths, register: usize) -> Self {
            let field = pulp::cast::<_, __m128i>(Shape::<FIELDS>::FIELD[register]);
            let by_field = |bytes: __m128i| _mm256_cvtepu8_epi32(_mm_shuffle_epi8(bytes, field));
            // Rows and bits of a row have 16 bits each, so that the sum of the halves' products is one product.
            let row_bits = _mm256_set1_epi32(widths.sum as i32);
            let rows = _mm256_madd_epi16(pulp::cast(Shape::<FIELDS>::ROW), row_bits);
            let start = _mm256_add_epi32(rows, by_field(pulp::cast(widths.starts)));
            let halves = [0, HALF].map(|lane| {
                let field = Shape::<FIELDS>::field(register, lane);
                let in_row = widths.starts[field / 8] >> (8 * (field % 8)) & 0xff;
                Shape::<FIELDS>::row(lane) * widths.sum + in_row as usize
            });
            let firsts = halves.map(|bit| _mm_set1_epi32(bit as i32));
            let one = _mm256_set1_epi32(1);
            Self {
                start: _mm256_sub_epi32(start, _mm256_set_m128i(firsts[1], firsts[0])),
                mask: _mm256_sub_epi32(_mm256_sllv_epi32(one, by_field(pulp::cast(widths.bytes))), one),
                halves,
            }
        }
    }

    /// A block, whose slots have [`LANES`] more behind them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn unpack<const FIELDS: usize, W: Word>(widths: &Widths, data: &[u8; REACH], slots: &mut [W]) {
        let registers = [Lanes::of::<FIELDS>(widths, 0), Lanes::of::<FIELDS>(widths, 1)];
        // The lowest byte of each dword four times, for the byte that a token starts in and the three behind.
        let lowest = [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12_u8];
        let lowest = pulp::cast::<[[u8; 16]; 2], __m256i>([lowest; 2]);
        let four = _mm256_set1_epi32(0x0302_0100);
        let seven = _mm256_set1_epi32(7);
        // Tokens start in fewer than 512 bytes: the remainder changes nothing for them and spares a check.
        let window = |bit: usize| {
            let mut window = [0; 16];
            window.copy_from_slice(&data[bit / 8 % 512..][..16]);
            pulp::cast::<_, __m128i>(window)
        };
        for row in (0..ROWS).step_by(Shape::<FIELDS>::ROWS) {
            for (register, lanes) in registers[..Shape::<FIELDS>::REGISTERS].iter().enumerate() {
                let [low, high] = lanes.halves.map(|half| row * widths.sum + half);
                let start = _mm256_add_epi32(lanes.start, pulp::cast(BITS[low % 8][high % 8]));
                let byte = _mm256_shuffle_epi8(_mm256_srli_epi32::<3>(start), lowest);
                let bytes = _mm256_set_m128i(window(high), window(low));
                let bytes = _mm256_shuffle_epi8(bytes, _mm256_add_epi8(byte, four));
                let tokens = _mm256_srlv_epi32(bytes, _mm256_and_si256(start, seven));
                let at = row * FIELDS + register * LANES;
                store(_mm256_and_si256(tokens, lanes.mask), &mut slots[at..][..LANES]);
            }
        }
    }

    /// Stores eight tokens.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store<W: Word>(lanes: __m256i, slots: &mut [W]) {
        match W::words(slots) {
            Words::U32(slots) => slots.copy_from_slice(&pulp::cast::<__m256i, [u32; LANES]>(lanes)),
            Words::U64(slots) => {
                let (low, high) = slots.split_at_mut(HALF);
                let words = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(lanes));
                low.copy_from_slice(&pulp::cast::<__m256i, [u64; HALF]>(words));
                let words = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(lanes));
                high.copy_from_slice(&pulp::cast::<__m256i, [u64; HALF]>(words));
            }
        }
    }
}
