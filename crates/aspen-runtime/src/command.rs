//! Commands and the graph they form.
//!
//! A command waits for others (its *blockers*), becomes ready, is claimed by exactly one thread, and completes. Kernels are cut into
//! chunks that further threads may join. Waiting threads help: they run what they wait for if nobody has begun it, join its chunks, or
//! go down to one of its blockers; only when somebody else runs the thing do they sleep. So a wait inside a host task cannot starve the
//! pool, and a launch followed by a wait needs no switch of threads.
//!
//! Work for a device's own queue (`in_flight`) needs no thread: its command is enqueued as soon as those it waits for are complete or
//! are in flight in the same queue, and completes when the driver says so.
//!
//! Memory: a completed command keeps neither its work nor its blockers nor its successors, so chains of any length stay short in memory.

use std::mem;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use crate::async_errors::AsyncErrors;
use crate::backend::{Deferred, DeviceEvent, Job, Task};
use crate::before::{Before, Opened};
use crate::buffer::Place;
use crate::captured;
use crate::error::{Result, guarded};
use crate::few::{Few, add};
use crate::in_flight::InFlight;
use crate::native::Shown;
use crate::pool::{Pool, Ticket, serves, waiting};
use crate::retired::Using;
use crate::running::Running;
use crate::self_wait::{Itself, Patience, Thread};
use crate::times::nanoseconds;
pub(crate) use crate::times::{Times, now};
use crate::trace::Traced;

pub(crate) const PENDING: u8 = 0;
pub(crate) const READY: u8 = 1;
const RUNNING: u8 = 2;
const COMPLETE: u8 = 3;

/// Nanoseconds of work that are worth waking a thread for; waking costs about two microseconds, and the thread comes late.
const WORTH_WAKING: u64 = 10_000;

/// How long a thread stays with a kernel while others wait for a thread: much more than handing over costs.
const SLICE: Duration = Duration::from_millis(1);

/// The status of a command (`aspen_event_status_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Status {
    /// Not begun.
    Submitted = 0,
    /// Begun.
    Running = 1,
    /// Done, with or without an error.
    Complete = 2,
}

/// What a command does.
pub(crate) enum Work {
    /// Nothing: it completes as soon as it may begin.
    Nothing,
    /// One call on one thread.
    Once(Box<dyn FnOnce() -> Result<()> + Send>),
    /// The same, whose captures are dropped behind it.
    Task(Box<dyn FnMut() -> Result<()> + Send>),
    /// One call that takes less time than waking a thread: if it waits for nothing, it is over before its submission is. So a program may
    /// copy from a variable that ends with the statement, as with CUDA's copies of pageable memory up to 64 KiB.
    Brief(Box<dyn FnOnce() -> Result<()> + Send>),
    /// A kernel that threads of the pool run.
    Kernel(Box<dyn Job>),
    /// A kernel, copy or fill for a device's own queue.
    Deferred(Arc<dyn Deferred>),
    /// Something outside, which ends by [`Command::finish_external`]; of a host accessor, the thread that made it.
    External(Option<Thread>),
}

impl From<Task> for Work {
    fn from(task: Task) -> Work {
        match task {
            Task::Job(job) => Work::Kernel(job),
            Task::Deferred(deferred) => Work::Deferred(deferred),
        }
    }
}

/// A command, and the event of it.
pub struct Command {
    pub(crate) pool: Arc<Pool>,
    pub(crate) state: AtomicU8,
    /// Unfinished blockers, and one more until the submission is over.
    missing: AtomicUsize,
    waiters: AtomicU32,
    /// How many may ask for it alone; one more of commands for which that always counts.
    pub(crate) askers: AtomicUsize,
    changed: Condvar,
    pub(crate) errors: Option<Arc<AsyncErrors>>,
    pub(crate) times: Option<Box<Times>>,
    pub(crate) traced: Option<Box<Traced>>,
    /// The queue of a device that its work is for. Source: [`crate::backend::Deferred::chain`].
    pub(crate) chain: Option<usize>,
    pub(crate) shown: Shown,
    /// The events of a backend's own interface that it stands for.
    pub(crate) of: OnceLock<Box<[Arc<dyn DeviceEvent>]>>,
    pub(crate) inner: Mutex<Inner>,
}

pub(crate) struct Inner {
    pub(crate) work: Option<Work>,
    /// Where the work expects its buffers.
    pub(crate) place: Place,
    pub(crate) before: Option<Box<dyn Before>>,
    running: Option<Arc<Running>>,
    pub(crate) blockers: Few<Command>,
    successors: Few<Command>,
    /// Successors for the same device's queue, which wait until this one is in flight.
    pub(crate) chained: Few<Command>,
    /// Events of blockers in flight, which the device waits for.
    pub(crate) after: Few<dyn DeviceEvent>,
    pub(crate) in_flight: Option<InFlight>,
    /// The event of work that is over before the command is complete: successors in the device's queue need no more.
    pub(crate) gone: Option<Arc<dyn DeviceEvent>>,
    /// Whether a blocker failed, so that the device did not begin it.
    pub(crate) again: bool,
    /// What must live until the command is complete (buffers).
    pub(crate) holds: Vec<Arc<dyn Send + Sync>>,
    /// What may be accessed while it runs, where that is checked.
    pub(crate) opens: Option<Box<dyn Opened>>,
    /// Whether that is open.
    open: bool,
    /// It may use memory that is freed.
    using: Option<Using>,
    /// The thread that runs its call of the host.
    caller: Option<Thread>,
}

/// Locks in spite of poison: no critical section of the runtime leaves its data in disorder.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Command {
    /// A command that is not yet part of the graph; [`Command::submit`] makes it so.
    pub(crate) fn new(pool: &Arc<Pool>, work: Work) -> Arc<Command> {
        Arc::new(Command::unshared(pool, work))
    }

    /// The same, for who has more to say of it.
    pub(crate) fn unshared(pool: &Arc<Pool>, work: Work) -> Command {
        let chain = if let Work::Deferred(job) = &work { Some(job.chain()) } else { None };
        let using = matches!(work, Work::Once(_) | Work::Task(_) | Work::Brief(_) | Work::Kernel(_)).then(Using::new);
        let inner = Inner {
            work: Some(work),
            using,
            place: Place::Nowhere,
            before: None,
            running: None,
            blockers: Few::new(),
            successors: Few::new(),
            chained: Few::new(),
            after: Few::new(),
            in_flight: None,
            gone: None,
            again: false,
            holds: Vec::new(),
            opens: None,
            open: false,
            caller: None,
        };
        Command {
            pool: pool.clone(),
            state: AtomicU8::new(PENDING),
            missing: AtomicUsize::new(1),
            waiters: AtomicU32::new(0),
            askers: AtomicUsize::new(2),
            changed: Condvar::new(),
            errors: None,
            times: None,
            traced: None,
            chain,
            shown: Shown::default(),
            of: OnceLock::new(),
            inner: Mutex::new(inner),
        }
    }

    /// A command that is complete already.
    pub(crate) fn completed() -> Arc<Command> {
        // It never runs, so a pool without threads of its own serves.
        static NO_POOL: OnceLock<Arc<Pool>> = OnceLock::new();
        let pool = NO_POOL.get_or_init(|| Pool::new(1));
        let command = Command::new(pool, Work::Nothing);
        lock(&command.inner).work = None;
        command.state.store(COMPLETE, Ordering::Release);
        command
    }

    /// Makes it wait for `blocker` if that is not complete. Only before [`Command::submit`].
    pub(crate) fn wait_for(self: &Arc<Self>, blocker: &Arc<Command>) {
        if blocker.is_complete() || Arc::ptr_eq(self, blocker) {
            return;
        }
        self.trace_after(blocker);
        let mut inner = lock(&blocker.inner);
        if blocker.is_complete() {
            return;
        }
        let chained = self.chain.is_some() && self.chain == blocker.chain;
        let event = inner.in_flight.as_ref().map(|in_flight| &in_flight.event).or(inner.gone.as_ref()).filter(|_| chained).cloned();
        if event.is_none() {
            // Counted before the blocker can know of it: it may complete as soon as the lock is gone, and would take the submission's count.
            self.missing.fetch_add(1, Ordering::Relaxed);
            let list = if chained { &mut inner.chained } else { &mut inner.successors };
            list.push(self.clone());
        }
        drop(inner);
        let mut own = lock(&self.inner);
        own.after.extend(event);
        own.blockers.push(blocker.clone());
    }

    /// Ends the submission: from now on the command runs when its blockers are complete.
    pub(crate) fn submit(self: &Arc<Self>) {
        release(Few::from_iter([self.clone()]), true);
    }

    /// Whether it is complete.
    pub fn is_complete(&self) -> bool {
        self.state.load(Ordering::Acquire) == COMPLETE
    }

    /// Its status.
    pub fn status(&self) -> Status {
        match self.state.load(Ordering::Acquire) {
            PENDING | READY => Status::Submitted,
            RUNNING => {
                let event = lock(&self.inner).in_flight.as_ref().map(|in_flight| in_flight.event.clone());
                match event {
                    Some(event) if event.is_over() => Status::Complete,
                    Some(event) if !event.has_begun() => Status::Submitted,
                    _ => Status::Running,
                }
            }
            _ => Status::Complete,
        }
    }

    pub(crate) fn times(&self) -> Option<&Times> {
        self.times.as_deref()
    }

    /// Runs it if nobody has begun it.
    pub(crate) fn run(self: &Arc<Self>) {
        release(self.begin(), true);
    }

    /// Runs it, or puts it into a device's queue, if nobody has begun it. Returns the commands that may follow it in that queue, for
    /// [`release`]: chains may be longer than the stack.
    fn begin(self: &Arc<Self>) -> Few<Command> {
        match self.state.compare_exchange(READY, RUNNING, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => self.begun(),
            Err(_) => Few::new(),
        }
    }

    /// The rest of [`Command::begin`], for the one thread that made it RUNNING.
    fn begun(self: &Arc<Self>) -> Few<Command> {
        if let Some(times) = &self.times {
            times.start.store(now(), Ordering::SeqCst);
            self.notify();
        }
        self.trace_begin();
        let (work, before, mut after) = {
            let mut inner = lock(&self.inner);
            if !mem::replace(&mut inner.open, true) {
                inner.opens.iter().for_each(|opens| opens.open());
            }
            inner.caller = matches!(inner.work, Some(Work::Once(_) | Work::Task(_))).then(Thread::current);
            (inner.work.take(), inner.before.take(), mem::take(&mut inner.after))
        };
        if !after.is_empty() && before.as_ref().is_some_and(|before| !before.is_quick()) {
            // For the commands, not the events: one that the driver did not begin runs again.
            self.wait_for_blockers();
            after.clear();
        }
        let bring = |before: &dyn Before| {
            let _slice = self.slice("buffers");
            guarded(|| before.run())
        };
        let ahead = before.as_ref().filter(|_| self.chain.is_some()).map_or_else(SmallVec::new, |before| before.ahead());
        if let Some(Err(error)) = before.as_deref().filter(|_| ahead.is_empty()).map(bring) {
            self.wait_for_blockers();
            self.report(Err(error));
            drop(work);
            self.complete();
            return Few::new();
        }
        match work {
            None | Some(Work::Nothing | Work::External(_)) => self.complete(),
            Some(Work::Once(call) | Work::Brief(call)) => {
                let slice = self.slice("host");
                self.report(guarded(call));
                drop(slice);
                self.complete();
            }
            Some(Work::Task(mut task)) => {
                let slice = self.slice("host");
                self.report(self.pool.host_task(|| guarded(&mut task)));
                drop(slice);
                captured::end(self.clone(), task);
            }
            Some(Work::Kernel(job)) => self.run_kernel(job),
            Some(Work::Deferred(job)) => return self.enqueue(job, after, before.as_deref().zip(Some(ahead))),
        }
        Few::new()
    }

    fn run_kernel(self: &Arc<Self>, job: Box<dyn Job>) {
        let chunks = job.chunks();
        let most = chunks.saturating_sub(1).min(self.pool.threads() - 1);
        let helpers = match job.expected_ns() {
            Some(ns) if !job.needs_threads() => most.min(usize::try_from(ns / WORTH_WAKING).unwrap_or(usize::MAX)),
            Some(_) | None => most,
        };
        // Whoever serves others too may leave a kernel that takes long between chunks.
        let may_leave = || chunks > 1 && serves() && job.expected_ns().is_none_or(|ns| u128::from(ns) > SLICE.as_nanos());
        if helpers == 0 && !may_leave() {
            let begin = Instant::now();
            self.trace_alone();
            self.report(guarded(|| (0..chunks).try_for_each(|chunk| job.run(chunk))));
            job.took_ns(nanoseconds(begin));
            drop(job);
            return self.complete();
        }
        let running = Arc::new(Running::new(job, helpers));
        lock(&self.inner).running = Some(running.clone());
        self.join(&running);
    }

    /// Takes chunks until none is left, or others want the thread. Does nothing where as many threads as may are with it.
    pub(crate) fn join(self: &Arc<Self>, running: &Arc<Running>) {
        if !running.enter() {
            return;
        }
        let mut first = true;
        let mut slice = self.slice("items");
        // Groups that wait for each other need the threads that they have.
        let begin = (serves() && !running.job.needs_threads()).then(Instant::now);
        let home = running.chunks.home();
        loop {
            if begin.is_some_and(|begin| self.pool.is_wanted() && begin.elapsed() > SLICE) {
                running.chunks.leave(home);
                running.leave();
                self.notify();
                return self.pool.push(Ticket::Join(self.clone(), running.clone()));
            }
            let Some(chunk) = running.chunks.take(home) else {
                // Whoever finds nothing left has done nothing.
                if first && let Some(slice) = &mut slice {
                    slice.forget();
                }
                return;
            };
            if mem::take(&mut first) {
                self.call_helper(running);
            }
            if self.run_chunk(running, chunk) {
                running.job.took_ns(running.busy.load(Ordering::Relaxed));
                return self.complete();
            }
        }
    }

    fn call_helper(self: &Arc<Self>, running: &Arc<Running>) {
        if running.may_help() {
            self.pool.push_first(Ticket::Join(self.clone(), running.clone()));
        }
    }

    /// Whether this was the last chunk to finish.
    fn run_chunk(&self, running: &Running, chunk: usize) -> bool {
        if !running.failed.load(Ordering::Relaxed) {
            let begin = Instant::now();
            let result = guarded(|| running.job.run(chunk));
            running.busy.fetch_add(nanoseconds(begin), Ordering::Relaxed);
            // One error a launch: what follows from it would only repeat it.
            if result.is_err() && !running.failed.swap(true, Ordering::Relaxed) {
                self.report(result);
            }
        }
        running.finished.fetch_add(1, Ordering::AcqRel) + 1 == running.count
    }

    pub(crate) fn report(&self, result: Result<()>) {
        if let (Err(error), Some(errors)) = (result, &self.errors) {
            errors.push(error);
        }
    }

    /// Returns when a command of [`Work::External`] has begun. Its blockers may be complete a moment before it is told so, and it must not
    /// be ended in between.
    pub(crate) fn wait_begun(&self) {
        captured::complete_what_ends();
        self.sleep_while(|state, _| state == PENDING);
    }

    /// Ends a command of [`Work::External`] that has begun.
    pub(crate) fn finish_external(self: &Arc<Self>) {
        self.complete();
    }

    pub(crate) fn complete(self: &Arc<Self>) {
        release(self.finish(), false);
    }

    /// Marks it complete and returns its successors.
    fn finish(&self) -> Few<Command> {
        if let Some(times) = &self.times {
            let end = now();
            // Of work on a device it is known already.
            let _ended = times.end.compare_exchange(0, end, Ordering::Relaxed, Ordering::Relaxed);
            // A command of nothing begins when it ends.
            let _begun = times.start.compare_exchange(0, end, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.trace_end();
        let mut inner = lock(&self.inner);
        let running = inner.running.take();
        let holds = mem::take(&mut inner.holds);
        let opens = inner.opens.take();
        // Before anybody knows that the command is over.
        opens.iter().filter(|_| inner.open).for_each(|opens| opens.shut());
        let mut successors = mem::take(&mut inner.successors);
        add(&mut successors, mem::take(&mut inner.chained));
        inner.blockers = Few::new();
        let (gone, using) = (inner.gone.take(), inner.using.take());
        self.state.store(COMPLETE, Ordering::Release);
        drop(inner);
        self.notify();
        drop((running, holds, opens, gone, using));
        successors
    }

    /// Wakes waiting threads after a change of the state that was made, or is followed by a lock of, `inner`.
    pub(crate) fn notify(&self) {
        if self.waiters.load(Ordering::SeqCst) > 0 {
            drop(lock(&self.inner));
            self.changed.notify_all();
        }
    }

    /// Returns when the command is complete; helps meanwhile.
    pub fn wait(self: &Arc<Self>) {
        if !self.is_complete() {
            captured::complete_what_ends();
            waiting(|| self.help());
        }
    }

    fn help(self: &Arc<Self>) {
        let mut path = vec![self.clone()];
        while let Some(command) = path.last().cloned() {
            match command.state.load(Ordering::Acquire) {
                COMPLETE => {
                    path.pop();
                }
                READY => command.run(),
                RUNNING => {
                    let (running, event) = {
                        let inner = lock(&command.inner);
                        (inner.running.clone(), inner.in_flight.as_ref().map(|in_flight| in_flight.event.clone()))
                    };
                    if let Some(event) = event {
                        command.over(&event, event.wait());
                    } else if let Some(running) = running.filter(|running| running.wants_waiter()) {
                        command.join(&running);
                    }
                    let was_left = |inner: &Inner| inner.running.as_ref().is_some_and(|running| running.was_left());
                    command.sleep_while(|state, inner| state == RUNNING && inner.in_flight.is_none() && !was_left(inner));
                }
                _ => match command.unfinished_blocker() {
                    Some(blocker) => path.push(blocker),
                    None => command.sleep_while(|state, inner| state == PENDING && inner.blockers.is_empty()),
                },
            }
        }
    }

    /// Returns when all it waits for is complete.
    pub(crate) fn wait_for_blockers(&self) {
        while let Some(blocker) = self.unfinished_blocker() {
            blocker.wait();
        }
    }

    /// Whether nothing that takes long comes before its work.
    fn is_quick(&self) -> bool {
        let inner = lock(&self.inner);
        !inner.again && inner.before.as_ref().is_none_or(|before| before.is_quick())
    }

    /// Whether its work, which follows none in its device's queue, is better put there by a thread of the pool: several threads get many small
    /// kernels there faster than one, and there is room for its ticket.
    fn is_for_another_thread(&self) -> bool {
        let inner = lock(&self.inner);
        matches!(&inner.work, Some(Work::Deferred(job)) if inner.after.is_empty() && self.pool.has_room() && job.is_busy())
    }

    pub(crate) fn unfinished_blocker(&self) -> Option<Arc<Command>> {
        let mut inner = lock(&self.inner);
        while inner.blockers.last().is_some_and(|blocker| blocker.is_complete()) {
            inner.blockers.pop();
        }
        inner.blockers.last().cloned()
    }

    pub(crate) fn sleep_while(&self, mut asleep: impl FnMut(u8, &Inner) -> bool) {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        let mut inner = lock(&self.inner);
        let own = Some(Thread::current());
        let waits_for_itself = match inner.work {
            _ if self.state.load(Ordering::SeqCst) != RUNNING => None,
            Some(Work::External(by)) if by == own => Some(Itself::HostAccessor),
            _ => (inner.caller == own).then_some(Itself::HostTask),
        };
        let mut patience = Patience::new(waits_for_itself);
        while asleep(self.state.load(Ordering::SeqCst), &inner) {
            inner = patience.wait(&self.changed, inner);
        }
        drop(inner);
        self.waiters.fetch_sub(1, Ordering::SeqCst);
    }

    /// The same, but no longer than that.
    pub(crate) fn sleep_at_most(&self, time: Option<Duration>, mut asleep: impl FnMut(u8, &Inner) -> bool) {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        let inner = lock(&self.inner);
        let asleep = |inner: &mut Inner| asleep(self.state.load(Ordering::SeqCst), inner);
        let waited = self.changed.wait_timeout_while(inner, time.unwrap_or_default(), asleep);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.waiters.fetch_sub(1, Ordering::SeqCst);
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command").field("status", &self.status()).finish_non_exhaustive()
    }
}

/// Takes one count off each command, and makes those ready that wait for nothing more. A loop, since chains may be long. `here`: whether
/// work for a device's queue may be put there by this thread, which is no driver's.
pub(crate) fn release(mut commands: Few<Command>, here: bool) {
    while let Some(command) = commands.pop() {
        if command.missing.fetch_sub(1, Ordering::AcqRel) != 1 {
            continue;
        }
        let (kind, brief) = {
            let inner = lock(&command.inner);
            match inner.work {
                Some(Work::Nothing) => (READY, true),
                Some(Work::External(_)) => (RUNNING, false),
                Some(Work::Brief(_)) => (COMPLETE, true),
                Some(Work::Kernel(ref job)) => (COMPLETE, here && job.is_brief()),
                _ => (COMPLETE, false),
            }
        };
        match kind {
            READY => add(&mut commands, command.finish()),
            RUNNING => {
                command.state.store(RUNNING, Ordering::SeqCst);
                command.notify();
            }
            _ if here && brief && command.is_quick() => {
                // Never READY: another thread that waits for it could take it, and this one would return before it is over.
                command.state.store(RUNNING, Ordering::SeqCst);
                command.notify();
                add(&mut commands, command.begun());
            }
            _ => {
                command.state.store(READY, Ordering::SeqCst);
                command.notify();
                if here && command.chain.is_some() && command.is_quick() && !command.is_for_another_thread() {
                    add(&mut commands, command.begin());
                } else {
                    let pool = command.pool.clone();
                    pool.push(Ticket::Run(command));
                }
            }
        }
    }
}
