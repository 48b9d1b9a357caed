//! What lives as long as the run: the options, the diagnostics, and the only ways to the terminal.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use crate::args::{Format, Options};
use crate::diagnostics::Diagnostics;
use crate::error::Error;

/// One run of `aspen++`.
#[derive(Debug)]
pub struct Session<'a> {
    /// The user's command line.
    pub options: &'a Options,
    /// Our findings.
    pub diagnostics: Diagnostics,
    /// How many processes may run at a time.
    pub jobs: NonZeroUsize,
    /// Whether to colour.
    pub color: bool,
}

impl<'a> Session<'a> {
    /// With colours as the user asked for, else on a terminal.
    pub fn new(options: &'a Options) -> Session<'a> {
        let color = options.color.unwrap_or_else(|| io::stderr().is_terminal());
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let diagnostics = Diagnostics::new(options.warnings.clone());
        Session { options, diagnostics, jobs: options.jobs.unwrap_or_else(cores), color }
    }

    /// Data, to standard output. A reader that has gone away has read enough.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn print(&self, bytes: &[u8]) -> Result<(), Error> {
        put(&mut io::stdout().lock(), bytes).map_err(|error| Error::file("write", Path::new("standard output"), error))
    }

    /// Words, to standard error.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn complain(&self, bytes: &[u8]) -> Result<(), Error> {
        put(&mut io::stderr().lock(), bytes).map_err(|error| Error::file("write", Path::new("standard error"), error))
    }

    /// Shows the diagnostics that are new; documents come at the end of the run.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn show_diagnostics(&mut self) -> Result<(), Error> {
        let text = self.diagnostics.render(self.options.format, self.color, false);
        self.complain(text.as_bytes())
    }

    /// Ends a document of diagnostics.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end_diagnostics(&mut self) -> Result<(), Error> {
        if self.options.format == Format::Text {
            return Ok(());
        }
        let text = self.diagnostics.render(self.options.format, self.color, true);
        self.complain(text.as_bytes())
    }
}

fn put(stream: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
