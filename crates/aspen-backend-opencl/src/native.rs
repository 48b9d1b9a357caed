//! What programs get that use OpenCL beside SYCL: handles, and queues with memory that is an object of OpenCL's.
//!
//! Queues of the runtime's keep the order of their commands, unlike the one for kernels: a blocking write may be over long after the call is.
//!
//! Such memory is a copy of a buffer. An object made over memory that kernels reach by address (`CL_MEM_USE_HOST_PTR`) should share it
//! (OpenCL 3.0 §5.2.1), but in Intel's drivers it has memory of its own. Source: SYCL 2020 §C.2 "OpenCL backend".

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use aspen_runtime::backend::{DeviceEvent, DeviceTimes, Listener, Native, NativeMemory, Outcome};
use aspen_runtime::native::{Argument, NativeLaunch, NativeQueue};
use aspen_runtime::{Code, Result};

use crate::device::Device;
use crate::handles::{Event, Failure, Queue, Tried, command_outcome, given, succeeded};
use crate::objects::{asked, interop, retain};
use crate::submitted::outcome;
use crate::sys::{self, Interop, PointerArgument, cl_bitfield, cl_kernel, cl_mem, cl_uint};

/// A handle of the device's, with a reference for the caller or without; `None` for objects that it has not of its own.
pub(crate) fn handle(device: &Device, what: Native, keep: bool) -> Result<Option<usize>> {
    let handle = match what {
        Native::Platform => device.platform().0.expose_provenance(),
        Native::Device => device.id().0.expose_provenance(),
        Native::Context => device.context()?.handle().expose_provenance(),
        Native::Queue => device.native_queue()?.handle().expose_provenance(),
        _ => return Ok(None),
    };
    if keep {
        retain(device, what, handle)?;
    }
    Ok(Some(handle))
}

/// An event of a program's, or a marker.
pub(crate) struct Foreign {
    pub(crate) device: Arc<Device>,
    pub(crate) event: Event,
}

const WHAT: (Code, &str) = (Code::Runtime, "an event of OpenCL");

impl DeviceEvent for Foreign {
    fn wait(&self) -> Outcome {
        outcome(&self.device, WHAT.0, WHAT.1, self.event.wait_for_program())
    }

    fn has_begun(&self) -> bool {
        self.event.has_begun()
    }

    fn times(&self) -> Option<DeviceTimes> {
        self.event.times()
    }

    fn when_over(self: Arc<Self>, listener: Arc<dyn Listener>) -> bool {
        let own = self.clone();
        self.event.when_over(Box::new(move |status| {
            let outcome = outcome(&own.device, WHAT.0, WHAT.1, command_outcome(status));
            listener.hear(own, outcome);
        }))
    }
}

/// A queue, of the program's or the runtime's.
pub(crate) struct Side {
    pub(crate) device: Arc<Device>,
    pub(crate) interop: &'static Interop,
    pub(crate) queue: Arc<Queue>,
    /// Where the runtime's own commands go. In the program's queue they could stand behind commands that wait for them.
    pub(crate) work: Arc<Queue>,
}

impl Side {
    fn failed(&self, code: Code) -> impl Fn(Failure) -> aspen_runtime::Error {
        move |failure| self.device.failed(code, failure)
    }

    fn object(&self, handle: cl_mem, size: usize, flags: cl_bitfield) -> Box<dyn NativeMemory> {
        let (device, queue) = (self.device.clone(), self.work.clone());
        Box::new(Object { device, interop: self.interop, queue, handle, size, flags })
    }

    /// The arguments' memory that is made for this launch alone goes with what comes back.
    fn set(&self, kernel: cl_kernel, arguments: &[(cl_uint, Argument)]) -> Tried<Vec<Part>> {
        let api = self.device.api();
        let mut parts = Vec::new();
        for (index, argument) in arguments {
            let set = |size, value: *const c_void| {
                // SAFETY: a kernel that is alive, by the contract of `launch`; `value` is null or readable for `size` bytes.
                succeeded("clSetKernelArg", unsafe { (api.clSetKernelArg)(kernel, *index, size, value) })
            };
            match argument {
                Argument::Bytes(bytes) => set(bytes.len(), bytes.as_ptr().cast())?,
                // OpenCL has no local memory of no bytes.
                Argument::Local(size) => set((*size).max(1), ptr::null())?,
                Argument::Pointer(address) => self.set_pointer(kernel, *index, ptr::with_exposed_provenance(*address))?,
                Argument::Memory { handle, offset, size } => {
                    let mut memory: cl_mem = ptr::with_exposed_provenance_mut(*handle);
                    // SAFETY: memory that is alive, by the contract of `launch`.
                    let whole: usize = unsafe { asked("clGetMemObjectInfo", self.interop.clGetMemObjectInfo, memory, sys::CL_MEM_SIZE)? };
                    if *size != 0 && (*offset != 0 || *size < whole) {
                        let (region, mut error) = ([*offset, *size], sys::CL_SUCCESS);
                        let create = self.interop.clCreateSubBuffer;
                        // SAFETY: as above; a region is two numbers.
                        memory = unsafe { create(memory, 0, sys::CL_BUFFER_CREATE_TYPE_REGION, region.as_ptr().cast(), &mut error) };
                        parts.push(Part { interop: self.interop, handle: given("clCreateSubBuffer", error, memory)? });
                    }
                    set(size_of::<cl_mem>(), ptr::from_ref(&memory).cast())?;
                }
            }
        }
        Ok(parts)
    }

    fn set_pointer(&self, kernel: cl_kernel, index: cl_uint, address: *const c_void) -> Tried<()> {
        let Some(intel) = PointerArgument::of(self.device.api(), self.device.platform().0) else {
            let set = self.interop.clSetKernelArgSVMPointer;
            // SAFETY: a kernel that is alive; the driver checks the address.
            return succeeded("clSetKernelArgSVMPointer", unsafe { set(kernel, index, address) });
        };
        let set = intel.clSetKernelArgMemPointerINTEL;
        // SAFETY: as above.
        succeeded("clSetKernelArgMemPointerINTEL", unsafe { set(kernel, index, address) })
    }
}

/// Part of a memory object, for one launch.
struct Part {
    interop: &'static Interop,
    handle: cl_mem,
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: made by `Side::set`, released once.
        unsafe { (self.interop.clReleaseMemObject)(self.handle) };
    }
}

/// Held from a kernel's first argument until it is in its queue, which takes a copy: two launches may share a kernel. Source: OpenCL 3.0 §5.9.
static ARGUMENTS: Mutex<()> = Mutex::new(());

impl NativeQueue for Side {
    fn handle(&self) -> usize {
        self.queue.handle().expose_provenance()
    }

    fn context(&self) -> usize {
        self.queue.context().handle().expose_provenance()
    }

    fn marker(&self) -> Result<Arc<dyn DeviceEvent>> {
        let event = self.queue.marker(&[]).map_err(self.failed(Code::Runtime))?;
        Ok(Arc::new(Foreign { device: self.device.clone(), event }))
    }

    fn memory(&self, size: usize) -> Result<Option<Box<dyn NativeMemory>>> {
        let (create, context, mut error) = (self.interop.clCreateBuffer, self.queue.context().handle(), sys::CL_SUCCESS);
        // SAFETY: a context that is alive, and no memory of the host. OpenCL has none of no bytes.
        let handle = unsafe { create(context, sys::CL_MEM_READ_WRITE, size.max(1), ptr::null_mut(), &mut error) };
        let handle = given("clCreateBuffer", error, handle).map_err(self.failed(Code::MemoryAllocation))?;
        Ok(Some(self.object(handle, size, sys::CL_MEM_READ_WRITE)))
    }

    unsafe fn adopt(&self, memory: usize) -> Result<(Box<dyn NativeMemory>, usize)> {
        let handle: cl_mem = ptr::with_exposed_provenance_mut(memory);
        let wrong = |text: &str| self.device.error(Code::Invalid, text);
        let read = || -> Tried<(cl_uint, cl_bitfield, usize, usize)> {
            let (call, ask) = ("clGetMemObjectInfo", self.interop.clGetMemObjectInfo);
            // SAFETY: memory that is alive, by this function's contract, and numbers of the types that OpenCL gives.
            unsafe {
                Ok((
                    asked(call, ask, handle, sys::CL_MEM_TYPE)?,
                    asked(call, ask, handle, sys::CL_MEM_FLAGS)?,
                    asked(call, ask, handle, sys::CL_MEM_SIZE)?,
                    asked(call, ask, handle, sys::CL_MEM_CONTEXT)?,
                ))
            }
        };
        let (kind, flags, size, context) = read().map_err(self.failed(Code::Invalid))?;
        if kind != sys::CL_MEM_OBJECT_BUFFER {
            return Err(wrong("make_buffer takes a cl_mem that is a buffer"));
        }
        if context != self.context() {
            return Err(wrong("make_buffer: the cl_mem is of another context than the one that is given"));
        }
        retain(&self.device, Native::Memory, memory)?;
        Ok((self.object(handle, size, flags), size))
    }

    unsafe fn launch(&self, launch: &NativeLaunch) -> Result<()> {
        let kernel: cl_kernel = ptr::with_exposed_provenance_mut(launch.kernel);
        let turned = |sizes: &[usize]| sizes.iter().rev().copied().collect::<Vec<_>>();
        let (global, offset, local) = (turned(&launch.global), turned(&launch.offset), launch.local.as_deref().map(turned));
        let alone = ARGUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = self.set(kernel, &launch.arguments).map_err(self.failed(Code::KernelArgument))?;
        let (run, queue) = (self.device.api().clEnqueueNDRangeKernel, self.work.handle());
        let event = self.work.enqueue("clEnqueueNDRangeKernel", &[], |(count, list), event| {
            let local = local.as_ref().map_or(ptr::null(), Vec::as_ptr);
            // SAFETY: a kernel of this context that is alive, by this function's contract, and as many sizes as dimensions.
            unsafe { run(queue, kernel, global.len() as cl_uint, offset.as_ptr(), global.as_ptr(), local, count, list, event) }
        });
        drop(alone);
        let over = event.and_then(|event| event.wait()).map_err(self.failed(Code::Kernel));
        drop(parts);
        over
    }
}

/// Memory that is an object of OpenCL's.
struct Object {
    device: Arc<Device>,
    interop: &'static Interop,
    /// Released after it.
    queue: Arc<Queue>,
    handle: cl_mem,
    size: usize,
    flags: cl_bitfield,
}

// SAFETY: a token for the driver, whose functions may be called on any thread.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Object {
    fn failed(&self) -> impl Fn(Failure) -> aspen_runtime::Error {
        |failure| self.device.failed(Code::Runtime, failure)
    }

    /// Memory of the same size that the host may touch, with this content or none.
    ///
    /// # Safety
    /// `from` is null or readable for the size of the object.
    unsafe fn beside(&self, from: *const u8) -> Tried<Part> {
        let flags = sys::CL_MEM_READ_WRITE | if from.is_null() { 0 } else { sys::CL_MEM_COPY_HOST_PTR };
        let (create, context, mut error) = (self.interop.clCreateBuffer, self.queue.context().handle(), sys::CL_SUCCESS);
        // SAFETY: a context that is alive; memory of the host by this function's contract, which is only read.
        let handle = unsafe { create(context, flags, self.size, from.cast_mut().cast(), &mut error) };
        Ok(Part { interop: self.interop, handle: given("clCreateBuffer", error, handle)? })
    }

    /// Returns when it is done.
    fn copy(&self, from: cl_mem, to: cl_mem) -> Tried<()> {
        let (copy, queue) = (self.interop.clEnqueueCopyBuffer, self.queue.handle());
        // SAFETY: objects of that size that are alive, and a queue of their context.
        let event = self.queue.enqueue("clEnqueueCopyBuffer", &[], |(count, list), event| unsafe {
            copy(queue, from, to, 0, 0, self.size, count, list, event)
        })?;
        event.wait()
    }

    /// # Safety
    /// As for `NativeMemory::read`, of an object of the same size.
    unsafe fn fetch(&self, from: cl_mem, to: *mut u8) -> Tried<()> {
        let (queue, size) = (self.queue.handle(), self.size);
        let none = (ptr::null(), ptr::null_mut());
        // SAFETY: by this function's contract; the call returns when it is done.
        let error = unsafe { (self.interop.clEnqueueReadBuffer)(queue, from, sys::CL_TRUE, 0, size, to.cast(), 0, none.0, none.1) };
        succeeded("clEnqueueReadBuffer", error)
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
        if self.flags & (sys::CL_MEM_HOST_NO_ACCESS | sys::CL_MEM_HOST_WRITE_ONLY) == 0 {
            // SAFETY: an object of that size; `to` is as large by the contract of `NativeMemory::read`.
            return unsafe { self.fetch(self.handle, to) }.map_err(self.failed());
        }
        let read = || {
            // SAFETY: without content.
            let copy = unsafe { self.beside(ptr::null()) }?;
            self.copy(self.handle, copy.handle)?;
            // SAFETY: as above.
            unsafe { self.fetch(copy.handle, to) }
        };
        read().map_err(self.failed())
    }

    unsafe fn write(&self, from: *const u8) -> Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        if self.flags & (sys::CL_MEM_HOST_NO_ACCESS | sys::CL_MEM_HOST_READ_ONLY) != 0 {
            // Kernels may write what the host may not.
            // SAFETY: `from` is as large as the object, by the contract of `NativeMemory::write`.
            return unsafe { self.beside(from) }.and_then(|copy| self.copy(copy.handle, self.handle)).map_err(self.failed());
        }
        let (queue, size) = (self.queue.handle(), self.size);
        let none = (ptr::null(), ptr::null_mut());
        // SAFETY: as in `read`; the call copies what it needs of the host.
        let error =
            unsafe { (self.interop.clEnqueueWriteBuffer)(queue, self.handle, sys::CL_TRUE, 0, size, from.cast(), 0, none.0, none.1) };
        succeeded("clEnqueueWriteBuffer", error).map_err(self.failed())?;
        // The program may use its own queue next, which knows nothing of this one.
        // SAFETY: a queue that is alive, and room for an event.
        self.queue.marker(&[]).and_then(|event| event.wait()).map_err(self.failed())
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: created or retained by `Side`, released once.
        unsafe { (self.interop.clReleaseMemObject)(self.handle) };
    }
}

/// The queue of the runtime's own, in its context.
pub(crate) fn own_side(device: &Arc<Device>) -> Result<Side> {
    let (interop, context, own) = (interop(device)?, device.context()?, device.native_queue()?);
    // SAFETY: a queue of this context, alive.
    let queue = unsafe { Queue::of_program(context, interop, own.handle()) }.map_err(|failure| device.failed(Code::Runtime, failure))?;
    let queue = Arc::new(queue);
    Ok(Side { device: device.clone(), interop, work: queue.clone(), queue })
}
