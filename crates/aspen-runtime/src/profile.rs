//! `ASPEN_DEVICE_PROFILE` and `ASPEN_DEVICE_CONFIG_FILE`: the target that every device answers as. Source: DESIGN §6.

use std::fs;
use std::path::Path;

use aspen_contract::Capabilities;
use aspen_devices::Database;

use crate::error::{Code, Error, Result};

/// A target of the database, standing in for the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The target's name.
    pub name: String,
    /// What the target can do; may leave things open.
    pub capabilities: Capabilities,
}

impl Profile {
    /// The profile the user asked for, if any. A configuration file is read, and must make sense, even without a profile.
    ///
    /// # Errors
    /// [`Code::Invalid`] that names the variable, the file or the target.
    pub fn load(name: Option<&str>, config_file: Option<&Path>) -> Result<Option<Profile>> {
        let with_file = config_file.map(with_file).transpose()?;
        let Some(name) = name else { return Ok(None) };
        let database = with_file.as_ref().unwrap_or_else(|| Database::builtin());
        let target = database.lookup(name).map_err(|error| Error::new(Code::Invalid, format!("ASPEN_DEVICE_PROFILE={name}: {error}")))?;
        Ok(Some(Profile { name: target.name.clone(), capabilities: target.capabilities() }))
    }
}

fn with_file(path: &Path) -> Result<Database> {
    let wrong = |error: &dyn std::fmt::Display| Error::new(Code::Invalid, format!("ASPEN_DEVICE_CONFIG_FILE={}: {error}", path.display()));
    let (name, bytes) = (path.display().to_string(), fs::read(path).map_err(|error| wrong(&error))?);
    let overlaid = aspen_devices::text(&name, &bytes).and_then(|text| Database::builtin().overlay(&name, text));
    let (database, warnings) = overlaid.map_err(|error| wrong(&error))?;
    for warning in warnings {
        eprintln!("aspen: {warning}");
    }
    Ok(database)
}
