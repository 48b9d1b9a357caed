//! The module's boolean constants, evaluated: which of them are Aspen's, and what they are on the device in question.
//!
//! Constants stand before they are used, so one walk evaluates all of them; a cycle would need a constant that comes later.
//! Source: SPIR-V specification, "Logical Layout of a Module", OpSpecConstantOp.

use rspirv::spirv::{Decoration, Op};

use crate::error::Error;
use crate::grammar::IdMap;
use crate::module::{Definition, Module};
use crate::spec_id::SpecId;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// It is that.
    Bool(bool),
    /// It is what that constant is.
    Constant(u32),
}

/// What is known of the module's constants.
#[derive(Default)]
pub(crate) struct Constants {
    /// Values of constants that depend on Aspen's.
    ours: IdMap<Known>,
    /// Plain boolean constants.
    plain: IdMap<bool>,
    /// SpecIds of all constants that have one.
    spec_ids: IdMap<u32>,
    /// Decorated with ConditionalINTEL: what, and by which condition, in module order.
    pub(crate) conditions: Vec<(u32, u32)>,
}

/// Gives a value to a specialization constant of that SpecId.
pub(crate) type Value<'v> = &'v dyn Fn(SpecId) -> Option<bool>;

impl Constants {
    /// Decorations only; no constant has a value yet.
    pub(crate) fn decorations(module: &Module<'_>) -> Constants {
        let mut constants = Constants::default();
        let mut groups = Vec::new();
        for instruction in &module.globals {
            match module.words_of(instruction) {
                [_, id, decoration, number] if instruction.is(Op::Decorate) && *decoration == Decoration::SpecId as u32 => {
                    constants.spec_ids.insert(*id, *number);
                }
                [_, id, decoration, condition]
                    if (instruction.is(Op::Decorate) || instruction.is(Op::DecorateId))
                        && *decoration == Decoration::ConditionalINTEL as u32 =>
                {
                    constants.conditions.push((*id, *condition));
                }
                [_, group, targets @ ..] if instruction.is(Op::GroupDecorate) => groups.push((*group, targets)),
                _ => {}
            }
        }
        for (group, targets) in groups {
            let of_group: Vec<u32> = constants.conditions.iter().filter(|(id, _)| *id == group).map(|(_, condition)| *condition).collect();
            constants.conditions.extend(of_group.iter().flat_map(|condition| targets.iter().map(|target| (*target, *condition))));
        }
        constants
    }

    /// The SpecIds of the module, each once, sorted.
    pub(crate) fn spec_ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.spec_ids.values().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub(crate) fn spec_id(&self, id: u32) -> Option<SpecId> {
        self.spec_ids.get(&id).copied().map(SpecId::from_number)
    }

    /// Whether the module has nothing to specialise.
    pub(crate) fn is_plain(&self) -> bool {
        self.conditions.is_empty() && self.spec_ids.values().all(|number| !SpecId::from_number(*number).is_ours())
    }

    pub(crate) fn evaluate(&mut self, module: &Module<'_>, value: Value<'_>) -> Result<(), Error> {
        for (index, instruction) in module.globals.iter().enumerate() {
            let words = module.words_of(instruction);
            let (op, [_, _, id, operands @ ..]) = (u32::from(instruction.opcode), words) else { continue };
            match op {
                _ if op == Op::ConstantTrue as u32 => _ = self.plain.insert(*id, true),
                _ if op == Op::ConstantFalse as u32 => _ = self.plain.insert(*id, false),
                _ if op == Op::SpecConstantTrue as u32 || op == Op::SpecConstantFalse as u32 => {
                    let Some(spec_id) = self.spec_id(*id) else { continue };
                    match value(spec_id) {
                        Some(value) => _ = self.ours.insert(*id, Known::Bool(value)),
                        None if spec_id.is_ours() => return Err(Error::NoValue(spec_id.number())),
                        None => {}
                    }
                }
                _ if op == Op::SpecConstantOp as u32 => {
                    let known = operands.split_first().and_then(|(inner, operands)| self.operation(*inner, operands));
                    // An arm that comes later could lead back to here.
                    let stands = |arm: u32| matches!(module.definition(arm), Definition::Global(before) if before < index);
                    if let Some(known) = known.filter(|known| !matches!(known, Known::Constant(arm) if !stands(*arm))) {
                        self.ours.insert(*id, known);
                    }
                }
                _ => {}
            }
        }
        let strange = self.spec_ids.iter().filter(|(id, number)| SpecId::from_number(**number).is_ours() && !self.ours.contains_key(id));
        match strange.min() {
            Some((id, number)) => Err(Error::NoBoolean { id: *id, number: *number }),
            None => Ok(()),
        }
    }

    /// The result of an operation, if one of Aspen's constants decides it.
    pub(crate) fn operation(&self, op: u32, operands: &[u32]) -> Option<Known> {
        self.operation_with(op, operands, &|id| self.ours(id))
    }

    /// The same, where `ours` says what is known of an operand.
    pub(crate) fn operation_with(&self, op: u32, operands: &[u32], ours: &dyn Fn(u32) -> Option<Known>) -> Option<Known> {
        let boolean = |id: u32| match ours(id) {
            Some(Known::Bool(value)) => Some(value),
            Some(Known::Constant(constant)) => self.boolean(constant),
            None => self.plain.get(&id).copied(),
        };
        // Plain constants alone are none of our business.
        if !operands.iter().any(|id| ours(*id).is_some()) {
            return None;
        }
        let known = |value: Option<bool>| value.map(Known::Bool);
        match *operands {
            [a] if op == Op::LogicalNot as u32 => known(boolean(a).map(|a| !a)),
            [a] if op == Op::CopyObject as u32 => ours(a),
            [a, b] if op == Op::LogicalAnd as u32 => match (boolean(a), boolean(b)) {
                (Some(false), _) | (_, Some(false)) => Some(Known::Bool(false)),
                (Some(true), Some(true)) => Some(Known::Bool(true)),
                _ => None,
            },
            [a, b] if op == Op::LogicalOr as u32 => match (boolean(a), boolean(b)) {
                (Some(true), _) | (_, Some(true)) => Some(Known::Bool(true)),
                (Some(false), Some(false)) => Some(Known::Bool(false)),
                _ => None,
            },
            [a, b] if op == Op::LogicalEqual as u32 => known(boolean(a).zip(boolean(b)).map(|(a, b)| a == b)),
            [a, b] if op == Op::LogicalNotEqual as u32 => known(boolean(a).zip(boolean(b)).map(|(a, b)| a != b)),
            [condition, a, b] if op == Op::Select as u32 => {
                // Which arm is taken must be Aspen's doing; what the arm is may be anything that has a name.
                match ours(condition)? {
                    Known::Bool(value) => {
                        let arm = if value { a } else { b };
                        Some(ours(arm).unwrap_or(Known::Constant(arm)))
                    }
                    Known::Constant(_) => None,
                }
            }
            _ => None,
        }
    }

    /// All constants that depend on Aspen's, in no order.
    pub(crate) fn all_of_ours(&self) -> impl Iterator<Item = u32> {
        self.ours.keys().copied()
    }

    /// What is known of the constant, if it depends on one of Aspen's.
    pub(crate) fn ours(&self, id: u32) -> Option<Known> {
        self.ours.get(&id).copied()
    }

    /// What a boolean constant is.
    pub(crate) fn boolean(&self, id: u32) -> Option<bool> {
        match self.ours(id) {
            Some(Known::Bool(value)) => Some(value),
            Some(Known::Constant(other)) if other != id => self.boolean(other),
            _ => self.plain.get(&id).copied(),
        }
    }

    /// What the condition of a decoration is.
    pub(crate) fn condition(&self, module: &Module<'_>, target: u32, condition: u32) -> Result<bool, Error> {
        let wrong = |why: &str| Error::Condition { condition, function: module.name(target), why: why.to_owned() };
        if let Some(value) = self.boolean(condition) {
            return Ok(value);
        }
        let Definition::Global(index) = module.definition(condition) else { return Err(wrong("is no constant of the module")) };
        let instruction = &module.globals[index];
        let is_constant = [Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstantOp].iter().any(|op| instruction.is(*op));
        let is_boolean = module.words_of(instruction).get(1).and_then(|id| module.global(*id)).is_some_and(|(of, _)| of.is(Op::TypeBool));
        Err(wrong(match (is_constant, is_boolean) {
            (false, _) | (_, false) => "is no boolean specialization constant",
            (true, true) if instruction.is(Op::SpecConstantOp) => {
                "cannot be evaluated: it refers to itself, to a constant that comes later, or to one without value"
            }
            (true, true) => "has no value",
        }))
    }
}
