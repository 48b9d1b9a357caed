//! The TableGen backend `-gen-dynamic-tables`. Source: S2 "New TableGen backend".
//!
//! A backend usually lives inside llvm-tblgen. Stock LLVM's cannot be extended, but it writes everything it read as JSON, so this crate has
//! it parse the file, reads the JSON, and writes tables: in C++ the `std::map` that S2 shows, in Rust what aspen-devices embeds.

#![forbid(unsafe_code)]

mod cpp;
mod dump;
mod rust;
mod table;
mod tool;

pub use cpp::cpp;
pub use rust::rust;
pub use table::{Entry, Error, Table, Value, tables};
pub use tool::{LLVM_TBLGEN, ToolError, dump};
