//! Modules, kernels and launches. The parameters of kernels are those of `include/aspen/cuda.h`.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::sys::{self, CUfunction, CUfunction_attribute, CUjit_option, CUjitInputType, CUlinkState, CUmodule};
use aspen_runtime::backend::{self, ImageKind, Launch, LaunchKind, Part, Task};
use aspen_runtime::names::kernel_name;
use aspen_runtime::{Code, Error, Result};

use crate::device::Device;
use crate::driver::{Tried, lock, tried};
use crate::geometry::{Grid, Limits, grid};
use crate::submitted::Job;
use crate::work::{Launched, Work};

/// The function by which kernels print, as PTX and machine code name it.
const PRINT: &[u8] = b"vprintf";

/// Bytes for what the driver's compiler and linker have to say.
const LOG_SIZE: usize = 16 * 1024;

/// Images, loaded into a device.
pub(crate) struct Image {
    name: String,
    module: Arc<Module>,
}

/// A module of the driver's.
struct Module {
    device: Arc<Device>,
    raw: CUmodule,
    /// Whether a kernel may print: the function for that is named in its image.
    prints: bool,
    /// The most dynamic shared memory that the driver was told of for a function, by its address: it keeps what it is told last.
    reserved: Mutex<BTreeMap<usize, u64>>,
}

// SAFETY: the driver's modules may be used by every thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: ours, and no kernel of it runs: launches hold it.
        let unloaded = self.device.enter(|| tried("cuModuleUnload", unsafe { sys::cuModuleUnload(self.raw) }));
        if let Err(failure) = unloaded
            && !failure.is_the_end()
        {
            tracing::debug!(device = self.device.name(), %failure, "a module stays loaded");
        }
    }
}

/// What the driver's compiler and linker said, in C's way.
struct Log(Vec<u8>);

impl Log {
    fn new() -> Log {
        Log(vec![0; LOG_SIZE])
    }

    /// Options that make the driver write its errors here, for calls that take `JIT` options.
    fn options(&mut self) -> ([CUjit_option; 2], [*mut c_void; 2]) {
        let names = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The driver wants the size in the place of a pointer.
        (names, [self.0.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_SIZE)])
    }

    fn text(&self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        String::from_utf8_lossy(&self.0[..end]).trim().to_owned()
    }
}

impl Image {
    pub(crate) fn load(device: &Arc<Device>, parts: &[Part<'_>]) -> Result<Image> {
        let begin = std::time::Instant::now();
        let name = parts.iter().map(|part| part.name).collect::<Vec<_>>().join(" with ");
        let mut log = Log::new();
        let loaded = device.enter(|| match parts {
            [only] => load(only.image.bytes(), only.image.kind(), &mut log),
            several => link(several, &mut log),
        });
        let raw = loaded.map_err(|failure| {
            let mut text = format!("{name} cannot be loaded for {} device '{}': {failure}", sys::NAME, device.name());
            let words = log.text();
            if !words.is_empty() {
                text += &format!("\n{words}");
            }
            Error::new(Code::Build, text)
        })?;
        let prints = parts.iter().any(|part| part.image.bytes().windows(PRINT.len()).any(|name| name == PRINT));
        tracing::debug!(image = name, device = device.name(), ms = begin.elapsed().as_millis(), "loaded");
        Ok(Image { name, module: Arc::new(Module { device: device.clone(), raw, prints, reserved: Mutex::default() }) })
    }
}

/// Loads one image into the current context.
fn load(bytes: &[u8], kind: ImageKind, log: &mut Log) -> Tried<CUmodule> {
    let terminated = terminated(bytes, kind);
    let (mut names, mut values) = log.options();
    let mut raw = ptr::null_mut();
    // SAFETY: PTX is terminated, a cubin says how long it is (its digest was compared); the options and their values are as many as said.
    let error = unsafe {
        let (names, values) = (names.as_mut_ptr(), values.as_mut_ptr());
        sys::cuModuleLoadDataEx(&mut raw, terminated.as_ptr().cast(), 2, names, values)
    };
    tried("cuModuleLoadDataEx", error)?;
    Ok(raw)
}

/// PTX is a C string to the driver.
fn terminated(bytes: &[u8], kind: ImageKind) -> Vec<u8> {
    let end: &[u8] = if kind == ImageKind::Ptx { &[0] } else { &[] };
    [bytes, end].concat()
}

/// A linker at work; its memory goes with it.
struct Linker(CUlinkState);

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: ours.
        let _gone = unsafe { sys::cuLinkDestroy(self.0) };
    }
}

/// Links images into one and loads that into the current context.
fn link(parts: &[Part<'_>], log: &mut Log) -> Tried<CUmodule> {
    let (mut names, mut values) = log.options();
    let mut state = ptr::null_mut();
    // SAFETY: options and values are as many as said, and the log outlives the linker.
    tried("cuLinkCreate", unsafe { sys::cuLinkCreate_v2(2, names.as_mut_ptr(), values.as_mut_ptr(), &mut state) })?;
    let linker = Linker(state);
    for part in parts {
        let kind = part.image.kind();
        let input = match kind {
            ImageKind::Ptx => CUjitInputType::CU_JIT_INPUT_PTX,
            _ => CUjitInputType::CU_JIT_INPUT_CUBIN,
        };
        let mut bytes = terminated(part.image.bytes(), kind);
        let name = CString::new(part.name).unwrap_or_default();
        // SAFETY: as many bytes as said; the driver reads them before it returns, and the name with them.
        let error = unsafe {
            let data: *mut c_void = bytes.as_mut_ptr().cast();
            let name: *const c_char = name.as_ptr();
            sys::cuLinkAddData_v2(linker.0, input, data, bytes.len(), name, 0, ptr::null_mut(), ptr::null_mut())
        };
        tried("cuLinkAddData", error)?;
    }
    let (mut cubin, mut size) = (ptr::null_mut(), 0);
    // SAFETY: room for the answers; the cubin belongs to the linker, which lives on below.
    tried("cuLinkComplete", unsafe { sys::cuLinkComplete(linker.0, &mut cubin, &mut size) })?;
    let mut raw = ptr::null_mut();
    // SAFETY: a cubin that the driver made; no options.
    let error = unsafe { sys::cuModuleLoadDataEx(&mut raw, cubin, 0, ptr::null_mut(), ptr::null_mut()) };
    tried("cuModuleLoadDataEx", error)?;
    Ok(raw)
}

impl backend::Program for Image {
    fn kernel(&self, symbol: &str) -> Result<Arc<dyn backend::Kernel>> {
        let failed = |why: &dyn std::fmt::Display| {
            Error::new(Code::Build, format!("{}: the image's list of kernels promises '{}', but: {why}", self.name, kernel_name(symbol)))
        };
        let c_symbol = CString::new(sys::kernel_symbol(symbol)).map_err(|error| failed(&error))?;
        let mut function = ptr::null_mut();
        let max_threads = self.module.device.enter(|| {
            // SAFETY: a module of this context, a terminated name, room for the answer.
            tried("cuModuleGetFunction", unsafe { sys::cuModuleGetFunction(&mut function, self.module.raw, c_symbol.as_ptr()) })?;
            attribute(function, CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        });
        let max_threads = max_threads.map_err(|failure| failed(&failure))?;
        let entry = Entry { module: self.module.clone(), function, max_threads, dynamic_memory: AtomicU64::new(0) };
        Ok(Arc::new(Shared(Arc::new(entry))))
    }
}

fn attribute(function: CUfunction, what: CUfunction_attribute) -> Tried<u64> {
    let mut value = 0;
    // SAFETY: a function of the current context, room for the answer.
    tried("cuFuncGetAttribute", unsafe { sys::cuFuncGetAttribute(&mut value, what, function) })?;
    Ok(u64::try_from(value).unwrap_or(0))
}

/// A kernel.
struct Entry {
    module: Arc<Module>,
    function: CUfunction,
    /// Threads of a block that the kernel's registers leave room for.
    max_threads: u64,
    /// As much dynamic shared memory as is known to be reserved: more than the usual amount must be asked for.
    dynamic_memory: AtomicU64,
}

// SAFETY: the driver's functions may be used by every thread.
unsafe impl Send for Entry {}
// SAFETY: as above.
unsafe impl Sync for Entry {}

impl Entry {
    fn device(&self) -> &Device {
        &self.module.device
    }

    fn limits(&self) -> Limits {
        let answers = self.device().answers();
        Limits { grid: answers.max_grid, block: answers.max_block, threads: self.max_threads }
    }

    /// What the check of the device cannot know, since it depends on what the compiler made of the kernel.
    fn check(&self, launch: &Launch, grid: &Grid) -> Result<()> {
        let threads: u64 = grid.threads.iter().map(|size| u64::from(*size)).product();
        if threads <= self.max_threads {
            return Ok(());
        }
        let text = format!(
            "kernel '{}' was launched with work-groups of {threads} work-items; '{}' runs it with at most {}",
            launch.name,
            self.device().name(),
            self.max_threads
        );
        Err(Error::new(Code::NdRange, text))
    }

    /// Makes room for dynamic shared memory.
    fn reserve(&self, bytes: u64) -> Tried<()> {
        if self.dynamic_memory.load(Ordering::Relaxed) >= bytes {
            return Ok(());
        }
        // Threads may have the function each by an object of its own.
        let mut reserved = lock(&self.module.reserved);
        let known = reserved.entry(self.function.expose_provenance()).or_default();
        if *known >= bytes {
            self.dynamic_memory.fetch_max(*known, Ordering::Relaxed);
            return Ok(());
        }
        let what = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: a function of this context.
        self.device().enter(|| tried("cuFuncSetAttribute", unsafe { sys::cuFuncSetAttribute(self.function, what, value) }))?;
        *known = bytes;
        self.dynamic_memory.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }
}

struct Shared(Arc<Entry>);

impl backend::Kernel for Shared {
    fn prepare(&self, launch: Launch, _threads: usize) -> Result<Task> {
        let device = self.0.device();
        let mut limits = self.0.limits();
        if launch.kind == LaunchKind::WorkGroups && !sys::GROUPS_IN_THREADS {
            limits.threads = 1;
        }
        let grid = grid(&launch, &limits)
            .map_err(|text| Error::new(Code::NdRange, format!("kernel '{}' was launched with {text}", launch.name)))?;
        self.0.check(&launch, &grid)?;
        self.0.reserve(launch.local_memory).map_err(|failure| {
            let text = format!("kernel '{}' with {} bytes of local memory: {failure}", launch.name, launch.local_memory);
            device.error(Code::MemoryAllocation, text)
        })?;
        if launch.global.contains(&0) {
            return Ok(Task::Job(Box::new(Empty)));
        }
        let launched = Launched { function: self.0.function, prints: self.0.module.prints, launch, grid, _keeps: self.0.clone() };
        Ok(Task::Deferred(Job::new(&self.0.module.device, Work::Kernel(launched))))
    }
}

/// A launch of no work-items.
struct Empty;

impl backend::Job for Empty {
    fn chunks(&self) -> usize {
        0
    }

    fn run(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn expected_ns(&self) -> Option<u64> {
        Some(0)
    }

    fn took_ns(&self, _: u64) {}
}
