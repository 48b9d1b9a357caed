//! ninja, as this run sees it: a bar while it works, and what failed in the words of what failed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};

use super::launch::AGAIN;
use super::names::{RESULTS, of, result_file};
use super::{Content, Job, job};
use crate::error::Error;
use crate::progress::Progress;

/// What a batch says before the name of a result that could not be made.
pub const FAILED: &str = "aspen: not made: ";

/// What ninja is to write before the description of an edge.
const STATUS: &str = "[%f/%t] ";

/// Has ninja make the results of all jobs in the folder, with so many at a time. Returns what there is to say of jobs that succeeded; ninja's
/// own words go to the file `words`.
///
/// # Errors
/// If ninja is not there, or jobs fail: all that do are told, with their words.
pub fn run(folder: &Path, content: &Content, jobs: NonZeroUsize, words: &Path) -> Result<String, Error> {
    if content.jobs.is_empty() {
        return Ok(String::new());
    }
    let unable = |error: std::io::Error| {
        Error::Device(format!(
            "cannot run 'ninja', which runs the ahead-of-time compilers behind a launcher: {error}; the Debian package ninja-build brings it"
        ))
    };
    let complaints = File::create(words).map_err(|error| Error::file("write", words, error))?;
    let mut command = Command::new("ninja");
    command.arg("-C").arg(folder).args(["-k", "0", "-j", &jobs.to_string(), RESULTS]);
    // What compilers print must not be taken for ninja's own words.
    let mark = format!("aspen++ {} ", std::process::id());
    command
        .env("NINJA_STATUS", format!("{mark}{STATUS}"))
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(complaints);
    let mut child = command.spawn().map_err(unable)?;
    let mut progress = Progress::new("code ahead of time", content.jobs.len());
    let known: HashMap<String, &Job> = content.jobs.iter().map(|job| (result_file(job).display().to_string(), job)).collect();
    let mut said = Failures { mark, outputs: known.keys().cloned().collect(), ..Failures::default() };
    let output = child.stdout.take().ok_or_else(|| unable(std::io::Error::other("no output")))?;
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line.map_err(unable)?).into_owned();
        if let Some((done, of)) = said.read(&line) {
            progress.done_of(done, of);
        }
    }
    let status = child.wait().map_err(unable)?;
    drop(progress);
    if status.success() {
        // What compilers said stands in the results, too.
        return Ok(said.rest.iter().filter(|line| line.starts_with("aspen: ")).map(|line| format!("{line}\n")).collect());
    }
    // Of a batch that was ended from outside, some are done.
    let is_open = |output: &String| known.get(output).is_some_and(|job| !job::is_there(&folder.join(output), None, &job.identity));
    for failed in said.failed.iter_mut().filter(|failed| failed.outputs.len() > 1 && failed.outputs.iter().any(is_open)) {
        failed.outputs.retain(is_open);
    }
    let mut all: Vec<String> = said.failed.iter().map(|failed| told(&known, failed)).collect();
    if all.is_empty() {
        let words = fs::read_to_string(words).unwrap_or_default();
        all.push(format!("ninja ended with {status}\n{}\n{}", said.rest.join("\n"), words.trim()).trim().to_owned());
    }
    Err(Error::Device(all.join("\n")))
}

/// A job that failed, or a batch of which none was told as such.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Failed {
    outputs: Vec<String>,
    command: String,
    words: Vec<String>,
}

/// What ninja prints, line by line.
#[derive(Debug, Default)]
struct Failures {
    /// What begins the lines that say how far it is.
    mark: String,
    /// What may fail.
    outputs: HashSet<String>,
    failed: Vec<Failed>,
    rest: Vec<String>,
    /// Whether the lines belong to the last of them.
    inside: bool,
    /// The batch that failed, while its words go on, and how many jobs had failed before.
    batch: Option<(Failed, usize)>,
}

impl Failures {
    /// Takes a line; how many edges are done, of how many, if it says so.
    fn read(&mut self, line: &str) -> Option<(usize, usize)> {
        if let Some(counted) = line.strip_prefix(self.mark.as_str()).and_then(status) {
            (self.inside, self.batch) = (false, None);
            return Some(counted);
        }
        // Newer ones write `[code=1]` before the names.
        let outputs = line.strip_prefix("FAILED: ").unwrap_or_default().split(' ').filter(|output| self.outputs.contains(*output));
        let outputs: Vec<String> = outputs.map(str::to_owned).collect();
        let told = line.strip_prefix(FAILED).filter(|output| self.outputs.contains(*output));
        if let (Some((batch, _)), Some(output)) = (&self.batch, told) {
            // A batch tells its jobs one by one; what it said before, others of them did.
            let failed = Failed { outputs: vec![output.to_owned()], command: batch.command.clone(), words: Vec::new() };
            if let Some(batch) = self.failed.pop_if(|last| last.outputs.len() > 1) {
                self.rest.extend(batch.words);
            }
            self.failed.push(failed);
        } else if !outputs.is_empty() {
            self.failed.push(Failed { outputs, ..Failed::default() });
            (self.inside, self.batch) = (true, None);
        } else if line.starts_with("ninja: build stopped: ") {
            self.inside = false;
        } else if let Some((batch, before)) = self.batch.as_ref().filter(|_| line.starts_with(AGAIN)) {
            // What counts is how the second attempt ends.
            self.failed.truncate(*before);
            self.failed.push(batch.clone());
        } else if let Some(failed) = self.failed.last_mut().filter(|_| self.inside) {
            if failed.command.is_empty() {
                failed.command = line.to_owned();
                let batch = (failed.outputs.len() > 1).then(|| failed.clone());
                self.batch = batch.map(|batch| (batch, self.failed.len() - 1));
            } else {
                failed.words.push(line.to_owned())
            };
        } else {
            self.rest.push(line.to_owned());
        }
        None
    }
}

/// `[3/154] …`.
fn status(line: &str) -> Option<(usize, usize)> {
    let (counted, _) = line.strip_prefix('[')?.split_once("] ")?;
    let (done, of) = counted.split_once('/')?;
    Some((done.parse().ok()?, of.parse().ok()?))
}

fn told(known: &HashMap<String, &Job>, failed: &Failed) -> String {
    let jobs: Vec<&Job> = failed.outputs.iter().filter_map(|output| known.get(output).copied()).collect();
    let what = jobs.iter().map(|job| of(job)).collect::<Vec<_>>().join(", ");
    let kernels = jobs.iter().flat_map(|job| &job.kernels).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let images = if jobs.len() == 1 { "image" } else { "images" };
    let kernels = if kernels.is_empty() { kernels } else { format!("\nkernels of the {images}: {kernels}") };
    let words = if failed.words.is_empty() { failed.command.clone() } else { failed.words.join("\n") };
    format!("cannot make {what}\n{words}{kernels}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ninja_prints() {
        let text = "m [1/3] a: x_0\nwarning: of a\nm [2/3] b: x_1\nFAILED: [code=1] results/b.gen.result \nL aspen aot\nno such thing\n[1/2] at\n\
                    FAILED: it\nm [3/3] c\nFAILED: results/c \nL aspen\nninja: build stopped: cannot make progress due to previous errors.\n";
        let outputs = ["results/b.gen.result", "results/c"].map(str::to_owned).into();
        let mut failures = Failures { mark: "m ".into(), outputs, ..Failures::default() };
        let counted: Vec<_> = text.lines().filter_map(|line| failures.read(line)).collect();
        assert_eq!(counted, [(1, 3), (2, 3), (3, 3)]);
        assert_eq!(failures.rest, ["warning: of a"]);
        let failed: Vec<_> = failures.failed.iter().map(|failed| (failed.outputs.join(" "), failed.words.join("|"))).collect();
        let expected = [("results/b.gen.result", "no such thing|[1/2] at|FAILED: it"), ("results/c", "")];
        assert_eq!(failed, expected.map(|(output, words)| (output.to_owned(), words.to_owned())));
    }

    #[test]
    fn what_batches_print() {
        let text = "m [1/3] a: 3 images\nFAILED: [code=1] r/a r/b r/c \nL aspen aot --batch x\naspen: of a\naspen: not made: r/b\nb is bad\nso it is\n\
                    aspen: not made: r/c\nkilled\naspen: the machine was at fault (exit code 75); the job is tried once more\naspen: not made: r/c\nc is bad\nm [2/3] d\nFAILED: r/d r/e \nL aspen aot --batch y\nno machine\nm [3/3] f\nFAILED: r/f \nL\nf is bad\n";
        let outputs = ["r/a", "r/b", "r/c", "r/d", "r/e", "r/f"].map(str::to_owned).into();
        let mut failures = Failures { mark: "m ".into(), outputs, ..Failures::default() };
        assert_eq!(text.lines().filter_map(|line| failures.read(line)).count(), 3);
        assert_eq!(failures.rest, ["aspen: of a"]);
        let failed: Vec<_> = failures.failed.iter().map(|failed| (failed.outputs.join(" "), failed.words.join("|"))).collect();
        let expected = [("r/c", "c is bad"), ("r/d r/e", "no machine"), ("r/f", "f is bad")];
        assert_eq!(failed, expected.map(|(output, words)| (output.to_owned(), words.to_owned())));
    }
}
