//! libaspen.so: the C ABI of `include/aspen/aspen.h`, a thin layer on `aspen-runtime`. The header is the authority for what each function
//! promises; here is only the translation: handles, null checks, and a guard that lets no panic out.
//!
//! Handles are pointers to the runtime's own values: errors are boxes, queues, events and buffers are `Arc`s, platforms and devices live
//! as long as the process. Every function of the header is `unsafe` to call: its pointers must be null or what the header says.

#![allow(clippy::missing_safety_doc, reason = "the header documents every function, and this file states the one common rule")]

mod buffer;
mod device;
mod device_global;
mod error;
mod global;
mod log;
mod module;
mod native;
mod queue;
mod submit;
mod usm;

pub use buffer::*;
pub use device::*;
pub use device_global::*;
pub use error::*;
pub use module::*;
pub use native::*;
pub use queue::*;
pub use submit::*;
pub use usm::*;

/// Bytes of `aspen_launch_t`, for the test that compares both sides.
pub const LAUNCH_SIZE: usize = size_of::<submit::Launch>();
/// Bytes of `aspen_dependencies_t`.
pub const AFTER_SIZE: usize = size_of::<submit::After>();
/// Bytes of `aspen_device_globals_t` and of `aspen_device_global_t`, which the compiler's plugin writes.
pub const GLOBALS_SIZES: (usize, usize) = (size_of::<device_global::Globals>(), size_of::<device_global::Global>());
/// Bytes of `aspen_native_queue_t`, `aspen_native_kernel_t`, `aspen_native_argument_t` and `aspen_native_launch_t`.
pub const NATIVE_SIZES: [usize; 4] = [
    size_of::<native::NativeQueueFacts>(),
    size_of::<native::NativeKernelFacts>(),
    size_of::<native::NativeArgument>(),
    size_of::<native::NativeKernelLaunch>(),
];
/// Bytes of `aspen_module_record_t`.
pub const RECORD_SIZE: usize = size_of::<module::Record>();
