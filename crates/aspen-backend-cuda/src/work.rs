//! What there is to put into a device's streams.

use std::any::Any;
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use crate::sys::{self, CUfunction, CUstream};
use aspen_runtime::Code;
use aspen_runtime::backend::Launch;

use crate::device::Device;
use crate::driver::{Tried, tried};
use crate::geometry::Grid;

/// What a job puts into a stream.
pub(crate) trait Enqueue: Send + Sync + 'static {
    /// The code of its errors.
    fn code(&self) -> Code;
    /// What it is, for messages; empty for what has no name.
    fn name(&self) -> String;
    /// Whether it may print.
    fn prints(&self) -> bool {
        false
    }
    /// Puts it there; it stays alive, and where it is, until it is over.
    fn submit(&self, device: &Device, stream: CUstream) -> Tried<()>;
}

/// A kernel, a copy or a fill. Kernels, of which there may be many, need no memory of their own.
#[expect(clippy::large_enum_variant, reason = "kernels are the many")]
pub(crate) enum Work {
    Kernel(Launched),
    Other(Box<dyn Enqueue>),
}

impl Deref for Work {
    type Target = dyn Enqueue;

    fn deref(&self) -> &Self::Target {
        match self {
            Work::Kernel(launched) => launched,
            Work::Other(other) => &**other,
        }
    }
}

/// A launch with its arguments.
pub(crate) struct Launched {
    pub(crate) function: CUfunction,
    pub(crate) prints: bool,
    pub(crate) launch: Launch,
    pub(crate) grid: Grid,
    /// The function's module.
    pub(crate) _keeps: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the driver's functions may be used by every thread.
unsafe impl Send for Launched {}
// SAFETY: as above.
unsafe impl Sync for Launched {}

impl Enqueue for Launched {
    fn code(&self) -> Code {
        Code::Kernel
    }

    fn name(&self) -> String {
        format!("kernel '{}'", self.launch.name)
    }

    fn prints(&self) -> bool {
        self.prints
    }

    fn submit(&self, _: &Device, stream: CUstream) -> Tried<()> {
        let Grid { blocks, threads, shape } = &self.grid;
        let unused = 0_u32;
        let mut parameters: [*mut c_void; 3] = [
            self.launch.closure.as_ptr().cast_mut().cast(),
            ptr::from_ref(shape).cast_mut().cast(),
            ptr::from_ref(&unused).cast_mut().cast(),
        ];
        let (arguments, function) = (parameters.as_mut_ptr(), self.function);
        let memory = u32::try_from(self.launch.local_memory).unwrap_or(u32::MAX);
        let [bx, by, bz] = *blocks;
        let [tx, ty, tz] = *threads;
        // SAFETY: a function and a stream of the current context; at least as many parameters as the entry has, which the driver copies
        // before it returns, each of the size that the entry's parameter has.
        let error = unsafe { sys::cuLaunchKernel(function, bx, by, bz, tx, ty, tz, memory, stream, arguments, ptr::null_mut()) };
        tried("cuLaunchKernel", error)
    }
}
