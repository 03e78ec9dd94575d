//! Failures that people reported for other decoders, as properties of every variant. The ids are those of
//! the project's collection of reports; each names the thread that it comes from.
//!
//! LEB128 bytes are checked against the values written here. To other layouts the same bytes are rubbish
//! that their oracle judges, and the same tokens are encoded their own way.

use variants::{ErrorKind, Word};

use crate::checker::{Calls, Checker, hex};

/// Checks LEB128 bytes that start with `tokens`, followed by an error or by bytes that nobody asks for.
fn expect<W: Word>(checker: &mut Checker<W>, bytes: &[u8], tokens: &[u64], error: Option<ErrorKind>) {
    let asked = tokens.len() + usize::from(error.is_some());
    checker.check_whole(bytes, asked);
    checker.check(bytes, asked, Calls::Steps(1));
    checker.check(bytes, asked, Calls::AtLeast(tokens.len()));
    if W::BYTES == 8 {
        checker.check(bytes, asked, Calls::OneByOne);
    }
    let words: Vec<W> = tokens.iter().map_while(|&token| W::from_token(token)).collect();
    checker.check_whole(&checker.encode(&words), words.len());
    if !checker.is_leb128() {
        return;
    }
    let error = if words.len() < tokens.len() { Some(ErrorKind::Wide) } else { error };
    let mut run = checker.open(bytes, asked).unwrap();
    let mut out = vec![W::default(); asked];
    let result = checker.subject.decode(&mut run, &mut out);
    assert_eq!(out[..words.len()], words, "{} as {}", hex(bytes), W::NAME);
    let got = result.err().map(|error| (error.kind, error.index));
    assert_eq!(got, error.map(|kind| (kind, words.len())), "{} as {}", hex(bytes), W::NAME);
}

/// as-com/varint-simd#10
pub(crate) fn v01_a_cut_token_is_truncated<W: Word>(checker: &mut Checker<W>) {
    for length in 2..=10 {
        for byte in [0x80, 0xff] {
            for cut in 1..length {
                expect(checker, &vec![byte; cut], &[], Some(ErrorKind::Truncated));
            }
        }
    }
    expect(checker, &[0x80, 0x01], &[128], None);
}

/// dermesser/integer-encoding-rs#13
pub(crate) fn v02_what_follows_belongs_to_the_next_call<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[0xc5, 0xc6, 0x04, 0x99], &[74_565], None);
    expect(checker, &[0xc5, 0xc6, 0x04, 0x99], &[74_565], Some(ErrorKind::Truncated));
}

/// tokio-rs/prost#528
pub(crate) fn v03_more_than_64_bits_overflow<W: Word>(checker: &mut Checker<W>) {
    for (head, tail) in [
        ([0x80; 9], &[0x02][..]),
        ([0xff; 9], &[0x7f]),
        ([0xff; 9], &[0x81, 0x00]),
        ([0x80; 9], &[0x80]),
        ([0x80; 9], &[0x80, 0x80]),
        ([0xff; 9], &[0xff; 7]),
    ] {
        expect(checker, &[&head[..], tail].concat(), &[], Some(ErrorKind::Overflow));
    }
    expect(checker, &[&[0xff; 9][..], &[0x01]].concat(), &[u64::MAX], None);
}

/// gimli-rs/leb128#14
pub(crate) fn v04_nothing_is_decoded_after_an_overflow<W: Word>(checker: &mut Checker<W>) {
    let bad = [&[0xff; 10][..], &[0x7f, 0xe4, 0xe0, 0x02]].concat();
    expect(checker, &bad, &[], Some(ErrorKind::Overflow));
    expect(checker, &[&[0x05, 0x85, 0x01], &bad[..]].concat(), &[5, 133], Some(ErrorKind::Overflow));
}

/// jmillikin/rust-vu128#1
pub(crate) fn v06_bits_of_the_next_token_stay_out<W: Word>(checker: &mut Checker<W>) {
    let forms: [(&[u8], u64); 5] = [
        (&[0x80, 0x80, 0x80, 0x80, 0x01], 1 << 28),
        (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], (1 << 56) - 1),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 1 << 56),
        (&[0x80, 0x80, 0x01], 1 << 14),
        (&[0xff, 0xff, 0x7f], (1 << 21) - 1),
    ];
    for (form, token) in forms {
        for follower in [0x00, 0xff] {
            expect(checker, &[form, &[follower; 16]].concat(), &[token], None);
        }
    }
}

/// tabrath/BinaryEncoding#61
pub(crate) fn v07_no_cut_to_32_bits<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[0xbe, 0xb8, 0xf0, 0xfe, 0x2d], &[12_345_678_910], None);
    for bit in [31, 32, 35, 42, 49, 56] {
        for token in [(1 << bit) - 1, 1 << bit] {
            let mut bytes = Vec::new();
            variants::layout::leb128::encode_token(token, &mut bytes);
            expect(checker, &bytes, &[token], None);
        }
    }
}

/// amazon-ion/ion-rust#689
pub(crate) fn v08_the_largest_tokens_keep_their_top_bit<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], &[(1 << 63) + 1], None);
    expect(checker, &[&[0xff; 8][..], &[0x7f]].concat(), &[u64::MAX >> 1], None);
    expect(checker, &[&[0xfe][..], &[0xff; 8], &[0x01]].concat(), &[u64::MAX - 1], None);
}

/// pmcfadin/cqlite#1624
pub(crate) fn v11_the_slice_length_changes_nothing<W: Word>(checker: &mut Checker<W>) {
    for length in 1..=10_u32 {
        let token = if length == 10 { u64::MAX } else { (1 << (7 * length)) - 1 };
        let mut bytes = Vec::new();
        variants::layout::leb128::encode_token(token, &mut bytes);
        for cut in 0..bytes.len() {
            expect(checker, &bytes[..cut], &[], Some(ErrorKind::Truncated));
        }
        for more in [0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256] {
            for follower in [0x00, 0x80, 0xff] {
                expect(checker, &[&bytes[..], &vec![follower; more]].concat(), &[token], None);
            }
        }
    }
}

/// ngtcp2/ngtcp2#241
pub(crate) fn v13_an_empty_slice_has_no_token<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[], &[], None);
    expect(checker, &[], &[], Some(ErrorKind::Truncated));
}

/// facontidavide/cloudini#57: a marker is told from a number by who reads the token, so it has to be seen.
pub(crate) fn v14_token_0_is_handed_out_as_0<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[0x00], &[0], None);
    expect(checker, &[0x00, 0x01, 0x01], &[0, 1, 1], None);
    expect(checker, &[0x80, 0x00, 0x81, 0x00], &[0, 1], None);
}

/// facontidavide/cloudini#127
pub(crate) fn v15_borders_of_the_short_paths<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[0x7f, 0x80, 0x01], &[127, 128], None);
    expect(checker, &[0xff, 0x7f, 0x80, 0x80, 0x01], &[16_383, 16_384], None);
    expect(
        checker,
        &[0xff, 0xff, 0x7f, 0x80, 0x80, 0x80, 0x01, 0x80],
        &[2_097_151, 2_097_152],
        Some(ErrorKind::Truncated),
    );
}

/// tafia/quick-protobuf#223
pub(crate) fn v18_surplus_bits_and_narrow_words_are_refused<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[&[0x80; 9][..], &[0x02]].concat(), &[], Some(ErrorKind::Overflow));
    expect(checker, &[0xf2, 0xe4, 0xc9, 0x03], &[7_500_402], None);
    // One bit more than 32, in five bytes and in ten.
    expect(checker, &[0x80, 0x80, 0x80, 0x80, 0x10], &[1 << 32], None);
    expect(checker, &[0x80, 0x80, 0x80, 0x80, 0x90, 0x80, 0x80, 0x80, 0x80, 0x00], &[1 << 32], None);
}

/// duckdb/duckdb#10288: the deltas of i64::MAX, i64::MIN and of 0, 2^64 - 1 and of 65535, 0, 65535.
pub(crate) fn v19_deltas_wrap<W: Word>(checker: &mut Checker<W>) {
    expect(checker, &[&[0xff; 9][..], &[0x01, 0x03]].concat(), &[u64::MAX, 3], None);
    expect(checker, &[0x01, 0x02], &[1, 2], None);
    expect(
        checker,
        &[0xff, 0xff, 0x07, 0xfe, 0xff, 0x07, 0xff, 0xff, 0x07],
        &[131_071, 131_070, 131_071],
        None,
    );
}

fn words<W: Word>(tokens: &[u64]) -> Vec<W> {
    tokens.iter().map(|&token| W::cut(token)).collect()
}

/// fast-pack/streamvbyte#41: a run is opened once, with its count, however many calls then read it.
pub(crate) fn s01_two_tokens_in_two_calls<W: Word>(checker: &mut Checker<W>) {
    let bytes = checker.encode(&words(&[10, 0]));
    checker.check_whole(&bytes, 2);
    checker.check(&bytes, 2, Calls::Steps(1));
    let mut run = checker.subject.open(&bytes, 2).unwrap();
    let mut out = [W::cut(99); 2];
    checker.subject.decode(&mut run, &mut out).unwrap();
    assert!(run.data.is_empty() || !checker.subject.ends_with_piece(2));
    if checker.subject.hands_out_tokens() {
        assert_eq!(out[..], words::<W>(&[10, 0]));
    }
    checker.check_whole(&bytes, 3);
}

/// fast-pack/streamvbyte#44; the same beside an unreadable page is in `pages`.
pub(crate) fn s02_the_data_ends_with_its_last_byte<W: Word>(checker: &mut Checker<W>) {
    for count in 1..=33 {
        let tokens: Vec<u64> = [255, 256].into_iter().cycle().take(count).collect();
        let bytes = checker.encode(&words(&tokens)).into_boxed_slice();
        let mut run = checker.subject.open(&bytes, count).unwrap();
        let mut out = vec![W::default(); count].into_boxed_slice();
        checker.subject.decode(&mut run, &mut out).unwrap();
        assert!(!checker.subject.hands_out_tokens() || out[..] == words::<W>(&tokens)[..]);
    }
}

/// fast-pack/FastPFOR#116
pub(crate) fn s03_equal_tokens_give_equal_bytes<W: Word>(checker: &mut Checker<W>) {
    for count in [0, 1, 2, 3, 5, 7] {
        let tokens = words(&vec![5; count]);
        let mut used = Vec::with_capacity(64);
        used.resize(64, 0xaa);
        used.clear();
        checker.subject.encode(&tokens, &mut used);
        assert_eq!(used, checker.encode(&tokens));
        let mut appended = vec![0xaa; 3];
        checker.subject.encode(&tokens, &mut appended);
        assert_eq!(appended[3..], used, "what stood in the buffer changes nothing");
    }
}

/// fast-pack/FastPFOR#138
pub(crate) fn s04_exactly_the_asked_tokens_are_written<W: Word>(checker: &mut Checker<W>) {
    let tokens = words(&[1, 256, 65_536, 16_777_216, 1, 2, 300, 70_000, 1]);
    for count in 0..=tokens.len() {
        // The checker's guards lie on both sides of the output.
        checker.check_whole(&checker.encode(&tokens[..count]), count);
        checker.check_whole(&checker.encode(&tokens), count);
    }
}

/// fast-pack/FastPFOR#139
pub(crate) fn s05_missing_bodies_are_truncated<W: Word>(checker: &mut Checker<W>) {
    for bytes in [&[][..], &[0xff], &[0xff, 1, 2, 3], &[0xff; 4], &[0xff; 31]] {
        for asked in [4, 5, 8] {
            checker.check_whole(bytes, asked);
            checker.check(bytes, asked, Calls::Steps(1));
            checker.check(bytes, asked, Calls::AtLeast(2));
        }
        let refused = checker.subject.open(bytes, 64).is_err_and(|error| error.index < 64)
            || checker
                .open(bytes, 64)
                .is_some_and(|mut run| checker.subject.decode(&mut run, &mut [W::default(); 64]).is_err());
        assert!(refused, "64 tokens in {}", hex(bytes));
    }
}

/// fast-pack/FastPFOR#51
pub(crate) fn s07_wide_tokens_are_refused_not_cut<W: Word>(checker: &mut Checker<W>) {
    for token in [1 << 28, u64::from(u32::MAX), 1 << 32, (1 << 32) + 1, u64::MAX] {
        if let Some(word) = W::from_token(token) {
            let tokens = [W::cut(7), word, W::cut(9)];
            let bytes = checker.encode(&tokens);
            let mut out = [W::default(); 3];
            let mut run = checker.subject.open(&bytes, 3).unwrap();
            checker.subject.decode(&mut run, &mut out).unwrap();
            assert!(!checker.subject.hands_out_tokens() || out == tokens);
        } else {
            let mut bytes = Vec::new();
            variants::layout::leb128::encode_token(token, &mut bytes);
            expect(checker, &bytes, &[token], None);
        }
    }
}
