//! Code objects for AMD's GPUs: LLVM makes an object, lld the shared object that the driver loads.
//! Source: LLVM "User Guide for AMDGPU Backend", "Code Object"; docs/decisions/0056.

use std::ffi::CString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aspen_image::ImageKind;
use aspen_llvm::{Job, Output};

use crate::aot::{Aot, Form, Runs, Unfinished, finish_all};
use crate::cache::Cache;
use crate::{CodegenError, Image, ImageInput, Object, Target};

/// One processor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AmdGpu {
    /// `gfx90a`.
    pub processor: String,
    /// `ld.lld-22`: a name to be looked up in `PATH`, or a file.
    pub linker: PathBuf,
    /// Its options besides those that a code object takes.
    pub options: Vec<String>,
    /// ROCm's `ocml.bc`, if it was found.
    pub library: Option<PathBuf>,
    /// How long the linker may work on an image before it is stopped.
    pub limit: Duration,
    /// Where results are kept, if they are.
    pub cache: Option<Cache>,
    /// Whether others run the linker: images are objects then, and [`Image::rest`] says how it is called.
    pub elsewhere: bool,
}

/// What makes a code object of an object. Source: LLVM "User Guide for AMDGPU Backend"; clang's AMDGPU tool chain.
pub const LINKER_OPTIONS: [&str; 4] = ["-shared", "-melf64_amdgpu", "--no-undefined", "--build-id=none"];

impl AmdGpu {
    fn aot(&self) -> Aot {
        let options = LINKER_OPTIONS.map(str::to_owned).into_iter().chain(self.options.iter().cloned()).collect();
        Aot { form: Form::Lld, compiler: self.linker.clone(), options }
    }
}

impl Target for AmdGpu {
    fn job(&self, input: ImageInput) -> Job {
        let amdgpu = aspen_llvm::AmdGpu {
            // A name with a NUL byte would not have come through the database; no processor has the empty name.
            processor: CString::new(self.processor.as_str()).unwrap_or_default(),
            library: self.library.clone(),
            work_group: input.work_group,
            sub_group: input.sub_group,
            entries: input.entries,
        };
        Job {
            name: input.name,
            bitcode: input.bitcode,
            passes: passes(input.opt_level).into(),
            debug: false,
            opt_level: input.opt_level,
            output: Output::AmdGpu(amdgpu),
        }
    }

    fn commands(&self, _opt_level: u8) -> Vec<String> {
        vec![self.aot().line()]
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        let unfinished = objects.into_iter().map(|object| self.unfinished(object));
        finish_all(unfinished, &Runs { scratch, parallelism, limit: self.limit, cache: self.cache.as_ref(), elsewhere: self.elsewhere })
    }
}

impl AmdGpu {
    fn unfinished(&self, object: Object) -> Result<Unfinished, CodegenError> {
        let Object { name, generated, .. } = object;
        let image = Image {
            bytes: generated.bytes,
            kind: ImageKind::Object,
            imports: Vec::new(),
            messages: generated.messages,
            commands: Vec::new(),
            fallback: None,
            rest: None,
        };
        Ok(Unfinished { name, image, aot: Some(self.aot()) })
    }
}

/// clang has optimised each unit; ocml's functions and other units' are new here, and the code is final. What is not inlined is called, and
/// such calls cost registers and local memory, so all that is small enough for clang is inlined first.
fn passes(opt_level: u8) -> &'static str {
    match opt_level {
        0 => "always-inline,globaldce,strip-dead-prototypes",
        _ => {
            "globaldce,cgscc(inline),function(infer-address-spaces,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),globalopt,globaldce,\
             strip-dead-prototypes"
        }
    }
}
