//! Where a run keeps its intermediate files: a temporary folder that goes away with the run, or the user's folder (`-save-temps`).

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
        janitor::prepare();
        let made = tempfile::Builder::new().prefix("aspen-").tempdir();
        let temporary = made.map_err(|error| Error::temporary("make a folder in", &std::env::temp_dir(), &error))?;
        janitor::watch(temporary.path());
        Ok(Scratch { folder: temporary.path().to_path_buf(), taken: BTreeSet::new(), temporary: Some(temporary) })
    }

    /// `<stem>.<ending>`, or with a number in it if that name is taken.
    pub fn file(&mut self, stem: &str, ending: &str) -> PathBuf {
        let stem = if stem == "-" { "stdin" } else { stem };
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

    /// Whether the files stay after the run.
    pub fn is_kept(&self) -> bool {
        self.temporary.is_none()
    }
}
