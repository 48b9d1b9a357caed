//! What post-link reads of a module: what the metadata and attributes of functions and globals say, nothing of bodies.
//!
//! S0 "Changes to the post-link tool": propagation has written its result into metadata before, and post-link only reads that; what is
//! needed under guards comes from the call graph, by [`crate::add_guards`].
//! Source: DESIGN §3 (seed), FORMATS §2 (dpcpp).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_uint;

use aspen_contract::{AspectSet, Guard, Requirements};

use crate::aspect_names::AspectNames;
use crate::attach::reversed_and_padded;
use crate::calls::KERNEL_CONVENTIONS;
use crate::dialect::{Dialect, FunctionMetadata, Kinds};
use crate::ir::{Md, ModuleRef, Value};

/// What one function says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeviceFunction {
    /// The name in the module.
    pub symbol: String,
    /// Whether the module holds its body.
    pub defined: bool,
    /// Whether it has a kernel's calling convention.
    pub kernel: bool,
    /// `"sycl-module-id"`: the translation unit, on kernels and exported functions.
    pub module_id: Option<String>,
    /// `"indirectly-callable"`: the set of virtual functions it belongs to.
    pub indirectly_callable: Option<String>,
    /// `"sycl-register-alloc-mode"`.
    pub register_alloc_mode: Option<String>,
    /// `"sycl-grf-size"`.
    pub grf_size: Option<String>,
    /// `"sycl-optlevel"`.
    pub opt_level: Option<String>,
    /// Used ∪ declared aspects and the sizes. Negative aspects, which are internal to DPC++, keep their bits.
    pub requirements: Requirements,
    /// The required work-group size as DPC++ writes it: fastest dimension first. In seed modules converted, else as it stands there.
    pub work_group: Vec<u64>,
    /// `!work_group_num_dim`.
    pub work_group_dims: Option<u32>,
    /// `!sycl_fixed_targets`.
    pub fixed_targets: Vec<u32>,
    /// `!max_work_group_size`.
    pub max_work_group_size: Vec<u64>,
    /// `!max_linear_work_group_size`.
    pub max_linear_work_group_size: Option<u64>,
    /// `!sycl_joint_matrix`.
    pub joint_matrix: Option<String>,
    /// `!sycl_joint_matrix_mad`.
    pub joint_matrix_mad: Option<String>,
    /// Of entry points, after [`crate::add_guards`]: the guards in what they reach, each with what is needed under it; often nothing.
    pub guards: BTreeMap<Guard, AspectSet>,
    /// Of entry points, where somebody has looked ([`crate::Module::reached`]): the undefined functions that their closures hold.
    pub imports: BTreeSet<String>,
    /// `"calls-indirectly"`: the sets of virtual functions that it may call.
    pub calls_indirectly: Option<String>,
    /// `!sycl_explicit_simd`: code that only DPC++'s own passes can lower.
    pub explicit_simd: bool,
    /// `!sycl_kernel_omit_args`, once `!spir_kernel_omit_args`: which arguments an optimisation has removed.
    pub omitted_arguments: Option<Vec<bool>>,
}

/// A global variable that the host can reach by a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceGlobal {
    /// The name in the module.
    pub symbol: String,
    /// `"sycl-unique-id"`.
    pub id: String,
    /// `"sycl-device-global-size"`, in bytes.
    pub size: u32,
    /// `"sycl-device-image-scope"`.
    pub image_scope: bool,
}

/// All functions in module order, LLVM's own excluded. `dialect`: how sizes are written in this module, or in the one it was cut out of; an
/// image need not hold what showed it ([`crate::dialect_of`]). `names`: what its numbers of aspects mean; with the empty ones they stay as they
/// stand there.
pub fn device_functions(module: ModuleRef<'_>, dialect: Dialect, names: &AspectNames) -> Vec<DeviceFunction> {
    let reader = Reader::new(module, dialect, names);
    module.functions().filter(|function| !function.is_intrinsic()).map(|function| reader.function(function)).collect()
}

/// The attribute of a variable whose value lies in its image.
pub(crate) const DEVICE_IMAGE_SCOPE: &str = "sycl-device-image-scope";

/// All device globals in module order.
pub fn device_globals(module: ModuleRef<'_>) -> Vec<DeviceGlobal> {
    let read = |global: Value<'_>| {
        Some(DeviceGlobal {
            symbol: global.name(),
            id: global.global_attribute("sycl-unique-id")?,
            size: global.global_attribute("sycl-device-global-size")?.parse().ok()?,
            image_scope: global.global_attribute(DEVICE_IMAGE_SCOPE).is_some_and(|value| value != "false" && value != "0"),
        })
    };
    module.globals().filter_map(read).collect()
}

struct Reader<'m> {
    module: ModuleRef<'m>,
    kinds: Kinds,
    dialect: Dialect,
    fixed_targets: c_uint,
    max_work_group_size: c_uint,
    max_linear_work_group_size: c_uint,
    joint_matrix: c_uint,
    joint_matrix_mad: c_uint,
    /// DPC++'s name, and the one it had before.
    omitted_arguments: [c_uint; 2],
    explicit_simd: c_uint,
}

impl<'m> Reader<'m> {
    fn new(module: ModuleRef<'m>, dialect: Dialect, names: &AspectNames) -> Reader<'m> {
        let kinds = Kinds { names: names.clone(), ..Kinds::ids(module) };
        Reader {
            dialect,
            kinds,
            fixed_targets: module.kind("sycl_fixed_targets"),
            max_work_group_size: module.kind("max_work_group_size"),
            max_linear_work_group_size: module.kind("max_linear_work_group_size"),
            joint_matrix: module.kind("sycl_joint_matrix"),
            joint_matrix_mad: module.kind("sycl_joint_matrix_mad"),
            omitted_arguments: ["sycl_kernel_omit_args", "spir_kernel_omit_args"].map(|name| module.kind(name)),
            explicit_simd: module.kind("sycl_explicit_simd"),
            module,
        }
    }

    fn function(&self, function: Value<'m>) -> DeviceFunction {
        let attribute = |name| function.string_attribute(name);
        let known = FunctionMetadata::read(function, self.module, &self.kinds, self.dialect);
        let mut aspects = known.used;
        aspects.extend(known.declared.into_iter().flatten());
        let mut out = DeviceFunction {
            symbol: function.name(),
            defined: !function.is_declaration(),
            kernel: KERNEL_CONVENTIONS.contains(&function.calling_convention()),
            module_id: attribute("sycl-module-id"),
            indirectly_callable: attribute("indirectly-callable"),
            calls_indirectly: attribute("calls-indirectly"),
            register_alloc_mode: attribute("sycl-register-alloc-mode"),
            grf_size: attribute("sycl-grf-size"),
            opt_level: attribute("sycl-optlevel"),
            requirements: Requirements {
                aspects,
                reqd_work_group_size: known.work_group,
                reqd_sub_group_size: known.sub_group,
                ..Requirements::default()
            },
            ..DeviceFunction::default()
        };
        for (kind, node) in function.global_metadata(self.module) {
            self.node(kind, node, &mut out);
        }
        if let Some(size) = out.requirements.reqd_work_group_size.as_ref().filter(|_| self.dialect == Dialect::Seed) {
            out.work_group = reversed_and_padded(size.dims());
            out.work_group_dims = u32::try_from(size.dims().len()).ok();
        }
        out
    }

    /// What only DPC++ knows. Its numbers are `i32` without a sign.
    fn node(&self, kind: c_uint, node: Md<'m>, out: &mut DeviceFunction) {
        let numbers = || node.integers().into_iter().map(unsigned).collect::<Vec<u64>>();
        let text = || node.operands().first().and_then(|operand| operand.as_text());
        if kind == self.kinds.work_group {
            out.work_group = numbers();
        } else if kind == self.kinds.work_group_dims {
            out.work_group_dims = numbers().first().and_then(|&count| u32::try_from(count).ok());
        } else if kind == self.fixed_targets {
            out.fixed_targets = numbers().into_iter().filter_map(|number| u32::try_from(number).ok()).collect();
        } else if kind == self.max_work_group_size {
            out.max_work_group_size = numbers();
        } else if kind == self.max_linear_work_group_size {
            out.max_linear_work_group_size = numbers().first().copied();
        } else if kind == self.joint_matrix {
            out.joint_matrix = text();
        } else if kind == self.joint_matrix_mad {
            out.joint_matrix_mad = text();
        } else if kind == self.explicit_simd {
            out.explicit_simd = true;
        } else if self.omitted_arguments.contains(&kind) {
            out.omitted_arguments = Some(node.integers().into_iter().map(|flag| flag != 0).collect());
        }
    }
}

fn unsigned(number: i64) -> u64 {
    i32::try_from(number).map_or(number.cast_unsigned(), |number| u64::from(number.cast_unsigned()))
}
