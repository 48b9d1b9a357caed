//! What a module says of its own lines: `OpLine`, and the instruction sets of debug information. Optimised code has lost its calls; scopes
//! and what they are inlined at tell them again.
//!
//! Source: SPIR-V specification, "Debug Instructions"; OpenCL.DebugInfo.100, NonSemantic.Shader.DebugInfo.100, and its form 200 of
//! SPIRV-LLVM-Translator: DebugFunction, DebugLexicalBlock, DebugScope, DebugInlinedAt, DebugSource, DebugFunctionDefinition, DebugLine.

use std::collections::HashMap;

use rspirv::spirv::Op;

use crate::module::{Instruction, Module};
use crate::words::literal;

/// Instructions of these sets.
const FUNCTION: u32 = 20;
const LEXICAL_BLOCK: u32 = 21;
const LEXICAL_BLOCK_DISCRIMINATOR: u32 = 22;
const SCOPE: u32 = 23;
const NO_SCOPE: u32 = 24;
const INLINED_AT: u32 = 25;
const SOURCE: u32 = 35;
/// Those of the sets for shaders, which have no OpLine.
const FUNCTION_DEFINITION: u32 = 101;
const LINE: u32 = 103;
const NO_LINE: u32 = 104;
/// Scopes and inlined calls nest; no sound module does so more often, and a damaged one may do so in a circle.
const DEEPEST: usize = 256;

/// Id of a file's name, line, column.
type Line = (u32, u32, u32);
/// File, line, column; a column of 0 is not known.
pub(crate) type Place = (String, u32, u32);

/// Where an instruction comes from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    line: Option<Line>,
    scope: Option<u32>,
    inlined: Option<u32>,
}

impl Spot {
    /// Whether there is a line.
    pub(crate) fn is_known(&self) -> bool {
        self.line.is_some()
    }
}

/// A function or block of the source.
struct Scope {
    /// Of functions.
    name: Option<String>,
    file: u32,
    line: u32,
    column: u32,
    parent: Option<u32>,
}

/// A call that is no more: its line, the scope that it is in, and what that is inlined at.
struct Inlined {
    line: u32,
    scope: u32,
    at: Option<u32>,
}

/// All that is said before the functions.
#[derive(Default)]
pub(crate) struct DebugInfo {
    /// The sets; whether numbers are ids of constants there.
    sets: HashMap<u32, bool>,
    strings: HashMap<u32, String>,
    constants: HashMap<u32, u32>,
    /// The files of DebugSource.
    sources: HashMap<u32, u32>,
    scopes: HashMap<u32, Scope>,
    inlined: HashMap<u32, Inlined>,
    /// Scopes of functions.
    functions: HashMap<u32, u32>,
}

impl DebugInfo {
    /// Takes in an instruction that stands before the functions.
    pub(crate) fn note(&mut self, instruction: &Instruction, words: &[u32]) {
        match words {
            [_, id, name @ ..] if instruction.is(Op::ExtInstImport) => {
                let name = literal(name);
                if name.contains("DebugInfo.") || name == "SPIRV.debug" {
                    self.sets.insert(*id, name.starts_with("NonSemantic."));
                }
            }
            [_, id, text @ ..] if instruction.is(Op::String) => _ = self.strings.insert(*id, literal(text)),
            [_, _, id, value] if instruction.is(Op::Constant) => _ = self.constants.insert(*id, *value),
            [_, _, id, set, number, operands @ ..] if instruction.is(Op::ExtInst) => {
                if let Some(by_id) = self.sets.get(set).copied() {
                    self.extended(*id, *number, operands, by_id);
                }
            }
            _ => {}
        }
    }

    fn extended(&mut self, id: u32, number: u32, operands: &[u32], by_id: bool) {
        let value = |number: u32| if by_id { self.constants.get(&number).copied().unwrap_or_default() } else { number };
        let file = |source: u32| self.sources.get(&source).copied().unwrap_or_default();
        match (number, operands) {
            (SOURCE, [file, ..]) => _ = self.sources.insert(id, *file),
            (FUNCTION, [name, _, source, line, column, parent, linkage, _, _, rest @ ..]) => {
                let text = |id: &u32| self.strings.get(id).filter(|text| !text.is_empty()).cloned();
                let scope = Scope {
                    name: text(linkage).or_else(|| text(name)),
                    file: file(*source),
                    line: value(*line),
                    column: value(*column),
                    parent: Some(*parent),
                };
                self.scopes.insert(id, scope);
                // The sets for shaders have a declaration there, or nothing; what is no function is never asked for.
                if let (false, Some(function)) = (by_id, rest.first()) {
                    self.functions.insert(*function, id);
                }
            }
            (LEXICAL_BLOCK, [source, line, column, parent, ..]) => {
                let scope = Scope { name: None, file: file(*source), line: value(*line), column: value(*column), parent: Some(*parent) };
                self.scopes.insert(id, scope);
            }
            (LEXICAL_BLOCK_DISCRIMINATOR, [source, _, parent, ..]) => {
                self.scopes.insert(id, Scope { name: None, file: file(*source), line: 0, column: 0, parent: Some(*parent) });
            }
            (INLINED_AT, [line, scope, at @ ..]) => {
                self.inlined.insert(id, Inlined { line: value(*line), scope: *scope, at: at.first().copied() });
            }
            _ => {}
        }
    }

    /// Takes in an instruction of a body: `spot` is where those that follow come from.
    pub(crate) fn follow(&self, spot: &mut Spot, opcode: u16, words: &[u32]) {
        let is = |op: Op| u32::from(opcode) == op as u32;
        match words {
            // Line 0 is LLVM's for what the compiler has made.
            [_, file, line, column] if is(Op::Line) => spot.line = Some((*file, *line, *column)).filter(|_| *line != 0),
            [_] if is(Op::NoLine) => spot.line = None,
            [_, _, _, set, number, operands @ ..] if is(Op::ExtInst) && self.sets.contains_key(set) => match (*number, operands) {
                (SCOPE, [scope, at @ ..]) => (spot.scope, spot.inlined) = (Some(*scope), at.first().copied()),
                (NO_SCOPE, _) => (spot.scope, spot.inlined) = (None, None),
                (LINE, [source, first, _, column, ..]) => {
                    let number = |id: &u32| self.constants.get(id).copied().unwrap_or_default();
                    let line = self.sources.get(source).map(|file| (*file, number(first), number(column)));
                    spot.line = line.filter(|(_, line, _)| *line != 0);
                }
                (NO_LINE, _) => spot.line = None,
                _ => {}
            },
            // A block begins without a line; scopes end with it, too.
            [..] if is(Op::Label) => *spot = Spot::default(),
            _ => {}
        }
    }

    /// The functions of the source that an instruction of `function` comes from, innermost first, each with its place: of the instruction, or
    /// of the call that was inlined there. The last one is `function` itself.
    pub(crate) fn frames(&self, function: &str, spot: Spot) -> Vec<(String, Option<Place>)> {
        let mut place = spot.line.and_then(|(file, line, column)| Some((self.strings.get(&file)?.clone(), line, column)));
        let (mut scope, mut inlined) = (spot.scope, spot.inlined);
        let mut out = Vec::new();
        while let Some(call) = inlined.and_then(|id| self.inlined.get(&id)).filter(|_| out.len() < DEEPEST) {
            let Some((name, _)) = scope.and_then(|scope| self.function_of(scope)) else { break };
            out.push((name.to_owned(), place));
            place = self.scopes.get(&call.scope).and_then(|scope| self.place(scope.file, call.line, 0));
            (scope, inlined) = (Some(call.scope), call.at);
        }
        out.push((function.to_owned(), place));
        out
    }

    /// The function of the source that a scope is in.
    fn function_of(&self, scope: u32) -> Option<(&str, &Scope)> {
        let mut at = self.scopes.get(&scope)?;
        for _ in 0..DEEPEST {
            if let Some(name) = &at.name {
                return Some((name, at));
            }
            at = self.scopes.get(&at.parent?)?;
        }
        None
    }

    fn place(&self, file: u32, line: u32, column: u32) -> Option<Place> {
        self.strings.get(&file).filter(|_| line != 0).map(|file| (file.clone(), line, column))
    }

    /// Where a function of the module is defined.
    pub(crate) fn definition(&self, module: &Module<'_>, function: u32) -> Option<Place> {
        let by_body = || {
            let index = module.functions.iter().find(|one| one.id == function)?;
            crate::module::instructions(module.body(index)).find_map(|(opcode, words)| match words {
                [_, _, _, set, FUNCTION_DEFINITION, scope, ..]
                    if u32::from(opcode) == Op::ExtInst as u32 && self.sets.contains_key(set) =>
                {
                    Some(*scope)
                }
                _ => None,
            })
        };
        let scope = self.scopes.get(&self.functions.get(&function).copied().or_else(by_body)?)?;
        self.place(scope.file, scope.line, scope.column)
    }
}
