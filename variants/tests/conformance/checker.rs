//! Compares a variant with its layout's oracle: values, error kind, token index and the run's position.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use variants::{Decoder, Layout, Run, Word};

use crate::short_words;
use crate::shrink::smallest;
use crate::subject::{Detected, Subject};

/// The way in which the tokens of an input are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Calls {
    /// One `decode`.
    Whole,
    /// Two `decode`s, the first for this many tokens.
    Split(usize),
    /// `decode`s of this many tokens each.
    Steps(usize),
    /// `decode_some` with this least, again and again.
    AtLeast(usize),
    /// One `next_token` after the other, of `u64`.
    OneByOne,
    /// `decode_short` again and again, and what is in its way by the oracle of `u64`.
    Short,
}

/// Words before and after the output that no decoder may touch.
const GUARD: usize = 16;

pub(crate) struct Checker<W: Word> {
    name: &'static str,
    pub(crate) subject: Box<dyn Subject<W>>,
    want: Vec<W>,
    got: Vec<W>,
}

/// Runs a property for both words, or says that this CPU cannot run the variant.
pub(crate) fn run<D: Decoder>(
    name: &'static str,
    narrow: impl Fn(&mut Checker<u32>),
    wide: impl Fn(&mut Checker<u64>),
) {
    let Some(decoder) = D::detect() else {
        println!("{name}: skipped, this CPU lacks {}", D::INFO.class.name());
        return;
    };
    narrow(&mut Checker::new(name, decoder));
    wide(&mut Checker::new(name, decoder));
}

impl<W: Word> Checker<W> {
    pub(crate) fn new<D: Decoder>(name: &'static str, decoder: D) -> Self {
        Self { name, subject: Box::new(Detected(decoder)), want: Vec::new(), got: Vec::new() }
    }

    /// Whether the bytes of an input are token bytes and nothing else.
    pub(crate) fn is_leb128(&self) -> bool {
        self.subject.layout() == variants::layout::Leb128::NAME
    }

    pub(crate) fn encode(&self, tokens: &[W]) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.subject.encode(tokens, &mut bytes);
        bytes
    }

    /// A run for as many of `asked` tokens as the layout lets these bytes promise.
    pub(crate) fn open<'a>(&self, bytes: &'a [u8], asked: usize) -> Option<Run<'a>> {
        self.subject
            .open(bytes, asked)
            .or_else(|error| {
                assert!(error.index <= asked, "open refuses token {} of {asked}", error.index);
                self.subject.open(bytes, error.index)
            })
            // Whole bytes of codes, where the unused ones of the last have to be zero.
            .or_else(|_| self.subject.open(bytes, asked.next_multiple_of(8)))
            .or_else(|_| self.subject.open(bytes, bytes.len() / 2 * 8))
            .or_else(|_| self.subject.open(bytes, 0))
            .ok()
    }

    /// Fails with the smallest input on which the variant and the oracle differ.
    #[track_caller]
    pub(crate) fn check(&mut self, bytes: &[u8], asked: usize, calls: Calls) {
        if self.difference(bytes, asked, calls).is_none() {
            return;
        }
        let (bytes, asked) =
            smallest(bytes, asked, |bytes, asked| self.difference(bytes, asked, calls).is_some());
        let difference = self.difference(&bytes, asked, calls).unwrap_or_default();
        panic!(
            "{} as {}, {asked} tokens asked ({calls:?}) of {} bytes\n  {}\n  {difference}",
            self.name,
            W::NAME,
            bytes.len(),
            hex(&bytes),
        );
    }

    /// [`Self::check`] with one `decode`.
    #[track_caller]
    pub(crate) fn check_whole(&mut self, bytes: &[u8], asked: usize) {
        self.check(bytes, asked, Calls::Whole);
    }

    /// One `decode` into `out` from where `bytes` lie, for inputs whose place matters.
    #[track_caller]
    pub(crate) fn check_in_place(&mut self, bytes: &[u8], out: &mut [W]) {
        let Some(run) = self.open(bytes, out.len()) else { return };
        let mut want = vec![W::default(); out.len()];
        let (mut want_run, mut got_run) = (run, run);
        let expected = self.subject.oracle(&mut want_run, &mut want);
        let result = self.subject.decode(&mut got_run, out);
        let good = expected.map_or_else(|error| error.index, |()| want.len());
        let same_values = !self.subject.hands_out_tokens() || want[..good] == out[..good];
        assert!(
            result == expected && got_run == want_run && same_values,
            "{} as {}, {} tokens of {}: {expected:?} {want_run:?} expected, {result:?} {got_run:?}",
            self.name,
            W::NAME,
            out.len(),
            hex(bytes),
        );
    }

    /// What differs, if anything; a panic of the variant counts.
    fn difference(&mut self, bytes: &[u8], asked: usize, calls: Calls) -> Option<String> {
        quietly(|| catch_unwind(AssertUnwindSafe(|| self.compare(bytes, asked, calls))))
            .unwrap_or_else(|_| Err("the variant panicked".to_owned()))
            .err()
    }

    fn compare(&mut self, bytes: &[u8], asked: usize, calls: Calls) -> Result<(), String> {
        let Some(run) = self.open(bytes, asked) else { return Ok(()) };
        let (mut want, mut got) = (run, run);
        match calls {
            Calls::Whole => self.piece(&mut want, &mut got, asked).map(drop),
            Calls::Split(first) => {
                let first = first.min(asked);
                if self.piece(&mut want, &mut got, first)? {
                    self.piece(&mut want, &mut got, asked - first)?;
                }
                Ok(())
            }
            Calls::Steps(step) => {
                let mut left = asked;
                while left > 0 && self.piece(&mut want, &mut got, step.min(left))? {
                    left -= step.min(left);
                }
                Ok(())
            }
            Calls::AtLeast(least) => self.compare_some(run, asked, least),
            Calls::OneByOne => self.compare_one_by_one(run, asked),
            Calls::Short => short_words::compare(&*self.subject, run, asked),
        }
    }

    /// Compares one `decode` of `asked` tokens; whether there is more to come.
    fn piece<'a>(
        &mut self,
        want_run: &mut Run<'a>,
        got_run: &mut Run<'a>,
        asked: usize,
    ) -> Result<bool, String> {
        let before = *want_run;
        self.want.clear();
        self.want.resize(asked, W::default());
        let expected = self.subject.oracle(want_run, &mut self.want);
        self.lay_out(asked);
        let result = self.subject.decode(got_run, &mut self.got[GUARD..GUARD + asked]);
        if result != expected {
            return Err(format!("expected {expected:?}, got {result:?}"));
        }
        let good = match expected {
            Ok(()) => asked,
            Err(error) if *want_run != before => {
                return Err(format!("the oracle moved the run at {error:?}"));
            }
            Err(error) => error.index,
        };
        self.compare_words(asked, good)?;
        if got_run == want_run {
            Ok(expected.is_ok())
        } else {
            Err(format!("expected the run at {want_run:?}, got it at {got_run:?}"))
        }
    }

    /// Compares `decode_some` calls, which stop where they like between the least and the output's end.
    fn compare_some(&mut self, run: Run<'_>, asked: usize, least: usize) -> Result<(), String> {
        let mut got_run = run;
        let mut done = 0;
        // Small steps to the end of a long stream would be a quadratic check.
        for _ in 0..12 {
            let (before, left) = (got_run, asked - done);
            let least = least.min(left);
            self.want.clear();
            self.want.resize(left, W::default());
            let expected = self.subject.oracle(&mut { before }, &mut self.want);
            let good = expected.map_or_else(|error| error.index, |()| left);
            self.lay_out(left);
            let result = self.subject.decode_some(&mut got_run, &mut self.got[GUARD..GUARD + left], least);
            if good < least {
                self.compare_words(left, good)?;
                let refused = result.map(drop) == expected && got_run == before;
                return if refused { Ok(()) } else { Err(format!("expected {expected:?}, got {result:?}")) };
            }
            let count = result.map_err(|error| format!("expected {least} tokens or more, got {error:?}"))?;
            if !(least..=good).contains(&count) {
                return Err(format!("expected {least} to {good} tokens, got {count}"));
            }
            self.compare_words(left, count)?;
            let mut want_run = before;
            let mut again = vec![W::default(); count];
            self.subject.oracle(&mut want_run, &mut again).map_err(|error| format!("oracle: {error:?}"))?;
            if got_run != want_run {
                return Err(format!("expected the run at {want_run:?}, got it at {got_run:?}"));
            }
            done += count;
            if count == 0 || done == asked {
                break;
            }
        }
        Ok(())
    }

    fn compare_one_by_one(&mut self, run: Run<'_>, asked: usize) -> Result<(), String> {
        let (mut want_run, mut got_run) = (run, run);
        for index in 0..asked {
            let mut want = [W::default()];
            let expected = self.subject.oracle(&mut want_run, &mut want);
            let result = self.subject.next_token(&mut got_run);
            let expected = expected.map(|()| want[0].into()).map_err(|error| error.kind);
            let same = match (expected, result) {
                (Ok(_), Ok(_)) if !self.subject.hands_out_tokens() => true,
                _ => expected == result,
            };
            if !same || got_run != want_run {
                return Err(format!(
                    "token {index}: expected {expected:?} {want_run:?}, got {result:?} {got_run:?}"
                ));
            }
            if result.is_err() {
                break;
            }
        }
        Ok(())
    }

    /// An output of `asked` words between guards, full of what no stream holds by chance.
    fn lay_out(&mut self, asked: usize) {
        self.got.clear();
        self.got.resize(asked + 2 * GUARD, W::cut(UNTOUCHED));
    }

    /// Compares the first `good` of `asked` words, and that the guards are whole.
    fn compare_words(&self, asked: usize, good: usize) -> Result<(), String> {
        let guards = self.got[..GUARD].iter().chain(&self.got[GUARD + asked..]);
        if guards.into_iter().any(|&word| word != W::cut(UNTOUCHED)) {
            return Err("words outside the output were written".to_owned());
        }
        let got = &self.got[GUARD..GUARD + good];
        if !self.subject.hands_out_tokens() || got == &self.want[..good] {
            return Ok(());
        }
        let index = got.iter().zip(&self.want).position(|(got, want)| got != want).unwrap_or(good);
        Err(format!("token {index}: expected {:?}, got {:?}", self.want[index], got[index]))
    }
}

const UNTOUCHED: u64 = 0xa5c3_96f0_a5c3_96f1;

pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown: Vec<_> = bytes.iter().take(400).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ") + if bytes.len() > 400 { " .." } else { "" }
}

/// Runs `f` without the messages of panics that it catches itself: shrinking would print hundreds.
pub(crate) fn quietly<T>(f: impl FnOnce() -> T) -> T {
    thread_local! { static QUIET: Cell<bool> = const { Cell::new(false) }; }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
    QUIET.set(true);
    let result = f();
    QUIET.set(false);
    result
}
