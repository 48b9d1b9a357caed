//! Where the parts of LLVM and ROCm are that device code for AMD's GPUs needs: lld, and ocml, the library of mathematical functions.
//!
//! lld is LLVM's; ocml comes with ROCm and as Debian's package rocm-device-libs. Neither is needed to compile, only to link.

use std::env;
use std::path::{Path, PathBuf};

/// lld, where nothing else is said: of the LLVM that makes the objects.
pub const LINKER: &str = "ld.lld-22";

/// ocml, in the folder of the device's libraries; the second is the name of ROCm before 3.9.
const NAMES: [&str; 2] = ["ocml.bc", "ocml.amdgcn.bc"];

/// Where ROCm and Debian have that folder, below ROCm's own.
const FOLDERS: [&str; 3] = ["amdgcn/bitcode", "lib/x86_64-linux-gnu/amdgcn/bitcode", "lib/amdgcn/bitcode"];

/// Looks in the folder that `HIP_DEVICE_LIB_PATH` names, then below `ROCM_PATH`, `/opt/rocm` and `/usr`.
pub fn library() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let roots = set("ROCM_PATH").into_iter().chain(["/opt/rocm", "/usr"].map(PathBuf::from));
    library_in(set("HIP_DEVICE_LIB_PATH"), roots)
}

fn library_in(named: Option<PathBuf>, roots: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let below = |root: PathBuf| FOLDERS.map(|folder| root.join(folder));
    let folders = named.into_iter().chain(roots.into_iter().flat_map(below));
    folders.flat_map(|folder| NAMES.map(|name| folder.join(name))).find(|file| file.is_file())
}

/// The linker: the named one, or lld as this version's package calls it, else as others do.
pub fn linker(named: Option<&Path>) -> PathBuf {
    if let Some(named) = named {
        return named.to_owned();
    }
    let path: Vec<PathBuf> = env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let is_there = |name: &str| path.iter().any(|folder| folder.join(name).is_file());
    // An older lld links these objects as well: they hold machine code already.
    let found = [LINKER, "ld.lld"].into_iter().find(|name| is_there(name));
    found.unwrap_or(LINKER).into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_in_their_order() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = |name: &str| temporary.path().join(name);
        for file in [
            "named/ocml.bc",
            "rocm/amdgcn/bitcode/ocml.bc",
            "usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc",
            "old/amdgcn/bitcode/ocml.amdgcn.bc",
        ] {
            let file = folder(file);
            fs::create_dir_all(file.parent().expect("it has one")).expect("writable");
            fs::write(file, "").expect("writable");
        }
        for (named, roots, expected) in [
            (Some("named"), &["rocm", "usr"][..], Some("named/ocml.bc")),
            (None, &["rocm", "usr"], Some("rocm/amdgcn/bitcode/ocml.bc")),
            (Some("none"), &["none", "usr"], Some("usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc")),
            (None, &["old"], Some("old/amdgcn/bitcode/ocml.amdgcn.bc")),
            (None, &["none"], None),
        ] {
            assert_eq!(library_in(named.map(folder), roots.iter().map(|root| folder(root))), expected.map(folder), "{named:?} {roots:?}");
        }
        assert_eq!(linker(Some(Path::new("mine"))), Path::new("mine"));
    }
}
