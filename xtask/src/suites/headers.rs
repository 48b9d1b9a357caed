//! The suite `headers`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Count, Depth, Step, at_once, cache_variables, files_in};
use crate::shell::Tree;

/// People may include parts of the header: each file compiles alone and twice in a unit. What the parts offer stands in `tests/headers`:
/// units of static assertions, and programs (`run_*.cpp`) that check themselves.
pub fn run(tree: &Tree, depth: Depth, count: &mut Count) -> Result<()> {
    let bin = tree.build()?;
    let folder = tree.target.join("headers");
    std::fs::create_dir_all(&folder)?;
    let validator = bin.join("aspen-e2e");
    let cache = cache_variables(tree);
    let headers = [
        "include/sycl",
        "include/sycl/access",
        "include/sycl/ext/intel",
        "include/sycl/ext/intel/experimental",
        "include/sycl/ext/oneapi",
        "include/sycl/ext/oneapi/device_global",
        "include/sycl/ext/oneapi/experimental",
        "include/sycl/ext/oneapi/experimental/annotated_arg",
        "include/sycl/ext/oneapi/experimental/annotated_ptr",
        "include/sycl/ext/oneapi/experimental/async_alloc",
        "include/sycl/ext/oneapi/experimental/complex",
        "include/sycl/ext/oneapi/experimental/cuda",
        "include/sycl/ext/oneapi/experimental/graph",
        "include/sycl/ext/oneapi/kernel_properties",
        "include/sycl/ext/oneapi/properties",
        "include/sycl/ext/oneapi/virtual_mem",
        "include/sycl/info",
        "include/sycl/khr",
        "include/sycl/khr/split_headers",
        "include/sycl/properties",
        "include/sycl/usm",
        "include/CL",
        "include/CL/sycl",
        "include/CL/sycl/INTEL",
        "include/CL/sycl/ONEAPI",
        "include/CL/sycl/ONEAPI/experimental",
        "include/CL/sycl/intel",
        "include/CL/sycl/access",
        "include/CL/sycl/backend",
        "include/CL/sycl/detail",
        "include/dpct",
        "include/syclcompat",
    ]
    .map(|folder| files_in(tree, folder, ".hpp"));
    let headers = headers.into_iter().collect::<Result<Vec<_>>>()?;
    let (mut chains, mut deeper): (Vec<Vec<Step>>, u64) = (Vec::new(), 0);
    for name in headers.into_iter().flatten() {
        if let Some(to) = forwards_to(&std::fs::read_to_string(tree.root.join(&name))?) {
            ensure!(tree.root.join("include").join(to).is_file(), "{name} includes <{to}>, which is not there");
            continue;
        }
        let header = name.trim_start_matches("include/");
        let unit = folder.join(format!("{}.cpp", header.replace(['/', '.'], "_")));
        std::fs::write(&unit, format!("#include <{header}>\n#include <{header}>\n"))?;
        let mut compile = strict(&bin, "c++17", &unit);
        compile.arg("-fsyntax-only").env("ASPEN_CACHE", "0");
        if depth == Depth::Usual {
            // What it forgets to include, the host's pass mostly misses too.
            compile.arg("-fsycl-host-only");
            deeper += 1;
        }
        chains.push(vec![(format!("<{header}>"), compile)]);
    }
    for name in files_in(tree, "tests/headers", ".cpp")? {
        let unit = tree.root.join(&name);
        let is_program = name.contains("/run_");
        for standard in ["c++17", "c++20", "c++23"] {
            // What changes with the standard stands in the units; programs take long to compile, and the suite `cuda` does so in C++23.
            if is_program && standard != "c++17" {
                continue;
            }
            if standard == "c++20" && depth == Depth::Usual {
                deeper += 1;
                continue;
            }
            let mut compile = strict(&bin, standard, &unit);
            compile.envs(cache.iter().map(|(name, value)| (name, value)));
            if !is_program {
                chains.push(vec![(format!("{name} as {standard}"), {
                    compile.arg("-fsyntax-only");
                    compile
                })]);
                continue;
            }
            let program = folder.join(unit.file_stem().context("a unit has a name")?);
            compile.arg("-O2").arg("-o").arg(&program);
            let run = (format!("{name}, run"), Command::new(&program));
            if depth == Depth::Usual {
                compile.arg("-fsycl-targets=native_cpu");
                deeper += 1;
                chains.push(vec![(format!("{name}, built"), compile), run]);
                continue;
            }
            let mut validate = Command::new(&validator);
            validate.arg("--validate").arg(&program);
            chains.push(vec![(format!("{name}, built"), compile), (format!("{name}, its SPIR-V"), validate), run]);
        }
    }
    *count = Count { deeper, ..at_once(chains) };
    ensure!(count.failed == 0, "headers that do not keep what they promise");
    Ok(())
}

/// The header that this one is another name of, if it holds nothing else.
fn forwards_to(text: &str) -> Option<&str> {
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//") && *line != "#pragma once";
    let mut code = text.lines().map(str::trim).filter(is_code);
    let to = code.next()?.strip_prefix("#include <")?.strip_suffix('>')?;
    ((to.starts_with("sycl/") || to == "CL/sycl.hpp") && code.next().is_none()).then_some(to)
}

/// All passes over a unit, with every warning an error.
fn strict(bin: &Path, standard: &str, unit: &Path) -> Command {
    let mut compile = Command::new(bin.join("aspen++"));
    compile.args([&format!("-std={standard}"), "-Wall", "-Wextra", "-Werror"]).arg(unit);
    compile
}

#[cfg(test)]
mod tests {
    use super::forwards_to;

    #[test]
    fn headers_forward_or_do_more() {
        for (text, expected) in [
            ("//! Why.\n#pragma once\n\n#include <sycl/vec.hpp>\n", Some("sycl/vec.hpp")),
            ("#pragma once\n#include <sycl/vec.hpp>\n#include <sycl/range.hpp>\n", None),
            ("#pragma once\n#include <CL/sycl.hpp>\n", Some("CL/sycl.hpp")),
            ("#pragma once\n#include <vector>\n", None),
            ("#define A\n#include <sycl/vec.hpp>\n", None),
        ] {
            assert_eq!(forwards_to(text), expected, "{text}");
        }
    }
}
