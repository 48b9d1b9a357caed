//! libaspen.so as any program uses it: loaded at run time, spoken to through `aspen.h` only. Source: ARCHITECTURE "Planes and crates".

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

/// What `aspen_platforms` and the others return; opaque.
#[repr(C)]
pub struct Opaque {
    _private: [u8; 0],
}

type Handle = *const Opaque;

/// The functions of `aspen.h` that this program calls, with the types that stand there.
pub struct Runtime {
    error_message: unsafe extern "C" fn(Handle) -> *const c_char,
    error_delete: unsafe extern "C" fn(Handle),
    platforms: unsafe extern "C" fn(*mut *const Handle, *mut usize) -> Handle,
    platform_devices: unsafe extern "C" fn(Handle, *mut usize) -> *const Handle,
    device_backend: unsafe extern "C" fn(Handle) -> c_int,
    device_aspects: unsafe extern "C" fn(Handle, *mut usize) -> *const u32,
    device_sub_group_sizes: unsafe extern "C" fn(Handle, *mut usize) -> *const usize,
    device_string: unsafe extern "C" fn(Handle, c_int) -> *const c_char,
    device_number: unsafe extern "C" fn(Handle, c_int) -> u64,
    device_compile: unsafe extern "C" fn(Handle, *const c_void, usize) -> Handle,
}

/// A device of the process; lives as long as it.
#[derive(Clone, Copy)]
pub struct Device(Handle);

/// `aspen_device_string_t`.
#[derive(Clone, Copy)]
pub enum Text {
    /// `ASPEN_DEVICE_NAME`
    Name = 0,
    /// `ASPEN_DEVICE_VENDOR`
    Vendor = 1,
    /// `ASPEN_DEVICE_DRIVER_VERSION`
    Driver = 2,
    /// `ASPEN_DEVICE_SELECTOR_NAME`
    Selector = 5,
    /// `ASPEN_DEVICE_RUNS_NOTHING`
    RunsNothing = 7,
}

/// `aspen_device_number_t`.
#[derive(Clone, Copy)]
pub enum Number {
    /// `ASPEN_DEVICE_MAX_WORK_GROUP_SIZE`
    MaxWorkGroupSize = 2,
    /// `ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_0`
    MaxWorkItemSize0 = 3,
    /// `ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_1`
    MaxWorkItemSize1 = 4,
    /// `ASPEN_DEVICE_MAX_WORK_ITEM_SIZE_2`
    MaxWorkItemSize2 = 5,
}

/// Names of `aspen_backend_t`.
const BACKENDS: [&str; 4] = ["native_cpu", "opencl", "cuda", "hip"];

impl Runtime {
    /// Loads the library; it stays loaded until the process ends.
    ///
    /// # Errors
    /// With the loader's words, or the function that it lacks.
    pub fn load(library: &Path) -> Result<Runtime, String> {
        // SAFETY: loading runs the library's constructors, which aspen.h promises nothing about but which are our own.
        let open = unsafe { Library::new(library) }.map_err(|error| format!("cannot load '{}': {error}", library.display()))?;
        // SAFETY: the types are those of aspen.h for these names.
        let runtime = unsafe {
            Runtime {
                error_message: function(&open, c"aspen_error_message")?,
                error_delete: function(&open, c"aspen_error_delete")?,
                platforms: function(&open, c"aspen_platforms")?,
                platform_devices: function(&open, c"aspen_platform_devices")?,
                device_backend: function(&open, c"aspen_device_backend")?,
                device_aspects: function(&open, c"aspen_device_aspects")?,
                device_sub_group_sizes: function(&open, c"aspen_device_sub_group_sizes")?,
                device_string: function(&open, c"aspen_device_string")?,
                device_number: function(&open, c"aspen_device_number")?,
                device_compile: function(&open, c"aspen_device_compile")?,
            }
        };
        std::mem::forget(open);
        Ok(runtime)
    }

    /// All devices that the environment admits.
    ///
    /// # Errors
    /// The runtime's words, for nonsense in the environment.
    pub fn devices(&self) -> Result<Vec<Device>, String> {
        let (mut platforms, mut count) = (ptr::null(), 0);
        // SAFETY: both out parameters are valid.
        let error = unsafe { (self.platforms)(&mut platforms, &mut count) };
        self.said(error)?;
        let mut devices = Vec::new();
        // SAFETY: aspen.h: the array holds `count` platforms and lives as long as the process.
        for &platform in unsafe { array(platforms, count) } {
            let mut count = 0;
            // SAFETY: a platform of the library; the array of its devices lives as long as the process.
            let list = unsafe { array((self.platform_devices)(platform, &mut count), count) };
            devices.extend(list.iter().map(|&device| Device(device)));
        }
        Ok(devices)
    }

    /// Has the device's compiler make a program of an image, which is thrown away.
    ///
    /// # Errors
    /// What it says.
    pub fn compile(&self, device: Device, blobs: &[u8]) -> Result<(), String> {
        // SAFETY: a device of the library, and so many bytes.
        self.said(unsafe { (self.device_compile)(device.0, blobs.as_ptr().cast(), blobs.len()) })
    }

    /// What the library says by an error of its own.
    fn said(&self, error: Handle) -> Result<(), String> {
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: a non-null error has a message, and is ours to delete, once.
        Err(unsafe {
            let words = text((self.error_message)(error));
            (self.error_delete)(error);
            words
        })
    }

    /// A string of a device.
    pub fn string(&self, device: Device, what: Text) -> String {
        // SAFETY: a device of the library; the string lives as long as the process.
        unsafe { text((self.device_string)(device.0, what as c_int)) }
    }

    /// A number of a device.
    pub fn number(&self, device: Device, what: Number) -> u64 {
        // SAFETY: a device of the library.
        unsafe { (self.device_number)(device.0, what as c_int) }
    }

    /// The backend's name.
    pub fn backend(&self, device: Device) -> &'static str {
        // SAFETY: a device of the library.
        let number = unsafe { (self.device_backend)(device.0) };
        usize::try_from(number).ok().and_then(|index| BACKENDS.get(index)).copied().unwrap_or("unknown")
    }

    /// The numbers of its aspects, ascending.
    pub fn aspects(&self, device: Device) -> &[u32] {
        let mut count = 0;
        // SAFETY: a device of the library; the array lives as long as the process.
        unsafe { array((self.device_aspects)(device.0, &mut count), count) }
    }

    /// Its sub-group sizes, ascending.
    pub fn sub_group_sizes(&self, device: Device) -> &[usize] {
        let mut count = 0;
        // SAFETY: a device of the library; the array lives as long as the process.
        unsafe { array((self.device_sub_group_sizes)(device.0, &mut count), count) }
    }
}

/// # Safety
/// `F` is the type of the function of that name.
unsafe fn function<F: Copy>(library: &Library, name: &CStr) -> Result<F, String> {
    // SAFETY: as the caller promises.
    let found = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    let found = found.map_err(|_| format!("libaspen.so has no function '{}': it is of another version", name.to_string_lossy()))?;
    Ok(*found)
}

/// # Safety
/// Null, or a string that ends.
unsafe fn text(string: *const c_char) -> String {
    // SAFETY: as the caller promises.
    if string.is_null() { String::new() } else { unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned() }
}

/// # Safety
/// `count` elements that live as long as the process, or nothing.
unsafe fn array<T>(start: *const T, count: usize) -> &'static [T] {
    // SAFETY: as the caller promises.
    if start.is_null() || count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, count) } }
}
