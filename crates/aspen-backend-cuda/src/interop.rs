//! CUDA's objects that programs bring, or ask for: contexts, streams, events. Source: DPC++'s CUDA backend, as SYCL-CTS `cuda_interop` tests it.
//!
//! The driver counts no references: a program's objects stay the program's, and those that come from here are the runtime's. Kernels run in
//! the device's primary context.

use std::ptr;
use std::sync::Arc;

use crate::sys::{self, CUcontext, CUevent, CUresult, CUstream};
use aspen_runtime::backend::{DeviceEvent, DeviceTimes, Listener, Native, NativeMemory, Outcome};
use aspen_runtime::native::{Interop, KernelFacts, NativeLaunch, NativeQueue, OwnEvent, ProgramState, QueueFacts};
use aspen_runtime::{Code, Error, Result};

use crate::device::Device;
use crate::driver::{Failure, Stream, Tried, entered, tried};
use crate::platform::Handle;

fn pointer<T>(handle: usize) -> *mut T {
    ptr::with_exposed_provenance_mut(handle)
}

impl Device {
    fn lacks(&self, what: &str) -> Error {
        self.error(Code::FeatureNotSupported, format!("{what} of {} cannot be made to SYCL's objects", sys::NAME))
    }

    fn wrong(&self) -> impl Fn(Failure) -> Error {
        |failure| self.error(Code::Invalid, failure).with_native(failure.error as i32)
    }
}

/// An event, of the program's or this crate's.
struct Event {
    device: Arc<Device>,
    raw: CUevent,
    own: bool,
}

// SAFETY: the driver's events may be used by every thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event of the current context. Until it is recorded it counts as complete.
    fn create(device: &Arc<Device>) -> Tried<Event> {
        let mut raw = ptr::null_mut();
        // SAFETY: room for the answer.
        tried("cuEventCreate", unsafe { sys::cuEventCreate(&mut raw, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32) })?;
        Ok(Event { device: device.clone(), raw, own: true })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.own {
            // SAFETY: made by `create`, destroyed once. See `Context` for failures.
            let _gone = self.device.enter(|| tried("cuEventDestroy", unsafe { sys::cuEventDestroy_v2(self.raw) }));
        }
    }
}

impl DeviceEvent for Event {
    fn wait(&self) -> Outcome {
        // SAFETY: an event that is alive.
        let waited = self.device.enter(|| tried("cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.raw) }));
        waited.map_or_else(|failure| Outcome::Failed(self.device.error(Code::Runtime, failure)), |()| Outcome::Done)
    }

    fn has_begun(&self) -> bool {
        // The driver does not tell.
        true
    }

    fn times(&self) -> Option<DeviceTimes> {
        None
    }

    fn when_over(self: Arc<Self>, listener: Arc<dyn Listener>) -> bool {
        // SAFETY: an event that is alive.
        let over = self.device.enter(|| tried("cuEventQuery", unsafe { sys::cuEventQuery(self.raw) })).is_ok();
        if over {
            listener.hear(self, Outcome::Done);
        }
        over
    }
}

impl OwnEvent for Event {
    fn handle(&self) -> usize {
        self.raw.expose_provenance()
    }

    fn complete(&self) {}
}

/// A stream.
struct Side {
    device: Arc<Device>,
    context: CUcontext,
    stream: CUstream,
    /// The stream, if it is this value's.
    _own: Option<Stream>,
}

// SAFETY: the driver's objects may be used by every thread.
unsafe impl Send for Side {}
// SAFETY: as above.
unsafe impl Sync for Side {}

impl NativeQueue for Side {
    fn handle(&self) -> usize {
        self.stream.expose_provenance()
    }

    fn context(&self) -> usize {
        self.context.expose_provenance()
    }

    fn marker(&self) -> Result<Arc<dyn DeviceEvent>> {
        let record = || {
            let event = Event::create(&self.device)?;
            // SAFETY: an event and a stream of this context.
            tried("cuEventRecord", unsafe { sys::cuEventRecord(event.raw, self.stream) })?;
            Ok(event)
        };
        let event = entered(self.context, record).map_err(|failure| self.device.error(Code::Runtime, failure))?;
        Ok(Arc::new(event))
    }

    fn memory(&self, _: usize) -> Result<Option<Box<dyn NativeMemory>>> {
        Ok(None)
    }

    unsafe fn adopt(&self, _: usize) -> Result<(Box<dyn NativeMemory>, usize)> {
        Err(self.device.lacks("buffers"))
    }

    unsafe fn launch(&self, _: &NativeLaunch) -> Result<()> {
        Err(self.device.lacks("kernels"))
    }
}

impl Interop for Handle {
    unsafe fn retain(&self, _: Native, _: usize) -> Result<()> {
        Ok(())
    }

    unsafe fn release(&self, _: Native, _: usize) {}

    unsafe fn references(&self, _: Native, _: usize) -> Result<u32> {
        Err(self.device.error(Code::FeatureNotSupported, format!("{} counts no references", sys::NAME)))
    }

    fn device_info(&self, _: u32) -> Vec<u8> {
        Vec::new()
    }

    unsafe fn is_in(&self, context: usize) -> Result<bool> {
        let mut device = 0;
        // SAFETY: the program's context is current, and there is room for the answer.
        let ask = || tried("cuCtxGetDevice", unsafe { sys::cuCtxGetDevice(&mut device) });
        entered(pointer(context), ask).map_err(self.device.wrong())?;
        Ok(device == self.device.id())
    }

    unsafe fn queue_facts(&self, queue: usize) -> Result<QueueFacts> {
        let (mut context, mut device) = (ptr::null_mut(), 0);
        // SAFETY: a stream that is alive, by this function's contract, and room for the answers.
        let ask = || tried("cuStreamGetCtx", unsafe { sys::cuStreamGetCtx(pointer(queue), &mut context) });
        self.device.enter(ask).map_err(self.device.wrong())?;
        // SAFETY: as above.
        entered(context, || tried("cuCtxGetDevice", unsafe { sys::cuCtxGetDevice(&mut device) })).map_err(self.device.wrong())?;
        Ok(QueueFacts { device: device as usize, context: context.expose_provenance(), in_order: true, profiling: false })
    }

    unsafe fn queue(&self, context: Option<usize>, queue: Option<usize>) -> Result<Arc<dyn NativeQueue>> {
        let own = self.device.primary().map_err(self.device.wrong())?;
        let context = context.map_or(own, pointer);
        let (stream, kept) = match queue {
            Some(queue) => (pointer(queue), None),
            None if context == own => (self.device.native_stream().map_err(self.device.wrong())?, None),
            None => {
                let stream = entered(context, Stream::create).map_err(self.device.wrong())?;
                (stream.0, Some(stream))
            }
        };
        Ok(Arc::new(Side { device: self.device.clone(), context, stream, _own: kept }))
    }

    unsafe fn event(&self, event: usize) -> Result<Arc<dyn DeviceEvent>> {
        let event = Event { device: self.device.clone(), raw: pointer(event), own: false };
        // SAFETY: an event that is alive, by this function's contract.
        let asked = self.device.enter(|| tried("cuEventQuery", unsafe { sys::cuEventQuery(event.raw) }));
        match asked {
            Err(failure) if failure.error != CUresult::CUDA_ERROR_NOT_READY => Err(self.device.wrong()(failure)),
            _ => Ok(Arc::new(event)),
        }
    }

    unsafe fn own_event(&self, _: Option<usize>) -> Result<(Arc<dyn OwnEvent>, bool)> {
        // The host cannot complete an event of CUDA; one that nobody records is complete.
        let event = self.device.enter(|| Event::create(&self.device)).map_err(|failure| self.device.error(Code::Runtime, failure))?;
        Ok((Arc::new(event), true))
    }

    unsafe fn program(&self, _: usize) -> Result<(ProgramState, usize)> {
        Err(self.device.lacks("modules"))
    }

    unsafe fn build(&self, _: &[usize], _: ProgramState) -> Result<usize> {
        Err(self.device.lacks("modules"))
    }

    unsafe fn kernel(&self, _: usize) -> Result<KernelFacts> {
        Err(self.device.lacks("kernels"))
    }
}
