//! The tarball in which icecream carries a compiler to other machines, where it runs in a folder that has nothing else.
//!
//! What the client calls `clang++` is called `/usr/bin/clang` there, and reads preprocessed text. There is no `/proc`,
//! and icecream knows a tarball by its name. Source: issue 17, point 3; icecream, "icecc-create-env".

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::jobs::{self, Command};
use crate::scratch::Scratch;
use crate::toolchain::{CLANG_MAJOR, Toolchain};

/// Asked by iceccd whether the tarball works at all.
const TRUE: &str = "/bin/true";

/// iceccd refuses a tarball without one; `-fno-integrated-as` uses it.
const ASSEMBLER: &str = "/usr/bin/as";

/// Makes the tarball of the installation that `executable` is a program of, in a folder, and says which file it is: its name holds a
/// digest.
///
/// # Errors
/// If a part is missing, cannot be copied, or `ldd` or `tar` fails.
pub fn environment(executable: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let toolchain = Toolchain::find(executable)?;
    let compiler = executable.with_file_name("aspen++");
    let mut scratch = Scratch::new(None)?;
    let root = scratch.file("environment", "root");
    let programs = [("usr/bin/clang", compiler.as_path()), ("usr/bin/true", Path::new(TRUE)), ("usr/bin/as", Path::new(ASSEMBLER))];
    let clang = format!("usr/bin/clang++-{CLANG_MAJOR}");
    let plugin = "usr/lib/libaspen_clang.so";
    let mut files: BTreeMap<String, PathBuf> = programs.iter().map(|(name, file)| ((*name).to_owned(), file.to_path_buf())).collect();
    files.insert(clang, toolchain.clang.clone());
    files.insert(plugin.to_owned(), toolchain.plugin.clone());
    // By it an installation is known; the text that comes has all headers in it.
    files.insert("usr/include/sycl/sycl.hpp".to_owned(), toolchain.include.join("sycl/sycl.hpp"));
    for file in [&compiler, &toolchain.clang, &toolchain.plugin, &PathBuf::from(TRUE), &PathBuf::from(ASSEMBLER)] {
        files.extend(libraries(file)?);
    }
    for (name, file) in &files {
        let copy = root.join(name);
        fs::create_dir_all(copy.parent().unwrap_or(&root)).map_err(|error| Error::file("create", &copy, error))?;
        fs::copy(file, &copy).map_err(|error| Error::file("read", file, error))?;
    }
    for (link, target) in [("bin", "usr/bin"), ("lib", "usr/lib")] {
        symlink(target, root.join(link)).map_err(|error| Error::file("create", &root.join(link), error))?;
    }
    for name in ["tmp", "proc", "dev"] {
        fs::create_dir(root.join(name)).map_err(|error| Error::file("create", &root.join(name), error))?;
    }
    // LLVM asks for the first, and complains; the second is what programs that we start read. Both are devices elsewhere, and empty here.
    for name in ["proc/cpuinfo", "dev/null"] {
        fs::write(root.join(name), "").map_err(|error| Error::file("write", &root.join(name), error))?;
    }
    let made = scratch.file("environment", "tar.gz");
    let words = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-I", "gzip -1", "-cf"].map(str::to_owned);
    let places = [made.display().to_string(), "-C".into(), root.display().to_string(), ".".into()];
    said(&Command::new("tar".as_ref(), words.into_iter().chain(places)))?;
    let mut hasher = blake3::Hasher::new();
    let read = fs::File::open(&made).and_then(|file| hasher.update_reader(file).map(|_| ()));
    read.map_err(|error| Error::file("read", &made, error))?;
    let wanted = folder.join(format!("aspen-{}.tar.gz", &hasher.finalize().to_hex()[..32]));
    fs::copy(&made, &wanted).map_err(|error| Error::file("write", &wanted, error))?;
    Ok(wanted)
}

/// Where the libraries of a program go and lie. All are found in `/usr/lib`, but for the loader, which is named by its path.
fn libraries(file: &Path) -> Result<BTreeMap<String, PathBuf>, Error> {
    let text = said(&Command::new("ldd".as_ref(), [file.display().to_string()]))?;
    let mut out = BTreeMap::new();
    for line in text.lines() {
        match line.trim().rsplit_once(" (").map(|(line, _)| line.split_once(" => ").unwrap_or((line, line))) {
            Some((name, place)) if name.starts_with('/') => out.insert(name.trim_start_matches('/').to_owned(), PathBuf::from(place)),
            Some((name, place)) if place.starts_with('/') => out.insert(format!("usr/lib/{name}"), PathBuf::from(place)),
            _ => None, // the kernel's own
        };
    }
    Ok(out)
}

fn said(command: &Command) -> Result<String, Error> {
    let outcome = jobs::run(command)?;
    if outcome.status.success() { Ok(outcome.stdout_text().to_string()) } else { Err(command.failure("the packing", &outcome)) }
}
