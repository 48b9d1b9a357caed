//! Links a program: one device link over all objects that the host link takes, then images, then the host link around them.
//! Source: DESIGN §1, §5, §7.7, §7.11; ARCHITECTURE "Images".

mod agree;
mod conditional;
mod coverage;
mod files;
mod host;
mod images;
mod program;
mod registration;
mod select;

use std::path::{Path, PathBuf};

use crate::args::Options;
use crate::error::Error;
use crate::jobs::Command;
use crate::passes::PassBuilder;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::targets::{self, Target};
use crate::toolchain::{self, Toolchain};
use coverage::Coverage;
use files::LinkUnit;
use host::{HostLink, Output};
use program::Program;
use select::Selection;

/// What the linker gets for an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkInput {
    /// The file.
    pub path: PathBuf,
    /// The user's name for it.
    pub name: String,
}

/// The command of the host link, for `-###`.
///
/// # Errors
/// If libaspen.so is missing.
pub fn command(options: &Options, toolchain: &Toolchain, executable: &Path, inputs: &[LinkInput]) -> Result<Command, Error> {
    let host = HostLink { options, toolchain, inputs, runtime: toolchain::runtime_folder(executable)? };
    let output = options.output.as_deref().unwrap_or("a.out");
    let registration = (!host.is_relocatable()).then_some(Path::new("registration.o"));
    Ok(host.command(registration, &[], Path::new(output)))
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
        session.run_tool("the linker", &host.command(None, &[], &output.work))?;
        return output.publish();
    }
    let stem = output.stem();
    let stand_in = || registration::object(builder.toolchain, &[], &format!("{stem}-trial"), scratch);
    let selection = Selection::new(session, &host, &output.work, stand_in)?;
    let images = device_link(session, builder, &selection.units()?, &stem, host.exports_functions(), scratch)?;
    let registration = registration::object(builder.toolchain, &images, &stem, scratch)?;
    session.run_tool("the linker", &host.command(Some(&registration), &selection.forced, &output.work))?;
    output.publish()
}

/// From units to the content of `.llvm.offloading`.
fn device_link(
    session: &mut Session<'_>,
    builder: &PassBuilder<'_>,
    units: &[LinkUnit<'_>],
    stem: &str,
    exports: bool,
    scratch: &mut Scratch,
) -> Result<Vec<u8>, Error> {
    agree::check(units)?;
    let mut programs: Vec<Program> = Vec::new();
    let (mut content, mut coverage) = (Vec::new(), Coverage::default());
    let targets = wanted_targets(session, builder, units)?;
    if builder.options.backend_options.iter().any(|(target, _)| target.is_none())
        && !targets.iter().any(|target| target.family.is_ahead_of_time())
    {
        session.warn("'-Xs' is not used: no target of this link is compiled ahead of time")?;
    }
    for (target, words) in targets.iter().zip(targets::backend_words(builder.options, builder.database, &targets)?) {
        let summaries = program::summaries(units, &target.name)?;
        let index = match programs.iter().position(|program| program.is_of(&summaries)) {
            Some(index) => index,
            None => {
                let program = Program::new(units, summaries, builder.options.code_split, exports)?;
                program.diagnose(&mut session.diagnostics);
                program.check_fixed_targets(units, builder.fixed, &targets, target, &mut session.diagnostics);
                session.show_diagnostics()?;
                programs.push(program);
                programs.len() - 1
            }
        };
        if session.diagnostics.has_errors() {
            return Err(Error::Reported);
        }
        let request = images::Request { builder, units, program: &programs[index], target, words, stem };
        content.extend(images::make(session, &request, &mut coverage, scratch)?);
    }
    for warning in coverage.warnings() {
        session.warn(&warning)?;
    }
    Ok(content)
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
