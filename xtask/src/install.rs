//! `cargo xtask install --prefix DIR`: an installation that can be moved. Everything in it finds its neighbours by its own place.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::shell::Tree;

/// Programs that are `aspen` under another name. Source: DESIGN §2.
const ALIASES: [&str; 2] = ["sycl-post-link", "sycl-aspect-filter"];

/// Files that name the version, and where they go.
const TEMPLATES: [(&str, &str); 2] =
    [("AspenConfigVersion.cmake.in", "lib/cmake/Aspen/AspenConfigVersion.cmake"), ("aspen.pc.in", "lib/pkgconfig/aspen.pc")];

/// The folder of aspen++ that the user names, or that of an installation which is made here.
pub fn folder_of_tools(tree: &Tree, named: Option<&Path>) -> Result<PathBuf> {
    if let Some(bin) = named {
        return bin.canonicalize().with_context(|| format!("no folder {}", bin.display()));
    }
    made(tree)
}

/// The folder of tools of an installation of this tree, made now in cargo's folder.
pub fn made(tree: &Tree) -> Result<PathBuf> {
    let prefix = tree.built().join("prefix");
    install(tree, &prefix)?;
    Ok(prefix.join("bin"))
}

/// Builds and lays out `bin/ lib/ include/ share/ lib/cmake/`.
pub fn install(tree: &Tree, prefix: &Path) -> Result<()> {
    let built = tree.build()?;
    let bin = prefix.join("bin");
    for program in ["aspen++", "aspen", "aspen-tblgen"] {
        copy(&built.join(program), &bin.join(program))?;
    }
    for alias in ALIASES {
        let link = bin.join(alias);
        if link.symlink_metadata().is_ok() {
            std::fs::remove_file(&link).with_context(|| format!("cannot replace {}", link.display()))?;
        }
        symlink("aspen", &link).with_context(|| format!("cannot make {}", link.display()))?;
    }
    for library in ["libaspen.so", "libaspen_clang.so", "libaspen_pass.so"] {
        copy(&built.join(library), &prefix.join("lib").join(library))?;
    }
    copy_folder(&tree.root.join("include"), &prefix.join("include"))?;
    copy_folder(&tree.root.join("examples"), &prefix.join("share/aspen/examples"))?;
    copy_folder(&tree.root.join("data"), &prefix.join("share/aspen"))?;
    copy(&tree.root.join("xtask/cmake/aspen-instead"), &prefix.join("share/aspen/aspen-instead"))?;
    for package in ["Aspen", "IntelSYCL"] {
        let file = format!("{package}Config.cmake");
        copy(&tree.root.join("xtask/cmake").join(&file), &prefix.join("lib/cmake").join(package).join(&file))?;
    }
    for (template, to) in TEMPLATES {
        fill(&tree.root.join("xtask/cmake").join(template), &prefix.join(to))?;
    }
    println!("installed to {}", prefix.display());
    Ok(())
}

/// Writes a template with this version in it.
fn fill(template: &Path, to: &Path) -> Result<()> {
    let text = std::fs::read_to_string(template).with_context(|| format!("cannot read {}", template.display()))?;
    let text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION")).replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"));
    let folder = to.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(to, text).with_context(|| format!("cannot install {}", to.display()))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let entries = std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (source, copied) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() { copy_folder(&source, &copied)? } else { copy(&source, &copied)? }
    }
    Ok(())
}

/// Puts a file into its place at once, so that a program that still runs keeps the old one.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = to.file_name().context("a file has a name")?.to_string_lossy();
    let new = folder.join(format!(".{name}.{}", std::process::id()));
    let copied = std::fs::copy(from, &new).and_then(|_| std::fs::rename(&new, to));
    if copied.is_err() {
        // What is left of it is of no use; the error that counts is the first one.
        let _ = std::fs::remove_file(&new);
    }
    copied.with_context(|| format!("cannot install {} as {}", from.display(), to.display()))
}
