//! Readers and bundled captures against figures that were computed apart from them.

mod bundled;
mod support;
