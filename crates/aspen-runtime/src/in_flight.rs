//! Commands in a device's own queue.
//!
//! Such a command is enqueued on the thread that finds it ready: mostly the one that submits it. One that follows nothing may go to a thread of
//! the pool, if the device has work already ([`crate::backend::Deferred::is_busy`]). What it waits for is complete or in flight
//! in the same queue, and then the driver keeps the order by its events, so a chain of kernels needs no thread of the host between them.
//! The driver calls when the command is over; a thread that waits may find out first, and whoever takes the event out of the command
//! completes it.
//!
//! A command runs even if one that it waited for failed, as all commands of the runtime do. Drivers do not begin it then, so it is enqueued
//! again when all its blockers are complete.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use crate::at_exit;
use crate::backend::{Ahead, Deferred, DeviceEvent, Listener, Outcome};
use crate::before::Before;
use crate::command::{Command, Inner, READY, Work, lock, now};
use crate::error::{Code, Error, guarded};
use crate::few::Few;
use crate::pool::Ticket;

/// What a job brings itself.
type Copies = SmallVec<[Ahead; 2]>;

/// A command's share in a device's queue.
pub(crate) struct InFlight {
    job: Arc<dyn Deferred>,
    pub(crate) event: Arc<dyn DeviceEvent>,
    /// When it was enqueued, by the runtime's clock; 0 if nobody will ask.
    enqueued: u64,
}

impl Command {
    /// Puts the job into its device's queue, behind the events that it waits for. Returns the commands that may follow it there: each waits
    /// for one thing less.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        job: Arc<dyn Deferred>,
        mut after: Few<dyn DeviceEvent>,
        brings: Option<(&dyn Before, Copies)>,
    ) -> Few<Command> {
        if lock(&self.inner).again {
            self.wait_for_blockers();
            after.clear();
        }
        let profile = self.times.is_some() || self.traced.is_some();
        let enqueued = if profile { now() } else { 0 };
        let ahead = brings.as_ref().map_or(&[][..], |(_, ahead)| ahead);
        // SAFETY: of buffers that the command uses, and holds.
        let enqueue = |after: &[Arc<dyn DeviceEvent>]| guarded(|| unsafe { job.clone().enqueue_behind(ahead, after, profile) });
        let tried = enqueue(&after).and_then(|event| match event {
            Some(event) => Ok(Some(event)),
            None => {
                self.wait_for_blockers();
                enqueue(&[])
            }
        });
        let never = || Error::new(Code::Runtime, "the driver takes no command, since others failed that this one does not wait for");
        let event = match tried.and_then(|event| event.ok_or_else(never)) {
            Ok(event) => event,
            Err(error) => {
                // Whoever waits for this one waits for those, too.
                self.wait_for_blockers();
                if let Some((before, ahead)) = brings {
                    before.undo(&ahead);
                }
                self.report(Err(error));
                drop(job);
                self.complete();
                return Few::new();
            }
        };
        at_exit::driver_has_more();
        let chained = {
            let mut inner = lock(&self.inner);
            inner.in_flight = Some(InFlight { job, event: event.clone(), enqueued });
            self.tell_device(&inner);
            std::mem::take(&mut inner.chained)
        };
        self.notify();
        for successor in &chained {
            lock(&successor.inner).after.push(event.clone());
        }
        if !event.clone().when_over(self.clone()) {
            self.over(&event, event.wait());
        }
        chained
    }

    /// Says that only those who hold an event of it ask for it alone, whoever submits it first of all. Only before [`Command::submit`].
    pub(crate) fn is_only_asked_by_event(&self) {
        self.askers.store(1, Ordering::Relaxed);
    }

    /// One more holds an event of it.
    pub(crate) fn ask(&self) {
        if self.askers.fetch_add(1, Ordering::AcqRel) == 0 {
            self.tell_askers();
        }
    }

    /// One of those holds it no more.
    pub(crate) fn let_go(&self) {
        if self.askers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.tell_askers();
        }
    }

    fn tell_askers(&self) {
        if self.chain.is_some() {
            self.tell_device(&lock(&self.inner));
        }
    }

    /// Tells its device who may ask. Under the lock, so that what is told last is so.
    pub(crate) fn tell_device(&self, inner: &Inner) {
        if let Some(in_flight) = &inner.in_flight {
            in_flight.event.is_asked_for(self.askers.load(Ordering::Acquire) > 0);
        }
    }

    /// Completes the command if `event` is its share in the device's queue and nobody else has done so.
    pub(crate) fn over(self: &Arc<Self>, event: &Arc<dyn DeviceEvent>, outcome: Outcome) {
        let InFlight { job, event, enqueued } = {
            let mut inner = lock(&self.inner);
            match inner.in_flight.take() {
                Some(in_flight) if Arc::ptr_eq(&in_flight.event, event) => {
                    inner.gone = (outcome == Outcome::Done).then(|| in_flight.event.clone());
                    in_flight
                }
                other => return inner.in_flight = other,
            }
        };
        match outcome {
            Outcome::Done => {}
            Outcome::Failed(error) => self.report(Err(error)),
            Outcome::NotBegun => {
                let mut inner = lock(&self.inner);
                if !std::mem::replace(&mut inner.again, true) {
                    inner.work = Some(Work::Deferred(job));
                    self.state.store(READY, Ordering::SeqCst);
                    drop(inner);
                    self.notify();
                    return self.pool.push(Ticket::Run(self.clone()));
                }
                drop(inner);
                self.report(Err(Error::new(Code::Runtime, "the driver does not begin a command, and all that it waited for is complete")));
            }
        }
        let device = if self.times.is_some() || self.traced.is_some() { event.times() } else { None };
        if let Some(device) = device {
            self.trace_device(enqueued, device);
        }
        if let Some((times, device)) = self.times.as_ref().zip(device) {
            // One clock for all: the time between submission and enqueueing passed on the host, and both clocks count nanoseconds.
            let before = enqueued.saturating_sub(times.submit.load(Ordering::Relaxed));
            times.submit.store(device.queued.saturating_sub(before), Ordering::Relaxed);
            times.start.store(device.start, Ordering::Relaxed);
            times.end.store(device.end, Ordering::Relaxed);
        }
        // A kernel's arguments may hold what the program frees as soon as it knows that the command is complete.
        drop(job);
        self.complete();
    }
}

impl Listener for Command {
    fn hear(self: Arc<Self>, event: Arc<dyn DeviceEvent>, outcome: Outcome) {
        self.over(&event, outcome);
    }
}
