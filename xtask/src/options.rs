//! What follows from `data/options.toml`: the driver's table of options, and docs/OPTIONS.md.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    group: Vec<Group>,
    triple: Vec<Triple>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    title: String,
    options: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    values: Vec<String>,
    verdict: Verdict,
    #[serde(default)]
    becomes: Vec<String>,
    why: String,
    #[serde(default)]
    example: String,
}

#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Honoured,
    Nothing,
    Warns,
    Refused,
}

impl Verdict {
    /// As the documentation says it.
    fn words(self) -> &'static str {
        match self {
            Verdict::Honoured => "honoured",
            Verdict::Nothing => "accepted",
            Verdict::Warns => "accepted with a warning",
            Verdict::Refused => "refused",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Triple {
    names: Vec<String>,
    target: Option<String>,
    why: String,
}

/// The files, with their contents.
pub fn files(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let path = root.join("data/options.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table: Table = toml::from_str(&text).with_context(|| format!("{} is no table of options", path.display()))?;
    Ok(vec![(root.join("crates/aspen-driver/src/args/known/table.rs"), rust(&table)), (root.join("docs/OPTIONS.md"), page(&table))])
}

/// The forms of what may follow a name, and the driver's words for them.
const FORMS: [(&str, &str); 5] =
    [("= <word>", "TargetAndWord"), (" <word>", "Word"), ("[=]", "ValueOrNothing"), ("=", "Value"), ("*", "Anything")];

fn rust(table: &Table) -> String {
    let mut out = String::from(
        "//! Generated from data/options.toml by `cargo xtask generate`; edit the table, not this file.\n\n\
         use super::Takes::{Anything, Nothing, TargetAndWord, Value, ValueOrNothing, Word};\nuse super::{Known, Triple, Verdict};\n\n\
         /// Every option, the first that fits counts.\n#[rustfmt::skip]\npub const OPTIONS: &[Known] = &[\n",
    );
    let mut line = |name: &str, takes: &str, row: &Row| {
        let Row { values, verdict, becomes, why, example, .. } = row;
        writeln!(
            out,
            "    Known {{ name: {name:?}, takes: {takes}, values: &{values:?}, verdict: Verdict::{verdict:?}, becomes: &{becomes:?}, why: {why:?}, example: {example:?} }},"
        )
        .expect("a string takes all writes");
    };
    for row in table.group.iter().flat_map(|group| &group.options) {
        let form = FORMS.iter().find_map(|(form, takes)| Some((row.name.strip_suffix(form)?, *takes)));
        let (name, takes) = form.unwrap_or((&row.name, "Nothing"));
        line(&name.replace("[no-]", ""), takes, row);
        if name.contains("[no-]") {
            line(&name.replace("[no-]", "no-"), takes, row);
        }
    }
    out += "];\n\n/// Names of targets that only command lines have.\n#[rustfmt::skip]\npub const TRIPLES: &[Triple] = &[\n";
    for Triple { names, target, why } in &table.triple {
        writeln!(out, "    Triple {{ names: &{names:?}, target: {target:?}, why: {why:?} }},").expect("a string takes all writes");
    }
    out + "];\n"
}

/// Bars would end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn page(table: &Table) -> String {
    let mut out = String::from(
        "<!-- Generated from data/options.toml by `cargo xtask generate`; edit the table, not this file. -->\n\
         # Options of DPC++ and Intel's compiler\n\n\
         `aspen++` takes clang++'s command line and the options below. *Accepted* means that there is nothing to do: a program that compiles with\n\
         the option is the same without. A warning says that the program may be another one than the option would make. `-w` and\n\
         `-Wno-unused-command-line-argument` silence these warnings. Errors name the option and the reason.\n",
    );
    let mut add = |text: String| out.push_str(&text);
    for Group { title, options } in &table.group {
        add(format!("\n## {title}\n\n| option | | |\n|---|---|---|\n"));
        for row in options {
            let stands = if row.becomes.is_empty() {
                String::new()
            } else {
                let words = row.becomes.join(" ").replace('$', "N");
                format!("`{words}`{}", if row.why.is_empty() { "" } else { ": " })
            };
            let name = match row.values.split_first() {
                None => format!("`{}`", row.name),
                Some((first, rest)) => {
                    let name = format!("`{}{first}`", row.name.trim_end_matches("<word>"));
                    rest.iter().fold(name, |name, value| format!("{name}, `{value}`"))
                }
            };
            add(format!("| {} | {} | {stands}{} |\n", cell(&name), row.verdict.words(), cell(&row.why)));
        }
    }
    add("\n## Triples in `-fsycl-targets=`\n\nBeside the names that `aspen targets` lists:\n\n| triple | target | |\n|---|---|---|\n"
        .into());
    for Triple { names, target, why } in &table.triple {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let target = target.as_ref().map_or_else(|| "refused".to_owned(), |target| format!("`{target}`"));
        add(format!("| {names} | {target} | {} |\n", cell(why)));
    }
    out
}
