//! Jobs in a device's streams: kernels, copies and fills that the device begins when their time has come.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use crate::sys::CUstream;
use aspen_runtime::backend::{Ahead, Deferred, DeviceEvent, DeviceTimes, Listener, Outcome};
use aspen_runtime::{Error, Result};
use smallvec::SmallVec;

use crate::copy::enqueue_copy;
use crate::device::Device;
use crate::driver::{Failure, Tried};
use crate::lanes::{LANES, Mark, Place};
use crate::launcher::Ticket;
use crate::row::Awaited;
use crate::watch::Pending;
use crate::work::{Enqueue, Work};

/// How long a thread that waits asks again and again, and how often it does so afterwards.
const SPIN: Duration = Duration::from_millis(2);
const LOOK: Duration = Duration::from_micros(20);

/// With so many jobs in flight more are expected, and nobody waits for the next one at once.
const MANY: usize = 8;

/// A job of a device, and its share in a stream: one piece of memory for both.
pub(crate) struct Job {
    device: Arc<Device>,
    work: Work,
    /// Set when it has a place in a stream.
    share: OnceLock<Share>,
    /// Whether it is in its stream, or never will be; until then it is given to the thread that puts it there.
    is_put: AtomicBool,
    /// Whether somebody may ask for it alone.
    is_awaited: AtomicBool,
    over: OnceLock<Outcome>,
}

/// A job's share in a stream.
#[derive(Default)]
struct Share {
    place: Place,
    /// Whether it waits for what is in front of it in its stream.
    follows: bool,
    /// Its own, until it is dropped, if it is profiled or prints; others share those of their stream.
    marks: Option<Marks>,
    /// When it was put there, by the device's clock; 0 if it is not profiled.
    queued: u64,
}

struct Marks {
    /// Of profiled jobs.
    begin: Option<Arc<Mark>>,
    end: Arc<Mark>,
}

impl Job {
    /// A job as the runtime wants it.
    pub(crate) fn new(device: &Arc<Device>, work: Work) -> Arc<Job> {
        Arc::new(Job {
            device: device.clone(),
            work,
            share: OnceLock::new(),
            is_put: AtomicBool::new(false),
            is_awaited: AtomicBool::new(true),
            over: OnceLock::new(),
        })
    }

    /// Puts it into a stream, or gives it to the thread that does so.
    ///
    /// # Safety
    /// As [`Deferred::enqueue_behind`].
    unsafe fn enter(self: &Arc<Self>, ahead: &[Ahead], after: &[Arc<dyn DeviceEvent>], profile: bool) -> Tried<()> {
        let Job { device, work, .. } = &**self;
        let (lanes, launcher) = (device.lanes(), device.launcher());
        let before: SmallVec<[&Job; 2]> = after.iter().filter_map(|event| job_of(&**event)).collect();
        device.enter(|| {
            let queued = if profile { lanes.now()? } else { 0 };
            let needs_marks = profile || work.prints();
            let new = || Ok(Marks { end: lanes.mark(profile)?, begin: profile.then(|| lanes.mark(true)).transpose()? });
            let marks = needs_marks.then(new).transpose()?;
            let turn = lanes.turn(before.iter().map(|job| job.place()), device.watch().count() == 0)?;
            let (lane, stream, follows) = (turn.lane(), turn.stream, turn.follows);
            let take_share = |place| {
                let first = self.share.set(Share { place, follows, marks, queued });
                debug_assert!(first.is_ok(), "a job comes into a stream once, and nobody asks for it before");
            };
            let is_chained = || !before.is_empty() && device.watch().count() >= MANY && launcher.is_awake();
            if ahead.is_empty() && (launcher.has(lane) || is_chained()) {
                let is_elsewhere = |event: &&Arc<dyn DeviceEvent>| job_of(&***event).is_some_and(|job| job.place().lane != lane);
                let after = after.iter().filter(is_elsewhere).cloned().collect();
                let (place, kept) = turn.take();
                take_share(place);
                launcher.give(Given { job: self.clone(), stream, after });
                drop(kept);
                return Ok(());
            }
            launcher.help_until(|| !launcher.has(lane));
            let mut put = hold_back(stream, before.iter().copied().filter(|job| job.place().lane != lane));
            for copy in ahead {
                // SAFETY: by this function's contract.
                put = put.and_then(|()| unsafe { enqueue_copy(copy.to as u64, copy.from as u64, copy.size, stream) });
            }
            let (place, kept) = turn.take();
            take_share(place);
            self.is_put.store(true, Ordering::Release);
            put = put.and_then(|()| self.put(stream));
            drop(kept);
            if put.is_err() {
                // A part of it may be there already, and what it uses goes.
                let _failed = lanes.finish();
            }
            put
        })
    }
}

/// The job of this crate that an event is.
fn job_of(event: &dyn DeviceEvent) -> Option<&Job> {
    let any: &dyn Any = event;
    any.downcast_ref()
}

/// Makes a stream of the current context wait for jobs in others.
fn hold_back<'a>(stream: CUstream, before: impl Iterator<Item = &'a Job>) -> Tried<()> {
    for job in before {
        job.settle();
        match (job.marks(), job.over.get()) {
            (_, Some(_)) => {}
            (Some(marks), None) => marks.end.hold_back(stream)?,
            (None, None) => job.device.lanes().hold_back(stream, job.place())?,
        }
    }
    Ok(())
}

/// A job on its way to a stream, and those in other streams that it waits for.
pub(crate) struct Given {
    job: Arc<Job>,
    stream: CUstream,
    after: SmallVec<[Arc<dyn DeviceEvent>; 2]>,
}

// SAFETY: the driver's streams may be used by every thread; all else is shared by threads anyway.
unsafe impl Send for Given {}

impl Ticket for Given {
    fn lane(&self) -> usize {
        self.job.place().lane
    }

    fn put(self, own: bool) {
        let Given { job, stream, after } = self;
        if own {
            job.device.stay_entered();
        }
        let before = after.iter().filter_map(|event| job_of(&**event));
        if let Err(failure) = job.device.enter(|| hold_back(stream, before).and_then(|()| job.put(stream))) {
            // A part of it may be there already. What comes before in the stream is over when this one is.
            let _failed = job.device.enter(|| job.device.lanes().finish());
            job.ended(Some(failure));
        }
        job.is_put.store(true, Ordering::Release);
    }
}

impl Deferred for Job {
    fn chain(&self) -> usize {
        Arc::as_ptr(&self.device).addr()
    }

    fn enqueue(self: Arc<Self>, after: &[Arc<dyn DeviceEvent>], profile: bool) -> Result<Option<Arc<dyn DeviceEvent>>> {
        // SAFETY: no copies.
        unsafe { self.enqueue_behind(&[], after, profile) }
    }

    unsafe fn enqueue_behind(
        self: Arc<Self>,
        ahead: &[Ahead],
        after: &[Arc<dyn DeviceEvent>],
        profile: bool,
    ) -> Result<Option<Arc<dyn DeviceEvent>>> {
        // SAFETY: by this function's contract.
        unsafe { self.enter(ahead, after, profile) }.map_err(|failure| failed(&self.device, &*self.work, failure))?;
        Ok(Some(self))
    }

    fn is_busy(&self) -> bool {
        self.device.watch().count() > LANES
    }
}

/// The error of a job. Once the context is lost, it says which jobs may have done that.
fn failed(device: &Device, work: &dyn Enqueue, failure: Failure) -> Error {
    let name = work.name();
    let mut text = if name.is_empty() { failure.to_string() } else { format!("{name}: {failure}") };
    if failure.loses_the_context() {
        let suspects = device.suspects();
        if suspects.iter().any(|suspect| *suspect != name) {
            text += &format!("; the device's context was lost, with one of these: {}", suspects.join(", "));
        }
    }
    device.error(work.code(), text)
}

impl Job {
    /// Its share in a stream; nobody asks before it has one.
    fn share(&self) -> &Share {
        self.share.get_or_init(Share::default)
    }

    fn place(&self) -> Place {
        self.share().place
    }

    fn marks(&self) -> Option<&Marks> {
        self.share().marks.as_ref()
    }

    /// Puts it into its stream, of the current context.
    fn put(self: &Arc<Self>, stream: CUstream) -> Tried<()> {
        let record = |mark: Option<&Arc<Mark>>| mark.map_or(Ok(()), |mark| mark.record(stream));
        self.device.lanes().mark_end(self.place(), self.share().follows)?;
        record(self.marks().and_then(|marks| marks.begin.as_ref()))?;
        self.work.submit(&self.device, stream)?;
        record(self.marks().map(|marks| &marks.end))?;
        self.device.lanes().note_put(self.place(), Arc::downgrade(self) as Weak<dyn Awaited>)
    }

    fn is_put(&self) -> bool {
        self.is_put.load(Ordering::Acquire)
    }

    /// Returns when it is in its stream.
    fn settle(&self) {
        self.device.launcher().help_until(|| self.is_put());
    }

    fn ended(&self, failure: Option<Failure>) -> Outcome {
        let outcome = || failure.map_or(Outcome::Done, |failure| Outcome::Failed(failed(&self.device, &*self.work, failure)));
        self.over.get_or_init(outcome).clone()
    }

    /// Asks the driver about a job in its stream; `None` while it is not over.
    fn ask(&self) -> Option<Tried<()>> {
        let ask = || {
            let Some(marks) = self.marks() else { return Ok(self.device.lanes().is_over(self.place())?.then_some(())) };
            match marks.end.is_reached()? {
                true if self.work.prints() => marks.end.finish().map(Some),
                reached => Ok(reached.then_some(())),
            }
        };
        self.device.enter(ask).transpose()
    }

    /// Returns when it is over.
    fn finished(&self) -> Outcome {
        if let Some(outcome) = self.over.get() {
            return outcome.clone();
        }
        self.device.watch().attend(self.place().lane);
        self.settle();
        let begin = Instant::now();
        loop {
            if let Some(outcome) = self.over.get() {
                return outcome.clone();
            }
            // A question takes the driver so long that no pause is wanted between two.
            if let Some(tried) = self.ask() {
                return self.ended(tried.err());
            }
            if begin.elapsed() > SPIN {
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// Copies to memory of the host as soon as a job of the device is over, and returns when that is done; `None` if the event is not one.
///
/// # Safety
/// As `RawDevice::copy_behind`.
pub(crate) unsafe fn copy_behind(device: &Device, event: &dyn Any, to: u64, from: u64, size: usize) -> Option<Tried<()>> {
    let job = event.downcast_ref::<Job>().filter(|job| std::ptr::eq(&*job.device, device))?;
    job.settle();
    // What came behind the job would be waited for, too.
    let stream = device.lanes().stream_behind(job.place()).filter(|_| !job.work.prints())?;
    Some(device.enter(|| {
        let done = device.lanes().mark(false)?;
        // No turn is taken: the driver waits for the device, and who wants the next one would.
        // SAFETY: by this function's contract.
        unsafe { enqueue_copy(to, from, size, stream)? };
        done.record(stream)?;
        while !done.is_reached()? {}
        device.lanes().recycle(done, false);
        let _ended = job.ended(None);
        Ok(())
    }))
}

impl Pending for Job {
    fn outcome(&self) -> Option<Outcome> {
        if let Some(outcome) = self.over.get() {
            return Some(outcome.clone());
        }
        if !Job::is_put(self) {
            return None;
        }
        match self.ask()? {
            // The process ends.
            Err(failure) if failure.is_the_end() => None,
            tried => Some(self.ended(tried.err())),
        }
    }

    fn is_put(&self) -> bool {
        Job::is_put(self)
    }

    fn note_over(&self) {
        if self.work.prints() {
            self.finished();
        }
        self.ended(None);
    }

    fn finish(&self) {
        self.finished();
    }

    fn name(&self) -> String {
        // What is in no stream has done nothing yet.
        if self.over.get().is_some() || !Job::is_put(self) { String::new() } else { self.work.name() }
    }
}

impl Awaited for Job {
    fn is_awaited(&self) -> bool {
        self.is_awaited.load(Ordering::Acquire) && self.over.get().is_none()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let Some(Marks { begin, end }) = self.share.take().and_then(|share| share.marks) else { return };
        let timed = begin.is_some();
        for mark in begin.into_iter().chain([end]) {
            self.device.lanes().recycle(mark, timed);
        }
    }
}

impl DeviceEvent for Job {
    fn wait(&self) -> Outcome {
        let outcome = self.finished();
        // Those before it are over, too; who waited has the time to tell of them.
        self.device.watch().tell(self.place().lane, self.place().number, &outcome);
        outcome
    }

    fn has_begun(&self) -> bool {
        if !self.is_put() {
            return false;
        }
        match self.marks().and_then(|marks| marks.begin.as_ref()) {
            Some(begin) => self.device.enter(|| begin.is_reached()).unwrap_or(true),
            // The driver does not tell.
            None => true,
        }
    }

    fn is_over(&self) -> bool {
        let reached = || self.marks().is_some_and(|marks| self.device.enter(|| marks.end.is_reached()).unwrap_or(false));
        self.over.get().is_some() || (self.is_put() && reached())
    }

    fn times(&self) -> Option<DeviceTimes> {
        let (device, Share { marks, queued, .. }) = (&self.device, self.share());
        let Marks { begin, end } = marks.as_ref()?;
        let begin = begin.as_ref()?;
        let times = device.enter(|| {
            let start = device.lanes().time(begin)?;
            // From the start: the difference of two moments far from the clock's would be rough.
            let end = start.saturating_add_signed(end.since(begin)?.max(0));
            Ok(DeviceTimes { queued: (*queued).min(start), start, end })
        });
        times.map_err(|failure| tracing::debug!(%failure, "no times")).ok()
    }

    fn is_asked_for(&self, alone: bool) {
        self.is_awaited.store(alone, Ordering::Release);
    }

    fn when_over(self: Arc<Self>, listener: Arc<dyn Listener>) -> bool {
        let Place { lane, number } = self.place();
        let device = self.device.clone();
        device.watch().add(lane, number, self, listener)
    }
}
