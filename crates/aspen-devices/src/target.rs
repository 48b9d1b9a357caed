//! One target of the database.

use std::fmt;

use aspen_contract::{AspectSet, BackendKind, Capabilities, Offers};

/// The size that `ASPEN_CPU_SUB_GROUP_SIZE` can raise the embedded CPU device to.
const LARGEST_CPU_SUB_GROUP: u32 = 64;

/// What is known of a target. Source: S2 "Requirements".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// As in `-fsycl-targets`.
    pub name: String,
    /// Further names.
    pub aliases: Vec<String>,
    /// The aspects that hardware and driver surely have; what programs get of them is [`Capabilities::offered`].
    pub aspects: AspectSet,
    /// Whether it may have others; false when a file leaves it out (DESIGN §7.9).
    pub may_support_other_aspects: bool,
    /// Ascending, in work-items; unknown until a file says them.
    pub sub_group_sizes: Option<Vec<u32>>,
    /// The compiler that finishes images for it ahead of time.
    pub aot_toolchain: Option<String>,
    /// That compiler's options as one text, `-device skl`.
    pub aot_toolchain_options: Option<String>,
    /// Further `aot-toolchain-<option>` fields: option and value, handed over as `-<option> value`.
    pub aot_extra: Vec<(String, String)>,
    /// Where it is described.
    pub origin: Origin,
    /// Whether it stands for any device of its kind and is not itself one (`spir64`, `spir64_gen`). Source: DESIGN §7.21.
    pub generic: bool,
}

/// Where a target is described.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// In Aspen's own table, untouched.
    BuiltIn,
    /// In a user's file, which adds or updates it.
    File {
        /// As the caller named it.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
}

/// `built-in` or `F.yaml:3:1`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::BuiltIn => f.write_str("built-in"),
            Origin::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl Target {
    /// A target of which only the name is known: no aspects, unknown sizes. Source: DESIGN §2. The compiler for an `intel_gpu_*` follows
    /// from its name (S2 "auto-detection"), in ocloc's own spelling (DESIGN §7.21).
    pub(crate) fn new(name: &str, origin: Origin) -> Target {
        let device = name.strip_prefix("intel_gpu_").filter(|device| !device.is_empty());
        Target {
            name: name.to_owned(),
            aliases: Vec::new(),
            aspects: AspectSet::new(),
            may_support_other_aspects: false,
            sub_group_sizes: None,
            aot_toolchain: device.map(|_| "ocloc".to_owned()),
            aot_toolchain_options: device.map(|device| format!("-device {}", ocloc_device(device))),
            aot_extra: Vec::new(),
            origin,
            generic: false,
        }
    }

    /// All options for its compiler as one text: those of the table, then each further `aot-toolchain-<option>` as it is handed over.
    pub fn aot_options(&self) -> Option<String> {
        let extra = self.aot_extra.iter().map(|(option, value)| format!("-{option} {value}"));
        let all: Vec<String> = self.aot_toolchain_options.clone().into_iter().chain(extra).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    /// What `aspen_contract::check` compares with. Limits of work-groups are not known before the device is.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            aspects: self.aspects.clone(),
            may_support_other_aspects: self.may_support_other_aspects,
            sub_group_sizes: self.sub_group_sizes.clone(),
            max_work_group_size: None,
            max_work_item_sizes: None,
            offers: Offers::Aspen(self.backend()),
        }
    }

    /// The same for what is made ahead of time: with what a user's setting can add when the program runs. The embedded CPU device has
    /// sub-groups of 64 under `ASPEN_CPU_SUB_GROUP_SIZE=64`. Source: DESIGN §7.22.
    pub fn capabilities_at_most(&self) -> Capabilities {
        let mut capabilities = self.capabilities();
        if let (Some(BackendKind::NativeCpu), Some(sizes)) = (self.backend(), &mut capabilities.sub_group_sizes)
            && !sizes.contains(&LARGEST_CPU_SUB_GROUP)
        {
            sizes.push(LARGEST_CPU_SUB_GROUP);
        }
        capabilities
    }

    /// The same for programs that another compiler made, with other headers.
    pub fn capabilities_for_others(&self) -> Capabilities {
        Capabilities { offers: Offers::Others, ..self.capabilities() }
    }

    /// What runs its images; `None` for what no backend runs, and for targets that only a user's file describes.
    pub fn backend(&self) -> Option<BackendKind> {
        match self.name.as_str() {
            _ if self.generic => None,
            "native_cpu" | "x86_64" | "x86_64_v2" | "x86_64_v3" | "x86_64_v4" | "spir64_x86_64" => Some(BackendKind::NativeCpu),
            name if name.starts_with("intel_gpu_") => Some(BackendKind::OpenCl),
            name if name.starts_with("nvidia_gpu_") => Some(BackendKind::Cuda),
            name if name.starts_with("amd_gpu_") => Some(BackendKind::Hip),
            _ => None,
        }
    }

    /// The macro that S4's header looks for in this target's device pass, if the target is one of a kind that has such macros.
    /// Source: S4 "Changes to the DPC++ driver".
    pub fn macro_name(&self) -> Option<String> {
        let device = match self.name.as_str() {
            "spir64_x86_64" => "intel_x86_64",
            name if ["intel_gpu_", "nvidia_gpu_", "amd_gpu_"].iter().any(|prefix| name.starts_with(prefix)) => name,
            _ => return None,
        };
        Some(format!("__SYCL_TARGET_{}__", device.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")))
    }
}

/// `adl_s` is `adl-s` to ocloc, and the version `12_10_0` is `12.10.0`.
fn ocloc_device(device: &str) -> String {
    let version = device.chars().all(|c| c.is_ascii_digit() || c == '_');
    device.replace('_', if version { "." } else { "-" })
}
