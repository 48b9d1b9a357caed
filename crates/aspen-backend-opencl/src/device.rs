//! Platforms and devices, and memory that their kernels reach.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use aspen_contract::Capabilities;
use aspen_runtime::backend::{
    Backend, BackendKind, DeviceImage, DeviceType, Facts, Fit, Job, Native, Part, PlatformFacts, Program, RawDevice, UsmKind, copy_on_host,
    fill_by_copies, fill_on_host,
};
use aspen_runtime::cache::{CacheKey, ProgramCache};
use aspen_runtime::native::Interop;
use aspen_runtime::{Code, Error, Result};

use crate::answers::{Answers, platform_text};
use crate::capabilities::{capabilities, facts as device_facts};
use crate::fit::fit;
use crate::handles::{Context, DeviceId, Failure, PlatformId, Queue, Tried, device_ids, platform_ids};
use crate::identity::Identity;
use crate::memory::{Known, Memory};
use crate::native;
use crate::program::Image;
use crate::submitted::{Address, Copy, Fill, Later};
use crate::sys::{self, Api, Usm, cl_uint};
use crate::tools::Translator;

/// The longest pattern that `clEnqueueMemFillINTEL` repeats.
const LONGEST_PATTERN: usize = 128;

/// A platform with its devices.
pub(crate) struct Platform {
    facts: PlatformFacts,
    devices: Vec<Arc<Device>>,
}

/// What the devices of a platform have in common.
struct Common {
    api: &'static Api,
    platform: PlatformId,
    ids: Vec<DeviceId>,
    cache: Option<Arc<ProgramCache>>,
    svm: Known,
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
    memory: Option<Memory>,
    translator: Option<Arc<Translator>>,
    /// Without and with profiling.
    queues: [OnceLock<Tried<Queue>>; 2],
    /// Of programs that use OpenCL beside SYCL.
    native_queue: OnceLock<Tried<Queue>>,
    in_flight: AtomicUsize,
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
            let facts = PlatformFacts {
                name: text(sys::PLATFORM_NAME),
                vendor: text(sys::PLATFORM_VENDOR),
                version: text(sys::PLATFORM_VERSION),
                extensions: text(sys::PLATFORM_EXTENSIONS).split_whitespace().map(str::to_owned).collect(),
            };
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
            let common = Arc::new(Common { api, platform: id, ids, cache, svm: Known::default(), context: OnceLock::new() });
            let device = |(id, mut answers): (DeviceId, Answers)| {
                let translator = translator(&answers, &facts.version);
                let runs_nothing = translator.as_ref().err().cloned().unwrap_or_default();
                let translator = translator.ok().flatten();
                answers.translated = translator.is_some();
                let facts = Facts { runs_nothing, ..device_facts(&answers, &facts.version) };
                let capabilities = capabilities(&answers);
                let (memory, common) = (Memory::of(api, usm, &answers), common.clone());
                let (queues, native_queue, in_flight, identity) = Default::default();
                Arc::new(Device { common, id, answers, capabilities, facts, memory, translator, queues, native_queue, in_flight, identity })
            };
            Some(Platform { devices: found.into_iter().map(device).collect(), facts })
        })
        .collect()
}

/// What makes bitcode for a device that takes no SPIR-V.
///
/// # Errors
/// Why the device runs nothing.
fn translator(answers: &Answers, platform: &str) -> std::result::Result<Option<Arc<Translator>>, String> {
    if answers.takes_spirv() {
        return Ok(None);
    }
    let no_spirv = "its driver takes no SPIR-V";
    if !answers.wants_bitcode() {
        return Err(no_spirv.to_owned());
    }
    let found = Translator::for_platform(platform).map_err(|tool| match tool {
        Some(tool) => format!("{no_spirv} but LLVM's bitcode, and {tool}, which makes that, is not in PATH"),
        None => format!("{no_spirv} but LLVM's bitcode, and which LLVM's it does not tell ('{platform}')"),
    })?;
    tracing::debug!(device = answers.name, tool = %found.tool().display(), "takes bitcode");
    Ok(Some(Arc::new(found)))
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
pub(crate) struct Handle(pub(crate) Arc<Device>);

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

    pub(crate) fn api(&self) -> &'static Api {
        self.common.api
    }

    pub(crate) fn platform(&self) -> PlatformId {
        self.common.platform
    }

    pub(crate) fn context(&self) -> Result<&Arc<Context>> {
        self.tried_context().map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// An error that names the device and has OpenCL's code.
    pub(crate) fn failed(&self, code: Code, failure: Failure) -> Error {
        self.error(code, failure).with_native(failure.error)
    }

    /// The queue that all commands go through, or those that are profiled.
    pub(crate) fn queue(&self, profile: bool) -> Result<&Queue> {
        let context = self.context()?;
        let out_of_order = self.answers.queue_properties & sys::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let profile = profile && self.answers.queue_properties & sys::QUEUE_PROFILING_ENABLE != 0;
        let queue = self.queues[usize::from(profile)].get_or_init(|| Queue::create(context, self.id, out_of_order, profile));
        queue.as_ref().map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// A queue whose commands run in the order in which they come.
    pub(crate) fn native_queue(&self) -> Result<&Queue> {
        let context = self.context()?;
        let queue = self.native_queue.get_or_init(|| Queue::create(context, self.id, false, false));
        queue.as_ref().map_err(|failure| self.error(Code::Runtime, failure))
    }

    /// The same number for devices whose events may wait for each other.
    pub(crate) fn chain(&self) -> usize {
        Arc::as_ptr(&self.common).addr()
    }

    /// How many jobs are in its queues.
    pub(crate) fn in_flight(&self) -> &AtomicUsize {
        &self.in_flight
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
        if matches!(self.memory, Some(Memory::Usm(_))) {
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

    /// The memory that each launch must name; `None` where kernels reach all there is without that.
    pub(crate) fn pointers_to_name(&self) -> Option<Vec<*mut c_void>> {
        let all = !self.memory.as_ref().is_some_and(Memory::is_svm) || self.answers.svm & sys::SVM_FINE_GRAIN_SYSTEM != 0;
        (!all).then(|| self.common.svm.pointers())
    }

    /// Whether the driver links programs of SPIR-V; those of bitcode PoCL does not even compile without linking.
    pub(crate) fn can_link(&self) -> bool {
        self.answers.linker_available && self.translator.is_none()
    }

    /// What makes bitcode of SPIR-V, for a driver that takes only that.
    pub(crate) fn translator(&self) -> Option<&Translator> {
        self.translator.as_deref()
    }

    /// Whether kernels may require a sub-group size.
    pub(crate) fn has_sub_group_sizes(&self) -> bool {
        !self.answers.sub_group_sizes.is_empty()
    }

    fn allocate(&self, memory: &Memory, kind: UsmKind, layout: Layout) -> Result<*mut u8> {
        let allocated = memory.allocate(self.context()?.handle(), self.id, kind, layout, &self.common.svm);
        allocated.map_err(|failure| self.error(Code::MemoryAllocation, failure))
    }
}

impl Handle {
    /// A copy by the driver, which alone reaches its memory; `None` where there is none but the host's, or nothing to do.
    fn copying(&self, to: *mut u8, from: *const u8, size: usize) -> Option<Later<Copy>> {
        let memory = self.0.memory.filter(|_| size > 0)?;
        let work = Copy { memory, to: Address(to), from: Address(from.cast_mut()), size };
        Some(Later { device: self.0.clone(), work })
    }

    /// The same for a fill with a pattern that the driver can repeat.
    fn filling(&self, to: *mut u8, pattern: &[u8], count: usize) -> Option<Later<Fill>> {
        let size = pattern.len() * count;
        let fits = pattern.len().is_power_of_two() && pattern.len() <= LONGEST_PATTERN && to.addr().is_multiple_of(pattern.len());
        let memory = self.0.memory.filter(|_| size > 0 && fits)?;
        Some(Later { device: self.0.clone(), work: Fill { memory, to: Address(to), pattern: pattern.to_vec(), size } })
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
        let allocated = self.0.allocate(self.0.memory.as_ref()?, kind, layout);
        // The interface has no place for the reason: null is what SYCL wants.
        allocated.map_err(|error| tracing::warn!(%error, size = layout.size(), "no USM")).ok().and_then(NonNull::new)
    }

    unsafe fn free(&self, pointer: NonNull<u8>, _: Layout) {
        let (Some(memory), Ok(context)) = (&self.0.memory, self.0.context()) else { return };
        // SAFETY: from `allocate` in this context, and unused, by the contract of `RawDevice::free`.
        if let Err(failure) = unsafe { memory.free(context.handle(), pointer.as_ptr(), &self.0.common.svm) } {
            tracing::warn!(device = self.0.name(), %failure, "memory is lost");
        }
    }

    fn has_memory(&self) -> bool {
        self.0.memory.is_some()
    }

    fn keeps_variables(&self) -> bool {
        self.0.answers.max_global_variable_size > 0
    }

    fn shares_host_memory(&self) -> bool {
        self.0.answers.has_system_memory()
    }

    fn native(&self, what: Native, retain: bool) -> Result<Option<usize>> {
        native::handle(&self.0, what, retain)
    }

    fn interop(&self) -> Option<&dyn Interop> {
        sys::interop().map(|_| self as &dyn Interop)
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        match self.copying(to, from, size) {
            Some(copy) => copy.run(0),
            None => {
                // SAFETY: by the contract of `RawDevice::copy`; without USM and SVM there is no memory but the host's.
                unsafe { copy_on_host(to, from, size) };
                Ok(())
            }
        }
    }

    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        let total = pattern.len() * count;
        if self.0.memory.is_none() || total == 0 {
            // SAFETY: by the contract of `RawDevice::fill`, as in `copy`.
            unsafe { fill_on_host(to, pattern, count) };
            return Ok(());
        }
        if let Some(fill) = self.filling(to, pattern, count) {
            return fill.run(0);
        }
        // SAFETY: by this function's contract; what is copied lies inside the range.
        unsafe { fill_by_copies(to, pattern, count, |to, from, size| self.copy(to, from, size)) }
    }

    unsafe fn copy_later(&self, to: *mut u8, from: *const u8, size: usize) -> Option<Box<dyn Job>> {
        Some(Box::new(self.copying(to, from, size)?))
    }

    unsafe fn fill_later(&self, to: *mut u8, pattern: &[u8], count: usize) -> Option<Box<dyn Job>> {
        Some(Box::new(self.filling(to, pattern, count)?))
    }
}
