//! Where the parts of CUDA are that device code for NVIDIA's GPUs needs: ptxas, and libdevice, the library of mathematical functions.
//!
//! Both come with a CUDA toolkit and with NVIDIA's Python package `nvidia-cuda-nvcc`. Nothing of CUDA is needed to compile, only to link.

use std::env;
use std::path::{Path, PathBuf};

/// ptxas, where nothing else is said.
pub const ASSEMBLER: &str = "ptxas";

/// Where toolkits, Python packages and Debian put libdevice, below the folder that holds `bin/ptxas`.
const LIBRARIES: [&str; 2] = ["nvvm/libdevice/libdevice.10.bc", "lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"];

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cuda {
    /// ptxas; only a name if it was not found, so that running it says so.
    pub assembler: PathBuf,
    /// `libdevice.10.bc`.
    pub library: Option<PathBuf>,
}

/// Looks in the folders that `CUDA_PATH` and `CUDA_HOME` name, then in `PATH`, then where toolkits install themselves.
/// `named` is the assembler that the target's description names.
pub fn find(named: Option<&Path>) -> Cuda {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let roots: Vec<PathBuf> = ["CUDA_PATH", "CUDA_HOME"].iter().filter_map(|name| set(name)).map(PathBuf::from).collect();
    let path: Vec<PathBuf> = set("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    find_in(named, &roots, &path, Path::new("/usr/local/cuda"))
}

fn find_in(named: Option<&Path>, roots: &[PathBuf], path: &[PathBuf], last: &Path) -> Cuda {
    let name = named.unwrap_or(Path::new(ASSEMBLER));
    let assembler = if name.components().count() > 1 {
        name.to_owned()
    } else {
        let folders = roots.iter().map(|root| root.join("bin")).chain(path.iter().cloned()).chain([last.join("bin")]);
        folders.map(|folder| folder.join(name)).find(|file| file.is_file()).unwrap_or_else(|| name.to_owned())
    };
    // Beside the assembler that is used, also where it is reached by a link.
    let beside = std::fs::canonicalize(&assembler).ok();
    let beside = [beside.as_deref(), Some(assembler.as_path())].into_iter().flatten().filter_map(|file| file.parent()?.parent());
    let places = roots.iter().map(PathBuf::as_path).chain(beside).chain([last]);
    let library = places.flat_map(|root| LIBRARIES.map(|library| root.join(library))).find(|file| file.is_file());
    Cuda { assembler, library }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_in_their_order() {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = |name: &str| temporary.path().join(name);
        let touch = |name: &str| {
            let file = folder(name);
            fs::create_dir_all(file.parent().expect("it has one")).expect("writable");
            fs::write(file, "").expect("writable");
        };
        for file in ["set/bin/ptxas", "set/nvvm/libdevice/libdevice.10.bc", "usr/bin/ptxas", "usr/bin/other"] {
            touch(file);
        }
        touch("usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc");
        let set = [folder("set")];
        let path = [folder("nowhere"), folder("usr/bin")];
        let none = folder("none");
        let debian = Some(folder("usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"));
        let toolkit = Some(folder("set/nvvm/libdevice/libdevice.10.bc"));
        for (named, roots, path, last, assembler, library) in [
            (None, &set[..], &path[..], &none, folder("set/bin/ptxas"), &toolkit),
            (None, &[], &path, &none, folder("usr/bin/ptxas"), &debian),
            (None, &[], &[], &folder("set"), folder("set/bin/ptxas"), &toolkit),
            (Some("other"), &set, &path, &none, folder("usr/bin/other"), &toolkit),
            (Some("other"), &[], &[], &none, "other".into(), &None),
        ] {
            assert_eq!(find_in(named.map(Path::new), roots, path, last), Cuda { assembler, library: library.clone() }, "{named:?}");
        }
        let exact = folder("set/bin/ptxas");
        assert_eq!(find_in(Some(&exact), &[], &[], &none), Cuda { assembler: exact.clone(), library: toolkit.clone() });
        std::os::unix::fs::symlink(&exact, folder("usr/bin/linked")).expect("writable");
        assert_eq!(find_in(Some(Path::new("linked")), &[], &path, &none).library, toolkit);
    }
}
