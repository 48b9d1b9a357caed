//! Debian packages: `aspen` (compiler, tools, headers), `libaspen0` (what programs need when they run), `aspen-cache-remote` and `aspen-dbg`.
//!
//! Everything lies in one folder, /usr/lib/aspen, laid out as every installation is: the compiler finds its parts by its own place, and
//! headers in /usr/include would come before the C++ library's. Where the system looks there are links and, for CMake and pkg-config,
//! which take the place of their files for that of the installation, files that name the folder. Programs have its `lib` as their run
//! path; those that were linked elsewhere find the library where the loader always looks. Source: Debian Policy Manual, chapters 5, 8
//! and 10; deb-control(5).

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::told;
use crate::install::{self, link};
use crate::shell::output;

/// Where the installation lies.
const HOME: &str = "usr/lib/aspen";
/// Where the loader and pkg-config look.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a package says of itself.
struct Control {
    name: &'static str,
    section: &'static str,
    depends: String,
    recommends: &'static str,
    suggests: &'static str,
    about: &'static str,
}

/// Makes `libaspen0` and `aspen` of a stripped installation.
pub fn users(work: &Path, prefix: &Path, out: &Path, epoch: u64) -> Result<Vec<PathBuf>> {
    let (library, compiler) = (work.join("libaspen0"), work.join("aspen"));
    let (own, rest) = (library.join(HOME), compiler.join(HOME));
    for file in install::files(prefix)? {
        let name = file.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        // Manual pages, completions and documents go where the system looks.
        if file.starts_with("share") && !file.starts_with("share/aspen") {
            continue;
        }
        let to = if name.starts_with("libaspen.so.") { own.join(&file) } else { rest.join(&file) };
        install::copy_as_it_is(&prefix.join(&file), &to)?;
    }
    link("../aspen/lib/libaspen.so.0", &library.join(LIBRARIES).join("libaspen.so.0"))?;
    for program in install::files(&prefix.join("bin"))? {
        let program = program.to_string_lossy().into_owned();
        if program == install::SCANNER {
            continue; // beside the compiler's file, where CMake looks first; in the path, the name is clang's
        }
        link(format!("../lib/aspen/bin/{program}"), &compiler.join("usr/bin").join(&program))?;
    }
    for (from, to) in [
        ("share/bash-completion/completions", "usr/share/bash-completion/completions"),
        ("share/zsh/site-functions", "usr/share/zsh/vendor-completions"),
        ("share/fish/vendor_completions.d", "usr/share/fish/vendor_completions.d"),
    ] {
        install::copy_folder(&prefix.join(from), &compiler.join(to))?;
    }
    for section in ["man1", "man7"] {
        let pages = prefix.join("share/man").join(section);
        for page in install::files(&pages)? {
            let to = compiler.join("usr/share/man").join(section).join(format!("{}.gz", page.display()));
            compressed(&pages.join(&page), &to)?;
        }
    }
    for package in ["Aspen", "IntelSYCL"] {
        for file in install::files(&prefix.join("lib/cmake").join(package))? {
            let name = format!("lib/cmake/{package}/{}", file.display());
            write(&compiler.join("usr").join(&name), &format!("include(\"/{HOME}/{name}\")\n"))?;
        }
    }
    let described = prefix.join("lib/pkgconfig/aspen.pc");
    let text = std::fs::read_to_string(&described).with_context(|| format!("cannot read {}", described.display()))?;
    let ours = format!("prefix=/{HOME}");
    let text = text.lines().map(|line| if line.starts_with("prefix=") { &ours } else { line }).collect::<Vec<_>>().join("\n") + "\n";
    write(&compiler.join(LIBRARIES).join("pkgconfig/aspen.pc"), &text)?;
    // The linker's name of the library lies with the compiler and points to the other package's file.
    let needs = |root: &Path| needs(work, root);
    let same = format!("libaspen0 (= {VERSION})");
    let made = [
        (
            &library,
            Control {
                name: "libaspen0",
                section: "libs",
                depends: needs(&library)?,
                recommends: "",
                suggests: "ocl-icd-libopencl1, aspen",
                about: "runtime of SYCL programs that aspen++ compiled\n \
                        The shared library that chooses a device and an image for every kernel, checks\n \
                        that the device has what the kernel needs, and runs it: on the processor, by\n \
                        OpenCL drivers, by NVIDIA's CUDA driver or AMD's HIP runtime.",
            },
        ),
        (
            &compiler,
            Control {
                name: "aspen",
                section: "devel",
                // The plugin is loaded into clang, and aspen++ runs it, with the C++ library that it depends on.
                depends: format!("{same}, {}, clang-22 (>= 1:22.1), binutils", needs(&compiler)?),
                recommends: "intel-opencl-icd",
                suggests: "clangd-22, spirv-tools, llvm-spirv-15, ninja-build, gdb, lld-22, rocm-device-libs",
                about: "SYCL 2020 compiler driver with optional kernel features\n \
                        aspen++ compiles SYCL programs with clang 22, works out what every kernel needs\n \
                        of a device, and splits device code by it; aspen looks into programs, says why a\n \
                        kernel needs what it needs, and which devices would run it.",
            },
        ),
    ];
    made.into_iter().map(|(root, control)| deb(root, &control, prefix, out, epoch)).collect()
}

/// Makes `aspen-cache-remote` of the folder that holds its program. `prefix` has the documents.
pub fn shared(work: &Path, from: &Path, prefix: &Path, out: &Path, epoch: u64) -> Result<PathBuf> {
    let name = super::SHARED_PROGRAM;
    let root = work.join(name);
    install::copy(&from.join("bin").join(name), &root.join(HOME).join("bin").join(name))?;
    link(format!("../lib/aspen/bin/{name}"), &root.join("usr/bin").join(name))?;
    let page = format!("share/man/man1/{name}.1");
    compressed(&from.join(&page), &root.join("usr").join(format!("{page}.gz")))?;
    let control = Control {
        name,
        section: "devel",
        depends: format!("{}, ca-certificates", needs(work, &root)?),
        recommends: "",
        suggests: "aspen, libaspen0",
        about: "caches of SYCL images that machines share\n \
                The program that aspen++, and SYCL programs that it compiled, start when\n \
                ASPEN_CACHE_REMOTE names a store of compiled images: Redis, S3, WebDAV or a folder.",
    };
    deb(&root, &control, prefix, out, epoch)
}

/// Makes `aspen-dbg` of the files that `stripped` wrote.
pub fn debug(work: &Path, debug: &Path, out: &Path, epoch: u64) -> Result<PathBuf> {
    let root = work.join("aspen-dbg");
    for file in install::files(debug)? {
        // GDB looks below this folder at the program's own path, without `.debug`.
        let folder = file.parent().and_then(Path::parent).context("debug files lie in folders .debug")?;
        let name = file.file_name().context("a file has a name")?;
        install::copy(&debug.join(&file), &root.join("usr/lib/debug").join(HOME).join(folder).join(name))?;
    }
    let control = Control {
        name: "aspen-dbg",
        section: "debug",
        depends: format!("aspen (= {VERSION}), libaspen0 (= {VERSION})"),
        recommends: "",
        suggests: "gdb",
        about: "debug information of aspen and libaspen0\n Lines of the compiler, its tools and the runtime, for debuggers and reports of crashes.",
    };
    let documents = work.join(format!("aspen-{VERSION}-{}", super::MACHINE));
    deb(&root, &control, &documents, out, epoch)
}

/// Packs a folder. `prefix` has the documents that every package carries.
fn deb(root: &Path, control: &Control, prefix: &Path, out: &Path, epoch: u64) -> Result<PathBuf> {
    let Control { name, section, depends, recommends, suggests, about } = control;
    let documents = root.join("usr/share/doc").join(name);
    write(&documents.join("copyright"), &copyright(prefix)?)?;
    compressed(&prefix.join("share/doc/aspen/CHANGELOG.md"), &documents.join("changelog.gz"))?;
    compressed(&prefix.join("share/doc/aspen/THIRD-PARTY.txt"), &documents.join("THIRD-PARTY.txt.gz"))?;

    let files = install::files(root)?;
    let mut sums = String::new();
    for file in files.iter().filter(|file| !root.join(file).is_symlink()) {
        let said = output(Command::new("md5sum").arg(file).current_dir(root))?;
        sums += &String::from_utf8(said.stdout)?;
    }
    let mut text = format!(
        "Package: {name}\nVersion: {VERSION}\nArchitecture: amd64\nMaintainer: Aspen's developers <aspen@invalid>\nSection: {section}\n\
         Priority: optional\nInstalled-Size: {}\nDepends: {depends}\n",
        install::size(root)?.div_ceil(1024)
    );
    for (field, value) in [("Recommends", recommends), ("Suggests", suggests)] {
        if !value.is_empty() {
            writeln!(text, "{field}: {value}")?;
        }
    }
    writeln!(text, "Description: {about}")?;
    write(&root.join("DEBIAN/control"), &text)?;
    write(&root.join("DEBIAN/md5sums"), &sums)?;
    if *name == "libaspen0" {
        write(&root.join("DEBIAN/triggers"), "activate-noawait ldconfig\n")?;
    }
    let file = out.join(format!("{name}_{VERSION}_amd64.deb"));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz"]).arg(if *name == "aspen-dbg" { "-z1" } else { "-z6" });
    output(pack.arg("--build").arg(root).arg(&file).env("SOURCE_DATE_EPOCH", epoch.to_string()))?;
    told(&file)?;
    Ok(file)
}

/// What the programs and libraries of a package load, as packages with the versions that have what is used.
fn needs(work: &Path, root: &Path) -> Result<String> {
    // dpkg-shlibdeps wants to stand in a source package.
    let source = work.join("source");
    write(&source.join("debian/control"), "Source: aspen\n\nPackage: aspen\nArchitecture: amd64\n")?;
    let mut ask = Command::new("dpkg-shlibdeps");
    ask.args(["-O", "--warnings=0"]).current_dir(&source);
    for file in install::files(root)?.into_iter().map(|file| root.join(file)).filter(|file| !file.is_symlink()) {
        let mut start = [0; 4];
        if std::io::Read::read_exact(&mut std::fs::File::open(&file)?, &mut start).is_ok() && start == *b"\x7fELF" {
            ask.arg(format!("-e{}", file.display()));
        }
    }
    let said = output(&mut ask).context("dpkg-shlibdeps is in Debian's package dpkg-dev")?;
    let text = String::from_utf8(said.stdout)?;
    let needs = text.lines().find_map(|line| line.strip_prefix("shlibs:Depends=")).map(str::to_owned).unwrap_or_default();
    ensure!(!needs.is_empty(), "dpkg-shlibdeps names no package: {text}");
    Ok(needs)
}

/// Debian has Apache's text; ours adds the exception.
fn copyright(prefix: &Path) -> Result<String> {
    let path = prefix.join("share/doc/aspen/LICENSE.TXT");
    let licence = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let exception = licence.find("--- LLVM Exceptions").with_context(|| format!("{} holds no exception", path.display()))?;
    Ok(format!(
        "Aspen, by its developers. Licence: Apache-2.0 WITH LLVM-exception.\n\nThe text of the Apache License 2.0 is \
         /usr/share/common-licenses/Apache-2.0. To it comes:\n\n{}\nCode of others that is linked in: THIRD-PARTY.txt.gz in this folder.\n",
        &licence[exception..]
    ))
}

fn write(to: &Path, text: &str) -> Result<()> {
    let folder = to.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))
}

/// A file as gzip writes it without name and time.
fn compressed(from: &Path, to: &Path) -> Result<()> {
    let said = output(Command::new("gzip").arg("-9nc").arg(from))?;
    let folder = to.parent().context("a file lies in a folder")?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut file = std::fs::File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    file.write_all(&said.stdout).with_context(|| format!("cannot write {}", to.display()))
}
