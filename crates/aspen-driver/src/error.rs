//! What stops a run: each error names the file or option, what is wrong with it, and where possible the way out.

use std::io;
use std::path::{Path, PathBuf};

/// Why `aspen++` ends with exit code 1.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A wrong command line; nothing has run yet.
    #[error("{0}")]
    Usage(String),
    /// A faulty device file: its own words, with place and line.
    #[error("the device file cannot be used\n{0}")]
    DeviceFile(String),
    /// A file that cannot be read, written or removed.
    #[error("cannot {action} '{}': {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A tool that could not be started at all.
    #[error("cannot start '{tool}': {source}{}", if source.kind() == io::ErrorKind::NotFound { "; `cargo xtask setup` installs what is missing" } else { "" })]
    Start {
        /// The program.
        tool: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A tool that failed for a reason that is not the user's code: its command and its own words.
    #[error("{what} failed ({status})\n  command: {command}\n{}", indent(words))]
    Tool {
        /// What it was to do.
        what: String,
        /// How it ended.
        status: String,
        /// The whole command.
        command: String,
        /// What it printed.
        words: String,
    },
    /// A file that holds nonsense.
    #[error("'{}': {reason}", path.display())]
    Input {
        /// The file, or `archive(member)`.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Device code that cannot be linked or turned into an image.
    #[error("{0}")]
    Device(String),
    /// The user has seen the reason already (clang's own errors, findings that are errors).
    #[error("stopped by the errors above")]
    Reported,
}

impl Error {
    /// A file error.
    pub fn file(action: &'static str, path: &Path, source: io::Error) -> Error {
        Error::File { action, path: path.to_path_buf(), source }
    }

    /// An error of a temporary file or folder, whose random name says nothing to the user.
    pub fn temporary(action: &'static str, path: &Path, error: &io::Error) -> Error {
        // `tempfile` puts the name behind the system's words.
        let told = error.to_string();
        let words = told.split_once(" at path ").map_or(told.as_str(), |(words, _)| words);
        Error::file(action, path, io::Error::new(error.kind(), words))
    }

    /// A faulty input.
    pub fn input(path: &Path, reason: impl ToString) -> Error {
        Error::Input { path: path.to_path_buf(), reason: reason.to_string() }
    }
}

fn indent(words: &str) -> String {
    words.lines().map(|line| format!("  | {line}")).collect::<Vec<_>>().join("\n")
}
