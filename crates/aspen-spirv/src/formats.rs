//! Formats of `printf`: in constant memory, or elsewhere by an extension.
//!
//! LLVM names the extension in every module that prints, and drivers of before 2023 refuse what names an extension that they do not know.
//! Source: OpenCL extended instruction set, `printf`; SPV_EXT_relaxed_printf_string_address_space.

use std::borrow::Cow;
use std::collections::HashSet;

use rspirv::spirv::{Op, StorageClass};

use crate::error::Error;
use crate::grammar::grammar;
use crate::words::{Words, literal, opcode};

const EXTENSION: &str = "SPV_EXT_relaxed_printf_string_address_space";
/// The number of the instruction in its set.
const PRINTF: u32 = 184;

/// The module without that extension, if all its formats lie in constant memory.
///
/// # Errors
/// If it is cut off, or an instruction that is looked at has too few words.
pub fn without_format_extension(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    let words = Words::read(bytes)?;
    let grammar = grammar();
    let mut named = None;
    let (mut sets, mut constant_types, mut constant) = (HashSet::new(), HashSet::new(), HashSet::new());
    for placed in words.instructions() {
        let (at, instruction) = placed?;
        let brief = grammar.brief(opcode(instruction));
        match (Op::from_u32(opcode(instruction).into()), &instruction[1..]) {
            (Some(Op::Extension), name) if literal(name) == EXTENSION => named = Some(at..at + instruction.len()),
            (Some(Op::ExtInstImport), [id, name @ ..]) if literal(name) == "OpenCL.std" => _ = sets.insert(*id),
            // All instructions before the functions are read; what names nothing needs no look at those.
            (Some(Op::Function), _) if named.is_none() => break,
            (Some(Op::TypePointer), [id, class, ..]) if *class == StorageClass::UniformConstant as u32 => _ = constant_types.insert(*id),
            (Some(Op::ExtInst), [_, _, set, number, format, ..])
                if *number == PRINTF && sets.contains(set) && !constant.contains(format) =>
            {
                return Ok(Cow::Borrowed(bytes));
            }
            (_, [ty, id, ..]) if brief.typed && brief.result && constant_types.contains(ty) => _ = constant.insert(*id),
            _ => {}
        }
    }
    let Some(named) = named else { return Ok(Cow::Borrowed(bytes)) };
    let mut out = bytes.to_vec();
    out.drain(named.start * 4..named.end * 4);
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use rspirv::binary::Assemble;
    use rspirv::dr::{Builder, Operand};
    use rspirv::spirv::{AddressingModel, FunctionControl, MemoryModel};

    use super::*;

    /// A module that prints by these formats, and whether it names the extension afterwards.
    fn check(formats: &[StorageClass], expected: bool) {
        let mut b = Builder::new();
        b.extension(EXTENSION);
        b.extension("SPV_KHR_other");
        let set = b.ext_inst_import("OpenCL.std");
        b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
        let (byte, number, void) = (b.type_int(8, 0), b.type_int(32, 0), b.type_void());
        let texts: Vec<_> = formats
            .iter()
            .map(|class| {
                let pointer = b.type_pointer(None, *class, byte);
                b.variable(pointer, None, *class, None)
            })
            .collect();
        let kind = b.type_function(void, []);
        b.begin_function(void, None, FunctionControl::NONE, kind).expect("a function");
        b.begin_block(None).expect("a block");
        for text in texts {
            b.ext_inst(number, None, set, PRINTF, [Operand::IdRef(text)]).expect("in a block");
        }
        b.ret().expect("in a block");
        b.end_function().expect("a function");
        let bytes: Vec<u8> = b.module().assemble().iter().flat_map(|word| word.to_le_bytes()).collect();
        let out = without_format_extension(&bytes).expect("a sound module");
        let words = Words::read(&out).expect("a module");
        let names = |placed: Result<crate::words::Placed<'_>, Error>| {
            let (_, instruction) = placed.expect("whole instructions");
            (opcode(instruction) == Op::Extension as u16).then(|| literal(&instruction[1..]))
        };
        let extensions: Vec<String> = words.instructions().filter_map(names).collect();
        let wanted: &[&str] = if expected { &[EXTENSION, "SPV_KHR_other"] } else { &["SPV_KHR_other"] };
        assert_eq!(extensions, wanted, "{formats:?}");
        assert_eq!(without_format_extension(&out).expect("sound").len(), out.len());
    }

    #[test]
    fn the_extension_goes_where_no_format_needs_it() {
        check(&[], false);
        check(&[StorageClass::UniformConstant], false);
        check(&[StorageClass::UniformConstant, StorageClass::CrossWorkgroup], true);
        check(&[StorageClass::Generic], true);
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        assert!(without_format_extension(&[3, 2, 35, 7, 0, 0]).is_err());
    }
}
