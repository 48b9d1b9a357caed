//! `sycl-post-link` and `sycl-aspect-filter`: the half of S0 that stands behind propagation, for anybody's pipeline.
//!
//! The way of the data, a file a phase: [`arguments`] (DPC++'s command line) → [`plan`] (which entry points share an image) → [`sets`]
//! (what is said about an image) → [`write`] (files, and a table a target), `libraries` (images of DPC++'s bfloat16 libraries). [`options`]
//! tells of each option of DPC++'s what becomes of it. [`filter`] drops rows of a table that a target cannot run.
//! Post-link reads metadata and never bodies: what a kernel uses was counted before (S0 "Changes to the post-link tool"). Only where
//! functions have guards it reads the call graph too, since what is needed under a guard stands nowhere else ([`aspen_llvm::add_guards`]).

#![forbid(unsafe_code)]

pub mod arguments;
mod entry_points;
mod error;
pub mod filter;
mod libraries;
pub mod options;
pub mod plan;
mod sets;
mod write;

pub use arguments::{Arguments, Usage};
pub use entry_points::is_importable;
pub use error::Error;
pub use write::{run, run_with};
