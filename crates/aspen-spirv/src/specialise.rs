//! A module for one device: conditions evaluated, functions discarded, branches decided, and whatever is then unused swept away.
//!
//! Everything is marked from the entry points and exports that stay; what is not marked goes, with its names, decorations, execution modes
//! and places in interfaces. What stays keeps its words and its order; only functions that branch on Aspen's constants, the constants
//! themselves, and lists that lose members are written anew. Time and memory are linear in the module.
//! Source: S1 "Modifications to the GEN compiler"; DESIGN §7.8, §7.20, §9.

use std::borrow::Cow;
use std::ops::Range;

use rspirv::spirv::{Decoration, FunctionControl, Op};

use crate::constants::Constants;
use crate::error::Error;
use crate::grammar::{Class, Enumerants, IdSet, Item, grammar};
use crate::mark::Marks;
use crate::module::{Instruction, Module, instruction, instructions, literal_length, put};
use crate::needs::Needs;
use crate::role::Role;
use crate::spec_id::SpecId;
use crate::words::{HEADER_WORDS, literal};

/// How the symbols of `sycl::detail::where_device_has` and `where_device_lacks` begin (include/sycl/ext/oneapi/device_if.hpp).
const GUARDED_BODIES: [&str; 2] = ["_ZN4sycl6detail16where_device_has", "_ZN4sycl6detail18where_device_lacks"];

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
    Ok(Cow::Owned(Sweep { marks: Marks::of(&parsed, constants, value)? }.write()))
}

/// The specialization constants of the module, sorted by number.
///
/// # Errors
/// If the module is damaged.
pub fn spec_ids(module: &[u8]) -> Result<Vec<SpecId>, Error> {
    let parsed = Module::parse(module)?;
    Ok(Constants::decorations(&parsed).spec_ids().into_iter().map(SpecId::from_number).collect())
}

/// What becomes of an instruction before the functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Goes,
    Stays,
    /// [`Sweep::rewritten`] says what.
    Changes,
}

struct Sweep<'m> {
    marks: Marks<'m>,
}

impl<'m> Sweep<'m> {
    fn write(mut self) -> Vec<u8> {
        let module = self.marks.module;
        let mut gone = Needs::default();
        let mut fates: Vec<Fate> = Vec::with_capacity(module.globals.len());
        let mut guarded = IdSet::new(module.bound());
        for instruction in &module.globals {
            let role = grammar().brief(instruction.opcode).role;
            let fate = self.fate(instruction, role);
            if role != Role::Capability && role != Role::Extension {
                let Marks { left, enumerants, .. } = &mut self.marks;
                match fate {
                    Fate::Goes => note(&mut gone, module, enumerants, module.words_of(instruction)),
                    Fate::Stays => note(left, module, enumerants, module.words_of(instruction)),
                    Fate::Changes => {
                        let words = self.rewritten(instruction);
                        let Marks { left, enumerants, .. } = &mut self.marks;
                        note(left, module, enumerants, &words);
                    }
                }
            }
            if let ([_, target, name @ ..], true) = (module.words_of(instruction), instruction.is(Op::Name) && fate == Fate::Stays)
                && is_guarded_body(name)
            {
                guarded.insert(*target);
            }
            fates.push(fate);
        }
        if self.is_undecided() {
            self.note_gone_functions(&mut gone);
        }
        gone.extend(&self.marks.left);
        self.decide_declarations(&mut fates, &gone);
        self.assemble(&fates, &guarded)
    }

    /// Whether it depends on what is gone if a declaration stays: neither what asks for it now nor another declaration says so.
    fn is_undecided(&mut self) -> bool {
        let module = self.marks.module;
        let Marks { left, enumerants, .. } = &mut self.marks;
        let mut declared = Needs::default();
        let declarations = || module.globals.iter().filter(|global| global.is(Op::Capability) || global.is(Op::Extension));
        declarations().for_each(|declaration| note(&mut declared, module, enumerants, module.words_of(declaration)));
        let (left, declared) = (left.asked(enumerants), declared.asked(enumerants));
        declarations().any(|declaration| match module.words_of(declaration) {
            [_, number] if declaration.is(Op::Capability) => left.leaves_open(*number),
            [_, name @ ..] if declaration.is(Op::Extension) => {
                let name = literal(name);
                !left.extensions.contains(&name.as_str()) && !declared.extensions.contains(&name.as_str())
            }
            _ => false,
        })
    }

    fn note_gone_functions(&mut self, gone: &mut Needs) {
        let module = self.marks.module;
        for (index, function) in module.functions.iter().enumerate() {
            if self.marks.is_live(function.id) && self.marks.folded(index).is_none() {
                continue;
            }
            for (opcode, words) in instructions(module.body(function)) {
                note(gone, module, &mut self.marks.enumerants, words);
                if grammar().brief(opcode).atomic {
                    for width in [16, 32, 64] {
                        gone.of_atomic(opcode, Some((Op::TypeFloat, width)));
                    }
                }
            }
        }
    }

    /// Which declarations are still needed. `before`: what the module asked for.
    fn decide_declarations(&mut self, fates: &mut [Fate], before: &Needs) {
        let module = self.marks.module;
        let Marks { left, enumerants, .. } = &mut self.marks;
        let (asked, still_asked) = (before.asked(enumerants), left.asked(enumerants));
        // Capabilities ask for extensions, too.
        let (mut all, mut kept) = (Needs::default(), Needs::default());
        all.extend(before);
        kept.extend(left);
        for (global, fate) in module.globals.iter().zip(&mut *fates).filter(|(global, _)| global.is(Op::Capability)) {
            let number = module.words_of(global).get(1).copied().unwrap_or_default();
            let words = instruction(Op::Capability, &[number]);
            note(&mut all, module, enumerants, &words);
            if asked.keeps_capability(&still_asked, number) {
                note(&mut kept, module, enumerants, &words);
            } else {
                *fate = Fate::Goes;
            }
        }
        let (all, kept) = (all.asked(enumerants), kept.asked(enumerants));
        for (global, fate) in module.globals.iter().zip(fates).filter(|(global, _)| global.is(Op::Extension)) {
            if !all.keeps_extension(&kept, &literal(&module.words_of(global)[1..])) {
                *fate = Fate::Goes;
            }
        }
    }

    /// The words that stay, in their order.
    fn assemble(&self, fates: &[Fate], guarded: &IdSet) -> Vec<u8> {
        let module = self.marks.module;
        let mut out = Output::new(&module.words);
        out.copy(0..HEADER_WORDS);
        for (instruction, fate) in module.globals.iter().zip(fates) {
            match fate {
                Fate::Goes => {}
                Fate::Stays => out.copy(instruction.at()..instruction.end()),
                Fate::Changes => out.add(&self.rewritten(instruction)),
            }
        }
        for (index, function) in module.functions.iter().enumerate().filter(|(_, function)| self.marks.is_live(function.id)) {
            let folded = self.marks.folded(index);
            // The functions that kept bodies of `if_device_has` apart until it is decided which of them stay may be inlined now.
            let inlined = guarded.contains(function.id).then(|| {
                let control = FunctionControl::from_bits_retain(module.words[function.at + 3]);
                (control.difference(FunctionControl::DONT_INLINE) | FunctionControl::INLINE).bits()
            });
            match (folded, inlined) {
                (None, None) => out.copy(function.at..function.end),
                (Some(words), None) => out.add(words),
                (None, Some(control)) => {
                    out.copy(function.at..function.at + 3);
                    out.add(&[control]);
                    out.copy(function.at + 4..function.end);
                }
                (Some(words), Some(control)) => {
                    out.add(&words[..3]);
                    out.add(&[control]);
                    out.add(&words[4..]);
                }
            }
        }
        out.finish()
    }

    /// What becomes of an instruction before the functions.
    fn fate(&self, of: &Instruction, role: Role) -> Fate {
        let marks = &self.marks;
        let stays_if = |stays: bool| if stays { Fate::Stays } else { Fate::Goes };
        match (role, marks.module.words_of(of)) {
            (Role::EntryPoint, &[_, _, function, ref rest @ ..]) => {
                if !marks.is_live(function) {
                    return Fate::Goes;
                }
                let interface = &rest[literal_length(rest)..];
                if interface.iter().all(|id| marks.is_live(*id)) { Fate::Stays } else { Fate::Changes }
            }
            (Role::Decorate | Role::DecorateId, &[_, _, decoration, ..]) if decoration == Decoration::ConditionalINTEL as u32 => Fate::Goes,
            (Role::Decorate, &[_, target, decoration, ..]) if decoration == Decoration::SpecId as u32 => {
                stays_if(marks.is_live(target) && !marks.is_ours(target))
            }
            (Role::Group, [_, group, targets @ ..]) => self.fate_of_list(*group, targets.iter()),
            (Role::GroupMember, [_, group, targets @ ..]) => self.fate_of_list(*group, targets.iter().step_by(2)),
            (Role::About | Role::Decorate | Role::DecorateId | Role::ModeId, &[_, target, ..]) => stays_if(marks.is_live(target)),
            (Role::Defines, words) => {
                let id = words.get(grammar().brief(of.opcode).result_at()).copied().unwrap_or_default();
                match marks.is_live(id) {
                    false => Fate::Goes,
                    true if marks.is_ours(id) && marks.replacement(of).is_some() => Fate::Changes,
                    true => Fate::Stays,
                }
            }
            _ => Fate::Stays,
        }
    }

    /// A group's list of targets, as far as they stay.
    fn fate_of_list<'t>(&self, group: u32, targets: impl Iterator<Item = &'t u32>) -> Fate {
        let (mut some, mut all) = (false, true);
        for target in targets {
            let is_live = self.marks.is_live(*target);
            some |= is_live;
            all &= is_live;
        }
        match (some && self.marks.is_live(group), all) {
            (false, _) => Fate::Goes,
            (true, true) => Fate::Stays,
            (true, false) => Fate::Changes,
        }
    }

    /// An instruction before the functions of which some is lost, or that is a constant of Aspen's.
    fn rewritten(&self, of: &Instruction) -> Vec<u32> {
        let marks = &self.marks;
        let words = marks.module.words_of(of);
        let mut out = match (grammar().brief(of.opcode).role, words) {
            (Role::EntryPoint, [_, _, _, rest @ ..]) => {
                let interface = 3 + literal_length(rest);
                let left = words[interface..].iter().copied().filter(|id| marks.is_live(*id));
                words[..interface].iter().copied().chain(left).collect()
            }
            (Role::Group, [op, group, targets @ ..]) => {
                let left = targets.iter().copied().filter(|id| marks.is_live(*id));
                [*op, *group].into_iter().chain(left).collect()
            }
            (Role::GroupMember, [op, group, targets @ ..]) => {
                let left = targets.chunks(2).filter(|pair| marks.is_live(pair[0])).flatten().copied();
                [*op, *group].into_iter().chain(left).collect()
            }
            _ => marks.replacement(of).unwrap_or_else(|| words.to_vec()),
        };
        let length = u32::try_from(out.len()).unwrap_or(u32::MAX);
        out[0] = length << 16 | out[0] & 0xffff;
        out
    }
}

/// Notes what an instruction asks for.
fn note(needs: &mut Needs, module: &Module<'_>, enumerants: &mut Enumerants, words: &[u32]) {
    let opcode = (words[0] & 0xffff) as u16;
    needs.opcode(opcode);
    match grammar().brief(opcode).class {
        Class::Ids | Class::Literals | Class::Unknown => {}
        Class::Walk | Class::Access => grammar().visit(words, &module.opencl, enumerants, &mut |item| {
            if let Item::Enumerant(index) = item {
                needs.enumerant(index);
            }
        }),
    }
    needs.of_type(opcode, words);
}

/// Whether the name is that of a function that keeps a body of `if_device_has` apart.
fn is_guarded_body(name: &[u32]) -> bool {
    let bytes = || name.iter().flat_map(|word| word.to_le_bytes());
    GUARDED_BODIES.iter().any(|begin| bytes().take(begin.len()).eq(begin.bytes()))
}

/// A module that is written: pieces of another, and words of its own.
struct Output<'m> {
    words: &'m [u32],
    /// What is copied next; neighbours are copied at once.
    run: Range<usize>,
    bytes: Vec<u8>,
}

impl<'m> Output<'m> {
    fn new(words: &'m [u32]) -> Output<'m> {
        Output { words, run: 0..0, bytes: Vec::with_capacity(words.len() * 4) }
    }

    fn copy(&mut self, range: Range<usize>) {
        if self.run.end == range.start {
            self.run.end = range.end;
        } else {
            self.flush();
            self.run = range;
        }
    }

    fn add(&mut self, words: &[u32]) {
        self.flush();
        put(&mut self.bytes, words);
    }

    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        put(&mut self.bytes, &self.words[run]);
    }

    fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }
}
