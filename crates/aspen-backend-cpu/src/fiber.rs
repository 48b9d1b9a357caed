//! Stacks of our own: coroutines for work-items have a pooled one each, kept for the next group, and kernels with large private variables
//! run on one that has room for them.

use std::ffi::c_void;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

use aspen_runtime::{Code, Error, Result};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::stacks::{ItemStack, SMALL, Stacks, Watch};

/// Fibers that threads have put aside, for groups larger than most. They are kept, since making one costs several faults of pages, but no
/// more than this: together 128 MiB.
const MOST_ASIDE: usize = 8192;
static ASIDE: Mutex<Vec<Fiber>> = Mutex::new(Vec::new());

/// Why a fiber gave its thread back.
pub(crate) enum Pause {
    /// Its work-item waits at a barrier.
    Blocked,
    /// There was no work-item left to begin.
    Idle,
}

/// What a fiber is resumed with.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// The group that it works for.
    pub(crate) group: *mut c_void,
    /// The fiber's number on the thread that resumes it.
    pub(crate) fiber: usize,
}

type Inside = Coroutine<Turn, Pause, (), ItemStack>;
pub(crate) type Switch = Yielder<Turn, Pause>;

/// A coroutine that runs work-items one after another.
pub(crate) struct Fiber {
    inside: ManuallyDrop<Inside>,
    stack: Watch,
}

// SAFETY: threads hand over only fibers that have no item: their stacks hold frames of `Fiber::new` alone, which keep nothing of a thread.
unsafe impl Send for Fiber {}

impl Fiber {
    /// A fiber that calls `body` at each of its turns, with a stack that has room for variables of that many bytes.
    pub(crate) fn new(stacks: &mut Stacks, variables: usize, body: fn(&Switch, Turn)) -> Result<Fiber> {
        let stack = stacks.take(variables).map_err(|error| {
            let text = format!(
                "no stack for another work-item at a barrier: {error} (vm.max_map_count and the limit of a process's address space bound \
                 how many there can be); make the work-group smaller"
            );
            Error::new(Code::MemoryAllocation, text)
        })?;
        let watch = stack.watch();
        let inside = Coroutine::with_stack(stack, move |switch: &Switch, mut turn: Turn| {
            loop {
                body(switch, turn);
                turn = switch.suspend(Pause::Idle);
            }
        });
        Ok(Fiber { inside: ManuallyDrop::new(inside), stack: watch })
    }

    /// Goes on where the fiber paused, or begins work for the group.
    pub(crate) fn resume(&mut self, turn: Turn) -> Pause {
        match self.inside.resume(turn) {
            CoroutineResult::Yield(pause) => pause,
            // The body is an endless loop.
            CoroutineResult::Return(()) => Pause::Idle,
        }
    }

    /// Where its stack ends; what it calls lies below.
    pub(crate) fn stack_end(&self) -> *const u8 {
        self.stack.end()
    }

    /// Whether it wrote below its stack. Where the system watches, it did not come so far.
    pub(crate) fn has_overflowed(&self) -> bool {
        // SAFETY: the stack belongs to the coroutine, which is suspended whenever somebody has the fiber.
        unsafe { self.stack.has_overflowed() }
    }
}

/// One that was put aside, with room for small variables.
pub(crate) fn from_aside() -> Option<Fiber> {
    ASIDE.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Puts fibers aside that have no item, and room for small variables.
pub(crate) fn put_aside(fibers: Vec<Fiber>) {
    for fiber in &fibers {
        // SAFETY: the fiber is suspended, in `Fiber::new`, whose frame and those of the switch are small.
        unsafe { fiber.stack.trim() };
    }
    let mut aside = ASIDE.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_ASIDE.saturating_sub(aside.len());
    let mut fibers = fibers.into_iter();
    aside.extend(fibers.by_ref().take(room));
    drop(aside);
    // The others go, without the lock.
    drop(fibers);
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
