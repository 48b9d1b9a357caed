//! Owned handles: each is released once, and keeps the context it belongs to.
//!
//! OpenCL's functions may be called from any thread, except that one kernel object must not be given arguments by two at once
//! (OpenCL 3.0 §5.9); [`Kernel`] takes `&mut self` there.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use aspen_runtime::backend::DeviceTimes;

use crate::answers::{bytes, text};
use crate::sys::{
    self, Api, CreateProgramWithIl, Interop, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_platform_id,
    cl_program, cl_uint, cl_ulong, error_name,
};
use crate::waiters;

/// A call that failed: the function and OpenCL's error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) call: &'static str,
    pub(crate) error: cl_int,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} ({})", self.call, error_name(self.error), self.error)
    }
}

/// What came of calls.
pub(crate) type Tried<T> = Result<T, Failure>;

pub(crate) fn succeeded(call: &'static str, error: cl_int) -> Tried<()> {
    if error == sys::CL_SUCCESS { Ok(()) } else { Err(Failure { call, error }) }
}

/// Some drivers give no handle and no error.
pub(crate) fn given<T>(call: &'static str, error: cl_int, handle: *mut T) -> Tried<*mut T> {
    succeeded(call, error)?;
    if handle.is_null() { Err(Failure { call, error: sys::CL_OUT_OF_RESOURCES }) } else { Ok(handle) }
}

/// A platform. It lives as long as the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlatformId(pub(crate) cl_platform_id);

// SAFETY: a token for the driver, whose functions may be called on any thread.
unsafe impl Send for PlatformId {}
// SAFETY: as above.
unsafe impl Sync for PlatformId {}

/// A root device. It lives as long as the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DeviceId(pub(crate) cl_device_id);

// SAFETY: as for `PlatformId`.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

/// All platforms; none if there is no driver.
pub(crate) fn platform_ids(api: &Api) -> Tried<Vec<PlatformId>> {
    let call = "clGetPlatformIDs";
    let mut count = 0;
    // SAFETY: only the count is asked for.
    let error = unsafe { (api.clGetPlatformIDs)(0, ptr::null_mut(), &mut count) };
    if error == sys::CL_PLATFORM_NOT_FOUND_KHR {
        return Ok(Vec::new());
    }
    succeeded(call, error)?;
    let mut ids = vec![ptr::null_mut(); count as usize];
    if count > 0 {
        // SAFETY: room for `count` platforms.
        succeeded(call, unsafe { (api.clGetPlatformIDs)(count, ids.as_mut_ptr(), ptr::null_mut()) })?;
    }
    Ok(ids.into_iter().map(PlatformId).collect())
}

/// All devices of a platform.
pub(crate) fn device_ids(api: &Api, platform: PlatformId) -> Tried<Vec<DeviceId>> {
    let call = "clGetDeviceIDs";
    let mut count = 0;
    // SAFETY: a platform of this loader; only the count is asked for.
    let error = unsafe { (api.clGetDeviceIDs)(platform.0, sys::CL_DEVICE_TYPE_ALL, 0, ptr::null_mut(), &mut count) };
    if error == sys::CL_DEVICE_NOT_FOUND {
        return Ok(Vec::new());
    }
    succeeded(call, error)?;
    let mut ids = vec![ptr::null_mut(); count as usize];
    if count > 0 {
        // SAFETY: room for `count` devices.
        let error = unsafe { (api.clGetDeviceIDs)(platform.0, sys::CL_DEVICE_TYPE_ALL, count, ids.as_mut_ptr(), ptr::null_mut()) };
        succeeded(call, error)?;
    }
    Ok(ids.into_iter().map(DeviceId).collect())
}

/// A context.
pub(crate) struct Context {
    api: &'static Api,
    create_program: CreateProgramWithIl,
    handle: cl_context,
}

// SAFETY: see the module's text.
unsafe impl Send for Context {}
// SAFETY: see the module's text.
unsafe impl Sync for Context {}

impl Context {
    pub(crate) fn create(api: &'static Api, platform: PlatformId, devices: &[DeviceId]) -> Tried<Arc<Context>> {
        let ids: Vec<cl_device_id> = devices.iter().map(|device| device.0).collect();
        let mut error = sys::CL_SUCCESS;
        // SAFETY: no properties, an array of devices of one platform, no callback.
        let handle = unsafe { (api.clCreateContext)(ptr::null(), ids.len() as cl_uint, ids.as_ptr(), None, ptr::null_mut(), &mut error) };
        let create_program = sys::create_program_with_il(api, platform.0);
        Ok(Arc::new(Context { api, create_program, handle: given("clCreateContext", error, handle)? }))
    }

    /// A program's context, with a reference of its own.
    ///
    /// # Safety
    /// `handle` is a context of that platform, alive.
    pub(crate) unsafe fn of_program(api: &'static Api, interop: &Interop, platform: PlatformId, handle: cl_context) -> Tried<Arc<Context>> {
        // SAFETY: by this function's contract.
        succeeded("clRetainContext", unsafe { (interop.clRetainContext)(handle) })?;
        Ok(Arc::new(Context { api, create_program: sys::create_program_with_il(api, platform.0), handle }))
    }

    pub(crate) fn handle(&self) -> cl_context {
        self.handle
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: created by `create`, released once; all that is made of it keeps it.
        unsafe { (self.api.clReleaseContext)(self.handle) };
    }
}

/// A command queue, out of order where the device can.
pub(crate) struct Queue {
    context: Arc<Context>,
    handle: cl_command_queue,
}

// SAFETY: see the module's text.
unsafe impl Send for Queue {}
// SAFETY: see the module's text.
unsafe impl Sync for Queue {}

/// The events that a command waits for, as the driver's functions take them: how many, and where.
pub(crate) type WaitList = (cl_uint, *const cl_event);

impl Queue {
    pub(crate) fn create(context: &Arc<Context>, device: DeviceId, out_of_order: bool, profile: bool) -> Tried<Queue> {
        let enabled = |on, bit| if on { bit } else { 0 };
        let enabled = enabled(out_of_order, sys::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) | enabled(profile, sys::CL_QUEUE_PROFILING_ENABLE);
        let properties = [sys::CL_QUEUE_PROPERTIES.into(), enabled, 0];
        let mut error = sys::CL_SUCCESS;
        // SAFETY: a device of the context and a list of properties that ends with 0.
        let handle = unsafe { (context.api.clCreateCommandQueueWithProperties)(context.handle, device.0, properties.as_ptr(), &mut error) };
        Ok(Queue { context: context.clone(), handle: given("clCreateCommandQueueWithProperties", error, handle)? })
    }

    pub(crate) fn handle(&self) -> cl_command_queue {
        self.handle
    }

    /// A program's queue, with a reference of its own.
    ///
    /// # Safety
    /// `handle` is a queue of that context, alive.
    pub(crate) unsafe fn of_program(context: &Arc<Context>, interop: &Interop, handle: cl_command_queue) -> Tried<Queue> {
        // SAFETY: by this function's contract.
        succeeded("clRetainCommandQueue", unsafe { (interop.clRetainCommandQueue)(handle) })?;
        Ok(Queue { context: context.clone(), handle })
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Puts a kernel into the queue. `local`: `None` lets the driver choose.
    pub(crate) fn kernel(
        &self,
        kernel: &Kernel,
        offset: &[usize],
        global: &[usize],
        local: Option<&[usize]>,
        after: &[&Event],
    ) -> Tried<Event> {
        let dimensions = global.len() as cl_uint;
        let offset = if offset.iter().all(|offset| *offset == 0) { ptr::null() } else { offset.as_ptr() };
        let local = local.map_or(ptr::null(), <[usize]>::as_ptr);
        // SAFETY: arrays of `dimensions` numbers each or null.
        self.enqueue("clEnqueueNDRangeKernel", after, |(count, list), event| unsafe {
            let run = self.context.api.clEnqueueNDRangeKernel;
            run(self.handle, kernel.handle, dimensions, offset, global.as_ptr(), local, count, list, event)
        })
    }

    /// Puts a command of nothing into the queue.
    pub(crate) fn marker(&self, after: &[&Event]) -> Tried<Event> {
        // SAFETY: the list is one of events of this context.
        self.enqueue("clEnqueueMarkerWithWaitList", after, |(count, list), event| unsafe {
            (self.context.api.clEnqueueMarkerWithWaitList)(self.handle, count, list, event)
        })
    }

    /// Calls a function that puts a command into this queue, and sees to it that the device begins it.
    pub(crate) fn enqueue(
        &self,
        call: &'static str,
        after: &[&Event],
        enqueue: impl Fn(WaitList, &mut cl_event) -> cl_int,
    ) -> Tried<Event> {
        let list: Vec<cl_event> = after.iter().map(|event| event.handle).collect();
        let mut event = ptr::null_mut();
        let error = enqueue(if list.is_empty() { (0, ptr::null()) } else { (list.len() as cl_uint, list.as_ptr()) }, &mut event);
        succeeded(call, error)?;
        let event = Event { context: self.context.clone(), handle: given(call, error, event)? };
        // SAFETY: this queue.
        let flushed = succeeded("clFlush", unsafe { (self.context.api.clFlush)(self.handle) });
        if flushed.is_err() {
            // To wait is to flush, and what was begun must be over before anybody hears that it failed.
            let _ = event.wait_in_driver();
        }
        flushed.map(|()| event)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: created by `create`, released once.
        unsafe { (self.context.api.clReleaseCommandQueue)(self.handle) };
    }
}

/// A command in a queue, as an event.
pub(crate) struct Event {
    context: Arc<Context>,
    handle: cl_event,
}

// SAFETY: see the module's text.
unsafe impl Send for Event {}
// SAFETY: see the module's text.
unsafe impl Sync for Event {}

/// What the driver is to call.
pub(crate) type OnStatus = Box<dyn FnOnce(cl_int) + Send>;

/// What OpenCL says of a command that is over: its status, negative for an error.
pub(crate) fn command_outcome(status: cl_int) -> Tried<()> {
    if status < 0 { Err(Failure { call: "the command", error: status }) } else { Ok(()) }
}

impl Event {
    /// An event of which this value takes over a reference. `context`: for its functions.
    ///
    /// # Safety
    /// `handle` is an event, alive.
    pub(crate) unsafe fn taken(context: &Arc<Context>, handle: cl_event) -> Event {
        Event { context: context.clone(), handle }
    }

    pub(crate) fn handle(&self) -> cl_event {
        self.handle
    }

    /// Waits until the command, which was flushed, is over.
    pub(crate) fn wait(&self) -> Tried<()> {
        waiters::wait(self)
    }

    /// Flushes the command, and waits inside the driver until it is over.
    pub(crate) fn wait_in_driver(&self) -> Tried<()> {
        // SAFETY: an event that is alive.
        let waited = succeeded("clWaitForEvents", unsafe { (self.context.api.clWaitForEvents)(1, &self.handle) });
        // The status says more than that waiting failed.
        self.status().map_or(Ok(()), command_outcome)?;
        waited
    }

    /// Waits until a command of the program's is over. Nobody knows whether its queue was flushed.
    pub(crate) fn wait_for_program(&self) -> Tried<()> {
        if self.flush() { self.wait() } else { self.wait_in_driver() }
    }

    /// Flushes the queue that the command is in, if it is in one; whether that can be.
    fn flush(&self) -> bool {
        let mut queue: cl_command_queue = ptr::null_mut();
        let into = ptr::from_mut(&mut queue).cast();
        let ask = self.context.api.clGetEventInfo;
        // SAFETY: an event that is alive, and room for a queue.
        let error = unsafe { ask(self.handle, sys::CL_EVENT_COMMAND_QUEUE, size_of::<cl_command_queue>(), into, ptr::null_mut()) };
        // SAFETY: the queue of an event that is alive.
        error == sys::CL_SUCCESS && (queue.is_null() || unsafe { (self.context.api.clFlush)(queue) } == sys::CL_SUCCESS)
    }

    /// The status; `None` if the driver does not tell.
    fn status(&self) -> Option<cl_int> {
        let mut status: cl_int = sys::CL_SUCCESS;
        let into = ptr::from_mut(&mut status).cast();
        let ask = self.context.api.clGetEventInfo;
        // SAFETY: an event that is alive, and room for a `cl_int`.
        let error = unsafe { ask(self.handle, sys::CL_EVENT_COMMAND_EXECUTION_STATUS, size_of::<cl_int>(), into, ptr::null_mut()) };
        (error == sys::CL_SUCCESS).then_some(status)
    }

    /// Whether the device has begun the command.
    pub(crate) fn has_begun(&self) -> bool {
        self.status().is_none_or(|status| status <= sys::CL_RUNNING)
    }

    /// The times of a profiled command that is over.
    pub(crate) fn times(&self) -> Option<DeviceTimes> {
        let (queued, start) = (self.time(sys::CL_PROFILING_COMMAND_QUEUED)?, self.time(sys::CL_PROFILING_COMMAND_START)?);
        // Of markers some drivers know only when they were over.
        let queued = if queued == 0 { start } else { queued.min(start) };
        Some(DeviceTimes { queued, start, end: self.time(sys::CL_PROFILING_COMMAND_END)? })
    }

    fn time(&self, what: cl_uint) -> Option<cl_ulong> {
        let mut time: cl_ulong = 0;
        let into = ptr::from_mut(&mut time).cast();
        let ask = self.context.api.clGetEventProfilingInfo;
        // SAFETY: an event that is alive, and room for a `cl_ulong`.
        let error = unsafe { ask(self.handle, what, size_of::<cl_ulong>(), into, ptr::null_mut()) };
        (error == sys::CL_SUCCESS).then_some(time)
    }

    /// Has the driver call when the command is over; `false` if it will not.
    pub(crate) fn when_over(&self, call: OnStatus) -> bool {
        let given = Box::into_raw(Box::new(call));
        // SAFETY: an event that is alive; the driver calls once, with what `called` expects.
        let error = unsafe { (self.context.api.clSetEventCallback)(self.handle, sys::CL_COMPLETE, Some(called), given.cast()) };
        if error != sys::CL_SUCCESS {
            // SAFETY: the driver has not taken it.
            drop(unsafe { Box::from_raw(given) });
        }
        error == sys::CL_SUCCESS
    }
}

/// Runs on a thread of the driver's, which must not see a panic.
unsafe extern "C" fn called(_: cl_event, status: cl_int, given: *mut c_void) {
    // SAFETY: what `when_over` gave, and the driver calls once.
    let call = unsafe { Box::from_raw(given.cast::<OnStatus>()) };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || call(status)));
    if outcome.is_err() {
        tracing::error!("the end of a command of OpenCL panicked");
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: given by the driver to this value, released once.
        unsafe { (self.context.api.clReleaseEvent)(self.handle) };
    }
}

/// A program, built for one device.
pub(crate) struct Program {
    context: Arc<Context>,
    device: DeviceId,
    handle: cl_program,
}

// SAFETY: see the module's text.
unsafe impl Send for Program {}
// SAFETY: see the module's text.
unsafe impl Sync for Program {}

/// A program that was not built: the call, and what the compiler says.
pub(crate) struct NotBuilt {
    pub(crate) failure: Failure,
    pub(crate) log: String,
}

impl From<Failure> for NotBuilt {
    fn from(failure: Failure) -> NotBuilt {
        NotBuilt { failure, log: String::new() }
    }
}

impl Program {
    pub(crate) fn handle(&self) -> cl_program {
        self.handle
    }

    /// A program of SPIR-V, not built.
    pub(crate) fn from_spirv(context: &Arc<Context>, device: DeviceId, spirv: &[u8]) -> Tried<Program> {
        let mut error = sys::CL_SUCCESS;
        // SAFETY: `spirv` is readable for its length; the driver copies it.
        let handle = unsafe { (context.create_program)(context.handle, spirv.as_ptr().cast(), spirv.len(), &mut error) };
        Ok(Program { context: context.clone(), device, handle: given("clCreateProgramWithIL", error, handle)? })
    }

    /// A program of what a compiler made for the device, not built.
    pub(crate) fn from_binary(context: &Arc<Context>, device: DeviceId, binary: &[u8]) -> Tried<Program> {
        let call = "clCreateProgramWithBinary";
        let (mut status, mut error) = (sys::CL_SUCCESS, sys::CL_SUCCESS);
        let (size, mut bytes) = (binary.len(), binary.as_ptr());
        // SAFETY: one device of the context, arrays of one size and one pointer that is readable for so many bytes; the driver copies them.
        let handle =
            unsafe { (context.api.clCreateProgramWithBinary)(context.handle, 1, &device.0, &size, &mut bytes, &mut status, &mut error) };
        let program = Program { context: context.clone(), device, handle: given(call, error, handle)? };
        succeeded(call, status)?;
        Ok(program)
    }

    /// Compiles and links it.
    pub(crate) fn build(self) -> Result<Arc<Program>, NotBuilt> {
        // SAFETY: one device of the context, options without any, no callback.
        let error = unsafe { (self.context.api.clBuildProgram)(self.handle, 1, &self.device.0, c"".as_ptr(), None, ptr::null_mut()) };
        self.or_log("clBuildProgram", error)
    }

    /// Compiles it without linking.
    fn compile(self) -> Result<Arc<Program>, NotBuilt> {
        let (none, no_names) = (ptr::null(), ptr::null_mut());
        // SAFETY: one device of the context, options and headers without any, no callback.
        let error = unsafe {
            let compile = self.context.api.clCompileProgram;
            compile(self.handle, 1, &self.device.0, c"".as_ptr(), 0, none, no_names, None, ptr::null_mut())
        };
        self.or_log("clCompileProgram", error)
    }

    fn or_log(self, call: &'static str, error: cl_int) -> Result<Arc<Program>, NotBuilt> {
        match succeeded(call, error) {
            Ok(()) => Ok(Arc::new(self)),
            Err(failure) => Err(NotBuilt { failure, log: self.log() }),
        }
    }

    /// Compiles programs and links them to one. Source: OpenCL 3.0 §5.8.3.
    pub(crate) fn link(programs: Vec<Program>) -> Result<Arc<Program>, NotBuilt> {
        let Some(first) = programs.first() else { return Err(Failure { call: "clLinkProgram", error: sys::CL_INVALID_VALUE }.into()) };
        let (context, device) = (first.context.clone(), first.device);
        let compiled = programs.into_iter().map(Program::compile).collect::<Result<Vec<_>, _>>()?;
        let handles: Vec<cl_program> = compiled.iter().map(|program| program.handle).collect();
        let mut error = sys::CL_SUCCESS;
        // SAFETY: one device of the context, options without any, an array of compiled programs, no callback.
        let handle = unsafe {
            let link = context.api.clLinkProgram;
            let count = handles.len() as cl_uint;
            link(context.handle, 1, &device.0, c"".as_ptr(), count, handles.as_ptr(), None, ptr::null_mut(), &mut error)
        };
        if handle.is_null() {
            let error = if error == sys::CL_SUCCESS { sys::CL_OUT_OF_RESOURCES } else { error };
            return Err(Failure { call: "clLinkProgram", error }.into());
        }
        // A program that was not linked is there all the same, with the linker's words.
        Program { context, device, handle }.or_log("clLinkProgram", error)
    }

    /// What the driver made of it, for [`Program::from_binary`]. `None` if it gives nothing away.
    pub(crate) fn binary(&self) -> Option<Vec<u8>> {
        let info = self.context.api.clGetProgramInfo;
        let mut size = 0_usize;
        let into = ptr::from_mut(&mut size).cast();
        // SAFETY: a program for one device, so there is one size.
        let error = unsafe { info(self.handle, sys::CL_PROGRAM_BINARY_SIZES, size_of::<usize>(), into, ptr::null_mut()) };
        succeeded("clGetProgramInfo", error).ok().filter(|()| size > 0)?;
        let mut binary = vec![0_u8; size];
        let mut pointer = binary.as_mut_ptr();
        let into = ptr::from_mut(&mut pointer).cast();
        // SAFETY: one pointer, to room for so many bytes as the driver asked for.
        let error = unsafe { info(self.handle, sys::CL_PROGRAM_BINARIES, size_of::<*mut u8>(), into, ptr::null_mut()) };
        succeeded("clGetProgramInfo", error).ok().map(|()| binary)
    }

    fn log(&self) -> String {
        // SAFETY: a program and its device.
        text(bytes(|size, into, needed| unsafe {
            (self.context.api.clGetProgramBuildInfo)(self.handle, self.device.0, sys::CL_PROGRAM_BUILD_LOG, size, into, needed)
        }))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: a new program of the driver's, released once; kernels keep it.
        unsafe { (self.context.api.clReleaseProgram)(self.handle) };
    }
}

/// A kernel object: a kernel with its arguments.
pub(crate) struct Kernel {
    program: Arc<Program>,
    handle: cl_kernel,
}

// SAFETY: see the module's text; arguments are set through `&mut self`.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    pub(crate) fn create(program: &Arc<Program>, name: &CStr) -> Tried<Kernel> {
        let mut error = sys::CL_SUCCESS;
        // SAFETY: a program that is built and a NUL-terminated name.
        let handle = unsafe { (program.context.api.clCreateKernel)(program.handle, name.as_ptr(), &mut error) };
        Ok(Kernel { program: program.clone(), handle: given("clCreateKernel", error, handle)? })
    }

    fn api(&self) -> &'static Api {
        self.program.context.api
    }

    pub(crate) fn handle(&self) -> cl_kernel {
        self.handle
    }

    /// Gives an argument its bytes; with a null pointer, so much local memory.
    ///
    /// # Safety
    /// `value` is null or readable for `size` bytes.
    pub(crate) unsafe fn set_argument(&mut self, index: cl_uint, size: usize, value: *const c_void) -> Tried<()> {
        // SAFETY: by this function's contract; the driver copies the bytes.
        succeeded("clSetKernelArg", unsafe { (self.api().clSetKernelArg)(self.handle, index, size, value) })
    }

    /// States that the kernel may reach memory of a kind through pointers in its arguments.
    pub(crate) fn allow(&mut self, what: cl_uint) -> Tried<()> {
        let yes = sys::CL_TRUE;
        let value = ptr::from_ref(&yes).cast();
        // SAFETY: the value is a `cl_bool`, as for every `what` that this crate asks for.
        succeeded("clSetKernelExecInfo", unsafe { (self.api().clSetKernelExecInfo)(self.handle, what, size_of_val(&yes), value) })
    }

    /// Names the memory that the kernel may reach through pointers in its arguments; at least one.
    pub(crate) fn allow_pointers(&mut self, pointers: &[*mut c_void]) -> Tried<()> {
        let (what, bytes) = (sys::CL_KERNEL_EXEC_INFO_SVM_PTRS, size_of_val(pointers));
        // SAFETY: an array of pointers; the driver copies it.
        succeeded("clSetKernelExecInfo", unsafe { (self.api().clSetKernelExecInfo)(self.handle, what, bytes, pointers.as_ptr().cast()) })
    }

    /// The most work-items that a work-group of this kernel may have.
    pub(crate) fn max_work_group_size(&self) -> Tried<usize> {
        let mut size = 0_usize;
        let into = ptr::from_mut(&mut size).cast();
        // SAFETY: a kernel built for this device, and room for one `size_t`.
        let error = unsafe {
            let ask = self.api().clGetKernelWorkGroupInfo;
            ask(self.handle, self.program.device.0, sys::CL_KERNEL_WORK_GROUP_SIZE, size_of::<usize>(), into, ptr::null_mut())
        };
        succeeded("clGetKernelWorkGroupInfo", error).map(|()| size)
    }

    /// The sub-group size that the kernel was built with because it requires one; 0 if it requires none.
    pub(crate) fn required_sub_group_size(&self) -> Tried<usize> {
        self.sub_group_info(sys::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[])
    }

    /// The size of full sub-groups in work-groups of that size.
    pub(crate) fn sub_group_size(&self, local: &[usize]) -> Tried<usize> {
        self.sub_group_info(sys::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local)
    }

    fn sub_group_info(&self, what: cl_uint, local: &[usize]) -> Tried<usize> {
        let mut size = 0_usize;
        let into = ptr::from_mut(&mut size).cast();
        let input = if local.is_empty() { ptr::null() } else { local.as_ptr().cast() };
        // SAFETY: a kernel built for this device, an array of the length that is told, and room for one `size_t`.
        let error = unsafe {
            let ask = self.api().clGetKernelSubGroupInfo;
            let device = self.program.device.0;
            ask(self.handle, device, what, size_of_val(local), input, size_of::<usize>(), into, ptr::null_mut())
        };
        succeeded("clGetKernelSubGroupInfo", error).map(|()| size)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: created by `create`, released once.
        unsafe { (self.api().clReleaseKernel)(self.handle) };
    }
}
