//! Why a kernel needs an aspect, by the code alone: the shortest chain of calls to an instruction that asks for it, with the lines that are
//! there (`debug_info.rs`). For modules of which nobody has recorded anything else.

use std::collections::{HashMap, HashSet, VecDeque};

use rspirv::spirv::Op;

use crate::debug_info::{DebugInfo, Place, Spot};
use crate::error::Error;
use crate::module::{Module, instructions};
use crate::words::literal;

/// A function of a chain, and where in it the next one is called, or the number used: file, line, column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChainStep {
    /// The symbol, or what people call it.
    pub function: String,
    /// Unknown in modules without lines. The column is 0 where only the line is known.
    pub place: Option<Place>,
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
    let mut callers: HashMap<u32, (u32, Spot)> = HashMap::new();
    while let Some(function) = queue.pop_front() {
        let body = walk.body(function);
        if let Some(used) = body.used {
            let mut chain = walk.steps(function, used);
            let mut at = function;
            while let Some(&(caller, spot)) = callers.get(&at) {
                let mut steps = walk.steps(caller, spot);
                // LLVM's entry points are shells around a function of the same name.
                steps.retain(|step| step.place.is_some() || chain.last().is_none_or(|last| last.function != step.function));
                chain.append(&mut steps);
                at = caller;
            }
            return Ok(Some(chain));
        }
        for (callee, spot) in body.calls {
            if seen.insert(callee) {
                callers.insert(callee, (function, spot));
                queue.push_back(callee);
            }
        }
    }
    Ok(None)
}

/// Where a kernel is defined, if the module says so.
///
/// # Errors
/// If the module is damaged.
pub fn place_of(module: &[u8], kernel: &str) -> Result<Option<Place>, Error> {
    let module = Module::parse(module)?;
    let walk = Walk::new(&module, Use::Image);
    let Some(root) = walk.entry(kernel) else { return Ok(None) };
    // A shell has no lines; what it calls has its name.
    let called = || walk.body(root).calls.into_iter().map(|(callee, _)| callee).find(|callee| module.name(*callee) == kernel);
    Ok(walk.debug.definition(&module, root).or_else(|| walk.debug.definition(&module, called()?)))
}

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
    debug: DebugInfo,
}

struct Body {
    /// The first use, if there is one; the first with a line if any has one.
    used: Option<Spot>,
    calls: Vec<(u32, Spot)>,
}

impl<'m, 'b> Walk<'m, 'b> {
    fn new(module: &'m Module<'b>, wanted: Use) -> Walk<'m, 'b> {
        let mut walk = Walk {
            module,
            wanted,
            types: HashSet::new(),
            values: HashSet::new(),
            functions: module.functions.iter().enumerate().map(|(index, function)| (function.id, index)).collect(),
            debug: DebugInfo::default(),
        };
        for instruction in &module.globals {
            walk.debug.note(instruction, module.words_of(instruction));
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
        let mut spot = Spot::default();
        let mut local: HashSet<u32> = HashSet::new();
        for (opcode, words) in instructions(self.module.body(&self.module.functions[index])) {
            let opcode_is = |op: Op| u32::from(opcode) == op as u32;
            self.debug.follow(&mut spot, opcode, words);
            if let (true, [_, _, _, callee, ..]) = (opcode_is(Op::FunctionCall), words) {
                out.calls.push((*callee, spot));
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
            if !opcode_is(Op::FunctionCall) && (makes || takes) && !out.used.is_some_and(|used| used.is_known()) {
                // The first of several without a line.
                if out.used.is_none() || spot.is_known() {
                    out.used = Some(spot);
                }
            }
        }
        out
    }

    fn steps(&self, function: u32, spot: Spot) -> Vec<ChainStep> {
        let frames = self.debug.frames(&self.module.name(function), spot);
        frames.into_iter().map(|(function, place)| ChainStep { function, place }).collect()
    }
}
