//! Many kernels as one program: compiling a unit costs seconds for the headers alone. A kernel that crashes ends the program, so those
//! behind it are run again without it; one that does not compile is found by the error's line, or by halving.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::ast::Kernel;
use super::config::{Config, Way};
use super::emit;
use super::interpret::Outcome;
use crate::tool::{Said, Tools};

const PRELUDE: &str = include_str!("prelude.hpp");

/// A kernel and what it must do.
#[derive(Clone, Copy)]
pub struct Case<'k> {
    pub kernel: &'k Kernel,
    pub outcome: &'k Outcome,
}

/// What went wrong with the kernel of that index, and where.
pub struct Failure {
    pub index: usize,
    pub way: Option<Way>,
    /// One word, then what was said.
    pub what: String,
}

impl Failure {
    /// `does not compile`, `crashes`, …: what stays the same while a kernel is shrunk.
    pub fn kind(&self) -> &str {
        self.what.split(':').next().unwrap_or_default()
    }
}

/// The units of a program: the second is empty if nothing is external.
pub fn units(cases: &[Case<'_>]) -> (String, String) {
    let (mut first, mut second, mut runs) = (String::from("#include \"random.hpp\"\n"), String::new(), String::new());
    for (number, case) in cases.iter().enumerate() {
        let (here, there) = emit::kernel(number, case.kernel, case.outcome);
        first += &here;
        second += &there;
        writeln!(runs, "      case {number}: wrong = k{number}::run(q); break;").expect("a string takes all writes");
    }
    let count = cases.len();
    first += &format!(
        r#"
int main(int argc, char **argv) {{
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int failures = 0;
  sycl::queue q([](sycl::exception_list errors) {{
    for (const std::exception_ptr &error : errors)
      std::rethrow_exception(error);
  }});
  for (int number = argc > 1 ? std::atoi(argv[1]) : 0; number < (argc > 2 ? std::atoi(argv[2]) : {count}); ++number) {{
    int wrong = 0;
    try {{
      switch (number) {{
{runs}      }}
      if (wrong == 0)
        std::printf("RIGHT %d\n", number);
    }} catch (const std::exception &e) {{
      std::printf("THREW %d %s\n", number, e.what());
      wrong = 1;
    }}
    failures += wrong != 0;
  }}
  return failures != 0;
}}
"#
    );
    if !second.is_empty() {
        second = format!("#include \"random.hpp\"\n{second}");
    }
    (first, second)
}

/// Writes a program into a folder; gives the names of its units.
pub fn write(cases: &[Case<'_>], folder: &Path) -> Result<Vec<&'static str>> {
    let (first, second) = units(cases);
    let mut names = Vec::new();
    for (name, text) in [("random.hpp", PRELUDE), ("main.cpp", &first), ("other.cpp", &second)] {
        if !text.is_empty() {
            std::fs::write(folder.join(name), text).with_context(|| format!("cannot write {}", folder.join(name).display()))?;
            if name.ends_with(".cpp") {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// Compiles and runs kernels in a configuration; gives what failed, in order.
pub fn check(tools: &Tools, cases: &[Case<'_>], config: &Config) -> Result<Vec<Failure>> {
    let folder = tempfile::Builder::new().prefix("aspen-random-").tempdir()?;
    let names = write(cases, folder.path())?;
    let compiled = tools.compile(folder.path(), config.options, &names, "program")?;
    if let Some(why) = compiled.failure() {
        if cases.len() == 1 {
            return Ok(vec![Failure { index: 0, way: None, what: format!("does not compile: {why}") }]);
        }
        if let Some(index) = blamed(folder.path(), &compiled.text) {
            let rest: Vec<Case<'_>> = [&cases[..index], &cases[index + 1..]].concat();
            let mut failures = check(tools, &rest, config)?;
            failures.iter_mut().for_each(|failure| failure.index += usize::from(failure.index >= index));
            failures.push(Failure { index, way: None, what: format!("does not compile: {why}") });
            return Ok(failures);
        }
        let (low, high) = cases.split_at(cases.len() / 2);
        let mut failures = check(tools, low, config)?;
        failures.extend(check(tools, high, config)?.into_iter().map(|failure| Failure { index: failure.index + low.len(), ..failure }));
        return Ok(failures);
    }
    let mut failures = Vec::new();
    for way in config.ways {
        failures.extend(run(tools, cases.len(), folder.path(), *way)?);
    }
    Ok(failures)
}

/// The kernel in whose lines the first error is, if it has a line.
fn blamed(folder: &Path, said: &str) -> Option<usize> {
    let (file, line) = said.lines().filter(|line| line.contains(": error:")).find_map(|line| {
        let (file, rest) = line.split_once(".cpp:")?;
        Some((format!("{file}.cpp"), rest.split(':').next()?.parse::<usize>().ok()?))
    })?;
    let text = std::fs::read_to_string(folder.join(file)).ok()?;
    let before: Vec<&str> = text.lines().take(line).collect();
    before.iter().rev().find_map(|line| line.strip_prefix("namespace k")?.split(' ').next()?.parse().ok())
}

fn run(tools: &Tools, count: usize, folder: &Path, way: Way) -> Result<Vec<Failure>> {
    let mut failures = Vec::new();
    let mut first = 0;
    while first < count {
        let Said { text, status } = tools.run(folder, "./program", &[&first.to_string()], way.environment())?;
        let mut next = first;
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let (word, index, rest) = (words.next().unwrap_or_default(), words.next().and_then(|word| word.parse().ok()), words.next());
            let (Some(index), "RIGHT" | "WRONG" | "THREW") = (index, word) else { continue };
            next = next.max(index + 1);
            let rest = rest.unwrap_or_default();
            let what = if word == "WRONG" { format!("gives wrong numbers: {rest}") } else { format!("throws: {rest}") };
            if word != "RIGHT" && failures.last().is_none_or(|last: &Failure| last.index != index) {
                failures.push(Failure { index, way: Some(way), what });
            }
        }
        if next >= count {
            break;
        }
        let tail: String = text.lines().rev().take(5).collect::<Vec<_>>().join(" | ");
        failures.push(Failure { index: next, way: Some(way), what: format!("crashes: {status}: {tail}") });
        first = next + 1;
    }
    Ok(failures)
}
