//! The planes, and the edges between crates that they allow. Source: ARCHITECTURE "Planes and crates"; DESIGN §11.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::shell::{Tree, output};

/// The only crates that may know libLLVM.
const LLVM_CRATES: [&str; 3] = ["aspen-llvm", "aspen-clang", "aspen-pass"];
const LLVM: &str = "llvm-sys";

/// What `cargo metadata` says of a workspace.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize, Clone)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
    metadata: Option<serde_json::Value>,
}

#[derive(Deserialize, Clone)]
struct Dependency {
    name: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plane {
    Contract,
    Toolchain,
    Runtime,
    Development,
}

impl Plane {
    fn of(package: &Package) -> Result<Plane, String> {
        let plane = package.metadata.as_ref().and_then(|metadata| metadata.pointer("/aspen/plane")).and_then(|plane| plane.as_str());
        match plane {
            Some("contract") => Ok(Plane::Contract),
            Some("toolchain") => Ok(Plane::Toolchain),
            Some("runtime") => Ok(Plane::Runtime),
            Some("development") => Ok(Plane::Development),
            Some(other) => Err(format!("{}: '{other}' is no plane", package.name)),
            None => Err(format!("{}: its Cargo.toml lacks [package.metadata.aspen] plane", package.name)),
        }
    }

    fn may_use(self, other: Plane) -> bool {
        match self {
            Plane::Contract => other == Plane::Contract,
            Plane::Toolchain => matches!(other, Plane::Contract | Plane::Toolchain),
            Plane::Runtime => matches!(other, Plane::Contract | Plane::Runtime),
            Plane::Development => true,
        }
    }
}

/// Fails with every edge that is not allowed.
pub fn check(tree: &Tree) -> Result<()> {
    let metadata = output(&mut tree.cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: Metadata = serde_json::from_slice(&metadata.stdout).context("cargo metadata is no JSON")?;
    let violations = violations(&metadata.packages);
    if !violations.is_empty() {
        bail!("edges between crates that are not allowed (ARCHITECTURE.md, \"Planes and crates\"):\n  {}", violations.join("\n  "));
    }
    Ok(())
}

/// Dependencies for tests and build scripts count like all others.
fn violations(packages: &[Package]) -> Vec<String> {
    let mut out = Vec::new();
    let mut planes = BTreeMap::new();
    for package in packages {
        match Plane::of(package) {
            Ok(plane) => {
                planes.insert(package.name.as_str(), plane);
            }
            Err(problem) => out.push(problem),
        }
    }
    for package in packages {
        for dependency in &package.dependencies {
            let edge = format!("{} -> {}", package.name, dependency.name);
            if dependency.name == LLVM && !LLVM_CRATES.contains(&package.name.as_str()) {
                out.push(format!("{edge}: only {} know libLLVM", LLVM_CRATES.join(", ")));
            }
            if let (Some(from), Some(to)) = (planes.get(package.name.as_str()), planes.get(dependency.name.as_str()))
                && !from.may_use(*to)
            {
                out.push(format!("{edge}: {from:?} may not use {to:?}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, plane: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.into(),
            dependencies: dependencies.iter().map(|name| Dependency { name: (*name).into() }).collect(),
            metadata: (!plane.is_empty()).then(|| serde_json::json!({ "aspen": { "plane": plane } })),
        }
    }

    #[test]
    fn the_workspace_keeps_its_planes() {
        check(&Tree::find(crate::shell::Profile::Debug).expect("the repository")).expect("no edge that is not allowed");
    }

    #[test]
    fn every_dependency_has_its_reason() {
        #[derive(Deserialize)]
        struct Manifest {
            workspace: Workspace,
        }
        #[derive(Deserialize)]
        struct Workspace {
            dependencies: BTreeMap<String, toml::Value>,
        }
        let root = Tree::find(crate::shell::Profile::Debug).expect("the repository").root;
        let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("a file of the repository");
        let manifest: Manifest = toml::from_str(&read("Cargo.toml")).expect("a manifest");
        let record = read("docs/decisions/0002-dependencies.md");
        let names = manifest.workspace.dependencies.keys().filter(|name| !name.starts_with("aspen-"));
        let unexplained: Vec<&String> = names.filter(|name| !record.contains(&format!("`{name}`"))).collect();
        assert!(unexplained.is_empty(), "docs/decisions/0002-dependencies.md says nothing of {unexplained:?}");
    }

    #[test]
    fn forged_edges_are_found() {
        let sound = [
            package("aspen-contract", "contract", &["serde"]),
            package("aspen-llvm", "toolchain", &["aspen-contract", "llvm-sys"]),
            package("aspen-driver", "toolchain", &["aspen-llvm"]),
            package("aspen-runtime", "runtime", &["aspen-contract"]),
            package("xtask", "development", &["aspen-driver", "aspen-runtime"]),
        ];
        assert_eq!(violations(&sound), [""; 0]);
        for (from, to, message) in [
            ("aspen-contract", "aspen-llvm", "aspen-contract -> aspen-llvm: Contract may not use Toolchain"),
            ("aspen-contract", "aspen-runtime", "aspen-contract -> aspen-runtime: Contract may not use Runtime"),
            ("aspen-runtime", "aspen-driver", "aspen-runtime -> aspen-driver: Runtime may not use Toolchain"),
            ("aspen-driver", "aspen-runtime", "aspen-driver -> aspen-runtime: Toolchain may not use Runtime"),
            ("aspen-driver", "xtask", "aspen-driver -> xtask: Toolchain may not use Development"),
            ("aspen-driver", "llvm-sys", "aspen-driver -> llvm-sys: only aspen-llvm, aspen-clang, aspen-pass know libLLVM"),
        ] {
            let mut forged = sound.to_vec();
            let package = forged.iter_mut().find(|package| package.name == from).expect("a package of the list");
            package.dependencies.push(Dependency { name: to.into() });
            assert_eq!(violations(&forged), [message]);
        }
    }

    #[test]
    fn every_crate_has_a_plane() {
        let packages = [package("a", "", &[]), package("b", "sideways", &[])];
        assert_eq!(violations(&packages), ["a: its Cargo.toml lacks [package.metadata.aspen] plane", "b: 'sideways' is no plane"]);
    }
}
