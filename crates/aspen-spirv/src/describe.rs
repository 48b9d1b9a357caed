//! Conditions in words, for people who ask which functions a device gets.

use rspirv::spirv::Op;

use crate::constants::Constants;
use crate::error::Error;
use crate::grammar::IdMap;
use crate::module::{Definition, Module};
use crate::spec_id::SpecId;
use crate::words::literal;

/// Longer conditions are cut: they share parts, and could be endless in words.
const LONGEST: usize = 2000;

/// What binds the words of an expression together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    Nothing,
    And,
    Or,
}

/// The functions of a module that are kept under conditions, in its order: the symbol, and when. `name` says what a constant stands for.
///
/// # Errors
/// If the module is damaged, or a condition is none.
pub fn describe(module: &[u8], name: &dyn Fn(SpecId) -> String) -> Result<Vec<(String, String)>, Error> {
    let module = Module::parse(module)?;
    let constants = Constants::decorations(&module);
    if constants.conditions.is_empty() {
        return Ok(Vec::new());
    }
    let mut words: IdMap<(String, Joint)> = IdMap::default();
    for instruction in &module.globals {
        let described = match *module.words_of(instruction) {
            [_, _, id] if instruction.is(Op::SpecConstantTrue) || instruction.is(Op::SpecConstantFalse) => {
                constants.spec_id(id).map(|spec_id| (id, (name(spec_id), Joint::Nothing)))
            }
            [_, _, id, op, ref operands @ ..] if instruction.is(Op::SpecConstantOp) => {
                let operands: Option<Vec<_>> = operands.iter().map(|operand| words.get(operand)).collect();
                operands.and_then(|operands| operation(op, &operands)).map(|described| (id, described))
            }
            _ => None,
        };
        words.extend(described);
    }
    let mut of_function: IdMap<u32> = constants.conditions.iter().copied().collect();
    let mut out = Vec::new();
    let mut symbols: IdMap<String> = IdMap::default();
    for instruction in &module.globals {
        match module.words_of(instruction) {
            [_, _, id, name @ ..] if instruction.is(Op::EntryPoint) => _ = symbols.insert(*id, literal(name)),
            [_, id, name @ ..] if instruction.is(Op::Name) => _ = symbols.entry(*id).or_insert_with(|| literal(name)),
            _ => {}
        }
    }
    for function in &module.functions {
        let Some(condition) = of_function.remove(&function.id) else { continue };
        let (text, _) = words.get(&condition).ok_or_else(|| Error::Condition {
            condition,
            function: module.name(function.id),
            why: match module.definition(condition) {
                Definition::Global(_) => "is no boolean specialization constant".into(),
                Definition::Local | Definition::Function(_) => "is no constant of the module".into(),
            },
        })?;
        let symbol = symbols.remove(&function.id).unwrap_or_else(|| format!("%{}", function.id));
        out.push((symbol, text.clone()));
    }
    Ok(out)
}

fn operation(op: u32, operands: &[&(String, Joint)]) -> Option<(String, Joint)> {
    let wrapped = |(text, joint): &(String, Joint), inside: Joint| {
        if *joint == Joint::Nothing || *joint == inside { text.clone() } else { format!("({text})") }
    };
    let (mut text, joint) = match operands {
        [one] if op == Op::LogicalNot as u32 => (format!("not {}", wrapped(one, Joint::Nothing)), Joint::Nothing),
        [left, right] if op == Op::LogicalAnd as u32 => {
            (format!("{} and {}", wrapped(left, Joint::And), wrapped(right, Joint::And)), Joint::And)
        }
        [left, right] if op == Op::LogicalOr as u32 => {
            (format!("{} or {}", wrapped(left, Joint::Or), wrapped(right, Joint::Or)), Joint::Or)
        }
        _ => return None,
    };
    if text.len() > LONGEST {
        let cut = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(cut);
        text.push('…');
    }
    Some((text, joint))
}
