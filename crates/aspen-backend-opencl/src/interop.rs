//! OpenCL's objects that programs bring, or ask for. Source: SYCL 2020 §C.6 "Interoperability with the OpenCL API".

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use aspen_runtime::backend::{DeviceEvent, Native};
use aspen_runtime::native::{self, KernelFacts, NativeQueue, OwnEvent, ProgramState, QueueFacts};
use aspen_runtime::{Code, Result};

use crate::answers::{bytes, text};
use crate::handles::{Context, Event, Failure, Queue, Tried, given, succeeded};
use crate::native::{Foreign, Side, own_side};
use crate::objects::{Ask, asked, interop, pointer, retain};
use crate::platform::Handle;
use crate::sys::{self, Interop, cl_bitfield, cl_device_id, cl_int, cl_uint};

/// An event that the runtime completes.
struct User {
    event: Event,
    interop: &'static Interop,
}

impl OwnEvent for User {
    fn handle(&self) -> usize {
        self.event.handle().expose_provenance()
    }

    fn complete(&self) {
        // SAFETY: an event of `clCreateUserEvent`, completed once.
        unsafe { (self.interop.clSetUserEventStatus)(self.event.handle(), sys::CL_COMPLETE) };
    }
}

impl Handle {
    fn tried<T>(&self, code: Code, tried: Tried<T>) -> Result<T> {
        tried.map_err(|failure| self.0.failed(code, failure))
    }

    /// # Safety
    /// The handle is a context, alive.
    unsafe fn context(&self, context: Option<usize>) -> Result<Arc<Context>> {
        let Some(context) = context else { return self.0.context().cloned() };
        // SAFETY: by this function's contract.
        let wrapped = unsafe { Context::of_program(self.0.api(), interop(&self.0)?, self.0.platform(), pointer(context)) };
        self.tried(Code::Invalid, wrapped)
    }

    /// # Safety
    /// The handle is a program, alive.
    unsafe fn state(&self, program: usize) -> Tried<ProgramState> {
        let ask = |what| {
            let mut answer = 0_u32;
            let into = ptr::from_mut(&mut answer).cast();
            // SAFETY: by this function's contract, with room for the answer; both answers are 32 bits wide.
            let error = unsafe {
                (self.0.api().clGetProgramBuildInfo)(pointer(program), self.0.id().0, what, size_of::<u32>(), into, ptr::null_mut())
            };
            succeeded("clGetProgramBuildInfo", error).map(|()| answer)
        };
        // PoCL calls a program executable that could not be built.
        if ask(sys::CL_PROGRAM_BUILD_STATUS)? as cl_int != sys::CL_SUCCESS {
            return Ok(ProgramState::Input);
        }
        Ok(match ask(sys::CL_PROGRAM_BINARY_TYPE)? {
            sys::CL_PROGRAM_BINARY_TYPE_NONE => ProgramState::Input,
            sys::CL_PROGRAM_BINARY_TYPE_EXECUTABLE => ProgramState::Executable,
            _ => ProgramState::Object,
        })
    }

    /// The compiler's words about a program.
    fn log(&self, program: usize) -> String {
        let ask = self.0.api().clGetProgramBuildInfo;
        // SAFETY: a program that is alive, by the contract of whoever calls, with as much room as is told.
        let log =
            bytes(|size, into, needed| unsafe { ask(pointer(program), self.0.id().0, sys::CL_PROGRAM_BUILD_LOG, size, into, needed) });
        text(log)
    }
}

impl native::Interop for Handle {
    unsafe fn retain(&self, what: Native, handle: usize) -> Result<()> {
        retain(&self.0, what, handle)
    }

    unsafe fn release(&self, what: Native, handle: usize) {
        let (Some(own), api, handle) = (sys::interop(), self.0.api(), pointer(handle)) else { return };
        // SAFETY: in all of them: a reference of the caller's, by this function's contract.
        unsafe {
            match what {
                Native::Platform => sys::CL_SUCCESS,
                Native::Device => (own.clReleaseDevice)(handle),
                Native::Context => (api.clReleaseContext)(handle),
                Native::Queue => (api.clReleaseCommandQueue)(handle),
                Native::Event => (api.clReleaseEvent)(handle),
                Native::Memory => (own.clReleaseMemObject)(handle),
                Native::Program => (api.clReleaseProgram)(handle),
                Native::Kernel => (api.clReleaseKernel)(handle),
            }
        };
    }

    unsafe fn references(&self, what: Native, handle: usize) -> Result<u32> {
        let (own, api, of) = (interop(&self.0)?, self.0.api(), pointer(handle));
        let (call, ask, question): (_, Ask, _) = match what {
            Native::Platform => return Err(self.0.error(Code::Invalid, "OpenCL counts no references of platforms")),
            Native::Device => ("clGetDeviceInfo", api.clGetDeviceInfo, sys::CL_DEVICE_REFERENCE_COUNT),
            Native::Context => ("clGetContextInfo", own.clGetContextInfo, sys::CL_CONTEXT_REFERENCE_COUNT),
            Native::Queue => ("clGetCommandQueueInfo", own.clGetCommandQueueInfo, sys::CL_QUEUE_REFERENCE_COUNT),
            Native::Event => ("clGetEventInfo", api.clGetEventInfo, sys::CL_EVENT_REFERENCE_COUNT),
            Native::Memory => ("clGetMemObjectInfo", own.clGetMemObjectInfo, sys::CL_MEM_REFERENCE_COUNT),
            Native::Program => ("clGetProgramInfo", api.clGetProgramInfo, sys::CL_PROGRAM_REFERENCE_COUNT),
            Native::Kernel => ("clGetKernelInfo", own.clGetKernelInfo, sys::CL_KERNEL_REFERENCE_COUNT),
        };
        // SAFETY: an object of the kind, by this function's contract; counts are `cl_uint`s.
        self.tried(Code::Invalid, unsafe { asked(call, ask, of, question) })
    }

    fn device_info(&self, what: u32) -> Vec<u8> {
        let (ask, id) = (self.0.api().clGetDeviceInfo, self.0.id().0);
        // SAFETY: a device that is alive, with as much room as is told.
        bytes(|size, into, needed| unsafe { ask(id, what, size, into, needed) })
    }

    unsafe fn is_in(&self, context: usize) -> Result<bool> {
        let ask = interop(&self.0)?.clGetContextInfo;
        // SAFETY: a context that is alive, by this function's contract, with as much room as is told.
        let ids = bytes(|size, into, needed| unsafe { ask(pointer(context), sys::CL_CONTEXT_DEVICES, size, into, needed) });
        if ids.is_empty() {
            return Err(self.0.failed(Code::Invalid, Failure { call: "clGetContextInfo", error: sys::CL_INVALID_CONTEXT }));
        }
        let (ids, _) = ids.as_chunks::<{ size_of::<cl_device_id>() }>();
        Ok(ids.iter().any(|id| usize::from_ne_bytes(*id) == self.0.id().0.addr()))
    }

    unsafe fn queue_facts(&self, queue: usize) -> Result<QueueFacts> {
        let (call, ask, of) = ("clGetCommandQueueInfo", interop(&self.0)?.clGetCommandQueueInfo, pointer(queue));
        let read = || -> Tried<QueueFacts> {
            // SAFETY: a queue that is alive, by this function's contract, and answers of these types.
            let properties: cl_bitfield = unsafe { asked(call, ask, of, sys::CL_QUEUE_PROPERTIES as cl_uint) }?;
            Ok(QueueFacts {
                // SAFETY: as above.
                device: unsafe { asked(call, ask, of, sys::CL_QUEUE_DEVICE) }?,
                // SAFETY: as above.
                context: unsafe { asked(call, ask, of, sys::CL_QUEUE_CONTEXT) }?,
                in_order: properties & sys::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0,
                profiling: properties & sys::CL_QUEUE_PROFILING_ENABLE != 0,
            })
        };
        self.tried(Code::Invalid, read())
    }

    unsafe fn queue(&self, context: Option<usize>, queue: Option<usize>) -> Result<Arc<dyn NativeQueue>> {
        if (context, queue) == (None, None) {
            return own_side(&self.0).map(|side| Arc::new(side) as Arc<dyn NativeQueue>);
        }
        let interop = interop(&self.0)?;
        // SAFETY: by this function's contract.
        let context = unsafe { self.context(context) }?;
        let work = Arc::new(self.tried(Code::Invalid, Queue::create(&context, self.0.id(), false, false))?);
        let queue = match queue {
            // SAFETY: by this function's contract.
            Some(queue) => Arc::new(self.tried(Code::Invalid, unsafe { Queue::of_program(&context, interop, pointer(queue)) })?),
            None => work.clone(),
        };
        Ok(Arc::new(Side { device: self.0.clone(), interop, queue, work }))
    }

    unsafe fn event(&self, event: usize) -> Result<Arc<dyn DeviceEvent>> {
        retain(&self.0, Native::Event, event)?;
        // SAFETY: an event by this function's contract, with the reference that was just added.
        let event = unsafe { Event::taken(self.0.context()?, pointer(event)) };
        Ok(Arc::new(Foreign { device: self.0.clone(), event }))
    }

    unsafe fn own_event(&self, context: Option<usize>) -> Result<(Arc<dyn OwnEvent>, bool)> {
        let interop = interop(&self.0)?;
        // SAFETY: by this function's contract.
        let context = unsafe { self.context(context) }?;
        let mut error = sys::CL_SUCCESS;
        // SAFETY: a context that is alive, and room for the error.
        let made = unsafe { (interop.clCreateUserEvent)(context.handle(), &mut error) };
        let made = self.tried(Code::Runtime, given("clCreateUserEvent", error, made))?;
        // SAFETY: made above, with one reference.
        let event = unsafe { Event::taken(&context, made) };
        Ok((Arc::new(User { event, interop }), false))
    }

    unsafe fn program(&self, program: usize) -> Result<(ProgramState, usize)> {
        // SAFETY: a program that is alive, by this function's contract.
        let state = self.tried(Code::Invalid, unsafe { self.state(program) })?;
        // SAFETY: as above.
        let context = unsafe { asked("clGetProgramInfo", self.0.api().clGetProgramInfo, pointer(program), sys::CL_PROGRAM_CONTEXT) };
        Ok((state, self.tried(Code::Invalid, context)?))
    }

    unsafe fn build(&self, programs: &[usize], state: ProgramState) -> Result<usize> {
        let (api, device) = (self.0.api(), self.0.id().0);
        let not_built = |call: &'static str, program: usize| {
            move |error: cl_int| {
                let failure = Failure { call, error };
                let log = self.log(program);
                self.0.error(Code::Build, format!("{failure}{}{log}", if log.is_empty() { "" } else { "\n" })).with_native(error)
            }
        };
        let succeeded = |error: cl_int| if error == sys::CL_SUCCESS { Ok(()) } else { Err(error) };
        let mut objects = Vec::new();
        for program in programs {
            // SAFETY: a program that is alive, by this function's contract.
            let now = self.tried(Code::Invalid, unsafe { self.state(*program) })?;
            if let ([only], true) = (programs, now >= state) {
                retain(&self.0, Native::Program, *only)?;
                return Ok(*only);
            }
            if let ([only], ProgramState::Input, ProgramState::Executable) = (programs, now, state) {
                // SAFETY: as above; one device, no options, no callback.
                let error = unsafe { (api.clBuildProgram)(pointer(*only), 1, &device, c"".as_ptr(), None, ptr::null_mut()) };
                succeeded(error).map_err(not_built("clBuildProgram", *only))?;
                retain(&self.0, Native::Program, *only)?;
                return Ok(*only);
            }
            if now == ProgramState::Input {
                // SAFETY: as above.
                let error = unsafe {
                    let (none, names) = (ptr::null(), ptr::null_mut());
                    (api.clCompileProgram)(pointer(*program), 1, &device, c"".as_ptr(), 0, none, names, None, ptr::null_mut())
                };
                succeeded(error).map_err(not_built("clCompileProgram", *program))?;
                if let ([only], ProgramState::Object) = (programs, state) {
                    retain(&self.0, Native::Program, *only)?;
                    return Ok(*only);
                }
            }
            objects.push(pointer(*program));
        }
        // SAFETY: a program that is alive.
        let context: usize = self.tried(Code::Invalid, unsafe {
            asked("clGetProgramInfo", api.clGetProgramInfo, objects.first().copied().unwrap_or_default(), sys::CL_PROGRAM_CONTEXT)
        })?;
        let options: &CStr = if state == ProgramState::Object { c"-create-library" } else { c"" };
        let (count, mut error) = (objects.len() as cl_uint, sys::CL_SUCCESS);
        // SAFETY: programs of one context, by this function's contract, one device of it, no callback.
        let linked = unsafe {
            let link = api.clLinkProgram;
            link(pointer(context), 1, &device, options.as_ptr(), count, objects.as_ptr(), None, ptr::null_mut(), &mut error)
        };
        let handle = linked.expose_provenance();
        if error != sys::CL_SUCCESS || linked.is_null() {
            let told = not_built("clLinkProgram", handle)(if error == sys::CL_SUCCESS { sys::CL_LINK_PROGRAM_FAILURE } else { error });
            if !linked.is_null() {
                // SAFETY: made above, and nobody else has it.
                unsafe { (api.clReleaseProgram)(linked) };
            }
            return Err(told);
        }
        Ok(handle)
    }

    unsafe fn kernel(&self, kernel: usize) -> Result<KernelFacts> {
        let (api, own, of) = (self.0.api(), interop(&self.0)?, pointer(kernel));
        let ask = own.clGetKernelInfo;
        let about = |what, size, into: *mut c_void| {
            // SAFETY: a kernel that is alive, by this function's contract, and as much room as is told.
            let error = unsafe { (api.clGetKernelWorkGroupInfo)(of, self.0.id().0, what, size, into, ptr::null_mut()) };
            succeeded("clGetKernelWorkGroupInfo", error)
        };
        let number = |what| {
            let mut number = 0_usize;
            about(what, size_of::<usize>(), ptr::from_mut(&mut number).cast()).map(|()| number as u64)
        };
        let read = || -> Tried<KernelFacts> {
            let (mut sizes, mut private) = ([0_usize; 3], 0_u64);
            about(sys::CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size_of_val(&sizes), sizes.as_mut_ptr().cast())?;
            about(sys::CL_KERNEL_PRIVATE_MEM_SIZE, size_of::<u64>(), ptr::from_mut(&mut private).cast())?;
            // SAFETY: as above.
            let attributes = bytes(|size, into, needed| unsafe { ask(of, sys::CL_KERNEL_ATTRIBUTES, size, into, needed) });
            let [x, y, z] = sizes.map(|size| size as u64);
            Ok(KernelFacts {
                // SAFETY: as above.
                context: unsafe { asked("clGetKernelInfo", ask, of, sys::CL_KERNEL_CONTEXT) }?,
                // SAFETY: as above.
                program: unsafe { asked("clGetKernelInfo", ask, of, sys::CL_KERNEL_PROGRAM) }?,
                // SAFETY: as above.
                arguments: unsafe { asked("clGetKernelInfo", ask, of, sys::CL_KERNEL_NUM_ARGS) }?,
                max_work_group_size: number(sys::CL_KERNEL_WORK_GROUP_SIZE)?,
                work_group_size: [z, y, x],
                preferred_multiple: number(sys::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?,
                private_memory: private,
                attributes: text(attributes),
            })
        };
        self.tried(Code::Invalid, read())
    }
}
