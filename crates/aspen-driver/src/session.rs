//! What lives as long as the run: the options, the diagnostics, and the only ways to the terminal.

use std::io::{self, Write};
use std::path::Path;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};

use crate::args::{Format, Options};
use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::jobs::{self, Command, Outcome, Parallelism};
use crate::runtimes;

/// Whether a stream is a terminal, and neither `NO_COLOR` nor `CLICOLOR=0` nor `TERM=dumb` says otherwise; `CLICOLOR_FORCE` wins.
pub fn takes_colors(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// One run of `aspen++`.
#[derive(Debug)]
pub struct Session<'a> {
    /// The user's command line.
    pub options: &'a Options,
    /// Our findings.
    pub diagnostics: Diagnostics,
    /// How many processes may run at a time.
    pub jobs: Parallelism,
    /// Whether to colour.
    pub color: bool,
}

impl<'a> Session<'a> {
    /// With colours as the user asked for, else on a terminal that wants them.
    pub fn new(options: &'a Options) -> Session<'a> {
        let color = options.look.format == Format::Text && options.look.color.unwrap_or_else(|| takes_colors(&io::stderr()));
        let diagnostics = Diagnostics::new(options.warnings.clone());
        Session { options, diagnostics, jobs: Parallelism::new(options.jobs), color }
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

    /// What a compiler, or the driver, has found: text as it is; in a document it stands among the results.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn show_said(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.options.look.format == Format::Text {
            return self.complain(bytes);
        }
        let rest = self.diagnostics.add_said(&String::from_utf8_lossy(bytes));
        self.complain(rest.as_bytes())
    }

    /// A warning about the command line or the link, without a place in the source.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn warn(&self, sentence: &str) -> Result<(), Error> {
        if self.options.warnings.is_silent() {
            return Ok(());
        }
        self.complain(format!("aspen++: warning: {sentence}\n").as_bytes())
    }

    /// Runs a tool that speaks for itself (the linker): its words are shown, and a failure needs no more.
    ///
    /// # Errors
    /// [`Error::Reported`] if it fails and has said why, others if it cannot run or failed without a word.
    pub fn run_tool(&self, what: &str, command: &Command) -> Result<Outcome, Error> {
        if self.options.verbose {
            self.complain(format!(" {}\n", command.shell()).as_bytes())?;
        }
        let outcome = self.ask_quietly(what, command)?;
        if outcome.status.success() {
            self.complain(&outcome.stderr)?;
            return Ok(outcome);
        }
        Err(self.failed(&outcome))
    }

    /// The same, of a tool that is run again later: its words are shown only if it fails.
    ///
    /// # Errors
    /// As [`Session::run_tool`].
    pub fn ask_tool(&self, what: &str, command: &Command) -> Result<Outcome, Error> {
        if self.options.verbose {
            self.complain(format!(" {}\n", command.shell()).as_bytes())?;
        }
        let outcome = self.ask_quietly(what, command)?;
        if outcome.status.success() {
            return Ok(outcome);
        }
        Err(self.failed(&outcome))
    }

    /// Shows why a tool failed: its words, and what it takes to have what it lacks.
    fn failed(&self, outcome: &Outcome) -> Error {
        if let Err(error) = self.complain(&outcome.stderr) {
            return error;
        }
        runtimes::advice(&outcome.stderr_text()).map_or(Error::Reported, Error::Usage)
    }

    fn ask_quietly(&self, what: &str, command: &Command) -> Result<Outcome, Error> {
        let outcome = jobs::run(command)?;
        if !outcome.status.success() && (outcome.stderr.is_empty() || outcome.status.code().is_none()) {
            return Err(command.failure(what, &outcome));
        }
        Ok(outcome)
    }

    /// Shows the diagnostics that are new; documents come at the end of the run.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn show_diagnostics(&mut self) -> Result<(), Error> {
        let text = self.diagnostics.render(&self.options.look, self.color, false);
        self.complain(text.as_bytes())
    }

    /// Ends a document of diagnostics, in which the run's own error stands, too.
    ///
    /// # Errors
    /// The run's, or if the document cannot be written.
    pub fn end_with(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if self.options.look.format == Format::Text {
            return result;
        }
        let result = match result {
            Err(Error::Reported) if !self.diagnostics.has_errors() => {
                self.diagnostics.add_error(None, "this failed as the lines before the document say".into(), Vec::new(), None);
                result
            }
            Err(Error::Reported) | Ok(()) => result,
            Err(error) => {
                self.diagnostics.add_error(None, error.to_string(), Vec::new(), None);
                Err(Error::Reported)
            }
        };
        let text = self.diagnostics.render(&self.options.look, self.color, true);
        self.complain(text.as_bytes()).and(result)
    }
}

fn put(stream: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
