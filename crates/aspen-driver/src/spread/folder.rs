//! The folder of a graph: `build.ninja`, what its jobs are given, their results, and what the last edges make a program of.
//!
//! | file | what |
//! |---|---|
//! | `build.ninja` | the graph; all paths are relative to the folder, but those of tools |
//! | `inputs/HASH.spv`, `.ptx` | what a compiler gets, by its content |
//! | `results/TARGET/HASH.result` | what it made (`aspen_codegen::result`), by what the job is |
//! | `images.parts` | the program's images, empty where a job's machine code belongs |
//! | `graph.json` | the version, the program, what the graph was made of, and where which result belongs |
//! | `objects/` | objects of this command's own sources |
//! | `lock` | that the folder is a graph's, and whose link works in it |
//! | `registration.s`, `link.rsp` | the object that carries the images; the words of the host link |
//!
//! A file that has not changed is not written again, so that ninja keeps what was made of it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};

use aspen_codegen::Made;
use serde::{Deserialize, Serialize};

use super::{Content, Job, job, ninja};
use crate::error::Error;
use crate::jobs::quoted;
use crate::object_file::write_whole;

/// The edge that stands for all results.
pub const RESULTS: &str = "results";

const MANIFEST: &str = "graph.json";

/// In a folder of ours, and what it says: whose folder it is must not be a guess, since what is of no use any more is removed from it.
const LOCK: &str = "lock";
const OWN: &[u8] = b"a graph of aspen++ is in this folder\n";

const PARTS: &str = "images.parts";
const FORMAT: u32 = 1;
const PRODUCER: &str = concat!("aspen++ ", env!("CARGO_PKG_VERSION"));

/// What a graph is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    producer: String,
    /// The program that comes out, relative to the folder; nothing if the run that wrote the graph links it.
    program: String,
    /// What the graph was made of.
    inputs: Vec<Named>,
    parts: String,
    /// Where results belong.
    pub holes: Vec<Place>,
}

/// A file that must not change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Named {
    path: String,
    digest: String,
}

/// Where a result belongs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The blob in the parts.
    pub start: usize,
    /// Its end.
    pub end: usize,
    /// The result's file.
    pub result: String,
    /// The job's, in hexadecimal.
    pub job: String,
    /// Image and target, for messages.
    pub of: String,
}

impl Place {
    /// The job's identity.
    ///
    /// # Errors
    /// If it is no hash.
    pub fn identity(&self) -> Result<blake3::Hash, Error> {
        blake3::Hash::from_hex(&self.job).map_err(|error| Error::Device(format!("'{MANIFEST}' is damaged: {error}")))
    }
}

impl Manifest {
    /// Reads and checks it.
    ///
    /// # Errors
    /// If it is not there, damaged, or another version's.
    pub fn read(path: &Path) -> Result<Manifest, Error> {
        let text = fs::read(path).map_err(|error| Error::file("read", path, error))?;
        #[derive(Deserialize)]
        struct Version {
            format: u32,
            producer: String,
        }
        let damaged =
            |error: serde_json::Error| Error::input(path, format!("the graph is damaged ({error}); run aspen++ again to write it"));
        let version: Version = serde_json::from_slice(&text).map_err(damaged)?;
        if (version.format, version.producer.as_str()) != (FORMAT, PRODUCER) {
            return Err(Error::input(
                path,
                format!(
                    "{} (format {}) wrote this graph, and this is {PRODUCER} (format {FORMAT}): run aspen++ again to write it, or use the \
                     'aspen' of that version",
                    version.producer, version.format
                ),
            ));
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

    /// What the graph was made of must be as it was: images of other objects would not go with them.
    ///
    /// # Errors
    /// With the first file that is not.
    pub fn check_inputs(&self, folder: &Path) -> Result<(), Error> {
        for Named { path, digest } in &self.inputs {
            let file = folder.join(path);
            let now = fs::read(&file).map_err(|error| Error::file("read", &file, error))?;
            if blake3::hash(&now).to_hex().as_str() != digest {
                return Err(Error::input(path.as_ref(), "it has changed since the graph was written; run aspen++ again to write it"));
            }
        }
        Ok(())
    }

    /// The images.
    ///
    /// # Errors
    /// If they are not those of the graph.
    pub fn parts(&self, folder: &Path) -> Result<Vec<u8>, Error> {
        let file = folder.join(PARTS);
        let parts = fs::read(&file).map_err(|error| Error::file("read", &file, error))?;
        if blake3::hash(&parts).to_hex().as_str() == self.parts {
            return Ok(parts);
        }
        Err(Error::input(&file, "it does not go with 'graph.json'; run aspen++ again to write the graph"))
    }
}

/// What comes after the jobs: all paths as this process sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rest {
    /// The program.
    pub program: PathBuf,
    /// clang++.
    pub clang: PathBuf,
    /// The assembly of the registration object, for images in `program.images`.
    pub registration: String,
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
        for name in ["build.ninja", MANIFEST, PARTS, ".ninja_log", ".ninja_deps"] {
            let file = self.path.join(name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::file("remove", &file, error)),
                _ => {}
            }
        }
        ["inputs", "results", "objects"].into_iter().try_for_each(|name| self.keep_only(name, &BTreeSet::new()))
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
        from_here(&self.path.join("registration.o"))
    }

    /// Writes the graph. `inputs` is what it was made of; without a rest it ends with the results.
    ///
    /// # Errors
    /// If a file cannot be written, or a path cannot be part of a graph.
    pub fn write(
        &self,
        content: &Content,
        aspen: &Path,
        launcher: Option<&[String]>,
        inputs: &[PathBuf],
        program: &Path,
        rest: Option<&Rest>,
    ) -> Result<(), Error> {
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
            let (result, of) = (result_file(job).display().to_string(), ninja::of(job));
            Place { start: hole.blob.start, end: hole.blob.end, result, job: job.identity.to_hex().to_string(), of }
        };
        let manifest = Manifest {
            format: FORMAT,
            producer: PRODUCER.into(),
            program: self.to(program)?,
            inputs: named,
            parts: blake3::hash(&content.bytes).to_hex().to_string(),
            holes: content.holes.iter().map(place).collect(),
        };
        let text = self.ninja(content, aspen, launcher, &manifest, rest)?;
        for job in &content.jobs {
            write_changed(&self.path.join(input_file(job)), &job.input)?;
        }
        write_changed(&self.path.join(PARTS), &content.bytes)?;
        if let Some(rest) = rest {
            write_changed(&self.path.join("registration.s"), rest.registration.as_bytes())?;
            write_changed(&self.path.join("link.rsp"), response_file(&rest.words).as_bytes())?;
        }
        write_changed(&self.path.join(MANIFEST), &serde_json::to_vec_pretty(&manifest).expect("text and numbers"))?;
        write_changed(&self.path.join("build.ninja"), text.as_bytes())?;
        let all = |file: fn(&Job) -> PathBuf| content.jobs.iter().map(|job| self.path.join(file(job))).collect::<BTreeSet<_>>();
        self.keep_only("inputs", &all(input_file))?;
        self.keep_only("results", &all(result_file))?;
        // ninja would take a damaged result for a finished one.
        for job in &content.jobs {
            let file = self.path.join(result_file(job));
            if file.exists() && job::read_result(&file, &job.identity, "").is_err() {
                fs::remove_file(&file).map_err(|error| Error::file("remove", &file, error))?;
            }
        }
        Ok(())
    }

    /// The results of all jobs, in their order.
    ///
    /// # Errors
    /// If one is not there or cannot be used.
    pub fn results(&self, content: &Content) -> Result<Vec<Made>, Error> {
        content.jobs.iter().map(|job| job::read_result(&self.path.join(result_file(job)), &job.identity, &ninja::of(job))).collect()
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

    fn ninja(
        &self,
        content: &Content,
        aspen: &Path,
        launcher: Option<&[String]>,
        manifest: &Manifest,
        rest: Option<&Rest>,
    ) -> Result<String, Error> {
        let aspen = quoted(&self.tool(aspen)?);
        let mut launcher = launcher.unwrap_or_default().to_vec();
        if let Some(program) = launcher.first_mut() {
            *program = self.tool(Path::new(program))?;
        }
        let launcher = if launcher.is_empty() { String::new() } else { format!("{aspen} launch -- {}", shell(&launcher)) };
        let mut out = format!(
            "# {PRODUCER} wrote this. Results of jobs stay while what they are made of stays; exit code {} of a job means that the machine was \
             at fault.\nninja_required_version = 1.7\n\n# What stands before each job: `launcher = srun -n1 --`.\nlauncher = {}\naspen = {}\n\n\
             rule aot\n  command = $launcher $aspen aot --target $target --compiler $compiler $in_file -o $out -- $words\n  \
             description = $target: $images\n\n",
            job::MACHINE_AT_FAULT,
            value(&launcher)?,
            value(&aspen)?
        );
        for job in &content.jobs {
            let (input, result) = (input_file(job), result_file(job));
            let compiler = job.aot.compiler.display().to_string();
            let file = if compiler.contains('/') { format!(" | {}", path(&compiler)?) } else { String::new() };
            let input = input.display().to_string();
            let _ = write!(
                out,
                "build {}: aot {}{file}\n  target = {}\n  compiler = {}\n  in_file = {}\n  words = {}\n  images = {}\n\n",
                path(&result.display().to_string())?,
                path(&input)?,
                value(&quoted(&job.target))?,
                value(&quoted(&compiler))?,
                value(&quoted(&input))?,
                value(&shell(&job.aot.options))?,
                value(&job.images.join(", "))?
            );
        }
        let results: Vec<String> =
            content.jobs.iter().map(|job| path(&result_file(job).display().to_string())).collect::<Result<_, _>>()?;
        let _ = write!(out, "build {RESULTS}: phony {}\n\n", results.join(" "));
        let Some(rest) = rest else { return Ok(out) };
        let back = between(&self.path, &here()?).display().to_string();
        let rsp = from_here(&self.path.join("link.rsp"))?.display().to_string();
        let inputs: Vec<String> = manifest.inputs.iter().map(|named| path(&named.path)).collect::<Result<_, _>>()?;
        // The linker writes beside the program, which changes only when the new one is whole.
        let program = rest.program.display().to_string();
        let unfinished = format!("{program}.unfinished");
        let clang = self.tool(&rest.clang)?;
        let finish = format!(
            "cd {} && {} {} -o {} && mv -f -- {} {}",
            quoted(&back),
            quoted(&clang),
            quoted(&format!("@{rsp}")),
            quoted(&unfinished),
            quoted(&unfinished),
            quoted(&program)
        );
        let _ = write!(
            out,
            "rule pack\n  command = $aspen aot-pack {MANIFEST} -o $out\n  description = images\n\n\
             build program.images: pack {MANIFEST} | {PARTS} {} || {RESULTS}\n\n\
             rule assemble\n  command = {} -c registration.s -o $out\n  description = registration of images\n\n\
             build registration.o: assemble registration.s | program.images\n\n\
             rule link\n  command = {}\n  description = {}\n\n\
             build {}: link link.rsp | registration.o {}\n\ndefault {}\n",
            [inputs.clone(), results].concat().join(" "),
            value(&quoted(&clang))?,
            value(&finish)?,
            value(&manifest.program)?,
            path(&manifest.program)?,
            inputs.join(" "),
            path(&manifest.program)?
        );
        Ok(out)
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

/// A job's input, from the folder.
fn input_file(job: &Job) -> PathBuf {
    let name = blake3::hash(&job.input).to_hex();
    Path::new("inputs").join(format!("{name}.{}", job.aot.form.endings().0))
}

/// A job's result, from the folder.
pub fn result_file(job: &Job) -> PathBuf {
    Path::new(RESULTS).join(&job.target).join(format!("{}.result", job.identity.to_hex()))
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

fn shell(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A variable's value as ninja reads it.
fn value(text: &str) -> Result<String, Error> {
    if text.contains(['\n', '\r']) {
        return Err(Error::Usage(format!("a graph for ninja cannot hold a line break: {text:?}")));
    }
    Ok(text.replace('$', "$$"))
}

/// A path of a `build` line as ninja reads it.
fn path(text: &str) -> Result<String, Error> {
    if text.contains('|') {
        return Err(Error::Usage(format!("a graph for ninja cannot hold the path '{text}': it has no way to write '|'")));
    }
    Ok(value(text)?.replace(' ', "$ ").replace(':', "$:"))
}

/// Words as clang reads them from a file.
fn response_file(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{}\"\n", word.replace('\\', "\\\\").replace('"', "\\\""))).collect()
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

    #[test]
    fn names_as_ninja_and_clang_read_them() {
        assert_eq!(path("a b:c$d").expect("one line"), "a$ b$:c$$d");
        assert!(path("a\nb").is_err() && path("a|b").is_err());
        assert_eq!(response_file(&["a \"b\\".into(), "-c".into()]), "\"a \\\"b\\\\\"\n\"-c\"\n");
    }
}
