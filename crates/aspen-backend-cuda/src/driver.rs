//! What the driver has, as values that free themselves. Calls have CUDA's names, whoever answers them (`sys`).

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_uint};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, ptr};

use crate::sys::{self, CUcontext, CUdevice, CUresult, CUstream};

/// Locks in spite of poison: no critical section of this crate leaves its data in disorder.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Proof that the driver is there, complete and initialised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver(());

/// A call that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) call: &'static str,
    pub(crate) error: CUresult,
}

impl Failure {
    /// Whether the process ends and the driver has gone already: then there is nothing to free, and nobody to tell. (Logging would use
    /// variables of a thread that has ended.)
    pub(crate) fn is_the_end(self) -> bool {
        self.error == CUresult::CUDA_ERROR_DEINITIALIZED
    }

    /// Whether a kernel did what leaves its context unusable: from then on every call of the driver says the same.
    pub(crate) fn loses_the_context(self) -> bool {
        use CUresult::{
            CUDA_ERROR_ASSERT, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_TIMEOUT,
            CUDA_ERROR_MISALIGNED_ADDRESS,
        };
        matches!(
            self.error,
            CUDA_ERROR_ASSERT
                | CUDA_ERROR_HARDWARE_STACK_ERROR
                | CUDA_ERROR_ILLEGAL_ADDRESS
                | CUDA_ERROR_ILLEGAL_INSTRUCTION
                | CUDA_ERROR_INVALID_ADDRESS_SPACE
                | CUDA_ERROR_INVALID_PC
                | CUDA_ERROR_LAUNCH_FAILED
                | CUDA_ERROR_LAUNCH_TIMEOUT
                | CUDA_ERROR_MISALIGNED_ADDRESS
        )
    }
}

/// The outcome of a call of the driver.
pub(crate) type Tried<T> = Result<T, Failure>;

/// What is made when it is used first. A failure is told, and the next use tries again: memory that another process has taken may be free then.
#[derive(Debug)]
pub(crate) struct Made<T> {
    made: OnceLock<T>,
    making: Mutex<()>,
}

impl<T> Default for Made<T> {
    fn default() -> Made<T> {
        Made { made: OnceLock::new(), making: Mutex::default() }
    }
}

impl<T> Made<T> {
    /// It, if it is made.
    pub(crate) fn get(&self) -> Option<&T> {
        self.made.get()
    }

    /// It, made by one thread.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Tried<T>) -> Tried<&T> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let _one = lock(&self.making);
        match self.made.get() {
            Some(made) => Ok(made),
            None => make().map(|made| self.made.get_or_init(|| made)),
        }
    }
}

/// `cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (invalid argument)`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: ", sys::spelling(self.call))?;
        match (text(self.error, sys::cuGetErrorName), text(self.error, sys::cuGetErrorString)) {
            (Some(name), Some(words)) => write!(f, "{name} ({words})"),
            (Some(name), None) => f.write_str(name),
            (None, _) => write!(f, "error {} of {}", self.error as u32, sys::NAME),
        }
    }
}

type Asked = unsafe fn(CUresult, *mut *const std::ffi::c_char) -> CUresult;

fn text(error: CUresult, ask: Asked) -> Option<&'static str> {
    let mut text = std::ptr::null();
    // SAFETY: a failure exists only where the driver is open; the answer is a static string or null.
    unsafe {
        if ask(error, &mut text) != CUresult::CUDA_SUCCESS || text.is_null() {
            return None;
        }
        CStr::from_ptr(text).to_str().ok()
    }
}

/// `Err` for anything but success.
pub(crate) fn tried(call: &'static str, error: CUresult) -> Tried<()> {
    if error == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(Failure { call, error }) }
}

/// The driver of this machine, initialised; `None` without one.
pub(crate) fn open() -> Option<Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    *DRIVER.get_or_init(|| {
        if !sys::load() {
            return None;
        }
        // SAFETY: the library is there; it wants no flags.
        match tried("cuInit", unsafe { sys::cuInit(0) }) {
            Ok(()) => Some(Driver(())),
            // A driver without a GPU is no news.
            Err(failure) => {
                tracing::debug!(%failure, "no {} devices", sys::NAME);
                None
            }
        }
    })
}

impl Driver {
    /// The version that the driver implements: 12.4 is (12, 4).
    pub(crate) fn version(self) -> Tried<(c_int, c_int)> {
        let mut version = 0;
        // SAFETY: room for the answer.
        tried("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
        Ok(sys::version(version))
    }

    /// Its devices.
    pub(crate) fn devices(self) -> Tried<Vec<CUdevice>> {
        let mut count = 0;
        // SAFETY: room for the answer.
        tried("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
        let get = |ordinal| {
            let mut device = 0;
            // SAFETY: room for the answer.
            tried("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, ordinal) }).map(|()| device)
        };
        (0..count).map(get).collect()
    }

    /// Whether one device reaches another's memory.
    pub(crate) fn reaches(self, device: CUdevice, other: CUdevice) -> bool {
        let mut can = 0;
        // SAFETY: two devices of this driver, and room for the answer.
        let asked = tried("cuDeviceCanAccessPeer", unsafe { sys::cuDeviceCanAccessPeer(&mut can, device, other) });
        asked.is_ok() && can != 0
    }
}

/// A device's primary context, which programs that use CUDA beside SYCL share.
#[derive(Debug)]
pub(crate) struct Context {
    device: CUdevice,
    raw: CUcontext,
}

// SAFETY: the driver's contexts may be used by every thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(crate) fn retain(_: Driver, device: CUdevice) -> Tried<Context> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a device of this driver, and room for the answer.
        tried("cuDevicePrimaryCtxRetain", unsafe { sys::cuDevicePrimaryCtxRetain(&mut raw, device) })?;
        Ok(Context { device, raw })
    }

    /// The driver's own.
    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Calls with this context current; whatever was current before is so again afterwards.
    pub(crate) fn enter<T>(&self, call: impl FnOnce() -> Tried<T>) -> Tried<T> {
        entered(self.raw, call)
    }
}

thread_local! {
    /// The context that a thread of ours is in all the time; null in others.
    static STAYS_IN: Cell<CUcontext> = const { Cell::new(ptr::null_mut()) };
}

/// Makes a context, which must be alive, current for the rest of the calling thread, which is ours: to enter and leave it for each job takes a part
/// of what a launch does. Nothing happens where it is so.
pub(crate) fn stay_entered(context: CUcontext) {
    if STAYS_IN.get() == context {
        return;
    }
    // SAFETY: a context that is alive; the driver refuses others that it can tell.
    if tried("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(context) }).is_ok() {
        STAYS_IN.set(context);
    }
}

/// Calls with a context current, which must be alive; whatever was current before is so again afterwards.
pub(crate) fn entered<T>(context: CUcontext, call: impl FnOnce() -> Tried<T>) -> Tried<T> {
    if !context.is_null() && STAYS_IN.get() == context {
        return call();
    }
    // SAFETY: a context that is alive; the driver refuses others that it can tell.
    tried("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(context) })?;
    let result = call();
    let mut popped = std::ptr::null_mut();
    // SAFETY: pushed above.
    let popped = tried("cuCtxPopCurrent", unsafe { sys::cuCtxPopCurrent_v2(&mut popped) });
    result.and_then(|value| popped.map(|()| value))
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once by this value. At the end of a process the driver may be gone already, and says so.
        let _gone = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// A stream: what is submitted to it runs in order.
#[derive(Debug)]
pub(crate) struct Stream(pub(crate) CUstream);

// SAFETY: the driver's streams may be used by every thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// In the current context.
    pub(crate) fn create() -> Tried<Stream> {
        let mut raw = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: room for the answer.
        tried("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut raw, flags) })?;
        Ok(Stream(raw))
    }

    /// Whether everything submitted is done.
    pub(crate) fn is_at_end(&self) -> Tried<bool> {
        // SAFETY: a stream of the current context.
        is_ready(tried("cuStreamQuery", unsafe { sys::cuStreamQuery(self.0) }))
    }

    /// Returns when everything submitted is done.
    pub(crate) fn finish(&self) -> Tried<()> {
        // SAFETY: a stream of the current context.
        tried("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.0) })
    }
}

/// What the driver answers to a question whether something is done.
pub(crate) fn is_ready(answer: Tried<()>) -> Tried<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(failure) if failure.error == CUresult::CUDA_ERROR_NOT_READY => Ok(false),
        Err(failure) => Err(failure),
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: ours; nothing is submitted any more. See `Context` for failures.
        let _gone = unsafe { sys::cuStreamDestroy_v2(self.0) };
    }
}
