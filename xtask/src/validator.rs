//! A SPIRV-Tools that knows SPV_INTEL_function_variants, in the folder that holds the OpenCL drivers: with it tests validate conditional
//! modules whole; Debian 12's takes them only without the tokens it does not know.
//!
//! Debian's unstable has one (2026.4; 2025.3 has not, and no package of PyPI or npm was found that has). Its packages are downloaded with apt's own lists for
//! that release, kept apart from the system's, and are only unpacked; since they need a later C library than Debian 12's, that comes with
//! them and its own loader starts the tool. Source: issue 7 "Proof against reality".

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::output;

const RELEASE: &str = "sid";
const PACKAGES: [&str; 4] = ["spirv-tools", "libc6", "libstdc++6", "libgcc-s1"];
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Where the libraries of the packages lie.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
const LOADER: &str = "ld-linux-x86-64.so.2";

/// The validator below the cache of drivers, if it was brought there.
pub fn installed(cache: &Path) -> Option<PathBuf> {
    Some(folder(cache).join("bin/spirv-val")).filter(|tool| tool.is_file())
}

fn folder(cache: &Path) -> PathBuf {
    cache.join(format!("spirv-tools-{RELEASE}"))
}

/// Brings the validator, if it is not there.
pub fn install(cache: &Path) -> Result<PathBuf> {
    if let Some(tool) = installed(cache) {
        return Ok(tool);
    }
    println!("spirv-tools of {RELEASE}: installing");
    let new = cache.join(format!(".spirv-tools.{}", std::process::id()));
    let outcome = lay_out(&new, &folder(cache));
    if outcome.is_err() {
        // What is left of it is of no use; the error that counts is the first one.
        let _ = fs::remove_dir_all(&new);
    }
    outcome.with_context(|| format!("spirv-tools of {RELEASE}"))?;
    installed(cache).context("the packages hold no spirv-val")
}

fn lay_out(new: &Path, folder: &Path) -> Result<()> {
    let (apt, archives, unpacked) = (new.join("apt"), new.join("archives"), new.join("unpacked"));
    for made in [&apt.join("lists/partial"), &apt.join("cache/archives/partial"), &archives, &unpacked] {
        fs::create_dir_all(made).with_context(|| format!("cannot make {}", made.display()))?;
    }
    let list = apt.join("sources.list");
    fs::write(&list, format!("deb [signed-by={KEYRING}] {} {RELEASE} main\n", archive()?))?;
    let options = [
        "APT::Sandbox::User=root".to_owned(),
        format!("Dir::State::Lists={}", apt.join("lists").display()),
        format!("Dir::Cache={}", apt.join("cache").display()),
        format!("Dir::Etc::sourcelist={}", list.display()),
        "Dir::Etc::sourceparts=/dev/null".to_owned(),
        "Dir::Etc::preferencesparts=/dev/null".to_owned(),
    ];
    let apt_get = || {
        let mut command = Command::new("apt-get");
        command.arg("-q").args(options.iter().flat_map(|option| ["-o", option]));
        command
    };
    let download = || -> Result<()> {
        output(apt_get().arg("update"))?;
        output(apt_get().arg("download").args(PACKAGES.map(|package| format!("{package}/{RELEASE}"))).current_dir(&archives))?;
        Ok(())
    };
    // That release changes several times a day: lists may be older than what they list.
    download().or_else(|_| download()).or_else(|_| download())?;
    for package in fs::read_dir(&archives)? {
        output(Command::new("dpkg-deb").arg("-x").arg(package?.path()).arg(&unpacked))?;
    }
    ensure!(unpacked.join(LIBRARIES).join(LOADER).exists(), "libc6 holds no {LOADER}");
    let (root, bin) = (folder.join("root"), new.join("bin"));
    fs::create_dir_all(&bin)?;
    let libraries = root.join(LIBRARIES);
    let script = format!(
        "#!/bin/sh\nexec '{0}/{LOADER}' --library-path '{0}' '{1}' \"$@\"\n",
        libraries.display(),
        root.join("usr/bin/spirv-val").display()
    );
    fs::write(bin.join("spirv-val"), script)?;
    fs::set_permissions(bin.join("spirv-val"), fs::Permissions::from_mode(0o755))?;
    fs::rename(&unpacked, new.join("root"))?;
    fs::remove_dir_all(&apt)?;
    fs::remove_dir_all(&archives)?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(new, folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// The archive that this machine's Debian comes from.
fn archive() -> Result<String> {
    let mut targets = Command::new("apt-get");
    targets.args(["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian"]);
    let said = output(&mut targets)?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    Ok(text.lines().next().context("no source of apt's is Debian's archive; run apt-get update")?.to_owned())
}
