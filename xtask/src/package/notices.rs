//! What the programs and libraries hold that others wrote, with the licences under which they hold it: the crates that are linked in, and
//! Rust's standard library. Made at package time from what cargo knows, so that it is never older than the binaries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::shell::{Tree, output};

/// What an installation consists of.
const ROOTS: [&str; 6] = ["aspen-cli", "aspen-capi", "aspen-cache-remote", "aspen-clang", "aspen-pass", "aspen-tblgen"];

/// Licences under which code may be linked in: none that asks for more than its notice. A new one is a decision.
const ACCEPTED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// How files with licences begin.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    /// None: an ordinary dependency.
    kind: Option<String>,
}

/// The document.
///
/// # Errors
/// A crate whose licence is not [`ACCEPTED`], or that says none.
pub fn text(tree: &Tree) -> Result<String> {
    let said = output(&mut tree.cargo(&["metadata", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"]))?;
    let metadata: Metadata = serde_json::from_slice(&said.stdout).context("cargo metadata is no JSON")?;
    let linked = linked(&metadata);
    let mut out = String::from(
        "Third-party notices\n\nAspen's programs and libraries hold code of the crates below and of Rust's standard library, each under the licence that is \
         named with it.\nlibLLVM, libstdc++, glibc and drivers of devices are used as the system's shared libraries and are no part of this package. Crates without a text \
         below are used under the Apache License 2.0, which LICENSE.TXT holds.\n\n",
    );
    // Many crates bring the same text.
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in &linked {
        let licence = package.license.as_deref().with_context(|| format!("the crate {} names no licence", package.name))?;
        ensure!(
            is_accepted(licence),
            "the crate {} is under '{licence}', which xtask/src/package/notices.rs does not list; read it first",
            package.name
        );
        let title = format!("{} {}", package.name, package.version);
        write!(out, "{title}: {licence}")?;
        if let Some(repository) = &package.repository {
            write!(out, "\n    {repository}")?;
        }
        if !package.authors.is_empty() {
            write!(out, "\n    by {}", package.authors.join(", "))?;
        }
        out.push('\n');
        let own = licences(package.manifest_path.parent().context("a manifest lies in a folder")?)?;
        // MIT's and its like are nothing without their text and the names in it; that of Apache's is ours, too.
        ensure!(!own.is_empty() || licence.contains("Apache-2.0"), "the crate {} brings no text of its licence '{licence}'", package.name);
        for text in own.into_iter().filter(|text| !is_apaches(text)) {
            texts.entry(text).or_default().insert(title.clone());
        }
    }
    let library = "Rust's standard library".to_owned();
    writeln!(out, "{library}: MIT OR Apache-2.0\n    https://github.com/rust-lang/rust")?;
    let sysroot = String::from_utf8(output(std::process::Command::new("rustc").args(["--print", "sysroot"]))?.stdout)?;
    for folder in ["share/doc/rust", "share/doc/rustc"] {
        for text in licences(&Path::new(sysroot.trim()).join(folder))?.into_iter().filter(|text| !is_apaches(text)) {
            texts.entry(text).or_default().insert(library.clone());
        }
    }
    // By who comes first, not by the texts' own order.
    let mut texts: Vec<(Vec<String>, String)> = texts.into_iter().map(|(text, users)| (users.into_iter().collect(), text)).collect();
    texts.sort();
    for (users, text) in texts {
        write!(out, "\n{}\n{}:\n\n{text}\n", "-".repeat(80), users.join(", "))?;
    }
    Ok(out)
}

/// Crates of others whose code is in what is installed: no build scripts, no tests, no procedural macros.
fn linked(metadata: &Metadata) -> Vec<&Package> {
    let packages: BTreeMap<&str, &Package> = metadata.packages.iter().map(|package| (package.id.as_str(), package)).collect();
    let nodes: BTreeMap<&str, &Node> = metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let of_roots = metadata.packages.iter().filter(|package| ROOTS.contains(&package.name.as_str()));
    let mut work: Vec<&str> = of_roots.map(|package| package.id.as_str()).collect();
    let mut seen: BTreeSet<&str> = work.iter().copied().collect();
    while let Some(id) = work.pop() {
        for edge in nodes.get(id).map_or(&[][..], |node| &node.deps) {
            let code = edge.dep_kinds.iter().any(|kind| kind.kind.is_none());
            let macros = packages[edge.pkg.as_str()].targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"));
            if code && !macros && seen.insert(&edge.pkg) {
                work.push(&edge.pkg);
            }
        }
    }
    let mut linked: Vec<&Package> = seen.into_iter().map(|id| packages[id]).filter(|package| package.source.is_some()).collect();
    linked.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    linked
}

/// Whether an expression of SPDX's is met: of an `OR` one side is enough, of an `AND` all are needed. Older manifests write `/` for `OR`.
fn is_accepted(expression: &str) -> bool {
    let expression = expression.replace(['(', ')'], " ").replace('/', " OR ");
    // Taken apart at `AND` first, as if there were brackets around every `OR`: where there are none this asks for more, never for less.
    expression.split(" AND ").all(|part| part.split(" OR ").any(|licence| ACCEPTED.contains(&licence.trim())))
}

/// Whether this is the Apache License 2.0, which LICENSE.TXT holds: crates bring it in two dozen layouts of 11 kB each.
fn is_apaches(text: &str) -> bool {
    text.contains("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION")
        && text.contains("Version 2.0, January 2004")
        && text.len() < 12_000
}

/// Texts of the files with licences in a crate, and of the C library that some bring in a folder.
fn licences(folder: &Path) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let folders = [folder.to_owned(), folder.join("zstd"), folder.join("LICENSES"), folder.join("licenses")];
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            let named = NAMES.iter().any(|start| name.starts_with(start)) || folder.ends_with("LICENSES") || folder.ends_with("licenses");
            if named && path.is_file() && path.extension().is_none_or(|kind| kind != "html") {
                let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                out.push(String::from_utf8_lossy(&text).replace("\r\n", "\n").trim().to_owned());
            }
        }
    }
    out.sort();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_licences() {
        for (expression, expected) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("", false),
        ] {
            assert_eq!(is_accepted(expression), expected, "{expression}");
        }
    }
}
