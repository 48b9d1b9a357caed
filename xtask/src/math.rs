//! `cargo xtask math`: how exact mathematical functions are, by `tests/e2e/accuracy.cpp`, written down in `docs/MATH.md`. By hand, since it takes
//! minutes; CI runs the same program with few numbers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::{Tree, run};

/// Where the table is put into docs/MATH.md.
const BEGIN: &str = "<!-- written by cargo xtask math: begin -->\n";
const END: &str = "<!-- written by cargo xtask math: end -->";

/// `cargo xtask math`.
#[derive(clap::Args)]
pub struct Options {
    /// Random numbers of half and float a function
    #[arg(long, default_value_t = 10_000_000)]
    floats: u64,
    /// Random numbers of double a function
    #[arg(long, default_value_t = 1_000_000)]
    doubles: u64,
    /// Folder of aspen++; without it, an installation is built
    #[arg(long)]
    bin: Option<PathBuf>,
}

/// Largest error and bound, as the program writes them, of half, float and double.
type Errors = BTreeMap<String, [(String, String); 3]>;

/// Measures on the embedded CPU device, writes the table, and fails if anything is over its bound.
pub fn math(tree: &Tree, options: &Options) -> Result<()> {
    let bin = options.bin.clone().map_or_else(|| tree.build(), Ok)?;
    let folder = tree.target.join("math");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let program = folder.join("accuracy");
    let mut compile = Command::new(bin.join("aspen++"));
    compile.args(["-std=c++17", "-O2", "-fsycl-targets=native_cpu"]).arg(tree.root.join("tests/e2e/accuracy.cpp"));
    run(compile.arg("-o").arg(&program))?;
    let mut measure = Command::new(&program);
    measure.arg(options.floats.to_string()).arg(options.doubles.to_string()).env("ASPEN_DEVICE_SELECTOR", "native_cpu");
    let done = measure.output().with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8(done.stdout).context("the program writes text")?;
    let errors = parse(&said)?;
    let path = tree.root.join("docs/MATH.md");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    std::fs::write(&path, with_table(&text, &table(&errors, options))?).with_context(|| format!("cannot write {}", path.display()))?;
    let over: Vec<&str> = said.lines().filter(|line| is_over(line)).collect();
    ensure!(over.is_empty(), "over their bounds (type, function, error, bound, inputs):\n{}", over.join("\n"));
    ensure!(done.status.success(), "{} failed: {}", program.display(), String::from_utf8_lossy(&done.stderr));
    Ok(())
}

/// Whether a line of the program tells of an error over its bound.
fn is_over(line: &str) -> bool {
    let mut words = line.split(' ').skip(2);
    let (error, bound) = (words.next().and_then(|word| word.parse::<f64>().ok()), words.next().and_then(|word| word.parse::<f64>().ok()));
    matches!((error, bound), (Some(error), Some(bound)) if error > bound)
}

fn parse(said: &str) -> Result<Errors> {
    let mut out = Errors::new();
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let column = ["half", "float", "double"].iter().position(|name| Some(name) == words.first());
        let (Some(column), &[_, function, error, bound, _]) = (column, words.as_slice()) else {
            anyhow::bail!("the program wrote a line that is none of its table: '{line}'");
        };
        out.entry(function.to_owned()).or_default()[column] = (error.to_owned(), bound.to_owned());
    }
    ensure!(!out.is_empty(), "the program compared nothing");
    Ok(out)
}

fn table(errors: &Errors, options: &Options) -> String {
    let mut out = format!(
        "{} random numbers of float (and of half for functions of several), {} of double:\n\n\
         | function | half | float | double |\n|---|---|---|---|\n",
        options.floats, options.doubles
    );
    for (function, columns) in errors {
        let cell = |(error, bound): &(String, String)| match (error.as_str(), bound.as_str()) {
            ("", _) => "not there".to_owned(),
            (error, "-") => format!("{error} of any"),
            // What rounds the truth once more than the function shows a trace over half a unit.
            (error, bound) => format!("{error} of {}", bound.trim_end_matches("01")),
        };
        let [half, float, double] = columns;
        // Writing to a string does not fail.
        let _ = writeln!(out, "| `{function}` | {} | {} | {} |", cell(half), cell(float), cell(double));
    }
    out
}

fn with_table(text: &str, table: &str) -> Result<String> {
    let parts = text.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) =
        parts.context("docs/MATH.md has no place for the table (two comments that begin 'written by cargo xtask math')")?;
    Ok(format!("{before}{BEGIN}{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_a_table() {
        let said = "half sin 0.5 2 0x1p+0\nfloat sin 1.25 4 0x1p+0\ndouble sin 0.9 4 0x1p+0\nfloat lgamma 2e+06 - -0x1p+1\n";
        let options = Options { floats: 7, doubles: 8, bin: None };
        let table = table(&parse(said).expect("lines"), &options);
        assert!(
            table.contains("| `lgamma` | not there | 2e+06 of any | not there |\n| `sin` | 0.5 of 2 | 1.25 of 4 | 0.9 of 4 |\n"),
            "{table}"
        );
        let text = with_table(&format!("a\n{BEGIN}old\n{END}\nb\n"), "new\n").expect("a place");
        assert_eq!(text, format!("a\n{BEGIN}new\n{END}\nb\n"));
        assert!(with_table("a", "b").is_err() && parse("nonsense").is_err() && parse("").is_err());
    }

    #[test]
    fn what_is_over_a_bound_is_found() {
        for (line, over) in [
            ("float cbrt 2.1 2 0x1p+0", true),
            ("float cbrt inf 2 0x1p+0", true),
            ("float cbrt 2 2 0x1p+0", false),
            ("float lgamma inf - 0x1p+0", false),
        ] {
            assert_eq!(is_over(line), over, "{line}");
        }
    }
}
