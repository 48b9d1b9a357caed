//! `aspen check`: which kernels would run on a target or a device of this machine, with what they need through the libraries that the
//! loader would find for the program. The only comparison is `aspen_contract::check`; `--build` asks the device's compiler as well.

pub mod show;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aspen_cli::device_files::database;
use aspen_contract::{BackendKind, Capabilities, Need, Offers, Requirements, Verdict, check};
use aspen_devices::Database;
use clap::ValueEnum;
use serde_json::{Value, json};

pub use show::Shown;

use crate::build::{self, Built};
use crate::here::{self, Local};
use crate::paint::Paint;
use crate::program::{self, Image, Kernel};
use crate::{Answer, Failure, json, wrapped};

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, device by device
    Text,
    /// One JSON document for programs
    Json,
    /// For people, one row a kernel and one column a device
    Table,
}

/// What the command line asks for.
pub struct Asked<'a> {
    /// Targets, and devices of this machine.
    pub devices: &'a [String],
    /// All devices of this machine.
    pub here: bool,
    /// Whether compilers are asked.
    pub build: bool,
    /// Further targets.
    pub config_files: &'a [PathBuf],
}

/// Runs the command. Wrong devices are found before the file is read.
pub fn run(file: &Path, asked: Asked<'_>, shown: &Shown, format: Format) -> Result<Answer, Failure> {
    let database = database(asked.config_files)?;
    let wants_local = asked.here || asked.devices.iter().any(|name| here::is_selector(name));
    if asked.build && !wants_local {
        return Err(Failure::Usage(
            "--build needs the compiler of a device of this machine: add --here, or --device opencl:0; `aspen devices` lists them".into(),
        ));
    }
    let machines = machines(&database, asked.devices, asked.here)?;
    if machines.is_empty() {
        return Err(Failure::Input("there are no devices here; `aspen devices` says what is found".into()));
    }
    let mut images = program::read(file)?;
    program::add_libraries(file, &mut images);
    let mut verdicts: Vec<Verdicts<'_>> = machines.iter().map(|machine| machine.verdicts(&images)).collect();
    if asked.build {
        build::all(&images, &mut verdicts)?;
    }
    // With --here, a device that the file is not made for is no complaint, as long as it is made for one of them.
    let somewhere = verdicts.iter().any(|device| device.has_code);
    let refuses =
        |device: &Verdicts<'_>| (device.has_code || !asked.here || !somewhere) && device.kernels.iter().any(|(_, says)| !says.passes());
    let findings = verdicts.iter().any(|device| refuses(device) || device.built.as_ref().is_some_and(Built::is_finding));
    // A need that no property set says: no runtime would refuse the kernel, its device's compiler will.
    let findings = findings || images.iter().any(|image| image.wrapped.as_ref().is_some_and(|wrapped| !wrapped.unsaid.is_empty()));
    let paint = Paint::stdout();
    let text = match format {
        Format::Text => {
            verdicts.iter().map(|device| show::text(device, shown, paint)).collect::<String>() + &wrapped::disagreements(&images)
        }
        Format::Table => show::table(&verdicts, shown, paint) + &wrapped::disagreements(&images),
        Format::Json => {
            let devices: Vec<Value> = verdicts.iter().map(|device| show::document(device, shown)).collect();
            json::document(&json!({
                "version": 1,
                "file": file.display().to_string(),
                "devices": devices,
                "disagreements": wrapped::disagreements_json(&images),
            }))
        }
    };
    Ok(Answer { text, findings })
}

/// What is asked about: a target of the database, or a device.
pub struct Machine {
    /// As the user named it, or the device's selector.
    pub name: String,
    device: Capabilities,
    /// Of a target of the database, its own name.
    target: Option<String>,
    /// Set for devices of this machine.
    pub local: Option<Local>,
}

/// What the names stand for, and with `here` every device of this machine besides.
///
/// # Errors
/// Names that nobody knows are wrong usage; what the runtime says.
pub fn machines(database: &Database, devices: &[String], here: bool) -> Result<Vec<Machine>, Failure> {
    let wants_local = here || devices.iter().any(|name| here::is_selector(name));
    // Wrong targets are told before any driver is loaded.
    let mut targets = BTreeMap::new();
    for name in devices.iter().filter(|name| !here::is_selector(name)) {
        let target = database.lookup(name).map_err(|error| Failure::Usage(format!("--device: {error}")))?;
        targets.insert(name, (target.name.clone(), target.capabilities()));
    }
    let mut locals: Vec<Option<Local>> = if wants_local { here::devices()?.into_iter().map(Some).collect() } else { Vec::new() };
    let known: Vec<String> = locals.iter().flatten().map(|local| local.selector.clone()).collect();
    let mut taken = BTreeSet::new();
    let mut out = Vec::new();
    for name in devices.iter().filter(|name| taken.insert(*name)) {
        if let Some((target, device)) = targets.get(name) {
            out.push(Machine { name: name.clone(), device: device.clone(), target: Some(target.clone()), local: None });
        } else {
            let found = locals.iter_mut().find(|local| local.as_ref().is_some_and(|local| local.selector == *name));
            out.push(Machine::of(found.and_then(Option::take).ok_or_else(|| no_device(name, &known))?));
        }
    }
    if here {
        out.extend(locals.into_iter().flatten().map(Machine::of));
    }
    Ok(out)
}

fn no_device(name: &str, known: &[String]) -> Failure {
    let all = if known.is_empty() { "none".into() } else { known.join(", ") };
    Failure::Usage(format!("--device: there is no device '{name}' here; there are {all}"))
}

impl Machine {
    fn of(local: Local) -> Machine {
        Machine { name: local.selector.clone(), device: local.capabilities.clone(), target: None, local: Some(local) }
    }

    /// What it says to every kernel of a file.
    pub fn verdicts<'v>(&'v self, images: &'v [Image]) -> Verdicts<'v> {
        let judge = self.judge(images);
        let takes = |image: &Image| !image.is_left_out() && self.local.as_ref().is_none_or(|local| local.takes(image));
        // Needs may differ by target (`__SYCL_TARGET_…__`): the target's own code goes before what is made where it runs, and that before others'.
        let rank = |image: &Image| match &self.target {
            Some(target) if *target != image.target => 1 + usize::from(image.format != "spirv"),
            _ => 0,
        };
        let mut candidates: Vec<&'v Image> = images.iter().filter(|image| takes(image)).collect();
        candidates.sort_by_key(|image| rank(image));
        let kernels = candidates.iter().rev().flat_map(|image| &image.kernels);
        let fitting: BTreeMap<&str, &'v Kernel> = kernels.map(|kernel| (kernel.symbol.as_str(), kernel)).collect();
        let elsewhere = self.elsewhere(&candidates);
        let left_out: BTreeSet<&str> = images
            .iter()
            .filter(|image| image.is_left_out())
            .flat_map(|image| &image.kernels)
            .map(|kernel| kernel.symbol.as_str())
            .collect();
        let says = |kernel: &'v Kernel| match fitting.get(kernel.symbol.as_str()) {
            Some(kernel) => (*kernel, elsewhere.as_far_as_known(kernel, judge.answer(&kernel.requirements))),
            // What a device lacks says more; a device of another kind, for which images are there, is not asked.
            None => match judge.answer(&kernel.requirements) {
                Verdict::Unmet(needs) if left_out.contains(kernel.symbol.as_str()) => (kernel, Says::Verdict(Verdict::Unmet(needs))),
                _ => (kernel, Says::NoCode),
            },
        };
        let kernels = program::kernels(images).into_iter().map(says).collect();
        let has_code = images.iter().all(Image::is_left_out) || images.iter().any(takes);
        Verdicts { name: &self.name, judge, kernels, local: self.local.as_ref(), built: None, has_code }
    }

    /// Where there is machine code for other targets of this one's family: which, and the kernels that have code for it all the same.
    fn elsewhere<'i>(&self, images: &[&'i Image]) -> Elsewhere<'i> {
        let Some(target) = &self.target else { return Elsewhere::default() };
        let linked = images.iter().filter(|image| image.form.is_some() || image.wrapped.is_some());
        let known: Vec<(&Image, bool)> = linked.filter_map(|image| Some((*image, runs(image, target)?))).collect();
        let own = known.iter().filter(|(_, runs)| *runs).flat_map(|(image, _)| &image.kernels).map(|kernel| kernel.symbol.as_str());
        let others = known.iter().filter(|(_, runs)| !runs).map(|(image, _)| image.target.as_str());
        Elsewhere { others: others.collect(), own: own.collect() }
    }

    fn judge(&self, images: &[Image]) -> Judge {
        let others = images.iter().any(|image| image.wrapped.is_some());
        let mut device = self.device.clone();
        if others {
            device.offers = Offers::Others;
        }
        Judge { device, untold: self.local.as_ref().filter(|_| others).map(|local| local.backend) }
    }
}

/// A device as it answers for the kernels of one file.
pub struct Judge {
    /// What it has for them.
    pub device: Capabilities,
    /// The backend whose aspects libaspen.so does not tell all of, as another compiler's runtime would: what Aspen does not offer there.
    untold: Option<BackendKind>,
}

impl Judge {
    /// What it says to a kernel that needs that.
    pub fn answer(&self, requirements: &Requirements) -> Verdict {
        let is_untold =
            |need: &Need| self.untold.is_some_and(|backend| matches!(need, Need::Aspect(aspect) if !aspect.is_offered(Some(backend))));
        match check(requirements, &self.device) {
            Verdict::Unmet(needs) if needs.iter().all(is_untold) => Verdict::Unknown(needs),
            verdict => verdict,
        }
    }
}

/// What [`Machine::elsewhere`] finds.
#[derive(Default)]
struct Elsewhere<'i> {
    others: BTreeSet<&'i str>,
    own: BTreeSet<&'i str>,
}

impl Elsewhere<'_> {
    /// What the verdict is worth: what a kernel needs is all that it compares, and more may be lacking.
    fn as_far_as_known(&self, kernel: &Kernel, verdict: Verdict) -> Says {
        if !matches!(verdict, Verdict::Met) {
            return Says::Verdict(verdict);
        }
        if !self.others.is_empty() && !self.own.contains(kernel.symbol.as_str()) {
            return Says::Open(Gap::Code(self.others.iter().copied().collect::<Vec<_>>().join(", ")));
        }
        if kernel.unresolved.is_empty() { Says::Verdict(verdict) } else { Says::Open(Gap::Functions) }
    }
}

/// Whether a device of the target runs the image's code; `None` if that is for another family: then the question is what
/// `ASPEN_DEVICE_PROFILE` would say. PTX lies beside NVIDIA's code, for later processors; x86-64's levels have those below.
fn runs(image: &Image, target: &str) -> Option<bool> {
    let both = |family: &str| image.target.strip_prefix(family).zip(target.strip_prefix(family));
    let number = |processor: &str| processor.parse::<u32>().ok();
    if image.target == target {
        return Some(true);
    }
    if let Some((made_for, asked)) = both("nvidia_gpu_sm_").or_else(|| both("x86_64_v")) {
        return Some(number(made_for).zip(number(asked)).is_some_and(|(made_for, asked)| made_for <= asked));
    }
    if ["intel_gpu_", "amd_gpu_"].into_iter().any(|family| both(family).is_some()) {
        return Some(false);
    }
    let is_general =
        image.format == "spirv" && target.starts_with("intel_gpu_") || image.target == "native_cpu" && target.starts_with("x86_64_v");
    is_general.then_some(true)
}

/// What a device says to a kernel.
pub enum Says {
    /// What the comparison says.
    Verdict(Verdict),
    /// It has all that the kernel needs, and this is lacking so far.
    Open(Gap),
    /// No image with it is one for this device.
    NoCode,
}

impl Says {
    /// Whether the kernel would run, or nobody knows.
    pub fn passes(&self) -> bool {
        matches!(self, Says::Verdict(Verdict::Met | Verdict::Unknown(_)) | Says::Open(_))
    }
}

/// What keeps a kernel from running that its device would run.
pub enum Gap {
    /// Functions that none of the program's libraries defines. One that is loaded later may. Source: DESIGN §6.
    Functions,
    /// Code for it: there is some for these targets of its family.
    Code(String),
}

/// What one device says to every kernel.
pub struct Verdicts<'v> {
    /// As the user named it.
    pub name: &'v str,
    /// What it has.
    pub judge: Judge,
    /// Every kernel once, as the image that the device would take has it.
    pub kernels: Vec<(&'v Kernel, Says)>,
    /// Set for devices of this machine.
    pub local: Option<&'v Local>,
    /// What its compiler says, if it was asked.
    pub built: Option<Built>,
    /// Whether any image is one for it.
    pub has_code: bool,
}
