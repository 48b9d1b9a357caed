//! References to OpenCL's objects, whoever made them, and questions about them.

use std::ffi::c_void;
use std::ptr;

use aspen_runtime::backend::Native;
use aspen_runtime::{Code, Result};

use crate::device::Device;
use crate::handles::{Tried, succeeded};
use crate::sys::{self, Interop, cl_int, cl_uint};

/// A question about an object: the object, what, room for the answer, how much that needs.
pub(crate) type Ask = unsafe extern "C" fn(*mut c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;

/// The answer to a question. Handles are asked for as `usize`.
///
/// # Safety
/// `of` is what `ask` takes, alive, and the answer is a `T`, for which every pattern of bits is a value.
pub(crate) unsafe fn asked<T: Copy + Default>(call: &'static str, ask: Ask, of: *mut c_void, what: cl_uint) -> Tried<T> {
    let mut out = T::default();
    // SAFETY: by this function's contract, with room for a `T`.
    succeeded(call, unsafe { ask(of, what, size_of::<T>(), ptr::from_mut(&mut out).cast(), ptr::null_mut()) })?;
    Ok(out)
}

/// The functions, if the loader has all of them.
pub(crate) fn interop(device: &Device) -> Result<&'static Interop> {
    sys::interop()
        .ok_or_else(|| device.error(Code::FeatureNotSupported, "the OpenCL loader is too old for programs that use OpenCL beside SYCL"))
}

pub(crate) fn pointer(handle: usize) -> *mut c_void {
    ptr::with_exposed_provenance_mut(handle)
}

/// Adds a reference to an object that is alive. Platforms count none.
pub(crate) fn retain(device: &Device, what: Native, handle: usize) -> Result<()> {
    let (own, handle) = (interop(device)?, pointer(handle));
    // SAFETY: in all of them: an object of the kind, alive; whoever calls this says so.
    let (call, error) = unsafe {
        match what {
            Native::Platform => return Ok(()),
            Native::Device => ("clRetainDevice", (own.clRetainDevice)(handle)),
            Native::Context => ("clRetainContext", (own.clRetainContext)(handle)),
            Native::Queue => ("clRetainCommandQueue", (own.clRetainCommandQueue)(handle)),
            Native::Event => ("clRetainEvent", (own.clRetainEvent)(handle)),
            Native::Memory => ("clRetainMemObject", (own.clRetainMemObject)(handle)),
            Native::Program => ("clRetainProgram", (own.clRetainProgram)(handle)),
            Native::Kernel => ("clRetainKernel", (own.clRetainKernel)(handle)),
        }
    };
    succeeded(call, error).map_err(|failure| device.failed(Code::Invalid, failure))
}
