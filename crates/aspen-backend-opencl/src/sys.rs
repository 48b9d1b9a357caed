//! The part of OpenCL's C API that the backend calls, loaded from the ICD loader at run time.
//!
//! Declarations follow the OpenCL 3.0 specification and the texts of the extensions `cl_intel_unified_shared_memory`,
//! `cl_intel_required_subgroup_size` and `cl_khr_il_program`. Nothing is linked: without the loader there are simply no devices.

#![allow(non_camel_case_types, reason = "the names are OpenCL's")]

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// The soname of every ICD loader.
const LOADER: &str = "libOpenCL.so.1";

pub(crate) type cl_int = i32;
pub(crate) type cl_uint = u32;
pub(crate) type cl_ulong = u64;
pub(crate) type cl_bitfield = u64;
pub(crate) type cl_bool = u32;

/// What a handle points to is the driver's business.
#[repr(C)]
pub(crate) struct Opaque {
    _private: [u8; 0],
}

pub(crate) type cl_platform_id = *mut Opaque;
pub(crate) type cl_device_id = *mut Opaque;
pub(crate) type cl_context = *mut Opaque;
pub(crate) type cl_command_queue = *mut Opaque;
pub(crate) type cl_program = *mut Opaque;
pub(crate) type cl_kernel = *mut Opaque;
pub(crate) type cl_event = *mut Opaque;
pub(crate) type cl_mem = *mut Opaque;

/// What `clSetEventCallback` calls: the event, its status, and what was given with it.
pub(crate) type EventCallback = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

pub(crate) const SUCCESS: cl_int = 0;
pub(crate) const DEVICE_NOT_FOUND: cl_int = -1;
pub(crate) const OUT_OF_RESOURCES: cl_int = -5;
pub(crate) const EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: cl_int = -14;
pub(crate) const BUILD_PROGRAM_FAILURE: cl_int = -11;
pub(crate) const LINK_PROGRAM_FAILURE: cl_int = -17;
pub(crate) const INVALID_VALUE: cl_int = -30;
pub(crate) const INVALID_CONTEXT: cl_int = -34;
pub(crate) const PLATFORM_NOT_FOUND_KHR: cl_int = -1001;

pub(crate) const TRUE: cl_bool = 1;

pub(crate) const PLATFORM_VERSION: cl_uint = 0x0901;
pub(crate) const PLATFORM_NAME: cl_uint = 0x0902;
pub(crate) const PLATFORM_VENDOR: cl_uint = 0x0903;
pub(crate) const PLATFORM_EXTENSIONS: cl_uint = 0x0904;

pub(crate) const DEVICE_TYPE_CPU: cl_bitfield = 1 << 1;
pub(crate) const DEVICE_TYPE_GPU: cl_bitfield = 1 << 2;
pub(crate) const DEVICE_TYPE_ACCELERATOR: cl_bitfield = 1 << 3;
pub(crate) const DEVICE_TYPE_ALL: cl_bitfield = 0xFFFF_FFFF;

pub(crate) const DEVICE_TYPE: cl_uint = 0x1000;
pub(crate) const DEVICE_VENDOR_ID: cl_uint = 0x1001;
pub(crate) const DEVICE_MAX_COMPUTE_UNITS: cl_uint = 0x1002;
pub(crate) const DEVICE_MAX_WORK_GROUP_SIZE: cl_uint = 0x1004;
pub(crate) const DEVICE_MAX_WORK_ITEM_SIZES: cl_uint = 0x1005;
pub(crate) const DEVICE_MAX_CLOCK_FREQUENCY: cl_uint = 0x100C;
pub(crate) const DEVICE_ADDRESS_BITS: cl_uint = 0x100D;
pub(crate) const DEVICE_MAX_MEM_ALLOC_SIZE: cl_uint = 0x1010;
pub(crate) const DEVICE_IMAGE_SUPPORT: cl_uint = 0x1016;
pub(crate) const DEVICE_MAX_PARAMETER_SIZE: cl_uint = 0x1017;
pub(crate) const DEVICE_MEM_BASE_ADDR_ALIGN: cl_uint = 0x1019;
pub(crate) const DEVICE_GLOBAL_MEM_CACHELINE_SIZE: cl_uint = 0x101D;
pub(crate) const DEVICE_GLOBAL_MEM_CACHE_SIZE: cl_uint = 0x101E;
pub(crate) const DEVICE_GLOBAL_MEM_SIZE: cl_uint = 0x101F;
pub(crate) const DEVICE_LOCAL_MEM_SIZE: cl_uint = 0x1023;
pub(crate) const DEVICE_PROFILING_TIMER_RESOLUTION: cl_uint = 0x1025;
pub(crate) const DEVICE_AVAILABLE: cl_uint = 0x1027;
pub(crate) const DEVICE_COMPILER_AVAILABLE: cl_uint = 0x1028;
pub(crate) const DEVICE_QUEUE_ON_HOST_PROPERTIES: cl_uint = 0x102A;
pub(crate) const DEVICE_NAME: cl_uint = 0x102B;
pub(crate) const DEVICE_VENDOR: cl_uint = 0x102C;
pub(crate) const DRIVER_VERSION: cl_uint = 0x102D;
pub(crate) const DEVICE_VERSION: cl_uint = 0x102F;
pub(crate) const DEVICE_EXTENSIONS: cl_uint = 0x1030;
pub(crate) const DEVICE_DOUBLE_FP_CONFIG: cl_uint = 0x1032;
pub(crate) const DEVICE_LINKER_AVAILABLE: cl_uint = 0x103E;
pub(crate) const DEVICE_MAX_GLOBAL_VARIABLE_SIZE: cl_uint = 0x104D;
pub(crate) const DEVICE_SVM_CAPABILITIES: cl_uint = 0x1053;
pub(crate) const DEVICE_IL_VERSION: cl_uint = 0x105B;
pub(crate) const DEVICE_MAX_NUM_SUB_GROUPS: cl_uint = 0x105C;
pub(crate) const DEVICE_SUB_GROUP_SIZES_INTEL: cl_uint = 0x4108;
pub(crate) const DEVICE_IP_VERSION_INTEL: cl_uint = 0x4250;
pub(crate) const DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_uint = 0x4190;
pub(crate) const DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_uint = 0x4191;
pub(crate) const DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_uint = 0x4192;
pub(crate) const DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_uint = 0x4194;

pub(crate) const UNIFIED_SHARED_MEMORY_ACCESS: cl_bitfield = 1 << 0;
pub(crate) const UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS: cl_bitfield = 1 << 3;
pub(crate) const SVM_COARSE_GRAIN_BUFFER: cl_bitfield = 1 << 0;
pub(crate) const SVM_FINE_GRAIN_BUFFER: cl_bitfield = 1 << 1;
pub(crate) const SVM_FINE_GRAIN_SYSTEM: cl_bitfield = 1 << 2;
pub(crate) const SVM_ATOMICS: cl_bitfield = 1 << 3;
pub(crate) const MEM_READ_WRITE: cl_bitfield = 1 << 0;
pub(crate) const MEM_COPY_HOST_PTR: cl_bitfield = 1 << 5;
pub(crate) const MEM_SVM_FINE_GRAIN_BUFFER: cl_bitfield = 1 << 10;
pub(crate) const MEM_SVM_ATOMICS: cl_bitfield = 1 << 11;

pub(crate) const QUEUE_PROPERTIES: cl_bitfield = 0x1093;
pub(crate) const QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: cl_bitfield = 1 << 0;
pub(crate) const QUEUE_PROFILING_ENABLE: cl_bitfield = 1 << 1;

pub(crate) const CONTEXT_REFERENCE_COUNT: cl_uint = 0x1080;
pub(crate) const CONTEXT_DEVICES: cl_uint = 0x1081;
pub(crate) const QUEUE_CONTEXT: cl_uint = 0x1090;
pub(crate) const QUEUE_DEVICE: cl_uint = 0x1091;
pub(crate) const QUEUE_REFERENCE_COUNT: cl_uint = 0x1092;
pub(crate) const DEVICE_REFERENCE_COUNT: cl_uint = 0x1047;
pub(crate) const EVENT_REFERENCE_COUNT: cl_uint = 0x11D2;
pub(crate) const MEM_TYPE: cl_uint = 0x1100;
pub(crate) const MEM_FLAGS: cl_uint = 0x1101;
pub(crate) const MEM_SIZE: cl_uint = 0x1102;
pub(crate) const MEM_REFERENCE_COUNT: cl_uint = 0x1105;
pub(crate) const MEM_CONTEXT: cl_uint = 0x1106;
pub(crate) const MEM_OBJECT_BUFFER: cl_uint = 0x10F0;
pub(crate) const MEM_HOST_WRITE_ONLY: cl_bitfield = 1 << 7;
pub(crate) const MEM_HOST_READ_ONLY: cl_bitfield = 1 << 8;
pub(crate) const MEM_HOST_NO_ACCESS: cl_bitfield = 1 << 9;
pub(crate) const BUFFER_CREATE_TYPE_REGION: cl_uint = 0x1220;
pub(crate) const PROGRAM_REFERENCE_COUNT: cl_uint = 0x1160;
pub(crate) const PROGRAM_CONTEXT: cl_uint = 0x1161;
pub(crate) const PROGRAM_BUILD_STATUS: cl_uint = 0x1181;
pub(crate) const PROGRAM_BINARY_TYPE: cl_uint = 0x1184;
pub(crate) const PROGRAM_BINARY_TYPE_NONE: cl_uint = 0;
pub(crate) const PROGRAM_BINARY_TYPE_EXECUTABLE: cl_uint = 4;
pub(crate) const KERNEL_NUM_ARGS: cl_uint = 0x1191;
pub(crate) const KERNEL_REFERENCE_COUNT: cl_uint = 0x1192;
pub(crate) const KERNEL_CONTEXT: cl_uint = 0x1193;
pub(crate) const KERNEL_PROGRAM: cl_uint = 0x1194;
pub(crate) const KERNEL_ATTRIBUTES: cl_uint = 0x1195;
pub(crate) const KERNEL_COMPILE_WORK_GROUP_SIZE: cl_uint = 0x11B1;
pub(crate) const KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_uint = 0x11B3;
pub(crate) const KERNEL_PRIVATE_MEM_SIZE: cl_uint = 0x11B4;

pub(crate) const PROGRAM_BINARY_SIZES: cl_uint = 0x1165;
pub(crate) const PROGRAM_BINARIES: cl_uint = 0x1166;
pub(crate) const PROGRAM_BUILD_LOG: cl_uint = 0x1183;
pub(crate) const EVENT_COMMAND_EXECUTION_STATUS: cl_uint = 0x11D3;
pub(crate) const COMPLETE: cl_int = 0;
pub(crate) const RUNNING: cl_int = 1;
pub(crate) const PROFILING_COMMAND_QUEUED: cl_uint = 0x1280;
pub(crate) const PROFILING_COMMAND_START: cl_uint = 0x1282;
pub(crate) const PROFILING_COMMAND_END: cl_uint = 0x1283;

pub(crate) const KERNEL_WORK_GROUP_SIZE: cl_uint = 0x11B0;
pub(crate) const KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_uint = 0x410A;
pub(crate) const KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: cl_uint = 0x2033;
pub(crate) const KERNEL_EXEC_INFO_SVM_PTRS: cl_uint = 0x11B6;
pub(crate) const KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: cl_uint = 0x11B7;
pub(crate) const KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: cl_uint = 0x4200;
pub(crate) const KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: cl_uint = 0x4201;
pub(crate) const KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: cl_uint = 0x4202;

/// Declares the functions of a library as a table of pointers, filled by name.
macro_rules! functions {
    ($(#[$about:meta])* $table:ident { $(fn $name:ident($($argument:ty),*) -> $result:ty;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        #[allow(non_snake_case, reason = "the names are OpenCL's")]
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl $table {
            /// Finds every function; `Err` names the first that is missing.
            ///
            /// # Safety
            /// What `find` gives for a name is null or that function of OpenCL.
            unsafe fn find(find: impl Fn(&std::ffi::CStr) -> *mut c_void) -> Result<$table, &'static str> {
                Ok($table {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        let name = std::ffi::CStr::from_bytes_with_nul(name.as_bytes()).map_err(|_| stringify!($name))?;
                        let address = find(name);
                        if address.is_null() {
                            return Err(stringify!($name));
                        }
                        // SAFETY: not null, and a function of this type by this function's contract.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> $result>(address) }
                    },)*
                })
            }
        }
    };
}

functions! {
    /// Functions that every ICD loader of OpenCL 2.1 and later exports.
    Api {
        fn clGetPlatformIDs(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
        fn clGetPlatformInfo(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clGetDeviceIDs(cl_platform_id, cl_bitfield, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
        fn clGetDeviceInfo(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clCreateContext(*const isize, cl_uint, *const cl_device_id, *const c_void, *mut c_void, *mut cl_int) -> cl_context;
        fn clReleaseContext(cl_context) -> cl_int;
        fn clCreateCommandQueueWithProperties(cl_context, cl_device_id, *const cl_bitfield, *mut cl_int) -> cl_command_queue;
        fn clReleaseCommandQueue(cl_command_queue) -> cl_int;
        fn clFlush(cl_command_queue) -> cl_int;
        fn clCreateProgramWithIL(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
        fn clCreateProgramWithBinary(
            cl_context, cl_uint, *const cl_device_id, *const usize, *const *const u8, *mut cl_int, *mut cl_int
        ) -> cl_program;
        fn clCompileProgram(
            cl_program, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program, *const *const c_char, *const c_void,
            *mut c_void
        ) -> cl_int;
        fn clLinkProgram(
            cl_context, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program, *const c_void, *mut c_void, *mut cl_int
        ) -> cl_program;
        fn clGetProgramInfo(cl_program, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clBuildProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, *const c_void, *mut c_void) -> cl_int;
        fn clGetProgramBuildInfo(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clReleaseProgram(cl_program) -> cl_int;
        fn clCreateKernel(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
        fn clSetKernelArg(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
        fn clSetKernelExecInfo(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
        fn clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clGetKernelSubGroupInfo(cl_kernel, cl_device_id, cl_uint, usize, *const c_void, usize, *mut c_void, *mut usize) -> cl_int;
        fn clReleaseKernel(cl_kernel) -> cl_int;
        fn clEnqueueNDRangeKernel(
            cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
        fn clWaitForEvents(cl_uint, *const cl_event) -> cl_int;
        fn clGetEventInfo(cl_event, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clReleaseEvent(cl_event) -> cl_int;
        fn clSetEventCallback(cl_event, cl_int, EventCallback, *mut c_void) -> cl_int;
        fn clGetEventProfilingInfo(cl_event, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
        fn clSVMAlloc(cl_context, cl_bitfield, usize, cl_uint) -> *mut c_void;
        fn clSVMFree(cl_context, *mut c_void) -> ();
        fn clEnqueueSVMMemcpy(
            cl_command_queue, cl_bool, *mut c_void, *const c_void, usize, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
        fn clEnqueueSVMMemFill(
            cl_command_queue, *mut c_void, *const c_void, usize, usize, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
        fn clGetExtensionFunctionAddressForPlatform(cl_platform_id, *const c_char) -> *mut c_void;
    }
}

functions! {
    /// What only programs need that use OpenCL beside SYCL.
    Interop {
        fn clRetainContext(cl_context) -> cl_int;
        fn clRetainCommandQueue(cl_command_queue) -> cl_int;
        fn clRetainDevice(cl_device_id) -> cl_int;
        fn clReleaseDevice(cl_device_id) -> cl_int;
        fn clRetainEvent(cl_event) -> cl_int;
        fn clRetainKernel(cl_kernel) -> cl_int;
        fn clRetainMemObject(cl_mem) -> cl_int;
        fn clRetainProgram(cl_program) -> cl_int;
        fn clGetContextInfo(cl_context, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clGetCommandQueueInfo(cl_command_queue, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clGetKernelInfo(cl_kernel, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clGetMemObjectInfo(cl_mem, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        fn clCreateUserEvent(cl_context, *mut cl_int) -> cl_event;
        fn clSetUserEventStatus(cl_event, cl_int) -> cl_int;
        fn clSetKernelArgSVMPointer(cl_kernel, cl_uint, *const c_void) -> cl_int;
        fn clCreateBuffer(cl_context, cl_bitfield, usize, *mut c_void, *mut cl_int) -> cl_mem;
        fn clCreateSubBuffer(cl_mem, cl_bitfield, cl_uint, *const c_void, *mut cl_int) -> cl_mem;
        fn clReleaseMemObject(cl_mem) -> cl_int;
        fn clEnqueueReadBuffer(
            cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
        fn clEnqueueCopyBuffer(
            cl_command_queue, cl_mem, cl_mem, usize, usize, usize, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
        fn clEnqueueWriteBuffer(
            cl_command_queue, cl_mem, cl_bool, usize, usize, *const c_void, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
    }
}

functions! {
    /// The argument function of `cl_intel_unified_shared_memory`.
    PointerArgument {
        fn clSetKernelArgMemPointerINTEL(cl_kernel, cl_uint, *const c_void) -> cl_int;
    }
}

functions! {
    /// `cl_khr_il_program`.
    ExtensionIl {
        fn clCreateProgramWithILKHR(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
    }
}

functions! {
    /// `cl_intel_unified_shared_memory`.
    Usm {
        fn clHostMemAllocINTEL(cl_context, *const cl_bitfield, usize, cl_uint, *mut cl_int) -> *mut c_void;
        fn clDeviceMemAllocINTEL(cl_context, cl_device_id, *const cl_bitfield, usize, cl_uint, *mut cl_int) -> *mut c_void;
        fn clSharedMemAllocINTEL(cl_context, cl_device_id, *const cl_bitfield, usize, cl_uint, *mut cl_int) -> *mut c_void;
        fn clMemFreeINTEL(cl_context, *mut c_void) -> cl_int;
        fn clEnqueueMemcpyINTEL(
            cl_command_queue, cl_bool, *mut c_void, *const c_void, usize, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
        fn clEnqueueMemFillINTEL(
            cl_command_queue, *mut c_void, *const c_void, usize, usize, cl_uint, *const cl_event, *mut cl_event
        ) -> cl_int;
    }
}

/// The loader's functions; `None` without a loader. It stays open for as long as the process lives, since drivers have threads.
pub(crate) fn api() -> Option<&'static Api> {
    loaded().map(|(api, _)| api)
}

/// The loader's other functions, if it has all of them.
pub(crate) fn interop() -> Option<&'static Interop> {
    loaded()?.1.as_ref()
}

fn loaded() -> Option<&'static (Api, Option<Interop>)> {
    static LOADED: OnceLock<Option<(Api, Option<Interop>)>> = OnceLock::new();
    LOADED.get_or_init(open).as_ref()
}

fn open() -> Option<(Api, Option<Interop>)> {
    // SAFETY: the loader's initialisers are those of every OpenCL program.
    let library = match unsafe { Library::new(LOADER) } {
        Ok(library) => library,
        Err(error) => {
            tracing::debug!(%error, "no OpenCL loader, so no OpenCL devices");
            return None;
        }
    };
    let find = |name: &std::ffi::CStr| {
        // SAFETY: only the address is taken, and the library stays open where it is used.
        unsafe {
            let symbol = library.get::<*mut c_void>(name.to_bytes_with_nul()).ok();
            symbol.and_then(|symbol| symbol.try_as_raw_ptr()).unwrap_or(std::ptr::null_mut())
        }
    };
    // SAFETY: the loader exports OpenCL's functions under their names.
    let (api, interop) = unsafe { (Api::find(find), Interop::find(find).ok()) };
    match api {
        Ok(api) => {
            std::mem::forget(library);
            Some((api, interop))
        }
        Err(missing) => {
            tracing::warn!(missing, "{LOADER} is too old: it needs OpenCL 2.1");
            None
        }
    }
}

impl Usm {
    /// The extension's functions of a platform, if it has all of them.
    pub(crate) fn of(api: &Api, platform: cl_platform_id) -> Option<Usm> {
        // SAFETY: a platform of this loader, and NUL-terminated names; the extension says what the addresses are.
        unsafe { Usm::find(|name| (api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr())) }.ok()
    }
}

impl PointerArgument {
    /// The extension's function of a platform, if it has it.
    pub(crate) fn of(api: &Api, platform: cl_platform_id) -> Option<PointerArgument> {
        // SAFETY: as in `Usm::of`.
        unsafe { PointerArgument::find(|name| (api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr())) }.ok()
    }
}

/// A function that makes programs from SPIR-V.
pub(crate) type CreateProgramWithIl = unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;

/// The platform's function that makes programs from SPIR-V: the extension's first, since platforms of OpenCL 1.2 have only that.
pub(crate) fn create_program_with_il(api: &Api, platform: cl_platform_id) -> CreateProgramWithIl {
    // SAFETY: as in `Usm::of`.
    let extension = unsafe { ExtensionIl::find(|name| (api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr())) };
    extension.map_or(api.clCreateProgramWithIL, |extension| extension.clCreateProgramWithILKHR)
}

/// The name of an error of OpenCL, for messages.
pub(crate) fn error_name(error: cl_int) -> &'static str {
    match error {
        -1 => "CL_DEVICE_NOT_FOUND",
        -2 => "CL_DEVICE_NOT_AVAILABLE",
        -3 => "CL_COMPILER_NOT_AVAILABLE",
        -4 => "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        -5 => "CL_OUT_OF_RESOURCES",
        -6 => "CL_OUT_OF_HOST_MEMORY",
        -7 => "CL_PROFILING_INFO_NOT_AVAILABLE",
        -11 => "CL_BUILD_PROGRAM_FAILURE",
        -14 => "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        -15 => "CL_COMPILE_PROGRAM_FAILURE",
        -16 => "CL_LINKER_NOT_AVAILABLE",
        -17 => "CL_LINK_PROGRAM_FAILURE",
        -30 => "CL_INVALID_VALUE",
        -33 => "CL_INVALID_DEVICE",
        -34 => "CL_INVALID_CONTEXT",
        -35 => "CL_INVALID_QUEUE_PROPERTIES",
        -36 => "CL_INVALID_COMMAND_QUEUE",
        -42 => "CL_INVALID_BINARY",
        -43 => "CL_INVALID_BUILD_OPTIONS",
        -44 => "CL_INVALID_PROGRAM",
        -45 => "CL_INVALID_PROGRAM_EXECUTABLE",
        -46 => "CL_INVALID_KERNEL_NAME",
        -47 => "CL_INVALID_KERNEL_DEFINITION",
        -48 => "CL_INVALID_KERNEL",
        -49 => "CL_INVALID_ARG_INDEX",
        -50 => "CL_INVALID_ARG_VALUE",
        -51 => "CL_INVALID_ARG_SIZE",
        -52 => "CL_INVALID_KERNEL_ARGS",
        -53 => "CL_INVALID_WORK_DIMENSION",
        -54 => "CL_INVALID_WORK_GROUP_SIZE",
        -55 => "CL_INVALID_WORK_ITEM_SIZE",
        -56 => "CL_INVALID_GLOBAL_OFFSET",
        -57 => "CL_INVALID_EVENT_WAIT_LIST",
        -58 => "CL_INVALID_EVENT",
        -59 => "CL_INVALID_OPERATION",
        -61 => "CL_INVALID_BUFFER_SIZE",
        -63 => "CL_INVALID_GLOBAL_WORK_SIZE",
        -64 => "CL_INVALID_PROPERTY",
        PLATFORM_NOT_FOUND_KHR => "CL_PLATFORM_NOT_FOUND_KHR",
        _ => "an error of OpenCL",
    }
}
