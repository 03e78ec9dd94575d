//! One suite for every registered variant: each property is a test of its own per variant, such as
//! `leb128_loop::all_two_byte_inputs`, for `u32` and for `u64`, against the layout's oracle.
//!
//! Filter by variant (`cargo test -p variants leb128_loop::`) or by property (`cargo test -p variants
//! truncation`). A failure prints the smallest input that still fails.

mod checker;
mod field_reports;
mod inside;
mod long;
#[cfg(unix)]
mod pages;
mod pieces;
mod planted;
mod registry;
mod short;
mod short_words;
mod shrink;
mod streams;
mod subject;
mod token_helpers;

/// The properties as tests of one variant.
macro_rules! properties {
    ($decoder:ty, $name:expr; $($group:ident { $($property:ident),* $(,)? })*) => {$($(
        #[test]
        fn $property() {
            crate::checker::run::<$decoder>(
                $name,
                crate::$group::$property::<u32>,
                crate::$group::$property::<u64>,
            );
        }
    )*)*};
}

macro_rules! suite {
    ($($module:ident::$decoder:ident),* $(,)?) => {$(
        mod $module {
            properties! {
                variants::$module::$decoder, stringify!($module);
                short {
                    all_one_byte_inputs,
                    all_two_byte_inputs,
                    all_three_byte_inputs,
                    random_inputs_at_every_cut,
                    edges_of_every_length,
                }
                inside {
                    all_two_byte_inputs_inside_streams,
                    all_three_byte_inputs_inside_streams,
                    random_inputs_inside_streams,
                    odd_inputs_at_every_alignment,
                }
                long {
                    round_trips,
                    every_output_length,
                    every_slice_offset,
                    truncation_at_every_byte,
                    intact_long_streams,
                    damaged_long_streams,
                    rubbish_streams,
                }
                pieces {
                    resumes_at_every_split,
                    resumes_at_every_step,
                    some_tokens_are_the_first_ones,
                    some_tokens_of_damaged_streams,
                    one_token_after_the_other,
                    a_least_beyond_the_output_panics,
                }
                short_words {
                    short_words_are_the_first_tokens,
                    short_words_of_damaged_streams,
                    short_words_are_decoded_where_that_is_said,
                }
                field_reports {
                    v01_a_cut_token_is_truncated,
                    v02_what_follows_belongs_to_the_next_call,
                    v03_more_than_64_bits_overflow,
                    v04_nothing_is_decoded_after_an_overflow,
                    v06_bits_of_the_next_token_stay_out,
                    v07_no_cut_to_32_bits,
                    v08_the_largest_tokens_keep_their_top_bit,
                    v11_the_slice_length_changes_nothing,
                    v13_an_empty_slice_has_no_token,
                    v14_token_0_is_handed_out_as_0,
                    v15_borders_of_the_short_paths,
                    v18_surplus_bits_and_narrow_words_are_refused,
                    v19_deltas_wrap,
                    s01_two_tokens_in_two_calls,
                    s02_the_data_ends_with_its_last_byte,
                    s03_equal_tokens_give_equal_bytes,
                    s04_exactly_the_asked_tokens_are_written,
                    s05_missing_bodies_are_truncated,
                    s07_wide_tokens_are_refused_not_cut,
                }
            }
            #[cfg(unix)]
            properties! {
                variants::$module::$decoder, stringify!($module);
                pages {
                    every_length_beside_unreadable_pages,
                    long_streams_beside_unreadable_pages,
                    v17_across_a_4_gib_line,
                }
            }
        }
    )*};
}

variants::for_each_variant!(suite);
