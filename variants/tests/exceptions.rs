//! Lists of exceptions that contradict themselves or the data: every variant of a layout with exceptions has
//! to refuse them as its oracle does, and the oracle as its layout's documentation says.

use variants::{Decoder, ErrorKind, Layout, Run, Visitor, Word, visit_all};

/// Tokens of a run: more than two steps of the widest kernel, and an odd rest.
const COUNT: usize = 139;

/// Indexes of the outliers, the first and the last token among them.
const OUTLIERS: [usize; 6] = [0, 37, 38, 64, 100, COUNT - 1];

/// Bytes of an entry's index.
const INDEX: usize = 4;

/// Layouts with exceptions, and the bytes of an entry's high part.
const LAYOUTS: [(&str, usize); 3] = [("stream_vbyte12", 6), ("stream_vbyte1234", 4), ("stream_vbyte0124", 4)];

/// What is wrong with a list, and what it has to lead to.
struct Case {
    name: &'static str,
    list: Vec<u8>,
    error: Option<(ErrorKind, usize)>,
}

fn tokens() -> Vec<u64> {
    (0..COUNT as u64)
        .map(|index| {
            let token = index * index * 7 % 50_000;
            if OUTLIERS.contains(&(index as usize)) { token | 0x0100_0000_01ff } else { token }
        })
        .collect()
}

fn cases(good: &[u8], high: usize) -> Vec<Case> {
    let entry = INDEX + high;
    let edited = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut list = good.to_vec();
        edit(&mut list);
        list
    };
    let set_index = |list: &mut Vec<u8>, number: usize, index: u32| {
        list[number * entry..][..INDEX].copy_from_slice(&index.to_le_bytes());
    };
    let malformed = |index| Some((ErrorKind::Malformed, index));
    vec![
        Case { name: "intact", list: good.to_vec(), error: None },
        Case { name: "unsorted", list: edited(&|list| set_index(list, 2, 5)), error: malformed(38) },
        Case { name: "repeated", list: edited(&|list| set_index(list, 2, 37)), error: malformed(38) },
        Case { name: "on a short token", list: edited(&|list| set_index(list, 1, 1)), error: malformed(1) },
        Case {
            name: "nothing above the data's bits",
            list: edited(&|list| list[3 * entry + INDEX..4 * entry].fill(0)),
            error: malformed(64),
        },
        Case {
            name: "cut inside the last entry",
            list: edited(&|list| list.truncate(6 * entry - 1)),
            error: Some((ErrorKind::Truncated, 101)),
        },
        Case {
            name: "cut inside the first index",
            list: edited(&|list| list.truncate(1)),
            error: Some((ErrorKind::Truncated, 0)),
        },
        Case {
            name: "two faults, of which the earlier token's wins",
            list: edited(&|list| {
                list[3 * entry + INDEX..4 * entry].fill(0);
                set_index(list, 2, 5);
            }),
            error: malformed(38),
        },
    ]
}

/// Decodes `run` in calls of `step` tokens, and compares each with the oracle. The first error with its place
/// in the run.
fn decode_in_steps<D: Decoder, W: Word>(
    decoder: D,
    run: &Run<'_>,
    step: usize,
    what: &str,
) -> (Vec<W>, Option<(ErrorKind, usize)>) {
    let (mut got_run, mut want_run) = (*run, *run);
    let mut all = Vec::new();
    while all.len() < COUNT {
        let asked = step.min(COUNT - all.len());
        let (mut got, mut want) = (vec![W::default(); asked], vec![W::default(); asked]);
        let expected = D::Layout::oracle(&mut want_run, &mut want);
        let result = decoder.decode(&mut got_run, &mut got);
        assert_eq!(result, expected, "{what}, steps of {step}");
        assert_eq!(got_run, want_run, "{what}, steps of {step}");
        let good = expected.map_or_else(|error| error.index, |()| asked);
        assert_eq!(got[..good], want[..good], "{what}, steps of {step}");
        all.extend_from_slice(&got[..good]);
        if let Err(error) = expected {
            let index = all.len();
            return (all, Some((error.kind, index)));
        }
    }
    (all, None)
}

#[derive(Default)]
struct Lists {
    variants: usize,
}

impl Visitor for Lists {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        let layout = LAYOUTS.iter().find(|(layout, ..)| *layout == D::Layout::NAME);
        let (Some(&(_, high)), Some(decoder)) = (layout, D::detect()) else { return };
        self.variants += 1;
        let tokens = tokens();
        let mut bytes = Vec::new();
        D::Layout::encode(&tokens, &mut bytes);
        let run = D::Layout::open::<u64>(&bytes, COUNT).unwrap();
        assert_eq!(run.exceptions.len(), OUTLIERS.len() * (INDEX + high), "{name}");
        for case in cases(run.exceptions, high) {
            let run = Run { exceptions: &case.list, ..run };
            let what = format!("{name}, list {}", case.name);
            for step in [1, 7, 32, 64, COUNT] {
                let (got, error) = decode_in_steps::<D, u64>(decoder, &run, step, &what);
                assert_eq!(error, case.error, "{what}");
                assert_eq!(got, tokens[..got.len()], "{what}");
                // The first token does not fit, unless its entry is refused before.
                let narrow = decode_in_steps::<D, u32>(decoder, &run, step, &what).1;
                let refused = case.error.filter(|&(_, index)| index == 0);
                assert_eq!(narrow, refused.or(Some((ErrorKind::Wide, 0))), "{what}");
            }
        }
    }
}

#[test]
fn every_variant_refuses_a_bad_list_where_the_oracle_does() {
    let mut lists = Lists::default();
    visit_all(&mut lists);
    assert!(lists.variants >= LAYOUTS.len(), "every layout has a variant for any CPU");
}

/// An opened run is checked as a whole, since a decoder only sees the entries that it comes to.
#[test]
fn open_refuses_indexes_that_do_not_rise_or_lie_outside() {
    use variants::layout::StreamVbyte12;
    let tokens = tokens();
    let mut bytes = Vec::new();
    StreamVbyte12::encode(&tokens, &mut bytes);
    let list = COUNT.div_ceil(8) + 1;
    for (number, index, refused) in
        [(2, 37, 38), (2, 5, 38), (5, COUNT as u32, 101), (0, u32::MAX, 0), (1, 0, 1)]
    {
        let mut bad = bytes.clone();
        bad[list + number * 10..][..INDEX].copy_from_slice(&index.to_le_bytes());
        let error = StreamVbyte12::open::<u64>(&bad, COUNT).unwrap_err();
        assert_eq!((error.kind, error.index), (ErrorKind::Malformed, refused));
    }
}

/// The number of entries is not believed before their bytes are seen.
#[test]
fn a_count_of_exceptions_beyond_the_bytes_is_truncated() {
    use variants::layout::StreamVbyte1234;
    for count in
        [&[0x01][..], &[0x7f], &[0xff; 9], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]]
    {
        let bytes = [&[0x00][..], count, &[1, 2, 3]].concat();
        let error = StreamVbyte1234::open::<u64>(&bytes, 3).unwrap_err();
        assert_eq!((error.kind, error.index), (ErrorKind::Truncated, 0));
    }
    let overflow = [&[0x00][..], &[0xff; 10], &[1, 2, 3]].concat();
    let error = StreamVbyte1234::open::<u64>(&overflow, 3).unwrap_err();
    assert_eq!((error.kind, error.index), (ErrorKind::Malformed, 0));
}
