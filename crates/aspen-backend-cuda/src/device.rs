//! The platform, its devices, and memory that their kernels reach.

use std::alloc::Layout;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use aspen_contract::Capabilities;
use aspen_runtime::backend::{
    Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, Native, Part, PlatformFacts, Program, RawDevice, UsmKind, copy_on_host,
    fill_on_host,
};
use aspen_runtime::native::Interop;
use aspen_runtime::{Code, Error, Result};
use cudarc::driver::sys::{self, CUcontext, CUdevice, CUpointer_attribute, CUresult, CUstream};

use crate::answers::Answers;
use crate::capabilities::{capabilities, facts};
use crate::driver::{Context, Driver, Failure, Stream, Tried, tried};
use crate::fill::{self, Way, way};
use crate::fit::fit;
use crate::program::Image;

/// What `cuMemHostAlloc` calls its flags: memory for all contexts, with a device address.
const PORTABLE_AND_MAPPED: u32 = 0x01 | 0x02;

/// The driver with its devices.
pub(crate) struct Platform {
    facts: PlatformFacts,
    devices: Vec<Arc<Device>>,
}

/// A device.
pub(crate) struct Device {
    driver: Driver,
    id: CUdevice,
    answers: Answers,
    capabilities: Capabilities,
    facts: Facts,
    /// Made when the first command needs it: most programs only look at a device, and a context takes a second and much memory.
    context: OnceLock<Tried<Context>>,
    /// What fills memory with patterns that the driver has no function for.
    fill: OnceLock<Tried<fill::Kernel>>,
    /// The stream of programs that use CUDA beside SYCL.
    native: OnceLock<Tried<Stream>>,
    /// Streams that nobody uses at the moment.
    streams: Mutex<Vec<Stream>>,
    /// What was allocated, by address: the driver has a function of its own for each kind.
    allocated: Mutex<HashMap<usize, UsmKind>>,
}

/// The platform, if it has devices. A device that fails to answer is left out, with a line in the log.
pub(crate) fn platform(driver: Driver) -> Option<Platform> {
    let ids = driver.devices().unwrap_or_else(|failure| {
        tracing::warn!(%failure, "CUDA has no devices");
        Vec::new()
    });
    let device = |id| {
        let answers = Answers::ask(driver, id).map_err(|failure| tracing::warn!(id, %failure, "a CUDA device is left out")).ok()?;
        Some(Arc::new(Device {
            driver,
            id,
            capabilities: capabilities(&answers),
            facts: facts(&answers),
            answers,
            context: OnceLock::new(),
            fill: OnceLock::new(),
            native: OnceLock::new(),
            streams: Mutex::default(),
            allocated: Mutex::default(),
        }))
    };
    let devices: Vec<Arc<Device>> = ids.into_iter().filter_map(device).collect();
    let version = devices.first()?.facts.backend_version.clone();
    Some(Platform {
        facts: PlatformFacts { name: "NVIDIA CUDA".into(), vendor: "NVIDIA Corporation".into(), version, extensions: Vec::new() },
        devices,
    })
}

impl Backend for Platform {
    fn kind(&self) -> BackendKind {
        BackendKind::Cuda
    }

    fn platform(&self) -> PlatformFacts {
        self.facts.clone()
    }

    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        self.devices.iter().map(|device| Arc::new(Handle(device.clone())) as Arc<dyn RawDevice>).collect()
    }
}

/// What the runtime holds: programs keep their device, so the device must be able to give away a share of itself.
pub(crate) struct Handle(pub(crate) Arc<Device>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    pub(crate) fn name(&self) -> &str {
        &self.facts.name
    }

    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// An error that names the device.
    pub(crate) fn error(&self, code: Code, failure: impl std::fmt::Display) -> Error {
        Error::new(code, format!("CUDA device '{}': {failure}", self.name()))
    }

    /// Calls the driver in this device's context.
    pub(crate) fn enter<T>(&self, call: impl FnOnce() -> Tried<T>) -> Tried<T> {
        self.context()?.enter(call)
    }

    fn context(&self) -> Tried<&Context> {
        self.context.get_or_init(|| Context::retain(self.driver, self.id)).as_ref().map_err(|failure| *failure)
    }

    /// An object of the driver's that programs may use beside SYCL.
    fn native(&self, what: Native) -> Tried<Option<usize>> {
        Ok(match what {
            Native::Platform => None,
            Native::Device => usize::try_from(self.id).ok(),
            Native::Context => Some(self.context()?.raw().expose_provenance()),
            Native::Queue => Some(self.native_stream()?.expose_provenance()),
            Native::Event | Native::Memory | Native::Program | Native::Kernel => None,
        })
    }

    /// The stream of programs that use CUDA beside SYCL.
    pub(crate) fn native_stream(&self) -> Tried<CUstream> {
        let stream = self.native.get_or_init(|| self.enter(Stream::create));
        stream.as_ref().map(|stream| stream.0).map_err(|failure| *failure)
    }

    /// Its primary context, in which kernels run.
    pub(crate) fn primary(&self) -> Tried<CUcontext> {
        self.context().map(Context::raw)
    }

    pub(crate) fn id(&self) -> CUdevice {
        self.id
    }

    /// Submits to a stream of its own and returns when all of that is done.
    pub(crate) fn on_stream(&self, submit: impl FnOnce(CUstream) -> Tried<()>) -> Tried<()> {
        self.enter(|| {
            let spare = lock(&self.streams).pop();
            let stream = spare.map_or_else(Stream::create, Ok)?;
            submit(stream.0)?;
            stream.finish()?;
            lock(&self.streams).push(stream);
            Ok(())
        })
    }

    fn allocate(&self, kind: UsmKind, layout: Layout) -> Tried<NonNull<u8>> {
        let size = layout.size();
        let address = self.enter(|| match kind {
            UsmKind::Device => {
                let mut address = 0;
                // SAFETY: in this device's context, with room for the answer; so are the other two.
                tried("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, size) })?;
                Ok(address)
            }
            UsmKind::Shared => {
                let mut address = 0;
                let flags = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL as u32;
                // SAFETY: as above.
                tried("cuMemAllocManaged", unsafe { sys::cuMemAllocManaged(&mut address, size, flags) })?;
                Ok(address)
            }
            UsmKind::Host => {
                let mut pointer = std::ptr::null_mut();
                // SAFETY: as above.
                tried("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut pointer, size, PORTABLE_AND_MAPPED) })?;
                Ok(pointer as u64)
            }
        })?;
        let pointer = NonNull::new(address as *mut u8).filter(|pointer| pointer.addr().get().is_multiple_of(layout.align()));
        let Some(pointer) = pointer else {
            self.release(address, kind)?;
            return Err(Failure { call: "alignment of USM", error: CUresult::CUDA_ERROR_MISALIGNED_ADDRESS });
        };
        lock(&self.allocated).insert(pointer.addr().get(), kind);
        Ok(pointer)
    }

    fn release(&self, address: u64, kind: UsmKind) -> Tried<()> {
        self.enter(|| match kind {
            // SAFETY: allocated by the function that belongs to this one, and unused.
            UsmKind::Host => tried("cuMemFreeHost", unsafe { sys::cuMemFreeHost(address as *mut _) }),
            // SAFETY: as above.
            UsmKind::Device | UsmKind::Shared => tried("cuMemFree", unsafe { sys::cuMemFree_v2(address) }),
        })
    }

    /// Whether the address is memory of the host that the driver does not move: its own or any other.
    fn is_on_host(&self, address: u64) -> bool {
        let (mut kind, mut managed) = (0_u32, 0_u32);
        let asked = self.enter(|| {
            let ask = |what, into: &mut u32| {
                // SAFETY: both answers are 32 bits wide; any address may be asked for.
                tried("cuPointerGetAttribute", unsafe { sys::cuPointerGetAttribute(std::ptr::from_mut(into).cast(), what, address) })
            };
            ask(CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, &mut kind)?;
            ask(CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED, &mut managed)
        });
        // An address that the driver does not know is the host's.
        asked.is_err() || (kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32 && managed == 0)
    }

    /// # Safety
    /// As `RawDevice::copy`.
    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        if self.is_on_host(to as u64) && self.is_on_host(from as u64) {
            // SAFETY: valid by this function's contract.
            unsafe { copy_on_host(to, from, size) };
            return Ok(());
        }
        // SAFETY: valid for `size` bytes by this function's contract. Addresses mean the same on host and device.
        let submit = |stream| tried("cuMemcpyAsync", unsafe { sys::cuMemcpyAsync(to as u64, from as u64, size, stream) });
        self.on_stream(submit).map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// # Safety
    /// As `RawDevice::fill`.
    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        if pattern.len() * count == 0 {
            return Ok(());
        }
        if self.is_on_host(to as u64) {
            // SAFETY: valid by this function's contract.
            unsafe { fill_on_host(to, pattern, count) };
            return Ok(());
        }
        let (address, total) = (to as u64, pattern.len() * count);
        // What is copied stays until the stream is done.
        let way = way(address, pattern, count);
        let first = if way == Way::Copies { fill::first_copy(pattern, count) } else { Vec::new() };
        let submit = |stream| {
            // SAFETY: in all of them: valid for `count` patterns by this function's contract, aligned as the way wants.
            unsafe {
                match &way {
                    Way::Bytes(byte, count) => tried("cuMemsetD8Async", sys::cuMemsetD8Async(address, *byte, *count, stream)),
                    Way::Halves(value, count) => tried("cuMemsetD16Async", sys::cuMemsetD16Async(address, *value, *count, stream)),
                    Way::Words(value, count) => tried("cuMemsetD32Async", sys::cuMemsetD32Async(address, *value, *count, stream)),
                    Way::Quads(quads) => (*self.fill.get_or_init(fill::Kernel::load))?.submit(address, quads, stream),
                    Way::Copies => fill::submit_copies(address, &first, total, stream),
                }
            }
        };
        self.on_stream(submit).map_err(|failure| self.error(Code::Runtime, failure))
    }
}

impl RawDevice for Handle {
    fn device_type(&self) -> DeviceType {
        DeviceType::Gpu
    }

    fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn fit(&self, image: &DeviceImage<'_>) -> Option<Fit> {
        fit(self.0.answers.processor, image)
    }

    fn runs_sub_group_size(&self, size: u32) -> bool {
        size == self.0.answers.warp_size
    }

    fn default_sub_group_size(&self) -> Option<u32> {
        Some(self.0.answers.warp_size)
    }

    fn load(&self, parts: &[Part<'_>]) -> Result<Arc<dyn Program>> {
        Ok(Arc::new(Image::load(&self.0, parts)?))
    }

    fn allocate(&self, kind: UsmKind, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() == 0 {
            return None;
        }
        let allocated = self.0.allocate(kind, layout);
        // The interface has no place for the reason: null is what SYCL wants.
        allocated.map_err(|failure| tracing::warn!(device = self.0.name(), %failure, size = layout.size(), "no USM")).ok()
    }

    unsafe fn free(&self, pointer: NonNull<u8>, _: Layout) {
        let address = pointer.addr().get();
        let Some(kind) = lock(&self.0.allocated).remove(&address) else { return };
        if let Err(failure) = self.0.release(address as u64, kind)
            && !failure.is_the_end()
        {
            tracing::warn!(device = self.0.name(), %failure, "memory is lost");
        }
    }

    fn shares_host_memory(&self) -> bool {
        // A GPU behind a bus may reach the host's memory too, but not as it is: pages move.
        self.0.answers.pageable_memory_access && self.0.answers.host_page_tables
    }

    fn native(&self, what: Native, _retain: bool) -> Result<Option<usize>> {
        self.0.native(what).map_err(|failure| self.0.error(Code::Runtime, failure))
    }

    fn interop(&self) -> Option<&dyn Interop> {
        Some(self)
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        // SAFETY: by the contract of `RawDevice::copy`.
        unsafe { self.0.copy(to, from, size) }
    }

    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        // SAFETY: by the contract of `RawDevice::fill`.
        unsafe { self.0.fill(to, pattern, count) }
    }
}
