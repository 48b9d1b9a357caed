//! Runs clang with the plugin on a small source and keeps all that came out.

#![allow(dead_code)] // each test file uses its part

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aspen_analysis::{PassReport, analyse};
use serde_json::Value;
use tempfile::TempDir;

/// Which pass the plugin runs in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Host,
    Analysis,
    Code,
}

/// One compilation, to be adjusted before it runs.
pub struct Clang {
    pass: Pass,
    output: &'static [&'static str],
    flags: Vec<String>,
    plugin: bool,
    input: &'static str,
    files: Vec<(String, String)>,
}

/// What it left.
pub struct Outcome {
    pub success: bool,
    pub stderr: String,
    /// The text of `-o out.ll`.
    pub ir: String,
    /// Null if the plugin got no further than errors.
    pub facts: Value,
    pub report: Option<PassReport>,
    pub folder: TempDir,
}

/// The library that cargo built for this test run.
pub fn plugin() -> PathBuf {
    let executable = std::env::current_exe().expect("a test has a path");
    let folders = executable.ancestors().skip(1).take(2);
    let candidates: Vec<PathBuf> = folders.map(|folder| folder.join("libaspen_clang.so")).filter(|path| path.is_file()).collect();
    let newest = candidates.into_iter().max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok());
    newest.expect("cargo builds the plugin before its tests")
}

impl Clang {
    pub fn new(pass: Pass) -> Clang {
        Clang {
            pass,
            output: &["-S", "-emit-llvm", "-o", "out.ll"],
            flags: vec!["-std=c++17".into()],
            plugin: true,
            input: "t.cpp",
            files: Vec::new(),
        }
    }

    pub fn flag(mut self, flag: &str) -> Clang {
        self.flags.push(flag.into());
        self
    }

    pub fn flags(mut self, flags: &[&str]) -> Clang {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// An argument of the plugin.
    pub fn argument(self, argument: &str) -> Clang {
        self.flags(&["-Xclang", "-plugin-arg-aspen", "-Xclang", argument])
    }

    pub fn output(mut self, output: &'static [&'static str]) -> Clang {
        self.output = output;
        self
    }

    /// Compiles another file than `t.cpp`.
    pub fn input(mut self, input: &'static str) -> Clang {
        self.input = input;
        self
    }

    /// Stock clang.
    pub fn without_plugin(mut self) -> Clang {
        self.plugin = false;
        self
    }

    /// Another file beside `t.cpp`.
    pub fn file(mut self, name: &str, content: &str) -> Clang {
        self.files.push((name.into(), content.into()));
        self
    }

    /// Compiles `#include "mini.hpp"`, then `source` from line 2 on.
    pub fn run(self, source: &str) -> Outcome {
        self.run_exactly(&format!("#include \"mini.hpp\"\n{source}"))
    }

    pub fn run_exactly(self, source: &str) -> Outcome {
        let folder = tempfile::tempdir().expect("a temporary folder");
        self.run_in(folder, source)
    }

    pub fn run_in(self, folder: TempDir, source: &str) -> Outcome {
        let at = |name: &str| folder.path().join(name);
        fs::write(at("t.cpp"), source).expect("writable");
        for (name, content) in &self.files {
            fs::write(at(name), content).expect("writable");
        }
        let mut command = Command::new("clang++-22");
        command.current_dir(folder.path()).arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/include"));
        command.args(match self.pass {
            Pass::Host => ["-fsycl", "-fsycl-host-only", "-Wall"].as_slice(),
            Pass::Analysis => &["-fsycl", "-fsycl-device-only", "-gline-tables-only"],
            Pass::Code => &["--target=x86_64-pc-linux-gnu", "-Xclang", "-fsycl-is-device"],
        });
        if self.plugin {
            command.arg(format!("-fplugin={}", plugin().display()));
            let pass = match self.pass {
                Pass::Host => "pass=host",
                Pass::Analysis => "pass=analysis",
                Pass::Code => "pass=code",
            };
            for argument in [pass, "facts=facts.json"] {
                command.args(["-Xclang", "-plugin-arg-aspen", "-Xclang", argument]);
            }
        }
        let output = command.args(&self.flags).args(self.output).arg(self.input).output().expect("clang++-22 is installed");
        let facts = fs::read(at("facts.json")).map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).expect("JSON"));
        Outcome {
            success: output.status.success(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            ir: fs::read_to_string(at("out.ll")).unwrap_or_default(),
            facts,
            report: fs::read(at("report")).ok().map(|bytes| PassReport::from_bytes(&bytes).expect("a report")),
            folder,
        }
    }
}

impl Outcome {
    /// Insists on success.
    pub fn good(self) -> Outcome {
        assert!(self.success, "clang failed:\n{}", self.stderr);
        self
    }

    /// The facts of the first function of that name, or of the one whose symbol contains that text.
    pub fn function(&self, part: &str) -> &Value {
        let all = self.facts["functions"].as_array().expect("an analysis pass has functions");
        if let Some(named) = all.iter().find(|function| text(function, "name") == part) {
            return named;
        }
        let found: Vec<&Value> = all.iter().filter(|function| text(function, "symbol").contains(part)).collect();
        assert_eq!(found.len(), 1, "functions with '{part}' in their symbol: {found:#?} of {all:#?}");
        found[0]
    }

    /// The facts of the kernel of that name.
    pub fn kernel(&self, name: &str) -> &Value {
        let all = self.facts["kernels"].as_array().expect("facts hold kernels");
        all.iter().find(|kernel| text(kernel, "name") == name).unwrap_or_else(|| panic!("no kernel '{name}' in {all:#?}"))
    }

    /// The facts of the `operator()` that the kernel of that name runs.
    pub fn body(&self, kernel: &str) -> &Value {
        let symbol = self.kernel(kernel)["body"].as_str().unwrap_or_else(|| panic!("kernel '{kernel}' has a body"));
        let all = self.facts["functions"].as_array().expect("an analysis pass has functions");
        all.iter().find(|function| text(function, "symbol") == symbol).expect("the body is a function of the module")
    }

    /// The aspects that the kernel of that name uses after propagation, from the report's summary.
    pub fn used(&self, kernel: &str) -> Vec<u32> {
        let summary = self.report.as_ref().and_then(|report| report.summary.as_ref()).expect("a report with a summary");
        let symbol = text(self.kernel(kernel), "symbol");
        let (id, _) = summary.iter().find(|(_, function)| function.symbol == symbol).expect("the entry is in the summary");
        analyse(summary).used(id).iter().map(|aspect| aspect.number()).collect()
    }
}

/// A member that must be a string.
pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("'{key}' is a text in {value}"))
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap_or_else(|| panic!("a list, not {value}")).iter().map(|number| number.as_u64().expect("a number")).collect()
}

/// The sorted aspects that a function declares, if it has an attribute.
pub fn declared(function: &Value) -> Option<Vec<u64>> {
    let list = &function["declared"];
    (!list.is_null()).then(|| {
        let mut aspects = numbers(&list["aspects"]);
        aspects.sort_unstable();
        aspects
    })
}

/// `t.cpp:3:7`.
pub fn place(value: &Value) -> String {
    let place = &value["place"];
    format!("{}:{}:{}", text(place, "file"), place["line"], place["column"])
}
