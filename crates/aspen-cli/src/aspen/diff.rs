//! `aspen diff`: what requirements changed between two builds. Kernels are compared by name. Source: DESIGN §2.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use aspen_contract::Need;
use serde_json::{Value, json};

use crate::program;
use crate::{Answer, Failure, Format, json};

/// Runs the command.
pub fn run(old: &Path, new: &Path, format: Format) -> Result<Answer, Failure> {
    let (old, new) = (needs_of(old)?, needs_of(new)?);
    let added = beyond(&new, &old);
    let removed = beyond(&old, &new);
    let only = |one: &Needs, other: &Needs| -> Vec<String> { one.keys().filter(|name| !other.contains_key(*name)).cloned().collect() };
    let (kernels_added, kernels_removed) = (only(&new, &old), only(&old, &new));
    let text = match format {
        Format::Json => {
            let list = |changes: &[(String, Need)]| -> Vec<Value> {
                changes.iter().map(|(kernel, need)| json!({ "kernel": kernel, "need": need.to_string() })).collect()
            };
            json::document(&json!({
                "version": 1,
                "added": list(&added),
                "removed": list(&removed),
                "kernels_added": kernels_added,
                "kernels_removed": kernels_removed,
            }))
        }
        Format::Text => {
            let mut out = String::new();
            for (sign, changes) in [("+", &added), ("-", &removed)] {
                for (kernel, need) in changes {
                    let _ = writeln!(out, "{sign} kernel '{kernel}' needs {need}");
                }
            }
            for (what, names, needs) in [("new", &kernels_added, &new), ("gone", &kernels_removed, &old)] {
                for name in names {
                    let list: Vec<String> = needs[name].iter().map(ToString::to_string).collect();
                    let needs = if list.is_empty() { "nothing".into() } else { list.join(", ") };
                    let _ = writeln!(out, "{what} kernel '{name}', needs {needs}");
                }
            }
            out
        }
    };
    Ok(Answer { text, findings: !added.is_empty() })
}

type Needs = BTreeMap<String, BTreeSet<Need>>;

fn needs_of(file: &Path) -> Result<Needs, Failure> {
    let images = program::read(file)?;
    let mut needs = Needs::new();
    for kernel in program::kernels(&images) {
        needs.entry(kernel.name.clone()).or_default().extend(kernel.requirements.needs());
    }
    Ok(needs)
}

/// What kernels of both need in `one` and not in `other`.
fn beyond(one: &Needs, other: &Needs) -> Vec<(String, Need)> {
    let both = one.iter().filter_map(|(name, needs)| Some((name, needs, other.get(name)?)));
    both.flat_map(|(name, needs, before)| needs.difference(before).map(move |need| (name.clone(), need.clone()))).collect()
}
