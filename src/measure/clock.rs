//! The clock of every figure: CPU time of this thread, so that a neighbour on the core costs nothing.

use std::time::Duration;

/// CPU time that this thread has used.
#[cfg(unix)]
#[must_use]
pub fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}

/// Wall time since the first call: the closest that needs no system call of its own here.
#[cfg(not(unix))]
#[must_use]
pub fn thread_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
