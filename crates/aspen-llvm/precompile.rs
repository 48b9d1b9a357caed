//! LLVM's headers, parsed once for all C++ of a crate: without this, nine tenths of compiling that C++ is reading them again for each file.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Whether clippy asks, which links nothing: the C++ would be compiled once more, as build scripts of a workspace are others for each tool.
pub fn for_clippy() -> bool {
    println!("cargo:rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    env::var_os("RUSTC_WORKSPACE_WRAPPER")
        .is_some_and(|wrapper| Path::new(&wrapper).file_stem().is_some_and(|name| name == "clippy-driver"))
}

/// Precompiles `header` with all that `build` was told so far, and lets its files begin with it. They include what they need nonetheless:
/// other compilers than clang, and editors, read them as they are.
///
/// # Errors
///
/// The compiler cannot be started, or refuses the header.
pub fn precompile(build: &mut cc::Build, header: &str) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={header}");
    let compiler = build.try_get_compiler()?;
    if !compiler.is_like_clang() {
        return Ok(());
    }
    let made = PathBuf::from(env::var("OUT_DIR")?).join(Path::new(header).with_extension("pch").file_name().ok_or("a header has a name")?);
    let status = compiler.to_command().args(["-x", "c++-header", header, "-fpch-instantiate-templates", "-o"]).arg(&made).status()?;
    if !status.success() {
        return Err(format!("{header} cannot be precompiled: {status}").into());
    }
    build.flag("-include-pch").flag(&made);
    Ok(())
}
