//! `aspen targets`: the target database, one target of it, or the check of a user's file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use aspen_cli::device_files::{database, overlay};
use aspen_contract::{Aspect, AspectSet};
use aspen_devices::{Database, Target};
use serde_json::{Value, json};

use crate::{Answer, Failure, Format, json};

/// `aspen targets check F.yaml`.
pub fn check(file: &Path) -> Result<Answer, Failure> {
    let (_, warnings) = overlay(Database::builtin(), file)?;
    Ok(Answer::clean(format!("{warnings}{}: valid\n", file.display())))
}

/// `aspen targets [NAME]`.
pub fn run(name: Option<&str>, config_files: &[PathBuf], format: Format) -> Result<Answer, Failure> {
    let database = database(config_files)?;
    let targets: Vec<&Target> = match name {
        Some(name) => vec![database.lookup(name).map_err(|error| Failure::Input(error.to_string()))?],
        None => database.iter().collect(),
    };
    Ok(Answer::clean(match format {
        Format::Json => {
            let list: Vec<Value> = targets.into_iter().map(document).collect();
            json::document(&json!({ "version": 1, "targets": list }))
        }
        Format::Text if name.is_some() => targets.into_iter().map(details).collect(),
        Format::Text => table(&targets),
    }))
}

fn document(target: &Target) -> Value {
    json!({
        "name": target.name,
        "aliases": target.aliases,
        "aspects": names(&mut target.aspects.iter().copied()),
        "offered": offered(target),
        "may_support_other_aspects": target.may_support_other_aspects,
        "sub_group_sizes": target.sub_group_sizes.as_deref().unwrap_or_default(),
        "aot_toolchain": target.aot_toolchain,
        "aot_toolchain_options": target.aot_options(),
        "origin": target.origin.to_string(),
    })
}

fn names(aspects: &mut dyn Iterator<Item = Aspect>) -> Vec<String> {
    aspects.map(|aspect| aspect.to_string()).collect()
}

/// What of its aspects programs get, which is what every other command counts.
fn offered(target: &Target) -> Vec<String> {
    names(&mut target.capabilities().offered())
}

/// What the hardware has besides.
fn not_offered(target: &Target) -> Vec<String> {
    let offered: AspectSet = target.capabilities().offered().collect();
    names(&mut target.aspects.difference(&offered).copied())
}

fn sizes(target: &Target) -> String {
    match &target.sub_group_sizes {
        Some(sizes) => sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        None => "not known".into(),
    }
}

fn table(targets: &[&Target]) -> String {
    let width = targets.iter().map(|target| target.name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for target in targets {
        let aliases = if target.aliases.is_empty() { String::new() } else { format!("  also {}", target.aliases.join(", ")) };
        let _ = writeln!(
            out,
            "{:width$}  {:3} aspects, {:2} offered  sub-groups {}{aliases}",
            target.name,
            target.aspects.len(),
            offered(target).len(),
            sizes(target)
        );
    }
    out
}

fn details(target: &Target) -> String {
    let mut out = format!("{}\n", target.name);
    let mut line = |what: &str, value: String| {
        let _ = writeln!(out, "  {what:16} {value}");
    };
    if !target.aliases.is_empty() {
        line("also", target.aliases.join(", "));
    }
    line("aspects", offered(target).join(", "));
    if target.aspects.len() > offered(target).len() {
        line("not offered", not_offered(target).join(", "));
    }
    line("others", if target.may_support_other_aspects { "possible".into() } else { "none".into() });
    line("sub-group sizes", sizes(target));
    if let Some(tool) = &target.aot_toolchain {
        line("compiled by", format!("{tool} {}", target.aot_options().unwrap_or_default()).trim_end().to_owned());
    }
    line("described in", target.origin.to_string());
    out
}
