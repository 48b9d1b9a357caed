//! The platform and its devices, as the runtime sees them.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

use aspen_contract::Capabilities;
use aspen_runtime::backend::{
    Backend, BackendKind, Deferred, DeviceEvent, DeviceImage, DeviceType, Facts, Fit, Native, Part, PlatformFacts, Program, RawDevice,
    UsmKind,
};
use aspen_runtime::native::Interop;
use aspen_runtime::{Code, Result};

use crate::device::Device;
use crate::driver::Driver;
use crate::fit::fit;
use crate::memory::{Memory, copy_later, fill_later};
use crate::program::Image;
use crate::submitted::copy_behind;
use crate::sys::{self, CUdevice};

/// What the driver takes from ordinary memory of the host before it returns, without waiting for the device.
const MOST_AHEAD: usize = 64 << 10;

/// The driver with its devices.
pub(crate) struct Platform {
    facts: PlatformFacts,
    devices: Vec<Arc<Handle>>,
}

/// What the runtime holds: programs keep their device, so the device must be able to give away a share of itself.
pub(crate) struct Handle {
    pub(crate) device: Arc<Device>,
    memory: Memory,
}

/// The platform, if it has devices. A device that fails to answer is left out, with a line in the log.
pub(crate) fn platform(driver: Driver) -> Option<Platform> {
    let ids = driver.devices().unwrap_or_else(|failure| {
        tracing::warn!(%failure, "{} has no devices", sys::NAME);
        Vec::new()
    });
    let device = |id| {
        let device = Device::new(driver, id).map_err(|failure| tracing::warn!(id, %failure, "a {} device is left out", sys::NAME)).ok()?;
        Some(Arc::new(Handle { device: Arc::new(device), memory: Memory::default() }))
    };
    let devices: Vec<Arc<Handle>> = ids.into_iter().filter_map(device).collect();
    let facts = devices.first()?.device.facts();
    let (vendor, version) = (facts.vendor.clone(), facts.backend_version.clone());
    Some(Platform { facts: PlatformFacts { name: sys::PLATFORM.into(), vendor, version, extensions: Vec::new() }, devices })
}

impl Backend for Platform {
    fn kind(&self) -> BackendKind {
        sys::KIND
    }

    fn platform(&self) -> PlatformFacts {
        self.facts.clone()
    }

    fn devices(&self) -> Vec<Arc<dyn RawDevice>> {
        self.devices.iter().map(|device| device.clone() as Arc<dyn RawDevice>).collect()
    }
}

impl RawDevice for Handle {
    fn device_type(&self) -> DeviceType {
        DeviceType::Gpu
    }

    fn capabilities(&self) -> &Capabilities {
        self.device.capabilities()
    }

    fn facts(&self) -> &Facts {
        self.device.facts()
    }

    fn fit(&self, image: &DeviceImage<'_>) -> Option<Fit> {
        fit(self.device.answers(), image)
    }

    fn runs_sub_group_size(&self, size: u32) -> bool {
        size == self.device.answers().warp_size
    }

    fn default_sub_group_size(&self) -> Option<u32> {
        Some(self.device.answers().warp_size)
    }

    fn load(&self, parts: &[Part<'_>]) -> Result<Arc<dyn Program>> {
        Ok(Arc::new(Image::load(&self.device, parts)?))
    }

    fn allocate(&self, kind: UsmKind, layout: Layout) -> Result<NonNull<u8>> {
        self.memory.allocate(&self.device, kind, layout).map_err(|failure| self.device.error(Code::MemoryAllocation, failure))
    }

    unsafe fn free(&self, pointer: NonNull<u8>, _: Layout) {
        if let Err(failure) = self.memory.free(&self.device, pointer.addr().get())
            && !failure.is_the_end()
        {
            tracing::warn!(device = self.device.name(), %failure, "memory is lost");
        }
    }

    unsafe fn free_idle(&self, pointer: NonNull<u8>, layout: Layout) {
        if let Err(failure) = self.memory.free_idle(&self.device, pointer.addr().get(), layout.size())
            && !failure.is_the_end()
        {
            tracing::warn!(device = self.device.name(), %failure, "memory is lost");
        }
    }

    fn gets_ready(&self) -> bool {
        true
    }

    fn get_ready(&self) {
        if let Err(failure) = self.device.enter(|| self.device.lanes().get_ready())
            && !failure.is_the_end()
        {
            tracing::debug!(device = self.device.name(), %failure, "not ready");
        }
        self.device.launcher().get_ready();
    }

    fn shares_host_memory(&self) -> bool {
        // A GPU behind a bus may reach the host's memory too, but not as it is: pages move.
        self.device.answers().pageable_memory_access && self.device.answers().host_page_tables
    }

    fn native(&self, what: Native, _retain: bool) -> Result<Option<usize>> {
        self.device.native(what).map_err(|failure| self.device.error(Code::Runtime, failure))
    }

    fn reaches(&self, other: usize) -> bool {
        CUdevice::try_from(other).is_ok_and(|other| self.device.reaches(other))
    }

    fn interop(&self) -> Option<&dyn Interop> {
        Some(self)
    }

    fn most_ahead(&self) -> usize {
        MOST_AHEAD
    }

    unsafe fn copy_behind(&self, event: &Arc<dyn DeviceEvent>, to: *mut u8, from: *const u8, size: usize) -> Option<Result<()>> {
        // SAFETY: by the contract of `RawDevice::copy_behind`.
        let copied = unsafe { copy_behind(&self.device, &**event, to as u64, from as u64, size) }?;
        Some(copied.map_err(|failure| self.device.error(Code::Runtime, failure)))
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        // SAFETY: by the contract of `RawDevice::copy`.
        unsafe { self.memory.copy(&self.device, to, from, size) }
    }

    unsafe fn fill(&self, to: *mut u8, pattern: &[u8], count: usize) -> Result<()> {
        // SAFETY: by the contract of `RawDevice::fill`.
        unsafe { self.memory.fill(&self.device, to, pattern, count) }
    }

    unsafe fn copy_later(&self, to: *mut u8, from: *const u8, size: usize) -> Option<Arc<dyn Deferred>> {
        // SAFETY: by the contract of `RawDevice::copy_later`.
        unsafe { copy_later(&self.device, to, from, size) }
    }

    unsafe fn fill_later(&self, to: *mut u8, pattern: &[u8], count: usize) -> Option<Arc<dyn Deferred>> {
        // SAFETY: by the contract of `RawDevice::fill_later`.
        unsafe { fill_later(&self.device, to, pattern, count) }
    }
}
