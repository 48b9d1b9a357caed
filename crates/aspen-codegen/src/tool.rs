//! External tools, one process an image, several at a time.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::CodegenError;

/// Their numbers on Linux.
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

/// A tool at work.
pub(crate) struct Tool {
    image: String,
    line: String,
    child: Child,
    started: Instant,
    words: PathBuf,
}

impl Tool {
    /// Starts the tool in the scratch folder, with file names without folders: messages and bytes do not depend on where that is.
    /// `source` is what brings it, for the message if it is not there.
    pub(crate) fn start(image: &str, mut command: Command, scratch: &Path, index: usize, source: &str) -> Result<Tool, CodegenError> {
        let words = scratch.join(format!("image{index}.words"));
        let stream = File::create(&words).and_then(|file| Ok((file.try_clone()?, file)));
        let (stdout, stderr) = stream.map_err(io_error(image, "cannot write the tool's messages"))?;
        let program = command.get_program().to_string_lossy().into_owned();
        let line = line_of(&command);
        command.current_dir(scratch).stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        let child = command.spawn().map_err(|error| {
            let hint = if error.kind() == io::ErrorKind::NotFound { format!(" ({source} brings it)") } else { String::new() };
            io_error(image, &format!("cannot run '{program}'{hint}"))(error)
        })?;
        Ok(Tool { image: image.to_owned(), line, child, started: Instant::now(), words })
    }

    /// Waits for its end; what it said is the result.
    pub(crate) fn finish(mut self, limit: Duration) -> Result<String, CodegenError> {
        let status = self.wait(limit).map_err(io_error(&self.image, "cannot wait for the tool"))?;
        let words = fs::read(&self.words).map_err(io_error(&self.image, "cannot read the tool's messages"))?;
        let words = without_repetitions(&String::from_utf8_lossy(&words));
        match status {
            Some(status) if status.success() => Ok(words),
            Some(status) => {
                let killed = matches!(status.signal(), Some(SIGKILL | SIGTERM));
                Err(self.failure(&format!("{words}\nit ended with {status}"), killed))
            }
            None => Err(self.failure(&format!("{words}\nit did not end within {} seconds and was stopped", limit.as_secs_f32()), false)),
        }
    }

    /// What it was asked to do.
    pub(crate) fn line(&self) -> String {
        self.line.clone()
    }

    fn failure(self, words: &str, killed: bool) -> CodegenError {
        CodegenError::Tool { image: self.image, command: self.line, words: words.trim().to_owned(), killed }
    }

    /// `None` if it had to be stopped.
    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if self.started.elapsed() > limit {
                self.child.kill()?;
                self.child.wait()?;
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

/// The command's words.
pub(crate) fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// An error of the system, for a message about an image.
pub(crate) fn io_error(image: &str, what: &str) -> impl FnOnce(io::Error) -> CodegenError {
    let (image, what) = (image.to_owned(), what.to_owned());
    move |error| CodegenError::Io { image, what, error }
}

/// Each line once: ocloc tries a failed build again and again, and says the same every time.
fn without_repetitions(text: &str) -> String {
    let mut seen = BTreeSet::new();
    text.lines().filter(|line| !line.trim().is_empty() && seen.insert(*line)).collect::<Vec<_>>().join("\n")
}

/// Runs `start`, then `finish`, for all items, with at most `parallelism` of them between the two; results in the order of the items.
/// Processes of one kind take about the same time, so waiting for the oldest keeps the others busy.
pub(crate) fn in_parallel<I, R, T>(
    items: impl IntoIterator<Item = I>,
    parallelism: NonZeroUsize,
    mut start: impl FnMut(usize, I) -> Result<R, CodegenError>,
    mut finish: impl FnMut(R) -> Result<T, CodegenError>,
) -> Vec<Result<T, CodegenError>> {
    let mut running = std::collections::VecDeque::new();
    let mut results = Vec::new();
    let mut items = items.into_iter().enumerate();
    loop {
        while running.len() < parallelism.get()
            && let Some((index, item)) = items.next()
        {
            running.push_back(start(index, item));
        }
        match running.pop_front() {
            Some(started) => results.push(started.and_then(&mut finish)),
            None => return results,
        }
    }
}
