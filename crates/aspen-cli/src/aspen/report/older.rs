//! An older report or build, as far as it is compared with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::load;
use super::model::{Entry, Report};
use crate::Failure;
use crate::check::Machine;
use crate::check::show::Only;

/// A kernel of either.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Past {
    pub symbol: String,
    pub name: String,
    pub unit: String,
    /// `solver.cpp:10:3`.
    pub place: Option<String>,
    /// With each need the functions and files of its chain, without the kernel, without lines.
    pub needs: BTreeMap<String, Vec<String>>,
    /// What devices said, by their name.
    pub devices: BTreeMap<String, Option<bool>>,
}

/// Reads a report's JSON, or anything that holds device code.
///
/// # Errors
/// If it is neither.
pub fn read(file: &Path, machines: &[Machine]) -> Result<Vec<Past>, Failure> {
    let name = file.display();
    let bytes = fs::read(file).map_err(|error| Failure::Input(format!("cannot read '{name}': {error}")))?;
    let no_report = || Failure::Input(format!("'{name}' is no report: make one by `aspen report FILE --format json -o {name}`"));
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    // File tables begin with a bracket, too.
    if first == Some(&b'[') && serde_json::from_slice::<Value>(&bytes).is_ok() {
        return Err(no_report());
    }
    if first != Some(&b'{') {
        let report = Report::of(&[load(file)?], machines);
        return Ok(of_report(&report));
    }
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| Failure::Input(format!("'{name}' is no JSON: {error}")))?;
    of_json(&value).ok_or_else(no_report)
}

/// The kernels of a report.
pub fn of_report(report: &Report) -> Vec<Past> {
    report.kernels.iter().map(|entry| of_entry(report, entry)).collect()
}

fn of_entry(report: &Report, entry: &Entry) -> Past {
    let chain = |need: String| {
        let source = entry.sources.iter().find(|source| source.need.to_string() == need);
        let steps = source.and_then(|source| source.chain.split_last()).map_or(&[][..], |(_, steps)| steps);
        let words = steps.iter().map(|step| link(&step.function, step.place.as_ref().map_or("", |place| &place.file)));
        (need, words.collect())
    };
    let supported = |answer: Only| match answer {
        Only::Yes => Some(true),
        Only::No => Some(false),
        Only::Maybe => None,
    };
    Past {
        symbol: entry.symbol.clone(),
        name: entry.name.clone(),
        unit: entry.unit.clone(),
        place: entry.place.as_ref().map(ToString::to_string),
        needs: entry.requirements.needs().map(|need| chain(need.to_string())).collect(),
        devices: report.devices.iter().zip(&entry.cells).map(|(device, cell)| (device.name.clone(), supported(cell.answer))).collect(),
    }
}

fn link(function: &str, file: &str) -> String {
    format!("{function} {file}")
}

/// `None` if it is no report.
fn of_json(value: &Value) -> Option<Vec<Past>> {
    if value["version"] != 1 || !value["causes"].is_array() {
        return None;
    }
    value["kernels"].as_array()?.iter().map(of_kernel).collect()
}

fn of_kernel(kernel: &Value) -> Option<Past> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for need in kernel["needs"].as_array()? {
        needs.insert(text(need)?, Vec::new());
    }
    for source in kernel["sources"].as_array()? {
        let steps = source["chain"].as_array()?;
        let steps = steps.split_last().map_or(&[][..], |(_, steps)| steps);
        let words = steps.iter().map(|step| Some(link(step["function"].as_str()?, step["file"].as_str()?)));
        needs.insert(text(&source["need"])?, words.collect::<Option<_>>()?);
    }
    let devices = kernel["devices"].as_array()?.iter().map(|device| Some((text(&device["name"])?, device["supported"].as_bool())));
    let place = &kernel["place"];
    let place = place["file"].as_str().map(|file| match place["column"].as_u64() {
        Some(0) | None => format!("{file}:{}", place["line"]),
        Some(column) => format!("{file}:{}:{column}", place["line"]),
    });
    Some(Past {
        symbol: text(&kernel["symbol"])?,
        name: text(&kernel["name"])?,
        unit: text(&kernel["unit"])?,
        place,
        needs,
        devices: devices.collect::<Option<_>>()?,
    })
}
