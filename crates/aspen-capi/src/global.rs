//! The one system of the process, found at the first call that needs devices, and the arrays and strings the C ABI hands out.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use aspen_backend_cpu::NativeCpu;
use aspen_contract::Aspect;
use aspen_runtime::backend::{Backend, BackendKind};
use aspen_runtime::system::{Device, Platform, System};
use aspen_runtime::{Environment, Error, Result, guarded};

use crate::log;

pub(crate) struct Global {
    pub(crate) system: &'static System,
    platforms: Vec<(*const Platform, PlatformTexts)>,
    devices: Vec<(*const Device, DeviceTexts)>,
}

// SAFETY: the pointers serve only to find the entry; everything behind them is `Sync` and lives as long as the process.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

pub(crate) struct PlatformTexts {
    pub(crate) strings: [CString; 4],
}

pub(crate) struct DeviceTexts {
    pub(crate) aspects: Vec<u32>,
    pub(crate) sub_group_sizes: Vec<usize>,
    /// In the order of `aspen_device_string_t`.
    pub(crate) strings: [CString; 8],
}

/// # Errors
/// If the environment makes no sense; the same error each time.
pub(crate) fn global() -> Result<&'static Global> {
    static GLOBAL: OnceLock<Result<Global>> = OnceLock::new();
    GLOBAL.get_or_init(start).as_ref().map_err(Error::clone)
}

fn start() -> Result<Global> {
    let environment = Environment::read()?;
    if let Some(filter) = &environment.log {
        log::start(filter)?;
    }
    if let Some(path) = &environment.trace {
        aspen_runtime::trace::start(path)?;
    }
    // AddressSanitizer knows the bounds of what it allocates, and takes no guards of others for such.
    if let Some(bounds) = environment.check.filter(|_| sanitizer() != Some("AddressSanitizer")) {
        guarded::start(bounds);
    }
    // The embedded CPU first: it is the default device.
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(NativeCpu {
        threads: environment.threads,
        item_by_item: environment.item_by_item,
        image_dir: environment.cpu_image_dir.clone(),
        level: environment.cpu_level,
        check: environment.check.is_some(),
        sub_group_size: environment.cpu_sub_group_size,
    })];
    // Drivers load libraries in a way for which sanitizers end the process; who wants them asks for them.
    let beside = sanitizer().filter(|_| environment.selector.is_none());
    if let Some(sanitizer) = beside {
        tracing::info!("no OpenCL devices beside {sanitizer}, unless ASPEN_DEVICE_SELECTOR is set");
    }
    if beside.is_none() && environment.admits(BackendKind::OpenCl)? {
        backends.extend(aspen_backend_opencl::platforms(environment.program_cache()));
    }
    if environment.admits(BackendKind::Cuda)? {
        backends.extend(aspen_backend_cuda::platforms());
    }
    if environment.admits(BackendKind::Hip)? {
        backends.extend(aspen_backend_hip::platforms());
    }
    let system = System::start(&backends, environment)?;
    let devices = system.platforms().iter().flat_map(|platform| platform.devices());
    Ok(Global {
        system,
        platforms: system.platforms().iter().map(|platform| (std::ptr::from_ref(*platform), platform_texts(platform))).collect(),
        devices: devices.map(|device| (std::ptr::from_ref(*device), device_texts(device))).collect(),
    })
}

/// The sanitizer that watches this process, of those that end it where a library is loaded with `RTLD_DEEPBIND`.
fn sanitizer() -> Option<&'static str> {
    let known = [(c"__asan_init", "AddressSanitizer"), (c"__tsan_init", "ThreadSanitizer"), (c"__msan_init", "MemorySanitizer")];
    // SAFETY: a terminated name; the address is only looked at.
    let is_there = |symbol: &CStr| !unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) }.is_null();
    known.into_iter().find(|(symbol, _)| is_there(symbol)).map(|(_, name)| name)
}

impl Global {
    pub(crate) fn platform(&self, platform: *const Platform) -> Option<&PlatformTexts> {
        self.platforms.iter().find(|(known, _)| *known == platform).map(|(_, texts)| texts)
    }

    /// A part says what the whole device says.
    pub(crate) fn device(&self, device: *const Device) -> Option<&DeviceTexts> {
        let mut device = device;
        // SAFETY: null or a device, by the header.
        while let Some((whole, _)) = unsafe { device.as_ref() }.and_then(Device::whole) {
            device = std::ptr::from_ref(whole);
        }
        self.devices.iter().find(|(known, _)| *known == device).map(|(_, texts)| texts)
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

fn platform_texts(platform: &Platform) -> PlatformTexts {
    let facts = platform.facts();
    let extensions = facts.extensions.join(" ");
    PlatformTexts { strings: [&facts.name, &facts.vendor, &facts.version, &extensions].map(|text| c_string(text)) }
}

fn device_texts(device: &Device) -> DeviceTexts {
    let facts = device.real().facts();
    let mut sizes: Vec<usize> =
        device.capabilities().sub_group_sizes.iter().flatten().filter_map(|size| usize::try_from(*size).ok()).collect();
    sizes.sort_unstable();
    let extensions = facts.extensions.join(" ");
    let versions = [&facts.driver_version, &facts.version, &facts.backend_version].map(String::as_str);
    let [driver, version, backend] = versions;
    let strings = [&facts.name, &facts.vendor, driver, version, backend, device.selector_name(), &extensions, &facts.runs_nothing];
    DeviceTexts {
        aspects: device.capabilities().offered().map(Aspect::number).collect(),
        sub_group_sizes: sizes,
        strings: strings.map(c_string),
    }
}
