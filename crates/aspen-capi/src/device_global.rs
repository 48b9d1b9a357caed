//! Device globals: what constructors of objects say of them, and where their values are.

use std::ffi::{c_char, c_void};
use std::slice;

use aspen_runtime::registry::{DeviceGlobal, ObjectGlobals, registry};
use aspen_runtime::system::Device;

use crate::error::{ErrorHandle, fallible, guarded, null_argument, text};

/// `aspen_device_global_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Global {
    /// The host's variable.
    pub variable: *const c_void,
    /// The name that images know it by.
    pub id: *const c_char,
    /// `size` bytes.
    pub initial: *const c_void,
    /// Bytes of a value.
    pub size: u64,
    /// Not 0: values lie in images.
    pub in_image: u64,
}

/// `aspen_device_globals_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Globals {
    /// The size of this in the object.
    pub struct_size: u32,
    /// The size of each variable's record there.
    pub global_size: u32,
    /// The object's module.
    pub module: *const c_void,
    /// The variables.
    pub globals: *const Global,
    /// How many.
    pub count: u64,
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_register_device_globals(globals: *const Globals) {
    guarded(|| {
        // SAFETY: null or a list that stays valid until it is unregistered, by the header.
        let Some(list) = (unsafe { globals.as_ref() }) else { return };
        if (list.struct_size as usize) < size_of::<Globals>() || (list.global_size as usize) != size_of::<Global>() {
            eprintln!("aspen: an object's device globals are described for another version of libaspen.so; compile it again");
            return;
        }
        let count = usize::try_from(list.count).unwrap_or_default();
        // SAFETY: an array of that length, by the header.
        let entries = if list.globals.is_null() { &[] } else { unsafe { slice::from_raw_parts(list.globals, count) } };
        let read = |entry: &Global| DeviceGlobal {
            variable: entry.variable as usize,
            // SAFETY: null or NUL-terminated, by the header.
            id: unsafe { text(entry.id) }.unwrap_or_default().to_string(),
            initial: entry.initial as usize,
            size: usize::try_from(entry.size).unwrap_or_default(),
            in_image: entry.in_image != 0,
        };
        let object = ObjectGlobals { record: globals as usize, module: list.module as usize, globals: entries.iter().map(read).collect() };
        // SAFETY: the initial values are the object's own, which says when it goes, by the header.
        unsafe { registry().register_globals(object) };
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_unregister_device_globals(globals: *const Globals) {
    guarded(|| registry().unregister_globals(globals as usize));
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_device_global_address(
    device: *const Device,
    variable: *const c_void,
    out: *mut *mut c_void,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, which lives as long as the process.
        let device: &'static Device = unsafe { device.as_ref() }.ok_or_else(|| null_argument("aspen_device_global_address", "device"))?;
        // SAFETY: null or writable, by the header.
        let out = unsafe { out.as_mut() }.ok_or_else(|| null_argument("aspen_device_global_address", "out"))?;
        *out = registry().global_address(device, variable as usize)?.cast();
        Ok(())
    })
}
