//! Names of metadata in the two dialects, and reading what either of them says.
//!
//! Source: DESIGN §3 (seed), FORMATS §2 (dpcpp).

use std::ffi::{CStr, c_uint};

use aspen_contract::{Aspect, AspectSet, Guard, WorkGroupSize};

use crate::aspect_names::{self, AspectNames};
use crate::ffi;
use crate::ir::{Md, ModuleRef, Value};

/// Whose names and shapes the metadata has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// The design documents'.
    #[default]
    Seed,
    /// DPC++'s of 2026.
    Dpcpp,
}

impl Dialect {
    pub(crate) const BOTH: [Dialect; 2] = [Dialect::Seed, Dialect::Dpcpp];

    pub(crate) fn used(self) -> &'static str {
        match self {
            Dialect::Seed => "intel_used_aspects",
            Dialect::Dpcpp => "sycl_used_aspects",
        }
    }

    pub(crate) fn declared(self) -> &'static str {
        match self {
            Dialect::Seed => "intel_declared_aspects",
            Dialect::Dpcpp => "sycl_declared_aspects",
        }
    }

    pub(crate) fn types(self) -> &'static CStr {
        match self {
            Dialect::Seed => c"intel_types_that_use_aspects",
            Dialect::Dpcpp => c"sycl_types_that_use_aspects",
        }
    }
}

/// The list of aspect names of the dpcpp dialect. The seed dialect has numbers only.
pub(crate) const ASPECT_NAMES: &CStr = c"sycl_aspects";
/// Names that only another compiler knows, in the seed dialect: pairs of name and number, so that they find back into DPC++'s form.
pub(crate) const FOREIGN_NAMES: &CStr = c"aspen_aspects";

/// The kinds of metadata that this crate writes. LLVM prints a function's metadata in the order in which the kinds were first met in the
/// context; contexts that meet these first print everything alike.
pub(crate) const KIND_NAMES: [&str; 8] = [
    "intel_declared_aspects",
    "intel_used_aspects",
    "sycl_declared_aspects",
    "sycl_used_aspects",
    "reqd_work_group_size",
    "work_group_num_dim",
    "intel_reqd_sub_group_size",
    GUARD,
];

/// Where a function runs at all; ours, in both dialects. Source: ARCHITECTURE "Guarded code".
const GUARD: &str = "aspen_guard";

/// The ids of the metadata kinds in one context, and what the module's numbers of aspects mean.
pub(crate) struct Kinds {
    pub(crate) names: AspectNames,
    pub(crate) used: [c_uint; 2],
    pub(crate) declared: [c_uint; 2],
    pub(crate) work_group: c_uint,
    pub(crate) work_group_dims: c_uint,
    pub(crate) sub_group: c_uint,
    pub(crate) guard: c_uint,
    pub(crate) callees: c_uint,
}

impl Kinds {
    /// With the module's own names of aspects.
    pub(crate) fn new(module: ModuleRef<'_>) -> Kinds {
        Kinds { names: AspectNames::of(module), ..Kinds::ids(module) }
    }

    /// Without: numbers stay as they stand in the module.
    pub(crate) fn ids(module: ModuleRef<'_>) -> Kinds {
        for name in KIND_NAMES {
            module.kind(name);
        }
        Kinds {
            names: AspectNames::default(),
            used: Dialect::BOTH.map(|dialect| module.kind(dialect.used())),
            declared: Dialect::BOTH.map(|dialect| module.kind(dialect.declared())),
            work_group: module.kind("reqd_work_group_size"),
            work_group_dims: module.kind("work_group_num_dim"),
            sub_group: module.kind("intel_reqd_sub_group_size"),
            guard: module.kind(GUARD),
            callees: module.kind("callees"),
        }
    }
}

/// What a function's metadata says.
#[derive(Default)]
pub(crate) struct FunctionMetadata {
    pub(crate) used: AspectSet,
    pub(crate) declared: Option<AspectSet>,
    pub(crate) guard: Option<Guard>,
    pub(crate) work_group: Option<WorkGroupSize>,
    pub(crate) sub_group: Option<u32>,
}

impl FunctionMetadata {
    pub(crate) fn read<'m>(function: Value<'m>, module: ModuleRef<'m>, kinds: &Kinds, dialect: Dialect) -> FunctionMetadata {
        let mut out = FunctionMetadata::default();
        let (mut dims, mut dim_count) = (None, None);
        for (kind, node) in function.global_metadata(module) {
            if kinds.used.contains(&kind) {
                out.used.extend(kinds.names.read(node));
            } else if kinds.declared.contains(&kind) {
                out.declared.get_or_insert_default().extend(kinds.names.read(node));
            } else if kind == kinds.work_group {
                dims = Some(node.integers());
            } else if kind == kinds.work_group_dims {
                dim_count = node.integers().first().and_then(|&count| usize::try_from(count).ok());
            } else if kind == kinds.guard {
                out.guard = guard(node);
            } else if kind == kinds.sub_group {
                out.sub_group = node.integers().first().and_then(|&size| u32::try_from(size).ok()).filter(|&size| size > 0);
            }
        }
        out.work_group = dims.and_then(|dims| work_group_size(&dims, dim_count, dialect));
        out
    }
}

/// The size in the attribute's order. Dimensions were written as `i32` by old compilers, so negative ones are large ones.
fn work_group_size(dims: &[i64], dim_count: Option<usize>, dialect: Dialect) -> Option<WorkGroupSize> {
    let mut dims: Vec<u64> =
        dims.iter().map(|&dim| i32::try_from(dim).map_or(dim.cast_unsigned(), |dim| u64::from(dim.cast_unsigned()))).collect();
    if let Some(count) = dim_count.filter(|&count| count <= dims.len()) {
        dims.truncate(count);
    }
    if dialect == Dialect::Dpcpp {
        dims.reverse();
    }
    WorkGroupSize::try_from(dims).ok()
}

/// Aspen's own numbers.
fn aspects(node: Md<'_>) -> AspectSet {
    aspect_names::numbers(node).into_iter().map(Aspect::from_number).collect()
}

/// The first list: what the device has; each further one: of which it lacks something. Nothing if that says nothing.
fn guard(node: Md<'_>) -> Option<Guard> {
    let lists = node.operands();
    let (has, lacks) = lists.split_first()?;
    let guard = Guard { has: aspects(*has), lacks: lacks.iter().map(|&list| aspects(list)).collect() };
    (!guard.is_always()).then_some(guard)
}

/// The marked types that the module itself names, in either dialect.
pub(crate) fn marked_types(module: ModuleRef<'_>, names: &AspectNames) -> Vec<(String, AspectSet)> {
    let nodes = Dialect::BOTH.into_iter().flat_map(|dialect| module.named_metadata(dialect.types()));
    nodes.filter_map(|node| Some((node.operands().first()?.as_text()?, names.read(node)))).collect()
}

/// Whose metadata the module holds; DPC++'s if that of both. `None` if it says nothing that only one of them writes: then work-group sizes
/// may be in the attribute's order (seed) or reversed and padded (dpcpp), and whoever runs a tool must know. Source: DESIGN §7.24.
pub fn dialect_of(module: ModuleRef<'_>) -> Option<Dialect> {
    // SAFETY: a valid module.
    match unsafe { ffi::aspen_llvm_dialect(module.raw()) } {
        2 => Some(Dialect::Dpcpp),
        1 => Some(Dialect::Seed),
        _ => None,
    }
}
