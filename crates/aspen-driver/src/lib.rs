//! `aspen++`: clang++'s command line in; objects and programs with split, checked device images out.
//!
//! The way of the data, a file a phase, each returning a new value: [`args`] (the command line) → [`targets`] → [`toolchain`] → [`passes`]
//! (clang's commands) → [`compile`] (run them; objects with device code) → [`link`] (one device link, images, the program). What was found
//! on the way is merged and shown by [`diagnostics`]. Everything that can be wrong with the command line is found before anything runs.

pub mod args;
mod beside;
mod captures;
mod compile;
mod complete;
mod cuda;
mod depfile;
mod diagnostics;
pub mod editor;
pub mod error;
mod explain;
mod fixed;
mod foreign;
mod fragment;
pub mod help;
pub mod icecream;
mod janitor;
mod jobs;
pub mod libraries;
mod link;
mod modules;
mod object_file;
mod passes;
mod pragmas;
mod precompiled;
mod prefix_map;
mod preprocessed;
pub mod progress;
mod registration;
mod rocm;
mod runtimes;
mod sanitizers;
pub mod scan;
mod scratch;
mod session;
mod shared;
pub mod spread;
mod targets;
mod toolchain;

use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use args::{InputKind, Invocation, Options, Side, Stage};
use error::Error;
use jobs::Command;
use link::LinkInput;
use passes::{Pass, PassBuilder};
use precompiled::Kept;
use scratch::Scratch;
use session::Session;
use targets::Targets;
use toolchain::Toolchain;

pub use diagnostics::{render_findings, source_snippet};
pub use object_file::write_whole;
pub use session::takes_colors;
pub use toolchain::runtime_folder;

/// The user's folder for what can be made again: `ASPEN_CACHE_DIR`, else `aspen` where such things are. Source: DESIGN §6; XDG Base Directory
/// Specification, by which `XDG_CACHE_HOME` counts only if it is absolute.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = || {
        set("XDG_CACHE_HOME")
            .filter(|folder| folder.is_absolute())
            .or_else(|| Some(set("HOME")?.join(".cache")))
            .map(|folder| folder.join("aspen"))
    };
    set("ASPEN_CACHE_DIR").or_else(own)
}

/// Whether `ASPEN_CACHE` says that nothing is kept: 0. What is neither that nor 1 is said once, and changes nothing.
pub fn cache_is_off() -> bool {
    static OFF: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| {
        let value = std::env::var_os("ASPEN_CACHE").unwrap_or_default().to_string_lossy().trim().to_owned();
        if !["", "0", "1"].contains(&value.as_str()) {
            tell(&format!("aspen++: warning: ASPEN_CACHE={value}: '{value}' is not 0 (keep nothing) or 1\n"));
        }
        value == "0"
    })
}

/// How many bytes of precompiled headers are kept: `ASPEN_CACHE_SIZE`. What is no size is said once, and changes nothing.
fn cache_size() -> u64 {
    static SIZE: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *SIZE.get_or_init(|| {
        let value = std::env::var_os("ASPEN_CACHE_SIZE").filter(|value| !value.is_empty());
        let Some(value) = value.map(|value| value.to_string_lossy().into_owned()) else { return aspen_cache::DEFAULT_LIMIT_BYTES };
        aspen_cache::size_in_bytes(&value).unwrap_or_else(|near| {
            let wanted = aspen_cache::SIZES;
            tell(&format!("aspen++: warning: ASPEN_CACHE_SIZE={value}: '{value}' is not {wanted}; did you mean '{near}'?\n"));
            aspen_cache::DEFAULT_LIMIT_BYTES
        })
    })
}

/// How many worker processes a tool may run at a time: what the user says; else one under a make, which grants that much without being
/// asked; else one a core.
pub fn parallelism(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    jobs::Parallelism::new(wanted).fixed()
}

/// Runs `aspen++` with the words after the program's name. Returns the exit code: 0, or 1 for any error, as clang does.
pub fn main(words: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    let result = run(words);
    shared::finish();
    janitor::finish();
    match result {
        Ok(()) => 0,
        Err(Error::Reported) => 1,
        Err(error) => {
            tell(&format!("aspen++: error: {error}\n"));
            1
        }
    }
}

/// Words for the user, before and after there is a session. Where nobody can read them, the exit code says it.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn run(words: impl IntoIterator<Item = std::ffi::OsString>) -> Result<(), Error> {
    let text = |word: std::ffi::OsString| {
        word.into_string().map_err(|word| Error::Usage(format!("an argument is no UTF-8 text: {}", word.to_string_lossy())))
    };
    let words: Vec<String> = words.into_iter().map(text).collect::<Result<_, _>>()?;
    let executable = own_file().map_err(|error| Error::file("find", "this program's own file".as_ref(), error))?;
    let words = args::response::expand(words)?; // here alone: a pipe can be read once
    let foreign::Own { words, notes } = foreign::own_words(words)?;
    if let Some(words) = foreign::plain_words(&words) {
        return foreign::run_plain(&words);
    }
    match args::parse(words)? {
        Invocation::Help => help::print(&help::page())?,
        Invocation::Complete(word) => help::print(&complete::lines(&word))?,
        Invocation::Explain(words) => help::print(&explain::page(&words)?)?,
        Invocation::Version => {
            // Build systems take the first number for the compiler's version, and decide by it what clang can do.
            ask_clang(&["--version".into()])?;
            help::print(&format!("aspen++ {}\n", env!("CARGO_PKG_VERSION")))?;
        }
        Invocation::AskClang(words) => ask_clang(&words)?,
        Invocation::Run(mut options) => {
            options.notes.extend(notes);
            if let Some(making) = modules::making(&mut options)? {
                build(&making.options, &executable)?;
                return making.finish();
            }
            match precompiled::making(&options)? {
                Some(making) => build(&making.options, &executable).and_then(|()| making.finish())?,
                None => build(&preprocessed::unpacked(precompiled::used(*options)?)?, &executable)?,
            }
        }
    }
    Ok(())
}

/// This program, also where there is no `/proc` (icecream's folders): by the path that it was called by.
fn own_file() -> std::io::Result<PathBuf> {
    let called = || std::env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    std::env::current_exe().or_else(|error| called().ok_or(error))
}

fn ask_clang(words: &[String]) -> Result<(), Error> {
    let clang = toolchain::find_clang()?;
    let command = Command::new(&clang, words.iter().cloned());
    let outcome = jobs::run(&command)?;
    help::print(&outcome.stdout_text())?;
    tell(&outcome.stderr_text());
    if outcome.status.success() { Ok(()) } else { Err(Error::Reported) }
}

fn build(options: &Options, executable: &Path) -> Result<(), Error> {
    let links = options.stage == Stage::Link && options.side != Side::Device;
    let compiles = options.inputs.iter().any(|input| input.kind != InputKind::Linker);
    if links {
        spread::Wanted::of(options)?; // a launcher that is not there is found before anything runs
        link::check_words(options)?;
    }
    passes::check_host(options)?;
    let environment = targets::device_file_of_environment();
    let for_link = if links { Some(targets::resolve(options, environment.as_deref())) } else { None };
    // A link alone knows what its environment knows; a compilation does not, and the link behind it does again.
    let (compiled, linked) = match for_link {
        Some(linked) if !compiles => (linked?, None),
        Some(linked) if environment.is_some() => (targets::resolve(options, None)?, Some(linked?)),
        _ => (targets::resolve(options, None)?, None),
    };
    let mut warnings: Vec<String> = options.notes.iter().map(|note| format!("aspen++: warning: {note}")).collect();
    warnings.extend(compiled.warnings.iter().cloned());
    warnings.extend(linked.iter().flat_map(|linked| linked.warnings.iter().filter(|one| !compiled.warnings.contains(one)).cloned()));
    let differs = linked.as_ref().is_none_or(|linked| (&linked.list, &linked.macros) != (&compiled.list, &compiled.macros));
    if environment.is_some() && compiles && options.config_files.is_empty() && differs && !options.warnings.is_silent() {
        warnings.push(format!(
            "aspen++: warning: {} is not used to compile, since the result must not depend on the environment; give the file by \
             '-fsycl-device-config-file'",
            targets::DEVICE_FILE_VARIABLE
        ));
    }
    let Targets { list: targets, macros, fixed, database, .. } = &compiled;
    for input in options.inputs.iter().filter(|input| input.path != "-") {
        let found = std::fs::metadata(&input.path).map_err(|error| Error::file("read", input.path.as_ref(), error))?;
        if found.is_dir() {
            return Err(Error::Usage(format!("'{}' is a folder, not an input file", input.path)));
        }
    }
    let toolchain = Toolchain::find(executable)?;
    let mut session = Session::new(options);
    for warning in warnings {
        session.show_said(format!("{warning}\n").as_bytes())?;
    }
    let mut scratch = Scratch::new(options.save_temps_folder().as_deref())?;
    let kept = Kept::open(options, &toolchain);
    let builder =
        PassBuilder { options, toolchain: &toolchain, targets, macros, fixed, database, color: session.color, kept: kept.as_ref() };
    let newly_kept = keep_headers(&builder, &session)?;
    let builder = PassBuilder { kept: newly_kept.as_ref().or(builder.kept), ..builder };
    let known_to_link = linked.as_ref().unwrap_or(&compiled);
    let link_builder = PassBuilder {
        targets: &known_to_link.list,
        macros: &known_to_link.macros,
        fixed: &known_to_link.fixed,
        database: &known_to_link.database,
        ..builder
    };
    let jobs = compile::plan(&builder, &mut scratch)?;
    if let Some(precompiled) = &options.precompiled {
        let mut passes = jobs.iter().flat_map(|job| &job.passes);
        if let Some(complaint) = passes.find_map(|pass| precompiled.complaint(&pass.command.arguments))
            && !options.host_words().iter().any(|word| word == "-Wno-invalid-pch")
            && options.stage != Stage::Preprocess
        {
            session.warn(&complaint)?;
        }
    }
    if options.print_only || options.verbose {
        for pass in jobs.iter().flat_map(|job| &job.passes) {
            session.complain(format!(" {}\n", pass.command.shell()).as_bytes())?;
        }
    }
    if options.print_only {
        if links {
            let made = jobs.iter().filter_map(|job| Some((job.input, job.passes.first()?.output.clone()?)));
            for command in link::commands(&link_builder, executable, &link_inputs(options, made))? {
                session.complain(format!(" {command}\n").as_bytes())?;
            }
        }
        return Ok(());
    }
    let result = compile::run(&mut session, &builder, &jobs, &mut scratch).and_then(|compiled| {
        fragment::write(options, executable, &compiled)?;
        if !links {
            return Ok(());
        }
        let inputs = link_inputs(options, compiled.into_iter().map(|compiled| (compiled.input, compiled.object)));
        link::run(&mut session, &link_builder, executable, &inputs, &mut scratch)
    });
    session.end_with(result)
}

/// Precompiles SYCL's header if enough runs could have used it. Returns what is kept then, if that has changed.
///
/// # Errors
/// If a tool cannot be started. What cannot be kept is no error: the run goes on without.
fn keep_headers(builder: &PassBuilder<'_>, session: &Session<'_>) -> Result<Option<Kept>, Error> {
    let Some(kept) = builder.kept.filter(|_| !builder.options.print_only) else { return Ok(None) };
    compile::plan(builder, &mut Scratch::new(None)?)?; // who lacks what
    let Some(_lock) = kept.is_due().then(|| kept.lock()).flatten() else { return Ok(None) };
    // Another run may have made it in the meantime.
    let Some(kept) = Kept::open(builder.options, builder.toolchain) else { return Ok(None) };
    compile::plan(&PassBuilder { kept: Some(&kept), ..*builder }, &mut Scratch::new(None)?)?;
    if !kept.lacks_some() {
        return Ok(Some(kept));
    }
    let Ok(options) = kept.making(builder.options) else { return Ok(None) };
    let mut scratch = Scratch::new(None)?;
    let maker = PassBuilder { options: &options, kept: Some(&kept), ..*builder };
    let passes: Vec<Pass> = compile::plan(&maker, &mut scratch)?.into_iter().flat_map(|job| job.passes).collect();
    let commands: Vec<&Command> = passes.iter().map(|pass| &pass.command).collect();
    let outcomes = jobs::run_all(&commands, &session.jobs)?;
    Ok(kept.finish(&passes, &outcomes).ok().and_then(|()| Kept::open(builder.options, builder.toolchain)))
}

/// What the linker gets for each input: the object of a source, everything else as it is.
fn link_inputs(options: &Options, compiled: impl Iterator<Item = (usize, PathBuf)>) -> Vec<LinkInput> {
    let given = options.inputs.iter().map(|input| LinkInput { path: input.path.clone().into(), name: input.path.clone() });
    let mut inputs: Vec<LinkInput> = given.collect();
    for (index, object) in compiled {
        inputs[index].path = object;
    }
    inputs
}

impl Options {
    /// The folder of `-save-temps`; `obj` is the output's folder.
    fn save_temps_folder(&self) -> Option<PathBuf> {
        let folder = self.save_temps.as_ref()?;
        if folder.as_os_str() != "obj" {
            return Some(folder.clone());
        }
        let output = self.output.as_deref().map(Path::new).and_then(Path::parent);
        Some(output.filter(|folder| !folder.as_os_str().is_empty()).map_or_else(|| ".".into(), Path::to_path_buf))
    }
}
