//! The part of OpenCL's C API that the backend calls, loaded from the ICD loader at run time.
//!
//! Constants and types are those of `opencl-sys`. Nothing is linked: without the loader there are simply no devices.

use std::ffi::c_void;
use std::sync::OnceLock;

use libloading::Library;

/// The soname of every ICD loader.
const LOADER: &str = "libOpenCL.so.1";

pub(crate) use opencl_sys::cl_function_types::*;
pub(crate) use opencl_sys::*;

/// A function of OpenCL, of whose type `opencl-sys` makes an option.
pub(crate) trait Function {
    type Pointer;
}

impl<P> Function for Option<P> {
    type Pointer = P;
}

/// Declares the functions of a library as a table of pointers, filled by name.
macro_rules! functions {
    ($(#[$about:meta])* $table:ident { $($name:ident: $function:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        #[allow(non_snake_case, reason = "the names are OpenCL's")]
        pub(crate) struct $table {
            $(pub(crate) $name: <$function as Function>::Pointer,)*
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
                        // SAFETY: null, or a function of this type by this function's contract.
                        let function = unsafe { std::mem::transmute::<*mut c_void, $function>(find(name)) };
                        function.ok_or(stringify!($name))?
                    },)*
                })
            }
        }
    };
}

functions! {
    /// Functions that every ICD loader of OpenCL 2.1 and later exports.
    Api {
        clGetPlatformIDs: clGetPlatformIDs_t,
        clGetPlatformInfo: clGetPlatformInfo_t,
        clGetDeviceIDs: clGetDeviceIDs_t,
        clGetDeviceInfo: clGetDeviceInfo_t,
        clCreateContext: clCreateContext_t,
        clReleaseContext: clReleaseContext_t,
        clCreateCommandQueueWithProperties: clCreateCommandQueueWithProperties_t,
        clReleaseCommandQueue: clReleaseCommandQueue_t,
        clFlush: clFlush_t,
        clCreateProgramWithIL: clCreateProgramWithIL_t,
        clCreateProgramWithBinary: clCreateProgramWithBinary_t,
        clCompileProgram: clCompileProgram_t,
        clLinkProgram: clLinkProgram_t,
        clGetProgramInfo: clGetProgramInfo_t,
        clBuildProgram: clBuildProgram_t,
        clGetProgramBuildInfo: clGetProgramBuildInfo_t,
        clReleaseProgram: clReleaseProgram_t,
        clCreateKernel: clCreateKernel_t,
        clSetKernelArg: clSetKernelArg_t,
        clSetKernelExecInfo: clSetKernelExecInfo_t,
        clGetKernelWorkGroupInfo: clGetKernelWorkGroupInfo_t,
        clGetKernelSubGroupInfo: clGetKernelSubGroupInfo_t,
        clReleaseKernel: clReleaseKernel_t,
        clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
        clWaitForEvents: clWaitForEvents_t,
        clGetEventInfo: clGetEventInfo_t,
        clReleaseEvent: clReleaseEvent_t,
        clSetEventCallback: clSetEventCallback_t,
        clGetEventProfilingInfo: clGetEventProfilingInfo_t,
        clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_t,
        clSVMAlloc: clSVMAlloc_t,
        clSVMFree: clSVMFree_t,
        clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_t,
        clEnqueueSVMMemFill: clEnqueueSVMMemFill_t,
        clGetExtensionFunctionAddressForPlatform: clGetExtensionFunctionAddressForPlatform_t,
    }
}

functions! {
    /// What only programs need that use OpenCL beside SYCL.
    Interop {
        clRetainContext: clRetainContext_t,
        clRetainCommandQueue: clRetainCommandQueue_t,
        clRetainDevice: clRetainDevice_t,
        clReleaseDevice: clReleaseDevice_t,
        clRetainEvent: clRetainEvent_t,
        clRetainKernel: clRetainKernel_t,
        clRetainMemObject: clRetainMemObject_t,
        clRetainProgram: clRetainProgram_t,
        clGetContextInfo: clGetContextInfo_t,
        clGetCommandQueueInfo: clGetCommandQueueInfo_t,
        clGetKernelInfo: clGetKernelInfo_t,
        clGetMemObjectInfo: clGetMemObjectInfo_t,
        clCreateUserEvent: clCreateUserEvent_t,
        clSetUserEventStatus: clSetUserEventStatus_t,
        clSetKernelArgSVMPointer: clSetKernelArgSVMPointer_t,
        clCreateBuffer: clCreateBuffer_t,
        clCreateSubBuffer: clCreateSubBuffer_t,
        clReleaseMemObject: clReleaseMemObject_t,
        clEnqueueReadBuffer: clEnqueueReadBuffer_t,
        clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
        clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
    }
}

functions! {
    /// The argument function of `cl_intel_unified_shared_memory`.
    PointerArgument {
        clSetKernelArgMemPointerINTEL: clSetKernelArgMemPointerINTEL_t,
    }
}

functions! {
    /// `cl_khr_il_program`.
    ExtensionIl {
        clCreateProgramWithILKHR: clCreateProgramWithILKHR_t,
    }
}

functions! {
    /// `cl_intel_unified_shared_memory`.
    Usm {
        clHostMemAllocINTEL: clHostMemAllocINTEL_t,
        clDeviceMemAllocINTEL: clDeviceMemAllocINTEL_t,
        clSharedMemAllocINTEL: clSharedMemAllocINTEL_t,
        clMemFreeINTEL: clMemFreeINTEL_t,
        clEnqueueMemcpyINTEL: clEnqueueMemcpyINTEL_t,
        clEnqueueMemFillINTEL: clEnqueueMemFillINTEL_t,
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
pub(crate) type CreateProgramWithIl = <clCreateProgramWithIL_t as Function>::Pointer;

/// The platform's function that makes programs from SPIR-V: the extension's first, since platforms of OpenCL 1.2 have only that.
pub(crate) fn create_program_with_il(api: &Api, platform: cl_platform_id) -> CreateProgramWithIl {
    // SAFETY: as in `Usm::of`.
    let extension = unsafe { ExtensionIl::find(|name| (api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr())) };
    extension.map_or(api.clCreateProgramWithIL, |extension| extension.clCreateProgramWithILKHR)
}

/// Gives each of these errors its name.
macro_rules! error_names {
    ($($name:ident)*) => {
        /// The name of an error of OpenCL, for messages.
        pub(crate) fn error_name(error: cl_int) -> &'static str {
            match error {
                $($name => stringify!($name),)*
                _ => "an error of OpenCL",
            }
        }
    };
}

error_names! {
    CL_DEVICE_NOT_FOUND
    CL_DEVICE_NOT_AVAILABLE
    CL_COMPILER_NOT_AVAILABLE
    CL_MEM_OBJECT_ALLOCATION_FAILURE
    CL_OUT_OF_RESOURCES
    CL_OUT_OF_HOST_MEMORY
    CL_PROFILING_INFO_NOT_AVAILABLE
    CL_BUILD_PROGRAM_FAILURE
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    CL_COMPILE_PROGRAM_FAILURE
    CL_LINKER_NOT_AVAILABLE
    CL_LINK_PROGRAM_FAILURE
    CL_INVALID_VALUE
    CL_INVALID_DEVICE
    CL_INVALID_CONTEXT
    CL_INVALID_QUEUE_PROPERTIES
    CL_INVALID_COMMAND_QUEUE
    CL_INVALID_BINARY
    CL_INVALID_BUILD_OPTIONS
    CL_INVALID_PROGRAM
    CL_INVALID_PROGRAM_EXECUTABLE
    CL_INVALID_KERNEL_NAME
    CL_INVALID_KERNEL_DEFINITION
    CL_INVALID_KERNEL
    CL_INVALID_ARG_INDEX
    CL_INVALID_ARG_VALUE
    CL_INVALID_ARG_SIZE
    CL_INVALID_KERNEL_ARGS
    CL_INVALID_WORK_DIMENSION
    CL_INVALID_WORK_GROUP_SIZE
    CL_INVALID_WORK_ITEM_SIZE
    CL_INVALID_GLOBAL_OFFSET
    CL_INVALID_EVENT_WAIT_LIST
    CL_INVALID_EVENT
    CL_INVALID_OPERATION
    CL_INVALID_BUFFER_SIZE
    CL_INVALID_GLOBAL_WORK_SIZE
    CL_INVALID_PROPERTY
    CL_PLATFORM_NOT_FOUND_KHR
}
