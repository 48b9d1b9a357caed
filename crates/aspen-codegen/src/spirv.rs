//! SPIR-V for OpenCL drivers and for `spir64` images that are compiled at run time.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::Path;

use aspen_image::ImageKind;
use aspen_image::spirv::SpirvModule;
use aspen_llvm::{Job, Output};

use crate::{CodegenError, Image, ImageInput, Object, Target};

/// Extensions of the common headers' atomics and `printf`. Source: DEVICE_CODE §9, DESIGN §9.
const EXTENSIONS: [&str; 3] =
    ["SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max", "SPV_EXT_relaxed_printf_string_address_space"];
const POINTER_EXTENSION: &str = "SPV_INTEL_function_pointers";

/// `spir64` and what is compiled from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpirV;

impl Target for SpirV {
    fn job(&self, input: ImageInput) -> Job {
        Job {
            name: input.name,
            bitcode: input.bitcode,
            passes: passes(input.opt_level).into(),
            debug: false,
            opt_level: input.opt_level,
            output: Output::SpirV { extensions: EXTENSIONS.map(String::from).into(), pointer_extensions: vec![POINTER_EXTENSION.into()] },
        }
    }

    fn finish(&self, objects: Vec<Object>, _: &Path, _: NonZeroUsize) -> Vec<Result<Image, CodegenError>> {
        objects.into_iter().map(image).collect()
    }
}

/// clang has optimised each unit; what is new here is that other units' functions can be inlined. Source: DESIGN §1.
fn passes(opt_level: u8) -> &'static str {
    match opt_level {
        0 => "always-inline,globaldce,strip-dead-prototypes",
        _ => {
            "globaldce,cgscc(inline),function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),globaldce,strip-dead-prototypes"
        }
    }
}

fn image(mut object: Object) -> Result<Image, CodegenError> {
    let damaged = |error: aspen_spirv::Error| CodegenError::Damaged { image: object.name.clone(), reason: error.to_string() };
    if let Cow::Owned(without) = aspen_spirv::without_format_extension(&object.generated.bytes).map_err(damaged)? {
        object.generated.bytes = without;
    }
    if let Some(conditions) = object.conditions.take() {
        let roots: Vec<_> = conditions.roots.iter().map(|(symbol, requirements)| (symbol.as_str(), requirements)).collect();
        let written = aspen_spirv::write(&object.generated.bytes, &roots, &conditions.numbering).map(Cow::into_owned);
        object.generated.bytes = written.map_err(damaged)?;
    }
    // An unresolved import makes drivers refuse the whole module, so it is found at build time. Source: DESIGN §8.
    match SpirvModule::parse(&object.generated.bytes) {
        Ok(module) => Ok(Image {
            kind: ImageKind::SpirV,
            imports: module.imports,
            messages: object.generated.messages,
            bytes: object.generated.bytes,
            commands: Vec::new(),
            fallback: None,
            rest: None,
        }),
        Err(error) => Err(CodegenError::Damaged { image: object.name, reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use aspen_llvm::Generated;

    use super::*;

    fn object(words: &[u32]) -> Object {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let generated = Generated { bytes, messages: String::new() };
        Object { name: "x_0".into(), entries: Vec::new(), debug: false, opt_level: 2, conditions: None, generated, more: Vec::new() }
    }

    #[test]
    fn imports_are_told_and_damage_is_an_error() {
        let header = [0x0723_0203, 0x0001_0000, 0, 10, 0];
        let import = [6 << 16 | 71, 3, 41, u32::from_le_bytes(*b"exte"), u32::from_le_bytes(*b"rn\0\0"), 1];
        let made = image(object(&[&header[..], &import].concat())).expect("a sound module");
        assert_eq!((made.imports, made.kind), (vec!["extern".to_owned()], ImageKind::SpirV));
        let error = image(object(&[&header[..], &import[..4]].concat())).expect_err("it is cut off").to_string();
        assert_eq!(error, "the code generated for image 'x_0' cannot be read: damaged SPIR-V at word 5: an instruction is cut off");
    }
}
