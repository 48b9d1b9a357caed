//! Packages are installed, used and removed: the tarball somewhere else than where it was made, the Debian packages unpacked below a
//! folder, and, where root and the network allow it, by apt in a Debian 12 that has nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::Packages;
use crate::install;
use crate::shell::{find_program, is_root, output};

const PROGRAM: &str = include_str!("../../../tests/package/program.cpp");

/// What the program prints.
const RUNS: &str = "sum 4032\ndouble runs\n";
/// What it prints on a device without `double`.
const REFUSES: &str = "sum 4032\ndouble is refused\n";

/// The Debian that packages are for.
const SUITE: &str = "bookworm";

/// What came of it.
#[derive(Default)]
pub struct Tried {
    pub passed: u64,
    /// Why something was not tried.
    pub skipped: Vec<String>,
}

/// Installs, uses and removes all packages, in folders below `folder`, of which nothing is left.
///
/// # Errors
/// The first thing that does not work, with what was said.
pub fn try_packages(packages: &Packages, folder: &Path) -> Result<Tried> {
    install::forget(folder)?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let folder = folder.canonicalize()?;
    let mut tried = Tried::default();
    let program = moved_tarball(packages, &folder).context("the tarball")?;
    unpacked_debs(packages, &folder).context("the unpacked Debian packages")?;
    tried.passed += 2;
    match obstacle()? {
        Some(why) => tried.skipped.push(format!("a bare Debian: {why}")),
        None => {
            bare_debian(packages, &program, &folder).with_context(|| format!("a bare {SUITE}"))?;
            tried.passed += 1;
        }
    }
    install::forget(&folder)?;
    Ok(tried)
}

/// Unpacks the tarball, moves it, and uses it there. Returns a program that was linked with it, whose run path is of this folder.
fn moved_tarball(packages: &Packages, folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join("unpacked");
    std::fs::create_dir_all(&unpacked)?;
    output(Command::new("tar").arg("-xJf").arg(&packages.tarball).arg("-C").arg(&unpacked))?;
    let inner = std::fs::read_dir(&unpacked)?.next().context("the tarball is empty")??.path();
    let prefix = folder.join("else where");
    std::fs::rename(inner, &prefix)?;
    let program = used(&prefix.join("bin"), &folder.join("of-tarball"))?;
    let pages = install::files(&prefix.join("share/man/man1"))?;
    ensure!(pages.contains(&PathBuf::from("aspen++.1")), "no manual page of aspen++ among {pages:?}");
    // A program finds the library by its run path alone: without it, it does not start.
    let hidden = folder.join("hidden");
    std::fs::rename(&prefix, &hidden)?;
    ensure!(said(&program, None).is_err(), "the program runs though its run path is empty");
    std::fs::rename(&hidden, &prefix)?;
    Ok(program)
}

/// Unpacks the Debian packages below a folder: their links are relative, so that they work there too.
fn unpacked_debs(packages: &Packages, folder: &Path) -> Result<()> {
    let root = folder.join("root");
    for deb in &packages.debs {
        output(Command::new("dpkg-deb").arg("-x").arg(deb).arg(&root))?;
    }
    for file in install::files(&root)? {
        let path = root.join(file);
        ensure!(path.exists(), "{} leads nowhere", path.display());
    }
    used(&root.join("usr/bin"), &folder.join("of-debs"))?;
    Ok(())
}

/// Compiles the program with the aspen++ of a folder, runs it in both ways and looks into it.
fn used(bin: &Path, work: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(work)?;
    let (source, program) = (work.join("program.cpp"), work.join("program"));
    std::fs::write(&source, PROGRAM)?;
    output(clean(&bin.join("aspen++")).arg("-O2").arg(&source).arg("-o").arg(&program))?;
    ensure!(said(&program, None)? == RUNS, "the program prints {:?}", said(&program, None)?);
    let refused = said(&program, Some("intel_gpu_dg1"))?;
    ensure!(refused == REFUSES, "as a device without double the program prints {refused:?}");
    let seen = String::from_utf8(output(clean(&bin.join("aspen")).arg("inspect").arg(&program))?.stdout)?;
    ensure!(seen.contains("fp64"), "aspen inspect sees no fp64:\n{seen}");
    let devices = String::from_utf8(output(clean(&bin.join("aspen")).arg("devices"))?.stdout)?;
    ensure!(devices.contains("native_cpu"), "aspen devices lists no native_cpu:\n{devices}");
    Ok(program)
}

/// What a program prints, as a device that the database names.
fn said(program: &Path, profile: Option<&str>) -> Result<String> {
    let mut run = clean(program);
    run.env("ASPEN_DEVICE_SELECTOR", "native_cpu").envs(profile.map(|name| ("ASPEN_DEVICE_PROFILE", name)));
    Ok(String::from_utf8(output(&mut run)?.stdout)?)
}

/// A program that hears nothing of this environment.
fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ASPEN_") {
            command.env_remove(name);
        }
    }
    command.env_remove("LD_LIBRARY_PATH").env("ASPEN_CACHE", "0");
    command
}

/// Why there can be no bare Debian here.
fn obstacle() -> Result<Option<String>> {
    if !is_root()? {
        return Ok(Some("only root may make one".to_owned()));
    }
    for tool in ["debootstrap", "unshare", "chroot"] {
        if find_program(tool).is_none() {
            return Ok(Some(format!("there is no {tool}")));
        }
    }
    if output(Command::new("unshare").args(["--mount", "true"])).is_err() {
        return Ok(Some("mounts are not allowed here".to_owned()));
    }
    if sources()?.is_empty() {
        return Ok(Some(format!("apt has no sources of {SUITE}")));
    }
    Ok(None)
}

/// Lines of sources.list for Debian's own packages, as this machine gets them: address, suite, component.
fn sources() -> Result<Vec<[String; 3]>> {
    let said = output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)",
        "Created-By: Packages",
    ]));
    let Ok(said) = said else { return Ok(Vec::new()) };
    let mut out: Vec<[String; 3]> = Vec::new();
    for line in String::from_utf8(said.stdout)?.lines() {
        if let ["Debian", address, suite, component] = line.split('|').collect::<Vec<_>>()[..]
            && (suite == SUITE || suite.starts_with(&format!("{SUITE}-")))
        {
            out.push([address, suite, component].map(str::to_owned));
        }
    }
    out.sort();
    out.dedup();
    Ok(out)
}

/// Makes a Debian with nothing but apt, installs the packages with what they depend on, uses them and removes them.
fn bare_debian(packages: &Packages, of_tarball: &Path, folder: &Path) -> Result<()> {
    let root = folder.join("debian");
    let sources = sources()?;
    let main = sources.iter().find(|[_, suite, _]| suite == SUITE).with_context(|| format!("apt has no {SUITE}"))?;
    let mut make = Command::new("unshare");
    make.args(["--mount", "debootstrap", "--variant=minbase", SUITE]).arg(&root).arg(&main[0]).env_remove("LD_LIBRARY_PATH");
    output(&mut make)?;
    let list: String = sources.iter().map(|[address, suite, component]| format!("deb {address} {suite} {component}\n")).collect();
    std::fs::write(root.join("etc/apt/sources.list"), list)?;
    std::fs::copy("/etc/hosts", root.join("etc/hosts")).context("cannot copy /etc/hosts")?;
    let work = root.join("tried");
    std::fs::create_dir_all(&work)?;
    std::fs::write(work.join("program.cpp"), PROGRAM)?;
    std::fs::copy(of_tarball, work.join("of-tarball"))?;
    for deb in &packages.debs {
        std::fs::copy(deb, work.join(deb.file_name().context("a package has a name")?))?;
    }
    let expect = |script: &str, expected: &str| -> Result<()> {
        let printed = inside(&root, script)?;
        ensure!(printed == expected, "`{script}` prints {printed:?} and not {expected:?}");
        Ok(())
    };
    inside(&root, "apt-get update -q")?;
    let get = "apt-get install -yq --no-install-recommends";
    // What runs programs is installed alone first.
    inside(&root, &format!("{get} ./libaspen0_*.deb && ! command -v clang-22"))?;
    expect("./of-tarball", RUNS)?;
    inside(&root, &format!("{get} ./aspen_*.deb"))?;
    inside(&root, "aspen++ -O2 program.cpp -o program && aspen check program --device native_cpu")?;
    expect("./program", RUNS)?;
    expect("ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./program", REFUSES)?;
    expect("dpkg --verify aspen libaspen0", "")?;
    // A program does not need the compiler; without the library it does not start.
    inside(&root, &format!("{get} ./aspen-cache-remote_*.deb && ASPEN_CACHE_REMOTE=file:///tried/store aspen-cache-remote --try"))?;
    inside(&root, "apt-get purge -yq aspen-cache-remote && rm -r store")?;
    inside(&root, "apt-get purge -yq aspen")?;
    expect("./program", RUNS)?;
    inside(&root, "apt-get purge -yq libaspen0 && ! ./program 2> said && grep -q libaspen.so.0 said")?;
    expect("find / -xdev -name '*aspen*' ! -path '/tried/*' ! -path '/proc/*' ! -path '/var/log/*'", "")?;
    // Another program's mount namespace may still hold the folder; it is removed all the same.
    install::forget(&root)
}

/// Runs a shell's line in the Debian's folder /tried; its mounts end with it.
fn inside(root: &Path, script: &str) -> Result<String> {
    const ENTER: &str = "mount -t proc proc \"$1/proc\" && exec chroot \"$1\" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
                         DEBIAN_FRONTEND=noninteractive ASPEN_CACHE=0 ASPEN_DEVICE_SELECTOR=native_cpu sh -ec \"cd /tried; $2\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", ENTER, "enter"]).arg(root).arg(script);
    match output(&mut command) {
        Ok(said) => Ok(String::from_utf8(said.stdout)?),
        Err(error) => bail!("`{script}`: {error:#}"),
    }
}
