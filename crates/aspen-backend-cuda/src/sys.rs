//! The CUDA driver API: bindings of cudarc, whose library is opened at run time, behind a check that every function we call is there.
//!
//! cudarc panics where a function is missing, so an old or broken driver must be found out before. What another crate puts in this module's place
//! makes it a backend of that driver (aspen-backend-hip, docs/decisions/0057).

use std::ffi::c_int;

use aspen_contract::in_ptx;
use aspen_runtime::backend::BackendKind;
pub(crate) use cudarc::driver::sys::*;

/// How messages call the driver.
pub(crate) const NAME: &str = "CUDA";

/// The platform's name.
pub(crate) const PLATFORM: &str = "NVIDIA CUDA";

/// The backend.
pub(crate) const KIND: BackendKind = BackendKind::Cuda;

/// Whether the driver compiles PTX: the kernel that fills memory is such.
pub(crate) const TAKES_PTX: bool = true;

/// Whether the threads of a block share the work-items of a kernel of `parallel_for_work_group`.
pub(crate) const GROUPS_IN_THREADS: bool = true;

/// Every function that this crate calls, under the names by which cudarc loads them.
const FUNCTIONS: [&str; 52] = [
    "cuCtxGetDevice",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuDeviceCanAccessPeer",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuLinkAddData_v2",
    "cuLinkComplete",
    "cuLinkCreate_v2",
    "cuLinkDestroy",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocManaged",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemPoolCreate",
    "cuMemPoolSetAccess",
    "cuMemPoolSetAttribute",
    "cuMemcpyAsync",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuPointerGetAttributes",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamGetCtx",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Whether the driver is there, with all of its functions.
pub(crate) fn load() -> bool {
    // SAFETY: the driver's initialisers are those of every CUDA program.
    if !unsafe { is_culib_present() } {
        tracing::debug!("no CUDA driver, so no CUDA devices");
        return false;
    }
    let missing = FUNCTIONS.iter().find(|name| !is_there(name));
    if let Some(missing) = missing {
        tracing::warn!(missing, "the CUDA driver is too old: it needs CUDA 12.1");
    }
    missing.is_none()
}

fn is_there(name: &str) -> bool {
    let terminated: Vec<u8> = name.bytes().chain([0]).collect();
    // SAFETY: the library was found to open, and only the address is looked at.
    unsafe { culib().get::<unsafe extern "C" fn()>(terminated.as_slice()) }.is_ok()
}

/// A function as the driver calls it, for messages.
pub(crate) fn spelling(call: &'static str) -> &'static str {
    call
}

/// What an image calls a kernel (`include/aspen/cuda.h`).
pub(crate) fn kernel_symbol(symbol: &str) -> String {
    in_ptx(symbol)
}

/// A version as the driver writes it.
pub(crate) fn version(number: c_int) -> (c_int, c_int) {
    (number / 1000, number % 1000 / 10)
}

/// The processor as images' targets name it, where the compute capability does not say it.
pub(crate) fn processor(_: CUdevice) -> String {
    String::new()
}
