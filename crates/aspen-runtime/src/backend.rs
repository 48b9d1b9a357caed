//! What a backend offers the runtime: devices, programs, kernels, and jobs cut into chunks.
//!
//! The runtime checks requirements and geometry before it calls any of this, so a backend may rely on what [`Launch`] documents.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

pub use aspen_contract::BackendKind;
use aspen_contract::{AspectSet, Capabilities};
pub use aspen_image::{DeviceImage, ImageError, ImageKind, WorkItems};

pub use self::assertion::AssertionWord;
pub use self::closure::Closure;
pub use self::deferred::{Ahead, Deferred, DeviceEvent, DeviceTimes, Listener, Outcome};
use crate::error::Result;
use crate::native::Interop;

mod assertion;
mod closure;
mod deferred;

/// The type of a device (`aspen_device_type_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum DeviceType {
    /// A CPU.
    Cpu = 0,
    /// A GPU.
    Gpu = 1,
    /// An accelerator.
    Accelerator = 2,
    /// Anything else.
    Custom = 3,
}

impl DeviceType {
    /// Every device type.
    pub const ALL: [DeviceType; 4] = [DeviceType::Cpu, DeviceType::Gpu, DeviceType::Accelerator, DeviceType::Custom];

    /// Its name in `ASPEN_DEVICE_SELECTOR`.
    pub fn name(self) -> &'static str {
        match self {
            DeviceType::Cpu => "cpu",
            DeviceType::Gpu => "gpu",
            DeviceType::Accelerator => "accelerator",
            DeviceType::Custom => "custom",
        }
    }
}

/// The fixed facts of a device that no check depends on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The device's name.
    pub name: String,
    /// Its maker.
    pub vendor: String,
    /// The version of its driver.
    pub driver_version: String,
    /// The version of the device.
    pub version: String,
    /// The version of the backend.
    pub backend_version: String,
    /// The maker's number.
    pub vendor_id: u64,
    /// How many work-groups can run at once.
    pub max_compute_units: u64,
    /// The most sub-groups in a work-group.
    pub max_sub_groups: u64,
    /// Bytes of global memory.
    pub global_mem_size: u64,
    /// Bytes of local memory of one work-group.
    pub local_mem_size: u64,
    /// Bytes of the largest allocation.
    pub max_mem_alloc_size: u64,
    /// The clock in MHz; 0 if it is not known.
    pub max_clock_frequency_mhz: u64,
    /// Bits of an address.
    pub address_bits: u64,
    /// The alignment of buffers in bits.
    pub mem_base_addr_align_bits: u64,
    /// Bytes of a cache line.
    pub cache_line_size: u64,
    /// Bytes of the last cache; 0 if that is not known.
    pub cache_size: u64,
    /// Bytes of the largest closure.
    pub max_parameter_size: u64,
    /// Nanoseconds of a step of the profiling clock.
    pub profiling_timer_resolution: u64,
    /// Names of the backend's own extensions that the device has.
    pub extensions: Vec<String>,
    /// Why it runs no kernels whatever it can do, for people; empty if it does.
    pub runs_nothing: String,
}

/// The fixed facts of a platform.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlatformFacts {
    /// The platform's name.
    pub name: String,
    /// Its maker.
    pub vendor: String,
    /// Its version.
    pub version: String,
    /// Names of the backend's own extensions that the platform has.
    pub extensions: Vec<String>,
}

/// A backend: one platform with its devices.
pub trait Backend {
    /// Which backend this is.
    fn kind(&self) -> BackendKind;
    /// The platform's facts.
    fn platform(&self) -> PlatformFacts;
    /// Its devices, always in the same order.
    fn devices(&self) -> Vec<Arc<dyn RawDevice>>;
}

/// The kinds of USM allocations (`aspen_usm_kind_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum UsmKind {
    /// Memory of the host that devices may access.
    Host = 0,
    /// Memory of one device.
    Device = 1,
    /// Memory that moves between host and device.
    Shared = 2,
}

/// The objects of a backend's own interface that programs may ask for (`aspen_native_t`). Source: SYCL 2020 §4.5.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Native {
    /// Its platform.
    Platform = 0,
    /// The device itself.
    Device = 1,
    /// The context in which kernels run and memory lies.
    Context = 2,
    /// A queue of the device in that context.
    Queue = 3,
    /// A command's end.
    Event = 4,
    /// Memory.
    Memory = 5,
    /// A program.
    Program = 6,
    /// A kernel.
    Kernel = 7,
}

impl Native {
    /// The object of that `aspen_native_t`.
    pub fn from_number(number: i32) -> Option<Native> {
        use Native::{Context, Device, Event, Kernel, Memory, Platform, Program, Queue};
        [Platform, Device, Context, Queue, Event, Memory, Program, Kernel].into_iter().find(|native| *native as i32 == number)
    }
}

/// A part of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Portion {
    /// So many of its compute units.
    Units(u64),
    /// Those of the NUMA node with that index, of [`RawDevice::nodes`].
    Node(usize),
}

/// Memory that only an object of the backend's own interface names (`cl_mem`). Dropping it gives the object back.
pub trait NativeMemory: Send + Sync {
    /// The object, for as long as this lives.
    fn handle(&self) -> usize;
    /// Copies all of it to the host, and returns when that is done.
    ///
    /// # Safety
    /// `to` is valid for as many bytes as it was made for.
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn read(&self, to: *mut u8) -> Result<()>;
    /// Copies all of it from the host, and returns when that is done.
    ///
    /// # Safety
    /// As [`NativeMemory::read`].
    ///
    /// # Errors
    /// What the driver says.
    unsafe fn write(&self, from: *const u8) -> Result<()>;
}

/// How well an image suits a device; of several images the greatest is taken. Source: issue 6 "Image choice".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fit {
    /// The driver compiles it when it is loaded.
    JustInTime,
    /// Machine code; of several the one with the highest level, as backends count them.
    AheadOfTime {
        /// 0 for code that runs on every device of its kind, more for code made for this one.
        level: u32,
    },
}

/// An image to load.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// For messages.
    pub name: &'a str,
    /// The image. SPIR-V is specialised for the device already, so its bytes also tell what of the linked image the device gets.
    pub image: &'a DeviceImage<'a>,
    /// What the device has, as the active profile presents it: images that decide by it when they are loaded ask for it.
    pub has: &'a AspectSet,
    /// The functions it takes from others: the symbol, and the index of the part that exports it.
    pub imports: &'a [(String, usize)],
}

/// A device as it really is; profiles are the runtime's business.
pub trait RawDevice: Send + Sync {
    /// Its type.
    fn device_type(&self) -> DeviceType;
    /// What it can do. Sub-group and work-group limits are known (`Some`).
    fn capabilities(&self) -> &Capabilities;
    /// Its other facts.
    fn facts(&self) -> &Facts;
    /// How well it takes the image; `None` if not at all. Only strings of the container are looked at: the choice comes before the check,
    /// and nothing of an image is read before that.
    fn fit(&self, image: &DeviceImage<'_>) -> Option<Fit>;
    /// Whether it can run a kernel with exactly that sub-group size, although a profile may list other sizes. Source: DESIGN §7.22.
    fn runs_sub_group_size(&self, size: u32) -> bool;
    /// The sub-group size of kernels that require none; `None` if whoever compiles them chooses.
    fn default_sub_group_size(&self) -> Option<u32> {
        None
    }
    /// Loads an image, the first part, with those it imports functions from. All parts fit the device and are of one kind.
    ///
    /// # Errors
    /// [`Code::Build`] if they cannot be loaded, with what the compiler or loader says.
    fn load(&self, parts: &[Part<'_>]) -> Result<Arc<dyn Program>>;
    /// Allocates memory that kernels can access, at least one byte.
    ///
    /// # Errors
    /// [`Code::MemoryAllocation`] when there is none left, or what else the driver says.
    fn allocate(&self, kind: UsmKind, layout: Layout) -> Result<NonNull<u8>>;
    /// Gives memory back.
    ///
    /// # Safety
    /// `pointer` comes from [`RawDevice::allocate`] of this device with the same layout, and nothing uses it any more.
    unsafe fn free(&self, pointer: NonNull<u8>, layout: Layout);
    /// The same of memory of [`UsmKind::Device`] that nothing in the device's queue uses either, so that it may be given again at once.
    ///
    /// # Safety
    /// As [`RawDevice::free`].
    unsafe fn free_idle(&self, pointer: NonNull<u8>, layout: Layout) {
        // SAFETY: by this function's contract.
        unsafe { self.free(pointer, layout) };
    }
    /// Whether [`RawDevice::allocate`] ever gives memory of [`UsmKind::Device`].
    fn has_memory(&self) -> bool {
        true
    }
    /// Whether variables of an image keep what a kernel writes there, as device globals need it.
    fn keeps_variables(&self) -> bool {
        true
    }
    /// Whether kernels reach all memory of the host as it is. Buffers then need no copy on the device.
    fn shares_host_memory(&self) -> bool;
    /// The device as one with this part of its compute units only; `None` if it cannot be divided so.
    fn portion(&self, _portion: Portion) -> Option<Arc<dyn RawDevice>> {
        None
    }
    /// How many NUMA nodes its compute units lie in; 0 if it does not know.
    fn nodes(&self) -> usize {
        0
    }
    /// Whether it has anything to gain from [`RawDevice::get_ready`] and from loading kernels before they are launched.
    fn gets_ready(&self) -> bool {
        false
    }
    /// Makes what its first command would have to make. Failures are left to that.
    fn get_ready(&self) {}
    /// Called by each thread of a part before it runs anything, on that thread: to bring it where the part's compute units are.
    fn begin_thread(&self) {}
    /// An object of the backend's own interface; the caller gets a reference of its own if it wants to `retain` it and the interface counts.
    /// `None` if the backend has no such object.
    ///
    /// # Errors
    /// What the driver says.
    fn native(&self, _what: Native, _retain: bool) -> Result<Option<usize>> {
        Ok(None)
    }
    /// Whether its kernels may access what [`RawDevice::allocate`] of another device of the same backend gives as that device's memory. `other`: the
    /// other's [`Native::Device`].
    fn reaches(&self, _other: usize) -> bool {
        false
    }
    /// The backend's own interface, if programs may use it beside SYCL.
    fn interop(&self) -> Option<&dyn Interop> {
        None
    }
    /// Copies between any two of memory of the host and of this device, and returns when that is done.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes; they may overlap if both are memory of the host.
    ///
    /// # Errors
    /// If the driver fails.
    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()>;
    /// Repeats `pattern` `count` times in memory of the host or of this device, and returns when that is done.
    ///
    /// # Safety
    /// `to` is valid for `pattern.len() * count` bytes.
    ///
    /// # Errors
    /// If the driver fails.
    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()>;
    /// How many bytes its [`Deferred`] jobs bring from the host ahead of themselves ([`Deferred::enqueue_behind`]); 0 if none. Their chain is this
    /// device's alone.
    fn most_ahead(&self) -> usize {
        0
    }
    /// Copies from memory of this device to the host's as soon as the event is over, and returns when that is done. `None` if nothing was done:
    /// the event is not this device's, or the device has nothing better than to wait for it first.
    ///
    /// # Safety
    /// Both ranges are valid for `size` bytes.
    unsafe fn copy_behind(&self, _event: &Arc<dyn DeviceEvent>, _to: *mut u8, _from: *const u8, _size: usize) -> Option<Result<()>> {
        None
    }
    /// [`RawDevice::copy`] as a job for the device's own queue; `None` if it has none.
    ///
    /// # Safety
    /// Both ranges stay valid for `size` bytes until the job is over.
    unsafe fn copy_later(&self, _to: *mut u8, _from: *const u8, _size: usize) -> Option<Arc<dyn Deferred>> {
        None
    }
    /// [`RawDevice::fill`] as a job for the device's own queue; `None` if it has none for such a pattern.
    ///
    /// # Safety
    /// `to` stays valid for `pattern.len() * count` bytes until the job is over.
    unsafe fn fill_later(&self, _to: *mut u8, _pattern: &[u8], _count: usize) -> Option<Arc<dyn Deferred>> {
        None
    }
}

/// [`RawDevice::copy`] for devices whose memory is the host's.
///
/// # Safety
/// Both ranges are valid for `size` bytes; they may overlap.
pub unsafe fn copy_on_host(to: *mut u8, from: *const u8, size: usize) {
    if size > 0 {
        // SAFETY: as this function's contract.
        unsafe { std::ptr::copy(from, to, size) };
    }
}

/// Bytes of a pattern that are made on the host at once where a driver cannot repeat it.
const PATTERN_BLOCK: usize = 1 << 20;

/// [`RawDevice::fill`] for patterns that a driver cannot repeat, by a device's `copy(to, from, bytes)`.
///
/// # Safety
/// `to` is valid for `pattern.len() * count` bytes.
///
/// # Errors
/// Those of `copy`.
pub unsafe fn fill_by_copies(
    to: *mut u8,
    pattern: &[u8],
    count: usize,
    copy: impl Fn(*mut u8, *const u8, usize) -> Result<()>,
) -> Result<()> {
    let total = pattern.len() * count;
    if total == 0 {
        return Ok(());
    }
    let block = pattern.repeat((PATTERN_BLOCK / pattern.len()).clamp(1, count));
    let mut done = 0;
    while done < total {
        let next = block.len().min(total - done);
        // SAFETY: inside the range that is valid by this function's contract.
        copy(unsafe { to.add(done) }, block.as_ptr(), next)?;
        done += next;
    }
    Ok(())
}

/// [`RawDevice::fill`] for devices whose memory is the host's.
///
/// # Safety
/// `to` is valid for `pattern.len() * count` bytes.
pub unsafe fn fill_on_host(to: *mut u8, pattern: &[u8], count: usize) {
    let total = pattern.len() * count;
    if total == 0 {
        return;
    }
    if let [byte] = pattern {
        // SAFETY: as this function's contract.
        return unsafe { to.write_bytes(*byte, count) };
    }
    // SAFETY: the first pattern fits, since count is at least 1.
    unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), to, pattern.len()) };
    let mut done = pattern.len();
    while done < total {
        let next = done.min(total - done);
        // SAFETY: source [0, next) and destination [done, done + next) are inside the range and do not overlap, as next <= done.
        unsafe { std::ptr::copy_nonoverlapping(to.cast_const(), to.add(done), next) };
        done += next;
    }
}

/// A loaded image, with those it imports from.
pub trait Program: Send + Sync {
    /// A kernel of the image by its symbol, or of one that it imports from.
    ///
    /// # Errors
    /// [`Code::Build`] if the image does not define it.
    fn kernel(&self, symbol: &str) -> Result<Arc<dyn Kernel>>;
    /// Learns where its kernels tell of failed assertions, before any but the one that exchanges device globals runs. Devices that end a kernel there
    /// themselves need no word; of others, whoever learns that a kernel is over calls [`AssertionWord::check`].
    fn report_assertions(&self, _word: AssertionWord) {}
}

/// A kernel that takes smaller work-groups than its device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupLimit {
    /// The most work-items of a group.
    pub items: u64,
    /// Why, for people; the text follows "since".
    pub why: String,
}

/// A kernel of a loaded image. It keeps its program loaded.
pub trait Kernel: Send + Sync {
    /// The limit of its work-groups in launches over ND-ranges, where that is less than the device's.
    fn group_limit(&self) -> Option<&GroupLimit> {
        None
    }
    /// Prepares a launch. `threads` is how many threads may run chunks at once.
    ///
    /// # Errors
    /// If the launch cannot be prepared, for lack of memory for instance.
    fn prepare(&self, launch: Launch, threads: usize) -> Result<Task>;
    /// The kernel or its program in the backend's own interface, with a reference for the caller; `None` if it has no such object.
    ///
    /// # Errors
    /// What the driver says.
    fn native(&self, _what: Native) -> Result<Option<usize>> {
        Ok(None)
    }
}

/// A launch that threads of the host run: chunks that any thread may run in any order, each once.
pub trait Job: Send + Sync {
    /// How many chunks there are; may be 0.
    fn chunks(&self) -> usize;
    /// Runs one chunk on the calling thread.
    ///
    /// # Errors
    /// What went wrong in the kernel; becomes an asynchronous error.
    fn run(&self, chunk: usize) -> Result<()>;
    /// How long all chunks together should take one thread, in nanoseconds; `None` before anything is known of the kernel.
    fn expected_ns(&self) -> Option<u64>;
    /// How long all chunks together took, in nanoseconds of the threads that ran them.
    fn took_ns(&self, ns: u64);
    /// Whether chunks may wait for each other, so that as many threads as there are must come, however short the job was the last time.
    fn needs_threads(&self) -> bool {
        false
    }
    /// Whether no chunk waits for anything, so that they may begin in any order.
    fn waits_for_nothing(&self) -> bool {
        false
    }
    /// Whether all chunks together come to an end whatever other threads do, and sooner than another thread would begin: then the submission may
    /// run them.
    fn is_brief(&self) -> bool {
        false
    }
}

/// What a kernel makes of a launch.
pub enum Task {
    /// Chunks for threads of the host.
    Job(Box<dyn Job>),
    /// Something for the device's own queue.
    Deferred(Arc<dyn Deferred>),
}

/// How a kernel is invoked (`aspen_launch_kind_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum LaunchKind {
    /// `single_task`.
    SingleTask = 0,
    /// `parallel_for(range)`.
    Range = 1,
    /// `parallel_for(nd_range)`.
    NdRange = 2,
    /// `parallel_for_work_group`; `global` counts groups.
    WorkGroups = 3,
}

/// A launch that has passed every check. Arrays are in SYCL order and right-aligned: a 1-D launch uses index 2.
#[derive(Debug)]
pub struct Launch {
    /// The kernel's name for people.
    pub name: Arc<str>,
    /// How it is invoked.
    pub kind: LaunchKind,
    /// Work-items (for [`LaunchKind::WorkGroups`]: groups); the product does not overflow.
    pub global: [u64; 3],
    /// The work-group; divides `global` for [`LaunchKind::NdRange`]; 0 where the device chooses.
    pub local: [u64; 3],
    /// Added to the ids.
    pub offset: [u64; 3],
    /// Bytes of local memory, at most the device's.
    pub local_memory: u64,
    /// The kernel's `reqd_sub_group_size`, else a size the active profile suggests, else `None`.
    pub sub_group_size: Option<u32>,
    /// The functor.
    pub closure: Closure,
}
