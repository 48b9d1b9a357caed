//! What a device module uses and calls, without LLVM: propagation, chains, findings and the split plan.
//!
//! The way of the data: [`Summary`] (what one module, or all modules of a link, look like) → [`analyse`] → requirements of every kernel and
//! exported function with their [`aspen_contract::Source`]s, and [`Finding`]s → [`split()`] → which entry points share an image.
//! The same code runs inside clang for one translation unit and in the driver for a link.

mod analysis;
mod chain;
mod finding;
pub mod imports;
pub mod link;
mod optimized;
mod original;
mod propagate;
mod report;
pub mod split;
mod strict;
pub mod summary;
pub mod targets;

pub use analysis::{Analysis, analyse};
pub use finding::{Finding, Level};
pub use report::{Launch, PassReport, Told};
pub use split::{CodeSplit, ImagePlan, split};
pub use strict::{Strict, StrictKind, left_after, strict, strict_across_units};
pub use summary::{FuncId, Summary, is_entry_point};
