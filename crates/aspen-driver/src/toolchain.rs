//! Where the parts of the toolchain are: clang on PATH, ours relative to the executable, so that a prefix can be moved.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::jobs::{self, Command};

/// The only clang whose plugin interface our plugin is built for.
pub const CLANG_MAJOR: u32 = 22;

const PLUGIN: &str = "libaspen_clang.so";
const RUNTIME: &str = "libaspen.so";

/// Everything a run needs from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// `clang++-22`.
    pub clang: PathBuf,
    /// The folder that holds `sycl/` and `aspen/`.
    pub include: PathBuf,
    /// The clang plugin.
    pub plugin: PathBuf,
}

impl Toolchain {
    /// Finds and checks every part.
    ///
    /// # Errors
    /// If a part is missing or clang is of another major version.
    pub fn find(executable: &Path) -> Result<Toolchain, Error> {
        let clang = find_clang()?;
        let include = executable
            .ancestors()
            .skip(1)
            .map(|folder| folder.join("include"))
            .find(|include| include.join("sycl/sycl.hpp").is_file())
            .ok_or_else(|| missing(executable, "the headers ('include/sycl/sycl.hpp' in a folder above it)"))?;
        let plugin = library(executable, PLUGIN)?;
        Ok(Toolchain { clang, include, plugin })
    }
}

/// The folder that holds libaspen.so: programs are linked against it and look for it there.
///
/// # Errors
/// If it is not there.
pub fn runtime_folder(executable: &Path) -> Result<PathBuf, Error> {
    let library = library(executable, RUNTIME)?;
    Ok(library.parent().map(Path::to_path_buf).unwrap_or_default())
}

/// In a prefix `bin/` and `lib/` are neighbours; cargo puts programs and libraries into one folder (tests one folder deeper).
fn library(executable: &Path, name: &str) -> Result<PathBuf, Error> {
    let mut folders = executable.ancestors().skip(1);
    let (here, above) = (folders.next(), folders.next());
    [above.map(|folder| folder.join("lib")), here.map(Path::to_path_buf), above.map(Path::to_path_buf)]
        .into_iter()
        .flatten()
        .map(|folder| folder.join(name))
        .find(|library| library.is_file())
        .ok_or_else(|| missing(executable, &format!("'{name}' (in '../lib', or beside it)")))
}

fn missing(executable: &Path, what: &str) -> Error {
    Error::Usage(format!(
        "'{}' does not find {what}; install with `cargo xtask install`, or build with `cargo build --workspace`",
        executable.display()
    ))
}

/// Looks for clang on PATH and asks it for its version: another major would not load the plugin, and requirements would be lost. One that
/// lies where Debian and LLVM's own packages have that version is not asked, since starting clang takes a sixth of a link from the cache.
pub fn find_clang() -> Result<PathBuf, Error> {
    let name = format!("clang++-{CLANG_MAJOR}");
    let path = env::var_os("PATH").unwrap_or_default();
    let clang = env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file());
    let Some(clang) = clang else {
        return Err(Error::Usage(format!("'{name}' is not on PATH; `cargo xtask setup` installs it (Debian package clang-{CLANG_MAJOR})")));
    };
    let own = format!("llvm-{CLANG_MAJOR}");
    if clang.canonicalize().is_ok_and(|file| file.iter().any(|part| part == own.as_str())) {
        return Ok(clang);
    }
    let output = jobs::run(&Command::new(&clang, ["--version".into()]))?;
    let text = output.stdout_text();
    let version = text.split_once("clang version ").map(|(_, rest)| rest.split(['.', ' ', '\n']).next().unwrap_or(""));
    match version.and_then(|version| version.parse::<u32>().ok()) {
        Some(CLANG_MAJOR) => Ok(clang),
        Some(other) => Err(Error::Usage(format!(
            "'{}' is clang {other}, but this Aspen is built for clang {CLANG_MAJOR}; `cargo xtask setup` installs the right one",
            clang.display()
        ))),
        None => Err(Error::Usage(format!(
            "'{}' does not say which clang it is: {}",
            clang.display(),
            text.lines().next().unwrap_or("(nothing)")
        ))),
    }
}
