//! Writes what the analysis found into the module, so that it travels with the bitcode and other tools can read it.
//!
//! Source: DESIGN §3 (shape and order), FORMATS §2 (dpcpp).

use std::collections::HashMap;

use aspen_analysis::summary::{FuncId, Function};
use aspen_analysis::{Analysis, Summary, is_entry_point};
use aspen_contract::{Aspect, AspectSet};

use crate::calls::KERNEL_CONVENTIONS;
use crate::dialect::{ASPECT_NAMES, Dialect, FOREIGN_NAMES, FunctionMetadata, Kinds, dialect_of, marked_types};
use crate::facts::Facts;
use crate::ir::{ModuleRef, NewMd, Value};
use crate::summarise::DEVICE_HAS;

/// Gives every function of the summary its metadata, in the dialect's names, and removes what was there before in either dialect.
///
/// Functions are found by symbol; those of the module that the summary does not know stay as they are.
pub fn attach(module: ModuleRef<'_>, facts: &Facts, summary: &Summary, analysis: &Analysis, dialect: Dialect) {
    let writer = Writer { module, kinds: Kinds::new(module), dialect };
    writer.types(facts);
    let by_symbol: HashMap<&str, FuncId> = summary.iter().map(|(id, function)| (function.symbol.as_str(), id)).collect();
    for function in module.functions().filter(|function| !function.is_intrinsic()) {
        writer.device_has(function);
        if let Some(&id) = by_symbol.get(function.name().as_str()) {
            for (kind, node) in writer.nodes(summary.function(id), analysis.used(id)) {
                function.set_function_metadata(kind, node);
            }
            // Tells entry points and their units to whoever splits the module. Source: FORMATS §2.
            if !facts.unit.is_empty() && is_entry_point(summary.function(id)) {
                function.set_string_attribute(module, "sycl-module-id", &facts.unit);
            }
        }
        // Clang never puts such metadata on instructions.
        if facts.unit.is_empty() {
            function.instructions().for_each(|instruction| writer.instruction(instruction));
        }
    }
    match dialect {
        Dialect::Seed => writer.foreign_names(),
        Dialect::Dpcpp => writer.names(facts, summary, analysis),
    }
    // Other marks of DPC++'s (`!sycl_fixed_targets`) stay, and tell readers how sizes are written.
    let read_as = dialect_of(module).unwrap_or(dialect);
    for function in module.functions().filter(|function| !function.is_intrinsic()) {
        if let Some(&id) = by_symbol.get(function.name().as_str()) {
            let dims = summary.function(id).reqd_work_group_size.as_ref().map(|(size, _)| size.dims());
            for (kind, node) in writer.work_group(dims, read_as) {
                function.set_function_metadata(kind, node);
            }
        }
    }
}

struct Writer<'m> {
    module: ModuleRef<'m>,
    kinds: Kinds,
    dialect: Dialect,
}

impl<'m> Writer<'m> {
    /// Every kind that this crate writes, with its node or `None` to remove it.
    fn nodes(&self, function: &Function, used: &AspectSet) -> Vec<(u32, Option<NewMd<'m>>)> {
        let declared = function.declared.as_ref().map(|declared| &declared.aspects);
        let used = match self.dialect {
            Dialect::Seed => used.clone(),
            // Source: FORMATS §3.6; DESIGN §3 "In the dpcpp dialect".
            Dialect::Dpcpp => used.iter().chain(declared.into_iter().flatten()).copied().collect(),
        };
        let mut nodes = Vec::new();
        for dialect in Dialect::BOTH {
            let own = dialect == self.dialect;
            let index = dialect as usize;
            nodes.push((self.kinds.used[index], (own && !used.is_empty()).then(|| self.aspects(&used))));
            // An empty list is a promise too (`device_has()`), so it is written.
            nodes.push((self.kinds.declared[index], declared.filter(|_| own).map(|declared| self.aspects(declared))));
        }
        let sub_group = function.reqd_sub_group_size.as_ref().map(|&(size, _)| self.numbers(&[u64::from(size)]));
        nodes.push((self.kinds.sub_group, sub_group));
        let guard = function.guard.as_ref().map(|guard| {
            let lists: Vec<_> = std::iter::once(&guard.has).chain(&guard.lacks).map(|list| self.numbers_of(list)).collect();
            self.module.node(&lists)
        });
        nodes.push((self.kinds.guard, guard));
        nodes
    }

    /// The required size, in the order in which readers of the whole module will take it.
    fn work_group(&self, dims: Option<&[u64]>, dialect: Dialect) -> [(u32, Option<NewMd<'m>>); 2] {
        let written = dims.map(|dims| match dialect {
            Dialect::Seed => dims.to_vec(),
            Dialect::Dpcpp => reversed_and_padded(dims),
        });
        let size = written.map(|written| self.numbers(&written));
        [(self.kinds.work_group, size), (self.kinds.work_group_dims, dims.map(|dims| self.numbers(&[dims.len() as u64])))]
    }

    fn numbers(&self, numbers: &[u64]) -> NewMd<'m> {
        let operands: Vec<_> = numbers.iter().map(|&number| self.module.integer(number)).collect();
        self.module.node(&operands)
    }

    /// Numbers, in either dialect.
    fn numbers_of(&self, aspects: &AspectSet) -> NewMd<'m> {
        self.numbers(&aspects.iter().map(|aspect| u64::from(aspect.number())).collect::<Vec<_>>())
    }

    /// Numbers, sorted and unique; in the dpcpp dialect pairs with the name where there is one, as its post-link wants them.
    fn aspects(&self, aspects: &AspectSet) -> NewMd<'m> {
        let operands: Vec<_> = aspects.iter().map(|&aspect| self.aspect(aspect)).collect();
        self.module.node(&operands)
    }

    fn aspect(&self, aspect: Aspect) -> NewMd<'m> {
        let number = self.module.integer(u64::from(self.number(aspect)));
        match (self.dialect, self.kinds.names.name(aspect)) {
            (Dialect::Dpcpp, Some(name)) => self.module.node(&[self.module.string(name), number]),
            _ => number,
        }
    }

    /// In the dpcpp dialect the module's own; the seed dialect has no names, so the number must be Aspen's.
    fn number(&self, aspect: Aspect) -> u32 {
        match self.dialect {
            Dialect::Seed => aspect.number(),
            Dialect::Dpcpp => self.kinds.names.number(aspect),
        }
    }

    /// The marked types, under the dialect's name.
    fn types(&self, facts: &Facts) {
        let mut marked = marked_types(self.module, &self.kinds.names);
        for ty in &facts.types {
            match marked.iter_mut().find(|(name, _)| *name == ty.name) {
                Some((_, aspects)) => aspects.extend(&ty.aspects),
                None => marked.push((ty.name.clone(), ty.aspects.clone())),
            }
        }
        for dialect in Dialect::BOTH {
            self.module.erase_named_metadata(&dialect.types().to_string_lossy());
        }
        for (name, aspects) in marked {
            let mut operands = vec![self.module.string(&name)];
            operands.extend(aspects.iter().map(|&aspect| self.module.integer(u64::from(self.number(aspect)))));
            self.module.add_named_metadata(self.dialect.types(), self.module.node(&operands));
        }
    }

    /// The list of aspects with their names, which DPC++'s passes look numbers up in, and which marks a module as one of this dialect.
    /// Source: FORMATS §2.
    fn names(&self, facts: &Facts, summary: &Summary, analysis: &Analysis) {
        let list = ASPECT_NAMES.to_string_lossy();
        let mut listed: AspectSet =
            self.module.named_metadata(ASPECT_NAMES).into_iter().flat_map(|node| self.kinds.names.read(node)).collect();
        listed.insert(Aspect::FP64);
        listed.extend(facts.types.iter().flat_map(|ty| &ty.aspects));
        for (id, function) in summary.iter() {
            listed.extend(analysis.used(id));
            listed.extend(function.declared.iter().flat_map(|declared| &declared.aspects));
        }
        listed.extend(self.kinds.names.foreign());
        self.module.erase_named_metadata(&list);
        self.module.erase_named_metadata(&FOREIGN_NAMES.to_string_lossy());
        for aspect in listed.into_iter().filter(|&aspect| self.kinds.names.name(aspect).is_some()) {
            self.module.add_named_metadata(ASPECT_NAMES, self.aspect(aspect));
        }
    }

    /// In place of that list, the seed dialect keeps the names that only the module knows.
    fn foreign_names(&self) {
        let foreign: AspectSet = self.kinds.names.foreign().collect();
        for name in [ASPECT_NAMES, FOREIGN_NAMES] {
            self.module.erase_named_metadata(&name.to_string_lossy());
        }
        for aspect in foreign {
            if let Some(name) = self.kinds.names.name(aspect) {
                let pair = [self.module.string(name), self.module.integer(u64::from(aspect.number()))];
                self.module.add_named_metadata(FOREIGN_NAMES, self.module.node(&pair));
            }
        }
    }

    /// Properties of DPC++'s kernel objects hold the module's numbers as text.
    fn device_has(&self, function: Value<'m>) {
        if let Some(list) = function.string_attribute(DEVICE_HAS).filter(|list| !list.is_empty()) {
            let numbers: Vec<String> = self.kinds.names.listed(&list).into_iter().map(|aspect| self.number(aspect).to_string()).collect();
            function.set_string_attribute(self.module, DEVICE_HAS, &numbers.join(","));
        }
    }

    /// Uses that stand on an instruction keep standing there, under the dialect's name.
    fn instruction(&self, instruction: Value<'m>) {
        let own = self.kinds.used[self.dialect as usize];
        for kind in self.kinds.used.into_iter().filter(|&kind| kind != own) {
            if let Some(node) = instruction.instruction_metadata(kind) {
                let mut needed = self.kinds.names.read(node);
                needed.extend(instruction.instruction_metadata(own).into_iter().flat_map(|node| self.kinds.names.read(node)));
                instruction.set_instruction_metadata(own, self.module, Some(self.aspects(&needed)));
                instruction.set_instruction_metadata(kind, self.module, None);
            }
        }
    }
}

/// Three dimensions, fastest first: what SPIR-V and DPC++ want. Padding goes after the real values. Source: FORMATS §2.
pub(crate) fn reversed_and_padded(dims: &[u64]) -> Vec<u64> {
    let mut out: Vec<u64> = dims.iter().rev().copied().collect();
    out.resize(out.len().max(3), 1);
    out
}

/// Brings work-group sizes into the seed dialect's order, and removes DPC++'s marks, so that units of both dialects can become one module.
/// Aspects are removed too: code generation has no use for them. A module of the seed dialect, or of neither, stays as it is.
pub fn forget_dialect(module: ModuleRef<'_>) {
    if dialect_of(module) != Some(Dialect::Dpcpp) {
        return;
    }
    let writer = Writer { module, kinds: Kinds::new(module), dialect: Dialect::Seed };
    for function in module.functions() {
        if let Some(size) = FunctionMetadata::read(function, module, &writer.kinds, Dialect::Dpcpp).work_group {
            function.set_function_metadata(writer.kinds.work_group, Some(writer.numbers(size.dims())));
        }
        for kind in writer.kinds.used.into_iter().chain(writer.kinds.declared) {
            function.set_function_metadata(kind, None);
        }
    }
    for name in [ASPECT_NAMES, Dialect::Dpcpp.types()] {
        module.erase_named_metadata(&name.to_string_lossy());
    }
}

/// A kernel of `parallel_for_work_group` takes functor, local memory and logical group; the others take fewer.
/// Source: include/sycl/detail/kernel_entry.hpp.
const WORK_GROUP_PARAMETERS: u32 = 3;

/// Work-group sizes as LLVM's SPIR-V back end reads them: three values, fastest first. Call it once, right before code generation. In the
/// dpcpp dialect they stand so already. Kernels of `parallel_for_work_group` run one work-item a group, whatever their logical group:
/// drivers must not hear of it. Source: DESIGN §3.
pub fn prepare_for_spirv(module: ModuleRef<'_>) {
    let kinds = Kinds::ids(module);
    let reversed = dialect_of(module) == Some(Dialect::Dpcpp);
    for function in module.functions() {
        for (kind, node) in function.global_metadata(module) {
            if kind == kinds.work_group && is_work_group_kernel(function) {
                function.set_function_metadata(kind, None);
            } else if kind == kinds.work_group {
                let mut dims: Vec<u64> = node.integers().into_iter().map(|dim| u64::from(i32_bits(dim))).collect();
                if reversed {
                    dims.reverse();
                }
                let operands: Vec<_> = reversed_and_padded(&dims).into_iter().map(|dim| module.integer(dim)).collect();
                function.set_function_metadata(kind, Some(module.node(&operands)));
            }
        }
    }
}

fn is_work_group_kernel(function: Value<'_>) -> bool {
    KERNEL_CONVENTIONS.contains(&function.calling_convention()) && function.parameter_count() == WORK_GROUP_PARAMETERS
}

/// SPIR-V literals are 32 bits wide; no device has a larger dimension. Source: DESIGN §3.
fn i32_bits(dim: i64) -> u32 {
    i32::try_from(dim).map_or_else(|_| u32::try_from(dim).unwrap_or(u32::MAX), i32::cast_unsigned)
}
