//! Submission of commands.

use std::ffi::{c_char, c_int, c_void};
use std::slice;
use std::sync::Arc;

use aspen_runtime::backend::{Closure, LaunchKind};
use aspen_runtime::buffer::{Access, Buffer};
use aspen_runtime::launch::Request;
use aspen_runtime::queue::{Command, Dependencies, Event, Prepared, Queue};
use aspen_runtime::registry::{KernelKey, registry};
use aspen_runtime::{Code, Error, Result};

use crate::buffer::shared;
use crate::error::{ErrorHandle, fallible, null_argument, str_of};
use crate::queue::{event_of, give_event};

/// `aspen_buffer_use_t`.
#[repr(C)]
#[derive(Debug)]
pub struct BufferUse {
    buffer: *const Buffer,
    access: c_int,
}

/// `aspen_dependencies_t`.
#[repr(C)]
#[derive(Debug)]
pub struct After {
    buffers: *const BufferUse,
    buffer_count: usize,
    events: *const *const Command,
    event_count: usize,
}

/// `aspen_launch_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Launch {
    struct_size: u32,
    kind: c_int,
    module: *const c_void,
    object_tag: *const c_char,
    symbol: *const c_char,
    dimensions: u32,
    global: [u64; 3],
    local: [u64; 3],
    offset: [u64; 3],
    local_memory: u64,
    closure: *const c_void,
    closure_size: u64,
    closure_alignment: u64,
}

/// `ASPEN_ACCESS_ON_DEVICE`.
const ON_DEVICE: c_int = 4;

/// # Safety
/// `after` is null or as the header describes it.
unsafe fn dependencies(after: *const After) -> Result<Dependencies> {
    // SAFETY: by this function's contract.
    let Some(after) = (unsafe { after.as_ref() }) else { return Ok(Dependencies::default()) };
    // SAFETY: arrays of that length, by the header.
    let (buffers, events) =
        unsafe { (array(after.buffers, after.buffer_count, "buffers")?, array(after.events, after.event_count, "events")?) };
    if buffers.is_empty() && events.is_empty() {
        return Ok(Dependencies::default());
    }
    let buffers = buffers
        .iter()
        .map(|used| {
            // SAFETY: null or alive, by the header.
            let buffer = unsafe { shared(used.buffer, "aspen_dependencies_t") }?;
            Ok((buffer, Access::from_number(used.access & !ON_DEVICE)?, used.access))
        })
        .collect::<Result<Vec<_>>>()?;
    let on_device = buffers.iter().filter(|(_, _, flags)| flags & ON_DEVICE != 0).map(|(buffer, ..)| buffer.clone()).collect();
    let buffers = buffers.into_iter().map(|(buffer, access, _)| (buffer, access)).collect();
    // SAFETY: null or alive, by the header.
    let events = events.iter().filter_map(|event| unsafe { event_of(*event) }).map(|event| Event::clone(&event)).collect();
    Ok(Dependencies { buffers, on_device, events })
}

/// # Safety
/// `pointer` is null or an array of `count` values.
unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null_argument("aspen_dependencies_t", name)),
        // SAFETY: by this function's contract.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// # Safety
/// `queue` is null or alive.
unsafe fn queue_of<'a>(queue: *const Queue, function: &str) -> Result<&'a Queue> {
    // SAFETY: by this function's contract.
    unsafe { queue.as_ref() }.ok_or_else(|| null_argument(function, "queue"))
}

/// Submits what was prepared, unless preparing failed.
///
/// # Safety
/// `queue` is the one the command was prepared for; `after` and `out` are as the header says.
unsafe fn submit(queue: &Queue, prepared: Prepared, after: *const After, out: *mut *const Command) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe { give_event(queue.submit(prepared, dependencies(after)?)?, out) };
    Ok(())
}

/// # Safety
/// `out` is null or writable.
pub(crate) unsafe fn give_prepared(prepared: Prepared, out: *mut *const Command) -> Result<()> {
    // SAFETY: by this function's contract.
    let out = unsafe { out.as_mut() }.ok_or_else(|| null_argument("aspen_prepare", "out"))?;
    *out = prepared.into_handle();
    Ok(())
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit(
    queue: *const Queue,
    prepared: *const Command,
    after: *const After,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    // SAFETY: null or from `aspen_prepare_*`, and given up by the caller on every way out.
    let prepared = (!prepared.is_null()).then(|| unsafe { Prepared::from_handle(prepared) });
    fallible(|| {
        let prepared = prepared.ok_or_else(|| null_argument("aspen_submit", "prepared"))?;
        // SAFETY: null or alive, by the header, as are the others.
        unsafe { submit(queue_of(queue, "aspen_submit")?, prepared, after, out) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_parts(
    queue: *const Queue,
    parts: *const *const Command,
    count: usize,
    after: *const After,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    let given = if parts.is_null() {
        &[]
    } else {
        // SAFETY: so many handles, by the header.
        unsafe { std::slice::from_raw_parts(parts, count) }
    };
    // SAFETY: from `aspen_prepare_*`, and given up by the caller on every way out.
    let parts: Vec<Prepared> = given.iter().filter(|part| !part.is_null()).map(|part| unsafe { Prepared::from_handle(*part) }).collect();
    fallible(|| {
        if parts.is_empty() || parts.len() != count || out.is_null() {
            return Err(null_argument("aspen_submit_parts", if out.is_null() { "out" } else { "parts" }));
        }
        // SAFETY: null or alive, by the header.
        let events = unsafe { queue_of(queue, "aspen_submit_parts")?.submit_parts(parts, dependencies(after)?)? };
        for (place, event) in events.into_iter().enumerate() {
            // SAFETY: room for so many events, by the header.
            unsafe { out.add(place).write(event.into_handle()) };
        }
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_prepared_discard(prepared: *const Command) {
    if !prepared.is_null() {
        // SAFETY: from `aspen_prepare_*`, and given up by the caller.
        drop(unsafe { Prepared::from_handle(prepared) });
    }
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_prepare_kernel(queue: *const Queue, launch: *const Launch, out: *mut *const Command) -> *mut ErrorHandle {
    // SAFETY: as the header says.
    fallible(|| unsafe { give_prepared(kernel(queue_of(queue, "aspen_prepare_kernel")?, launch)?, out) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_kernel(
    queue: *const Queue,
    launch: *const Launch,
    after: *const After,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive, by the header, as are the others.
        unsafe {
            let queue = queue_of(queue, "aspen_submit_kernel")?;
            submit(queue, kernel(queue, launch)?, after, out)
        }
    })
}

/// # Safety
/// `launch` is null or as the header describes it.
unsafe fn kernel(queue: &Queue, launch: *const Launch) -> Result<Prepared> {
    // SAFETY: by this function's contract.
    let launch = unsafe { launch.as_ref() }.ok_or_else(|| null_argument("a kernel's submission", "launch"))?;
    // SAFETY: strings and the closure are as the header says.
    unsafe { queue.kernel(registry(), request(launch)?) }
}

/// # Safety
/// `launch` is as the header describes it.
unsafe fn request(launch: &Launch) -> Result<Request<'_>> {
    let wrong = |what: String| Error::new(Code::Invalid, format!("aspen_launch_t: {what}"));
    if (launch.struct_size as usize) < size_of::<Launch>() {
        return Err(wrong(format!("struct_size is {}, this library needs {}", launch.struct_size, size_of::<Launch>())));
    }
    let kind = match launch.kind {
        0 => LaunchKind::SingleTask,
        1 => LaunchKind::Range,
        2 => LaunchKind::NdRange,
        3 => LaunchKind::WorkGroups,
        kind => return Err(wrong(format!("{kind} is no kind of launch"))),
    };
    if !(1..=3).contains(&launch.dimensions) {
        return Err(wrong(format!("{} dimensions, not 1 to 3", launch.dimensions)));
    }
    if launch.symbol.is_null() {
        return Err(null_argument("aspen_launch_t", "symbol"));
    }
    if launch.closure.is_null() && launch.closure_size > 0 {
        return Err(null_argument("aspen_launch_t", "closure"));
    }
    let size = |bytes: u64| usize::try_from(bytes).map_err(|_| wrong(format!("a functor of {bytes} bytes")));
    // SAFETY: null or NUL-terminated strings, by the header.
    let (tag, symbol) = unsafe { (str_of(launch.object_tag, "object_tag")?, str_of(launch.symbol, "symbol")?) };
    // SAFETY: readable for that many bytes, by the header.
    let closure = unsafe { Closure::copy(launch.closure.cast(), size(launch.closure_size)?, size(launch.closure_alignment)?) }?;
    Ok(Request {
        kernel: KernelKey { module: launch.module as usize, tag, symbol },
        kind,
        dimensions: launch.dimensions as usize,
        global: launch.global,
        local: launch.local,
        offset: launch.offset,
        local_memory: launch.local_memory,
        closure,
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_prepare_copy(
    queue: *const Queue,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    // SAFETY: as the header says.
    fallible(|| unsafe { give_prepared(copy(queue_of(queue, "aspen_prepare_copy")?, to, from, size)?, out) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_copy(
    queue: *const Queue,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    after: *const After,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive, by the header, as are the others.
        unsafe {
            let queue = queue_of(queue, "aspen_submit_copy")?;
            submit(queue, copy(queue, to, from, size)?, after, out)
        }
    })
}

/// # Safety
/// Both ranges are valid until the command is complete.
unsafe fn copy(queue: &Queue, to: *mut c_void, from: *const c_void, size: usize) -> Result<Prepared> {
    if size > 0 && (to.is_null() || from.is_null()) {
        return Err(null_argument("a copy", if to.is_null() { "to" } else { "from" }));
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { queue.copy(to.cast(), from.cast(), size) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_prepare_fill(
    queue: *const Queue,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    count: usize,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    // SAFETY: as the header says.
    fallible(|| unsafe { give_prepared(fill(queue_of(queue, "aspen_prepare_fill")?, to, pattern, pattern_size, count)?, out) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_fill(
    queue: *const Queue,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    count: usize,
    after: *const After,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive, by the header, as are the others.
        unsafe {
            let queue = queue_of(queue, "aspen_submit_fill")?;
            submit(queue, fill(queue, to, pattern, pattern_size, count)?, after, out)
        }
    })
}

/// # Safety
/// `pattern` is null or readable; `to` is valid for all the bytes until the command is complete.
unsafe fn fill(queue: &Queue, to: *mut c_void, pattern: *const c_void, pattern_size: usize, count: usize) -> Result<Prepared> {
    let total = pattern_size.checked_mul(count);
    let total = total.ok_or_else(|| Error::new(Code::Invalid, "a fill of more bytes than there are addresses"))?;
    if total > 0 && (to.is_null() || pattern.is_null()) {
        return Err(null_argument("a fill", if to.is_null() { "to" } else { "pattern" }));
    }
    let bytes = if total == 0 {
        Vec::new()
    } else {
        // SAFETY: not null, and readable for that many bytes, by this function's contract.
        unsafe { slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) }.to_vec()
    };
    // SAFETY: by this function's contract.
    Ok(unsafe { queue.fill(to.cast(), bytes, count) })
}

/// What `aspen_submit_host_task` runs.
pub type Task = unsafe extern "C" fn(*mut c_void) -> *mut ErrorHandle;
/// What frees a host task's data.
pub type DropData = unsafe extern "C" fn(*mut c_void);

struct HostTask {
    task: Option<Task>,
    drop: Option<DropData>,
    data: *mut c_void,
}

// SAFETY: the header lets the data travel to a thread of the runtime.
unsafe impl Send for HostTask {}

impl HostTask {
    fn on(self, queue: &Queue) -> Result<Prepared> {
        if self.task.is_none() {
            return Err(null_argument("a host task", "task"));
        }
        Ok(queue.host_task_of(move || self.run()))
    }

    fn run(&self) -> Result<()> {
        let Some(task) = self.task else { return Ok(()) };
        // SAFETY: the function and its data come from the caller, who says they belong together; the result is null or from
        // `aspen_error_create`, and ours.
        match unsafe { ErrorHandle::take(task(self.data)) } {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl Drop for HostTask {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: called once, as the header promises.
            unsafe { drop(self.data) };
        }
    }
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_prepare_host_task(
    queue: *const Queue,
    task: Option<Task>,
    drop: Option<DropData>,
    data: *mut c_void,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    // Before anything can fail: the data is dropped on every way out.
    let host_task = HostTask { task, drop, data };
    // SAFETY: as the header says.
    fallible(|| unsafe { give_prepared(host_task.on(queue_of(queue, "aspen_prepare_host_task")?)?, out) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_host_task(
    queue: *const Queue,
    task: Option<Task>,
    drop: Option<DropData>,
    data: *mut c_void,
    after: *const After,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    // As above.
    let host_task = HostTask { task, drop, data };
    fallible(|| {
        // SAFETY: null or alive, by the header, as are the others.
        unsafe {
            let queue = queue_of(queue, "aspen_submit_host_task")?;
            submit(queue, host_task.on(queue)?, after, out)
        }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_nothing(queue: *const Queue, after: *const After, out: *mut *const Command) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive, by the header, as are the others.
        unsafe {
            let queue = queue_of(queue, "aspen_submit_nothing")?;
            submit(queue, queue.nothing(), after, out)
        }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_submit_barrier(queue: *const Queue, after: *const After, out: *mut *const Command) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or alive, by the header, as are the others.
        unsafe {
            let queue = queue_of(queue, "aspen_submit_barrier")?;
            give_event(queue.barrier(dependencies(after)?)?, out);
        }
        Ok(())
    })
}

// Handles of queues, events and buffers cross threads.
const _: fn() = || {
    fn shareable<T: Send + Sync>() {}
    shareable::<Arc<Queue>>();
    shareable::<Arc<Event>>();
    shareable::<Arc<Buffer>>();
};
