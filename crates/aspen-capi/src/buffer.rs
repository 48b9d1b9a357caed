//! Buffers.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use aspen_runtime::Result;
use aspen_runtime::buffer::{Access, Buffer, HostMemory};
use aspen_runtime::system::Device;

use crate::error::{ErrorHandle, fallible, guarded, null_argument};
use crate::global::global;
use crate::queue::{release, retain};

/// Another reference to the caller's buffer.
///
/// # Safety
/// `buffer` is null or a buffer that is alive.
pub(crate) unsafe fn shared(buffer: *const Buffer, function: &str) -> Result<Arc<Buffer>> {
    if buffer.is_null() {
        return Err(null_argument(function, "buffer"));
    }
    // SAFETY: by this function's contract; the caller's reference is left as it was.
    let kept = ManuallyDrop::new(unsafe { Arc::from_raw(buffer) });
    Ok(Arc::clone(&kept))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_create(
    size: usize,
    alignment: usize,
    host: *mut c_void,
    use_host: c_int,
    out: *mut *const Buffer,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or writable, by the header.
        let out = unsafe { out.as_mut() }.ok_or_else(|| null_argument("aspen_buffer_create", "out"))?;
        let how = match use_host {
            0 => HostMemory::Copied,
            2 => HostMemory::Exactly,
            _ => HostMemory::Used,
        };
        // SAFETY: `host` is null or valid for `size` bytes, and outlives the buffer with `use_host`, by the header.
        *out = Arc::into_raw(unsafe { Buffer::create(global()?.system.pool(), size, alignment, host.cast(), how) }?);
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_retain(buffer: *const Buffer) {
    // SAFETY: null or a buffer of the caller's, by the header.
    guarded(|| unsafe { retain(buffer) });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_release(buffer: *const Buffer) {
    // SAFETY: null or a buffer of the caller's, by the header.
    guarded(|| unsafe { release(buffer) });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_wait(buffer: *const Buffer) {
    // SAFETY: null or a buffer, by the header.
    guarded(|| unsafe { buffer.as_ref() }.map_or((), Buffer::wait));
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_spare_host(buffer: *const Buffer, how: *mut c_int) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive; null or writable, by the header.
        let (buffer, how) = unsafe { (buffer.as_ref(), how.as_mut()) };
        let buffer = buffer.ok_or_else(|| null_argument("aspen_buffer_spare_host", "buffer"))?;
        *how.ok_or_else(|| null_argument("aspen_buffer_spare_host", "how"))? = buffer.spare_host()? as c_int;
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_restore_host(buffer: *const Buffer) -> *mut c_void {
    // SAFETY: null or a buffer, by the header.
    let content = guarded(|| unsafe { buffer.as_ref() }.and_then(Buffer::restore_host));
    content.map_or(std::ptr::null_mut(), |content| content.as_ptr().cast())
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_size(buffer: *const Buffer) -> usize {
    // SAFETY: null or a buffer, by the header.
    guarded(|| unsafe { buffer.as_ref() }.map(Buffer::size)).unwrap_or(0)
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_written(buffer: *const Buffer) -> c_int {
    // SAFETY: null or a buffer, by the header.
    guarded(|| unsafe { buffer.as_ref() }.is_some_and(Buffer::is_written).into())
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_address(buffer: *const Buffer, device: *const Device, out: *mut *mut c_void) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive; null or writable, by the header.
        let (buffer, out) = unsafe { (buffer.as_ref(), out.as_mut()) };
        let buffer = buffer.ok_or_else(|| null_argument("aspen_buffer_address", "buffer"))?;
        let out = out.ok_or_else(|| null_argument("aspen_buffer_address", "out"))?;
        // SAFETY: null or a device, which lives as long as the process.
        let device: Option<&'static Device> = unsafe { device.as_ref() };
        *out = device.map_or_else(|| Ok(buffer.host_address()), |device| buffer.address(device))?.cast();
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_native(buffer: *const Buffer, device: *const Device, out: *mut usize) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive; null or writable, by the header.
        let (buffer, out) = unsafe { (buffer.as_ref(), out.as_mut()) };
        let buffer = buffer.ok_or_else(|| null_argument("aspen_buffer_native", "buffer"))?;
        let out = out.ok_or_else(|| null_argument("aspen_buffer_native", "out"))?;
        // SAFETY: null or a device, which lives as long as the process.
        let device: Option<&'static Device> = unsafe { device.as_ref() };
        *out = buffer.native(device.ok_or_else(|| null_argument("aspen_buffer_native", "device"))?, 0).unwrap_or(0);
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_host_access_begin(
    buffer: *const Buffer,
    access: c_int,
    address: *mut *mut c_void,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive, by the header.
        let buffer = unsafe { shared(buffer, "aspen_buffer_host_access_begin") }?;
        // SAFETY: null or writable, by the header.
        let address = unsafe { address.as_mut() }.ok_or_else(|| null_argument("aspen_buffer_host_access_begin", "address"))?;
        *address = buffer.begin_host_access(Access::from_number(access)?)?.cast();
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_host_access_end(buffer: *const Buffer, access: c_int) {
    guarded(|| {
        // SAFETY: null or alive, by the header.
        if let (Some(buffer), Ok(access)) = (unsafe { buffer.as_ref() }, Access::from_number(access)) {
            buffer.end_host_access(access);
        }
    });
}
