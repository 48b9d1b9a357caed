//! Why a requirement is there: places, chains of calls, and the text of a refusal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Capabilities, Guard, Need, Offers};

/// A place in the user's source, as clang presents it (`#line` honoured). Lines and columns count from 1; columns count bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file's name, as clang prints it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1; 0 if only the line is known.
    pub column: u32,
}

/// `hw.cpp:27:4`, `hw.cpp:27`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}:{}", self.file, self.line),
            column => write!(f, "{}:{}:{column}", self.file, self.line),
        }
    }
}

/// One function of a chain, and the place in it that matters: the use, or the call of the step before.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Qualified name with template arguments, without parameter list; for a kernel its name.
    pub function: String,
    /// The use (first step) or the call of the step before; unknown without line tables.
    pub place: Option<Place>,
    /// What a reader would not see at the place.
    pub remark: Option<Remark>,
}

/// What explains a step of a chain that its place alone does not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Remark {
    /// The use is a `float` that becomes `double` because it is passed through the `…` of this function. Source: C++ [expr.call].
    Promoted {
        /// The variadic function's name.
        callee: String,
    },
    /// The call goes through a pointer and may reach this many functions. Source: DESIGN §7.5.
    Indirect {
        /// At least 1.
        targets: u32,
    },
    /// The call is made only where this holds. Source: DESIGN §7.8.
    Guarded {
        /// Where.
        guard: Guard,
    },
    /// The function counts by what its declaration says; its body is in another object or image. Source: DESIGN §7.6.
    Elsewhere,
}

/// `through a function pointer (one of 3 targets)`, to stand behind what the step says.
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Promoted { callee } => write!(f, "a float becomes double in the call of '{callee}', which is variadic"),
            Self::Indirect { targets: 1 } => f.write_str("through a function pointer (the only target)"),
            Self::Indirect { targets } => write!(f, "through a function pointer (one of {targets} targets)"),
            Self::Guarded { guard } => write!(f, "only {guard}"),
            Self::Elsewhere => f.write_str("which is defined in another object or image"),
        }
    }
}

/// Why one need is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Source {
    /// The need that is explained.
    pub need: Need,
    /// Whether it is only declared by an attribute, not used. The first step is then the declaring function at its attribute.
    pub declared: bool,
    /// The use first, the kernel last. Never empty.
    pub chain: Vec<Step>,
}

/// The text of the `errc::kernel_not_supported` exception: one line for each unmet need. Source: DESIGN §6.
///
/// `sources` explains as many of the needs as are known; a need without a source is named all the same.
pub fn refusal(kernel: &str, device: &str, unmet: &[Need], sources: &[Source], capabilities: &Capabilities) -> String {
    let mut out = format!("kernel '{kernel}' cannot run on '{device}':");
    for need in unmet {
        out += &format!("\n  needs {need}");
        if let Some(source) = sources.iter().find(|source| source.need == *need) {
            out += &match need {
                Need::Aspect(_) => format!(": {}", explanation(source)),
                Need::SubGroupSize(_) | Need::WorkGroupSize(_) => {
                    source.chain.first().and_then(|step| step.place.as_ref()).map_or(String::new(), |place| format!(": {place}"))
                }
            };
        }
        out += &offer(need, capabilities);
    }
    out
}

fn explanation(source: &Source) -> String {
    let remark = |step: &Step| step.remark.as_ref().map_or(String::new(), |remark| format!(", {remark}"));
    let at = |step: &Step| step.place.as_ref().map_or(String::new(), |place| format!(" {place}")) + &remark(step);
    let Some((first, calls)) = source.chain.split_first() else { return String::new() };
    if source.declared {
        return format!("declared by '{}'{}", first.function, at(first));
    }
    let Some((kernel, between)) = calls.split_last() else {
        return first.place.as_ref().map_or_else(|| "in the kernel".into(), |place| format!("{place} in the kernel")) + &remark(first);
    };
    let mut out = first.place.as_ref().map_or_else(String::new, |place| format!("{place} "));
    out += &format!("in '{}'{}", first.function, remark(first));
    for step in between {
        out += &format!(", called from '{}'{}", step.function, at(step));
    }
    out + &format!(", called from the kernel{}", at(kernel))
}

/// What the device has instead, where that helps.
fn offer(need: &Need, capabilities: &Capabilities) -> String {
    match need {
        Need::SubGroupSize(_) => match capabilities.sub_group_sizes.as_deref() {
            None => String::new(),
            Some([]) => "; the device has none".into(),
            Some(sizes) => format!("; the device has {}", sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
        },
        Need::WorkGroupSize(_) => match (capabilities.max_work_group_size, capabilities.max_work_item_sizes) {
            (Some(total), Some([x, y, z])) => format!("; the device allows {total} work-items, at most {x}x{y}x{z}"),
            _ => String::new(),
        },
        Need::Aspect(_) => capabilities.not_offered(need).map_or(String::new(), |why| format!("; {why}")),
    }
}

impl Capabilities {
    /// Why nobody gets it there, whatever the device is: `the device has it, but Aspen does not offer it: its headers have no images`.
    /// `None` if it is offered there. Source: DESIGN §7.26.
    pub fn not_offered(&self, need: &Need) -> Option<String> {
        let Need::Aspect(aspect) = need else { return None };
        if self.offers(*aspect) {
            return None;
        }
        let has = if self.aspects.contains(aspect) { "the device has it, but " } else { "" };
        let place = match self.offers {
            Offers::Aspen(Some(backend)) if aspect.is_offered(None) => format!(" on {}", backend.name()),
            _ => String::new(),
        };
        Some(format!("{has}Aspen does not offer it{place}: {}", aspect.missing()))
    }

    /// What is lacking, as one text: `aspect fp64, sub-group size 64`, with the reason behind what is not offered.
    pub fn list(&self, needs: &[Need]) -> String {
        let one = |need: &Need| self.not_offered(need).map_or_else(|| need.to_string(), |why| format!("{need} ({why})"));
        needs.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aspect, BackendKind, WorkGroupSize};

    fn step(function: &str, line: u32, column: u32) -> Step {
        Step { function: function.into(), place: Some(Place { file: "matmul.cpp".into(), line, column }), remark: None }
    }

    #[test]
    fn text_of_design_section_6() {
        let fp64 = Need::Aspect(Aspect::FP64);
        let gpu = Need::Aspect(Aspect::from_number(2));
        let group = Need::WorkGroupSize(WorkGroupSize::try_from(vec![65536, 32768]).expect("two dimensions"));
        let sources = [
            Source {
                need: fp64.clone(),
                declared: false,
                chain: vec![step("boo", 27, 4), step("bar", 25, 5), step("matmul<double>", 15, 3)],
            },
            Source { need: gpu.clone(), declared: true, chain: vec![step("foo", 14, 3), step("matmul<double>", 20, 1)] },
            Source { need: Need::SubGroupSize(64), declared: true, chain: vec![step("matmul<double>", 12, 7)] },
        ];
        let device = Capabilities {
            sub_group_sizes: Some(vec![8, 16, 32]),
            max_work_group_size: Some(1024),
            max_work_item_sizes: Some([1024; 3]),
            ..Capabilities::default()
        };
        let text = refusal("matmul<double>", "Intel(R) UHD Graphics 770", &[fp64, gpu, Need::SubGroupSize(64), group], &sources, &device);
        assert_eq!(
            text,
            "kernel 'matmul<double>' cannot run on 'Intel(R) UHD Graphics 770':\n  \
             needs aspect fp64: matmul.cpp:27:4 in 'boo', called from 'bar' matmul.cpp:25:5, called from the kernel matmul.cpp:15:3\n  \
             needs aspect gpu: declared by 'foo' matmul.cpp:14:3\n  \
             needs sub-group size 64: matmul.cpp:12:7; the device has 8, 16, 32\n  \
             needs work-group size 65536x32768; the device allows 1024 work-items, at most 1024x1024x1024"
        );
    }

    /// Source: DESIGN §7.26.
    #[test]
    fn what_aspen_does_not_offer_is_told_from_what_the_device_lacks() {
        let [esimd, tangle] =
            ["ext_intel_esimd", "ext_oneapi_tangle"].map(|name| Need::Aspect(Aspect::from_name(name).expect("an aspect")));
        let device = Capabilities { aspects: [49].map(Aspect::from_number).into(), ..Capabilities::default() };
        let source = Source { need: esimd.clone(), declared: true, chain: vec![step("foo", 14, 3), step("k", 20, 1)] };
        assert_eq!(
            refusal("k", "d", std::slice::from_ref(&esimd), &[source], &device),
            "kernel 'k' cannot run on 'd':\n  needs aspect ext_intel_esimd: declared by 'foo' matmul.cpp:14:3; \
             the device has it, but Aspen does not offer it: its headers have no ESIMD"
        );
        let cpu = Capabilities { offers: Offers::Aspen(Some(BackendKind::NativeCpu)), ..Capabilities::default() };
        assert_eq!(
            cpu.list(&[esimd, tangle.clone(), Need::SubGroupSize(64)]),
            "aspect ext_intel_esimd (Aspen does not offer it: its headers have no ESIMD), aspect ext_oneapi_tangle (Aspen does not offer it on \
             native_cpu: sycl::ext::oneapi::experimental::tangle asks who runs side by side: work-items of the embedded CPU do not, and CUDA \
             does not tell), sub-group size 64"
        );
        assert_eq!(device.list(&[tangle]), "aspect ext_oneapi_tangle");
    }

    #[test]
    fn use_in_the_kernel_itself() {
        let fp64 = Need::Aspect(Aspect::FP64);
        let source = Source { need: fp64.clone(), declared: false, chain: vec![step("k", 3, 9)] };
        let text = refusal("k", "d", &[fp64], &[source], &Capabilities::default());
        assert_eq!(text, "kernel 'k' cannot run on 'd':\n  needs aspect fp64: matmul.cpp:3:9 in the kernel");
    }
}
