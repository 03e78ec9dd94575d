//! Readers that outlive their chunk: an experiment of cloudini's, which made no difference to its authors (pull
//! request 127).

use std::{any::Any, cell::Cell};

use variants::{Decoder, Run, layout::Leb128};

use super::{
    Plan, Step,
    path::Boxed,
    read::{Flaw, Group, Read, Reader},
};

/// A reader that can start again.
pub(super) trait Again<D>: Read<D> {
    /// Forgets all that was read.
    fn reset(&mut self);
}

/// A reader with its state before the first value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reset<R> {
    start: R,
    now: R,
}

impl<R: Copy> Reset<R> {
    pub(super) fn new(start: R) -> Self {
        Self { start, now: start }
    }
}

impl<D: Decoder<Layout = Leb128>, R: Read<D>> Read<D> for Reset<R> {
    #[inline(always)]
    fn read(&mut self, decoder: D, run: &mut Run<'_>, point: &mut [u8]) -> Result<(), Flaw> {
        self.now.read(decoder, run, point)
    }
}

impl<D: Decoder<Layout = Leb128>, R: Read<D> + Copy> Again<D> for Reset<R> {
    fn reset(&mut self) {
        self.now = self.start;
    }
}

thread_local! {
    /// What this thread used last: the type names the variant.
    static LAST: Cell<Option<Box<dyn Any>>> = const { Cell::new(None) };
}

/// The readers of one variant for the rows of one kind of cloud.
///
/// They belong to the thread, not to the cloud: a stream's messages are clouds of their own, and upstream's
/// idea was to use the same decoders for the next one. That the fields are still the same is checked each
/// time, as it has to be there.
pub(super) struct Kept<D> {
    pub(super) readers: Vec<Boxed<dyn Again<D>>>,
    rows: Vec<Step>,
    group: usize,
}

impl<D: Decoder<Layout = Leb128>> Kept<D> {
    /// This thread's readers, reset, if they are of this variant and for these rows; new ones if not.
    pub(super) fn take(plan: &Plan) -> Box<Self> {
        let last = LAST.take().and_then(|last| last.downcast::<Self>().ok());
        if let Some(mut kept) = last
            && kept.group == plan.group
            && kept.rows == plan.rows
        {
            kept.readers.iter_mut().for_each(|(_, reader)| reader.reset());
            return kept;
        }
        Box::new(Self::new(plan))
    }

    /// Leaves the readers for the next chunk.
    pub(super) fn give_back(self: Box<Self>) {
        LAST.set(Some(self));
    }

    fn new(plan: &Plan) -> Self {
        let mut readers: Vec<Boxed<dyn Again<D>>> = Vec::new();
        match plan.group {
            3 => readers.push((0, Box::new(Reset::new(Group::<3>::new(&plan.rows))))),
            4 => readers.push((0, Box::new(Reset::new(Group::<4>::new(&plan.rows))))),
            _ => {}
        }
        let single = plan.rows.iter().enumerate().skip(plan.group);
        readers.extend(single.map(|(index, step)| (index, Reader::new(step).boxed_again())));
        Self { readers, rows: plan.rows.clone(), group: plan.group }
    }
}
