//! What stays of a module on a device: everything that is reached from the entry points and exports whose conditions hold.
//!
//! Functions are walked in the order in which they are met, which is nearly that of the module, each once; what is marked is a bit an id.
//! Aspen's own constants are never among the marked ids but in a set of their own, so that a function that refers to one is noticed by the
//! same look that every operand gets: such a function is folded, and walked again as what it became.
//! Source: S1 "Modifications to the GEN compiler"; DESIGN §7.8, §9.

use std::borrow::Cow;
use std::ops::Range;

use rspirv::spirv::{Decoration, LinkageType, Op};

use crate::constants::{Constants, Known, Value};
use crate::error::Error;
use crate::fold::Folder;
use crate::grammar::{Class, Enumerants, Grammar, IdSet, Item, grammar};
use crate::module::{Definition, Function, Instruction, Module, instruction, instructions};
use crate::needs::Needs;
use crate::role::Role;

/// How often a body is searched for what an atomic operation stores; beyond that it counts as 64 bits wide.
const SEARCHES: usize = 256;

/// What stays.
pub(crate) struct Marks<'m> {
    pub(crate) module: &'m Module<'m>,
    grammar: &'static Grammar,
    constants: Constants,
    pub(crate) enumerants: Enumerants,
    /// Constants of Aspen's.
    ours: IdSet,
    /// Those of them that something still refers to.
    ours_in_use: IdSet,
    /// What goes because its condition is false.
    discarded: IdSet,
    /// What stays, without [`Marks::ours_in_use`].
    live: IdSet,
    said: Said,
    /// What is marked, and which function it was marked for; all before `walked` has been walked over.
    queue: Vec<(u32, u32)>,
    walked: usize,
    folded: Folded,
    folder: Folder,
    /// What the bodies of functions that stay ask for.
    pub(crate) left: Needs,
    found: Found,
}

/// What instructions refer to that is not marked yet.
#[derive(Default)]
struct Found {
    ids: Vec<u32>,
    /// Operands of unknown instructions.
    perhaps: Vec<u32>,
    /// Values defined in a function that something before the functions says something about.
    described: Vec<u32>,
    /// A value that has the id of something that is no value of the function.
    defined_twice: Option<u32>,
}

/// Instructions that say something about an id by other ids: these stay if the id does.
#[derive(Default)]
struct Said {
    targets: IdSet,
    /// Targets with indices of the instructions, sorted.
    by_target: Vec<(u32, u32)>,
}

/// Functions whose words are not the module's.
#[derive(Default)]
struct Folded {
    words: Vec<u32>,
    /// By function: an index in `ranges` plus one, or 0.
    of: Vec<u32>,
    ranges: Vec<Range<usize>>,
}

impl<'m> Marks<'m> {
    /// Marks everything that stays.
    pub(crate) fn of(module: &'m Module<'m>, mut constants: Constants, value: Value<'_>) -> Result<Marks<'m>, Error> {
        constants.evaluate(module, value)?;
        let bound = module.bound();
        let mut discarded = IdSet::new(bound);
        for (target, condition) in &constants.conditions {
            if !constants.condition(module, *target, *condition)? {
                discarded.insert(*target);
            }
        }
        let mut ours = IdSet::new(bound);
        constants.all_of_ours().for_each(|id| ours.insert(id));
        let mut marks = Marks {
            module,
            grammar: grammar(),
            constants,
            enumerants: Enumerants::default(),
            ours,
            ours_in_use: IdSet::new(bound),
            discarded,
            live: IdSet::new(bound),
            said: Said::of(module),
            queue: Vec::new(),
            walked: 0,
            folded: Folded { of: vec![0; module.functions.len()], ..Folded::default() },
            folder: Folder::default(),
            left: Needs::default(),
            found: Found::default(),
        };
        marks.mark_roots()?;
        while let Some(&(id, origin)) = marks.queue.get(marks.walked) {
            marks.walked += 1;
            match module.definition(id) {
                Definition::Local => {}
                Definition::Global(index) => marks.walk_global(index, origin)?,
                Definition::Function(index) => marks.walk_function(index)?,
            }
            marks.walk_said(id)?;
        }
        Ok(marks)
    }

    #[inline]
    pub(crate) fn is_live(&self, id: u32) -> bool {
        self.live.contains(id) || self.ours_in_use.contains(id)
    }

    /// Whether the id is a constant of Aspen's.
    pub(crate) fn is_ours(&self, id: u32) -> bool {
        self.ours.contains(id)
    }

    /// The words of a function that are not the module's.
    pub(crate) fn folded(&self, function: usize) -> Option<&[u32]> {
        let index = (*self.folded.of.get(function)? as usize).checked_sub(1)?;
        self.folded.words.get(self.folded.ranges.get(index)?.clone())
    }

    /// Marks what the id stands for, since the function `origin` refers to it.
    fn mark(&mut self, id: u32, origin: u32) -> Result<(), Error> {
        if self.is_live(id) || self.module.definition(id) == Definition::Local {
            return Ok(());
        }
        if self.discarded.contains(id) {
            return Err(Error::Discarded { kept: self.module.name(origin), discarded: self.module.name(id) });
        }
        if self.ours.contains(id) {
            self.ours_in_use.insert(id)
        } else {
            self.live.insert(id)
        }
        self.queue.push((id, origin));
        Ok(())
    }

    /// Marks all ids, or what may be ids, of an instruction.
    fn mark_all(&mut self, words: &[u32], origin: impl Fn(u32) -> u32) -> Result<(), Error> {
        let mut ids = std::mem::take(&mut self.found.ids);
        ids.clear();
        self.grammar.visit(words, &self.module.opencl, &mut self.enumerants, &mut |item| {
            if let Item::Id(id) | Item::Perhaps(id) = item {
                ids.push(id);
            }
        });
        let marked = ids.iter().try_for_each(|id| self.mark(*id, origin(*id)));
        self.found.ids = ids;
        marked
    }

    /// Entry points, exports, and what stands for itself.
    fn mark_roots(&mut self) -> Result<(), Error> {
        let module = self.module;
        for instruction in &module.globals {
            match (self.grammar.brief(instruction.opcode).role, module.words_of(instruction)) {
                (Role::EntryPoint, &[_, _, root, ..]) => self.mark_root(root)?,
                (Role::Decorate, &[_, root, decoration, .., kind])
                    if decoration == Decoration::LinkageAttributes as u32 && kind != LinkageType::Import as u32 =>
                {
                    self.mark_root(root)?;
                }
                (Role::Itself, words) => {
                    self.grammar.visit(words, &module.opencl, &mut self.enumerants, &mut |item| {
                        if let Item::Id(id) | Item::Perhaps(id) = item {
                            self.found.ids.push(id);
                        }
                    });
                    for id in std::mem::take(&mut self.found.ids) {
                        self.mark_root(id)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn mark_root(&mut self, id: u32) -> Result<(), Error> {
        if self.discarded.contains(id) { Ok(()) } else { self.mark(id, id) }
    }

    /// What is said about an id that stays may refer to further ids.
    fn walk_said(&mut self, id: u32) -> Result<(), Error> {
        if !self.said.targets.contains(id) {
            return Ok(());
        }
        let module = self.module;
        let from = self.said.by_target.partition_point(|(target, _)| *target < id);
        let mut next = from;
        while let Some(&(_, index)) = self.said.by_target.get(next).filter(|(target, _)| *target == id) {
            next += 1;
            let instruction = &module.globals[index as usize];
            let words = module.words_of(instruction);
            match self.grammar.brief(instruction.opcode).role {
                // The group is only a name for what is said about it.
                Role::Group | Role::GroupMember => self.mark(words[1], words[1])?,
                _ => self.mark_all(words, |_| id)?,
            }
        }
        Ok(())
    }

    fn walk_global(&mut self, index: usize, origin: u32) -> Result<(), Error> {
        let words = match self.replacement(&self.module.globals[index]) {
            Some(words) => Cow::Owned(words),
            None => Cow::Borrowed(self.module.words_of(&self.module.globals[index])),
        };
        self.mark_all(&words, |_| origin)
    }

    /// What a constant of Aspen's becomes: the plain constant that it is. `None` for everything else.
    pub(crate) fn replacement(&self, of: &Instruction) -> Option<Vec<u32>> {
        let [_, kind, id, ..] = *self.module.words_of(of) else { return None };
        if !self.grammar.brief(of.opcode).typed || !self.ours.contains(id) {
            return None;
        }
        match self.constants.ours(id)? {
            Known::Bool(true) => Some(instruction(Op::ConstantTrue, &[kind, id])),
            Known::Bool(false) => Some(instruction(Op::ConstantFalse, &[kind, id])),
            Known::Constant(other) => {
                let (defined, words) = self.module.global(other)?;
                let plain = [Op::Constant, Op::ConstantTrue, Op::ConstantFalse, Op::ConstantNull, Op::ConstantComposite];
                let copied = plain.iter().any(|op| defined.is(*op)) && words.get(1) == Some(&kind);
                copied.then(|| [&words[..2], &[id], &words[3..]].concat())
            }
        }
    }

    fn walk_function(&mut self, index: usize) -> Result<(), Error> {
        let module = self.module;
        let function = module.functions[index];
        let before = self.left.before();
        let body = module.body(&function);
        self.walk_body(body);
        if let Some(id) = self.found.defined_twice {
            return Err(Error::damaged(function.at, &format!("a value of the function has the id %{id} of something before or beside it")));
        }
        if self.found.ids.iter().any(|id| self.ours.contains(*id)) {
            self.left.back_to(before);
            self.forget_values(body);
            self.walk_folded(index, &function)?;
        }
        let Found { ids, perhaps, described, defined_twice } = std::mem::take(&mut self.found);
        ids.iter().try_for_each(|id| self.mark(*id, function.id))?;
        for id in &perhaps {
            match module.definition(*id) {
                // It may be defined here, and then what is said about it stays.
                Definition::Local => self.live.insert(*id),
                _ => self.mark(*id, function.id)?,
            }
        }
        for id in &described {
            self.walk_said(*id)?;
        }
        self.found = Found { ids, perhaps, described, defined_twice };
        Ok(())
    }

    /// Takes back what [`Marks::walk_body`] said of the values of a body.
    fn forget_values(&mut self, body: &[u32]) {
        for (opcode, words) in instructions(body) {
            let brief = self.grammar.brief(opcode);
            if brief.result
                && u32::from(opcode) != Op::Function as u32
                && let Some(&result) = words.get(brief.result_at())
            {
                self.live.remove(result);
            }
        }
    }

    fn walk_folded(&mut self, index: usize, function: &Function) -> Result<(), Error> {
        let mut words = std::mem::take(&mut self.folded.words);
        let begin = words.len();
        let body = (self.module.body(function), function.at);
        self.folder.fold(self.module, &self.constants, body, &mut self.enumerants, &mut words)?;
        self.walk_body(&words[begin..]);
        self.folded.ranges.push(begin..words.len());
        self.folded.of[index] = u32::try_from(self.folded.ranges.len()).unwrap_or(0);
        self.folded.words = words;
        Ok(())
    }

    /// Notes what a body holds and asks for, and finds what it refers to that is not marked yet.
    fn walk_body(&mut self, body: &[u32]) {
        let Marks { grammar, module, live, left, enumerants, said, found, .. } = self;
        let Found { ids, perhaps, described, defined_twice } = found;
        ids.clear();
        perhaps.clear();
        described.clear();
        let some_are_described = !said.by_target.is_empty();
        let mut atomics = 0;
        for (opcode, words) in instructions(body) {
            let brief = grammar.brief(opcode);
            left.opcode(opcode);
            if brief.result
                && let Some(&result) = words.get(brief.result_at())
            {
                if module.is_defined(result) && u32::from(opcode) != Op::Function as u32 {
                    *defined_twice = Some(result);
                }
                live.insert(result);
                if some_are_described && said.targets.contains(result) {
                    described.push(result);
                }
            }
            let mut used = |id: u32| {
                if !live.contains(id) {
                    ids.push(id);
                }
            };
            if brief.typed
                && let Some(&id) = words.get(1)
            {
                used(id);
            }
            match (brief.class, words.get(brief.operands_at()..).unwrap_or_default()) {
                (Class::Ids, operands) => operands.iter().for_each(|id| used(*id)),
                (Class::Literals, _) => {}
                (Class::Access, operands) => match operands.split_last_chunk::<2>() {
                    Some((addresses, [access, _])) if addresses.len() == 2 - usize::from(brief.typed) && *access < PLAIN => {
                        addresses.iter().for_each(|id| used(*id));
                        if let Some(index) = enumerants.plain_access(*access) {
                            left.enumerant(index);
                        }
                    }
                    _ => visit(grammar, module, words, enumerants, left, &mut used, perhaps),
                },
                (Class::Walk | Class::Unknown, _) => visit(grammar, module, words, enumerants, left, &mut used, perhaps),
            }
            if brief.atomic {
                atomics += 1;
                let scalar = atomic_scalar(module, opcode, words, if atomics < SEARCHES { body } else { &[] });
                left.of_atomic(opcode, scalar);
            }
        }
    }
}

/// Memory accesses below have no ids, and at most one literal behind them.
const PLAIN: u32 = 8;

fn visit(
    grammar: &Grammar,
    module: &Module<'_>,
    words: &[u32],
    enumerants: &mut Enumerants,
    left: &mut Needs,
    used: &mut impl FnMut(u32),
    perhaps: &mut Vec<u32>,
) {
    grammar.visit(words, &module.opencl, enumerants, &mut |item| match item {
        Item::Enumerant(index) => left.enumerant(index),
        Item::Id(id) => used(id),
        Item::Perhaps(id) => perhaps.push(id),
    });
}

impl Said {
    fn of(module: &Module<'_>) -> Said {
        let grammar = grammar();
        let mut by_target = Vec::new();
        for (instruction, index) in module.globals.iter().zip(0..) {
            match (grammar.brief(instruction.opcode).role, module.words_of(instruction)) {
                (Role::DecorateId, &[_, target, decoration, ..]) if decoration != Decoration::ConditionalINTEL as u32 => {
                    by_target.push((target, index));
                }
                (Role::ModeId, &[_, target, ..]) => by_target.push((target, index)),
                (Role::Group, [_, _, targets @ ..]) => by_target.extend(targets.iter().map(|target| (*target, index))),
                (Role::GroupMember, [_, _, targets @ ..]) => by_target.extend(targets.iter().step_by(2).map(|target| (*target, index))),
                _ => {}
            }
        }
        by_target.sort_unstable();
        let mut targets = IdSet::new(if by_target.is_empty() { 0 } else { module.bound() });
        by_target.iter().for_each(|(target, _)| targets.insert(*target));
        Said { targets, by_target }
    }
}

/// What an atomic operation of that body works on.
fn atomic_scalar(module: &Module<'_>, opcode: u16, words: &[u32], body: &[u32]) -> Option<(Op, u32)> {
    let kind = if u32::from(opcode) == Op::AtomicStore as u32 {
        let value = *words.get(4)?;
        match module.global(value) {
            Some((_, [_, kind, ..])) => *kind,
            _ => instructions(body)
                .find_map(|(opcode, words)| (grammar().brief(opcode).typed && words.get(2) == Some(&value)).then(|| words[1]))?,
        }
    } else {
        *words.get(1)?
    };
    match module.global(kind)? {
        (defined, [_, _, width, ..]) if defined.is(Op::TypeInt) => Some((Op::TypeInt, *width)),
        (defined, [_, _, width, ..]) if defined.is(Op::TypeFloat) => Some((Op::TypeFloat, *width)),
        _ => None,
    }
}
