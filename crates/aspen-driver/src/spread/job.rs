//! What the graph's commands do: `aspen aot` runs one job, `aspen aot-pack` puts the results into the program's images.

use std::fs;
use std::path::{Path, PathBuf};

use aspen_codegen::{Aot, CodegenError, Form, Gen, Made, result};
use aspen_devices::Database;

use super::manifest::Manifest;
use crate::error::Error;
use crate::janitor;
use crate::object_file::write_whole;
use crate::registration;
use crate::targets;

/// The exit code for what another machine may do better (`EX_TEMPFAIL` of `sysexits.h`).
pub const MACHINE_AT_FAULT: i32 = 75;

/// A job as the command line has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job<'j> {
    /// The target, for messages, and for the compiler and its options if they are not given.
    pub target: &'j str,
    /// How the compiler is called; `None`: as the database says.
    pub compiler: Option<&'j Path>,
    /// Options; after those of the database if that names the compiler.
    pub words: &'j [String],
    /// SPIR-V or PTX.
    pub input: &'j Path,
    /// Where the result goes.
    pub output: &'j Path,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Stopped {
    /// The job itself: everywhere it would end so.
    Job(String),
    /// This machine; elsewhere it may be done.
    Machine(String),
    /// The command line.
    Usage(String),
}

/// Runs a job. Returns what the compiler said.
///
/// # Errors
/// As [`Stopped`] tells them apart. The output is not touched then.
pub fn compile(database: &Database, job: &Job<'_>) -> Result<String, Stopped> {
    // A name that nobody knows is wrong on every machine, whether or not the input is there.
    let found = match job.compiler {
        Some(_) => None,
        None => Some(database.lookup(job.target).map_err(|error| Stopped::Usage(format!("{error}")))?),
    };
    let content = input(job)?;
    let form = form(job, &content)?;
    let aot = match (job.compiler, found.map(targets::Target::of)) {
        (Some(compiler), _) => Aot { form, compiler: compiler.to_owned(), options: job.words.to_vec() },
        (None, found) => {
            let aot = found.and_then(|found| found.aot(form, job.words));
            aot.ok_or_else(|| Stopped::Usage(format!("target '{}' has no compiler for such code", job.target)))?
        }
    };
    run(job, aot, &content)
}

/// Runs a job whose compiler is named.
///
/// # Errors
/// As [`compile`].
pub fn compile_named(job: &Job<'_>) -> Result<String, Stopped> {
    compile(Database::builtin(), job)
}

/// Whether a job's result is there, whole, and newer than its compiler, so that running it again would make the same.
pub fn is_made(job: &Job<'_>) -> bool {
    let aot = || {
        let content = fs::read(job.input).ok()?;
        let aot = Aot { form: Form::of(&content)?, compiler: job.compiler?.to_owned(), options: job.words.to_vec() };
        Some(aot.identity(&content))
    };
    aot().is_some_and(|identity| is_there(job.output, job.compiler, &identity))
}

/// Whether the result of that job lies there, and was made by the compiler that is there now. One that is looked up in `PATH` is not
/// looked at, as ninja does not.
pub fn is_there(result: &Path, compiler: Option<&Path>, identity: &blake3::Hash) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let file = compiler.filter(|compiler| is_file(compiler));
    read_result(result, identity, "").is_ok() && file.is_none_or(|file| time(file) <= time(result))
}

/// Whether a compiler is named by its file, not looked up in `PATH`.
pub fn is_file(compiler: &Path) -> bool {
    compiler.components().count() > 1
}

/// An error of this machine.
fn machine(job: &Job<'_>, what: String) -> Stopped {
    Stopped::Machine(format!("target '{}': {what}; this machine is '{}'", job.target, host()))
}

fn input(job: &Job<'_>) -> Result<Vec<u8>, Stopped> {
    fs::read(job.input).map_err(|error| machine(job, format!("cannot read '{}': {error}", job.input.display())))
}

fn form(job: &Job<'_>, content: &[u8]) -> Result<Form, Stopped> {
    Form::of(content).ok_or_else(|| Stopped::Job(format!("'{}' is neither SPIR-V, PTX nor an object", job.input.display())))
}

fn run(job: &Job<'_>, aot: Aot, content: &[u8]) -> Result<String, Stopped> {
    let Job { target, input, output, .. } = *job;
    let machine = |what| machine(job, what);
    let form = aot.form;
    let identity = aot.identity(content);
    // The compiler runs in a folder of its own.
    let compiler = match &aot.compiler {
        file if file.components().count() > 1 => std::path::absolute(file).unwrap_or_else(|_| file.clone()),
        name if form == Form::Ptxas => crate::cuda::find(Some(name)).assembler,
        name => name.clone(),
    };
    let aot = Aot { compiler, ..aot };
    let scratch = janitor::folder("aspen-", &std::env::temp_dir());
    let scratch = scratch.map_err(|error| machine(format!("cannot make a temporary folder: {}", error.kind())))?;
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let made = aot.run(&name, content, scratch.path(), Gen::LIMIT).map_err(|error| match error {
        CodegenError::Io { what, error, .. } => machine(format!("{what}: {error}")),
        CodegenError::Tool { command, words, killed: true, .. } => machine(format!("{command}\n{words}")),
        CodegenError::Tool { command, words, .. } => {
            Stopped::Job(format!("cannot make code of '{}' for target '{target}': {command}\n{words}", input.display()))
        }
        error => Stopped::Job(error.to_string()),
    })?;
    if let Some(folder) = output.parent() {
        fs::create_dir_all(folder).map_err(|error| machine(format!("cannot make the folder '{}': {error}", folder.display())))?;
    }
    write_whole(output, &result::to_bytes(&identity, &made), false).map_err(|error| machine(error.to_string()))?;
    Ok(made.messages)
}

/// This machine's name, for messages.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "unknown".into() } else { name.trim().to_owned() }
}

/// The result of a job, which must be there and be the job's.
pub fn read_result(path: &Path, identity: &blake3::Hash, of: &str) -> Result<Made, Error> {
    let unusable = |why: String| {
        let path = path.display();
        Error::Device(format!("the result of {of}, '{path}', cannot be used: {why}; remove it and run ninja again"))
    };
    let bytes = fs::read(path).map_err(|error| {
        let path = path.display();
        Error::Device(format!("the result of {of}, '{path}', cannot be read: {error}; run ninja again, or aspen++ to write the graph anew"))
    })?;
    result::from_bytes(&bytes, identity).map_err(|error| unusable(error.to_string()))
}

/// Puts the results of all jobs of a graph into the program's images, and these into the object that carries them. What compilers had to
/// say, they said when they ran.
///
/// # Errors
/// If the graph is of another version or damaged, what it was made of has changed, or a result cannot be used.
pub fn pack(manifest: &Path, output: &Path) -> Result<(), Error> {
    let folder = manifest.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let manifest = Manifest::read(manifest)?;
    manifest.check_inputs(&folder)?;
    let parts = manifest.parts(&folder)?;
    let mut made = Vec::new();
    for hole in &manifest.holes {
        made.push(read_result(&folder.join(&hole.result), &hole.identity()?, &hole.of)?);
    }
    let holes = manifest.holes.iter().zip(&made).map(|(hole, made)| (hole.start..hole.end, made.bytes.as_slice()));
    write_whole(output, &registration::bytes(&super::fill(&parts, holes)?), false)
}
