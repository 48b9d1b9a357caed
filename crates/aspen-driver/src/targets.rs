//! What device code is made for: the names of `-fsycl-targets`, checked against the database before anything runs.
//! Source: DESIGN §2, §7.10, §7.13; S2.

use std::path::{Path, PathBuf};
use std::{env, fs};

use aspen_codegen::{Aot, Form, LINKER_OPTIONS};
use aspen_devices::{Database, UnknownTarget, macros};

use crate::args::known::TRIPLES;
use crate::args::{Options, Side, Stage, response};
use crate::cuda;
use crate::error::Error;
use crate::fixed::FixedTarget;
use crate::rocm;

/// Which code generator a target needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// The embedded CPU device: an x86-64 shared object. `spir64_x86_64` is the same code under a name of its own.
    NativeCpu,
    /// SPIR-V, compiled further where it runs.
    Spirv,
    /// SPIR-V, compiled ahead of time by ocloc.
    Gen,
    /// PTX, compiled ahead of time by ptxas.
    Ptx,
    /// A code object for AMD's GPUs, linked by lld.
    AmdGpu,
    /// A device that no code can be made for yet.
    Known,
}

impl Family {
    /// Whether its device passes have the SPIR-V triple.
    pub fn is_spirv(self) -> bool {
        matches!(self, Family::Spirv | Family::Gen)
    }

    /// Whether a device's own compiler finishes its images, so that those it could not run are left out.
    pub fn is_ahead_of_time(self) -> bool {
        matches!(self, Family::Gen | Family::Ptx | Family::AmdGpu)
    }
}

/// The embedded CPU device, whatever x86-64 processor it has.
const NATIVE_CPU: &str = "native_cpu";

/// The same device where the processor has a level of the x86-64 psABI, and the level for clang. Source: docs/decisions/0009.
const LEVELS: [(&str, &str); 3] = [("x86_64_v2", "x86-64-v2"), ("x86_64_v3", "x86-64-v3"), ("x86_64_v4", "x86-64-v4")];

/// Any GPU that ocloc knows; `-device` says which.
const ANY_GPU: &str = "spir64_gen";

/// What names of NVIDIA's targets begin with; the rest is a processor as clang and ptxas spell it.
const NVIDIA: &str = "nvidia_gpu_";

/// The same of AMD's targets; the rest is a processor as LLVM spells it.
const AMD: &str = "amd_gpu_";

/// AMD's processors that LLVM 22 has no code generator for: samples that never were on sale. Their like is gfx942. Source: LLVM 20 "Release
/// Notes", "Changes to the AMDGPU Backend".
const SAMPLES: [&str; 2] = ["amd_gpu_gfx940", "amd_gpu_gfx941"];

/// The triple of their code.
pub const AMD_TRIPLE: &str = "amdgcn-amd-amdhsa";

/// A target of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The name in the database; aliases are resolved.
    pub name: String,
    /// Which code generator it needs.
    pub family: Family,
    /// Macros that only its device passes have, as `NAME=VALUE`.
    pub macros: Vec<String>,
    /// The macros of the analysis that its requirements come from.
    pub analysis_macros: Vec<String>,
    /// What the database knows of it.
    pub info: aspen_devices::Target,
}

impl Target {
    /// The triple that objects and images record.
    pub fn triple(&self) -> &'static str {
        match self.family {
            Family::NativeCpu => "x86_64-pc-linux-gnu",
            Family::Spirv => "spirv64-unknown-unknown",
            Family::Ptx => "nvptx64-nvidia-cuda",
            Family::AmdGpu => AMD_TRIPLE,
            Family::Gen | Family::Known => "spir64_gen",
        }
    }

    /// The maker's name of the processor, `sm_90` or `gfx90a`.
    pub fn processor(&self) -> Option<&str> {
        [NVIDIA, AMD].iter().find_map(|maker| self.name.strip_prefix(maker))
    }

    /// The level of the x86-64 psABI that its code is for, as clang's `-march` takes it.
    pub fn level(&self) -> Option<&'static str> {
        LEVELS.iter().find(|(name, _)| *name == self.name).map(|(_, level)| *level)
    }

    /// A target as objects name it.
    ///
    /// # Errors
    /// If the database has none of that name.
    pub fn by_name(database: &Database, name: &str) -> Result<Target, Error> {
        let found = database.lookup(name);
        let hint = "an object was compiled with a device file; give the same '-fsycl-device-config-file' when linking";
        Ok(Target::of(found.map_err(|error| Error::Usage(format!("device code in the objects: {error}\n  {hint}")))?))
    }

    /// A target as the database has it.
    pub fn of(found: &aspen_devices::Target) -> Target {
        let family = match found.name.as_str() {
            NATIVE_CPU | "spir64_x86_64" | "x86_64" => Family::NativeCpu,
            name if LEVELS.iter().any(|(level, _)| *level == name) => Family::NativeCpu,
            ANY_GPU => Family::Gen,
            name if name.starts_with(NVIDIA) => Family::Ptx,
            name if SAMPLES.contains(&name) => Family::Known,
            name if name.starts_with(AMD) => Family::AmdGpu,
            _ if found.aot_toolchain.is_some() => Family::Gen,
            name if name.starts_with("intel_cpu_") => Family::Known,
            _ => Family::Spirv,
        };
        let macros: Vec<String> = found.pass_macros().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        Target { name: found.name.clone(), family, analysis_macros: macros.clone(), macros, info: found.clone() }
    }
}

/// The compiler for Intel's GPUs, where nothing else is said.
pub const OCLOC: &str = "ocloc";

impl Target {
    /// The options that the database, or the user's file, gives the target's compiler, then the user's own.
    pub fn compiler_options(&self, words: &[String]) -> Vec<String> {
        let mut options = self.info.aot_toolchain_options.as_deref().map(response::split).unwrap_or_default();
        for (option, value) in &self.info.aot_extra {
            options.push(format!("-{option}"));
            options.extend(response::split(value));
        }
        options.extend_from_slice(words);
        options
    }

    /// The compiler that the database, or the user's file, names for the target. It runs in a folder of its own; a path means the one that
    /// the user sees.
    pub fn compiler(&self) -> Option<PathBuf> {
        let name = self.info.aot_toolchain.as_deref()?;
        Some(if name.contains('/') { std::path::absolute(name).unwrap_or_else(|_| name.into()) } else { name.into() })
    }

    /// The run of the target's compiler on code of that form; `None` if it takes no such code.
    pub fn aot(&self, form: Form, words: &[String]) -> Option<Aot> {
        let mut options = self.compiler_options(words);
        let compiler = match (self.family, form) {
            (Family::Gen, Form::Ocloc) => self.compiler().unwrap_or_else(|| OCLOC.into()),
            (Family::Ptx, Form::Ptxas) => {
                options.insert(0, format!("-arch={}", self.processor().unwrap_or_default()));
                self.compiler().unwrap_or_else(|| cuda::ASSEMBLER.into())
            }
            (Family::AmdGpu, Form::Lld) => {
                options.splice(0..0, LINKER_OPTIONS.map(str::to_owned));
                rocm::linker(self.compiler().as_deref())
            }
            _ => return None,
        };
        Some(Aot { form, compiler, options })
    }
}

/// The targets of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Targets {
    /// In the user's order, each once.
    pub list: Vec<Target>,
    /// The macros of all passes, host and device, as `NAME=VALUE`. Source: S3.
    pub macros: Vec<String>,
    /// `-fsycl-fixed-targets`.
    pub fixed: Vec<FixedTarget>,
    /// The built-in table with the user's files.
    pub database: Database,
    /// What is to be said of the user's device files and targets, as it is printed.
    pub warnings: Vec<String>,
}

/// The device file that the runtime reads, too. Links honour it; what a compilation makes must not depend on the environment (DESIGN §7.29).
pub const DEVICE_FILE_VARIABLE: &str = "ASPEN_DEVICE_CONFIG_FILE";

/// Its value.
pub fn device_file_of_environment() -> Option<PathBuf> {
    env::var_os(DEVICE_FILE_VARIABLE).filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// A name that no target has, with the triple that is meant, where it is one with a slip of the hand.
fn with_triple(mut error: UnknownTarget) -> UnknownTarget {
    if error.name.contains('-') {
        let triples = TRIPLES.iter().flat_map(|triple| triple.names).copied().filter(|name| name.contains('-'));
        error.nearest = aspen_devices::nearest(&error.name, triples).map(str::to_owned).or(error.nearest);
    }
    error
}

/// Reads the user's device files, those of the command line after that of the environment, and looks up every target.
///
/// # Errors
/// For a faulty file, an unknown name (with the nearest known one), a device that no code can be made for, and combinations that
/// contradict themselves.
pub fn resolve(options: &Options, from_environment: Option<&Path>) -> Result<Targets, Error> {
    let mut database = Database::builtin().clone();
    let mut warnings = Vec::new();
    for file in from_environment.into_iter().chain(options.config_files.iter().map(PathBuf::as_path)) {
        let bytes = fs::read(file).map_err(|error| Error::file("read", file, error))?;
        let name = file.to_string_lossy();
        let overlaid = aspen_devices::text(&name, &bytes).and_then(|text| database.overlay(&name, text));
        let overlaid = overlaid.map_err(|error| Error::DeviceFile(error.to_string()))?;
        warnings.extend(overlaid.1.iter().map(ToString::to_string));
        database = overlaid.0;
    }
    let defaults = [NATIVE_CPU.to_owned(), "spir64".to_owned()];
    let mut list: Vec<Target> = Vec::new();
    for name in options.targets.as_deref().unwrap_or(&defaults).iter().chain(&wanted_levels(options)?) {
        let found = database.lookup(name).map_err(|error| Error::Usage(format!("'-fsycl-targets': {}", with_triple(error))))?;
        let target = Target::of(found);
        if list.contains(&target) {
            let same = if *name == target.name { String::new() } else { format!(" as '{}'", target.name) };
            warnings.push(format!("aspen++: warning: '-fsycl-targets': '{name}' is listed already{same}; device code is made for it once"));
        } else {
            list.push(target);
        }
    }
    contradictions(&list)?;
    if options.targets.is_some() {
        backend_words(options, &database, &list)?;
    }
    if let Some(known) = list.iter().find(|target| target.family == Family::Known) {
        let why = if SAMPLES.contains(&known.name.as_str()) {
            ": LLVM 22 has no code generator for it ('amd_gpu_gfx942' is what came of it)"
        } else {
            " yet"
        };
        return Err(Error::Usage(format!(
            "'-fsycl-targets': no code can be made for '{0}'{why}; it is known to 'aspen check --device {0}', '-fsycl-fixed-targets' and ASPEN_DEVICE_PROFILE",
            known.name
        )));
    }
    share_analyses(&mut list);
    let macros = macros(list.iter().map(|target| &target.info)).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    let fixed = options.fixed_targets.iter().map(|name| {
        let found = database.lookup(name).map_err(|error| Error::Usage(format!("'-fsycl-fixed-targets': {error}")))?;
        Ok(FixedTarget { spelling: name.clone(), info: found.clone() })
    });
    let fixed = fixed.collect::<Result<_, Error>>()?;
    if options.warnings.is_silent() {
        warnings.clear();
    }
    Ok(Targets { list, macros, fixed, database, warnings })
}

/// The embedded CPU takes its requirements from the analysis for a generic target, if there is one: what `if_device_has` could tell apart
/// is an error there, so both analyses would say the same.
pub fn share_analyses(list: &mut [Target]) {
    if list.iter().any(|target| target.info.generic) {
        for target in list.iter_mut().filter(|target| target.family == Family::NativeCpu) {
            target.analysis_macros.clear();
        }
    }
}

/// Targets that `-Xsycl-target-backend=native_cpu "-march=x86-64-v3"` adds: images for such processors beside those for all.
fn wanted_levels(options: &Options) -> Result<Vec<String>, Error> {
    let mut out = Vec::new();
    for (_, value) in options.backend_options.iter().filter(|(wanted, _)| wanted.as_deref() == Some(NATIVE_CPU)) {
        for word in response::split(value) {
            let level = word.strip_prefix("-march=").and_then(|wanted| LEVELS.iter().find(|(_, level)| *level == wanted));
            let (name, _) = level.ok_or_else(|| {
                let known = LEVELS.map(|(_, level)| format!("'-march={level}'")).join(", ");
                Error::Usage(format!("'-Xsycl-target-backend={NATIVE_CPU}': it takes {known}, not '{word}'"))
            })?;
            out.push((*name).to_owned());
        }
    }
    Ok(out)
}

/// `spir64_gen` says by `-Xs "-device X"` which device it means; a named device says so itself. Source: S4 "Changes to compiler driver".
fn contradictions(list: &[Target]) -> Result<(), Error> {
    let generic = list.iter().any(|target| target.name == ANY_GPU);
    let named = list.iter().find(|target| target.family == Family::Gen && target.name != ANY_GPU);
    let Some(named) = named else { return Ok(()) };
    if generic {
        let name = &named.name;
        return Err(Error::Usage(format!(
            "'-fsycl-targets': 'spir64_gen' and '{name}' are both for ocloc; name the devices, or use 'spir64_gen' alone"
        )));
    }
    Ok(())
}

/// What `-Xs` and `-Xsycl-target-backend` say to the compilers of these targets, a list of words a target. Source: S4.
///
/// # Errors
/// If `-device` is left out for `spir64_gen` or given for a device that has a name, or if a target is named that there is not.
pub fn backend_words(options: &Options, database: &Database, targets: &[Target]) -> Result<Vec<Vec<String>>, Error> {
    let mut out = vec![Vec::new(); targets.len()];
    for level in wanted_levels(options)? {
        if !targets.iter().any(|target| target.name == level) {
            return Err(Error::Usage(format!(
                "'-Xsycl-target-backend={NATIVE_CPU}': the objects hold no code for '{level}'; give the same option when compiling them"
            )));
        }
    }
    for (wanted, value) in &options.backend_options {
        let wanted = match wanted {
            None => None,
            Some(name) => {
                let found = database.lookup(name).map_err(|error| Error::Usage(format!("'-Xsycl-target-backend={name}': {error}")))?;
                let is_made = targets.iter().any(|target| target.name == found.name);
                if !is_made || found.name == NATIVE_CPU {
                    continue; // `unused_words` tells
                }
                Some(&found.name)
            }
        };
        // `-Xs` is for ocloc where it runs, as ever; else for ptxas, and for lld where only that does.
        let runs = |family: &Family| targets.iter().any(|target| target.family == *family);
        let gpus = [Family::Gen, Family::Ptx].into_iter().find(runs).unwrap_or(Family::AmdGpu);
        let meant = |target: &Target| match wanted {
            None => target.family == gpus,
            Some(name) => *name == target.name,
        };
        for (target, words) in targets.iter().zip(&mut out).filter(|(target, _)| meant(target)) {
            if target.family.is_ahead_of_time() {
                words.extend(response::split(value));
            }
        }
    }
    for (target, words) in targets.iter().zip(&out).filter(|(target, _)| target.family == Family::Gen) {
        let name = &target.name;
        let names_device = words.iter().any(|word| word == "-device");
        // By the name: a user's file may say what all its devices have (S0's form of such files), and it still means any of them.
        let any_device = name == ANY_GPU;
        if any_device && !names_device && options.stage == Stage::Link && options.side == Side::Both {
            return Err(Error::Usage(format!(
                "'{name}' stands for any GPU: say which by '-Xs \"-device X\"', or name targets 'intel_gpu_X'"
            )));
        }
        if !any_device && names_device {
            return Err(Error::Usage(format!("target '{name}' says which device it is for; leave out '-device', or use 'spir64_gen'")));
        }
    }
    Ok(out)
}

/// What is to be said of words for backends that do not run in a link for these targets.
pub fn unused_words(options: &Options, database: &Database, targets: &[Target]) -> Vec<String> {
    let mut out = Vec::new();
    for (wanted, _) in &options.backend_options {
        let sentence = match wanted {
            None if targets.iter().any(|target| target.family.is_ahead_of_time()) => continue,
            None => "'-Xs' is not used: no target of this link is compiled ahead of time".to_owned(),
            Some(name) => {
                let found = database.lookup(name).ok().and_then(|found| targets.iter().find(|target| target.name == found.name));
                match found.map(|target| target.family) {
                    // Build systems say it for all targets that they know of.
                    None => format!("'-Xsycl-target-backend={name}' is not used: code is made for other targets only"),
                    Some(Family::Spirv) => format!("'-Xsycl-target-backend={name}' is not used: its device code is compiled where it runs"),
                    Some(Family::NativeCpu) if name != NATIVE_CPU => {
                        format!("'-Xsycl-target-backend={name}' is not used: no compiler runs for it that would take options")
                    }
                    _ => continue,
                }
            }
        };
        if !out.contains(&sentence) {
            out.push(sentence);
        }
    }
    out
}
