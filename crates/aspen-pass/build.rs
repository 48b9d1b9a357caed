//! Compiles the C++ half. It is linked whole: nothing refers to the static objects that register its options.

use std::error::Error;
use std::path::Path;
use std::process::Command;

/// The one LLVM whose C++ API the plugin is written against.
const LLVM_CONFIG: &str = "llvm-config-22";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=plugin");
    let output = Command::new(LLVM_CONFIG)
        .arg("--cxxflags")
        .output()
        .map_err(|error| format!("cannot run {LLVM_CONFIG}: {error}; install the package llvm-22-dev"))?;
    if !output.status.success() {
        return Err(format!("{LLVM_CONFIG} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let mut build = cc::Build::new();
    // cc's own link lines would not say +whole-archive.
    build.cpp(true).compiler("clang++-22").warnings(false).cargo_metadata(false).opt_level(1).debug(false);
    for flag in String::from_utf8(output.stdout)?.split_whitespace() {
        build.flag(flag);
    }
    build.file("plugin/Pass.cpp").flag("-Wall").compile("aspen_pass_plugin");
    println!("cargo:rustc-link-search=native={}", Path::new(&std::env::var("OUT_DIR")?).display());
    println!("cargo:rustc-link-lib=static:+whole-archive=aspen_pass_plugin");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    Ok(())
}
