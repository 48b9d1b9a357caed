//! Links a program: one device link over all objects that the host link takes, then images, then the host link around them.
//! Source: DESIGN §1, §5, §7.7, §7.11; ARCHITECTURE "Images".

mod agree;
mod conditional;
mod coverage;
mod device_globals;
mod elsewhere;
mod files;
mod host;
mod images;
mod program;
mod provided;
mod select;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use aspen_codegen::Earlier;

use crate::depfile;
use crate::error::Error;
use crate::fixed;
use crate::jobs::Command;
use crate::object_file::write_whole;
use crate::passes::PassBuilder;
use crate::pragmas::Pragmas;
use crate::registration;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::shared;
use crate::spread::{Content, Wanted};
use crate::targets::{self, Target};
use crate::toolchain;
use coverage::Coverage;
use files::LinkUnit;
pub use host::check_words;
use host::{HostLink, Output};
use program::Program;
use provided::Provided;
pub use provided::Provider;
use select::Selection;

/// What the linker gets for an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkInput {
    /// The file.
    pub path: PathBuf,
    /// The user's name for it.
    pub name: String,
}

/// The commands of a link, for `-###`: those of tools for an image of each target, and the host link.
///
/// # Errors
/// If libaspen.so is missing.
pub fn commands(builder: &PassBuilder<'_>, executable: &Path, inputs: &[LinkInput]) -> Result<Vec<String>, Error> {
    let PassBuilder { options, toolchain, .. } = *builder;
    let host = HostLink { options, toolchain, inputs, runtime: toolchain::runtime_folder(executable)? };
    let output = Path::new(options.output.as_deref().unwrap_or("a.out"));
    if host.is_relocatable() {
        return Ok(vec![host.command(None, &[], &[], output).shell()]);
    }
    let words = targets::backend_words(options, builder.database, builder.targets)?;
    let images = builder.targets.iter().zip(&words).flat_map(|(target, words)| images::commands(builder, target, words));
    Ok(images.chain([host.command(Some(Path::new("registration.o")), &[], &[], output).shell()]).collect())
}

/// Links everything.
///
/// # Errors
/// If an input is damaged, device code does not go together, or a tool fails. The output of an earlier run stays then.
pub fn run(
    session: &mut Session<'_>,
    builder: &PassBuilder<'_>,
    executable: &Path,
    inputs: &[LinkInput],
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let host = HostLink { options: builder.options, toolchain: builder.toolchain, inputs, runtime: toolchain::runtime_folder(executable)? };
    let output = Output::new(builder.options)?;
    if host.is_relocatable() {
        // Sections of objects are put together; a later link finds the device code there.
        let mut command = host.command(None, &[], &[], &output.work);
        if host.has_fat_objects()? {
            // GNU ld's plugin would take objects for their bitcode, and leave the device code.
            command.arguments.push("-fno-lto".into());
        }
        link_host(session, &command)?;
        correct_dependencies(&host, &output, scratch)?;
        return output.publish();
    }
    let stem = output.stem();
    let mut stand_in = || registration::object(&[], &format!("{stem}-trial"), scratch);
    let selection = Selection::new(session, &host, &output.work, &mut stand_in)?;
    let units = selection.units()?;
    let open = open_imports(&units)?;
    let provided =
        if open.is_empty() { Provided::default() } else { Provided::find(session, &host, &selection, &output.work, &open, &mut stand_in)? };
    let line = Line { provided: &provided, exports: host.exports_functions() };
    let wanted = Wanted::of(builder.options)?;
    let mut content = elsewhere::begin(wanted.as_ref(), &output, scratch)?;
    let made = device_link(session, builder, &units, (&stem, &line), &mut content, scratch);
    session.show_diagnostics()?;
    made?;
    let link = elsewhere::Link { executable, host: &host, selection: &selection, provided: &provided, output: &output };
    let Some(images) = elsewhere::finish(session, &link, content, wanted.as_ref(), scratch)? else { return Ok(()) };
    let registration = registration::object(&images, &stem, scratch)?;
    link_host(session, &host.command(Some(&registration), &selection.forced, &provided.left_out, &output.work))?;
    correct_dependencies(&host, &output, scratch)?;
    output.publish()
}

/// Runs the linker; what it was asked to print (a map, a trace) is the user's.
fn link_host(session: &Session<'_>, command: &Command) -> Result<(), Error> {
    let outcome = session.run_tool("the linker", command)?;
    io::stdout().write_all(&outcome.stdout).map_err(|error| Error::file("write", Path::new("the standard output"), error))
}

/// The linker's file of dependencies names the output where it is written first, and files that are gone when the run ends.
fn correct_dependencies(host: &HostLink<'_>, output: &Output, scratch: &Scratch) -> Result<(), Error> {
    let Some(file) = host.dependency_file().filter(|file| file.is_file()) else { return Ok(()) };
    let text = fs::read_to_string(&file).map_err(|error| Error::file("read", &file, error))?;
    let target = depfile::quoted(&output.path().to_string_lossy());
    write_whole(&file, depfile::merge(&[text], &target, true, |read| read.starts_with(scratch.folder())).as_bytes(), false)
}

/// What else the link's line says of device functions.
struct Line<'l> {
    /// What its libraries export.
    provided: &'l Provided,
    /// Whether others may call the program's own.
    exports: bool,
}

/// The device functions that the units import and none of them defines.
fn open_imports(units: &[LinkUnit<'_>]) -> Result<BTreeSet<String>, Error> {
    let blobs = units.iter().flat_map(|unit| unit.unit.blobs.iter().map(move |blob| (unit, blob)));
    let summaries = blobs.map(|(unit, blob)| unit.summary(blob)).collect::<Result<Vec<_>, _>>()?;
    Ok(provided::open_imports(&summaries))
}

/// From units to what will be the content of `.llvm.offloading`. `stem` is what images are called by.
fn device_link(
    session: &mut Session<'_>,
    builder: &PassBuilder<'_>,
    units: &[LinkUnit<'_>],
    (stem, line): (&str, &Line<'_>),
    content: &mut Content,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    for (place, what) in agree::check(units)? {
        session.diagnostics.add_error(place, what, Vec::new(), None);
    }
    if session.diagnostics.has_errors() {
        return Err(Error::Reported);
    }
    let mut programs: Vec<Program> = Vec::new();
    let mut coverage = Coverage::default();
    let mut earlier = match (shared::cache(), crate::own_file()) {
        (Some(cache), Ok(file)) => Earlier::kept_in(cache, &file),
        _ => Earlier::default(),
    };
    let targets = wanted_targets(session, builder, units)?;
    let pragmas = Pragmas::read(units.iter().map(|unit| unit.unit.header.pragmas.as_str()));
    for sentence in agree::descriptions(units, &targets) {
        session.warn(&sentence)?;
    }
    for sentence in targets::unused_words(builder.options, builder.database, &targets) {
        session.warn(&sentence)?;
    }
    for (target, words) in targets.iter().zip(targets::backend_words(builder.options, builder.database, &targets)?) {
        let summaries = program::summaries(units, &target.name)?;
        let index = match programs.iter().position(|program| program.is_of(&summaries)) {
            Some(index) => index,
            None => {
                let program = Program::new(units, summaries, builder.options.code_split, line.exports, &mut session.diagnostics)?;
                program.check_declarations(&mut session.diagnostics);
                program.check_recursion(targets.iter().any(|target| target.family.is_spirv()), &mut session.diagnostics);
                programs.push(program);
                programs.len() - 1
            }
        };
        programs[index].check_imports(line.provided, target, &pragmas, &mut session.diagnostics);
        let fixed = fixed::Judged { fixed: builder.fixed, compiled_for: &targets, macros: &target.analysis_macros };
        programs[index].check_fixed_targets(units, &fixed, target, line.provided, &mut session.diagnostics);
        session.show_diagnostics()?;
        if session.diagnostics.has_errors() {
            return Err(Error::Reported);
        }
        let request = images::Request { builder, units, program: &programs[index], target, words, stem };
        images::make(session, &request, (&mut coverage, &mut earlier), content, scratch)?;
    }
    for described in coverage.left_out() {
        content.bytes.extend_from_slice(described);
    }
    for (kernel, warning) in coverage.warnings() {
        let place = programs.iter().find_map(|program| program.kernel_place(kernel));
        session.diagnostics.add_left_out(place, warning);
    }
    if session.diagnostics.has_errors() {
        return Err(Error::Reported);
    }
    Ok(())
}

/// The targets that images are made for: those the user names, which every unit must have; else those that all units have.
fn wanted_targets(session: &Session<'_>, builder: &PassBuilder<'_>, units: &[LinkUnit<'_>]) -> Result<Vec<Target>, Error> {
    let has = |unit: &LinkUnit<'_>, name: &str| unit.unit.blobs.iter().any(|blob| blob.target == name);
    if builder.options.targets.is_some() {
        for target in builder.targets {
            if let Some(unit) = units.iter().find(|unit| !has(unit, &target.name)) {
                let others: Vec<&str> = unit.unit.blobs.iter().map(|blob| blob.target.as_str()).collect();
                return Err(Error::Usage(format!(
                    "'{}' holds no device code for target '{}', only for {}; compile and link with the same '-fsycl-targets'",
                    unit.object,
                    target.name,
                    others.join(", ")
                )));
            }
        }
        return Ok(builder.targets.to_vec());
    }
    let mut names: Vec<&str> = Vec::new();
    for blob in units.iter().flat_map(|unit| &unit.unit.blobs) {
        if !names.contains(&blob.target.as_str()) {
            names.push(&blob.target);
        }
    }
    let mut targets = Vec::new();
    for &name in &names {
        match units.iter().find(|unit| !has(unit, name)) {
            None => targets.push(Target::by_name(builder.database, name)?),
            Some(unit) => {
                session.warn(&format!("no images are made for target '{name}': '{}' holds no device code for it", unit.object))?
            }
        }
    }
    if targets.is_empty() && !names.is_empty() {
        return Err(Error::Usage("the objects have no target in common; compile all of them with the same '-fsycl-targets'".into()));
    }
    targets::share_analyses(&mut targets);
    Ok(targets)
}
