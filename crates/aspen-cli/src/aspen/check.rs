//! `aspen check`: which kernels would run on a target or a device of this machine, with what they need through the libraries that the
//! loader would find for the program. The only comparison is `aspen_contract::check`; `--build` asks the device's compiler as well.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use aspen_contract::{Capabilities, Need, Offers, Verdict, check};
use aspen_devices::Database;
use aspen_llvm::readable_name;
use serde_json::{Value, json};

use crate::build::{self, Built};
use crate::here::{self, Local};
use crate::program::{self, Image, Kernel};
use crate::targets::database;
use crate::{Answer, Failure, Format, json, wrapped};

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
pub fn run(file: &Path, asked: Asked<'_>, format: Format) -> Result<Answer, Failure> {
    let database = database(asked.config_files)?;
    let machines = machines(&database, &asked)?;
    let mut images = program::read(file)?;
    program::add_libraries(file, &mut images);
    let mut verdicts: Vec<Verdicts<'_>> = machines.into_iter().map(|machine| machine.verdicts(&images)).collect();
    if asked.build {
        build::all(&images, &mut verdicts)?;
    }
    // With --here, a device that the file is not made for is no complaint.
    let refuses = |device: &Verdicts<'_>| (device.has_code || !asked.here) && device.kernels.iter().any(|(_, says)| !says.passes());
    let findings = verdicts.iter().any(|device| refuses(device) || device.built.as_ref().is_some_and(Built::is_finding));
    // A need that no property set says: no runtime would refuse the kernel, its device's compiler will.
    let findings = findings || images.iter().any(|image| image.wrapped.as_ref().is_some_and(|wrapped| !wrapped.unsaid.is_empty()));
    let text = match format {
        Format::Text => verdicts.iter().map(text).collect::<String>() + &wrapped::disagreements(&images),
        Format::Json => {
            let devices: Vec<Value> = verdicts.iter().map(document).collect();
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
struct Machine {
    name: String,
    device: Capabilities,
    local: Option<Local>,
}

fn machines(database: &Database, asked: &Asked<'_>) -> Result<Vec<Machine>, Failure> {
    let wants_local = asked.here || asked.devices.iter().any(|name| here::is_selector(name));
    if asked.build && !wants_local {
        return Err(Failure::Usage(
            "--build needs the compiler of a device of this machine: add --here, or --device opencl:0; `aspen devices` lists them".into(),
        ));
    }
    // Wrong targets are told before any driver is loaded.
    let mut targets = BTreeMap::new();
    for name in asked.devices.iter().filter(|name| !here::is_selector(name)) {
        let target = database.lookup(name).map_err(|error| Failure::Usage(format!("--device: {error}")))?;
        targets.insert(name, target.capabilities());
    }
    let mut locals: Vec<Option<Local>> = if wants_local { here::devices()?.into_iter().map(Some).collect() } else { Vec::new() };
    let known: Vec<String> = locals.iter().flatten().map(|local| local.selector.clone()).collect();
    let mut taken = BTreeSet::new();
    let mut out = Vec::new();
    for name in asked.devices {
        if let Some(device) = targets.get(name) {
            out.push(Machine { name: name.clone(), device: device.clone(), local: None });
        } else if taken.insert(name) {
            let found = locals.iter_mut().find(|local| local.as_ref().is_some_and(|local| local.selector == *name));
            out.push(Machine::of(found.and_then(Option::take).ok_or_else(|| no_device(name, &known))?));
        }
    }
    if asked.here {
        out.extend(locals.into_iter().flatten().map(Machine::of));
    }
    if out.is_empty() {
        return Err(Failure::Input("there are no devices here; `aspen devices` says what is found".into()));
    }
    Ok(out)
}

fn no_device(name: &str, known: &[String]) -> Failure {
    let all = if known.is_empty() { "none".into() } else { known.join(", ") };
    Failure::Usage(format!("--device: there is no device '{name}' here; there are {all}"))
}

impl Machine {
    fn of(local: Local) -> Machine {
        Machine { name: local.selector.clone(), device: local.capabilities.clone(), local: Some(local) }
    }

    fn verdicts<'i>(self, images: &'i [Image]) -> Verdicts<'i> {
        let Machine { name, mut device, local } = self;
        let backend = local.as_ref().map(|local| local.backend);
        let others = images.iter().any(|image| image.wrapped.is_some());
        if others {
            device.offers = Offers::Others;
        }
        // What Aspen does not offer, libaspen.so does not tell of a device; another runtime may.
        let is_untold = |need: &Need| others && backend.is_some() && matches!(need, Need::Aspect(aspect) if !aspect.is_offered(backend));
        let answer = |kernel: &Kernel| match check(&kernel.requirements, &device) {
            Verdict::Unmet(needs) if needs.iter().all(is_untold) => Verdict::Unknown(needs),
            verdict => verdict,
        };
        let takes = |image: &Image| local.as_ref().is_none_or(|local| local.takes(image));
        let fitting: BTreeMap<&str, &'i Kernel> = images
            .iter()
            .rev()
            .filter(|image| takes(image))
            .flat_map(|image| &image.kernels)
            .map(|kernel| (kernel.symbol.as_str(), kernel))
            .collect();
        let says = |kernel: &'i Kernel| match fitting.get(kernel.symbol.as_str()) {
            Some(kernel) => (*kernel, Says::Verdict(answer(kernel))),
            None => (kernel, Says::NoCode),
        };
        let kernels = program::kernels(images).into_iter().map(says).collect();
        let has_code = images.is_empty() || images.iter().any(takes);
        Verdicts { name, device, kernels, local, built: None, has_code }
    }
}

/// What a device says to a kernel.
pub enum Says {
    /// What the comparison says.
    Verdict(Verdict),
    /// No image with it is one for this device.
    NoCode,
}

impl Says {
    /// Whether the kernel would run, or nobody knows.
    pub fn passes(&self) -> bool {
        matches!(self, Says::Verdict(Verdict::Met | Verdict::Unknown(_)))
    }
}

/// What one device says to every kernel.
pub struct Verdicts<'v> {
    name: String,
    pub device: Capabilities,
    pub kernels: Vec<(&'v Kernel, Says)>,
    /// Set for devices of this machine.
    pub local: Option<Local>,
    /// What its compiler says, if it was asked.
    pub built: Option<Built>,
    /// Whether any image is one for it.
    has_code: bool,
}

/// From so many kernels on they are counted, too.
const MANY: usize = 20;

fn text(Verdicts { name, device, kernels, local, built, has_code }: &Verdicts<'_>) -> String {
    let own = local.as_ref().map_or_else(String::new, |local| format!(" ({})", local.name));
    let mut out = format!("{name}{own}:\n");
    if !has_code {
        return out + "  the file has no code for it\n";
    }
    let width = program::column(kernels.iter().map(|(kernel, _)| *kernel));
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    for (kernel, says) in kernels {
        let answer = match says {
            Says::Verdict(Verdict::Met) => "yes".into(),
            Says::Verdict(Verdict::Unmet(needs)) => format!("no: lacks {}", device.list(needs)),
            Says::Verdict(Verdict::Unknown(needs)) => format!("maybe: not known for {}", device.list(needs)),
            Says::NoCode => "no: the file has no code for it".into(),
        };
        let _ = writeln!(out, "  {:width$}  {answer}", kernel.name);
        for function in &kernel.unresolved {
            let _ = writeln!(out, "  {:width$}  without '{}', which none of the program's libraries defines", "", readable_name(function));
        }
        *answers.entry(answer).or_default() += 1;
    }
    if kernels.len() >= MANY {
        let _ = writeln!(out, "  {} kernels in all:", kernels.len());
        answers.iter().for_each(|(answer, count)| _ = writeln!(out, "    {count} {answer}"));
    }
    out + &built.as_ref().map_or_else(String::new, Built::text)
}

fn document(Verdicts { name, device, kernels, local, built, .. }: &Verdicts<'_>) -> Value {
    let kernel = |(kernel, says): &(&Kernel, Says)| {
        let (supported, needs): (Option<bool>, &[Need]) = match says {
            Says::Verdict(Verdict::Met) => (Some(true), &[]),
            Says::Verdict(Verdict::Unmet(needs)) => (Some(false), needs),
            Says::Verdict(Verdict::Unknown(needs)) => (None, needs),
            Says::NoCode => (Some(false), &[]),
        };
        let unmet = |need: &Need| {
            let source = kernel.sources.iter().find(|source| source.need == *need).map(json::source);
            json!({ "need": need.to_string(), "source": source, "not_offered": device.not_offered(need) })
        };
        json!({
            "symbol": kernel.symbol,
            "name": kernel.name,
            "supported": supported,
            "unmet": needs.iter().map(unmet).collect::<Vec<_>>(),
            "unresolved": kernel.unresolved,
            "has_code": !matches!(says, Says::NoCode),
        })
    };
    let mut out = json!({ "name": name, "kernels": kernels.iter().map(kernel).collect::<Vec<_>>() });
    if let Some(local) = local {
        out["device"] = json!(local.name);
    }
    if let Some(built) = built {
        out["build"] = built.document();
    }
    out
}
