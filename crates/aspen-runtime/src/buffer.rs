//! Buffers: memory, and who used it last.
//!
//! Hazards (SYCL 2020 §3.8.1): a command that reads waits for the last writer; one that writes waits for the last writer and all readers
//! since. A host accessor is a command of its own that lasts from begin to end, so the same rule holds back kernels that conflict.
//!
//! Places: a buffer lives in memory of the host, and has a copy on each device that asked for its address and does not share the host's
//! memory. A command brings the content to where it runs just before it runs; the hazards keep everybody else away meanwhile. What a task
//! of the host hands to OpenCL is a copy, too, as an object of OpenCL's: objects over memory that kernels reach by address are not to be had
//! (Intel's drivers give such an object memory of its own).

mod near;
mod spared;

use std::alloc::Layout;
use std::mem;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::backend::{NativeMemory, UsmKind};
use crate::command::{Command, Work, lock};
use crate::error::{Code, Error, Result};
use crate::few::Few;
use crate::guarded::{Guarded, Purpose};
use crate::native::NativeQueue;
use crate::pool::Pool;
use crate::queue::Event;
use crate::self_wait::Thread;
use crate::system::Device;
use crate::zeroed::Zeroed;
pub use spared::Spared;

/// How a command uses a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It only reads.
    Read,
    /// It only writes.
    Write,
    /// It reads and writes.
    ReadWrite,
}

impl Access {
    /// The access of that `aspen_access_t`.
    ///
    /// # Errors
    /// [`Code::Accessor`] for any other number.
    pub fn from_number(number: i32) -> Result<Access> {
        match number {
            1 => Ok(Access::Read),
            2 => Ok(Access::Write),
            3 => Ok(Access::ReadWrite),
            _ => Err(Error::new(Code::Accessor, format!("{number} is no way to access a buffer (1 read, 2 write, 3 both)"))),
        }
    }

    fn writes(self) -> bool {
        self != Access::Read
    }

    fn and(self, other: Access) -> Access {
        if self == other { self } else { Access::ReadWrite }
    }
}

/// What becomes of the host memory that a buffer is made of (`use_host` of `aspen_buffer_create`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostMemory {
    /// It is copied.
    Copied,
    /// The buffer works there until it is gone, or gives the content back by then; meanwhile nobody else looks there.
    Used,
    /// The buffer works there (`property::buffer::use_host_ptr`).
    Exactly,
}

/// The smallest alignment of buffer memory in bytes: a cache line, and every vector type of SYCL.
const ALIGNMENT: usize = 128;

/// Where a command wants its buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Wherever they are.
    Nowhere,
    /// In memory of the host.
    Host,
    /// Where kernels of the device find them.
    On(&'static Device),
    /// Where the device's own interface finds them, in that context; 0 for the runtime's.
    Native(&'static Device, usize),
}

/// A buffer.
pub struct Buffer {
    pool: Arc<Pool>,
    /// The memory that it was made with.
    made: NonNull<u8>,
    /// That, if it is the buffer's own. Commands that use it hold the buffer, so none is left when it goes.
    _owned: Option<Zeroed>,
    /// What it works on instead, if anything; empty until somebody asks where the content is.
    instead: OnceLock<Option<Zeroed>>,
    size: usize,
    alignment: usize,
    /// The memory with guards, for checks of accesses.
    guarded: Option<Guarded>,
    /// Memory of the program's that the buffer works on. Where accesses are checked, the buffer stands for it: it gets the content when the
    /// host asks for that.
    origin: Option<NonNull<u8>>,
    /// Whether it does so no longer.
    left: AtomicBool,
    /// Whether the content is newer than what the origin has.
    changed: AtomicBool,
    hazards: Mutex<Hazards>,
    /// Whether there is any copy, to be asked without a lock.
    copied: AtomicBool,
    copies: Mutex<Copies>,
}

/// The copies on devices that do not share the host's memory. Every place that is current holds the same content.
#[derive(Default)]
struct Copies {
    /// Whether the host's memory is out of date.
    host_stale: bool,
    list: Vec<DeviceCopy>,
}

impl Copies {
    /// The copy that commands at that place use: `Some(None)` is the host's memory; `None` if they use none.
    fn target(&self, place: Place) -> Option<Option<usize>> {
        match place {
            Place::Nowhere => None,
            Place::Host => Some(None),
            Place::Native(device, context) => self.object(device, context).map(Some).or_else(|| self.target(Place::On(device))),
            Place::On(device) if device.real().shares_host_memory() => Some(None),
            Place::On(device) => {
                let is_target = |copy: &DeviceCopy| std::ptr::eq(copy.device, device) && matches!(copy.store, Store::Memory(..));
                Some(Some(self.list.iter().position(is_target)?))
            }
        }
    }

    fn object(&self, device: &'static Device, of: usize) -> Option<usize> {
        let is_object =
            |copy: &DeviceCopy| std::ptr::eq(copy.device, device) && matches!(copy.store, Store::Object(_, context) if context == of);
        self.list.iter().position(is_object)
    }

    fn is_current(&self, target: Option<usize>) -> bool {
        target.map_or(!self.host_stale, |index| self.list[index].current)
    }

    /// A command that writes has begun there: nowhere else the content is current.
    fn written(&mut self, target: Option<usize>) {
        self.host_stale = target.is_some();
        for (index, copy) in self.list.iter_mut().enumerate() {
            copy.current = Some(index) == target;
        }
    }
}

struct DeviceCopy {
    device: &'static Device,
    store: Store,
    current: bool,
}

/// Where a copy lies.
enum Store {
    /// Memory of the device that kernels reach.
    Memory(NonNull<u8>, Layout),
    /// An object of the device's own interface, and its context.
    Object(Box<dyn NativeMemory>, usize),
}

impl DeviceCopy {
    /// # Safety
    /// `host` is valid for the buffer's `size`, and nothing else uses that memory or the copy.
    unsafe fn read(&self, host: *mut u8, size: usize) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            match &self.store {
                Store::Memory(memory, _) => self.device.real().copy(host, memory.as_ptr(), size),
                Store::Object(object, _) => object.read(host),
            }
        }
    }

    /// # Safety
    /// As `read`.
    unsafe fn write(&self, host: *const u8, size: usize) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            match &self.store {
                Store::Memory(memory, _) => self.device.real().copy(memory.as_ptr(), host, size),
                Store::Object(object, _) => object.write(host),
            }
        }
    }
}

/// A host access that has begun and not ended.
struct HostAccess {
    access: Access,
    command: Arc<Command>,
    /// Who began it; anybody may end it.
    thread: Thread,
}

#[derive(Default)]
struct Hazards {
    writer: Option<Arc<Command>>,
    readers: Vec<Arc<Command>>,
    host: Vec<HostAccess>,
    /// What was in the program's memory before anybody wrote there, if it is kept.
    original: Option<Box<[u8]>>,
}

// SAFETY: the pointer is only handed out; who accesses the memory when is what the hazards are for.
unsafe impl Send for Buffer {}
// SAFETY: as above; the rest is behind a mutex.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer of `size` bytes. It works on `host` or copies from there, unless that is null.
    ///
    /// # Safety
    /// `host` is null or valid for `size` bytes, for as long as the buffer lives unless `how` is [`HostMemory::Copied`].
    ///
    /// # Errors
    /// [`Code::MemoryAllocation`] without memory, [`Code::Invalid`] for a bad alignment or host memory to use that is none.
    pub unsafe fn create(pool: &Arc<Pool>, size: usize, alignment: usize, host: *mut u8, how: HostMemory) -> Result<Arc<Buffer>> {
        let buffer = |made, owned, guarded, origin| {
            let (alignment, hazards) = (alignment.max(ALIGNMENT), Mutex::default());
            let (copied, copies, changed) = (AtomicBool::new(false), Mutex::default(), AtomicBool::new(false));
            let (pool, instead, left) = (pool.clone(), OnceLock::new(), AtomicBool::new(false));
            Arc::new(Buffer {
                pool,
                made,
                _owned: owned,
                instead,
                size,
                alignment,
                guarded,
                origin,
                left,
                changed,
                hazards,
                copied,
                copies,
            })
        };
        let used = NonNull::new(host).filter(|_| how != HostMemory::Copied);
        if how != HostMemory::Copied && used.is_none() {
            let text = "a buffer cannot use host memory at a null address (aspen_buffer_create)";
            return Err(Error::new(Code::Invalid, text));
        }
        // Elements tell the alignment, so that the last one ends where the guard begins.
        let guarded = (how != HostMemory::Exactly && alignment.is_power_of_two())
            .then(|| Guarded::new(Purpose::Buffer { alignment }, size, alignment))
            .flatten();
        if let Some(guarded) = guarded {
            let memory = guarded.memory();
            if !host.is_null() {
                // SAFETY: readable by this function's contract; the destination is fresh and as large.
                unsafe { std::ptr::copy_nonoverlapping(host, memory.as_ptr(), size) };
            }
            guarded.close_pages();
            return Ok(buffer(memory, None, Some(guarded), used));
        }
        if let Some(memory) = used {
            return Ok(buffer(memory, None, None, used.filter(|_| how == HostMemory::Used)));
        }
        Layout::from_size_align(size.max(1), alignment.max(ALIGNMENT))
            .map_err(|_| Error::new(Code::Invalid, format!("a buffer of {size} bytes cannot be aligned to {alignment}")))?;
        // SAFETY: by this function's contract.
        let owned = unsafe { own_memory(size, alignment.max(ALIGNMENT), host) }?;
        Ok(buffer(owned.memory(), Some(owned), None, None))
    }

    /// Where the content is on the host.
    fn memory(&self) -> NonNull<u8> {
        self.instead.get_or_init(|| None).as_ref().map_or(self.made, Zeroed::memory)
    }

    /// Lets a command access the memory, if that is checked, until [`Buffer::shut`] with the same access.
    pub(crate) fn open(&self, access: Access) {
        if let Some(guarded) = &self.guarded {
            guarded.open(access.writes());
        }
    }

    /// Ends what [`Buffer::open`] began.
    pub(crate) fn shut(&self, access: Access) {
        if let Some(guarded) = &self.guarded {
            if access.writes() {
                self.changed.store(true, Ordering::Release);
            }
            guarded.close(access.writes());
        }
    }

    /// Copies the content to the memory that the buffer stands for, if it has changed. Only in a host access.
    fn show_origin(&self) {
        let shown = self.guarded.is_some() && !self.left.load(Ordering::Acquire);
        let Some(origin) = self.origin.filter(|_| shown) else { return };
        if self.changed.swap(false, Ordering::AcqRel) {
            // SAFETY: valid for that many bytes by the contract of `create`; nobody writes the buffer in a host access.
            unsafe { std::ptr::copy(self.memory().as_ptr(), origin.as_ptr(), self.size) };
        }
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where host accessors and host tasks find the data; the same for the buffer's life.
    pub fn host_address(&self) -> *mut u8 {
        self.memory().as_ptr()
    }

    /// Where kernels of the device find the data; the same for the buffer's life.
    ///
    /// # Errors
    /// [`Code::MemoryAllocation`] if the device has no memory for a copy.
    pub fn address(&self, device: &'static Device) -> Result<*mut u8> {
        if device.real().shares_host_memory() {
            return Ok(self.host_address());
        }
        let mut copies = lock(&self.copies);
        if let Some(Some(index)) = copies.target(Place::On(device))
            && let Store::Memory(memory, _) = copies.list[index].store
        {
            return Ok(memory.as_ptr());
        }
        let no_memory = |why: String| {
            let text = format!("'{}' has no memory for a buffer of {} bytes: {why}", device.real().facts().name, self.size);
            Error::new(Code::MemoryAllocation, text)
        };
        let layout = Layout::from_size_align(self.size.max(1), self.alignment).map_err(|error| no_memory(error.to_string()))?;
        if !device.real().has_memory() {
            let text = format!("'{}' has neither USM nor SVM, so its kernels reach no buffers", device.real().facts().name);
            return Err(Error::new(Code::FeatureNotSupported, text));
        }
        let memory = device.real().allocate(UsmKind::Device, layout).map_err(|error| no_memory(error.to_string()))?;
        copies.list.push(DeviceCopy { device, store: Store::Memory(memory, layout), current: false });
        self.copied.store(true, Ordering::Release);
        Ok(memory.as_ptr())
    }

    /// Makes the object by which the device's own interface will know the content, unless that takes addresses. `queue`: one of the context
    /// where it is wanted; without one the runtime's.
    ///
    /// # Errors
    /// What the driver says.
    pub(crate) fn prepare_native(&self, device: &'static Device, context: usize, queue: Option<&Arc<dyn NativeQueue>>) -> Result<()> {
        let mut copies = lock(&self.copies);
        let Some(interface) = device.real().interop().filter(|_| copies.object(device, context).is_none()) else { return Ok(()) };
        // SAFETY: no handle is given.
        let queue = queue.map_or_else(|| unsafe { interface.queue(None, None) }, |queue| Ok(queue.clone()))?;
        if let Some(object) = queue.memory(self.size)? {
            copies.list.push(DeviceCopy { device, store: Store::Object(object, context), current: false });
            self.copied.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Takes memory of a program's as one of the buffer's copies, which has the content as soon as `after` is complete. It has as many bytes.
    pub fn adopt(&self, device: &'static Device, context: usize, memory: Box<dyn NativeMemory>, after: Option<&Event>) {
        let mut copies = lock(&self.copies);
        copies.host_stale = true;
        copies.list.iter_mut().for_each(|copy| copy.current = false);
        copies.list.push(DeviceCopy { device, store: Store::Object(memory, context), current: true });
        self.copied.store(true, Ordering::Release);
        drop(copies);
        if let Some(event) = after {
            self.record(Access::Write, &event.command);
        }
    }

    /// Makes the content current in memory that the buffer has adopted. Nothing uses the buffer meanwhile but host accesses that read.
    ///
    /// # Errors
    /// What the driver says.
    pub fn settle(&self, device: &'static Device, context: usize) -> Result<()> {
        self.bring(Place::Native(device, context), Access::Read)
    }

    /// The object by which the device's own interface knows the content in that context (0: the runtime's), in a task that asked for it; it
    /// belongs to the buffer.
    pub fn native(&self, device: &'static Device, context: usize) -> Option<usize> {
        let copies = lock(&self.copies);
        match &copies.list[copies.object(device, context)?].store {
            Store::Object(object, _) => Some(object.handle()),
            Store::Memory(..) => None,
        }
    }

    /// All such objects of the device.
    pub fn natives(&self, device: &'static Device) -> Vec<usize> {
        let copies = lock(&self.copies);
        let of_device = copies.list.iter().filter(|copy| std::ptr::eq(copy.device, device));
        let object = |copy: &DeviceCopy| match &copy.store {
            Store::Object(object, _) => Some(object.handle()),
            Store::Memory(..) => None,
        };
        of_device.filter_map(object).collect()
    }

    /// Whether any device has a copy.
    pub(crate) fn has_copies(&self) -> bool {
        self.copied.load(Ordering::Acquire)
    }

    /// Makes the content current where a command is about to use it; after one that writes it is current nowhere else. A device that
    /// never asked for the address does not use the buffer.
    ///
    /// # Errors
    /// If a driver fails to copy.
    pub(crate) fn bring(&self, place: Place, access: Access) -> Result<()> {
        if !self.has_copies() {
            return Ok(());
        }
        let mut copies = lock(&self.copies);
        let Some(target) = copies.target(place) else { return Ok(()) };
        let is_current = copies.is_current(target);
        if !is_current && copies.host_stale {
            let from = copies.list.iter().find(|copy| copy.current);
            let from = from.ok_or_else(|| Error::new(Code::Runtime, "a buffer's content was lost when a driver failed"))?;
            self.open(Access::Write);
            // SAFETY: both are `size` bytes, and the hazards keep commands that conflict away.
            let read = unsafe { from.read(self.memory().as_ptr(), self.size) };
            self.shut(Access::Write);
            read?;
            copies.host_stale = false;
        }
        if let (false, Some(index)) = (is_current, target) {
            let to = &mut copies.list[index];
            // SAFETY: as above.
            unsafe { to.write(self.memory().as_ptr(), self.size) }?;
            to.current = true;
        }
        if access.writes() {
            copies.written(target);
        }
        Ok(())
    }

    /// Returns when no command uses it any more. Host accesses do not count: the caller may hold one itself.
    pub fn wait(&self) {
        let users: Vec<Arc<Command>> = {
            let hazards = lock(&self.hazards);
            let is_host = |command: &Arc<Command>| hazards.host.iter().any(|host| Arc::ptr_eq(command, &host.command));
            hazards.writer.iter().chain(&hazards.readers).filter(|command| !is_host(command)).cloned().collect()
        };
        for user in users {
            user.wait();
        }
    }

    /// Waits until the host may access the memory, and holds back commands that conflict until [`Buffer::end_host_access`]. It does not
    /// wait for what this thread has begun and nobody has ended, which it would most likely do for ever.
    ///
    /// # Errors
    /// If a driver fails to bring the content to the host; then no access has begun.
    pub fn begin_host_access(self: &Arc<Self>, access: Access) -> Result<*mut u8> {
        let thread = Thread::current();
        let command = Command::new(&self.pool, Work::External(Some(thread)));
        let before = {
            let _order = crate::queue::order();
            let mut before = Few::new();
            self.blockers(access, &mut before);
            let own = |command: &Arc<Command>| {
                lock(&self.hazards).host.iter().any(|host| host.thread == thread && Arc::ptr_eq(&host.command, command))
            };
            before.retain(|command| !own(command));
            for blocker in &before {
                command.wait_for(blocker);
            }
            self.record(access, &command);
            command.submit();
            before
        };
        if let [writer] = &before[..] {
            self.bring_behind(writer);
        }
        for blocker in before {
            blocker.wait();
        }
        command.wait_begun();
        self.open(access);
        if let Err(error) = self.bring(Place::Host, access) {
            self.shut(access);
            command.finish_external();
            return Err(error);
        }
        self.show_origin();
        // Only now, so that another thread's end cannot take an access that has not begun.
        lock(&self.hazards).host.push(HostAccess { access, command, thread });
        Ok(self.host_address())
    }

    /// Ends a host access of that kind, one of this thread's if there is one, else the oldest; without any there is nothing to end.
    pub fn end_host_access(&self, access: Access) {
        let ended = {
            let mut hazards = lock(&self.hazards);
            let thread = Thread::current();
            let of = |own: bool| hazards.host.iter().position(|begun| begun.access == access && (!own || begun.thread == thread));
            let index = of(true).or_else(|| of(false));
            index.map(|index| hazards.host.remove(index).command)
        };
        if let Some(command) = ended {
            self.shut(access);
            command.finish_external();
        }
    }

    /// What a command with that access has to wait for.
    pub(crate) fn blockers(&self, access: Access, out: &mut Few<Command>) {
        let hazards = lock(&self.hazards);
        let first = out.len();
        out.extend(hazards.writer.iter().cloned());
        if access.writes() {
            out.extend(hazards.readers.iter().cloned());
        }
        // Of several that one thread has begun, only the last is writer.
        let conflicting = hazards.host.iter().filter(|host| access.writes() || host.access.writes()).map(|host| &host.command);
        for command in conflicting {
            if !out[first..].iter().any(|known| Arc::ptr_eq(known, command)) {
                out.push(command.clone());
            }
        }
    }

    /// Notes that a command uses it from now on.
    pub(crate) fn record(&self, access: Access, command: &Arc<Command>) {
        let mut hazards = lock(&self.hazards);
        if access.writes() {
            self.keep_original(&mut hazards);
        }
        let old = if access.writes() {
            (hazards.writer.replace(command.clone()), mem::take(&mut hazards.readers))
        } else {
            // Completed readers are dropped at doubling lengths, so that a buffer that is only read stays small in memory.
            if hazards.readers.len() >= 16 && hazards.readers.len().is_power_of_two() {
                hazards.readers.retain(|reader| !reader.is_complete());
            }
            hazards.readers.push(command.clone());
            (None, Vec::new())
        };
        drop(hazards);
        drop(old);
    }
}

/// Memory of a buffer's own with what `content` points to, if that is not null.
///
/// # Safety
/// `content` is null or readable for `size` bytes.
unsafe fn own_memory(size: usize, alignment: usize, content: *const u8) -> Result<Zeroed> {
    // Zeroed, so that no run depends on what memory held before.
    let owned = Zeroed::new(size, alignment)
        .ok_or_else(|| Error::new(Code::MemoryAllocation, format!("no memory for a buffer of {size} bytes")))?;
    if !content.is_null() {
        // SAFETY: readable by this function's contract; the destination is fresh and at least as large.
        unsafe { std::ptr::copy_nonoverlapping(content, owned.memory().as_ptr(), size) };
    }
    Ok(owned)
}

/// Merges several uses of one buffer, so that a command never waits for itself.
pub(crate) fn merged(uses: Vec<(Arc<Buffer>, Access)>) -> Vec<(Arc<Buffer>, Access)> {
    let mut out: Vec<(Arc<Buffer>, Access)> = Vec::with_capacity(uses.len());
    for (buffer, access) in uses {
        match out.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &buffer)) {
            Some((_, known)) => *known = known.and(access),
            None => out.push((buffer, access)),
        }
    }
    out
}

impl Drop for Buffer {
    fn drop(&mut self) {
        for copy in mem::take(&mut lock(&self.copies).list) {
            if let Store::Memory(memory, layout) = copy.store {
                // SAFETY: allocated by this device in `address` with this layout; commands that use it hold the buffer, so none is left.
                unsafe { copy.device.real().free_idle(memory, layout) };
            }
        }
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("made", &self.made).finish_non_exhaustive()
    }
}
