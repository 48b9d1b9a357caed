//! HIP's runtime under the names and with the types of CUDA's driver API (cudarc's), which the modules of that backend call.
//!
//! Numbers of flags, of attributes of functions, pointers and pools, and of most errors are CUDA's in HIP too; those of devices are not. Source:
//! ROCm "HIP Runtime API"; `hip_runtime_api.h`. ROCm 6 and later: before it, kinds of memory had other numbers.

// CUDA's names are not Rust's, and its functions have many parameters.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use aspen_runtime::backend::BackendKind;
pub(crate) use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUevent_flags, CUfunction, CUfunction_attribute, CUjit_option,
    CUjitInputType, CUlinkState, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationType, CUmemAttach_flags,
    CUmemLocation, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool, CUmemorytype, CUmodule, CUpointer_attribute,
    CUresult, CUstream, CUstream_flags,
};
use libloading::Library;

/// How messages call the driver.
pub(crate) const NAME: &str = "HIP";

/// The platform's name.
pub(crate) const PLATFORM: &str = "AMD HIP";

/// The backend.
pub(crate) const KIND: BackendKind = BackendKind::Hip;

/// Whether the driver compiles PTX.
pub(crate) const TAKES_PTX: bool = false;

/// Whether the threads of a block share the work-items of a kernel of `parallel_for_work_group`: one runs them all (`aspen/hip.h`).
pub(crate) const GROUPS_IN_THREADS: bool = false;

/// The runtime's library, the newest first; the last one comes with the package for development.
const LIBRARIES: [&str; 3] = ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"];

/// `hipMemcpyDefault`: the addresses say between what.
const ANY_DIRECTION: c_int = 4;

/// CUDA's errors that HIP has under the same number; of others only that they are none of these is known.
const ERRORS: [CUresult; 24] = [
    CUresult::CUDA_SUCCESS,
    CUresult::CUDA_ERROR_INVALID_VALUE,
    CUresult::CUDA_ERROR_OUT_OF_MEMORY,
    CUresult::CUDA_ERROR_NOT_INITIALIZED,
    CUresult::CUDA_ERROR_DEINITIALIZED,
    CUresult::CUDA_ERROR_NO_DEVICE,
    CUresult::CUDA_ERROR_INVALID_DEVICE,
    CUresult::CUDA_ERROR_INVALID_IMAGE,
    CUresult::CUDA_ERROR_INVALID_CONTEXT,
    CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    CUresult::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
    CUresult::CUDA_ERROR_OPERATING_SYSTEM,
    CUresult::CUDA_ERROR_INVALID_HANDLE,
    CUresult::CUDA_ERROR_NOT_FOUND,
    CUresult::CUDA_ERROR_NOT_READY,
    CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
    CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
    CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUresult::CUDA_ERROR_ASSERT,
    CUresult::CUDA_ERROR_LAUNCH_FAILED,
    CUresult::CUDA_ERROR_NOT_SUPPORTED,
];

fn result(code: c_int) -> CUresult {
    ERRORS.into_iter().find(|known| *known as c_int == code).unwrap_or(CUresult::CUDA_ERROR_UNKNOWN)
}

/// Numbers of `hipDeviceAttribute_t`.
const ATTRIBUTES: [(CUdevice_attribute, c_int); 23] = [
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 5),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 9),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 15),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED, 16),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 19),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 23),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 24),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 26),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 27),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 28),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 29),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 30),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 31),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 56),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 61),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 63),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 65),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 66),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 74),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 75),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 85),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE, 87),
    (CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 88),
];

/// Functions that the runtime has under another name and with CUDA's parameters, and those that it has with others.
macro_rules! functions {
    (same { $($cuda:ident => $hip:ident($($name:ident: $type:ty),*);)* } other { $($own:ident($($parameter:ty),*) -> $result:ty;)* }) => {
        /// The runtime's functions. The library stays open until the process ends.
        struct Api {
            $($hip: unsafe extern "C" fn($($type),*) -> c_int,)*
            $($own: unsafe extern "C" fn($($parameter),*) -> $result,)*
        }

        impl Api {
            /// `Err` with the function that is missing.
            fn of(library: &Library) -> Result<Api, &'static str> {
                Ok(Api {
                    // SAFETY: these are the functions' types.
                    $($hip: unsafe { function(library, stringify!($hip))? },)*
                    // SAFETY: as above.
                    $($own: unsafe { function(library, stringify!($own))? },)*
                })
            }
        }

        /// CUDA's names and the runtime's.
        const SPELLINGS: &[(&str, &str)] = &[$((stringify!($cuda), stringify!($hip))),*];

        $(
            pub(crate) unsafe fn $cuda($($name: $type),*) -> CUresult {
                // SAFETY: as for the runtime's function, by this one's contract.
                with(|api| unsafe { (api.$hip)($($name),*) })
            }
        )*
    };
}

functions! {
    same {
        cuCtxGetDevice => hipCtxGetDevice(device: *mut CUdevice);
        cuDeviceCanAccessPeer => hipDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
        cuDeviceGet => hipDeviceGet(device: *mut CUdevice, ordinal: c_int);
        cuDeviceGetCount => hipGetDeviceCount(count: *mut c_int);
        cuDeviceGetName => hipDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
        cuDevicePrimaryCtxRelease_v2 => hipDevicePrimaryCtxRelease(device: CUdevice);
        cuDevicePrimaryCtxRetain => hipDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
        cuDeviceTotalMem_v2 => hipDeviceTotalMem(bytes: *mut usize, device: CUdevice);
        cuDriverGetVersion => hipDriverGetVersion(version: *mut c_int);
        cuEventCreate => hipEventCreateWithFlags(event: *mut CUevent, flags: c_uint);
        cuEventDestroy_v2 => hipEventDestroy(event: CUevent);
        cuEventElapsedTime => hipEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
        cuEventQuery => hipEventQuery(event: CUevent);
        cuEventRecord => hipEventRecord(event: CUevent, stream: CUstream);
        cuEventSynchronize => hipEventSynchronize(event: CUevent);
        cuFuncGetAttribute => hipFuncGetAttribute(value: *mut c_int, what: CUfunction_attribute, function: CUfunction);
        cuInit => hipInit(flags: c_uint);
        cuLaunchKernel => hipModuleLaunchKernel(
            function: CUfunction, bx: c_uint, by: c_uint, bz: c_uint, tx: c_uint, ty: c_uint, tz: c_uint, memory: c_uint, stream: CUstream,
            parameters: *mut *mut c_void, extra: *mut *mut c_void
        );
        cuMemAllocFromPoolAsync => hipMallocFromPoolAsync(address: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, stream: CUstream);
        cuMemAllocManaged => hipMallocManaged(address: *mut CUdeviceptr, size: usize, flags: c_uint);
        cuMemAlloc_v2 => hipMalloc(address: *mut CUdeviceptr, size: usize);
        cuMemFreeAsync => hipFreeAsync(address: CUdeviceptr, stream: CUstream);
        cuMemFreeHost => hipHostFree(address: *mut c_void);
        cuMemFree_v2 => hipFree(address: CUdeviceptr);
        cuMemHostAlloc => hipHostMalloc(address: *mut *mut c_void, size: usize, flags: c_uint);
        cuMemPoolCreate => hipMemPoolCreate(pool: *mut CUmemoryPool, properties: *const CUmemPoolProps);
        cuMemPoolSetAccess => hipMemPoolSetAccess(pool: CUmemoryPool, who: *const CUmemAccessDesc, count: usize);
        cuMemPoolSetAttribute => hipMemPoolSetAttribute(pool: CUmemoryPool, what: CUmemPool_attribute, value: *mut c_void);
        cuMemsetD16Async => hipMemsetD16Async(address: CUdeviceptr, value: u16, count: usize, stream: CUstream);
        cuMemsetD32Async => hipMemsetD32Async(address: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
        cuMemsetD8Async => hipMemsetD8Async(address: CUdeviceptr, value: u8, count: usize, stream: CUstream);
        cuModuleGetFunction => hipModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
        cuModuleUnload => hipModuleUnload(module: CUmodule);
        cuPointerGetAttributes => hipDrvPointerGetAttributes(
            count: c_uint, what: *mut CUpointer_attribute, answers: *mut *mut c_void, address: CUdeviceptr
        );
        cuStreamCreate => hipStreamCreateWithFlags(stream: *mut CUstream, flags: c_uint);
        cuStreamDestroy_v2 => hipStreamDestroy(stream: CUstream);
        cuStreamQuery => hipStreamQuery(stream: CUstream);
        cuStreamSynchronize => hipStreamSynchronize(stream: CUstream);
        cuStreamWaitEvent => hipStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    }
    other {
        hipCtxPopCurrent(*mut CUcontext) -> c_int;
        hipCtxPushCurrent(CUcontext) -> c_int;
        hipDeviceGetAttribute(*mut c_int, c_int, CUdevice) -> c_int;
        hipGetDevice(*mut c_int) -> c_int;
        hipGetDevicePropertiesR0600(*mut c_void, c_int) -> c_int;
        hipGetErrorName(c_int) -> *const c_char;
        hipGetErrorString(c_int) -> *const c_char;
        hipMemcpyAsync(CUdeviceptr, CUdeviceptr, usize, c_int, CUstream) -> c_int;
        hipModuleLoadData(*mut CUmodule, *const c_void) -> c_int;
        hipSetDevice(c_int) -> c_int;
        hipStreamGetDevice(CUstream, *mut CUdevice) -> c_int;
    }
}

/// # Safety
/// `F` is the type of that function.
unsafe fn function<F: Copy>(library: &Library, name: &'static str) -> Result<F, &'static str> {
    // SAFETY: by this function's contract.
    unsafe { library.get::<F>(name) }.map(|found| *found).map_err(|_| name)
}

static API: OnceLock<Option<Api>> = OnceLock::new();

fn with(call: impl FnOnce(&Api) -> c_int) -> CUresult {
    match API.get() {
        Some(Some(api)) => result(call(api)),
        Some(None) | None => CUresult::CUDA_ERROR_NOT_INITIALIZED,
    }
}

/// Whether the runtime is there, with all of its functions.
pub(crate) fn load() -> bool {
    let open = || {
        // SAFETY: the runtime's initialisers are those of every HIP program.
        let library = LIBRARIES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        let Some(library) = library else {
            tracing::debug!("no HIP runtime, so no HIP devices");
            return None;
        };
        let api = Api::of(&library).map_err(|missing| tracing::warn!(missing, "the HIP runtime is too old: it needs ROCm 6.0"));
        std::mem::forget(library); // the functions stay
        api.ok()
    };
    API.get_or_init(open).is_some()
}

/// A function as the runtime calls it, for messages.
pub(crate) fn spelling(call: &'static str) -> &'static str {
    const OTHERS: [(&str, &str); 6] = [
        ("cuCtxPopCurrent", "hipCtxPopCurrent"),
        ("cuCtxPushCurrent", "hipCtxPushCurrent"),
        ("cuDeviceGetAttribute", "hipDeviceGetAttribute"),
        ("cuMemcpyAsync", "hipMemcpyAsync"),
        ("cuModuleLoadDataEx", "hipModuleLoadData"),
        ("cuStreamGetCtx", "hipStreamGetDevice"),
    ];
    // Versions of CUDA's functions are not told.
    let is_it = |name: &str| name.strip_suffix("_v2").unwrap_or(name) == call;
    SPELLINGS.iter().chain(&OTHERS).find(|(name, _)| is_it(name)).map_or(call, |(_, own)| own)
}

/// What an image calls a kernel.
pub(crate) fn kernel_symbol(symbol: &str) -> String {
    symbol.to_owned()
}

/// A version as the runtime writes it.
pub(crate) fn version(number: c_int) -> (c_int, c_int) {
    (number / 10_000_000, number / 100_000 % 100)
}

/// The processor as images' targets name it: `gfx90a` of `gfx90a:sramecc+:xnack-`.
///
/// What says so is a member of a structure that grows with the runtime. It is found as the only text behind the device's name that begins so.
pub(crate) fn processor(device: CUdevice) -> String {
    const NAME: usize = 256;
    let mut properties = vec![0_u8; 1 << 14];
    // SAFETY: room for ten times what the structure has.
    if with(|api| unsafe { (api.hipGetDevicePropertiesR0600)(properties.as_mut_ptr().cast(), device) }) != CUresult::CUDA_SUCCESS {
        return String::new();
    }
    processor_in(&properties[NAME..])
}

fn processor_in(properties: &[u8]) -> String {
    let begin = properties.windows(3).position(|text| text == b"gfx").unwrap_or(properties.len());
    let name = properties[begin..].iter().take_while(|byte| byte.is_ascii_alphanumeric());
    name.map(|byte| char::from(*byte)).collect()
}

/// What `call` made the driver say, or null.
fn told(ask: impl FnOnce(&Api) -> *const c_char, to: *mut *const c_char) -> CUresult {
    let Some(Some(api)) = API.get() else { return CUresult::CUDA_ERROR_NOT_INITIALIZED };
    // SAFETY: room for the answer, by the contract of the two callers.
    unsafe { *to = ask(api) };
    CUresult::CUDA_SUCCESS
}

pub(crate) unsafe fn cuGetErrorName(error: CUresult, to: *mut *const c_char) -> CUresult {
    // SAFETY: any number may be asked for.
    told(|api| unsafe { (api.hipGetErrorName)(error as c_int) }, to)
}

pub(crate) unsafe fn cuGetErrorString(error: CUresult, to: *mut *const c_char) -> CUresult {
    // SAFETY: any number may be asked for.
    told(|api| unsafe { (api.hipGetErrorString)(error as c_int) }, to)
}

pub(crate) unsafe fn cuDeviceGetAttribute(to: *mut c_int, what: CUdevice_attribute, device: CUdevice) -> CUresult {
    let Some((_, number)) = ATTRIBUTES.iter().find(|(known, _)| *known == what) else { return CUresult::CUDA_ERROR_NOT_SUPPORTED };
    // SAFETY: by this function's contract.
    with(|api| unsafe { (api.hipDeviceGetAttribute)(to, *number, device) })
}

thread_local! {
    /// The devices that were current before those of contexts that are entered: the runtime does not come back to them on its own.
    static BEFORE: RefCell<Vec<c_int>> = const { RefCell::new(Vec::new()) };
}

pub(crate) unsafe fn cuCtxPushCurrent_v2(context: CUcontext) -> CUresult {
    let mut device = 0;
    // SAFETY: room for the answer; a context that is alive, by this function's contract.
    let pushed = with(|api| unsafe {
        match (api.hipGetDevice)(&mut device) {
            0 => (api.hipCtxPushCurrent)(context),
            failure => failure,
        }
    });
    if pushed == CUresult::CUDA_SUCCESS {
        // A thread that ends has nothing to come back to.
        let _ended = BEFORE.try_with(|before| before.borrow_mut().push(device));
    }
    pushed
}

pub(crate) unsafe fn cuCtxPopCurrent_v2(context: *mut CUcontext) -> CUresult {
    let device = BEFORE.try_with(|before| before.borrow_mut().pop()).ok().flatten();
    // SAFETY: room for the answer, and a device that was current.
    with(|api| unsafe {
        match ((api.hipCtxPopCurrent)(context), device) {
            (0, Some(device)) => (api.hipSetDevice)(device),
            (code, _) => code,
        }
    })
}

/// A stream knows its device, whose only context is the primary one.
pub(crate) unsafe fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) -> CUresult {
    let mut device = 0;
    // SAFETY: a stream that is alive, by this function's contract, and room for the answers.
    with(|api| unsafe {
        match (api.hipStreamGetDevice)(stream, &mut device) {
            0 => match (api.hipDevicePrimaryCtxRetain)(context, device) {
                0 => (api.hipDevicePrimaryCtxRelease)(device),
                failure => failure,
            },
            failure => failure,
        }
    })
}

pub(crate) unsafe fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream) -> CUresult {
    // SAFETY: by this function's contract.
    with(|api| unsafe { (api.hipMemcpyAsync)(to, from, size, ANY_DIRECTION, stream) })
}

/// There is nothing to compile, so the options have nothing to say.
pub(crate) unsafe fn cuModuleLoadDataEx(
    module: *mut CUmodule,
    image: *const c_void,
    _: c_uint,
    _: *mut CUjit_option,
    _: *mut *mut c_void,
) -> CUresult {
    // SAFETY: by this function's contract.
    with(|api| unsafe { (api.hipModuleLoadData)(module, image) })
}

/// The runtime wants no word before a launch with much local memory: all that a work-group can have is its.
pub(crate) unsafe fn cuFuncSetAttribute(_: CUfunction, _: CUfunction_attribute, _: c_int) -> CUresult {
    CUresult::CUDA_SUCCESS
}

/// The runtime links no code objects, and `fit` takes no images that would have to be.
pub(crate) unsafe fn cuLinkCreate_v2(_: c_uint, _: *mut CUjit_option, _: *mut *mut c_void, _: *mut CUlinkState) -> CUresult {
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

pub(crate) unsafe fn cuLinkAddData_v2(
    _: CUlinkState,
    _: CUjitInputType,
    _: *mut c_void,
    _: usize,
    _: *const c_char,
    _: c_uint,
    _: *mut CUjit_option,
    _: *mut *mut c_void,
) -> CUresult {
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

pub(crate) unsafe fn cuLinkComplete(_: CUlinkState, _: *mut *mut c_void, _: *mut usize) -> CUresult {
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

pub(crate) unsafe fn cuLinkDestroy(_: CUlinkState) -> CUresult {
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names() {
        assert_eq!(version(60_443_483), (6, 4));
        assert_eq!(processor_in(b"\0\x01gfx90a:sramecc+:xnack-\0\0"), "gfx90a");
        assert_eq!(processor_in(b"\0\0"), "");
        assert_eq!((result(0), result(600)), (CUresult::CUDA_SUCCESS, CUresult::CUDA_ERROR_NOT_READY));
        assert_eq!((result(1052), result(-1)), (CUresult::CUDA_ERROR_UNKNOWN, CUresult::CUDA_ERROR_UNKNOWN));
        for (cuda, hip) in [
            ("cuMemAlloc", "hipMalloc"),
            ("cuLaunchKernel", "hipModuleLaunchKernel"),
            ("cuCtxPushCurrent", "hipCtxPushCurrent"),
            ("alignment of USM", "alignment of USM"),
        ] {
            assert_eq!(spelling(cuda), hip);
        }
    }
}
