//! Compiles sources: runs their passes, shows the user's errors once, and makes objects that carry device code.
//!
//! What the host pass says is the user's; device passes repeat it, so their words count only where the host pass is content.
//! Source: DESIGN §4; issue 2, "Driver".

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, mem};

use aspen_analysis::summary::Role as FunctionRole;
use aspen_analysis::{Launch, PassReport, Summary, analyse};
use aspen_image::{ObjectBlob, ObjectHeader};

use crate::args::{Input, InputKind, Options, Side, Stage};
use crate::beside;
use crate::captures;
use crate::depfile;
use crate::error::Error;
use crate::fixed;
use crate::help;
use crate::jobs::{self, Command, Outcome};
use crate::object_file::{as_text, with_device_code, write_whole};
use crate::passes::{Pass, PassBuilder, Role};
use crate::pragmas;
use crate::precompiled::{Kept, Precompiled};
use crate::prefix_map::PrefixMap;
use crate::preprocessed;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::targets::Target;

/// An input with the commands that compile it; linker inputs have none.
#[derive(Debug)]
pub struct Job {
    /// The index of the input.
    pub input: usize,
    /// Host first, if it is there.
    pub passes: Vec<Pass>,
}

/// A compiled source.
#[derive(Debug)]
pub struct Compiled {
    /// The index of the input.
    pub input: usize,
    /// Its object.
    pub object: PathBuf,
}

/// The commands for all sources.
///
/// # Errors
/// If a preprocessed source lacks the text of a pass.
pub fn plan(builder: &PassBuilder<'_>, scratch: &mut Scratch) -> Result<Vec<Job>, Error> {
    let options = builder.options;
    let sources = options.inputs.iter().enumerate().filter(|(_, input)| input.kind != InputKind::Linker);
    sources
        .map(|(index, input)| {
            let mut passes = match input.kind {
                InputKind::Sycl => builder.passes(input, scratch)?,
                InputKind::HostSource | InputKind::Linker => vec![plain(builder, input, scratch)],
            };
            if options.side == Side::Device {
                passes.retain(|pass| is_wanted_alone(pass, options, builder.targets));
            } else if is_only_looked_at(options) || (options.stage == Stage::Preprocess && preprocessed::is_one_pass(options, input)) {
                passes.truncate(1);
            }
            Ok(Job { input: index, passes })
        })
        .collect()
}

/// Whether the run writes the host's assembly or IR to the standard output: nobody assembles it, so it comes without device code.
fn is_only_looked_at(options: &Options) -> bool {
    options.stage == Stage::Assembly && options.output.as_deref() == Some("-")
}

/// With `-fsycl-device-only`: the pass of the first target that was asked for, else of `spir64`.
fn is_wanted_alone(pass: &Pass, options: &Options, targets: &[Target]) -> bool {
    let wanted = match &options.targets {
        Some(_) => 0,
        None => targets.iter().position(|target| target.family.is_spirv()).unwrap_or(0),
    };
    match &pass.role {
        Role::Host => false,
        Role::Analysis { targets, .. } => targets.contains(&wanted),
        Role::Code { target } => *target == wanted,
    }
}

/// C, assembler, IR, headers: clang alone.
fn plain(builder: &PassBuilder<'_>, input: &Input, scratch: &mut Scratch) -> Pass {
    let options = builder.options;
    let output = scratch.file(input.stem(), "host.o");
    let mut arguments = options.host_words();
    arguments.extend(beside::words(options, input, &arguments));
    if let Some(Precompiled::Use(file)) = &options.precompiled {
        arguments.extend(["-include".into(), file.clone()]);
    }
    let mut depfile = None;
    if let Some(wanted) = &options.depfile {
        let file = scratch.beside(&output, "d");
        arguments.extend([depfile::option(wanted).into(), "-MF".into(), file.display().to_string(), "-MT".into(), "object".into()]);
        depfile = Some(file);
    }
    arguments.extend(builder.words_about_words());
    let stage = match options.stage {
        Stage::Preprocess => "-E",
        Stage::Syntax => "-fsyntax-only",
        Stage::Assembly => "-S",
        Stage::Object | Stage::Link => "-c",
    };
    arguments.push(stage.into());
    if options.emit_llvm {
        arguments.push("-emit-llvm".into());
    }
    let writes = !matches!(options.stage, Stage::Preprocess | Stage::Syntax);
    if writes {
        arguments.extend(["-o".into(), output.display().to_string()]);
    }
    if let Some(language) = &input.language {
        arguments.extend(["-x".into(), language.clone()]);
    }
    arguments.push(input.path.clone());
    let standard_input = input.text.as_ref().and_then(|text| text.of(""));
    let command = Command { input: standard_input, ..Command::new(&builder.toolchain.clang, arguments) };
    Pass { role: Role::Host, command, output: writes.then_some(output), report: PathBuf::new(), depfile }
}

/// Runs all jobs and writes what the stage asks for; for [`Stage::Link`] the objects stay in the scratch folder.
///
/// # Errors
/// [`Error::Reported`] if the user's code is at fault (all sources are looked at first), others if a tool or file is.
pub fn run(session: &mut Session<'_>, builder: &PassBuilder<'_>, jobs: &[Job], scratch: &mut Scratch) -> Result<Vec<Compiled>, Error> {
    keep_preprocessed(builder, jobs, scratch)?;
    let commands: Vec<&Command> = jobs.iter().flat_map(|job| &job.passes).map(|pass| &pass.command).collect();
    let mut outcomes = jobs::run_all(&commands, &session.jobs)?;
    // What fails with the header from the cache is asked of the text: the cache may have changed meanwhile, and errors are the text's.
    let failed = commands.iter().enumerate().filter(|(index, _)| builder.kept.is_some() && !outcomes[*index].status.success());
    let (indices, again): (Vec<usize>, Vec<Command>) = failed.filter_map(|(index, command)| Some((index, Kept::as_text(command)?))).unzip();
    for (index, outcome) in indices.into_iter().zip(jobs::run_all(&again.iter().collect::<Vec<_>>(), &session.jobs)?) {
        outcomes[index] = outcome;
    }
    if let Some(precompiled) = &builder.options.precompiled {
        for outcome in &mut outcomes {
            outcome.stderr = precompiled.in_users_words(mem::take(&mut outcome.stderr));
        }
    }
    let mut outcomes = outcomes.into_iter();
    let mut compiled = Vec::new();
    let mut failed = false;
    for job in jobs {
        let outcomes: Vec<Outcome> = outcomes.by_ref().take(job.passes.len()).collect();
        match finish(session, builder, job, &outcomes, scratch) {
            Ok(done) => compiled.extend(done),
            Err(Error::Reported) => failed = true,
            Err(other) => return Err(other),
        }
    }
    if failed { Err(Error::Reported) } else { Ok(compiled) }
}

/// With `-save-temps`, the text that the host's pass compiles, as clang keeps it. What does not preprocess is told by the pass itself.
fn keep_preprocessed(builder: &PassBuilder<'_>, jobs: &[Job], scratch: &mut Scratch) -> Result<(), Error> {
    let given = builder.options;
    if !scratch.is_kept() || given.side == Side::Device || matches!(given.stage, Stage::Preprocess | Stage::Syntax) {
        return Ok(());
    }
    let options = Options { stage: Stage::Preprocess, depfile: None, ..given.clone() };
    let builder = PassBuilder { options: &options, kept: None, ..*builder };
    for input in jobs.iter().map(|job| &given.inputs[job.input]).filter(|input| input.kind == InputKind::Sycl && input.text.is_none()) {
        let Some(host) = builder.passes(input, scratch)?.into_iter().find(|pass| pass.role == Role::Host) else { continue };
        let outcome = jobs::run(&host.command)?;
        if outcome.status.success() {
            write_whole(&scratch.file(input.stem(), "ii"), &outcome.stdout, false)?;
        }
    }
    Ok(())
}

fn finish(
    session: &mut Session<'_>,
    builder: &PassBuilder<'_>,
    job: &Job,
    outcomes: &[Outcome],
    scratch: &mut Scratch,
) -> Result<Option<Compiled>, Error> {
    let options = builder.options;
    let input = &options.inputs[job.input];
    show_outcomes(session, builder, job, outcomes)?;
    if options.stage == Stage::Preprocess {
        let object = PathBuf::from(format!("{}.o", input.stem()));
        if options.depfile.as_ref().is_some_and(|depfile| depfile.alone) {
            write_dependencies(builder, job, input, &object)?;
            return Ok(None);
        }
        let text = match outcomes {
            [one] => Cow::Borrowed(&one.stdout),
            all => {
                let parts = job.passes.iter().map(|pass| preprocessed::part_name(&pass.role, builder.targets));
                let shown = preprocessed::shown_to_caches(options, builder.toolchain)?;
                let texts = all.iter().map(|outcome| outcome.stdout.as_slice());
                Cow::Owned(match preprocessed::is_plain(options, texts.clone()) {
                    true => preprocessed::plain(&all[0].stdout, &shown),
                    false => preprocessed::bundle(parts.zip(texts), &shown),
                })
            }
        };
        match options.output.as_deref() {
            None | Some("-") => session.print(&text)?,
            Some(file) => write_whole(Path::new(file), &text, false)?,
        }
        if job.passes.iter().any(|pass| pass.depfile.is_some()) {
            write_dependencies(builder, job, input, &object)?;
        }
        return Ok(None);
    }
    let makes_no_code = matches!(options.precompiled, Some(Precompiled::Make(_))) || options.interface.alone;
    if let (true, Some(output)) = (makes_no_code, &options.output) {
        write_dependencies(builder, job, input, Path::new(output))?;
    }
    let read = |pass: &&Pass| input.kind == InputKind::Sycl && pass.output.is_some();
    let passes: Vec<&Pass> = job.passes.iter().filter(read).collect();
    let reports = read_reports(&passes)?;
    session.diagnostics.add_findings(reports.iter().flat_map(|report| &report.findings));
    for (pass, report) in passes.iter().zip(&reports) {
        let for_spirv = matches!(&pass.role, Role::Analysis { targets, .. } if !targets.is_empty());
        report.strict.iter().for_each(|strict| session.diagnostics.add_strict(strict, for_spirv));
    }
    check_fixed_targets(session, builder, &passes, &reports);
    session.show_diagnostics()?;
    if session.diagnostics.has_errors() {
        return Err(Error::Reported);
    }
    if options.stage == Stage::Syntax {
        if !makes_no_code {
            write_dependencies(builder, job, input, &PathBuf::from(format!("{}.o", input.stem())))?;
        }
        return Ok(None);
    }
    let destination = destination(options, input, builder.targets, scratch);
    write_dependencies(builder, job, input, &destination)?;
    let Some(made) = job.passes.first().and_then(|pass| pass.output.as_deref()) else { return Ok(None) };
    let mut bytes = fs::read(made).map_err(|error| Error::file("read", made, error))?;
    if options.side == Side::Both && input.kind == InputKind::Sycl && !is_only_looked_at(options) {
        let device = device_section(builder, job, input, &reports)?;
        let is_text = options.stage == Stage::Assembly || options.emit_llvm;
        match device.is_empty() {
            true => {}
            false if is_text => bytes.extend_from_slice(as_text(&device, options.emit_llvm).as_bytes()),
            false => bytes = with_device_code(&bytes, &device).map_err(|reason| Error::input(made, reason))?,
        }
        if options.emit_llvm && options.stage == Stage::Object {
            bytes = as_bitcode(builder, input, &bytes, scratch)?;
        }
    }
    if destination.as_os_str() == "-" {
        session.print(&bytes)?;
        return Ok(None);
    }
    write_whole(&destination, &bytes, false)?;
    Ok(Some(Compiled { input: job.input, object: destination }))
}

/// The bitcode of IR that the host's pass left as text, to which device code can be added.
fn as_bitcode(builder: &PassBuilder<'_>, input: &Input, text: &[u8], scratch: &mut Scratch) -> Result<Vec<u8>, Error> {
    let (from, to) = (scratch.file(input.stem(), "device.ll"), scratch.file(input.stem(), "device.bc"));
    write_whole(&from, text, false)?;
    let mut words = ["-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Wno-override-module", "-x", "ir"].map(str::to_owned).to_vec();
    words.extend([from.display().to_string(), "-o".into(), to.display().to_string()]);
    let command = Command::new(&builder.toolchain.clang, words);
    let outcome = jobs::run(&command)?;
    if !outcome.status.success() {
        return Err(command.failure("the compiler", &outcome));
    }
    fs::read(&to).map_err(|error| Error::file("read", &to, error))
}

/// What this unit alone shows of the fixed targets.
fn check_fixed_targets(session: &mut Session<'_>, builder: &PassBuilder<'_>, passes: &[&Pass], reports: &[PassReport]) {
    if builder.fixed.is_empty() {
        return;
    }
    for (pass, report) in passes.iter().zip(reports) {
        if let (Role::Analysis { macros, .. }, Some(summary)) = (&pass.role, &report.summary) {
            let judged = fixed::Judged { fixed: builder.fixed, compiled_for: builder.targets, macros };
            let found = fixed::violations(&judged, summary, &analyse(summary), &|_| Default::default());
            fixed::report(found, &BTreeSet::new(), &mut session.diagnostics);
        }
    }
}

/// Shows what clang said, once.
fn show_outcomes(session: &mut Session<'_>, builder: &PassBuilder<'_>, job: &Job, outcomes: &[Outcome]) -> Result<(), Error> {
    let said = |outcome: &Outcome| {
        let input = &builder.options.inputs[job.input];
        builder.kept.and_then(|kept| kept.as_of_source(&outcome.stderr, input)).unwrap_or_else(|| outcome.stderr.clone())
    };
    let mut failed = None;
    for (pass, outcome) in job.passes.iter().zip(outcomes) {
        if pass.role == Role::Host || session.options.side == Side::Device {
            let mut words = said(outcome);
            if !outcome.status.success() {
                let of_device = outcomes.iter().skip(1).find(|other| !other.status.success());
                words = of_device.map_or_else(|| words.clone(), |other| captures::with_those_of_devices(&words, &other.stderr_text()));
            }
            session.show_said(&words)?;
        }
        if !outcome.status.success() {
            failed = Some((pass, outcome));
            break;
        }
    }
    let Some((pass, outcome)) = failed else { return Ok(()) };
    let words = outcome.stderr_text();
    if outcome.status.code().is_none() || !words.contains("error:") {
        return Err(pass.command.failure("the compiler", outcome));
    }
    if pass.role != Role::Host && session.options.side != Side::Device {
        session.show_said(&said(outcome))?;
    }
    Err(Error::Reported)
}

fn read_reports(passes: &[&Pass]) -> Result<Vec<PassReport>, Error> {
    let read = |pass: &&Pass| {
        let bytes = fs::read(&pass.report).map_err(|_| {
            Error::Device(format!("the clang plugin left no report, so requirements would be lost\n  command: {}", pass.command.shell()))
        })?;
        PassReport::from_bytes(&bytes).map_err(|error| Error::input(&pass.report, error))
    };
    passes.iter().map(read).collect()
}

/// Where the result goes.
fn destination(options: &Options, input: &Input, targets: &[Target], scratch: &mut Scratch) -> PathBuf {
    if options.stage == Stage::Link && options.side != Side::Device {
        return scratch.file(input.stem(), "o");
    }
    if let Some(output) = &options.output {
        return output.into();
    }
    let stem = input.stem();
    if options.side == Side::Device {
        let spirv = || targets.iter().find(|target| target.family.is_spirv());
        let target = if options.targets.is_some() { targets.first() } else { spirv() };
        let ending = if options.stage == Stage::Assembly { "ll" } else { "bc" };
        return format!("{stem}-sycl-{}.{ending}", target.map_or("device", |target| &target.name)).into();
    }
    let ending = match (options.stage, options.emit_llvm) {
        (Stage::Assembly, true) => "ll",
        (Stage::Assembly, false) => "s",
        (_, true) => "bc",
        _ => "o",
    };
    format!("{stem}.{ending}").into()
}

fn write_dependencies(builder: &PassBuilder<'_>, job: &Job, input: &Input, destination: &Path) -> Result<(), Error> {
    let options = builder.options;
    let Some(wanted) = &options.depfile else { return Ok(()) };
    // The output's ending is another's place, a source's name may have dots of its own.
    let named = |ending: &str| match &options.output {
        Some(output) => Path::new(output).with_extension(ending),
        None => PathBuf::from(format!("{}.{ending}", input.stem())),
    };
    let shown = || PathBuf::from(options.output.as_deref().unwrap_or("-"));
    let file = wanted.file.clone().unwrap_or_else(|| if wanted.alone { shown() } else { named("d") });
    // The program itself, where one command makes it, as clang says.
    let linked = || options.output.as_ref().map_or_else(|| named("o"), PathBuf::from);
    let target = if options.stage == Stage::Link { linked() } else { destination.to_path_buf() };
    let mut texts = Vec::new();
    // Of what is not preprocessed clang writes none.
    for made in job.passes.iter().filter_map(|pass| pass.depfile.as_ref()).filter(|made| made.is_file()) {
        texts.push(fs::read_to_string(made).map_err(|error| Error::file("read", made, error))?);
    }
    if texts.is_empty() {
        let file = (input.path != "-").then_some(Path::new(&input.path));
        texts.push(depfile::rule(file.as_slice()));
    } else if texts.iter().any(|text| depfile::files(text).contains(&input.path)) {
        // First, as compilers write it and `merge` takes it; a kept header comes before it in what clang reads.
        texts.insert(0, depfile::rule(&[Path::new(&input.path)]));
    }
    if input.kind == InputKind::Sycl {
        let decisive: Vec<&Path> = preprocessed::decisive_files(options, builder.toolchain).collect();
        let shown = if wanted.user_headers_only { options.config_files.len() } else { decisive.len() };
        texts.push(depfile::rule(&decisive[..shown]));
    }
    let kept = builder.kept.map(Kept::header);
    let targets = depfile::targets(wanted, &target.to_string_lossy());
    let merged = depfile::merge(&texts, &targets, wanted.phony, |file| Some(file) == kept.as_deref());
    if file.as_os_str() == "-" {
        return help::print(&merged);
    }
    write_whole(&file, merged.as_bytes(), false)
}

/// The bytes of `.aspen.device`: a blob a target. Empty when the unit has neither kernels nor exported device functions.
fn device_section(builder: &PassBuilder<'_>, job: &Job, input: &Input, reports: &[PassReport]) -> Result<Vec<u8>, Error> {
    let map = PrefixMap::of(builder.options);
    let mut host_launches = BTreeMap::new();
    let mut tag = None;
    let mut analyses: BTreeMap<&[String], &Summary> = BTreeMap::new();
    for (pass, report) in job.passes.iter().zip(reports) {
        match &pass.role {
            Role::Host => {
                tag = report.tag.clone();
                host_launches = launches(&map, &report.launches)?;
            }
            Role::Analysis { macros, .. } => {
                let summary = report.summary.as_ref();
                let lost =
                    || Error::Device(format!("the analysis of '{}' left no summary\n  command: {}", input.path, pass.command.shell()));
                analyses.insert(macros, summary.ok_or_else(lost)?);
            }
            Role::Code { .. } => {}
        }
    }
    if host_launches.is_empty() && !analyses.values().any(|summary| has_entry_points(summary)) {
        return Ok(Vec::new());
    }
    let tag = tag.ok_or_else(|| Error::Device(format!("the host pass of '{}' left no tag in its report", input.path)))?;
    let header = ObjectHeader {
        tag,
        unit: map.path(input.name()),
        opt: builder.recorded_level(),
        fixed: fixed::identities(builder.fixed),
        pragmas: pragmas::recorded(reports.iter().flat_map(|report| &report.external), &map),
    };
    let mut section = Vec::new();
    for (index, target) in builder.targets.iter().enumerate() {
        let found = job.passes.iter().zip(reports).find(|(pass, _)| match &pass.role {
            Role::Host => false,
            Role::Analysis { targets, .. } => targets.contains(&index),
            Role::Code { target } => *target == index,
        });
        let Some((pass, report)) = found else { continue };
        let Some(output) = &pass.output else { continue };
        let bitcode = fs::read(output).map_err(|error| Error::file("read", output, error))?;
        let blob = ObjectBlob {
            target: target.name.clone(),
            triple: target.triple().to_owned(),
            header: header.clone(),
            told: target.macros.join("\n"),
            summary: analyses.get(target.analysis_macros.as_slice()).map(|summary| map.summary(summary).to_bytes()),
            host_launches: host_launches.clone().into_iter().collect(),
            device_kernels: launches(&map, &report.launches)?.into_iter().collect(),
            bitcode: bitcode.into(),
        };
        section.extend(blob.to_bytes().map_err(|error| Error::Device(format!("'{}': {error}", input.path)))?);
    }
    Ok(section)
}

fn launches(map: &PrefixMap, list: &[Launch]) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let pack = |launch: &Launch| {
        let bytes =
            postcard::to_stdvec(&map.launch(launch)).map_err(|error| Error::Device(format!("kernel '{}': {error}", launch.name)))?;
        Ok((launch.symbol.clone(), bytes))
    };
    list.iter().map(pack).collect()
}

fn has_entry_points(summary: &Summary) -> bool {
    summary.functions.iter().any(|function| function.defined && function.role != FunctionRole::Plain)
}
