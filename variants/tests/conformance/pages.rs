//! Inputs and outputs that touch pages without access: a read or write outside them ends the process.

use std::ptr;

use rand::RngExt;
use variants::Word;

use crate::checker::Checker;
use crate::streams::{MIXES, damage, regions, rng, sample, tokens};

/// Readable and writable bytes with a page without access on either side.
struct Fenced {
    map: *mut u8,
    page: usize,
    size: usize,
}

impl Fenced {
    /// Room for `size` bytes, anywhere or so that its middle lies at `middle`.
    fn new(size: usize, middle: Option<usize>) -> Option<Self> {
        // SAFETY: sysconf reads no memory of ours.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let size = size.next_multiple_of(2 * page);
        let wanted = middle.map_or(0, |middle| middle - size / 2 - page);
        let fixed = if middle.is_some() { FIXED } else { 0 };
        // SAFETY: without MAP_FIXED a mapping replaces no other one.
        let map = unsafe {
            libc::mmap(
                ptr::without_provenance_mut(wanted),
                size + 2 * page,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed,
                -1,
                0,
            )
        };
        if map == libc::MAP_FAILED {
            return None;
        }
        let fenced = Self { map: map.cast(), page, size };
        if wanted != 0 && map.addr() != wanted {
            return None;
        }
        // SAFETY: the range is inside the mapping above, between its first and its last page.
        let opened =
            unsafe { libc::mprotect(fenced.start().cast(), size, libc::PROT_READ | libc::PROT_WRITE) };
        (opened == 0).then_some(fenced)
    }

    fn start(&self) -> *mut u8 {
        self.map.wrapping_add(self.page)
    }

    /// The words from byte `at`.
    fn words<T: Copy>(&mut self, at: usize, count: usize) -> &mut [T] {
        let bytes = count * size_of::<T>();
        assert!(at.is_multiple_of(align_of::<T>()) && at <= self.size && bytes <= self.size - at);
        // SAFETY: the assertion keeps the slice inside the opened pages, which `self` owns, and aligned;
        // the mapping started as zeros and is only ever written as integers.
        unsafe { std::slice::from_raw_parts_mut(self.start().wrapping_add(at).cast(), count) }
    }

    /// The words that end where access ends.
    fn last<T: Copy>(&mut self, count: usize) -> &mut [T] {
        self.words(self.size - count * size_of::<T>(), count)
    }
}

/// Ask for an address without taking it from anybody.
#[cfg(target_os = "linux")]
const FIXED: libc::c_int = libc::MAP_FIXED_NOREPLACE;
#[cfg(not(target_os = "linux"))]
const FIXED: libc::c_int = 0;

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and no slice of it outlives the value.
        unsafe { libc::munmap(self.map.cast(), self.size + 2 * self.page) };
    }
}

/// Decodes with input and output flush against the end of access, then against its start.
fn check_fenced<W: Word>(
    checker: &mut Checker<W>,
    input: &mut Fenced,
    output: &mut Fenced,
    bytes: &[u8],
    asked: usize,
) {
    // First anywhere: wrong values are then shown small, and the fences see only wrong accesses.
    checker.check_whole(bytes, asked);
    let flush = input.last(bytes.len());
    flush.copy_from_slice(bytes);
    checker.check_in_place(flush, output.last(asked));
    let flush = input.words(0, bytes.len());
    flush.copy_from_slice(bytes);
    checker.check_in_place(flush, output.words(0, asked));
    if let Some(run) = checker.open(flush, asked) {
        // What it decodes is checked elsewhere.
        checker.subject.decode_short(&mut { run }, output.words(0, asked));
        checker.subject.decode_short(&mut { run }, output.last(asked));
    }
    let flush = input.last(bytes.len());
    if let Some(run) = checker.open(flush, asked) {
        checker.subject.decode_short(&mut { run }, output.words(0, asked));
        checker.subject.decode_short(&mut { run }, output.last(asked));
    }
}

/// V16 and S02: every length of output and input that a block decoder treats apart.
pub(crate) fn every_length_beside_unreadable_pages<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(16);
    let (mut input, mut output) = (Fenced::new(8_000, None).unwrap(), Fenced::new(8_000, None).unwrap());
    for (number, mix) in MIXES.iter().enumerate() {
        let all: Vec<W> = tokens(rng, mix, 600);
        let longest = checker.encode(&all);
        let stride = sample(1, 3);
        for asked in (number % stride..=200).step_by(stride) {
            let bytes = checker.encode(&all[..asked]);
            check_fenced(checker, &mut input, &mut output, &bytes, asked);
            check_fenced(checker, &mut input, &mut output, &bytes[..bytes.len() - bytes.len().min(1)], asked);
            check_fenced(checker, &mut input, &mut output, &longest, asked);
        }
        for cut in (0..longest.len()).step_by(sample(1, 7)) {
            check_fenced(checker, &mut input, &mut output, &longest[..cut], 600);
        }
    }
}

pub(crate) fn long_streams_beside_unreadable_pages<W: Word>(checker: &mut Checker<W>) {
    let rng = &mut rng(17);
    let mut input = Fenced::new(10 * 8_000, None).unwrap();
    let mut output = Fenced::new(8 * 8_000, None).unwrap();
    for _ in 0..sample(2_000, 60) {
        let count = rng.random_range(1..8_000);
        let mut bytes = checker.encode(&regions(rng, count));
        check_fenced(checker, &mut input, &mut output, &bytes, count);
        if rng.random_ratio(1, 2) {
            damage(rng, &mut bytes);
        }
        bytes.truncate(rng.random_range(0..=bytes.len()));
        check_fenced(checker, &mut input, &mut output, &bytes, rng.random_range(0..=count));
    }
}

/// V17: nothing changes where the buffer lies across a multiple of 2^32.
pub(crate) fn v17_across_a_4_gib_line<W: Word>(checker: &mut Checker<W>) {
    let lines = (0x10..0x20).map(|line| line << 32);
    let Some(mut fenced) = lines.into_iter().find_map(|line| Fenced::new(16_000, Some(line))) else {
        println!("skipped: no mapping across a 4 GiB line to be had");
        return;
    };
    let rng = &mut rng(18);
    let middle = fenced.size / 2;
    for mix in &MIXES {
        let count = 300;
        let bytes = checker.encode(&tokens(rng, mix, count));
        for ahead in [1, 5, 63, 64, 65, bytes.len() / 2] {
            let place = fenced.words(middle - ahead.min(bytes.len()), bytes.len());
            place.copy_from_slice(&bytes);
            let mut out = vec![W::default(); count];
            checker.check_in_place(place, &mut out);
            checker.check_whole(place, count);
        }
    }
}
