//! Objects of a backend's own interface that programs hand to SYCL, or ask it for. Source: SYCL 2020 §4.5.1, §C.
//!
//! Handles are numbers here: what they mean is the backend's business. Kernels, memory and copies of the runtime stay in the context that the
//! backend has for its platform, whatever context a program brings: a buffer over memory of another context is one with a copy there.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::backend::{DeviceEvent, Listener, Native, NativeMemory, Outcome};
use crate::command::{Command, Work, lock};
use crate::error::Result;
use crate::pool::Pool;
use crate::queue::Event;

/// What the interface says of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueFacts {
    /// Its device.
    pub device: usize,
    /// Its context.
    pub context: usize,
    /// Whether its commands run in the order in which they come.
    pub in_order: bool,
    /// Whether its events have times.
    pub profiling: bool,
}

/// How far a program is compiled (`sycl::bundle_state`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum ProgramState {
    /// Not at all.
    Input = 0,
    /// Compiled.
    Object = 1,
    /// Linked.
    Executable = 2,
}

impl ProgramState {
    /// The state of that number.
    pub fn from_number(number: i32) -> Option<ProgramState> {
        [ProgramState::Input, ProgramState::Object, ProgramState::Executable].into_iter().find(|state| *state as i32 == number)
    }
}

/// What the interface says of a kernel on a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelFacts {
    /// Its context.
    pub context: usize,
    /// Its program.
    pub program: usize,
    /// How many arguments it takes.
    pub arguments: u32,
    /// The most work-items of a group.
    pub max_work_group_size: u64,
    /// The group it was compiled for, in SYCL's order; zeros for any.
    pub work_group_size: [u64; 3],
    /// Groups had better be a multiple of this.
    pub preferred_multiple: u64,
    /// Bytes of private memory of a work-item.
    pub private_memory: u64,
    /// Its attributes, as its source has them.
    pub attributes: String,
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A value.
    Bytes(Vec<u8>),
    /// So many bytes of local memory.
    Local(usize),
    /// An address of unified shared memory.
    Pointer(usize),
    /// Memory of the interface's, or `size` bytes of it from `offset` on.
    Memory {
        /// The object.
        handle: usize,
        /// Where the part begins.
        offset: usize,
        /// Its length.
        size: usize,
    },
}

/// A launch of a kernel of the interface's own. Sizes are in SYCL's order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeLaunch {
    /// The kernel.
    pub kernel: usize,
    /// Work-items.
    pub global: Vec<usize>,
    /// The work-group; `None` where the driver chooses.
    pub local: Option<Vec<usize>>,
    /// Added to the ids.
    pub offset: Vec<usize>,
    /// Indices and values; those that are not named stay as the program has set them.
    pub arguments: Vec<(u32, Argument)>,
}

/// A queue of the interface's, with a reference that dropping it gives back.
pub trait NativeQueue: Send + Sync {
    /// The queue.
    fn handle(&self) -> usize;
    /// Its context.
    fn context(&self) -> usize;
    /// A command that is over when all that the program has put into the queue is.
    ///
    /// # Errors
    /// What the driver says.
    fn marker(&self) -> Result<Arc<dyn DeviceEvent>>;
    /// Memory of the queue's context; `None` if the interface takes the addresses that kernels take.
    ///
    /// # Errors
    /// What the driver says.
    fn memory(&self, size: usize) -> Result<Option<Box<dyn NativeMemory>>>;
    /// That memory of the program's, with a reference, and its size in bytes.
    ///
    /// # Safety
    /// The handle is memory of the queue's context, alive.
    ///
    /// # Errors
    /// What the driver says; memory that the host may not read or write.
    unsafe fn adopt(&self, memory: usize) -> Result<(Box<dyn NativeMemory>, usize)>;
    /// Runs a kernel, and returns when it is over.
    ///
    /// # Safety
    /// The kernel is one of the queue's context, alive, and its arguments are what it takes.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn launch(&self, launch: &NativeLaunch) -> Result<()>;
}

/// An event of the interface's that stands for a command of the runtime. Dropping it gives its reference back.
pub trait OwnEvent: Send + Sync {
    /// The event.
    fn handle(&self) -> usize;
    /// The command is over. Called once.
    fn complete(&self);
}

/// A backend's own interface, as a device's.
///
/// Every handle must be what the function takes it for, and alive; so all functions that take one are unsafe.
pub trait Interop {
    /// Adds a reference, where the interface counts them.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn retain(&self, what: Native, handle: usize) -> Result<()>;
    /// Gives a reference back.
    ///
    /// # Safety
    /// See the trait; the reference is the caller's.
    unsafe fn release(&self, what: Native, handle: usize);
    /// How many references there are.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says; an interface that counts none.
    unsafe fn references(&self, what: Native, handle: usize) -> Result<u32>;
    /// What the interface says of the device under that number; empty if it knows no such question.
    fn device_info(&self, what: u32) -> Vec<u8>;
    /// Whether the context is one of this device.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn is_in(&self, context: usize) -> Result<bool>;
    /// What a queue is.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn queue_facts(&self, queue: usize) -> Result<QueueFacts>;
    /// A queue of a context: the program's, or one of its own, which keeps the order. Without a context the runtime's.
    ///
    /// # Safety
    /// See the trait; a queue is one of the context and the device.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn queue(&self, context: Option<usize>, queue: Option<usize>) -> Result<Arc<dyn NativeQueue>>;
    /// An event of the program's.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn event(&self, event: usize) -> Result<Arc<dyn DeviceEvent>>;
    /// An event in the context, or in the runtime's, that the runtime completes. The flag: it must be complete before anybody gets it.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn own_event(&self, context: Option<usize>) -> Result<(Arc<dyn OwnEvent>, bool)>;
    /// How far the program is compiled for this device, and its context.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn program(&self, program: usize) -> Result<(ProgramState, usize)>;
    /// Compiles or links programs, of one context, until they are in that state; the caller gets the reference of what comes back, which may
    /// be one of them.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// `errc::build` with the compiler's words.
    unsafe fn build(&self, programs: &[usize], state: ProgramState) -> Result<usize>;
    /// What a kernel is.
    ///
    /// # Safety
    /// See the trait.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn kernel(&self, kernel: usize) -> Result<KernelFacts>;
}

/// The interface's event of a command, made when it is asked for the first time.
#[derive(Default)]
pub(crate) struct Shown(Mutex<Option<Arc<dyn OwnEvent>>>);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shown")
    }
}

/// How many events a command still stands for.
struct Left {
    command: Arc<Command>,
    count: AtomicUsize,
}

impl Left {
    fn one_less(&self) {
        if self.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.command.finish_external();
        }
    }
}

impl Listener for Left {
    fn hear(self: Arc<Self>, _: Arc<dyn DeviceEvent>, _: Outcome) {
        self.one_less();
    }
}

impl Event {
    /// An event that is complete when all of these are.
    pub fn of_native(pool: &Arc<Pool>, events: Vec<Arc<dyn DeviceEvent>>) -> Event {
        if events.is_empty() {
            return Event::complete();
        }
        let command = Command::new(pool, Work::External(None));
        command.submit();
        let left = Arc::new(Left { command: command.clone(), count: AtomicUsize::new(events.len()) });
        for event in &events {
            if !event.clone().when_over(left.clone()) {
                // A driver that does not call: somebody has to wait. A thread of its own, as those of the pool may be needed meanwhile.
                let (waits, ends) = (event.clone(), left.clone());
                let waiter = std::thread::Builder::new().spawn(move || {
                    let _outcome = waits.wait();
                    ends.one_less();
                });
                if waiter.is_err() {
                    // No thread to be had: whoever makes the event waits.
                    let _outcome = event.wait();
                    left.one_less();
                }
            }
        }
        let _first = command.of.set(events.into());
        Event::new(command)
    }

    /// The interface's event of the command, the same for all that ask for it.
    ///
    /// # Safety
    /// The context is one of the interface's, alive.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn native(&self, interface: &dyn Interop, context: Option<usize>) -> Result<usize> {
        let mut shown = lock(&self.command.shown.0);
        if let Some(known) = &*shown {
            return Ok(known.handle());
        }
        // SAFETY: by this function's contract.
        let (made, first_complete) = unsafe { interface.own_event(context) }?;
        if first_complete || self.command.is_complete() {
            self.wait();
            made.complete();
        } else {
            let own = made.clone();
            let work = Work::Brief(Box::new(move || {
                own.complete();
                Ok(())
            }));
            let after = Command::new(&self.command.pool, work);
            after.wait_for(&self.command);
            after.submit();
        }
        Ok(shown.insert(made).handle())
    }
}
