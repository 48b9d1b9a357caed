//! What drivers lack and tools do instead: linking SPIR-V modules (`spirv-link` of SPIRV-Tools) where `CL_DEVICE_LINKER_AVAILABLE` says no, and
//! turning SPIR-V into LLVM's bitcode (`llvm-spirv` of SPIRV-LLVM-Translator) for PoCL, which takes bitcode of the LLVM that it was built with.
//!
//! The tools are looked for when they are needed: a runtime depends on none. Source: issue 6 "Linking"; DESIGN §10.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

const LINKER: &str = "spirv-link";

/// One module of several.
///
/// # Errors
/// What the tool says, or that it is not there.
pub(crate) fn link(modules: &[Cow<'_, [u8]>]) -> Result<Vec<u8>, String> {
    link_by(OsStr::new(LINKER), &of_one_version(modules))
}

/// The first version whose entry points list more than a module of an older one may say. Source: SPIR-V 1.4, "OpEntryPoint".
const LISTS_ALL: u32 = 0x0001_0400;

/// The tool takes modules of one version only: what each says is as true of the newest of them.
fn of_one_version<'m>(modules: &'m [Cow<'_, [u8]>]) -> Vec<Cow<'m, [u8]>> {
    let version = |module: &[u8]| Some(u32::from_le_bytes(module.get(4..8)?.try_into().ok()?));
    let newest = modules.iter().filter_map(|module| version(module)).max().filter(|newest| *newest < LISTS_ALL);
    let raised = |module: &'m Cow<'_, [u8]>| match newest.filter(|newest| version(module) != Some(*newest) && module.len() >= 8) {
        None => Cow::Borrowed(&**module),
        Some(newest) => {
            let mut module = module.to_vec();
            module[4..8].copy_from_slice(&newest.to_le_bytes());
            Cow::Owned(module)
        }
    };
    modules.iter().map(raised).collect()
}

fn link_by(tool: &OsStr, modules: &[Cow<'_, [u8]>]) -> Result<Vec<u8>, String> {
    let absent = "the driver cannot link device functions of several images, and SPIRV-Tools are needed for it (apt install spirv-tools)";
    made_by(tool, &[], modules, absent)
}

/// The tool that makes bitcode for one LLVM.
pub(crate) struct Translator(PathBuf);

impl Translator {
    /// The one for the LLVM that a platform's version names (`OpenCL 3.0 PoCL 3.1 Linux, LLVM 15.0.6, …`).
    ///
    /// # Errors
    /// The name of the tool that is not there; `None` if no LLVM is named.
    pub(crate) fn for_platform(version: &str) -> Result<Translator, Option<String>> {
        let name = translator_name(version).ok_or(None)?;
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file());
        found.map(Translator).ok_or(Some(name))
    }

    /// Bitcode of a module.
    ///
    /// # Errors
    /// What the tool says.
    pub(crate) fn bitcode(&self, spirv: &[u8]) -> Result<Vec<u8>, String> {
        // OpenCL 1.2's functions: PoCL 3.1 has those of OpenCL 2.0 only in part. Its atomics of 1.2 acquire and release.
        let arguments = ["-r", "--spirv-target-env=CL1.2"];
        made_by(self.0.as_os_str(), &arguments, &[Cow::Borrowed(spirv)], "SPIR-V becomes bitcode for the driver by it")
    }

    /// The file that is run.
    pub(crate) fn tool(&self) -> &Path {
        &self.0
    }
}

fn translator_name(version: &str) -> Option<String> {
    let (_, rest) = version.split_once("LLVM ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| format!("llvm-spirv-{}", &rest[..digits]))
}

/// What a tool makes of files with these contents.
fn made_by(tool: &OsStr, arguments: &[&str], inputs: &[Cow<'_, [u8]>], absent: &str) -> Result<Vec<u8>, String> {
    let folder = Folder::make().map_err(|error| format!("no temporary folder for {}: {error}", tool.display()))?;
    let out = folder.0.join("out");
    let mut command = Command::new(tool);
    command.stdin(Stdio::null()).args(arguments).arg("-o").arg(&out);
    for (number, input) in inputs.iter().enumerate() {
        let file = folder.0.join(format!("{number}.spv"));
        fs::write(&file, input).map_err(|error| format!("{}: {error}", file.display()))?;
        command.arg(file);
    }
    let said = command.output().map_err(|error| format!("{} cannot be started: {error}; {absent}", tool.display()))?;
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
        let name = format!("aspen-opencl-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
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
    fn modules_of_older_versions_are_raised() {
        let module = |version: u32, rest: u8| {
            let mut bytes = 0x0723_0203_u32.to_le_bytes().to_vec();
            bytes.extend(version.to_le_bytes());
            bytes.push(rest);
            Cow::<[u8]>::Owned(bytes)
        };
        for (versions, raised) in [
            ([0x0001_0000, 0x0001_0100], [0x0001_0100, 0x0001_0100]),
            ([0x0001_0200, 0x0001_0200], [0x0001_0200, 0x0001_0200]),
            // Not across what changed for entry points.
            ([0x0001_0000, 0x0001_0400], [0x0001_0000, 0x0001_0400]),
        ] {
            let given = versions.map(|version| module(version, 7));
            assert_eq!(of_one_version(&given), raised.map(|version| module(version, 7)));
        }
    }

    #[test]
    fn tools_that_are_missing_or_fail_are_named() {
        let modules = [Cow::Borrowed(&b"no SPIR-V"[..])];
        for (tool, words) in [
            ("no-such-spirv-link", "no-such-spirv-link cannot be started"),
            ("no-such-spirv-link", "apt install spirv-tools"),
            ("false", "false failed (exit status: 1)"),
            ("true", "true wrote nothing"),
        ] {
            let error = link_by(OsStr::new(tool), &modules).expect_err(tool);
            assert!(error.contains(words), "{error}");
        }
        let error = Translator("false".into()).bitcode(b"no SPIR-V").expect_err("it fails");
        assert_eq!(error, "false failed (exit status: 1): ");
    }

    #[test]
    fn the_platforms_llvm_names_the_translator() {
        for (version, name) in [
            ("OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO", Some("llvm-spirv-15")),
            ("OpenCL 1.2 pocl 1.0 LLVM 9.0", Some("llvm-spirv-9")),
            ("OpenCL 3.0 LINUX", None),
            ("OpenCL 3.0 LLVM next", None),
            ("", None),
        ] {
            assert_eq!(translator_name(version).as_deref(), name, "{version}");
        }
    }
}
