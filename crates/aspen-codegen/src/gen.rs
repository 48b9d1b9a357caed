//! GEN binaries for Intel GPUs: SPIR-V, finished ahead of time by ocloc. Source: S0 "AOT"; S2 "auto-detection"; DESIGN §9.

use std::borrow::Cow;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aspen_contract::{Capabilities, Need};
use aspen_image::ImageKind;
use aspen_llvm::Job;
use aspen_spirv::{Numbering, SpecId};

use crate::cache::{Cache, Key};
use crate::tool::{Tool, in_parallel, io_error, line_of};
use crate::{CodegenError, Image, ImageInput, Object, SpirV, Target};

/// What ocloc says of every build that goes well.
const CHATTER: [&str; 2] = ["Compilation from IR - skipping loading of FCL", "Build succeeded."];

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
}

impl Gen {
    /// Far above what any kernel takes: a compiler that still runs then hangs.
    pub const LIMIT: Duration = Duration::from_secs(600);
}

/// ocloc at work on an image, or an image that it must not see.
enum Build {
    Running { tool: Tool, image: Image, name: String, output: PathBuf, key: Option<Key> },
    Done(Image),
}

impl Target for Gen {
    fn job(&self, input: ImageInput) -> Job {
        SpirV.job(input)
    }

    fn commands(&self, _: u8) -> Vec<String> {
        vec![line_of(&self.command("image0.spv", "image0.gen"))]
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        let numbering = |object: &Object| object.conditions.as_ref().map(|conditions| conditions.numbering.clone()).unwrap_or_default();
        let labels: Vec<_> = objects.iter().map(|object| (object.name.clone(), numbering(object))).collect();
        let images = labels.into_iter().zip(SpirV.finish(objects, scratch, parallelism));
        let start = |index, ((name, numbering), image): ((String, Numbering), Result<Image, CodegenError>)| {
            let image = self.specialised(&name, &numbering, image?)?;
            self.start(scratch, index, name, image)
        };
        in_parallel(images, parallelism, start, |build| self.end(build))
    }
}

impl Gen {
    fn command(&self, input: &str, output: &str) -> Command {
        let mut command = Command::new(&self.compiler);
        command.args(["compile", "-spirv_input", "-file", input]).args(&self.options);
        command.args(["-output", output, "-output_no_suffix", "-out_dir", "."]);
        command
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

    fn start(&self, scratch: &Path, index: usize, name: String, image: Image) -> Result<Build, CodegenError> {
        if !image.imports.is_empty() {
            // ocloc would only say that something is missing; whoever asked for the image knows what, and how it is reached.
            return Ok(Build::Done(image));
        }
        let key = self.cache.as_ref().and_then(|cache| cache.key(&self.compiler, &self.options, &image.bytes));
        if let Some(bytes) = self.cache.as_ref().zip(key.as_ref()).and_then(|(cache, key)| cache.load(key)) {
            return Ok(Build::Done(Image { bytes, kind: ImageKind::Object, ..image }));
        }
        let (input, output) = (format!("image{index}.spv"), format!("image{index}.gen"));
        fs::write(scratch.join(&input), &image.bytes).map_err(io_error(&name, "cannot write the SPIR-V module"))?;
        let tool = Tool::start(&name, self.command(&input, &output), scratch, index, "the Debian package intel-opencl-icd")?;
        Ok(Build::Running { tool, image, name, output: scratch.join(output), key })
    }

    fn end(&self, build: Build) -> Result<Image, CodegenError> {
        let (tool, image, name, output, key) = match build {
            Build::Done(image) => return Ok(image),
            Build::Running { tool, image, name, output, key } => (tool, image, name, output, key),
        };
        let command = tool.line();
        let words = tool.finish(self.limit)?;
        let bytes = match fs::read(&output) {
            Ok(bytes) if !bytes.is_empty() => bytes,
            Ok(_) => {
                return Err(CodegenError::Tool {
                    image: name,
                    command: command.clone(),
                    words: format!("{words}\nit wrote an empty image").trim().into(),
                });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(CodegenError::Tool {
                    image: name,
                    command: command.clone(),
                    words: format!("{words}\nit wrote no image").trim().into(),
                });
            }
            Err(error) => return Err(io_error(&name, "cannot read the GEN binary")(error)),
        };
        let news: Vec<&str> = words.lines().filter(|line| !CHATTER.contains(line)).collect();
        // What it has to say must be said each time.
        if let (true, Some(cache), Some(key)) = (news.is_empty(), &self.cache, &key) {
            cache.store(key, &bytes);
        }
        let messages = std::iter::once(image.messages.as_str()).chain(news).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        Ok(Image { bytes, kind: ImageKind::Object, imports: Vec::new(), messages, commands: vec![command], fallback: None })
    }
}
