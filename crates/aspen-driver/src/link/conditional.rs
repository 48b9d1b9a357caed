//! `-fsycl-optional-features=conditional`: kernels of different requirements share SPIR-V images, and each function carries the condition
//! under which a device needs it. Source: S1 "Design to raise required exceptions"; DESIGN §2, §5; docs/decisions/0006.

use aspen_analysis::split::{EntryPoint, ImagePlan, bundle, order_by_kernels};
use aspen_analysis::summary::FuncId;
use aspen_codegen::Conditions;
use aspen_contract::{Need, Verdict, check};
use aspen_image::PropertySet;
use aspen_image::kernel_reqs::kernel_reqs_set;
use aspen_spirv::Numbering;

use super::program::Program;
use crate::args::{OptionalFeatures, Options};
use crate::error::Error;
use crate::targets::{Family, Target};

/// The images of a target in this mode.
pub struct Conditional {
    /// Entry points by the code-split option and what they import; none of these requires anything as a whole.
    pub plans: Vec<ImagePlan>,
    /// The program's requirements.
    numbering: Numbering,
}

impl Conditional {
    /// `None` if the user wants images split, or the target's code is no SPIR-V: only SPIR-V has conditional functions.
    ///
    /// # Errors
    /// If the program has more requirements than there are numbers for them.
    pub fn of(options: &Options, target: &Target, program: &Program) -> Result<Option<Conditional>, Error> {
        let is_spirv = matches!(target.family, Family::Spirv | Family::Gen);
        if options.optional_features != OptionalFeatures::Conditional || !is_spirv {
            return Ok(None);
        }
        let mut entries: Vec<(FuncId, &ImagePlan)> =
            program.plans.iter().flat_map(|plan| plan.entries.iter().map(move |&id| (id, plan))).collect();
        entries.sort_unstable_by_key(|(id, _)| *id);
        let requirements: Vec<_> = entries.iter().map(|&(entry, _)| program.analysis.requirements(entry)).collect();
        let numbering = Numbering::new(&requirements).map_err(|error| Error::Device(error.to_string()))?;
        let entry = |(id, plan): (FuncId, &ImagePlan)| {
            let unit = program.linked.summary.function(id).unit.as_str();
            let (imports, import_guards) = (plan.imports.clone(), plan.import_guards.clone());
            EntryPoint { id, unit, requirements: program.analysis.requirements(id), imports, import_guards }
        };
        let mut plans = bundle(entries.into_iter().map(entry), options.code_split);
        order_by_kernels(&program.linked.summary, &mut plans);
        Ok(Some(Conditional { plans, numbering }))
    }

    /// What code generation writes into an image.
    pub fn conditions(&self, program: &Program, plan: &ImagePlan) -> Conditions {
        let root = |&entry: &FuncId| (program.linked.summary.function(entry).symbol.clone(), program.analysis.requirements(entry));
        Conditions { roots: plan.entries.iter().map(root).collect(), numbering: self.numbering.clone() }
    }

    /// "SYCL/kernel reqs" of an image.
    pub fn kernel_reqs(&self, program: &Program, plan: &ImagePlan) -> PropertySet {
        let entries = plan.entries.iter().map(|&entry| {
            let numbered = self.numbering.entries(&program.analysis.requirements(entry)).into_iter();
            let numbers = numbered.map(|(need, spec_id)| (need, spec_id.number())).collect();
            (program.linked.summary.function(entry).symbol.as_str(), numbers)
        });
        kernel_reqs_set(entries)
    }
}

/// The entry points of an image that a target surely cannot run, with what it lacks for each.
pub fn discarded(program: &Program, plan: &ImagePlan, target: &Target) -> Vec<(FuncId, Vec<Need>)> {
    let capabilities = target.info.capabilities_at_most();
    let lacks = |&entry: &FuncId| match check(&program.analysis.requirements(entry), &capabilities) {
        Verdict::Unmet(needs) => Some((entry, needs)),
        Verdict::Met | Verdict::Unknown(_) => None,
    };
    plan.entries.iter().filter_map(lacks).collect()
}
