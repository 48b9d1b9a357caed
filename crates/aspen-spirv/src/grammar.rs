//! Which words of an instruction are ids, and what an instruction asks of the module's capabilities and extensions.
//!
//! The tables are rspirv's, made from the published grammar; here they become one shape an opcode, and two bytes an opcode of what nearly
//! all instructions are walked by, so that a function's body is read without looking anything up. Unknown opcodes have no shape: every word
//! of theirs may be an id.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use rspirv::dr::Operand;
use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand, OPENCL_STD_100_INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, Capability, Op};

use crate::module::literal_length;
use crate::role::Role;

/// Opcodes above are none that the grammar knows.
pub(crate) const OPCODES: usize = 1 << 13;

/// What follows an instruction's type and result.
#[derive(Clone, Copy, Debug)]
enum Rest {
    /// Ids only.
    Ids,
    /// No ids and nothing that asks for a capability.
    Literals,
    /// Operand by operand.
    Walk(&'static [LogicalOperand]),
}

/// How an opcode's instructions look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) has_type: bool,
    pub(crate) has_result: bool,
    rest: Rest,
    pub(crate) capabilities: &'static [Capability],
    pub(crate) extensions: &'static [&'static str],
}

/// How an opcode's instructions are walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// The grammar does not know it.
    Unknown,
    /// Behind type and result there are ids only, and nothing but the opcode asks for capabilities.
    Ids,
    /// Behind type and result there are literals only.
    Literals,
    /// OpLoad and OpStore: ids, and perhaps a memory access.
    Access,
    /// Operand by operand.
    Walk,
}

/// What has to be known of nearly every instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    pub(crate) class: Class,
    pub(crate) role: Role,
    /// Words of the type: one or none.
    pub(crate) typed: bool,
    pub(crate) result: bool,
    pub(crate) atomic: bool,
}

impl Brief {
    const UNKNOWN: Brief = Brief { class: Class::Unknown, role: Role::Itself, typed: false, result: false, atomic: false };

    /// Where the result stands among the words.
    pub(crate) fn result_at(self) -> usize {
        1 + usize::from(self.typed)
    }

    /// Where what follows type and result begins.
    pub(crate) fn operands_at(self) -> usize {
        self.result_at() + usize::from(self.result)
    }
}

/// What an enumerant brings with it.
#[derive(Debug)]
pub(crate) struct Enumerant {
    parameters: Vec<LogicalOperand>,
    pub(crate) capabilities: Vec<Capability>,
    pub(crate) extensions: Vec<&'static str>,
}

/// A word that means something here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// An id that the instruction uses: its type, or an operand; never its result.
    Id(u32),
    /// In an instruction of an unknown opcode: possibly an id.
    Perhaps(u32),
    /// An enumerant, by its index in [`Enumerants`].
    Enumerant(usize),
}

/// FNV-1a would do as well; the keys are few and ours.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// A set of ids: a bit each, so that the set of a big module stays near.
#[derive(Default)]
pub(crate) struct IdSet(Vec<u64>);

impl IdSet {
    pub(crate) fn new(bound: usize) -> IdSet {
        IdSet(vec![0; bound.div_ceil(64)])
    }

    #[inline]
    pub(crate) fn contains(&self, id: u32) -> bool {
        self.0.get(id as usize / 64).is_some_and(|bits| bits >> (id % 64) & 1 == 1)
    }

    /// Ids above the bound are in no set.
    #[inline]
    pub(crate) fn insert(&mut self, id: u32) {
        if let Some(bits) = self.0.get_mut(id as usize / 64) {
            *bits |= 1 << (id % 64);
        }
    }

    pub(crate) fn remove(&mut self, id: u32) {
        if let Some(bits) = self.0.get_mut(id as usize / 64) {
            *bits &= !(1 << (id % 64));
        }
    }
}

/// A map whose order nobody looks at.
pub(crate) type IdMap<V> = HashMap<u32, V, BuildHasherDefault<Mixed>>;

/// Volatile, aligned, non-temporal.
const PLAIN_ACCESSES: usize = 8;

/// Values of enumerants that are looked up by index; nearly all are.
const NEAR: u32 = 1 << 13;

/// The enumerants met so far.
#[derive(Default)]
pub(crate) struct Enumerants {
    /// Memory accesses without ids, as nearly all are: by their bits.
    plain_accesses: [Option<usize>; PLAIN_ACCESSES],
    /// By kind and value below [`NEAR`]: an index plus one, or 0.
    near: Vec<Vec<u32>>,
    far: HashMap<(usize, u32), usize, BuildHasherDefault<Mixed>>,
    all: Vec<Enumerant>,
}

impl Enumerants {
    pub(crate) fn get(&self, index: usize) -> &Enumerant {
        &self.all[index]
    }

    pub(crate) fn plain_access(&mut self, access: u32) -> Option<usize> {
        let slot = usize::try_from(access).ok().filter(|access| *access < PLAIN_ACCESSES)?;
        if self.plain_accesses[slot].is_none() {
            self.plain_accesses[slot] = self.find(OperandKind::MemoryAccess, access);
        }
        self.plain_accesses[slot]
    }

    /// `None` for a value that the grammar does not know, and for kinds without values.
    fn find(&mut self, kind: OperandKind, value: u32) -> Option<usize> {
        let slot = kind_number(kind)?;
        if value < NEAR {
            match self.near.get(slot).and_then(|values| values.get(value as usize)) {
                None | Some(0) => {}
                Some(known) => return Some(*known as usize - 1),
            }
        } else if let Some(known) = self.far.get(&(slot, value)) {
            return Some(*known);
        }
        let operand = enumerant(kind, value)?;
        let enumerant = Enumerant {
            parameters: parameters(kind, value, &operand),
            capabilities: operand.required_capabilities(),
            extensions: operand.required_extensions(),
        };
        let index = self.all.len();
        self.all.push(enumerant);
        match u32::try_from(index + 1) {
            Ok(plus_one) if value < NEAR => {
                if self.near.len() <= slot {
                    self.near.resize_with(slot + 1, Vec::new);
                }
                let values = &mut self.near[slot];
                if values.len() <= value as usize {
                    values.resize(value as usize + 1, 0);
                }
                values[value as usize] = plus_one;
            }
            _ => _ = self.far.insert((slot, value), index),
        }
        Some(index)
    }
}

macro_rules! enumerants {
    (masks [$($mask:ident)*] values [$($value:ident)*]) => {
        /// The operand of that kind and value.
        fn enumerant(kind: OperandKind, value: u32) -> Option<Operand> {
            Some(match kind {
                $(OperandKind::$mask => Operand::$mask(spirv::$mask::from_bits_truncate(value)),)*
                $(OperandKind::$value => Operand::$value(spirv::$value::from_u32(value)?),)*
                _ => return None,
            })
        }

        /// Parameters in the order of the module: those of a mask by its bits, lowest first.
        fn parameters(kind: OperandKind, value: u32, operand: &Operand) -> Vec<LogicalOperand> {
            if !matches!(kind, $(OperandKind::$mask)|*) {
                return operand.additional_operands();
            }
            let bits = (0..32).map(|bit| value & 1 << bit).filter(|bit| *bit != 0);
            bits.filter_map(|bit| enumerant(kind, bit)).flat_map(|operand| operand.additional_operands()).collect()
        }

        /// The kinds that have enumerants.
        enum Kind {
            $($mask,)*
            $($value,)*
        }

        /// A number for each of them.
        fn kind_number(kind: OperandKind) -> Option<usize> {
            Some(match kind {
                $(OperandKind::$mask => Kind::$mask as usize,)*
                $(OperandKind::$value => Kind::$value as usize,)*
                _ => return None,
            })
        }
    };
}

enumerants! {
    // The masks of instructions that functions are full of stand first.
    masks [MemoryAccess FunctionControl LoopControl SelectionControl FPFastMathMode ImageOperands MemorySemantics KernelProfilingInfo RayFlags
        FragmentShadingRate RawAccessChainOperands CooperativeMatrixOperands CooperativeMatrixReduce TensorAddressingOperands
        MatrixMultiplyAccumulateOperands TensorOperands]
    values [GroupOperation StorageClass Decoration BuiltIn ExecutionMode ExecutionModel SourceLanguage AddressingModel MemoryModel Dim
        SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType FPRoundingMode FPDenormMode
        QuantizationModes FPOperationMode OverflowModes LinkageType AccessQualifier HostAccessQualifier FunctionParameterAttribute Scope
        KernelEnqueueFlags Capability RayQueryIntersection RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType
        PackedVectorFormat CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier LoadCacheControl
        StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding CooperativeVectorMatrixLayout ComponentType]
}

/// The shapes of all opcodes.
pub(crate) struct Grammar {
    shapes: Vec<Option<Shape>>,
    briefs: Vec<Brief>,
    /// Instructions of OpenCL.std that have operands other than ids.
    opencl: IdMap<&'static [LogicalOperand]>,
}

/// Built when it is first needed.
pub(crate) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(Grammar::new)
}

impl Grammar {
    fn new() -> Grammar {
        let mut shapes = vec![None; OPCODES];
        for instruction in INSTRUCTION_TABLE.iter() {
            let operands = instruction.operands;
            let has_type = operands.first().is_some_and(|operand| operand.kind == OperandKind::IdResultType);
            let has_result = operands.get(usize::from(has_type)).is_some_and(|operand| operand.kind == OperandKind::IdResult);
            let rest = &operands[usize::from(has_type) + usize::from(has_result)..];
            let literal = |operand: &LogicalOperand| {
                use OperandKind::{LiteralContextDependentNumber, LiteralExtInstInteger, LiteralFloat, LiteralInteger, LiteralString};
                matches!(
                    operand.kind,
                    LiteralContextDependentNumber | LiteralExtInstInteger | LiteralFloat | LiteralInteger | LiteralString
                )
            };
            let rest = if rest.iter().all(|operand| is_id(operand.kind) || operand.kind == OperandKind::PairIdRefIdRef) {
                Rest::Ids
            } else if rest.iter().all(literal) {
                Rest::Literals
            } else {
                Rest::Walk(rest)
            };
            let shape = Shape { has_type, has_result, rest, capabilities: instruction.capabilities, extensions: instruction.extensions };
            if let Some(slot) = shapes.get_mut(instruction.opcode as usize) {
                *slot = Some(shape);
            }
        }
        let with_literals = OPENCL_STD_100_INSTRUCTION_TABLE.iter().filter(|i| !i.operands.iter().all(|operand| is_id(operand.kind)));
        let opencl = with_literals.map(|instruction| (u32::from(instruction.opcode), instruction.operands)).collect();
        let briefs = shapes.iter().zip(0..).map(|(shape, opcode)| shape.as_ref().map_or(Brief::UNKNOWN, |shape| brief(opcode, shape)));
        Grammar { briefs: briefs.collect(), shapes, opencl }
    }

    #[inline]
    pub(crate) fn brief(&self, opcode: u16) -> Brief {
        self.briefs.get(usize::from(opcode)).copied().unwrap_or(Brief::UNKNOWN)
    }

    /// `None` for an unknown opcode.
    pub(crate) fn shape(&self, opcode: u16) -> Option<&Shape> {
        self.shapes.get(usize::from(opcode)).and_then(Option::as_ref)
    }

    /// Calls `item` for every word that means something. `opencl` tells the ids of the sets of OpenCL's instructions.
    #[inline]
    pub(crate) fn visit(&self, words: &[u32], opencl: &[u32], enumerants: &mut Enumerants, item: &mut impl FnMut(Item)) {
        let opcode = (words[0] & 0xffff) as u16;
        let Some(shape) = self.shape(opcode) else {
            words[1..].iter().for_each(|word| item(Item::Perhaps(*word)));
            return;
        };
        if let (true, Some(id)) = (shape.has_type, words.get(1)) {
            item(Item::Id(*id));
        }
        // Half of what functions are made of.
        let access = match (u32::from(opcode), words) {
            (op, &[_, _, _, _, access, _]) if op == Op::Load as u32 => enumerants.plain_access(access),
            (op, &[_, _, _, access, _]) if op == Op::Store as u32 => enumerants.plain_access(access),
            _ => None,
        };
        if let Some(access) = access {
            words[usize::from(shape.has_type) * 2 + 1..words.len() - 2].iter().for_each(|word| item(Item::Id(*word)));
            item(Item::Enumerant(access));
            return;
        }
        let rest = words.get(1 + usize::from(shape.has_type) + usize::from(shape.has_result)..).unwrap_or_default();
        match shape.rest {
            Rest::Ids => rest.iter().for_each(|word| item(Item::Id(*word))),
            Rest::Literals => {}
            Rest::Walk(operands) => self.visit_rest(opcode, operands, rest, opencl, enumerants, item),
        }
    }

    fn visit_rest(
        &self,
        opcode: u16,
        operands: &'static [LogicalOperand],
        rest: &[u32],
        opencl: &[u32],
        enumerants: &mut Enumerants,
        item: &mut impl FnMut(Item),
    ) {
        match u32::from(opcode) {
            op if op == Op::ExtInst as u32 => {
                let [set, instruction, arguments @ ..] = rest else { return };
                item(Item::Id(*set));
                match self.opencl.get(instruction).filter(|_| opencl.contains(set)) {
                    Some(operands) => Walk::new(operands, arguments).run(enumerants, item),
                    // The operands of nearly all instructions of all sets are ids; literals of others may keep more than is needed.
                    None => arguments.iter().for_each(|word| item(Item::Id(*word))),
                }
            }
            op if op == Op::SpecConstantOp as u32 => {
                let [inner, arguments @ ..] = rest else { return };
                match self.shape(u16::try_from(*inner).unwrap_or(u16::MAX)).map(|shape| shape.rest) {
                    None => arguments.iter().for_each(|word| item(Item::Perhaps(*word))),
                    Some(Rest::Ids) => arguments.iter().for_each(|word| item(Item::Id(*word))),
                    Some(Rest::Literals) => {}
                    Some(Rest::Walk(operands)) => Walk::new(operands, arguments).run(enumerants, item),
                }
            }
            // How wide the literals are, the selector's type says; the labels are no ids of the module's.
            op if op == Op::Switch as u32 => rest.iter().take(2).for_each(|word| item(Item::Id(*word))),
            _ => Walk::new(operands, rest).run(enumerants, item),
        }
    }
}

fn brief(opcode: u32, shape: &Shape) -> Brief {
    let class = match shape.rest {
        _ if opcode == Op::Load as u32 || opcode == Op::Store as u32 => Class::Access,
        Rest::Ids => Class::Ids,
        Rest::Literals => Class::Literals,
        Rest::Walk(_) => Class::Walk,
    };
    let atomic = (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&opcode)
        || [Op::AtomicFAddEXT, Op::AtomicFMinEXT, Op::AtomicFMaxEXT].iter().any(|atomic| *atomic as u32 == opcode);
    Brief { class, role: Role::of(opcode, shape.has_result), typed: shape.has_type, result: shape.has_result, atomic }
}

fn is_id(kind: OperandKind) -> bool {
    matches!(kind, OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics)
}

/// Operands with their parameters, word by word.
struct Walk<'w> {
    operands: &'static [LogicalOperand],
    words: &'w [u32],
}

impl<'w> Walk<'w> {
    fn new(operands: &'static [LogicalOperand], words: &'w [u32]) -> Self {
        Walk { operands, words }
    }

    fn run(mut self, enumerants: &mut Enumerants, item: &mut impl FnMut(Item)) {
        for operand in self.operands {
            loop {
                if self.words.is_empty() {
                    return;
                }
                if !self.operand(operand.kind, enumerants, item) {
                    // Nobody knows where the next operand begins.
                    std::mem::take(&mut self.words).iter().for_each(|word| item(Item::Perhaps(*word)));
                    return;
                }
                if operand.quantifier != OperandQuantifier::ZeroOrMore {
                    break;
                }
            }
        }
    }

    /// Takes one operand; `false` if its length is not known.
    fn operand(&mut self, kind: OperandKind, enumerants: &mut Enumerants, item: &mut impl FnMut(Item)) -> bool {
        let Some((&word, rest)) = self.words.split_first() else { return true };
        match kind {
            OperandKind::LiteralString => {
                self.words = &self.words[literal_length(self.words)..];
                return true;
            }
            // As long as the type says; nothing follows it.
            OperandKind::LiteralContextDependentNumber => {
                self.words = &[];
                return true;
            }
            OperandKind::PairIdRefIdRef | OperandKind::PairIdRefLiteralInteger | OperandKind::PairLiteralIntegerIdRef => {
                let second = rest.first().copied();
                if kind != OperandKind::PairLiteralIntegerIdRef {
                    item(Item::Id(word));
                }
                if let (Some(second), true) = (second, kind != OperandKind::PairIdRefLiteralInteger) {
                    item(Item::Id(second));
                }
                self.words = rest.get(1..).unwrap_or_default();
                return true;
            }
            _ => {}
        }
        self.words = rest;
        if is_id(kind) || kind == OperandKind::IdResultType {
            item(Item::Id(word));
            return true;
        }
        if matches!(
            kind,
            OperandKind::LiteralInteger
                | OperandKind::LiteralFloat
                | OperandKind::LiteralExtInstInteger
                | OperandKind::LiteralSpecConstantOpInteger
                | OperandKind::IdResult
        ) {
            return true;
        }
        let Some(index) = enumerants.find(kind, word) else { return false };
        item(Item::Enumerant(index));
        for parameter in 0..enumerants.get(index).parameters.len() {
            let kind = enumerants.get(index).parameters[parameter].kind;
            let quantifier = enumerants.get(index).parameters[parameter].quantifier;
            loop {
                if self.words.is_empty() {
                    return true;
                }
                if !self.operand(kind, enumerants, item) {
                    return false;
                }
                if quantifier != OperandQuantifier::ZeroOrMore {
                    break;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(words: &[u32], opencl: &[u32]) -> Vec<Item> {
        let (mut enumerants, mut out) = (Enumerants::default(), Vec::new());
        let mut all = vec![(words.len() as u32) << 16 | words[0]];
        all.extend(&words[1..]);
        grammar().visit(&all, opencl, &mut enumerants, &mut |item| {
            if !matches!(item, Item::Enumerant(_)) {
                out.push(item);
            }
        });
        out
    }

    fn ids(ids: &[u32]) -> Vec<Item> {
        ids.iter().map(|id| Item::Id(*id)).collect()
    }

    #[test]
    fn ids_and_literals_are_told_apart() {
        // OpConstant, OpFunctionCall, OpLoad with alignment, OpStore aligned and made available at a scope, OpPhi.
        assert_eq!(items(&[43, 1, 2, 3], &[]), ids(&[1]));
        assert_eq!(items(&[57, 1, 2, 3, 4, 5], &[]), ids(&[1, 3, 4, 5]));
        assert_eq!(items(&[61, 1, 2, 3, 2, 8], &[]), ids(&[1, 3]));
        assert_eq!(items(&[62, 3, 4, 0xa, 8, 9], &[]), ids(&[3, 4, 9]));
        assert_eq!(items(&[245, 1, 2, 3, 4, 5, 6], &[]), ids(&[1, 3, 4, 5, 6]));
        // OpDecorate: linkage (a string), SpecId; conditions are ids.
        assert_eq!(items(&[71, 7, 41, 0x61, 0], &[]), ids(&[7]));
        assert_eq!(items(&[71, 7, 1, 9], &[]), ids(&[7]));
        assert_eq!(items(&[71, 7, 6247, 9], &[]), ids(&[7, 9]));
        // OpSpecConstantOp: LogicalAnd has ids, CompositeExtract indices.
        assert_eq!(items(&[52, 1, 2, 167, 3, 4], &[]), ids(&[1, 3, 4]));
        assert_eq!(items(&[52, 1, 2, 81, 3, 4], &[]), ids(&[1, 3]));
        // OpExtInst: vloadn ends with a literal, sin does not.
        assert_eq!(items(&[12, 1, 2, 9, 171, 3, 4, 8], &[9]), ids(&[1, 9, 3, 4]));
        assert_eq!(items(&[12, 1, 2, 9, 57, 3], &[9]), ids(&[1, 9, 3]));
        // OpEntryPoint: the name is no id.
        assert_eq!(items(&[15, 6, 3, 0x61, 4, 5], &[]), ids(&[3, 4, 5]));
        assert_eq!(items(&[8000, 3, 4], &[]), [Item::Perhaps(3), Item::Perhaps(4)]);
    }

    #[test]
    fn short_instructions_have_fewer_items() {
        for opcode in 0..8192 {
            for words in [vec![opcode], vec![opcode, 1], vec![opcode, 1, 2], vec![opcode, 1, 2, 3]] {
                assert!(items(&words, &[2]).len() < 4);
            }
        }
    }
}
