//! Where a run keeps its intermediate files: a temporary folder that goes away with the run, or the user's folder (`-save-temps`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::Error;
use crate::janitor;

/// Hands out file names, none twice.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    taken: BTreeSet<PathBuf>,
    temporary: Option<TempDir>,
}

impl Scratch {
    /// In `keep`, which is made if it is not there, or in a fresh temporary folder.
    ///
    /// # Errors
    /// If no folder can be made.
    pub fn new(keep: Option<&Path>) -> Result<Scratch, Error> {
        if let Some(folder) = keep {
            fs::create_dir_all(folder).map_err(|error| Error::file("make the folder", folder, error))?;
            return Ok(Scratch { folder: folder.to_path_buf(), taken: BTreeSet::new(), temporary: None });
        }
        let parent = std::env::temp_dir();
        let temporary = janitor::folder("aspen-", &parent)
            .map_err(|error| Error::temporary("make a temporary folder (TMPDIR says where) in", &parent, &error))?;
        Ok(Scratch { folder: temporary.path().to_path_buf(), taken: BTreeSet::new(), temporary: Some(temporary) })
    }

    /// `<stem>.<ending>`, or with a number in it if that name is taken.
    pub fn file(&mut self, stem: &str, ending: &str) -> PathBuf {
        let stem = if stem == "-" { "stdin" } else { &shortened(stem) };
        let mut path = self.folder.join(format!("{stem}.{ending}"));
        let mut number = 2;
        while !self.taken.insert(path.clone()) {
            path = self.folder.join(format!("{stem}-{number}.{ending}"));
            number += 1;
        }
        path
    }

    /// A companion of a file that was handed out: the same name with another ending behind it.
    pub fn beside(&mut self, file: &Path, ending: &str) -> PathBuf {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.file(&name, ending)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the files stay after the run.
    pub fn is_kept(&self) -> bool {
        self.temporary.is_none()
    }
}

/// File systems take names of 255 bytes; a source's name may be nearly that long already, and what is made of it has longer endings.
fn shortened(stem: &str) -> Cow<'_, str> {
    const LONGEST: usize = 160;
    const KEPT: usize = 100;
    if stem.len() <= LONGEST {
        return stem.into();
    }
    let end = (0..=KEPT).rev().find(|&end| stem.is_char_boundary(end)).unwrap_or(0);
    format!("{}-{}", &stem[..end], &blake3::hash(stem.as_bytes()).to_hex()[..16]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_are_short_enough_and_stay_apart() {
        let mut scratch = Scratch::new(None).expect("a temporary folder");
        let long = "x".repeat(240);
        let mut made = Vec::new();
        for stem in [&long, &(long.clone() + "y"), &long, &"ß".repeat(120), "short"] {
            let file = scratch.file(stem, "nvidia_gpu_sm_90a.bc");
            made.extend([scratch.beside(&file, "report"), file]);
        }
        for file in &made {
            fs::write(file, "").expect("a name that the file system takes");
        }
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), 10);
        assert!(made[9].ends_with("short.nvidia_gpu_sm_90a.bc") && made[8].ends_with("short.nvidia_gpu_sm_90a.bc.report"));
    }
}
