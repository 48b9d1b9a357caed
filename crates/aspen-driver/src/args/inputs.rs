//! What an input is: SYCL source, other source, or something for the linker. Source: clang 22, `clang/Driver/Types.def`.

use std::path::Path;

use super::Stage;
use crate::error::Error;
use crate::preprocessed::Text;

/// What is to be done with an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// C++ source, and C source that nobody calls so: host and device passes.
    Sycl,
    /// Other source that clang compiles (`-x c`, assembler, LLVM IR, preprocessed C++): host only.
    HostSource,
    /// Object, archive, shared library, linker script.
    Linker,
}

/// The `-x` of modules' interfaces.
pub const MODULE: &str = "c++-module";

/// A file on the command line.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// As given; `-` is standard input.
    pub path: String,
    /// The `-x` in force.
    pub language: Option<String>,
    /// What is to be done with it.
    pub kind: InputKind,
    /// What is read in place of the file.
    pub text: Option<Text>,
}

impl Input {
    /// Decides by `-x`, else by the extension, as clang does.
    pub(super) fn new(path: String, language: Option<String>) -> Input {
        let extension = Path::new(&path).extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let kind = match (language.as_deref(), extension) {
            (Some("c++" | MODULE), _) => InputKind::Sycl,
            (Some(_), _) => InputKind::HostSource,
            (None, "c") => InputKind::Sycl, // clang++ takes C for C++
            (None, "cpp" | "cc" | "cxx" | "cp" | "c++" | "C" | "CC" | "CPP" | "CXX" | "sycl") => InputKind::Sycl,
            (None, "cppm" | "ccm" | "cxxm" | "c++m") => {
                return Input { path, language: Some(MODULE.into()), kind: InputKind::Sycl, text: None };
            }
            (None, "pcm") => InputKind::Sycl, // an interface that `modules` gives back its source
            (None, "i" | "ii" | "s" | "S" | "sx" | "asm" | "ll" | "bc" | "m" | "mm" | "mi" | "mii") => InputKind::HostSource,
            (None, "h" | "hh" | "hpp" | "hxx" | "H") => InputKind::HostSource, // precompiled headers
            (None, _) => InputKind::Linker,
        };
        Input { path, language, kind, text: None }
    }

    /// Whether it is compiled as C++ though its name says C.
    pub(super) fn is_deprecated_c(&self) -> bool {
        self.language.is_none() && Path::new(&self.path).extension().is_some_and(|extension| extension == "c")
    }

    /// Whether it is the interface of a module, or a part of one, by its name or by `-x`.
    pub fn is_module(&self) -> bool {
        self.language.as_deref() == Some(MODULE)
    }

    /// Whether it is a header of C++, by its name or by `-x`.
    pub fn is_header(&self) -> bool {
        let extension = Path::new(&self.path).extension().and_then(|extension| extension.to_str());
        match self.language.as_deref() {
            Some(language) => language == "c++-header",
            None => matches!(extension, Some("h" | "hh" | "hpp" | "hxx" | "H")),
        }
    }

    /// The source as reports name it.
    pub fn name(&self) -> &str {
        self.text.as_ref().and_then(Text::source).unwrap_or(&self.path)
    }

    /// The file's name without folder and extension.
    pub fn stem(&self) -> &str {
        Path::new(&self.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("a")
    }
}

/// Decides what only the whole command line tells: what comes by standard input, and what is preprocessed already.
///
/// # Errors
/// If nobody says what standard input is.
pub(super) fn settle(inputs: &mut [Input], stage: Stage, is_preprocessed: bool) -> Result<(), Error> {
    for input in inputs {
        if input.path == "-" && input.language.is_none() {
            if stage != Stage::Preprocess {
                return Err(Error::Usage("'-E' or '-x' is required when input is from standard input".into()));
            }
            *input = Input::new("-".into(), Some("c++".into()));
        }
        if is_preprocessed && input.kind == InputKind::Sycl {
            *input = Input::new(std::mem::take(&mut input.path), Some("c++-cpp-output".into()));
        }
    }
    Ok(())
}

/// A header that is only looked at is read as a source, by all passes. Returns whether there was one.
pub(super) fn take_headers_for_sources(inputs: &mut [Input]) -> bool {
    let mut found = false;
    for input in inputs.iter_mut().filter(|input| input.is_header()) {
        (input.language, input.kind, found) = (Some("c++".into()), InputKind::Sycl, true);
    }
    found
}
