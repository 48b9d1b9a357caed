//! From one target's units and the split plan to device images: link the bitcode, cut out each image's closure, generate code, describe.
//!
//! Code generation forks, so the process must have one thread here; all threads of the compile phase have ended.
//! Source: DESIGN §1, §5, §7.11, §9; ARCHITECTURE "Images".

use std::fs;

use aspen_analysis::link::tagged_symbol;
use aspen_analysis::split::ImagePlan;
use aspen_analysis::summary::{Function, Role};
use aspen_codegen::{AmdGpu, CodegenError, Earlier, Form, Gen, ImageInput, NativeCpu, Ptx, SpirV, generate_images_with};
use aspen_contract::{Requirements, Verdict, check};
use aspen_image::decided::decided_set;
use aspen_image::guards::{IMPORT_GUARDS, import_guards};
use aspen_image::{
    BuildError, DECIDED, Decided, ImageBuilder, ImageKind, KERNEL_REQS, Kernel, KernelInfo, PropertySet, WORK_ITEMS, WorkItems,
    work_items_set,
};
use aspen_llvm::{Concern, Context, Module, Told, forget_dialect, readable_name};

use super::conditional::{Conditional, discarded};
use super::coverage::Coverage;
use super::device_globals::{self, ImageGlobals};
use super::files::LinkUnit;
use super::program::Program;
use crate::args::{Dialect, Options};
use crate::cuda;
use crate::error::Error;
use crate::janitor;
use crate::passes::PassBuilder;
use crate::progress::Progress;
use crate::rocm;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::shared;
use crate::spread::Content;
use crate::targets::{self, Family, Target};

/// What images are made of.
pub struct Request<'r> {
    /// The run.
    pub builder: &'r PassBuilder<'r>,
    /// The device code.
    pub units: &'r [LinkUnit<'r>],
    /// Its analysis for this target.
    pub program: &'r Program,
    /// The target.
    pub target: &'r Target,
    /// The user's words to the target's compiler.
    pub words: Vec<String>,
    /// Images are called `<stem>_<n>`.
    pub stem: &'r str,
}

/// Adds the OffloadBinary blobs of all images for a target. `earlier` has what other targets, and other links, may have in common with it.
///
/// # Errors
/// If bitcode is damaged or does not go together, code generation fails, or a device function is not defined anywhere
/// ([`Error::Reported`] then).
pub fn make(
    session: &mut Session<'_>,
    request: &Request<'_>,
    (coverage, earlier): (&mut Coverage, &mut Earlier),
    content: &mut Content,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let Request { builder, units, program, target, .. } = *request;
    let conditional = Conditional::of(session.options, target, program)?;
    let plans = plans(session, request, conditional.as_ref(), coverage)?;
    let mut inputs = inputs(session, units, program, &plans, target, conditional.as_ref())?;
    let globals: Vec<ImageGlobals> = inputs.iter_mut().map(|(_, globals)| std::mem::take(globals)).collect();
    let inputs: Vec<ImageInput> = inputs.into_iter().map(|(input, _)| input).collect();
    let mut progress = Progress::new(&format!("code for {}", target.name), inputs.iter().map(|input| 1 + input.more.len()).sum());
    let kind = generator(builder, target, &request.words, content.is_elsewhere());
    let folder = || janitor::folder("aspen-", &std::env::temp_dir());
    let images = generate_images_with(kind.as_ref(), inputs, session.jobs.fixed(), &folder, Some(earlier), &mut |done| progress.done(done));
    drop(progress);
    content.fetch(images.iter().flatten());
    for (((name, plan), image), globals) in plans.iter().zip(images).zip(globals) {
        let reqs = conditional.as_ref().map(|conditional| conditional.kernel_reqs(program, plan)).unwrap_or_default();
        let decided = decided(program, plan, target, conditional.is_some());
        let about = |kind, messages: &str| {
            let described = describe(program, plan, kind, target, name, session.options);
            globals.describe(described.set(KERNEL_REQS, reqs.clone()).set(DECIDED, decided.clone()).set(WORK_ITEMS, work_items(messages)))
        };
        let damaged = |error: BuildError| Error::Device(format!("image '{name}': {error}"));
        let image = match image {
            Ok(image) => image,
            Err(error) => {
                show_commands(session, [&error].into_iter().filter_map(command_of))?;
                let missing = unresolved(&error);
                if missing.is_empty() {
                    return Err(failed(program, plan, &error));
                }
                tell_missing(program, plan, &missing, session);
                continue;
            }
        };
        show_commands(session, image.commands.iter().map(String::as_str))?;
        // Functions that no image can provide: an unresolved symbol would sink the whole image where it is loaded. Source: DESIGN §4, §8.
        let missing: Vec<&str> = image.imports.iter().map(String::as_str).filter(|symbol| !plan.imports.contains(*symbol)).collect();
        tell_missing(program, plan, &missing, session);
        let messages = told(program, plan, session, &image.messages);
        if !messages.is_empty() {
            session.complain(messages.as_bytes())?;
        }
        let image = content.finished(image);
        if let Some(aot) = &image.rest {
            let kernels = kernels(program, plan).into_iter().map(|(_, name)| name).collect();
            let job = content.add_job(&target.name, name, kernels, aot.clone(), &image.bytes)?;
            let described = about(ImageKind::Object, &image.messages);
            content.add_hole(&described.to_bytes(b"").map_err(damaged)?, job);
            if aot.form == Form::Ptxas {
                content.bytes.extend(about(image.kind, &image.messages).to_bytes(&image.bytes).map_err(damaged)?);
            }
            continue;
        }
        let forms = std::iter::once((image.kind, &image.bytes)).chain(image.fallback.iter().map(|(kind, bytes)| (*kind, bytes)));
        for (kind, bytes) in forms {
            let ending = format!("{}.{}", target.name, ending(target.family, kind));
            if scratch.is_kept() {
                let file = scratch.file(name, &ending);
                fs::write(&file, bytes).map_err(|error| Error::file("write", &file, error))?;
            }
            if let Some(folder) = &session.options.image_folder {
                let file = folder.join(format!("{name}-{ending}"));
                fs::create_dir_all(folder).map_err(|error| Error::file("make", folder, error))?;
                fs::write(&file, bytes).map_err(|error| Error::file("write", &file, error))?;
            }
            content.bytes.extend(about(kind, &image.messages).to_bytes(bytes).map_err(damaged)?);
        }
    }
    if session.diagnostics.has_errors() {
        return Err(Error::Reported);
    }
    Ok(())
}

/// The commands that were run, for `-v`.
fn show_commands<'c>(session: &Session<'_>, commands: impl IntoIterator<Item = &'c str>) -> Result<(), Error> {
    if session.options.verbose {
        for command in commands {
            session.complain(format!(" {command}\n").as_bytes())?;
        }
    }
    Ok(())
}

fn command_of(error: &CodegenError) -> Option<&str> {
    match error {
        CodegenError::Tool { command, .. } => Some(command),
        _ => None,
    }
}

/// What makes a target's images.
fn generator(builder: &PassBuilder<'_>, target: &Target, words: &[String], elsewhere: bool) -> Box<dyn aspen_codegen::Target> {
    match target.family {
        Family::NativeCpu => Box::new(NativeCpu { compiler: builder.toolchain.clang.clone() }),
        Family::Gen => Box::new(ahead_of_time(target, words, elsewhere)),
        Family::Ptx => Box::new(assembled(target, words, elsewhere)),
        Family::AmdGpu => Box::new(linked(target, words, elsewhere)),
        Family::Spirv | Family::Known => Box::new(SpirV),
    }
}

/// The commands of tools that an image of the target takes; how many there will be, only the device code says.
pub fn commands(builder: &PassBuilder<'_>, target: &Target, words: &[String]) -> Vec<String> {
    generator(builder, target, words, false).commands(opt_level(&builder.recorded_level()))
}

/// What was taken for granted of the target's devices when the image was made.
fn decided(program: &Program, plan: &ImagePlan, target: &Target, conditional: bool) -> PropertySet {
    if !target.family.is_ahead_of_time() {
        return PropertySet::new();
    }
    let left_out = if conditional { discarded(program, plan, target) } else { Vec::new() };
    let capabilities = target.info.capabilities();
    decided_set(plan.entries.iter().map(|&entry| {
        let needs = left_out.iter().find(|(of, _)| *of == entry).map_or(Vec::new(), |(_, needs)| needs.clone());
        let guards = program.analysis.guards(entry);
        (program.linked.summary.function(entry).symbol.as_str(), Decided::of(needs, guards.keys(), &capabilities))
    }))
}

/// What files of images are called by.
fn ending(family: Family, kind: ImageKind) -> &'static str {
    match (family, kind) {
        (_, ImageKind::Ptx) => "ptx",
        (Family::NativeCpu, _) => "so",
        (Family::Gen, _) => "gen",
        (Family::Ptx, _) => "cubin",
        (Family::AmdGpu, _) => "hsaco",
        (Family::Spirv | Family::Known, _) => "spv",
    }
}

fn ahead_of_time(target: &Target, words: &[String], elsewhere: bool) -> Gen {
    let compiler = target.compiler().unwrap_or_else(|| targets::OCLOC.into());
    let (options, device) = (target.compiler_options(words), target.info.capabilities());
    Gen { compiler, options, limit: Gen::LIMIT, cache: shared::cache(), device, elsewhere }
}

fn linked(target: &Target, words: &[String], elsewhere: bool) -> AmdGpu {
    AmdGpu {
        processor: target.processor().unwrap_or_default().to_owned(),
        linker: rocm::linker(target.compiler().as_deref()),
        options: target.compiler_options(words),
        library: rocm::library(),
        limit: Gen::LIMIT,
        cache: shared::cache(),
        elsewhere,
    }
}

fn assembled(target: &Target, words: &[String], elsewhere: bool) -> Ptx {
    let cuda = cuda::find(target.compiler().as_deref());
    Ptx {
        processor: target.processor().unwrap_or_default().to_owned(),
        assembler: cuda.assembler,
        options: target.compiler_options(words),
        library: cuda.library,
        limit: Gen::LIMIT,
        cache: shared::cache(),
        elsewhere,
    }
}

/// The images to make, with their names: ahead of time only those that the target's device can run. Source: S0 "AOT"; DESIGN §1.
fn plans<'p>(
    session: &mut Session<'_>,
    request: &Request<'p>,
    conditional: Option<&'p Conditional>,
    coverage: &mut Coverage,
) -> Result<Vec<(String, &'p ImagePlan)>, Error> {
    let Request { program, target, stem, .. } = *request;
    let device = target.info.capabilities_at_most();
    let mut plans: Vec<(String, &'p ImagePlan)> = Vec::new();
    for (index, plan) in conditional.map_or(&program.plans, |conditional| &conditional.plans).iter().enumerate() {
        let name = format!("{stem}_{index}");
        let mut kernels = kernels(program, plan);
        if conditional.is_some() && target.family.is_ahead_of_time() {
            let discarded = discarded(program, plan, target);
            for (entry, needs) in &discarded {
                let symbol = &program.linked.summary.function(*entry).symbol;
                let (gone, rest) = kernels.into_iter().partition(|(of, _)| of == symbol);
                kernels = rest;
                let described = left_out(session, request, &name, plan, &gone)?;
                coverage.skipped(gone, &format!("'{}' lacks {}", target.name, device.list(needs)), described);
            }
            if discarded.len() == plan.entries.len() {
                continue;
            }
        }
        let verdict = check(&plan.requirements, &device);
        if let (true, Verdict::Unmet(needs)) = (target.family.is_ahead_of_time(), verdict) {
            let needs = device.list(&needs);
            if session.options.verbose {
                let names = kernels.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
                let line =
                    format!("aspen++: image '{name}' is skipped for target '{}', which lacks {needs}; kernels: {names}\n", target.name);
                session.complain(line.as_bytes())?;
            }
            let described = left_out(session, request, &name, plan, &kernels)?;
            coverage.skipped(kernels, &format!("'{}' lacks {needs}", target.name), described);
            continue;
        }
        // Machine code of GPUs is not linked at run time.
        if matches!(target.family, Family::Gen | Family::AmdGpu) && !plan.imports.is_empty() {
            leave_out(session, request, &name, plan, kernels, coverage)?;
            continue;
        }
        coverage.made(kernels);
        plans.push((name, plan));
    }
    Ok(plans)
}

/// Says that a plan is left out since its kernels, all of them, call functions of other libraries.
fn leave_out(
    session: &mut Session<'_>,
    request: &Request<'_>,
    name: &str,
    plan: &ImagePlan,
    kernels: Vec<(String, String)>,
    coverage: &mut Coverage,
) -> Result<(), Error> {
    let target = &request.target.name;
    let functions = plan.imports.iter().map(|function| format!("'{function}'")).collect::<Vec<_>>().join(", ");
    if kernels.is_empty() {
        return Ok(()); // Nobody could call what else there may be.
    }
    let names = kernels.iter().map(|(_, name)| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let (noun, are) = if kernels.len() == 1 { ("kernel", "is") } else { ("kernels", "are") };
    let place = kernels.first().and_then(|(symbol, _)| request.program.kernel_place(symbol));
    let message = format!(
        "{noun} {names} of image '{name}' {are} left out for target '{target}': code made ahead of time cannot call device functions of other \
         libraries ({functions}); compile for spir64 too"
    );
    session.diagnostics.add_left_out(place, message);
    let described = left_out(session, request, name, plan, &kernels)?;
    coverage.skipped(kernels, &format!("'{target}' cannot call {functions} of another library"), described);
    Ok(())
}

/// What an image of these kernels would have said, without code. Source: DESIGN §6, "every unmet need": a launch has to name them.
fn left_out(
    session: &Session<'_>,
    request: &Request<'_>,
    name: &str,
    plan: &ImagePlan,
    kernels: &[(String, String)],
) -> Result<Vec<u8>, Error> {
    let symbol = |entry| &request.program.linked.summary.function(entry).symbol;
    let entries = plan.entries.iter().copied().filter(|&entry| kernels.iter().any(|(kernel, _)| kernel == symbol(entry))).collect();
    let of_these = ImagePlan { entries, imports: Default::default(), import_guards: Default::default(), ..plan.clone() };
    let described = describe(request.program, &of_these, ImageKind::None, request.target, name, session.options);
    described.to_bytes(b"").map_err(|error| Error::Device(format!("image '{name}': {error}")))
}

/// Symbols and names of an image's kernels.
fn kernels(program: &Program, plan: &ImagePlan) -> Vec<(String, String)> {
    let functions = plan.entries.iter().map(|&entry| program.linked.summary.function(entry));
    let named = functions.filter_map(|function| match &function.role {
        Role::Kernel(kernel) => Some((function.symbol.clone(), kernel.name.clone())),
        Role::Exported | Role::Plain => None,
    });
    named.collect()
}

/// One module for each image, with the device globals in it.
fn inputs(
    session: &Session<'_>,
    units: &[LinkUnit<'_>],
    program: &Program,
    plans: &[(String, &ImagePlan)],
    target: &Target,
    conditional: Option<&Conditional>,
) -> Result<Vec<(ImageInput, ImageGlobals)>, Error> {
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let context = Context::new();
    let module = linked_module(&context, units, program, target)?;
    let symbol = |function: &Function| function.symbol.clone();
    device_globals::check(&module, program, plans)?;
    let mut inputs = Vec::new();
    for (name, plan) in plans {
        let mut entries: Vec<String> = plan.entries.iter().map(|&entry| symbol(program.linked.summary.function(entry))).collect();
        let roots: Vec<&str> = entries.iter().map(String::as_str).collect();
        let mut closure = module.clone_closure(&roots).map_err(|error| Error::Device(format!("target '{}': {error}", target.name)))?;
        let globals = ImageGlobals::of(&mut closure, name).map_err(|error| Error::Device(format!("target '{}': {error}", target.name)))?;
        let debug = session.options.debug && target.family == Family::NativeCpu;
        // Those of processors keep lines until code is made: kernels and barriers are told by them.
        if target.family != Family::NativeCpu {
            closure.strip_debug();
        }
        let imports: Vec<String> = plan.imports.iter().cloned().collect();
        let exports = plan.entries.iter().any(|&entry| program.linked.summary.function(entry).role == Role::Exported);
        if target.family == Family::NativeCpu && (exports || !imports.is_empty()) {
            NativeCpu::open(&mut closure, &imports).map_err(|error| Error::Device(format!("target '{}': {error}", target.name)))?;
        }
        if target.family == Family::NativeCpu {
            NativeCpu::ask(&mut closure);
        }
        let work_group = plan.requirements.reqd_work_group_size.as_ref().and_then(|size| fastest_first(size.dims()));
        let mut conditions = conditional.map(|conditional| conditional.conditions(program, plan));
        if let Some(kernel) = globals.kernel() {
            entries.push(kernel.to_owned());
            if let Some(conditions) = &mut conditions {
                conditions.roots.push((kernel.to_owned(), Requirements::default()));
            }
        }
        let opt_level = level_of(units, program, plan);
        let sub_group = plan.requirements.reqd_sub_group_size;
        let mut modules = match target.family {
            Family::NativeCpu => parts(&mut closure, program, plan, globals.kernel())
                .map_err(|error| Error::Device(format!("target '{}': {error}", target.name)))?,
            _ => Vec::new(),
        };
        if modules.is_empty() {
            modules.push(closure.to_bitcode());
        }
        let more = modules.split_off(1);
        let bitcode = modules.remove(0);
        inputs.push((
            ImageInput { name: name.clone(), bitcode, more, entries, opt_level, debug, work_group, sub_group, conditions },
            globals,
        ));
    }
    Ok(inputs)
}

/// An image for processors of more instructions is made in parts of so many: by several processes at a time, each with what bounds allow for
/// the copies for levels (docs/decisions/0033, 0072).
const WHOLE: usize = 12_000;
const PART: usize = 2500;

/// An image's module in parts, by units; none if it stays whole.
fn parts(closure: &mut Module<'_>, program: &Program, plan: &ImagePlan, globals: Option<&str>) -> Result<Vec<Vec<u8>>, aspen_llvm::Error> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for &entry in &plan.entries {
        let function = program.linked.summary.function(entry);
        match groups.last_mut() {
            Some((unit, group)) if *unit == function.unit => group.push(&function.symbol),
            _ => groups.push((&function.unit, vec![&function.symbol])),
        }
    }
    let groups: Vec<Vec<&str>> = groups.into_iter().map(|(_, group)| group).chain(globals.map(|kernel| vec![kernel])).collect();
    Ok(closure.parts(&groups, PART, WHOLE)?.iter().map(Module::to_bitcode).collect())
}

/// The bitcode of all units as one module, with kernels and device globals of internal linkage under their objects' tags. Source: DESIGN §7.17.
fn linked_module<'c>(context: &'c Context, units: &[LinkUnit<'_>], program: &Program, target: &Target) -> Result<Module<'c>, Error> {
    let mut linked: Option<Module<'c>> = None;
    for (unit, renames) in units.iter().zip(&program.linked.renames) {
        let Some(blob) = unit.unit.blobs.iter().find(|blob| blob.target == target.name) else { continue };
        let damaged = |error: aspen_llvm::Error| Error::Device(format!("device code for target '{}': {error}", target.name));
        let mut module = context.parse(&unit.object, &blob.bitcode).map_err(damaged)?;
        forget_dialect(module.view());
        for (from, to) in renames {
            module.rename(from, to).map_err(damaged)?;
        }
        module.tag_device_globals(&tagged_symbol("", &unit.unit.header.tag));
        match &mut linked {
            Some(linked) => linked.link_in(module).map_err(damaged)?,
            none => *none = Some(module),
        }
    }
    linked.ok_or_else(|| Error::Device(format!("no object holds device code for target '{}'", target.name)))
}

/// A work-group as drivers count; `None` if no device could have it.
fn fastest_first(dims: &[u64]) -> Option<[u32; 3]> {
    let mut out = [1; 3];
    for (out, &dim) in out.iter_mut().zip(dims.iter().rev()) {
        *out = u32::try_from(dim).ok()?;
    }
    Some(out)
}

/// The effort for an image: that of the unit its first entry comes from.
fn level_of(units: &[LinkUnit<'_>], program: &Program, plan: &ImagePlan) -> u8 {
    let unit = plan.entries.first().map(|&entry| program.linked.summary.function(entry).unit.as_str());
    let header = units.iter().map(|unit| &unit.unit.header).find(|header| Some(header.unit.as_str()) == unit);
    opt_level(header.or(units.first().map(|unit| &unit.unit.header)).map_or("2", |header| header.opt.as_str()))
}

/// Of the letter behind `-O`.
fn opt_level(letter: &str) -> u8 {
    match letter {
        "0" => 0,
        "1" | "g" => 1,
        "3" | "fast" | "4" => 3,
        _ => 2,
    }
}

/// What is said of an image's code. Of kernels that do not run as whole groups, only to who asks: with `-v` or `-Rpass-missed=aspen-items`.
fn told(program: &Program, plan: &ImagePlan, session: &Session<'_>, messages: &str) -> String {
    let wanted = session.options.verbose || session.options.tells_of_items;
    let mut out = String::new();
    for line in messages.lines() {
        let Some(told) = Told::parse(line) else {
            out.extend([line, "\n"]);
            continue;
        };
        let named = plan.entries.iter().map(|&entry| program.linked.summary.function(entry)).find_map(|function| match &function.role {
            Role::Kernel(kernel) if function.symbol == told.symbol => Some(kernel.name.as_str()),
            _ => None,
        });
        if wanted && told.what != Concern::Together {
            let how = if told.what == Concern::Less { "" } else { "it runs item by item: " };
            out.push_str(&format!("remark: kernel {}: {how}{} [-Rpass-missed=aspen-items]\n", named.unwrap_or(told.symbol), told.why));
        }
    }
    out
}

/// How kernels of an image run, for those who have the image only.
fn work_items(messages: &str) -> PropertySet {
    work_items_set(messages.lines().filter_map(Told::parse).filter_map(|told| match told.what {
        Concern::Together => Some((told.symbol, WorkItems::Together)),
        Concern::ByItem { waits } => Some((told.symbol, WorkItems::OneByOne { waits, why: told.why.to_owned() })),
        Concern::Less => None,
    }))
}

/// What the container says about an image.
fn describe(program: &Program, plan: &ImagePlan, kind: ImageKind, target: &Target, name: &str, options: &Options) -> ImageBuilder {
    let builder = ImageBuilder::new(kind, target.triple(), &target.name, name);
    let mut builder = match options.dialect {
        Dialect::Seed => builder.requirements(&plan.requirements),
        Dialect::Dpcpp => builder.requirements_dpcpp(&plan.requirements),
    };
    let with_sources = options.requirement_sources;
    for &entry in &plan.entries {
        let function = program.linked.summary.function(entry);
        builder = builder.guards(&function.symbol, &program.analysis.guards(entry));
        if with_sources {
            builder = builder.import_chains(&function.symbol, &program.import_chains(entry, &plan.imports));
        }
        let sources = if with_sources { program.analysis.sources(entry).to_vec() } else { Vec::new() };
        match &function.role {
            Role::Kernel(kernel) => {
                let info = KernelInfo { name: kernel.name.clone(), requirements: program.analysis.requirements(entry) };
                builder = builder.kernel(Kernel { symbol: function.symbol.clone(), info }, sources);
            }
            Role::Exported | Role::Plain => builder = builder.export(&function.symbol, sources),
        }
    }
    builder.imports(plan.imports.iter().map(String::as_str)).set(IMPORT_GUARDS, import_guards(&plan.import_guards))
}

/// A `throw` comes to the C++ runtime, and to what it throws, several times: the call that throws stands for all.
fn stands_for_itself(name: &str, all: &[&str]) -> bool {
    const THROW: &str = "__cxa_throw";
    let of_throw = |name: &str| name.starts_with("__cxa_") || name.starts_with("_ZTI") || name.starts_with("_ZTVN10__cxxabi");
    match all.iter().find(|other| **other == THROW).or_else(|| all.iter().find(|other| other.starts_with("__cxa_"))) {
        Some(first) => name == *first || !of_throw(name),
        None => true,
    }
}

/// One error for each symbol that is defined nowhere, at the call.
fn tell_missing(program: &Program, plan: &ImagePlan, missing: &[&str], session: &mut Session<'_>) {
    for symbol in missing.iter().filter(|symbol| stands_for_itself(symbol, missing)) {
        let known = program.chain_to(plan, symbol);
        let name = known.as_ref().map_or_else(|| readable_name(symbol), |(function, _)| function.name.clone());
        let message = match &known {
            // The C++ runtime: only `throw` (and what the standard library throws) comes to it in device code.
            _ if symbol.starts_with("__cxa_") => format!("device code cannot throw exceptions ('{name}' is for the host only)"),
            Some((function, _)) if !function.system && !symbol.starts_with("__") => {
                format!("device function '{name}' is not defined in any object of this link; define it as SYCL_EXTERNAL")
            }
            _ => format!("'{name}' cannot be called in device code: it is a library's function, and there is none for the target"),
        };
        let chain = known.map_or_else(Vec::new, |(_, chain)| chain);
        let first_kernel = || kernels(program, plan).first().and_then(|(symbol, _)| program.kernel_place(symbol));
        let place = program.users_call(&chain).or_else(first_kernel);
        session.diagnostics.add_error(place, message, chain, None);
    }
}

/// The symbols that the linker of native images misses, in the words of GNU ld, gold and lld.
fn unresolved(error: &CodegenError) -> Vec<&str> {
    let CodegenError::Tool { words, .. } = error else { return Vec::new() };
    let mut out: Vec<&str> = Vec::new();
    for line in words.lines() {
        let gnu = line.split_once("undefined reference to ").map(|(_, rest)| rest.trim_matches(['`', '\'', ' ']));
        let lld = line.split_once("undefined symbol: ").map(|(_, rest)| rest.trim());
        out.extend(gnu.or(lld).filter(|symbol| !out.contains(symbol)));
    }
    out
}

/// A failed code generation.
fn failed(program: &Program, plan: &ImagePlan, error: &CodegenError) -> Error {
    let names = kernels(program, plan).into_iter().map(|(_, name)| format!("'{name}'")).collect::<Vec<_>>();
    let names = if names.is_empty() { String::new() } else { format!("\nkernels of the image: {}", names.join(", ")) };
    Error::Device(error.to_string() + &names)
}
