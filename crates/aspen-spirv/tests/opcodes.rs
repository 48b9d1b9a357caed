//! Every opcode and every enumerant of SPIR-V that can refer to a function or to anything else by its id, in a function and before all
//! functions: what is referred to stays, numbers that only look like ids keep nothing, and a reference to a discarded function is an error
//! that names both. Source: issue 7 "Tests it needs".
//!
//! Instructions are put together from the published grammar (rspirv's tables of it), operand by operand; which words of them are ids is
//! known from that.

mod common;

use std::collections::BTreeSet;

use aspen_spirv::{SpecId, specialise};
use common::{Assembler, disassemble};
use rspirv::dr::Operand;
use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand, OPENCL_STD_100_INSTRUCTION_TABLE, OperandKind, OperandQuantifier};
use rspirv::spirv::{self, Op};

/// Ids of the kept function, the discarded one, its condition, and a set of extended instructions.
const KEPT: u32 = 50;
const DISCARDED: u32 = 51;
const CONDITION: u32 = 20;
const OPENCL: u32 = 60;
const OTHER_SET: u32 = 61;
/// Variables: what instructions refer to, and what their literals look like.
const VARIABLES: std::ops::Range<u32> = 100..400;
const RESULT: u32 = 401;
const BOUND: u32 = 500;

/// A word of an instruction.
#[derive(Clone, Debug)]
enum Word {
    /// A type or an operand.
    Id,
    Result,
    /// A number that could be an id.
    Literal,
    /// Exactly that.
    Is(u32),
}
use Word::{Id, Is, Literal, Result as Defined};

macro_rules! enumerants {
    (masks [$($mask:ident)*] values [$($value:ident)*]) => {
        /// The values of a kind, each with what follows it; all bits of a mask alone, and all of them together.
        fn values(kind: OperandKind) -> Option<Vec<(u32, Vec<LogicalOperand>)>> {
            Some(match kind {
                $(OperandKind::$mask => {
                    let of = |value: u32| Operand::$mask(spirv::$mask::from_bits_truncate(value)).additional_operands();
                    let bits: Vec<u32> = spirv::$mask::all().iter().map(|flag| flag.bits()).collect();
                    let together = bits.iter().fold(0, |all, bit| all | bit);
                    // Parameters stand in the order of their bits.
                    let mut single: Vec<u32> = (0..32).map(|bit| together & 1 << bit).filter(|bit| *bit != 0).collect();
                    single.sort_unstable();
                    let all = single.iter().flat_map(|bit| of(*bit)).collect();
                    let alone = single.iter().map(|bit| (*bit, of(*bit)));
                    std::iter::once((0, Vec::new())).chain(alone).chain([(together, all)]).collect()
                })*
                $(OperandKind::$value => (0..12_000)
                    .filter_map(|value| Some((value, Operand::$value(spirv::$value::from_u32(value)?).additional_operands())))
                    .collect(),)*
                _ => return None,
            })
        }
    };
}

enumerants! {
    masks [ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics MemoryAccess KernelProfilingInfo RayFlags
        FragmentShadingRate RawAccessChainOperands CooperativeMatrixOperands CooperativeMatrixReduce TensorAddressingOperands
        MatrixMultiplyAccumulateOperands TensorOperands]
    values [SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim SamplerAddressingMode SamplerFilterMode
        ImageFormat ImageChannelOrder ImageChannelDataType FPRoundingMode FPDenormMode QuantizationModes FPOperationMode OverflowModes
        LinkageType AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope GroupOperation
        KernelEnqueueFlags Capability RayQueryIntersection RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType
        PackedVectorFormat CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier LoadCacheControl
        StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding CooperativeVectorMatrixLayout ComponentType]
}

/// All ways in which one operand may look: `longest` or the shortest of an optional one, and every enumerant.
fn ways(operand: &LogicalOperand) -> Vec<Vec<Word>> {
    let once: Vec<Vec<Word>> = match operand.kind {
        OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics | OperandKind::IdResultType => vec![vec![Id]],
        OperandKind::IdResult => vec![vec![Defined]],
        OperandKind::LiteralInteger
        | OperandKind::LiteralFloat
        | OperandKind::LiteralContextDependentNumber
        | OperandKind::LiteralExtInstInteger => vec![vec![Literal]],
        // "f", and "ffff" with the word of zeros behind it.
        OperandKind::LiteralString => vec![vec![Is(0x66)], vec![Is(0x6666_6666), Is(0)]],
        OperandKind::PairIdRefIdRef => vec![vec![Id, Id]],
        OperandKind::PairIdRefLiteralInteger => vec![vec![Id, Literal]],
        OperandKind::PairLiteralIntegerIdRef => vec![vec![Literal, Id]],
        kind => {
            let values = values(kind).unwrap_or_else(|| panic!("{kind:?} is a kind that this test does not know"));
            let with_parameters = |(value, parameters): (u32, Vec<LogicalOperand>)| {
                let rest = parameters.iter().flat_map(|parameter| ways(parameter).pop().unwrap_or_default());
                std::iter::once(Is(value)).chain(rest).collect()
            };
            values.into_iter().map(with_parameters).collect()
        }
    };
    match operand.quantifier {
        OperandQuantifier::One => once,
        OperandQuantifier::ZeroOrOne => [vec![Vec::new()], once].concat(),
        OperandQuantifier::ZeroOrMore => {
            let twice = once.iter().map(|words| [&words[..], words].concat());
            std::iter::once(Vec::new()).chain(twice).collect()
        }
    }
}

/// Instructions in which every operand takes every look once, the others their longest meanwhile.
fn instructions(before: &[Word], operands: &[LogicalOperand]) -> Vec<Vec<Word>> {
    let each: Vec<Vec<Vec<Word>>> = operands.iter().map(ways).collect();
    // Nothing stands behind an operand that is not there, or behind a list without end.
    let with = |place: usize, look: &Vec<Word>| {
        let mut words = before.to_vec();
        for (other, looks) in each.iter().enumerate() {
            let look = if other == place { look } else { looks.last().expect("a look") };
            words.extend(look.iter().cloned());
            if look.is_empty() {
                break;
            }
        }
        words
    };
    let mut out = vec![with(usize::MAX, &Vec::new())];
    for (place, looks) in each.iter().enumerate() {
        out.extend(looks.iter().map(|look| with(place, look)));
    }
    out
}

/// All instructions of an opcode that are worth a look.
fn all_of(opcode: u32, operands: &[LogicalOperand]) -> Vec<Vec<Word>> {
    match opcode {
        // Labels of cases are none of the module's ids.
        op if op == Op::Switch as u32 => vec![vec![Id, Id, Literal, Is(RESULT), Literal, Is(RESULT)]],
        op if op == Op::ExtInst as u32 => {
            let mut out = vec![vec![Id, Defined, Is(OTHER_SET), Literal, Id, Id]];
            for inner in OPENCL_STD_100_INSTRUCTION_TABLE.iter() {
                out.extend(instructions(&[Id, Defined, Is(OPENCL), Is(u32::from(inner.opcode))], inner.operands));
            }
            out
        }
        op if op == Op::SpecConstantOp as u32 => {
            let mut out = Vec::new();
            for inner in INSTRUCTION_TABLE.iter().filter(|inner| ![Op::ExtInst, Op::SpecConstantOp, Op::Switch].contains(&inner.opcode)) {
                let has_result = inner.operands.iter().filter(|operand| is_result(operand)).count();
                out.extend(instructions(&[Id, Defined, Is(inner.opcode as u32)], &inner.operands[has_result..]));
            }
            out
        }
        _ => instructions(&[], operands),
    }
}

fn is_result(operand: &LogicalOperand) -> bool {
    matches!(operand.kind, OperandKind::IdResult | OperandKind::IdResultType)
}

/// The instruction's operands with variables for its ids and literals; which of them are ids.
fn operands(words: &[Word]) -> (Vec<u32>, BTreeSet<u32>) {
    let mut variables = VARIABLES;
    let mut ids = BTreeSet::new();
    let mut next = || variables.next().expect("enough variables");
    let operands = words.iter().map(|word| match word {
        Id => {
            let id = next();
            ids.insert(id);
            id
        }
        Literal => next(),
        Defined => RESULT,
        Is(number) => *number,
    });
    (operands.collect(), ids)
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    /// In the function that stays.
    Body,
    /// Before all functions; the function that stays refers to its result.
    Before,
}

/// A module with the instruction at that place, a function that stays and one that goes.
fn module(opcode: u32, operands: &[u32], place: Place) -> Vec<u8> {
    let mut m = Assembler::default();
    m.op(17, &[6]).op(17, &[6245]);
    m.text(11, &[OPENCL], "OpenCL.std", &[]).text(11, &[OTHER_SET], "Other", &[]);
    m.op(14, &[2, 2]).text(15, &[6, KEPT], "kept", &[]).text(15, &[6, DISCARDED], "discarded", &[]);
    m.op(71, &[DISCARDED, 6247, CONDITION]).op(71, &[CONDITION, 1, 0x4000_0000]);
    m.op(19, &[10]).op(20, &[11]).op(33, &[12, 10]).op(32, &[13, 5, 10]).op(48, &[11, CONDITION]);
    for variable in VARIABLES {
        m.op(59, &[13, variable, 5]);
    }
    if place == Place::Before {
        m.op(opcode, operands);
    }
    m.op(54, &[10, KEPT, 0, 12]).op(248, &[402]);
    match place {
        Place::Body => _ = m.op(opcode, operands),
        Place::Before => _ = m.op(83, &[10, 403, RESULT]),
    }
    m.op(253, &[]).op(56, &[]);
    m.op(54, &[10, DISCARDED, 0, 12]).op(248, &[404]).op(253, &[]).op(56, &[]);
    m.module(BOUND)
}

fn without_condition(id: SpecId) -> Option<bool> {
    id.is_ours().then_some(false)
}

fn variables(module: &[u8]) -> BTreeSet<u32> {
    disassemble(module).iter().filter(|i| i[0] == 59 && VARIABLES.contains(&i[2])).map(|i| i[2]).collect()
}

/// Both that what is referred to stays, and that a discarded function in the place of each id is an error.
fn check(opcode: u32, words: &[Word], place: Place) {
    let (numbers, ids) = operands(words);
    let context = || format!("opcode {opcode} with {words:?}, {place:?}");
    let plain = module(opcode, &numbers, place);
    let special = specialise(&plain, &without_condition).unwrap_or_else(|error| panic!("{error}: {}", context()));
    assert_eq!(variables(&special), ids, "{}", context());
    assert!(disassemble(&special).iter().any(|i| i[0] == opcode && i[1..] == numbers), "it keeps its words: {}", context());
    for id in ids {
        let bad: Vec<u32> = numbers.iter().map(|number| if *number == id { DISCARDED } else { *number }).collect();
        let error = specialise(&module(opcode, &bad, place), &without_condition).expect_err(&context()).to_string();
        assert_eq!(
            error,
            "'kept' stays, but refers to 'discarded', which is discarded: its condition is false for this device",
            "{}",
            context()
        );
    }
}

#[test]
fn in_a_function() {
    let mut instructions = 0;
    for instruction in INSTRUCTION_TABLE.iter().filter(|i| ![Op::Function, Op::FunctionEnd].contains(&i.opcode)) {
        for words in all_of(instruction.opcode as u32, instruction.operands) {
            check(instruction.opcode as u32, &words, Place::Body);
            instructions += 1;
        }
    }
    assert!(instructions > 5_000, "{instructions}");
}

#[test]
fn before_the_functions() {
    let mut instructions = 0;
    let defines = |operands: &[LogicalOperand]| operands.iter().any(|operand| operand.kind == OperandKind::IdResult);
    // What has other meanings before the functions is in the next tests; labels and parameters are in functions only.
    let elsewhere = [Op::Function, Op::FunctionEnd, Op::SpecConstantOp, Op::ExtInstImport];
    for instruction in INSTRUCTION_TABLE.iter().filter(|i| defines(i.operands) && !elsewhere.contains(&i.opcode)) {
        for words in all_of(instruction.opcode as u32, instruction.operands) {
            check(instruction.opcode as u32, &words, Place::Before);
            instructions += 1;
        }
    }
    for words in all_of(Op::SpecConstantOp as u32, &[]) {
        check(Op::SpecConstantOp as u32, &words, Place::Before);
    }
    assert!(instructions > 2_000, "{instructions}");
}

/// Instructions about an id: what else they refer to stays if the id does, and they go with it.
#[test]
fn what_is_said_about_something() {
    let about = [
        Op::Name,
        Op::MemberName,
        Op::ExecutionMode,
        Op::ExecutionModeId,
        Op::Decorate,
        Op::DecorateId,
        Op::DecorateString,
        Op::MemberDecorate,
        Op::MemberDecorateString,
        Op::TypeForwardPointer,
    ];
    // Of what is said by id operands; OpDecorate has none but the target, whatever the decoration.
    let by_ids = [Op::ExecutionModeId, Op::DecorateId];
    for instruction in INSTRUCTION_TABLE.iter().filter(|i| about.contains(&i.opcode)) {
        let opcode = instruction.opcode as u32;
        for words in instructions(&[], instruction.operands) {
            let (numbers, ids) = operands(&words);
            let decoration = numbers.get(1).copied().unwrap_or_default();
            // The decoration of this very extension, SpecIds and exports mean something else.
            if opcode != Op::Name as u32 && [1, 41, 6247].contains(&decoration) {
                continue;
            }
            let context = || format!("opcode {opcode} with {words:?}");
            for (target, stays) in [(KEPT, true), (DISCARDED, false)] {
                let mut said = numbers.clone();
                said[0] = target;
                let with_result = [&[said[0]], &said[1..]].concat();
                let mut bytes = module(opcode, &with_result, Place::Before);
                // Nothing there has a result that the kept function could refer to.
                remove_reference(&mut bytes);
                let special = specialise(&bytes, &without_condition).unwrap_or_else(|error| panic!("{error}: {}", context()));
                let left = disassemble(&special).iter().any(|i| i[0] == opcode && i[1..] == said);
                assert_eq!(left, stays, "{target}: {}", context());
                let mut wanted = ids.clone();
                wanted.remove(&numbers[0]);
                if !stays || !by_ids.contains(&instruction.opcode) {
                    wanted.clear();
                }
                assert_eq!(variables(&special), wanted, "{target}: {}", context());
            }
        }
    }
}

fn remove_reference(module: &mut Vec<u8>) {
    let word: Vec<u8> = [4u32 << 16 | 83, 10, 403, RESULT].iter().flat_map(|word| word.to_le_bytes()).collect();
    let at = module.windows(word.len()).position(|words| words == word).expect("the reference");
    module.drain(at..at + word.len());
}

/// What neither defines something nor is about something stays, with all it refers to.
#[test]
fn what_stands_for_itself() {
    for (opcode, numbers, kept) in [
        (Op::Source, vec![4, 100, 101], vec![101]),
        (Op::Line, vec![100, 101, 102], vec![100]),
        (Op::ModuleProcessed, vec![0x66], vec![]),
        (Op::SourceExtension, vec![0x66], vec![]),
    ] {
        let mut bytes = module(opcode as u32, &numbers, Place::Before);
        remove_reference(&mut bytes);
        let special = specialise(&bytes, &without_condition).expect("a sound module");
        assert_eq!(variables(&special), kept.into_iter().collect(), "{opcode:?}");
        assert!(disassemble(&special).iter().any(|i| i[0] == opcode as u32 && i[1..] == numbers), "{opcode:?}");
    }
}

/// Lists lose what goes, and a group stays as long as one of its targets does.
#[test]
fn groups_and_interfaces() {
    let mut m = Assembler::default();
    m.op(17, &[6]).op(17, &[6245]).op(14, &[2, 2]);
    m.text(15, &[6, KEPT], "kept", &[100, 101, 102]).text(15, &[6, DISCARDED], "discarded", &[101]);
    m.op(71, &[CONDITION, 1, 0x4000_0000]).op(71, &[DISCARDED, 6247, CONDITION]);
    // Two groups: one for what stays and goes, one for what goes.
    m.op(71, &[30, 0]).op(332, &[30, 46, 105]).op(73, &[30]).op(71, &[31, 0]).op(73, &[31]);
    m.op(74, &[30, 100, 101, 102]).op(74, &[31, 101]).op(75, &[30, 103, 0, 100, 1, 101, 2]);
    m.op(19, &[10]).op(20, &[11]).op(33, &[12, 10]).op(32, &[13, 5, 10]).op(48, &[11, CONDITION]);
    for variable in VARIABLES {
        m.op(59, &[13, variable, 5]);
    }
    m.op(54, &[10, KEPT, 0, 12]).op(248, &[402]).op(83, &[13, 403, 100]).op(83, &[13, 404, 102]).op(253, &[]).op(56, &[]);
    m.op(54, &[10, DISCARDED, 0, 12]).op(248, &[405]).op(83, &[13, 406, 101]).op(253, &[]).op(56, &[]);
    let plain = m.module(BOUND);
    let special = specialise(&plain, &without_condition).expect("a sound module");
    let left = disassemble(&special);
    let of = |opcode: u32| left.iter().filter(|i| i[0] == opcode).map(|i| i[1..].to_vec()).collect::<Vec<_>>();
    assert_eq!(of(74), [vec![30, 100, 102]]);
    assert_eq!(of(75), [vec![30, 100, 1]]);
    assert_eq!(of(73), [vec![30]]);
    assert_eq!(of(71), [vec![30, 0]]);
    assert_eq!(of(332), [vec![30, 46, 105]], "what is said about the group by an id");
    assert_eq!(variables(&special), [100, 102, 105].into());
    assert_eq!(of(15), [vec![6, KEPT, 0x7470_656b, 0, 100, 102]]);
}
