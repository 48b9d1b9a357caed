//! What device code is made for: the names of `-fsycl-targets`, checked against the database before anything runs.
//! Source: DESIGN §2, §7.10, §7.13; S2.

use std::fs;

use aspen_devices::Database;

use crate::args::Options;
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

    /// A target of the built-in table, as objects name it.
    ///
    /// # Errors
    /// If the table has none of that name.
    pub fn by_name(name: &str) -> Result<Target, Error> {
        let found = Database::builtin().lookup(name).map_err(|error| Error::Usage(format!("device code in the objects: {error}")))?;
        Ok(Target::of(found))
    }

    fn of(found: &aspen_devices::Target) -> Target {
        let family = match found.name.as_str() {
            "native_cpu" => Family::NativeCpu,
            "spir64_gen" => Family::Gen,
            name if name.starts_with("nvidia_gpu_") => Family::Ptx,
            _ if found.aot_toolchain.is_some() => Family::Gen,
            _ => Family::Spirv,
        };
        Target { name: found.name.clone(), family, macros: found.macro_name().into_iter().collect() }
    }
}

/// The targets of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Targets {
    /// In the user's order, each once.
    pub list: Vec<Target>,
    /// What the user's device files are to be warned about.
    pub warnings: Vec<String>,
}

/// Reads the user's device files and looks up every target.
///
/// # Errors
/// For a faulty file, an unknown name (with the nearest known one) and combinations that contradict themselves.
pub fn resolve(options: &Options) -> Result<Targets, Error> {
    let mut database = Database::builtin().clone();
    let mut warnings = Vec::new();
    for file in &options.config_files {
        let text = fs::read_to_string(file).map_err(|error| Error::file("read", file, error))?;
        let overlaid = database.overlay(&file.to_string_lossy(), &text).map_err(|error| Error::DeviceFile(error.to_string()))?;
        warnings.extend(overlaid.1.iter().map(ToString::to_string));
        database = overlaid.0;
    }
    let defaults = ["native_cpu".to_owned(), "spir64".to_owned()];
    let mut list: Vec<Target> = Vec::new();
    for name in options.targets.as_deref().unwrap_or(&defaults) {
        let found = database.lookup(name).map_err(|error| Error::Usage(format!("'-fsycl-targets': {error}; `aspen targets` lists all")))?;
        let target = Target::of(found);
        if !list.contains(&target) {
            list.push(target);
        }
    }
    contradictions(options, &list, &database)?;
    Ok(Targets { list, warnings })
}

/// `spir64_gen` says by `-Xs "-device X"` which device it means; a named device says so itself. Source: S2 "Changes to the DPC++ driver".
fn contradictions(options: &Options, list: &[Target], database: &Database) -> Result<(), Error> {
    let generic = list.iter().any(|target| target.name == "spir64_gen");
    let named = list.iter().find(|target| target.family == Family::Gen && target.name != "spir64_gen");
    let Some(named) = named else { return Ok(()) };
    if generic {
        let name = &named.name;
        return Err(Error::Usage(format!(
            "'-fsycl-targets': 'spir64_gen' and '{name}' are both for ocloc; name the devices, or use 'spir64_gen' alone"
        )));
    }
    let aimed_at_it = |target: &Option<String>| match target {
        None => true,
        Some(name) => database.lookup(name).is_ok_and(|found| list.iter().any(|target| target.name == found.name)),
    };
    let words = options.backend_options.iter().filter(|(target, _)| aimed_at_it(target)).flat_map(|(_, value)| value.split_whitespace());
    if words.into_iter().any(|word| word == "-device") {
        return Err(Error::Usage(format!("target '{}' says which device it is for; leave out '-device', or use 'spir64_gen'", named.name)));
    }
    Ok(())
}
