//! A device: its answers, its context and its queues, which every command of it needs.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use aspen_contract::Capabilities;
use aspen_runtime::backend::{Facts, PlatformFacts, UsmKind};
use aspen_runtime::cache::{CacheKey, ProgramCache};
use aspen_runtime::{Code, Error, Result};

use crate::answers::Answers;
use crate::capabilities::{capabilities, facts as device_facts};
use crate::handles::{Context, DeviceId, Failure, PlatformId, Queue, Tried};
use crate::identity::Identity;
use crate::memory::{Known, Memory};
use crate::sys::{self, Api, Usm, cl_uint};
use crate::tools::Translator;

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
    pub(crate) answers: Answers,
    pub(crate) capabilities: Capabilities,
    pub(crate) facts: Facts,
    pub(crate) memory: Option<Memory>,
    translator: Option<Arc<Translator>>,
    /// Without and with profiling.
    queues: [OnceLock<Tried<Queue>>; 2],
    /// Of programs that use OpenCL beside SYCL.
    native_queue: OnceLock<Tried<Queue>>,
    in_flight: AtomicUsize,
    identity: OnceLock<Identity>,
}

/// The devices of a platform that answer and are available; the others are left out, with a line in the log.
pub(crate) fn devices(
    api: &'static Api,
    platform: PlatformId,
    ids: Vec<DeviceId>,
    of: &PlatformFacts,
    cache: Option<Arc<ProgramCache>>,
) -> Vec<Arc<Device>> {
    let usm = Usm::of(api, platform.0);
    let found = ids.into_iter().filter_map(|id| match Answers::ask(api, id.0, usm.is_some()) {
        Ok(answers) if answers.available => Some((id, answers)),
        Ok(answers) => {
            tracing::warn!(device = answers.name, "an OpenCL device is left out: it is not available");
            None
        }
        Err(error) => {
            tracing::warn!(platform = of.name, error, "an OpenCL device is left out");
            None
        }
    });
    let found: Vec<(DeviceId, Answers)> = found.collect();
    let ids = found.iter().map(|(id, _)| *id).collect();
    let common = Arc::new(Common { api, platform, ids, cache, svm: Known::default(), context: OnceLock::new() });
    let device = |(id, mut answers): (DeviceId, Answers)| {
        let translator = translator(&answers, &of.version);
        let runs_nothing = translator.as_ref().err().cloned().unwrap_or_default();
        let translator = translator.ok().flatten();
        answers.translated = translator.is_some();
        let facts = Facts { runs_nothing, ..device_facts(&answers, &of.version) };
        let capabilities = capabilities(&answers);
        let (memory, common) = (Memory::of(api, usm, &answers), common.clone());
        let (queues, native_queue, in_flight, identity) = Default::default();
        Arc::new(Device { common, id, answers, capabilities, facts, memory, translator, queues, native_queue, in_flight, identity })
    };
    found.into_iter().map(device).collect()
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
        let out_of_order = self.answers.queue_properties & sys::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let profile = profile && self.answers.queue_properties & sys::CL_QUEUE_PROFILING_ENABLE != 0;
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
                (self.answers.usm_host, sys::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL),
                (self.answers.usm_device, sys::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL),
                (self.answers.usm_shared, sys::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL),
            ] {
                if capability & sys::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0 {
                    out.push(access);
                }
            }
        }
        if self.answers.svm & sys::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0 {
            out.push(sys::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM);
        }
        out
    }

    /// The memory that each launch must name; `None` where kernels reach all there is without that.
    pub(crate) fn pointers_to_name(&self) -> Option<Vec<*mut c_void>> {
        let all = !self.memory.as_ref().is_some_and(Memory::is_svm) || self.answers.svm & sys::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0;
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

    pub(crate) fn allocate(&self, memory: &Memory, kind: UsmKind, layout: Layout) -> Result<*mut u8> {
        let allocated = memory.allocate(self.context()?.handle(), self.id, kind, layout, &self.common.svm);
        allocated.map_err(|failure| self.error(Code::MemoryAllocation, failure))
    }

    /// # Safety
    /// The pointer is from `allocate`, and nothing uses it any more.
    pub(crate) unsafe fn free(&self, pointer: NonNull<u8>) {
        let (Some(memory), Ok(context)) = (&self.memory, self.context()) else { return };
        // SAFETY: from `allocate` in this context, and unused, by this function's contract.
        if let Err(failure) = unsafe { memory.free(context.handle(), pointer.as_ptr(), &self.common.svm) } {
            tracing::warn!(device = self.name(), %failure, "memory is lost");
        }
    }
}
