//! The property sets of an image, in both dialects. Source: DESIGN §5 (seed); FORMATS §4.5, §4.6 (dpcpp).

use std::collections::BTreeSet;

use aspen_contract::Requirements;
use aspen_image::device_globals::{DEVICE_GLOBALS, ImageGlobal, device_globals_set};
use aspen_image::guards::{self, GUARDS};
use aspen_image::image::{DEVICE_REQUIREMENTS, EXPORTED_SYMBOLS, IMPORTED_SYMBOLS, device_requirements, symbols_set};
use aspen_image::{PropertySet, PropertySets, Value, dpcpp};
use aspen_llvm::{DeviceFunction, DeviceGlobal, SpecConstant, SpecConstants, readable_name};

use crate::arguments::{Arguments, Dialect};
use crate::entry_points::is_export;
use crate::error::Error;

/// The set that tells which arguments of kernels are gone.
const PARAM_OPT: &str = "SYCL/kernel param opt";

/// A text that a function may say about itself.
type Read = fn(&DeviceFunction) -> Option<&String>;

/// An image as it was cut out.
pub(crate) struct Cut<'i> {
    /// Its kernels and exported functions, in module order.
    pub entries: Vec<&'i DeviceFunction>,
    /// Everything in it; read in the dpcpp dialect only, empty in the other.
    pub functions: Vec<DeviceFunction>,
    /// Functions that it calls and takes from other images.
    pub imports: Vec<String>,
    /// Names of kernels that are in it, with their symbols.
    pub registered: Vec<(String, String)>,
    /// The sanitizer that has instrumented it.
    pub sanitizer: Option<&'static str>,
    /// Device globals in it.
    pub globals: Vec<DeviceGlobal>,
    /// What its specialization constants became.
    pub spec_constants: SpecConstants,
    /// Whether they became their default values.
    pub has_defaults: bool,
}

impl Cut<'_> {
    /// What a device must have. In the seed dialect that is what each entry point says (S0); DPC++ looks at all functions of the image for
    /// aspects and work-group sizes, which is more where a function was not propagated.
    ///
    /// # Errors
    /// If two functions ask for different work-group sizes: no launch could serve both. `name`: the module, for the message.
    pub fn requirements(&self, dialect: Dialect, name: &str) -> Result<Requirements, Error> {
        let mut out = Requirements::default();
        let everything = match dialect {
            Dialect::Seed => Vec::new(),
            Dialect::Dpcpp => self.functions.iter().collect(),
        };
        for function in self.entries.iter().copied().chain(everything) {
            out.aspects.extend(&function.requirements.aspects);
            out.guard_also(function.requirements.guarded.clone());
        }
        // Negative numbers are internal to DPC++: they split images and are no requirement. Source: FORMATS §1.
        out.aspects.retain(|aspect| i32::try_from(aspect.number()).is_ok());
        out.reqd_sub_group_size = self.entries.iter().find_map(|entry| entry.requirements.reqd_sub_group_size);
        self.one_work_group_size(dialect, name)?;
        out.reqd_work_group_size = self.work_group_source(dialect).and_then(|function| function.requirements.reqd_work_group_size.clone());
        Ok(out)
    }

    /// The functions that ask for a work-group size; all for the same, where [`Cut::requirements`] has looked.
    fn work_group_sources(&self, dialect: Dialect) -> impl Iterator<Item = &DeviceFunction> {
        let everything = self.functions.iter().filter(move |_| dialect == Dialect::Dpcpp);
        self.entries.iter().copied().chain(everything).filter(|function| function.requirements.reqd_work_group_size.is_some())
    }

    fn work_group_source(&self, dialect: Dialect) -> Option<&DeviceFunction> {
        self.work_group_sources(dialect).next()
    }

    /// Two that disagree are an error, never no requirement. Source: DESIGN §7.24.
    fn one_work_group_size(&self, dialect: Dialect, name: &str) -> Result<(), Error> {
        let size = |function: &DeviceFunction| function.requirements.reqd_work_group_size.as_ref().map(ToString::to_string);
        let Some(first) = self.work_group_source(dialect) else { return Ok(()) };
        let Some(other) = self.work_group_sources(dialect).find(|other| size(other) != size(first)) else { return Ok(()) };
        let said = |function: &DeviceFunction| (readable_name(&function.symbol), size(function).unwrap_or_default());
        Err(Error::WorkGroupSizes { name: name.to_owned(), first: said(first), other: said(other) })
    }

    /// All sets, in the order of the file.
    pub fn sets(&self, arguments: &Arguments, requirements: &Requirements) -> PropertySets {
        let mut sets = PropertySets::new();
        let mut add = |name: &str, set: PropertySet| {
            // DPC++ writes this one even where there is nothing to say.
            if !set.is_empty() || name == PARAM_OPT && arguments.written() == Dialect::Dpcpp {
                sets.insert(name, set);
            }
        };
        match arguments.written() {
            Dialect::Seed => add(DEVICE_REQUIREMENTS, device_requirements(requirements)),
            Dialect::Dpcpp => add(dpcpp::DEVICE_REQUIREMENTS_DPCPP, self.dpcpp_requirements(requirements)),
        }
        if !self.spec_constants.constants.is_empty() {
            add("SYCL/specialization constants", spec_constants(&self.spec_constants));
            let all = Value::Bytes(self.spec_constants.defaults.clone());
            add("SYCL/specialization constants default values", PropertySet::from([("all".to_owned(), all)]));
        }
        let kernels = || self.entries.iter().filter(|entry| entry.kernel).copied();
        if arguments.kernel_names {
            add("SYCL/kernel names", symbols_set(kernels().map(|kernel| kernel.symbol.as_str())));
        }
        if arguments.param_info {
            add(PARAM_OPT, kernels().filter_map(omitted_arguments).collect());
        }
        if arguments.exported_symbols {
            let exports = self.entries.iter().filter(|entry| is_export(entry)).map(|entry| entry.symbol.as_str());
            add(EXPORTED_SYMBOLS, symbols_set(exports));
        }
        if arguments.imported_symbols {
            add(IMPORTED_SYMBOLS, symbols_set(self.imports.iter().map(String::as_str)));
        }
        if arguments.program_metadata {
            let mut set: PropertySet = kernels().flat_map(program_metadata).collect();
            let mapping = |global: &DeviceGlobal| (format!("{}@global_id_mapping", global.id), text(&global.symbol));
            set.extend(self.globals.iter().map(mapping));
            add("SYCL/program metadata", set);
        }
        add(dpcpp::MISC_PROPERTIES, self.misc_properties(arguments));
        if arguments.device_globals {
            let property = |global: &DeviceGlobal| ImageGlobal { id: global.id.clone(), size: global.size, in_image: global.image_scope };
            add(DEVICE_GLOBALS, device_globals_set(self.globals.iter().map(property)));
        }
        if arguments.written() == Dialect::Dpcpp {
            add("SYCL/virtual functions", self.virtual_functions());
        }
        let registered = |(name, symbol): &(String, String)| (name.clone(), text(symbol));
        add("SYCL/registered kernels", self.registered.iter().map(registered).collect());
        let guarded = self.entries.iter().filter(|entry| !entry.guards.is_empty());
        add(GUARDS, guarded.map(|entry| (entry.symbol.clone(), guards::write(&entry.guards))).collect());
        sets
    }

    /// DPC++'s set: `aspects` also when there are none.
    fn dpcpp_requirements(&self, requirements: &Requirements) -> PropertySet {
        // The size stands here as in the metadata, which older files do not pad.
        let mut set = dpcpp::device_requirements(&Requirements { reqd_work_group_size: None, ..requirements.clone() });
        let all = || self.entries.iter().copied().chain(&self.functions);
        let targets: BTreeSet<u32> = all().flat_map(|function| function.fixed_targets.iter().copied()).collect();
        if !targets.is_empty() {
            set.insert("fixed_target".into(), Value::from_u32s(targets));
        }
        for (name, read) in [("joint_matrix", joint_matrix as Read), ("joint_matrix_mad", joint_matrix_mad)] {
            let records: BTreeSet<&str> =
                all().filter_map(read).flat_map(|records| records.split(';')).filter(|record| !record.is_empty()).collect();
            if !records.is_empty() {
                set.insert(name.into(), text(&records.into_iter().collect::<Vec<_>>().join(";")));
            }
        }
        if let Some(function) = self.work_group_source(Dialect::Dpcpp) {
            set.insert(dpcpp::REQD_WORK_GROUP_SIZE.into(), u64s(&function.work_group));
            if let Some(count) = function.work_group_dims {
                set.insert(dpcpp::WORK_GROUP_NUM_DIM.into(), Value::U32(count));
            }
        }
        set
    }

    /// The set of virtual functions that this image is, else those that it may call: the runtime links them. Source: FORMATS §4.5.
    fn virtual_functions(&self) -> PropertySet {
        if let Some(set) = self.entries.iter().find_map(|entry| entry.indirectly_callable.as_ref()) {
            return PropertySet::from([("virtual-functions-set".to_owned(), text(set))]);
        }
        let callers = self.functions.iter().filter(|function| function.defined).filter_map(|function| function.calls_indirectly.as_ref());
        let used: BTreeSet<&str> = callers.flat_map(|sets| sets.split(',')).filter(|set| !set.is_empty()).collect();
        let named = |used: BTreeSet<&str>| text(&used.into_iter().collect::<Vec<_>>().join(","));
        if used.is_empty() { PropertySet::new() } else { PropertySet::from([("uses-virtual-functions-set".to_owned(), named(used))]) }
    }

    /// What entry points ask of the device's compiler, where all of them ask for the same; and that a runtime may take this image only
    /// while nobody has set a specialization constant.
    fn misc_properties(&self, arguments: &Arguments) -> PropertySet {
        let mut set = PropertySet::new();
        let asked: [(&str, Read); 3] = [
            ("sycl-register-alloc-mode", |function| function.register_alloc_mode.as_ref()),
            ("sycl-grf-size", |function| function.grf_size.as_ref()),
            ("optLevel", |function| function.opt_level.as_ref()),
        ];
        for (name, read) in asked {
            let values: BTreeSet<Option<&String>> = self.entries.iter().map(|entry| read(entry)).collect();
            if let [Some(value)] = values.into_iter().collect::<Vec<_>>()[..]
                && let Ok(number) = value.parse()
            {
                set.insert(name.into(), Value::U32(number));
            }
        }
        if let Some(range) = arguments.id_queries {
            set.insert("idQueriesRange".into(), Value::U32(range));
        }
        if let Some(sanitizer) = self.sanitizer {
            set.insert("sanUsed".into(), text(sanitizer));
        }
        if self.has_defaults {
            set.insert("specConstsReplacedWithDefault".into(), Value::U32(1));
        }
        set
    }
}

fn joint_matrix(function: &DeviceFunction) -> Option<&String> {
    function.joint_matrix.as_ref()
}

fn joint_matrix_mad(function: &DeviceFunction) -> Option<&String> {
    function.joint_matrix_mad.as_ref()
}

/// Three numbers a part: SpecId, offset and size. Source: FORMATS §4.5.
fn spec_constants(constants: &SpecConstants) -> PropertySet {
    let property = |constant: &SpecConstant| {
        let numbers = constant.parts.iter().flat_map(|part| [part.id, part.offset, part.size]);
        (constant.name.clone(), Value::from_u32s(numbers))
    };
    constants.constants.iter().map(property).collect()
}

fn text(text: &str) -> Value {
    Value::Bytes(text.as_bytes().to_vec())
}

fn u64s(numbers: &[u64]) -> Value {
    Value::Bytes(numbers.iter().copied().flat_map(u64::to_le_bytes).collect())
}

/// A bit an argument; set if the argument is gone.
fn omitted_arguments(kernel: &DeviceFunction) -> Option<(String, Value)> {
    let flags = kernel.omitted_arguments.as_ref()?;
    let mut bytes = vec![0u8; flags.len().div_ceil(8)];
    for (index, _) in flags.iter().enumerate().filter(|(_, omitted)| **omitted) {
        bytes[index / 8] |= 1 << (index % 8);
    }
    let value = if flags.len() % 8 == 0 { Value::Bytes(bytes) } else { Value::Bits { count: flags.len() as u64, bytes } };
    Some((kernel.symbol.clone(), value))
}

/// Sizes by kernel, the way DPC++ writes them: fastest dimension first.
fn program_metadata(kernel: &DeviceFunction) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    let mut add = |what: &str, value: Value| out.push((format!("{}@{what}", kernel.symbol), value));
    let narrow = |numbers: &[u64]| Value::from_u32s(numbers.iter().map(|&number| u32::try_from(number).unwrap_or(u32::MAX)));
    if !kernel.work_group.is_empty() {
        add("reqd_work_group_size", narrow(&kernel.work_group));
    }
    if let Some(size) = kernel.requirements.reqd_sub_group_size {
        add("reqd_sub_group_size", Value::U32(size));
    }
    if let Some(count) = kernel.work_group_dims {
        add("work_group_num_dim", Value::U32(count));
    }
    if !kernel.max_work_group_size.is_empty() {
        add("max_work_group_size", narrow(&kernel.max_work_group_size));
    }
    if let Some(size) = kernel.max_linear_work_group_size {
        add("max_linear_work_group_size", u64s(&[size]));
    }
    out
}

/// The name of the target, which only DPC++ records. Source: FORMATS §4.5.
pub(crate) fn add_compile_target(sets: &mut PropertySets, target: &str) {
    if let Some(mut set) = sets.get(dpcpp::DEVICE_REQUIREMENTS_DPCPP).cloned() {
        set.insert("compile_target".into(), text(target));
        sets.insert(dpcpp::DEVICE_REQUIREMENTS_DPCPP, set);
    }
}
