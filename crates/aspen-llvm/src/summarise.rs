//! A module → [`Summary`]: what each function uses, calls and promises, with places.
//!
//! The module is the unoptimised one of the SPIR-V triple (DESIGN §7.16): what counts is what the IR holds (DESIGN §7.2, §7.3). Intrinsics
//! are no functions of the call graph; their types count where they are called.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use aspen_analysis::summary::{Call, Declared, FuncId, Function, Indirect, Kernel, Linkage, Role, Shape, Taken, Through, Use};
use aspen_analysis::targets::Targets;
use aspen_analysis::{Summary, summary};
use aspen_contract::{Aspect, AspectSet, Guard, WorkGroupSize};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use crate::calls::{self, KERNEL_CONVENTIONS};
use crate::dialect::{Dialect, FunctionMetadata, Kinds, dialect_of, marked_types};
use crate::facts::{Facts, FunctionFacts, KernelFacts};
use crate::ir::{ModuleRef, Type, Value, attribute_kind, demangle, demangle_base};
use crate::places::{Files, Spot};
use crate::types::TypeAspects;
use crate::virtual_sets;

/// Aspects of the property `device_has`, as numbers with commas.
pub(crate) const DEVICE_HAS: &str = "sycl-device-has";

/// What the module's functions use and call.
///
/// With empty facts, everything is read from the module: metadata of both dialects, calling conventions, mangled names.
pub fn summarise(module: ModuleRef<'_>, facts: &Facts) -> Summary {
    summarise_as(module, facts, dialect_of(module).unwrap_or_default())
}

/// The same of a module whose work-group sizes are written in this dialect, whatever it shows itself.
pub(crate) fn summarise_as(module: ModuleRef<'_>, facts: &Facts, dialect: Dialect) -> Summary {
    let kinds = Kinds::new(module);
    let marked: Vec<_> =
        facts.types.iter().map(|ty| (ty.name.clone(), ty.aspects.clone())).chain(marked_types(module, &kinds.names)).collect();
    let functions: Vec<Value<'_>> = module.functions().filter(|function| !function.is_intrinsic()).collect();
    let taken = calls::taken(module, &functions);
    let mut summariser = Summariser {
        module,
        facts,
        dialect,
        kinds,
        marks_fp64: marked.iter().any(|(_, aspects)| aspects.contains(&Aspect::FP64)),
        marked_types: TypeAspects::new(marked.clone(), false),
        types: TypeAspects::new(marked, true),
        files: Files::new(facts),
        attributes: ["byval", "sret", "byref", "inalloca", "preallocated", "elementtype"].map(attribute_kind),
        ids: functions.iter().enumerate().map(|(index, function)| (function.raw(), FuncId::from_index(index))).collect(),
        symbols: functions.iter().enumerate().map(|(index, function)| (function.name(), FuncId::from_index(index))).collect(),
        targets: Targets::new(taken.iter().cloned()),
        taken: taken.into_iter().collect(),
        function_facts: facts.functions.iter().map(|function| (function.symbol.as_str(), function)).collect(),
        kernel_facts: facts.kernels.iter().map(|kernel| (kernel.symbol.as_str(), kernel)).collect(),
    };
    let values = functions;
    let mut functions: Vec<Function> = values.iter().map(|&function| summariser.function(function)).collect();
    virtual_sets::add_calls(&values, &mut functions);
    if facts.kernels.is_empty() {
        guess_bodies(&mut functions);
    }
    join_kernels(&mut functions, facts);
    Summary { functions }
}

/// A module that nobody explains: an entry of clang's runs the one `operator()` that it, or the header's glue below it, calls first.
/// Kernels that were written by hand have no body of their own.
fn guess_bodies(functions: &mut [Function]) {
    let is_glue = |id: FuncId| functions[id.index()].name.starts_with("sycl::");
    let base_is_call = |id: FuncId| !is_glue(id) && demangle_base(&functions[id.index()].symbol).is_some_and(|base| base == "operator()");
    let mut bodies = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        if !matches!(function.role, Role::Kernel(_)) || !function.symbol.starts_with("_ZTS") {
            continue;
        }
        let entry = FuncId::from_index(index);
        let (mut seen, mut level) = (HashSet::from([entry]), vec![entry]);
        while !level.is_empty() {
            let callees = level.iter().flat_map(|id| &functions[id.index()].calls).map(|call| call.callee);
            let callees: Vec<FuncId> = callees.filter(|callee| seen.insert(*callee)).collect();
            let (functors, others): (Vec<FuncId>, Vec<FuncId>) = callees.into_iter().partition(|&callee| base_is_call(callee));
            if let [body] = functors[..] {
                bodies.push((index, body));
            }
            level = if functors.is_empty() { others.into_iter().filter(|&callee| is_glue(callee)).collect() } else { Vec::new() };
        }
    }
    for (index, found) in bodies {
        if let Role::Kernel(kernel) = &mut functions[index].role {
            kernel.body = Some(found);
        }
    }
}

/// A kernel's attributes are those of its functor's `operator()`, and that one has the kernel's name; of several, the one that the source
/// launches first, or else the module's first. Source: DESIGN §7.15; S0.
fn join_kernels(functions: &mut [Function], facts: &Facts) {
    let order: HashMap<&str, usize> = facts.kernels.iter().enumerate().map(|(at, kernel)| (kernel.symbol.as_str(), at)).collect();
    let mut kernels: Vec<usize> = (0..functions.len()).filter(|&index| matches!(functions[index].role, Role::Kernel(_))).collect();
    kernels.sort_by_key(|&index| order.get(functions[index].symbol.as_str()).copied().unwrap_or(usize::MAX));
    let mut named = HashSet::new();
    for index in kernels {
        let Role::Kernel(kernel) = &functions[index].role else { continue };
        let Some(id) = kernel.body else { continue };
        let name = kernel.name.clone();
        let body = &mut functions[id.index()];
        if named.insert(id) {
            body.name = name;
        }
        let (declared, work_group, sub_group) =
            (body.declared.clone(), body.reqd_work_group_size.clone(), body.reqd_sub_group_size.clone());
        let entry = &mut functions[index];
        entry.declared = match (declared, entry.declared.take()) {
            (Some(mut both), Some(of_properties)) => {
                both.aspects.extend(&of_properties.aspects);
                Some(both)
            }
            (one, other) => one.or(other),
        };
        entry.reqd_work_group_size = work_group.or_else(|| entry.reqd_work_group_size.take());
        let by_default = || facts.default_sub_group_size.map(|size| (size, None));
        entry.reqd_sub_group_size = sub_group.or_else(|| entry.reqd_sub_group_size.take()).or_else(by_default);
    }
}

struct Summariser<'m, 'f> {
    module: ModuleRef<'m>,
    facts: &'f Facts,
    kinds: Kinds,
    /// How work-group sizes are written in metadata.
    dialect: Dialect,
    types: TypeAspects,
    /// What types need without `double`, and whether fp64 can be among that.
    marked_types: TypeAspects,
    marks_fp64: bool,
    files: Files<'f>,
    /// Attributes that give a pointer parameter a type.
    attributes: [u32; 6],
    ids: HashMap<LLVMValueRef, FuncId>,
    symbols: HashMap<String, FuncId>,
    /// What calls through pointers may reach.
    targets: Targets<LLVMValueRef>,
    taken: HashMap<LLVMValueRef, Taken>,
    function_facts: HashMap<&'f str, &'f FunctionFacts>,
    kernel_facts: HashMap<&'f str, &'f KernelFacts>,
}

impl<'m> Summariser<'m, '_> {
    fn function(&mut self, function: Value<'m>) -> Function {
        let symbol = function.name();
        let facts = self.function_facts.get(symbol.as_str()).copied();
        let defined = !function.is_declaration();
        let main = function.subprogram_file().map(|file| self.files.file(file));
        let mut body = Body {
            main,
            uses: BTreeMap::new(),
            explicit: AspectSet::new(),
            calls: Vec::new(),
            indirect: Vec::new(),
            objects: HashMap::new(),
        };
        self.signature(function, facts, &mut body);
        if let Some(kernel) = self.kernel_facts.get(symbol.as_str()) {
            let spot = kernel.place.as_ref().map(|place| self.files.spot(place));
            body.need(&kernel.taken, UseAt { spot, promoted_for: None }, &self.files);
            body.explicit.extend(&kernel.taken);
        }
        for instruction in function.instructions() {
            self.instruction(instruction, &mut body);
        }
        let role = self.role(function, &symbol, facts);
        let name = match &role {
            Role::Kernel(kernel) => kernel.name.clone(),
            Role::Plain | Role::Exported => self.name(&symbol),
        };
        let unit = if self.facts.unit.is_empty() {
            function.string_attribute("sycl-module-id").unwrap_or_else(|| self.module.source_file())
        } else {
            self.facts.unit.clone()
        };
        let attributes = match facts {
            Some(facts) => Attributes::from_facts(facts),
            None => {
                let mut metadata = FunctionMetadata::read(function, self.module, &self.kinds, self.dialect);
                // The property of a kernel, which DPC++ hands on as an attribute. Source: FORMATS §2.
                if let Some(list) = function.string_attribute(DEVICE_HAS) {
                    metadata.declared.get_or_insert_default().extend(self.kinds.names.listed(&list));
                }
                // Sizes stand with the function; nobody has kept where.
                let place = main.zip(function.subprogram_line()).map(|(file, line)| self.files.line(file, line));
                Attributes::from_metadata(metadata, &place)
            }
        };
        let (uses, calls, indirect) = body.finish(&self.files, &|callee| self.name(&callee.name()));
        Function {
            linkage: linkage(function.linkage()),
            defined,
            glue: facts.is_some_and(|facts| facts.glue),
            // An entry that the source does not know is the header's; a function that it only calls is one that the compiler knows.
            system: facts.map_or_else(|| matches!(role, Role::Kernel(_)) || !(defined || self.facts.unit.is_empty()), |facts| facts.system),
            role,
            place: facts.and_then(|facts| facts.place.clone()),
            unit,
            declared: attributes.declared,
            uses_attribute: attributes.uses,
            uses,
            calls,
            indirect,
            taken: self.taken.get(&function.raw()).cloned(),
            guard: attributes.guard,
            reqd_work_group_size: attributes.work_group,
            reqd_sub_group_size: attributes.sub_group,
            optimized: None,
            symbol,
            name,
        }
    }

    /// A function's name for people.
    fn name(&self, symbol: &str) -> String {
        match self.function_facts.get(symbol) {
            Some(facts) => facts.name.clone(),
            None => demangle(symbol).unwrap_or_else(|| symbol.to_owned()),
        }
    }

    fn role(&self, function: Value<'m>, symbol: &str, facts: Option<&FunctionFacts>) -> Role {
        if let Some(kernel) = self.kernel_facts.get(symbol) {
            let body = kernel.body.as_ref().and_then(|symbol| self.symbols.get(symbol)).copied();
            return Role::Kernel(Kernel { name: kernel.name.clone(), body, internal: kernel.internal });
        }
        let defined = !function.is_declaration();
        if defined && KERNEL_CONVENTIONS.contains(&function.calling_convention()) {
            let name = demangle(symbol).unwrap_or_else(|| symbol.to_owned());
            return Role::Kernel(Kernel { name, body: None, internal: false });
        }
        let exported = facts.map_or_else(|| defined && function.string_attribute("sycl-module-id").is_some(), |facts| facts.exported);
        if exported { Role::Exported } else { Role::Plain }
    }

    /// Types that are returned and taken, and variables: clang gives neither parameters nor allocas a debug location.
    fn signature(&mut self, function: Value<'m>, facts: Option<&FunctionFacts>, body: &mut Body<'m>) {
        let mut held: Vec<Type<'m>> = function.value_type().parts();
        for index in 0..function.parameter_count() {
            held.extend(self.attributes.iter().filter_map(|&kind| function.parameter_attribute_type(index, kind)));
        }
        for &ty in &held {
            body.need(self.types.of(ty), UseAt::default(), &self.files);
            if self.marks_fp64 {
                body.explicit.extend(self.marked_types.of(ty));
            }
        }
        // A result that lies in memory is made there by what it is returned by.
        let sret = attribute_kind("sret");
        let returned = (0..)
            .zip(function.parameters())
            .filter_map(|(index, parameter)| Some((parameter.raw(), function.parameter_attribute_type(index, sret)?)));
        body.objects.extend(returned.filter(|(_, ty)| !self.types.of(*ty).is_empty()));
        for variable in function.instructions().filter(|value| value.opcode() == LLVMOpcode::LLVMAlloca) {
            let ty = variable.allocated_type();
            held.push(ty);
            if ty.kind() == LLVMTypeKind::LLVMStructTypeKind && !self.types.of(ty).is_empty() {
                body.objects.insert(variable.raw(), ty);
            }
        }
        let mut held_aspects: HashMap<String, AspectSet> = HashMap::new();
        let mut seen = HashSet::new();
        for ty in held {
            if seen.insert(ty) && !self.types.of(ty).is_empty() {
                held_aspects.insert(ty.spelling(), self.types.of(ty).clone());
            }
        }
        if facts.is_none() {
            self.declared_variables(function, body);
        }
        for used in facts.into_iter().flat_map(|facts| &facts.uses) {
            let spot = used.place.as_ref().map(|place| self.files.spot(place));
            body.need(&used.aspects, UseAt { spot, promoted_for: None }, &self.files);
            body.explicit.extend(&used.aspects);
        }
        for variable in facts.into_iter().flat_map(|facts| &facts.variables) {
            let Some(place) = &variable.place else { continue };
            if let Some(aspects) = held_aspects.get(&spelling(&variable.ty)) {
                let spot = self.files.spot(place);
                body.need(aspects, UseAt { spot: Some(spot), promoted_for: None }, &self.files);
            }
        }
    }

    /// Modules that were compiled with `-g` name their variables themselves.
    fn declared_variables(&mut self, function: Value<'m>, body: &mut Body<'m>) {
        for instruction in function.instructions() {
            for (variable, location) in instruction.debug_declares() {
                if variable.is_instruction() && variable.opcode() == LLVMOpcode::LLVMAlloca {
                    let spot = self.files.of_location(location);
                    body.need(self.types.of(variable.allocated_type()), UseAt { spot, promoted_for: None }, &self.files);
                }
            }
        }
    }

    fn instruction(&mut self, instruction: Value<'m>, body: &mut Body<'m>) {
        let spot = self.files.of(instruction);
        let opcode = instruction.opcode();
        let is_call = instruction.is_call();
        let called = is_call.then(|| instruction.called());
        // What marks a variable's lifetime stands where the whole expression begins.
        let marks = |callee: Value<'m>| callee.is_function() && callee.is_intrinsic() && callee.name().starts_with("llvm.lifetime.");
        if !body.objects.is_empty() && !called.is_some_and(marks) {
            self.temporaries(instruction, spot, body);
        }
        let mut need = |types: &mut TypeAspects, ty: Type<'m>, value: Option<Value<'m>>| {
            let aspects = types.of(ty);
            if !aspects.is_empty() {
                let promoted_for = value.and_then(Value::promoted_for);
                body.need(aspects, UseAt { spot, promoted_for }, &self.files);
                if self.marks_fp64 {
                    body.explicit.extend(self.marked_types.of(ty));
                }
            }
        };
        match opcode {
            LLVMOpcode::LLVMAlloca => need(&mut self.types, instruction.allocated_type(), None),
            _ => need(&mut self.types, instruction.ty(), Some(instruction)),
        }
        if opcode == LLVMOpcode::LLVMGetElementPtr {
            need(&mut self.types, instruction.gep_source_type(), None);
        }
        for operand in instruction.operands() {
            // The callee's whole type counts below; here its address would.
            if Some(operand) != called {
                operand_types(operand, &mut |ty| need(&mut self.types, ty, Some(operand)));
            }
        }
        if let Some(called) = called {
            need(&mut self.types, instruction.called_type(), None);
            let callee = Some(called.resolve()).filter(|callee| callee.is_function());
            for argument in 0..instruction.argument_count() {
                for kind in self.attributes {
                    let at_callee = callee.and_then(|callee| callee.parameter_attribute_type(argument, kind));
                    for ty in [instruction.argument_attribute_type(argument, kind), at_callee].into_iter().flatten() {
                        need(&mut self.types, ty, None);
                    }
                }
            }
        }
        // Clang puts no such metadata on instructions.
        for kind in self.kinds.used.into_iter().filter(|_| self.facts.unit.is_empty()) {
            if let Some(node) = instruction.instruction_metadata(kind) {
                let aspects = self.kinds.names.read(node);
                body.need(&aspects, UseAt { spot, promoted_for: None }, &self.files);
                body.explicit.extend(aspects);
            }
        }
        if let Some(called) = called {
            self.call(instruction, called.resolve(), spot, body);
        }
    }

    /// An object without a name has its place where it is made: in the first instruction that uses its memory, mostly the constructor's call.
    fn temporaries(&mut self, instruction: Value<'m>, spot: Option<Spot>, body: &mut Body<'m>) {
        let is_cast = instruction.opcode() == LLVMOpcode::LLVMAddrSpaceCast;
        for operand in instruction.operands() {
            // Where its memory is cast first, that is all there is to be seen of it.
            let made = if spot.is_some() || is_cast { body.objects.remove(&operand.raw()) } else { None };
            let Some(ty) = made else { continue };
            if spot.is_some() {
                body.need(self.types.of(ty), UseAt { spot, promoted_for: None }, &self.files);
            } else {
                body.objects.insert(instruction.raw(), ty);
            }
        }
    }

    fn call(&mut self, instruction: Value<'m>, callee: Value<'m>, spot: Option<Spot>, body: &mut Body<'m>) {
        if callee.is_function() {
            if let Some(&callee) = self.ids.get(&callee.raw()) {
                body.call(PlacedCall { callee, spot, one_of: None }, &self.files);
            }
            return;
        }
        if callee.is_inline_assembly() {
            return;
        }
        let shape = calls::shape(self.module, instruction);
        let through = if shape.slot.is_some() { Through::Vtable } else { Through::Pointer };
        // Source: DESIGN §7.5.
        let listed = instruction.instruction_metadata(self.kinds.callees);
        let targets: Vec<FuncId> = match listed {
            Some(node) => node.operands().iter().filter_map(|md| self.ids.get(&md.as_function()?.raw()).copied()).collect(),
            None => self.targets.of(&shape).iter().filter_map(|function| self.ids.get(function).copied()).collect(),
        };
        body.indirect.push((self.files.written(instruction), through, Some(shape).filter(|_| listed.is_none())));
        let one_of = Some(u32::try_from(targets.len()).unwrap_or(u32::MAX));
        for callee in targets {
            body.call(PlacedCall { callee, spot, one_of }, &self.files);
        }
    }
}

/// The types that an operand brings: its own, a global's contents', and those inside constant expressions. A function's address is only an
/// address (DESIGN §7.2: holding a pointer is no use).
fn operand_types<'m>(operand: Value<'m>, visit: &mut dyn FnMut(Type<'m>)) {
    if operand.is_function() {
        return;
    }
    if operand.is_global() {
        return visit(operand.value_type());
    }
    visit(operand.ty());
    if operand.is_compound_constant() {
        if operand.is_constant_gep() {
            visit(operand.gep_source_type());
        }
        for part in operand.operands() {
            operand_types(part, visit);
        }
    }
}

/// A type as the facts print it → as [`Type::spelling`] prints it.
fn spelling(printed: &str) -> String {
    let plain = printed.replace('"', "");
    // A named struct may have been printed with its definition.
    plain.split_once(" = type ").map_or(plain.clone(), |(name, _)| name.to_owned())
}

fn linkage(linkage: LLVMLinkage) -> Linkage {
    match linkage {
        LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage | LLVMLinkage::LLVMLinkerPrivateLinkage => Linkage::Internal,
        LLVMLinkage::LLVMAvailableExternallyLinkage
        | LLVMLinkage::LLVMLinkOnceAnyLinkage
        | LLVMLinkage::LLVMLinkOnceODRLinkage
        | LLVMLinkage::LLVMLinkOnceODRAutoHideLinkage
        | LLVMLinkage::LLVMWeakAnyLinkage
        | LLVMLinkage::LLVMWeakODRLinkage
        | LLVMLinkage::LLVMLinkerPrivateWeakLinkage => Linkage::OneDefinitionRule,
        _ => Linkage::External,
    }
}

/// What is collected of one body.
struct Body<'m> {
    /// The file that the function stands in.
    main: Option<usize>,
    uses: BTreeMap<Aspect, UseAt<'m>>,
    /// What more than the type `double` asks for; of other aspects nothing needs to be known.
    explicit: AspectSet,
    calls: Vec<PlacedCall>,
    indirect: Vec<(Option<Spot>, Through, Option<Shape>)>,
    /// Memory of objects whose types need something, until it is seen where they are made.
    objects: HashMap<LLVMValueRef, Type<'m>>,
}

/// Where an aspect is used.
#[derive(Clone, Copy, Default)]
struct UseAt<'m> {
    spot: Option<Spot>,
    /// The variadic function for which a `float` becomes `double` there.
    promoted_for: Option<Value<'m>>,
}

struct PlacedCall {
    callee: FuncId,
    spot: Option<Spot>,
    one_of: Option<u32>,
}

impl<'m> Body<'m> {
    /// Notes a use; of several places the first in source order stays.
    fn need(&mut self, aspects: &AspectSet, at: UseAt<'m>, files: &Files<'_>) {
        for &aspect in aspects {
            let known = self.uses.entry(aspect).or_insert(at);
            match files.compare_known(self.main, at.spot, known.spot) {
                Ordering::Less => *known = at,
                // What needs no explanation is the better one.
                Ordering::Equal if at.promoted_for.is_none() => known.promoted_for = None,
                Ordering::Equal | Ordering::Greater => {}
            }
        }
    }

    /// Notes a call; of several calls of one function the first in source order stays.
    fn call(&mut self, call: PlacedCall, files: &Files<'_>) {
        match self.calls.iter().position(|known| known.callee == call.callee) {
            Some(known) if files.compare_known(self.main, call.spot, self.calls[known].spot).is_lt() => {
                self.calls.remove(known);
                self.calls.push(call);
            }
            Some(_) => {}
            None => self.calls.push(call),
        }
    }

    /// All of it in source order.
    fn finish(mut self, files: &Files<'_>, name: &dyn Fn(Value<'m>) -> String) -> (Vec<Use>, Vec<Call>, Vec<Indirect>) {
        // Stable: calls without a place keep the order of the instructions.
        self.calls.sort_by(|a, b| files.compare_known(self.main, a.spot, b.spot));
        self.indirect.sort_by(|(a, ..), (b, ..)| files.compare_known(self.main, *a, *b));
        let place = |spot: Option<Spot>| spot.map(|spot| files.place(spot));
        let indirect = self.indirect.into_iter().map(|(spot, through, shape)| {
            let before = self.calls.partition_point(|call| files.compare_known(self.main, call.spot, spot).is_le());
            Indirect { place: place(spot), through, shape, before: u32::try_from(before).unwrap_or(u32::MAX) }
        });
        let indirect = indirect.collect();
        let implicit = |aspect| aspect == Aspect::FP64 && !self.explicit.contains(&aspect);
        let used = |(&aspect, at): (&Aspect, &UseAt<'m>)| Use {
            aspect,
            place: place(at.spot),
            implicit: implicit(aspect),
            promoted_for: at.promoted_for.map(name),
        };
        let uses = self.uses.iter().map(used).collect();
        let calls = self.calls.into_iter().map(|call| Call { callee: call.callee, place: place(call.spot), one_of: call.one_of }).collect();
        (uses, calls, indirect)
    }
}

/// A function's attributes, from wherever they are known.
struct Attributes {
    declared: Option<Declared>,
    uses: AspectSet,
    guard: Option<Guard>,
    work_group: Option<(WorkGroupSize, Option<aspen_contract::Place>)>,
    sub_group: Option<(u32, Option<aspen_contract::Place>)>,
}

impl Attributes {
    fn from_facts(facts: &FunctionFacts) -> Attributes {
        Attributes {
            declared: facts.declared.as_ref().map(|declared| Declared {
                aspects: declared.aspects.iter().copied().collect(),
                spelling: declared.spelling.clone(),
                place: declared.place.clone(),
            }),
            uses: facts.uses_attribute.clone(),
            guard: facts.guard.as_ref().map(|guard| Guard { has: guard.has.clone(), lacks: guard.lacks.iter().cloned().collect() }),
            work_group: facts
                .reqd_work_group_size
                .as_ref()
                .and_then(|size| Some((WorkGroupSize::try_from(size.dims.clone()).ok()?, size.place.clone()))),
            sub_group: facts.reqd_sub_group_size.as_ref().map(|size| (size.size, size.place.clone())),
        }
    }

    /// Metadata has no spelling; `sycl::device_has` is the standard's name of the attribute.
    fn from_metadata(metadata: FunctionMetadata, place: &Option<aspen_contract::Place>) -> Attributes {
        Attributes {
            declared: metadata.declared.map(|aspects| summary::Declared { aspects, spelling: "sycl::device_has".into(), place: None }),
            uses: metadata.used,
            guard: metadata.guard,
            work_group: metadata.work_group.map(|size| (size, place.clone())),
            sub_group: metadata.sub_group.map(|size| (size, place.clone())),
        }
    }
}
