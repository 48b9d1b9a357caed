//! USM.

use std::ffi::{c_int, c_void};

use aspen_runtime::backend::UsmKind;
use aspen_runtime::registry::registry;
use aspen_runtime::system::Device;
use aspen_runtime::{Code, Error, early, usm};

use crate::error::{ErrorHandle, fallible, guarded, null_argument};
use crate::global::global;

const UNKNOWN: c_int = 3;

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_usm_alloc(
    device: *const Device,
    kind: c_int,
    size: usize,
    alignment: usize,
    out: *mut *mut c_void,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, which lives as long as the process.
        let device: &'static Device = unsafe { device.as_ref() }.ok_or_else(|| null_argument("aspen_usm_alloc", "device"))?;
        // SAFETY: null or writable, by the header.
        let out = unsafe { out.as_mut() }.ok_or_else(|| null_argument("aspen_usm_alloc", "out"))?;
        let kind = match kind {
            0 => UsmKind::Host,
            1 => UsmKind::Device,
            2 => UsmKind::Shared,
            _ => return Err(Error::new(Code::Invalid, format!("aspen_usm_alloc: {kind} is no kind of USM memory"))),
        };
        *out = usm::allocate(device, kind, size, alignment)?.cast();
        if kind != UsmKind::Host && !out.is_null() {
            early::begin(registry(), device, device.threads_or(global()?.system.pool()));
        }
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_usm_free(pointer: *mut c_void) {
    guarded(|| {
        // SAFETY: nothing uses the memory any more, by the header.
        if !pointer.is_null() && !unsafe { usm::free(pointer.cast()) } {
            eprintln!("aspen: sycl::free of {pointer:p}, which is not the start of a USM allocation: nothing was freed");
        }
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_usm_pointer_kind(pointer: *const c_void, device: *mut *const Device) -> c_int {
    let found = guarded(|| usm::find(pointer.cast()));
    if let (Some((_, owner)), false) = (found, device.is_null()) {
        // SAFETY: not null, and writable by the header.
        unsafe { *device = owner };
    }
    found.map_or(UNKNOWN, |(kind, _)| kind as c_int)
}
