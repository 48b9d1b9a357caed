//! PTX for NVIDIA's GPUs, and machine code (a cubin) made of it by ptxas. Source: DESIGN §9; issue 5.7; DEVICE_CODE (N).
//!
//! The PTX stays beside the cubin: a newer device, or a driver that links images, compiles it when the program runs.

use std::ffi::CString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aspen_image::ImageKind;
use aspen_llvm::{Job, Output};

use crate::aot::{Aot, Form, Runs, Unfinished, finish_all};
use crate::cache::Cache;
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
    /// Whether others run ptxas: images are PTX then, and [`Image::rest`] says how it is called.
    pub elsewhere: bool,
}

impl Ptx {
    /// The features by which clang and LLVM choose the version of PTX for a processor.
    pub fn features(processor: &str) -> &'static str {
        let number: String = processor.chars().filter(char::is_ascii_digit).collect();
        // Later processors came with later PTX; LLVM knows which.
        if number.parse::<u32>().is_ok_and(|number| number < 100) { COMMON_FEATURES } else { "" }
    }
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
        vec![self.aot(opt_level).line()]
    }

    fn finish(&self, objects: Vec<Object>, scratch: &Path, parallelism: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        let unfinished = objects.into_iter().map(|object| self.unfinished(object));
        finish_all(unfinished, &Runs { scratch, parallelism, limit: self.limit, cache: self.cache.as_ref(), elsewhere: self.elsewhere })
    }
}

/// clang has optimised each unit; libdevice's functions and other units' are new here, and the code is final. Reflection comes first: it
/// decides which of libdevice's variants there are.
fn passes(opt_level: u8) -> &'static str {
    match opt_level {
        0 => "nvvm-reflect,always-inline,globaldce,strip-dead-prototypes",
        _ => {
            "nvvm-reflect,globaldce,cgscc(inline),function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),globalopt,globaldce,strip-dead-prototypes"
        }
    }
}

impl Ptx {
    fn aot(&self, opt_level: u8) -> Aot {
        let mut options = vec![format!("-arch={}", self.processor), format!("-O{opt_level}")];
        options.extend_from_slice(&self.options);
        Aot { form: Form::Ptxas, compiler: self.assembler.clone(), options }
    }

    fn unfinished(&self, object: Object) -> Result<Unfinished, CodegenError> {
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
            rest: None,
        };
        // What has imports or no kernels, the driver links with the images that define or call its functions.
        let aot = (ptx.imports.is_empty() && has_kernels).then(|| self.aot(opt_level));
        Ok(Unfinished { name, image: ptx, aot })
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
