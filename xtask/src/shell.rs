//! Running other programs: a failure names the command and what it said, never less.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// How Aspen itself is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As the tests are: with every check of Rust's, and quick enough. One build serves all that CI runs.
    Debug,
    /// As users get it, and as benches measure it.
    Release,
}

/// The repository, and where cargo puts things.
#[derive(Clone)]
pub struct Tree {
    pub root: PathBuf,
    pub target: PathBuf,
    /// What [`build`](Tree::build) makes.
    pub profile: Profile,
    /// Whether tests are to have the program for shared stores, too: what it talks to servers with takes as long to build as all the rest.
    pub stores: bool,
}

/// The crate of the program that talks to shared stores.
pub const STORES: &str = "aspen-cache-remote";

impl Tree {
    pub fn find(profile: Profile) -> Result<Tree> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the repository")?.to_owned();
        let mut tree = Tree { target: root.join("target"), root, profile, stores: false };
        let metadata = output(&mut tree.cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
        let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).context("cargo metadata is no JSON")?;
        tree.target = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?.into();
        Ok(tree)
    }

    /// A program of the workspace that is not installed, built.
    pub fn tool(&self, package: &str) -> Result<Command> {
        if self.profile == Profile::Release {
            return Ok(self.cargo(&["run", "--quiet", "-p", package, "--"]));
        }
        let mut command = Command::new(self.build()?.join(package));
        command.current_dir(&self.root);
        Ok(command)
    }

    /// The cargo that runs us, in the repository's root.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments).current_dir(&self.root);
        // Of the workspace the child works on, nothing is to come from the crate that xtask is.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// The packages that are tested, as cargo is told. All of cargo's tasks name the same: crates of others get the features that all it is
    /// asked for want together, and would be built again.
    pub fn packages(&self) -> &[&'static str] {
        if self.stores { &["--workspace"] } else { &["--workspace", "--exclude", STORES] }
    }

    /// The profile's folder in `target`.
    pub fn built(&self) -> PathBuf {
        self.target.join(match self.profile {
            Profile::Debug => "debug",
            Profile::Release => "release",
        })
    }

    /// [`built`](Tree::built), after building all that an installation consists of, and where tests run, all that they do.
    pub fn build(&self) -> Result<PathBuf> {
        let mut build = self.cargo(&["build"]);
        if self.profile == Profile::Release {
            build.arg("--release");
            for package in ["aspen-cli", "aspen-capi", STORES, "aspen-clang", "aspen-pass", "aspen-tblgen"] {
                build.args(["-p", package]);
            }
        } else {
            // With examples, of which there are none, these are the features that `cargo test` wants.
            build.args(self.packages()).args(["--lib", "--bins", "--examples"]);
        }
        run(&mut build)?;
        let headers = self.target.join("include");
        if !self.target.starts_with(&self.root) && !headers.exists() {
            // aspen++ looks for its headers in the folders above it, where a target folder elsewhere has none.
            symlink(self.root.join("include"), &headers).with_context(|| format!("cannot make {}", headers.display()))?;
        }
        Ok(self.built())
    }
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let mut out = String::new();
    for (name, value) in command.get_envs() {
        if let (Some(value), false) = (value, name == "PATH") {
            write!(out, "{}={} ", name.display(), quoted(&value.to_string_lossy())).expect("a string takes all writes");
        }
    }
    let program = Path::new(command.get_program());
    out += &program.file_name().unwrap_or(command.get_program()).to_string_lossy();
    for argument in command.get_args() {
        out.push(' ');
        out += &quoted(&argument.to_string_lossy());
    }
    out
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-+=./,:@%".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Runs a command whose output the user sees.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and takes what it says; a failing one is an error with all of it.
pub fn output(command: &mut Command) -> Result<Output> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !output.status.success() {
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        bail!("`{}` failed: {}\n{}", shown(command), output.status, String::from_utf8_lossy(&said));
    }
    Ok(output)
}

/// Whether root runs this.
pub fn is_root() -> Result<bool> {
    Ok(std::fs::metadata("/proc/self").context("cannot see who runs this")?.uid() == 0)
}

/// The program of that name on PATH.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// PATH with a folder in front.
pub fn path_with(folder: &Path) -> Result<OsString> {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&rest)))?)
}

/// A path without what lies in a folder. Cargo names its own folders in LD_LIBRARY_PATH to what it runs, and what we run would inherit them:
/// programs would take the debug build's libaspen.so, of whatever age, and not the one that they were linked with.
pub fn without(folder: &Path, paths: &OsStr) -> Result<OsString> {
    Ok(std::env::join_paths(std::env::split_paths(paths).filter(|path| !path.starts_with(folder)))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_do_not_find_the_libraries_that_cargo_built() {
        for (paths, left) in [
            ("/w/target/debug:/w/target/debug/deps:/rust/lib:/mine", "/rust/lib:/mine"),
            ("/w/target/debug/build/x/out", ""),
            ("/w/target2:/mine", "/w/target2:/mine"),
            ("", ""),
        ] {
            assert_eq!(without(Path::new("/w/target"), OsStr::new(paths)).expect("no ':' in a path"), left, "{paths}");
        }
    }
}
