//! `aspen explain`: why a kernel needs what it needs.

use std::fmt::Write;
use std::path::Path;

use aspen_contract::{Aspect, Need, Source};
use aspen_devices::nearest;

use crate::inspect::needs;
use crate::program::{self, Kernel};
use crate::{Answer, Failure};

/// Runs the command: all kernels in a table, or the chains of one.
pub fn run(file: &Path, kernel: Option<&str>, aspect: Option<&str>) -> Result<Answer, Failure> {
    let images = program::read(file)?;
    let kernels = program::kernels(&images);
    let Some(wanted) = kernel else {
        let width = kernels.iter().map(|kernel| kernel.name.chars().count()).max().unwrap_or(0);
        let lines = kernels.iter().map(|kernel| format!("{:width$}  {}\n", kernel.name, needs(&kernel.requirements)));
        return Ok(Answer::clean(lines.collect()));
    };
    let found = kernels.iter().find(|kernel| kernel.name == wanted || kernel.symbol == wanted);
    let Some(kernel) = found else {
        let near = nearest(wanted, kernels.iter().map(|kernel| kernel.name.as_str()));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        return Err(Failure::Input(format!("'{}' holds no kernel '{wanted}'{hint}", file.display())));
    };
    let needed = kernel.requirements.needs();
    let wanted: Vec<Need> = match aspect {
        None => needed.collect(),
        Some(name) => vec![Need::Aspect(known_aspect(name, kernel)?)],
    };
    let mut out = String::new();
    if wanted.is_empty() {
        let _ = writeln!(out, "kernel '{}' needs nothing", kernel.name);
    }
    for need in &wanted {
        explain(&mut out, kernel, need);
    }
    if aspect.is_none() {
        kernel.gone_sources().for_each(|source| gone(&mut out, source));
    }
    Ok(Answer::clean(out))
}

fn known_aspect(name: &str, kernel: &Kernel) -> Result<Aspect, Failure> {
    Aspect::from_text(name).ok_or_else(|| {
        let own: Vec<String> = kernel.requirements.aspects.iter().map(ToString::to_string).collect();
        let hint = nearest(name, own.iter().map(String::as_str)).map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        Failure::Input(format!("there is no aspect '{name}'{hint}"))
    })
}

fn explain(out: &mut String, kernel: &Kernel, need: &Need) {
    let has = kernel.requirements.needs().any(|one| one == *need);
    if !has {
        let _ = writeln!(out, "kernel '{}' does not need {need}", kernel.name);
        kernel.gone_sources().filter(|source| source.need == *need).for_each(|source| gone(out, source));
        return;
    }
    let _ = writeln!(out, "kernel '{}' needs {need}", kernel.name);
    match kernel.sources.iter().find(|source| source.need == *need) {
        Some(source) => chain(out, source),
        None => out.push_str("  the program was built without explanations (-fno-sycl-requirement-sources)\n"),
    }
}

/// A need that optimisation removed. Source: DESIGN §7.12.
fn gone(out: &mut String, source: &Source) {
    let what = match &source.need {
        Need::Aspect(aspect) => aspect.to_string(),
        need => need.to_string(),
    };
    let place = source.chain.first().and_then(|step| step.place.as_ref()).map_or_else(String::new, |place| format!(" at {place}"));
    let _ = writeln!(out, "{what}: in the source{place}, gone after optimisation");
}

/// The use first, the kernel last.
fn chain(out: &mut String, source: &Source) {
    for (index, step) in source.chain.iter().enumerate() {
        let place = step.place.as_ref().map_or_else(|| "(place unknown)".into(), ToString::to_string);
        let what = match (index, source.declared) {
            (0, true) => "declared by",
            (0, false) => "used in",
            _ => "called from",
        };
        let _ = writeln!(out, "  {place}: {what} '{}'", step.function);
    }
}
