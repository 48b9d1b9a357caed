//! `aspen diff`: what requirements changed between two builds, and where what was added is used. Source: DESIGN §2.
//!
//! Kernels and exported functions that both have under one name and symbol are compared with each other; what is left, by name alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use aspen_contract::{Need, Source};
use serde_json::{Value, json};

use crate::paint::{Paint, Tone};
use crate::program::{self, Kernel};
use crate::{Answer, Failure, Format, json, wrapped};

/// Runs the command.
pub fn run(old: &Path, new: &Path, format: Format) -> Result<Answer, Failure> {
    let (old, new) = (entries(old)?, entries(new)?);
    let names = |entries: &[Entry]| entries.iter().map(|one| (one.kernel.name.clone(), one.kernel.symbol.clone())).collect::<Names>();
    let both = names(&old).intersection(&names(&new)).cloned().collect();
    let (old, new) = (needs_of(old, &both), needs_of(new, &both));
    let added = beyond(&new, &old);
    let removed = beyond(&old, &new);
    let only = |one: &'_ Needs, other: &Needs| -> Vec<Key> { one.keys().filter(|key| !other.contains_key(*key)).cloned().collect() };
    let (only_new, only_old) = (only(&new, &old), only(&old, &new));
    let text = match format {
        Format::Json => {
            let one = |(of, need): &(Key, Need)| json!({ of.what: of.name, "need": need.to_string() });
            let of = |changes: &[(Key, Need)], what: &str, because: bool| -> Vec<Value> {
                let own = changes.iter().filter(|(key, _)| key.what == what);
                own.map(|change| {
                    let mut out = one(change);
                    if because {
                        out["source"] = source(&new, change).map_or(Value::Null, json::source);
                    }
                    out
                })
                .collect()
            };
            let names =
                |keys: &[Key], what: &str| keys.iter().filter(|key| key.what == what).map(|key| key.name.clone()).collect::<Vec<_>>();
            json::document(&json!({
                "version": 1,
                "added": of(&added, KERNEL, true),
                "removed": of(&removed, KERNEL, false),
                "kernels_added": names(&only_new, KERNEL),
                "kernels_removed": names(&only_old, KERNEL),
                "functions": {
                    "added": of(&added, FUNCTION, true),
                    "removed": of(&removed, FUNCTION, false),
                    "functions_added": names(&only_new, FUNCTION),
                    "functions_removed": names(&only_old, FUNCTION),
                },
            }))
        }
        Format::Text => {
            let mut out = String::new();
            let paint = Paint::stdout();
            for change @ (Key { what, name, .. }, need) in &added {
                let place = source(&new, change).map_or_else(String::new, use_of);
                let line = format!("+ {what} '{name}' needs {need}");
                let _ = writeln!(out, "{}{place}", paint.text(Tone::Bad, &line));
            }
            for (Key { what, name, .. }, need) in &removed {
                let _ = writeln!(out, "{}", paint.text(Tone::Good, &format!("- {what} '{name}' needs {need}")));
            }
            for (change, keys, needs) in [("new", &only_new, &new), ("gone", &only_old, &old)] {
                for key @ Key { what, name, .. } in keys {
                    let list: Vec<String> = needs[key].keys().map(ToString::to_string).collect();
                    let needs = if list.is_empty() { "nothing".into() } else { list.join(", ") };
                    let _ = writeln!(out, "{change} {what} '{name}', needs {needs}");
                }
            }
            out
        }
    };
    Ok(Answer { text, findings: !added.is_empty() })
}

const KERNEL: &str = "kernel";
const FUNCTION: &str = "function";

/// A kernel or exported function of some image.
struct Entry {
    what: &'static str,
    kernel: Kernel,
}

/// What is compared with what: by name first, so that it is told in that order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: String,
    what: &'static str,
    /// Where both files have it.
    symbol: Option<String>,
}

/// Names, each with a symbol.
type Names = BTreeSet<(String, String)>;

/// What each needs in any image, and why as far as it is recorded.
type Needs = BTreeMap<Key, BTreeMap<Need, Option<Source>>>;

fn entries(file: &Path) -> Result<Vec<Entry>, Failure> {
    let mut images = program::read(file)?;
    program::add_libraries(file, &mut images);
    wrapped::explain_all(file, &mut images)?;
    let of_image = |image: program::Image| {
        let kernels = image.kernels.into_iter().map(|kernel| Entry { what: KERNEL, kernel });
        kernels.chain(image.functions.into_iter().map(|kernel| Entry { what: FUNCTION, kernel }))
    };
    Ok(images.into_iter().flat_map(of_image).collect())
}

fn needs_of(entries: Vec<Entry>, both: &Names) -> Needs {
    let mut needs = Needs::new();
    for Entry { what, kernel } in entries {
        let (name, symbol) = (kernel.name.clone(), kernel.symbol.clone());
        let symbol = both.contains(&(name.clone(), symbol.clone())).then_some(symbol);
        let known = needs.entry(Key { name, what, symbol }).or_default();
        for need in kernel.requirements.needs() {
            let source = kernel.sources.iter().find(|source| source.need == need);
            let own = known.entry(need).or_default();
            *own = own.take().or_else(|| source.cloned());
        }
    }
    needs
}

fn source<'n>(needs: &'n Needs, (of, need): &(Key, Need)) -> Option<&'n Source> {
    needs.get(of)?.get(need)?.as_ref()
}

/// `, used in 'inner' at solver.cpp:3:12`.
fn use_of(source: &Source) -> String {
    let Some(first) = source.chain.first() else { return String::new() };
    let place = first.place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    format!(", {} '{}'{place}", if source.declared { "declared by" } else { "used in" }, first.function)
}

/// What is in both and needs more in `one` than in `other`.
fn beyond(one: &Needs, other: &Needs) -> Vec<(Key, Need)> {
    let both = one.iter().filter_map(|(key, needs)| Some((key, needs, other.get(key)?)));
    let new = |needs: &BTreeMap<Need, Option<Source>>, before: &BTreeMap<Need, Option<Source>>| -> Vec<Need> {
        needs.keys().filter(|need| !before.contains_key(*need)).cloned().collect()
    };
    both.flat_map(|(key, needs, before)| new(needs, before).into_iter().map(move |need| (key.clone(), need))).collect()
}
