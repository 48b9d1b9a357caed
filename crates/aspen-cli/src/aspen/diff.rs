//! `aspen diff`: what requirements changed between two builds, and where what was added is used. Kernels are compared by name. Source:
//! DESIGN §2.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use aspen_contract::{Need, Source};
use serde_json::{Value, json};

use crate::paint::{Paint, Tone};
use crate::program;
use crate::{Answer, Failure, Format, json, wrapped};

/// Runs the command.
pub fn run(old: &Path, new: &Path, format: Format) -> Result<Answer, Failure> {
    let (old, new) = (needs_of(old)?, needs_of(new)?);
    let added = beyond(&new, &old);
    let removed = beyond(&old, &new);
    let only = |one: &Needs, other: &Needs| -> Vec<String> { one.keys().filter(|name| !other.contains_key(*name)).cloned().collect() };
    let (kernels_added, kernels_removed) = (only(&new, &old), only(&old, &new));
    let text = match format {
        Format::Json => {
            let one = |(kernel, need): &(String, Need)| json!({ "kernel": kernel, "need": need.to_string() });
            let list = |changes: &[(String, Need)]| -> Vec<Value> { changes.iter().map(one).collect() };
            let added_because = |change: &(String, Need)| {
                let mut out = one(change);
                out["source"] = source(&new, change).map_or(Value::Null, json::source);
                out
            };
            json::document(&json!({
                "version": 1,
                "added": added.iter().map(added_because).collect::<Vec<_>>(),
                "removed": list(&removed),
                "kernels_added": kernels_added,
                "kernels_removed": kernels_removed,
            }))
        }
        Format::Text => {
            let mut out = String::new();
            let paint = Paint::stdout();
            for change in &added {
                let place = source(&new, change).map_or_else(String::new, use_of);
                let line = format!("+ kernel '{}' needs {}", change.0, change.1);
                let _ = writeln!(out, "{}{place}", paint.text(Tone::Bad, &line));
            }
            for (kernel, need) in &removed {
                let _ = writeln!(out, "{}", paint.text(Tone::Good, &format!("- kernel '{kernel}' needs {need}")));
            }
            for (what, names, needs) in [("new", &kernels_added, &new), ("gone", &kernels_removed, &old)] {
                for name in names {
                    let list: Vec<String> = needs[name].keys().map(ToString::to_string).collect();
                    let needs = if list.is_empty() { "nothing".into() } else { list.join(", ") };
                    let _ = writeln!(out, "{what} kernel '{name}', needs {needs}");
                }
            }
            out
        }
    };
    Ok(Answer { text, findings: !added.is_empty() })
}

/// What kernels need, and why as far as it is recorded.
type Needs = BTreeMap<String, BTreeMap<Need, Option<Source>>>;

fn needs_of(file: &Path) -> Result<Needs, Failure> {
    let mut images = program::read(file)?;
    wrapped::explain_all(file, &mut images)?;
    let mut needs = Needs::new();
    for kernel in program::kernels(&images) {
        let known = needs.entry(kernel.name.clone()).or_default();
        for need in kernel.requirements.needs() {
            let source = kernel.sources.iter().find(|source| source.need == need);
            let own = known.entry(need).or_default();
            *own = own.take().or_else(|| source.cloned());
        }
    }
    Ok(needs)
}

fn source<'n>(needs: &'n Needs, (kernel, need): &(String, Need)) -> Option<&'n Source> {
    needs.get(kernel)?.get(need)?.as_ref()
}

/// `, used in 'inner' at solver.cpp:3:12`.
fn use_of(source: &Source) -> String {
    let Some(first) = source.chain.first() else { return String::new() };
    let place = first.place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    format!(", {} '{}'{place}", if source.declared { "declared by" } else { "used in" }, first.function)
}

/// What kernels of both need in `one` and not in `other`.
fn beyond(one: &Needs, other: &Needs) -> Vec<(String, Need)> {
    let both = one.iter().filter_map(|(name, needs)| Some((name, needs, other.get(name)?)));
    let new = |needs: &BTreeMap<Need, Option<Source>>, before: &BTreeMap<Need, Option<Source>>| -> Vec<Need> {
        needs.keys().filter(|need| !before.contains_key(*need)).cloned().collect()
    };
    both.flat_map(|(name, needs, before)| new(needs, before).into_iter().map(move |need| (name.clone(), need))).collect()
}
