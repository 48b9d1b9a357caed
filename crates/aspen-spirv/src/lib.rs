//! Conditional functions in SPIR-V: one module for all devices.
//!
//! At link time [`write()`] decorates every function of a module with the condition under which a device needs it; before a driver sees the
//! module, [`specialise()`] evaluates the conditions for a device, drops what it does not need, decides the branches of `if_device_has`, and
//! sweeps away what is then unused, so that drivers need not know the decoration and never meet an instruction or capability that their
//! device lacks. Everything is words in, words out; what is not touched keeps its bytes.
//!
//! Source: S1 "Design to raise required exceptions"; DESIGN §7.20, §7.23; SPV_INTEL_function_variants.

#![forbid(unsafe_code)]

mod conditions;
mod constants;
mod debug_info;
mod describe;
mod error;
mod explain;
mod fold;
mod formats;
mod grammar;
mod mark;
mod module;
mod needs;
mod role;
mod spec_id;
mod specialise;
pub mod words;
mod write;

pub use describe::describe;
pub use error::Error;
pub use explain::{ChainStep, Use, chain_to, place_of};
pub use formats::without_format_extension;
pub use spec_id::{Numbering, SpecId};
pub use specialise::{spec_ids, specialise};
pub use write::{Root, write};
