//! Memory of work-groups: local memory, slots, frames.

use std::alloc::{self, Layout};
use std::cell::Cell;
use std::ptr::NonNull;

use aspen_runtime::guarded::{self, Guarded, Purpose};

use super::ALIGNMENT;

thread_local! {
    /// For functions that run items of a row together; taken out while in use.
    static FRAME: Cell<Memory> = const { Cell::new(Memory::none()) };
}

/// Calls `run` with a frame of this size.
pub(crate) fn with_frame(size: usize, alignment: usize, run: impl FnOnce(*mut u8)) {
    // None is kept where a thread's storage is gone: in destructors of globals.
    let mut frame = FRAME.try_with(|kept| kept.replace(Memory::none())).unwrap_or(Memory::none());
    run(frame.certainly(size, alignment));
    let _gone = FRAME.try_with(|kept| kept.set(frame));
}

/// Local memory of the groups of a thread.
pub(super) struct LocalMemory {
    plain: Memory,
    /// Of each size its own, which ends at a guard.
    guarded: Vec<(usize, Guarded)>,
}

/// So many sizes are kept.
const SIZES: usize = 8;

impl LocalMemory {
    pub(super) const fn none() -> LocalMemory {
        LocalMemory { plain: Memory::none(), guarded: Vec::new() }
    }

    /// For `size` bytes of accessors, one behind the other from the begin on.
    pub(super) fn local(&mut self, size: usize) -> *mut u8 {
        if size == 0 || !guarded::is_on() {
            return self.plain.certainly(size, ALIGNMENT);
        }
        if let Some((_, known)) = self.guarded.iter().find(|(known, _)| *known == size) {
            return known.memory().as_ptr();
        }
        // Sizes are multiples of the alignment of what lies there.
        let alignment = guarded::natural_alignment(size, ALIGNMENT);
        let Some(made) = Guarded::new(Purpose::Local, size, alignment) else { return self.plain.certainly(size, ALIGNMENT) };
        if self.guarded.len() == SIZES {
            self.guarded.remove(0);
        }
        let memory = made.memory().as_ptr();
        self.guarded.push((size, made));
        memory
    }
}

/// Aligned memory that grows and is reused. Its content is whatever the last group left.
pub(super) struct Memory {
    pointer: Option<NonNull<u8>>,
    size: usize,
    alignment: usize,
}

impl Memory {
    pub(super) const fn none() -> Memory {
        Memory { pointer: None, size: 0, alignment: ALIGNMENT }
    }

    fn layout(size: usize, alignment: usize) -> Layout {
        Layout::from_size_align(size, alignment).expect("groups and local memory are bounded by the device's limits")
    }

    /// Of a size that no system should lack.
    pub(super) fn certainly(&mut self, size: usize, alignment: usize) -> *mut u8 {
        self.at_least(size, alignment).unwrap_or_else(|| alloc::handle_alloc_error(Memory::layout(size.max(ALIGNMENT), alignment)))
    }

    pub(super) fn at_least(&mut self, size: usize, alignment: usize) -> Option<*mut u8> {
        let size = size.max(ALIGNMENT);
        if let Some(pointer) = self.pointer
            && self.size >= size
            && self.alignment >= alignment
        {
            return Some(pointer.as_ptr());
        }
        *self = Memory::none();
        let layout = Layout::from_size_align(size, alignment).ok()?;
        // SAFETY: the size is not 0.
        let pointer = NonNull::new(unsafe { alloc::alloc_zeroed(layout) })?;
        *self = Memory { pointer: Some(pointer), size, alignment };
        Some(pointer.as_ptr())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(pointer) = self.pointer {
            // SAFETY: allocated in `at_least` with this layout.
            unsafe { alloc::dealloc(pointer.as_ptr(), Memory::layout(self.size, self.alignment)) };
        }
    }
}
