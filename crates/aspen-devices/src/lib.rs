//! The target database: what Aspen knows of devices before it meets them.
//!
//! The built-in table is generated from `data/devices.td`; users' files are YAML. Bytes go in, values come out; who opens the file is the
//! caller's business.

#![forbid(unsafe_code)]

mod builtin;
mod database;
mod diagnostic;
mod macros;
mod nearest;
mod raw;
mod read;
mod target;

pub use database::{Database, UnknownTarget};
pub use diagnostic::{ConfigError, Diagnostic, Warning};
pub use macros::macros;
pub use nearest::nearest;
pub use read::text;
pub use target::{Origin, Target};
