//! x86-64 shared objects for the embedded CPU device, one an image. Their contract with the backend is `include/aspen/native_cpu.h`.
//!
//! An image exports its entry points and nothing else: two images of a program may hold the same inline function or `thread_local`
//! variable and must not share it, as they are loaded and unloaded on their own.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use aspen_image::ImageKind;
use aspen_llvm::{Job, Output};

use crate::{CodegenError, Image, ImageInput, Object, Target};

/// `native_cpu`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeCpu {
    /// The clang++ that links.
    pub compiler: PathBuf,
}

impl Default for NativeCpu {
    fn default() -> Self {
        Self { compiler: "clang++-22".into() }
    }
}

impl Target for NativeCpu {
    fn job(&self, input: ImageInput) -> Job {
        Job {
            name: input.name,
            bitcode: input.bitcode,
            passes: passes(input.opt_level).into(),
            debug: input.debug,
            opt_level: input.opt_level,
            output: Output::X86_64Object,
        }
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        let mut running: Vec<Result<Link, CodegenError>> = Vec::new();
        let mut images = Vec::new();
        let mut objects = objects.into_iter().enumerate();
        loop {
            while running.len() < parallelism.get()
                && let Some((index, object)) = objects.next()
            {
                running.push(Link::start(&self.compiler, object, scratch, index));
            }
            if running.is_empty() {
                return images;
            }
            // Linkers of images take about the same time, so waiting for the oldest keeps the others busy.
            images.push(running.remove(0).and_then(Link::finish));
        }
    }
}

/// As for SPIR-V, and peepholes: the code is final here. Source: DESIGN §1.
fn passes(opt_level: u8) -> &'static str {
    match opt_level {
        0 => "always-inline,globaldce,strip-dead-prototypes",
        _ => "globaldce,cgscc(inline),function(sroa,early-cse<memssa>,instcombine,simplifycfg),globaldce,strip-dead-prototypes",
    }
}

/// A linker at work.
struct Link {
    image: String,
    messages: String,
    command: String,
    child: Child,
    library: PathBuf,
    words: PathBuf,
}

impl Link {
    fn start(compiler: &Path, object: Object, scratch: &Path, index: usize) -> Result<Link, CodegenError> {
        let file = |extension: &str| format!("image{index}.{extension}");
        let (input, script, library, words) = (file("o"), file("map"), file("so"), file("err"));
        let fail = |what: &str| {
            let (image, what) = (object.name.clone(), what.to_owned());
            move |error: io::Error| CodegenError::Io { image, what, error }
        };
        fs::write(scratch.join(&input), &object.generated.bytes).map_err(fail("cannot write the object"))?;
        fs::write(scratch.join(&script), version_script(&object.entries)).map_err(fail("cannot write the list of exports"))?;
        let stderr = File::create(scratch.join(&words)).map_err(fail("cannot write the linker's messages"))?;
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", &input, "-o", &library]);
        command.args(["-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,--as-needed", "-lm"]).arg(format!("-Wl,--version-script={script}"));
        if !object.debug {
            // Local symbols serve debuggers only; the exported ones are in another table.
            command.arg("-Wl,--strip-all");
        }
        // Names without folders: messages and bytes do not depend on where the scratch folder is.
        command.current_dir(scratch).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        let line = std::iter::once(compiler.as_os_str())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ");
        let child = command.spawn().map_err(fail(&format!("cannot run {}", compiler.display())))?;
        Ok(Link {
            image: object.name,
            messages: object.generated.messages,
            command: line,
            child,
            library: scratch.join(library),
            words: scratch.join(words),
        })
    }

    fn finish(mut self) -> Result<Image, CodegenError> {
        let image = self.image.clone();
        let fail = |what: &str| {
            let (image, what) = (image.clone(), what.to_owned());
            move |error: io::Error| CodegenError::Io { image, what, error }
        };
        let status = self.child.wait().map_err(fail("cannot wait for the linker"))?;
        let words = fs::read(&self.words).map_err(fail("cannot read the linker's messages"))?;
        let words = String::from_utf8_lossy(&words).trim().to_owned();
        if !status.success() {
            let words = if words.is_empty() { format!("it ended with {status}") } else { words };
            return Err(CodegenError::Tool { image: self.image, command: self.command, words });
        }
        let bytes = fs::read(&self.library).map_err(fail("cannot read the shared object"))?;
        let messages = [self.messages, words].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        // The linker refuses unresolved symbols (-z defs).
        Ok(Image { bytes, kind: ImageKind::Object, imports: Vec::new(), messages })
    }
}

/// Exports the entry points only. Quoted, so that no character of a symbol is a pattern.
fn version_script(entries: &[String]) -> String {
    let mut script = String::from("{\n");
    if !entries.is_empty() {
        script += "  global:\n";
        for entry in entries {
            script += &format!("    \"{entry}\";\n");
        }
    }
    script + "  local: *;\n};\n"
}
