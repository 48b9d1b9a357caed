//! The runtime's clock, and when commands ran.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::command::Command;

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

/// Nanoseconds since then.
pub(crate) fn nanoseconds(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds of the steady clock since the first call in this process, plus one (0 means *not yet*).
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(1)
}
