//! Metadata that says something else than it should: what a reader skipped would be a requirement that nobody checks.
//!
//! Numbers that no aspect has yet are fine: they are kept and shown as `#103`. Source: DESIGN §3; FORMATS §2.

use std::fmt;

use crate::aspect_names::AspectNames;
use crate::dialect::{Dialect, Kinds};
use crate::ir::{Md, ModuleRef, Value};
use crate::summarise::DEVICE_HAS;

/// Metadata of either dialect that cannot be read, each with the function or type that carries it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MalformedMetadata(Vec<String>);

/// One sentence each, on lines of their own.
impl fmt::Display for MalformedMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for MalformedMetadata {}

/// Looks at all metadata that [`crate::summarise()`] reads.
///
/// # Errors
/// If operands are of another kind, or of another number, than the dialects write.
pub fn check_metadata(module: ModuleRef<'_>) -> Result<(), MalformedMetadata> {
    let kinds = Kinds::ids(module);
    let mut complaints = AspectNames::contradictions(module);
    for dialect in Dialect::BOTH {
        let list = dialect.types().to_string_lossy();
        for (index, node) in module.named_metadata(dialect.types()).into_iter().enumerate() {
            let operands = node.operands();
            let named = operands.first().is_some_and(|name| name.as_text().is_some());
            if !named || operands.len() != node.operand_count() || operands[1..].iter().any(|operand| operand.as_integer().is_none()) {
                complaints.push(format!("entry {} of '!{list}' is not a type's name and the numbers of aspects", index + 1));
            }
        }
    }
    for function in module.functions().filter(|function| !function.is_intrinsic()) {
        complaints.extend(of_function(function, module, &kinds));
        for instruction in function.instructions() {
            for (kind, dialect) in kinds.used.into_iter().zip(Dialect::BOTH) {
                if instruction.instruction_metadata(kind).is_some_and(|node| !is_aspects(node)) {
                    complaints.push(format!("an instruction of {}", not_aspects(function, dialect.used())));
                }
            }
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(MalformedMetadata(complaints)) }
}

fn of_function<'m>(function: Value<'m>, module: ModuleRef<'m>, kinds: &Kinds) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(list) = function.string_attribute(DEVICE_HAS).filter(|list| !list.is_empty())
        && list.split(',').any(|number| number.trim().parse::<u32>().is_err())
    {
        out.push(format!("function '{}': the attribute '{DEVICE_HAS}' is '{list}' and no list of numbers of aspects", function.name()));
    }
    for (kind, node) in function.global_metadata(module) {
        for (index, dialect) in Dialect::BOTH.into_iter().enumerate() {
            for (own, name) in [(kinds.used[index], dialect.used()), (kinds.declared[index], dialect.declared())] {
                if kind == own && !is_aspects(node) {
                    out.push(not_aspects(function, name));
                }
            }
        }
        let sizes: Vec<i64> = node.operands().iter().filter_map(|operand| operand.as_integer()).collect();
        let all_sizes = sizes.len() == node.operand_count();
        if kind == kinds.work_group && (!all_sizes || !(1..=3).contains(&sizes.len()) || sizes.contains(&0)) {
            out.push(format!("function '{}': '!reqd_work_group_size' is not one to three sizes of at least 1", function.name()));
        }
        if kind == kinds.work_group_dims && !dimensions_agree(function, module, kinds, &sizes) {
            let name = function.name();
            out.push(format!("function '{name}': '!work_group_num_dim' says other dimensions than '!reqd_work_group_size' has"));
        }
        // Front ends write names for `automatic` and `primary`.
        let is_name = node.operands().first().is_some_and(|name| name.as_text().is_some());
        if kind == kinds.sub_group && (node.operand_count() != 1 || !(all_sizes || is_name)) {
            out.push(format!("function '{}': '!intel_reqd_sub_group_size' is not one size", function.name()));
        }
    }
    out
}

/// One number of dimensions, as many sizes, and nothing but padding behind them: what was cut off would be a requirement lost.
fn dimensions_agree<'m>(function: Value<'m>, module: ModuleRef<'m>, kinds: &Kinds, said: &[i64]) -> bool {
    let sizes = function.global_metadata(module).into_iter().find(|(kind, _)| *kind == kinds.work_group);
    let Some((_, sizes)) = sizes else { return true };
    let sizes = sizes.integers();
    matches!(said, [count] if usize::try_from(*count).is_ok_and(|count| count > 0 && sizes.get(count..).is_some_and(|rest| rest.iter().all(|&size| size == 1))))
}

fn not_aspects(function: Value<'_>, kind: &str) -> String {
    format!("function '{}': '!{kind}' is not a list of numbers of aspects, or of pairs of name and number", function.name())
}

/// Plain numbers, pairs with names, or a mixture.
fn is_aspects(node: Md<'_>) -> bool {
    let fits = |number: i64| i32::try_from(number).is_ok() || u32::try_from(number).is_ok();
    let is_number = |operand: Md<'_>| operand.as_integer().is_some_and(fits);
    let is_pair = |operand: Md<'_>| matches!(operand.operands()[..], [name, number] if name.as_text().is_some() && is_number(number));
    let operands = node.operands();
    operands.len() == node.operand_count() && operands.into_iter().all(|operand| is_number(operand) || is_pair(operand))
}
