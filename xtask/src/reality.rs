//! The target database against the devices that are there: what `device::has` says of every aspect of aspects.def, on the CPU device and on
//! every OpenCL driver that is installed. Every difference is printed; one that is not listed with its reason fails. Source: S2 "Testing".

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::devices;
use crate::shell::{Tree, output};

/// The target that stands for the CPU device, and the one for processors through OpenCL.
const EMBEDDED: &str = "native_cpu";
const OPENCL: &str = "spir64_x86_64";

/// What a device or a target has: names of aspects, and `sub-group size N`.
type Features = BTreeSet<String>;

/// `DEVICE SIGN WHAT`, with the reason.
type Differences = BTreeMap<String, String>;

/// How many devices were compared, and how many drivers are not installed.
pub struct Outcome {
    pub compared: u64,
    pub skipped: u64,
}

/// Compares and prints.
pub fn run(tree: &Tree) -> Result<Outcome> {
    let bin = tree.build()?;
    let folder = tree.target.join("reality");
    std::fs::create_dir_all(&folder)?;
    let program = folder.join("has");
    let mut compile = Command::new(bin.join("aspen++"));
    output(compile.arg("-std=c++17").arg(tree.root.join("tests/devices/has.cpp")).arg("-o").arg(&program))?;
    let targets = output(Command::new(bin.join("aspen")).args(["targets", "--format", "json"]))?;
    let targets: serde_json::Value = serde_json::from_slice(&targets.stdout).context("`aspen targets` wrote no JSON")?;
    let reasons = reasons(&tree.root.join("tests/devices/differences.txt"))?;

    let cache = devices::cache()?;
    let mut found = vec![(EMBEDDED, EMBEDDED, ask(&program, &[("ASPEN_DEVICE_SELECTOR", "native_cpu:*".to_owned())])?)];
    let mut outcome = Outcome { compared: 0, skipped: 0 };
    for driver in &devices::DRIVERS {
        if driver.is_installed(&cache) {
            found.push((driver.name, OPENCL, ask(&program, &driver.environment(&cache))?));
        } else {
            println!("skipped: {} is not installed (cargo xtask devices --install)", driver.name);
            outcome.skipped += 1;
        }
    }
    let (mut unknown, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, target, devices) in &found {
        ensure!(!devices.is_empty(), "{name} offers no device");
        let promised = features_of(&targets, target)?;
        for (device, has) in devices {
            println!("{name}: '{device}' has {} of {} that '{target}' lists", has.intersection(&promised).count(), promised.len());
            for (sign, what) in differences(&promised, has) {
                let reason = [*name, "*"].iter().find_map(|who| reasons.get_key_value(&format!("{who} {sign} {what}")));
                println!("  {sign} {what}: {}", reason.map_or("NOT LISTED", |(_, reason)| reason));
                match reason {
                    Some((key, _)) => _ = seen.insert(key.clone()),
                    None => unknown.push(format!("{name} {sign} {what}")),
                }
            }
            outcome.compared += 1;
        }
    }
    for (difference, _) in reasons.iter().filter(|(difference, _)| !seen.contains(*difference)) {
        println!("listed, but not seen here: {difference}");
    }
    ensure!(
        unknown.is_empty(),
        "devices answer otherwise than data/devices.td says, and tests/devices/differences.txt does not say why:\n  {}",
        unknown.join("\n  ")
    );
    Ok(outcome)
}

/// What the database says, with `-`; what only the device says, with `+`.
fn differences<'f>(promised: &'f Features, has: &'f Features) -> Vec<(char, &'f String)> {
    let lacking = promised.difference(has).map(|what| ('-', what));
    lacking.chain(has.difference(promised).map(|what| ('+', what))).collect()
}

/// Devices by name, as the program prints them.
fn ask(program: &Path, environment: &[(&'static str, String)]) -> Result<Vec<(String, Features)>> {
    let said = output(Command::new(program).envs(environment.iter().map(|(name, value)| (name, value))))?;
    let mut devices: Vec<(String, Features)> = Vec::new();
    for line in String::from_utf8_lossy(&said.stdout).lines() {
        match (line.split_once(' '), devices.last_mut()) {
            (Some(("device", name)), _) => devices.push((name.to_owned(), Features::new())),
            (Some(("has", aspect)), Some((_, has))) => _ = has.insert(aspect.to_owned()),
            (Some(_), Some((_, has))) => _ = has.insert(line.to_owned()),
            _ => anyhow::bail!("tests/devices/has.cpp printed '{line}'"),
        }
    }
    Ok(devices)
}

fn features_of(targets: &serde_json::Value, name: &str) -> Result<Features> {
    let target = targets["targets"].as_array().and_then(|list| list.iter().find(|target| target["name"] == name));
    let target = target.with_context(|| format!("`aspen targets` has no '{name}'"))?;
    let list = |key: &str| target[key].as_array().cloned().unwrap_or_default();
    let aspects = list("offered").into_iter().filter_map(|aspect| aspect.as_str().map(str::to_owned));
    Ok(aspects.chain(list("sub_group_sizes").into_iter().map(|size| format!("sub-group size {size}"))).collect())
}

fn reasons(file: &Path) -> Result<Differences> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let pairs = lines.map(|line| {
        let (difference, reason) = line.split_once(": ").with_context(|| format!("'{line}' is no 'DEVICE SIGN WHAT: reason'"))?;
        Ok((difference.to_owned(), reason.to_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Features>();
        let (promised, has) = (set(&["cpu", "fp16", "sub-group size 8"]), set(&["cpu", "image", "sub-group size 4"]));
        let shown: Vec<String> = differences(&promised, &has).iter().map(|(sign, what)| format!("{sign} {what}")).collect();
        assert_eq!(shown, ["- fp16", "- sub-group size 8", "+ image", "+ sub-group size 4"]);
    }

    #[test]
    fn every_difference_has_its_reason() {
        let tree = Tree::find(crate::shell::Profile::Debug).expect("the repository");
        let reasons = reasons(&tree.root.join("tests/devices/differences.txt")).expect("the list");
        let drivers: Vec<&str> = devices::DRIVERS.iter().map(|driver| driver.name).chain([EMBEDDED, "*"]).collect();
        for (difference, reason) in reasons {
            let words: Vec<&str> = difference.splitn(3, ' ').collect();
            assert!(drivers.contains(&words[0]) && ["-", "+"].contains(&words[1]) && words.len() == 3, "{difference}");
            assert!(reason.len() > 10, "{difference}: {reason}");
        }
    }
}
