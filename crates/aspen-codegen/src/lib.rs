//! From a split bitcode module to a device image: one file a target kind.
//!
//! [`generate_images`] runs the common way: LLVM in worker processes ([`aspen_llvm::generate()`]), then what the target does with the
//! result. What a target kind wants of each step is its [`Target`].

mod amdgpu;
mod aot;
mod cache;
mod compiler;
mod earlier;
mod r#gen;
mod native_cpu;
mod ptx;
pub mod result;
mod spirv;
mod tool;

use std::num::NonZeroUsize;
use std::path::Path;

use aspen_contract::Requirements;
use aspen_image::ImageKind;
use aspen_llvm::{Generated, Job};
use aspen_spirv::Numbering;

pub use amdgpu::{AmdGpu, LINKER_OPTIONS};
pub use aot::{Aot, Form, Made};
pub use cache::Cache;
pub use earlier::Earlier;
pub use r#gen::Gen;
pub use native_cpu::NativeCpu;
pub use ptx::Ptx;
pub use spirv::SpirV;

/// A module that holds the closure of its entry points (see [`aspen_llvm::Module::clone_closure`]).
#[derive(Clone, Debug)]
pub struct ImageInput {
    /// The image's name, for messages.
    pub name: String,
    /// The module.
    pub bitcode: Vec<u8>,
    /// Further modules whose code is the image's (see [`aspen_llvm::Module::parts`]), for targets that link objects: [`NativeCpu`].
    pub more: Vec<Vec<u8>>,
    /// The symbols of kernels and exported functions.
    pub entries: Vec<String>,
    /// The user's `-O` level, 0 to 3.
    pub opt_level: u8,
    /// Whether debug info stays, where the target has any.
    pub debug: bool,
    /// The work-group that all kernels require, fastest dimension first and padded with 1, for targets whose compilers use it.
    pub work_group: Option<[u32; 3]>,
    /// The sub-group size that all its kernels require; code may be best for it.
    pub sub_group: Option<u32>,
    /// What each entry needs, if entries of different requirements share the image; SPIR-V and what is made from it only.
    pub conditions: Option<Conditions>,
}

/// What the functions of a conditional image depend on. Source: S1 "Modifications to the post-link tool".
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Kernels and exported functions by their symbols, and what they need.
    pub roots: Vec<(String, Requirements)>,
    /// The constants that stand for needs.
    pub numbering: Numbering,
}

/// A device image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What they are.
    pub kind: ImageKind,
    /// Functions that the image calls and does not hold, in the order of the image.
    pub imports: Vec<String>,
    /// What the tools said though they succeeded; usually nothing.
    pub messages: String,
    /// The commands of the tools that ran for it.
    pub commands: Vec<String>,
    /// The same in a form that a driver compiles, for devices that the bytes are not for.
    pub fallback: Option<(ImageKind, Vec<u8>)>,
    /// The compiler that still has to make machine code of the bytes, if a target left that to others.
    pub rest: Option<Aot>,
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum CodegenError {
    /// LLVM could not.
    #[error(transparent)]
    Llvm(#[from] aspen_llvm::CodegenError),
    /// The back end wrote something that cannot be read.
    #[error("the code generated for image '{image}' cannot be read: {reason}")]
    Damaged {
        /// [`ImageInput::name`].
        image: String,
        /// What is wrong.
        reason: String,
    },
    /// A tool failed.
    #[error("cannot make image '{image}': {command}\n{words}")]
    Tool {
        /// [`ImageInput::name`].
        image: String,
        /// The command line.
        command: String,
        /// Its own words.
        words: String,
        /// Whether something outside ended it (SIGKILL, SIGTERM): a lack of memory, or whoever wanted the machine.
        killed: bool,
    },
    /// Files could not be written or read, or a tool not be started.
    #[error("cannot make image '{image}': {what}: {error}")]
    Io {
        /// [`ImageInput::name`].
        image: String,
        /// What was tried.
        what: String,
        /// What the system says.
        error: std::io::Error,
    },
}

/// One kind of device code.
pub trait Target {
    /// What LLVM is to make of the module.
    fn job(&self, input: ImageInput) -> Job;

    /// The commands of tools that an image takes, as [`Target::finish`] would run them, for an image that needs no more than most.
    fn commands(&self, opt_level: u8) -> Vec<String> {
        let _ = opt_level;
        Vec::new()
    }

    /// From LLVM's output to the image; results in the order of the objects. `scratch` is an empty folder that is removed afterwards.
    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>>;
}

/// What LLVM made of one input.
#[derive(Clone, Debug)]
pub struct Object {
    /// [`ImageInput::name`].
    pub name: String,
    /// [`ImageInput::entries`].
    pub entries: Vec<String>,
    /// [`ImageInput::debug`].
    pub debug: bool,
    /// [`ImageInput::opt_level`].
    pub opt_level: u8,
    /// [`ImageInput::conditions`].
    pub conditions: Option<Conditions>,
    /// LLVM's output.
    pub generated: Generated,
    /// The same of [`ImageInput::more`].
    pub more: Vec<Generated>,
}

/// Makes all images, up to `jobs` at a time. Results stand in the order of the inputs; an image's bytes depend on its input only.
///
/// The calling process must have one thread.
pub fn generate_images(target: &dyn Target, inputs: Vec<ImageInput>, jobs: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
    let folder = || tempfile::Builder::new().prefix("aspen-").tempdir();
    generate_images_with(target, inputs, jobs, &folder, None, &mut |_| {})
}

/// The same, with what was made for other targets, and tells after each module how many LLVM is done with. `folder` makes the folder in which
/// compilers of the target run.
pub fn generate_images_with(
    target: &dyn Target,
    inputs: Vec<ImageInput>,
    jobs: NonZeroUsize,
    folder: &dyn Fn() -> std::io::Result<tempfile::TempDir>,
    earlier: Option<&mut Earlier>,
    done: &mut dyn FnMut(usize),
) -> Vec<Result<Image, CodegenError>> {
    let label = |input: &ImageInput| (input.name.clone(), input.entries.clone(), input.debug, input.opt_level, input.conditions.clone());
    let labels: Vec<_> = inputs.iter().map(label).collect();
    let counts: Vec<usize> = inputs.iter().map(|input| 1 + input.more.len()).collect();
    let work: Vec<Job> = inputs.into_iter().flat_map(|input| modules(target, input)).collect();
    let generated = match earlier {
        Some(earlier) => earlier.complete(work, done, |new, done| aspen_llvm::generate_with(new, jobs, done)),
        None => aspen_llvm::generate_with(&work, jobs, done),
    };
    let mut generated = generated.into_iter();
    let mut objects = Vec::new();
    let mut results: Vec<Option<CodegenError>> = Vec::new();
    for ((name, entries, debug, opt_level, conditions), count) in labels.into_iter().zip(counts) {
        let modules: Result<Vec<Generated>, _> = generated.by_ref().take(count).collect::<Vec<_>>().into_iter().collect();
        match modules {
            Ok(mut modules) => {
                let more = modules.split_off(1);
                let generated = modules.remove(0);
                objects.push(Object { name, entries, debug, opt_level, conditions, generated, more });
                results.push(None);
            }
            Err(error) => results.push(Some(error.into())),
        }
    }
    let finished: Vec<Result<Image, CodegenError>> = match folder() {
        Ok(scratch) => target.finish(objects, scratch.path(), jobs),
        Err(error) => {
            let failed = |object: Object| CodegenError::Io {
                image: object.name,
                what: "cannot make a temporary folder".into(),
                error: std::io::Error::new(error.kind(), error.to_string()),
            };
            objects.into_iter().map(|object| Err(failed(object))).collect()
        }
    };
    let mut finished = finished.into_iter();
    let next = |error: Option<CodegenError>| match error {
        Some(error) => Err(error),
        None => finished.next().expect("a target returns one result an object"),
    };
    results.into_iter().map(next).collect()
}

/// A job for each module of an image.
fn modules(target: &dyn Target, mut input: ImageInput) -> impl Iterator<Item = Job> {
    let all = std::iter::once(std::mem::take(&mut input.bitcode)).chain(std::mem::take(&mut input.more));
    let job = target.job(input);
    all.map(move |bitcode| Job { bitcode, ..job.clone() })
}
