//! Code generation in worker processes, one an image.
//!
//! LLVM 22's SPIR-V back end keeps state that makes a second module of the same process invalid, and any back end may crash on code it
//! does not know. So each image is compiled by a fork of this process (see [`crate::worker`]), and a crash is an error that names the
//! image. Source: DESIGN §9.

use std::ffi::{CStr, CString};
use std::io;
use std::num::NonZeroUsize;
use std::ptr;

use llvm_sys::target_machine::*;

use crate::addresses::compare_as_integers;
use crate::attach::prepare_for_spirv;
use crate::calls::uses_function_pointers;
use crate::dialect::Kinds;
use crate::ffi;
use crate::formats::put_formats_in_constant_memory;
use crate::ir::{ModuleRef, Value, attribute_kind, take_message};
use crate::item_loops::{self, ItemLoops};
use crate::legalise::legalise_for_spirv;
use crate::module::{Buffer, Context, Module};
use crate::worker::{Finished, WorkerError, in_workers};

/// What to make of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// SPIR-V for OpenCL environments, without debug info, of the lowest version that the module needs: drivers take what is older than
    /// they are.
    SpirV {
        /// Extensions that may be used, `SPV_EXT_shader_atomic_float_add`.
        extensions: Vec<String>,
        /// More extensions, for modules that call through pointers or take a function's address.
        pointer_extensions: Vec<String>,
    },
    /// A position-independent x86-64 ELF object, with functions for whole groups where that is wanted.
    X86_64Object(X86_64Object),
    /// PTX, as text.
    Ptx(crate::ptx::Ptx),
    /// An ELF object for one of AMD's GPUs, to be linked by lld.
    AmdGpu(crate::amdgpu::AmdGpu),
}

/// What an x86-64 object gets besides its code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct X86_64Object {
    /// Functions for whole groups.
    pub item_loops: Option<Box<ItemLoops>>,
    /// Constants that say what functions need and do.
    pub facts: FunctionFacts,
}

/// Which functions get constants, and what these are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionFacts {
    /// Before the function's symbol: the bytes of stack that it needs.
    pub stack: CString,
    /// Before the function's symbol: that it waits for nothing.
    pub prompt: CString,
    /// Before a kernel's symbol: the record with further functions of the kernel ([`ItemLoops::prefix`]).
    pub group: CString,
    /// Functions that need no more stack have no constant for it.
    pub least: u64,
}

/// One image to generate.
#[derive(Clone, Debug)]
pub struct Job {
    /// The image's name, for messages.
    pub name: String,
    /// The module.
    pub bitcode: Vec<u8>,
    /// A pipeline in `opt -passes` syntax that runs first; may be empty.
    pub passes: String,
    /// Whether debug info stays; never for SPIR-V, whose consumers choke on it.
    pub debug: bool,
    /// Effort of code generation, 0 to 3.
    pub opt_level: u8,
    /// What to make.
    pub output: Output,
}

/// What a worker made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// The SPIR-V module or the object file.
    pub bytes: Vec<u8>,
    /// What LLVM printed on the way; usually nothing.
    pub messages: String,
}

impl From<Finished> for Generated {
    fn from(finished: Finished) -> Generated {
        Generated { bytes: finished.bytes, messages: finished.messages }
    }
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// LLVM refused the module or crashed on it.
    #[error("cannot generate code for image '{image}': {reason}")]
    Failed {
        /// [`Job::name`].
        image: String,
        /// LLVM's words, or how it died.
        reason: String,
    },
    /// No worker could be started or read.
    #[error("cannot run code generation for image '{image}': {error}")]
    Worker {
        /// [`Job::name`].
        image: String,
        /// What the system says.
        error: io::Error,
    },
    /// Forking would copy only one of several threads.
    #[error("cannot run code generation for image '{image}': this process has {threads} threads and its workers need a process with one")]
    Threads {
        /// [`Job::name`].
        image: String,
        /// How many there are.
        threads: usize,
    },
}

/// Generates code for all jobs, up to `parallelism` at a time. Results stand in the order of the jobs; the bytes of one do not depend on
/// the others.
///
/// The calling process must have one thread.
pub fn generate(jobs: &[Job], parallelism: NonZeroUsize) -> Vec<Result<Generated, CodegenError>> {
    generate_with(jobs, parallelism, &mut |_| {})
}

/// The same, and tells after each job how many are done.
pub fn generate_with(jobs: &[Job], parallelism: NonZeroUsize, done: &mut dyn FnMut(usize)) -> Vec<Result<Generated, CodegenError>> {
    initialise();
    let mut results: Vec<Option<Result<Generated, CodegenError>>> = jobs.iter().map(|_| None).collect();
    let mut round = |wanted: &[usize], version: Option<SpirvVersion>| {
        in_workers(wanted.len(), parallelism, &|place| compile(&jobs[wanted[place]], version), &mut |place, result| {
            let index = wanted[place];
            results[index] = Some(result.map_err(|error| of_image(&jobs[index], error)).map(Generated::from));
            done(results.iter().flatten().count());
        });
        let too_old = |result: &Result<Generated, CodegenError>| matches!(result, Err(CodegenError::Failed { reason, .. }) if reason.contains(SpirvVersion::TOO_OLD));
        (0..jobs.len()).filter(|&index| results[index].as_ref().is_some_and(too_old)).collect::<Vec<usize>>()
    };
    let all: Vec<usize> = (0..jobs.len()).collect();
    let again = round(&all, None);
    if !again.is_empty() {
        round(&again, Some(SpirvVersion::LATEST));
    }
    results.into_iter().map(|result| result.expect("every job has finished or failed")).collect()
}

/// SPIR-V 1.x. The back end takes the version from the triple, and refuses what needs a later one, with one exception: it leaves out the
/// capability of a required sub-group size. Source: SPIR-V specification, "Missing before".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SpirvVersion(u8);

/// Whether SPIR-V may call a function that no device code defines: the back end knows it as an instruction. Source: DEVICE_CODE.
pub fn spirv_provides(symbol: &str) -> bool {
    symbol == "printf" || symbol.contains("__spirv_")
}

impl SpirvVersion {
    const LATEST: SpirvVersion = SpirvVersion(4);
    /// LLVM's words for code that needs a later version (or an extension that is not allowed).
    const TOO_OLD: &str = "Unable to meet SPIR-V requirements";

    /// The least that what is declared needs; what instructions need, LLVM finds.
    fn of(module: ModuleRef<'_>) -> SpirvVersion {
        let sub_group_size = Kinds::ids(module).sub_group;
        let dereferenceable = attribute_kind("dereferenceable");
        let needed = |function: Value<'_>| {
            if function.name().contains("__spirv_GroupNonUniform") {
                return SpirvVersion(3);
            }
            // References become pointers with MaxByteOffset, which LLVM does not count.
            if function.any_parameter_has(dereferenceable) {
                return SpirvVersion(1);
            }
            let sized = function.global_metadata(module).iter().any(|(kind, _)| *kind == sub_group_size);
            SpirvVersion(u8::from(sized))
        };
        module.functions().map(needed).max().unwrap_or(SpirvVersion(0))
    }

    /// DPC++'s and the design documents' name for the target is spir64.
    fn triple(self, triple: &str) -> String {
        triple.replacen("spir64", "spirv64", 1).replacen("spirv64-", &format!("spirv64v1.{}-", self.0), 1)
    }
}

fn of_image(job: &Job, error: WorkerError) -> CodegenError {
    let image = job.name.clone();
    match error {
        WorkerError::Failed(reason) => CodegenError::Failed { image, reason },
        WorkerError::System(error) => CodegenError::Worker { image, error },
        WorkerError::Threads(threads) => CodegenError::Threads { image, threads },
    }
}

fn initialise() {
    // SAFETY: registering targets; idempotent, and this process has one thread.
    unsafe {
        ffi::LLVMInitializeSPIRVTargetInfo();
        ffi::LLVMInitializeSPIRVTarget();
        ffi::LLVMInitializeSPIRVTargetMC();
        ffi::LLVMInitializeSPIRVAsmPrinter();
        ffi::LLVMInitializeX86TargetInfo();
        ffi::LLVMInitializeX86Target();
        ffi::LLVMInitializeX86TargetMC();
        ffi::LLVMInitializeX86AsmPrinter();
        // Functions of other images are a line of assembly (`shared_calls`).
        ffi::LLVMInitializeX86AsmParser();
        ffi::LLVMInitializeNVPTXTargetInfo();
        ffi::LLVMInitializeNVPTXTarget();
        ffi::LLVMInitializeNVPTXTargetMC();
        ffi::LLVMInitializeNVPTXAsmPrinter();
        ffi::LLVMInitializeAMDGPUTargetInfo();
        ffi::LLVMInitializeAMDGPUTarget();
        ffi::LLVMInitializeAMDGPUTargetMC();
        ffi::LLVMInitializeAMDGPUAsmPrinter();
        // Inline assembly goes into an object.
        ffi::LLVMInitializeAMDGPUAsmParser();
    }
}

/// Command-line options are LLVM's only way to choose SPIR-V extensions; they are global, which a worker need not mind.
///
/// Without CodeGenPrepare: it turns loops that count down into additions with carry (`OpIAddCarry`), which drivers of 2022 and 2023 do not
/// know; what else it does suits processors only. Without strength reduction of loops: its variables may have widths that legalisation has just removed
/// (`trunc i64 … to i4` for a bit reversal, of which the back end makes a phi of two types), and drivers make their own.
fn allow_extensions(extensions: &[String]) -> Result<(), String> {
    let list: Vec<String> = extensions.iter().map(|extension| format!("+{extension}")).collect();
    let option = CString::new(format!("--spirv-ext={}", list.join(","))).map_err(|error| error.to_string())?;
    let arguments = [c"aspen".as_ptr(), c"--disable-cgp".as_ptr(), c"--disable-lsr".as_ptr(), option.as_ptr()];
    let count = if extensions.is_empty() { 3 } else { 4 };
    // SAFETY: valid strings and their count; the message is ours.
    match unsafe { take_message(ffi::aspen_llvm_set_options(count, arguments.as_ptr())) } {
        None => Ok(()),
        Some(reason) => Err(reason.trim().to_owned()),
    }
}

/// Strength reduction of loops takes more than linear time, and so does splitting long live ranges: in functions of this many instructions
/// each is a third to a half of all code generation, and minutes for kernels that are unrolled. There is no way to leave them out for a
/// function alone.
const MOST_AT_EASE: usize = 5000;

fn bound_code_generation(module: ModuleRef<'_>) -> Result<(), String> {
    // SAFETY: a valid module.
    let longest = unsafe { ffi::aspen_llvm_longest_function(module.raw()) };
    if longest <= MOST_AT_EASE {
        return Ok(());
    }
    let arguments = [c"aspen", c"--disable-lsr", c"--huge-size-for-split=50", c"--grow-region-complexity-budget=50"].map(CStr::as_ptr);
    // SAFETY: valid strings and their count; the message is ours. A worker has one image.
    unsafe { take_message(ffi::aspen_llvm_set_options(4, arguments.as_ptr())) }.map_or(Ok(()), |reason| Err(reason.trim().to_owned()))
}

/// LLVM's NVPTX has no functions for conversions between 128-bit integers and floating-point numbers, so they are written out.
fn expand_conversions() -> Result<(), String> {
    let arguments = [c"aspen", c"--expand-fp-convert-bits=64"].map(CStr::as_ptr);
    // SAFETY: valid strings and their count; the message is ours. A worker has one image.
    unsafe { take_message(ffi::aspen_llvm_set_options(2, arguments.as_ptr())) }.map_or(Ok(()), |reason| Err(reason.trim().to_owned()))
}

fn compile(job: &Job, version: Option<SpirvVersion>) -> Result<Vec<u8>, String> {
    let context = Context::new();
    let mut module = context.parse(&job.name, &job.bitcode).map_err(|error| error.to_string())?;
    let triple = match &job.output {
        Output::SpirV { .. } => {
            prepare_for_spirv(module.view());
            version.unwrap_or_else(|| SpirvVersion::of(module.view())).triple(&module.triple())
        }
        Output::X86_64Object(_) => module.triple(),
        Output::Ptx(ptx) => {
            expand_conversions()?;
            ptx.prepare(&context, &mut module, job.opt_level)?;
            module.triple()
        }
        Output::AmdGpu(amdgpu) => {
            amdgpu.prepare(&context, &mut module)?;
            module.triple()
        }
    };
    module.set_triple(&triple);
    let is_spirv = matches!(job.output, Output::SpirV { .. });
    // Legalisation names places, and so does who makes functions for whole groups.
    let is_x86_64 = matches!(job.output, Output::X86_64Object(_));
    if !is_spirv && !is_x86_64 {
        module.strip_debug();
    }
    if !job.passes.is_empty() {
        // SAFETY: made for this triple.
        unsafe { module.run_passes_for(&job.passes, machine(&triple, job)?) }.map_err(|error| error.to_string())?;
    }
    if matches!(job.output, Output::Ptx(_)) {
        // SAFETY: a valid module, and a machine for its triple; the message is ours.
        if let Some(reason) = unsafe { take_message(ffi::aspen_llvm_expand_moves(module.raw(), machine(&triple, job)?)) } {
            return Err(reason);
        }
    }
    if matches!(job.output, Output::Ptx(_)) && job.opt_level > 0 {
        // SAFETY: a valid module; the message is ours.
        if let Some(reason) = unsafe { take_message(ffi::aspen_llvm_finish_ptx(module.raw())) } {
            return Err(reason);
        }
    }
    if let Output::X86_64Object(X86_64Object { item_loops: Some(loops), .. }) = &job.output {
        let machine = machine(&triple, job)?;
        // SAFETY: made for this triple.
        let told = unsafe { loops.make(module.view(), machine, item_loops::alone(job.opt_level), job.debug)? };
        // What a worker says is kept for who started it.
        item_loops::tell(&told);
        // SAFETY: as above.
        unsafe { module.run_passes_for("strip-dead-prototypes", machine) }.map_err(|error| error.to_string())?;
        bound_code_generation(module.view())?;
    }
    if is_x86_64 && !job.debug {
        module.strip_debug();
    }
    if let Output::X86_64Object(X86_64Object { facts: FunctionFacts { stack, prompt, group, least }, .. }) = &job.output {
        // SAFETY: a valid module and strings; messages are ours.
        let failed = unsafe {
            take_message(ffi::aspen_llvm_wide_vectors(module.raw())).or_else(|| {
                take_message(ffi::aspen_llvm_export_facts(module.raw(), stack.as_ptr(), prompt.as_ptr(), group.as_ptr(), *least))
            })
        };
        if let Some(reason) = failed {
            return Err(reason);
        }
    }
    if let Output::SpirV { extensions, pointer_extensions } = &job.output {
        legalise_for_spirv(module.view())?;
        compare_as_integers(module.view());
        put_formats_in_constant_memory(module.view());
        module.strip_debug();
        let pointers = if uses_function_pointers(module.view()) { pointer_extensions.as_slice() } else { &[] };
        allow_extensions(&[extensions, pointers].concat())?;
    }
    // Made after the extensions were chosen: it reads them when it is made.
    let kind = match job.output {
        Output::Ptx(_) => LLVMCodeGenFileType::LLVMAssemblyFile,
        Output::SpirV { .. } | Output::X86_64Object(_) | Output::AmdGpu(_) => LLVMCodeGenFileType::LLVMObjectFile,
    };
    emit(&module, machine(&triple, job)?, kind)
}

fn machine(triple: &str, job: &Job) -> Result<LLVMTargetMachineRef, String> {
    // The functions carry the processor and features that clang was asked for; PTX names one processor for the whole module.
    let (expected, processor, features) = match &job.output {
        Output::SpirV { .. } => ("spirv", c"", c""),
        Output::X86_64Object(_) => ("x86_64", c"", c""),
        Output::Ptx(ptx) => ("nvptx64", ptx.processor.as_c_str(), ptx.features.as_c_str()),
        Output::AmdGpu(amdgpu) => ("amdgcn", amdgpu.processor.as_c_str(), c""),
    };
    if !triple.starts_with(expected) {
        return Err(format!("the module is for '{triple}', not for {expected}"));
    }
    let level = match job.opt_level {
        0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
        1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
        2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
        _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
    };
    let c_triple = CString::new(triple).map_err(|error| error.to_string())?;
    let (mut target, mut message) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: valid strings; the message is ours. The machine lives as long as the worker.
    unsafe {
        if LLVMGetTargetFromTriple(c_triple.as_ptr(), &mut target, &mut message) != 0 {
            return Err(take_message(message).unwrap_or_default());
        }
        let machine = LLVMCreateTargetMachine(
            target,
            c_triple.as_ptr(),
            processor.as_ptr(),
            features.as_ptr(),
            level,
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelDefault,
        );
        if machine.is_null() { Err(format!("LLVM has no machine for '{triple}'")) } else { Ok(machine) }
    }
}

fn emit(module: &Module<'_>, machine: LLVMTargetMachineRef, kind: LLVMCodeGenFileType) -> Result<Vec<u8>, String> {
    let (mut buffer, mut message) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: valid module and machine; buffer and message are ours.
    unsafe {
        let failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module.raw(), kind, &mut message, &mut buffer);
        if failed != 0 {
            return Err(take_message(message).unwrap_or_default());
        }
        let errors = module.take_errors();
        if errors.is_empty() { Ok(Buffer::new(buffer).to_vec()) } else { Err(errors) }
    }
}
