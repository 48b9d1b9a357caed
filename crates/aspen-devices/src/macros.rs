//! The macros that tell headers what a program is compiled for. Source: S3 "Changes to the compiler driver", S4 "Compiler driver macro
//! predefines".

use std::collections::BTreeSet;

use aspen_contract::{Aspect, AspectSet};

use crate::target::Target;

/// The macros of every pass, host and device, for a program compiled for these targets: names with values, in the order of the aspects'
/// numbers. Aspects that have no name have no macro; generic targets have no entry, so they promise nothing and rule nothing out.
pub fn macros<'t>(targets: impl IntoIterator<Item = &'t Target>) -> Vec<(String, u32)> {
    let mut all: Option<AspectSet> = None;
    let (mut any, mut open) = (AspectSet::new(), false);
    for target in targets {
        let own = if target.generic { &AspectSet::new() } else { &target.aspects };
        all = Some(all.map_or_else(|| own.clone(), |all| all.intersection(own).copied().collect()));
        any.extend(own);
        open |= target.generic || target.may_support_other_aspects;
    }
    let named = |set: &AspectSet, prefix: &str| -> Vec<(String, u32)> {
        set.iter().filter_map(|aspect| Some((format!("__SYCL_{prefix}_{}__", aspect.name()?), 1))).collect()
    };
    let mut out = named(&all.unwrap_or_default(), "ALL_DEVICES_HAVE");
    if open {
        out.push(("__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__".to_owned(), 1));
    } else {
        out.extend(named(&any, "ANY_DEVICE_HAS"));
    }
    out
}

/// The embedded CPU device, and images for levels of its processor.
const EMBEDDED_CPU: [&str; 4] = ["native_cpu", "x86_64_v2", "x86_64_v3", "x86_64_v4"];

impl Target {
    /// The macros that only this target's device passes have, besides [`macros`]: S4's name of the device, and for `if_device_has` the
    /// numbers of its aspects. A generic target has none: what its devices have is not known while compiling. Neither has
    /// the embedded CPU, whatever level its images are for: it answers as the active profile does.
    ///
    /// `__ASPEN_TARGET_ASPECTS__` lists the aspects; `__ASPEN_TARGET_IS_OPEN__` says that the device may have others.
    pub fn pass_macros(&self) -> Vec<(String, String)> {
        if self.generic || EMBEDDED_CPU.contains(&self.name.as_str()) {
            return Vec::new();
        }
        let mut numbers: BTreeSet<u32> = self.aspects.iter().map(|aspect| aspect.number()).collect();
        // A user's file may replace the aspects; which device it is stays (S4).
        numbers.extend(Aspect::from_name(&format!("ext_{}", self.name)).map(Aspect::number));
        let list: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let mut out: Vec<(String, String)> = self.macro_name().map(|name| (name, "1".to_owned())).into_iter().collect();
        out.push(("__ASPEN_TARGET_ASPECTS__".to_owned(), list.join(",")));
        out.push(("__ASPEN_TARGET_IS_OPEN__".to_owned(), u32::from(self.may_support_other_aspects).to_string()));
        out
    }
}
