//! Programs and libraries without their debug information, and that information in files that gdb finds by itself.
//!
//! Source: GDB's manual, "Debugging Information in Separate Files": a debug link's file is looked for in `.debug` beside the program.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::install;
use crate::shell::run;

/// Strips what lies below `prefix`; `debug` gets `bin/.debug/aspen++.debug` and so on.
///
/// # Errors
/// What objcopy and strip say.
pub fn strip(prefix: &Path, debug: &Path) -> Result<()> {
    for file in install::files(prefix)?.into_iter().filter(|file| is_elf(&prefix.join(file)).unwrap_or(false)) {
        let name = format!("{}.debug", file.file_name().context("a file has a name")?.to_string_lossy());
        let folder = debug.join(file.parent().unwrap_or(Path::new(""))).join(".debug");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let (program, apart) = (prefix.join(&file), folder.join(&name));
        run(Command::new("objcopy").args(["--only-keep-debug", "--compress-debug-sections=zlib"]).arg(&program).arg(&apart))?;
        run(Command::new("strip").arg("--strip-unneeded").arg(&program))?;
        run(Command::new("objcopy").arg(format!("--add-gnu-debuglink={}", apart.display())).arg(&program))?;
    }
    Ok(())
}

fn is_elf(path: &PathBuf) -> Result<bool> {
    let mut start = [0; 4];
    Ok(path.symlink_metadata()?.is_file() && File::open(path)?.read_exact(&mut start).is_ok() && start == *b"\x7fELF")
}
