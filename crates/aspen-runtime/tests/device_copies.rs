//! Buffers on devices whose memory is not the host's: random programs over three devices give what running them one after another gives,
//! no copy outlives its buffer, and a driver that fails to copy is an error that does not lose the content. Two of the devices have queues of
//! their own, whose driver now and then says that it did not begin a command.

use std::alloc::{self, Layout};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use aspen_contract::Capabilities;
use aspen_runtime::backend::{Ahead, Deferred, DeviceEvent, DeviceTimes, Listener, Outcome, copy_on_host, fill_on_host};
use aspen_runtime::backend::{Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, Part, PlatformFacts, Program, RawDevice, UsmKind};
use aspen_runtime::buffer::{Access, Buffer, HostMemory};
use aspen_runtime::queue::{Dependencies, Queue};
use aspen_runtime::system::{Device, System};
use aspen_runtime::{Code, Environment, Error, Result};

/// A command in the queue of a [`Fake`]: over when its thread says so.
#[derive(Default)]
struct Late {
    outcome: Mutex<Option<Outcome>>,
    listeners: Mutex<Vec<Arc<dyn Listener>>>,
    over: Condvar,
}

impl DeviceEvent for Late {
    fn wait(&self) -> Outcome {
        let outcome = self.outcome.lock().expect("no test panics there");
        let outcome = self.over.wait_while(outcome, |outcome| outcome.is_none()).expect("no test panics there");
        outcome.clone().expect("waited for")
    }
    fn has_begun(&self) -> bool {
        false
    }
    /// Of those that were not begun: any, so that `enqueue` knows them.
    fn times(&self) -> Option<DeviceTimes> {
        let outcome = self.outcome.lock().expect("no test panics there");
        (*outcome == Some(Outcome::NotBegun)).then_some(DeviceTimes { queued: 0, start: 0, end: 0 })
    }
    fn when_over(self: Arc<Self>, listener: Arc<dyn Listener>) -> bool {
        let outcome = self.outcome.lock().expect("no test panics there");
        match &*outcome {
            // As some drivers do: the runtime has to wait.
            Some(_) => return false,
            None => self.listeners.lock().expect("no test panics there").push(listener),
        }
        true
    }
}

/// A copy or a fill in the queue of a [`Fake`].
struct Queued {
    seen: Arc<Seen>,
    to: usize,
    from: Vec<u8>,
    source: usize,
}

impl Queued {
    fn run(&self) {
        let (to, size) = (self.to as *mut u8, self.from.len());
        self.seen.late.fetch_add(1, Ordering::Relaxed);
        let from = if self.source == 0 { self.from.as_ptr() } else { self.source as *const u8 };
        // SAFETY: what the buffers that the command uses consist of.
        unsafe { copy_on_host(to, from, size) };
    }
}

struct LaterJob(Arc<Queued>);

impl Deferred for LaterJob {
    fn chain(&self) -> usize {
        Arc::as_ptr(&self.0.seen).addr()
    }
    fn enqueue(self: Arc<Self>, after: &[Arc<dyn DeviceEvent>], profile: bool) -> Result<Option<Arc<dyn DeviceEvent>>> {
        // SAFETY: no copies.
        unsafe { self.enqueue_behind(&[], after, profile) }
    }
    unsafe fn enqueue_behind(
        self: Arc<Self>,
        ahead: &[Ahead],
        after: &[Arc<dyn DeviceEvent>],
        _: bool,
    ) -> Result<Option<Arc<dyn DeviceEvent>>> {
        if !ahead.is_empty() && self.0.seen.fails.load(Ordering::Relaxed) {
            return Err(Error::new(Code::Runtime, "the driver fails"));
        }
        let ahead: Vec<[usize; 3]> = ahead.iter().map(|copy| [copy.to as usize, copy.from as usize, copy.size]).collect();
        self.0.seen.ahead.fetch_add(ahead.len(), Ordering::Relaxed);
        let bring = move || {
            for [to, from, size] in ahead {
                // SAFETY: by the contract.
                unsafe { copy_on_host(to as *mut u8, from as *const u8, size) };
            }
        };
        // As drivers do that look at once.
        let failed = |event: &Arc<dyn DeviceEvent>| !event.has_begun() && event.times().is_some();
        if after.iter().any(failed) {
            return Ok(None);
        }
        let (event, own, queued, after) = (Arc::new(Late::default()), self.0.clone(), self.0.clone(), after.to_vec());
        *own.seen.last_thread.lock().expect("no test panics there") = std::thread::current().name().map(str::to_owned);
        if own.seen.at_once.load(Ordering::Relaxed) {
            bring();
            queued.run();
            *event.outcome.lock().expect("no test panics there") = Some(Outcome::Done);
            return Ok(Some(event));
        }
        let late = event.clone();
        std::thread::spawn(move || {
            let begins = after.iter().filter(|event| event.wait() == Outcome::Done).count() == after.len();
            bring();
            let number = own.seen.late.load(Ordering::Relaxed);
            let outcome = if !begins || (!after.is_empty() && number.is_multiple_of(5)) { Outcome::NotBegun } else { Outcome::Done };
            if outcome == Outcome::Done {
                queued.run();
            } else {
                own.seen.late.fetch_add(1, Ordering::Relaxed);
            }
            *late.outcome.lock().expect("no test panics there") = Some(outcome.clone());
            late.over.notify_all();
            for listener in std::mem::take(&mut *late.listeners.lock().expect("no test panics there")) {
                listener.hear(late.clone(), outcome.clone());
            }
        });
        Ok(Some(event))
    }
    fn is_busy(&self) -> bool {
        let seen = &self.0.seen;
        seen.busy.load(Ordering::Relaxed) || (!seen.at_once.load(Ordering::Relaxed) && seen.late.load(Ordering::Relaxed) % 3 == 1)
    }
}

/// Bytes that devices with a queue bring ahead of jobs.
const MOST_AHEAD: usize = 512;

/// What the test sees of a device.
#[derive(Default)]
struct Seen {
    allocations: AtomicIsize,
    copies: AtomicUsize,
    /// Commands that went through a queue of the device's own.
    late: AtomicUsize,
    /// Copies in front of these, and behind.
    ahead: AtomicUsize,
    behind: AtomicUsize,
    /// Whether those are over when they are enqueued.
    at_once: AtomicBool,
    /// Whether the device always says that it has work already, and not now and then.
    busy: AtomicBool,
    /// Which thread enqueued the last command there.
    last_thread: Mutex<Option<String>>,
    fails: AtomicBool,
}

/// A device that shares the host's memory or has memory of its own.
struct Fake {
    shares: bool,
    has_queue: bool,
    facts: Facts,
    capabilities: Capabilities,
    seen: Arc<Seen>,
}

impl RawDevice for Fake {
    fn device_type(&self) -> DeviceType {
        DeviceType::Accelerator
    }
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn fit(&self, _: &DeviceImage<'_>) -> Option<Fit> {
        None
    }
    fn runs_sub_group_size(&self, _: u32) -> bool {
        false
    }
    fn load(&self, _: &[Part<'_>]) -> Result<Arc<dyn Program>> {
        Err(Error::new(Code::Build, "nothing is loaded here"))
    }
    fn allocate(&self, kind: UsmKind, layout: Layout) -> Result<NonNull<u8>> {
        assert_eq!(kind, UsmKind::Device);
        self.seen.allocations.fetch_add(1, Ordering::Relaxed);
        // SAFETY: buffers have at least one byte.
        let memory = NonNull::new(unsafe { alloc::alloc(layout) });
        let memory = memory.ok_or_else(|| Error::new(Code::MemoryAllocation, "there is none"))?;
        // What a fresh copy holds is never the content.
        // SAFETY: fresh memory of that size.
        unsafe { memory.write_bytes(0xDB, layout.size()) };
        Ok(memory)
    }
    unsafe fn free(&self, pointer: NonNull<u8>, layout: Layout) {
        self.seen.allocations.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: from `allocate`, by the contract.
        unsafe { alloc::dealloc(pointer.as_ptr(), layout) };
    }
    fn shares_host_memory(&self) -> bool {
        self.shares
    }
    fn most_ahead(&self) -> usize {
        if self.has_queue { MOST_AHEAD } else { 0 }
    }
    unsafe fn copy_behind(&self, event: &Arc<dyn DeviceEvent>, to: *mut u8, from: *const u8, size: usize) -> Option<Result<()>> {
        assert!(size <= MOST_AHEAD);
        if event.wait() != Outcome::Done {
            return None;
        }
        self.seen.behind.fetch_add(1, Ordering::Relaxed);
        // SAFETY: by the contract of `copy`.
        Some(unsafe { self.copy(to, from, size) })
    }
    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        if self.seen.fails.load(Ordering::Relaxed) {
            return Err(Error::new(Code::Runtime, "the driver fails"));
        }
        self.seen.copies.fetch_add(1, Ordering::Relaxed);
        // SAFETY: by the contract; all memory is the host's in truth.
        unsafe { copy_on_host(to, from, size) };
        Ok(())
    }
    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        // SAFETY: by the contract.
        unsafe { fill_on_host(to, pattern, count) };
        Ok(())
    }
    unsafe fn copy_later(&self, to: *mut u8, from: *const u8, size: usize) -> Option<Arc<dyn Deferred>> {
        let queued = Queued { seen: self.seen.clone(), to: to as usize, from: vec![0; size], source: from as usize };
        self.has_queue.then(|| Arc::new(LaterJob(Arc::new(queued))) as Arc<dyn Deferred>)
    }
    unsafe fn fill_later(&self, to: *mut u8, pattern: &[u8], count: usize) -> Option<Arc<dyn Deferred>> {
        let queued = Queued { seen: self.seen.clone(), to: to as usize, from: pattern.repeat(count), source: 0 };
        self.has_queue.then(|| Arc::new(LaterJob(Arc::new(queued))) as Arc<dyn Deferred>)
    }
}

struct Fakes {
    kind: BackendKind,
    /// Whether it shares the host's memory, and whether it has a queue of its own.
    devices: Vec<(bool, bool, Arc<Seen>)>,
}

impl Backend for Fakes {
    fn kind(&self) -> BackendKind {
        self.kind
    }
    fn platform(&self) -> PlatformFacts {
        PlatformFacts::default()
    }
    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        let device = |(shares, has_queue, seen): &(bool, bool, Arc<Seen>)| -> Arc<dyn RawDevice> {
            let facts = Facts { name: "fake".into(), ..Facts::default() };
            let (capabilities, seen) = (Capabilities::default(), seen.clone());
            Arc::new(Fake { shares: *shares, has_queue: *has_queue, facts, capabilities, seen })
        };
        self.devices.iter().map(device).collect()
    }
}

/// Two devices apart, on two platforms of one backend, and one that shares the host's memory.
fn system(threads: usize, queues: bool) -> (&'static System, Vec<&'static Device>, [Arc<Seen>; 2]) {
    let seen: [Arc<Seen>; 2] = Default::default();
    let platform = |kind, shares, has_queue, seen: &Arc<Seen>| -> Box<dyn Backend> {
        Box::new(Fakes { kind, devices: vec![(shares, has_queue, seen.clone())] })
    };
    let backends = [
        platform(BackendKind::OpenCl, false, queues, &seen[0]),
        platform(BackendKind::OpenCl, false, false, &seen[1]),
        platform(BackendKind::Cuda, true, queues, &Arc::default()),
    ];
    let environment = Environment { threads: Some(threads), ..Environment::default() };
    let system = System::start(&backends, environment).expect("nothing in the environment is wrong");
    let devices = system.platforms().iter().flat_map(|platform| platform.devices()).copied().collect();
    (system, devices, seen)
}

#[test]
fn devices_are_numbered_through_the_platforms_of_a_backend() {
    let (_, devices, _) = system(1, false);
    let names: Vec<&str> = devices.iter().map(|device| device.selector_name()).collect();
    assert_eq!(names, ["opencl:0", "opencl:1", "cuda:0"]);
}

/// A small generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn buffers(system: &System, count: usize) -> Vec<Arc<Buffer>> {
    // SAFETY: no host memory is given.
    (0..count).map(|_| unsafe { Buffer::create(system.pool(), 8, 8, std::ptr::null_mut(), HostMemory::Copied) }.expect("memory")).collect()
}

fn uses(list: &[(&Arc<Buffer>, Access)]) -> Dependencies {
    Dependencies { buffers: list.iter().map(|(buffer, access)| ((*buffer).clone(), *access)).collect(), ..Dependencies::default() }
}

fn read(buffer: &Arc<Buffer>) -> Result<u64> {
    let address = buffer.begin_host_access(Access::Read)?;
    // SAFETY: eight bytes, aligned, and nobody writes during the access.
    let value = unsafe { address.cast::<u64>().read() };
    buffer.end_host_access(Access::Read);
    Ok(value)
}

#[test]
fn content_is_where_commands_look_for_it() {
    for (threads, has_queue) in [(1, false), (2, false), (16, false), (1, true), (2, true), (16, true)] {
        let (system, devices, seen) = system(threads, has_queue);
        let queues: Vec<Queue> = devices.iter().map(|device| Queue::new(device, system.pool(), false, false)).collect();
        for seed in 0..20 {
            let mut random = Random(seed);
            let buffers = buffers(system, 4);
            let mut naive = [0_u64; 4];
            for plus in 0..300_u64 {
                let (to, from, which) = (random.below(4) as usize, random.below(4) as usize, random.below(3) as usize);
                let (queue, device) = (&queues[which], devices[which]);
                let (target, source) = (&buffers[to], &buffers[from]);
                let address = |buffer: &Buffer| buffer.address(device).expect("memory");
                match random.below(5) {
                    0 if to != from => {
                        naive[to] = naive[from];
                        let after = uses(&[(source, Access::Read), (target, Access::Write)]);
                        // SAFETY: the buffers are dependencies of the command.
                        let copy = unsafe { queue.copy(address(target), address(source), 8) };
                        queue.submit(copy, after).expect("there are threads");
                    }
                    1 => {
                        // Half of it: a command that writes may leave the rest as it was.
                        naive[to] = naive[to] >> 32 << 32 | plus;
                        let pattern = u32::try_from(plus).expect("small").to_ne_bytes().to_vec();
                        // SAFETY: as above.
                        let fill = unsafe { queue.fill(address(target), pattern, 1) };
                        queue.submit(fill, uses(&[(target, Access::Write)])).expect("there are threads");
                    }
                    2 => {
                        naive[to] = naive[to].wrapping_mul(3).wrapping_add(naive[from]);
                        let (a, b) = (target.host_address() as usize, source.host_address() as usize);
                        let task = move || {
                            let (a, b) = (a as *mut u64, b as *const u64);
                            // SAFETY: eight bytes each, which the dependencies give to this task.
                            unsafe { a.write(a.read().wrapping_mul(3).wrapping_add(b.read())) };
                            Ok(())
                        };
                        let after = uses(&[(source, Access::Read), (target, Access::ReadWrite)]);
                        queue.submit(queue.host_task(task), after).expect("there are threads");
                    }
                    3 => {
                        naive[to] ^= plus << 40;
                        let value = target.begin_host_access(Access::ReadWrite).expect("no driver fails").cast::<u64>();
                        // SAFETY: eight bytes that only this access may use.
                        unsafe { value.write(value.read() ^ plus << 40) };
                        target.end_host_access(Access::ReadWrite);
                    }
                    _ => assert_eq!(read(target).expect("no driver fails"), naive[to], "seed {seed}, step {plus}, {threads} threads"),
                }
            }
            for (buffer, wanted) in buffers.iter().zip(naive) {
                assert_eq!(read(buffer).expect("no driver fails"), wanted, "seed {seed} on {threads} threads");
            }
            assert!(queues.iter().all(|queue| queue.take_async_error().is_none()));
        }
        for seen in &seen {
            assert!(seen.copies.load(Ordering::Relaxed) > 100, "the devices took part");
            // The thread that has completed the last command may not have let go of its buffers yet.
            let are_gone = || seen.allocations.load(Ordering::Relaxed) == 0;
            assert!(
                (0..1000).any(|_| are_gone() || {
                    thread::sleep(Duration::from_millis(5));
                    false
                }),
                "copies went with their buffers"
            );
        }
        let [late, ahead, behind] = [&seen[0].late, &seen[0].ahead, &seen[0].behind].map(|count| count.load(Ordering::Relaxed));
        assert!(!has_queue || (late > 100 && ahead > 100 && behind > 0), "the queue of the device took part: {late} {ahead} {behind}");
    }
}

/// A job that could not bring a buffer's content leaves it where it was.
#[test]
fn what_no_job_brought_is_still_the_hosts() {
    let (system, devices, seen) = system(2, true);
    let queue = Queue::new(devices[0], system.pool(), true, false);
    let buffers = buffers(system, 1);
    let value = buffers[0].begin_host_access(Access::ReadWrite).expect("no driver fails").cast::<u64>();
    // SAFETY: eight bytes that only this access may use.
    unsafe { value.write(42) };
    buffers[0].end_host_access(Access::ReadWrite);
    let address = buffers[0].address(devices[0]).expect("memory");
    for fails in [true, false] {
        seen[0].fails.store(fails, Ordering::Relaxed);
        // SAFETY: the buffer is a dependency of the command.
        let fill = unsafe { queue.fill(address, vec![7], 4) };
        queue.submit(fill, uses(&[(&buffers[0], Access::ReadWrite)])).expect("there are threads");
        queue.wait();
        assert_eq!(queue.take_async_error().is_some(), fails);
        let wanted = if fails { 42_u64.to_ne_bytes() } else { [7, 7, 7, 7, 0, 0, 0, 0] };
        assert_eq!(read(&buffers[0]).expect("no driver fails").to_ne_bytes(), wanted);
    }
    assert_eq!(seen[0].ahead.load(Ordering::Relaxed), 1);
}

/// Commands that wait for each other are enqueued one after another when the first one may be, and not each from within the one before it.
#[test]
fn chains_may_be_longer_than_the_stack() {
    const LENGTH: usize = 100_000;
    for threads in [1, 2] {
        let (system, devices, seen) = system(threads, true);
        seen[0].at_once.store(true, Ordering::Relaxed);
        let buffers = buffers(system, 1);
        let queue = Queue::new(devices[0], system.pool(), true, false);
        let address = buffers[0].address(devices[0]).expect("memory");
        let (open, gate) = std::sync::mpsc::channel::<()>();
        let first = queue.host_task(move || gate.recv().map_err(|error| Error::new(Code::Runtime, error.to_string())));
        queue.submit(first, uses(&[])).expect("there are threads");
        for number in 0..LENGTH {
            // SAFETY: the buffer is a dependency of the command.
            let fill = unsafe { queue.fill(address, vec![number as u8], 8) };
            queue.submit(fill, uses(&[(&buffers[0], Access::ReadWrite)])).expect("there are threads");
        }
        open.send(()).expect("the task waits");
        assert_eq!(read(&buffers[0]).expect("no driver fails"), u64::from_ne_bytes([(LENGTH - 1) as u8; 8]));
        assert_eq!((seen[0].late.load(Ordering::Relaxed), queue.take_async_error()), (LENGTH, None));
    }
}

/// A command that follows nothing is put into the queue of a device that has work already by another thread, where there are enough of them.
#[test]
fn commands_of_their_own_go_to_busy_devices_from_other_threads() {
    for (threads, busy, wanted) in [(16, true, true), (16, false, false), (1, true, false)] {
        let (system, devices, seen) = system(threads, true);
        seen[0].busy.store(busy, Ordering::Relaxed);
        seen[0].at_once.store(true, Ordering::Relaxed);
        let queue = Queue::new(devices[0], system.pool(), false, false);
        let mut memory = 0_u64;
        // SAFETY: eight bytes that nobody else uses until the command is over.
        let fill = unsafe { queue.fill((&raw mut memory).cast(), vec![7], 8) };
        queue.submit(fill, uses(&[])).expect("there are threads");
        // Who waits may take the command from the pool's threads.
        while !queue.is_complete() {
            std::thread::yield_now();
        }
        let thread = seen[0].last_thread.lock().expect("no test panics there").clone().unwrap_or_default();
        assert_eq!((thread.starts_with("aspen-"), memory), (wanted, 0x0707_0707_0707_0707), "{threads} threads, busy: {busy}, by {thread}");
    }
}

#[test]
fn nothing_is_copied_that_is_current_already() {
    let (system, devices, seen) = system(2, false);
    let buffers = buffers(system, 1);
    let queue = Queue::new(devices[0], system.pool(), true, false);
    let address = buffers[0].address(devices[0]).expect("memory");
    for _ in 0..10 {
        // SAFETY: the buffer is a dependency of the command.
        let fill = unsafe { queue.fill(address, vec![7], 8) };
        queue.submit(fill, uses(&[(&buffers[0], Access::ReadWrite)])).expect("there are threads");
    }
    for _ in 0..10 {
        assert_eq!(read(&buffers[0]).expect("no driver fails"), 0x0707_0707_0707_0707);
    }
    assert_eq!(seen[0].copies.load(Ordering::Relaxed), 2, "once there, once back");
}

#[test]
fn a_driver_that_fails_to_copy_is_an_error_and_loses_nothing() {
    let (system, devices, seen) = system(2, false);
    let buffers = buffers(system, 1);
    let queue = Queue::new(devices[0], system.pool(), true, false);
    let address = buffers[0].address(devices[0]).expect("memory");
    let fill = |byte: u8| {
        // SAFETY: the buffer is a dependency of the command.
        let fill = unsafe { queue.fill(address, vec![byte], 8) };
        queue.submit(fill, uses(&[(&buffers[0], Access::Write)])).expect("there are threads").wait();
        queue.take_async_error()
    };
    seen[0].fails.store(true, Ordering::Relaxed);
    assert_eq!(fill(1).expect("an asynchronous error").message(), "the driver fails");
    assert_eq!(read(&buffers[0]).expect("the host was current all the time"), 0);
    seen[0].fails.store(false, Ordering::Relaxed);
    assert_eq!(fill(2), None);
    seen[0].fails.store(true, Ordering::Relaxed);
    assert_eq!(read(&buffers[0]).expect_err("cannot be brought home").message(), "the driver fails");
    seen[0].fails.store(false, Ordering::Relaxed);
    assert_eq!(read(&buffers[0]).expect("the device still has it"), 0x0202_0202_0202_0202);
}
