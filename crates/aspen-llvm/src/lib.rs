//! The only crate that knows libLLVM: module and summary, closure cloning, code generation.
//!
//! In clang's process the plugin hands over a [`ModuleRef`]: [`summarise()`], analyse, [`attach()`]. In the driver a [`Context`] holds
//! [`Module`]s: parse, link, clone the closure of each image, and [`generate()`] code in worker processes.

mod addresses;
mod amdgpu;
mod aspect_names;
mod attach;
mod calls;
mod device_globals;
mod dialect;
mod dpcpp;
mod entries;
mod exposed;
pub mod facts;
mod ffi;
mod formats;
mod generate;
mod guards;
mod ir;
mod item_loops;
mod legalise;
mod libraries;
mod malformed;
mod matrices;
mod module;
mod parts;
mod places;
mod propagate;
mod ptx;
mod shared_calls;
mod spec_constants;
mod stack_variable;
mod summarise;
mod types;
mod virtual_sets;
mod worker;

pub use amdgpu::AmdGpu;
pub use aspect_names::AspectNames;
pub use attach::{attach, forget_dialect, prepare_for_spirv};
pub use device_globals::{EXCHANGES_DEVICE_GLOBALS, SharedImageScope};
pub use dialect::{Dialect, dialect_of};
pub use dpcpp::{calls_explicit_simd, registered_kernels, sanitizer};
pub use entries::{DeviceFunction, DeviceGlobal, device_functions, device_globals};
pub use facts::Facts;
pub use generate::{CodegenError, FunctionFacts, Generated, Job, Output, X86_64Object, generate, generate_with, spirv_provides};
pub use guards::add_guards;
pub use ir::{ModuleRef, readable_name};
pub use item_loops::{Concern, ItemLoops, Told};
pub use malformed::{MalformedMetadata, check_metadata};
pub use module::{Context, Error, Module, Visible};
pub use propagate::{FixedTargets, propagate};
pub use ptx::Ptx;
pub use shared_calls::SharedCalls;
pub use spec_constants::{SpecConstant, SpecConstantMode, SpecConstantPart, SpecConstants};
pub use summarise::summarise;
pub use worker::{Finished, WorkerError, can_fork, in_workers};
