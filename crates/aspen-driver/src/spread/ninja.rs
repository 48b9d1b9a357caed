//! ninja, as this run sees it: a bar while it works, and what failed in the words of what failed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Content, Folder, Job};
use crate::error::Error;
use crate::progress::Progress;

/// What ninja is to write before the description of an edge.
const STATUS: &str = "[%f/%t] ";

/// Has ninja make the results of all jobs in the folder, with so many at a time. Returns what there is to say of jobs that succeeded; ninja's
/// own words go to the file `words`.
///
/// # Errors
/// If ninja is not there, or jobs fail: all that do are told, with their words.
pub fn run(folder: &Folder, content: &Content, jobs: NonZeroUsize, words: &Path) -> Result<String, Error> {
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
    command.arg("-C").arg(folder.path()).args(["-k", "0", "-j", &jobs.to_string(), super::folder::RESULTS]);
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
    let known: HashMap<String, &Job> =
        content.jobs.iter().map(|job| (super::folder::result_file(job).display().to_string(), job)).collect();
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
    let mut all: Vec<String> = said.failed.iter().map(|failed| told(known.get(&failed.output).copied(), failed)).collect();
    if all.is_empty() {
        let words = fs::read_to_string(words).unwrap_or_default();
        all.push(format!("ninja ended with {status}\n{}\n{}", said.rest.join("\n"), words.trim()).trim().to_owned());
    }
    Err(Error::Device(all.join("\n")))
}

/// A job that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Failed {
    output: String,
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
}

impl Failures {
    /// Takes a line; how many edges are done, of how many, if it says so.
    fn read(&mut self, line: &str) -> Option<(usize, usize)> {
        if let Some(counted) = line.strip_prefix(self.mark.as_str()).and_then(status) {
            self.inside = false;
            return Some(counted);
        }
        // Newer ones write `[code=1]` before the name.
        let output = line.strip_prefix("FAILED: ").map(|output| output.trim().rsplit(' ').next().unwrap_or_default());
        if let Some(output) = output.filter(|output| self.outputs.contains(*output)) {
            self.failed.push(Failed { output: output.to_owned(), ..Failed::default() });
            self.inside = true;
        } else if line.starts_with("ninja: build stopped: ") {
            self.inside = false;
        } else if let Some(failed) = self.failed.last_mut().filter(|_| self.inside) {
            if failed.command.is_empty() {
                failed.command = line.to_owned()
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

fn told(job: Option<&Job>, failed: &Failed) -> String {
    let what = job.map_or_else(|| format!("'{}'", failed.output), of);
    let kernels = job.map(|job| job.kernels.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")).unwrap_or_default();
    let kernels = if kernels.is_empty() { kernels } else { format!("\nkernels of the image: {kernels}") };
    let words = if failed.words.is_empty() { failed.command.clone() } else { failed.words.join("\n") };
    format!("cannot make {what}\n{words}{kernels}")
}

/// A job, for messages.
pub fn of(job: &Job) -> String {
    let images = job.images.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    format!("image {images} for target '{}'", job.target)
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
        let failed: Vec<_> = failures.failed.iter().map(|failed| (failed.output.as_str(), failed.words.join("|"))).collect();
        assert_eq!(failed, [("results/b.gen.result", "no such thing|[1/2] at|FAILED: it".to_owned()), ("results/c", String::new())]);
    }
}
