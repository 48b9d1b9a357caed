//! Platforms and devices, and memory that their kernels reach.

use std::alloc::Layout;
use std::ptr::{self, NonNull};
use std::sync::{Arc, OnceLock};

use aspen_contract::Capabilities;
use aspen_runtime::backend::{
    Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, Part, PlatformFacts, Program, RawDevice, UsmKind, copy_on_host, fill_on_host,
};
use aspen_runtime::cache::{CacheKey, ProgramCache};
use aspen_runtime::{Code, Error, Result};

use crate::answers::{Answers, platform_text};
use crate::capabilities::{capabilities, facts as device_facts};
use crate::fit::fit;
use crate::handles::{Context, DeviceId, Failure, PlatformId, Queue, Tried, device_ids, platform_ids};
use crate::identity::Identity;
use crate::program::Image;
use crate::sys::{self, Api, Usm, cl_uint};

/// The longest pattern that `clEnqueueMemFillINTEL` repeats.
const LONGEST_PATTERN: usize = 128;
/// Bytes of a pattern that are made on the host at once where the driver cannot repeat it.
const PATTERN_BLOCK: usize = 1 << 20;

/// A platform with its devices.
pub(crate) struct Platform {
    facts: PlatformFacts,
    devices: Vec<Arc<Device>>,
}

/// What the devices of a platform have in common.
struct Common {
    api: &'static Api,
    usm: Option<Usm>,
    platform: PlatformId,
    ids: Vec<DeviceId>,
    cache: Option<Arc<ProgramCache>>,
    /// Made when the first command needs it: most programs only look at a device.
    context: OnceLock<Tried<Arc<Context>>>,
}

/// A device.
pub(crate) struct Device {
    common: Arc<Common>,
    id: DeviceId,
    answers: Answers,
    capabilities: Capabilities,
    facts: Facts,
    queue: OnceLock<Tried<Queue>>,
    identity: OnceLock<Identity>,
}

/// All platforms. One that fails to answer is left out, with a line in the log.
pub(crate) fn platforms(api: &'static Api, cache: Option<&Arc<ProgramCache>>) -> Vec<Platform> {
    let ids = platform_ids(api).unwrap_or_else(|failure| {
        tracing::warn!(%failure, "OpenCL has no platforms");
        Vec::new()
    });
    ids.into_iter()
        .filter_map(|id| {
            let text = |what| platform_text(api, id.0, what);
            let facts =
                PlatformFacts { name: text(sys::PLATFORM_NAME), vendor: text(sys::PLATFORM_VENDOR), version: text(sys::PLATFORM_VERSION) };
            let ids = device_ids(api, id)
                .map_err(|failure| tracing::warn!(platform = facts.name, %failure, "an OpenCL platform is left out"))
                .ok()?;
            let usm = Usm::of(api, id.0);
            let found: Vec<(DeviceId, Answers)> = ids
                .into_iter()
                .filter_map(|id| match Answers::ask(api, id.0, usm.is_some()) {
                    Ok(answers) if answers.available => Some((id, answers)),
                    Ok(answers) => {
                        tracing::warn!(device = answers.name, "an OpenCL device is left out: it is not available");
                        None
                    }
                    Err(error) => {
                        tracing::warn!(platform = facts.name, error, "an OpenCL device is left out");
                        None
                    }
                })
                .collect();
            let (ids, cache) = (found.iter().map(|(id, _)| *id).collect(), cache.cloned());
            let common = Arc::new(Common { api, usm, platform: id, ids, cache, context: OnceLock::new() });
            let device = |(id, answers): (DeviceId, Answers)| {
                let (capabilities, facts) = (capabilities(&answers), device_facts(&answers, &facts.version));
                let identity = OnceLock::new();
                Arc::new(Device { common: common.clone(), id, answers, capabilities, facts, queue: OnceLock::new(), identity })
            };
            Some(Platform { devices: found.into_iter().map(device).collect(), facts })
        })
        .collect()
}

impl Backend for Platform {
    fn kind(&self) -> BackendKind {
        BackendKind::OpenCl
    }

    fn platform(&self) -> PlatformFacts {
        self.facts.clone()
    }

    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        self.devices.iter().map(|device| Arc::new(Handle(device.clone())) as Arc<dyn RawDevice>).collect()
    }
}

/// What the runtime holds: programs keep their device, so the device must be able to give away a share of itself.
struct Handle(Arc<Device>);

impl Device {
    pub(crate) fn name(&self) -> &str {
        &self.facts.name
    }

    pub(crate) fn id(&self) -> DeviceId {
        self.id
    }

    /// An error that names the device.
    pub(crate) fn error(&self, code: Code, failure: impl std::fmt::Display) -> Error {
        Error::new(code, format!("OpenCL device '{}': {failure}", self.name()))
    }

    pub(crate) fn tried_context(&self) -> Tried<&Arc<Context>> {
        let create = || Context::create(self.common.api, self.common.platform, &self.common.ids);
        self.common.context.get_or_init(create).as_ref().map_err(|failure| *failure)
    }

    fn context(&self) -> Result<&Arc<Context>> {
        self.tried_context().map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// The queue that all commands go through.
    pub(crate) fn queue(&self) -> Result<&Queue> {
        let context = self.context()?;
        let out_of_order = self.answers.queue_properties & sys::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let queue = self.queue.get_or_init(|| Queue::create(context, self.id, out_of_order));
        queue.as_ref().map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// Where programs are kept, and the key of one of these modules.
    pub(crate) fn cached<'m>(&self, modules: impl IntoIterator<Item = &'m [u8]>) -> Option<(&ProgramCache, CacheKey)> {
        let cache = self.common.cache.as_deref()?;
        let identity = self.identity.get_or_init(|| Identity::of(&self.answers, &self.facts.backend_version));
        Some((cache, identity.key(modules)))
    }

    /// What kernels must be told that they may reach through pointers inside their functor.
    pub(crate) fn indirect_accesses(&self) -> Vec<cl_uint> {
        let mut out = Vec::new();
        if self.common.usm.is_some() {
            for (capability, access) in [
                (self.answers.usm_host, sys::KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL),
                (self.answers.usm_device, sys::KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL),
                (self.answers.usm_shared, sys::KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL),
            ] {
                if capability & sys::UNIFIED_SHARED_MEMORY_ACCESS != 0 {
                    out.push(access);
                }
            }
        }
        if self.answers.svm & sys::SVM_FINE_GRAIN_SYSTEM != 0 {
            out.push(sys::KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM);
        }
        out
    }

    /// Whether kernels may require a sub-group size.
    pub(crate) fn has_sub_group_sizes(&self) -> bool {
        !self.answers.sub_group_sizes.is_empty()
    }

    fn allocate(&self, usm: &Usm, kind: UsmKind, layout: Layout) -> Result<*mut u8> {
        let context = self.context()?.handle();
        let (size, mut error) = (layout.size(), sys::SUCCESS);
        let alignment = cl_uint::try_from(layout.align()).map_err(|_| self.error(Code::MemoryAllocation, "the alignment is too large"))?;
        // SAFETY: a context with this device, and no properties.
        let pointer = unsafe {
            match kind {
                UsmKind::Host => (usm.clHostMemAllocINTEL)(context, ptr::null(), size, alignment, &mut error),
                UsmKind::Device => (usm.clDeviceMemAllocINTEL)(context, self.id.0, ptr::null(), size, alignment, &mut error),
                UsmKind::Shared => (usm.clSharedMemAllocINTEL)(context, self.id.0, ptr::null(), size, alignment, &mut error),
            }
        };
        if error == sys::SUCCESS {
            return Ok(pointer.cast());
        }
        Err(self.error(Code::MemoryAllocation, Failure { call: "allocation of USM", error }))
    }

    /// Copies by the driver, which alone reaches its memory.
    ///
    /// # Safety
    /// As `RawDevice::copy`.
    unsafe fn copy(&self, usm: &Usm, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        let queue = self.queue()?;
        let mut event = ptr::null_mut();
        // SAFETY: valid for `size` bytes by this function's contract; no events to wait for.
        let error = unsafe { (usm.clEnqueueMemcpyINTEL)(queue.handle(), 0, to.cast(), from.cast(), size, 0, ptr::null(), &mut event) };
        if error != sys::SUCCESS {
            return Err(self.error(Code::Runtime, Failure { call: "clEnqueueMemcpyINTEL", error }));
        }
        queue.wait(event).map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// # Safety
    /// As `RawDevice::fill`.
    unsafe fn fill(&self, usm: &Usm, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        let total = pattern.len() * count;
        if total == 0 {
            return Ok(());
        }
        let by_driver = pattern.len().is_power_of_two() && pattern.len() <= LONGEST_PATTERN && (to as usize).is_multiple_of(pattern.len());
        if !by_driver {
            let repeats = (PATTERN_BLOCK / pattern.len()).clamp(1, count);
            let block = pattern.repeat(repeats);
            let mut done = 0;
            while done < total {
                let next = block.len().min(total - done);
                // SAFETY: inside the range that is valid by this function's contract.
                unsafe { self.copy(usm, to.add(done), block.as_ptr(), next) }?;
                done += next;
            }
            return Ok(());
        }
        let queue = self.queue()?;
        let mut event = ptr::null_mut();
        // SAFETY: valid for `total` bytes by this function's contract, aligned as the extension wants it; no events to wait for.
        let error = unsafe {
            let fill = usm.clEnqueueMemFillINTEL;
            fill(queue.handle(), to.cast(), pattern.as_ptr().cast(), pattern.len(), total, 0, ptr::null(), &mut event)
        };
        if error != sys::SUCCESS {
            return Err(self.error(Code::Runtime, Failure { call: "clEnqueueMemFillINTEL", error }));
        }
        queue.wait(event).map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// The functions of USM if the device has any.
    fn usm(&self) -> Option<&Usm> {
        self.common.usm.as_ref().filter(|_| self.answers.has_usm())
    }
}

impl RawDevice for Handle {
    fn device_type(&self) -> DeviceType {
        self.0.answers.device_type()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn fit(&self, image: &DeviceImage<'_>) -> Option<Fit> {
        fit(&self.0.answers, image)
    }

    fn runs_sub_group_size(&self, size: u32) -> bool {
        self.0.capabilities.sub_group_sizes.as_ref().is_some_and(|sizes| sizes.contains(&size))
    }

    fn load(&self, parts: &[Part<'_>]) -> Result<Arc<dyn Program>> {
        Ok(Arc::new(Image::build(&self.0, parts)?))
    }

    fn allocate(&self, kind: UsmKind, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() == 0 {
            return None;
        }
        let allocated = self.0.allocate(self.0.usm()?, kind, layout);
        // The interface has no place for the reason: null is what SYCL wants.
        allocated.map_err(|error| tracing::warn!(%error, size = layout.size(), "no USM")).ok().and_then(NonNull::new)
    }

    unsafe fn free(&self, pointer: NonNull<u8>, _: Layout) {
        let (Some(usm), Ok(context)) = (self.0.usm(), self.0.context()) else { return };
        // SAFETY: from `allocate` in this context, and unused, by the contract of `RawDevice::free`.
        let error = unsafe { (usm.clMemFreeINTEL)(context.handle(), pointer.as_ptr().cast()) };
        if error != sys::SUCCESS {
            tracing::warn!(device = self.0.name(), failure = %Failure { call: "clMemFreeINTEL", error }, "memory is lost");
        }
    }

    fn shares_host_memory(&self) -> bool {
        self.0.answers.has_system_memory()
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        match self.0.usm() {
            // SAFETY: by the contract of `RawDevice::copy`.
            Some(usm) => unsafe { self.0.copy(usm, to, from, size) },
            // Without USM there is no memory but the host's.
            None => {
                // SAFETY: as above.
                unsafe { copy_on_host(to, from, size) };
                Ok(())
            }
        }
    }

    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        match self.0.usm() {
            // SAFETY: by the contract of `RawDevice::fill`.
            Some(usm) => unsafe { self.0.fill(usm, to, pattern, count) },
            None => {
                // SAFETY: as above.
                unsafe { fill_on_host(to, pattern, count) };
                Ok(())
            }
        }
    }
}
