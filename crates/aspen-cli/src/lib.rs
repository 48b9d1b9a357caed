//! What `aspen` shares with the program that graphs run in its place: answers, and the commands of a graph.
//!
//! Loading libLLVM takes longer than all that a command of a graph does itself, so these have a program without it, `aspen-jobs`
//! (docs/decisions/0038).

mod answer;
pub mod aot;
pub mod device_files;

pub use answer::{Answer, Failure, end, parse, refuse_to_overwrite};
