//! What programs get that use OpenCL beside SYCL: handles, and memory that is an object of OpenCL's.
//!
//! Their queue keeps the order of its commands, unlike the one for kernels: a blocking write may be over long after the call is.
//!
//! Such memory is a copy of a buffer. An object made over memory that kernels reach by address (`CL_MEM_USE_HOST_PTR`) should share it
//! (OpenCL 3.0 §5.2.1), but in Intel's drivers it has memory of its own. Source: SYCL 2020 §C.2 "OpenCL backend".

use std::ptr;
use std::sync::Arc;

use aspen_runtime::backend::{Native, NativeMemory};
use aspen_runtime::{Code, Result};

use crate::device::Device;
use crate::handles::{Context, Failure};
use crate::sys::{self, Interop, cl_int, cl_mem};

fn interop(device: &Device) -> Result<&'static Interop> {
    sys::interop().ok_or_else(|| device.error(Code::FeatureNotSupported, "the OpenCL loader has no clRetainContext or clCreateBuffer"))
}

/// A handle of the device's, with a reference for the caller or without.
pub(crate) fn handle(device: &Device, what: Native, retain: bool) -> Result<usize> {
    let failed = |call| move |error| if error == sys::SUCCESS { Ok(()) } else { Err(device.error(Code::Runtime, Failure { call, error })) };
    Ok(match what {
        // Platforms and devices that have no parent count no references. Source: OpenCL 3.0 §4.3.
        Native::Platform => device.platform().0,
        Native::Device => device.id().0,
        Native::Context => {
            let context = device.context()?.handle();
            if retain {
                // SAFETY: a context that is alive.
                failed("clRetainContext")(unsafe { (interop(device)?.clRetainContext)(context) })?;
            }
            context
        }
        Native::Queue => {
            let queue = device.native_queue()?.handle();
            if retain {
                // SAFETY: a queue that is alive.
                failed("clRetainCommandQueue")(unsafe { (interop(device)?.clRetainCommandQueue)(queue) })?;
            }
            queue
        }
    }
    .expose_provenance())
}

/// Memory that is an object of OpenCL's.
struct Object {
    device: Arc<Device>,
    interop: &'static Interop,
    handle: cl_mem,
    size: usize,
    /// Released after it.
    _context: Arc<Context>,
}

// SAFETY: a token for the driver, whose functions may be called on any thread.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Object {
    fn finished(&self, call: &'static str, error: cl_int) -> Result<()> {
        if error == sys::SUCCESS { Ok(()) } else { Err(self.device.error(Code::Runtime, Failure { call, error })) }
    }
}

impl NativeMemory for Object {
    fn handle(&self) -> usize {
        self.handle.expose_provenance()
    }

    unsafe fn read(&self, to: *mut u8) -> Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        let (queue, size) = (self.device.native_queue()?.handle(), self.size);
        let none = (ptr::null(), ptr::null_mut());
        // SAFETY: an object of that size; `to` is as large by the contract of `NativeMemory::read`; the call returns when it is done.
        let error = unsafe { (self.interop.clEnqueueReadBuffer)(queue, self.handle, sys::TRUE, 0, size, to.cast(), 0, none.0, none.1) };
        self.finished("clEnqueueReadBuffer", error)
    }

    unsafe fn write(&self, from: *const u8) -> Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        let (queue, size) = (self.device.native_queue()?.handle(), self.size);
        let none = (ptr::null(), ptr::null_mut());
        // SAFETY: as in `read`; what is written later waits for it in the queue, and the call copies what it needs of the host.
        let error = unsafe { (self.interop.clEnqueueWriteBuffer)(queue, self.handle, sys::TRUE, 0, size, from.cast(), 0, none.0, none.1) };
        self.finished("clEnqueueWriteBuffer", error)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: created by `memory`, released once.
        unsafe { (self.interop.clReleaseMemObject)(self.handle) };
    }
}

/// Memory of that size; OpenCL has none of no bytes.
pub(crate) fn memory(device: &Arc<Device>, size: usize) -> Result<Box<dyn NativeMemory>> {
    let (interop, context) = (interop(device)?, device.context()?.clone());
    let mut error = sys::SUCCESS;
    // SAFETY: a context that is alive, and no memory of the host.
    let handle = unsafe { (interop.clCreateBuffer)(context.handle(), sys::MEM_READ_WRITE, size.max(1), ptr::null_mut(), &mut error) };
    if error != sys::SUCCESS || handle.is_null() {
        return Err(device.error(Code::MemoryAllocation, Failure { call: "clCreateBuffer", error }));
    }
    Ok(Box::new(Object { device: device.clone(), interop, handle, size, _context: context }))
}
