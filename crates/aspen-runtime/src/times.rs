//! The runtime's clock, and when commands ran.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::captured;
use crate::command::{Command, PENDING, READY};
use crate::pool::waiting;

/// After so long no thread of the pool is just about to take a command.
const THREADS_COME: Duration = Duration::from_millis(100);

/// Points in time of a profiled command, in nanoseconds of a steady clock.
#[derive(Default, Debug)]
pub(crate) struct Times {
    pub(crate) submit: AtomicU64,
    pub(crate) start: AtomicU64,
    pub(crate) end: AtomicU64,
    /// Whose times these are, if not its own alone.
    pub(crate) parts: OnceLock<Parts>,
}

/// The commands that a command of several parts consists of.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) others: Box<[Arc<Command>]>,
    /// Whether the command itself is one of them.
    pub(crate) own: bool,
}

impl Command {
    /// Whether threads of the host run it, and no device's own queue.
    pub(crate) fn is_of_the_host(&self) -> bool {
        self.chain.is_none()
    }

    /// Returns when a profiled command that threads of the host run has begun; helps those before it.
    pub(crate) fn wait_started(self: &Arc<Self>) {
        let Some(times) = &self.times else { return };
        let is_waiting = || times.start.load(Ordering::SeqCst) == 0;
        if !is_waiting() {
            return;
        }
        captured::complete_what_ends();
        waiting(|| {
            let mut patience = Some(THREADS_COME);
            while is_waiting() {
                match self.state.load(Ordering::SeqCst) {
                    PENDING => match self.unfinished_blocker() {
                        Some(blocker) => blocker.wait(),
                        None => self.sleep_while(|state, inner| state == PENDING && inner.blockers.is_empty()),
                    },
                    // All threads may wait for what comes after this; and who runs it itself hears of its start when it is over.
                    READY if patience.is_none() => self.run(),
                    READY => {
                        self.sleep_at_most(patience.take(), |state, _| state == READY);
                    }
                    _ => self.sleep_while(|_, _| is_waiting()),
                }
            }
        });
    }
}

/// Nanoseconds since then.
pub(crate) fn nanoseconds(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds of the steady clock since the first call in this process, plus one (0 means *not yet*).
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(1)
}
