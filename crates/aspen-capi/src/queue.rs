//! Queues and events.

use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::{ptr, slice};

use aspen_runtime::queue::{Command, Event, Moment, Queue};
use aspen_runtime::system::Device;
use aspen_runtime::{Code, Error, Result};

use crate::error::{ErrorHandle, fallible, guarded, guarded_pointer, null_argument};
use crate::global::global;

const IN_ORDER: u32 = 1;
const PROFILING: u32 = 2;

/// Adds a reference to a handle; null is allowed.
///
/// # Safety
/// `handle` is null or an `Arc` given to the caller.
pub(crate) unsafe fn retain<T>(handle: *const T) {
    if !handle.is_null() {
        // SAFETY: by this function's contract.
        unsafe { Arc::increment_strong_count(handle) };
    }
}

/// Gives a reference back; null is allowed.
///
/// # Safety
/// `handle` is null or an `Arc` given to the caller, who has a reference left.
pub(crate) unsafe fn release<T>(handle: *const T) {
    if !handle.is_null() {
        // SAFETY: by this function's contract.
        drop(unsafe { Arc::from_raw(handle) });
    }
}

/// The event of a handle, which stays the caller's.
///
/// # Safety
/// `handle` is null or an event's, and alive as long as what comes back.
pub(crate) unsafe fn event_of(handle: *const Command) -> Option<ManuallyDrop<Event>> {
    // SAFETY: by this function's contract; what comes back gives nothing back.
    (!handle.is_null()).then(|| ManuallyDrop::new(unsafe { Event::from_handle(handle) }))
}

/// Gives an event to the caller; a null `out` is not interested.
///
/// # Safety
/// `out` is null or writable.
pub(crate) unsafe fn give_event(event: Event, out: *mut *const Command) {
    // SAFETY: by this function's contract.
    match unsafe { out.as_mut() } {
        Some(out) => *out = event.into_handle(),
        None => event.let_go(),
    }
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_create(device: *const Device, flags: u32, out: *mut *const Queue) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, which lives as long as the process.
        let device: &'static Device = unsafe { device.as_ref() }.ok_or_else(|| null_argument("aspen_queue_create", "device"))?;
        // SAFETY: null or writable, by the header.
        let out = unsafe { out.as_mut() }.ok_or_else(|| null_argument("aspen_queue_create", "out"))?;
        if flags & !(IN_ORDER | PROFILING) != 0 {
            return Err(Error::new(Code::Invalid, format!("aspen_queue_create: unknown flags {flags:#x}")));
        }
        let pool = device.threads_or(global()?.system.pool());
        *out = Arc::into_raw(Arc::new(Queue::new(device, pool, flags & IN_ORDER != 0, flags & PROFILING != 0)));
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_retain(queue: *const Queue) {
    // SAFETY: null or a queue of the caller's, by the header.
    guarded(|| unsafe { retain(queue) });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_release(queue: *const Queue) {
    // SAFETY: null or a queue of the caller's, by the header.
    guarded(|| unsafe { release(queue) });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_device(queue: *const Queue) -> *const Device {
    // SAFETY: null or a queue, by the header.
    guarded_pointer(|| unsafe { queue.as_ref() }.map_or(ptr::null(), |queue| ptr::from_ref(queue.device())))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_wait(queue: *const Queue) {
    // SAFETY: null or a queue, by the header.
    guarded(|| unsafe { queue.as_ref() }.map_or((), Queue::wait));
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_is_complete(queue: *const Queue) -> c_int {
    // SAFETY: null or a queue, by the header. Null counts as complete.
    guarded(|| unsafe { queue.as_ref() }.map_or(1, |queue| c_int::from(queue.is_complete())))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_take_async_error(queue: *const Queue) -> *mut ErrorHandle {
    // SAFETY: null or a queue, by the header.
    fallible(|| unsafe { queue.as_ref() }.and_then(Queue::take_async_error).map_or(Ok(()), Err))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_create_complete() -> *const Command {
    guarded_pointer(|| Event::complete().into_handle())
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_retain(event: *const Command) {
    guarded(|| {
        // SAFETY: null or an event of the caller's, by the header.
        if let Some(event) = unsafe { event_of(event) } {
            event.ask();
        }
        // SAFETY: as above.
        unsafe { retain(event) };
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_release(event: *const Command) {
    guarded(|| {
        // SAFETY: null or an event of the caller's, by the header.
        if let Some(event) = unsafe { event_of(event) } {
            event.let_go();
        }
        // SAFETY: as above.
        unsafe { release(event) };
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_keep(event: *const Command) {
    // SAFETY: null or an event of the caller's, by the header.
    guarded(|| unsafe { retain(event) });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_drop(event: *const Command) {
    // SAFETY: null or an event of the caller's, by the header.
    guarded(|| unsafe { release(event) });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_status(event: *const Command) -> c_int {
    // SAFETY: null or an event, by the header. Null counts as complete.
    guarded(|| unsafe { event_of(event) }.map_or(2, |event| event.status() as c_int))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_wait(event: *const Command) {
    // SAFETY: null or an event, by the header.
    guarded(|| unsafe { event_of(event) }.map_or((), |event| event.wait()));
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_profiling(event: *const Command, what: c_int, out: *mut u64) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or an event; null or writable, by the header.
        let (event, out) = unsafe { (event_of(event), out.as_mut()) };
        let event = event.ok_or_else(|| null_argument("aspen_event_profiling", "event"))?;
        let out = out.ok_or_else(|| null_argument("aspen_event_profiling", "out"))?;
        *out = event.profiling(moment(what)?)?;
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_set_parts(event: *const Command, parts: *const *const Command, count: usize) {
    guarded(|| {
        // SAFETY: so many events, by the header.
        let parts = if count == 0 || parts.is_null() { &[] } else { unsafe { slice::from_raw_parts(parts, count) } };
        // SAFETY: null or events, as above.
        let parts: Vec<_> = parts.iter().filter_map(|part| unsafe { event_of(*part) }).collect();
        // SAFETY: as above.
        if let Some(event) = unsafe { event_of(event) } {
            event.set_parts(&parts.iter().map(|part| &**part).collect::<Vec<_>>());
        }
    });
}

fn moment(what: c_int) -> Result<Moment> {
    match what {
        0 => Ok(Moment::Submit),
        1 => Ok(Moment::Start),
        2 => Ok(Moment::End),
        _ => Err(Error::new(Code::Invalid, format!("aspen_event_profiling: {what} is no aspen_profiling_t"))),
    }
}
