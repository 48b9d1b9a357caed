//! What follows from `data/split_headers.toml`: the headers of `sycl_khr_split_headers`. The macros of extensions stand in the headers that
//! implement them, and are collected from there. Source: sycl_khr_split_headers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    header: Vec<Header>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    name: String,
    brings: String,
    parts: Vec<String>,
}

const FOLDER: &str = "include/sycl/khr/split_headers";
const GENERATED: &str = "by `cargo xtask generate`; edit the table, not this file";

/// How names of macros begin that say what an implementation has.
const FEATURES: [&str; 3] = ["SYCL_BACKEND_", "SYCL_EXT_", "SYCL_KHR_"];

/// Those whose headers <sycl/sycl.hpp> does not bring: who includes these has the macro from there.
const APART: [&str; 2] = ["SYCL_EXT_ONEAPI_COMPLEX", "SYCL_EXT_ONEAPI_CUDA_TEX_CACHE_READ"];

/// The files, with their contents.
pub fn files(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let path = root.join("data/split_headers.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table: Table = toml::from_str(&text).with_context(|| format!("{} is not a table of headers", path.display()))?;
    let mut features = BTreeMap::new();
    collect(&root.join("include/sycl"), &root.join(FOLDER), &mut features)?;
    let mut files = vec![(root.join(FOLDER).join("version.hpp"), version(&features))];
    for Header { name, brings, parts } in &table.header {
        let mut out = format!("//! Brings {brings}. Generated from data/split_headers.toml {GENERATED}.\n#pragma once\n");
        out += "#include <sycl/khr/split_headers/version.hpp>\n";
        for part in parts {
            let header = format!("sycl/{part}.hpp");
            ensure!(root.join("include").join(&header).is_file(), "{}: '{name}' brings <{header}>, which is not there", path.display());
            writeln!(out, "#include <{header}>").expect("a string takes all writes");
        }
        files.push((root.join(FOLDER).join(format!("{name}.hpp")), out));
    }
    Ok(files)
}

fn version(features: &BTreeMap<String, String>) -> String {
    let mut out = String::from(
        "//! The macros that say what there is. Generated from the headers that define them by `cargo xtask generate`; edit those, not this \
         file.\n#pragma once\n#include <sycl/detail/config.hpp>\n\n#define SYCL_KHR_SPLIT_HEADERS 1\n",
    );
    for (name, value) in features {
        writeln!(out, "#define {name} {value}").expect("a string takes all writes");
    }
    out
}

/// The macros of a folder's headers and those below, with their numbers; not of `except`.
fn collect(folder: &Path, except: &Path, features: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() && path != except {
            collect(&path, except, features)?;
        } else if path.extension().is_some_and(|kind| kind == "hpp") {
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            features.extend(text.lines().filter_map(feature));
        }
    }
    Ok(())
}

/// `#define SYCL_EXT_… 1`.
fn feature(line: &str) -> Option<(String, String)> {
    let mut words = line.strip_prefix("#define ")?.split_ascii_whitespace();
    let (name, value) = (words.next()?, words.next()?);
    let is_feature = FEATURES.iter().any(|start| name.starts_with(start)) && !APART.contains(&name);
    (is_feature && value.parse::<u32>().is_ok() && words.next().is_none()).then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_macros_with_a_number() {
        for (line, expected) in [
            ("#define SYCL_EXT_ONEAPI_PROD 1", Some(("SYCL_EXT_ONEAPI_PROD", "1"))),
            ("#define SYCL_KHR_QUEUE_FLUSH 1", Some(("SYCL_KHR_QUEUE_FLUSH", "1"))),
            ("#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property) \\", None),
            ("#define SYCL_EXTERNAL __attribute__((sycl_external))", None),
            ("#define SYCL_EXT_ONEAPI_COMPLEX 1", None),
            ("#ifdef SYCL_EXT_ONEAPI_PROD", None),
        ] {
            let found = feature(line);
            assert_eq!(found.as_ref().map(|(name, value)| (name.as_str(), value.as_str())), expected, "{line}");
        }
    }
}
