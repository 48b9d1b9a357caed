//! Where shared libraries are found: by the loader for a program, and by the linker for what the libraries of its line need.
//!
//! Source: ld.so(8), "Description"; ld(1), `-rpath-link`.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::elf::Dynamic;

/// A library that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// What it says of itself.
    pub dynamic: Dynamic,
}

impl Found {
    /// Reads a file; nothing if it is no ELF file that can be read.
    pub fn read(path: &Path) -> Option<Found> {
        let bytes = fs::read(path).ok().filter(|bytes| bytes.starts_with(b"\x7fELF"))?;
        let dynamic = Dynamic::of(&bytes);
        Some(Found { path: path.to_path_buf(), bytes, dynamic })
    }

    /// Whether others that need this name mean the file.
    pub fn is_called(&self, name: &str) -> bool {
        match &self.dynamic.soname {
            Some(soname) => soname == name,
            None => Path::new(name).file_name() == self.path.file_name(),
        }
    }
}

/// Folders that are searched before, and after, those that the library itself names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Folders {
    /// Before: `LD_LIBRARY_PATH`; for the linker also `-rpath-link` and `-rpath`.
    pub first: Vec<PathBuf>,
    /// After: the system's.
    pub last: Vec<PathBuf>,
}

impl Folders {
    /// The loader's for a program.
    pub fn of_loader(program: &Path) -> Folders {
        let list = env::var("LD_LIBRARY_PATH").unwrap_or_default();
        let named: Vec<String> = if list.is_empty() { Vec::new() } else { list.split([':', ';']).map(str::to_owned).collect() };
        Folders { first: expanded(&named, program), last: system() }
    }

    /// The linker's for what libraries of its line need. `named` are those of `-rpath-link`, then those of `-rpath`.
    pub fn of_linker(named: Vec<PathBuf>) -> Folders {
        let mut first = if named.is_empty() { from_environment("LD_RUN_PATH") } else { named };
        first.extend(from_environment("LD_LIBRARY_PATH"));
        Folders { first, last: system() }
    }
}

/// Everything that the roots need, in the loader's order (breadth first), roots not included; what is not found is left out.
pub fn closure(roots: &[Found], folders: &Folders) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    // `DT_RPATH` holds for what a library's libraries need, too.
    let inherited = |one: &Found| if one.dynamic.runpath.is_empty() { expanded(&one.dynamic.rpath, &one.path) } else { Vec::new() };
    let step = |one: &Found, above: &[PathBuf]| {
        let own: Vec<PathBuf> = inherited(one).into_iter().chain(above.iter().cloned()).collect();
        (one.dynamic.clone(), one.path.clone(), own)
    };
    let mut work: VecDeque<(Dynamic, PathBuf, Vec<PathBuf>)> = roots.iter().map(|root| step(root, &[])).collect();
    while let Some((dynamic, path, rpath)) = work.pop_front() {
        for name in &dynamic.needed {
            if roots.iter().chain(&found).any(|known| known.is_called(name)) {
                continue;
            }
            let library = if name.contains('/') {
                Found::read(Path::new(name))
            } else {
                let before = if dynamic.runpath.is_empty() { rpath.clone() } else { Vec::new() };
                let own = expanded(&dynamic.runpath, &path);
                let all = before.iter().chain(&folders.first).chain(&own).chain(&folders.last);
                all.map(|folder| folder.join(name)).filter(|file| file.is_file()).find_map(|file| Found::read(&file))
            };
            if let Some(library) = library {
                work.push_back(step(&library, &rpath));
                found.push(library);
            }
        }
    }
    found
}

/// `$ORIGIN` is the folder of the file that says it, as it was found: of libraries the loader resolves no links. Nothing is the current folder.
pub fn expanded(folders: &[String], file: &Path) -> Vec<PathBuf> {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let origin = file.parent().unwrap_or(Path::new(".")).display().to_string();
    let folder = |folder: &String| match folder.as_str() {
        "" => PathBuf::from("."),
        folder => folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin).into(),
    };
    folders.iter().map(folder).collect()
}

fn from_environment(name: &str) -> Vec<PathBuf> {
    let list = env::var_os(name).unwrap_or_default();
    env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// What `/etc/ld.so.conf` lists, and the folders that are always searched.
fn system() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    configured(Path::new("/etc/ld.so.conf"), &mut folders, 0);
    folders.extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib"].map(PathBuf::from));
    folders
}

/// Reads a file of that form; `include` lines name others, with `*` in the last part only, as distributions use it.
fn configured(file: &Path, folders: &mut Vec<PathBuf>, depth: usize) {
    const DEEPEST: usize = 8;
    let Ok(text) = fs::read_to_string(file) else { return };
    if depth > DEEPEST {
        return;
    }
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty()) {
        let Some(pattern) = line.strip_prefix("include").filter(|rest| rest.starts_with(char::is_whitespace)) else {
            folders.push(line.into());
            continue;
        };
        let pattern = file.parent().unwrap_or(Path::new("/")).join(pattern.trim());
        let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (start, end) = name.split_once('*').unwrap_or((&name, ""));
        let matches = |file: &Path| {
            let own = file.file_name().map(|own| own.to_string_lossy().into_owned()).unwrap_or_default();
            own == name || name.contains('*') && own.len() >= start.len() + end.len() && own.starts_with(start) && own.ends_with(end)
        };
        let listed = pattern.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).filter(|file| matches(file)).collect();
        files.sort_unstable();
        for file in files {
            configured(&file, folders, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_files_include_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
        fs::create_dir(folder.path().join("conf.d")).expect("writable");
        write("ld.so.conf", "/first # a comment\n\ninclude conf.d/*.conf\nincluded/is/a/folder\n");
        write("conf.d/b.conf", "/b\ninclude ../ld.so.conf\n");
        write("conf.d/a.conf", "/a\n");
        write("conf.d/ignored", "/ignored\n");
        let mut folders = Vec::new();
        configured(&folder.path().join("ld.so.conf"), &mut folders, 7);
        assert_eq!(folders, ["/first", "/a", "/b", "included/is/a/folder"].map(PathBuf::from));
    }

    #[test]
    fn origin_is_the_folder_of_the_file() {
        let folders = ["$ORIGIN/../lib", "/x", "", "${ORIGIN}"].map(String::from);
        assert_eq!(expanded(&folders, Path::new("/no/such/file.so")), ["/no/such/../lib", "/x", ".", "/no/such"].map(PathBuf::from));
    }
}
