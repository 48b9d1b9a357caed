//! Conditions into a module: a specialization constant for each need, expressions over them, and the decoration on each function.
//! Source: S1 "Modifications to the post-link tool"; DESIGN §7.23; SPV_INTEL_function_variants.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{AspectSet, Need, Requirements};
use rspirv::spirv::{Capability, Decoration, LinkageType, Op};

use crate::conditions::{Alternative, Clause, Conditions, alternative};
use crate::constants::Constants;
use crate::error::Error;
use crate::grammar::{Enumerants, Item, grammar};
use crate::module::{Definition, Instruction, Module, instruction, instructions, to_literal};
use crate::spec_id::{Numbering, SpecId};
use crate::words::{HEADER_WORDS, literal};

const EXTENSION: &str = "SPV_INTEL_function_variants";

/// A kernel or exported function by its symbol, and what it needs.
pub type Root<'r> = (&'r str, &'r Requirements);

/// Decorates every function that not all devices need with its condition. A module whose roots need nothing comes back as it is.
///
/// # Errors
/// If the module is damaged, or has no such root, or a need has no number.
pub fn write<'b>(module: &'b [u8], roots: &[Root<'_>], numbering: &Numbering) -> Result<Cow<'b, [u8]>, Error> {
    let parsed = Module::parse(module)?;
    let named = symbols(&parsed);
    let mut alternatives: Vec<(usize, Alternative)> = Vec::new();
    for (symbol, requirements) in roots {
        let function = named.get(*symbol).ok_or_else(|| Error::NoRoot((*symbol).to_owned()))?;
        alternatives.push((*function, alternative(requirements)));
    }
    let conditions = Conditions::of(&CallGraph::of(&parsed).callees, &alternatives);
    let mut writer = Writer::new(&parsed, numbering);
    for (function, condition) in parsed.functions.iter().zip(&conditions.of) {
        let always = condition.iter().any(|alternative| conditions.alternatives[*alternative].is_empty());
        if always || condition.is_empty() {
            continue;
        }
        let expression = writer.either(condition.iter().map(|alternative| conditions.alternatives[*alternative].as_slice()))?;
        let decoration = instruction(Op::Decorate, &[function.id, Decoration::ConditionalINTEL as u32, expression]);
        writer.decorations.extend(decoration);
    }
    Ok(if writer.decorations.is_empty() { Cow::Borrowed(module) } else { Cow::Owned(writer.finish()?) })
}

/// Functions by the names that others know them by.
fn symbols(module: &Module<'_>) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for global in &module.globals {
        let (id, name) = match module.words_of(global) {
            [_, _, id, name @ ..] if global.is(Op::EntryPoint) => (*id, name),
            [_, id, decoration, name @ .., kind]
                if global.is(Op::Decorate)
                    && *decoration == Decoration::LinkageAttributes as u32
                    && *kind != LinkageType::Import as u32 =>
            {
                (*id, name)
            }
            _ => continue,
        };
        if let Definition::Function(index) = module.definition(id) {
            out.insert(literal(name), index);
        }
    }
    out
}

/// Who may call whom: calls, functions that are named otherwise (their address is taken), and calls through pointers.
pub(crate) struct CallGraph {
    pub(crate) callees: Vec<Vec<usize>>,
}

impl CallGraph {
    pub(crate) fn of(module: &Module<'_>) -> CallGraph {
        let mut graph = Walk {
            module,
            enumerants: Enumerants::default(),
            behind: BTreeMap::new(),
            taken: BTreeSet::new(),
            indirect: Vec::new(),
            parameters: vec![0; module.functions.len()],
        };
        let mut callees: Vec<Vec<usize>> = (0..module.functions.len()).map(|index| graph.callees(index)).collect();
        // A table's functions count as called by who can see it, and by whoever calls through a pointer.
        let taken: Vec<usize> = graph.taken.iter().copied().collect();
        for (caller, arguments) in &graph.indirect {
            callees[*caller].extend(taken.iter().copied().filter(|callee| graph.parameters[*callee] == *arguments));
        }
        for list in &mut callees {
            list.sort_unstable();
            list.dedup();
        }
        CallGraph { callees }
    }
}

struct Walk<'m> {
    module: &'m Module<'m>,
    enumerants: Enumerants,
    /// By index of an instruction before the functions: the functions that it names, itself or through others.
    behind: BTreeMap<usize, Vec<usize>>,
    taken: BTreeSet<usize>,
    /// Functions that call through pointers, with the number of arguments.
    indirect: Vec<(usize, usize)>,
    parameters: Vec<usize>,
}

impl Walk<'_> {
    fn ids(&mut self, words: &[u32]) -> Vec<Definition> {
        let mut ids = Vec::new();
        grammar().visit(words, &self.module.opencl, &mut self.enumerants, &mut |item| {
            if let Item::Id(id) | Item::Perhaps(id) = item {
                ids.push(id);
            }
        });
        ids.into_iter().map(|id| self.module.definition(id)).filter(|definition| *definition != Definition::Local).collect()
    }

    fn callees(&mut self, index: usize) -> Vec<usize> {
        let module = self.module;
        let function = module.functions[index];
        let mut out = Vec::new();
        for (opcode, words) in instructions(module.body(&function)) {
            let op = u32::from(opcode);
            if op == Op::FunctionParameter as u32 {
                self.parameters[index] += 1;
            }
            if op == Op::FunctionPointerCallINTEL as u32 {
                self.indirect.push((index, words.len().saturating_sub(4)));
            }
            for definition in self.ids(words) {
                match definition {
                    Definition::Function(callee) => {
                        if op != Op::FunctionCall as u32 {
                            self.taken.insert(callee);
                        }
                        out.push(callee);
                    }
                    Definition::Global(global) => out.extend(self.behind(global)),
                    Definition::Local => {}
                }
            }
        }
        out
    }

    /// Types and constants may be deep, and pointer types even refer to themselves: no recursion.
    fn behind(&mut self, global: usize) -> Vec<usize> {
        if let Some(known) = self.behind.get(&global) {
            return known.clone();
        }
        let (mut seen, mut list, mut out) = (BTreeSet::from([global]), vec![global], Vec::new());
        while let Some(next) = list.pop() {
            let words = self.module.words_of(&self.module.globals[next]).to_vec();
            for definition in self.ids(&words) {
                match definition {
                    Definition::Function(callee) => {
                        self.taken.insert(callee);
                        out.push(callee);
                    }
                    Definition::Global(other) => match self.behind.get(&other) {
                        Some(known) => out.extend(known),
                        None if seen.insert(other) => list.push(other),
                        None => {}
                    },
                    Definition::Local => {}
                }
            }
        }
        // What names no function names none through any of the things it refers to.
        if out.is_empty() {
            self.behind.extend(seen.into_iter().map(|index| (index, Vec::new())));
        }
        self.behind.insert(global, out.clone());
        out
    }
}

struct Writer<'m> {
    module: &'m Module<'m>,
    numbering: &'m Numbering,
    bound: u32,
    boolean: Option<u32>,
    /// Specialization constants by SpecId.
    constants: BTreeMap<u32, u32>,
    /// Operations, each once.
    operations: BTreeMap<(u32, u32, u32), u32>,
    decorations: Vec<u32>,
    spec_ids: Vec<u32>,
    /// The type, if it is new, constants and operations.
    definitions: Vec<u32>,
}

impl<'m> Writer<'m> {
    fn new(module: &'m Module<'m>, numbering: &'m Numbering) -> Self {
        let boolean = module.globals.iter().find(|global| global.is(Op::TypeBool)).map(|global| module.words_of(global)[1]);
        // Code that asks the device brings guards' constants of its own.
        let decorations = Constants::decorations(module);
        let specs = module.globals.iter().filter(|global| global.is(Op::SpecConstantTrue) || global.is(Op::SpecConstantFalse));
        let known = specs.filter_map(|global| {
            let id = *module.words_of(global).get(2)?;
            Some((decorations.spec_id(id).filter(|spec_id| spec_id.is_ours())?.number(), id))
        });
        let known = known.collect();
        Writer {
            module,
            numbering,
            bound: module.words[3],
            boolean,
            constants: known,
            operations: BTreeMap::new(),
            decorations: Vec::new(),
            spec_ids: Vec::new(),
            definitions: Vec::new(),
        }
    }

    fn new_id(&mut self) -> Result<u32, Error> {
        let id = self.bound;
        self.bound = id.checked_add(1).ok_or(Error::TooMany("ids"))?;
        Ok(id)
    }

    fn boolean(&mut self) -> Result<u32, Error> {
        if let Some(known) = self.boolean {
            return Ok(known);
        }
        let id = self.new_id()?;
        self.definitions.extend(instruction(Op::TypeBool, &[id]));
        self.boolean = Some(id);
        Ok(id)
    }

    fn need(&mut self, need: &Need) -> Result<u32, Error> {
        let spec_id = self.numbering.spec_id(need).ok_or(Error::TooMany("requirements: one has no number"))?;
        self.constant(spec_id)
    }

    fn constant(&mut self, spec_id: SpecId) -> Result<u32, Error> {
        let spec_id = spec_id.number();
        if let Some(known) = self.constants.get(&spec_id) {
            return Ok(*known);
        }
        let boolean = self.boolean()?;
        let id = self.new_id()?;
        self.definitions.extend(instruction(Op::SpecConstantTrue, &[boolean, id]));
        self.spec_ids.extend(instruction(Op::Decorate, &[id, Decoration::SpecId as u32, spec_id]));
        self.constants.insert(spec_id, id);
        Ok(id)
    }

    fn not(&mut self, of: u32) -> Result<u32, Error> {
        let key = (Op::LogicalNot as u32, of, of);
        if let Some(known) = self.operations.get(&key) {
            return Ok(*known);
        }
        let boolean = self.boolean()?;
        let id = self.new_id()?;
        self.definitions.extend(instruction(Op::SpecConstantOp, &[boolean, id, Op::LogicalNot as u32, of]));
        self.operations.insert(key, id);
        Ok(id)
    }

    fn aspects(&mut self, aspects: &AspectSet) -> Result<Option<u32>, Error> {
        let mut out = None;
        for aspect in aspects {
            let constant = self.constant(SpecId::Guard(*aspect))?;
            out = Some(match out {
                None => constant,
                Some(before) => self.operation(Op::LogicalAnd, before, constant)?,
            });
        }
        Ok(out)
    }

    /// What guarded code needs is needed only where its guard holds: `!guard || needed`.
    fn clause(&mut self, clause: &Clause) -> Result<u32, Error> {
        let (guard, needed) = match clause {
            Clause::Need(need) => return self.need(need),
            Clause::Guarded(guard, needed) => (guard, needed),
        };
        let mut either = Vec::new();
        if let Some(has) = self.aspects(&guard.has)? {
            either.push(self.not(has)?);
        }
        for list in &guard.lacks {
            either.extend(self.aspects(list)?);
        }
        either.extend(self.aspects(needed)?);
        let mut out = None;
        for term in either {
            out = Some(match out {
                None => term,
                Some(before) => self.operation(Op::LogicalOr, before, term)?,
            });
        }
        out.ok_or(Error::TooMany("guards that say nothing"))
    }

    fn operation(&mut self, op: Op, left: u32, right: u32) -> Result<u32, Error> {
        let key = (op as u32, left, right);
        if let Some(known) = self.operations.get(&key) {
            return Ok(*known);
        }
        let boolean = self.boolean()?;
        let id = self.new_id()?;
        self.definitions.extend(instruction(Op::SpecConstantOp, &[boolean, id, op as u32, left, right]));
        self.operations.insert(key, id);
        Ok(id)
    }

    /// `S1 && S2 && …`, in the order of the needs.
    fn all(&mut self, clauses: &[Clause]) -> Result<u32, Error> {
        let mut out = None;
        for clause in clauses {
            let constant = self.clause(clause)?;
            out = Some(match out {
                None => constant,
                Some(before) => self.operation(Op::LogicalAnd, before, constant)?,
            });
        }
        out.ok_or(Error::TooMany("conditions without needs"))
    }

    /// `P1 || P2 || …`.
    fn either<'a>(&mut self, alternatives: impl Iterator<Item = &'a [Clause]>) -> Result<u32, Error> {
        let mut out = None;
        for clauses in alternatives {
            let all = self.all(clauses)?;
            out = Some(match out {
                None => all,
                Some(before) => self.operation(Op::LogicalOr, before, all)?,
            });
        }
        out.ok_or(Error::TooMany("conditions without alternatives"))
    }

    /// The module with everything in the sections it belongs to.
    fn finish(self) -> Result<Vec<u8>, Error> {
        let Writer { module, bound, decorations, spec_ids, definitions, .. } = self;
        let after = |ops: &[Op]| module.globals.iter().rposition(|global| ops.iter().any(|op| global.is(*op))).map(|last| last + 1);
        let capability = after(&[Op::Capability]).unwrap_or(0);
        let extension = after(&[Op::Extension]).unwrap_or(capability).max(capability);
        let before_types = module.globals.iter().take_while(|global| PREAMBLE.iter().any(|op| global.is(*op))).count();
        let is_declared = |declaration: &[u32]| module.globals.iter().any(|global| module.words_of(global) == declaration);
        let mut declarations = Vec::new();
        for (at, declaration) in [
            (capability, instruction(Op::Capability, &[Capability::SpecConditionalINTEL as u32])),
            (extension, instruction(Op::Extension, &to_literal(EXTENSION))),
        ] {
            declarations.push((at, if is_declared(&declaration) { Vec::new() } else { declaration }));
        }
        declarations.push((before_types.max(extension), [spec_ids, decorations].concat()));
        declarations.push((module.globals.len(), definitions));
        let added: usize = declarations.iter().map(|(_, words)| words.len()).sum();
        let mut words: Vec<u32> = Vec::with_capacity(module.words.len() + added);
        words.extend(&module.words[..HEADER_WORDS]);
        words[3] = bound;
        let mut from = HEADER_WORDS;
        let functions = module.functions.first().map_or(module.words.len(), |function| function.at);
        for (at, new) in declarations {
            let to = module.globals.get(at).map_or(functions, Instruction::at);
            words.extend(&module.words[from..to]);
            words.extend(new);
            from = to;
        }
        words.extend(&module.words[from..]);
        Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}

/// What stands before the first type.
const PREAMBLE: [Op; 26] = [
    Op::Capability,
    Op::Extension,
    Op::ExtInstImport,
    Op::MemoryModel,
    Op::EntryPoint,
    Op::ExecutionMode,
    Op::ExecutionModeId,
    Op::String,
    Op::Source,
    Op::SourceExtension,
    Op::SourceContinued,
    Op::Name,
    Op::MemberName,
    Op::ModuleProcessed,
    Op::Decorate,
    Op::DecorateId,
    Op::DecorateString,
    Op::MemberDecorate,
    Op::MemberDecorateString,
    Op::DecorationGroup,
    Op::GroupDecorate,
    Op::GroupMemberDecorate,
    Op::ConditionalExtensionINTEL,
    Op::ConditionalEntryPointINTEL,
    Op::ConditionalCapabilityINTEL,
    Op::Nop,
];
