//! The target database with users' files over it.

use std::fs;
use std::path::{Path, PathBuf};

use aspen_devices::Database;

use crate::Failure;

/// The database with the user's files, after that of `ASPEN_DEVICE_CONFIG_FILE`, as the runtime has it; their warnings go to standard
/// error. Source: DESIGN §6.
///
/// # Errors
/// If a file cannot be read or is faulty.
pub fn database(files: &[PathBuf]) -> Result<Database, Failure> {
    let of_environment = std::env::var_os("ASPEN_DEVICE_CONFIG_FILE").filter(|file| !file.is_empty()).map(PathBuf::from);
    named(of_environment.iter().chain(files))
}

/// The database with these files.
///
/// # Errors
/// If a file cannot be read or is faulty.
pub fn named<'f>(files: impl IntoIterator<Item = &'f PathBuf>) -> Result<Database, Failure> {
    let mut database = Database::builtin().clone();
    for file in files {
        let (next, warnings) = overlay(&database, file)?;
        if !warnings.is_empty() {
            eprint!("{warnings}");
        }
        database = next;
    }
    Ok(database)
}

/// A database with one file over it, and what there is to warn of.
///
/// # Errors
/// If the file cannot be read or is faulty.
pub fn overlay(database: &Database, file: &Path) -> Result<(Database, String), Failure> {
    let name = file.display().to_string();
    let bytes = fs::read(file).map_err(|error| Failure::Input(format!("cannot read '{name}': {error}")))?;
    let overlaid = aspen_devices::text(&name, &bytes).and_then(|text| database.overlay(&name, text));
    let (database, warnings) = overlaid.map_err(|error| Failure::Input(format!("the device file cannot be used\n{error}")))?;
    Ok((database, warnings.iter().map(|warning| format!("{warning}\n")).collect()))
}
