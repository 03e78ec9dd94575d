//! Varint decoders for LIDAR token streams behind one trait, from the plain loop to AVX-512. `ls variants/` is
//! the field.
//!
//! To decode LEB128 with the fastest one that this CPU can run:
//!
//! ```
//! let bytes = [0x01, 0xac, 0x02, 0xf0, 0xa2, 0x04];
//! let tokens: Vec<u32> = variants::decode_leb128(&bytes, 3)?;
//! assert_eq!(tokens, [1, 300, 70_000]);
//! # Ok::<(), variants::DecodeError>(())
//! ```
//!
//! [`best`] says which that is and has the calls for buffers of one's own. Any other decoder, of any layout, is used
//! by its name:
//!
//! ```
//! use variants::{Decoder, Layout, layout::Leb128, leb128_loop::Leb128Loop};
//!
//! let mut bytes = Vec::new();
//! Leb128::encode(&[1_u32, 300, 70_000], &mut bytes);
//! let mut run = Leb128::open::<u32>(&bytes, 3)?;
//! let mut tokens = [0_u32; 3];
//! Leb128Loop::detect().unwrap().decode(&mut run, &mut tokens)?;
//! assert_eq!(tokens, [1, 300, 70_000]);
//! # Ok::<(), variants::DecodeError>(())
//! ```
//!
//! To add a decoder, write `<layout>_<algorithm>[_<cpu feature>].rs` beside this file and add its line to the
//! registry below. It is then conformance-tested, listed, verified, ranked, benchmarked and reported with
//! nothing else touched. `examples/template.rs` is such a file to begin with.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod best;
mod contract;
pub mod cpu;
pub mod ends;
pub mod layout;
pub mod lift;
#[cfg(all(target_arch = "x86_64", feature = "simd"))]
mod simd;

/// The listing in the crate's README is a test as well.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

pub use best::{decode_leb128, read_leb128};
pub use contract::{
    Class, DecodeError, Decoder, ErrorKind, Info, Layout, Leb128Visitor, Run, Standing, Tokens, Word, Words,
    decode_by_step, next_by_step,
};

/// Is shown every registered variant: the way to run generic code over all of them.
pub trait Visitor {
    /// `name` is the name of the variant's file.
    fn visit<D: Decoder>(&mut self, name: &'static str);
}

/// Shows every registered decoder of LEB128 to `visitor`, in the registry's order.
pub fn visit_leb128(visitor: &mut impl Leb128Visitor) {
    struct Filter<'a, V>(&'a mut V);
    impl<V: Leb128Visitor> Visitor for Filter<'_, V> {
        fn visit<D: Decoder>(&mut self, name: &'static str) {
            D::Layout::show_leb128::<D>(name, self.0);
        }
    }
    visit_all(&mut Filter(visitor));
}

/// The first argument hands `$` through, so that the macro can define a macro.
macro_rules! registry {
    ($d:tt $($module:ident::$decoder:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// The registered variants' names, in the registry's order.
        pub const NAMES: &[&str] = &[$(stringify!($module)),*];

        /// Shows every registered variant to `visitor`, in the registry's order.
        pub fn visit_all(visitor: &mut impl Visitor) {
            $(visitor.visit::<$module::$decoder>(stringify!($module));)*
        }

        /// Calls `$callback! { module::Decoder, ... }` with every registered variant: for code that needs
        /// an item each, such as named tests.
        #[macro_export]
        macro_rules! for_each_variant {
            ($d callback:ident) => { $d callback! { $($module::$decoder),* } };
        }
    };
}

// THE REGISTRY: one line a variant.
registry! { $
    leb128_loop::Leb128Loop,
    leb128_fast1::Leb128Fast1,
    leb128_fast2::Leb128Fast2,
    leb128_fast3::Leb128Fast3,
    leb128_select2::Leb128Select2,
    leb128_shiftmix::Leb128Shiftmix,
    leb128_unrolled::Leb128Unrolled,
    leb128_switch256::Leb128Switch256,
    leb128_pext_bmi2::Leb128PextBmi2,
    leb128_pext4_bmi2::Leb128Pext4Bmi2,
    leb128_pext4x2_bmi2::Leb128Pext4x2Bmi2,
    leb128_pext8_bmi2::Leb128Pext8Bmi2,
    leb128_pext8x2_bmi2::Leb128Pext8x2Bmi2,
    leb128_masked_sse41::Leb128MaskedSse41,
    leb128_stride_avx2::Leb128StrideAvx2,
    leb128_varstride_avx512::Leb128VarstrideAvx512,
    leb128_stride_avx512::Leb128StrideAvx512,
    stream_vbyte_bytes::StreamVbyteBytes,
    stream_vbyte_masked::StreamVbyteMasked,
    stream_vbyte_sse41::StreamVbyteSse41,
    stream_vbyte_avx2::StreamVbyteAvx2,
    stream_vbyte_avx512::StreamVbyteAvx512,
    stream_vbyte0124_scalar::StreamVbyte0124Scalar,
    stream_vbyte0124_avx2::StreamVbyte0124Avx2,
    stream_vbyte0124_avx512::StreamVbyte0124Avx512,
    stream_vbyte12_scalar::StreamVbyte12Scalar,
    stream_vbyte12_avx2::StreamVbyte12Avx2,
    stream_vbyte12_avx512::StreamVbyte12Avx512,
    stream_vbyte1234_scalar::StreamVbyte1234Scalar,
    stream_vbyte1234_sse41::StreamVbyte1234Sse41,
    stream_vbyte1234_avx2::StreamVbyte1234Avx2,
    stream_vbyte1234_avx512::StreamVbyte1234Avx512,
    packed32_scalar::Packed32Scalar,
    packed32_avx2::Packed32Avx2,
    packed32_avx512::Packed32Avx512,
    packed_rows_scalar::PackedRowsScalar,
    packed_rows_avx2::PackedRowsAvx2,
    packed_rows_avx512::PackedRowsAvx512,
    raw_copy::RawCopy,
    raw_fill::RawFill,
}
