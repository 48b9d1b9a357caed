//! GEN binaries for Intel GPUs: SPIR-V, finished ahead of time by ocloc. Source: S0 "AOT"; S2 "auto-detection"; DESIGN §9.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aspen_contract::{Capabilities, Need};
use aspen_llvm::Job;
use aspen_spirv::{Numbering, SpecId};

use crate::aot::{Aot, Form, Runs, Unfinished, finish_all};
use crate::cache::Cache;
use crate::{CodegenError, Image, ImageInput, Object, SpirV, Target};

/// A device of ocloc's, or of another compiler that understands its command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gen {
    /// The compiler: a name to be looked up in `PATH`, or a file.
    pub compiler: PathBuf,
    /// Its options, `-device` with them.
    pub options: Vec<String>,
    /// How long it may work on an image before it is stopped.
    pub limit: Duration,
    /// Where results are kept, if they are.
    pub cache: Option<Cache>,
    /// What is known of the device: decides what of a conditional image it gets. Source: S1 "AOT case".
    pub device: Capabilities,
    /// Whether others run the compiler: images are what it is given then, and [`Image::rest`] says how it is called.
    pub elsewhere: bool,
}

impl Gen {
    /// Far above what any kernel takes: a compiler that still runs then hangs.
    pub const LIMIT: Duration = Duration::from_secs(600);
}

impl Target for Gen {
    fn job(&self, input: ImageInput) -> Job {
        SpirV.job(input)
    }

    fn commands(&self, _: u8) -> Vec<String> {
        vec![self.aot().line()]
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        let numbering = |object: &Object| object.conditions.as_ref().map(|conditions| conditions.numbering.clone()).unwrap_or_default();
        let labels: Vec<_> = objects.iter().map(|object| (object.name.clone(), numbering(object))).collect();
        let images = labels.into_iter().zip(SpirV.finish(objects, scratch, parallelism));
        let special = images.map(|((name, numbering), image)| {
            let image = self.specialised(&name, &numbering, image?)?;
            // ocloc would only say that something is missing; whoever asked for the image knows what, and how it is reached.
            let aot = image.imports.is_empty().then(|| self.aot());
            Ok(Unfinished { name, image, aot })
        });
        finish_all(special, &Runs { scratch, parallelism, limit: self.limit, cache: self.cache.as_ref(), elsewhere: self.elsewhere })
    }
}

impl Gen {
    fn aot(&self) -> Aot {
        Aot { form: Form::Ocloc, compiler: self.compiler.clone(), options: self.options.clone() }
    }

    /// What the device surely lacks is discarded; what it may have stays, as an image of its own would.
    fn specialised(&self, name: &str, numbering: &Numbering, mut image: Image) -> Result<Image, CodegenError> {
        let value = |id: SpecId| match id {
            SpecId::Requirement(_) => numbering.need(id).map(|need| self.device.has(need) != Some(false)),
            // Where it is not known, the code for devices without the aspect runs on both.
            SpecId::Guard(aspect) => Some(self.device.has(&Need::Aspect(aspect)) == Some(true)),
            SpecId::User(_) => None,
        };
        let special = aspen_spirv::specialise(&image.bytes, &value).map(Cow::into_owned);
        image.bytes = special.map_err(|error| CodegenError::Damaged { image: name.to_owned(), reason: error.to_string() })?;
        Ok(image)
    }
}
