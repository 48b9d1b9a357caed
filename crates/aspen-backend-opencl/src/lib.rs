//! Devices of OpenCL drivers: they take the `spir64` images of programs and compile them when they are first needed.
//!
//! - `sys`: the C API, loaded from the ICD loader at run time; without a loader or drivers there are no devices, which is no error;
//! - [`answers`]: what a driver says of a device; [`capabilities`]: what follows from that;
//! - `fit`: which images a device takes;
//! - `handles`: owned contexts, queues, programs, kernels and events;
//! - `device`: a device with its context and queues; `memory`: USM, or SVM where there is none;
//! - `submitted`: jobs in a device's queue, whose order the driver keeps;
//! - `identity`: what makes a compiled program this device's and no other's;
//! - `program`: programs, kernels and launches; `spirv`: what an image must lose before a driver sees it;
//! - `platform`: what the runtime asks of a device, over all of these;
//! - `native`, `interop`: OpenCL beside SYCL; `objects`: references to OpenCL's objects, whoever made them;
//! - `tools`: what drivers lack and tools do: linking SPIR-V, and making bitcode of it; [`bitcode`]: how a module must be written for that.

pub mod answers;
pub mod bitcode;
pub mod capabilities;
mod device;
mod fit;
mod handles;
mod identity;
mod interop;
mod memory;
mod native;
mod objects;
mod platform;
mod program;
mod spirv;
mod submitted;
mod sys;
mod tools;
mod waiters;

use std::sync::Arc;

use aspen_runtime::backend::Backend;
use aspen_runtime::cache::ProgramCache;

/// The platforms of this machine, in the loader's order. Programs are kept in the cache, if there is one.
pub fn platforms(cache: Option<Arc<ProgramCache>>) -> Vec<Box<dyn Backend>> {
    let Some(api) = sys::api() else { return Vec::new() };
    platform::platforms(api, cache.as_ref()).into_iter().map(|platform| Box::new(platform) as Box<dyn Backend>).collect()
}
