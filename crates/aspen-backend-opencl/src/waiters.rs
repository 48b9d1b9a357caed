//! Threads that wait for commands of a context.
//!
//! Drivers of CPUs make work of a thread that waits: it computes, and where there is nothing to compute it looks again and again. That is as it
//! should be for as many threads as the machine runs at a time. Of a thousand, each takes processors from those that it waits for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, mpsc};

use crate::handles::{Event, Tried, command_outcome};

/// How many threads wait for a context's commands inside the driver.
#[derive(Default)]
pub(crate) struct Waiters(AtomicUsize);

/// One of them.
struct Place<'w>(&'w AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// So many may.
fn most() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Waiters {
    fn place(&self) -> Option<Place<'_>> {
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.0);
        (before < most()).then_some(place)
    }

    /// Waits until the command is over: in the driver, or, if enough threads do that, asleep until the driver calls.
    pub(crate) fn wait(&self, event: &Event) -> Tried<()> {
        if let Some(_place) = self.place() {
            return event.wait_in_driver();
        }
        let (tell, told) = mpsc::sync_channel(1);
        let call = move |status| {
            // Room for one, and it is called once.
            let _sent = tell.try_send(status);
        };
        let asked = event.when_over(Box::new(call));
        // A driver that drops the call without making it says no more than one that refuses it.
        match asked.then(|| told.recv()) {
            Some(Ok(status)) => command_outcome(status),
            Some(Err(_)) | None => event.wait_in_driver(),
        }
    }
}
