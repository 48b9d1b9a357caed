//! What aspen++ makes is the same whichever device will run it. Where the same tests run on one device after the other, each compile happens
//! once: what it made and said is kept by its command and by the content of the test's folder, and given to the next device's run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;

/// A folder of such results.
pub struct Built {
    pub folder: PathBuf,
    /// `NAME=VALUE` of the commands that make them.
    pub variables: Vec<String>,
}

/// The test's folder before a step.
pub struct Before {
    files: BTreeMap<PathBuf, blake3::Hash>,
    key: String,
}

const SAID: [&str; 2] = [".stdout", ".stderr"];
const FILES: &str = "files";

impl Built {
    /// What these commands find set, but for what a test sets itself.
    pub fn variables_beside(&self, own: &[String]) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.variables.iter().filter_map(|word| word.split_once('='));
        pairs.filter(move |(name, _)| !own.iter().any(|word| word.split_once('=').is_some_and(|(own, _)| own == *name)))
    }

    /// What the step's result depends on: its command, with variables, and all files.
    pub fn before(&self, command: &str, folder: &Path) -> Result<Before> {
        let files = hashes(folder)?;
        let mut key = blake3::Hasher::new();
        key.update(command.as_bytes());
        for (name, hash) in &files {
            key.update(&[0]).update(name.as_os_str().as_encoded_bytes()).update(hash.as_bytes());
        }
        Ok(Before { files, key: key.finalize().to_hex().to_string() })
    }

    /// What the step said when it was run before, with all that it made then put into the folder.
    pub fn take(&self, before: &Before, folder: &Path) -> Result<Option<BTreeMap<&'static str, String>>> {
        let kept = self.folder.join(&before.key);
        if !kept.is_dir() {
            return Ok(None);
        }
        for name in hashes(&kept.join(FILES))?.keys() {
            copy(&kept.join(FILES).join(name), &folder.join(name))?;
        }
        let said = |name: &str| fs::read_to_string(kept.join(name)).with_context(|| format!("cannot read {}", kept.join(name).display()));
        Ok(Some(BTreeMap::from([("stdout", said(SAID[0])?), ("stderr", said(SAID[1])?)])))
    }

    /// Keeps what a step that succeeded has made and said.
    pub fn keep(&self, before: &Before, folder: &Path, said: &BTreeMap<&'static str, String>) -> Result<()> {
        fs::create_dir_all(&self.folder)?;
        let new = tempfile::Builder::new().tempdir_in(&self.folder)?;
        fs::create_dir(new.path().join(FILES))?;
        for (name, hash) in hashes(folder)? {
            if before.files.get(&name) != Some(&hash) {
                copy(&folder.join(&name), &new.path().join(FILES).join(&name))?;
            }
        }
        for (name, text) in SAID.iter().zip(["stdout", "stderr"]) {
            files::write(&new.path().join(name), said.get(text).map_or("", String::as_str))?;
        }
        // A test with the same files may have been as quick.
        let _ = fs::rename(new.path(), self.folder.join(&before.key));
        Ok(())
    }
}

/// All files below a folder but what the last command said, by their names in it.
fn hashes(folder: &Path) -> Result<BTreeMap<PathBuf, blake3::Hash>> {
    fn add(folder: &Path, below: &Path, to: &mut BTreeMap<PathBuf, blake3::Hash>) -> Result<()> {
        for entry in fs::read_dir(folder.join(below)).with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            let name = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                add(folder, &name, to)?;
            } else if !SAID.iter().any(|said| name.as_os_str() == *said) {
                to.insert(name, blake3::hash(&fs::read(entry.path())?));
            }
        }
        Ok(())
    }
    let mut all = BTreeMap::new();
    add(folder, Path::new(""), &mut all)?;
    Ok(all)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
    files::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_given_what_it_made_before_and_only_with_the_same_files_and_command() {
        let place = tempfile::tempdir().expect("a folder");
        let built = Built { folder: place.path().join("built"), variables: Vec::new() };
        let folder = |name: &str, source: &str| {
            let folder = place.path().join(name);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("a.cpp"), source).expect("a file");
            folder
        };
        let first = folder("first", "int a;");
        let before = built.before("aspen++ a.cpp", &first).expect("its files");
        assert!(built.take(&before, &first).expect("no trouble").is_none(), "nothing was made");
        fs::create_dir(first.join("out")).expect("a folder");
        fs::write(first.join("out/a.o"), "made").expect("a file");
        let said = BTreeMap::from([("stdout", "well".to_owned()), ("stderr", String::new())]);
        built.keep(&before, &first, &said).expect("kept");
        for (name, source, command, given) in [
            ("same", "int a;", "aspen++ a.cpp", true),
            ("other source", "int b;", "aspen++ a.cpp", false),
            ("other command", "int a;", "X=1 aspen++ a.cpp", false),
        ] {
            let folder = folder(name, source);
            let before = built.before(command, &folder).expect("its files");
            assert_eq!(built.take(&before, &folder).expect("no trouble"), given.then(|| said.clone()), "{name}");
            assert_eq!(fs::read_to_string(folder.join("out/a.o")).ok().as_deref(), given.then_some("made"), "{name}");
        }
    }
}
