//! SPIR-V for OpenCL drivers and for `spir64` images that are compiled at run time.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

use aspen_image::ImageKind;
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
        _ => "globaldce,cgscc(inline),function(sroa,early-cse<memssa>,simplifycfg),globaldce,strip-dead-prototypes",
    }
}

fn image(mut object: Object) -> Result<Image, CodegenError> {
    if let Some(conditions) = object.conditions.take() {
        let roots: Vec<_> = conditions.roots.iter().map(|(symbol, requirements)| (symbol.as_str(), requirements)).collect();
        let written = aspen_spirv::write(&object.generated.bytes, &roots, &conditions.numbering).map(Cow::into_owned);
        object.generated.bytes =
            written.map_err(|error| CodegenError::Damaged { image: object.name.clone(), reason: error.to_string() })?;
    }
    match imports(&object.generated.bytes) {
        Ok(imports) => Ok(Image {
            kind: ImageKind::SpirV,
            imports,
            messages: object.generated.messages,
            bytes: object.generated.bytes,
            fallback: None,
        }),
        Err(reason) => Err(CodegenError::Damaged { image: object.name, reason }),
    }
}

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const OP_DECORATE: u32 = 71;
const OP_FUNCTION: u32 = 54;
const LINKAGE_ATTRIBUTES: u32 = 41;
const BUILT_IN: u32 = 11;
const IMPORT: u32 = 1;

/// The names that the module imports, without built-in variables (the back end gives those import linkage too). An unresolved one makes drivers refuse the whole module, so it is found at build time.
/// Source: SPIR-V specification, "LinkageAttributes"; DESIGN §8.
fn imports(bytes: &[u8]) -> Result<Vec<String>, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    if !rest.is_empty() || words.len() < HEADER_WORDS || words[0] != MAGIC {
        return Err("it is no SPIR-V module".into());
    }
    let (mut out, mut built_in) = (Vec::new(), BTreeSet::new());
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let (length, opcode) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let instruction =
            words.get(at..at + length).filter(|_| length > 0).ok_or_else(|| format!("an instruction at word {at} is cut off"))?;
        match instruction {
            // Decorations stand before the first function.
            _ if opcode == OP_FUNCTION => break,
            [_, id, LINKAGE_ATTRIBUTES, name @ .., IMPORT] if opcode == OP_DECORATE => out.push((*id, literal(name))),
            [_, id, BUILT_IN, _] if opcode == OP_DECORATE => {
                built_in.insert(*id);
            }
            _ => {}
        }
        at += length;
    }
    Ok(out.into_iter().filter(|(id, _)| !built_in.contains(id)).map(|(_, name)| name).collect())
}

/// A string literal: bytes in little-endian words, up to the first zero.
fn literal(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0400, 0, 10, 0];
        instructions.iter().for_each(|instruction| words.extend(*instruction));
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn imports_are_listed_exports_are_not() {
        let import: &[u32] = &[6 << 16 | 71, 3, 41, u32::from_le_bytes(*b"exte"), u32::from_le_bytes(*b"rn\0\0"), 1];
        let whole_word: &[u32] = &[6 << 16 | 71, 3, 41, u32::from_le_bytes(*b"four"), 0, 1];
        let export: &[u32] = &[5 << 16 | 71, 4, 41, u32::from_le_bytes(*b"k\0\0\0"), 0];
        let variable: &[u32] = &[5 << 16 | 71, 5, 41, u32::from_le_bytes(*b"id\0\0"), 1];
        let built_in: &[u32] = &[4 << 16 | 71, 5, 11, 28];
        assert_eq!(imports(&module(&[import, variable, export, built_in, whole_word])), Ok(vec!["extern".to_owned(), "four".to_owned()]));
        assert_eq!(imports(&module(&[&[1 << 16 | 54], import])), Ok(vec![]));
    }

    #[test]
    fn damaged_modules_are_errors() {
        assert!(imports(b"").is_err() && imports(b"BC\xc0\xde").is_err());
        assert!(imports(&module(&[&[0]])).unwrap_err().contains("word 5"));
        assert!(imports(&module(&[&[9 << 16 | 71, 1]])).is_err());
        assert!(imports(&[module(&[]), vec![1]].concat()).is_err());
    }
}
