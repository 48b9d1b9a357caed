//! oneDPL's headers for the suite of that name, in the folder that holds the OpenCL drivers: what of other people's libraries programs use most
//! (issue 13.7). They come as a Python wheel of Intel's.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::wheels;

/// The newest release, and one of those that programs of before use.
pub const VERSIONS: [&str; 2] = ["2022.14.0", "2022.8.0"];

/// The folder to include from; brings what is missing.
pub fn install(cache: &Path, version: &str) -> Result<PathBuf> {
    let folder = cache.join(format!("onedpl-{version}"));
    let include = folder.join(format!("onedpl_devel-{version}.data/data/include"));
    let last = include.join("oneapi/dpl/algorithm");
    if last.is_file() {
        return Ok(include);
    }
    println!("setup: installing onedpl-devel {version} (headers)");
    let new = cache.join(format!(".onedpl.{}", std::process::id()));
    let outcome = lay_out(&new, &folder, version);
    // What is left of it is of no use; the error that counts is the first one.
    let _ = fs::remove_dir_all(&new);
    outcome.with_context(|| format!("onedpl-devel {version}"))?;
    anyhow::ensure!(last.is_file(), "the wheel onedpl-devel {version} holds no {}", last.display());
    Ok(include)
}

fn lay_out(new: &Path, folder: &Path, version: &str) -> Result<()> {
    let unpacked = new.join("unpacked");
    wheels::unpack(&[format!("onedpl-devel=={version}")], &new.join("wheels"), &unpacked)?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(&unpacked, folder).with_context(|| format!("cannot make {}", folder.display()))
}
