//! `cargo xtask package`: what users install. A Debian package and a tarball that runs where it is unpacked, both stripped, their debug
//! information apart, and the notices of what is linked in. Everything is made from one installation (`install.rs`).

mod debian;
mod notices;
mod stripped;
mod tried;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::install;
use crate::setup::setup_packages;
use crate::shell::{Profile, Tree, output, run};

pub use tried::try_packages;

/// Of which machine the programs are, as tarballs say it.
const MACHINE: &str = "x86_64-linux";

/// What an installation may take without its debug information.
const LIMIT_BYTES: u64 = 25_000_000;

/// Who shares no caches does not need the program for that, which is a third of all. It is a package of its own.
const SHARED_PROGRAM: &str = "aspen-cache-remote";
const SHARED: &str = "cache-remote";

#[derive(clap::Args)]
pub struct Options {
    /// Folder of the packages [default: target/package]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Installs, uses and removes them afterwards, in a bare Debian where root and the network allow that
    #[arg(long = "try")]
    tried: bool,
}

/// What was made.
pub struct Packages {
    /// Those of users, in the order in which they are installed.
    pub debs: Vec<PathBuf>,
    pub tarball: PathBuf,
}

/// `cargo xtask package`.
///
/// # Errors
/// What building says; tools of Debian's that are missing; an installation that has become too large.
pub fn package(tree: &Tree, options: &Options) -> Result<()> {
    let out = options.out.clone().unwrap_or_else(|| tree.target.join("package"));
    let packages = make(tree, &out)?;
    if options.tried {
        let tried = try_packages(&packages, &out.join("tried"))?;
        tried.skipped.iter().for_each(|why| println!("skipped: {why}"));
        println!("{} ways to install tried", tried.passed);
    }
    Ok(())
}

/// Makes all packages in a folder, in place of those that are there.
///
/// # Errors
/// As [`package`].
pub fn make(tree: &Tree, out: &Path) -> Result<Packages> {
    setup_packages()?;
    // Users get what is optimised, also of a test.
    let tree = Tree { profile: Profile::Release, ..tree.clone() };
    let epoch = epoch(&tree)?;
    let work = out.join("work");
    install::forget(&work)?;
    std::fs::create_dir_all(&work).with_context(|| format!("cannot make {}", work.display()))?;
    let work = work.canonicalize()?;
    let out = out.canonicalize()?;
    let name = format!("aspen-{}-{MACHINE}", env!("CARGO_PKG_VERSION"));
    let (prefix, debug) = (work.join(&name), work.join(format!("{name}-dbg")));
    install::install(&tree, &prefix)?;
    let notices = notices::text(&tree)?;
    let documents = prefix.join("share/doc/aspen");
    std::fs::write(documents.join("THIRD-PARTY.txt"), notices).with_context(|| format!("cannot write to {}", documents.display()))?;
    stripped::strip(&prefix, &debug)?;
    let shared = work.join(format!("{name}-{SHARED}"));
    let program = Path::new("bin").join(SHARED_PROGRAM);
    for file in [program, Path::new("share/man/man1").join(format!("{SHARED_PROGRAM}.1"))] {
        let to = shared.join(&file);
        std::fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
        std::fs::rename(prefix.join(&file), to).with_context(|| format!("cannot move {}", file.display()))?;
    }
    // Under a name of its own: whoever unpacks it over the other tarball has both.
    install::copy_folder(&documents, &shared.join("share/doc").join(SHARED_PROGRAM))?;
    let bytes = install::size(&prefix)?;
    println!("an installation takes {:.1} MB", bytes as f64 / 1e6);
    ensure!(bytes <= LIMIT_BYTES, "an installation takes {bytes} bytes, and {LIMIT_BYTES} are what it may take; see what grew");

    let mut debs = debian::users(&work, &prefix, &out, epoch)?;
    debs.push(debian::shared(&work, &shared, &prefix, &out, epoch)?);
    let packages = Packages { debs, tarball: tarball(&work, &name, &out, epoch)? };
    debian::debug(&work, &debug, &out, epoch)?;
    tarball(&work, &format!("{name}-{SHARED}"), &out, epoch)?;
    tarball(&work, &format!("{name}-dbg"), &out, epoch)?;
    install::forget(&work)?;
    Ok(packages)
}

/// The time that files of packages have: what `SOURCE_DATE_EPOCH` says, else the last commit's, so that the same sources make the same
/// bytes.
fn epoch(tree: &Tree) -> Result<u64> {
    if let Ok(text) = std::env::var("SOURCE_DATE_EPOCH") {
        return text.parse().with_context(|| format!("SOURCE_DATE_EPOCH={text}: not a number of seconds"));
    }
    let said = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(&tree.root));
    // Sources without their history have no time of their own.
    Ok(said.ok().and_then(|said| String::from_utf8(said.stdout).ok()?.trim().parse().ok()).unwrap_or(0))
}

/// One folder of `work` as a compressed archive, which does not depend on who made it and when.
fn tarball(work: &Path, name: &str, out: &Path, epoch: u64) -> Result<PathBuf> {
    let file = out.join(format!("{name}.tar.xz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go+r-w", "--format=gnu"]);
    // Debug sections are compressed already.
    tar.arg(format!("--mtime=@{epoch}")).env("XZ_OPT", if name.ends_with("-dbg") { "-1 -T4" } else { "-6 -T4" });
    run(tar.arg("-cJf").arg(&file).arg("-C").arg(work).arg(name))?;
    told(&file)?;
    Ok(file)
}

/// Says what was made.
fn told(file: &Path) -> Result<()> {
    let bytes = std::fs::metadata(file).with_context(|| format!("{} is not there", file.display()))?.len();
    println!("made {} ({:.1} MB)", file.display(), bytes as f64 / 1e6);
    Ok(())
}
