//! `cargo xtask install --prefix DIR`: an installation that can be moved. Everything in it finds its neighbours by its own place.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{Profile, STORES, Tree, output};

/// Programs that are `aspen++` under another name. Source: DESIGN §2.
const ALIASES: [&str; 4] = ["aspen", "sycl-post-link", "sycl-aspect-filter", SCANNER];

/// What CMake looks for beside its compiler to scan C++20 sources for modules; clang's package has one of that name.
pub const SCANNER: &str = "clang-scan-deps-22";

/// What graphs run for `aspen`, and where aspen++ looks for it: the same commands, so the same name.
const JOBS: (&str, &str) = ("aspen-jobs", "lib/aspen/aspen");

/// Files that name the version, and where they go.
const TEMPLATES: [(&str, &str); 2] =
    [("AspenConfigVersion.cmake.in", "lib/cmake/Aspen/AspenConfigVersion.cmake"), ("aspen.pc.in", "lib/pkgconfig/aspen.pc")];

/// The names of the shared library, from the file on: what it is, what programs ask the loader for, what the linker looks for.
const LIBRARY: [&str; 3] = [concat!("libaspen.so.", env!("CARGO_PKG_VERSION")), "libaspen.so.0", "libaspen.so"];

/// By what build files that look for DPC++ know that a compiler has SYCL: they ask for a library of that name beside it (portBLAS, portDNN, OCCA).
const DPCPP_LIBRARY: &str = "libsycl.so";

/// Where shells look for completions of a program, below a prefix that is theirs too.
const COMPLETIONS: [(&str, &str, &str); 6] = [
    ("bash", "aspen", "share/bash-completion/completions/aspen"),
    ("zsh", "aspen", "share/zsh/site-functions/_aspen"),
    ("fish", "aspen", "share/fish/vendor_completions.d/aspen.fish"),
    ("bash", "aspen++", "share/bash-completion/completions/aspen++"),
    ("zsh", "aspen++", "share/zsh/site-functions/_aspen++"),
    ("fish", "aspen++", "share/fish/vendor_completions.d/aspen++.fish"),
];

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
    for program in ["aspen++", "aspen-tblgen"] {
        copy(&built.join(program), &bin.join(program))?;
    }
    if tree.profile == Profile::Release || tree.stores {
        copy(&built.join(STORES), &bin.join(STORES))?;
    }
    copy(&built.join(JOBS.0), &prefix.join(JOBS.1))?;
    for alias in ALIASES {
        link("aspen++", &bin.join(alias))?;
    }
    let libraries = prefix.join("lib");
    copy(&built.join("libaspen.so"), &libraries.join(LIBRARY[0]))?;
    for names in LIBRARY.windows(2) {
        link(names[0], &libraries.join(names[1]))?;
    }
    link(LIBRARY[2], &libraries.join(DPCPP_LIBRARY))?;
    for library in ["libaspen_clang.so", "libaspen_pass.so"] {
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
    for document in ["LICENSE.TXT", "CHANGELOG.md"] {
        copy(&tree.root.join(document), &prefix.join("share/doc/aspen").join(document))?;
    }
    manual(&tree.root, &bin.join("aspen"), prefix)?;
    println!("installed to {}", prefix.display());
    Ok(())
}

/// Has `aspen` write the manual pages, which follow from its own options, and the shells' completions.
fn manual(root: &Path, aspen: &Path, prefix: &Path) -> Result<()> {
    let pages = prefix.join("share/man");
    // Pages of subcommands that are no more must not stay.
    for section in ["man1", "man7"] {
        forget(&pages.join(section))?;
    }
    // The sources' own day, so that pages do not change with that of the installation.
    let day = output(Command::new("git").args(["log", "-1", "--format=%cs"]).current_dir(root));
    let day = day.map_or_else(|_| "1970-01-01".to_owned(), |said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    output(Command::new(aspen).arg("manual").arg(&pages).arg(format!("--date={day}")))?;
    for (shell, program, file) in COMPLETIONS {
        let to = prefix.join(file);
        let folder = to.parent().context("a file lies in a folder")?;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let said = output(Command::new(aspen).args(["completions", shell, "--program", program]))?;
        std::fs::write(&to, said.stdout).with_context(|| format!("cannot install {}", to.display()))?;
    }
    Ok(())
}

/// Puts a file into its place as it is: a link stays one.
pub fn copy_as_it_is(from: &Path, to: &Path) -> Result<()> {
    let Ok(target) = std::fs::read_link(from) else { return copy(from, to) };
    link(&target, to)
}

/// A symbolic link, in place of what had its name.
pub fn link(to: impl AsRef<Path>, link: &Path) -> Result<()> {
    let folder = link.parent().context("a link lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if link.symlink_metadata().is_ok() {
        std::fs::remove_file(link).with_context(|| format!("cannot replace {}", link.display()))?;
    }
    symlink(to, link).with_context(|| format!("cannot make {}", link.display()))
}

/// Removes a folder, if it is there.
pub fn forget(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Files and links below a folder, relative to it, sorted.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    let mut work = vec![PathBuf::new()];
    while let Some(inner) = work.pop() {
        let here = folder.join(&inner);
        for entry in std::fs::read_dir(&here).with_context(|| format!("cannot list {}", here.display()))? {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            if entry.file_type()?.is_dir() { work.push(path) } else { out.push(path) }
        }
    }
    out.sort();
    Ok(out)
}

/// The bytes of the files below a folder.
pub fn size(folder: &Path) -> Result<u64> {
    files(folder)?.iter().map(|file| Ok(folder.join(file).symlink_metadata()?.len())).sum()
}

/// Writes a template with this version in it.
fn fill(template: &Path, to: &Path) -> Result<()> {
    let text = std::fs::read_to_string(template).with_context(|| format!("cannot read {}", template.display()))?;
    let text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION")).replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"));
    let folder = to.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(to, text).with_context(|| format!("cannot install {}", to.display()))
}

pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let entries = std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (source, copied) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() { copy_folder(&source, &copied)? } else { copy(&source, &copied)? }
    }
    Ok(())
}

/// Puts a file into its place at once, so that a program that still runs keeps the old one.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
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
