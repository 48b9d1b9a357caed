//! The folder of a graph: `build.ninja`, what its jobs are given, their results, and what the last edges make a program of.
//!
//! | file | what |
//! |---|---|
//! | `build.ninja` | the graph; all paths are relative to the folder, but those of tools |
//! | `inputs/HASH.spv`, `.ptx` | what a compiler gets, by its content |
//! | `inputs/HASH.batch` | jobs that go to a worker together |
//! | `results/TARGET/HASH.result` | what it made (`aspen_codegen::result`), by what the job is |
//! | `images.parts` | the program's images, empty where a job's machine code belongs |
//! | `graph.json` | the version, the program, what the graph was made of, and where which result belongs |
//! | `objects/` | objects of this command's own sources |
//! | `lock` | that the folder is a graph's, and whose link works in it |
//! | `registration.o`, `link.rsp` | the object that carries the images; the words of the host link |
//!
//! A file that has not changed is not written again, so that ninja keeps what was made of it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};

use aspen_codegen::Made;

use super::manifest::{MANIFEST, Manifest, Named, PARTS, Place};
use super::names::{self, REGISTRATION, RESULTS, WORDS, input_file, result_file};
use super::{Content, Job, Wanted, batch, build_file, job};
use crate::error::Error;
use crate::object_file::write_whole;

/// In a folder of ours, and what it says: whose folder it is must not be a guess, since what is of no use any more is removed from it.
const LOCK: &str = "lock";
const OWN: &[u8] = b"a graph of aspen++ is in this folder\n";

/// What comes after the jobs: all paths as this process sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rest {
    /// The program.
    pub program: PathBuf,
    /// clang++.
    pub clang: PathBuf,
    /// The words of the host link, but the program's name.
    pub words: Vec<String>,
}

/// A graph's folder, which is this process' alone.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder, or takes one that holds this program's graph.
    ///
    /// # Errors
    /// If it holds something else, another program's graph, or another process works in it.
    pub fn open(path: &Path, program: &Path) -> Result<Folder, Error> {
        let failed = |error| Error::file("make the folder", path, error);
        fs::create_dir_all(path).map_err(failed)?;
        let lock = path.join(LOCK);
        if !fs::read(&lock).is_ok_and(|text| text == OWN) {
            if fs::read_dir(path).map_err(failed)?.next().is_some() {
                let path = path.display();
                return Err(Error::Usage(format!(
                    "'-fsycl-aot-graph={path}': the folder holds something else; name an empty one, or none"
                )));
            }
            write_whole(&lock, OWN, false)?;
        }
        let file = File::options().append(true).open(&lock).map_err(|error| Error::file("write", &lock, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                let path = path.display();
                return Err(Error::Usage(format!(
                    "'-fsycl-aot-graph={path}': another link works in that folder; each needs one of its own"
                )));
            }
            Err(fs::TryLockError::Error(error)) => return Err(Error::file("lock", &lock, error)),
        }
        let folder = Folder { path: fs::canonicalize(path).map_err(failed)?, _lock: file };
        let relative = folder.to(program)?;
        match Manifest::read(&folder.path.join(MANIFEST)) {
            Ok(old) if old.program != relative => {
                let (path, old) = (path.display(), old.program);
                Err(Error::Usage(format!(
                    "'-fsycl-aot-graph={path}': the folder holds the graph of '{old}'; each program needs one of its own, or remove it"
                )))
            }
            Ok(_) => Ok(folder),
            // What another version wrote is of no use, and neither is what is damaged.
            Err(_) => folder.clear().map(|()| folder),
        }
    }

    fn clear(&self) -> Result<(), Error> {
        for name in ["build.ninja", MANIFEST, PARTS, REGISTRATION, WORDS, "program.images", "registration.s", ".ninja_log", ".ninja_deps"] {
            let file = self.path.join(name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::file("remove", &file, error)),
                _ => {}
            }
        }
        ["inputs", RESULTS, "objects"].into_iter().try_for_each(|name| self.keep_only(name, &BTreeSet::new()))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file's path from the folder. Tools elsewhere (`/usr/bin/…`) keep theirs: [`Folder::tool`].
    fn to(&self, file: &Path) -> Result<String, Error> {
        let failed = |error| Error::file("find", file, error);
        let absolute = std::path::absolute(file).map_err(failed)?;
        // The file need not be there yet; its folder is.
        let (folder, name) = (absolute.parent().unwrap_or(Path::new("/")), absolute.file_name().unwrap_or_default());
        let relative = between(&self.path, &fs::canonicalize(folder).map_err(failed)?.join(name));
        relative.into_os_string().into_string().map_err(|name| Error::Usage(format!("{name:?} is no UTF-8, as a graph for ninja needs it")))
    }

    /// The path of a tool: from the folder if it lies among the user's files, else as it is.
    fn tool(&self, file: &Path) -> Result<String, Error> {
        let here = std::env::current_dir().unwrap_or_default();
        if file.is_absolute() && file.starts_with(&here) { self.to(file) } else { Ok(file.display().to_string()) }
    }

    /// Compilers among the user's files are named as the jobs see them; done before jobs are told apart.
    ///
    /// # Errors
    /// If the path cannot be written.
    pub fn compiler(&self, file: &Path) -> Result<PathBuf, Error> {
        self.tool(file).map(PathBuf::from)
    }

    /// A copy of a file that is only there for the time of this run.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub fn object(&self, number: usize, file: &Path, name: &str) -> Result<PathBuf, Error> {
        let stem = Path::new(name).file_stem().map_or_else(|| "stdin".into(), |stem| stem.to_string_lossy());
        let copy = self.path.join("objects").join(format!("{number}-{stem}.o"));
        let bytes = fs::read(file).map_err(|error| Error::file("read", file, error))?;
        write_changed(&copy, &bytes)?;
        from_here(&copy)
    }

    /// The registration object, from this process' folder.
    ///
    /// # Errors
    /// If that folder is not to be found.
    pub fn registration(&self) -> Result<PathBuf, Error> {
        from_here(&self.path.join(REGISTRATION))
    }

    /// Writes the graph. `inputs` is what it was made of; without a rest it ends with the results. Returns how many jobs have no result yet.
    ///
    /// # Errors
    /// If a file cannot be written, or a path cannot be part of a graph.
    pub fn write(
        &self,
        content: &Content,
        aspen: &Path,
        wanted: &Wanted,
        inputs: &[PathBuf],
        program: &Path,
        rest: Option<&Rest>,
    ) -> Result<usize, Error> {
        // The last edge puts the program in its place.
        if rest.is_some() && fs::metadata(program).is_ok_and(|found| !found.is_file()) {
            let program = program.display();
            return Err(Error::Usage(format!("'{program}' is no file that a graph could replace; name another with '-o'")));
        }
        let mut named = Vec::new();
        for file in inputs {
            let bytes = fs::read(file).map_err(|error| Error::file("read", file, error))?;
            named.push(Named { path: self.to(file)?, digest: blake3::hash(&bytes).to_hex().to_string() });
        }
        let place = |hole: &super::Hole| {
            let job = &content.jobs[hole.job];
            let (result, of) = (result_file(job).display().to_string(), names::of(job));
            Place { start: hole.blob.start, end: hole.blob.end, result, job: job.identity.to_hex().to_string(), of }
        };
        let manifest = Manifest::new(self.to(program)?, named, &content.bytes, content.holes.iter().map(place).collect());
        let is_done = |job: &Job| {
            let compiler = &job.aot.compiler;
            let compiler = job::is_file(compiler).then(|| self.path.join(compiler));
            job::is_there(&self.path.join(result_file(job)), compiler.as_deref(), &job.identity)
        };
        let left = content.jobs.iter().filter(|job| !is_done(job)).count();
        let edges = batch::edges(&content.jobs, wanted.batch, is_done);
        let batches = edges.iter().filter(|edge| edge.len() > 1).map(|edge| batch::file(edge.iter().map(|&number| &content.jobs[number])));
        let mut given: BTreeSet<PathBuf> = content.jobs.iter().map(|job| self.path.join(input_file(job))).collect();
        for (file, text) in batches {
            write_changed(&self.path.join(&file), &text)?;
            given.insert(self.path.join(file));
        }
        let text = self.build_file(content, &edges, aspen, wanted, &manifest, rest)?;
        for job in &content.jobs {
            write_changed(&self.path.join(input_file(job)), &job.input)?;
        }
        write_changed(&self.path.join(PARTS), &content.bytes)?;
        if let Some(rest) = rest {
            write_changed(&self.path.join(WORDS), build_file::response_file(&rest.words).as_bytes())?;
        }
        write_changed(&self.path.join(MANIFEST), &serde_json::to_vec_pretty(&manifest).expect("text and numbers"))?;
        write_changed(&self.path.join("build.ninja"), text.as_bytes())?;
        self.keep_only("inputs", &given)?;
        self.keep_only(RESULTS, &content.jobs.iter().map(|job| self.path.join(result_file(job))).collect())?;
        // ninja would take a damaged result for a finished one.
        for job in &content.jobs {
            let file = self.path.join(result_file(job));
            if file.exists() && job::read_result(&file, &job.identity, "").is_err() {
                fs::remove_file(&file).map_err(|error| Error::file("remove", &file, error))?;
            }
        }
        Ok(left)
    }

    /// The results of all jobs, in their order.
    ///
    /// # Errors
    /// If one is not there or cannot be used.
    pub fn results(&self, content: &Content) -> Result<Vec<Made>, Error> {
        content.jobs.iter().map(|job| job::read_result(&self.path.join(result_file(job)), &job.identity, &names::of(job))).collect()
    }

    /// Removes all other files of one of the graph's folders.
    fn keep_only(&self, name: &str, wanted: &BTreeSet<PathBuf>) -> Result<(), Error> {
        let mut folders = vec![self.path.join(name)];
        folders.retain(|folder| fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()));
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let entry = entry.map_err(|error| Error::file("list", &folder, error))?;
                let path = entry.path();
                // Not what a link leads to.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if !wanted.contains(&path) {
                    fs::remove_file(&path).map_err(|error| Error::file("remove", &path, error))?;
                }
            }
        }
        Ok(())
    }

    fn build_file(
        &self,
        content: &Content,
        edges: &[Vec<usize>],
        aspen: &Path,
        wanted: &Wanted,
        manifest: &Manifest,
        rest: Option<&Rest>,
    ) -> Result<String, Error> {
        let mut launcher = wanted.launcher.clone().unwrap_or_default();
        if let Some(program) = launcher.first_mut() {
            *program = self.tool(Path::new(program))?;
        }
        let last = |rest: &Rest| -> Result<build_file::Last<'_>, Error> {
            Ok(build_file::Last {
                manifest,
                back: between(&self.path, &here()?).display().to_string(),
                words: from_here(&self.path.join(WORDS))?.display().to_string(),
                clang: self.tool(&rest.clang)?,
                program: rest.program.display().to_string(),
            })
        };
        build_file::text(content, edges, &self.tool(aspen)?, &launcher, rest.map(last).transpose()?.as_ref())
    }
}

/// This process' folder.
fn here() -> Result<PathBuf, Error> {
    std::env::current_dir().and_then(fs::canonicalize).map_err(|error| Error::file("find", ".".as_ref(), error))
}

/// A file of the graph, from this process' folder.
fn from_here(file: &Path) -> Result<PathBuf, Error> {
    Ok(between(&here()?, file))
}

/// The way from a folder to a file; both are absolute, without links in them.
fn between(from: &Path, to: &Path) -> PathBuf {
    let (mut from, mut to) = (from.components().peekable(), to.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let way: PathBuf = from.map(|_| Component::ParentDir).chain(to).collect();
    if way.as_os_str().is_empty() { ".".into() } else { way }
}

fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Error::file("make the folder", folder, error))?;
    }
    write_whole(path, bytes, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_between_folders() {
        for (from, to, way) in
            [("/a/b", "/a/b", "."), ("/a/b", "/a/b/c", "c"), ("/a/b", "/a/c", "../c"), ("/a/b/c", "/x", "../../../x"), ("/", "/x/y", "x/y")]
        {
            assert_eq!(between(from.as_ref(), to.as_ref()), Path::new(way), "{from} {to}");
        }
    }
}
