//! AMD's GPUs: they take the `amd_gpu_gfx*` images of programs.
//!
//! HIP's runtime has the functions of CUDA's driver under other names, so this is the CUDA backend over another `sys`: the modules that stand here
//! with a path are that crate's own files (docs/decisions/0057).
//!
//! - `sys`: HIP's functions under CUDA's names, opened at run time; without a runtime there are no devices, which is no error;
//! - `capabilities`: what follows from the answers of a device;
//! - `fit`: which images a device takes.

#[path = "../../aspen-backend-cuda/src/answers.rs"]
mod answers;
mod capabilities;
#[path = "../../aspen-backend-cuda/src/copy.rs"]
mod copy;
#[path = "../../aspen-backend-cuda/src/device.rs"]
mod device;
#[path = "../../aspen-backend-cuda/src/driver.rs"]
mod driver;
#[path = "../../aspen-backend-cuda/src/fill.rs"]
mod fill;
mod fit;
#[path = "../../aspen-backend-cuda/src/geometry.rs"]
mod geometry;
#[path = "../../aspen-backend-cuda/src/interop.rs"]
mod interop;
#[path = "../../aspen-backend-cuda/src/lanes.rs"]
mod lanes;
#[path = "../../aspen-backend-cuda/src/launcher.rs"]
mod launcher;
#[path = "../../aspen-backend-cuda/src/memory.rs"]
mod memory;
#[path = "../../aspen-backend-cuda/src/platform.rs"]
mod platform;
#[path = "../../aspen-backend-cuda/src/program.rs"]
mod program;
#[path = "../../aspen-backend-cuda/src/row.rs"]
mod row;
#[path = "../../aspen-backend-cuda/src/submitted.rs"]
mod submitted;
mod sys;
#[path = "../../aspen-backend-cuda/src/watch.rs"]
mod watch;
#[path = "../../aspen-backend-cuda/src/work.rs"]
mod work;

use aspen_runtime::backend::Backend;

/// The platform of this machine's HIP runtime, if there is one.
pub fn platforms() -> Vec<Box<dyn Backend>> {
    let Some(driver) = driver::open() else { return Vec::new() };
    platform::platform(driver).map(|platform| Box::new(platform) as Box<dyn Backend>).into_iter().collect()
}
