//! SPIR-V as SPIRV-LLVM-Translator 15 and PoCL 3.1 take it. PoCL runs on processors, where all address spaces are one.
//!
//! | in the module                        | instead                                                                             |
//! |--------------------------------------|-------------------------------------------------------------------------------------|
//! | OpConstantNull of a number or bool   | OpConstant 0, OpConstantFalse: the translator takes it for aggregates and pointers  |
//! | atomics through generic pointers     | through pointers to global memory: PoCL's library has no others                     |
//! | OpMemoryBarrier                      | an atomic addition to a private variable: PoCL's library has no `mem_fence`         |
//! | a kernel's name that is long         | a short one: PoCL makes folders of that name, and ends the process if it cannot     |

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rspirv::binary::Assemble as _;
use rspirv::dr::{Instruction, Module, Operand, load_bytes};
use rspirv::spirv::{MemorySemantics, Op, Scope, StorageClass, Word};

/// The module for the translator.
///
/// # Errors
/// What is wrong with the module.
pub(crate) fn for_translator(spirv: &[u8]) -> Result<Vec<u8>, String> {
    let mut module = load_bytes(spirv).map_err(|error| format!("damaged SPIR-V: {error}"))?;
    let bound = module.header.as_ref().map_or(0, |header| header.bound);
    let mut rewriter = Rewriter::of(&mut module, bound);
    rewriter.atomics();
    rewriter.names();
    let Rewriter { globals, bound, .. } = rewriter;
    module.types_global_values.extend(globals);
    if let Some(header) = &mut module.header {
        header.bound = bound;
    }
    Ok(module.assemble().into_iter().flat_map(Word::to_le_bytes).collect())
}

/// The longest name that stays; file systems take 255 bytes, and PoCL appends to it.
const LONGEST: usize = 128;

/// The name that a kernel has in bitcode.
pub(crate) fn entry_name(symbol: &str) -> Cow<'_, str> {
    if symbol.len() <= LONGEST { Cow::Borrowed(symbol) } else { Cow::Owned(format!("aspen_{}", blake3::hash(symbol.as_bytes()).to_hex())) }
}

struct Rewriter<'m> {
    module: &'m mut Module,
    /// Types and constants that are added.
    globals: Vec<Instruction>,
    bound: Word,
    /// Pointer types: where they point and to what.
    pointers: BTreeMap<Word, (StorageClass, Word)>,
    /// The types of values.
    types: BTreeMap<Word, Word>,
}

impl<'m> Rewriter<'m> {
    fn of(module: &'m mut Module, bound: Word) -> Rewriter<'m> {
        let mut numbers = BTreeMap::new();
        for global in &mut module.types_global_values {
            let Some(id) = global.result_id else { continue };
            match (global.class.opcode, global.operands.as_slice()) {
                (Op::TypeBool, _) => _ = numbers.insert(id, None),
                (Op::TypeInt | Op::TypeFloat, [Operand::LiteralBit32(width), ..]) => _ = numbers.insert(id, Some(*width)),
                (Op::ConstantNull, _) => {
                    let zero = global.result_type.and_then(|kind| numbers.get(&kind));
                    match zero {
                        Some(None) => *global = Instruction::new(Op::ConstantFalse, global.result_type, Some(id), Vec::new()),
                        Some(Some(width)) => {
                            let zero = if *width > Word::BITS { Operand::LiteralBit64(0) } else { Operand::LiteralBit32(0) };
                            *global = Instruction::new(Op::Constant, global.result_type, Some(id), vec![zero]);
                        }
                        None => {}
                    }
                }
                _ => {}
            }
        }
        let mut pointers = BTreeMap::new();
        for global in &module.types_global_values {
            if let (Some(id), Op::TypePointer, [Operand::StorageClass(class), Operand::IdRef(to)]) =
                (global.result_id, global.class.opcode, global.operands.as_slice())
            {
                pointers.insert(id, (*class, *to));
            }
        }
        let types = module.all_inst_iter().filter_map(|it| Some((it.result_id?, it.result_type?))).collect();
        Rewriter { module, globals: Vec::new(), bound, pointers, types }
    }

    fn fresh(&mut self) -> Word {
        self.bound += 1;
        self.bound - 1
    }

    /// A global of this kind, which may be there.
    fn global(&mut self, op: Op, kind: Option<Word>, operands: &[Operand]) -> Word {
        let same = |it: &&Instruction| it.class.opcode == op && it.result_type == kind && it.operands == operands;
        let known = self.module.types_global_values.iter().chain(&self.globals).find(same);
        if let Some(id) = known.and_then(|known| known.result_id) {
            return id;
        }
        let id = self.fresh();
        self.globals.push(Instruction::new(op, kind, Some(id), operands.to_vec()));
        id
    }

    fn pointer(&mut self, class: StorageClass, to: Word) -> Word {
        self.global(Op::TypePointer, None, &[Operand::StorageClass(class), Operand::IdRef(to)])
    }

    fn names(&mut self) {
        let mut entries = BTreeSet::new();
        for entry in &mut self.module.entry_points {
            if let [Operand::ExecutionModel(_), Operand::IdRef(id), Operand::LiteralString(name), ..] = entry.operands.as_mut_slice() {
                entries.insert(*id);
                *name = entry_name(name).into_owned();
            }
        }
        // The translator takes this one if there are two.
        self.module.debug_names.retain(|it| !matches!(it.operands.first(), Some(Operand::IdRef(id)) if entries.contains(id)));
    }

    fn atomics(&mut self) {
        let mut functions = std::mem::take(&mut self.module.functions);
        for function in &mut functions {
            let mut fence = None;
            for block in &mut function.blocks {
                let mut out = Vec::with_capacity(block.instructions.len());
                for mut instruction in std::mem::take(&mut block.instructions) {
                    match instruction.class.opcode {
                        Op::MemoryBarrier => {
                            let variable = *fence.get_or_insert_with(|| self.fresh());
                            self.barrier(variable, &mut out);
                        }
                        op if is_atomic(op) => {
                            self.cast_to_global(&mut instruction, &mut out);
                            out.push(instruction);
                        }
                        _ => out.push(instruction),
                    }
                }
                block.instructions = out;
            }
            if let (Some(variable), Some(block)) = (fence, function.blocks.first_mut()) {
                let number = self.number();
                let kind = self.pointer(StorageClass::Function, number);
                let operands = vec![Operand::StorageClass(StorageClass::Function)];
                block.instructions.insert(0, Instruction::new(Op::Variable, Some(kind), Some(variable), operands));
            }
        }
        self.module.functions = functions;
    }

    fn number(&mut self) -> Word {
        self.global(Op::TypeInt, None, &[Operand::LiteralBit32(32), Operand::LiteralBit32(0)])
    }

    /// Casts an atomic's pointer, if it is generic, in front of it.
    fn cast_to_global(&mut self, atomic: &mut Instruction, out: &mut Vec<Instruction>) {
        let Some(Operand::IdRef(pointer)) = atomic.operands.first_mut() else { return };
        let generic = self.types.get(pointer).and_then(|kind| self.pointers.get(kind));
        if let Some((StorageClass::Generic, to)) = generic.copied() {
            let (kind, id) = (self.pointer(StorageClass::CrossWorkgroup, to), self.fresh());
            out.push(Instruction::new(Op::GenericCastToPtr, Some(kind), Some(id), vec![Operand::IdRef(*pointer)]));
            *pointer = id;
        }
    }

    fn barrier(&mut self, variable: Word, out: &mut Vec<Instruction>) {
        let number = self.number();
        let constant = |this: &mut Self, value| this.global(Op::Constant, Some(number), &[Operand::LiteralBit32(value)]);
        let scope = constant(self, Scope::Device as Word);
        let order = constant(self, MemorySemantics::ACQUIRE_RELEASE.bits());
        let zero = constant(self, 0);
        let (generic, global) = (self.pointer(StorageClass::Generic, number), self.pointer(StorageClass::CrossWorkgroup, number));
        let ids = [self.fresh(), self.fresh(), self.fresh()];
        let one = |op, kind, id, operands: &[Word]| {
            Instruction::new(op, Some(kind), Some(id), operands.iter().map(|id| Operand::IdRef(*id)).collect())
        };
        out.push(one(Op::PtrCastToGeneric, generic, ids[0], &[variable]));
        out.push(one(Op::GenericCastToPtr, global, ids[1], &[ids[0]]));
        let operands = vec![Operand::IdRef(ids[1]), Operand::IdScope(scope), Operand::IdMemorySemantics(order), Operand::IdRef(zero)];
        out.push(Instruction::new(Op::AtomicIAdd, Some(number), Some(ids[2]), operands));
    }
}

/// Those of OpenCL's environment; each has its pointer as the first operand.
fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT
            | Op::AtomicFlagTestAndSet
            | Op::AtomicFlagClear
    )
}

#[cfg(test)]
mod tests {
    use rspirv::binary::Disassemble as _;
    use rspirv::dr::Builder;
    use rspirv::spirv::{AddressingModel, Capability, FunctionControl, MemoryModel};

    use super::*;

    /// A function with zeroes of every kind, an atomic through a generic pointer, one through a pointer to global memory, and barriers.
    fn module() -> Vec<u8> {
        let mut b = Builder::new();
        b.set_version(1, 4);
        b.capability(Capability::Kernel);
        b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
        let (void, truth, uint, ulong, float) =
            (b.type_void(), b.type_bool(), b.type_int(32, 0), b.type_int(64, 0), b.type_float(32, None));
        let pair = b.type_struct([uint, ulong]);
        let zeroes = [truth, uint, ulong, float, pair].map(|kind| b.constant_null(kind));
        let generic = b.type_pointer(None, StorageClass::Generic, uint);
        let global = b.type_pointer(None, StorageClass::CrossWorkgroup, uint);
        let kind = b.type_function(void, [generic, global]);
        b.begin_function(void, None, FunctionControl::NONE, kind).expect("a function");
        let anywhere = b.function_parameter(generic).expect("a parameter");
        let in_global = b.function_parameter(global).expect("a parameter");
        b.begin_block(None).expect("a block");
        b.atomic_i_add(uint, None, anywhere, zeroes[1], zeroes[1], zeroes[1]).expect("in a block");
        b.memory_barrier(zeroes[1], zeroes[1]).expect("in a block");
        b.atomic_store(in_global, zeroes[1], zeroes[1], zeroes[1]).expect("in a block");
        b.memory_barrier(zeroes[1], zeroes[1]).expect("in a block");
        b.ret().expect("in a block");
        b.end_function().expect("a function");
        b.module().assemble().into_iter().flat_map(Word::to_le_bytes).collect()
    }

    fn text(module: &[u8]) -> String {
        load_bytes(module).expect("SPIR-V").disassemble()
    }

    #[test]
    fn what_pocl_does_not_know_is_said_otherwise() {
        let after = text(&for_translator(&module()).expect("SPIR-V"));
        let (_, after) = after.split_once("Physical64 OpenCL\n").expect("a memory model");
        let wanted = "\
%1 = OpTypeVoid
%2 = OpTypeBool
%3 = OpTypeInt 32 0
%4 = OpTypeInt 64 0
%5 = OpTypeFloat 32
%6 = OpTypeStruct %3 %4
%7 = OpConstantFalse  %2
%8 = OpConstant  %3  0
%9 = OpConstant  %4  0
%10 = OpConstant  %5  0
%11 = OpConstantNull  %6
%12 = OpTypePointer Generic %3
%13 = OpTypePointer CrossWorkgroup %3
%14 = OpTypeFunction %1 %12 %13
%22 = OpConstant  %3  1
%23 = OpConstant  %3  8
%30 = OpTypePointer Function %3
%15 = OpFunction  %1  None %14
%16 = OpFunctionParameter  %12
%17 = OpFunctionParameter  %13
%18 = OpLabel
%21 = OpVariable  %30  Function
%20 = OpGenericCastToPtr  %13  %16
%19 = OpAtomicIAdd  %3  %20 %8 %8 %8
%24 = OpPtrCastToGeneric  %12  %21
%25 = OpGenericCastToPtr  %13  %24
%26 = OpAtomicIAdd  %3  %25 %22 %23 %8
OpAtomicStore %17 %8 %8 %8
%27 = OpPtrCastToGeneric  %12  %21
%28 = OpGenericCastToPtr  %13  %27
%29 = OpAtomicIAdd  %3  %28 %22 %23 %8
OpReturn
OpFunctionEnd";
        assert_eq!(after, wanted);
    }

    #[test]
    fn only_long_names_become_short() {
        let (short, long) = ("k".repeat(LONGEST), "k".repeat(LONGEST + 1));
        assert_eq!(entry_name(&short), short);
        assert_eq!(entry_name(&long).len(), 70);
        assert_ne!(entry_name(&long), entry_name(&format!("{long}k")));
    }

    #[test]
    fn what_is_damaged_is_an_error_or_a_module() {
        assert!(for_translator(b"").is_err() && for_translator(b"no SPIR-V").is_err());
        let good = module();
        for at in 0..good.len() {
            // Neither panics; a module cut at an instruction's end is one still.
            let _ = for_translator(&good[..at]);
            for bit in [1, 0x10, 0x80] {
                let mut changed = good.clone();
                changed[at] ^= bit;
                let _ = for_translator(&changed);
            }
        }
    }
}
