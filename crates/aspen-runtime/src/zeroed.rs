//! Aligned memory of zeroes whose pages the system gives when they are first used.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// What every allocator aligns to. Beyond it, Rust's allocator writes the zeroes itself, and so touches every page.
const ALLOCATED: usize = 16;

/// Zeroed memory, which [`free`] gives back; `None` without memory.
pub fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    let alignment = layout.align().max(ALLOCATED);
    // SAFETY: it has at least one byte, as an alignment is at least one.
    let allocated = NonNull::new(unsafe { alloc::alloc_zeroed(whole(layout)?) })?;
    let before = alignment - allocated.as_ptr() as usize % alignment;
    // SAFETY: at most `alignment` bytes are left out, and there are that many more than the layout's.
    let memory = unsafe { allocated.add(before) };
    // SAFETY: both are multiples of `ALLOCATED`, and differ: there is room for a pointer before the memory.
    unsafe { memory.cast::<NonNull<u8>>().sub(1).write(allocated) };
    Some(memory)
}

/// Gives memory back.
///
/// # Safety
/// It is of [`allocate`] with this layout, and nobody uses it any more.
pub unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    let Some(whole) = whole(layout) else { return };
    // SAFETY: written by `allocate`; that is what it allocated, with that layout.
    unsafe { alloc::dealloc(memory.cast::<NonNull<u8>>().sub(1).read().as_ptr(), whole) };
}

/// What is allocated for it.
fn whole(layout: Layout) -> Option<Layout> {
    Layout::from_size_align(layout.size().checked_add(layout.align().max(ALLOCATED))?, ALLOCATED).ok()
}

/// Zeroed memory of its own.
#[derive(Debug)]
pub(crate) struct Zeroed {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Zeroed {
    /// `size` bytes at a multiple of `alignment`, which is a power of two; `None` without memory.
    pub(crate) fn new(size: usize, alignment: usize) -> Option<Zeroed> {
        let layout = Layout::from_size_align(size, alignment).ok()?;
        Some(Zeroed { memory: allocate(layout)?, layout })
    }

    /// Where it begins.
    pub(crate) fn memory(&self) -> NonNull<u8> {
        self.memory
    }
}

impl Drop for Zeroed {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { free(self.memory, self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_zeroed_and_untouched() {
        for alignment in [1, 16, 128, 4096, 1 << 20] {
            for size in [0, 1, 127, 5000] {
                let zeroed = Zeroed::new(size, alignment).expect("little memory");
                assert_eq!(zeroed.memory().as_ptr() as usize % alignment, 0);
                // SAFETY: `size` bytes of this allocation.
                assert!(unsafe { std::slice::from_raw_parts(zeroed.memory().as_ptr(), size) }.iter().all(|byte| *byte == 0));
            }
        }
        assert!(Zeroed::new(usize::MAX, 128).is_none());
        // 4 GiB: if its pages were written, the process would hold them.
        let resident = || {
            let text = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
            text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).expect("a number of pages")
        };
        let before = resident();
        let large = Zeroed::new(4 << 30, 128);
        assert!(large.is_some() && resident() < before + (1 << 14), "a large buffer costs nothing before it is used");
    }
}
