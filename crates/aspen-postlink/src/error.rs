//! What stops post-link and the filter.

use std::io;
use std::path::{Path, PathBuf};

use aspen_devices::UnknownTarget;

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A target in an option's value; nothing has been read yet.
    #[error("{option}: {error}")]
    Target {
        /// The option.
        option: &'static str,
        /// The name, and the nearest known one.
        error: UnknownTarget,
    },
    /// A file that cannot be read or written.
    #[error("cannot {action} '{}': {error}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// A file that holds nonsense.
    #[error("'{}': {reason}", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A worker process: its own words, which name the file, or how it died.
    #[error(transparent)]
    Worker(#[from] aspen_llvm::WorkerError),
    /// The module, in LLVM's words.
    #[error(transparent)]
    Llvm(#[from] aspen_llvm::Error),
    /// Bitcode on a terminal, as LLVM's tools refuse it.
    #[error("bitcode is nothing for a terminal; '-S' writes text, '-f' writes it all the same")]
    Terminal,
    /// Nothing to do. Source: FORMATS §4.1.
    #[error("no actions specified: '-split=none' leaves nothing to do without '-symbols', '-properties' or an '-emit-…' option")]
    NoActions,
    /// Metadata that would be a requirement that nobody checks.
    #[error("'{name}': malformed metadata: {error}")]
    Malformed {
        /// The module.
        name: String,
        /// What is wrong with it.
        error: aspen_llvm::MalformedMetadata,
    },
    /// Two functions of one image that no launch could serve.
    #[error(
        "{name}: '{}' requires work-groups of {}, and '{}', which is in the same image, of {}; they cannot run together",
        first.0, first.1, other.0, other.1
    )]
    WorkGroupSizes {
        /// The module.
        name: String,
        /// A function and its size.
        first: (String, String),
        /// Another, and its size.
        other: (String, String),
    },
    /// A variable whose value would be in two images. Source: sycl_ext_oneapi_device_global, `device_image_scope`.
    #[error(
        "{name}: device_global '{global}' lies in its device image (device_image_scope), and two images would have one: that of '{}' and that \
         of '{}'; split less (-split=none), or take the property away", entries.0, entries.1
    )]
    ImageScope {
        /// The module.
        name: String,
        /// The variable.
        global: String,
        /// An entry point of each image.
        entries: (String, String),
    },
    /// Kernels that only DPC++'s own passes can lower.
    #[error(
        "{name}: '-{option}' is about explicit SIMD kernels, and '{symbol}' is one, which Aspen cannot lower; leave such sources to DPC++'s \
         own sycl-post-link"
    )]
    ExplicitSimd {
        /// The module.
        name: String,
        /// The first such option.
        option: &'static str,
        /// The kernel, for people.
        symbol: String,
    },
    /// A call into explicit SIMD code, which only DPC++'s own passes can lower.
    #[error(
        "{name}: '{symbol}' calls explicit SIMD code (invoke_simd), which Aspen cannot lower; leave such sources to DPC++'s own sycl-post-link"
    )]
    InvokeSimd {
        /// The module.
        name: String,
        /// The function that calls, for people.
        symbol: String,
    },
    /// An entry point that asks for its registers in two ways.
    #[error(
        "{name}: '{symbol}' asks for a size of its register file (sycl-grf-size) and for a way to choose one (sycl-register-alloc-mode); \
         a device's compiler takes one of them: remove one property of the kernel"
    )]
    RegisterFiles {
        /// The module.
        name: String,
        /// The kernel, for people.
        symbol: String,
    },
    /// Something of the module that an option is about and that this tool cannot do.
    #[error("{name}: '{symbol}' reads a specialization constant as compilers of before SYCL 2020 did; compile the sources again")]
    OldSpecConstant {
        /// The module.
        name: String,
        /// A function that shows it.
        symbol: String,
    },
}

impl Error {
    pub(crate) fn file(action: &'static str, path: &Path, error: io::Error) -> Error {
        Error::File { action, path: path.to_path_buf(), error }
    }

    pub(crate) fn input(path: &Path, reason: impl ToString) -> Error {
        Error::Input { path: path.to_path_buf(), reason: reason.to_string() }
    }
}
