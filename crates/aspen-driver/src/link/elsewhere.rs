//! Images whose ahead-of-time compilers run elsewhere: the graph of a link, and what comes back from it.

use std::fs;
use std::path::{Path, PathBuf};

use super::LinkInput;
use super::host::{HostLink, Output};
use super::provided::Provided;
use super::select::Selection;
use crate::error::Error;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::shared;
use crate::spread::{Content, Folder, Rest, Wanted, run_jobs};
use crate::targets;

/// `aspen` for the commands of graphs, below an installation's prefix.
const JOBS: &str = "lib/aspen/aspen";

/// From here on, starting jobs one by one is what takes the time (docs/SCALE.md).
const MANY: usize = 1000;
const BATCH_HINT: &str = "'-fsycl-aot-batch=20' has it start as many together as take 20 seconds";

/// Where images are put together: with a folder for a graph, if compilers run elsewhere.
///
/// # Errors
/// If the folder cannot be used.
pub fn begin(wanted: Option<&Wanted>, output: &Output, scratch: &mut Scratch) -> Result<Content, Error> {
    let Some(wanted) = wanted else { return Ok(Content::default()) };
    // Beside the program: other machines may not see this one's temporary files.
    let own = || output.beside().map_or_else(|| scratch.file("aot", "graph"), |folder| folder.join("graph"));
    let folder = Folder::open(&wanted.folder.clone().unwrap_or_else(own), output.path())?;
    // A folder that stays keeps results itself.
    let cache = if wanted.folder.is_none() { shared::cache() } else { None };
    Ok(Content::elsewhere(folder, cache))
}

/// Everything that the host link will need.
pub struct Link<'l> {
    /// This program's file.
    pub executable: &'l Path,
    /// The host link.
    pub host: &'l HostLink<'l>,
    /// What takes part in it.
    pub selection: &'l Selection,
    /// Libraries that it needs for device code.
    pub provided: &'l Provided,
    /// The program.
    pub output: &'l Output,
}

/// Writes the graph; behind a launcher, runs it. Returns the images, if they are finished now.
///
/// # Errors
/// If the graph cannot be written, ninja is not there, or jobs fail.
pub fn finish(
    session: &Session<'_>,
    link: &Link<'_>,
    content: Content,
    wanted: Option<&Wanted>,
    scratch: &mut Scratch,
) -> Result<Option<Vec<u8>>, Error> {
    let (Some(wanted), Some(folder)) = (wanted, &content.folder) else { return Ok(Some(content.bytes)) };
    if wanted.folder.is_none() && content.jobs.is_empty() {
        return Ok(Some(content.bytes));
    }
    let aspen = program_of_jobs(link.executable)?;
    let (mut inputs, mut rest) = (Vec::new(), None);
    if wanted.folder.is_some() {
        let host = link.host;
        let mut line: Vec<LinkInput> = Vec::new();
        for (number, input) in host.inputs.iter().enumerate() {
            // Objects of this command's own sources are there for its time only.
            let is_own = input.path.as_os_str() != input.name.as_str();
            let path = if is_own { folder.object(number, &input.path, &input.name)? } else { input.path.clone() };
            line.push(LinkInput { path, name: input.name.clone() });
        }
        inputs.extend(line.iter().map(|input| input.path.clone()).chain(host.libraries()));
        // What a script names, or a thin archive holds; the line's own are there, as the graph's own copies where they are temporary.
        let is_of_line = |path: &&Path| host.inputs.iter().any(|input| input.path == **path);
        inputs.extend(link.selection.paths().filter(|path| !is_of_line(path)).map(Path::to_owned));
        inputs.extend(targets::device_file_of_environment().into_iter().chain(session.options.config_files.iter().cloned()));
        let mut seen = std::collections::BTreeSet::new();
        inputs.retain(|file| seen.insert(file.clone()));
        let host = HostLink { options: host.options, toolchain: host.toolchain, inputs: &line, runtime: host.runtime.clone() };
        let object = folder.registration()?;
        let mut words = host.command(Some(&object), &link.selection.forced, &link.provided.left_out, Path::new("")).arguments;
        words.truncate(words.len() - 2); // the program's name, which the edge says
        rest = Some(Rest { program: link.output.path().to_owned(), clang: host.toolchain.clang.clone(), words });
    }
    let left = folder.write(&content, &aspen, wanted, &inputs, link.output.path(), rest.as_ref())?;
    if session.options.verbose {
        let (jobs, at) = (content.jobs.len(), folder.path().join("build.ninja"));
        session.complain(format!("aspen++: {jobs} ahead-of-time jobs in '{}'\n", at.display()).as_bytes())?;
    }
    if wanted.launcher.is_none() {
        return Ok(None);
    }
    if wanted.batch.is_none() && left >= MANY {
        session.complain(format!("aspen++: note: {left} jobs go to the launcher one by one; {BATCH_HINT}\n").as_bytes())?;
    }
    let words: PathBuf = scratch.file("ninja", "words");
    let said = run_jobs(folder.path(), &content, session.jobs.fixed(), &words)?;
    session.complain(said.as_bytes())?;
    let made = folder.results(&content)?;
    for made in &made {
        if !made.messages.is_empty() {
            session.complain(format!("{}\n", made.messages).as_bytes())?;
        }
    }
    content.filled(&made).map(Some)
}

/// What a graph calls `aspen`: in an installation the one that knows a graph's commands alone, and does not load libLLVM for each job.
///
/// # Errors
/// If there is no `aspen` beside aspen++ either.
fn program_of_jobs(executable: &Path) -> Result<PathBuf, Error> {
    let prefix = executable.parent().and_then(Path::parent);
    if let Some(jobs) = prefix.map(|prefix| prefix.join(JOBS)).filter(|jobs| jobs.is_file()) {
        return Ok(jobs);
    }
    let aspen = executable.with_file_name("aspen");
    fs::metadata(&aspen).map_err(|error| Error::file("find", &aspen, error))?;
    Ok(aspen)
}
