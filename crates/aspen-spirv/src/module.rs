//! A module as words: where its instructions are, which of them define ids, where its functions begin and end.
//!
//! Nothing is decoded that nobody asks for, so that what is not touched keeps its bytes, and unknown instructions stay what they are.
//! Source: SPIR-V specification, "Physical Layout of a SPIR-V Module".

use std::borrow::Cow;

use rspirv::spirv::Op;

use crate::error::Error;
use crate::grammar::IdSet;
use crate::words::{HEADER_WORDS, Words, length_at, literal, split};

/// The bound that every consumer takes. Source: SPIR-V specification, "Universal Limits".
const BOUND_LIMIT: usize = 4_194_304;

/// An instruction before the first function: eight bytes, since every pass reads all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    at: u32,
    length: u16,
    pub(crate) opcode: u16,
}

impl Instruction {
    pub(crate) fn is(&self, op: Op) -> bool {
        u32::from(self.opcode) == op as u32
    }

    pub(crate) fn at(&self) -> usize {
        self.at as usize
    }

    pub(crate) fn end(&self) -> usize {
        self.at as usize + usize::from(self.length)
    }
}

/// A function: from OpFunction to OpFunctionEnd.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) id: u32,
    pub(crate) at: usize,
    pub(crate) end: usize,
}

/// What an id stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Definition {
    /// Nothing before the functions: a value in a function, or nothing at all.
    Local,
    /// The instruction of that index.
    Global(usize),
    /// The function of that index.
    Function(usize),
}

const FUNCTION_BIT: u32 = 1 << 31;

/// A module.
pub(crate) struct Module<'b> {
    pub(crate) words: Cow<'b, [u32]>,
    pub(crate) globals: Vec<Instruction>,
    pub(crate) functions: Vec<Function>,
    /// By id: 0, or an index plus one, with [`FUNCTION_BIT`] for functions.
    definitions: Vec<u32>,
    /// The same in a bit each.
    defined: IdSet,
    /// The sets of OpenCL's instructions.
    pub(crate) opencl: Vec<u32>,
}

impl<'b> Module<'b> {
    /// Walks over all instructions once.
    pub(crate) fn parse(bytes: &'b [u8]) -> Result<Module<'b>, Error> {
        let words = Words::read(bytes)?.0;
        if u32::try_from(words.len()).is_err() {
            return Err(Error::damaged(0, "the module is larger than 16 GiB"));
        }
        let bound = words[3] as usize;
        if bound > BOUND_LIMIT.max(words.len()) {
            return Err(Error::damaged(3, "the bound of ids is above what any consumer takes"));
        }
        let mut module = Module {
            words,
            globals: Vec::new(),
            functions: Vec::new(),
            definitions: vec![0; bound],
            defined: IdSet::new(bound),
            opencl: Vec::new(),
        };
        module.index()?;
        Ok(module)
    }

    fn index(&mut self) -> Result<(), Error> {
        let grammar = crate::grammar::grammar();
        let mut at = HEADER_WORDS;
        while at < self.words.len() {
            let (length, opcode) = self.instruction_at(at)?;
            if u32::from(opcode) == Op::Function as u32 {
                if length != 5 {
                    return Err(Error::damaged(at, "an OpFunction of the wrong length"));
                }
                let function = Function { id: self.words[at + 2], at, end: self.end_of_function(at)? };
                self.define(function.id, u32::try_from(self.functions.len() + 1).unwrap_or(0) | FUNCTION_BIT, at)?;
                self.functions.push(function);
                at = function.end;
                continue;
            }
            if u32::from(opcode) == Op::FunctionEnd as u32 {
                return Err(Error::damaged(at, "a function ends that has not begun"));
            }
            if !self.functions.is_empty() {
                return Err(Error::damaged(at, "an instruction between two functions"));
            }
            let brief = grammar.brief(opcode);
            if brief.result {
                let place = brief.result_at();
                if length <= place {
                    return Err(Error::damaged(at, "an instruction without the result it should have"));
                }
                self.define(self.words[at + place], u32::try_from(self.globals.len() + 1).unwrap_or(0), at)?;
            }
            let instruction = Instruction { at: at as u32, length: length as u16, opcode };
            if instruction.is(Op::ExtInstImport) && literal(&self.words[at + 2..at + length]) == "OpenCL.std" {
                self.opencl.push(self.words[at + 1]);
            }
            self.globals.push(instruction);
            at += length;
        }
        Ok(())
    }

    /// Length and opcode of the instruction there.
    #[inline]
    fn instruction_at(&self, at: usize) -> Result<(usize, u16), Error> {
        let length = length_at(&self.words, at)?;
        Ok((length, split(self.words[at]).1))
    }

    /// Where the function that begins there ends.
    fn end_of_function(&self, begin: usize) -> Result<usize, Error> {
        let mut at = begin + 5;
        while at < self.words.len() {
            let (length, opcode) = self.instruction_at(at)?;
            if u32::from(opcode) == Op::FunctionEnd as u32 {
                return Ok(at + length);
            }
            if u32::from(opcode) == Op::Function as u32 {
                return Err(Error::damaged(at, "a function begins inside another"));
            }
            at += length;
        }
        Err(Error::damaged(begin, "a function without end"))
    }

    fn define(&mut self, id: u32, what: u32, at: usize) -> Result<(), Error> {
        match self.definitions.get_mut(id as usize) {
            Some(slot) if *slot == 0 && id != 0 => {
                *slot = what;
                self.defined.insert(id);
                Ok(())
            }
            Some(_) => Err(Error::damaged(at, "an id is defined twice, or is 0")),
            None => Err(Error::damaged(at, "an id is above the module's bound")),
        }
    }

    /// The instruction's words, the first with length and opcode included.
    pub(crate) fn words_of(&self, instruction: &Instruction) -> &[u32] {
        &self.words[instruction.at()..instruction.end()]
    }

    pub(crate) fn definition(&self, id: u32) -> Definition {
        match self.definitions.get(id as usize) {
            None | Some(0) => Definition::Local,
            Some(what) if what & FUNCTION_BIT != 0 => Definition::Function((what & !FUNCTION_BIT) as usize - 1),
            Some(what) => Definition::Global(*what as usize - 1),
        }
    }

    /// Whether the id is that of a function or of something before the functions.
    #[inline]
    pub(crate) fn is_defined(&self, id: u32) -> bool {
        self.defined.contains(id)
    }

    pub(crate) fn bound(&self) -> usize {
        self.definitions.len()
    }

    pub(crate) fn body(&self, function: &Function) -> &[u32] {
        &self.words[function.at..function.end]
    }

    /// The instruction that defines the id, if it stands before the functions.
    pub(crate) fn global(&self, id: u32) -> Option<(&Instruction, &[u32])> {
        let Definition::Global(index) = self.definition(id) else { return None };
        let instruction = &self.globals[index];
        Some((instruction, self.words_of(instruction)))
    }

    /// What people call the function: its OpName, else the symbol it has as an entry point or for the linker, else its id.
    pub(crate) fn name(&self, id: u32) -> String {
        let mut symbol = None;
        for instruction in &self.globals {
            match self.words_of(instruction) {
                [_, target, name @ ..] if instruction.is(Op::Name) && *target == id => return literal(name),
                [_, _, target, name @ ..] if instruction.is(Op::EntryPoint) && *target == id => symbol = Some(literal(name)),
                [_, target, 41, name @ .., _] if instruction.is(Op::Decorate) && *target == id => symbol = Some(literal(name)),
                _ => {}
            }
        }
        symbol.unwrap_or_else(|| format!("%{id}"))
    }
}

/// Length and opcode of an instruction's first word.
/// The instructions of a function's body, or of any words that [`Module::parse`] has walked over.
pub(crate) struct Instructions<'w> {
    words: &'w [u32],
}

pub(crate) fn instructions(words: &[u32]) -> Instructions<'_> {
    Instructions { words }
}

impl<'w> Iterator for Instructions<'w> {
    type Item = (u16, &'w [u32]);

    fn next(&mut self) -> Option<Self::Item> {
        let (length, opcode) = split(*self.words.first()?);
        let (instruction, rest) = self.words.split_at_checked(length.max(1))?;
        self.words = rest;
        Some((opcode, instruction))
    }
}

/// How many words a string literal takes at the beginning of these.
pub(crate) fn literal_length(words: &[u32]) -> usize {
    let ends = |word: &u32| word.wrapping_sub(0x0101_0101) & !word & 0x8080_8080 != 0;
    words.iter().position(ends).map_or(words.len(), |last| last + 1)
}

/// The words of a string literal.
pub(crate) fn to_literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(text.len() / 4 * 4 + 4, 0);
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Appends words as they stand in a file.
pub(crate) fn put(out: &mut Vec<u8>, words: &[u32]) {
    if cfg!(target_endian = "little") {
        out.extend_from_slice(bytemuck::cast_slice(words));
    } else {
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
}

/// An instruction's words.
pub(crate) fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let length = u32::try_from(operands.len() + 1).unwrap_or(u32::MAX);
    let mut words = vec![length << 16 | op as u32];
    words.extend(operands);
    words
}
