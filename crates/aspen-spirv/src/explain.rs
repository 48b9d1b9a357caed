//! Why a kernel needs an aspect, by the code alone: the shortest chain of calls to an instruction that asks for it, with the lines that are
//! there. For modules of which nobody has recorded anything else.
//!
//! Source: SPIR-V specification, "Debug Instructions"; OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo.100, DebugLine.

use std::collections::{HashMap, HashSet, VecDeque};

use rspirv::spirv::Op;

use crate::error::Error;
use crate::module::{Module, instructions, literal};

/// A function of a chain, and where in it the next one is called, or the number used: file, line, column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChainStep {
    /// The symbol, or what people call it.
    pub function: String,
    /// Unknown in modules without lines.
    pub place: Option<(String, u32, u32)>,
}

/// What is looked for in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Floating-point numbers of so many bits.
    Float(u32),
    /// Atomic operations on values of 64 bits.
    Atomic64,
    /// Images and samplers.
    Image,
}

impl Use {
    /// Whether it has to do with a type that holds no others.
    fn is_of(self, ty: Op, width: Option<u32>) -> bool {
        match self {
            Use::Float(bits) => ty == Op::TypeFloat && width == Some(bits),
            Use::Atomic64 => (ty == Op::TypeInt || ty == Op::TypeFloat) && width == Some(64),
            Use::Image => [Op::TypeImage, Op::TypeSampler, Op::TypeSampledImage].contains(&ty),
        }
    }
}

fn is_atomic(opcode: u16) -> bool {
    let others = [Op::AtomicFAddEXT, Op::AtomicFMinEXT, Op::AtomicFMaxEXT];
    (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&u32::from(opcode)) || others.iter().any(|op| u32::from(opcode) == *op as u32)
}

/// DebugLine of NonSemantic.Shader.DebugInfo.100; the set of OpenCL has OpLine instead.
const DEBUG_LINE: u32 = 103;

/// The use first, the kernel last; `None` if nothing that the kernel calls by name is such a use.
///
/// # Errors
/// If the module is damaged.
pub fn chain_to(module: &[u8], kernel: &str, wanted: Use) -> Result<Option<Vec<ChainStep>>, Error> {
    let module = Module::parse(module)?;
    let walk = Walk::new(&module, wanted);
    let Some(root) = walk.entry(kernel) else { return Ok(None) };
    // Breadth first: the first function with such a use is at the end of a shortest chain.
    let (mut queue, mut seen) = (VecDeque::from([root]), HashSet::from([root]));
    let mut callers: HashMap<u32, (u32, Option<Line>)> = HashMap::new();
    while let Some(function) = queue.pop_front() {
        let body = walk.body(function);
        if let Some(used) = body.used {
            let mut chain = vec![walk.step(function, used)];
            let mut at = function;
            while let Some(&(caller, line)) = callers.get(&at) {
                chain.push(walk.step(caller, line));
                at = caller;
            }
            return Ok(Some(chain));
        }
        for (callee, line) in body.calls {
            if seen.insert(callee) {
                callers.insert(callee, (function, line));
                queue.push_back(callee);
            }
        }
    }
    Ok(None)
}

/// Id of a file's name, line, column.
type Line = (u32, u32, u32);

/// Types that hold no others, of those that something asks for.
const SCALARS: [Op; 5] = [Op::TypeInt, Op::TypeFloat, Op::TypeImage, Op::TypeSampler, Op::TypeSampledImage];

struct Walk<'m, 'b> {
    module: &'m Module<'b>,
    wanted: Use,
    /// Types that are or hold by value what is looked for.
    types: HashSet<u32>,
    /// Constants and variables of these types.
    values: HashSet<u32>,
    functions: HashMap<u32, usize>,
    strings: HashMap<u32, String>,
    /// Numbers, which DebugLine refers to.
    constants: HashMap<u32, u32>,
    /// The files of DebugSource.
    sources: HashMap<u32, u32>,
}

struct Body {
    /// The first use, if there is one, and its line.
    used: Option<Option<Line>>,
    calls: Vec<(u32, Option<Line>)>,
}

impl<'m, 'b> Walk<'m, 'b> {
    fn new(module: &'m Module<'b>, wanted: Use) -> Walk<'m, 'b> {
        let mut walk = Walk {
            module,
            wanted,
            types: HashSet::new(),
            values: HashSet::new(),
            functions: module.functions.iter().enumerate().map(|(index, function)| (function.id, index)).collect(),
            strings: HashMap::new(),
            constants: HashMap::new(),
            sources: HashMap::new(),
        };
        for instruction in &module.globals {
            match module.words_of(instruction) {
                [_, id, rest @ ..] if SCALARS.iter().any(|op| instruction.is(*op) && wanted.is_of(*op, rest.first().copied())) => {
                    walk.types.insert(*id);
                }
                [_, id, part, ..] if (instruction.is(Op::TypeVector) || instruction.is(Op::TypeArray)) && walk.types.contains(part) => {
                    walk.types.insert(*id);
                }
                [_, id, parts @ ..] if instruction.is(Op::TypeStruct) && parts.iter().any(|part| walk.types.contains(part)) => {
                    walk.types.insert(*id);
                }
                [_, id, name @ ..] if instruction.is(Op::String) => _ = walk.strings.insert(*id, literal(name)),
                [_, _, id, value] if instruction.is(Op::Constant) => {
                    walk.constants.insert(*id, *value);
                    walk.note(module.words_of(instruction));
                }
                // DebugSource: its file is a string.
                [_, _, id, _, 35, file, ..] if instruction.is(Op::ExtInst) => _ = walk.sources.insert(*id, *file),
                words => walk.note(words),
            }
        }
        walk
    }

    /// A constant or variable before the functions.
    fn note(&mut self, words: &[u32]) {
        if let [_, ty, id, ..] = words
            && self.types.contains(ty)
        {
            self.values.insert(*id);
        }
    }

    fn entry(&self, symbol: &str) -> Option<u32> {
        let named = |instruction: &&crate::module::Instruction| matches!(self.module.words_of(instruction), [_, _, _, name @ ..] if instruction.is(Op::EntryPoint) && literal(name) == symbol);
        let entry = self.module.globals.iter().find(named)?;
        let id = self.module.words_of(entry)[2];
        // LLVM's entry points are shells around a function of the same name; both are functions here.
        self.functions.contains_key(&id).then_some(id)
    }

    fn body(&self, function: u32) -> Body {
        let grammar = crate::grammar::grammar();
        let mut out = Body { used: None, calls: Vec::new() };
        let Some(&index) = self.functions.get(&function) else { return out };
        let mut line: Option<Line> = None;
        let mut local: HashSet<u32> = HashSet::new();
        for (opcode, words) in instructions(self.module.body(&self.module.functions[index])) {
            let opcode_is = |op: Op| u32::from(opcode) == op as u32;
            match words {
                [_, file, number, column] if opcode_is(Op::Line) => line = Some((*file, *number, *column)),
                [_] if opcode_is(Op::NoLine) => line = None,
                [_, _, _, _, DEBUG_LINE, source, first, _, column, ..] if opcode_is(Op::ExtInst) => {
                    let number = |id: &u32| self.constants.get(id).copied().unwrap_or_default();
                    line = self.sources.get(source).map(|file| (*file, number(first), number(column)));
                }
                [_, _, _, callee, ..] if opcode_is(Op::FunctionCall) => out.calls.push((*callee, line)),
                _ => {}
            }
            let brief = grammar.brief(opcode);
            let typed = brief.result && brief.typed;
            let (ty, operands) = if typed { (words.get(1), words.get(3..)) } else { (None, words.get(1..)) };
            let result = ty.is_some_and(|ty| self.types.contains(ty));
            let converts = match self.wanted {
                Use::Float(_) => [Op::Store, Op::FConvert, Op::ConvertFToS, Op::ConvertFToU].into_iter().any(opcode_is),
                Use::Atomic64 => is_atomic(opcode),
                Use::Image => false,
            };
            let takes =
                converts && operands.is_some_and(|operands| operands.iter().any(|id| self.values.contains(id) || local.contains(id)));
            if let (true, true, Some(id)) = (result, typed, words.get(2)) {
                local.insert(*id);
            }
            let makes = result && (self.wanted != Use::Atomic64 || is_atomic(opcode));
            // What a call returns is used in the function that is called.
            if !opcode_is(Op::FunctionCall) && (makes || takes) && (out.used.is_none() || out.used == Some(None)) {
                out.used = Some(line);
            }
        }
        out
    }

    fn step(&self, function: u32, line: Option<Line>) -> ChainStep {
        let place = line.and_then(|(file, line, column)| Some((self.strings.get(&file)?.clone(), line, column)));
        ChainStep { function: self.module.name(function), place }
    }
}
