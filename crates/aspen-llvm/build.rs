//! Compiles `shim/`, the C++ that LLVM's C API has no functions for, with the flags that `llvm-config` of the linked LLVM prints.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

mod precompile;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    if precompile::for_clippy() {
        return Ok(());
    }
    let prefix = env::var_os("LLVM_SYS_221_PREFIX").map(PathBuf::from);
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").warnings(true).flag("-Wno-unused-parameter").flag("-fno-rtti").flag("-fno-exceptions");
    // What LLVM's headers assert holds in what tests run.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        build.define("NDEBUG", None);
    }
    // What is instantiated of LLVM here is of nobody's concern: else a program exports it, and needs libLLVM for it though it calls nothing.
    build.flag("-fvisibility=hidden");
    if env::var_os("CXX").is_none() {
        build.compiler("clang++-22");
    }
    for flag in config(prefix.as_deref()) {
        match flag.strip_prefix("-I") {
            // LLVM's headers are not ours to warn about.
            Some(include) => build.flag("-isystem").flag(include),
            None if flag.starts_with("-D") => build.flag(&flag),
            None => &mut build,
        };
    }
    precompile::precompile(&mut build, "shim/precompiled.h")?;
    build.files([
        "shim/shim.cpp",
        "shim/closure.cpp",
        "shim/parts.cpp",
        "shim/device_globals.cpp",
        "shim/dpcpp.cpp",
        "shim/library.cpp",
        "shim/function_facts.cpp",
        "shim/wide_vectors.cpp",
        "shim/hierarchy.cpp",
        "shim/ptx_kernels.cpp",
        "shim/ptx_moves.cpp",
    ]);
    build.files(
        [
            "places",
            "item",
            "joined",
            "cut",
            "steps",
            "lane_places",
            "lane_reads",
            "remade",
            "read_once",
            "split_guards",
            "split_ways",
            "parted",
            "sunk_guards",
            "strides",
            "strips",
            "group",
            "ended",
            "same_ways",
            "scalars",
            "skipped",
            "sub_groups",
            "takes",
            "own_math",
            "vector_math",
            "alike",
            "calls",
            "checked_vectors",
            "arrays",
            "pointers",
            "private_memory",
            "interior",
            "partners",
            "jammed",
            "common_sums",
            "local_atomics",
            "safe_loops",
            "whole_lanes",
            "gathers",
            "boxes",
            "numbers",
            "turn_strips",
            "turns",
            "guards",
            "lane_gains",
            "lane_loops",
            "item_loops",
        ]
        .map(|step| format!("shim/items/{step}.cpp")),
    );
    build.files(["legalise", "vectors", "intrinsics", "wide", "narrow", "forms"].map(|step| format!("shim/spirv/{step}.cpp")));
    build.compile("aspen_llvm_shim");
    Ok(())
}

/// `llvm-config --cxxflags`, of the installation that llvm-sys links.
fn config(prefix: Option<&Path>) -> Vec<String> {
    let program = prefix.map_or_else(|| PathBuf::from("llvm-config-22"), |prefix| prefix.join("bin/llvm-config"));
    let output = Command::new(&program)
        .arg("--cxxflags")
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}; install Debian's llvm-22-dev", program.display()));
    assert!(output.status.success(), "{} --cxxflags failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
}
