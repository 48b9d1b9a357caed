//! `cargo xtask generate`: everything that follows from the tables in `data/` (aspects, devices, options, environment variables, split headers). A
//! test fails when a generated file is stale. llvm-tblgen reads the records for the aspects from what was generated last, so what
//! follows from them is made in a second step.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Architecture aspects have no number of their own; they are numbered from here, in the order of their rows.
const FIRST_ARCHITECTURE_ASPECT: u32 = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    aspect: Vec<Row>,
    architecture: Vec<ArchitectureRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    number: u32,
    since: String,
    #[serde(default)]
    deprecated: bool,
    offered: Offered,
    why: String,
}

/// Where Aspen offers what an aspect stands for.
#[derive(Deserialize)]
#[serde(untagged)]
enum Offered {
    /// On devices of all backends, or of none.
    Everywhere(bool),
    /// On devices of these.
    On(Vec<Backend>),
}

/// A backend, by its name in `ASPEN_DEVICE_SELECTOR`.
#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
enum Backend {
    NativeCpu,
    #[serde(rename = "opencl")]
    OpenCl,
    Cuda,
    Hip,
}

impl Offered {
    fn backends(&self) -> &[Backend] {
        match self {
            Offered::Everywhere(true) => &[Backend::NativeCpu, Backend::OpenCl, Backend::Cuda, Backend::Hip],
            Offered::Everywhere(false) => &[],
            Offered::On(list) => list,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchitectureRow {
    name: String,
}

/// The files generated from the aspects, with their contents.
fn from_aspects(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let path = root.join("data/aspects.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table: Table = toml::from_str(&text).with_context(|| format!("{} is not an aspect table", path.display()))?;
    Ok(vec![
        (root.join("crates/aspen-contract/src/table.rs"), rust_table(&table)),
        (root.join("data/Aspects.td"), aspects_td(&table)),
        (root.join("include/sycl/aspects.def"), aspects_def(&table)),
        (root.join("include/sycl/info/aspects.def"), migrated_aspects(&table, false)),
        (root.join("include/sycl/info/aspects_deprecated.def"), migrated_aspects(&table, true)),
        (root.join("include/sycl/detail/device_macros.hpp"), device_macros(&table)),
    ])
}

/// The table of targets, from `data/devices.td`.
fn from_devices(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let file = root.join("data/devices.td");
    let mut include = OsString::from("-I");
    include.push(root.join("data"));
    let tables = aspen_tblgen::tables(&aspen_tblgen::dump(&file, &[include])?)?;
    Ok(vec![(root.join("crates/aspen-devices/src/builtin/table.rs"), aspen_tblgen::rust(&tables, "data/devices.td"))])
}

/// Writes every generated file that differs from what it should hold.
pub fn run(root: &Path) -> Result<()> {
    for files in [from_aspects, from_devices, crate::options::files, crate::environment::files, crate::split_headers::files] {
        for (path, text) in files(root)? {
            if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
                continue;
            }
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote {}", path.strip_prefix(root).unwrap_or(&path).display());
        }
    }
    Ok(())
}

/// Fails when a generated file is not what the table says.
pub fn check(root: &Path) -> Result<()> {
    for files in [from_aspects, from_devices, crate::options::files, crate::environment::files, crate::split_headers::files] {
        for (path, text) in files(root)? {
            let old = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(old == text, "{} is stale: run `cargo xtask generate`", path.strip_prefix(root).unwrap_or(&path).display());
        }
    }
    Ok(())
}

fn architectures(table: &Table) -> impl Iterator<Item = (u32, &str)> {
    (FIRST_ARCHITECTURE_ASPECT..).zip(table.architecture.iter().map(|row| row.name.as_str()))
}

fn rust_table(table: &Table) -> String {
    let mut out = String::from(
        "//! Generated from data/aspects.toml by `cargo xtask generate`; edit the table, not this file.\n\nuse crate::aspect::Row;\n\
         use crate::backend::BackendKind::{Cuda, Hip, NativeCpu, OpenCl};\n\n\
         /// Every aspect, sorted by number.\npub(crate) const ROWS: &[Row] = &[\n",
    );
    let mut row = |number: u32, name: &str, core: bool, deprecated: bool, offered: &Offered, why: &str| {
        let backends = offered.backends();
        writeln!(
            out,
            "    Row {{ number: {number}, name: \"{name}\", core: {core}, deprecated: {deprecated}, offered: &{backends:?}, why: {why:?} }},"
        )
        .expect("a string takes all writes");
    };
    for aspect in &table.aspect {
        row(aspect.number, &aspect.name, aspect.since != "extension", aspect.deprecated, &aspect.offered, &aspect.why);
    }
    for (number, name) in architectures(table) {
        row(number, name, false, false, &Offered::Everywhere(true), "describes the device");
    }
    out + "];\n"
}

/// Every aspect as a record, for `data/devices.td`. Source: S2 "High-Level Design" ("could be outlined to another .td file").
fn aspects_td(table: &Table) -> String {
    let mut out = String::from(
        "// Generated from data/aspects.toml by `cargo xtask generate`; edit the table, not this file.\n\n\
         class Aspect<string name, int number> {\n  string Name = name;\n  int Number = number;\n}\n\n",
    );
    let rows = table.aspect.iter().map(|row| (row.number, row.name.as_str()));
    for (number, name) in rows.chain(architectures(table)) {
        let (first, rest) = name.split_at(1);
        writeln!(out, "def Aspect{}{rest} : Aspect<\"{name}\", {number}>;", first.to_ascii_uppercase()).expect("a string takes all writes");
    }
    out
}

fn aspects_def(table: &Table) -> String {
    let mut out = String::from(
        "// Generated from data/aspects.toml by `cargo xtask generate`; edit the table, not this file.\n\
         // Define any of these before including: __SYCL_ASPECT(name, number), __SYCL_ASPECT_DEPRECATED(name, number),\n\
         // __SYCL_ASPECT_ARCHITECTURE(name, number).\n",
    );
    for list in ["__SYCL_ASPECT", "__SYCL_ASPECT_DEPRECATED", "__SYCL_ASPECT_ARCHITECTURE"] {
        writeln!(out, "#ifndef {list}\n#define {list}(name, number)\n#endif").expect("a string takes all writes");
    }
    for row in &table.aspect {
        let list = if row.deprecated { "__SYCL_ASPECT_DEPRECATED" } else { "__SYCL_ASPECT" };
        writeln!(out, "{list}({}, {})", row.name, row.number).expect("a string takes all writes");
    }
    for (number, name) in architectures(table) {
        writeln!(out, "__SYCL_ASPECT_ARCHITECTURE({name}, {number})").expect("a string takes all writes");
    }
    for list in ["__SYCL_ASPECT", "__SYCL_ASPECT_DEPRECATED", "__SYCL_ASPECT_ARCHITECTURE"] {
        writeln!(out, "#undef {list}").expect("a string takes all writes");
    }
    out
}

/// The lists that DPC++ has in two files: programs that its migration tool made of CUDA include both, to name aspects.
fn migrated_aspects(table: &Table, deprecated: bool) -> String {
    let mut out = String::from("// Generated from data/aspects.toml by `cargo xtask generate`; edit the table, not this file.\n");
    for row in table.aspect.iter().filter(|row| row.deprecated == deprecated) {
        if deprecated {
            writeln!(out, "__SYCL_ASPECT_DEPRECATED({}, {}, \"deprecated by SYCL 2020\")", row.name, row.number)
        } else {
            writeln!(out, "__SYCL_ASPECT({}, {})", row.name, row.number)
        }
        .expect("a string takes all writes");
    }
    out
}

/// The macros that `aspen++` leaves undefined where they are as here: 0, but for what a device of an open target may have, which is all that
/// Aspen offers anywhere. Source: S3 "Changes to the device headers", S4; DESIGN §7.26.
fn device_macros(table: &Table) -> String {
    let mut out = String::from(
        "//! Generated from data/aspects.toml by `cargo xtask generate`; edit the table, not this file.\n//!\n\
         //! What the program is compiled for, in all passes, and for which device this pass is. `aspen++` defines what is otherwise than here.\n\
         #pragma once\n",
    );
    let mut default = |name: &str, value: u32| {
        writeln!(out, "#ifndef {name}\n#define {name} {value}\n#endif").expect("a string takes all writes");
    };
    let offered = table.aspect.iter().filter(|row| !row.offered.backends().is_empty()).map(|row| &row.name);
    let all = || table.aspect.iter().map(|row| &row.name).chain(table.architecture.iter().map(|row| &row.name));
    let any = |name: &str| format!("__SYCL_ANY_DEVICE_HAS_{name}__");
    for name in all() {
        default(&format!("__SYCL_ALL_DEVICES_HAVE_{name}__"), 0);
    }
    for row in &table.architecture {
        let device = row.name.trim_start_matches("ext_").to_ascii_uppercase();
        default(&format!("__SYCL_TARGET_{device}__"), 0);
    }
    let mut open = String::from("#ifdef __SYCL_ANY_DEVICE_HAS_ANY_ASPECT__\n");
    for name in offered.chain(table.architecture.iter().map(|row| &row.name)) {
        writeln!(open, "#ifndef {0}\n#define {0} 1\n#endif", any(name)).expect("a string takes all writes");
    }
    out += &(open + "#endif\n");
    for name in all() {
        writeln!(out, "#ifndef {0}\n#define {0} 0\n#endif", any(name)).expect("a string takes all writes");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::process::Command;

    use super::*;
    use crate::shell::{Tree, output};

    /// S2's first test: the aspects of the table, of the headers and of the target database are the same. Each is asked in its own way, so
    /// that this does not depend on the generator.
    #[test]
    fn aspects_of_table_headers_and_targets_agree() {
        let root = Tree::find(crate::shell::Profile::Debug).expect("the repository").root;
        let text = std::fs::read_to_string(root.join("data/aspects.toml")).expect("the table");
        let table: Table = toml::from_str(&text).expect("TOML");
        let rows = table.aspect.iter().map(|row| (row.name.clone(), u64::from(row.number)));
        let expected: BTreeMap<String, u64> =
            rows.chain(architectures(&table).map(|(number, name)| (name.to_owned(), u64::from(number)))).collect();
        assert!(expected.len() > 100);

        let mut preprocess = Command::new("clang++-22");
        preprocess.args(["-E", "-P", "-x", "c++"]);
        for list in ["__SYCL_ASPECT", "__SYCL_ASPECT_DEPRECATED", "__SYCL_ASPECT_ARCHITECTURE"] {
            preprocess.arg(format!("-D{list}(name,number)=aspect name number"));
        }
        let lines = output(preprocess.arg(root.join("include/sycl/aspects.def"))).expect("clang preprocesses").stdout;
        let lines = String::from_utf8(lines).expect("text");
        let words: Vec<&str> = lines.split_whitespace().collect();
        let of_headers: BTreeMap<String, u64> =
            words.chunks(3).map(|words| (words[1].to_owned(), words[2].parse().expect("a number"))).collect();
        assert_eq!(of_headers, expected);

        let mut include = OsString::from("-I");
        include.push(root.join("data"));
        let dump = aspen_tblgen::dump(&root.join("data/devices.td"), &[include]).expect("llvm-tblgen reads it");
        let dump: serde_json::Value = serde_json::from_str(&dump).expect("JSON");
        let records = dump["!instanceof"]["Aspect"].as_array().expect("a list");
        let of_targets: BTreeMap<String, u64> = records
            .iter()
            .map(|record| &dump[record.as_str().expect("a name")])
            .map(|record| (record["Name"].as_str().expect("a text").to_owned(), record["Number"].as_u64().expect("a number")))
            .collect();
        assert_eq!(of_targets, expected);
    }
}
