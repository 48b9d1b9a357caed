//! Jobs and commands in a device's own queue.

use std::any::Any;
use std::sync::Arc;

use crate::error::{Error, Result};

/// What became of a command in a device's own queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It ran.
    Done,
    /// It failed.
    Failed(Error),
    /// It never began, because a command that it waited for failed.
    NotBegun,
}

/// When a command ran, in nanoseconds of the device's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceTimes {
    /// It was put into the device's queue.
    pub queued: u64,
    /// It began.
    pub start: u64,
    /// It was complete.
    pub end: u64,
}

/// A command in a device's own queue.
pub trait DeviceEvent: Any + Send + Sync {
    /// Returns when it is over.
    fn wait(&self) -> Outcome;
    /// Whether the device has begun it.
    fn has_begun(&self) -> bool;
    /// Whether it is known to be over, though nobody has been told; does not wait.
    fn is_over(&self) -> bool {
        false
    }
    /// When it ran; only of commands that are over and were to be profiled. `None` if the driver does not tell.
    fn times(&self) -> Option<DeviceTimes>;
    /// Learns whether somebody may wait for this command and for none behind it. While nobody may, its device may let whoever waits for it wait for
    /// later ones of its queue, too.
    fn is_asked_for(&self, _alone: bool) {}
    /// Tells the listener once when the command is over, on any thread, perhaps this one. `false` if the driver will not: then nobody does.
    fn when_over(self: Arc<Self>, listener: Arc<dyn Listener>) -> bool;
}

/// Who wants to know when a command in a device's own queue is over.
pub trait Listener: Send + Sync {
    /// It is over.
    fn hear(self: Arc<Self>, event: Arc<dyn DeviceEvent>, outcome: Outcome);
}

/// A copy from memory of the host to that of a device, in front of a job.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Memory of the device.
    pub to: *mut u8,
    /// Memory of the host.
    pub from: *const u8,
    /// In bytes.
    pub size: usize,
}

/// A kernel, copy or fill that a device's own queue takes as a whole, so that no thread of the host waits for it.
pub trait Deferred: Send + Sync {
    /// Jobs with the same number may wait for each other's events inside the driver.
    fn chain(&self) -> usize;
    /// Puts it into the queue, to begin when all of `after`, events of jobs with the same chain, are over. Does not wait for it. `None` if one
    /// of them failed already, which some drivers say at once.
    ///
    /// # Errors
    /// What the driver says; then the job does not run.
    fn enqueue(self: Arc<Self>, after: &[Arc<dyn DeviceEvent>], profile: bool) -> Result<Option<Arc<dyn DeviceEvent>>>;
    /// The same behind copies of what the host has, of at most [`RawDevice::most_ahead`](super::RawDevice::most_ahead) bytes each, which are made
    /// even if the job is not begun.
    ///
    /// # Safety
    /// All ranges are valid until the job is over.
    ///
    /// # Errors
    /// As [`Deferred::enqueue`]; then nothing uses the ranges any more.
    unsafe fn enqueue_behind(
        self: Arc<Self>,
        _ahead: &[Ahead],
        after: &[Arc<dyn DeviceEvent>],
        profile: bool,
    ) -> Result<Option<Arc<dyn DeviceEvent>>> {
        self.enqueue(after, profile)
    }
    /// Whether the device has work already, so that a job that follows none of it is not waited for, and takes the driver so long that another
    /// thread may as well put it there.
    fn is_busy(&self) -> bool {
        false
    }
}
