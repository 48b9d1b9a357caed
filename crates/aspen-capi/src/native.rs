//! Objects of a backend's own interface.

use std::ffi::{c_char, c_int, c_void};
use std::slice;
use std::sync::Arc;

use aspen_runtime::backend::Native;
use aspen_runtime::buffer::{Buffer, HostMemory};
use aspen_runtime::native::{Argument, Interop, NativeLaunch, ProgramState};
use aspen_runtime::queue::{Command, Event, Queue};
use aspen_runtime::registry::{KernelKey, registry};
use aspen_runtime::system::Device;
use aspen_runtime::{Code, Error, Result, guarded};

use crate::buffer::shared;
use crate::error::{ErrorHandle, fallible, guarded, null_argument, str_of};
use crate::global::global;
use crate::queue::{event_of, give_event};
use crate::submit::give_prepared;

/// `aspen_native_queue_t`.
#[repr(C)]
#[derive(Debug)]
pub struct NativeQueueFacts {
    device: usize,
    context: usize,
    in_order: c_int,
    profiling: c_int,
}

/// `aspen_native_kernel_t`.
#[repr(C)]
#[derive(Debug)]
pub struct NativeKernelFacts {
    context: usize,
    program: usize,
    max_work_group_size: u64,
    work_group_size: [u64; 3],
    preferred_multiple: u64,
    private_memory: u64,
    arguments: u32,
}

/// `aspen_native_argument_t`.
#[repr(C)]
#[derive(Debug)]
pub struct NativeArgument {
    index: u32,
    kind: c_int,
    data: *const c_void,
    size: usize,
    buffer: *const Buffer,
    offset: usize,
}

/// `aspen_native_launch_t`.
#[repr(C)]
#[derive(Debug)]
pub struct NativeKernelLaunch {
    struct_size: u32,
    dimensions: u32,
    kernel: usize,
    global: [u64; 3],
    local: [u64; 3],
    offset: [u64; 3],
    arguments: *const NativeArgument,
    argument_count: usize,
}

/// # Safety
/// `device` is null or a device, which lives as long as the process.
unsafe fn device_of(device: *const Device, function: &str) -> Result<&'static Device> {
    // SAFETY: by this function's contract.
    unsafe { device.as_ref() }.ok_or_else(|| null_argument(function, "device"))
}

fn kind(what: c_int) -> Result<Native> {
    Native::from_number(what).ok_or_else(|| Error::new(Code::Invalid, format!("{what} is no aspen_native_t")))
}

/// # Safety
/// `out` is null or writable.
unsafe fn put<T>(out: *mut T, function: &str, value: T) -> Result<()> {
    // SAFETY: by this function's contract.
    *unsafe { out.as_mut() }.ok_or_else(|| null_argument(function, "out"))? = value;
    Ok(())
}

/// A handle as the runtime has it: 0 is none.
fn given(handle: usize) -> Option<usize> {
    Some(handle).filter(|handle| *handle != 0)
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_error_native(error: *const ErrorHandle) -> c_int {
    // SAFETY: null or alive, by the header.
    guarded(|| unsafe { error.as_ref() }.map_or(0, ErrorHandle::native))
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_retain(device: *const Device, what: c_int, handle: usize) -> *mut ErrorHandle {
    // SAFETY: a device, and an object of its backend that is alive, by the header.
    fallible(|| unsafe { device_of(device, "aspen_native_retain")?.interop()?.retain(kind(what)?, handle) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_release(device: *const Device, what: c_int, handle: usize) {
    guarded(|| {
        // SAFETY: null or a device, by the header.
        let (device, what) = (unsafe { device.as_ref() }, Native::from_number(what));
        if let (Some(Ok(interface)), Some(what)) = (device.map(Device::interop), what) {
            // SAFETY: a reference of the caller's, by the header.
            unsafe { interface.release(what, handle) };
        }
    });
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_references(device: *const Device, what: c_int, handle: usize, out: *mut u32) -> *mut ErrorHandle {
    let function = "aspen_native_references";
    // SAFETY: a device, an object of its backend that is alive, and room for the answer, by the header.
    fallible(|| unsafe { put(out, function, device_of(device, function)?.interop()?.references(kind(what)?, handle)?) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_device_info(device: *const Device, what: u32, out: *mut c_void, size: usize) -> usize {
    guarded(|| {
        // SAFETY: null or a device, by the header.
        let Some(interface) = unsafe { device.as_ref() }.and_then(|device| device.real().interop()) else { return 0 };
        let answer = interface.device_info(what);
        if !out.is_null() && answer.len() <= size {
            // SAFETY: room for `size` bytes, by the header.
            unsafe { std::ptr::copy_nonoverlapping(answer.as_ptr(), out.cast(), answer.len()) };
        }
        answer.len()
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_is_in(device: *const Device, context: usize, out: *mut c_int) -> *mut ErrorHandle {
    let function = "aspen_native_is_in";
    // SAFETY: a device, a context of its backend that is alive, and room for the answer, by the header.
    fallible(|| unsafe { put(out, function, c_int::from(device_of(device, function)?.interop()?.is_in(context)?)) })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_queue(device: *const Device, queue: usize, out: *mut NativeQueueFacts) -> *mut ErrorHandle {
    let function = "aspen_native_queue";
    fallible(|| {
        // SAFETY: a device, and a queue of its backend that is alive, by the header.
        let facts = unsafe { device_of(device, function)?.interop()?.queue_facts(queue) }?;
        let (in_order, profiling) = (c_int::from(facts.in_order), c_int::from(facts.profiling));
        // SAFETY: null or writable, by the header.
        unsafe { put(out, function, NativeQueueFacts { device: facts.device, context: facts.context, in_order, profiling }) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_bind_native(queue: *const Queue, context: usize, native: usize) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a queue, by the header.
        let queue = unsafe { queue.as_ref() }.ok_or_else(|| null_argument("aspen_queue_bind_native", "queue"))?;
        let device = queue.device();
        let key = device.native_context(context)?;
        // SAFETY: objects of the device's backend that are alive, by the header.
        let bound = unsafe { device.interop()?.queue(given(key), given(native)) }?;
        // SAFETY: as above.
        let follows = native != 0 && unsafe { device.interop()?.queue_facts(native) }?.in_order;
        queue.bind(bound, key, follows);
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_queue_native(queue: *const Queue, what: c_int, retain: c_int, out: *mut usize) -> *mut ErrorHandle {
    let function = "aspen_queue_native";
    fallible(|| {
        // SAFETY: null or a queue, by the header.
        let queue = unsafe { queue.as_ref() }.ok_or_else(|| null_argument(function, "queue"))?;
        let (what, device) = (kind(what)?, queue.device());
        let bound = match (queue.native(), what) {
            (Some(bound), Native::Queue) => Some(bound.handle()),
            (Some(bound), Native::Context) => Some(bound.context()),
            _ => None,
        };
        let handle = match bound {
            Some(handle) => {
                if retain != 0 {
                    // SAFETY: the queue keeps both alive.
                    unsafe { device.interop()?.retain(what, handle) }?;
                }
                handle
            }
            None => native_of(device, what, retain != 0)?,
        };
        // SAFETY: null or writable, by the header.
        unsafe { put(out, function, handle) }
    })
}

pub(crate) fn native_of(device: &Device, what: Native, retain: bool) -> Result<usize> {
    device.real().native(what, retain)?.ok_or_else(|| {
        let text = format!("'{}' has no such object in an interface of its own (aspen_native_t)", device.real().facts().name);
        Error::new(Code::FeatureNotSupported, text)
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_of_native(
    device: *const Device,
    events: *const usize,
    count: usize,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    fallible(|| {
        // SAFETY: null or a device, by the header.
        let interface = unsafe { device_of(device, "aspen_event_of_native") }?.interop()?;
        // SAFETY: so many handles, by the header.
        let events = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(events, count) } };
        // SAFETY: events of the backend that are alive, by the header.
        let events = events.iter().map(|event| unsafe { interface.event(*event) }).collect::<Result<Vec<_>>>()?;
        // SAFETY: null or writable, by the header.
        unsafe { give_event(Event::of_native(global()?.system.pool(), events), out) };
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_event_native(
    event: *const Command,
    device: *const Device,
    context: usize,
    retain: c_int,
    out: *mut usize,
) -> *mut ErrorHandle {
    let function = "aspen_event_native";
    fallible(|| {
        // SAFETY: null or alive, by the header.
        let (event, device) = unsafe { (event_of(event), device_of(device, function)?) };
        let event = event.ok_or_else(|| null_argument(function, "event"))?;
        // SAFETY: a context of the backend that is alive, by the header.
        let handle = unsafe { event.native(device.interop()?, given(device.native_context(context)?)) }?;
        if retain != 0 {
            // SAFETY: the event keeps it alive.
            unsafe { device.interop()?.retain(Native::Event, handle) }?;
        }
        // SAFETY: null or writable, by the header.
        unsafe { put(out, function, handle) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_of_native(
    device: *const Device,
    context: usize,
    memory: usize,
    after: *const Command,
    size: *mut usize,
    out: *mut *const Buffer,
) -> *mut ErrorHandle {
    let function = "aspen_buffer_of_native";
    fallible(|| {
        // SAFETY: null or a device, by the header.
        let device = unsafe { device_of(device, function) }?;
        let key = device.native_context(context)?;
        // SAFETY: objects of the backend that are alive, by the header.
        let (memory, bytes) = unsafe { device.interop()?.queue(given(key), None)?.adopt(memory) }?;
        let alignment = guarded::natural_alignment(bytes, 128);
        // SAFETY: no memory of the host.
        let buffer = unsafe { Buffer::create(global()?.system.pool(), bytes, alignment, std::ptr::null_mut(), HostMemory::Copied) }?;
        // SAFETY: null or alive, by the header.
        buffer.adopt(device, key, memory, unsafe { event_of(after) }.as_deref());
        // SAFETY: null or writable, by the header.
        unsafe {
            put(size, function, bytes)?;
            put(out, function, Arc::into_raw(buffer))
        }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_settle_native(buffer: *const Buffer, device: *const Device, context: usize) -> *mut ErrorHandle {
    let function = "aspen_buffer_settle_native";
    fallible(|| {
        // SAFETY: null or alive, by the header.
        let (buffer, device) = unsafe { (shared(buffer, function)?, device_of(device, function)?) };
        buffer.settle(device, device.native_context(context)?)
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_native_on(buffer: *const Buffer, queue: *const Queue, out: *mut usize) -> *mut ErrorHandle {
    let function = "aspen_buffer_native_on";
    fallible(|| {
        // SAFETY: null or alive, by the header.
        let (buffer, queue) = unsafe { (shared(buffer, function)?, queue.as_ref()) };
        let queue = queue.ok_or_else(|| null_argument(function, "queue"))?;
        // SAFETY: null or writable, by the header.
        unsafe { put(out, function, buffer.native(queue.device(), queue.native_context()).unwrap_or(0)) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_buffer_natives(buffer: *const Buffer, device: *const Device, out: *mut usize, capacity: usize) -> usize {
    guarded(|| {
        // SAFETY: null or alive, by the header.
        let found = unsafe { buffer.as_ref().zip(device.as_ref()) };
        let found = found.map(|(buffer, device)| buffer.natives(device)).unwrap_or_default();
        if !out.is_null() {
            for (index, handle) in found.iter().take(capacity).enumerate() {
                // SAFETY: room for `capacity` handles, by the header.
                unsafe { out.add(index).write(*handle) };
            }
        }
        found.len()
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_program(
    device: *const Device,
    program: usize,
    state: *mut c_int,
    context: *mut usize,
) -> *mut ErrorHandle {
    let function = "aspen_native_program";
    fallible(|| {
        // SAFETY: a device, a program of its backend that is alive, and room for the answers, by the header.
        unsafe {
            let (now, of) = device_of(device, function)?.interop()?.program(program)?;
            put(state, function, now as c_int)?;
            put(context, function, of)
        }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_build(
    device: *const Device,
    programs: *const usize,
    count: usize,
    state: c_int,
    out: *mut usize,
) -> *mut ErrorHandle {
    let function = "aspen_native_build";
    fallible(|| {
        // SAFETY: null or a device, by the header.
        let device = unsafe { device_of(device, function) }?;
        if programs.is_null() || count == 0 {
            return Err(null_argument(function, "programs"));
        }
        let state = ProgramState::from_number(state);
        let state = state.ok_or_else(|| Error::new(Code::Invalid, "aspen_native_build: a state is 0, 1 or 2"))?;
        // SAFETY: so many programs of the backend that are alive, and room for the answer, by the header.
        unsafe { put(out, function, device.interop()?.build(slice::from_raw_parts(programs, count), state)?) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_kernel(device: *const Device, kernel: usize, out: *mut NativeKernelFacts) -> *mut ErrorHandle {
    let function = "aspen_native_kernel";
    fallible(|| {
        // SAFETY: a device, and a kernel of its backend that is alive, by the header.
        let facts = unsafe { device_of(device, function)?.interop()?.kernel(kernel) }?;
        let facts = NativeKernelFacts {
            context: facts.context,
            program: facts.program,
            max_work_group_size: facts.max_work_group_size,
            work_group_size: facts.work_group_size,
            preferred_multiple: facts.preferred_multiple,
            private_memory: facts.private_memory,
            arguments: facts.arguments,
        };
        // SAFETY: null or writable, by the header.
        unsafe { put(out, function, facts) }
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_native_kernel_attributes(
    device: *const Device,
    kernel: usize,
    take: Option<unsafe extern "C" fn(*const c_char, usize, *mut c_void)>,
    data: *mut c_void,
) -> *mut ErrorHandle {
    let function = "aspen_native_kernel_attributes";
    fallible(|| {
        // SAFETY: a device, and a kernel of its backend that is alive, by the header.
        let facts = unsafe { device_of(device, function)?.interop()?.kernel(kernel) }?;
        let take = take.ok_or_else(|| null_argument(function, "take"))?;
        // SAFETY: a function of the caller's for this, with its data.
        unsafe { take(facts.attributes.as_ptr().cast(), facts.attributes.len(), data) };
        Ok(())
    })
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_kernel_native(
    device: *const Device,
    module: *const c_void,
    object_tag: *const c_char,
    symbol: *const c_char,
    what: c_int,
    out: *mut usize,
) -> *mut ErrorHandle {
    let function = "aspen_kernel_native";
    fallible(|| {
        // SAFETY: null or a device; null or NUL-terminated strings, by the header. The registry remembers kernels by where their names are.
        let (device, tag, symbol) = unsafe { (device_of(device, function)?, str_of(object_tag, "object_tag")?, str_of(symbol, "symbol")?) };
        let key = KernelKey { module: module as usize, tag, symbol };
        let handle = registry().native(device, key, kind(what)?)?.ok_or_else(|| {
            let text = format!("'{}' has no such object of kernels in an interface of its own", device.real().facts().name);
            Error::new(Code::FeatureNotSupported, text)
        })?;
        // SAFETY: null or writable, by the header.
        unsafe { put(out, function, handle) }
    })
}

/// A reference to an object, given back when dropped.
struct Kept {
    device: &'static Device,
    what: Native,
    handle: usize,
}

impl Kept {
    /// # Safety
    /// An object of the device's backend that is alive.
    unsafe fn retain(device: &'static Device, what: Native, handle: usize) -> Result<Kept> {
        // SAFETY: by this function's contract.
        unsafe { device.interop()?.retain(what, handle) }?;
        Ok(Kept { device, what, handle })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Ok(interface) = self.device.interop() {
            // SAFETY: the reference that was taken in `retain`.
            unsafe { interface.release(self.what, self.handle) };
        }
    }
}

/// What becomes an [`Argument`] when the command runs.
enum Planned {
    Ready(Argument),
    Buffer(Arc<Buffer>, usize, usize),
}

/// # Safety
/// As `aspen_native_argument_t` in the header.
unsafe fn planned(argument: &NativeArgument) -> Result<(u32, Planned)> {
    let planned = match argument.kind {
        0 if argument.data.is_null() => return Err(null_argument("aspen_native_argument_t", "data")),
        // SAFETY: readable for that many bytes, by this function's contract.
        0 => Planned::Ready(Argument::Bytes(unsafe { slice::from_raw_parts(argument.data.cast::<u8>(), argument.size) }.to_vec())),
        1 => Planned::Ready(Argument::Local(argument.size)),
        2 => Planned::Ready(Argument::Pointer(argument.data.expose_provenance())),
        // SAFETY: null or alive, by this function's contract.
        3 => Planned::Buffer(unsafe { shared(argument.buffer, "aspen_native_argument_t") }?, argument.offset, argument.size),
        kind => return Err(Error::new(Code::Invalid, format!("aspen_native_argument_t: {kind} is no kind of argument"))),
    };
    Ok((argument.index, planned))
}

/// Whether the driver would take the sizes.
fn check(interface: &dyn Interop, launch: &NativeKernelLaunch, context: usize, local: Option<&[usize]>, global: &[usize]) -> Result<()> {
    // SAFETY: a kernel that is alive, by the contract of whoever calls.
    let facts = unsafe { interface.kernel(launch.kernel) }?;
    let wrong = |code, text: String| Err(Error::new(code, format!("a kernel of the backend's own: {text}")));
    if facts.context != context {
        return wrong(Code::Invalid, "it is of another context than the queue".into());
    }
    let Some(local) = local else { return Ok(()) };
    if local.contains(&0) || local.iter().zip(global).any(|(local, global)| global % local != 0) {
        return wrong(Code::NdRange, format!("work-groups of {local:?} do not divide {global:?} work-items"));
    }
    let items: u64 = local.iter().map(|size| *size as u64).product();
    if items > facts.max_work_group_size {
        return wrong(Code::NdRange, format!("work-groups of {items} work-items; it runs with at most {}", facts.max_work_group_size));
    }
    let padded: Vec<u64> = std::iter::repeat_n(1, 3 - local.len()).chain(local.iter().map(|size| *size as u64)).collect();
    if facts.work_group_size != [0; 3] && facts.work_group_size[..] != padded {
        return wrong(Code::NdRange, format!("work-groups of {local:?}; it requires {:?}", facts.work_group_size));
    }
    Ok(())
}

/// See aspen.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aspen_prepare_native_kernel(
    queue: *const Queue,
    launch: *const NativeKernelLaunch,
    out: *mut *const Command,
) -> *mut ErrorHandle {
    let function = "aspen_prepare_native_kernel";
    fallible(|| {
        // SAFETY: null or alive, by the header.
        let (queue, launch) = unsafe { (queue.as_ref(), launch.as_ref()) };
        let (queue, launch) =
            (queue.ok_or_else(|| null_argument(function, "queue"))?, launch.ok_or_else(|| null_argument(function, "launch"))?);
        if (launch.struct_size as usize) < size_of::<NativeKernelLaunch>() || !(1..=3).contains(&launch.dimensions) {
            return Err(Error::new(Code::Invalid, "aspen_native_launch_t: a wrong struct_size or number of dimensions"));
        }
        let device = queue.device();
        let sizes = |sizes: &[u64; 3]| sizes[..launch.dimensions as usize].iter().map(|size| *size as usize).collect::<Vec<_>>();
        let (global, local, offset) = (sizes(&launch.global), Some(sizes(&launch.local)), sizes(&launch.offset));
        let local = local.filter(|local| local.iter().any(|size| *size != 0));
        check(device.interop()?, launch, queue.native_or_own()?.context(), local.as_deref(), &global)?;
        let count = launch.argument_count;
        // SAFETY: so many arguments, by the header.
        let arguments = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(launch.arguments, count) } };
        // SAFETY: as the header describes them.
        let planned = arguments.iter().map(|argument| unsafe { planned(argument) }).collect::<Result<Vec<_>>>()?;
        if global.contains(&0) {
            // SAFETY: null or writable, by the header.
            return unsafe { give_prepared(queue.nothing(), out) };
        }
        // SAFETY: a kernel of the backend that is alive, by the header.
        let kernel = unsafe { Kept::retain(device, Native::Kernel, launch.kernel) }?;
        let (context, handle) = (queue.native_context(), launch.kernel);
        let made = move || {
            let argument = |(index, planned)| {
                Ok((
                    index,
                    match planned {
                        Planned::Ready(argument) => argument,
                        Planned::Buffer(buffer, offset, size) => {
                            let handle = buffer.native(device, context);
                            let handle =
                                handle.ok_or_else(|| Error::new(Code::KernelArgument, "an accessor's buffer has no memory there"))?;
                            Argument::Memory { handle, offset, size }
                        }
                    },
                ))
            };
            let arguments = planned.into_iter().map(argument).collect::<Result<Vec<_>>>()?;
            Ok(NativeLaunch { kernel: handle, global, local, offset, arguments })
        };
        // SAFETY: the kernel is kept until it has run; its arguments are the program's business. `out` is null or writable.
        unsafe { give_prepared(queue.native_kernel(kernel, made)?, out) }
    })
}
