//! Modules whose constants were lowered already, by us or by DPC++: what their metadata tells the runtime.

use std::collections::BTreeMap;

use super::layout::{Layout, Reason};
use super::{CONSTANTS, DEFAULTS, SpecConstant, SpecConstantPart, SpecConstants};
use crate::ir::{Md, ModuleRef};

/// What was recorded; nothing if nothing was lowered.
///
/// # Errors
/// If the metadata is not as DPC++ writes it, or two modules that were lowered by themselves have been linked: both count from 0.
pub(super) fn recorded(module: ModuleRef<'_>) -> Result<Option<SpecConstants>, Reason> {
    let mut out = SpecConstants::default();
    let mut numbers: BTreeMap<u32, String> = BTreeMap::new();
    for node in module.named_metadata(CONSTANTS) {
        let constant = constant(node).ok_or("a node of its metadata is no name with numbers, offsets and sizes")?;
        for part in constant.parts.iter().filter(|part| part.id != SpecConstantPart::PADDING) {
            match numbers.insert(part.id, constant.name.clone()) {
                Some(other) if other != constant.name => {
                    return Err(format!(
                        "'{other}' and '{}' have the number {}: modules were linked after their constants were lowered; lower them after the link",
                        constant.name, part.id
                    ));
                }
                _ => {}
            }
        }
        match out.constants.iter().find(|known| known.name == constant.name) {
            None => out.constants.push(constant),
            Some(known) if *known == constant => {}
            Some(known) => return Err(format!("'{}' has two descriptions", known.name)),
        }
    }
    let layout = Layout::of(module);
    for node in module.named_metadata(DEFAULTS) {
        let value =
            node.operands().first().and_then(|operand| operand.as_constant()).ok_or("a default value in its metadata is no constant")?;
        layout.check(value.ty())?;
        out.defaults.extend(layout.bytes(value.ty(), &layout.leaves(value)?));
    }
    // A link keeps one of equal nodes, and adds what is listed twice.
    let end = |part: &SpecConstantPart| u64::from(part.offset) + u64::from(part.size);
    let described: u64 = out.constants.iter().map(|constant| constant.parts.iter().map(end).max().unwrap_or(0)).sum();
    if described != out.defaults.len() as u64 {
        return Err(format!(
            "its metadata describes {described} bytes of constants and has {} bytes of default values: modules were linked after their constants \
             were lowered; lower them after the link",
            out.defaults.len()
        ));
    }
    Ok((!out.constants.is_empty()).then_some(out))
}

fn constant(node: Md<'_>) -> Option<SpecConstant> {
    let operands = node.operands();
    let (name, numbers) = operands.split_first()?;
    let number = |operand: &Md<'_>| u32::try_from(operand.as_integer()? & 0xffff_ffff).ok();
    let numbers: Vec<u32> = numbers.iter().map(number).collect::<Option<_>>()?;
    let (parts, rest) = numbers.as_chunks::<3>();
    if parts.is_empty() || !rest.is_empty() {
        return None;
    }
    let parts = parts.iter().map(|&[id, offset, size]| SpecConstantPart { id, offset, size });
    Some(SpecConstant { name: name.as_text().filter(|name| !name.is_empty())?, parts: parts.collect() })
}
