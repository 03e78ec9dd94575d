//! Panics that are caught, without their message: what a user is told is the error that is made of one.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

/// The result of `f`, or `None` if it panics. Other threads' panics, and those outside of `f`, are reported as ever.
pub(super) fn caught<T>(f: impl FnOnce() -> T) -> Option<T> {
    thread_local! { static QUIET: Cell<bool> = const { Cell::new(false) }; }
    static HOOK: Once = Once::new();
    // Put in once and left there: taking a hook out again would race with other threads that do the same.
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                report(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(f)).ok();
    QUIET.set(before);
    result
}
