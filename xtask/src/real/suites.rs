//! Which programs a checkout holds, and how its own files say they are built and run. A suite is known by what lies in its checkout.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::apps;

/// A checkout.
pub struct Suite {
    pub name: &'static str,
    /// The folder in which the programs' own folders lie side by side.
    pub folder: PathBuf,
    pub programs: Vec<Program>,
}

/// Something to build and run.
pub struct Program {
    pub name: String,
    /// Below the suite's folder.
    pub folder: PathBuf,
    pub how: How,
}

/// How a program is built and run.
pub enum How {
    /// `make CC=aspen++ …`, then this command or the line of its target `run`.
    Make { makefile: &'static str, run: Option<&'static str> },
    /// CMake with these options, then a command for the shell, in which `{source}` stands for the checkout.
    CMake { options: Vec<String>, run: String },
    /// `aspen++ FLAGS FILE`, then the program with arguments.
    File { file: PathBuf, flags: Vec<String>, arguments: Vec<String> },
}

type Finder = fn(&Path) -> Result<Option<(PathBuf, Vec<Program>)>>;

const SUITES: [(&str, Finder); 16] = [
    ("hecbench", hecbench),
    ("book", book),
    ("sycl-bench", sycl_bench),
    ("academy", academy),
    ("oneapi-samples", oneapi_samples),
    ("computecpp-sdk", computecpp_sdk),
    ("sycl-samples", sycl_samples),
    ("adaptivecpp", adaptivecpp),
    ("llvm-test-suite", llvm_test_suite),
    ("mixbench", apps::mixbench),
    ("xsbench", apps::xsbench),
    ("rsbench", apps::rsbench),
    ("babelstream", apps::babelstream),
    ("minibude", apps::minibude),
    ("cloverleaf", apps::cloverleaf),
    ("tealeaf", apps::tealeaf),
];

/// The suites in a checkout or in a folder of checkouts.
pub fn find(source: &Path, only: &[String]) -> Result<Vec<Suite>> {
    for name in only {
        let known: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
        ensure!(known.contains(&name.as_str()), "no suite is called '{name}'; there are {}", known.join(", "));
    }
    let mut folders = vec![source.to_owned()];
    folders.extend(folders_in(source)?);
    let mut found = Vec::new();
    for (name, finder) in SUITES.iter().filter(|(name, _)| only.is_empty() || only.iter().any(|wanted| wanted == name)) {
        for folder in &folders {
            if let Some((folder, mut programs)) = finder(folder)? {
                programs.sort_by(|a, b| a.name.cmp(&b.name));
                found.push(Suite { name, folder, programs });
                break;
            }
        }
    }
    ensure!(!found.is_empty(), "{} holds no checkout of {}", source.display(), SUITES.map(|(name, _)| name).join(", "));
    Ok(found)
}

/// HeCBench: `src/NAME-sycl`, each with a makefile.
fn hecbench(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("src");
    let mut programs = Vec::new();
    for own in folders_in(&folder)? {
        let name = file_name(&own);
        let Some(short) = name.strip_suffix("-sycl") else { continue };
        let makefile = ["Makefile", "makefile", "GNUmakefile"].into_iter().find(|file| own.join(file).is_file());
        let how = How::Make { makefile: makefile.unwrap_or("Makefile"), run: None };
        programs.push(Program { name: short.to_owned(), folder: name.clone().into(), how });
    }
    Ok((!programs.is_empty()).then_some((folder, programs)))
}

/// The samples of the book "Data Parallel C++": one file a program.
fn book(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("samples");
    if !folder.join("Ch01_introduction").is_dir() {
        return Ok(None);
    }
    let flags = ["-fsycl", "-fsycl-unnamed-lambda", "-O2", "-Wall"].map(str::to_owned).to_vec();
    Ok(Some((folder.clone(), files(&folder, &flags, &[])?)))
}

/// sycl-bench: one file a program, with common headers and a size.
fn sycl_bench(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    if !checkout.join("include/benchmark_hook.h").is_file() {
        return Ok(None);
    }
    let mut flags =
        ["-fsycl", "-O3", "-DNDEBUG", "-DSYCL_BENCH_HAS_FP64_SUPPORT=1", "-DSYCL_BENCH_HAS_FP16_SUPPORT=0"].map(str::to_owned).to_vec();
    for folder in ["include", "polybench/common"] {
        flags.push(format!("-I{}", checkout.join(folder).display()));
    }
    let arguments = ["--size=256", "--local=64", "--num-runs=1"].map(str::to_owned);
    let mut programs = Vec::new();
    for part in ["micro", "pattern", "polybench", "runtime", "single-kernel", "sycl2020"] {
        for mut program in files(&checkout.join(part), &flags, &arguments)? {
            program.folder = Path::new(part).join(program.folder);
            programs.push(program);
        }
    }
    Ok(Some((checkout.to_owned(), programs)))
}

/// SYCL Academy: the solutions of its exercises.
fn academy(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("Code_Exercises");
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut flags = ["-fsycl", "-O2", "-DSYCL_ACADEMY_USE_DPCPP"].map(str::to_owned).to_vec();
    flags.extend(["Utilities/include", "External/stb", "include"].map(|part| format!("-I{}", checkout.join(part).display())));
    let mut programs = files(&folder, &flags, &[])?;
    programs.retain(|program| program.name.contains("solution"));
    Ok(Some((folder, programs)))
}

/// The samples of ComputeCpp's SDK, which were written for SYCL 1.2.1.
fn computecpp_sdk(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("samples");
    if !folder.join("simple-vector-add.cpp").is_file() {
        return Ok(None);
    }
    let mut flags = ["-fsycl", "-O2", "-std=c++17"].map(str::to_owned).to_vec();
    flags.extend(
        ["include", "include/vptr", "include/legacy-pointer", "include/ivka"].map(|part| format!("-I{}", checkout.join(part).display())),
    );
    let programs = files(&folder, &flags, &[])?;
    Ok(Some((folder, programs)))
}

/// Codeplay's SYCL-samples: those that are one file; the others draw with a library.
fn sycl_samples(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("src");
    if !folder.join("scan_parallel_inclusive/scan.cpp").is_file() {
        return Ok(None);
    }
    let flags = ["-fsycl", "-O2", "-fopenmp"].map(str::to_owned);
    Ok(Some((folder.clone(), files(&folder, &flags, &[])?)))
}

/// DPC++'s tests of before 2022, most of which check themselves: those of what is SYCL's, that are one file and are run.
fn llvm_test_suite(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("SYCL");
    if !folder.join("helpers.hpp").is_file() {
        return Ok(None);
    }
    let mut flags = ["-fsycl", "-O2"].map(str::to_owned).to_vec();
    flags.push(format!("-I{}", folder.display()));
    let mut programs = Vec::new();
    for part in ["AtomicRef", "Basic", "DeviceLib", "Functor", "GroupAlgorithm", "HierPar", "Reduction", "Regression", "SubGroup", "USM"] {
        for mut program in files(&folder.join(part), &flags, &[])? {
            program.folder = Path::new(part).join(program.folder);
            program.name = format!("{part}/{}", program.name);
            let How::File { file, .. } = &program.how else { continue };
            let path = folder.join(&program.folder).join(file);
            let text =
                String::from_utf8_lossy(&std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?).into_owned();
            // What lit runs, with no other file and no device that is not there.
            let others = ["fsyntax-only", "%S/Inputs", "REQUIRES: gpu", "REQUIRES: level_zero", "REQUIRES: cuda", "opencl_icd", "aoc"];
            if text.contains("%t.out") && !others.iter().any(|other| text.contains(other)) {
                programs.push(program);
            }
        }
    }
    Ok(Some((folder, programs)))
}

/// AdaptiveCpp's tests, each file a program of its own beside the one that has `main`, which Boost.Test's header writes.
fn adaptivecpp(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("tests/sycl");
    let main = folder.join("sycl_test_suite.cpp");
    if !main.is_file() {
        return Ok(None);
    }
    let mut flags = ["-fsycl", "-O1", "-DACPP_ALLOW_INSTANT_SUBMISSION=1"].map(str::to_owned).to_vec();
    flags.extend([format!("-I{}", checkout.join("tests").display()), format!("-I{}", folder.display()), main.display().to_string()]);
    Ok(Some((folder.clone(), files(&folder, &flags, &[])?)))
}

/// oneAPI's samples that are one file.
fn oneapi_samples(checkout: &Path) -> Result<Option<(PathBuf, Vec<Program>)>> {
    let folder = checkout.join("DirectProgramming/C++SYCL");
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut flags = ["-fsycl", "-O2"].map(str::to_owned).to_vec();
    flags.extend(["common", "include"].map(|part| format!("-I{}", checkout.join(part).display())));
    let mut programs = files(&folder, &flags, &[])?;
    // A program of several files has a `src` of which one alone is none.
    programs.retain(|program| program.folder.ends_with("src") && program.name.matches('/').count() > 1);
    let folders: Vec<PathBuf> = programs.iter().map(|program| program.folder.clone()).collect();
    programs.retain(|program| folders.iter().filter(|folder| **folder == program.folder).count() == 1);
    Ok(Some((folder, programs)))
}

/// A program for each C++ file below a folder that has a `main`.
fn files(folder: &Path, flags: &[String], arguments: &[String]) -> Result<Vec<Program>> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(current) = open.pop() {
        open.extend(folders_in(&current)?);
        for entry in std::fs::read_dir(&current).with_context(|| format!("cannot read {}", current.display()))? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "cpp") || !has_main(&path)? {
                continue;
            }
            let below = path.strip_prefix(folder).context("it was found there")?;
            out.push(Program {
                name: below.with_extension("").to_string_lossy().into_owned(),
                folder: below.parent().unwrap_or(Path::new("")).to_owned(),
                how: How::File { file: file_name(&path).into(), flags: flags.to_vec(), arguments: arguments.to_vec() },
            });
        }
    }
    Ok(out)
}

fn has_main(path: &Path) -> Result<bool> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.split("main").skip(1).any(|after| after.trim_start().starts_with('(')) || text.contains("TEST_CASE"))
}

/// Sorted; none where there is no such folder.
pub(super) fn folders_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() && !file_name(&path).starts_with('.') {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
