//! The clang commands of one source: the host pass, and the device passes its targets need.
//!
//! Requirements are computed on the SPIR-V triple only, so there is an analysis pass for each distinct set of macros, also when no SPIR-V
//! target wants its code. Source: DESIGN §7.13, §7.16; ARCHITECTURE "The header and the compiler"; DEVICE_CODE §10.

use std::path::{Path, PathBuf};

use aspen_codegen::Ptx;
use aspen_devices::Database;

use crate::args::{Dialect, Group, Input, Options, Requirements, Severity, Side, Stage};
use crate::beside;
use crate::depfile;
use crate::error::Error;
use crate::fixed::FixedTarget;
use crate::jobs::Command;
use crate::modules;
use crate::precompiled::{Kept, Precompiled};
use crate::prefix_map::PrefixMap;
use crate::preprocessed::{self, Text};
use crate::sanitizers;
use crate::scratch::Scratch;
use crate::targets::{AMD_TRIPLE, Family, Target};
use crate::toolchain::Toolchain;

/// What a pass is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// Host code.
    Host,
    /// SPIR-V triple: requirements and findings; its bitcode is also the code of `targets`, which may be none.
    Analysis {
        /// Indices of the run's targets.
        targets: Vec<usize>,
        /// The macros it was run with.
        macros: Vec<String>,
    },
    /// Another triple, for the target of that index.
    Code {
        /// Index of the run's target.
        target: usize,
    },
}

/// One run of clang.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// What it is for.
    pub role: Role,
    /// The command.
    pub command: Command,
    /// The object or bitcode; `None` when clang writes to standard output or writes nothing.
    pub output: Option<PathBuf>,
    /// What the plugin reports.
    pub report: PathBuf,
    /// The dependencies, if asked for.
    pub depfile: Option<PathBuf>,
}

/// Everything that is the same for all sources of a run.
pub struct PassBuilder<'a> {
    /// The user's command line.
    pub options: &'a Options,
    /// The tools.
    pub toolchain: &'a Toolchain,
    /// What code is wanted for.
    pub targets: &'a [Target],
    /// The macros of every pass, as `NAME=VALUE`.
    pub macros: &'a [String],
    /// What the program promises to run on.
    pub fixed: &'a [FixedTarget],
    /// Where targets of objects are looked up.
    pub database: &'a Database,
    /// Whether clang shall colour its words.
    pub color: bool,
    /// SYCL's header, precompiled for those whom it serves.
    pub kept: Option<&'a Kept>,
}

/// Macros that are the compiler's own, in every pass: programs ask for them before they include anything. Source: S4; SYCL 2020 §6.3.
pub const PREDEFINED: [&str; 3] = ["__ASPEN__=1", "SYCL_EXT_ONEAPI_DEVICE_IF=1", "__SYCL_UNNAMED_LAMBDA__=1"];

/// libstdc++'s own assertions and glibc's checked copies end the program, which only the host can; they would be errors in `std::array` and the
/// like. (The user's `assert` is in the headers.)
const WITHOUT_HOST_CHECKS: [&str; 3] = ["-U_GLIBCXX_ASSERTIONS", "-D_GLIBCXX_NO_ASSERTIONS", "-U_FORTIFY_SOURCE"];

/// Options of the host that clang's driver offers to each target.
const OF_ONE_TARGET: [&str; 9] = [
    "-fsanitize",
    "-fno-sanitize",
    "-fprofile",
    "-fno-profile",
    "-fcoverage",
    "--coverage",
    "-coverage",
    "-fcf-protection",
    "-ftest-coverage",
];

impl PassBuilder<'_> {
    /// The passes of a SYCL source, host first.
    ///
    /// # Errors
    /// If the source is preprocessed and lacks the text of one.
    pub fn passes(&self, input: &Input, scratch: &mut Scratch) -> Result<Vec<Pass>, Error> {
        let mut passes = Vec::new();
        if self.options.side != Side::Device {
            passes.push(self.host(input, scratch));
        }
        if self.options.side != Side::Host {
            passes.extend(device_roles(self.targets).into_iter().map(|role| self.device(input, role, scratch)));
        }
        for pass in &mut passes {
            let part = preprocessed::part_name(&pass.role, self.targets);
            modules::resolve(&mut pass.command.arguments, &pass.role, &part)?;
            if let Some(text) = &input.text {
                pass.command.input = Some(text.of(&part).ok_or_else(|| preprocessed::lacks(input, pass, &part))?);
            }
        }
        Ok(passes)
    }

    /// The one host pass of a SYCL source, with its object in the scratch folder.
    fn host(&self, input: &Input, scratch: &mut Scratch) -> Pass {
        let output = scratch.file(input.stem(), "host.o");
        let mut arguments = vec!["-fsycl".into(), "-fsycl-host-only".into()];
        arguments.extend(PREDEFINED.into_iter().chain(self.macros.iter().map(String::as_str)).map(|text| format!("-D{text}")));
        arguments.extend(self.backends());
        let words = self.options.host_words();
        let beside = beside::words(self.options, input, &words);
        for word in words {
            if OF_ONE_TARGET.iter().any(|start| word.starts_with(start)) {
                arguments.push("-Xarch_host".into()); // else clang warns that it ignores the option for the device it does not compile for
            }
            // Bitcode has no room for device code; a fat object has, and holds the bitcode too.
            let is_lto = word.starts_with("-flto");
            arguments.push(word);
            arguments.extend(is_lto.then(|| "-ffat-lto-objects".to_owned()));
        }
        arguments.extend(beside);
        self.finish(Role::Host, arguments, input, output, scratch)
    }

    fn host_has_exceptions(&self) -> bool {
        let words = self.options.host_words();
        let last = words.iter().rev().find_map(|word| match word.as_str() {
            "-fexceptions" | "-fcxx-exceptions" => Some(true),
            "-fno-exceptions" | "-fno-cxx-exceptions" => Some(false),
            _ => None,
        });
        last.unwrap_or(true)
    }

    /// Whether the pass derives what kernels need: also one for code that is asked for alone, without an analysis beside it.
    fn analyses(&self, role: &Role) -> bool {
        match role {
            Role::Host => false,
            Role::Analysis { .. } => true,
            Role::Code { .. } => self.options.side == Side::Device,
        }
    }

    /// DPC++'s macros of backends whose objects a program may take: they bring the vendors' headers with them, so only who compiles for such a
    /// device has them.
    fn backends(&self) -> Vec<String> {
        let has = |family| self.targets.iter().any(|target| target.family == family);
        let of = [(Family::Ptx, "-DSYCL_EXT_ONEAPI_BACKEND_CUDA=1"), (Family::AmdGpu, "-DSYCL_EXT_ONEAPI_BACKEND_HIP=1")];
        of.into_iter().filter(|(family, _)| has(*family)).map(|(_, word)| word.to_owned()).collect()
    }

    fn device(&self, input: &Input, role: Role, scratch: &mut Scratch) -> Pass {
        let (target, macros): (Option<&Target>, &[String]) = match &role {
            Role::Code { target } => (Some(&self.targets[*target]), &self.targets[*target].macros),
            Role::Analysis { macros, .. } => (None, macros),
            Role::Host => (None, &[]),
        };
        let name = target.map_or_else(|| analysis_name(&role, self.targets), |target| target.name.clone());
        let output = scratch.file(input.stem(), &format!("{name}.bc"));
        let mut arguments: Vec<String> = match target.map(|target| target.family) {
            Some(Family::NativeCpu) => {
                // Without a host beside it clang 22 crashes on `__bf16`, which <immintrin.h> has.
                let host = ["-Xclang", "-aux-triple", "-Xclang", "x86_64-pc-linux-gnu"];
                let flags = ["--target=x86_64-pc-linux-gnu", "-Xclang", "-fsycl-is-device", "-Xclang", "-sycl-std=2020", "-fPIC"];
                let level = target.and_then(Target::level).map(|level| format!("-march={level}"));
                // With one, that host's builtins are known, and <cpuid.h> defines a function of the name of one.
                let builtin = ["-D__cpuidex=__aspen_cpuidex"];
                flags.into_iter().chain(host).chain(builtin).map(str::to_owned).chain(level).collect()
            }
            Some(family @ (Family::Ptx | Family::AmdGpu)) => gpu_words(family, target.and_then(Target::processor).unwrap_or_default()),
            _ => {
                // Macros are the host's, `__SSE2__` among them, and clang makes code of the host's classes that have virtual functions, too.
                let features = ["-Xclang", "-target-feature", "-Xclang", "+sse", "-Xclang", "-target-feature", "-Xclang", "+sse2"];
                ["-fsycl", "-fsycl-device-only"].into_iter().chain(features).map(str::to_owned).collect()
            }
        };
        if self.analyses(&role) {
            // The plugin learns of virtual calls' classes by it.
            arguments.extend(["-Xclang", "-flto-unit", "-Xclang", "-fwhole-program-vtables"].map(str::to_owned));
        }
        // `-fdebug-compilation-dir`: the same source gives the same bitcode in every folder. Later DWARF has digests of headers in it, which
        // nobody reads and preprocessed text lacks.
        let fixed = ["-fno-math-errno", "-fno-exceptions", "-gdwarf-4", "-gline-tables-only", "-fdebug-compilation-dir=."];
        arguments.extend(fixed.map(str::to_owned));
        let family = target.map_or(Family::Spirv, |target| target.family);
        let level = self.device_level(family);
        arguments.push(format!("-O{level}"));
        if family == Family::NativeCpu && matches!(level, "3" | "4" | "fast") {
            // What clang does more of at 3 costs here: promoted arguments make LLVM forget that work-items are independent, and loops over
            // them are copied for conditions (docs/decisions/0050). The driver's level stays, and what follows from it for arithmetic.
            arguments.extend(["-Xclang", "-O2"].map(str::to_owned));
        }
        if family == Family::NativeCpu && !matches!(level, "0" | "1" | "s" | "z") {
            // Loops of a few turns are unrolled as at 3 all the same: private arrays become values by it.
            arguments.extend(["-mllvm", "-unroll-threshold-default=300"].map(str::to_owned));
        }
        if family == Family::NativeCpu {
            // A loop whose turns are known at run time only is not made two, of which one has turns left over: what items keep from one to the
            // other would be in the way of loops over items (docs/decisions/0012). The link does that, after those.
            arguments.extend(["-mllvm", "-unroll-runtime=0"].map(str::to_owned));
        }
        if target.is_none_or(|target| !matches!(target.family, Family::Ptx | Family::AmdGpu)) {
            // On the embedded CPU loops over work-items come first, and these are made when an image is linked; those that say what they are,
            // are vectorised here. SPIR-V has not all that vectorised loops use, and its drivers make vectors of work-items, too.
            arguments.extend(["-fno-vectorize", "-fno-slp-vectorize"].map(str::to_owned));
        }
        if self.host_has_exceptions() {
            // As the host has them, so that both compile the same program: the plugin hides the first one from the C++ library.
            arguments.extend(["-D__cpp_exceptions=199711L", "-D__EXCEPTIONS=1"].map(str::to_owned));
        }
        let given = self.macros.iter().chain(macros).map(String::as_str);
        arguments.extend(PREDEFINED.into_iter().chain(given).map(|text| format!("-D{text}")));
        arguments.extend(self.backends());
        for word in self.options.device_words() {
            // clang's driver knows the option for processors of hosts only; classes are as large in all passes.
            let is_given = arguments.last().is_some_and(|before| before == "-Xclang");
            let compilers_own = target.is_none() && word.starts_with("-mlong-double-") && !is_given;
            arguments.extend(compilers_own.then(|| "-Xclang".to_owned()));
            arguments.push(word);
        }
        if target.is_some_and(|target| target.family == Family::NativeCpu) {
            arguments.extend(sanitizers::of_kernels(self.options.host_words().iter().map(String::as_str)));
        } else {
            arguments.extend(WITHOUT_HOST_CHECKS.map(str::to_owned));
        }
        self.finish(role, arguments, input, output, scratch)
    }

    /// The level of device passes: the user's; unoptimised SPIR-V is not valid, so `-O0` is `-O1` there. Without any `-O`, code that will
    /// run is optimised unless it is to be debugged, and IR that is to be read is as clang makes it.
    fn device_level(&self, family: Family) -> &str {
        let level = match self.options.optimisation.as_deref() {
            Some(level) => level,
            None if self.options.side == Side::Device || self.options.debug => "0",
            None => "2",
        };
        if level == "0" && family != Family::NativeCpu && self.options.side != Side::Device { "1" } else { level }
    }

    /// The level that an object records for code generation at link.
    pub fn recorded_level(&self) -> String {
        match self.device_level(Family::NativeCpu) {
            "" => "1".into(), // plain `-O`
            level => level.into(),
        }
    }

    fn finish(&self, role: Role, mut arguments: Vec<String>, input: &Input, output: PathBuf, scratch: &mut Scratch) -> Pass {
        let options = self.options;
        let is_bundle = input.text.as_ref().is_some_and(Text::is_bundle); // its headers are in it
        let precompiled = options.precompiled.as_ref().filter(|_| !is_bundle);
        let of_headers = match precompiled {
            Some(Precompiled::Use(file)) if options.stage == Stage::Preprocess => vec!["-include".into(), file.clone()],
            Some(Precompiled::Keep) => self.kept.map(|kept| kept.words_to_make(kind_of(&role), &arguments)).unwrap_or_default(),
            Some(precompiled) => precompiled.words(kind_of(&role), &arguments),
            None => {
                let kept = self.kept.filter(|kept| kept.serves(input).is_some());
                kept.map(|kept| kept.words(kind_of(&role), &arguments)).unwrap_or_default()
            }
        };
        arguments.splice(0..0, of_headers);
        let (part, unwanted) = (preprocessed::part_name(&role, self.targets), scratch.beside(&output, "pcm"));
        arguments.extend(options.interface.words(input, &role, &part, &unwanted));
        let report = precompiled.and_then(Precompiled::report).filter(|_| role == Role::Host);
        let report = report.unwrap_or_else(|| scratch.beside(&output, "report"));
        let mut depfile = None;
        if let (Some(wanted), false) = (&options.depfile, is_bundle) {
            let file = scratch.beside(&output, "d");
            arguments.extend([depfile::option(wanted).into(), "-MF".into(), text(&file), "-MT".into(), "object".into()]);
            depfile = Some(file);
        }
        arguments.extend(["-isystem".into(), text(&self.toolchain.include)]);
        // `#include <sycl.hpp>`: DPC++ had this folder in its path until 2025. Last of all, so that no header of others is hidden.
        arguments.extend(["-idirafter".into(), text(&self.toolchain.include.join("sycl"))]);
        arguments.extend(self.words_about_words());
        arguments.extend(self.plugin(&role, &report));
        let output = self.stage_arguments(&role, &mut arguments, output);
        if let Some(text) = &input.text {
            text.adapt(&input.path, &mut arguments);
        }
        let (name, map) = (input.name(), PrefixMap::of(options));
        if map.path(name) != name {
            // Modules name their source; clang maps it in debug information only.
            arguments.extend(["-Xclang", "-plugin-arg-aspen", "-Xclang"].map(String::from));
            arguments.push(format!("source={}", map.path(name)));
        }
        let read = if input.text.is_some() { "-".into() } else { input.path.clone() };
        let language = input.language.clone().filter(|_| !is_bundle).unwrap_or_else(|| "c++".into());
        arguments.extend(["-x".into(), language, read]);
        let command = Command::new(&self.toolchain.clang, arguments);
        Pass { role, command, output, report, depfile }
    }

    /// What the pass writes, by the stage at which the run ends. Returns the output file.
    fn stage_arguments(&self, role: &Role, arguments: &mut Vec<String>, output: PathBuf) -> Option<PathBuf> {
        let device = *role != Role::Host;
        // What code needs shows in IR only, also to those who want no more than to be told.
        let judges = matches!(role, Role::Analysis { .. }) && !self.makes_header();
        let stage = match self.options.stage {
            Stage::Preprocess => Some("-E"),
            Stage::Syntax if !judges => Some("-fsyntax-only"),
            Stage::Assembly if !device || self.options.side == Side::Device => Some("-S"),
            // To text device code can be added.
            Stage::Object if !device && self.options.emit_llvm && self.options.side == Side::Both => Some("-S"),
            _ => Some("-c"),
        };
        arguments.extend(stage.map(str::to_owned));
        if self.options.verbose && !self.options.print_only && (self.options.stage == Stage::Preprocess || !device) {
            arguments.push("-v".into()); // where headers are looked for, in clang's own words, which CMake reads
        }
        let writes = match self.options.stage {
            Stage::Preprocess => false,
            Stage::Syntax => judges,
            Stage::Assembly | Stage::Object | Stage::Link => true,
        };
        if (device && writes) || self.options.emit_llvm {
            arguments.push("-emit-llvm".into());
        }
        if !writes {
            return None;
        }
        arguments.extend(["-o".into(), text(&output)]);
        Some(output)
    }

    /// How clang shall print what it finds: for people, or a line for each finding.
    pub fn words_about_words(&self) -> Vec<String> {
        self.options.look.words(self.color)
    }

    /// Whether the run makes a precompiled header, or the interface of a module, and no code.
    fn makes_header(&self) -> bool {
        matches!(self.options.precompiled, Some(Precompiled::Make(_) | Precompiled::Keep)) || self.options.interface.alone
    }

    fn plugin(&self, role: &Role, report: &Path) -> Vec<String> {
        if self.options.stage == Stage::Preprocess {
            return Vec::new(); // it acts on what the preprocessor leaves
        }
        let pass = kind_of(role);
        let dialect = match self.options.dialect {
            Dialect::Seed => "seed",
            Dialect::Dpcpp => "dpcpp",
        };
        let mut arguments = vec![format!("-fplugin={}", self.toolchain.plugin.display())];
        for setting in [format!("pass={pass}"), format!("report={}", report.display()), format!("dialect={dialect}")] {
            arguments.extend(["-Xclang".into(), "-plugin-arg-aspen".into(), "-Xclang".into(), setting]);
        }
        if self.options.requirements == Requirements::Optimized && matches!(role, Role::Analysis { .. }) {
            arguments.extend(["-Xclang", "-plugin-arg-aspen", "-Xclang", "requirements=optimized"].map(str::to_owned));
        }
        if matches!(role, Role::Analysis { targets, .. } if targets.is_empty() || self.options.stage == Stage::Syntax) {
            arguments.extend(["-Xclang", "-plugin-arg-aspen", "-Xclang", "code=no"].map(str::to_owned));
        }
        if matches!(role, Role::Code { .. }) && self.analyses(role) {
            arguments.extend(["-Xclang", "-plugin-arg-aspen", "-Xclang", "metadata=yes"].map(str::to_owned));
        }
        if pass != "host" && self.options.warnings.severity_of_error(Group::Strict) != Severity::Error {
            arguments.extend(["-Xclang", "-plugin-arg-aspen", "-Xclang", "host=yes"].map(str::to_owned));
        }
        arguments
    }
}

/// Programs run on x86-64 Linux: libaspen.so is for that, and device code is laid out as the host's. Said before anything runs, instead of
/// errors in the system's headers.
///
/// # Errors
/// If the words name another machine.
pub fn check_host(options: &Options) -> Result<(), Error> {
    let words = options.host_words();
    for (index, word) in words.iter().enumerate() {
        let triple = match word.as_str() {
            "-m16" | "-m32" | "-mx32" => Some(""),
            "-target" | "--target" => words.get(index + 1).map(String::as_str),
            joined => joined.strip_prefix("--target="),
        };
        let fits = |triple: &str| (triple.starts_with("x86_64-") || triple.starts_with("amd64-")) && triple.contains("linux");
        if let Some(triple) = triple.filter(|triple| !fits(triple)) {
            let shown = if word.contains('=') || triple.is_empty() { word.clone() } else { format!("{word} {triple}") };
            return Err(Error::Usage(format!(
                "'{shown}': aspen++ makes programs for x86-64 Linux only; '-fsycl-targets' names the devices that they run kernels on"
            )));
        }
    }
    Ok(())
}

/// clang's driver knows no header folders for the processors of GPUs, and device code needs those of the host. So the driver compiles for the
/// host, and the compiler proper is told the other triple: of an option given twice it takes the last. Source: DEVICE_CODE §5 (N).
/// Products and sums become one instruction across statements too, as in clang's CUDA and HIP, unless a later word says otherwise.
fn gpu_words(family: Family, processor: &str) -> Vec<String> {
    let mut words = ["--target=x86_64-pc-linux-gnu", "-ffp-contract=fast"].map(str::to_owned).to_vec();
    let triple = if family == Family::Ptx { "nvptx64-nvidia-cuda" } else { AMD_TRIPLE };
    let mut compiler = vec!["-triple", triple, "-aux-triple", "x86_64-pc-linux-gnu"];
    compiler.extend(["-target-cpu", processor, "-tune-cpu", processor, "-fsycl-is-device", "-sycl-std=2020"]);
    let features = if family == Family::Ptx { Ptx::features(processor) } else { "" };
    if !features.is_empty() {
        compiler.extend(["-target-feature", features]);
    }
    if family == Family::AmdGpu {
        // What ROCm 6 and later load, and what the header counts on (include/aspen/hip.h).
        compiler.push("-mcode-object-version=5");
    }
    words.extend(compiler.into_iter().flat_map(|word| ["-Xclang".to_owned(), word.to_owned()]));
    if family == Family::Ptx {
        // The other name is CUDA's own, and headers take its types and functions where it is defined. Source: DPC++'s NVPTX target.
        let digits: String = processor.chars().filter(char::is_ascii_digit).collect();
        words.extend(["-U__CUDA_ARCH__".to_owned(), format!("-D__SYCL_CUDA_ARCH__={digits}0")]);
    }
    words
}

/// The device passes that targets need: one analysis for each distinct set of macros, and one code pass for each other triple.
fn device_roles(targets: &[Target]) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let own = if target.family.is_spirv() { vec![index] } else { Vec::new() };
        let same = roles.iter_mut().find_map(|role| match role {
            Role::Analysis { targets, macros } if *macros == target.analysis_macros => Some(targets),
            _ => None,
        });
        match same {
            Some(targets) => targets.extend(own),
            None => roles.push(Role::Analysis { targets: own, macros: target.analysis_macros.clone() }),
        }
    }
    let others = targets.iter().enumerate().filter(|(_, target)| !target.family.is_spirv());
    roles.extend(others.map(|(target, _)| Role::Code { target }));
    roles
}

/// A pass's kind as the plugin calls it.
fn kind_of(role: &Role) -> &'static str {
    match role {
        Role::Host => "host",
        Role::Analysis { .. } => "analysis",
        Role::Code { .. } => "code",
    }
}

fn analysis_name(role: &Role, targets: &[Target]) -> String {
    match role {
        Role::Analysis { targets: indices, .. } => indices.first().map_or_else(|| "analysis".into(), |&index| targets[index].name.clone()),
        Role::Host | Role::Code { .. } => "device".into(),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
