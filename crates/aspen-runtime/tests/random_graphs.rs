//! Random programs of commands over shared buffers give what running them one after another gives: the naive twin of the command graph.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aspen_contract::Capabilities;
use aspen_runtime::backend::{Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, Part, PlatformFacts, Program, RawDevice, UsmKind};
use aspen_runtime::buffer::{Access, Buffer, HostMemory};
use aspen_runtime::queue::{Dependencies, Event, Queue};
use aspen_runtime::system::{Device, System};
use aspen_runtime::{Code, Environment, Error, Result, Status};

/// A device without memory and images: these commands run on the host.
struct Nowhere {
    facts: Facts,
    capabilities: Capabilities,
}

impl RawDevice for Nowhere {
    fn device_type(&self) -> DeviceType {
        DeviceType::Custom
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
    fn allocate(&self, _: UsmKind, _: Layout) -> Result<NonNull<u8>> {
        Err(Error::new(Code::MemoryAllocation, "there is none"))
    }
    unsafe fn free(&self, _: NonNull<u8>, _: Layout) {}
    fn shares_host_memory(&self) -> bool {
        true
    }
    unsafe fn copy(&self, _: *mut u8, _: *const u8, _: usize) -> Result<()> {
        Err(Error::new(Code::Runtime, "nowhere is nothing to copy"))
    }
    unsafe fn fill(&self, _: *mut u8, _: &[u8], _: usize) -> Result<()> {
        Err(Error::new(Code::Runtime, "nowhere is nothing to fill"))
    }
}

struct NowhereBackend;

impl Backend for NowhereBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Cuda
    }
    fn platform(&self) -> PlatformFacts {
        PlatformFacts::default()
    }
    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        vec![Arc::new(Nowhere { facts: Facts::default(), capabilities: Capabilities::default() })]
    }
}

fn system(threads: usize) -> (&'static System, &'static Device) {
    let environment = Environment { threads: Some(threads), ..Environment::default() };
    let system = System::start(&[Box::new(NowhereBackend)], environment).expect("nothing in the environment is wrong");
    (system, system.platforms()[0].devices()[0])
}

/// A small generator: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// `cells[target] = cells[target] * 3 + cells[source] + plus`, which neither commutes nor forgets.
fn step(cells: &[AtomicU64], target: usize, source: usize, plus: u64) {
    let value = cells[source].load(Ordering::Relaxed);
    let old = cells[target].load(Ordering::Relaxed);
    if plus.is_multiple_of(7) {
        std::thread::yield_now();
    }
    cells[target].store(old.wrapping_mul(3).wrapping_add(value).wrapping_add(plus), Ordering::Relaxed);
}

#[test]
fn buffers_order_commands_as_if_they_ran_one_after_another() {
    const CELLS: usize = 5;
    for threads in [1, 2, 16] {
        let (system, device) = system(threads);
        for seed in 0..20 {
            let mut random = Random(seed);
            let queues = [false, true, false].map(|in_order| Queue::new(device, system.pool(), in_order, false));
            // SAFETY: no host memory is given.
            let buffer = |_| unsafe { Buffer::create(system.pool(), 8, 8, std::ptr::null_mut(), HostMemory::Copied) }.expect("memory");
            let buffers: Vec<Arc<Buffer>> = (0..CELLS).map(buffer).collect();
            let cells: Arc<Vec<AtomicU64>> = Arc::new((0..CELLS).map(|_| AtomicU64::new(1)).collect());
            let naive: Vec<AtomicU64> = (0..CELLS).map(|_| AtomicU64::new(1)).collect();
            for plus in 0..400 {
                let (target, source) = (random.below(5) as usize, random.below(5) as usize);
                step(&naive, target, source, plus);
                if random.below(23) == 0 {
                    // The host takes a turn, as a host accessor would.
                    buffers[target].begin_host_access(Access::ReadWrite).expect("memory of the host");
                    if source != target {
                        buffers[source].begin_host_access(Access::Read).expect("memory of the host");
                        buffers[source].end_host_access(Access::Read);
                    }
                    step(&cells, target, source, plus);
                    buffers[target].end_host_access(Access::ReadWrite);
                    continue;
                }
                let after = Dependencies {
                    buffers: vec![(buffers[source].clone(), Access::Read), (buffers[target].clone(), Access::ReadWrite)],
                    ..Dependencies::default()
                };
                let cells = cells.clone();
                let task = move || {
                    step(&cells, target, source, plus);
                    Ok(())
                };
                let queue = &queues[random.below(3) as usize];
                queue.submit(queue.host_task(task), after).expect("there are threads");
            }
            buffers.iter().for_each(|buffer| buffer.wait());
            let values = |cells: &[AtomicU64]| cells.iter().map(|cell| cell.load(Ordering::Relaxed)).collect::<Vec<_>>();
            assert_eq!(values(&cells), values(&naive), "seed {seed} on {threads} threads");
        }
    }
}

#[test]
fn events_order_a_random_graph() {
    for threads in [1, 2, 16] {
        let (system, device) = system(threads);
        let queue = Queue::new(device, system.pool(), false, true);
        let mut random = Random(threads as u64);
        let done: Arc<Vec<AtomicU64>> = Arc::new((0..2000).map(|_| AtomicU64::new(0)).collect());
        let wrong = Arc::new(AtomicU64::new(0));
        let mut events: Vec<Event> = Vec::new();
        for index in 0..done.len() {
            let before: Vec<usize> = (0..random.below(5).min(index as u64)).map(|_| random.below(index as u64) as usize).collect();
            let after = Dependencies { events: before.iter().map(|other| events[*other].clone()).collect(), ..Dependencies::default() };
            let (done, wrong) = (done.clone(), wrong.clone());
            let task = move || {
                let missing = before.iter().filter(|other| done[**other].load(Ordering::Acquire) == 0).count();
                wrong.fetch_add(missing as u64, Ordering::Relaxed);
                done[index].store(1, Ordering::Release);
                if index == 1234 { Err(Error::new(Code::Event, "one fails")) } else { Ok(()) }
            };
            // Some commands only pass on what they wait for.
            let event = if random.below(10) == 0 && index != 1234 {
                let event = queue.submit(queue.host_task(task), after).expect("there are threads");
                queue.submit(queue.nothing(), Dependencies { events: vec![event], ..Dependencies::default() }).expect("there are threads")
            } else {
                queue.submit(queue.host_task(task), after).expect("there are threads")
            };
            events.push(event);
        }
        events[random.below(2000) as usize].wait();
        queue.wait();
        assert!(events.iter().all(|event| event.status() == Status::Complete));
        assert_eq!(wrong.load(Ordering::Relaxed), 0);
        assert_eq!(queue.take_async_error(), Some(Error::new(Code::Event, "one fails")));
        assert_eq!(queue.take_async_error(), None);
    }
}

#[test]
fn a_panic_in_a_command_is_an_asynchronous_error() {
    let (system, device) = system(1);
    let queue = Queue::new(device, system.pool(), true, false);
    queue.submit(queue.host_task(|| panic!("oh no")), Dependencies::default()).expect("there are threads");
    queue.wait();
    let error = queue.take_async_error().expect("the panic is reported");
    assert_eq!((error.code(), error.message()), (Code::Runtime, "a command panicked: oh no"));
}
