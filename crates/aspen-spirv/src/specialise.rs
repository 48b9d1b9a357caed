//! A module for one device: conditions evaluated, functions discarded, branches decided, and whatever is then unused swept away.
//!
//! Everything is marked from the entry points and exports that stay; what is not marked goes, with its names, decorations, execution modes
//! and places in interfaces. What stays keeps its words and its order; only functions that branch on Aspen's constants, the constants
//! themselves, and lists that lose members are written anew. Time and memory are linear in the module.
//! Source: S1 "Modifications to the GEN compiler"; DESIGN §7.8, §7.20, §9.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::{Decoration, FunctionControl, LinkageType, Op};

use crate::constants::{Constants, Known, Value};
use crate::error::Error;
use crate::fold::fold;
use crate::grammar::{Enumerants, IdSet, Item, grammar};
use crate::module::{Definition, Function, HEADER_WORDS, Instruction, Module, instruction, instructions, literal, literal_length, put};
use crate::needs::Needs;
use crate::spec_id::SpecId;

/// Parts of the names of `sycl::detail::where_device_has` and `where_device_lacks` (include/sycl/ext/oneapi/device_if.hpp).
const GUARDED_BODIES: [&str; 2] = ["N4sycl6detail16where_device_has", "N4sycl6detail18where_device_lacks"];

/// How often a body is searched for what an atomic operation stores; beyond that it counts as 64 bits wide.
const SEARCHES: usize = 256;

/// Makes of a module what a device needs of it. `value` says what each specialization constant of Aspen's is there; constants of the user's
/// that it gives a value count as well. A module without any comes back as it is.
///
/// # Errors
/// If the module is damaged, a condition cannot be evaluated, a constant of Aspen's has no value, or something that stays refers to
/// something that goes.
pub fn specialise<'b>(module: &'b [u8], value: &dyn Fn(SpecId) -> Option<bool>) -> Result<Cow<'b, [u8]>, Error> {
    let parsed = Module::parse(module)?;
    let constants = Constants::decorations(&parsed);
    if constants.is_plain() {
        return Ok(Cow::Borrowed(module));
    }
    Sweep::new(&parsed, constants, value)?.run().map(Cow::Owned)
}

/// The specialization constants of the module, sorted by number.
///
/// # Errors
/// If the module is damaged.
pub fn spec_ids(module: &[u8]) -> Result<Vec<SpecId>, Error> {
    let parsed = Module::parse(module)?;
    Ok(Constants::decorations(&parsed).spec_ids().into_iter().map(SpecId::from_number).collect())
}

struct Sweep<'m> {
    module: &'m Module<'m>,
    constants: Constants,
    enumerants: Enumerants,
    /// Constants of Aspen's.
    ours: IdSet,
    /// What goes because its condition is false.
    discarded: IdSet,
    /// What stays.
    live: IdSet,
    /// What is marked, but not walked over yet, and which function it was marked for.
    list: Vec<(Definition, u32)>,
    /// By function: words that are not the module's.
    folded: BTreeMap<usize, Vec<u32>>,
    left: Needs,
}

impl<'m> Sweep<'m> {
    fn new(module: &'m Module<'m>, mut constants: Constants, value: Value<'_>) -> Result<Sweep<'m>, Error> {
        constants.evaluate(module, value)?;
        let bound = module.bound();
        let mut discarded = IdSet::new(bound);
        for (target, condition) in &constants.conditions {
            if !constants.condition(module, *target, *condition)? {
                discarded.insert(*target);
            }
        }
        let id_of = |instruction: &Instruction| module.words_of(instruction).get(2).copied();
        let mut ours = IdSet::new(bound);
        for id in module.globals.iter().filter_map(id_of).filter(|id| constants.ours(*id).is_some()) {
            ours.insert(id);
        }
        Ok(Sweep {
            module,
            constants,
            enumerants: Enumerants::default(),
            ours,
            discarded,
            live: IdSet::new(bound),
            list: Vec::new(),
            folded: BTreeMap::new(),
            left: Needs::default(),
        })
    }

    fn run(mut self) -> Result<Vec<u8>, Error> {
        self.mark_roots()?;
        loop {
            while let Some((definition, origin)) = self.list.pop() {
                match definition {
                    Definition::Local => {}
                    Definition::Global(index) => self.walk_global(index, origin)?,
                    Definition::Function(index) => self.walk_function(index)?,
                }
            }
            if !self.mark_by_decorations()? {
                break;
            }
        }
        Ok(self.write())
    }

    fn is_live(&self, id: u32) -> bool {
        self.live.contains(id)
    }

    /// Marks what the id stands for, since the function `origin` refers to it.
    fn mark(&mut self, id: u32, origin: u32) -> Result<(), Error> {
        let definition = self.module.definition(id);
        if definition == Definition::Local || self.live.contains(id) {
            return Ok(());
        }
        if self.is_discarded(id) {
            return Err(Error::Discarded { kept: self.module.name(origin), discarded: self.module.name(id) });
        }
        self.live.insert(id);
        self.list.push((definition, origin));
        Ok(())
    }

    fn is_discarded(&self, id: u32) -> bool {
        self.discarded.contains(id)
    }

    /// Entry points, exports, and what stands for itself.
    fn mark_roots(&mut self) -> Result<(), Error> {
        for instruction in &self.module.globals {
            let words = self.module.words_of(instruction);
            let op = u32::from(instruction.opcode);
            let roots = match *words {
                [_, _, function, ..] if op == Op::EntryPoint as u32 => vec![function],
                [_, target, decoration, .., kind]
                    if op == Op::Decorate as u32
                        && decoration == Decoration::LinkageAttributes as u32
                        && kind != LinkageType::Import as u32 =>
                {
                    vec![target]
                }
                _ if self.stands_for_itself(instruction) => self.ids(words),
                _ => continue,
            };
            for root in roots {
                if !self.is_discarded(root) {
                    self.mark(root, root)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the instruction neither defines something nor says something about something else.
    fn stands_for_itself(&self, instruction: &Instruction) -> bool {
        const ABOUT: [Op; 17] = [
            Op::EntryPoint,
            Op::ExecutionMode,
            Op::ExecutionModeId,
            Op::Name,
            Op::MemberName,
            Op::Decorate,
            Op::DecorateId,
            Op::DecorateString,
            Op::MemberDecorate,
            Op::MemberDecorateString,
            Op::GroupDecorate,
            Op::GroupMemberDecorate,
            Op::TypeForwardPointer,
            Op::Capability,
            Op::Extension,
            Op::Nop,
            Op::NoLine,
        ];
        let has_result = grammar().shape(instruction.opcode).is_some_and(|shape| shape.has_result);
        !has_result && !ABOUT.iter().any(|op| instruction.is(*op))
    }

    /// All ids, or what may be ids, of an instruction.
    fn ids(&mut self, words: &[u32]) -> Vec<u32> {
        let mut ids = Vec::new();
        grammar().visit(words, &self.module.opencl, &mut self.enumerants, &mut |item| {
            if let Item::Id(id) | Item::Perhaps(id) = item {
                ids.push(id);
            }
        });
        ids
    }

    /// What is said about things that stay may refer to further things.
    fn mark_by_decorations(&mut self) -> Result<bool, Error> {
        for instruction in &self.module.globals {
            let words = self.module.words_of(instruction);
            let about = match *words {
                [_, target, decoration, ..] if instruction.is(Op::DecorateId) && decoration != Decoration::ConditionalINTEL as u32 => {
                    target
                }
                [_, target, ..] if instruction.is(Op::ExecutionModeId) => target,
                [_, group, ref targets @ ..] if instruction.is(Op::GroupDecorate) => {
                    if targets.iter().any(|target| self.is_live(*target)) {
                        self.mark(group, group)?;
                    }
                    continue;
                }
                [_, group, ref targets @ ..] if instruction.is(Op::GroupMemberDecorate) => {
                    if targets.chunks(2).any(|target| self.is_live(target[0])) {
                        self.mark(group, group)?;
                    }
                    continue;
                }
                _ => continue,
            };
            if self.is_live(about) {
                for id in self.ids(words) {
                    self.mark(id, about)?;
                }
            }
        }
        Ok(!self.list.is_empty())
    }

    fn walk_global(&mut self, index: usize, origin: u32) -> Result<(), Error> {
        let words = match self.replacement(&self.module.globals[index]) {
            Some(words) => Cow::Owned(words),
            None => Cow::Borrowed(self.module.words_of(&self.module.globals[index])),
        };
        for id in self.ids(&words) {
            self.mark(id, origin)?;
        }
        Ok(())
    }

    /// What a constant of Aspen's becomes: the plain constant that it is. `None` for everything else.
    fn replacement(&self, of: &Instruction) -> Option<Vec<u32>> {
        let [_, kind, id, ..] = *self.module.words_of(of) else { return None };
        if !grammar().shape(of.opcode).is_some_and(|shape| shape.has_type) {
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
        let ours = |word: &u32| self.ours.contains(*word);
        // Literals may look like ids; the walk that knows better is the slower one.
        if module.body(&function).iter().any(ours) && self.uses_ours(&function) {
            let folded = fold(module, &self.constants, module.body(&function), function.at, &mut self.enumerants)?;
            self.folded.insert(index, folded);
        }
        let folded = self.folded.remove(&index);
        let found = self.walk_body(folded.as_deref().unwrap_or(module.body(&function)));
        if let Some(folded) = folded {
            self.folded.insert(index, folded);
        }
        for id in found {
            self.mark(id, function.id)?;
        }
        Ok(())
    }

    fn uses_ours(&mut self, function: &Function) -> bool {
        let mut found = false;
        for (_, words) in instructions(self.module.body(function)) {
            let ours = &self.ours;
            grammar().visit(words, &self.module.opencl, &mut self.enumerants, &mut |item| {
                if let Item::Id(id) = item {
                    found |= ours.contains(id);
                }
            });
        }
        found
    }

    /// Notes what a body holds and asks for, and returns what it refers to that is not marked yet.
    fn walk_body(&mut self, body: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        let (grammar, module) = (grammar(), self.module);
        let mut atomics = 0;
        for (opcode, words) in instructions(body) {
            self.left.opcode(opcode);
            if let Some(shape) = grammar.shape(opcode)
                && shape.has_result
                && opcode != Op::Function as u16
                && let Some(&result) = words.get(1 + usize::from(shape.has_type))
            {
                self.live.insert(result);
            }
            let (live, left) = (&mut self.live, &mut self.left);
            grammar.visit(words, &module.opencl, &mut self.enumerants, &mut |item| match item {
                Item::Enumerant(index) => left.enumerant(index),
                Item::Id(id) => {
                    if !live.contains(id) && module.definition(id) != Definition::Local {
                        found.push(id);
                    }
                }
                Item::Perhaps(id) => match module.definition(id) {
                    // It may be defined here, and then what is said about it stays.
                    Definition::Local => live.insert(id),
                    _ => found.push(id),
                },
            });
            if is_atomic(opcode) {
                atomics += 1;
                let scalar = self.atomic_scalar(opcode, words, if atomics < SEARCHES { body } else { &[] });
                self.left.of_atomic(opcode, scalar);
            }
        }
        found
    }

    /// What an atomic operation of that body works on.
    fn atomic_scalar(&self, opcode: u16, words: &[u32], body: &[u32]) -> Option<(Op, u32)> {
        let kind = if u32::from(opcode) == Op::AtomicStore as u32 {
            let value = *words.get(4)?;
            match self.module.global(value) {
                Some((_, [_, kind, ..])) => *kind,
                _ => instructions(body).find_map(|(opcode, words)| {
                    let typed = grammar().shape(opcode).is_some_and(|shape| shape.has_type);
                    (typed && words.get(2) == Some(&value)).then(|| words[1])
                })?,
            }
        } else {
            *words.get(1)?
        };
        match self.module.global(kind)? {
            (defined, [_, _, width, ..]) if defined.is(Op::TypeInt) => Some((Op::TypeInt, *width)),
            (defined, [_, _, width, ..]) if defined.is(Op::TypeFloat) => Some((Op::TypeFloat, *width)),
            _ => None,
        }
    }

    /// What something asks for that is not walked over otherwise.
    fn note(needs: &mut Needs, module: &Module<'_>, enumerants: &mut Enumerants, words: &[u32]) {
        let opcode = (words[0] & 0xffff) as u16;
        needs.opcode(opcode);
        needs.of_type(opcode, words);
        grammar().visit(words, &module.opencl, enumerants, &mut |item| {
            if let Item::Enumerant(index) = item {
                needs.enumerant(index);
            }
        });
    }

    fn write(mut self) -> Vec<u8> {
        let module = self.module;
        let mut gone = Needs::default();
        let mut globals: Vec<Option<Cow<'_, [u32]>>> = Vec::with_capacity(module.globals.len());
        for instruction in &module.globals {
            let written = self.global(instruction);
            if !(instruction.is(Op::Capability) || instruction.is(Op::Extension)) {
                match &written {
                    Some(words) => Self::note(&mut self.left, module, &mut self.enumerants, words),
                    None => Self::note(&mut gone, module, &mut self.enumerants, module.words_of(instruction)),
                }
            }
            globals.push(written);
        }
        if self.is_undecided() {
            self.note_gone_functions(&mut gone);
        }
        gone.extend(&self.left);
        self.assemble(globals, &gone)
    }

    /// Whether it depends on what is gone if a declaration stays: what asks for it now does not.
    fn is_undecided(&self) -> bool {
        let left = self.left.asked(&self.enumerants);
        self.module.globals.iter().any(|global| match self.module.words_of(global) {
            [_, number] if global.is(Op::Capability) => left.leaves_open(*number),
            [_, name @ ..] if global.is(Op::Extension) => !left.extensions.contains(&literal(name).as_str()),
            _ => false,
        })
    }

    fn note_gone_functions(&mut self, gone: &mut Needs) {
        let module = self.module;
        for (index, function) in module.functions.iter().enumerate() {
            if self.is_live(function.id) && !self.folded.contains_key(&index) {
                continue;
            }
            for (opcode, words) in instructions(module.body(function)) {
                Self::note(gone, module, &mut self.enumerants, words);
                if is_atomic(opcode) {
                    for width in [16, 32, 64] {
                        gone.of_atomic(opcode, Some((Op::TypeFloat, width)));
                    }
                }
            }
        }
    }

    /// The module's words with the declarations that are still needed.
    fn assemble(mut self, globals: Vec<Option<Cow<'_, [u32]>>>, before: &Needs) -> Vec<u8> {
        let module = self.module;
        let (asked, left) = (before.asked(&self.enumerants), self.left.asked(&self.enumerants));
        let declared = |instruction: &Instruction| {
            let number = module.words_of(instruction).get(1).copied().unwrap_or_default();
            (!instruction.is(Op::Capability) || asked.keeps_capability(&left, number)).then_some(number)
        };
        let capabilities: Vec<(u32, bool)> = (module.globals.iter().filter(|instruction| instruction.is(Op::Capability)))
            .map(|instruction| (module.words_of(instruction).get(1).copied().unwrap_or_default(), declared(instruction).is_some()))
            .collect();
        // Capabilities ask for extensions, too.
        let (mut all, mut kept) = (Needs::default(), Needs::default());
        all.extend(before);
        kept.extend(&self.left);
        for (number, stays) in &capabilities {
            let words = instruction(Op::Capability, &[*number]);
            Self::note(&mut all, module, &mut self.enumerants, &words);
            if *stays {
                Self::note(&mut kept, module, &mut self.enumerants, &words);
            }
        }
        let (all, kept) = (all.asked(&self.enumerants), kept.asked(&self.enumerants));
        let mut capabilities = capabilities.into_iter();
        let mut out: Vec<u8> = Vec::with_capacity(module.words.len() * 4);
        let mut put = |words: &[u32]| put(&mut out, words);
        put(&module.words[..HEADER_WORDS]);
        for (instruction, written) in module.globals.iter().zip(globals) {
            let stays = match (instruction, &written) {
                (_, None) => false,
                (instruction, _) if instruction.is(Op::Capability) => capabilities.next().is_none_or(|(_, stays)| stays),
                (instruction, Some(words)) if instruction.is(Op::Extension) => all.keeps_extension(&kept, &literal(&words[1..])),
                _ => true,
            };
            if let (true, Some(words)) = (stays, &written) {
                put(words);
            }
        }
        let guarded = self.guarded_bodies();
        for (index, function) in module.functions.iter().enumerate().filter(|(_, function)| self.is_live(function.id)) {
            let body = self.folded.get(&index).map_or(module.body(function), Vec::as_slice);
            match guarded.contains(&function.id).then(|| body.split_at_checked(4)).flatten() {
                Some(([op, of, id, control], rest)) => {
                    let control = FunctionControl::from_bits_retain(*control).difference(FunctionControl::DONT_INLINE);
                    put(&[*op, *of, *id, (control | FunctionControl::INLINE).bits()]);
                    put(rest);
                }
                _ => put(body),
            }
        }
        out
    }

    /// The functions that kept bodies of `if_device_has` apart until it is decided which of them stay; now they may be inlined.
    fn guarded_bodies(&self) -> BTreeSet<u32> {
        let names =
            self.module.globals.iter().filter(|global| global.is(Op::Name)).filter_map(|global| match self.module.words_of(global) {
                [_, id, name @ ..] => Some((*id, literal(name))),
                _ => None,
            });
        names.filter(|(_, name)| GUARDED_BODIES.iter().any(|part| name.contains(part))).map(|(id, _)| id).collect()
    }

    /// An instruction before the functions as it is written, if it is.
    fn global(&self, of: &Instruction) -> Option<Cow<'m, [u32]>> {
        let module = self.module;
        let words = module.words_of(of);
        let whole = Some(Cow::Borrowed(words));
        let op = u32::from(of.opcode);
        let only_if = |stays: bool| whole.clone().filter(|_| stays);
        match *words {
            [_, _, function, ref rest @ ..] if op == Op::EntryPoint as u32 => {
                let interface = 3 + literal_length(rest);
                let lost = words[interface.min(words.len())..].iter().any(|id| !self.is_live(*id));
                match (self.is_live(function), lost) {
                    (false, _) => None,
                    (true, false) => whole,
                    (true, true) => {
                        let left = words[interface..].iter().copied().filter(|id| self.is_live(*id));
                        Some(Cow::Owned(instruction(Op::EntryPoint, &words[1..interface].iter().copied().chain(left).collect::<Vec<_>>())))
                    }
                }
            }
            [_, _, decoration, ..]
                if (op == Op::Decorate as u32 || op == Op::DecorateId as u32) && decoration == Decoration::ConditionalINTEL as u32 =>
            {
                None
            }
            [_, target, decoration, ..] if op == Op::Decorate as u32 && decoration == Decoration::SpecId as u32 => {
                only_if(self.is_live(target) && !self.ours.contains(target))
            }
            [_, group, ref targets @ ..] if op == Op::GroupDecorate as u32 => {
                let left: Vec<u32> = targets.iter().copied().filter(|id| self.is_live(*id)).collect();
                self.fewer(of, group, targets, left)
            }
            [_, group, ref targets @ ..] if op == Op::GroupMemberDecorate as u32 => {
                let left: Vec<u32> = targets.chunks(2).filter(|pair| self.is_live(pair[0])).flatten().copied().collect();
                self.fewer(of, group, targets, left)
            }
            [_, target, ..] if is_about(op) => only_if(self.is_live(target)),
            _ => {
                let Some(shape) = grammar().shape(of.opcode).filter(|shape| shape.has_result) else { return whole };
                let id = words.get(1 + usize::from(shape.has_type)).copied().unwrap_or_default();
                match self.is_live(id) {
                    false => None,
                    true => self.replacement(of).map_or(whole, |words| Some(Cow::Owned(words))),
                }
            }
        }
    }

    /// A list of targets, as far as they stay.
    fn fewer(&self, of: &Instruction, group: u32, targets: &[u32], left: Vec<u32>) -> Option<Cow<'m, [u32]>> {
        if left.is_empty() || !self.is_live(group) {
            return None;
        }
        let words = self.module.words_of(of);
        if left.len() == targets.len() {
            return Some(Cow::Borrowed(words));
        }
        let length = u32::try_from(left.len() + 2).unwrap_or(u32::MAX);
        Some(Cow::Owned([&[length << 16 | words[0] & 0xffff, group][..], &left].concat()))
    }
}

/// Says something about the id that is its first operand.
fn is_about(op: u32) -> bool {
    const ABOUT: [Op; 10] = [
        Op::ExecutionMode,
        Op::ExecutionModeId,
        Op::Name,
        Op::MemberName,
        Op::Decorate,
        Op::DecorateId,
        Op::DecorateString,
        Op::MemberDecorate,
        Op::MemberDecorateString,
        Op::TypeForwardPointer,
    ];
    ABOUT.iter().any(|about| *about as u32 == op)
}

fn is_atomic(opcode: u16) -> bool {
    let op = u32::from(opcode);
    (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&op)
        || [Op::AtomicFAddEXT, Op::AtomicFMinEXT, Op::AtomicFMaxEXT].iter().any(|atomic| *atomic as u32 == op)
}
