//! NVIDIA's GPUs: they take the `nvidia_gpu_sm_*` images of programs, machine code as it is and PTX by the driver's compiler.
//!
//! - `sys`: the CUDA driver API, loaded at run time; without a driver there are no devices, which is no error; `driver`: what it has, as values;
//! - [`answers`]: what the driver says of a device; [`capabilities`]: what follows from that;
//! - [`fit`]: which images a device takes;
//! - `device`: a device's context; `lanes`: its streams; `row`: the marks of one; `watch`: who finds out that jobs are over;
//!   `work`: what there is to put into streams; `submitted`: jobs that do so; `launcher`: who puts them there where many come;
//! - `memory`: memory, copies and fills; `copy`: copies in streams; `fill`: patterns in memory; `program`: modules and kernels; [`geometry`]:
//!   how launches become grids;
//! - `platform`: what the runtime sees of all that; `interop`: CUDA's objects beside SYCL.

pub mod answers;
pub mod capabilities;
mod copy;
mod device;
mod driver;
mod fill;
pub mod fit;
pub mod geometry;
mod interop;
mod lanes;
mod launcher;
mod memory;
mod platform;
mod program;
mod row;
mod submitted;
mod sys;
mod watch;
mod work;

use aspen_runtime::backend::Backend;

/// The platform of this machine's driver, if there is one.
pub fn platforms() -> Vec<Box<dyn Backend>> {
    let Some(driver) = driver::open() else { return Vec::new() };
    platform::platform(driver).map(|platform| Box::new(platform) as Box<dyn Backend>).into_iter().collect()
}
