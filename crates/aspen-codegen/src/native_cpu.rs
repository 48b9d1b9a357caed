//! x86-64 shared objects for the embedded CPU device, one an image. Their contract with the backend is `include/aspen/native_cpu.h`.
//!
//! An image exports its entry points and nothing else: two images of a program may hold the same inline function or `thread_local`
//! variable and must not share it, as they are loaded and unloaded on their own.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aspen_image::ImageKind;
use aspen_llvm::{Job, Output};

use crate::tool::{Tool, in_parallel, io_error};
use crate::{CodegenError, Image, ImageInput, Object, Target};

/// How long the linker may take: it hangs only where the system does.
const LIMIT: Duration = Duration::from_secs(600);

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
        in_parallel(objects, parallelism, |index, object| Link::start(&self.compiler, object, scratch, index), Link::finish)
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
    tool: Tool,
    library: PathBuf,
}

impl Link {
    fn start(compiler: &Path, object: Object, scratch: &Path, index: usize) -> Result<Link, CodegenError> {
        let file = |extension: &str| format!("image{index}.{extension}");
        let (input, script, library) = (file("o"), file("map"), file("so"));
        fs::write(scratch.join(&input), &object.generated.bytes).map_err(io_error(&object.name, "cannot write the object"))?;
        fs::write(scratch.join(&script), version_script(&object.entries))
            .map_err(io_error(&object.name, "cannot write the list of exports"))?;
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", &input, "-o", &library]);
        command.args(["-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,--as-needed", "-lm"]).arg(format!("-Wl,--version-script={script}"));
        if !object.debug {
            // Local symbols serve debuggers only; the exported ones are in another table.
            command.arg("-Wl,--strip-all");
        }
        let tool = Tool::start(&object.name, command, scratch, index, "clang-22")?;
        Ok(Link { image: object.name, messages: object.generated.messages, tool, library: scratch.join(library) })
    }

    fn finish(self) -> Result<Image, CodegenError> {
        let words = self.tool.finish(LIMIT)?;
        let bytes = fs::read(&self.library).map_err(io_error(&self.image, "cannot read the shared object"))?;
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
