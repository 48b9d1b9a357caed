//! What a kernel needs, what a device has, and the only comparison of the two.
//!
//! Compiler, splitter, AOT filter, tools and runtime all share these types and [`check`]. Nothing here does I/O, knows LLVM or names a
//! vendor's device.

mod aspect;
mod backend;
mod check;
mod guard;
mod names;
mod reason;
mod requirements;
#[rustfmt::skip] // generated: must stay as the generator writes it
mod table;

pub use aspect::{Aspect, AspectSet};
pub use backend::BackendKind;
pub use check::{Capabilities, Need, Offers, Verdict, check};
pub use guard::Guard;
pub use names::{as_written, in_ptx};
pub use reason::{Place, Remark, Source, Step, refusal};
pub use requirements::{InvalidWorkGroupSize, Requirements, WorkGroupSize};
