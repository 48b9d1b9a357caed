//! `aspen check`: which kernels would run on a target, with what they need through the libraries that the loader would find for the program.
//! The only comparison is `aspen_contract::check`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use aspen_contract::{Capabilities, Need, Verdict, check};
use aspen_devices::Target;
use aspen_llvm::readable_name;
use serde_json::{Value, json};

use crate::program::{self, Kernel};
use crate::targets::database;
use crate::{Answer, Failure, Format, json, wrapped};

/// Runs the command. Wrong devices are found before the file is read.
pub fn run(file: &Path, devices: &[String], config_files: &[PathBuf], format: Format) -> Result<Answer, Failure> {
    let database = database(config_files)?;
    let targets: Vec<(&String, &Target)> = devices
        .iter()
        .map(|name| Ok((name, database.lookup(name).map_err(|error| Failure::Usage(format!("--device: {error}")))?)))
        .collect::<Result<_, Failure>>()?;
    let mut images = program::read(file)?;
    program::add_libraries(file, &mut images);
    let kernels = program::kernels(&images);
    let verdicts: Vec<Verdicts<'_>> = targets
        .iter()
        .map(|(name, target)| {
            let device = target.capabilities();
            let kernels = kernels.iter().map(|kernel| (*kernel, check(&kernel.requirements, &device))).collect();
            Verdicts { name, device, kernels }
        })
        .collect();
    let findings = verdicts.iter().flat_map(|device| &device.kernels).any(|(_, verdict)| matches!(verdict, Verdict::Unmet(_)));
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

/// What one device says to every kernel.
struct Verdicts<'v> {
    name: &'v str,
    device: Capabilities,
    kernels: Vec<(&'v Kernel, Verdict)>,
}

fn text(Verdicts { name, device, kernels }: &Verdicts<'_>) -> String {
    let mut out = format!("{name}:\n");
    let width = kernels.iter().map(|(kernel, _)| kernel.name.chars().count()).max().unwrap_or(0);
    for (kernel, verdict) in kernels {
        let answer = match verdict {
            Verdict::Met => "yes".into(),
            Verdict::Unmet(needs) => format!("no: lacks {}", device.list(needs)),
            Verdict::Unknown(needs) => format!("maybe: not known for {}", device.list(needs)),
        };
        let _ = writeln!(out, "  {:width$}  {answer}", kernel.name);
        for function in &kernel.unresolved {
            let _ = writeln!(out, "  {:width$}  without '{}', which none of the program's libraries defines", "", readable_name(function));
        }
    }
    out
}

fn document(Verdicts { name, device, kernels }: &Verdicts<'_>) -> Value {
    let kernel = |(kernel, verdict): &(&Kernel, Verdict)| {
        let (supported, needs): (Option<bool>, &[Need]) = match verdict {
            Verdict::Met => (Some(true), &[]),
            Verdict::Unmet(needs) => (Some(false), needs),
            Verdict::Unknown(needs) => (None, needs),
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
        })
    };
    json!({ "name": name, "kernels": kernels.iter().map(kernel).collect::<Vec<_>>() })
}
