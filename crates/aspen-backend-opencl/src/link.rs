//! Linking SPIR-V modules by `spirv-link` of SPIRV-Tools, for devices whose driver has no linker (`CL_DEVICE_LINKER_AVAILABLE`).
//!
//! The tool is looked for when it is needed, and its absence is an error that names it: a runtime depends on no tool. Source: issue 6
//! "Linking".

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

const TOOL: &str = "spirv-link";

/// One module of several.
///
/// # Errors
/// What the tool says, or that it is not there.
pub(crate) fn link(modules: &[Cow<'_, [u8]>]) -> Result<Vec<u8>, String> {
    link_by(OsStr::new(TOOL), modules)
}

fn link_by(tool: &OsStr, modules: &[Cow<'_, [u8]>]) -> Result<Vec<u8>, String> {
    let folder = Folder::make().map_err(|error| format!("no temporary folder for {TOOL}: {error}"))?;
    let out = folder.0.join("linked.spv");
    let mut command = Command::new(tool);
    command.stdin(Stdio::null()).arg("-o").arg(&out);
    for (number, module) in modules.iter().enumerate() {
        let file = folder.0.join(format!("{number}.spv"));
        fs::write(&file, module).map_err(|error| format!("{}: {error}", file.display()))?;
        command.arg(file);
    }
    let said = command.output().map_err(|error| {
        let why = "the driver cannot link device functions of several images";
        format!("{why}, and {} of SPIRV-Tools cannot be started: {error} (apt install spirv-tools)", tool.display())
    })?;
    if !said.status.success() {
        return Err(format!("{} failed ({}): {}", tool.display(), said.status, String::from_utf8_lossy(&said.stderr).trim()));
    }
    fs::read(&out).map_err(|error| format!("{} wrote nothing: {error}", tool.display()))
}

/// A folder of this user's only, gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn make() -> std::io::Result<Folder> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("aspen-link-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // Not one that is there already, which somebody else may have made.
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left over is small, and in the folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_are_missing_or_fail_are_named() {
        let modules = [Cow::Borrowed(&b"no SPIR-V"[..])];
        for (tool, words) in [
            ("no-such-spirv-link", "no-such-spirv-link of SPIRV-Tools cannot be started"),
            ("false", "false failed (exit status: 1)"),
            ("true", "true wrote nothing"),
        ] {
            let error = link_by(OsStr::new(tool), &modules).expect_err(tool);
            assert!(error.contains(words), "{error}");
        }
    }
}
