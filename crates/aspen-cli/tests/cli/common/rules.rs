//! Sources and what the tools say of them: kernels × requirements of every target, and the compiler's warnings.

use std::collections::BTreeMap;

use super::Session;

/// What every source begins with, on no line of its own. SYCL's header comes first, as it does for users, so that it is precompiled.
pub const PRELUDE: &str = "\
#include <sycl/sycl.hpp>
using sycl::aspect;
template <class Name, class F> void launch(F f) { sycl::queue().single_task<Name>(f); }
template <class Name, class F> void launch_items(F f) { sycl::queue().parallel_for<Name>(sycl::nd_range<1>(8, 8), f); }
";

/// A folder with the sources and the prelude, for `-include`.
pub fn session(files: &[(&str, &str)]) -> Session {
    let session = Session::new(files);
    std::fs::write(session.path("prelude.hpp"), PRELUDE).expect("writable");
    session
}

/// A folder with the sources, each behind the prelude.
pub fn units(files: &[(&str, &str)]) -> Session {
    let session = Session::new(files);
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".cpp")) {
        std::fs::write(session.path(name), format!("{PRELUDE}#line 1 \"{name}\"\n{text}")).expect("writable");
    }
    session
}

/// A requirement as one line, `kernel: aspects wg=… sg=…`.
pub fn line(name: &str, needs: &serde_json::Value) -> String {
    let mut line = format!("{name}:");
    for aspect in needs["aspects"].as_array().expect("a list") {
        line.push_str(&format!(" {}", aspect.as_str().expect("a name")));
    }
    if let Some(size) = needs["reqd_work_group_size"].as_array() {
        let dims: Vec<String> = size.iter().map(ToString::to_string).collect();
        line.push_str(&format!(" wg={}", dims.join("x")));
    }
    if !needs["reqd_sub_group_size"].is_null() {
        line.push_str(&format!(" sg={}", needs["reqd_sub_group_size"]));
    }
    line + "\n"
}

/// The kernels of each target, by name; all its images together.
pub fn kernels(session: &Session, file: &str) -> Vec<(String, String)> {
    let inspected = session.json(&format!("aspen inspect {file}"));
    let mut targets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for image in inspected["images"].as_array().expect("images") {
        let lines = targets.entry(image["target"].as_str().expect("a target").to_owned()).or_default();
        for kernel in image["kernels"].as_array().expect("kernels") {
            lines.push(line(kernel["name"].as_str().expect("a name"), &kernel["requirements"]));
        }
    }
    targets
        .into_iter()
        .map(|(target, mut lines)| {
            lines.sort();
            (target, lines.concat())
        })
        .collect()
}

/// What the compiler says, without the source lines it shows.
pub fn said(stderr: &str) -> String {
    let snippet = |line: &&str| line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).starts_with("| ");
    stderr.lines().filter(|line| !snippet(line)).map(|line| format!("{line}\n")).collect()
}

/// Compiles and compares kernels × requirements of every target, and the warnings with their chains.
#[track_caller]
pub fn check(source: &str, expected_kernels: &str, expected_warnings: &str) {
    check_with("-fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_90", source, expected_kernels, expected_warnings);
}

#[track_caller]
pub fn check_with(flags: &str, source: &str, expected_kernels: &str, expected_warnings: &str) {
    let session = units(&[("t.cpp", source)]);
    let warnings = said(&session.ok(&format!("aspen++ {flags} -c t.cpp -o t.o")).stderr);
    for (target, found) in kernels(&session, "t.o") {
        assert_eq!(found, expected_kernels, "{target}");
    }
    assert_eq!(warnings, expected_warnings);
}

/// The metadata of every function that has any of the pass's kinds, `name: kind numbers; …`, sorted; and the marked types.
pub fn metadata(ir: &str) -> String {
    let nodes: BTreeMap<&str, &str> = ir.lines().filter_map(|line| line.strip_prefix('!')?.split_once(" = ")).collect();
    let numbers = |node: &str| -> String {
        let inner = nodes.get(node).and_then(|text| text.strip_prefix("!{")?.strip_suffix('}')).unwrap_or("?");
        inner.replace("i32 ", "").replace("i64 ", "").replace(',', "")
    };
    let mut out = Vec::new();
    for line in ir.lines().filter(|line| line.starts_with("define") || line.starts_with("declare")) {
        let name = line.split_once('@').and_then(|(_, rest)| rest.split_once('(')).expect("a function has a name").0;
        let kinds =
            ["intel_declared_aspects", "intel_used_aspects", "reqd_work_group_size", "work_group_num_dim", "intel_reqd_sub_group_size"];
        let attached = kinds.iter().filter_map(|kind| {
            let node = line.split_once(&format!("!{kind} !"))?.1.split([' ', ',']).next()?;
            Some(format!("{kind} {}", numbers(node)).trim_end().to_owned())
        });
        let attached: Vec<String> = attached.collect();
        if !attached.is_empty() {
            out.push(format!("{name}: {}\n", attached.join("; ")));
        }
    }
    for line in ir.lines().filter_map(|line| line.strip_prefix("!intel_types_that_use_aspects = !{")) {
        for node in line.trim_end_matches('}').split(", ") {
            out.push(format!("type {}\n", numbers(node.trim_start_matches('!'))));
        }
    }
    out.sort();
    out.concat()
}
