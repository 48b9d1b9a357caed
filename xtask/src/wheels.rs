//! Python wheels that bring what is no Python: drivers, compilers, headers. They are only unpacked.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup::setup_pip;
use crate::shell::{output, run};

/// Downloads wheels (`name==version`) to a folder for them, and unpacks them below another one.
pub fn unpack(wanted: &[String], archives: &Path, unpacked: &Path) -> Result<()> {
    let python = setup_pip()?;
    fs::create_dir_all(archives).with_context(|| format!("cannot make {}", archives.display()))?;
    run(Command::new(&python).args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"]).arg(archives).args(wanted))?;
    for wheel in fs::read_dir(archives)? {
        output(Command::new(&python).args(["-m", "zipfile", "-e"]).arg(wheel?.path()).arg(unpacked))?;
    }
    Ok(())
}
