//! `aspen check`: which kernels would run on a target. The only comparison is `aspen_contract::check`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use aspen_contract::{Need, Verdict, check};
use aspen_devices::Target;
use serde_json::{Value, json};

use crate::program::{self, Kernel};
use crate::targets::database;
use crate::{Answer, Failure, Format, json};

/// Runs the command. Wrong devices are found before the file is read.
pub fn run(file: &Path, devices: &[String], config_files: &[PathBuf], format: Format) -> Result<Answer, Failure> {
    let database = database(config_files)?;
    let targets: Vec<(&String, &Target)> = devices
        .iter()
        .map(|name| Ok((name, database.lookup(name).map_err(|error| Failure::Usage(format!("--device: {error}")))?)))
        .collect::<Result<_, Failure>>()?;
    let images = program::read(file)?;
    let kernels = program::kernels(&images);
    let verdicts: Vec<(&String, Vec<(&Kernel, Verdict)>)> = targets
        .iter()
        .map(|(name, target)| {
            let capabilities = target.capabilities();
            (*name, kernels.iter().map(|kernel| (*kernel, check(&kernel.requirements, &capabilities))).collect())
        })
        .collect();
    let findings = verdicts.iter().flat_map(|(_, kernels)| kernels).any(|(_, verdict)| matches!(verdict, Verdict::Unmet(_)));
    let text = match format {
        Format::Text => verdicts.iter().map(|(name, kernels)| text(name, kernels)).collect(),
        Format::Json => {
            let devices: Vec<Value> = verdicts.iter().map(|(name, kernels)| device(name, kernels)).collect();
            json::document(&json!({ "version": 1, "file": file.display().to_string(), "devices": devices }))
        }
    };
    Ok(Answer { text, findings })
}

fn text(name: &str, kernels: &[(&Kernel, Verdict)]) -> String {
    let mut out = format!("{name}:\n");
    let width = kernels.iter().map(|(kernel, _)| kernel.name.chars().count()).max().unwrap_or(0);
    for (kernel, verdict) in kernels {
        let list = |needs: &[Need]| needs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let answer = match verdict {
            Verdict::Met => "yes".into(),
            Verdict::Unmet(needs) => format!("no: lacks {}", list(needs)),
            Verdict::Unknown(needs) => format!("maybe: not known for {}", list(needs)),
        };
        let _ = writeln!(out, "  {:width$}  {answer}", kernel.name);
    }
    out
}

fn device(name: &str, kernels: &[(&Kernel, Verdict)]) -> Value {
    let kernel = |(kernel, verdict): &(&Kernel, Verdict)| {
        let (supported, needs): (Option<bool>, &[Need]) = match verdict {
            Verdict::Met => (Some(true), &[]),
            Verdict::Unmet(needs) => (Some(false), needs),
            Verdict::Unknown(needs) => (None, needs),
        };
        let unmet = |need: &Need| {
            let source = kernel.sources.iter().find(|source| source.need == *need).map(json::source);
            json!({ "need": need.to_string(), "source": source })
        };
        json!({
            "symbol": kernel.symbol,
            "name": kernel.name,
            "supported": supported,
            "unmet": needs.iter().map(unmet).collect::<Vec<_>>(),
        })
    };
    json!({ "name": name, "kernels": kernels.iter().map(kernel).collect::<Vec<_>>() })
}
