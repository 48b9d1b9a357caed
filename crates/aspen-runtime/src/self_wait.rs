//! A thread that waits for what it has to end itself: a kernel that a host accessor of the thread holds back, or the host task that it runs.
//! Another thread may have been given the accessor, so it is no error; but most likely it is never over, and somebody should say so.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Duration;

/// A thread, as long as the process lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Thread(u64);

impl Thread {
    /// This one. Static objects wait when the thread's own data is gone and `std::thread::current` panics, so this asks for nothing that is
    /// ever destroyed.
    pub(crate) fn current() -> Thread {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        thread_local!(static OWN: Cell<u64> = const { Cell::new(0) });
        OWN.with(|own| {
            if own.get() == 0 {
                own.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            Thread(own.get())
        })
    }
}

/// After so long nobody is just about to end it.
const PATIENCE: Duration = Duration::from_secs(2);

/// What of its own a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Itself {
    /// A host accessor that it has made.
    HostAccessor,
    /// A host task that it is in the middle of.
    HostTask,
}

impl Itself {
    fn sentence(self) -> &'static str {
        match self {
            Itself::HostAccessor => {
                "this thread waits for a command that a host accessor of the same thread holds back; the wait ends when the accessor is \
                 destroyed, so that must come first"
            }
            Itself::HostTask => {
                "a host task waits for its own end: for its own event or queue, a host accessor of a buffer that it uses, or a command that \
                 comes after it; such a wait never ends, so it must come after the task"
            }
        }
    }
}

/// How long such a thread waits before it tells, once.
pub(crate) struct Patience(Option<Itself>);

impl Patience {
    /// Of a thread that waits for itself, or for somebody else.
    pub(crate) fn new(waits_for_itself: Option<Itself>) -> Patience {
        Patience(waits_for_itself)
    }

    /// Waits until the condition variable is notified, or there is reason to look again.
    pub(crate) fn wait<'l, T>(&mut self, changed: &Condvar, guard: MutexGuard<'l, T>) -> MutexGuard<'l, T> {
        let Some(itself) = self.0 else { return changed.wait(guard).unwrap_or_else(PoisonError::into_inner) };
        let (guard, waited) = changed.wait_timeout(guard, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            self.0 = None;
            eprintln!("aspen: {}", itself.sentence());
        }
        guard
    }
}
