//! PTX for NVIDIA's GPUs, and machine code (a cubin) made of it by ptxas. Source: DESIGN §9; issue 5.7; DEVICE_CODE (N).
//!
//! The PTX stays beside the cubin: a newer device, or a driver that links images, compiles it when the program runs.

use std::ffi::CString;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aspen_image::ImageKind;
use aspen_llvm::{Job, Output};

use crate::cache::{Cache, Key};
use crate::tool::{Tool, in_parallel, io_error, line_of};
use crate::{CodegenError, Image, ImageInput, Object, Target};

/// The oldest PTX that knows every processor up to `sm_90a` and closures of more than 4 KB: drivers of CUDA 12.1 and later read it.
const COMMON_FEATURES: &str = "+ptx81";

/// One processor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ptx {
    /// `sm_90`.
    pub processor: String,
    /// ptxas: a name to be looked up in `PATH`, or a file.
    pub assembler: PathBuf,
    /// Its options besides the processor and the level.
    pub options: Vec<String>,
    /// CUDA's `libdevice.10.bc`, if it was found.
    pub library: Option<PathBuf>,
    /// How long ptxas may work on an image before it is stopped.
    pub limit: Duration,
    /// Where results are kept, if they are.
    pub cache: Option<Cache>,
}

impl Ptx {
    /// The features by which clang and LLVM choose the version of PTX for a processor.
    pub fn features(processor: &str) -> &'static str {
        let number: String = processor.chars().filter(char::is_ascii_digit).collect();
        // Later processors came with later PTX; LLVM knows which.
        if number.parse::<u32>().is_ok_and(|number| number < 100) { COMMON_FEATURES } else { "" }
    }
}

/// ptxas at work on an image, or an image that it must not see.
enum Build {
    Running { tool: Tool, ptx: Image, name: String, output: PathBuf, key: Option<Key> },
    Done(Image),
}

impl Target for Ptx {
    fn job(&self, input: ImageInput) -> Job {
        let ptx = aspen_llvm::Ptx {
            // A name with a NUL byte would not have come through the database; no processor has the empty name.
            processor: CString::new(self.processor.as_str()).unwrap_or_default(),
            features: CString::new(Ptx::features(&self.processor)).unwrap_or_default(),
            library: self.library.clone(),
            work_group: input.work_group,
        };
        Job {
            name: input.name,
            bitcode: input.bitcode,
            passes: passes(input.opt_level).into(),
            debug: false,
            opt_level: input.opt_level,
            output: Output::Ptx(ptx),
        }
    }

    fn commands(&self, opt_level: u8) -> Vec<String> {
        vec![line_of(&self.command(&self.all_options(opt_level), "image0.ptx", "image0.cubin"))]
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        in_parallel(objects, parallelism, |index, object| self.start(scratch, index, object), |build| self.end(build))
    }
}

/// clang has optimised each unit; libdevice's functions and other units' are new here, and the code is final. Reflection comes first: it
/// decides which of libdevice's variants there are.
fn passes(opt_level: u8) -> &'static str {
    match opt_level {
        0 => "nvvm-reflect,always-inline,globaldce,strip-dead-prototypes",
        _ => {
            "nvvm-reflect,globaldce,cgscc(inline),function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),globaldce,strip-dead-prototypes"
        }
    }
}

impl Ptx {
    fn all_options(&self, opt_level: u8) -> Vec<String> {
        let mut options = vec![format!("-arch={}", self.processor), format!("-O{opt_level}")];
        options.extend_from_slice(&self.options);
        options
    }

    fn command(&self, options: &[String], input: &str, output: &str) -> Command {
        let mut command = Command::new(&self.assembler);
        command.args(options).arg(input).args(["-o", output]);
        command
    }

    fn start(&self, scratch: &Path, index: usize, object: Object) -> Result<Build, CodegenError> {
        let Object { name, generated, opt_level, .. } = object;
        let text = match String::from_utf8(generated.bytes) {
            Ok(text) => with_plain_stores(&text),
            Err(error) => return Err(CodegenError::Damaged { image: name, reason: format!("PTX is text, and this is not: {error}") }),
        };
        let (imports, has_kernels) = (imports(&text), text.contains(".entry"));
        let ptx = Image {
            bytes: text.into_bytes(),
            kind: ImageKind::Ptx,
            imports,
            messages: generated.messages,
            commands: Vec::new(),
            fallback: None,
        };
        if !ptx.imports.is_empty() || !has_kernels {
            // The driver links it with the images that define or call its functions.
            return Ok(Build::Done(ptx));
        }
        let options = self.all_options(opt_level);
        let key = self.cache.as_ref().and_then(|cache| cache.key(&self.assembler, &options, &ptx.bytes));
        if let Some(bytes) = self.cache.as_ref().zip(key.as_ref()).and_then(|(cache, key)| cache.load(key)) {
            return Ok(Build::Done(with_machine_code(ptx, bytes)));
        }
        let (input, output) = (format!("image{index}.ptx"), format!("image{index}.cubin"));
        fs::write(scratch.join(&input), &ptx.bytes).map_err(io_error(&name, "cannot write the PTX"))?;
        let tool = Tool::start(
            &name,
            self.command(&options, &input, &output),
            scratch,
            index,
            "NVIDIA's Python package nvidia-cuda-nvcc, or a CUDA toolkit",
        )?;
        Ok(Build::Running { tool, ptx, name, output: scratch.join(output), key })
    }

    fn end(&self, build: Build) -> Result<Image, CodegenError> {
        let (tool, mut ptx, name, output, key) = match build {
            Build::Done(image) => return Ok(image),
            Build::Running { tool, ptx, name, output, key } => (tool, ptx, name, output, key),
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
            Err(error) => return Err(io_error(&name, "cannot read the machine code")(error)),
        };
        // What it has to say must be said each time.
        if let (true, Some(cache), Some(key)) = (words.is_empty(), &self.cache, &key) {
            cache.store(key, &bytes);
        }
        let messages = [std::mem::take(&mut ptx.messages), words].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        ptx.messages = messages.join("\n");
        ptx.commands.push(command);
        Ok(with_machine_code(ptx, bytes))
    }
}

fn with_machine_code(ptx: Image, bytes: Vec<u8>) -> Image {
    Image {
        bytes,
        kind: ImageKind::Object,
        imports: Vec::new(),
        messages: ptx.messages,
        commands: ptx.commands,
        fallback: Some((ptx.kind, ptx.bytes)),
    }
}

/// LLVM stores the low bits of a register by naming it (`st.b32 [%rd1], %rd2`). ptxas 12.9 then converts the number in it to an integer if
/// it was computed as a floating-point one, so the low bits are taken by an instruction of their own. Seen with ptxas 12.9.86, right in
/// 13.5; it costs nothing in machine code.
fn with_plain_stores(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        match plain_store(line) {
            Some(store) => out += &store,
            None => out += line,
        }
    }
    out
}

/// A store of a part of a register as two instructions; `None` for every other line.
fn plain_store(line: &str) -> Option<String> {
    let statement = line.trim().strip_suffix(';')?;
    let (guard, store) = match statement.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map(|(guard, store)| (format!("@{guard} "), store.trim_start()))?,
        None => (String::new(), statement),
    };
    let (mnemonic, operands) = store.split_once(char::is_whitespace)?;
    let (address, source) = operands.rsplit_once(',')?;
    let source = source.trim();
    let bits: u32 = mnemonic.rsplit_once(".b").filter(|(store, _)| *store == "st" || store.starts_with("st."))?.1.parse().ok()?;
    let width = ["%rd", "%rs", "%r"].iter().zip([64, 16, 32]).find(|(prefix, _)| {
        source.strip_prefix(**prefix).is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let (_, width) = width.filter(|(_, width)| bits < *width)?;
    // There are no registers of 8 bits.
    let kept = bits.max(16);
    let narrow = if kept == width { format!("and.b16 %narrow, {source}, 255") } else { format!("cvt.u{kept}.u{width} %narrow, {source}") };
    Some(format!("\t{{ .reg .b{kept} %narrow; {narrow}; {guard}{mnemonic} {}, %narrow; }}\n", address.trim()))
}

/// The functions that PTX declares and does not define, without the driver's own.
/// Source: NVIDIA "PTX ISA", "Linking Directives".
fn imports(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for declaration in text.split(".extern .func").skip(1) {
        // `(.param .b32 func_retval0) name` or ` name`, then parameters or a line's end.
        let rest = declaration.trim_start();
        let rest = match rest.strip_prefix('(') {
            Some(results) => results.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        };
        let name: String = rest.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.')).collect();
        if !name.is_empty() && !aspen_llvm::Ptx::SYSTEM_CALLS.contains(&name.as_str()) {
            out.push(name);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_declared_functions() {
        let text = ".version 8.0\n.extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 vprintf_param_0\n)\n;\n\
                    .extern .func  (.param .b32 func_retval0) _Z9elsewherei\n(\n\t.param .b32 a\n)\n;\n\
                    .extern .func done\n()\n;\n.extern .shared .align 128 .b8 memory[];\n.visible .func there\n";
        assert_eq!(imports(text), ["_Z9elsewherei", "done"]);
        assert!(imports("").is_empty());
    }

    #[test]
    fn parts_of_registers_are_taken_before_they_are_stored() {
        for (line, expected) in [
            ("\tst.b32 \t[%SP+8], %rd6;\n", "\t{ .reg .b32 %narrow; cvt.u32.u64 %narrow, %rd6; st.b32 [%SP+8], %narrow; }\n"),
            ("\tst.global.b16 \t[%rd1], %r3;\n", "\t{ .reg .b16 %narrow; cvt.u16.u32 %narrow, %r3; st.global.b16 [%rd1], %narrow; }\n"),
            ("\tst.shared.b8 \t[%rd1], %rs2;\n", "\t{ .reg .b16 %narrow; and.b16 %narrow, %rs2, 255; st.shared.b8 [%rd1], %narrow; }\n"),
            ("\tst.b8 [%rd1+1], %rd2;\n", "\t{ .reg .b16 %narrow; cvt.u16.u64 %narrow, %rd2; st.b8 [%rd1+1], %narrow; }\n"),
            (
                "\t@%p1 st.volatile.b32 [%rd1], %rd12;\n",
                "\t{ .reg .b32 %narrow; cvt.u32.u64 %narrow, %rd12; @%p1 st.volatile.b32 [%rd1], %narrow; }\n",
            ),
        ] {
            assert_eq!(with_plain_stores(line), expected);
        }
        for line in [
            "\tst.b32 [%rd1], %r2;\n",
            "\tst.b64 [%rd1], %rd2;\n",
            "\tst.v2.b32 [%rd1], {%r1, %r2};\n",
            "\tst.b32 [%rd1], 0;\n",
            "\tbar.sync 0;\n",
            "\tld.b32 %rd1, [%rd2];",
            "x",
        ] {
            assert_eq!(with_plain_stores(line), line);
        }
    }

    #[test]
    fn versions_of_ptx() {
        for (processor, features) in [("sm_50", "+ptx81"), ("sm_90", "+ptx81"), ("sm_90a", "+ptx81"), ("sm_100", ""), ("sm_120a", "")] {
            assert_eq!(Ptx::features(processor), features, "{processor}");
        }
    }
}
