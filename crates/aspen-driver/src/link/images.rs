//! From one target's units and the split plan to device images: link the bitcode, cut out each image's closure, generate code, describe.
//!
//! Code generation forks, so the process must have one thread here; all threads of the compile phase have ended.
//! Source: DESIGN §1, §5, §7.11, §9; ARCHITECTURE "Images".

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

use aspen_analysis::split::ImagePlan;
use aspen_analysis::summary::{FuncId, Function, Role};
use aspen_codegen::{Cache, CodegenError, Gen, Image, ImageInput, NativeCpu, Ptx, SpirV, generate_images_with};
use aspen_contract::{Need, Step, Verdict, check};
use aspen_image::decided::decided_set;
use aspen_image::{DECIDED, Decided, ImageBuilder, ImageKind, KERNEL_REQS, Kernel, KernelInfo, PropertySet};
use aspen_llvm::{Context, Module};

use super::conditional::{Conditional, discarded};
use super::coverage::Coverage;
use super::files::LinkUnit;
use super::program::Program;
use crate::args::response::split;
use crate::cuda;
use crate::error::Error;
use crate::passes::PassBuilder;
use crate::progress::Progress;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::targets::{Family, Target};

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

/// The OffloadBinary blobs of all images for a target, back to back.
///
/// # Errors
/// If bitcode is damaged or does not go together, code generation fails, or a device function is not defined anywhere.
pub fn make(session: &Session<'_>, request: &Request<'_>, coverage: &mut Coverage, scratch: &mut Scratch) -> Result<Vec<u8>, Error> {
    let Request { builder, units, program, target, .. } = *request;
    let conditional = Conditional::of(session.options, target, program)?;
    let plans = plans(session, request, conditional.as_ref(), coverage)?;
    let inputs = inputs(session, units, program, &plans, target, conditional.as_ref())?;
    let mut progress = Progress::new(&format!("code for {}", target.name), inputs.len());
    let generate =
        |kind: &dyn aspen_codegen::Target| generate_images_with(kind, inputs, session.jobs.fixed(), &mut |done| progress.done(done));
    let images = match target.family {
        Family::NativeCpu => generate(&NativeCpu { compiler: builder.toolchain.clang.clone() }),
        Family::Gen => generate(&ahead_of_time(target, &request.words)),
        Family::Ptx => generate(&assembled(target, &request.words)),
        Family::Spirv | Family::Known => generate(&SpirV),
    };
    drop(progress);
    let mut content = Vec::new();
    for ((name, plan), image) in plans.iter().zip(images) {
        let reqs = conditional.as_ref().map(|conditional| conditional.kernel_reqs(program, plan)).unwrap_or_default();
        let decided = decided(program, plan, target, conditional.is_some());
        let image = image.map_err(|error| failed(program, plan, &error))?;
        check_imports(program, plan, &image)?;
        if !image.messages.is_empty() {
            session.complain(format!("{}\n", image.messages).as_bytes())?;
        }
        let forms = std::iter::once((image.kind, &image.bytes)).chain(image.fallback.iter().map(|(kind, bytes)| (*kind, bytes)));
        for (kind, bytes) in forms {
            if scratch.is_kept() {
                let file = scratch.file(name, &format!("{}.{}", target.name, ending(target.family, kind)));
                fs::write(&file, bytes).map_err(|error| Error::file("write", &file, error))?;
            }
            let described = describe(program, plan, kind, target, name, session.options.requirement_sources);
            let described = described.set(KERNEL_REQS, reqs.clone()).set(DECIDED, decided.clone());
            content.extend(described.to_bytes(bytes).map_err(|error| Error::Device(format!("image '{name}': {error}")))?);
        }
    }
    Ok(content)
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
        (Family::Spirv | Family::Known, _) => "spv",
    }
}

/// The options that the database, or the user's file, gives the target's compiler, then the user's own.
fn compiler_options(target: &Target, words: &[String]) -> Vec<String> {
    let info = &target.info;
    let mut options = info.aot_toolchain_options.as_deref().map(split).unwrap_or_default();
    for (option, value) in &info.aot_extra {
        options.push(format!("-{option}"));
        options.extend(split(value));
    }
    options.extend_from_slice(words);
    options
}

/// The compiler that the database, or the user's file, names for the target. It runs in a folder of its own; a path means the one that
/// the user sees.
fn compiler(target: &Target) -> Option<PathBuf> {
    let name = target.info.aot_toolchain.as_deref()?;
    Some(if name.contains('/') { std::path::absolute(name).unwrap_or_else(|_| name.into()) } else { name.into() })
}

fn ahead_of_time(target: &Target, words: &[String]) -> Gen {
    let compiler = compiler(target).unwrap_or_else(|| "ocloc".into());
    Gen { compiler, options: compiler_options(target, words), limit: Gen::LIMIT, cache: cache(), device: target.info.capabilities() }
}

fn assembled(target: &Target, words: &[String]) -> Ptx {
    let cuda = cuda::find(compiler(target).as_deref());
    Ptx {
        processor: target.processor().unwrap_or_default().to_owned(),
        assembler: cuda.assembler,
        options: compiler_options(target, words),
        library: cuda.library,
        limit: Gen::LIMIT,
        cache: cache(),
    }
}

/// `ASPEN_CACHE=0` keeps nothing. Source: DESIGN §6.
fn cache() -> Option<Cache> {
    if env::var_os("ASPEN_CACHE").is_some_and(|value| value == "0") {
        return None;
    }
    Some(Cache::new(crate::cache_folder()?.join("ahead-of-time")))
}

/// The images to make, with their names: ahead of time only those that the target's device can run. Source: S0 "AOT"; DESIGN §1.
fn plans<'p>(
    session: &Session<'_>,
    request: &Request<'p>,
    conditional: Option<&'p Conditional>,
    coverage: &mut Coverage,
) -> Result<Vec<(String, Cow<'p, ImagePlan>)>, Error> {
    let Request { program, target, stem, .. } = *request;
    let mut plans: Vec<(String, Cow<'p, ImagePlan>)> = Vec::new();
    for (index, plan) in conditional.map_or(&program.plans, |conditional| &conditional.plans).iter().enumerate() {
        let name = format!("{stem}_{index}");
        let mut kernels = kernels(program, plan);
        if conditional.is_some() && target.family.is_ahead_of_time() {
            let discarded = discarded(program, plan, target);
            for (entry, needs) in &discarded {
                let symbol = &program.linked.summary.function(*entry).symbol;
                let (gone, rest) = kernels.into_iter().partition(|(of, _)| of == symbol);
                kernels = rest;
                coverage.skipped(gone, &format!("'{}' lacks {}", target.name, list(needs)));
            }
            if discarded.len() == plan.entries.len() {
                continue;
            }
        }
        let verdict = check(&plan.requirements, &target.info.capabilities());
        if let (true, Verdict::Unmet(needs)) = (target.family.is_ahead_of_time(), verdict) {
            let needs = list(&needs);
            if session.options.verbose {
                let names = kernels.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
                let line =
                    format!("aspen++: image '{name}' is skipped for target '{}', which lacks {needs}; kernels: {names}\n", target.name);
                session.complain(line.as_bytes())?;
            }
            coverage.skipped(kernels, &format!("'{}' lacks {needs}", target.name));
            continue;
        }
        // Machine code of GPUs is not linked at run time.
        let plan = if target.family == Family::Gen {
            closed(session, request, &name, plan, &mut kernels, coverage)?
        } else {
            Some(Cow::Borrowed(plan))
        };
        if let Some(plan) = plan {
            coverage.made(kernels);
            plans.push((name, plan));
        }
    }
    Ok(plans)
}

/// What of a plan needs no function of another library; `None` if no kernel does without. The user is told what is left out.
fn closed<'p>(
    session: &Session<'_>,
    request: &Request<'p>,
    name: &str,
    plan: &'p ImagePlan,
    made: &mut Vec<(String, String)>,
    coverage: &mut Coverage,
) -> Result<Option<Cow<'p, ImagePlan>>, Error> {
    let Request { program, target, .. } = *request;
    if program.imports(plan).is_empty() {
        return Ok(Some(Cow::Borrowed(plan)));
    }
    let alone = |entry: FuncId| ImagePlan { entries: vec![entry], requirements: plan.requirements.clone() };
    let (mut left, mut out) = (ImagePlan { entries: Vec::new(), ..plan.clone() }, Vec::new());
    let mut functions = BTreeSet::new();
    for &entry in &plan.entries {
        let imports = program.imports(&alone(entry));
        if imports.is_empty() {
            left.entries.push(entry);
        } else {
            out.push(entry);
            functions.extend(imports);
        }
    }
    let functions = functions.iter().map(|function| format!("'{function}'")).collect::<Vec<_>>().join(", ");
    let (gone, rest): (Vec<_>, Vec<_>) = std::mem::take(made)
        .into_iter()
        .partition(|(symbol, _)| out.iter().any(|&entry| program.linked.summary.function(entry).symbol == *symbol));
    *made = rest;
    if !gone.is_empty() {
        let names = gone.iter().map(|(_, name)| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        let (kernels, are) = if gone.len() == 1 { ("kernel", "is") } else { ("kernels", "are") };
        session.warn(&format!(
            "{kernels} {names} of image '{name}' {are} left out for target '{}': code made ahead of time cannot call device functions of other \
             libraries ({functions}); compile for spir64 too",
            target.name
        ))?;
        coverage.skipped(gone, &format!("'{}' cannot call {functions} of another library", target.name));
    }
    // Nobody could call what else there may be.
    Ok((!made.is_empty()).then_some(Cow::Owned(left)))
}

/// `aspect fp64, sub-group size 8`.
fn list(needs: &[Need]) -> String {
    needs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
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

/// One module for each image.
fn inputs(
    session: &Session<'_>,
    units: &[LinkUnit<'_>],
    program: &Program,
    plans: &[(String, Cow<'_, ImagePlan>)],
    target: &Target,
    conditional: Option<&Conditional>,
) -> Result<Vec<ImageInput>, Error> {
    if plans.is_empty() {
        return Ok(Vec::new());
    }
    let context = Context::new();
    let module = linked_module(&context, units, program, target)?;
    let symbol = |function: &Function| function.symbol.clone();
    let mut inputs = Vec::new();
    for (name, plan) in plans {
        let entries: Vec<String> = plan.entries.iter().map(|&entry| symbol(program.linked.summary.function(entry))).collect();
        let roots: Vec<&str> = entries.iter().map(String::as_str).collect();
        let mut closure = module.clone_closure(&roots).map_err(|error| Error::Device(format!("target '{}': {error}", target.name)))?;
        let debug = session.options.debug && target.family == Family::NativeCpu;
        if !debug {
            closure.strip_debug();
        }
        let imports: Vec<String> = program.imports(plan).into_iter().collect();
        let exports = plan.entries.iter().any(|&entry| program.linked.summary.function(entry).role == Role::Exported);
        if target.family == Family::NativeCpu && (exports || !imports.is_empty()) {
            NativeCpu::open(&mut closure, &imports).map_err(|error| Error::Device(format!("target '{}': {error}", target.name)))?;
        }
        if target.family == Family::NativeCpu {
            NativeCpu::ask(&mut closure);
        }
        let bitcode = closure.to_bitcode();
        let work_group = plan.requirements.reqd_work_group_size.as_ref().and_then(|size| fastest_first(size.dims()));
        let conditions = conditional.map(|conditional| conditional.conditions(program, plan));
        let opt_level = level_of(units, program, plan);
        inputs.push(ImageInput { name: name.clone(), bitcode, entries, opt_level, debug, work_group, conditions });
    }
    Ok(inputs)
}

/// The bitcode of all units as one module, with kernels of internal linkage under their objects' tags. Source: DESIGN §7.17.
fn linked_module<'c>(context: &'c Context, units: &[LinkUnit<'_>], program: &Program, target: &Target) -> Result<Module<'c>, Error> {
    let mut linked: Option<Module<'c>> = None;
    for (unit, renames) in units.iter().zip(&program.linked.renames) {
        let Some(blob) = unit.unit.blobs.iter().find(|blob| blob.target == target.name) else { continue };
        let damaged = |error: aspen_llvm::Error| Error::Device(format!("device code for target '{}': {error}", target.name));
        let mut module = context.parse(&unit.object, &blob.bitcode).map_err(damaged)?;
        for (from, to) in renames {
            module.rename(from, to).map_err(damaged)?;
        }
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
    match header.or(units.first().map(|unit| &unit.unit.header)).map_or("2", |header| header.opt.as_str()) {
        "0" => 0,
        "1" | "g" => 1,
        "3" | "fast" | "4" => 3,
        _ => 2,
    }
}

/// What the container says about an image.
fn describe(program: &Program, plan: &ImagePlan, kind: ImageKind, target: &Target, name: &str, with_sources: bool) -> ImageBuilder {
    let mut builder = ImageBuilder::new(kind, target.triple(), &target.name, name).requirements(&plan.requirements);
    for &entry in &plan.entries {
        let function = program.linked.summary.function(entry);
        builder = builder.guards(&function.symbol, &program.analysis.guards(entry));
        let sources = if with_sources { program.analysis.sources(entry).to_vec() } else { Vec::new() };
        match &function.role {
            Role::Kernel(kernel) => {
                let info = KernelInfo { name: kernel.name.clone(), requirements: program.analysis.requirements(entry) };
                builder = builder.kernel(Kernel { symbol: function.symbol.clone(), info }, sources);
            }
            Role::Exported | Role::Plain => builder = builder.export(&function.symbol, sources),
        }
    }
    let imports = program.imports(plan);
    builder.imports(imports.iter().map(String::as_str))
}

/// Functions that no image can provide: an unresolved symbol would sink the whole image where it is loaded. Source: DESIGN §4, §8.
fn check_imports(program: &Program, plan: &ImagePlan, image: &Image) -> Result<(), Error> {
    let allowed = program.imports(plan);
    let missing: Vec<&str> = image.imports.iter().map(String::as_str).filter(|symbol| !allowed.contains(*symbol)).collect();
    let told = missing.iter().filter(|symbol| stands_for_itself(symbol, &missing));
    let missing: Vec<String> = told.map(|symbol| undefined(program, plan, symbol)).collect();
    if missing.is_empty() { Ok(()) } else { Err(Error::Device(missing.join("\naspen++: error: "))) }
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

fn undefined(program: &Program, plan: &ImagePlan, symbol: &str) -> String {
    match program.chain_to(plan, symbol) {
        Some((name, chain)) => not_defined(&name, &chain),
        None => format!("device code needs '{symbol}', which is neither in the objects nor in the target's library"),
    }
}

fn not_defined(name: &str, chain: &[Step]) -> String {
    let headline = if name.starts_with("__cxa_") {
        // The C++ runtime: only `throw` (and what the standard library throws) comes to it in device code.
        let place = chain.last().and_then(|step| step.place.as_ref()).map_or_else(String::new, |place| format!("{place}: "));
        format!("{place}device code cannot throw exceptions ('{name}' is for the host only)")
    } else {
        format!("device function '{name}' is not defined in any object of this link; define it as SYCL_EXTERNAL")
    };
    format!("{headline}\n{}", steps(chain))
}

fn steps(chain: &[Step]) -> String {
    let line = |step: &Step| format!("  {}(){}", step.function, step.place.as_ref().map_or_else(String::new, |place| format!(" {place}")));
    format!("use is from this call chain:\n{}", chain.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// A failed code generation; where the linker of native images misses functions, with how they are reached.
fn failed(program: &Program, plan: &ImagePlan, error: &CodegenError) -> Error {
    let mut text = String::new();
    if let CodegenError::Tool { words, .. } = error {
        let mut missing = program.undefined_chains(plan);
        missing.retain(|(name, _)| words.contains(name));
        let names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
        for (name, chain) in missing.iter().filter(|(name, _)| stands_for_itself(name, &names)) {
            text += &format!("{}\n", not_defined(name, chain));
        }
    }
    let names = kernels(program, plan).into_iter().map(|(_, name)| format!("'{name}'")).collect::<Vec<_>>();
    let names = if names.is_empty() { String::new() } else { format!("\nkernels of the image: {}", names.join(", ")) };
    Error::Device(text + &error.to_string() + &names)
}
