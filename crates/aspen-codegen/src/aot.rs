//! One run of an ahead-of-time compiler: the part of an image that any machine can do.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aspen_image::ImageKind;

use crate::cache::{Cache, Key};
use crate::tool::{Tool, in_parallel, io_error, line_of};
use crate::{CodegenError, Image};

/// What ocloc says of every build that goes well.
const CHATTER: [&str; 2] = ["Compilation from IR - skipping loading of FCL", "Build succeeded."];

/// SPIR-V's first word as it lies in files. Source: Khronos "SPIR-V Specification", 2.3.
const SPIRV_MAGIC: [u8; 4] = 0x0723_0203u32.to_le_bytes();

/// An ELF file's. Source: System V ABI.
const ELF_MAGIC: [u8; 4] = *b"\x7fELF";

/// Whose command line a compiler has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// ocloc's; it takes SPIR-V.
    Ocloc,
    /// ptxas's; it takes PTX.
    Ptxas,
    /// lld's; it takes an object for AMD's GPUs.
    Lld,
}

impl Form {
    /// Of a compiler that takes this input; `None` if it is neither SPIR-V, PTX nor an object.
    pub fn of(input: &[u8]) -> Option<Form> {
        let is_ptx = || std::str::from_utf8(input).is_ok_and(|text| text.contains(".version"));
        match input {
            _ if input.starts_with(&SPIRV_MAGIC) => Some(Form::Ocloc),
            _ if input.starts_with(&ELF_MAGIC) => Some(Form::Lld),
            _ => is_ptx().then_some(Form::Ptxas),
        }
    }

    /// What files of its input, and of its output, end in.
    pub fn endings(self) -> (&'static str, &'static str) {
        match self {
            Form::Ocloc => ("spv", "gen"),
            Form::Ptxas => ("ptx", "cubin"),
            Form::Lld => ("o", "hsaco"),
        }
    }

    /// What brings the compiler, for messages.
    fn source(self) -> &'static str {
        match self {
            Form::Ocloc => "the Debian package intel-opencl-icd",
            Form::Ptxas => "NVIDIA's Python package nvidia-cuda-nvcc, or a CUDA toolkit",
            Form::Lld => "the package lld-22 (Debian's, or LLVM's at apt.llvm.org)",
        }
    }
}

/// A compiler with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aot {
    /// How it is called.
    pub form: Form,
    /// A name to be looked up in `PATH`, or a file.
    pub compiler: PathBuf,
    /// All options but those of files.
    pub options: Vec<String>,
}

/// What a compiler made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Made {
    /// The machine code.
    pub bytes: Vec<u8>,
    /// What the compiler said though it succeeded; usually nothing.
    pub messages: String,
    /// The command, or nothing if an earlier result was found.
    pub command: Option<String>,
}

/// A compiler at work, or a result that was there.
pub(crate) enum Build {
    Running { tool: Tool, name: String, output: PathBuf, key: Option<Key> },
    Done(Made),
}

impl Aot {
    pub(crate) fn line(&self) -> String {
        let (input, output) = self.form.endings();
        line_of(&self.command(&format!("image0.{input}"), &format!("image0.{output}")))
    }

    fn command(&self, input: &str, output: &str) -> Command {
        let mut command = Command::new(&self.compiler);
        match self.form {
            Form::Ocloc => {
                command.args(["compile", "-spirv_input", "-file", input]).args(&self.options);
                command.args(["-output", output, "-output_no_suffix", "-out_dir", "."])
            }
            Form::Ptxas | Form::Lld => command.args(&self.options).arg(input).args(["-o", output]),
        };
        command
    }

    /// What tells this run from all others, on any machine: how the compiler is called, and what it is given.
    pub fn identity(&self, input: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let words = [self.form.endings().1.as_bytes(), self.compiler.as_os_str().as_encoded_bytes()];
        for part in words.into_iter().chain(self.options.iter().map(String::as_bytes)).chain([input]) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize()
    }

    /// An earlier result, if one is kept on this machine. Those of others come here by [`Cache::fetch`].
    pub fn kept(&self, cache: &Cache, input: &[u8]) -> Option<Made> {
        let bytes = cache.load(&cache.key(&self.compiler, &self.options, input)?)?;
        Some(Made { bytes, ..Made::default() })
    }

    /// Runs the compiler to its end, in an empty folder `scratch`. `name` is the image's, for messages; `limit` is how long it may take.
    ///
    /// # Errors
    /// If it cannot be run, fails, or writes nothing.
    pub fn run(&self, name: &str, input: &[u8], scratch: &Path, limit: Duration) -> Result<Made, CodegenError> {
        let build = self.start(name, input, scratch, 0, None)?;
        self.end(build, limit, None)
    }

    pub(crate) fn start(
        &self,
        name: &str,
        input: &[u8],
        scratch: &Path,
        index: usize,
        cache: Option<&Cache>,
    ) -> Result<Build, CodegenError> {
        let key = cache.and_then(|cache| cache.key(&self.compiler, &self.options, input));
        if let Some(bytes) = cache.zip(key.as_ref()).and_then(|(cache, key)| cache.load(key)) {
            return Ok(Build::Done(Made { bytes, ..Made::default() }));
        }
        let (given, output) = self.form.endings();
        let (given, output) = (format!("image{index}.{given}"), format!("image{index}.{output}"));
        fs::write(scratch.join(&given), input).map_err(io_error(name, "cannot write the compiler's input"))?;
        let tool = Tool::start(name, self.command(&given, &output), scratch, index, self.form.source())?;
        Ok(Build::Running { tool, name: name.to_owned(), output: scratch.join(output), key })
    }

    pub(crate) fn end(&self, build: Build, limit: Duration, cache: Option<&Cache>) -> Result<Made, CodegenError> {
        let (tool, name, output, key) = match build {
            Build::Done(made) => return Ok(made),
            Build::Running { tool, name, output, key } => (tool, name, output, key),
        };
        let command = tool.line();
        let words = tool.finish(limit)?;
        let nothing = |what: &str| CodegenError::Tool {
            image: name.clone(),
            command: command.clone(),
            words: format!("{words}\n{what}").trim().into(),
            killed: false,
        };
        let bytes = match fs::read(&output) {
            Ok(bytes) if !bytes.is_empty() => bytes,
            Ok(_) => return Err(nothing("it wrote an empty image")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(nothing("it wrote no image")),
            Err(error) => return Err(io_error(&name, "cannot read the machine code")(error)),
        };
        let chatter = |line: &str| self.form == Form::Ocloc && CHATTER.contains(&line);
        let messages = words.lines().filter(|line| !chatter(line)).collect::<Vec<_>>().join("\n");
        // What it has to say must be said each time.
        if let (true, Some(cache), Some(key)) = (messages.is_empty(), cache, &key) {
            cache.store(key, &bytes);
        }
        Ok(Made { bytes, messages, command: Some(command) })
    }
}

/// An image before its compiler has seen it; without one, it is as it will be.
pub(crate) struct Unfinished {
    pub name: String,
    pub image: Image,
    pub aot: Option<Aot>,
}

/// How compilers are run.
pub(crate) struct Runs<'r> {
    pub scratch: &'r Path,
    pub parallelism: NonZeroUsize,
    pub limit: Duration,
    pub cache: Option<&'r Cache>,
    /// Not at all.
    pub elsewhere: bool,
}

/// Has compilers finish all images; results in their order.
pub(crate) fn finish_all(
    images: impl IntoIterator<Item = Result<Unfinished, CodegenError>>,
    runs: &Runs<'_>,
) -> Vec<Result<Image, CodegenError>> {
    let Some(cache) = runs.cache.filter(|cache| cache.is_shared() && !runs.elsewhere) else { return finish_each(images, runs) };
    // All at once: another machine may be far away.
    let images: Vec<_> = images.into_iter().collect();
    cache.fetch(images.iter().flatten().filter_map(|unfinished| Some((unfinished.aot.as_ref()?, unfinished.image.bytes.as_slice()))));
    finish_each(images, runs)
}

fn finish_each(images: impl IntoIterator<Item = Result<Unfinished, CodegenError>>, runs: &Runs<'_>) -> Vec<Result<Image, CodegenError>> {
    let start = |index, unfinished: Result<Unfinished, CodegenError>| {
        let Unfinished { name, image, aot } = unfinished?;
        Ok(match aot {
            Some(aot) if runs.elsewhere => (Image { rest: Some(aot), ..image }, None),
            Some(aot) => {
                let build = aot.start(&name, &image.bytes, runs.scratch, index, runs.cache)?;
                (image, Some((aot, build)))
            }
            None => (image, None),
        })
    };
    let end = |(image, started): (Image, Option<(Aot, Build)>)| match started {
        Some((aot, build)) => Ok(image.with_machine_code(aot.form, aot.end(build, runs.limit, runs.cache)?)),
        None => Ok(image),
    };
    in_parallel(images, runs.parallelism, start, end)
}

impl Image {
    /// The image with the machine code that [`Image::rest`] makes of its bytes. PTX stays beside it: a newer device, or a driver that links
    /// images, compiles it when the program runs.
    #[must_use]
    pub fn with_machine_code(self, form: Form, made: Made) -> Image {
        let messages = [self.messages, made.messages].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        let fallback = (form == Form::Ptxas).then_some((self.kind, self.bytes));
        let commands = made.command.into_iter().collect();
        Image { bytes: made.bytes, kind: ImageKind::Object, imports: Vec::new(), messages, commands, fallback, rest: None }
    }
}
