//! What device code is made for: the names of `-fsycl-targets`, checked against the database before anything runs.
//! Source: DESIGN §2, §7.10, §7.13.

use crate::args::{Options, nearest};
use crate::error::Error;

/// Which code generator a target needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// The embedded CPU device: an x86-64 shared object.
    NativeCpu,
    /// SPIR-V, compiled further where it runs.
    Spirv,
    /// SPIR-V, compiled ahead of time by ocloc.
    Gen,
    /// PTX.
    Ptx,
}

impl Family {
    /// Whether its device passes have the SPIR-V triple.
    pub fn is_spirv(self) -> bool {
        matches!(self, Family::Spirv | Family::Gen)
    }

    /// Whether its images are made ahead of time for one device.
    pub fn is_ahead_of_time(self) -> bool {
        matches!(self, Family::Gen | Family::Ptx)
    }
}

/// A target of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The name in the database; aliases are resolved.
    pub name: String,
    /// Which code generator it needs.
    pub family: Family,
    /// Macros that only its device passes have.
    pub macros: Vec<String>,
}

impl Target {
    /// The triple that objects and images record.
    pub fn triple(&self) -> &'static str {
        match self.family {
            Family::NativeCpu => "x86_64-pc-linux-gnu",
            Family::Spirv => "spirv64-unknown-unknown",
            Family::Gen => "spir64_gen",
            Family::Ptx => "nvptx64-nvidia-cuda",
        }
    }
}

/// Targets that are not devices of the database.
const GENERIC: [(&str, Family); 4] =
    [("native_cpu", Family::NativeCpu), ("spir64", Family::Spirv), ("spir64_x86_64", Family::Spirv), ("spir64_gen", Family::Gen)];

/// The run's targets, in order, each once.
///
/// # Errors
/// For an unknown name (with the nearest known one) and for combinations that contradict themselves.
pub fn resolve(options: &Options) -> Result<Vec<Target>, Error> {
    let defaults = ["native_cpu".to_owned(), "spir64".to_owned()];
    let mut targets: Vec<Target> = Vec::new();
    for name in options.targets.as_deref().unwrap_or(&defaults) {
        let target = find(name)?;
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    Ok(targets)
}

fn find(name: &str) -> Result<Target, Error> {
    if let Some((name, family)) = GENERIC.iter().find(|(known, _)| *known == name) {
        return Ok(Target { name: (*name).to_owned(), family: *family, macros: Vec::new() });
    }
    let near = nearest(name, GENERIC.iter().map(|(known, _)| *known)).unwrap_or("spir64");
    Err(Error::Usage(format!("unknown target '{name}' in '-fsycl-targets'; did you mean '{near}'? `aspen targets` lists all")))
}
