//! Has llvm-tblgen read the file. Its own words about faults in the file are passed on as they are: they have place and source line.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// The stock tool of the LLVM release that Aspen is built for.
pub const LLVM_TBLGEN: &str = "llvm-tblgen-22";

/// Why there is no dump.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It could not be started.
    #[error("{}", match .0.kind() {
        io::ErrorKind::NotFound => format!("'{LLVM_TBLGEN}' is not on PATH; `cargo xtask setup` installs it (Debian package llvm-22)"),
        _ => format!("cannot run '{LLVM_TBLGEN}': {}", .0),
    })]
    Start(io::Error),
    /// It found something wrong; standard error has its words already.
    #[error("'{LLVM_TBLGEN}' failed on '{file}' ({status})")]
    Failed {
        /// The file that it was to read.
        file: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// It wrote something else than text.
    #[error("'{LLVM_TBLGEN}' wrote no text for '{file}'")]
    NoText {
        /// The file that it was to read.
        file: String,
    },
}

/// Everything that the file defines, as JSON. `arguments`: include folders and macros, in llvm-tblgen's spelling.
///
/// # Errors
/// If llvm-tblgen is missing, or fails. What it says goes to standard error.
pub fn dump(file: &Path, arguments: &[OsString]) -> Result<String, ToolError> {
    let mut command = Command::new(LLVM_TBLGEN);
    command.arg("--dump-json").args(arguments).arg(file).stderr(Stdio::inherit());
    let output = command.output().map_err(ToolError::Start)?;
    let file = file.display().to_string();
    if !output.status.success() {
        return Err(ToolError::Failed { file, status: output.status });
    }
    String::from_utf8(output.stdout).map_err(|_| ToolError::NoText { file })
}
