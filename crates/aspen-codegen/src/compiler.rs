//! What a compiler consists of, wherever it lies: two machines with the same one have the same results.
//!
//! That is its file and the libraries that it names, the libraries that those name, and so on: ocloc's own file is a few kilobytes, and
//! what makes the code it opens by name (`libigc.so.1`). A name is any text of that form in a file, so what is linked and what is opened counts
//! alike; one that only looks like a name makes another identity at worst. What a script runs is not seen: the script is what counts.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The C and C++ libraries, whose releases promise the same behaviour: compilers that come as a file run on many systems.
const EVERYWHERE: [&str; 8] = ["libc.", "libm.", "libdl.", "libpthread.", "librt.", "libgcc_s.", "libstdc++.", "libutil."];

/// Longer ones are none.
const LONGEST_NAME: usize = 100;
/// Bytes that are read at a time.
const CHUNK: usize = 1 << 19;

/// What the compiler of that file consists of.
///
/// # Errors
/// If one of its files cannot be read.
pub(crate) fn identity(file: &Path) -> io::Result<blake3::Hash> {
    let (known, near) = (Libraries::of_system(), folders(file));
    identity_of(file, |name| near.iter().map(|folder| folder.join(name)).find(|path| path.is_file()).or_else(|| known.find(name)))
}

/// Where a compiler's libraries may lie beside the system's own folders, in the loader's order.
pub(crate) fn folders(file: &Path) -> Vec<PathBuf> {
    let named = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let named = env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty());
    let beside = file.parent().unwrap_or(Path::new("/"));
    named.chain([beside.to_owned(), beside.join("../lib"), beside.join("../lib64")]).collect()
}

/// Whether a file is a library by its name.
pub(crate) fn is_library(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lib") && name.to_string_lossy().contains(".so"))
}

fn identity_of(file: &Path, find: impl Fn(&str) -> Option<PathBuf>) -> io::Result<blake3::Hash> {
    let compiler = Content::read(file)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(compiler.digest.as_bytes());
    let mut seen: BTreeMap<String, Option<blake3::Hash>> = BTreeMap::new();
    // A library has several names.
    let mut files: BTreeMap<PathBuf, blake3::Hash> = BTreeMap::new();
    let mut work = compiler.names;
    while let Some(name) = work.pop() {
        if seen.contains_key(&name) {
            continue;
        }
        let path = find(&name).map(fs::canonicalize).transpose()?;
        let digest = match path {
            Some(path) => Some(match files.get(&path) {
                Some(digest) => *digest,
                None => {
                    let content = Content::read(&path)?;
                    work.extend(content.names);
                    files.insert(path, content.digest);
                    content.digest
                }
            }),
            None => None,
        };
        seen.insert(name, digest);
    }
    // What is not there takes no part: names are found in texts of all kinds.
    for (name, digest) in seen.iter().filter_map(|(name, digest)| Some((name, (*digest)?))) {
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(digest.as_bytes());
    }
    Ok(hasher.finalize())
}

/// What counts of a file.
#[derive(PartialEq, Eq, Debug)]
struct Content {
    digest: blake3::Hash,
    /// What looks like the name of a library.
    names: Vec<String>,
}

impl Content {
    fn read(file: &Path) -> io::Result<Content> {
        Content::of(fs::File::open(file)?, CHUNK)
    }

    /// In pieces that stay in the processor's cache: compilers have hundreds of megabytes of libraries.
    fn of(mut file: impl Read, chunk: usize) -> io::Result<Content> {
        let (mut hasher, mut names) = (blake3::Hasher::new(), Vec::new());
        let mut piece = Vec::with_capacity(chunk);
        // What is before the place where names are looked for: the letter before a name, once there is one.
        let mut before = 0;
        loop {
            let old = piece.len();
            file.by_ref().take((chunk - old) as u64).read_to_end(&mut piece)?;
            hasher.update(&piece[old..]);
            let is_last = piece.len() < chunk;
            // Names that begin behind this may go on in the next piece.
            let end = if is_last { piece.len() } else { chunk - LONGEST_NAME };
            names.extend(names_in(&piece, before, end));
            if is_last {
                return Ok(Content { digest: hasher.finalize(), names });
            }
            piece.drain(..end - 1);
            before = 1;
        }
    }
}

/// What looks like the name of a library and begins there.
fn names_in(content: &[u8], from: usize, to: usize) -> impl Iterator<Item = String> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+.-".contains(byte);
    let begins = move |at: &usize| (from..to).contains(at) && (*at == 0 || !is_letter(&content[*at - 1]));
    memchr::memmem::find_iter(content, b"lib").filter(begins).filter_map(move |at| {
        let name: Vec<u8> = content[at..].iter().copied().take(LONGEST_NAME).take_while(is_letter).collect();
        let name = String::from_utf8(name).ok()?;
        let is_library = name.split_once(".so").is_some_and(|(_, rest)| rest.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()));
        (is_library && !EVERYWHERE.iter().any(|start| name.starts_with(start))).then_some(name)
    })
}

/// Where the loader finds libraries.
struct Libraries(BTreeMap<String, PathBuf>);

impl Libraries {
    /// Systems without glibc's list have those beside the compiler only.
    fn of_system() -> Libraries {
        let listed = |program: &str| Command::new(program).arg("-p").stdin(Stdio::null()).stderr(Stdio::null()).output().ok();
        let said = listed("/sbin/ldconfig").or_else(|| listed("ldconfig")).map(|said| said.stdout).unwrap_or_default();
        Libraries::of(&String::from_utf8_lossy(&said))
    }

    fn of(list: &str) -> Libraries {
        let mut out = BTreeMap::new();
        for line in list.lines() {
            let Some((name, path)) = line.split_once(" => ") else { continue };
            let (name, kind) = name.trim().split_once(' ').unwrap_or((name.trim(), ""));
            // The first one goes before others.
            if kind.contains("x86-64") {
                out.entry(name.to_owned()).or_insert_with(|| PathBuf::from(path.trim()));
            }
        }
        Libraries(out)
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        self.0.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_libraries() {
        let content = b"\0libigc.so.1\0libc.so.6\0x/libocloc.so\0calibrate.so\0lib\0libfoo.sock\0liba+b-c.so.2.3libz.so\0\xfflibiga64.so";
        let whole = Content::of(&content[..], CHUNK).expect("readable");
        assert_eq!(
            (whole.digest, &whole.names[..]),
            (blake3::hash(content), &["libigc.so.1", "libocloc.so", "libiga64.so"].map(String::from)[..])
        );
        // Wherever a piece ends.
        let long = [content.as_slice(), &b"libx.so.7 and more of it ".repeat(40), content].concat();
        let whole = Content::of(&long[..], CHUNK).expect("readable");
        for chunk in LONGEST_NAME + 2..2 * long.len() {
            assert_eq!(Content::of(&long[..], chunk).expect("readable"), whole, "{chunk}");
        }
    }

    #[test]
    fn the_loaders_list() {
        let list = "2 libs found in cache `/etc/ld.so.cache'\n\tlibigc.so.1 (libc6,x86-64) => /usr/lib/libigc.so.1\n\tlibigc.so.1 (libc6) => \
                    /usr/lib32/libigc.so.1\n\tlibigc.so.1 (libc6,x86-64) => /other/libigc.so.1\n";
        let found = Libraries::of(list);
        assert_eq!((found.find("libigc.so.1"), found.find("libx.so")), (Some("/usr/lib/libigc.so.1".into()), None));
    }

    #[test]
    fn what_is_opened_by_name_counts_wherever_it_lies() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let machine = |name: &str, opened: &str, deep: &str| {
            let at = folder.path().join(name);
            fs::create_dir_all(&at).expect("a folder");
            for (file, content) in [("cc", "opens libfront.so"), ("libfront.so", opened), ("libdeep.so.1", deep)] {
                fs::write(at.join(file), content).expect("writable");
            }
            identity_of(&at.join("cc"), |name| Some(at.join(name)).filter(|path| path.is_file())).expect("readable")
        };
        let first = machine("first", "opens libdeep.so.1 and libnone.so", "code");
        assert_eq!(first, machine("second", "opens libdeep.so.1 and libnone.so", "code"));
        assert_ne!(first, machine("third", "opens libdeep.so.1 and libnone.so", "other code"));
        assert_ne!(first, machine("fourth", "opens libdeep.so.1", "code"));
    }
}
