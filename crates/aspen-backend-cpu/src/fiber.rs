//! Stacks of our own: coroutines for work-items have a pooled one each, kept for the next group, and kernels with large private variables
//! run on one that has room for them.

use std::io;
use std::mem::ManuallyDrop;
use std::ptr;

use aspen_runtime::{Code, Error, Result};
use corosensei::stack::{Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::group::Group;

/// Bytes of a stack for what the image does not tell: functions with small variables, saved registers. Only touched pages cost memory.
const RESERVE: usize = 256 << 10;
/// Private variables that fit any stack, a thread's too.
const SMALL: usize = 128 << 10;
/// Bytes below it that no access survives; large, since a frame may be larger than a page.
const GUARD: usize = 64 << 10;

/// Why a fiber gave its thread back.
pub(crate) enum Pause {
    /// Its work-item waits at a barrier.
    Blocked,
    /// There was no work-item left to begin.
    Idle,
}

type Inside = Coroutine<*mut Group, Pause, (), ItemStack>;
pub(crate) type Switch = Yielder<*mut Group, Pause>;

/// A coroutine that runs work-items one after another.
pub(crate) struct Fiber {
    inside: ManuallyDrop<Inside>,
}

impl Fiber {
    /// A fiber that calls `body` with each group it is resumed for, with room for variables of that many bytes.
    pub(crate) fn new(variables: usize, body: fn(&Switch, *mut Group)) -> Result<Fiber> {
        let stack = ItemStack::new(variables).map_err(|error| {
            let text = format!("no stack for another work-item at a barrier: {error} (vm.max_map_count limits how many there can be)");
            Error::new(Code::MemoryAllocation, text)
        })?;
        let inside = Coroutine::with_stack(stack, move |switch: &Switch, mut group: *mut Group| {
            loop {
                body(switch, group);
                group = switch.suspend(Pause::Idle);
            }
        });
        Ok(Fiber { inside: ManuallyDrop::new(inside) })
    }

    /// Goes on where the fiber paused, or begins work for `group`.
    pub(crate) fn resume(&mut self, group: *mut Group) -> Pause {
        match self.inside.resume(group) {
            CoroutineResult::Yield(pause) => pause,
            // The body is an endless loop.
            CoroutineResult::Return(()) => Pause::Idle,
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // SAFETY: the fiber is not used again. Its stack holds frames of this crate, which own nothing while suspended, and of device code,
        // which is built without exceptions and must not be unwound.
        unsafe {
            self.inside.force_reset();
            ManuallyDrop::drop(&mut self.inside);
        }
    }
}

/// Runs `work` where there is room for variables of that many bytes.
pub(crate) fn with_room<R>(variables: usize, work: impl FnOnce() -> R) -> io::Result<R> {
    if variables <= SMALL {
        return Ok(work());
    }
    Ok(corosensei::on_stack(ItemStack::new(variables)?, work))
}

/// Whether the system has room for variables of that many bytes at all.
pub(crate) fn is_room(variables: usize) -> io::Result<()> {
    if variables > SMALL { ItemStack::new(variables).map(drop) } else { Ok(()) }
}

struct ItemStack {
    mapping: *mut libc::c_void,
    size: usize,
}

impl ItemStack {
    fn new(variables: usize) -> io::Result<ItemStack> {
        let too_large = || io::Error::from_raw_os_error(libc::ENOMEM);
        let variables = if variables <= SMALL { 0 } else { variables };
        let size = variables.checked_next_multiple_of(GUARD).and_then(|bytes| bytes.checked_add(RESERVE + GUARD)).ok_or_else(too_large)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a fresh anonymous mapping at an address the system chooses.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = ItemStack { mapping, size };
        // SAFETY: the lower part of the mapping just made.
        if unsafe { libc::mprotect(mapping, GUARD, libc::PROT_NONE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    fn at(&self, offset: usize) -> StackPointer {
        StackPointer::new(self.mapping as usize + offset).expect("a mapping is not at address 0")
    }
}

// SAFETY: base and limit are page-aligned ends of one mapping that lives as long as the value, with a guard below the limit.
unsafe impl Stack for ItemStack {
    fn base(&self) -> StackPointer {
        self.at(self.size)
    }

    fn limit(&self) -> StackPointer {
        self.at(0)
    }
}

impl Drop for ItemStack {
    fn drop(&mut self) {
        // SAFETY: the whole mapping made in `new`; no coroutine uses it any more.
        unsafe { libc::munmap(self.mapping, self.size) };
    }
}
