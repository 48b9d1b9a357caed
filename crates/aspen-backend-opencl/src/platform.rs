//! Platforms, and what the runtime asks of their devices: images, memory, copies and fills.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

use aspen_contract::Capabilities;
use aspen_runtime::backend::{
    Backend, BackendKind, Deferred, DeviceImage, DeviceType, Facts, Fit, Native, Part, PlatformFacts, Program, RawDevice, UsmKind,
    copy_on_host, fill_by_copies, fill_on_host,
};
use aspen_runtime::cache::ProgramCache;
use aspen_runtime::native::Interop;
use aspen_runtime::{Code, Result};

use crate::answers::platform_text;
use crate::device::{Device, devices};
use crate::fit::fit;
use crate::handles::{device_ids, platform_ids};
use crate::native;
use crate::program::Image;
use crate::submitted::{Address, Copy, Fill, Later};
use crate::sys::{self, Api};

/// The longest pattern that `clEnqueueMemFillINTEL` repeats.
const LONGEST_PATTERN: usize = 128;

/// A platform with its devices.
pub(crate) struct Platform {
    facts: PlatformFacts,
    devices: Vec<Arc<Device>>,
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
                name: text(sys::CL_PLATFORM_NAME),
                vendor: text(sys::CL_PLATFORM_VENDOR),
                version: text(sys::CL_PLATFORM_VERSION),
                extensions: text(sys::CL_PLATFORM_EXTENSIONS).split_whitespace().map(str::to_owned).collect(),
            };
            let ids = device_ids(api, id)
                .map_err(|failure| tracing::warn!(platform = facts.name, %failure, "an OpenCL platform is left out"))
                .ok()?;
            Some(Platform { devices: devices(api, id, ids, &facts, cache.cloned()), facts })
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
pub(crate) struct Handle(pub(crate) Arc<Device>);

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

    fn allocate(&self, kind: UsmKind, layout: Layout) -> Result<NonNull<u8>> {
        let none = || self.0.error(Code::MemoryAllocation, "it has neither USM nor SVM");
        let allocated = self.0.allocate(self.0.memory.as_ref().ok_or_else(none)?, kind, layout)?;
        NonNull::new(allocated).ok_or_else(|| self.0.error(Code::MemoryAllocation, "the driver has no memory left"))
    }

    unsafe fn free(&self, pointer: NonNull<u8>, _: Layout) {
        // SAFETY: by the contract of `RawDevice::free`.
        unsafe { self.0.free(pointer) }
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
            Some(copy) => Arc::new(copy).finished(),
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
            return Arc::new(fill).finished();
        }
        // SAFETY: by this function's contract; what is copied lies inside the range.
        unsafe { fill_by_copies(to, pattern, count, |to, from, size| self.copy(to, from, size)) }
    }

    unsafe fn copy_later(&self, to: *mut u8, from: *const u8, size: usize) -> Option<Arc<dyn Deferred>> {
        Some(Arc::new(self.copying(to, from, size)?))
    }

    unsafe fn fill_later(&self, to: *mut u8, pattern: &[u8], count: usize) -> Option<Arc<dyn Deferred>> {
        Some(Arc::new(self.filling(to, pattern, count)?))
    }
}
