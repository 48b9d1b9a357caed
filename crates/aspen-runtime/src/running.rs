//! A kernel in progress, and who may be with it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::backend::Job;
use crate::chunks::Chunks;

/// A kernel in progress.
pub(crate) struct Running {
    pub(crate) job: Box<dyn Job>,
    pub(crate) count: usize,
    pub(crate) chunks: Chunks,
    pub(crate) finished: AtomicUsize,
    pub(crate) failed: AtomicBool,
    /// Nanoseconds spent in chunks.
    pub(crate) busy: AtomicU64,
    /// How many threads may still be called. Each one that comes calls the next, so that nobody pays for all.
    helpers: AtomicUsize,
    /// How many threads may still be with it at once: the pool's, or one where one is enough. A waiting thread takes the place of one.
    room: AtomicUsize,
    /// How many have left for others and nobody has come for: what they left for may wait for this kernel, and then none of them comes back.
    left: AtomicUsize,
}

impl Running {
    /// The job, for so many threads and the one that begins.
    pub(crate) fn new(job: Box<dyn Job>, helpers: usize) -> Running {
        let count = job.chunks();
        Running {
            count,
            chunks: Chunks::new(count, helpers + 1, !job.waits_for_nothing()),
            job,
            finished: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            busy: AtomicU64::new(0),
            helpers: AtomicUsize::new(helpers),
            room: AtomicUsize::new(helpers + 1),
            left: AtomicUsize::new(0),
        }
    }

    /// Takes one off the threads that may still come. Who waits is one of them: with more threads than processors one would be put aside.
    pub(crate) fn may_help(&self) -> bool {
        take_one(&self.helpers)
    }

    /// Whether a thread that waits for it is to join it now.
    pub(crate) fn wants_waiter(&self) -> bool {
        self.job.needs_threads() || self.may_help() || take_one(&self.left)
    }

    /// Whether somebody left whose place no waiting thread has looked at.
    pub(crate) fn was_left(&self) -> bool {
        self.left.load(Ordering::SeqCst) > 0
    }

    /// Whether there is room for one more thread, which is with it now.
    pub(crate) fn enter(&self) -> bool {
        take_one(&self.room)
    }

    /// A thread goes before all chunks are taken; those who wait for the kernel are to be told.
    pub(crate) fn leave(&self) {
        self.room.fetch_add(1, Ordering::Release);
        self.left.fetch_add(1, Ordering::SeqCst);
    }
}

/// Whether there was one to take.
fn take_one(of: &AtomicUsize) -> bool {
    of.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
}
