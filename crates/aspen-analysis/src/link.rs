//! Several objects' summaries as one, with the rules by which kernels and functions of the same name meet.

use std::collections::BTreeMap;

use aspen_contract::{Aspect, AspectSet, Place, Step};
use thiserror::Error;

use crate::analysis::{Analysis, UseChains};
use crate::summary::{Declared, FuncId, Function, Linkage, Role, Summary, Taken};

/// One object that takes part in a device link.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The object's name for messages: `main.o`, `libparts.a(deep.o)`.
    pub object: &'a str,
    /// The object's tag.
    pub tag: &'a str,
    /// What it holds.
    pub summary: &'a Summary,
}

/// The outcome of [`link`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linked {
    /// All units as one module, in the order of the units.
    pub summary: Summary,
    /// For each unit, the kernels whose symbol got the object's tag: old symbol → new one. Source: DESIGN §7.17.
    pub renames: Vec<BTreeMap<String, String>>,
    /// Attributes on declarations whose definition stands in another unit.
    declarations: Vec<(FuncId, Declared)>,
}

/// Why objects do not go together.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LinkError {
    /// Two kernels of one name that are not the same code.
    #[error("kernel name '{name}' is used for two different kernels, in '{first}' and in '{second}'; give one of them another name")]
    DuplicateKernel {
        /// The kernel's name.
        name: String,
        /// The object that came first.
        first: String,
        /// The other one.
        second: String,
    },
    /// Two definitions of one device function.
    #[error("device function '{name}' is defined in '{first}' and in '{second}'")]
    DuplicateFunction {
        /// The function's name.
        name: String,
        /// The object that came first.
        first: String,
        /// The other one.
        second: String,
        /// Where each defines it.
        places: Box<[Option<Place>; 2]>,
    },
}

/// A definition that needs more than a declaration promised. Source: DESIGN §4, §7.6.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Excess {
    /// The function's name.
    pub function: String,
    /// What the definition needs beyond the declaration.
    pub aspects: Vec<Aspect>,
    /// The attribute of the declaration.
    pub declared_at: Option<Place>,
    /// The definition's own attribute, or the first use of the aspects that it reaches.
    pub defined_at: Option<Place>,
    /// How that use is reached, as in a [`crate::Finding`]; empty for an attribute.
    pub chain: Vec<Step>,
}

/// The symbol under which a kernel of internal linkage is known outside its object.
pub fn tagged_symbol(symbol: &str, tag: &str) -> String {
    format!("{symbol}.aspen_{tag}")
}

/// Links summaries as the device link links the code.
///
/// # Errors
/// All clashes at once.
pub fn link(units: &[Unit<'_>]) -> Result<Linked, Vec<LinkError>> {
    let mut linked = Linked::default();
    let mut errors = Vec::new();
    let mut known: BTreeMap<String, (FuncId, usize)> = BTreeMap::new();
    for (unit_index, unit) in units.iter().enumerate() {
        let mut renames = BTreeMap::new();
        let mut ids = Vec::with_capacity(unit.summary.functions.len());
        let mut taken = Vec::new();
        for function in &unit.summary.functions {
            let mut function = function.clone();
            if matches!(&function.role, Role::Kernel(kernel) if kernel.internal) {
                let symbol = tagged_symbol(&function.symbol, unit.tag);
                renames.insert(std::mem::replace(&mut function.symbol, symbol.clone()), symbol);
            }
            let next = FuncId::from_index(linked.summary.functions.len());
            let known_as = (function.linkage != Linkage::Internal).then(|| known.get(&function.symbol).copied()).flatten();
            let Some((id, first_unit)) = known_as else {
                if function.linkage != Linkage::Internal {
                    known.insert(function.symbol.clone(), (next, unit_index));
                }
                ids.push(next);
                taken.push(next);
                linked.summary.functions.push(function);
                continue;
            };
            ids.push(id);
            let before = &mut linked.summary.functions[id.index()];
            // Addresses are taken where they are, whoever defines the function.
            Taken::join(&mut before.taken, function.taken.take());
            function.taken.clone_from(&before.taken);
            let before = linked.summary.function(id);
            match (before.defined, function.defined) {
                // The linker takes the strong one's code.
                (true, true) if is_overridden(before, &function) => {
                    known.insert(function.symbol.clone(), (id, unit_index));
                    linked.summary.functions[id.index()] = function;
                    taken.push(id);
                }
                (true, true) => {
                    errors.extend(clash(&linked.summary, before, unit.summary, &function, units[first_unit].object, unit.object))
                }
                (true, false) => linked.declarations.extend(function.declared.map(|declared| (id, declared))),
                (false, true) => {
                    linked.declarations.extend(before.declared.clone().map(|declared| (id, declared)));
                    known.insert(function.symbol.clone(), (id, unit_index));
                    linked.summary.functions[id.index()] = function;
                    taken.push(id);
                }
                (false, false) => merge_declarations(&mut linked.summary.functions[id.index()], function),
            }
        }
        for id in taken {
            renumber(&mut linked.summary.functions[id.index()], &ids);
        }
        linked.renames.push(renames);
    }
    if units.len() > 1 {
        linked.summary.join_indirect_calls();
    }
    if errors.is_empty() { Ok(linked) } else { Err(errors) }
}

/// The code that a kernel runs, as far as its name identifies it in the whole program: a body of internal linkage is never the same twice.
fn body_symbol<'s>(summary: &'s Summary, function: &Function) -> Option<&'s str> {
    let Role::Kernel(kernel) = &function.role else { return None };
    let body = summary.function(kernel.body?);
    (body.linkage != Linkage::Internal || kernel.internal).then_some(body.symbol.as_str())
}

/// Whether the linker takes the second definition of a function: a weak one gives way.
fn is_overridden(before: &Function, function: &Function) -> bool {
    let is_kernel = matches!(before.role, Role::Kernel(_)) || matches!(function.role, Role::Kernel(_));
    before.linkage == Linkage::OneDefinitionRule && function.linkage == Linkage::External && !is_kernel
}

/// Two definitions of one symbol: equal kernels and inline functions merge.
fn clash(linked: &Summary, before: &Function, unit: &Summary, function: &Function, first: &str, second: &str) -> Option<LinkError> {
    let (first, second) = (first.to_owned(), second.to_owned());
    match (&before.role, &function.role) {
        (Role::Kernel(kernel), Role::Kernel(_)) => {
            let same = body_symbol(linked, before).is_some_and(|body| body_symbol(unit, function) == Some(body));
            (!same).then(|| LinkError::DuplicateKernel { name: kernel.name.clone(), first, second })
        }
        _ if before.linkage == Linkage::OneDefinitionRule || function.linkage == Linkage::OneDefinitionRule => None,
        _ => {
            let places = Box::new([before.place.clone(), function.place.clone()]);
            Some(LinkError::DuplicateFunction { name: function.name.clone(), first, second, places })
        }
    }
}

/// A function that no unit so far defines uses what any of its declarations declares.
fn merge_declarations(before: &mut Function, function: Function) {
    before.uses_attribute.extend(function.uses_attribute);
    match (&mut before.declared, function.declared) {
        (Some(declared), Some(more)) => declared.aspects.extend(more.aspects),
        (none @ None, more) => *none = more,
        (Some(_), None) => {}
    }
}

fn renumber(function: &mut Function, ids: &[FuncId]) {
    for call in &mut function.calls {
        call.callee = ids[call.callee.index()];
    }
    for reached in function.optimized.iter_mut().flat_map(|optimized| &mut optimized.reaches) {
        *reached = ids[reached.index()];
    }
    if let Role::Kernel(kernel) = &mut function.role {
        kernel.body = kernel.body.map(|body| ids[body.index()]);
    }
}

impl Linked {
    /// Definitions that need more than a declaration elsewhere said; an undecorated declaration promises nothing.
    pub fn excess(&self, analysis: &Analysis) -> Vec<Excess> {
        let mut out: Vec<Excess> = Vec::new();
        let chains = UseChains::of(&self.summary);
        for (id, promise) in &self.declarations {
            let definition = self.summary.function(*id);
            let mut needed: AspectSet = analysis.used(*id).clone();
            needed.extend(definition.declared.iter().flat_map(|declared| &declared.aspects));
            for &aspect in needed.difference(&promise.aspects).filter(|_| definition.defined) {
                // What the definition's own attribute says; else, or if that is the promise itself (a header's), what its code does.
                let says = definition.declared.as_ref().filter(|declared| declared.aspects.contains(&aspect));
                let (defined_at, chain) = match says.filter(|declared| declared.place != promise.place) {
                    Some(declared) => (declared.place.clone(), Vec::new()),
                    None => chains.shortest(*id, aspect).unwrap_or_default(),
                };
                let same = |one: &&mut Excess| {
                    (&one.function, &one.declared_at, &one.defined_at, &one.chain)
                        == (&definition.name, &promise.place, &defined_at, &chain)
                };
                match out.iter_mut().find(same) {
                    Some(known) if known.aspects.contains(&aspect) => {}
                    Some(known) => known.aspects.push(aspect),
                    None => out.push(Excess {
                        function: definition.name.clone(),
                        aspects: vec![aspect],
                        declared_at: promise.place.clone(),
                        defined_at,
                        chain,
                    }),
                }
            }
        }
        out
    }
}
