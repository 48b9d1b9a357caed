//! Names that a module gives its own numbers of aspects. DPC++ moved its numbers between releases, so a number alone does not say which
//! aspect it is: a module of 2025 that says `!{!"atomic64", i32 28}` means atomic64, whatever 28 is today. Inside the module the number is
//! the key; its name is the meaning. Source: FORMATS §1, §2; docs/decisions/0036.

use std::collections::BTreeMap;

use aspen_contract::{Aspect, AspectSet, Requirements};

use crate::dialect::{ASPECT_NAMES, FOREIGN_NAMES, Kinds};
use crate::ir::{Md, ModuleRef};

/// What a module's numbers of aspects mean: by the table `!sycl_aspects`, by the pairs at functions, else as in Aspen's own table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AspectNames {
    names: BTreeMap<u32, String>,
    numbers: BTreeMap<String, u32>,
    /// Names of another compiler's aspects in a module of the seed dialect, by that compiler's numbers.
    foreign: BTreeMap<u32, String>,
}

/// Added to a number of Aspen's that means something else in a module. No device has such a number, so whoever knows the number alone refuses.
const ELSEWHERE: u32 = 1 << 29;

impl AspectNames {
    /// Collects all names that a module gives; the first counts where it contradicts itself ([`crate::check_metadata`] complains).
    pub fn of(module: ModuleRef<'_>) -> AspectNames {
        let mut out = AspectNames::default();
        pairs(module, &mut |name, number| {
            if !out.numbers.contains_key(&name) {
                out.names.entry(number).or_insert_with(|| name.clone());
                out.numbers.insert(name, number);
            }
        });
        for node in module.named_metadata(FOREIGN_NAMES) {
            if let [name, number] = node.operands()[..]
                && let (Some(name), Some(number)) = (name.as_text(), number.as_integer().and_then(bits))
                && let Some(number) = Aspect::from_number(number).as_foreign()
            {
                out.numbers.entry(name.clone()).or_insert(number);
                out.foreign.entry(number).or_insert(name);
            }
        }
        out
    }

    /// Where the module contradicts itself: one number with two names, or one name with two numbers. Modules of two releases of DPC++ that
    /// were linked do so, and no runtime could tell what the images need.
    pub(crate) fn contradictions(module: ModuleRef<'_>) -> Vec<String> {
        let mut known = AspectNames::default();
        let mut out = Vec::new();
        pairs(module, &mut |name, number| {
            let other_name = known.names.entry(number).or_insert_with(|| name.clone());
            if *other_name != name {
                out.push(format!("the aspect {number} is called '{other_name}' in one place and '{name}' in another"));
            }
            let other_number = *known.numbers.entry(name.clone()).or_insert(number);
            if other_number != number {
                out.push(format!("the aspect '{name}' has the number {other_number} in one place and {number} in another"));
            }
        });
        out.sort();
        out.dedup();
        out
    }

    /// What a number of the module means. Names that Aspen does not know, and numbers that Aspen's table has for a name to which the module
    /// gives another number, are kept apart from Aspen's own numbers.
    pub fn meaning(&self, number: u32) -> Aspect {
        match self.names.get(&number) {
            Some(name) => Aspect::from_name(name).unwrap_or_else(|| Aspect::foreign(number)),
            None => match Aspect::from_number(number).name() {
                Some(name) if self.numbers.contains_key(name) => Aspect::foreign(number),
                _ => Aspect::from_number(number),
            },
        }
    }

    /// The module's number of an aspect. Where the module does not name it, Aspen's number, unless that is another name's there.
    pub fn number(&self, aspect: Aspect) -> u32 {
        if let Some(number) = aspect.as_foreign() {
            return number;
        }
        if let Some(&number) = aspect.name().and_then(|name| self.numbers.get(name)) {
            return number;
        }
        let number = aspect.number();
        let is_taken =
            self.foreign.contains_key(&number) || self.names.get(&number).is_some_and(|name| Some(name.as_str()) != aspect.name());
        if is_taken { ELSEWHERE | number } else { number }
    }

    /// The name of an aspect, in the module's words.
    pub fn name(&self, aspect: Aspect) -> Option<&str> {
        match aspect.as_foreign() {
            Some(number) => self.names.get(&number).or_else(|| self.foreign.get(&number)).map(String::as_str),
            None => aspect.name(),
        }
    }

    /// The aspect of that name: one of Aspen's, else one of the module's alone.
    pub fn find(&self, name: &str) -> Option<Aspect> {
        Aspect::from_text(name).or_else(|| self.numbers.get(name).map(|&number| Aspect::foreign(number)))
    }

    /// Whether the module itself names it.
    pub(crate) fn has(&self, aspect: Aspect) -> bool {
        self.name(aspect).is_some_and(|name| self.numbers.contains_key(name))
    }

    /// The aspects that only the module has a name for.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = Aspect> + '_ {
        let of_pairs = self.names.iter().filter(|(_, name)| Aspect::from_name(name).is_none());
        of_pairs.chain(&self.foreign).map(|(&number, _)| Aspect::foreign(number))
    }

    /// Requirements whose aspects are the module's numbers, with Aspen's aspects.
    pub fn meanings(&self, requirements: &Requirements) -> Requirements {
        let set = |aspects: &AspectSet| aspects.iter().map(|aspect| self.meaning(aspect.number())).collect();
        Requirements { aspects: set(&requirements.aspects), ..requirements.clone() }
    }

    /// The aspects of an attribute: the module's numbers with commas.
    pub(crate) fn listed(&self, text: &str) -> AspectSet {
        text.split(',').filter_map(|number| number.trim().parse().ok()).map(|number| self.meaning(number)).collect()
    }

    /// The aspects of a node: plain numbers, pairs with names, or a mixture. Negative numbers are internal aspects of DPC++ and keep their
    /// bits.
    pub(crate) fn read(&self, node: Md<'_>) -> AspectSet {
        numbers(node).into_iter().map(|number| self.meaning(number)).collect()
    }
}

/// The numbers of a node, as they stand there.
pub(crate) fn numbers(node: Md<'_>) -> Vec<u32> {
    node.integers().into_iter().filter_map(bits).collect()
}

fn bits(number: i64) -> Option<u32> {
    i32::try_from(number).map(i32::cast_unsigned).or_else(|_| u32::try_from(number)).ok()
}

/// Whether this is the name `usm_system_allocator`, which DPC++ had for `usm_system_allocations` beside it. Source: FORMATS §1.
fn is_alias(node: Md<'_>) -> bool {
    node.operands().first().and_then(|name| name.as_text()).is_some_and(|name| name == "usm_system_allocator")
}

/// Hands out every pair of name and number: of the table first, then of functions and instructions, in the module's order.
fn pairs(module: ModuleRef<'_>, found: &mut dyn FnMut(String, u32)) {
    let mut pair = |node: Md<'_>| {
        if let [name, number] = node.operands()[..]
            && let (Some(name), Some(number)) = (name.as_text(), number.as_integer().and_then(bits))
        {
            found(name, number);
        }
    };
    // DPC++ of 2024 and before has a second, older name for one aspect.
    let mut pair = |node: Md<'_>| {
        if !is_alias(node) {
            pair(node)
        }
    };
    module.named_metadata(ASPECT_NAMES).into_iter().for_each(&mut pair);
    let kinds = Kinds::ids(module);
    let lists = |kind: &u32| kinds.used.contains(kind) || kinds.declared.contains(kind);
    for function in module.functions().filter(|function| !function.is_intrinsic()) {
        let nodes = function.global_metadata(module).into_iter().filter(|(kind, _)| lists(kind));
        nodes.flat_map(|(_, node)| node.operands()).for_each(&mut pair);
        for instruction in function.instructions() {
            let nodes = kinds.used.iter().filter_map(|&kind| instruction.instruction_metadata(kind));
            nodes.flat_map(Md::operands).for_each(&mut pair);
        }
    }
}
