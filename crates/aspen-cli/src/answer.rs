//! How a command ends. Source: DESIGN §2.

use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

/// Why a command stops.
pub enum Failure {
    /// A failed input: exit code 1.
    Input(String),
    /// A failed input with its place, as compilers print it: exit code 1.
    Diagnostic(String),
    /// Something that another machine may do better: exit code 75.
    Machine(String),
    /// Wrong usage that only the database can tell: exit code 2.
    Usage(String),
}

impl Failure {
    /// Standard output takes no more.
    #[must_use]
    pub fn unwritten(error: &io::Error) -> Failure {
        Failure::Input(format!("cannot write to standard output: {error}"))
    }
}

impl From<aspen_llvm::Error> for Failure {
    fn from(error: aspen_llvm::Error) -> Failure {
        match error {
            aspen_llvm::Error::Syntax(text) => Failure::Diagnostic(text),
            error => Failure::Input(error.to_string()),
        }
    }
}

/// What a command prints, and whether it found something to complain about.
pub struct Answer {
    /// For standard output.
    pub text: String,
    /// Whether there is something to complain about: exit code 1.
    pub findings: bool,
}

impl Answer {
    /// Nothing to complain about.
    #[must_use]
    pub fn clean(text: String) -> Answer {
        Answer { text, findings: false }
    }
}

/// A result must not take the place of what it is made from.
///
/// # Errors
/// If the output is one of the inputs, by whatever name.
pub fn refuse_to_overwrite<'f>(output: &Path, mut inputs: impl Iterator<Item = &'f PathBuf>) -> Result<(), Failure> {
    let identity = |file: &Path| std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file).map(|file| (file.dev(), file.ino()));
    let Some(written) = identity(output) else { return Ok(()) };
    match inputs.find(|input| identity(input) == Some(written)) {
        None => Ok(()),
        Some(input) => {
            Err(Failure::Usage(format!("'-o {}' would overwrite the input '{}'; name another file", output.display(), input.display())))
        }
    }
}

/// The command line. Help and the version are answers, too, and exit here like mistakes.
///
/// # Errors
/// If standard output does not take them.
pub fn parse<P: Parser>() -> Result<P, Failure> {
    P::try_parse().or_else(|told| match told.print() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::unwritten(&error)),
        _ => std::process::exit(told.exit_code()),
    })
}

/// Prints an answer, or why there is none. A reader that goes away has read enough.
#[must_use]
pub fn end(answer: Result<Answer, Failure>) -> ExitCode {
    match answer {
        Ok(answer) => match print(&answer.text) {
            Ok(()) => ExitCode::from(u8::from(answer.findings)),
            Err(error) => end(Err(Failure::unwritten(&error))),
        },
        Err(Failure::Input(text)) => fail(&text, 1),
        Err(Failure::Diagnostic(text)) => {
            eprintln!("{text}");
            ExitCode::from(1)
        }
        Err(Failure::Machine(text)) => fail(&text, 75),
        Err(Failure::Usage(text)) => fail(&text, 2),
    }
}

fn fail(text: &str, code: u8) -> ExitCode {
    eprintln!("aspen: error: {text}");
    ExitCode::from(code)
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
