//! The macros that tell headers what a program is compiled for. Source: S3 "Changes to the compiler driver", S4 "Compiler driver macro
//! predefines".

use std::collections::BTreeSet;

use aspen_contract::{Aspect, AspectSet, Capabilities, Need};

use crate::target::Target;

/// The macros of every pass, host and device, for a program compiled for these targets: names with values, in the order of the aspects'
/// numbers. Aspects that have no name have no macro; generic targets have no entry, so they promise nothing and rule nothing out but what
/// Aspen offers nowhere. Where a target is open, only what none of them can have is told: the headers take all else that is offered on
/// some backend for possible. Source: S3; DESIGN §7.26.
pub fn macros<'t>(targets: impl IntoIterator<Item = &'t Target>) -> Vec<(String, u32)> {
    let (mut all, mut devices): (Option<AspectSet>, Vec<Capabilities>) = (None, Vec::new());
    for target in targets {
        let device = target.capabilities();
        let own: AspectSet = if target.generic { AspectSet::new() } else { device.offered().collect() };
        all = Some(all.map_or_else(|| own.clone(), |all| all.intersection(&own).copied().collect()));
        devices.push(device);
    }
    let open = devices.iter().any(|device| device.may_support_other_aspects);
    let named = |aspect: Aspect, prefix: &str| aspect.name().map(|name| format!("__SYCL_{prefix}_{name}__"));
    let mut out: Vec<(String, u32)> =
        all.unwrap_or_default().into_iter().filter_map(|aspect| Some((named(aspect, "ALL_DEVICES_HAVE")?, 1))).collect();
    if open {
        out.push(("__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__".to_owned(), 1));
    }
    for aspect in Aspect::all().filter(|aspect| aspect.is_offered(None)) {
        let some = devices.iter().any(|device| device.has(&Need::Aspect(aspect)) != Some(false));
        // What is left out the headers take for true where a target is open, else for false.
        out.extend(named(aspect, "ANY_DEVICE_HAS").filter(|_| some != open).map(|name| (name, u32::from(some))));
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
    /// `__ASPEN_TARGET_ASPECTS__` lists the aspects that programs get there; `__ASPEN_TARGET_IS_OPEN__` says that the device may have others,
    /// but none of `__ASPEN_TARGET_LACKS__`: what Aspen offers only elsewhere.
    pub fn pass_macros(&self) -> Vec<(String, String)> {
        if self.generic || EMBEDDED_CPU.contains(&self.name.as_str()) {
            return Vec::new();
        }
        let device = self.capabilities();
        let mut numbers: BTreeSet<u32> = device.offered().map(Aspect::number).collect();
        // A user's file may replace the aspects; which device it is stays (S4).
        numbers.extend(Aspect::from_name(&format!("ext_{}", self.name)).map(Aspect::number));
        let elsewhere = Aspect::all().filter(|aspect| aspect.is_offered(None) && !aspect.is_offered(self.backend()));
        let list = |numbers: &mut dyn Iterator<Item = u32>| numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",");
        let mut out: Vec<(String, String)> = self.macro_name().map(|name| (name, "1".to_owned())).into_iter().collect();
        out.push(("__ASPEN_TARGET_ASPECTS__".to_owned(), list(&mut numbers.into_iter())));
        out.push(("__ASPEN_TARGET_IS_OPEN__".to_owned(), u32::from(self.may_support_other_aspects).to_string()));
        let lacks = list(&mut elsewhere.map(Aspect::number));
        if self.may_support_other_aspects && !lacks.is_empty() {
            out.push(("__ASPEN_TARGET_LACKS__".to_owned(), lacks));
        }
        out
    }
}
