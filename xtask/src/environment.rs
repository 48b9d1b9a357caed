//! What follows from `data/environment.toml`: docs/ENVIRONMENT.md, and the table of `aspen manual`. The sources are asked for the variables
//! that they name, so that none is left out and none stays that is no more.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    variable: Vec<Variable>,
    other: Vec<Other>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    name: String,
    values: String,
    default: String,
    readers: Vec<Reader>,
    about: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Other {
    name: String,
    about: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
enum Reader {
    #[serde(rename = "programs")]
    Programs,
    #[serde(rename = "aspen++")]
    Compiler,
    #[serde(rename = "aspen")]
    Tool,
    #[serde(rename = "tests")]
    Tests,
}

impl Reader {
    fn name(self) -> &'static str {
        match self {
            Reader::Programs => "programs",
            Reader::Compiler => "aspen++",
            Reader::Tool => "aspen",
            Reader::Tests => "tests",
        }
    }
}

fn table(root: &Path) -> Result<Table> {
    let path = root.join("data/environment.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is no table of variables", path.display()))
}

/// The files, with their contents.
///
/// # Errors
/// A variable that the sources name and the table lacks, or the reverse.
pub fn files(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let table = table(root)?;
    let listed: BTreeSet<String> = table.variable.iter().map(|variable| variable.name.clone()).collect();
    let named = named(root)?;
    let lists = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let (missing, stale) = (lists(named.difference(&listed).collect()), lists(listed.difference(&named).collect()));
    ensure!(missing.is_empty(), "the sources name variables that data/environment.toml lacks: {missing}; say there what they are for");
    ensure!(stale.is_empty(), "data/environment.toml lists variables that the sources do not name: {stale}");
    Ok(vec![(root.join("docs/ENVIRONMENT.md"), page(&table)), (root.join("crates/aspen-cli/src/aspen/manual/variables.rs"), rust(&table))])
}

fn page(table: &Table) -> String {
    let mut out = String::from(
        "<!-- Generated from data/environment.toml by `cargo xtask generate`; edit the table, not this file. -->\n\n# Environment variables\n\n\
         Those that begin with `ASPEN_` are all here; `man 7 aspen` shows them too. Empty ones count as unset, and all of them in programs that have more rights than who starts them (set-user-ID). A program says so where a value makes no \
         sense, and where a name is almost one of these. *Programs* are what `aspen++` made: their `libaspen.so.0` reads the variable.\n",
    );
    for (title, tests) in [("For users", false), ("For Aspen's developers", true)] {
        write!(out, "\n## {title}\n\n| variable | values | unset | read by | |\n|---|---|---|---|---|\n")
            .expect("a string takes all writes");
        for Variable { name, values, default, readers, about } in
            table.variable.iter().filter(|variable| (variable.readers == [Reader::Tests]) == tests)
        {
            let readers = readers.iter().map(|reader| reader.name()).collect::<Vec<_>>().join(", ");
            writeln!(out, "| `{name}` | {values} | {default} | {readers} | {about} |").expect("a string takes all writes");
        }
    }
    out.push_str("\n## Variables of others that count\n\n| variable | |\n|---|---|\n");
    for Other { name, about } in &table.other {
        writeln!(out, "| {} | {about} |", name.split(", ").map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
            .expect("a string takes all writes");
    }
    out
}

fn rust(table: &Table) -> String {
    let mut out = String::from(
        "//! Generated from data/environment.toml by `cargo xtask generate`; edit the table, not this file.\n\nuse super::Variable;\n\n\
         /// Every variable for users: Aspen's own, then those of others.\n#[rustfmt::skip]\npub const VARIABLES: &[Variable] = &[\n",
    );
    for variable in table.variable.iter().filter(|variable| variable.readers != [Reader::Tests]) {
        let Variable { name, values, default, readers, about } = variable;
        let readers: Vec<&str> = readers.iter().map(|reader| reader.name()).collect();
        let about = about.replace('`', "");
        let (values, default) = (values.replace('`', ""), default.replace('`', ""));
        writeln!(out, "    Variable {{\n        name: {name:?},\n        values: {values:?},\n        unset: {default:?},\n        readers: &{readers:?},\n        about: {about:?},\n    }},")
            .expect("a string takes all writes");
    }
    for Other { name, about } in &table.other {
        let about = about.replace('`', "");
        writeln!(out, "    Variable {{\n        name: {name:?},\n        values: \"\",\n        unset: \"\",\n        readers: &[],\n        about: {about:?},\n    }},")
            .expect("a string takes all writes");
    }
    out + "];\n"
}

/// Sources that read variables, or set them for others. Headers of users read none, and that stays so by their being among these.
const SOURCES: [&str; 5] = ["crates", "include", "tests/runner", "tests/random", "xtask/src"];

/// Variables of Aspen's that are string literals in the sources. What unit tests of a file say at its end counts only if it is read there.
fn named(root: &Path) -> Result<BTreeSet<String>> {
    let mut out = BTreeSet::new();
    for folder in SOURCES {
        for file in crate::install::files(&root.join(folder))? {
            let path = root.join(folder).join(&file);
            let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
            if !["rs", "cpp", "h", "hpp", "c"].contains(&kind) || path.ends_with("manual/variables.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            out.extend(literals(own));
        }
    }
    Ok(out)
}

/// Literals that are a name and nothing else, or a name that `=` follows.
fn literals(text: &str) -> impl Iterator<Item = String> {
    text.split('"').skip(1).filter_map(|piece| {
        let name = piece.split('=').next().unwrap_or_default();
        let word = name.strip_prefix("ASPEN_")?;
        let fits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        (fits && !word.ends_with('_')).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_literals() {
        for (text, expected) in [
            (r#"var("ASPEN_X")"#, vec!["ASPEN_X"]),
            (r#"env("ASPEN_X_1", "ASPEN_Y=1")"#, vec!["ASPEN_X_1", "ASPEN_Y"]),
            (r#"getenv("ASPEN_X") // not ASPEN_Z, "ASPEN_ and more", "ASPEN_HOST__""#, vec!["ASPEN_X"]),
            ("ASPEN_X", vec![]),
        ] {
            assert_eq!(literals(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
