//! CUDA's ptxas and libdevice for tests, in the folder that holds the OpenCL drivers: no GPU and no toolkit is needed to make cubins. For benches that
//! compile CUDA by clang also what that wants: headers, the runtime library, and the programs that pack and link device code.
//!
//! They come as Python wheels of NVIDIA's, which are only unpacked. The version is the last that knows all targets of the database
//! (`sm_50` and later). Source: issue 5.7.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::output;
use crate::wheels;

const PACKAGE: &str = "nvidia-cuda-nvcc-cu12";
const VERSION: &str = "12.9.86";

/// Files of the wheel, below its folder, and where the compiler driver looks for them below `CUDA_PATH`.
const ROOT: &str = "nvidia/cuda_nvcc";
const ASSEMBLER: &str = "bin/ptxas";
const FILES: [&str; 2] = [ASSEMBLER, "nvvm/libdevice/libdevice.10.bc"];

/// The folder for `CUDA_PATH`; brings what is missing.
pub fn install(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join(format!("cuda-{VERSION}"));
    if FILES.iter().all(|file| folder.join(file).is_file()) {
        return Ok(folder);
    }
    println!("setup: installing {PACKAGE} {VERSION} (ptxas and libdevice)");
    let new = cache.join(format!(".cuda.{}", std::process::id()));
    let outcome = lay_out(&new, &folder);
    // What is left of it is of no use; the error that counts is the first one.
    let _ = fs::remove_dir_all(&new);
    outcome.with_context(|| format!("{PACKAGE} {VERSION}"))?;
    Ok(folder)
}

/// The wheels of a toolkit for clang, and what of them is laid out: folders and files below theirs.
const TOOLKIT: [(&str, &str, &[&str]); 4] = [
    ("nvidia-cuda-nvcc-cu12==12.9.86", ROOT, &[ASSEMBLER, "include", "nvvm"]),
    ("nvidia-cuda-runtime-cu12==12.9.79", "nvidia/cuda_runtime", &["include", "lib"]),
    // CUB and Thrust, which programs of others include.
    ("nvidia-cuda-cccl-cu12==12.9.27", "nvidia/cuda_cccl", &["include"]),
    // That of 12.9 has no such programs.
    ("nvidia-cuda-nvcc==13.0.88", "nvidia/cu13", &["bin/fatbinary", "bin/nvlink"]),
];
/// clang includes it whenever it compiles CUDA, and its own library, whose wheel is large, is not wanted.
const UNUSED_HEADER: &str = "include/curand_mtgp32_kernel.h";
/// Of the part that came to the toolkit last.
const LAST_HEADER: &str = "include/cub/cub.cuh";

/// The folder for clang's `--cuda-path`; brings what is missing.
pub fn toolkit(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join(format!("cuda-toolkit-{VERSION}"));
    if [UNUSED_HEADER, LAST_HEADER].iter().all(|header| folder.join(header).is_file()) {
        return Ok(folder);
    }
    println!("setup: installing CUDA's toolkit {VERSION}, as far as clang needs it");
    let new = cache.join(format!(".cuda-toolkit.{}", std::process::id()));
    let outcome = lay_out_toolkit(&new, &folder);
    let _ = fs::remove_dir_all(&new);
    outcome.with_context(|| format!("CUDA's toolkit {VERSION}"))?;
    Ok(folder)
}

fn lay_out_toolkit(new: &Path, folder: &Path) -> Result<()> {
    let root = new.join("root");
    for (number, (wheel, own, parts)) in TOOLKIT.into_iter().enumerate() {
        let unpacked = unpack(&new.join(number.to_string()), wheel)?.join(own);
        for part in parts {
            let to = root.join(part);
            fs::create_dir_all(to.parent().context("a part of a folder")?)?;
            output(Command::new("cp").arg("-rT").arg(unpacked.join(part)).arg(&to))?;
        }
    }
    for program in fs::read_dir(root.join("bin"))? {
        fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
    }
    // What `-lcudart` looks for.
    std::os::unix::fs::symlink("libcudart.so.12", root.join("lib/libcudart.so"))?;
    fs::write(root.join(UNUSED_HEADER), "")?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(&root, folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Brings a wheel and unpacks it below a new folder; where.
fn unpack(new: &Path, wanted: &str) -> Result<PathBuf> {
    let unpacked = new.join("unpacked");
    wheels::unpack(&[wanted.to_owned()], &new.join("wheels"), &unpacked)?;
    Ok(unpacked)
}

fn lay_out(new: &Path, folder: &Path) -> Result<()> {
    let unpacked = unpack(new, &format!("{PACKAGE}=={VERSION}"))?;
    let root = new.join("root");
    for file in FILES {
        let (from, to) = (unpacked.join(ROOT).join(file), root.join(file));
        ensure!(from.is_file(), "its wheel holds no {file}");
        fs::create_dir_all(to.parent().context("a file of a folder")?)?;
        fs::rename(&from, &to).with_context(|| format!("cannot move {}", from.display()))?;
    }
    // zipfile forgets who may run what.
    fs::set_permissions(root.join(ASSEMBLER), fs::Permissions::from_mode(0o755))?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(&root, folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_when_its_files_are() {
        let cache = std::env::temp_dir().join(format!("aspen-cuda-{}", std::process::id()));
        let folder = cache.join(format!("cuda-{VERSION}"));
        for file in FILES {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().expect("it has one")).expect("a folder");
            fs::write(file, "x").expect("a file");
        }
        assert_eq!(install(&cache).expect("nothing to do"), folder);
        fs::remove_dir_all(&cache).expect("our own folder");
    }
}
