//! Memory that ends at a page that must not be touched.

/// Whole pages before one that can be neither read nor written.
pub(crate) struct Pages {
    start: *mut u8,
    usable: usize,
    mapped: usize,
}

impl Pages {
    pub(crate) fn new(bytes: usize) -> Self {
        // SAFETY: asking for a configuration value has no precondition.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let usable = bytes.next_multiple_of(page);
        let mapped = usable + page;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping wherever there is room; its failure is checked below.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), mapped, access, kind, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let start = start.cast::<u8>();
        // SAFETY: the last page lies in the mapping.
        let guard = unsafe { start.add(usable) };
        // SAFETY: the page belongs to this mapping and nothing refers to it.
        assert_eq!(unsafe { libc::mprotect(guard.cast(), page, libc::PROT_NONE) }, 0);
        Self { start, usable, mapped }
    }

    /// The last `count` elements before the guard.
    pub(crate) fn end<T: Copy>(&mut self, count: usize) -> &mut [T] {
        let bytes = count * size_of::<T>();
        assert!(bytes <= self.usable);
        // SAFETY: the result lies within the usable pages.
        let start = unsafe { self.start.add(self.usable - bytes) };
        // SAFETY: zeroed or written memory of this mapping, aligned as pages are, borrowed from `self`; only
        // integers are asked for.
        unsafe { std::slice::from_raw_parts_mut(start.cast(), count) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.start.cast(), self.mapped) };
    }
}
