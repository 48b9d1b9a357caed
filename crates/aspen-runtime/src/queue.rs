//! Queues and events.
//!
//! A submission first gathers everything a command has to wait for, and only then writes itself down as the last user of its buffers and
//! queue: whoever is refused before has changed nothing. One lock for that step keeps the order in which two commands meet several
//! buffers the same for all of them, so the graph has no cycles.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use smallvec::SmallVec;

use crate::async_errors::AsyncErrors;
use crate::at_exit;
use crate::bringing::{bringing, opening};
use crate::buffer::{Access, Buffer, Place, merged};
pub use crate::command::Command;
use crate::command::{Status, Times, Work, lock, now};
use crate::error::{Code, Error, Result};
use crate::few::Few;
use crate::guarded;
use crate::native::{NativeLaunch, NativeQueue};
use crate::pool::Pool;
use crate::system::Device;
use crate::times::Parts;
use crate::trace::{self, Label};

/// What a command waits for and holds.
#[derive(Default, Debug)]
pub struct Dependencies {
    /// Buffers it uses; the same one may occur more than once.
    pub buffers: Vec<(Arc<Buffer>, Access)>,
    /// Those of them that a task of the host passes on to the device's own interface: their content is wanted where kernels find it.
    pub on_device: Vec<Arc<Buffer>>,
    /// Events it waits for.
    pub events: Vec<Event>,
}

/// A command that was checked and waits to be submitted: what a command group collects before it ends. Dropping it undoes it.
pub struct Prepared(Arc<Command>);

/// A queue.
#[derive(Debug)]
pub struct Queue {
    /// For people: 1 is the process's first.
    number: u32,
    device: &'static Device,
    pool: Arc<Pool>,
    in_order: bool,
    profiling: bool,
    errors: Arc<AsyncErrors>,
    submitted: Mutex<Submitted>,
    native: OnceLock<Bound>,
}

/// The queue's side in the backend's own interface, where a program has brought its context or its queue.
struct Bound {
    queue: Arc<dyn NativeQueue>,
    context: usize,
    /// Commands follow what the program has put there.
    follows: bool,
}

#[derive(Default, Debug)]
struct Submitted {
    /// Commands that may not be complete; an in-order queue needs only the last.
    commands: Vec<Arc<Command>>,
    /// How many there may be before the completed ones are dropped.
    prune_at: usize,
    /// What every further command waits for.
    barrier: Option<Arc<Command>>,
}

/// Bytes that are copied or filled in less time than it takes to wake a thread.
const BRIEF: usize = 64 << 10;

static ORDER: Mutex<()> = Mutex::new(());

/// The lock under which commands enter the hazards of buffers.
pub(crate) fn order() -> MutexGuard<'static, ()> {
    lock(&ORDER)
}

impl Queue {
    /// A queue of the device.
    pub fn new(device: &'static Device, pool: &Arc<Pool>, in_order: bool, profiling: bool) -> Queue {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Queue {
            number: COUNT.fetch_add(1, Ordering::Relaxed) + 1,
            device,
            pool: pool.clone(),
            in_order,
            profiling,
            errors: AsyncErrors::new(),
            submitted: Mutex::default(),
            native: OnceLock::new(),
        }
    }

    /// Its device.
    pub fn device(&self) -> &'static Device {
        self.device
    }

    /// Binds it to a queue of the backend's own interface, once. If that is the program's and keeps its order, commands of this queue begin
    /// when all is over that the program has put there before they were submitted.
    /// `context`: 0 if it is the runtime's.
    pub fn bind(&self, queue: Arc<dyn NativeQueue>, context: usize, follows: bool) {
        let _bound = self.native.set(Bound { queue, context, follows });
    }

    /// What it was bound to.
    pub fn native(&self) -> Option<&Arc<dyn NativeQueue>> {
        self.native.get().map(|bound| &bound.queue)
    }

    /// The context that its commands' buffers are wanted in by tasks that use the backend's own interface; 0 for the runtime's.
    pub fn native_context(&self) -> usize {
        self.native.get().map_or(0, |bound| bound.context)
    }

    /// Runs a kernel of the backend's own interface; `launch` is made when it begins, and `keeps` is dropped when it is over.
    ///
    /// # Safety
    /// As [`NativeQueue::launch`], when it begins.
    ///
    /// # Errors
    /// [`Code::FeatureNotSupported`] if the backend has no such kernels, and what the driver says.
    pub unsafe fn native_kernel(
        &self,
        keeps: impl Send + 'static,
        launch: impl FnOnce() -> Result<NativeLaunch> + Send + 'static,
    ) -> Result<Prepared> {
        let queue = self.native_or_own()?;
        Ok(self.host_task(move || {
            // SAFETY: by this function's contract.
            let over = unsafe { queue.launch(&launch()?) };
            drop(keeps);
            over
        }))
    }

    /// What it was bound to, or the runtime's own for its device.
    ///
    /// # Errors
    /// [`Code::FeatureNotSupported`] if the backend has no such interface, and what the driver says.
    pub fn native_or_own(&self) -> Result<Arc<dyn NativeQueue>> {
        let interface = self.device.interop()?;
        // SAFETY: no handle is given.
        self.native().map_or_else(|| unsafe { interface.queue(None, None) }, |queue| Ok(queue.clone()))
    }

    /// The threads that run its commands.
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Waits until every command submitted so far is complete.
    pub fn wait(&self) {
        let commands = lock(&self.submitted).commands.clone();
        for command in commands.iter().rev() {
            command.wait();
        }
        drop(commands);
        lock(&self.submitted).commands.retain(|command| !command.is_complete());
    }

    /// Whether every command submitted so far is complete.
    pub fn is_complete(&self) -> bool {
        lock(&self.submitted).commands.iter().all(|command| command.is_complete())
    }

    /// The oldest asynchronous error that nobody has taken.
    pub fn take_async_error(&self) -> Option<Error> {
        self.errors.take()
    }

    /// Copies memory.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes when the command runs; they may overlap.
    pub unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Prepared {
        let device = self.device;
        let label = trace::on().map(|_| Label::Copy { bytes: size });
        // SAFETY: valid until the command is over, by this function's contract.
        if let Some(job) = unsafe { device.real().copy_later(to, from, size) } {
            return self.on_device(Work::Deferred(job), label);
        }
        let (to, from) = (Address(to), Address(from.cast_mut()));
        let work = Box::new(move || {
            // The whole wrappers move in, not their pointers.
            let (to, from) = (to, from);
            // SAFETY: valid by the contract of `copy`.
            unsafe { device.real().copy(to.0, from.0.cast_const(), size) }
        });
        self.on_device(if size <= BRIEF { Work::Brief(work) } else { Work::Once(work) }, label)
    }

    /// Repeats `pattern` `count` times.
    ///
    /// # Safety
    /// `to` is valid for `pattern.len() * count` bytes when the command runs.
    pub unsafe fn fill(&self, to: *mut u8, pattern: Vec<u8>, count: usize) -> Prepared {
        let device = self.device;
        let size = pattern.len().saturating_mul(count);
        let label = trace::on().map(|_| Label::Fill { bytes: size });
        // SAFETY: valid until the command is over, by this function's contract.
        if let Some(job) = unsafe { device.real().fill_later(to, &pattern, count) } {
            return self.on_device(Work::Deferred(job), label);
        }
        let to = Address(to);
        let work = Box::new(move || {
            let to = to;
            // SAFETY: valid by the contract of `fill`.
            unsafe { device.real().fill(to.0, &pattern, count) }
        });
        self.on_device(if size <= BRIEF { Work::Brief(work) } else { Work::Once(work) }, label)
    }

    /// Runs a function of the host.
    pub fn host_task(&self, task: impl FnOnce() -> Result<()> + Send + 'static) -> Prepared {
        self.prepared(Work::Once(Box::new(task)), Place::Host, trace::on().map(|_| Label::HostTask))
    }

    /// The same of a task that is dropped with what it has captured before its command is complete, unless that waits for something.
    pub fn host_task_of(&self, task: impl FnMut() -> Result<()> + Send + 'static) -> Prepared {
        self.prepared(Work::Task(Box::new(task)), Place::Host, trace::on().map(|_| Label::HostTask))
    }

    /// A command that only waits.
    pub fn nothing(&self) -> Prepared {
        self.prepared(Work::Nothing, Place::Nowhere, trace::on().map(|_| Label::Barrier))
    }

    /// A kernel, copy or fill of this queue's device.
    pub(crate) fn on_device(&self, work: Work, label: Option<Label>) -> Prepared {
        self.prepared(work, Place::On(self.device), label)
    }

    fn prepared(&self, work: Work, place: Place, label: Option<Label>) -> Prepared {
        let mut command = Command::unshared(&self.pool, work);
        command.errors = Some(self.errors.clone());
        command.times = self.profiling.then(Box::default);
        command.traced = label.zip(trace::on()).map(|(label, trace)| trace.command(label, self.number, &self.device.real().facts().name));
        lock(&command.inner).place = place;
        Prepared(Arc::new(command))
    }

    /// Hands a command of this queue to the device; returns before it runs.
    ///
    /// # Errors
    /// Only if there are no threads to run commands.
    pub fn submit(&self, prepared: Prepared, after: Dependencies) -> Result<Event> {
        self.enter(prepared, after, false)
    }

    /// A command of nothing that every later one waits for. It waits for its events or, without any, for every command so far.
    ///
    /// # Errors
    /// As [`Queue::submit`].
    pub fn barrier(&self, after: Dependencies) -> Result<Event> {
        self.enter(self.nothing(), after, true)
    }

    /// Hands the parts of one command to the device, at least one: each waits for the one before, and no other command that uses the queue or the
    /// buffers comes in between. The events of the parts; the last one's is that of the command.
    ///
    /// # Errors
    /// As [`Queue::submit`]; then none of them runs.
    pub fn submit_parts(&self, parts: Vec<Prepared>, after: Dependencies) -> Result<Vec<Event>> {
        let parts: SmallVec<[Arc<Command>; 1]> = parts.into_iter().map(|Prepared(part)| part).collect();
        self.enter_all(&parts, after, false)?;
        Ok(parts.into_iter().map(Event::new).collect())
    }

    fn enter(&self, Prepared(command): Prepared, after: Dependencies, is_barrier: bool) -> Result<Event> {
        let command = [command];
        self.enter_all(&command, after, is_barrier)?;
        let [command] = command;
        Ok(Event::new(command))
    }

    fn enter_all(&self, parts: &[Arc<Command>], after: Dependencies, is_barrier: bool) -> Result<()> {
        let Some(first) = parts.first() else { return Ok(()) };
        self.pool.start()?;
        let on_host = |part: &Arc<Command>| matches!(lock(&part.inner).place, Place::Host);
        if !after.on_device.is_empty() && parts.iter().any(on_host) {
            for buffer in &after.on_device {
                buffer.prepare_native(self.device, self.native_context(), self.native())?;
            }
        }
        let marker = self.native.get().filter(|bound| bound.follows).map(|bound| bound.queue.marker()).transpose()?;
        let marker = marker.map(|marker| Event::of_native(&self.pool, vec![marker]));
        let buffers = merged(after.buffers);
        let _slices: SmallVec<[_; 1]> = parts.iter().map(|part| self.get_ready(part, &buffers)).collect();
        for event in after.events.iter().chain(&marker) {
            first.wait_for(&event.command);
        }
        for pair in parts.windows(2) {
            pair[1].wait_for(&pair[0]);
        }
        let waits_for_all = is_barrier && after.events.is_empty();
        let hazards = self.in_order || is_barrier || !buffers.is_empty();
        let guard = hazards.then(order);
        for part in parts {
            self.take_place(part, &buffers, &after.on_device, is_barrier, waits_for_all);
        }
        drop(guard);
        // Outside the lock: a command of nothing completes here, with all that follows from it.
        parts.iter().for_each(|part| part.submit());
        Ok(())
    }

    /// All that a command needs but its place among others; what comes back is told when it is dropped.
    fn get_ready<'c>(&self, command: &'c Arc<Command>, buffers: &[(Arc<Buffer>, Access)]) -> impl Sized + use<'c> {
        if let Some(times) = &command.times {
            times.submit.store(now(), Ordering::Relaxed);
        }
        let slice = command.slice(trace::SUBMIT);
        if command.chain.is_some() {
            at_exit::waits_for(command);
        }
        {
            let mut inner = lock(&command.inner);
            inner.holds = buffers.iter().map(|(buffer, _)| buffer.clone() as Arc<dyn Send + Sync>).collect();
            inner.opens = guarded::is_on().then(|| opening(buffers));
        }
        // What follows in the queue is behind it anyway; of buffers it is not known who follows.
        if self.in_order && buffers.is_empty() {
            command.is_only_asked_by_event();
        }
        slice
    }

    /// Writes it down as the last user of its buffers and its queue, behind those that were. Under the lock of [`order`], if it has such.
    fn take_place(
        &self,
        command: &Arc<Command>,
        buffers: &[(Arc<Buffer>, Access)],
        on_device: &[Arc<Buffer>],
        is_barrier: bool,
        waits_for_all: bool,
    ) {
        let place = lock(&command.inner).place;
        let context = self.native_context();
        let place_of = |buffer: &Arc<Buffer>| match place {
            Place::Host if on_device.iter().any(|own| Arc::ptr_eq(own, buffer)) => Place::Native(self.device, context),
            place => place,
        };
        // Here: a command of another thread that stands before it may be the first for which there is a copy.
        let brings = bringing(buffers, place_of);
        lock(&command.inner).before = brings;
        let mut before = Few::new();
        for (buffer, access) in buffers {
            buffer.blockers(*access, &mut before);
        }
        let mut submitted = lock(&self.submitted);
        if self.in_order {
            submitted.commands.drain(..).for_each(|command| before.push(command));
        } else if waits_for_all {
            before.extend(submitted.commands.iter().cloned());
        }
        submitted.barrier.take_if(|barrier| barrier.is_complete());
        before.extend(submitted.barrier.clone());
        submitted.add(command.clone());
        if is_barrier {
            submitted.barrier = Some(command.clone());
        }
        drop(submitted);
        for blocker in &before {
            command.wait_for(blocker);
        }
        for (buffer, access) in buffers {
            buffer.record(*access, command);
        }
    }
}

impl Prepared {
    /// A handle of it, which holds it until [`Prepared::from_handle`].
    pub fn into_handle(self) -> *const Command {
        Arc::into_raw(self.0)
    }

    /// What a handle is of.
    ///
    /// # Safety
    /// The handle is of [`Prepared::into_handle`], and given up by this.
    pub unsafe fn from_handle(handle: *const Command) -> Prepared {
        // SAFETY: by this function's contract.
        Prepared(unsafe { Arc::from_raw(handle) })
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

impl Submitted {
    fn add(&mut self, command: Arc<Command>) {
        if self.commands.len() >= self.prune_at {
            self.commands.retain(|command| !command.is_complete());
            self.prune_at = (self.commands.len() * 2).max(64);
        }
        self.commands.push(command);
    }
}

/// An address that travels to another thread.
struct Address(*mut u8);

// SAFETY: the pointer is only carried; the contracts of `copy` and `fill` make its use valid on any thread.
unsafe impl Send for Address {}

/// The points in time that a profiled event knows (`aspen_profiling_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Moment {
    /// It was submitted.
    Submit = 0,
    /// It began.
    Start = 1,
    /// It was complete.
    End = 2,
}

/// An event: a command seen from outside.
#[derive(Clone)]
pub struct Event {
    pub(crate) command: Arc<Command>,
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event").field("command", &self.command).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("follows", &self.follows).finish_non_exhaustive()
    }
}

impl Event {
    /// An event that is complete already: a default-constructed `sycl::event`.
    pub fn complete() -> Event {
        Event::new(Command::completed())
    }

    pub(crate) fn new(command: Arc<Command>) -> Event {
        Event { command }
    }

    /// A handle of it, which holds it until [`Event::from_handle`] makes an event of it again.
    pub fn into_handle(self) -> *const Command {
        Arc::into_raw(self.command)
    }

    /// The event of a handle.
    ///
    /// # Safety
    /// The handle is of [`Event::into_handle`], and given up by this unless what comes back is forgotten.
    pub unsafe fn from_handle(handle: *const Command) -> Event {
        // SAFETY: by this function's contract.
        Event::new(unsafe { Arc::from_raw(handle) })
    }

    /// One more of the program's parts holds it, and may ask for it alone. Whoever submits has it first.
    pub fn ask(&self) {
        self.command.ask();
    }

    /// One of those gives it up.
    pub fn let_go(&self) {
        self.command.let_go();
    }

    /// Its status.
    pub fn status(&self) -> Status {
        match self.command.status() {
            Status::Running if self.command.of.get().is_some_and(|of| !of.iter().any(|event| event.has_begun())) => Status::Submitted,
            status => status,
        }
    }

    /// Returns when it is complete.
    pub fn wait(&self) {
        self.command.wait();
    }

    /// Nanoseconds of a steady clock. Of what the host's threads run, the submission is known at once, and the start when it has begun;
    /// all else waits for the event: a device's own clock tells when its commands are over, and the submission is told by it, too.
    ///
    /// # Errors
    /// [`Code::Invalid`] if its queue does not profile, at once.
    pub fn profiling(&self, moment: Moment) -> Result<u64> {
        let Some(parts) = self.command.times().and_then(|times| times.parts.get()) else { return self.own_times(moment) };
        let others = parts.others.iter().map(|command| Event { command: command.clone() }.profiling(moment));
        let own = parts.own.then(|| self.own_times(moment));
        let all = others.chain(own).collect::<Result<Vec<u64>>>()?;
        let time = if moment == Moment::End { all.iter().max() } else { all.iter().min() };
        time.map_or_else(|| self.own_times(moment), |time| Ok(*time))
    }

    /// Makes its times those of these commands, of which it may be one. Only the first call counts, and only of a queue that profiles.
    pub fn set_parts(&self, parts: &[&Event]) {
        let Some(times) = self.command.times() else { return };
        let (own, others): (Vec<_>, Vec<_>) = parts.iter().map(|part| &part.command).partition(|part| Arc::ptr_eq(part, &self.command));
        let _first = times.parts.set(Parts { others: others.into_iter().cloned().collect(), own: !own.is_empty() });
    }

    fn own_times(&self, moment: Moment) -> Result<u64> {
        let is_native = self.command.of.get().is_some();
        match moment {
            _ if self.command.times().is_none() && !is_native => {}
            Moment::Submit if self.command.is_of_the_host() && !is_native => {}
            Moment::Start if self.command.is_of_the_host() && !is_native => self.command.wait_started(),
            _ => self.wait(),
        }
        if let Some(times) = self.command.of.get().and_then(|of| of.last()?.times()) {
            return Ok(match moment {
                Moment::Submit => times.queued,
                Moment::Start => times.start,
                Moment::End => times.end,
            });
        }
        let times: &Times = self.command.times().ok_or_else(|| {
            Error::new(Code::Invalid, "this event has no times: its queue was made without property::queue::enable_profiling")
        })?;
        let time = match moment {
            Moment::Submit => &times.submit,
            Moment::Start => &times.start,
            Moment::End => &times.end,
        };
        Ok(time.load(std::sync::atomic::Ordering::Acquire))
    }
}
