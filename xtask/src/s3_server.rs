//! A server that speaks S3, for the suite `services`: moto's, Python packages in a folder of their own beside the OpenCL drivers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup::setup_pip;
use crate::shell::run;

const VERSION: &str = "5.2.5";

/// The folder for `PYTHONPATH`; brings what is missing.
pub fn install(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join(format!("moto-{VERSION}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    println!("setup: installing moto {VERSION} (a server that speaks S3)");
    let new = cache.join(format!(".moto.{}", std::process::id()));
    let python = setup_pip()?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-warn-script-location", "--root-user-action=ignore", "--target"]).arg(&new);
    // All of its extra `server` brings schemas of every service, and with them three times as much.
    pip.args([&format!("moto[s3]=={VERSION}"), "flask>=3", "flask-cors>=6"]);
    let outcome = run(&mut pip).and_then(|()| fs::rename(&new, &folder).with_context(|| format!("cannot make {}", folder.display())));
    // What is left of it is of no use; the error that counts is the first one.
    let _ = fs::remove_dir_all(&new);
    outcome.with_context(|| format!("moto {VERSION}"))?;
    Ok(folder)
}
