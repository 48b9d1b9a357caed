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

use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::{MemorySemantics, Op, Scope, StorageClass, Word};

use aspen_spirv::words::{HEADER_WORDS, Words, opcode};

/// Where the header says how many ids there are.
const BOUND: usize = 3;

/// The longest name that stays; file systems take 255 bytes, and PoCL appends to it.
const LONGEST: usize = 128;

/// The name that a kernel has in bitcode.
pub(crate) fn entry_name(symbol: &str) -> Cow<'_, str> {
    if symbol.len() <= LONGEST { Cow::Borrowed(symbol) } else { Cow::Owned(format!("aspen_{}", blake3::hash(symbol.as_bytes()).to_hex())) }
}

/// The module for the translator.
///
/// # Errors
/// What is wrong with the module.
pub fn for_translator(spirv: &[u8]) -> Result<Vec<u8>, String> {
    let words = Words::read(spirv).map_err(|error| error.to_string())?;
    let module = Module::read(&words)?;
    let words = words.all();
    let mut writer =
        Writer { module: &module, globals: Vec::new(), constants: BTreeMap::new(), pointers: module.pointers.clone(), bound: words[BOUND] };
    let functions = writer.functions();
    let mut out = words[..HEADER_WORDS].to_vec();
    out[BOUND] = writer.bound;
    for instruction in &module.globals {
        writer.global(instruction, &mut out);
    }
    out.extend(writer.globals);
    out.extend(functions);
    Ok(out.into_iter().flat_map(Word::to_le_bytes).collect())
}

/// What the rewriting has to know.
struct Module<'w> {
    /// Everything before the functions, and the functions; an instruction each.
    globals: Vec<&'w [Word]>,
    functions: Vec<&'w [Word]>,
    /// How many words the value of a number's type has, up to 64 bits; none for bool.
    numbers: BTreeMap<Word, Word>,
    /// The type of 32-bit numbers.
    number: Option<Word>,
    /// Pointer types by where they point and to what, and the way back.
    pointers: BTreeMap<(Word, Word), Word>,
    pointees: BTreeMap<Word, (Word, Word)>,
    /// The types of values.
    types: BTreeMap<Word, Word>,
    /// The functions of kernels.
    entries: BTreeSet<Word>,
}

impl<'w> Module<'w> {
    fn read(words: &'w Words<'_>) -> Result<Module<'w>, String> {
        let mut module = Module {
            globals: Vec::new(),
            functions: Vec::new(),
            numbers: BTreeMap::new(),
            number: None,
            pointers: BTreeMap::new(),
            pointees: BTreeMap::new(),
            types: BTreeMap::new(),
            entries: BTreeSet::new(),
        };
        let typed = with_types();
        for instruction in words.instructions() {
            let (_, instruction) = instruction.map_err(|error| error.to_string())?;
            module.note(instruction, typed.contains(&opcode(instruction)));
            let in_functions = !module.functions.is_empty() || is(instruction, Op::Function);
            if in_functions { module.functions.push(instruction) } else { module.globals.push(instruction) }
        }
        Ok(module)
    }

    fn note(&mut self, instruction: &[Word], is_typed: bool) {
        let code = opcode(instruction);
        match *instruction {
            [_, id] if code == Op::TypeBool as u16 => _ = self.numbers.insert(id, 0),
            [_, id, width, ..] if width <= u64::BITS && [Op::TypeInt as u16, Op::TypeFloat as u16].contains(&code) => {
                self.numbers.insert(id, width.div_ceil(Word::BITS));
                if code == Op::TypeInt as u16 && width == Word::BITS {
                    self.number = Some(id);
                }
            }
            [_, id, class, to] if code == Op::TypePointer as u16 => {
                self.pointers.entry((class, to)).or_insert(id);
                self.pointees.insert(id, (class, to));
            }
            [_, _, function, ..] if code == Op::EntryPoint as u16 => _ = self.entries.insert(function),
            [_, kind, id, ..] if is_typed => _ = self.types.insert(id, kind),
            _ => {}
        }
    }
}

fn is(instruction: &[Word], op: Op) -> bool {
    opcode(instruction) == op as u16
}

/// The instructions whose first operands are the result's type and the result.
fn with_types() -> BTreeSet<u16> {
    let typed = INSTRUCTION_TABLE.iter().filter(|it| it.operands.first().is_some_and(|first| first.kind == OperandKind::IdResultType));
    typed.map(|it| it.opcode as u16).collect()
}

fn instruction(op: Op, operands: &[Word]) -> Vec<Word> {
    let length = Word::try_from(operands.len() + 1).unwrap_or(Word::MAX);
    [&[length << 16 | op as Word], operands].concat()
}

struct Writer<'m, 'w> {
    module: &'m Module<'w>,
    /// Types and constants that are added.
    globals: Vec<Word>,
    constants: BTreeMap<Word, Word>,
    pointers: BTreeMap<(Word, Word), Word>,
    bound: Word,
}

impl Writer<'_, '_> {
    fn fresh(&mut self) -> Word {
        let id = self.bound;
        self.bound = self.bound.wrapping_add(1);
        id
    }

    /// What stands before the functions, otherwise where that must be.
    fn global(&self, global: &[Word], out: &mut Vec<Word>) {
        match *global {
            [_, kind, id] if is(global, Op::ConstantNull) && self.module.numbers.contains_key(&kind) => {
                let zeroes = self.module.numbers[&kind] as usize;
                let op = if zeroes == 0 { Op::ConstantFalse } else { Op::Constant };
                out.extend(instruction(op, &[&[kind, id], vec![0; zeroes].as_slice()].concat()));
            }
            // The translator takes this name if there are two.
            [_, id, ..] if is(global, Op::Name) && self.module.entries.contains(&id) => {}
            [_, model, id, ..] if is(global, Op::EntryPoint) => {
                let (name, rest) = literal(&global[3..]);
                let name = entry_name(&name).into_owned();
                let mut bytes = name.into_bytes();
                bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
                let name = bytes.chunks_exact(4).map(|word| Word::from_le_bytes([word[0], word[1], word[2], word[3]]));
                let operands: Vec<Word> = [model, id].into_iter().chain(name).chain(rest.iter().copied()).collect();
                out.extend(instruction(Op::EntryPoint, &operands));
            }
            _ => out.extend(global),
        }
    }

    fn functions(&mut self) -> Vec<Word> {
        let mut out = Vec::new();
        // The function's variable for barriers, and where it may be put: behind its first label.
        let (mut fence, mut begin) = (None, None);
        for &it in &self.module.functions {
            match it {
                [_, _scope, _order] if is(it, Op::MemoryBarrier) => {
                    let variable = *fence.get_or_insert_with(|| self.fresh());
                    self.barrier(variable, &mut out);
                }
                [..] if pointer_of_atomic(it).is_some() => self.atomic(it, &mut out),
                _ => out.extend(it),
            }
            if is(it, Op::Function) {
                (fence, begin) = (None, None);
            } else if is(it, Op::Label) && begin.is_none() {
                begin = Some(out.len());
            } else if is(it, Op::FunctionEnd)
                && let (Some(variable), Some(begin)) = (fence, begin)
            {
                let class = StorageClass::Function as Word;
                let number = self.number();
                let kind = self.pointer(class, number);
                out.splice(begin..begin, instruction(Op::Variable, &[kind, variable, class]));
            }
        }
        out
    }

    /// An atomic, its pointer cast in front of it if it is generic.
    fn atomic(&mut self, it: &[Word], out: &mut Vec<Word>) {
        let mut atomic = it.to_vec();
        if let Some(pointer) = pointer_of_atomic(it).and_then(|at| atomic.get_mut(at)) {
            let kind = self.module.types.get(pointer).and_then(|kind| self.module.pointees.get(kind));
            if let Some((class, to)) = kind.copied()
                && class == StorageClass::Generic as Word
            {
                let (kind, id) = (self.pointer(StorageClass::CrossWorkgroup as Word, to), self.fresh());
                out.extend(instruction(Op::GenericCastToPtr, &[kind, id, *pointer]));
                *pointer = id;
            }
        }
        out.extend(atomic);
    }

    fn barrier(&mut self, variable: Word, out: &mut Vec<Word>) {
        let number = self.number();
        let scope = self.constant(Scope::Device as Word);
        let order = self.constant(MemorySemantics::ACQUIRE_RELEASE.bits());
        let zero = self.constant(0);
        let generic = self.pointer(StorageClass::Generic as Word, number);
        let global = self.pointer(StorageClass::CrossWorkgroup as Word, number);
        let ids = [self.fresh(), self.fresh(), self.fresh()];
        out.extend(instruction(Op::PtrCastToGeneric, &[generic, ids[0], variable]));
        out.extend(instruction(Op::GenericCastToPtr, &[global, ids[1], ids[0]]));
        out.extend(instruction(Op::AtomicIAdd, &[number, ids[2], ids[1], scope, order, zero]));
    }

    /// The type of 32-bit numbers: a barrier's operands are such, so there is one.
    fn number(&mut self) -> Word {
        self.module.number.unwrap_or_default()
    }

    fn constant(&mut self, value: Word) -> Word {
        if let Some(id) = self.constants.get(&value) {
            return *id;
        }
        let (number, id) = (self.number(), self.fresh());
        self.globals.extend(instruction(Op::Constant, &[number, id, value]));
        self.constants.insert(value, id);
        id
    }

    fn pointer(&mut self, class: Word, to: Word) -> Word {
        if let Some(id) = self.pointers.get(&(class, to)) {
            return *id;
        }
        let id = self.fresh();
        self.globals.extend(instruction(Op::TypePointer, &[id, class, to]));
        self.pointers.insert((class, to), id);
        id
    }
}

/// A literal string and what follows it.
fn literal(words: &[Word]) -> (String, &[Word]) {
    let end = words.iter().position(|word| word.to_le_bytes().contains(&0)).map_or(words.len(), |last| last + 1);
    let bytes: Vec<u8> = words[..end].iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    (String::from_utf8_lossy(&bytes).into_owned(), &words[end..])
}

/// Where an atomic of OpenCL's environment has its pointer.
fn pointer_of_atomic(it: &[Word]) -> Option<usize> {
    const WITHOUT_RESULT: [Op; 2] = [Op::AtomicStore, Op::AtomicFlagClear];
    const WITH_RESULT: [Op; 19] = [
        Op::AtomicLoad,
        Op::AtomicExchange,
        Op::AtomicCompareExchange,
        Op::AtomicCompareExchangeWeak,
        Op::AtomicIIncrement,
        Op::AtomicIDecrement,
        Op::AtomicIAdd,
        Op::AtomicISub,
        Op::AtomicSMin,
        Op::AtomicUMin,
        Op::AtomicSMax,
        Op::AtomicUMax,
        Op::AtomicAnd,
        Op::AtomicOr,
        Op::AtomicXor,
        Op::AtomicFAddEXT,
        Op::AtomicFMinEXT,
        Op::AtomicFMaxEXT,
        Op::AtomicFlagTestAndSet,
    ];
    let one_of = |list: &[Op]| list.iter().any(|op| is(it, *op));
    if one_of(&WITHOUT_RESULT) { Some(1) } else { one_of(&WITH_RESULT).then_some(3) }
}

#[cfg(test)]
mod tests {
    use rspirv::binary::{Assemble as _, Disassemble as _};
    use rspirv::dr::{Builder, load_bytes};
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
%24 = OpConstant  %3  0
%31 = OpTypePointer Function %3
%15 = OpFunction  %1  None %14
%16 = OpFunctionParameter  %12
%17 = OpFunctionParameter  %13
%18 = OpLabel
%21 = OpVariable  %31  Function
%20 = OpGenericCastToPtr  %13  %16
%19 = OpAtomicIAdd  %3  %20 %8 %8 %8
%25 = OpPtrCastToGeneric  %12  %21
%26 = OpGenericCastToPtr  %13  %25
%27 = OpAtomicIAdd  %3  %26 %22 %23 %24
OpAtomicStore %17 %8 %8 %8
%28 = OpPtrCastToGeneric  %12  %21
%29 = OpGenericCastToPtr  %13  %28
%30 = OpAtomicIAdd  %3  %29 %22 %23 %24
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
