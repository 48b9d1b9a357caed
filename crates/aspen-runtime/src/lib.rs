//! Registry of images, devices, queues, memory: check, then launch.
//!
//! - [`system`]: platforms and devices, as selector and profile present them;
//! - [`registry`]: modules, their images, and the check that comes before a kernel is loaded;
//! - [`launch`]: from a request to a running kernel;
//! - [`partition`]: devices that are parts of another one; `peers`: those that reach each other's memory;
//! - [`queue`], [`buffer`], [`usm`]: queues with events, buffers with their hazards, USM;
//! - [`early`]: what a device does before its first launch;
//! - [`native`]: objects of a backend's own interface;
//! - [`trace`]: what a program did and when, for viewers; [`guarded`]: memory whose bounds are checked;
//! - [`trial`]: whether a device's compiler takes an image; [`backend`]: what a backend implements; [`cache`]: compiled programs, kept between processes.
//!
//! Inside, `command` is the graph of commands, `in_flight` those in queues of devices, `pool` the threads that run the others, `chunks` what these take of a kernel,
//! `retired` memory that was freed under them, and `at_exit` what the process waits for when it ends.

mod async_errors;
mod at_exit;
pub mod backend;
mod before;
mod bringing;
pub mod buffer;
pub mod cache;
mod captured;
mod chunks;
mod command;
pub mod early;
mod environment;
mod error;
mod few;
pub mod guarded;
mod in_flight;
pub mod launch;
pub mod names;
pub mod native;
pub mod partition;
mod peers;
mod pool;
mod profile;
pub mod queue;
pub mod registry;
mod retired;
mod running;
mod save;
mod selector;
mod self_wait;
mod specialise;
pub mod system;
mod times;
pub mod trace;
pub mod trial;
pub mod usm;
pub mod zeroed;

pub use command::Status;
pub use environment::Environment;
pub use error::{Attached, Code, Error, Result};
pub use pool::Pool;
