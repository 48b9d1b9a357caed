//! Compiles the plugin's C++ part. It is linked whole, because nothing but static constructors refers to its registry entries.

use std::error::Error;
use std::path::Path;
use std::process::Command;

#[path = "../aspen-llvm/precompile.rs"]
mod precompile;

/// The one clang whose C++ API the plugin is written against.
const LLVM_CONFIG: &str = "llvm-config-22";

fn main() -> Result<(), Box<dyn Error>> {
    if precompile::for_clippy() {
        return Ok(());
    }
    let output = Command::new(LLVM_CONFIG)
        .arg("--cxxflags")
        .output()
        .map_err(|error| format!("cannot run {LLVM_CONFIG}: {error}; install the packages llvm-22-dev and libclang-22-dev"))?;
    if !output.status.success() {
        return Err(format!("{LLVM_CONFIG} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let mut build = cc::Build::new();
    // cc's own link lines would not say +whole-archive.
    build.cpp(true).compiler("clang++-22").warnings(false).cargo_metadata(false).opt_level_str("s").debug(false);
    // LLVM's headers assert by this, as Rust does by the profile.
    if std::env::var("PROFILE")? == "release" {
        build.define("NDEBUG", None);
    }
    for flag in String::from_utf8(output.stdout)?.split_whitespace() {
        build.flag(flag);
    }
    let mut sources = Vec::new();
    for entry in std::fs::read_dir("plugin")? {
        let path = entry?.path();
        println!("cargo:rerun-if-changed={}", path.display());
        if path.extension().is_some_and(|extension| extension == "cpp") {
            sources.push(path);
        }
    }
    sources.sort();
    build.flag("-Wall").flag("-Wno-deprecated-declarations");
    precompile::precompile(&mut build, "plugin/precompiled.h")?;
    build.files(&sources).compile("aspen_clang_plugin");
    let out = std::env::var("OUT_DIR")?;
    println!("cargo:rustc-link-search=native={}", Path::new(&out).display());
    println!("cargo:rustc-link-lib=static:+whole-archive=aspen_clang_plugin");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rerun-if-changed=plugin");
    Ok(())
}
