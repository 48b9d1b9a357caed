//! Memory that kernels reach by address: USM where the driver has the extension, else SVM.
//!
//! | kind    | USM                      | SVM                                                          |
//! |---------|--------------------------|--------------------------------------------------------------|
//! | device  | `clDeviceMemAllocINTEL`  | `clSVMAlloc`; the host reaches it by copies only             |
//! | host    | `clHostMemAllocINTEL`    | `clSVMAlloc` with fine grain, which host and device share    |
//! | shared  | `clSharedMemAllocINTEL`  | the same                                                     |
//!
//! Kernels must be told the SVM that they may reach through pointers in their functor, so all of it is written down.
//! Source: OpenCL 3.0 §5.6 "Shared Virtual Memory"; `cl_intel_unified_shared_memory`.

use std::alloc::Layout;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aspen_runtime::backend::UsmKind;

use crate::answers::Answers;
use crate::handles::{DeviceId, Failure, Tried, WaitList};
use crate::sys::{self, Api, Usm, cl_bitfield, cl_command_queue, cl_context, cl_event, cl_int, cl_uint};

/// The functions by which a device's memory is had.
#[derive(Clone, Copy)]
pub(crate) enum Memory {
    /// Those of the extension.
    Usm(Usm),
    /// OpenCL's own; with what `CL_DEVICE_SVM_CAPABILITIES` says.
    Svm(&'static Api, cl_bitfield),
}

/// The SVM of a context that is in use.
#[derive(Default)]
pub(crate) struct Known(Mutex<BTreeSet<usize>>);

impl Known {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn pointers(&self) -> Vec<*mut c_void> {
        self.lock().iter().map(|address| ptr::with_exposed_provenance_mut(*address)).collect()
    }
}

impl Memory {
    /// What the device has; `None` if kernels reach no memory but what lies in buffers of OpenCL.
    pub(crate) fn of(api: &'static Api, usm: Option<Usm>, answers: &Answers) -> Option<Memory> {
        if answers.has_usm() {
            return usm.map(Memory::Usm);
        }
        answers.has_svm().then_some(Memory::Svm(api, answers.svm))
    }

    pub(crate) fn is_svm(&self) -> bool {
        matches!(self, Memory::Svm(..))
    }

    /// Allocates at least one byte.
    pub(crate) fn allocate(&self, context: cl_context, device: DeviceId, kind: UsmKind, layout: Layout, known: &Known) -> Tried<*mut u8> {
        let call = self.allocate_call();
        let failed = |error| Failure { call, error };
        let (size, mut error) = (layout.size(), sys::CL_SUCCESS);
        let alignment = cl_uint::try_from(layout.align()).map_err(|_| failed(sys::CL_INVALID_VALUE))?;
        // SAFETY: a context with this device, and no properties.
        let pointer = unsafe {
            match self {
                Memory::Usm(usm) => match kind {
                    UsmKind::Host => (usm.clHostMemAllocINTEL)(context, ptr::null(), size, alignment, &mut error),
                    UsmKind::Device => (usm.clDeviceMemAllocINTEL)(context, device.0, ptr::null(), size, alignment, &mut error),
                    UsmKind::Shared => (usm.clSharedMemAllocINTEL)(context, device.0, ptr::null(), size, alignment, &mut error),
                },
                Memory::Svm(api, capabilities) => (api.clSVMAlloc)(context, svm_flags(kind, *capabilities), size, alignment),
            }
        };
        if error != sys::CL_SUCCESS {
            return Err(failed(error));
        }
        if self.is_svm() {
            if pointer.is_null() {
                return Err(failed(sys::CL_OUT_OF_RESOURCES));
            }
            known.lock().insert(pointer.expose_provenance());
        }
        Ok(pointer.cast())
    }

    /// Gives memory back.
    ///
    /// # Safety
    /// `pointer` comes from `allocate` with that context, and nothing uses it any more.
    pub(crate) unsafe fn free(&self, context: cl_context, pointer: *mut u8, known: &Known) -> Tried<()> {
        // SAFETY: by this function's contract.
        unsafe {
            match self {
                Memory::Usm(usm) => match (usm.clMemFreeINTEL)(context, pointer.cast()) {
                    sys::CL_SUCCESS => Ok(()),
                    error => Err(Failure { call: "clMemFreeINTEL", error }),
                },
                Memory::Svm(api, _) => {
                    known.lock().remove(&pointer.addr());
                    (api.clSVMFree)(context, pointer.cast());
                    Ok(())
                }
            }
        }
    }

    fn allocate_call(&self) -> &'static str {
        if self.is_svm() { "clSVMAlloc" } else { "allocation of USM" }
    }

    /// The name of the function that copies.
    pub(crate) fn copy_call(&self) -> &'static str {
        if self.is_svm() { "clEnqueueSVMMemcpy" } else { "clEnqueueMemcpyINTEL" }
    }

    /// The name of the function that fills.
    pub(crate) fn fill_call(&self) -> &'static str {
        if self.is_svm() { "clEnqueueSVMMemFill" } else { "clEnqueueMemFillINTEL" }
    }

    /// Puts a copy into a queue.
    ///
    /// # Safety
    /// Both ranges are valid until the command is over, the wait list is one of the driver's events.
    pub(crate) unsafe fn copy(
        &self,
        queue: cl_command_queue,
        to: *mut u8,
        from: *const u8,
        size: usize,
        (count, list): WaitList,
        event: &mut cl_event,
    ) -> cl_int {
        let copy = match self {
            Memory::Usm(usm) => usm.clEnqueueMemcpyINTEL,
            Memory::Svm(api, _) => api.clEnqueueSVMMemcpy,
        };
        // SAFETY: by this function's contract.
        unsafe { copy(queue, 0, to.cast(), from.cast(), size, count, list, event) }
    }

    /// Puts a fill into a queue.
    ///
    /// # Safety
    /// `to` is valid for `size` bytes until the command is over and aligned to the pattern, whose length is a power of two up to 128; the
    /// wait list is one of the driver's events.
    pub(crate) unsafe fn fill(
        &self,
        queue: cl_command_queue,
        to: *mut u8,
        pattern: &[u8],
        size: usize,
        (count, list): WaitList,
        event: &mut cl_event,
    ) -> cl_int {
        let fill = match self {
            Memory::Usm(usm) => usm.clEnqueueMemFillINTEL,
            Memory::Svm(api, _) => api.clEnqueueSVMMemFill,
        };
        // SAFETY: by this function's contract.
        unsafe { fill(queue, to.cast(), pattern.as_ptr().cast(), pattern.len(), size, count, list, event) }
    }
}

/// Memory of the device needs no fine grain; what the host touches does, and takes atomics where they are to be had.
fn svm_flags(kind: UsmKind, capabilities: cl_bitfield) -> cl_bitfield {
    let fine = kind != UsmKind::Device;
    let atomics = fine && capabilities & sys::CL_DEVICE_SVM_ATOMICS != 0;
    let flag = |on, flag| if on { flag } else { 0 };
    sys::CL_MEM_READ_WRITE | flag(fine, sys::CL_MEM_SVM_FINE_GRAIN_BUFFER) | flag(atomics, sys::CL_MEM_SVM_ATOMICS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_host_touches_is_fine_grained() {
        let (coarse, fine) =
            (sys::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, sys::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | sys::CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
        for (kind, capabilities, flags) in [
            (UsmKind::Device, coarse, 1),
            (UsmKind::Device, fine | sys::CL_DEVICE_SVM_ATOMICS, 1),
            (UsmKind::Host, fine, 1 | 1 << 10),
            (UsmKind::Shared, fine | sys::CL_DEVICE_SVM_ATOMICS, 1 | 1 << 10 | 1 << 11),
        ] {
            assert_eq!(svm_flags(kind, capabilities), flags, "{kind:?} {capabilities:#x}");
        }
    }
}
