//! Jobs in a device's own queue: kernels, copies and fills that the driver begins when their time has come.
//!
//! The driver keeps the order by events, and calls when a job is over. Source: OpenCL 3.0 §5.11 "Event Objects".

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use aspen_runtime::backend::{AssertionWord, Deferred, DeviceEvent, DeviceTimes, Listener, Outcome};
use aspen_runtime::{Code, Result};

use crate::device::Device;
use crate::handles::{Event, Failure, Queue, Tried, command_outcome};
use crate::memory::Memory;
use crate::sys;

/// So many jobs of a device may be in flight before whoever submits more has to wait: each one holds a kernel object and an event.
const MOST_IN_FLIGHT: usize = 4096;

/// What a job puts into the queue.
pub(crate) trait Enqueue: Send + Sync {
    /// The code of an error and what failed, for messages.
    fn what(&self) -> (Code, String);
    fn enqueue(&self, queue: &Queue, after: &[&Event]) -> Tried<Event>;
    /// Where it tells of failed assertions, if it has some.
    fn assertions(&self) -> Option<AssertionWord> {
        None
    }
}

/// A job of a device.
pub(crate) struct Later<E> {
    pub(crate) device: Arc<Device>,
    pub(crate) work: E,
}

impl<E: Enqueue + 'static> Deferred for Later<E> {
    fn chain(&self) -> usize {
        self.device.chain()
    }

    fn enqueue(self: Arc<Self>, after: &[Arc<dyn DeviceEvent>], profile: bool) -> Result<Option<Arc<dyn DeviceEvent>>> {
        let submitted = after.iter().filter_map(|event| {
            let any: &dyn Any = &**event;
            any.downcast_ref::<Submitted>()
        });
        let events: Vec<&Event> = submitted.map(|submitted| &submitted.event).collect();
        let (code, what) = self.work.what();
        let queue = self.device.queue(profile)?;
        let event = match self.work.enqueue(queue, &events) {
            Ok(event) => event,
            Err(Failure { error: sys::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, .. }) if !events.is_empty() => return Ok(None),
            Err(failure) => return Err(self.device.error(code, with(&what, failure))),
        };
        let many = self.device.in_flight().fetch_add(1, Ordering::Relaxed) >= MOST_IN_FLIGHT;
        let submitted = Submitted { device: self.device.clone(), code, what, event, assertions: self.work.assertions() };
        if many {
            let _ = submitted.event.wait();
        }
        Ok(Some(Arc::new(submitted)))
    }
}

impl<E: Enqueue + 'static> Later<E> {
    /// Returns when it was put into the queue and is over.
    pub(crate) fn finished(self: Arc<Self>) -> Result<()> {
        match self.clone().enqueue(&[], false)?.map(|event| event.wait()) {
            Some(Outcome::Done) => Ok(()),
            Some(Outcome::Failed(error)) => Err(error),
            Some(Outcome::NotBegun) | None => Err(self.device.error(Code::Runtime, "a command was not begun")),
        }
    }
}

fn with(what: &str, failure: Failure) -> String {
    if what.is_empty() { failure.to_string() } else { format!("{what}: {failure}") }
}

/// A job in the queue.
struct Submitted {
    device: Arc<Device>,
    code: Code,
    what: String,
    event: Event,
    assertions: Option<AssertionWord>,
}

impl Submitted {
    /// What became of it, now that it is over; ends the program if an assertion failed.
    fn outcome(&self, tried: Tried<()>) -> Outcome {
        if let Some(assertions) = self.assertions {
            assertions.check(&self.what, self.device.name());
        }
        outcome(&self.device, self.code, &self.what, tried)
    }
}

impl Drop for Submitted {
    fn drop(&mut self) {
        self.device.in_flight().fetch_sub(1, Ordering::Relaxed);
    }
}

pub(crate) fn outcome(device: &Device, code: Code, what: &str, tried: Tried<()>) -> Outcome {
    match tried {
        Ok(()) => Outcome::Done,
        Err(Failure { error: sys::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, .. }) => Outcome::NotBegun,
        Err(failure) => Outcome::Failed(device.error(code, with(what, failure))),
    }
}

impl DeviceEvent for Submitted {
    fn wait(&self) -> Outcome {
        self.outcome(self.event.wait())
    }

    fn has_begun(&self) -> bool {
        self.event.has_begun()
    }

    fn times(&self) -> Option<DeviceTimes> {
        self.event.times()
    }

    fn when_over(self: Arc<Self>, listener: Arc<dyn Listener>) -> bool {
        let own = self.clone();
        self.event.when_over(Box::new(move |status| {
            let outcome = own.outcome(command_outcome(status));
            listener.hear(own, outcome);
        }))
    }
}

/// An address that travels to another thread.
#[derive(Clone, Copy)]
pub(crate) struct Address(pub(crate) *mut u8);

// SAFETY: the pointer is only carried; the contracts of the functions that make jobs say for how long it is valid.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// A copy of so many bytes, at least one.
pub(crate) struct Copy {
    pub(crate) memory: Memory,
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) size: usize,
}

impl Enqueue for Copy {
    fn what(&self) -> (Code, String) {
        (Code::Runtime, String::new())
    }

    fn enqueue(&self, queue: &Queue, after: &[&Event]) -> Tried<Event> {
        // SAFETY: valid for `size` bytes until the job is over, by the contract of whoever made it.
        queue.enqueue(self.memory.copy_call(), after, |list, event| unsafe {
            self.memory.copy(queue.handle(), self.to.0, self.from.0.cast_const(), self.size, list, event)
        })
    }
}

/// A fill of so many bytes with a pattern that the driver can repeat.
pub(crate) struct Fill {
    pub(crate) memory: Memory,
    pub(crate) to: Address,
    pub(crate) pattern: Vec<u8>,
    pub(crate) size: usize,
}

impl Enqueue for Fill {
    fn what(&self) -> (Code, String) {
        (Code::Runtime, String::new())
    }

    fn enqueue(&self, queue: &Queue, after: &[&Event]) -> Tried<Event> {
        // SAFETY: valid for `size` bytes until the job is over, by the contract of whoever made it; the driver copies the pattern.
        queue.enqueue(self.memory.fill_call(), after, |list, event| unsafe {
            self.memory.fill(queue.handle(), self.to.0, &self.pattern, self.size, list, event)
        })
    }
}
